"""What a spec names that is there already on AWS: network, images, storage, groups, and the tag of the budget."""

from __future__ import annotations

from typing import Any

from ..plan.label_forms import CLUSTER_LABEL
from ..plan.models import ClusterPlan
from ..vocabulary import StorageKind
from .aws_calls import AwsCalls
from .gathering import Gathering, RefusedError

_DEFAULT = "0.0.0.0/0"


def read_existing(plan: ClusterPlan, calls: AwsCalls, gather: Gathering) -> None:
    """Reads every thing that the plan names, each for itself."""
    net = plan.network
    if net.existing_network:
        gather.entry("networks", net.existing_network, lambda: network(calls, plan.region, net.existing_network))
        gather.entry("subnets", net.existing_subnet, lambda: subnet(calls, net.existing_subnet))
    for image in {p.node_image.selector: p.node_image for p in plan.pools}.values():
        if image.selector:
            gather.entry("images", image.selector, lambda image=image: node_image(calls, image.selector))
    for name in dict.fromkeys(p.placement.name for p in plan.pools if p.placement.mode == "existing"):
        gather.entry("placements", name, lambda name=name: placement(calls, name))
    for store in plan.storage:
        if store.existing and store.kind is StorageKind.LUSTRE:
            gather.entry("file_systems", store.existing, lambda s=store: lustre(calls, s.existing))
        if store.existing and store.kind is StorageKind.NFS:
            gather.entry("file_systems", store.existing, lambda s=store: nfs(calls, s.existing))
        named = store.existing if store.kind is StorageKind.BUCKET else store.import_from
        if named:
            name = named.partition("://")[2].partition("/")[0] or named
            gather.entry("buckets", name, lambda name=name: bucket(calls, name))
    budget = plan.spec.budget
    if budget is not None and budget.per_month_usd is not None:
        gather.part("cost_tags", "tags for cost allocation", lambda: cost_tags(calls))


def network(calls: AwsCalls, region: str, name: str) -> dict[str, Any]:
    rows = calls.ask("ec2", "describe_vpcs", VpcIds=[name])["Vpcs"]
    if not rows:
        raise RefusedError("not found", missing=True)
    found: dict[str, Any] = {"region": region}
    for key, attribute in (("dns_support", "enableDnsSupport"), ("dns_hostnames", "enableDnsHostnames")):
        said = calls.ask("ec2", "describe_vpc_attribute", VpcId=name, Attribute=attribute)
        found[key] = bool(said[attribute[0].upper() + attribute[1:]]["Value"])
    return found


def subnet(calls: AwsCalls, name: str) -> dict[str, Any]:
    rows = calls.ask("ec2", "describe_subnets", SubnetIds=[name])["Subnets"]
    if not rows:
        raise RefusedError("not found", missing=True)
    row = rows[0]
    found: dict[str, Any] = {
        "network": row["VpcId"],
        "zone": row.get("AvailabilityZoneId", ""),
        "cidr": row.get("CidrBlock", ""),
        "free_addresses": row.get("AvailableIpAddressCount"),
    }
    try:
        return {**found, "way_out": _way_out(calls, name, row["VpcId"])}
    except RefusedError:
        return found


def _way_out(calls: AwsCalls, subnet: str, vpc: str) -> str:
    """Where the default route of a subnet leads; a subnet without a table of its own has the network's main one."""
    for filters in (
        [{"Name": "association.subnet-id", "Values": [subnet]}],
        [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "association.main", "Values": ["true"]}],
    ):
        tables = list(calls.pages("ec2", "describe_route_tables", "RouteTables", Filters=filters))
        if not tables:
            continue
        routes = [r for r in tables[0].get("Routes", ()) if r.get("DestinationCidrBlock") == _DEFAULT]
        if not routes:
            return "none"
        route = routes[0]
        if route.get("NatGatewayId"):
            return "nat"
        return "internet" if str(route.get("GatewayId", "")).startswith("igw-") else "other"
    return "none"


def node_image(calls: AwsCalls, selector: str) -> dict[str, Any]:
    name = selector
    if not name.startswith("ami-"):
        parameter = name.removeprefix("resolve:ssm:")
        name = str(calls.ask("ssm", "get_parameter", Name=parameter)["Parameter"]["Value"])
    rows = calls.ask("ec2", "describe_images", ImageIds=[name])["Images"]
    if not rows:
        raise RefusedError("not found", missing=True)
    row = rows[0]
    root = str(row.get("RootDeviceName", ""))
    disks = [d.get("Ebs", {}) for d in row.get("BlockDeviceMappings", ()) if d.get("DeviceName") == root]
    return {
        "arch": row.get("Architecture", ""),
        "root_device": root,
        "root_gib": next((d["VolumeSize"] for d in disks if "VolumeSize" in d), None),
        "state": row.get("State", "available"),
    }


def placement(calls: AwsCalls, name: str) -> dict[str, Any]:
    rows = calls.ask("ec2", "describe_placement_groups", GroupNames=[name])["PlacementGroups"]
    if not rows:
        raise RefusedError("not found", missing=True)
    return {"strategy": rows[0].get("Strategy", "")}


def lustre(calls: AwsCalls, name: str) -> dict[str, Any]:
    rows = calls.ask("fsx", "describe_file_systems", FileSystemIds=[name])["FileSystems"]
    if not rows:
        raise RefusedError("not found", missing=True)
    row = rows[0]
    zones = _zones(calls, list(row.get("SubnetIds", ())))
    return {"network": row.get("VpcId", ""), "zones": zones, "state": row.get("Lifecycle", "AVAILABLE")}


def nfs(calls: AwsCalls, name: str) -> dict[str, Any]:
    rows = calls.ask("efs", "describe_file_systems", FileSystemId=name)["FileSystems"]
    if not rows:
        raise RefusedError("not found", missing=True)
    targets = calls.ask("efs", "describe_mount_targets", FileSystemId=name)["MountTargets"]
    return {
        "network": next((t["VpcId"] for t in targets if t.get("VpcId")), ""),
        "zones": sorted({t["AvailabilityZoneId"] for t in targets if t.get("AvailabilityZoneId")}),
        "state": rows[0].get("LifeCycleState", "available"),
    }


def _zones(calls: AwsCalls, subnets: list[str]) -> list[str]:
    if not subnets:
        return []
    try:
        rows = calls.ask("ec2", "describe_subnets", SubnetIds=subnets)["Subnets"]
    except RefusedError:
        return []
    return sorted({r["AvailabilityZoneId"] for r in rows if r.get("AvailabilityZoneId")})


def bucket(calls: AwsCalls, name: str) -> dict[str, Any]:
    # The first region has no name here, and the first European one had another.
    place = calls.ask("s3", "get_bucket_location", Bucket=name).get("LocationConstraint") or "us-east-1"
    return {"region": "eu-west-1" if place == "EU" else place}


def cost_tags(calls: AwsCalls) -> dict[str, bool]:
    rows = calls.pages("ce", "list_cost_allocation_tags", "CostAllocationTags", TagKeys=[CLUSTER_LABEL])
    active = {r["TagKey"]: r.get("Status") == "Active" for r in rows}
    # A tag that was never used is not listed, and counts nothing.
    return {CLUSTER_LABEL: active.get(CLUSTER_LABEL, False)}
