"""`gpuinfra compare`: every place where the GPUs of a spec can be had, what they cost there, and why not where not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ..clock import current_moment
from ..diagnostics import Collector, did_you_mean, has_errors, in_order
from ..vocabulary import Provider
from . import findings as rendering
from . import listing
from .judge import findings_text, now_option
from .listing import Column
from .output import as_csv, as_json, note, usd, write
from .rows import Row

if TYPE_CHECKING:
    from ..advice.compare import Comparison, Excluded, Offer
    from ..advice.need import Need

_SHOWN = 20

_KEYS = (
    "provider", "region", "zone", "instance_type", "nodes", "fabric", "usd_per_hour", "usd_per_gpu_hour",
    "usd_per_lease", "as_of", "capacity", "pool", "accelerator", "gpu_model", "gpus_per_node", "usd_per_hour_at_most",
    "estimate", "note",
)  # fmt: skip


def _type(row: Row) -> str:
    return (
        f"{row['instance_type']} + {row['gpus_per_node']} {row['gpu_model']}"
        if row["accelerator"]
        else row["instance_type"]
    )


def _amount(column: str) -> Any:
    """The amount; ~ marks an estimate, ≤ the bound of a price that is unknown, ? one that nothing bounds."""

    def cell(row: Row) -> str:
        value = row[column]
        if value is not None:
            return ("~" if row["estimate"] else "") + usd(value)
        bound = row["usd_per_hour_at_most"] if column == "usd_per_hour" else None
        return "?" if bound is None else f"≤{usd(bound)}"

    return cell


_COLUMNS = (
    Column("provider", listing.text("provider")),
    Column("region", listing.text("region")),
    Column("type", _type),
    Column("GPU", listing.text("gpu_model"), rank=3),
    Column("nodes", listing.text("nodes"), right=True, rank=2),
    Column("fabric", listing.text("fabric"), rank=5),
    Column("bought", listing.text("capacity"), rank=1),
    Column("USD/GPU h", _amount("usd_per_gpu_hour"), right=True),
    Column("USD/h", _amount("usd_per_hour"), right=True, rank=6),
    Column("per lease", _amount("usd_per_lease"), right=True, rank=4),
    Column("as of", lambda row: (row["as_of"] or "").partition(" ")[0]),
)
_REASONS = (
    Column("provider", listing.text("provider")),
    Column("type", listing.text("instance_type")),
    Column("why not", listing.text("reason")),
)


@click.command("compare")
@click.argument("spec", metavar="SPEC", type=click.Path(allow_dash=True, readable=False))
@click.option("--provider", type=click.Choice([str(p) for p in Provider]), help="Only this cloud.")
@click.option("--region", metavar="NAME", help="Only this region.")
@click.option(
    "--limit",
    type=listing.COUNT,
    default=_SHOWN,
    show_default=True,
    metavar="N",
    help="Offers of a pool in the text form; the cheapest of each cloud is always there.",
)
@click.option("--all", "all_", is_flag=True, help="Every offer in the text form.")
@listing.format_option
@now_option
def command(
    spec: str, provider: str | None, region: str | None, limit: int, all_: bool, format_: str, now: datetime | None
) -> int:
    """Compare clouds and regions for the GPUs of a spec.

    Each place that has the GPU, as many of them in a node, the memory and the fabric that the spec needs: type, nodes,
    price, its date, and how it can be bought; the cheapest for a GPU hour first, unknown prices last. Then each type
    that does not do, and why. Storage and traffic are in no price here: plan SPEC --provider --region shows them.

    SPEC is the path of a cluster.yaml, or - for standard input. Nothing is fetched: prices are list prices of their day.

    \b
    Examples:
      gpuinfra compare cluster.yaml
      gpuinfra compare cluster.yaml --provider gcp --format json
    """
    from ..advice.compare import compare
    from ..advice.need import needs_of
    from ..spec.load import load

    providers = _providers(provider, region)
    loaded = load(spec)
    out = Collector()
    needs = needs_of(loaded.spec, out) if loaded.spec else ()
    found = in_order((*loaded.diagnostics, *(loaded.locate(d) for d in out.found)))
    if loaded.spec is None or has_errors(found):
        write(
            as_json({**_data(None), **rendering.as_data(found)}) if format_ == "json" else findings_text(found, [spec])
        )
        return 1
    if not needs:
        note("nothing to compare: no pool of the spec has nodes with GPUs")
    made = compare(loaded.spec, needs, now or current_moment(), providers=providers, region=region)
    if format_ == "json":
        write(as_json(_data(made)))
    elif format_ == "csv":
        write(as_csv(_KEYS, [_row(o) for o in made.offers]))
    else:
        write("\n".join(_text(need, made, None if all_ else limit) for need in needs))
    return 0


def _providers(provider: str | None, region: str | None) -> tuple[Provider, ...]:
    """The clouds to look at: one that is named, or those that have the region. Raises click.UsageError for no region."""
    from .. import catalog

    every = (Provider(provider),) if provider else tuple(Provider)
    if region is None:
        return every
    having = tuple(p for p in every if region in catalog.regions(p))
    if not having:
        guess = did_you_mean(region, [r for p in every for r in catalog.regions(p)])
        where = f" of {provider}" if provider else ""
        raise click.UsageError(f"--region: '{region}' is not a known region{where}" + (f"; {guess}" if guess else ""))
    return having


def _data(made: Comparison | None) -> dict[str, Any]:
    offers, excluded = (made.offers, made.excluded) if made else ((), ())
    return {"offers": [_row(o) for o in offers], "excluded": [_reason(e) for e in excluded]}


def _row(offer: Offer) -> Row:
    return {
        "provider": str(offer.provider),
        "region": offer.region,
        "zone": offer.zone,
        "instance_type": offer.instance_type,
        "nodes": offer.nodes,
        "fabric": str(offer.fabric),
        "usd_per_hour": _rounded(offer.usd_per_hour),
        "usd_per_gpu_hour": _rounded(offer.usd_per_gpu_hour),
        "usd_per_lease": _rounded(offer.usd_per_lease),
        "as_of": offer.as_of or None,
        "capacity": str(offer.capacity),
        "pool": offer.pool,
        "accelerator": offer.attached or None,
        "gpu_model": offer.gpu_model,
        "gpus_per_node": offer.gpus_per_node,
        "usd_per_hour_at_most": _rounded(offer.usd_per_hour_at_most),
        "estimate": offer.estimate,
        "note": offer.note,
    }


def _reason(excluded: Excluded) -> Row:
    return {
        "provider": str(excluded.provider),
        "instance_type": excluded.instance_type,
        "reason": excluded.reason,
        "pool": excluded.pool,
    }


def _rounded(amount: float | None) -> float | None:
    return None if amount is None else round(amount, 6)


def _text(need: Need, made: Comparison, limit: int | None) -> str:
    """One pool: what it needs, where that can be had, and why not elsewhere."""
    offers = [o for o in made.offers if o.pool == need.pool]
    excluded = [e for e in made.excluded if e.pool == need.pool]
    parts = [click.style(f"{need.pool}: {_need(need)}", bold=True) + "\n\n"]
    if offers:
        shown = _shown(offers, limit)
        parts.append(listing.table_text(_columns(need, offers), [_row(o) for o in shown]))
        parts += [f"{line}\n" for line in _notes(offers, shown)]
    else:
        parts.append("No place that the tables know meets it.\n")
    if excluded:
        parts.append("\n" + listing.table_text(_REASONS, [_any_type(_reason(e)) for e in excluded]))
    return "".join(parts)


def _shown(offers: Sequence[Offer], limit: int | None) -> list[Offer]:
    """The first offers, and of every cloud at least its first: who compares clouds looks at each."""
    first = {o.provider: o for o in reversed(offers)}
    return [o for n, o in enumerate(offers) if limit is None or n < limit or first[o.provider] is o]


def _need(need: Need) -> str:
    gpus = f"{need.gpus} x {' or '.join(need.models)}"
    nodes = "1 node" if need.nodes == 1 else f"{need.nodes} nodes"
    fabric = ", with a fabric" if need.fabric else ""
    return f"{nodes} of {gpus}{fabric}, {need.capacity}"


def _columns(need: Need, offers: Sequence[Offer]) -> tuple[Column, ...]:
    """The columns that tell offers apart: without a lease none has a price of it, and what all share needs none."""
    useless = {"per lease"} if all(o.usd_per_lease is None for o in offers) else set[str]()
    if len({o.gpu_model for o in offers}) == 1:
        useless.add("GPU")
    if {o.capacity for o in offers} == {need.capacity}:
        useless.add("bought")
    return tuple(column for column in _COLUMNS if column.title not in useless)


def _notes(offers: Sequence[Offer], shown: Sequence[Offer]) -> list[str]:
    left = len(offers) - len(shown)
    lines = [f"… and {left} more: --all shows them"] if left else []
    if any(o.usd_per_hour is None for o in shown):
        lines.append("? no price in the tables; ≤ the on-demand list price, which bounds one that is unknown")
    if any(o.estimate for o in shown):
        lines.append("~ an estimate, derived and not read")
    return lines


def _any_type(row: Row) -> Row:
    from ..advice.compare import ANY_TYPE

    return {**row, "instance_type": "every type"} if row["instance_type"] == ANY_TYPE else row
