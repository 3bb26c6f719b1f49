"""GPU machines that nothing ever stops.

What: A program keeps GPU machines (an instance, a group's size, a pool's least number above zero), and has no run time, end, stop schedule, scheduler job, watchdog or budget reaction for them.
Why: Machines bill until somebody remembers them. A budget is an alarm that comes hours late, never a cap.
Fix: Set maxRunDuration when the machine is made; for groups a Cloud Scheduler job that resizes them to zero, or an autoscaler or pool with a least number of 0.
References: anthony-chaudhary/fak#10408; iterative/cml#661; Google Cloud docs, Limit the run time of a VM
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_endings import budget_reacts, ends_itself, is_scheduled, kept_machines
from ...gcp_types import TEMPLATES
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3130", "machines-without-end", Severity.WARNING, __doc__, ("GCP-SCH-13",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each instance, group or pool; what our own component made is judged by the plan rules."""
    if budget_reacts(ctx.gcp):
        return
    for m in ctx.gcp.machines:
        if not m.has_gpus or m.sketched or ctx.gcp.ours(m.source) or ends_itself(ctx.gcp, m):
            continue
        for owner in m.groups or (m.source,):
            if owner.type in TEMPLATES or is_scheduled(ctx.gcp, owner):
                continue
            key, kept = kept_machines(ctx.gcp, owner)
            if kept is None:
                yield Undecided(CODE.code, owner.name, "how many machines are kept is not known yet")
            elif kept:
                yield CODE.at(
                    (m.at(key) if owner is m.source else f"{owner.name}.{key}") if key else owner.name,
                    f"{kept:g} {'machine' if kept == 1 else 'machines'} of {m.machine_type or 'a type with GPUs'} "
                    f"{'runs' if kept == 1 else 'run'} for ever: no run time, schedule, watchdog or budget reaction",
                    resource=owner.name,
                )


_T = """\
- {{type: gcp.compute.InstanceTemplate, name: nodes, inputs: {{machineType: g2-standard-8, disks: [{{boot: true}}]}}}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {{targetSize: {0}, versions: [{{instanceTemplate: !ref nodes.selfLink }}]}}
"""
_POOL = """\
- type: gcp.container.NodePool
  name: pool
  inputs: {{autoscaling: {{minNodeCount: {0}, maxNodeCount: 2}}, nodeConfig: {{machineType: g2-standard-8}}}}
"""


RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format(0),
            _POOL.format(0),
        ),
        (
            _T.format(2),
            _POOL.format(1),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
