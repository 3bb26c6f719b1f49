"""A reservation of another type or zone than the group's.

What: The reservation that a template aims at holds another instance type, or stands in another zone than the group's subnets.
Why: A reservation serves launches that equal it in type, zone, platform and tenancy; others fail, or run beside it at a second price.
Fix: Make type and subnet equal to the reservation's.
References: aws/aws-parallelcluster, CapacityReservationValidator; aws/aws-parallelcluster#4061
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_capacity import reservation, reservation_facts
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3025", "reservation-of-other-machines", Severity.ERROR, __doc__, ("AWS CAP-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each difference, where the program or a look-up shows the reservation."""
    for nodes in ctx.aws.nodes:
        facts = reservation_facts(ctx, nodes.template)
        made_here = reservation(ctx, nodes.template)
        held = made_here.get("instanceType") if made_here is not None else facts.get("instance_type")
        zone_id = facts.get("az_id")
        zone = made_here.get("availabilityZone") if made_here is not None else facts.get("az")
        if late(held) or late(zone):
            yield Undecided(CODE.code, nodes.name, "the reservation is not known yet")
            continue
        if isinstance(held, str) and nodes.instance_type and held != nodes.instance_type:
            yield CODE.at(
                f"{nodes.name}.instanceType",
                f"'{nodes.instance_type}' is launched from a reservation of {held}",
                resource=nodes.name,
            )
        for subnet in ctx.aws.subnets(nodes).resources:
            for want, key in ((zone_id, "availabilityZoneId"), (zone, "availabilityZone")):
                stands = subnet.get(key)
                if isinstance(want, str) and isinstance(stands, str) and not late(stands) and stands != want:
                    yield CODE.at(
                        f"{subnet.name}.{key}",
                        f"nodes '{nodes.name}' stand in {stands}, and their reservation in {want}",
                        resource=nodes.name,
                    )


_T = """\
- {{type: aws.ec2.CapacityReservation, name: held, inputs: {{instanceType: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    instanceType: p4d.24xlarge
    capacityReservationSpecification: {{capacityReservationTarget: {{capacityReservationId: !ref held.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples((_T.format("p4d.24xlarge"),), (_T.format("p4de.24xlarge"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
