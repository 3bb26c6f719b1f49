"""Linux nodes that take a password, or that have no SSH key.

What: disablePasswordAuthentication is not true, or no public key is given.
Why: Passwords of cloud machines are guessed around the clock. With passwords off and no key, or with neither, Azure refuses the machine: nobody could log in.
Fix: Set disablePasswordAuthentication: true and ssh.publicKeys with a key of yours.
References: Azure docs, create a Linux scale set; Azure docs, detailed steps: SSH keys for Linux
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AzureNodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, truth

CODE = described("GI3245", "login-by-password", Severity.ERROR, __doc__, ("AZ SEC-05",))
_LINUX = "osProfile.linuxConfiguration"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set and machine of Linux nodes."""
    for nodes in ctx.azure.nodes:
        if nodes.get("osProfile") is None or not nodes.linux:
            continue
        off, keys = (
            nodes.get(*_LINUX.split("."), *p) for p in (("disablePasswordAuthentication",), ("ssh", "publicKeys"))
        )
        if late(nodes.get("osProfile")) or late(off) or late(keys):
            yield Undecided(CODE.code, nodes.name, "how people log in is not known yet")
            continue
        # That a spec names no key is said by the plan rules.
        if not items(keys) and ctx.azure.ours(nodes.resource):
            continue
        where, fault, hint = _fault(nodes, truth(off) is True, bool(items(keys)))
        if fault:
            yield CODE.at(nodes.at(where), fault, hint, resource=nodes.name)


def _fault(nodes: AzureNodes, passwords_off: bool, keyed: bool) -> tuple[str, str, str]:
    password = nodes.get("osProfile", "adminPassword") is not None
    keys = f"{_LINUX}.ssh.publicKeys"
    if not keyed and (passwords_off or not password):
        return keys, "no SSH key is given: Azure refuses a Linux machine that nobody can log in to", "add a public key"
    if not passwords_off:
        said = (
            "a password is set" if password else "passwords are not turned off, and left out means that they are taken"
        )
        return f"{_LINUX}.disablePasswordAuthentication", said, "set it to true, and log in with a key"
    return "", "", ""


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs:
    virtualMachineProfile:
      osProfile:
        adminUsername: ubuntu
        linuxConfiguration: {{disablePasswordAuthentication: {0}, ssh: {{publicKeys: {1}}}}}
"""
_KEY = '[{path: /home/ubuntu/.ssh/authorized_keys, keyData: "ssh-ed25519 AAAA me"}]'

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format("true", _KEY),),
        (_T.format("false", _KEY), _T.format("null", _KEY), _T.format("true", "[]"), _T.format("null", "null")),
        (_T.format("!unknown ", _KEY),),
    ),
    providers=(Provider.AZURE,),
)
