"""A program spelled as Terraform, for peers that read no Pulumi: the AWS and Google providers of Pulumi are made from
Terraform's, so that types and names differ in spelling only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.resource_graph import OutputRef, Resource

_TYPES = {
    "aws:ec2/eip:Eip": "aws_eip",
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "aws_vpc_security_group_ingress_rule",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "aws_vpc_security_group_egress_rule",
    "aws:autoscaling/group:Group": "aws_autoscaling_group",
    "aws:autoscaling/schedule:Schedule": "aws_autoscaling_schedule",
    "aws:scheduler/schedule:Schedule": "aws_scheduler_schedule",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "aws_fsx_lustre_file_system",
    "aws:budgets/budget:Budget": "aws_budgets_budget",
    "aws:costexplorer/costAllocationTag:CostAllocationTag": "aws_ce_cost_allocation_tag",
    "aws:eks/cluster:Cluster": "aws_eks_cluster",
    "aws:eks/nodeGroup:NodeGroup": "aws_eks_node_group",
    "aws:ebs/volume:Volume": "aws_ebs_volume",
    "aws:sns/topic:Topic": "aws_sns_topic",
    "aws:iam/role:Role": "aws_iam_role",
    "aws:iam/rolePolicy:RolePolicy": "aws_iam_role_policy",
    "gcp:serviceaccount/account:Account": "google_service_account",
    "gcp:servicenetworking/connection:Connection": "google_service_networking_connection",
    "gcp:servicenetworking/peeredDnsDomain:PeeredDnsDomain": "google_service_networking_peered_dns_domain",
    "gcp:cloudfunctionsv2/function:Function": "google_cloudfunctions2_function",
    "gcp:container/nodePool:NodePool": "google_container_node_pool",
    "gcp:container/cluster:Cluster": "google_container_cluster",
    "gcp:lustre/instance:Instance": "google_lustre_instance",
    "gcp:billing/budget:Budget": "google_billing_budget",
    "gcp:cloudscheduler/job:Job": "google_cloud_scheduler_job",
    "gcp:pubsub/topic:Topic": "google_pubsub_topic",
    "gcp:storage/bucket:Bucket": "google_storage_bucket",
}
_SINGULAR = {
    "vpc_zone_identifiers": "vpc_zone_identifier",
    "cost_filters": "cost_filter",
    "notifications": "notification",
    "taints": "taint",
    "allows": "allow",
    "disks": "disk",
    "versions": "version",
    "access_configs": "access_config",
    "guest_accelerators": "guest_accelerator",
    "overrides": "override",
}
_MAPS = {"tags", "labels", "metadata", "resource_labels"}


def terraform(program: str) -> str:
    """The program in HCL. What Pulumi alone knows, as options and delays, has no place there but lifecycle."""
    graph = graph_of(program)
    kinds = {r.name: _type(r.type) for r in graph}
    return "\n".join(_resource(r, kinds) for r in graph)


def _resource(r: Resource, kinds: Mapping[str, str]) -> str:
    kind = kinds[r.name]
    lines = [f'resource "{kind}" "{_word(r.name)}" {{']
    for key, value in r.inputs.items():
        lines += _entry(kind, _snake(key), value, kinds, 1)
    if r.options.get("protect") is True:
        lines += ["  lifecycle {", "    prevent_destroy = true", "  }"]
    if r.options.get("ignoreChanges"):
        names = ", ".join(_snake(p.partition(".")[0]) for p in r.options["ignoreChanges"])
        lines += ["  lifecycle {", f"    ignore_changes = [{names}]", "  }"]
    return "\n".join([*lines, "}"])


def _entry(kind: str, key: str, value: Any, kinds: Mapping[str, str], depth: int) -> Iterator[str]:
    pad = "  " * depth
    key = _name(kind, key)
    listed = cast("list[Any]", value) if isinstance(value, (list, tuple)) else [value]
    if key not in _MAPS and listed and all(isinstance(v, Mapping) for v in listed):
        for block in cast("list[Mapping[str, Any]]", listed):
            yield f"{pad}{key} {{"
            for k, v in block.items():
                yield from _entry(kind, _snake(k), v, kinds, depth + 1)
            yield f"{pad}}}"
    else:
        yield f"{pad}{key} = {_value(value, kinds)}"


def _name(kind: str, key: str) -> str:
    if kind == "aws_autoscaling_group" and key == "tags":
        return "tag"
    if kind.startswith("google_") and key == "network_interfaces":
        return "network_interface"
    return _SINGULAR.get(key, key)


def _value(value: Any, kinds: Mapping[str, str]) -> str:
    if isinstance(value, OutputRef):
        return f"{kinds.get(value.resource, 'x')}.{_word(value.resource)}.{_snake(value.property)}"
    if isinstance(value, Mapping):
        found = cast("Mapping[str, Any]", value)
        return "{" + ", ".join(f"{json.dumps(k)} = {_value(v, kinds)}" for k, v in found.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v, kinds) for v in cast("list[Any]", value)) + "]"
    if value is None:
        return "null"
    return json.dumps(value).replace("${", "$${") if isinstance(value, str) else json.dumps(value)


def _type(token: str) -> str:
    if token in _TYPES:
        return _TYPES[token]
    package, _, rest = token.partition(":")
    module, _, cls = rest.partition("/")
    cls = _snake(cls.rpartition(":")[2])
    prefix = {"aws": "aws", "gcp": "google"}[package]
    return f"{prefix}_{cls}" if package == "aws" else f"{prefix}_{_snake(module)}_{cls}"


def _word(name: str) -> str:
    return name.replace("-", "_")


def _snake(text: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", text).lower()
