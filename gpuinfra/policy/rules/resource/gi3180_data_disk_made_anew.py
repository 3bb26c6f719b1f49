"""A change that makes a data disk anew.

What: A disk that exists gets smaller, or changes its type, zone, image or snapshot.
Why: Google cannot change any of these on a disk: it is deleted with all that it holds, and an empty one is made.
Fix: Make a second disk from a snapshot of the first and attach it; or let ignoreChanges keep the value.
References: Google Cloud docs, modify a persistent disk; hashicorp/terraform-provider-google, google_compute_disk
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import DISK, last_part
from ...last_inputs import Spellings, changed, covered, last, shrinks, unsure
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3180", "data-disk-made-anew", Severity.WARNING, __doc__, ("GCP-DSK-08",))
_REPLACED_BY = ("type", "zone", "image", "snapshot", "architecture")
_ABSENT, _KEPT = {"type": "pd-standard"}, frozenset({"zone", "architecture"})
_SIZE = "size"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each disk whose last inputs are known."""
    for disk in ctx.gcp.of_type(DISK):
        was = last(ctx, disk)
        if was is None:
            continue
        found = [
            p
            for p in changed(was, disk, _REPLACED_BY, Spellings(_ABSENT, _KEPT, _same))
            if not covered(disk, "ignoreChanges", p)
        ]
        found += [_SIZE] if shrinks(was, disk, _SIZE) else []
        if found:
            kept = "; it is protected, so that `up` ends there" if disk.options.get("protect") is True else ""
            yield CODE.at(
                f"{disk.name}.{found[0]}",
                f"a change of {', '.join(found)} makes the disk anew, and all that it holds is lost{kept}",
                resource=disk.name,
            )
        elif open_ := [p for p in unsure(was, disk, _REPLACED_BY) if not covered(disk, "ignoreChanges", p)]:
            yield Undecided(CODE.code, disk.name, f"whether {', '.join(open_)} changes is not known yet")


def _same(old: object, new: object) -> bool:
    """Whether a link and a bare name say the same."""
    return isinstance(old, str) and isinstance(new, str) and last_part(old) == last_part(new)


_T = """\
- type: gcp.compute.Disk
  name: data
  inputs: {{zone: us-central1-a, size: {0}, type: {1}}}
"""
_URN = "urn:pulumi:dev::example::gcp:compute/disk:Disk::data"

RULE = ResourceRule(
    CODE,
    ("storage", "drift"),
    check,
    Examples(
        (_T.format(500, "pd-ssd"), _T.format(900, "pd-ssd")),
        (_T.format(200, "pd-ssd"), _T.format(500, "hyperdisk-balanced")),
        (_T.format(500, "!unknown "),),
        facts={_URN: {"inputs": {"zone": "us-central1-a", "size": 500, "type": "pd-ssd"}}},
    ),
    providers=(Provider.GCP,),
)
