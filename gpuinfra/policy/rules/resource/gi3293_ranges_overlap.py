"""Two subnets of one network with the same addresses.

What: The address ranges of two subnets of one VPC or virtual network overlap.
Why: The second is refused at `up`, after half of the network is made. Preview takes any range.
Fix: Give each subnet a range of its own.
References: Amazon VPC User Guide, subnet CIDR blocks; Azure docs, virtual network FAQ
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET
from ...azure_graph import NETWORK
from ...azure_network import SubnetBlock, all_subnets, range_of
from ...linked_graph import Links
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3293", "ranges-overlap", Severity.ERROR, __doc__, ("AWS NET-19",))
_VPC = "aws:ec2/vpc:Vpc"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each subnet that overlaps earlier ones, which it names. Google's are another rule's."""
    aws: dict[str, list[tuple[Resource, str, str, list[IPv4Network]]]] = defaultdict(list)
    for r in ctx.aws.of_type(SUBNET):
        home = _home(ctx.aws.linked(r, "vpcId", _VPC))
        if late(r.get("cidrBlock")):
            yield Undecided(CODE.code, r.name, "the range is not known yet")
        elif home and (found := range_of(r.get("cidrBlock"))) is not None:
            aws[home].append((r, r.name, f"{r.name}.cidrBlock", [found]))
    azure: dict[str, list[tuple[Resource, str, str, list[IPv4Network]]]] = defaultdict(list)
    for block in all_subnets(ctx.azure):
        home = _network(ctx, block)
        if late(block.value("addressPrefix")):
            yield Undecided(CODE.code, block.source.name, "the range is not known yet")
        elif home and block.ranges:
            name = block.source.name if not block.path else (block.name or block.path.rstrip("."))
            azure[home].append((block.source, name, block.at("addressPrefix"), block.ranges))
    for subnets in (*aws.values(), *azure.values()):
        yield from _overlaps(subnets)


def _overlaps(subnets: list[tuple[Resource, str, str, list[IPv4Network]]]) -> Iterator[Diagnostic]:
    found: dict[str, tuple[Resource, dict[IPv4Network, list[str]]]] = {}
    for (_, first, _, ours), (owner, _, where, theirs) in combinations(subnets, 2):
        pair = next(((a, b) for a in ours for b in theirs if a.overlaps(b)), None)
        if pair is not None:
            others = found.setdefault(where, (owner, {}))[1]
            others.setdefault(pair[1], []).append(f"{pair[0]} of subnet '{first}'")
    for where, (owner, clashes) in found.items():
        said = "; ".join(f"{own} overlaps {' and '.join(others)}" for own, others in clashes.items())
        yield CODE.at(where, said, resource=owner.name)


def _network(ctx: GraphContext, block: SubnetBlock) -> str:
    """What says which virtual network a subnet is of; empty where that is not known."""
    if block.path:
        return block.source.urn
    home = _home(ctx.azure.linked(block.source, "virtualNetworkName", NETWORK))
    group = plain(block.source.get("resourceGroupName"))
    # Networks of one name stand in several resource groups.
    return f"{group}/{home}" if home and not home.startswith("urn:") and isinstance(group, str) else home


def _home(links: Links) -> str:
    if links.unknown or links.count != 1:
        return ""
    return links.resources[0].urn if links.resources else links.foreign[0]


_T = """\
- {{type: aws.ec2.Subnet, name: a, inputs: {{vpcId: vpc-0aaa1111bbbb2222c, cidrBlock: 10.0.0.0/20}}}}
- {{type: aws.ec2.Subnet, name: b, inputs: {{vpcId: {1}, cidrBlock: {0}}}}}
"""
_AZURE = """\
- {{type: azure-native.network.Subnet, name: a, inputs: {{virtualNetworkName: net, addressPrefix: 10.0.0.0/20}}}}
- {{type: azure-native.network.Subnet, name: b, inputs: {{virtualNetworkName: net, addressPrefix: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (
            _T.format("10.0.16.0/20", "vpc-0aaa1111bbbb2222c"),
            _T.format("10.0.0.0/20", "vpc-0ddd3333eeee4444f"),
            _AZURE.format("10.0.16.0/20"),
            _AZURE.format("10.0.0.0/20, resourceGroupName: rg-b").replace(
                "name: a, inputs: {", "name: a, inputs: {resourceGroupName: rg-a, "
            ),
        ),
        (_T.format("10.0.8.0/24", "vpc-0aaa1111bbbb2222c"), _AZURE.format("10.0.8.0/24")),
        (_T.format("!unknown ", "vpc-0aaa1111bbbb2222c"),),
    ),
    providers=(Provider.AWS, Provider.AZURE),
)
