"""User data that EC2 refuses.

What: A template's user data is not base64, or holds more than 16384 bytes before the encoding.
Why: A launch template does not encode for you: raw text is refused with InvalidUserData.Malformed, and so is a longer document.
Fix: Encode it, gzip it when it is long, or keep the script in object storage and fetch it at boot.
References: github-aws-runners/terraform-aws-github-runner#3700; EC2 API error codes, InvalidUserData.Malformed
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES, LAUNCH_TEMPLATE
from ...aws_user_data import is_late, raw_bytes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3055", "user-data-refused", Severity.ERROR, __doc__, ("AWS CMP-09",))
_MOST_BYTES = 16384


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance."""
    for r in ctx.aws.of_type(LAUNCH_TEMPLATE, *INSTANCES):
        key = "userDataBase64" if r.type in INSTANCES and r.get("userDataBase64") is not None else "userData"
        value = r.get(key)
        if value is None:
            continue
        if not isinstance(value, str) or is_late(value):
            yield Undecided(CODE.code, r.name, "the user data are not known yet")
            continue
        encoded = r.type == LAUNCH_TEMPLATE or key == "userDataBase64"
        raw = raw_bytes(value) if encoded else value.encode()
        if raw is None:
            yield CODE.at(f"{r.name}.{key}", "the user data are not base64", resource=r.name)
        elif len(raw) > _MOST_BYTES:
            yield CODE.at(f"{r.name}.{key}", f"{len(raw)} bytes of user data; EC2 takes {_MOST_BYTES}", resource=r.name)


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{userData: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("boot",),
    check,
    Examples((_T.format("IyEvYmluL2Jhc2gK"),), (_T.format('"#!/bin/bash"'),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
