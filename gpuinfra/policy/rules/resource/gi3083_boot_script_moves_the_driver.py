"""A boot script that upgrades everything, the GPU driver too.

What: The user data of nodes with NVSwitch upgrade all packages, or turn unattended upgrades on, without holding the NVIDIA ones.
Why: The driver and nvidia-fabricmanager must be of one version, the running kernel module's. After an upgrade CUDA says 802, 'system not yet initialized', on every GPU of the node until somebody repairs it.
Fix: Leave the upgrade out and take a newer image, or hold the packages first: apt-mark hold 'nvidia-*'.
References: aws/aws-parallelcluster#3034; dstackai/dstack#2348; awslabs/awsome-distributed-ai#1165
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_user_data import is_late, script
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3083", "boot-script-moves-the-driver", Severity.WARNING, __doc__, ("AWS CMP-12",))
_WITH_NVSWITCH = ("p4", "p5", "p6")
_WORD = r"(?<![-\w])"
_UPGRADES = (
    re.compile(
        rf"(?m){_WORD}(?<!etc/)apt(?:-get)?\b[^#\n;&|]*?[\s,'\"]{_WORD}(?:dist-upgrade|full-upgrade|upgrade)(?![-\w])[^#\n;&|]*"
    ),
    re.compile(rf"(?m){_WORD}(?:yum|dnf)\b[^#\n;&|]*?[\s,'\"]{_WORD}(?:update|upgrade)(?![-\w])[^#\n;&|]*"),
    re.compile(r"(?m)^package_upgrade:\s*true"),
    re.compile(rf"(?m){_WORD}(?:enable|start|install)\b[^#\n;&|]*\bunattended-upgrades\b"),
)
_SPARES = re.compile(
    r"--exclude|\s-x[ =]|--simulate|--dry-run|--just-print|--download-only|--assume-?no|\s-s(?!\S)|\slist\s|--only-upgrade"
    # Packages that are named are not everything.
    r"|\b(?:yum|dnf)\b(?:\s+-\S+)*\s+(?:update|upgrade)(?:\s+-\S+)*\s+[A-Za-z@*][^\s=]*"
)
_PRINTS = re.compile(r"\b(?:echo|printf|logger|log|wall)\b(.*)$")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_HELD = re.compile(r"apt-mark\s+hold\b|versionlock\s+add\b")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template or instance."""
    for nodes in ctx.aws.nodes:
        if not nodes.instance_type.startswith(_WITH_NVSWITCH):
            continue
        for key in ("userData", "userDataBase64"):
            value = nodes.template.get(key)
            if is_late(value):
                yield Undecided(CODE.code, nodes.name, "the boot script is not known yet")
                continue
            text = script(value) if isinstance(value, str) else ""
            found = next((m for pattern in _UPGRADES for m in pattern.finditer(text) if _runs(text, m)), None)
            if found and not _HELD.search(text):
                yield CODE.at(
                    f"{nodes.name}.{key}",
                    f"line {text.count(chr(10), 0, found.start()) + 1} of the script upgrades the driver of "
                    f"{nodes.instance_type} with everything else",
                    resource=nodes.name,
                )


def _runs(text: str, found: re.Match[str]) -> bool:
    """Whether a command is run and spares nothing: no comment, nothing that is only printed, no list of packages."""
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    if re.search(r"(?:^|\s)#", before) or _SPARES.search(found[0]):
        return False
    printed = _PRINTS.search(before)
    if printed is None:
        return True
    rest = _QUOTED.sub("", printed[1])
    return not ("'" in rest or '"' in rest) and any(c in rest for c in ";&|")


_T = """\
- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: p5.48xlarge, userData: {0}}}}}
"""


def _script(*lines: str) -> str:
    return base64.b64encode("\n".join(("#!/bin/bash", *lines)).encode()).decode()


RULE = ResourceRule(
    CODE,
    ("boot", "image"),
    check,
    Examples(
        (
            _T.format(_script("apt-get update && apt-get install -y jq")),
            _T.format(_script("apt-mark hold 'nvidia-*'", "apt-get -y upgrade")),
            _T.format(_script("dnf update -y --exclude='nvidia*'")),
            _T.format(
                _script("apt-get install -y --only-upgrade jq", "dnf check-update", "echo 'run apt-get upgrade'")
            ),
        ),
        (_T.format(_script("apt-get update", "apt-get -y dist-upgrade")), _T.format(_script("yum update -y"))),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
