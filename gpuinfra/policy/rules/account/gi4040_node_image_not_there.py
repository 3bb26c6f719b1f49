"""A node image that is not there.

What: The image, family, parameter or marketplace version that the nodes boot is not found in the region, or cannot be used.
Why: Every launch is refused (InvalidAMIID.NotFound, 404, PlatformImageNotFound). Image ids differ from region to region.
Fix: Name an image of this region: gpuinfra images lists the ones that are known.
References: EKS User Guide, health issues: AmiIdNotFound; EC2 API errors, InvalidAMIID.NotFound
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent, Image
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4040", "node-image-not-there", Severity.ERROR, __doc__)
_PATH = "image.node"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each image that pools boot."""
    for name in dict.fromkeys(p.node_image.selector for p in ctx.plan.pools if p.node_image.selector):
        found = ctx.facts.entry("images", name)
        if isinstance(found, Absent):
            yield unsure(CODE, _PATH, found)
        elif not isinstance(found, Image):
            yield CODE.at(_PATH, f"'{name}' is not found in {ctx.plan.region}")
        elif found.state.lower() not in ("available", "ready"):
            yield CODE.at(_PATH, f"'{name}' cannot be used: its state is {found.state}")
        else:
            yield passed(CODE, _PATH, f"{name} is there")


_T = """\
spec: {{image: {{node: ami-0a1b2c3d4e5f60718}}}}
account: {{images: {{ami-0a1b2c3d4e5f60718: {0}}}}}
"""

RULE = AccountRule(
    CODE,
    ("image",),
    check,
    Examples(
        (_T.format("{arch: x86_64}"),),
        (_T.format("null"), _T.format("{state: deregistered}")),
        (_T.format("null").replace("{ami-0a1b2c3d4e5f60718: null}", "{}"),),
    ),
)
