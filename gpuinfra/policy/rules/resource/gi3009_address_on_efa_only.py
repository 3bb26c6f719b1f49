"""IP settings on an `efa-only` interface.

What: An `efa-only` interface carries an address, a prefix, a public address or connection tracking.
Why: Such an interface has no IP at all; RunInstances answers InvalidParameterValue.
Fix: Leave those settings out of the `efa-only` entries.
References: aws/karpenter-provider-aws:pkg/providers/launchtemplate
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3009", "address-on-efa-only", Severity.ERROR, __doc__, ("AWS NET-09",))
_IP_SETTINGS = (
    "associateCarrierIpAddress",
    "associatePublicIpAddress",
    "connectionTrackingSpecification",
    "ipv4AddressCount",
    "ipv4Addresses",
    "ipv4PrefixCount",
    "ipv4Prefixes",
    "ipv6AddressCount",
    "ipv6Addresses",
    "ipv6PrefixCount",
    "ipv6Prefixes",
    "primaryIpv6",
    "privateIpAddress",
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, at its first such interface."""
    for nodes in ctx.aws.nodes:
        if nodes.interfaces is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        for n, i in enumerate(nodes.interfaces):
            found = [k for k in _IP_SETTINGS if i.get(k) is not None]
            if i.get("interfaceType") == "efa-only" and found:
                yield CODE.at(
                    f"{nodes.name}.networkInterfaces[{n}].{found[0]}",
                    f"an 'efa-only' interface has no IP address and takes no {', '.join(found)}",
                    resource=nodes.name,
                )
                break


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{networkInterfaces: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format('[{associatePublicIpAddress: "false"}, {deviceIndex: 1, interfaceType: efa-only}]'),),
        (_T.format('[{}, {deviceIndex: 1, interfaceType: efa-only, associatePublicIpAddress: "false"}]'),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
