"""A number of machines that `up` and something else both set.

What: A group has a size written out that an autoscaler or a scheduler job moves, or a pool has nodeCount beside autoscaling, and `up` does not ignore it.
Why: The next `up` sets the written number again and starts the whole fleet that was scaled away, or stops machines at work.
Fix: Add ignoreChanges: [targetSize] to the group. On a pool leave nodeCount out, or set ignoreNodeCountChanges.
References: pulumi/pulumi#7081; Terraform Google provider, google_container_node_pool, node_count
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_endings import ignores, is_scheduled
from ...gcp_machines import Machines
from ...gcp_types import AUTOSCALERS, GROUPS, NODE_POOL
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3159", "up-sets-the-size-back", Severity.WARNING, __doc__, ())


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group or pool."""
    for group in ctx.gcp.of_type(*GROUPS):
        # A flex-start group with a size of its own is another rule's.
        if group.get("targetSize") is None or ignores(group, "targetSize") or ctx.gcp.requests_at(group):
            continue
        scalers = [a for a in ctx.gcp.of_type(*AUTOSCALERS) if group in ctx.gcp.linked(a, "target", *GROUPS).resources]
        if scalers or is_scheduled(ctx.gcp, group):
            mover = f"'{scalers[0].name}'" if scalers else "a scheduler job"
            yield CODE.at(
                f"{group.name}.targetSize",
                f"{mover} moves the size, and the next `up` sets it back",
                resource=group.name,
            )
    for pool in ctx.gcp.of_type(NODE_POOL):
        if pool.get("nodeCount") is None or pool.get("autoscaling") is None or ignores(pool, "nodeCount"):
            continue
        # A queued pool takes no size of its own at all: another rule's.
        if Machines(pool).model == "FLEX_START":
            continue
        said = pool.get("ignoreNodeCountChanges")
        if late(said):
            yield Undecided(CODE.code, pool.name, "ignoreNodeCountChanges is not known yet")
        elif not truth(said):
            yield CODE.at(
                f"{pool.name}.nodeCount", "the autoscaler moves it, and the next `up` sets it back", resource=pool.name
            )


_T = """\
- type: gcp.container.NodePool
  name: pool
  inputs: {{nodeCount: {0}, autoscaling: {{minNodeCount: 0, maxNodeCount: 4}}, ignoreNodeCountChanges: {1}}}
"""
_GROUP = """\
- {{type: gcp.compute.InstanceGroupManager, name: group, inputs: {{targetSize: 4}}, options: {0}}}
- {{type: gcp.compute.Autoscaler, name: scale, inputs: {{target: !ref group.id }}}}
"""


RULE = ResourceRule(
    CODE,
    ("cost", "drift"),
    check,
    Examples(
        (
            _T.format("null", "null"),
            _T.format(2, "true"),
            _GROUP.format("{ignoreChanges: [targetSize]}"),
        ),
        (
            _T.format(2, "null"),
            _GROUP.format("{}"),
        ),
        (_T.format(2, "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
