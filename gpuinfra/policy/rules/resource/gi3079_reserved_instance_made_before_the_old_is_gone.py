"""An instance in a full reservation that is made anew before the old one is gone.

What: An instance aims at a capacity reservation and has no deleteBeforeReplace.
Why: By default the new instance is made first; in a reservation that is full this fails with ReservationCapacityExceeded, at every replacement.
Fix: Set deleteBeforeReplace: true on the instance.
References: hashicorp/terraform-provider-aws#22548
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import has_target, reserved_count, target, target_is_late
from ...aws_graph import INSTANCE
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3079", "reserved-instance-made-before-the-old-is-gone", Severity.WARNING, __doc__, ("AWS CAP-17",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each instance. A reservation that is known to have room for one more takes the new one first."""
    boxes = list(ctx.aws.of_type(INSTANCE))
    for box in boxes:
        if not has_target(box) or box.options.get("deleteBeforeReplace") is True:
            continue
        count = reserved_count(ctx, box)
        if count is not None and count > sum(_same(b, box) for b in boxes):
            continue
        if target_is_late(box):
            yield Undecided(CODE.code, box.name, "whether the instance aims at a reservation is not known yet")
            continue
        held = ctx.aws.link(box, "capacityReservationSpecification", target(box)).resources
        if late(held[0].get("instanceCount")) if held else late(target(box)):
            yield Undecided(CODE.code, box.name, "how many instances are reserved is not known yet")
            continue
        yield CODE.at(
            f"{box.name}.options.deleteBeforeReplace",
            "a replacement is made while the old instance fills the reservation: deleteBeforeReplace is not set",
            resource=box.name,
        )


def _same(one: Resource, other: Resource) -> bool:
    """Whether two instances aim at one reservation."""
    return target(one) is not None and target(one) == target(other)


_T = """\
- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{instanceType: p5.48xlarge, instanceCount: {1}}}}}
- type: aws.ec2.Instance
  name: box
  inputs:
    instanceType: p5.48xlarge
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: !ref held.id }}}}
  options: {0}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "drift"),
    check,
    Examples(
        (_T.format("{deleteBeforeReplace: true}", 1), _T.format("{}", 2)),
        (_T.format("{}", 1),),
        (_T.format("{}", "!unknown "),),
    ),
    providers=(Provider.AWS,),
)
