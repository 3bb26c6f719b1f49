"""The price from which an organisation lets no GPU nodes run without an end, in plain programs on three clouds."""

from __future__ import annotations

import pytest

from gpuinfra.diagnostics import Severity
from gpuinfra.policy import RuleOptions, check_graph
from gpuinfra.policy.examples import NOW, graph_of

CASES = {
    "GI3047": (
        "- {type: aws.eks.NodeGroup, name: n, inputs: {instanceTypes: [g5.xlarge], scalingConfig: {minSize: 2, maxSize: 2}}}",
        2.0,
    ),
    "GI3402": (
        "- {type: aws.ec2.Instance, name: n, inputs: {instanceType: p5.48xlarge, ami: ami-0123456789abcdef0}}",
        30.0,
    ),
    "GI3130": ("- {type: gcp.compute.Instance, name: n, inputs: {machineType: g2-standard-8, bootDisk: {}}}", 0.5),
    "GI3275": (
        "- {type: azure-native.compute.VirtualMachineScaleSet, name: n, inputs: {location: East US, "
        "sku: {name: Standard_ND96isr_H100_v5, capacity: 2}}}",
        150.0,
    ),
}


def said(code: str, text: str, options: RuleOptions) -> tuple[Severity, str]:
    (found,) = [d for d in check_graph(graph_of(text), now=NOW, options=options).diagnostics if d.code == code]
    return found.severity, found.message


def demanded(code: str, text: str, above: float) -> str:
    """What is said where everybody's price is this: the finding is an error."""
    severity, message = said(code, text, RuleOptions(end_above_usd_per_hour={"all": above}))
    assert severity is Severity.ERROR
    return message


@pytest.mark.parametrize("code", CASES)
def test_dear_nodes_need_an_end_where_a_price_was_named(code: str) -> None:
    text, least = CASES[code]
    assert said(code, text, RuleOptions())[0] is Severity.WARNING
    assert said(code, text, RuleOptions(1_000_000, end_above_usd_per_hour={"all": 1_000_000}))[0] is Severity.WARNING
    for options in ({"all": least}, {code: least, "all": 1_000_000}):
        severity, message = said(code, text, RuleOptions(end_above_usd_per_hour=options))
        assert severity is Severity.ERROR
        assert "USD an hour (list price of 20" in message
        assert f"from {least:.2f} USD an hour on an end is demanded here" in message


def test_without_a_price_an_end_is_demanded() -> None:
    text = (
        "- {type: azure-native.compute.VirtualMachineScaleSet, name: n, inputs: {sku: {name: Standard_ND128isr_GB300_v6, "
        "capacity: 2}}}"
    )
    assert "what Standard_ND128isr_GB300_v6 cost is not known" in demanded("GI3275", text, 1_000_000)


def test_attached_gpus_are_counted() -> None:
    text = (
        "- {type: gcp.compute.Instance, name: n, inputs: {machineType: n1-standard-8, bootDisk: {}, "
        "guestAccelerators: [{type: nvidia-tesla-t4, count: 4}]}}"
    )
    assert "at least 1.40 USD" in demanded("GI3130", text, 1), "four T4 of 0.35 USD"
    dearer = text.replace("bootDisk", "zone: asia-east2-a, bootDisk")
    assert "at least 1.76 USD" in demanded("GI3130", dearer, 1)
