"""A replacement that needs the GPUs twice, or the name twice.

What: A GPU instance or pool without a name of its own, or a Lustre instance, is not set to be deleted before it is replaced.
Why: Pulumi makes the new one first. On reserved or scarce capacity there is no second set of GPUs and the replacement always fails; a second Lustre instance of the same id answers 409.
Fix: Set deleteBeforeReplace: true.
References: Pulumi docs, deleteBeforeReplace; Google Cloud docs, Managed Lustre, create an instance
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import INSTANCE, LUSTRE, NODE_POOL
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items

CODE = described("GI3179", "replacement-needs-twice-the-gpus", Severity.ERROR, __doc__, ("GCP-ENG-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource. One with a name of its own is deleted first anyway."""
    for m in ctx.gcp.machines:
        if m.source.type not in (INSTANCE, NODE_POOL) or m.has_gpus is False or m.sketched or m.within is not None:
            continue
        # In a state or a preview an auto-name stands among the inputs, and the engine says that it made it up.
        named = m.source.get("name") is not None and "name" not in items(m.source.get("__defaults"))
        if named or m.source.options.get("deleteBeforeReplace") is True:
            continue
        if m.has_gpus is None:
            yield Undecided(CODE.code, m.name, "whether it has GPUs is not known yet")
        else:
            yield CODE.at(
                m.name,
                f"a replacement needs {m.machine_type or 'its GPUs'} twice: deleteBeforeReplace is not set",
                resource=m.name,
            )
    for fs in ctx.gcp.of_type(LUSTRE):
        if fs.options.get("deleteBeforeReplace") is not True:
            yield CODE.at(
                fs.name,
                "a replacement takes the same instanceId and is refused: deleteBeforeReplace is not set",
                resource=fs.name,
            )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-8, name: {0}, bootDisk: {{}}}}
  options: {1}
"""
_FS = "- {{type: gcp.lustre.Instance, name: scratch, inputs: {{instanceId: scratch}}, options: {0}}}\n"


RULE = ResourceRule(
    CODE,
    ("capacity", "drift"),
    check,
    Examples(
        (
            _T.format("box", "{}"),
            _T.format("null", "{deleteBeforeReplace: true}"),
            _FS.format("{deleteBeforeReplace: true}"),
        ),
        (
            _T.format("null", "{}"),
            _T.format("box-1a2b3c4, __defaults: [name]", "{}"),
            _FS.format("{}"),
        ),
        ("- {type: gcp.compute.Instance, name: box, inputs: {machineType: !unknown , bootDisk: {}}}\n",),
    ),
    providers=(Provider.GCP,),
)
