"""A reservation of other machines than the pool's.

What: The reservation that a pool names holds another machine type, stands in another zone, or is for another platform or tenancy.
Why: A reservation serves launches that equal it in type, zone, platform and tenancy; others are refused, or run beside it at a second price.
Fix: Make instance_type and location.zone equal to the reservation's, or name another one.
References: aws/aws-parallelcluster, CapacityReservationValidator; aws/aws-parallelcluster#4061; GoogleCloudPlatform/cluster-toolkit#5074
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent, Reserved
from ...account_pools import ReservedPool, passed, reserved_pools, same_type, same_zone, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described(
    "GI4021",
    "reservation-does-not-match",
    Severity.ERROR,
    __doc__,
    ("AWS CAP-05", "GCP-RSV-01", "AZ CRG-03"),
)
_PLATFORMS = ("", "linux/unix", "linux")
_TENANCIES = ("", "default")


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool whose reservation is there: the first difference of the machines that come nearest."""
    for named in reserved_pools(ctx):
        if isinstance(named.found, Absent):
            yield unsure(CODE, named.path, named.found)
        elif named.members:
            yield _verdict(ctx, named)


def _verdict(ctx: AccountContext, named: ReservedPool) -> AccountVerdict:
    pool = named.pool
    own = [m for m in named.members if same_type(m, pool)]
    if not own:
        held = ", ".join(sorted({m.instance_type for m in named.members}))
        return CODE.at(
            f"{pool.path}.instance_type",
            f"pool '{pool.name}' is of {pool.instance.name}, and {named.id} holds {held}",
            f"take instance_type: {held}" if "," not in held else "",
        )
    there = [m for m in own if same_zone(m, pool)]
    if not there:
        zones = ", ".join(sorted({m.zone for m in own}))
        stands = f"stands in {pool.zone}" if pool.zone else "names no zone"
        return CODE.at(
            named.path,
            f"pool '{pool.name}' {stands}, and {named.id} holds {pool.instance.name} in {zones}",
            f'set location.zone: "{zones}"' if "," not in zones else "set location.zone to one of these",
        )
    odd = [_oddness(m, pool.attached_accelerator) for m in there]
    if all(odd):
        return CODE.at(named.path, f"{named.id} {odd[0]}")
    return passed(CODE, named.path, f"{named.id} holds {pool.instance.name} in {pool.zone or ctx.plan.region}")


def _oddness(held: Reserved, attached: str) -> str:
    """What of a reservation of the right type and zone does not fit the nodes; empty where all does."""
    if held.platform.lower() not in _PLATFORMS:
        return f"is for platform {held.platform}, and the nodes run Linux"
    if held.tenancy.lower() not in _TENANCIES:
        return f"is for tenancy {held.tenancy}, and the nodes' is default"
    if held.accelerator and held.accelerator != attached:
        return f"holds machines with {held.accelerator}, and the nodes have {attached or 'nothing attached'}"
    return ""


_T = """\
spec:
  location: {{provider: aws, region: us-east-1, zone: use1-az6}}
  node_pools: [{{capacity: {{type: reservation, id: cr-0aaa1111bbbb2222c}}}}]
account:
  reservations: {{cr-0aaa1111bbbb2222c: {{members: [{{instance_type: {0}, zone: {1}, platform: {2}}}]}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("p5.48xlarge", "use1-az6", "Linux/UNIX"),),
        (
            _T.format("p5e.48xlarge", "use1-az6", "Linux/UNIX"),
            _T.format("p5.48xlarge", "use1-az4", "Linux/UNIX"),
            _T.format("p5.48xlarge", "use1-az6", "Windows"),
        ),
        (_T.format("p5.48xlarge", "use1-az6", "Linux/UNIX").replace("{cr-0aaa1111bbbb2222c", "{cr-0bbb1111bbbb2222c"),),
    ),
)
