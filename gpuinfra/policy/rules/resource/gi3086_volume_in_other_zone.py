"""A volume that stands in another zone than its machine.

What: An EBS volume is attached to an instance of another zone.
Why: EC2 refuses it (InvalidVolume.ZoneMismatch) after both were made, and both bill.
Fix: Take the volume's availabilityZone from the instance, or from its subnet.
References: EC2 API, AttachVolume errors
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES, SUBNET
from ...aws_places import by_id, zones_of_instance
from ...aws_volumes import VOLUME
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3086", "volume-in-other-zone", Severity.ERROR, __doc__, ("AWS CMP-25",))
_ATTACHMENT = "aws:ec2/volumeAttachment:VolumeAttachment"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each attachment whose two ends this program makes."""
    aws = ctx.aws
    for a in aws.of_type(_ATTACHMENT):
        for box in aws.linked(a, "instanceId", *INSTANCES).resources:
            for volume in aws.linked(a, "volumeId", VOLUME).resources:
                zone = volume.get("availabilityZone")
                # Its zone comes out of the machine, or of the machine's subnet.
                origins = {r.urn for r in aws.linked(volume, "availabilityZone").resources}
                homes = {box.urn, *(s.urn for s in aws.linked(box, "subnetId", SUBNET).resources)}
                if origins & homes:
                    continue
                known = [z for z in zones_of_instance(aws, box) if not by_id(z)]
                if late(zone) or not known:
                    yield Undecided(CODE.code, a.name, "the zone of the volume or of the instance is not known yet")
                elif isinstance(zone, str) and zone not in known:
                    yield CODE.at(
                        f"{volume.name}.availabilityZone",
                        f"the volume is made in {zone}, and '{box.name}' stands in {known[0]}",
                        resource=volume.name,
                    )


_T = """\
- {{type: aws.ec2.Subnet, name: inside, inputs: {{availabilityZone: us-east-1a}}}}
- {{type: aws.ec2.Instance, name: box, inputs: {{subnetId: !ref inside.id }}}}
- {{type: aws.ebs.Volume, name: data, inputs: {{availabilityZone: {0}, size: 500}}}}
- {{type: aws.ec2.VolumeAttachment, name: link, inputs: {{instanceId: !ref box.id , volumeId: !ref data.id }}}}
"""

_SPOT = """\
- {type: aws.ec2.Subnet, name: inside, inputs: {availabilityZone: us-east-1a}}
- {type: aws.ec2.SpotInstanceRequest, name: box, inputs: {subnetId: !ref inside.id }}
- {type: aws.ebs.Volume, name: data, inputs: {availabilityZone: us-east-1b, size: 500}}
- {type: aws.ec2.VolumeAttachment, name: link, inputs: {instanceId: !ref box.spotInstanceId , volumeId: !ref data.id }}
"""

RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("us-east-1a"), _T.format("!ref box.availabilityZone ")),
        (_T.format("us-east-1b"), _SPOT),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
