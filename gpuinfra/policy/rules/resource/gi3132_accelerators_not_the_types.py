"""Accelerators written out beside a type that brings its own.

What: `guestAccelerators` of a machine whose type has GPUs differ from what the type has, in kind or number; or a GKE pool of such a type names none.
Severity: info where kind and number are right, and could be left out; warning for a pool that names none
Why: The machine type decides. Another number is refused; the same one is read back by the provider, and one release planned to replace every such machine because of it.
Fix: Leave guestAccelerators out of instances and templates. On a GKE pool write the type's own kind and number, since the driver, sharing and partitions are set there.
References: hashicorp/terraform-provider-google#24937; hashicorp/terraform-provider-google#25019
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3132", "accelerators-not-the-types", Severity.ERROR, __doc__, ("GCP-ACC-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine. A GPU that is cut into slices is not compared."""
    for m in ctx.gcp.machines:
        facts, parts = m.facts, m.parts
        if facts is None or parts is None or not m.brings_gpus or facts.gpu_fraction != 1 or not parts.accelerator_type:
            continue
        attached = m.attached
        if attached is None:
            yield Undecided(CODE.code, m.name, "the accelerators are not known yet")
            continue
        want = f"{facts.gpu_count} x {parts.accelerator_type}"
        if m.is_pool and not attached:
            yield CODE.at(
                m.path("guestAccelerators"),
                f"no accelerator is named on a pool of {m.machine_type}: nothing says which driver GKE lays",
                f"write type {parts.accelerator_type} and count {facts.gpu_count}",
                resource=m.name,
                severity=Severity.WARNING,
            )
        for kind, count in attached:
            right = kind.removesuffix("-vws") == parts.accelerator_type and count == facts.gpu_count
            if not right:
                said = f"{count:g} x {kind}" if count is not None else kind
                yield CODE.at(m.path("guestAccelerators"), f"{said}, and {m.machine_type} has {want}", resource=m.name)
            elif not m.is_pool:
                yield CODE.at(
                    m.path("guestAccelerators"),
                    f"{m.machine_type} brings {want} itself: leave it out",
                    resource=m.name,
                    severity=Severity.INFO,
                )


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs: {{nodeConfig: {{machineType: g2-standard-48, guestAccelerators: [{{type: nvidia-l4, count: {0}}}]}}}}
"""
_VM = "- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: g2-standard-48, guestAccelerators: {0}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("accelerator",),
    check,
    Examples(
        (
            _T.format(4),
            _VM.format("[]"),
        ),
        (
            _T.format(1),
            _VM.format("[{type: nvidia-l4, count: 4}]"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
