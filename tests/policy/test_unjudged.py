"""What no rule looks at is named, and what rules look at is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuinfra.policy.engine import check_graph
from gpuinfra.policy.resource_graph import Resource, ResourceGraph
from gpuinfra.policy.unjudged import unjudged

RULES = Path(__file__).parents[2] / "gpuinfra" / "policy"
TYPE = re.compile(r"\"((?:aws|gcp|azure-native|aws-native|kubernetes):[\w/.]+(?::\w+)?)\"")


def graph(*types: str) -> ResourceGraph:
    made = [
        Resource(urn=f"urn:pulumi:dev::p::{t}::r{n}", type=t, name=f"r{n}", custom=True, inputs={})
        for n, t in enumerate(types)
    ]
    return ResourceGraph("p", "dev", True, tuple(made))


@pytest.mark.parametrize(
    ("type_", "service"),
    [
        ("aws:batch/computeEnvironment:ComputeEnvironment", "AWS Batch"),
        ("aws:sagemaker/notebookInstance:NotebookInstance", "Amazon SageMaker"),
        ("aws-native:ec2:Instance", "the provider aws-native"),
        ("gcp:vertex/aiEndpoint:AiEndpoint", "Vertex AI"),
        ("gcp:tpu/v2Vm:V2Vm", "Cloud TPU"),
        ("gcp:cloudrunv2/service:Service", "Cloud Run"),
        ("azure-native:machinelearningservices:Compute", "Azure Machine Learning"),
        ("azure-native:app:ContainerApp", "Azure Container Apps"),
        ("azure-native:machinelearningservices/v20240401:Compute", "Azure Machine Learning"),
        ("azure-native_batch_v20240201:batch:Pool", "Azure Batch"),
        (
            "gcp:compute/instanceFromTemplate:InstanceFromTemplate",
            "machines that a template or an image of a machine describes",
        ),
        ("google-native:compute/v1:Instance", "the provider google-native"),
        ("azure:compute/virtualMachine:VirtualMachine", "the classic provider azure"),
        ("oci:Core/instance:Instance", "another cloud"),
    ],
)
def test_services_that_no_rule_looks_at(type_: str, service: str):
    (found,) = unjudged(graph(type_))
    assert (found.service, found.type, found.resources) == (service, type_, ("r0",))


@pytest.mark.parametrize(
    "type_", ["azure-native:compute/v20240301:VirtualMachine", "azure-native_compute_v20240301:compute:VirtualMachine"]
)
def test_a_module_of_one_api_version_is_judged_as_any_other(type_: str):
    made = Resource(
        urn="urn:pulumi:dev::p::t::vm", type=type_, name="vm", custom=True,
        inputs={"hardwareProfile": {"vmSize": "Standard_NC24rs_v3"}},
    )  # fmt: skip
    assert unjudged(graph(type_)) == ()
    assert "GI3204" in {d.code for d in check_graph(ResourceGraph("p", "dev", True, (made,))).diagnostics}


def test_of_one_type_there_is_one_entry():
    (found,) = unjudged(graph(*["aws:batch/jobQueue:JobQueue"] * 3))
    assert found.resources == ("r0", "r1", "r2")


def test_no_type_that_a_rule_names_is_among_them():
    types = {
        t
        for file in RULES.rglob("*.py")
        # Of what starts machines for AWS Batch a part is read, and GI3403 says which: the rest is not.
        if file.name not in ("unjudged.py", "gi3403_gpus_that_no_rule_reads.py", "aws_batch.py")
        for t in TYPE.findall(file.read_text())
    }
    assert len(types) > 100
    assert [u.type for u in unjudged(graph(*sorted(types)))] == []
