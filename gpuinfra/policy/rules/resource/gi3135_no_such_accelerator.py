"""An accelerator of count 0, or of an unknown kind.

What: `guestAccelerators` has an entry with count 0, or names a kind that Google does not have.
Why: In provider 8 a count of 0 is a change that replaces the machine, and leaving the entry out does not detach a GPU. An unknown kind is refused.
Fix: Leave the entry out for a machine that never had the GPU; to take one off, make the machine anew.
References: hashicorp/terraform-provider-google#25019; Terraform Google provider, version 8 upgrade guide
"""

from __future__ import annotations

from collections.abc import Iterator

from .... import catalog
from ....diagnostics import Diagnostic, Severity, did_you_mean
from ....vocabulary import Provider
from ...gcp_types import last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, number, plain

CODE = described("GI3135", "no-such-accelerator", Severity.ERROR, __doc__, ("GCP-ACC-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each entry."""
    attachable = {a.accelerator_type for a in catalog.attached_accelerators()}
    known = sorted(attachable.union(catalog.machine_accelerators()))
    for m in ctx.gcp.machines:
        value = m.get("guestAccelerators")
        if late(value):
            yield Undecided(CODE.code, m.name, "the accelerators are not known yet")
        for n, one in enumerate(entries(value)):
            kind = plain(one.get("type"))
            if late(kind) or late(plain(one.get("count"))):
                yield Undecided(CODE.code, m.name, "the accelerators are not known yet")
            if number(plain(one.get("count"))) == 0:
                yield CODE.at(
                    m.path(f"guestAccelerators[{n}].count"),
                    "0 is a change that replaces the machine, and no way to have no GPU",
                    resource=m.name,
                )
            elif isinstance(kind, str) and not late(kind):
                name = last_part(kind)
                if name.removesuffix("-vws") not in known:
                    yield CODE.at(
                        m.path(f"guestAccelerators[{n}].type"),
                        f"'{name}' is no accelerator that is known",
                        did_you_mean(name, known) or f"one of {', '.join(known)}",
                        resource=m.name,
                    )


_T = """\
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: n1-standard-8, guestAccelerators: {0}}}
"""


RULE = ResourceRule(
    CODE,
    ("accelerator",),
    check,
    Examples(
        (
            _T.format("[{type: nvidia-tesla-t4, count: 1}]"),
            _T.format("null"),
        ),
        (
            _T.format("[{type: nvidia-tesla-t4, count: 0}]"),
            _T.format("[{type: nvidia-t4, count: 1}]"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
