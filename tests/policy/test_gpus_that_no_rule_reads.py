"""GPU machines of packages and services that no rule reads are told of."""

from __future__ import annotations

import pytest

from gpuinfra.diagnostics import Diagnostic, Severity
from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW, graph_of


def said(type_: str, inputs: str) -> list[Diagnostic]:
    found = check_graph(graph_of(f"- {{type: '{type_}', name: box, inputs: {inputs}}}\n"), now=NOW)
    return [d for d in found.diagnostics if d.code == "GI3403"]


@pytest.mark.parametrize(
    ("type_", "inputs", "path", "severity"),
    [
        ("azure:compute/linuxVirtualMachine:LinuxVirtualMachine", "{size: Standard_nd96isr_h100_v5}", "size", "warning"),
        ("aws-native:ec2:Instance", "{instanceType: p5.48xlarge}", "instanceType", "warning"),
        ("google-native:compute/v1:Instance", "{machineType: zones/x/machineTypes/a3-megagpu-8g}", "machineType", "warning"),
        ("aws:sagemaker/endpointConfiguration:EndpointConfiguration", "{productionVariants: [{instanceType: ml.p5.48xlarge}]}",
         "productionVariants[0].instanceType", "info"),
        ("azure-native:machinelearningservices:Compute", "{properties: {properties: {vmSize: Standard_NC24ads_A100_v4}}}",
         "properties.properties.vmSize", "info"),
        ("gcp:cloudrunv2/service:Service", "{template: {nodeSelector: {accelerator: nvidia-l4}}}",
         "template.nodeSelector.accelerator", "info"),
        ("aws:ec2/spotFleetRequest:SpotFleetRequest", "{launchSpecifications: [{instanceType: g5.xlarge}]}",
         "launchSpecifications[0].instanceType", "info"),
    ],
)  # fmt: skip
def test_it_names_the_machine_and_the_package(type_: str, inputs: str, path: str, severity: str):
    (found,) = said(type_, inputs)
    assert found.path == f"box.{path}"
    assert found.severity is Severity(severity)
    assert "no rule here reads" in found.message


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        ("azure:compute/linuxVirtualMachine:LinuxVirtualMachine", "{size: Standard_D4s_v5, tags: {was: Standard_NC24ads_A100_v4}}"),
        ("azure:network/subnet:Subnet", "{addressPrefixes: [10.0.0.0/24]}"),
        ("kubernetes:apps/v1:Deployment", "{spec: {template: {spec: {nodeSelector: {accelerator: nvidia-l4}}}}}"),
        ("gcp:workbench/instance:Instance", "{gceSetup: {machineType: e2-standard-4}}"),
        ("random:index/randomId:RandomId", "{prefix: g5.xlarge}"),
    ],
)  # fmt: skip
def test_what_starts_no_gpu_is_passed_over(type_: str, inputs: str):
    assert said(type_, inputs) == []
