"""`gpuinfra regions`: where a machine or a GPU can be had."""

from __future__ import annotations

from collections.abc import Sequence

import click

from . import filters, listing, rows
from .listing import Column
from .rows import Row

COLUMNS = (
    Column("provider", listing.text("provider")),
    Column("region", listing.text("region")),
    Column("type", listing.text("instance_type")),
    Column("GPU", listing.text("gpu_model"), rank=2),
    Column("n", listing.text("gpu_count"), right=True, rank=1),
    Column("zones", listing.text("zones")),
    Column("as of", listing.date("as_of")),
    Column("retired", listing.retired, sparse=True),
)
BY_REGION = (
    Column("provider", listing.text("provider")),
    Column("region", listing.text("region")),
    Column("types", listing.text("types"), right=True),
    Column("GPUs", listing.text("gpu_models")),
)


@click.command("regions")
@listing.provider_option
@listing.region_option
@listing.gpu_option
@listing.count_option
@listing.type_option
@listing.format_option
def command(
    provider: str | None,
    region: str | None,
    gpu: str | None,
    count: int | None,
    instance_type: str | None,
    format_: str,
) -> int:
    """List regions and zones that offer GPUs.

    AWS zones are ids (use2-az1), the same building in every account. A type with a price and no zone row is listed with
    its zones unknown. Without --gpu, --type or --region the text form has one line a region.

    \b
    Examples:
      gpuinfra regions --provider aws --gpu H200
      gpuinfra regions --type a3-megagpu-8g --format csv
    """
    table = offers()
    wanted = [
        *filters.one_of("--provider", provider, "provider"),
        *filters.one_of("--region", region, "region"),
        *filters.gpu_model("--gpu", gpu, {str(r["gpu_model"]) for r in table}),
        *filters.one_of("--type", instance_type, "instance_type"),
        *filters.exactly("--count", count, "gpu_count"),
    ]
    if format_ == "text" and not (gpu or instance_type or region):
        try:
            regions = by_region(filters.apply(table, wanted))
        except filters.UnknownValueError:
            pass
        else:
            return listing.show(regions, (), BY_REGION, format_)
    return listing.show(table, wanted, COLUMNS, format_)


def offers() -> list[Row]:
    """One row for each region and type: from the zone table, or from a price where that table has no row."""
    types = {(row["provider"], row["instance_type"]): row for row in rows.instances()}
    found: dict[tuple[str, str, str], Row] = {}
    for row in (*rows.availability(), *rows.prices()):
        key = (row["provider"], row["region"], row["instance_type"])
        instance = types.get((row["provider"], row["instance_type"]))
        if key in found or instance is None:
            continue
        found[key] = {
            "provider": row["provider"],
            "region": row["region"],
            "instance_type": row["instance_type"],
            "gpu_model": instance["gpu_model"],
            "gpu_count": instance["gpu_count"],
            "zones": row["zones"],
            "as_of": row["as_of"],
            "as_of_basis": row["as_of_basis"],
            "source": row["source"],
            **{key: instance[key] for key in ("retired", "retired_on", "take_instead")},
        }
    return [found[key] for key in sorted(found)]


def by_region(table: Sequence[Row]) -> list[Row]:
    """One row a region: how many types that are still deployed, and which GPUs."""
    regions: dict[tuple[str, str], list[Row]] = {}
    for row in (row for row in table if not row["retired"]):
        regions.setdefault((row["provider"], row["region"]), []).append(row)
    return [
        {
            "provider": provider,
            "region": region,
            "types": len(there),
            "gpu_models": sorted({str(row["gpu_model"]) for row in there}),
        }
        for (provider, region), there in regions.items()
    ]
