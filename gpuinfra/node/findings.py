"""What can be wrong with a boot bundle, as findings (GI2150 to GI2169)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import catalog
from ..diagnostics import Code, Diagnostic, Severity
from ..plan.models import ClusterPlan, PoolPlan
from .driver import stock_driver

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
    "An entry of network.ssh_keys is not a public key that the cloud takes.",
    why="A private key would be there for every process of the guest to read; a key of another kind is refused at `up`.",
    fix="Give the one line of the .pub file, as: ssh-ed25519 AAAA… name",
)
IMAGE_WITHOUT_TOOLS = Code(
    "GI2152",
    "boot-bundle-not-run",
    Severity.WARNING,
    "The boot bundle does not work on the node image.",
    why="Systems made only for containers have a read-only root, no package manager, or take settings in a form of their own.",
    fix="Write image.node: auto, or name an Ubuntu, Amazon Linux, Rocky or AlmaLinux image.",
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
    why="The mount is made from the address, and the nodes wait for it when they boot.",
)
DRIVER_BY_HAND = Code(
    "GI2155",
    "driver-laid-by-hand",
    Severity.WARNING,
    "The node image has no GPU driver, and nothing lays on the one that the machine needs.",
    why="Until it is there no program finds a GPU, and the nodes bill.",
    fix="Lay the driver on the nodes of the group, or name an image that carries it.",
    facts=("AZ IMG-05", "AZ SEC-02"),
)
CODES = (TOO_LARGE, NOT_A_PUBLIC_KEY, IMAGE_WITHOUT_TOOLS, NO_IDLE_TIMER, BUCKET_FORM, DRIVER_BY_HAND)

BUCKET_FORMS = "s3://name/prefix, gs://name/prefix or https://account.blob.core.windows.net/container"

_MAKE_ONE = "make one: ssh-keygen -t ed25519, and give the one line of its .pub file"
_PUBLIC_KEY = re.compile(
    r"(ssh-(rsa|ed25519)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)"
    r" AAAA[A-Za-z0-9+/]+={0,3}( [\x20-\x7e]*)?"
)


@dataclass(frozen=True)
class _Closed:
    """A system on which the bundle does not work."""

    name: re.Pattern[str]
    """In the selector, for images that the catalog does not have."""
    why: str
    has_driver: bool
    by_hand: str = ""


# By the first word of the image's system.
_CLOSED_SYSTEMS = {
    "cos": _Closed(
        re.compile(r"\bcos-(?:cloud|stable|beta|dev|\d)"),
        "runs cloud-init, but its root is read-only and it has no package manager, so the bundle's tasks do not run",
        False,
        "; to keep this system, run on each node: sudo cos-extensions install gpu, and let shutdown.lease end the nodes",
    ),
    "bottlerocket": _Closed(re.compile("bottlerocket"), "takes settings in TOML, not cloud-init", True),
    "flatcar": _Closed(
        re.compile("flatcar"), "takes Ignition, not a bundle of scripts, and has no package manager", False
    ),
}


def is_public_key(text: str) -> bool:
    """Whether a text is one public key in the form of authorized_keys, without options."""
    return _PUBLIC_KEY.fullmatch(text.strip()) is not None


def key_findings(plan: ClusterPlan) -> list[Diagnostic]:
    """A finding for each entry of ssh_keys that is no public key, or of a kind that is not taken. The entry itself is
    never shown."""
    taken = catalog.limit(plan.provider, "ssh_key_kind")
    found: list[Diagnostic] = []
    for n, key in enumerate(plan.network.ssh_keys):
        path, kind = f"network.ssh_keys[{n}]", key.split()[0] if key.split() else ""
        if kind == "ssh-dss":  # OpenSSH 7.0 turned them off, and 10.0 has none
            found.append(NOT_A_PUBLIC_KEY.at(path, "this is a DSA key, which SSH servers no longer take", _MAKE_ONE))
        elif not is_public_key(key):
            what = "a private key" if "PRIVATE KEY" in key else "not one SSH public key"
            found.append(NOT_A_PUBLIC_KEY.at(path, f"this is {what}; it is not shown here"))
        elif taken and taken.pattern and not re.fullmatch(taken.pattern, kind):
            found.append(NOT_A_PUBLIC_KEY.at(path, f"a key of the kind {kind}; {taken.notes}", _MAKE_ONE))
    return found


def pool_findings(plan: ClusterPlan, pool: PoolPlan) -> list[Diagnostic]:
    """What the bundle cannot do for a pool."""
    found: list[Diagnostic] = []
    closed = _closed_system(pool)
    if closed is not None:
        what = ", ".join(_left_out(plan, pool, closed)) or "no setup"
        found.append(
            IMAGE_WITHOUT_TOOLS.at(
                "image.node",
                f"'{pool.node_image.selector}' {closed.why}: pool '{pool.name}' gets {what}",
                f"write auto, which takes an image where all of this works{closed.by_hand if pool.gpus_per_node else ''}",
            )
        )
    found += _driver_findings(plan, pool)
    if plan.idle_after is not None and not pool.gpus_per_node:
        found.append(
            NO_IDLE_TIMER.at(
                "shutdown.idle_after", f"pool '{pool.name}' has no GPU, so the idle timer is not put on its nodes"
            )
        )
    return found


def _closed_system(pool: PoolPlan) -> _Closed | None:
    image = pool.node_image.image
    system = (image.os if image else "").lower()
    for name, closed in _CLOSED_SYSTEMS.items():
        if system.startswith(name) if system else closed.name.search(pool.node_image.selector.lower()):
            return closed
    return None


def _left_out(plan: ClusterPlan, pool: PoolPlan, closed: _Closed) -> list[str]:
    gpus = bool(pool.gpus_per_node)
    return [
        f"no {what}"
        for what, wanted in (
            ("GPU driver", gpus and not closed.has_driver),
            ("mounts", bool(plan.storage)),
            ("local NVMe", bool(pool.local_nvme.mount)),
            ("MIG layout", pool.mig is not None),
            ("container image", pool.container is not None),
            ("idle timer", gpus and plan.idle_after is not None),
        )
        if wanted
    ]


def _driver_findings(plan: ClusterPlan, pool: PoolPlan) -> list[Diagnostic]:
    missing = stock_driver(plan, pool)
    if missing is None or missing.modules or missing.by_cloud:
        return []
    kind = "a GPU driver" if missing.kind == "none" else f"the {missing.kind.upper()} driver"
    text = f"pool '{pool.name}': {pool.instance.name} needs {kind}, {pool.node_image.selector} "
    text += "has none, and nothing lays it on"
    return [DRIVER_BY_HAND.at("image.node", text, "name an image that carries it. Secure Boot must be off")]
