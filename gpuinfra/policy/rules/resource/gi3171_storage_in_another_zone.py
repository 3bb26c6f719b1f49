"""A file system in another zone than its nodes.

What: A Lustre instance or a zonal Filestore stands in a zone where no node of the program may stand.
Why: Every byte crosses the zones, slower and at a price.
Fix: Put the file system into the nodes' zone.
References: Google Cloud docs, Managed Lustre, locations; Google Cloud docs, VPC network pricing
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import FILESTORE, LUSTRE, is_zone, last_part
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3171", "storage-in-another-zone", Severity.WARNING, __doc__, ("GCP-STO-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system; what our own component made is judged by the plan rules."""
    stands: dict[str, str] = {}
    open_ = any(ctx.gcp.zones(m)[1] for m in ctx.gcp.machines if m.has_gpus)
    for m in ctx.gcp.machines:
        for zone in ctx.gcp.zones(m)[0] if m.has_gpus else ():
            stands.setdefault(zone, m.name)
    for fs in ctx.gcp.of_type(LUSTRE, FILESTORE):
        said = fs.get("location") if fs.get("location") is not None else fs.get("zone")
        if ctx.gcp.ours(fs) or not (stands or open_):
            continue
        away = isinstance(said, str) and is_zone(last_part(said)) and last_part(said) not in stands
        if late(said) or (away and open_):
            yield Undecided(CODE.code, fs.name, "its location, or the zone of the nodes, is not known yet")
        elif isinstance(said, str) and away:
            zone, name = next(iter(stands.items()))
            yield CODE.at(
                f"{fs.name}.location",
                f"the file system stands in {last_part(said)}, and nodes '{name}' in {zone}",
                resource=fs.name,
            )


_T = """\
- {{type: gcp.lustre.Instance, name: scratch, inputs: {{location: {0}}}}}
- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: g2-standard-8, zone: us-central1-a}}}}
"""


RULE = ResourceRule(
    CODE,
    ("storage", "zone", "cost"),
    check,
    Examples(
        (
            _T.format("us-central1-a"),
            _T.format("us-central1"),
        ),
        (_T.format("us-central1-b"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
