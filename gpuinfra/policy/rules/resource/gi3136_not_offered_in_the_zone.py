"""A machine type in a zone that does not offer it.

What: The machine type, or the kind of GPU that is attached, is not offered in the zone of the machines.
Why: The API answers that the machine type is not found there, or the machine never finds capacity.
Fix: Move to one of the zones that offer it.
References: GoogleCloudPlatform/cluster-toolkit, zone validators; skypilot-org/skypilot-catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_zones import offered_elsewhere
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3136", "not-offered-in-the-zone", Severity.ERROR, __doc__, ("GCP-ACC-05",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine and zone. Where the table does not list every zone, nothing is said."""
    for m in ctx.gcp.machines:
        names = [m.machine_type] if m.brings_gpus else [f"accelerator:{kind}" for kind, _ in m.attached or ()]
        zones, unknown = ctx.gcp.zones(m)
        if names and unknown:
            yield Undecided(CODE.code, m.name, "the zone is not known yet")
        for name in names:
            for zone in zones:
                where = offered_elsewhere(zone, name)
                if where:
                    yield CODE.at(
                        f"{m.name}.zone",
                        f"{name.removeprefix('accelerator:')} is not offered in {zone}",
                        where,
                        resource=m.name,
                    )


_T = "- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: a4-highgpu-8g, zone: {0}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("zone",),
    check,
    Examples(
        (_T.format("us-central1-b"),),
        (
            _T.format("us-central1-c"),
            _T.format("europe-west2-a"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
