"""A card or device index that the instance type does not have.

What: A device index is not below the card's number of interfaces, or a card index is not below the type's number of cards.
Why: A P5 card takes two interfaces, so device 2 does not exist; the launch is refused with 'device index exceeds'.
Fix: Use device 0 on cards above 0, and device 0 and 1 on card 0.
References: eksctl-io/eksctl#7520
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_interfaces import slots
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3004", "device-index-beyond-card", Severity.ERROR, __doc__, ("AWS NET-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, at its first such interface."""
    for nodes in ctx.aws.nodes:
        listed, cards = slots(nodes), ctx.aws.cards_of(nodes)
        if cards is None:
            continue
        if listed is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        for s in listed:
            path = f"{nodes.name}.networkInterfaces[{s.index}]"
            if s.card >= cards.cards:
                yield CODE.at(
                    f"{path}.networkCardIndex",
                    f"network card {s.card} does not exist on {nodes.instance_type}, which has {cards.cards}",
                    f"use cards 0 to {cards.cards - 1}",
                    resource=nodes.name,
                )
                break
            most = cards.max_interfaces[s.card] if s.card < len(cards.max_interfaces) else None
            if most is not None and s.device >= most:
                yield CODE.at(
                    f"{path}.deviceIndex",
                    f"device index {s.device} does not exist on card {s.card} of {nodes.instance_type}, which takes "
                    f"{most} interface{'s' if most != 1 else ''}",
                    f"use device 0{f' to {most - 1}' if most > 1 else ''}",
                    resource=nodes.name,
                )
                break


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, networkInterfaces: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("[{networkCardIndex: 1, deviceIndex: 1, interfaceType: efa-only}]"),),
        (
            _T.format("[{networkCardIndex: 1, deviceIndex: 2, interfaceType: efa-only}]"),
            _T.format("[{networkCardIndex: 99, deviceIndex: 0, interfaceType: efa-only}]"),
        ),
        (_T.format("[{networkCardIndex: 1, deviceIndex: !unknown }]"),),
    ),
    providers=(Provider.AWS,),
)
