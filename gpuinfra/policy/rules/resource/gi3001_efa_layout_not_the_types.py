"""An EFA interface list that is not the instance type's.

What: The network interfaces of a template that asks for EFA do not cover the cards of its instance type.
Why: Each type has its own layout: B300 has a first card without EFA, P5 has EFA on all 32 cards. A list made by counting cards launches nothing on some types and leaves bandwidth unused on others.
Fix: Write one entry for each card of the type: card 0 device 0 `interface`, then one `efa-only` for each card that carries EFA.
References: aws/aws-parallelcluster#7143; eksctl-io/eksctl#8685; EC2 User Guide, EFA for accelerated instance types
"""

from __future__ import annotations

from collections.abc import Iterator

from ....catalog import NetworkCards
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_interfaces import Slot, slots, spelled
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3001", "efa-layout-not-the-types", Severity.ERROR, __doc__, ("AWS NET-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template whose list leaves out cards of the catalog's, or has more EFA than the type on cards that
    carry none. One interface that stands on the wrong card is another rule's."""
    for nodes in ctx.aws.nodes:
        listed = slots(nodes)
        if listed is None:
            yield Undecided(CODE.code, nodes.name, "the network interfaces are not known yet")
            continue
        cards = ctx.aws.cards_of(nodes)
        if cards is None or not cards.max_efa or not any(s.efa for s in listed):
            continue
        faults = _faults(listed, cards)
        if faults:
            wanted = f"{cards.max_efa} `efa-only` (cards {spelled(list(cards.efa_cards))})"
            yield CODE.at(
                f"{nodes.name}.networkInterfaces",
                f"the list does not fit {nodes.instance_type}, which takes 1 `interface` on card 0 and {wanted}: "
                f"{'; '.join(faults)}",
                resource=nodes.name,
            )


def _faults(listed: tuple[Slot, ...], cards: NetworkCards) -> list[str]:
    out: list[str] = []
    fabric = [s.card for s in listed if s.efa]
    present = {*fabric} & {*cards.efa_cards}
    extra = sorted({c for c in fabric if c < cards.cards} - present)
    if extra and len(fabric) > cards.max_efa:
        out.append(f"EFA on card {spelled(extra)}, which carries none")
    missing = sorted({*cards.efa_cards} - present)
    astray = len(fabric) - len(present)
    # As many interfaces as cards, and some of them misplaced: moving those is all that there is to mend.
    if len(missing) > astray:
        out.append(f"no EFA on card {spelled(missing)}")
    if not any(s.card == 0 and s.device == 0 for s in listed):
        out.append("nothing on card 0 device 0, the primary interface")
    return out


_GOOD = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p4d.24xlarge
    networkInterfaces:
      - {networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}
      - {networkCardIndex: 0, deviceIndex: 1, interfaceType: efa-only}
      - {networkCardIndex: 1, deviceIndex: 0, interfaceType: efa-only}
      - {networkCardIndex: 2, deviceIndex: 0, interfaceType: efa-only}
      - {networkCardIndex: 3, deviceIndex: 0, interfaceType: efa-only}
"""
_BAD = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p4d.24xlarge
    networkInterfaces:
      - {networkCardIndex: 0, deviceIndex: 0, interfaceType: efa}
      - {networkCardIndex: 1, deviceIndex: 1, interfaceType: efa}
"""
_UNKNOWN = """\
- {type: aws.ec2.LaunchTemplate, name: nodes, inputs: {instanceType: p4d.24xlarge, networkInterfaces: !unknown }}
"""

RULE = ResourceRule(
    CODE, ("network", "fabric"), check, Examples((_GOOD,), (_BAD,), (_UNKNOWN,)), providers=(Provider.AWS,)
)
