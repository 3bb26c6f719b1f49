"""`gpuinfra prices`: what a machine costs, where, and when that was read."""

from __future__ import annotations

import click

from . import filters, listing, rows
from .listing import Column

COLUMNS = (
    Column("provider", listing.text("provider"), rank=3),
    Column("region", listing.text("region")),
    Column("type", listing.text("instance_type")),
    Column("GPU", listing.text("gpu_model"), rank=2),
    Column("n", listing.text("gpu_count"), right=True),
    Column("USD/h", listing.money("on_demand_usd_hour"), right=True),
    Column("as of", listing.date("as_of")),
    Column("spot", listing.money("spot_usd_hour"), right=True, rank=1),
    Column(
        "spot as of", lambda row: listing.date("spot_as_of")(row) if row["spot_usd_hour"] is not None else "", rank=1
    ),
    Column("retired", listing.retired, sparse=True),
)


@click.command("prices")
@listing.provider_option
@listing.region_option
@listing.type_option
@listing.gpu_option
@listing.count_option
@click.option(
    "--max-price", type=listing.AMOUNT, metavar="USD", help="On demand, an hour; with --spot: the spot price."
)
@click.option("--spot", is_flag=True, help="Only types with a known spot price, the cheapest first.")
@listing.format_option
def command(
    provider: str | None,
    region: str | None,
    instance_type: str | None,
    gpu: str | None,
    count: int | None,
    max_price: float | None,
    spot: bool,
    format_: str,
) -> int:
    """List prices, the cheapest first.

    One instance for an hour, USD, Linux, each with its date. Nothing is fetched: these are list prices as the named source had them on that day. ~ marks an estimate from another
    size of the family; ? is unknown, also where the source's spot figure is no market price. A type that the cloud no
    longer deploys has the date in the column retired. accelerator:TYPE is one GPU that is attached to an N1 machine.

    \b
    Examples:
      gpuinfra prices --type p5.48xlarge
      gpuinfra prices --gpu H100 --count 8 --max-price 80
    """
    column = "spot_usd_hour" if spot else "on_demand_usd_hour"
    table = rows.prices()
    if spot:
        table = [row for row in table if row[column] is not None]
    wanted = [
        *filters.one_of("--provider", provider, "provider"),
        *filters.one_of("--type", instance_type, "instance_type"),
        *filters.gpu_model("--gpu", gpu, {str(r["gpu_model"]) for r in table}),
        *filters.one_of("--region", region, "region"),
        *filters.exactly("--count", count, "gpu_count"),
        *filters.at_most("--max-price", max_price, column),
    ]
    return listing.show(
        table,
        wanted,
        COLUMNS,
        format_,
        order=lambda r: (r[column] is None, r[column] or 0, r["region"], r["instance_type"]),
    )
