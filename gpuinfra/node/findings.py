"""What can be wrong with a boot bundle, as findings (GI2150 to GI2169)."""

from __future__ import annotations

import re

from ..diagnostics import Code, Diagnostic, Severity
from ..plan.models import ClusterPlan, PoolPlan

TOO_LARGE = Code(
    "GI2150",
    "boot-bundle-too-large",
    Severity.ERROR,
    "What a node reads at boot is larger than the cloud takes.",
    why="The cloud refuses a larger document when the group is made, after everything else exists.",
    fix="Shorten what makes it long (ssh_keys, storage, job.command).",
    facts=("AWS CMP-09",),
)
NOT_A_PUBLIC_KEY = Code(
    "GI2151",
    "ssh-key-not-public",
    Severity.ERROR,
    "An entry of network.ssh_keys is not a public key.",
    why="User data can be read by every process of the guest and in the cloud's console.",
    fix="Give the one line of the .pub file, as: ssh-ed25519 AAAA… name",
)
IMAGE_WITHOUT_TOOLS = Code(
    "GI2152",
    "boot-bundle-not-run",
    Severity.WARNING,
    "The node image does not run the boot bundle.",
    why="Images made only for containers run no cloud-init and have no package manager, so mounts, MIG layout and idle timer would be missing.",
    fix="Name an Ubuntu, Amazon Linux, Rocky or AlmaLinux image in image.node, or leave it auto.",
)
NO_IDLE_TIMER = Code(
    "GI2153",
    "idle-timer-not-there",
    Severity.WARNING,
    "shutdown.idle_after has no effect on a pool without GPUs.",
    why="The timer judges by GPU work; without a GPU there is nothing to judge by, and missing data never ends a node.",
    fix="Set shutdown.lease or shutdown.stop_at: they end every pool.",
)
BUCKET_FORM = Code(
    "GI2154",
    "bucket-address-unreadable",
    Severity.ERROR,
    "An existing bucket is not written in a form of this cloud.",
)
CODES = (TOO_LARGE, NOT_A_PUBLIC_KEY, IMAGE_WITHOUT_TOOLS, NO_IDLE_TIMER, BUCKET_FORM)

BUCKET_FORMS = "s3://name/prefix, gs://name/prefix or https://account.blob.core.windows.net/container"

_PUBLIC_KEY = re.compile(
    r"(ssh-(rsa|ed25519|dss)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)"
    r" AAAA[A-Za-z0-9+/]+={0,3}( [\x20-\x7e]*)?"
)
# Container-optimised systems: no cloud-init for write_files and runcmd, no package manager.
_CLOSED_SYSTEMS = ("bottlerocket", "cos", "flatcar", "windows")


def is_public_key(text: str) -> bool:
    """Whether a text is one public key in the form of authorized_keys, without options."""
    return _PUBLIC_KEY.fullmatch(text.strip()) is not None


def key_findings(plan: ClusterPlan) -> list[Diagnostic]:
    """A finding for each entry of ssh_keys that is no public key. The entry itself is never shown."""
    found: list[Diagnostic] = []
    for n, key in enumerate(plan.network.ssh_keys):
        if not is_public_key(key):
            what = "a private key" if "PRIVATE KEY" in key else "not one SSH public key"
            found.append(NOT_A_PUBLIC_KEY.at(f"network.ssh_keys[{n}]", f"this is {what}; it is not shown here"))
    return found


def pool_findings(plan: ClusterPlan, pool: PoolPlan) -> list[Diagnostic]:
    """What the bundle cannot do for a pool."""
    found: list[Diagnostic] = []
    image = pool.node_image.image
    system = (image.os if image else "").lower()
    if system.startswith(_CLOSED_SYSTEMS):
        found.append(
            IMAGE_WITHOUT_TOOLS.at(
                "image.node",
                f"'{pool.node_image.selector}' ({system}) does not run the boot bundle, so pool '{pool.name}' gets no "
                "mounts, no MIG layout and no idle timer",
            )
        )
    if plan.idle_after is not None and not pool.gpus_per_node:
        found.append(
            NO_IDLE_TIMER.at(
                "shutdown.idle_after", f"pool '{pool.name}' has no GPU, so the idle timer is not put on its nodes"
            )
        )
    return found
