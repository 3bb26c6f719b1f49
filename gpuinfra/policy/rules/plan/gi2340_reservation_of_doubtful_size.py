"""A reservation of a size that perhaps has none.

What: A pool is bought through a capacity reservation, and the sources disagree whether Azure reserves capacity of its size.
Why: Azure's overview lists NC A100 v4, and one list of size capabilities says no. Where it is no, the reservation is refused.
Fix: Read the size's capability CapacityReservationSupported before you deploy: az vm list-skus.
References: Azure docs, on-demand capacity reservation (2026-02)
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import infiniband
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import CapacityType, Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2340", "reservation-of-doubtful-size", Severity.WARNING, __doc__, ("AZ CRG-01",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each pool."""
    for pool in ctx.plan.pools:
        row = infiniband(pool.instance.name)
        doubtful = row is not None and "capacity_reservation" in row.weak
        if doubtful and pool.capacity.type is CapacityType.RESERVATION and ctx.sold(pool):
            yield CODE.at(
                f"{pool.path}.capacity.type",
                f"whether capacity of {pool.instance.name} can be reserved is not sure: the sources disagree",
            )


_T = """\
location: {{provider: azure, region: eastus, zone: "1"}}
node_pools:
- instance_type: {0}
  capacity: {{type: reservation, id: /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/c}}
storage: []
"""

RULE = PlanRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format("Standard_NC4as_T4_v3"),), (_T.format("Standard_NC24ads_A100_v4"),)),
    providers=(Provider.AZURE,),
)
