"""A mount that is no plain absolute path.

What: A mount is relative, has `..`, `.` or an empty part in it, or has characters beyond letters, digits, `.`, `_` and `-`.
Why: What it means depends on where it is read, and blanks or shell characters break mount tables.
Fix: Write an absolute path, as /scratch/data.
References: fstab(5); systemd.mount(5)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from ....diagnostics import Diagnostic, Severity
from ....spec.quantities import printable
from ...mounts import PLAIN, is_plain, over_system
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2262", "mount-malformed", Severity.ERROR, __doc__, ("AWS FSX-14",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each storage; a mount over the system is another rule's, however it is written."""
    for n, storage in enumerate(ctx.plan.spec.storage):
        mount = storage.mount
        shown = printable(mount)[:60]
        if is_plain(mount) or over_system(ctx.plan, mount):
            continue
        why = f"'{shown}' is not {'a plain path' if mount.startswith('/') else 'absolute'}"
        if "://" in mount:
            where = "" if storage.existing else f"existing: {shown}, and "
            own = f"/{storage.name}"
            own = f"/data{own}" if over_system(ctx.plan, own) else own
            yield CODE.at(
                f"storage[{n}].mount", f"'{shown}' is no directory of the nodes", f"write {where}mount: {own}"
            )
            continue
        near = "/" + normpath(re.sub(r"[^A-Za-z0-9._/-]+", "-", mount.strip()).rstrip("-")).strip("./-")
        sure = PLAIN.fullmatch(near) and near != "/" and ".." not in mount
        yield CODE.at(f"storage[{n}].mount", why, f"write {near}" if sure else "")


_T = "storage: [{{mount: '{0}'}}]"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("/scratch"), _T.format("/data/v1.2_x"), _T.format("/data/../etc"), _T.format("/.")),
        (_T.format("scratch"), _T.format("/data/../x"), _T.format("/data; reboot"), _T.format("/$(reboot)")),
    ),
)
