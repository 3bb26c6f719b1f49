"""A size of which the cloud reserves no capacity.

What: A pool is bought through a capacity reservation, and the region's own list says that capacity of its size cannot be reserved.
Why: The reservation is refused. The sources disagree on some sizes (NC A100 v4): the list of the subscription decides.
Fix: Buy the pool on demand, or take a size that can be reserved.
References: Azure docs, on-demand capacity reservation (2026-02)
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import CapacityType, Provider
from ...account_facts import Absent, Offering
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4012", "size-not-reservable", Severity.ERROR, __doc__, ("AZ CRG-01",))
_CAPABILITY = "CapacityReservationSupported"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool of reserved capacity."""
    for pool in ctx.plan.pools:
        if pool.capacity.type is not CapacityType.RESERVATION:
            continue
        path, name = f"{pool.path}.capacity.type", pool.instance.name
        found = ctx.facts.entry("offerings", name)
        if isinstance(found, Absent):
            yield unsure(CODE, path, found)
        elif isinstance(found, Offering):
            said = found.capabilities.get(_CAPABILITY, "")
            if not said:
                yield unsure(CODE, path, Absent(f"the list of sizes does not say whether {name} can be reserved"))
            elif said.lower() != "true":
                yield CODE.at(path, f"capacity of {name} cannot be reserved: {_CAPABILITY} is {said}")
            else:
                yield passed(CODE, path, f"capacity of {name} can be reserved")


_T = """\
spec:
  location: {{provider: azure, region: eastus, zone: "1"}}
  node_pools:
  - instance_type: Standard_NC24ads_A100_v4
    capacity: {{type: reservation, id: /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/c}}
  storage: []
account:
  offerings: {{Standard_NC24ads_A100_v4: {{zones: ["1"], capabilities: {0}}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format('{CapacityReservationSupported: "True"}'),),
        (_T.format('{CapacityReservationSupported: "False"}'),),
        (_T.format("{}"),),
    ),
    providers=(Provider.AZURE,),
)
