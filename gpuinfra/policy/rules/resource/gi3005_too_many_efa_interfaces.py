"""Two interfaces in one slot, two EFA devices on one card, or more EFA than the type has.

What: Pairs of card and device repeat, a card has more than one EFA interface, or the sum exceeds the type's limit.
Why: EC2 refuses the launch with AttachmentLimitExceeded, or with a complaint about duplicate device indexes.
Fix: Give each card one EFA interface at most, and each interface its own pair of card and device.
References: EC2 API error codes, AttachmentLimitExceeded; aws/karpenter-provider-aws:pkg/errors
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ....catalog import NetworkCards
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_interfaces import Slot, slots, spelled
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3005", "too-many-efa-interfaces", Severity.ERROR, __doc__, ("AWS NET-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, with every such fault in it."""
    for nodes in ctx.aws.nodes:
        listed = slots(nodes)
        if listed is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        faults = _faults(listed, ctx.aws.cards_of(nodes))
        if faults:
            yield CODE.at(f"{nodes.name}.networkInterfaces", "; ".join(faults), resource=nodes.name)


def _faults(listed: tuple[Slot, ...], cards: NetworkCards | None) -> list[str]:
    out: list[str] = []
    pairs = Counter((s.card, s.device) for s in listed)
    twice = [p for p, n in pairs.items() if n > 1]
    if twice:
        shown = ", ".join(f"card {c} device {d}" for c, d in sorted(twice)[:3])
        out.append(f"{shown} is used {pairs[min(twice)]} times")
    efa = Counter(s.card for s in listed if s.efa)
    crowded = sorted(c for c, n in efa.items() if n > 1)
    if crowded:
        out.append(f"card {spelled(crowded)} has more than one EFA interface; each card carries one EFA device")
    # One on a card that does not exist is another rule's.
    total = sum(n for card, n in efa.items() if cards is None or card < cards.cards)
    if cards is not None and cards.max_efa and total > cards.max_efa:
        out.append(f"{total} EFA interfaces, but {cards.instance_type} takes at most {cards.max_efa}")
    return out


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p4d.24xlarge, networkInterfaces: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("network", "fabric"),
    check,
    Examples(
        (_T.format("[{deviceIndex: 0}, {deviceIndex: 1, interfaceType: efa-only}]"),),
        (
            _T.format("[{deviceIndex: 0}, {deviceIndex: 0, interfaceType: efa-only}]"),
            _T.format("[{deviceIndex: 0, interfaceType: efa}, {deviceIndex: 1, interfaceType: efa-only}]"),
        ),
        (_T.format("[{deviceIndex: !unknown }]"),),
    ),
    providers=(Provider.AWS,),
)
