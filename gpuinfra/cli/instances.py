"""`gpuinfra instances`: the machines that clouds sell, with their GPUs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from . import filters, listing, rows
from .listing import Column
from .output import note, write
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
    Column("retired", listing.retired, sparse=True),
)


ATTACHED = (
    Column("provider", listing.text("provider"), rank=1),
    Column("accelerator.model", listing.text("gpu_model")),
    Column("count", listing.text("gpu_count"), right=True),
    Column("vCPU at most", listing.text("max_vcpus"), right=True),
    Column("GB at most", listing.text("max_memory_gb"), right=True),
    Column("USD/h each", listing.money("each"), right=True),
    Column("in", lambda row: row["region"] or ""),
    Column("as of", lambda row: str(row["as_of"] or "undated") if row["region"] else ""),
)


@click.command("instances")
@listing.provider_option
@listing.gpu_option
@listing.count_option
@listing.region_option
@click.option(
    "--max-price", type=listing.AMOUNT, metavar="USD", help="On demand, an hour; types without a price are left out."
)
@click.option("--min-memory", type=listing.AMOUNT, metavar="GIB", help="Least memory of one GPU.")
@click.option("--min-vcpus", type=listing.COUNT, metavar="N", help="Fewest vCPUs.")
@listing.arch_option
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
    ? what the tables do not know. A type that the cloud no longer deploys has the date in the column retired. GPUs that
    are attached to an N1 machine are no types: the text form lists them apart, with how the spec names them.

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
        *filters.one_of("--arch", filters.cpu_arch(arch), "arch"),
        *filters.one_of("--fabric", fabric, "fabric"),
    ]
    return listing.show(
        table,
        wanted,
        COLUMNS,
        format_,
        apart=listing.Apart(_is_attached, lambda kept, form: attached(kept, form, region)),
    )


def _is_attached(row: Row) -> bool:
    return bool(rows.attached_kind(row["instance_type"]))


def _attached_key(row: Row) -> tuple[str, str]:
    """The row that prices one GPU of those that are attached."""
    return row["provider"], f"accelerator:{rows.attached_kind(row['instance_type'])}"


def attached(kept: Sequence[Row], format_: str, region: str | None = None) -> None:
    """Says how the spec names GPUs that are attached to a machine: a table after the text form, else a note."""
    models = sorted({str(row["gpu_model"]) for row in kept})
    how = f"instance_type: n1-standard-8, accelerator: {{model: {models[0]}, count: 1}}"
    if format_ != "text":
        note(f"{', '.join(models)}: also attached to an N1 machine, which is no type of its own; write {how}")
        return
    priced = [p for p in rows.prices() if region is None or p["region"].casefold() == region.casefold()]
    best = rows.cheapest(_key, priced)
    wanted = {(*_attached_key(row), row["gpu_count"]) for row in kept}
    several: list[Row] = []
    for row in rows.attached_accelerators():
        key = (row["provider"], f"accelerator:{row['accelerator_type']}")
        if (*key, row["gpu_count"]) in wanted:
            price: Row = best.get(key, {})
            found = {
                "each": price.get("on_demand_usd_hour"),
                "region": price.get("region"),
                "as_of": price.get("as_of"),
            }
            several.append({**row, **found})
    write(f"\nGPUs that are attached to an N1 machine, which is priced apart. In the spec: {how}\n\n")
    listing.write_table(ATTACHED, several)


def with_prices(region: str | None) -> list[Row]:
    """Every type with the regions that offer it and its on-demand price there, or the lowest one."""
    priced = rows.prices()
    here = [p for p in priced if region is None or p["region"].casefold() == region.casefold()]
    best = rows.cheapest(_key, here)
    regions: dict[tuple[str, str], set[str]] = {}
    for row in (*priced, *rows.availability()):
        regions.setdefault(_key(row), set()).add(row["region"])
    return [
        # GPUs that are attached have neither price nor regions of their own: those of one GPU say where they are.
        _joined(row, best.get(_key(row)), regions.get(_attached_key(row) if _is_attached(row) else _key(row), set()))
        for row in rows.instances()
        if _key(row) != _attached_key(row)
    ]


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
