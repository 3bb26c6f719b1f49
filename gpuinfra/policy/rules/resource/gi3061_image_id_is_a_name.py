"""An image id that is a name.

What: `imageId` is neither an `ami-…` id nor a `resolve:ssm:` reference.
Why: EC2 answers InvalidAMIID.Malformed, after the rest of the stack exists.
Fix: Look the id up (aws.ssm.getParameter, aws.ec2.getAmi), or write resolve:ssm:<parameter>.
References: EC2 API, RequestLaunchTemplateData
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES, LAUNCH_TEMPLATE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3061", "image-id-is-a-name", Severity.ERROR, __doc__, ("AWS CMP-24",))
_IMAGE = re.compile(r"ami-[0-9a-zA-Z]+|resolve:ssm:.+")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance."""
    for r in ctx.aws.of_type(LAUNCH_TEMPLATE, *INSTANCES):
        key = "imageId" if r.type == LAUNCH_TEMPLATE else "ami"
        value = r.get(key)
        if value is None:
            continue
        if late(value):
            yield Undecided(CODE.code, r.name, "the image is not known yet")
        elif not isinstance(value, str) or not _IMAGE.fullmatch(value):
            yield CODE.at(f"{r.name}.{key}", f"'{value}' is no image id", resource=r.name)


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{imageId: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format("ami-0123456789abcdef0"),), (_T.format("ubuntu-22.04"), _T.format("1.34")), (_T.format("!unknown "),)
    ),
    providers=(Provider.AWS,),
)
