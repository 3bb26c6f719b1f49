"""An RSA key that the node's system does not take.

What: `network.ssh_keys` holds an RSA key, and the node image is Ubuntu 22.04 or newer.
Why: Their SSH server refuses RSA signatures with SHA-1, which clients and EC2 key pairs still send: login fails.
Fix: Make an ed25519 key: ssh-keygen -t ed25519.
References: aws/aws-parallelcluster, KeyPairValidator; Ubuntu 22.04 release notes, OpenSSH
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2252", "rsa-key-on-new-ubuntu", Severity.ERROR, __doc__, ("AWS CMP-15",))
_UBUNTU = re.compile(r"(?i)ubuntu[ -]?(\d\d)")


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each key."""
    new = [
        p
        for p in ctx.plan.pools
        if p.node_image.image is not None
        and (m := _UBUNTU.search(p.node_image.image.os)) is not None
        and int(m[1]) >= 22
    ]
    for n, key in enumerate(ctx.plan.network.ssh_keys if new else ()):
        if key.split()[:1] == ["ssh-rsa"]:
            image = new[0].node_image.image
            yield CODE.at(
                f"network.ssh_keys[{n}]", f"an RSA key, and the nodes run {image.os if image else 'a new Ubuntu'}"
            )


_UBUNTU_NODES = """\
image: {node: /aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id}
"""
_ED = "network: {ssh_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC9hY21lLWV4YW1wbGUta2V5LWVkMjU1MTktMDAwMDAw me]}"
_RSA = "network: {ssh_keys: [ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC9hY21lZXhhbXBsZWtleXJzYTAwMDAwMA== me]}"

RULE = PlanRule(
    CODE,
    ("security",),
    check,
    Examples((_UBUNTU_NODES + _ED, _RSA), (_UBUNTU_NODES + _RSA,)),
    providers=(Provider.AWS,),
)
