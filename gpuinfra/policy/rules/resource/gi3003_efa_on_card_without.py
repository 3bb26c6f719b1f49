"""EFA on a network card that carries none.

What: An EFA interface stands on a card without an EFA device, as card 0 of P6-B300 and of P6e-GB200.
Why: The launch is refused, again and again, while the group keeps trying.
Fix: Make that card's interface `interface`, or leave the card out.
References: aws/aws-parallelcluster#7143
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_interfaces import slots, spelled
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3003", "efa-on-card-without", Severity.ERROR, __doc__, ("AWS NET-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, naming every such card."""
    for nodes in ctx.aws.nodes:
        listed, cards = slots(nodes), ctx.aws.cards_of(nodes)
        if cards is None or not cards.efa_cards:
            continue
        if listed is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        wrong = [s for s in listed if s.efa and s.card < cards.cards and s.card not in cards.efa_cards]
        if wrong:
            yield CODE.at(
                f"{nodes.name}.networkInterfaces[{wrong[0].index}].interfaceType",
                f"card {spelled([s.card for s in wrong])} of {nodes.instance_type} carries no EFA, but the interface asks "
                f"for '{wrong[0].kind}'",
                f"make it `interface`; EFA of {nodes.instance_type} is on cards {spelled(list(cards.efa_cards))}",
                resource=nodes.name,
            )


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p6-b300.48xlarge, networkInterfaces: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("[{interfaceType: interface}, {networkCardIndex: 1, interfaceType: efa-only}]"),),
        (_T.format("[{networkCardIndex: 0, interfaceType: efa}]"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
