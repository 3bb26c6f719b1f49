"""A network or subnet that is not there, or stands elsewhere.

What: The network or subnet that network.existing names does not exist, is of another region or zone than the nodes, or the subnet is of another network.
Why: `up` fails after it has made the storage; a subnet in another zone makes nodes that no reservation and no disk of the right zone can serve.
Fix: Give the ids as the cloud lists them in this region, and location.zone as the subnet's.
References: aws/aws-parallelcluster, SubnetsValidator; EC2 API errors, InvalidSubnetID.NotFound
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent, Network, Subnet
from ...account_pools import passed, same_network, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4030", "network-not-found", Severity.ERROR, __doc__, ("AWS NET-19", "GCP-NET-05"))
_NETWORK, _SUBNET = "network.existing.network", "network.existing.subnet"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for the network and one for the subnet."""
    net, region = ctx.plan.network, ctx.plan.region
    if not net.existing_network:
        return
    network = ctx.facts.entry("networks", net.existing_network)
    if isinstance(network, Absent):
        yield unsure(CODE, _NETWORK, network)
    elif not isinstance(network, Network):
        yield CODE.at(_NETWORK, f"'{net.existing_network}' is not in {region} of this account")
    elif network.region and network.region != region:
        yield CODE.at(_NETWORK, f"'{net.existing_network}' is in {network.region}, and the cluster in {region}")
    else:
        yield passed(CODE, _NETWORK, f"{net.existing_network} is there")
    subnet = ctx.facts.entry("subnets", net.existing_subnet)
    if isinstance(subnet, Absent):
        yield unsure(CODE, _SUBNET, subnet)
    elif not isinstance(subnet, Subnet):
        yield CODE.at(_SUBNET, f"'{net.existing_subnet}' is not in {region} of this account")
    else:
        wrong = _wrong(ctx, subnet)
        yield CODE.at(_SUBNET, wrong) if wrong else passed(CODE, _SUBNET, f"{net.existing_subnet} is there")


def _wrong(ctx: AccountContext, subnet: Subnet) -> str:
    net, plan = ctx.plan.network, ctx.plan
    if subnet.network and not same_network(subnet.network, net.existing_network):
        return f"'{net.existing_subnet}' is of network {subnet.network}, and the spec names {net.existing_network}"
    if subnet.region and subnet.region != plan.region:
        return f"'{net.existing_subnet}' is in {subnet.region}, and the cluster in {plan.region}"
    if subnet.zone and plan.zone and subnet.zone != plan.zone:
        return f"'{net.existing_subnet}' is in {subnet.zone}, and the nodes in {plan.zone}"
    return ""


_T = """\
spec:
  location: {{provider: aws, region: us-east-1, zone: use1-az6}}
  network: {{existing: {{network: vpc-0aaa1111, subnet: subnet-0bbb1111}}}}
account:
  networks: {{vpc-0aaa1111: {{region: us-east-1}}}}
  subnets: {{subnet-0bbb1111: {0}}}
"""

RULE = AccountRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("{network: vpc-0aaa1111, zone: use1-az6}"),),
        (
            _T.format("null"),
            _T.format("{network: vpc-0aaa1111, zone: use1-az4}"),
            _T.format("{network: vpc-0ccc1111, zone: use1-az6}"),
        ),
        (_T.format("null").replace("{subnet-0bbb1111: null}", "{}"),),
    ),
)
