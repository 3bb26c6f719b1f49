"""A machine type that Google does not sell in this way.

What: The catalog says that the machine type is not sold on demand, as spot, as flex-start or by reservation, and the machine is bought so.
Why: The request is refused, or finds no capacity for ever: small A3 High are sold as spot and flex-start only, A3 Ultra and A4 not on demand, A4X by reservation only.
Fix: Buy it in a way that the catalog names.
References: Google Cloud docs, Accelerator-optimized machine family; Google Cloud docs, GPU machine types
"""

from __future__ import annotations

from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3126", "not-sold-that-way", Severity.ERROR, __doc__, ("GCP-SCH-07", "GCP-SCH-08", "GCP-SCH-09"))
_WORDS = {
    CapacityType.ON_DEMAND: "on demand",
    CapacityType.SPOT: "as spot",
    CapacityType.FLEX_START: "as flex-start",
    CapacityType.RESERVATION: "by reservation",
}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. A sketch that does not say how it is bought is not judged."""
    for m in ctx.gcp.machines:
        if not m.brings_gpus or (m.sketched and m.get("scheduling") is None and m.get("reservationAffinity") is None):
            continue
        bought = m.purchase
        if bought is None:
            yield Undecided(CODE.code, m.name, "how the machines are bought is not known yet")
            continue
        row = catalog.purchase_option(Provider.GCP, m.machine_type, bought)
        if row is not None and not row.supported:
            yield CODE.at(
                m.path("machineType"),
                f"{m.machine_type} is bought {_WORDS.get(bought, bought)}: {row.reason}",
                f"in the words of a spec: {row.instead}" if row.instead else "",
                resource=m.name,
            )


_T = "- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: {0}, scheduling: {{provisioningModel: {1}}}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (
            _T.format("a3-highgpu-1g", "SPOT"),
            _T.format("g2-standard-8", "STANDARD"),
            _T.format("a4-highgpu-8g", "FLEX_START"),
        ),
        (
            _T.format("a3-highgpu-1g", "STANDARD"),
            _T.format("a4-highgpu-8g", "STANDARD"),
            _T.format("a4x-highgpu-4g", "FLEX_START"),
        ),
        (_T.format("a4-highgpu-8g", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
