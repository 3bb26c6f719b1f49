"""`gpuinfra images`: containers, and the images that nodes boot."""

from __future__ import annotations

import click

from . import filters, listing, rows
from .listing import Column

CONTAINERS = (
    Column("image", listing.text("image")),
    Column("framework", listing.text("framework"), rank=5),
    Column("CUDA", listing.text("cuda_version")),
    Column("Python", listing.text("python_version"), rank=3),
    Column("NCCL", listing.text("nccl_version"), rank=1),
    Column("EFA", listing.text("efa_version"), rank=2),
    Column("built for driver", listing.text("min_driver"), rank=6),
    Column("arch", listing.text("arches"), rank=4),
)
NODES = (
    Column("provider", listing.text("provider"), rank=6),
    Column("image.node", listing.text("selector")),
    Column("OS", listing.text("os"), rank=3),
    Column("arch", listing.text("arch"), rank=5),
    Column("driver", lambda row: "none" if row["driver_kind"] == "none" else listing.text("driver")(row)),
    Column("CUDA", listing.text("cuda"), rank=4),
    Column("for", listing.text("machine_types"), rank=1),
    Column("release", listing.text("release"), rank=2),
)


@click.command("images")
@click.option(
    "--kind", type=click.Choice(["container", "node"]), help="Default: container; node where --provider is given."
)
@listing.provider_option
@click.option("--name", metavar="TEXT", help="Only images whose name holds this text.")
@click.option("--framework", metavar="NAME", help="Containers: pytorch, tensorflow, vllm …")
@click.option("--cuda", metavar="VERSION", help="Only this CUDA: 12, 12.8 or 12.8.1.")
@listing.arch_option
@listing.format_option
def command(
    kind: str | None,
    provider: str | None,
    name: str | None,
    framework: str | None,
    cuda: str | None,
    arch: str | None,
    format_: str,
) -> int:
    """List container images, or what nodes boot.

    \b
    Examples:
      gpuinfra images --framework pytorch --cuda 12.8
      gpuinfra images --provider aws --arch arm64
    """
    kind = kind or ("node" if provider else "container")
    if kind == "container":
        if provider:
            raise click.UsageError("--provider is for node images; container images belong to no cloud")
        wanted = [
            *filters.contains("--name", name, "image"),
            *filters.one_of("--framework", framework, "framework"),
            *filters.version("--cuda", cuda, "cuda_version"),
            *filters.among("--arch", filters.cpu_arch(arch), "arches"),
        ]
        return listing.show(rows.container_images(), wanted, CONTAINERS, format_)
    if framework:
        raise click.UsageError("--framework is for containers; take --kind container")
    wanted = [
        *filters.one_of("--provider", provider, "provider"),
        *filters.contains("--name", name, "name"),
        *filters.version("--cuda", cuda, "cuda"),
        *filters.one_of("--arch", filters.cpu_arch(arch), "arch"),
    ]
    return listing.show(rows.node_images(), wanted, NODES, format_)
