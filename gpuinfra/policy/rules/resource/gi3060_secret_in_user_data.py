"""A secret in the boot script.

What: User data hold a private key, an access key, a token or a password.
Severity: warning for a value that is marked secret, whose text is not known
Why: Every process of the guest can read them from the metadata service, and everybody with DescribeLaunchTemplateVersions from the account.
Fix: Keep the secret in Secrets Manager or Parameter Store, and let the node's role fetch it at boot.
References: EC2 User Guide, run commands at launch (user data is not encrypted)
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCES, LAUNCH_TEMPLATE
from ...aws_user_data import script
from ...resource_graph import Secret
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...script_secrets import kind_of_secret
from ...wire_values import late, plain

CODE = described("GI3060", "secret-in-user-data", Severity.ERROR, __doc__, ("AWS CMP-23",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template. The secret itself is never shown."""
    for r in ctx.aws.of_type(LAUNCH_TEMPLATE, *INSTANCES):
        for key in ("userData", "userDataBase64"):
            raw = r.inputs.get(key)
            value = plain(raw)
            # A preview and a state keep the text of a secret to themselves; that it is one, they say.
            if not isinstance(value, str) and not isinstance(raw, Secret):
                if late(value):
                    yield Undecided(CODE.code, r.name, "the user data are not known yet")
                continue
            found = kind_of_secret(script(value)) if isinstance(value, str) else ""
            if found:
                yield CODE.at(f"{r.name}.{key}", f"the user data hold {found}", resource=r.name)
            elif isinstance(raw, Secret):
                yield CODE.at(
                    f"{r.name}.{key}",
                    "the user data are composed with a value that is marked secret",
                    resource=r.name,
                    severity=Severity.WARNING,
                )


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
        (_T.replace("'{0}'", "!unknown ").replace("{{", "{").replace("}}", "}"),),
    ),
    providers=(Provider.AWS,),
)
