"""A GPU machine type that does not exist, or is gone.

What: The type of an instance, a template, a group or a GKE pool has the name of a GPU family and no size of it, or was retired.
Severity: warning where the tables know no machine of that family: it may be newer than they are
Why: Preview takes any text. The machines are refused at `up`, after network, storage and control plane are made and bill.
Fix: Write one of the names given.
References: EC2 User Guide, instance types; Google Cloud docs, accelerator-optimized machine family
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....catalog import Miss, instance_type, instance_types, retired
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_batch import COMPUTE_ENVIRONMENT, TYPES, types
from ...aws_graph import INSTANCES, LAUNCH_TEMPLATE, NODE_GROUP, SCALING_GROUP
from ...gcp_types import last_part
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3290", "unknown-machine-type", Severity.ERROR, __doc__, ("AWS CMP-01", "GCP-ACC-05"))
_OVERRIDES = ("mixedInstancesPolicy", "launchTemplate", "overrides")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each place that names a type. Azure's sizes are another rule's."""
    named = [(Provider.AWS, *one) for one in _of_aws(ctx)] + [(Provider.GCP, *one) for one in _of_google(ctx)]
    for provider, owner, where, value in named:
        if late(value):
            yield Undecided(CODE.code, owner.name, "the machine type is not known yet")
        elif isinstance(value, str) and value:
            yield from _judged(provider, owner, where, last_part(value))


def _judged(provider: Provider, owner: Resource, where: str, name: str) -> Iterator[Diagnostic]:
    gone = retired(provider, name)
    if gone is not None:
        hint = f"take {gone.instead}" if gone.instead else ""
        yield CODE.at(where, f"'{name}' was retired and is no longer deployed", hint, resource=owner.name)
        return
    found = instance_type(provider, name)
    kind = _kind(name)
    # G2 machines can be had with memory of one's own choice.
    if not isinstance(found, Miss) or kind not in _gpu_kinds(provider) or "-custom-" in name:
        return
    family_known = _line(name) in _lines(provider)
    near = [n for n in found.nearest if _kind(n) == kind]
    yield CODE.at(
        where,
        f"no machine type is named '{name}'" if family_known else f"no table knows the machine type '{name}'",
        f"did you mean {' or '.join(near[:2])}?" if near else "",
        resource=owner.name,
        severity=None if family_known else Severity.WARNING,
    )


def _of_aws(ctx: GraphContext) -> Iterator[tuple[Resource, str, Any]]:
    for r in ctx.aws.of_type(LAUNCH_TEMPLATE, *INSTANCES):
        yield r, f"{r.name}.instanceType", r.get("instanceType")
    for r in ctx.aws.of_type(NODE_GROUP):
        if late(r.get("instanceTypes")):
            yield r, f"{r.name}.instanceTypes", r.get("instanceTypes")
        yield from ((r, f"{r.name}.instanceTypes[{n}]", plain(v)) for n, v in enumerate(items(r.get("instanceTypes"))))
    for r in ctx.aws.of_type(COMPUTE_ENVIRONMENT):
        # A family, as g6e, is no type.
        yield from (
            (r, f"{r.name}.{'.'.join(TYPES)}[{n}]", t)
            for n, t in enumerate(types(r))
            if not isinstance(t, str) or "." in t
        )
    for r in ctx.aws.of_type(SCALING_GROUP):
        if late(r.get(*_OVERRIDES)):
            yield r, f"{r.name}.{'.'.join(_OVERRIDES)}", r.get(*_OVERRIDES)
        for n, one in enumerate(entries(r.get(*_OVERRIDES))):
            yield r, f"{r.name}.{'.'.join(_OVERRIDES)}[{n}].instanceType", plain(one.get("instanceType"))


def _of_google(ctx: GraphContext) -> Iterator[tuple[Resource, str, Any]]:
    for m in ctx.gcp.machines:
        yield m.source, m.path("machineType"), m.get("machineType")


def _family(name: str) -> str:
    """p5 of p5.48xlarge, a3 of a3-highgpu-8g."""
    return name.replace(".", "-").partition("-")[0]


def _kind(name: str) -> str:
    """The letters of a family: p of p5en, g of g2."""
    family = _family(name)
    return family[: next((n for n, c in enumerate(family) if c.isdigit()), len(family))]


def _line(name: str) -> str:
    """What the sizes of one machine share: p6e-gb200 of p6e-gb200.36xlarge, a3 of a3-highgpu-8g."""
    return name.partition(".")[0] if "." in name else _family(name)


def _lines(provider: Provider) -> frozenset[str]:
    return frozenset(_line(t.name) for t in instance_types(provider) if t.has_gpu)


def _gpu_kinds(provider: Provider) -> frozenset[str]:
    """The letters that only GPU families have: what a name with other letters is, the tables of GPUs cannot say."""
    return frozenset(_kind(t.name) for t in instance_types(provider) if t.has_gpu) - {"n", "custom"}


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{instanceType: {0}}}}}\n"
_INLINE = """\
- type: gcp.container.Cluster
  name: plane
  inputs: {location: us-central1, nodePools: [{name: gpu, nodeConfig: {machineType: a3-megagpu-8}}]}
"""
_POOL = "- {{type: gcp.container.NodePool, name: pool, inputs: {{nodeConfig: {{machineType: {0}}}}}}}\n"

_QUEUE = "- {{type: aws.batch.ComputeEnvironment, name: env, inputs: {{computeResources: {{instanceTypes: [{0}]}}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("accelerator",),
    check,
    Examples(
        (
            _T.format("p5.48xlarge"),
            _T.format("m7i.large"),
            _QUEUE.format("g6e"),
            _QUEUE.format("g6e.4xlarge"),
            _POOL.format("g2-standard-24"),
            _POOL.format("a4-highgpu-8g-nolssd"),
            _POOL.format("a4x-maxgpu-4g-metal-nolssd"),
            _POOL.format("g2-custom-8-32768"),
        ),
        (
            _INLINE,
            _QUEUE.format("g6e.5xlarge"),
            _T.format("p5.49xlarge"),
            _T.format("p3.2xlarge"),
            _POOL.format("a3-megagpu-8"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS, Provider.GCP),
)
