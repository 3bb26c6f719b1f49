"""`gpuinfra instances`: the machines that clouds sell, with their GPUs."""

from __future__ import annotations

import click

from . import filters, listing, rows
from .listing import Column
from .rows import Row

COLUMNS = (
    Column("provider", listing.text("provider"), rank=6),
    Column("type", listing.text("instance_type")),
    Column("GPU", listing.text("gpu_model")),
    Column("n", listing.text("gpu_count"), right=True),
    Column("GiB each", listing.text("gpu_memory_gib"), right=True, rank=4),
    Column("vCPU", listing.text("vcpus"), right=True, rank=2),
    Column("GiB", listing.text("memory_gib"), right=True, rank=3),
    Column("arch", listing.text("arch"), rank=1),
    Column("fabric", listing.text("fabric"), rank=5),
    Column("USD/h", listing.money("on_demand_usd_hour"), right=True),
    Column("in", lambda row: row["region"] or ""),
    Column("as of", lambda row: str(row["price_as_of"] or "undated") if row["region"] else ""),
)


@click.command("instances")
@listing.provider_option
@listing.gpu_option
@click.option("--count", type=int, metavar="N", help="Only types with that many GPUs.")
@listing.region_option
@click.option("--max-price", type=float, metavar="USD", help="On demand, an hour; types without a price are left out.")
@click.option("--min-memory", type=float, metavar="GIB", help="Least memory of one GPU.")
@click.option("--min-vcpus", type=int, metavar="N", help="Fewest vCPUs.")
@click.option("--arch", metavar="ARCH", help="CPU architecture: x86_64 or arm64.")
@click.option("--fabric", metavar="KIND", help="efa, gpudirect-tcpx, gpudirect-tcpxo, roce, infiniband or none.")
@listing.format_option
def command(
    provider: str | None,
    gpu: str | None,
    count: int | None,
    region: str | None,
    max_price: float | None,
    min_memory: float | None,
    min_vcpus: int | None,
    arch: str | None,
    fabric: str | None,
    format_: str,
) -> int:
    """List instance types with GPUs.

    The price is the on-demand list price in --region, or where it is lowest, with its date; ~ marks an estimate and
    ? what the tables do not know.

    \b
    Examples:
      gpuinfra instances --provider aws --gpu H100
      gpuinfra instances --count 8 --fabric efa --region us-east-2 --format json
    """
    table = with_prices(region)
    wanted = [
        *filters.one_of("--provider", provider, "provider"),
        *filters.gpu_model("--gpu", gpu, {str(r["gpu_model"]) for r in table}),
        *filters.among("--region", region, "regions"),
        *filters.exactly("--count", count, "gpu_count"),
        *filters.at_most("--max-price", max_price, "on_demand_usd_hour"),
        *filters.at_least("--min-memory", min_memory, "gpu_memory_gib"),
        *filters.at_least("--min-vcpus", min_vcpus, "vcpus"),
        *filters.one_of("--arch", arch, "arch"),
        *filters.one_of("--fabric", fabric, "fabric"),
    ]
    return listing.show(table, wanted, COLUMNS, format_)


def with_prices(region: str | None) -> list[Row]:
    """Every type with the regions that offer it and its on-demand price there, or the lowest one."""
    priced = rows.prices()
    here = [p for p in priced if region is None or p["region"].casefold() == region.casefold()]
    best = rows.cheapest(_key, here)
    regions: dict[tuple[str, str], set[str]] = {}
    for row in (*priced, *rows.availability()):
        regions.setdefault(_key(row), set()).add(row["region"])
    return [_joined(row, best.get(_key(row)), regions.get(_key(row), set())) for row in rows.instances()]


def _key(row: Row) -> tuple[str, str]:
    return row["provider"], row["instance_type"]


def _joined(row: Row, price: Row | None, regions: set[str]) -> Row:
    found = price or {}
    return {
        **row,
        "regions": sorted(regions),
        "region": found.get("region"),
        "on_demand_usd_hour": found.get("on_demand_usd_hour"),
        "spot_usd_hour": found.get("spot_usd_hour"),
        "estimate": found.get("estimate", False),
        "price_as_of": found.get("as_of"),
        "price_source": found.get("source"),
    }
