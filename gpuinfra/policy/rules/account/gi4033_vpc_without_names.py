"""An existing network without names.

What: The VPC of network.existing has DNS support or DNS hostnames turned off.
Why: File systems are mounted by their names, and nodes of a job find each other by theirs.
Fix: Turn enableDnsSupport and enableDnsHostnames on in the VPC.
References: aws/aws-parallelcluster, SubnetsValidator; FSx for Lustre User Guide
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent, Network
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4033", "vpc-without-names", Severity.WARNING, __doc__, ("AWS NET-15",))
_PATH = "network.existing.network"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for the network."""
    name = ctx.plan.network.existing_network
    if not name:
        return
    network = ctx.facts.entry("networks", name)
    if isinstance(network, Absent):
        yield unsure(CODE, _PATH, network)
    elif isinstance(network, Network):
        said = {"enableDnsSupport": network.dns_support, "enableDnsHostnames": network.dns_hostnames}
        off = [k for k, v in said.items() if v is False]
        if off:
            yield CODE.at(_PATH, f"'{name}' has {' and '.join(off)} turned off")
        elif None in said.values():
            yield unsure(CODE, _PATH, Absent(f"whether {name} resolves names is not known"))
        else:
            yield passed(CODE, _PATH, f"{name} resolves names")


_T = """\
spec:
  location: {{provider: aws, region: us-east-1, zone: use1-az6}}
  network: {{existing: {{network: vpc-0aaa1111, subnet: subnet-0bbb1111}}}}
account: {{networks: {{vpc-0aaa1111: {{dns_support: true, dns_hostnames: {0}}}}}}}
"""

RULE = AccountRule(
    CODE,
    ("network",),
    check,
    Examples((_T.format("true"),), (_T.format("false"),), (_T.format("null"),)),
    providers=(Provider.AWS,),
)
