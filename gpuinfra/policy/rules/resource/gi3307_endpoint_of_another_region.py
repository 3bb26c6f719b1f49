"""A VPC endpoint for a service of another region.

What: The service name of a VPC endpoint names another region than its VPC's subnets stand in.
Why: A gateway endpoint, and an endpoint without serviceRegion, serve their own region alone: EC2 answers that the service does not exist, and traffic to S3 goes on paying for the NAT gateway.
Fix: Write the region of the VPC into the service name: com.amazonaws.<region>.s3.
References: VPC User Guide, gateway endpoints for Amazon S3; AWS PrivateLink guide, cross-Region endpoints
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import SUBNET
from ...aws_places import region_of
from ...aws_routes import ENDPOINT, VPC
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3307", "endpoint-of-another-region", Severity.ERROR, __doc__, ("AWS NET-17",))
_SERVICE = re.compile(r"(?:com\.amazonaws|cn\.com\.amazonaws|aws\.api)\.([a-z]{2}(?:-[a-z]+)+-\d)\..+")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each endpoint whose VPC shows its region by a zone. One with a serviceRegion is meant to cross."""
    for endpoint in ctx.aws.of_type(ENDPOINT):
        if endpoint.get("serviceRegion") is not None:
            continue
        value = endpoint.get("serviceName")
        homes = {v.urn for v in ctx.aws.linked(endpoint, "vpcId", VPC).resources}
        beside = [
            s for s in ctx.aws.of_type(SUBNET) if any(v.urn in homes for v in ctx.aws.linked(s, "vpcId", VPC).resources)
        ]
        here = region_of(endpoint, *beside)
        if not here:
            continue
        match = _SERVICE.fullmatch(value) if isinstance(value, str) else None
        if late(value) and match is None:
            yield Undecided(CODE.code, endpoint.name, "the service is not known yet")
        elif match and match[1] != here:
            yield CODE.at(
                f"{endpoint.name}.serviceName",
                f"'{value}' is of {match[1]}, and the VPC's subnets stand in {here}",
                resource=endpoint.name,
            )


_T = """\
- {{type: aws.ec2.Vpc, name: net, inputs: {{}}}}
- {{type: aws.ec2.Subnet, name: inside, inputs: {{vpcId: !ref net.id , availabilityZone: us-west-2a}}}}
- {{type: aws.ec2.VpcEndpoint, name: door, inputs: {{vpcId: !ref net.id , serviceName: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("network", "cost"),
    check,
    Examples(
        (_T.format("com.amazonaws.us-west-2.s3"), _T.format("com.amazonaws.us-east-1.s3, serviceRegion: us-east-1")),
        (_T.format("com.amazonaws.us-east-1.s3"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
