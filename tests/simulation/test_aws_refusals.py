"""What the simulated AWS refuses, when, and with which code (facts aws a2 to a6, a9, a10, (c))."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.specs import AWS

from .spoiled import both, put, refusal

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
SUBNET = "aws:ec2/subnet:Subnet"
BUDGET = "aws:budgets/budget:Budget"
SCHEDULE = "aws:scheduler/schedule:Schedule"
SPEC: dict[str, Any] = {
    **AWS,
    "storage": [
        {"name": "scratch", "kind": "lustre", "size_gib": 9600, "throughput_mbps_per_tib": 500, "mount": "/scratch"}
    ],
}
BLOCK = both(
    put("instanceMarketOptions", {"marketType": "capacity-block"}),
    put("capacityReservationSpecification", {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}),
)
EFA = both(put("efaEnabled", True), put("storageCapacity", 9600))


def closed_port(inputs: dict[str, Any]) -> None:
    inputs["ipProtocol"], inputs["fromPort"], inputs["toPort"] = "tcp", 22, 22


CASES: dict[str, tuple[str, Callable[[dict[str, Any]], None], str, str]] = {
    "an address with many interfaces": (
        TEMPLATE,
        put("networkInterfaces.0.associatePublicIpAddress", "true"),
        "apply",
        "InvalidParameterCombination",
    ),
    "a device index that the card lacks": (
        TEMPLATE,
        put("networkInterfaces.2.deviceIndex", 2),
        "apply",
        "device index exceeds",
    ),
    "a card that the type lacks": (
        TEMPLATE,
        put("networkInterfaces.2.networkCardIndex", 99),
        "apply",
        "Network card index 99",
    ),
    "an EFA-only primary": (TEMPLATE, put("networkInterfaces.0.interfaceType", "efa-only"), "apply", "primary"),
    "two interfaces in one place": (
        TEMPLATE,
        put("networkInterfaces.2.networkCardIndex", 2),
        "apply",
        "unique device index",
    ),
    "EFA on a type without": (
        TEMPLATE,
        put("instanceType", "g5.xlarge"),
        "apply",
        "EFA interfaces are not supported|does not support EFA|device index|Network card",
    ),
    "more EFA than the type has": (
        TEMPLATE,
        put("networkInterfaces.0.interfaceType", "efa"),
        "apply",
        "AttachmentLimitExceeded",
    ),
    "security groups in two places": (
        TEMPLATE,
        put("vpcSecurityGroupIds", ["sg-1"]),
        "apply",
        "InvalidParameterCombination.*security groups",
    ),
    "user data above 16 KiB": (
        TEMPLATE,
        put("userData", base64.b64encode(b"x" * 16_385).decode()),
        "apply",
        "^InvalidUserData.Malformed",
    ),
    "user data that is no base64": (TEMPLATE, put("userData", "#!/bin/sh"), "apply", "^InvalidUserData.Malformed"),
    "an image that is no id": (TEMPLATE, put("imageId", "ubuntu"), "apply", "InvalidAMIID.Malformed"),
    "a hop limit out of range, at plan": (
        TEMPLATE,
        put("metadataOptions.httpPutResponseHopLimit", 65),
        "check",
        "range",
    ),
    "a block in a placement group": (
        TEMPLATE,
        BLOCK,
        "apply",
        "Placement groups are not supported with Capacity Blocks",
    ),
    "a block without its target": (
        TEMPLATE,
        both(put("instanceMarketOptions", {"marketType": "capacity-block"}), put("placement", None)),
        "apply",
        "requires a capacity reservation target",
    ),
    "a preference beside a target": (
        TEMPLATE,
        both(
            BLOCK, put("placement", None), put("capacityReservationSpecification.capacityReservationPreference", "open")
        ),
        "apply",
        "InvalidParameterCombination.*open",
    ),
    "bounds upside down": (GROUP, put("minSize", 9), "apply", "^ValidationError: Min bound"),
    "more than the bounds": (GROUP, put("desiredCapacity", 9), "apply", "^ValidationError: Desired capacity"),
    "Lustre between two sizes": (LUSTRE, put("storageCapacity", 1300), "apply", "^BadRequest: Storage capacity 1300"),
    "Lustre with a speed that is not sold": (
        LUSTRE,
        put("perUnitStorageThroughput", 100),
        "apply",
        "^BadRequest: throughput",
    ),
    "Lustre without a speed": (LUSTRE, put("perUnitStorageThroughput", None), "apply", "^BadRequest: throughput"),
    "an old Lustre": (LUSTRE, put("fileSystemTypeVersion", "2.10"), "apply", "^BadRequest: Lustre version"),
    "the import of an older Lustre": (LUSTRE, put("importPath", "s3://b"), "apply", "^BadRequest: importPath"),
    "EFA Lustre without metadata": (
        LUSTRE,
        both(EFA, put("metadataConfiguration", None)),
        "apply",
        "^BadRequest: an EFA-enabled file system requires a metadata",
    ),
    "EFA Lustre that is too small": (LUSTRE, both(EFA, put("storageCapacity", 2400)), "apply", "^BadRequest.*EFA"),
    "EFA Lustre without a rule to itself": (LUSTRE, EFA, "apply", "Insufficient security group permissions"),
    "Lustre behind a closed port": (INGRESS, closed_port, "apply", "^InvalidNetworkSettings.*988"),
    "a subnet outside of its network": (SUBNET, put("cidrBlock", "192.168.0.0/24"), "apply", "^InvalidSubnet.Range"),
    "a budget of nothing": (BUDGET, put("limitAmount", "-1"), "apply", "^InvalidParameterException"),
    "a budget that nobody hears": (
        BUDGET,
        both(
            put("notifications.0.subscriberEmailAddresses", None), put("notifications.0.subscriberSnsTopicArns", None)
        ),
        "apply",
        "^InvalidParameterException.*subscriber",
    ),
    "a schedule in the past": (
        SCHEDULE,
        put("scheduleExpression", "at(2020-01-01T00:00:00)"),
        "apply",
        "^ValidationException",
    ),
    "a schedule whose input is no JSON": (SCHEDULE, put("target.input", "{"), "apply", "^ValidationException.*JSON"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused(case: str, tmp_path: Path) -> None:
    import re

    type_, spoil, moment, text = CASES[case]
    said = refusal(tmp_path, SPEC, type_, spoil)
    assert said.moment == moment, said
    assert re.search(text, said.text), said
