"""An existing subnet from which nodes reach nothing.

What: Private nodes stand in a subnet whose default route leads straight to the internet, or that has none; or nodes with public addresses in one without an internet route.
Severity: warning for a subnet without a default route, which may have endpoints for what the nodes need
Why: Nodes fetch the boot bundle, packages and containers. Without a way out the boot hangs, and the nodes bill.
Fix: Give the subnet a route to a NAT gateway, or take another subnet.
References: terraform-aws-modules/terraform-aws-eks#3533; microsoft/AzureTRE#4706
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent, Subnet
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4032", "subnet-without-way-out", Severity.ERROR, __doc__, ("AWS NET-16", "AWS CMP-26", "AZ NET-02"))
_PATH = "network.existing.subnet"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for the subnet."""
    name = ctx.plan.network.existing_subnet
    if not name:
        return
    subnet = ctx.facts.entry("subnets", name)
    if isinstance(subnet, Absent):
        yield unsure(CODE, _PATH, subnet)
        return
    if not isinstance(subnet, Subnet):
        return
    private = any(not p.public_ip for p in ctx.plan.pools)
    if subnet.way_out is None:
        yield unsure(CODE, _PATH, Absent(f"where the default route of {name} leads is not known"))
    elif subnet.way_out == "none":
        text = f"'{name}' has no default route: without endpoints the nodes reach nothing"
        yield CODE.at(_PATH, text, severity=Severity.WARNING)
    elif subnet.way_out == "internet" and private:
        text = f"the default route of '{name}' leads straight to the internet, and the nodes have no public address"
        yield CODE.at(_PATH, text)
    elif subnet.way_out == "nat" and not private:
        text = f"the default route of '{name}' leads to address translation, and the nodes are to be public"
        yield CODE.at(_PATH, text, "set network.public_nodes: false, or take a public subnet")
    else:
        yield passed(CODE, _PATH, f"the default route of {name} leads to {subnet.way_out}")


_T = """\
spec:
  location: {{provider: aws, region: us-east-1, zone: use1-az6}}
  network: {{existing: {{network: vpc-0aaa1111, subnet: subnet-0bbb1111}}}}
account: {{subnets: {{subnet-0bbb1111: {{way_out: {0}}}}}}}
"""

RULE = AccountRule(
    CODE,
    ("network",),
    check,
    Examples((_T.format("nat"),), (_T.format("internet"), _T.format("none")), (_T.format("null"),)),
    providers=(Provider.AWS, Provider.AZURE),
)
