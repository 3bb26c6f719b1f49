"""A GPU instance type that does not exist.

What: A template, instance or node group names a size that a known family of GPU types does not have.
Why: A misspelt size, or one that AWS never made, is refused at `up`, or hours later when the group grows.
Fix: Take the name from the list: gpuinfra instances --provider aws
References: EC2 User Guide, accelerated computing instances; aws/aws-parallelcluster, InstanceTypeValidator
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ....catalog import InstanceType, instance_type, instance_types
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, plain

CODE = described("GI3305", "no-such-instance-type", Severity.ERROR, __doc__, ("AWS CMP-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each name. A family that the tables lack may be newer than they are: it is not judged."""
    for r in ctx.aws.of_type(LAUNCH_TEMPLATE, INSTANCE, NODE_GROUP):
        key = "instanceTypes" if r.type == NODE_GROUP else "instanceType"
        value = r.get(key)
        named = [plain(v) for v in items(value)] if key == "instanceTypes" else [value]
        if late(value) or any(late(v) for v in named):
            yield Undecided(CODE.code, r.name, "the instance type is not known yet")
            continue
        for n, name in enumerate(named):
            if not isinstance(name, str) or name.partition(".")[0] not in _families():
                continue
            found = instance_type(Provider.AWS, name)
            if not isinstance(found, InstanceType):
                near = f"did you mean {' or '.join(found.nearest)}?" if found.nearest else ""
                place = f"{key}[{n}]" if key == "instanceTypes" else key
                yield CODE.at(f"{r.name}.{place}", f"'{name}' is not a known instance type", near, resource=r.name)


@cache
def _families() -> frozenset[str]:
    """The families of GPU types that the tables hold, each with all of its sizes."""
    return frozenset(t.name.partition(".")[0] for t in instance_types(Provider.AWS) if t.has_gpu)


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("p5.48xlarge"), _T.format("m9q.huge")),
        (
            _T.format("p5.49xlarge"),
            "- {type: aws.eks.NodeGroup, name: pool, inputs: {instanceTypes: [g5.bigxlarge]}}\n",
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
