"""Subnets, or security rules, that are written in two places.

What: A network has inline subnets and subnets that are resources of their own, or a security group has both kinds of rules.
Why: Each `up` makes one form undo the other: subnets vanish with the machines in them, or the update is refused because they are in use.
Fix: Keep one form: resources of their own, and ignoreChanges: [subnets] on the network.
References: pulumi/pulumi-azure-native#611; pulumi/pulumi-azure-native#3051
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import NETWORK, SECURITY_GROUP, SECURITY_RULE, SUBNET
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late

CODE = described("GI3258", "subnets-in-two-places", Severity.WARNING, __doc__, ("AZ NET-07",))
_PAIRS = (
    (NETWORK, "subnets", SUBNET, "virtualNetworkName", "subnet"),
    (SECURITY_GROUP, "securityRules", SECURITY_RULE, "networkSecurityGroupName", "rule"),
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each network and security group."""
    azure = ctx.azure
    for owner_type, key, part_type, name_key, word in _PAIRS:
        for owner in azure.of_type(owner_type):
            inline, name = owner.get(key), owner.get(name_key)
            apart = [
                p
                for p in azure.of_type(part_type)
                if any(o.urn == owner.urn for o in azure.linked(p, name_key, owner_type).resources)
                or (isinstance(name, str) and p.get(name_key) == name)
            ]
            if apart and late(inline):
                yield Undecided(CODE.code, owner.name, f"its {key} are not known yet")
            elif apart and items(inline):
                yield CODE.at(
                    f"{owner.name}.{key}",
                    f"{len(items(inline))} inline, and '{apart[0].name}' is a {word} of its own",
                    f"make each a {word} of its own",
                    resource=owner.name,
                )


_T = """\
- {{type: azure-native.network.VirtualNetwork, name: net, inputs: {{virtualNetworkName: acme, subnets: {0}}}}}
- {{type: azure-native.network.Subnet, name: sub, inputs: {{virtualNetworkName: !ref net.name , addressPrefix: 10.50.1.0/24}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "drift"),
    check,
    Examples((_T.format("null"),), (_T.format("[{name: a, addressPrefix: 10.50.2.0/24}]"),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
