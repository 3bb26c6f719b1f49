"""A secret in the boot script.

What: User data hold a private key, an access key, a token or a password.
Severity: warning for a value that is marked secret, whose text is not known
Why: Every process of the guest can read them from the metadata service, and everybody with DescribeLaunchTemplateVersions from the account.
Fix: Keep the secret in Secrets Manager or Parameter Store, and let the node's role fetch it at boot.
References: EC2 User Guide, run commands at launch (user data is not encrypted)
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....redaction import secret_kind
from ....vocabulary import Provider
from ...aws_graph import INSTANCE, LAUNCH_TEMPLATE
from ...aws_user_data import script
from ...resource_graph import Secret
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import plain

CODE = described("GI3060", "secret-in-user-data", Severity.ERROR, __doc__, ("AWS CMP-23",))
_WORDS = ("password", "passwd", "secret", "api_key", "apikey", "token")
_KEY = r"(?i:PASSWORD|PASSWD|SECRET_?(?:ACCESS_?)?KEY|API_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|_TOKEN)"
_VALUE = r"(?!(?i:none|null|true|false)\b|self\.|os\.)[^\s\"'$<>(){}\[\]`,;\\]{6,}"
_ASSIGNED = (
    re.compile(rf"{_KEY}=[\"']?{_VALUE}(?=[\s\"';]|$)"),
    re.compile(rf"(?m){_KEY}[^\S\n]*:[^\S\n]+[\"']?{_VALUE}[\"']?[^\S\n]*$"),
    re.compile(rf"{_KEY}\"\s*:\s*\"{_VALUE}\""),
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template. The secret itself is never shown."""
    for r in ctx.aws.of_type(LAUNCH_TEMPLATE, INSTANCE):
        for key in ("userData", "userDataBase64"):
            raw = r.inputs.get(key)
            value = plain(raw)
            if not isinstance(value, str):
                continue
            found = _kind_of_secret(script(value))
            if found:
                yield CODE.at(f"{r.name}.{key}", f"the user data hold {found}", resource=r.name)
            elif isinstance(raw, Secret):
                yield CODE.at(
                    f"{r.name}.{key}",
                    "the user data are composed with a value that is marked secret",
                    resource=r.name,
                    severity=Severity.WARNING,
                )


def _kind_of_secret(text: str) -> str:
    found = secret_kind(text)
    # Boot documents are long and mostly scripts: only lines with one of the words are worth the closer look.
    lines = [] if found else [line for line in text.splitlines() if any(w in line.lower() for w in _WORDS)]
    near = "\n".join(lines)
    return found or ("a secret" if any(a.search(near) for a in _ASSIGNED) else "")


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{userData: '{0}'}}}}\n"

RULE = ResourceRule(
    CODE,
    ("security", "boot"),
    check,
    Examples(
        (
            _T.format(
                base64.b64encode(b"#!/bin/bash\nexport HF_TOKEN=$(aws secretsmanager get-secret-value)\n").decode()
            ),
        ),
        (_T.format(base64.b64encode(b"#!/bin/bash\nexport WANDB_API_KEY=0123456789abcdef0123\n").decode()),),
    ),
    providers=(Provider.AWS,),
)
