"""`gpuinfra gpus`: GPU models and what they can do."""

from __future__ import annotations

import click

from . import filters, listing, rows
from .listing import Column

COLUMNS = (
    Column("GPU", listing.text("gpu_model")),
    Column("architecture", listing.text("architecture"), rank=4),
    Column("capability", listing.text("compute_capability")),
    Column("GiB", listing.text("memory_gib"), right=True),
    Column("GB/s", listing.text("memory_bandwidth_gbps"), right=True),
    Column("FP16 TFLOPS", listing.text("fp16_dense_tflops"), right=True),
    Column("FP8 TFLOPS", listing.text("fp8_dense_tflops"), right=True, rank=2),
    Column("NVLink GB/s", listing.text("nvlink_gbps"), right=True, rank=5),
    Column("CUDA from", listing.text("min_cuda"), rank=6),
    Column("to", lambda row: row["max_cuda"] or "", rank=6),
    Column("kernel module", listing.text("kernel_module"), rank=3),
    Column("sold by", lambda row: " ".join(row["providers"]) or "none", rank=1),
)


@click.command("gpus")
@listing.provider_option
@listing.gpu_option
@click.option("--vendor", metavar="NAME", help="NVIDIA or AMD.")
@click.option("--arch", metavar="NAME", help="GPU architecture, as Hopper.")
@click.option("--min-memory", type=listing.AMOUNT, metavar="GIB", help="Least memory.")
@listing.format_option
def command(
    provider: str | None, gpu: str | None, vendor: str | None, arch: str | None, min_memory: float | None, format_: str
) -> int:
    """List GPU models and what they need.

    Memory, bandwidth, dense TFLOPS, the CUDA releases that have code for them, the kernel module, and who sells them.

    \b
    Example:
      gpuinfra gpus --min-memory 80 --provider gcp
    """
    sold: dict[str, set[str]] = {}
    for row in rows.instances():
        if not row["retired"]:
            sold.setdefault(str(row["gpu_model"]), set()).add(row["provider"])
    table = [{**row, "providers": sorted(sold.get(row["gpu_model"], ()))} for row in rows.gpus()]
    wanted = [
        *filters.among("--provider", provider, "providers"),
        *filters.gpu_model("--gpu", gpu, [str(r["gpu_model"]) for r in table]),
        *filters.one_of("--vendor", vendor, "vendor"),
        *filters.one_of("--arch", arch, "architecture"),
        *filters.at_least("--min-memory", min_memory, "memory_gib"),
    ]
    return listing.show(table, wanted, COLUMNS, format_)
