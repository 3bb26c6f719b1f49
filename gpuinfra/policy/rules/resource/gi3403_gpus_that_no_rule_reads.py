"""GPU machines that none of these rules reads.

What: A resource of a package or a service that no rule here reads starts GPU machines: classic azure, aws-native, google-native, a component of eks whose parts are not there (a program recorded without an engine has none of them), or a service such as AWS Batch, SageMaker, Azure Machine Learning or Vertex AI.
Severity: info for a service of a package whose other resources are read: the service buys and ends its machines itself
Why: Nothing is found there because nothing is looked at. Silence about those machines is no sign that they are right, or that they ever end.
Fix: Write them with aws, gcp or azure-native, whose machines are read; of a component judge a preview, which holds its parts; else check their end, their network and their budget by hand.
References: Pulumi docs, Azure Native and Azure Classic; Pulumi docs, AWS Cloud Control
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

from ....catalog import instance_types
from ....diagnostics import Diagnostic, Severity
from ...aws_batch import COMPUTE_ENVIRONMENT
from ...azure_graph import canonical
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3403", "gpus-that-no-rule-reads", Severity.WARNING, __doc__)
_PACKAGES = ("azure:", "aws-native:", "google-native:")
_COMPONENTS = ("eks:",)
"""Packages whose components the engine makes: their machines are resources of aws, in a preview and in a state."""
_SERVICES = (
    "aws:batch/computeEnvironment:", "aws:ec2/fleet:", "aws:ec2/launchConfiguration:", "aws:ec2/spotFleetRequest:",
    "aws:emr/", "aws:gamelift/", "aws:imagebuilder/", "aws:sagemaker/", "azure-native:batch:", "azure-native:azurefleet:",
    "azure-native:machinelearningservices:", "azure-native:databricks:", "azure-native:containerinstance:",
    "gcp:cloudrunv2/", "gcp:compute/instanceFrom", "gcp:dataproc/", "gcp:hypercomputecluster/", "gcp:notebooks/", "gcp:vertex/", "gcp:workbench/",
)  # fmt: skip
_PARTLY = {COMPUTE_ENVIRONMENT: "least number, types and spot price"}
"""What is read of a service by rules of its own."""
_ACCELERATOR = re.compile(r"nvidia[-_][a-z0-9_-]+", re.IGNORECASE)
_TYPES = ("size", "vmSize", "sku", "instanceType", "instanceTypes", "machineType")
_DEEPEST = 12


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource that names a GPU machine type or a GPU."""
    parents = {r.parent for r in ctx.graph if not r.type.startswith("pulumi:providers:")}
    for r in ctx.graph:
        other = r.type.startswith(_PACKAGES) or (r.type.startswith(_COMPONENTS) and r.urn not in parents)
        if not other and not canonical(r.type).startswith(_SERVICES):
            continue
        for path, value in _leaves(r.inputs, "", 0):
            if value is None:
                yield Undecided(CODE.code, r.name, f"{path} is not known yet")
                break
            if _is_gpu(value):
                yield _finding(r, path, value, other=other)
                break


def _finding(r: Resource, path: str, value: str, *, other: bool) -> Diagnostic:
    package, _, rest = r.type.partition(":")
    what = (
        f"package {package}, its parts unseen"
        if r.type.startswith(_COMPONENTS)
        else f"package {package}"
        if other
        else f"type {package}:{rest.partition(':')[0]}"
    )
    read = _PARTLY.get(canonical(r.type), "")
    unread = f"of which only {read} are checked" if read else "which no rule here reads: nothing of it was checked"
    return CODE.at(
        f"{r.name}.{path}",
        f"{value} is started by a resource of {what}, {unread}",
        resource=r.name,
        severity=None if other else Severity.INFO,
    )


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, str | None]]:
    """Every text with its path; None for a machine type that is not known yet."""
    value = plain(value)
    if depth > _DEEPEST:
        return
    if late(value):
        if path.rpartition(".")[2].partition("[")[0] in _TYPES:
            yield path, None
    elif isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            if key not in ("tags", "labels", "userData", "customData"):
                yield from _leaves(inner, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(cast("list[Any]", value)):
            yield from _leaves(inner, f"{path}[{i}]", depth + 1)


def _is_gpu(value: str) -> bool:
    word = value.rpartition("/")[2].removeprefix("ml.").casefold()
    return word in _gpu_types() or _ACCELERATOR.fullmatch(word) is not None


@cache
def _gpu_types() -> frozenset[str]:
    return frozenset(t.name.casefold() for t in instance_types() if t.has_gpu)


_VM = "- {{type: 'azure:compute/linuxVirtualMachine:LinuxVirtualMachine', name: box, inputs: {{size: {0}}}}}\n"
_BATCH = """\
- {{type: 'aws:batch/computeEnvironment:ComputeEnvironment', name: env, inputs: {{computeResources: {{instanceTypes: [{0}]}}}}}}
"""
_ML = "- {type: 'aws:sagemaker/domain:Domain', name: lab, inputs: {tags: {kind: ml.g5.xlarge}}}\n"
_EKS = "- {{type: 'eks:index:NodeGroupV2', name: nodes, inputs: {{instanceType: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("coverage",),
    check,
    Examples(
        (_VM.format("Standard_D4s_v5"), _BATCH.format("m6i.large"), _ML, _EKS.format("m6i.large")),
        (_VM.format("Standard_ND96isr_H100_v5"), _BATCH.format("p4d.24xlarge"), _EKS.format("p4d.24xlarge")),
        (_VM.format("!unknown "),),
    ),
)
