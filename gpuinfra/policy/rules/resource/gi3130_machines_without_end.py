"""GPU machines that nothing ever stops.

What: A program keeps GPU machines (an instance, a group's size, a pool's least number above zero), and no run time, end, stop schedule, scheduler job, watchdog or budget reaction ends them: none is there, or one that leaves machines, only reads, only starts them or stands on none.
Severity: error where an organisation names a price per hour, and the nodes cost as much
Why: Machines bill until somebody remembers them. A budget is an alarm that comes hours late, never a cap.
Fix: Set maxRunDuration when the machine is made; for groups a Cloud Scheduler job that resizes them to zero, or an autoscaler or pool with a least number of 0.
References: anthony-chaudhary/fak#10408; iterative/cml#661; Google Cloud docs, Limit the run time of a VM
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...dear_nodes import demand
from ...found_ends import Kind
from ...gcp_endings import budget_reacts, end_of, kept_machines
from ...gcp_machines import Machines
from ...gcp_types import TEMPLATES, region_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3130", "machines-without-end", Severity.WARNING, __doc__, ("GCP-SCH-13",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each instance, group or pool; what our own component made is judged by the plan rules."""
    if budget_reacts(ctx.gcp):
        return
    for m in ctx.gcp.machines:
        if not m.has_gpus or m.sketched or ctx.gcp.ours(m.source):
            continue
        for owner in m.groups or (m.source,):
            if owner.type not in TEMPLATES:
                yield from _judged(ctx, m, owner)


def _judged(ctx: GraphContext, m: Machines, owner: Resource) -> Iterator[Diagnostic | Undecided]:
    key, kept = kept_machines(ctx.gcp, owner)
    end = end_of(ctx.gcp, m, owner, kept, ctx.now)
    if end.kind in (Kind.ENDS, Kind.SAID):
        return
    if kept is None:
        yield Undecided(CODE.code, owner.name, "how many machines are kept is not known yet")
    elif kept and m.boot_script is None:
        yield Undecided(CODE.code, owner.name, "what the machines run at boot is not known yet")
    elif kept and end.kind is Kind.UNSEEN:
        yield Undecided(CODE.code, owner.name, end.text)
    elif kept:
        own = (m.at(key) if owner is m.source else f"{owner.name}.{key}") if key else owner.name
        dear = demand(ctx.options, CODE.code, Provider.GCP, _sold(m, kept), _region(ctx, m))
        yield CODE.at(
            end.path or own,
            f"{kept:g} {'machine' if kept == 1 else 'machines'} of {m.machine_type or 'a type with GPUs'} "
            f"{'runs' if kept == 1 else 'run'} for ever: {end.text or 'no run time, schedule, watchdog or budget reaction'}"
            f"{dear.text}",
            resource=end.source or owner.name,
            severity=dear.severity,
        )


def _sold(m: Machines, kept: float) -> tuple[tuple[str, float], ...]:
    """What the price table calls them. Beside GPUs that are attached, the machine costs little."""
    if m.brings_gpus or not m.attached:
        return ((m.machine_type, kept),)
    return tuple((f"accelerator:{name}", kept * (count or 1)) for name, count in m.attached)


def _region(ctx: GraphContext, m: Machines) -> str:
    """Where they run; empty where that is unknown, or more than one place."""
    regions = {region_of(z) for z in ctx.gcp.zones(m)[0]}
    return regions.pop() if len(regions) == 1 else ""


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
_JOB = """\
- type: gcp.cloudscheduler.Job
  name: lease
  inputs:
    schedule: 0 19 * * *
    httpTarget:
      uri: https://compute.googleapis.com/compute/v1/${{group.id}}/resize?size={0}
      oauthToken: {{serviceAccountEmail: lease@p.iam.gserviceaccount.com}}
"""
_BOX = """\
- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: g2-standard-8, bootDisk: {{}}, resourcePolicies: [!ref hours.selfLink ]}}}}
- type: gcp.compute.ResourcePolicy
  name: hours
  inputs: {{instanceSchedulePolicy: {{{0}: {{schedule: 0 19 * * *}}, timeZone: UTC}}}}
"""


RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (
            _T.format(0),
            _POOL.format(0),
            _T.format(2) + _JOB.format(0),
            _BOX.format("vmStopSchedule"),
        ),
        (
            _T.format(2),
            _POOL.format(1),
            _T.format(2) + _JOB.format(1),
            _BOX.format("vmStartSchedule"),
        ),
        (
            _T.format("!unknown "),
            _T.format(2) + _JOB.format("${size.result}"),
            "- {type: gcp.compute.Instance, name: box, inputs: {machineType: g2-standard-8, bootDisk: {}, "
            "metadata: {startup-script: !unknown }}}\n",
        ),
    ),
    providers=(Provider.GCP,),
    demands_end=True,
)
