"""Every EBS volume that a program describes: in templates, on instances, and on its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from .aws_graph import INSTANCES, LAUNCH_TEMPLATE, AwsGraph
from .resource_graph import Resource
from .wire_values import entries

VOLUME = "aws:ebs/volume:Volume"


def volumes(aws: AwsGraph) -> Iterator[tuple[Resource, str, Mapping[str, Any]]]:
    """(owner, path of the block with a trailing dot or empty, the block) for each volume that is written out."""
    for t in aws.of_type(LAUNCH_TEMPLATE):
        for i, mapping in enumerate(entries(t.get("blockDeviceMappings"))):
            ebs = mapping.get("ebs")
            if isinstance(ebs, Mapping):
                yield t, f"blockDeviceMappings[{i}].ebs.", cast(Mapping[str, Any], ebs)
    for box in aws.of_type(*INSTANCES):
        for key in ("rootBlockDevice", "ebsBlockDevices"):
            for i, block in enumerate(entries(box.get(key))):
                yield box, f"{key}[{i}]." if key == "ebsBlockDevices" else f"{key}.", block
    for v in aws.of_type(VOLUME):
        yield v, "", v.inputs
