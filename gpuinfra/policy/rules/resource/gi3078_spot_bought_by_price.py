"""Spot that is bought by its price.

What: Spot nodes have a most price, or are taken from the cheapest pool alone.
Why: The cheapest pool is the one that is taken back first, and a most price ends the nodes when the market moves by a cent. Without either the price is bounded by the on-demand price anyway.
Fix: Leave maxPrice out, and set spotAllocationStrategy: price-capacity-optimized.
References: EC2 User Guide, Spot best practices; EC2 Auto Scaling User Guide, allocation strategies
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_batch import COMPUTE_ENVIRONMENT, has_gpus
from ...aws_graph import INSTANCES, LAUNCH_TEMPLATE, SCALING_GROUP, SPOT_REQUEST
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3078", "spot-bought-by-price", Severity.WARNING, __doc__, ("AWS CAP-15",))
_PRICE = ("instanceMarketOptions", "spotOptions", "maxPrice")
_SPLIT = ("mixedInstancesPolicy", "instancesDistribution")
_BATCH = ("computeResources",)
_CHEAPEST = "lowest-price"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, instance or group. Nodes that are known to have no GPU are none of ours."""
    plain_nodes = [n for n in ctx.aws.nodes if ctx.aws.without_gpus(n)]
    left_out = {u.urn for n in plain_nodes for u in (n.template, *n.groups)}
    for t in ctx.aws.of_type(LAUNCH_TEMPLATE, *INSTANCES):
        if t.urn not in left_out:
            yield from _priced(t, _PRICE, t.get(*_PRICE))
    for request in ctx.aws.of_type(SPOT_REQUEST):
        if request.urn not in left_out:
            yield from _priced(request, ("spotPrice",), request.get("spotPrice"))
    for env in ctx.aws.of_type(COMPUTE_ENVIRONMENT):
        if has_gpus(env):
            yield from _of_batch(env)
    for group in ctx.aws.of_type(SCALING_GROUP):
        if group.urn in left_out:
            continue
        share = group.get(*_SPLIT, "onDemandPercentageAboveBaseCapacity")
        known = number(share)
        if group.get("mixedInstancesPolicy") is None or (not late(share) and (known is None or known >= 100)):
            continue
        yield from _priced(group, (*_SPLIT, "spotMaxPrice"), group.get(*_SPLIT, "spotMaxPrice"))
        strategy = group.get(*_SPLIT, "spotAllocationStrategy")
        if late(strategy) or late(share):
            yield Undecided(CODE.code, group.name, "how spot is bought is not known yet")
        elif strategy in (None, _CHEAPEST):
            said = f"'{strategy}'" if strategy else f"absent, which means {_CHEAPEST}"
            path = f"{group.name}.{'.'.join(_SPLIT)}.spotAllocationStrategy"
            yield CODE.at(path, f"spotAllocationStrategy is {said}", resource=group.name)


def _of_batch(env: Resource) -> Iterator[Diagnostic | Undecided]:
    kind = env.get(*_BATCH, "type")
    share, strategy = env.get(*_BATCH, "bidPercentage"), env.get(*_BATCH, "allocationStrategy")
    if late(kind) or (kind == "SPOT" and (late(share) or late(strategy))):
        yield Undecided(CODE.code, env.name, "how spot is bought is not known yet")
    elif kind == "SPOT":
        if (number(share) or 100) < 100:
            text = f"a most price of {number(share):g} percent of the on-demand price"
            yield CODE.at(
                f"{env.name}.{'.'.join(_BATCH)}.bidPercentage", text, "leave bidPercentage out", resource=env.name
            )
        if strategy in (None, "BEST_FIT"):
            said = "BEST_FIT" if strategy else "absent, which means BEST_FIT"
            yield CODE.at(
                f"{env.name}.{'.'.join(_BATCH)}.allocationStrategy",
                f"allocationStrategy is {said}: the cheapest pool alone",
                "set allocationStrategy: SPOT_PRICE_CAPACITY_OPTIMIZED",
                resource=env.name,
            )


def _priced(r: Resource, path: tuple[str, ...], value: Any) -> Iterator[Diagnostic | Undecided]:
    if late(value):
        yield Undecided(CODE.code, r.name, "whether there is a most price is not known yet")
    elif value not in (None, ""):
        yield CODE.at(f"{r.name}.{'.'.join(path)}", f"a most price of {value!s:.20} USD", resource=r.name)


_T = """\
- type: aws.autoscaling.Group
  name: group
  inputs:
    mixedInstancesPolicy:
      instancesDistribution: {{onDemandPercentageAboveBaseCapacity: 0, spotAllocationStrategy: {0}}}
"""
_LT = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceMarketOptions: {{marketType: spot, spotOptions: {{maxPrice: {0}}}}}}}
"""

_QUEUE = """\
- type: aws.batch.ComputeEnvironment
  name: env
  inputs: {{computeResources: {{type: {0}, allocationStrategy: {1}, bidPercentage: {2}, instanceTypes: [g6e.4xlarge]}}}}
"""
_ONE = """\
- {{type: aws.ec2.SpotInstanceRequest, name: box, inputs: {{instanceType: g5.xlarge, spotPrice: {0}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity", "cost"),
    check,
    Examples(
        (
            _T.format("price-capacity-optimized"),
            _LT.format("null"),
            _ONE.format("null"),
            _QUEUE.format("SPOT", "SPOT_PRICE_CAPACITY_OPTIMIZED", "null"),
            _QUEUE.format("EC2", "BEST_FIT", "null"),
        ),
        (
            _T.format("lowest-price"),
            _T.format("null"),
            _LT.format('"12.50"'),
            _ONE.format('"0.50"'),
            _QUEUE.format("SPOT", "BEST_FIT", "null"),
            _QUEUE.format("SPOT", "SPOT_CAPACITY_OPTIMIZED", 30),
        ),
        (_T.format("!unknown "), _LT.format("!unknown "), _QUEUE.format("SPOT", "!unknown ", "null")),
    ),
    providers=(Provider.AWS,),
)
