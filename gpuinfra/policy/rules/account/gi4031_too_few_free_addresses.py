"""An existing subnet with too few free addresses.

What: The nodes, with every interface that takes an address, are more than the subnet of network.existing has addresses free.
Severity: warning where only the largest number of nodes is too much, and on AWS, as the tables have it
Why: The last nodes are refused (InsufficientFreeAddressesInSubnet) while the first ones bill and wait for them.
Fix: Take a larger subnet, fewer nodes, or free addresses in it.
References: EC2 API errors, InsufficientFreeAddressesInSubnet; Azure docs, virtual network FAQ
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent, Subnet
from ...account_pools import passed, unsure
from ...quota_needs import nodes_at_start
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4031", "too-few-free-addresses", Severity.ERROR, __doc__, ("AWS NET-13", "AZ NET-06", "GCP-NET-11"))
_PATH = "network.existing.subnet"
_TAKES_ADDRESS = frozenset({"interface", "efa", "gvnic", "idpf", "primary"})
_PURCHASES = ("on_demand", "spot", "reserved")
_SEVERITY = {Provider.AWS: Severity.WARNING}
_KEPT = {Provider.AWS: 5, Provider.GCP: 4, Provider.AZURE: 5}
"""Addresses of a subnet that the cloud keeps for itself."""


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for the subnet."""
    name = ctx.plan.network.existing_subnet
    if not name:
        return
    subnet = ctx.facts.entry("subnets", name)
    if isinstance(subnet, Absent):
        yield unsure(CODE, _PATH, subnet)
    elif isinstance(subnet, Subnet):
        yield _verdict(ctx, name, subnet)


def _verdict(ctx: AccountContext, name: str, subnet: Subnet) -> AccountVerdict:
    own = ctx.facts.own_nodes or {}
    start = most = running = 0
    for pool in ctx.plan.pools:
        each = sum(n.network == "host" and n.kind in _TAKES_ADDRESS for n in pool.fabric.nics) or 1
        start += nodes_at_start(pool) * each
        most += pool.count_max * each
        running += sum(own.get(f"{m}/{pool.instance.name}", 0) for m in _PURCHASES) * each
    free, known = _free(ctx, subnet)
    if free is None:
        return unsure(CODE, _PATH, Absent(f"how many addresses of {name} are free is not known"))
    has = f"{free} free addresses" if known else f"{free} addresses in all"
    free += running if known else 0
    if start > free:
        text = f"'{name}' has {has}, and the nodes take {start}"
        return CODE.at(_PATH, text, severity=_SEVERITY.get(ctx.plan.provider))
    if most > free:
        text = f"'{name}' has {has}, and the nodes may grow to take {most}"
        return CODE.at(_PATH, text, severity=Severity.WARNING)
    if not known:
        return unsure(
            CODE, _PATH, Absent(f"the cloud does not say how many of the {free} addresses of {name} are free")
        )
    return passed(CODE, _PATH, f"{name} has {has}; the nodes take {start}")


def _free(ctx: AccountContext, subnet: Subnet) -> tuple[int | None, bool]:
    """Free addresses, or all of the range where the cloud does not say; and whether it says."""
    if subnet.free_addresses is not None:
        return subnet.free_addresses, True
    try:
        return max(IPv4Network(subnet.cidr).num_addresses - _KEPT[ctx.plan.provider], 0), False
    except ValueError:
        return None, False


_T = """\
spec:
  location: {{provider: aws, region: us-east-1, zone: use1-az6}}
  network: {{existing: {{network: vpc-0aaa1111, subnet: subnet-0bbb1111}}}}
  node_pools: [{{instance_type: g6.12xlarge, count: 20}}]
account: {{subnets: {{subnet-0bbb1111: {{cidr: 10.0.0.0/24, free_addresses: {0}}}}}}}
"""

RULE = AccountRule(
    CODE,
    ("network",),
    check,
    Examples((_T.format(20),), (_T.format(19),), (_T.format("null"),)),
)
