"""An `efa-only` interface in the primary slot.

What: The interface on card 0 device 0 is `efa-only`.
Why: The primary interface carries the node's IP address; an `efa-only` interface has none, and the launch is refused.
Fix: Make card 0 device 0 `interface`, and put the card's EFA on device 1.
References: EC2 User Guide, EFA for accelerated instance types
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_interfaces import slots
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3002", "efa-only-primary", Severity.ERROR, __doc__, ("AWS NET-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template whose primary interface has no address."""
    for nodes in ctx.aws.nodes:
        listed = slots(nodes)
        if listed is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        primary = next((s for s in listed if s.card == 0 and s.device == 0), None)
        if primary is not None and primary.kind == "efa-only":
            yield CODE.at(
                f"{nodes.name}.networkInterfaces[{primary.index}].interfaceType",
                "the primary interface (card 0, device 0) is 'efa-only', which has no IP address",
                resource=nodes.name,
            )


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, networkInterfaces: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("[{interfaceType: interface}, {deviceIndex: 1, interfaceType: efa-only}]"),),
        (_T.format("[{networkCardIndex: 0, deviceIndex: 0, interfaceType: efa-only}]"),),
        (_T.format("[{deviceIndex: 0, interfaceType: !unknown }]"),),
    ),
    providers=(Provider.AWS,),
)
