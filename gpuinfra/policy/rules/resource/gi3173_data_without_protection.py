"""Data that one wrong `up` deletes.

What: A Lustre or Filestore instance or a disk has neither `protect`, `retainOnDelete` nor deletionPolicy PREVENT; or a bucket is deleted with all that is in it (forceDestroy).
Why: A renamed resource or a changed tier replaces the file system: the old one goes, with the data.
Fix: Set protect: true and deletionPolicy: PREVENT, and leave forceDestroy out.
References: Terraform Google provider, version 8 upgrade guide, deletion_policy; Pulumi docs, protect
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import BUCKET, DISK, FILESTORE, LUSTRE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3173", "data-without-protection", Severity.WARNING, __doc__, ("GCP-STO-06",))
_KEPT = ("PREVENT", "ABANDON")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource."""
    for r in ctx.gcp.of_type(LUSTRE, FILESTORE, DISK, BUCKET):
        policy = r.get("deletionPolicy")
        if r.options.get("protect") is True or r.options.get("retainOnDelete") is True or policy in _KEPT:
            continue
        if r.type == FILESTORE and truth(r.get("deletionProtectionEnabled")):
            continue
        force = r.get("forceDestroy") if r.type == BUCKET else None
        if r.type == BUCKET and not truth(force) and not late(force):
            continue
        if late(policy) or late(force):
            yield Undecided(CODE.code, r.name, "the deletion policy is not known yet")
        else:
            what = (
                "forceDestroy deletes the objects with the bucket" if r.type == BUCKET else "nothing protects the data"
            )
            yield CODE.at(f"{r.name}.{'forceDestroy' if r.type == BUCKET else 'deletionPolicy'}", what, resource=r.name)


_T = """\
- type: gcp.lustre.Instance
  name: scratch
  inputs: {{capacityGib: "9000", deletionPolicy: {0}}}
  options: {1}
"""


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format("PREVENT", "{}"),
            _T.format("null", "{protect: true}"),
        ),
        (
            _T.format("null", "{}"),
            "- {type: gcp.storage.Bucket, name: data, inputs: {forceDestroy: true}}\n",
        ),
        (_T.format("!unknown ", "{}"),),
    ),
    providers=(Provider.GCP,),
)
