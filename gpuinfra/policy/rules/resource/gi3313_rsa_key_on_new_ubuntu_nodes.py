"""An RSA key pair for nodes whose system does not take it.

What: The key pair of nodes is RSA, and their image is Ubuntu 22.04 or newer.
Why: Their SSH server refuses RSA signatures with SHA-1, which clients and EC2 key pairs still send: login fails.
Fix: Make an ed25519 key: ssh-keygen -t ed25519.
References: aws/aws-parallelcluster, KeyPairValidator; Ubuntu 22.04 release notes, OpenSSH
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCE
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3313", "rsa-key-on-new-ubuntu-nodes", Severity.ERROR, __doc__, ("AWS CMP-15",))
_PAIR, _MADE = "aws:ec2/keyPair:KeyPair", "tls:index/privateKey:PrivateKey"
_UBUNTU = re.compile(r"(?i)ubuntu[-/]?(?:server/|pro-server/)?(\d\d)[.]?04")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each key pair of the program that nodes with such an image name."""
    said: set[str] = set()
    for nodes in ctx.aws.nodes:
        image = nodes.template.get("ami" if nodes.template.type == INSTANCE else "imageId")
        match = _UBUNTU.search(image) if isinstance(image, str) else None
        if match is None or int(match[1]) < 22:
            continue
        for pair in _pairs(ctx, nodes.template):
            if pair.urn in said:
                continue
            said.add(pair.urn)
            kind = _kind(ctx, pair)
            if kind is None:
                yield Undecided(CODE.code, pair.name, "the key is not known yet")
            elif kind == "rsa":
                yield CODE.at(
                    f"{pair.name}.publicKey",
                    f"an RSA key, and nodes '{nodes.name}' run Ubuntu {match[1]}.04",
                    resource=pair.name,
                )


def _pairs(ctx: GraphContext, template: Resource) -> list[Resource]:
    name = template.get("keyName")
    linked = list(ctx.aws.linked(template, "keyName", _PAIR).resources)
    return linked or [p for p in ctx.aws.of_type(_PAIR) if isinstance(name, str) and p.get("keyName") == name]


def _kind(ctx: GraphContext, pair: Resource) -> str | None:
    """`rsa`, or another word; None where it is not known yet."""
    value = pair.get("publicKey")
    made = ctx.aws.linked(pair, "publicKey", _MADE).resources
    if made:
        algorithm = made[0].get("algorithm")
        return str(algorithm).lower() if isinstance(algorithm, str) and not late(algorithm) else None
    if not isinstance(value, str) or late(value):
        return None
    return "rsa" if value.split()[:1] == ["ssh-rsa"] else "other"


_T = """\
- {{type: aws.ec2.KeyPair, name: key, inputs: {{publicKey: {0}}}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs:
    keyName: !ref key.keyName
    imageId: resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-{1}/latest/ami-id
"""

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format("ssh-ed25519 AAAAC3Nz me", "ubuntu-24.04"), _T.format("ssh-rsa AAAAB3Nz me", "amazon-linux-2023")),
        (_T.format("ssh-rsa AAAAB3Nz me", "ubuntu-24.04"),),
        (_T.format("!unknown ", "ubuntu-24.04"),),
    ),
    providers=(Provider.AWS,),
)
