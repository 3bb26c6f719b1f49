"""A node image that does not fit the machine.

What: The image is of another CPU architecture than the machine, boots from a root device of another name than the launch template sets, or is larger than the root disk.
Why: The launch is refused, or the root disk keeps the image's own size because the size was set on a device that is not the root.
Fix: Take an image of the machine's architecture; give the root device and size that the image has.
References: aws/aws-parallelcluster, InstanceArchitectureCompatibilityValidator, RootVolumeSizeValidator; runs-on/runs-on#207
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....plan.models import PoolPlan
from ...account_facts import Absent, Image
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described(
    "GI4041",
    "node-image-does-not-fit",
    Severity.ERROR,
    __doc__,
    ("AWS CMP-02", "AWS CMP-06", "AWS CMP-07", "GCP-IMG-01", "AZ IMG-01"),
)
_PATH = "image.node"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each pool whose image is there."""
    for pool in ctx.plan.pools:
        name = pool.node_image.selector
        found = ctx.facts.entry("images", name) if name else None
        if isinstance(found, Absent):
            yield unsure(CODE, _PATH, found)
        elif isinstance(found, Image):
            wrong = _wrong(pool, found)
            if wrong:
                yield CODE.at(_PATH, f"'{name}' {wrong}")
            elif not found.arch:
                yield unsure(CODE, _PATH, Absent(f"the architecture of {name} is not known"))
            else:
                yield passed(CODE, _PATH, f"{name} fits {pool.instance.name}")


def _wrong(pool: PoolPlan, image: Image) -> str:
    machine, own = pool.instance, pool.node_image
    if image.arch and machine.arch and image.arch != machine.arch:
        return f"is for {image.arch}, and {machine.name} is {machine.arch}"
    if image.root_device and own.root_device and image.root_device != own.root_device:
        return f"boots from {image.root_device}, and the root disk of pool '{pool.name}' is set on {own.root_device}"
    if image.root_gib is not None and own.root_gib and image.root_gib > own.root_gib:
        return f"wants a root disk of {image.root_gib} GiB, and pool '{pool.name}' has {own.root_gib}"
    return ""


_T = """\
spec: {{image: {{node: ami-0a1b2c3d4e5f60718}}}}
account: {{images: {{ami-0a1b2c3d4e5f60718: {0}}}}}
"""

RULE = AccountRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format("{arch: x86_64, root_gib: 75}"),),
        (_T.format("{arch: arm64}"), _T.format("{arch: x86_64, root_gib: 4000}")),
        (_T.format("{}"),),
    ),
)
