"""What an AWS account allows, read through boto3 with the user's own credentials. Read-only calls alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from .. import catalog
from ..catalog import Miss
from ..plan.label_forms import CLUSTER_LABEL
from ..plan.models import ClusterPlan
from ..policy.account_facts import AccountFacts
from ..policy.quota_needs import family_needs, other_needs, quota_of
from ..policy.quota_requests import service_of
from .aws_calls import AwsCalls
from .aws_existing import read_existing
from .gathering import Gathering, RefusedError, reason_of

PERMISSIONS = (
    "ec2:DescribeCapacityBlockStatus",
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeImages",
    "ec2:DescribeAddresses",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstances",
    "ec2:DescribePlacementGroups",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcAttribute",
    "ec2:DescribeVpcs",
    "ce:ListCostAllocationTags",
    "elasticfilesystem:DescribeFileSystems",
    "elasticfilesystem:DescribeMountTargets",
    "fsx:DescribeFileSystems",
    "resource-groups:ListGroupResources",
    "s3:GetBucketLocation",
    "servicequotas:GetAWSDefaultServiceQuota",
    "servicequotas:GetServiceQuota",
    "ssm:GetParameter",
)
"""Everything that reading may ask for. Who is asked (sts:GetCallerIdentity) needs no permission."""

_VPC_QUOTA, _ADDRESS_QUOTA = "L-F678F1CE", "L-0263D0A3"
_RUNNING = [{"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "shutting-down"]}]


def read(
    plan: ClusterPlan,
    now: datetime,
    environment: Mapping[str, str],
    progress: Callable[[str], None],
    session: Any = None,
) -> AccountFacts:
    """The facts of the account whose credentials boto3 finds. `session` is a boto3 session, for tests."""
    calls = AwsCalls.of(plan.region, session)
    account = calls.account()
    gather = Gathering(progress)
    _Machines(plan, calls, gather).read()
    read_existing(plan, calls, gather)
    return gather.facts(plan, account, now)


class _Machines:
    """Quotas, offerings, reservations and what runs."""

    def __init__(self, plan: ClusterPlan, calls: AwsCalls, gather: Gathering) -> None:
        self.plan, self.calls, self.gather = plan, calls, gather

    def read(self) -> None:
        self.gather.part("offerings", "instance types by zone", self.offerings)
        for name in dict.fromkeys(p.capacity.id for p in self.plan.pools if p.capacity.type.names_capacity):
            if name:
                self.gather.entry("reservations", name, lambda name=name: self.reservation(name))
        self.gather.part("own_nodes", "instances that run", self.own_nodes)
        used = self.in_use()
        for code in dict.fromkeys(
            (*(n.quota for n in family_needs(self.plan)), *(n.quota for n in other_needs(self.plan)))
        ):
            if code:
                self.gather.entry("quotas", code, lambda code=code: self.quota(code, used))

    def offerings(self) -> dict[str, Any]:
        types = sorted({p.instance.name for p in self.plan.pools})
        zones: dict[str, list[str]] = {name: [] for name in types}
        for row in self.calls.pages(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone-id",
            Filters=[{"Name": "instance-type", "Values": types}],
        ):
            zones[row["InstanceType"]].append(row["Location"])
        return {name: {"zones": sorted(found)} if found else None for name, found in zones.items()}

    def reservation(self, name: str) -> dict[str, Any]:
        if name.startswith("arn:"):
            arns = [
                row["Identifier"]["ResourceArn"]
                for row in self.calls.pages("resource-groups", "list_group_resources", "Resources", Group=name)
            ]
            ids = [arn.rpartition("/")[2] for arn in arns if ":capacity-reservation/" in arn]
        else:
            ids = [name]
        if not ids:
            return {"members": []}
        rows = self.calls.pages(
            "ec2", "describe_capacity_reservations", "CapacityReservations", CapacityReservationIds=ids
        )
        return {"members": [{**_reserved(row), **self.health(row)} for row in rows]}

    def health(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """How many machines of a block are out of order, and its fabric; nothing where it does not say."""
        block = row.get("CapacityBlockId")
        if not block:
            return {}
        asked = {"CapacityBlockIds": [block]}
        try:
            found = list(self.calls.pages("ec2", "describe_capacity_block_status", "CapacityBlockStatuses", **asked))
        except RefusedError as e:
            reason_of(e)
            return {}
        return {
            "unhealthy": sum(int(f.get("TotalUnavailableCapacity", 0)) for f in found) if found else None,
            "interconnect": next((str(f["InterconnectStatus"]) for f in found if f.get("InterconnectStatus")), ""),
        }

    def instances(self) -> Iterator[dict[str, Any]]:
        for group in self.calls.pages("ec2", "describe_instances", "Reservations", Filters=_RUNNING):
            yield from group["Instances"]

    def own_nodes(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for node in self.instances():
            tags = {t["Key"]: t["Value"] for t in node.get("Tags", ())}
            if tags.get(CLUSTER_LABEL) == dict(self.plan.labels).get(CLUSTER_LABEL):
                key = f"{_purchase(node)}/{node['InstanceType']}"
                found[key] = found.get(key, 0) + 1
        return found

    def in_use(self) -> dict[str, float] | None:
        """vCPUs in use by quota; None where that cannot be read. What is reserved counts whether it runs or not, and what
        runs in it counts with it."""
        used: dict[str, float] = {}

        def add(instance_type: str, market: str, count: int) -> None:
            quota, _ = quota_of(self.plan.provider, instance_type, market)
            row = catalog.instance_type(self.plan.provider, instance_type)
            used[quota] = used.get(quota, 0) + count * ((0 if isinstance(row, Miss) else row.vcpus) or 0)

        try:
            for node in self.instances():
                purchase = _purchase(node)
                if purchase != "reserved":
                    add(node["InstanceType"], purchase, 1)
            for row in self.calls.pages("ec2", "describe_capacity_reservations", "CapacityReservations"):
                if row.get("State") == "active" and row.get("ReservationType", "default") == "default":
                    add(row["InstanceType"], "on_demand", int(row["TotalInstanceCount"]))
            used[_VPC_QUOTA] = sum(1 for _ in self.calls.pages("ec2", "describe_vpcs", "Vpcs"))
            used[_ADDRESS_QUOTA] = len(self.calls.ask("ec2", "describe_addresses")["Addresses"])
        except Exception as e:
            # What is in use is a help: without it the limit alone is judged.
            reason_of(e)
            return None
        return used

    def quota(self, code: str, used: dict[str, float] | None) -> dict[str, Any] | None:
        asked = {"ServiceCode": service_of(code), "QuotaCode": code}
        try:
            found = self.calls.ask("service-quotas", "get_service_quota", **asked)
        except RefusedError as e:
            if not e.missing:
                raise
            # A quota that was never changed may have its default alone.
            found = self.calls.ask("service-quotas", "get_aws_default_service_quota", **asked)
        row: dict[str, Any] = {"limit": float(found["Quota"]["Value"])}
        return row if used is None else {**row, "used": used.get(code, 0)}


def _purchase(node: Mapping[str, Any]) -> str:
    if node.get("CapacityReservationId") or node.get("InstanceLifecycle") == "capacity-block":
        return "reserved"
    return "spot" if node.get("InstanceLifecycle") == "spot" else "on_demand"


def _reserved(row: Mapping[str, Any]) -> dict[str, Any]:
    block = row.get("ReservationType") == "capacity-block"
    return {
        "kind": "capacity_block" if block else "on_demand",
        "instance_type": row.get("InstanceType", ""),
        "zone": row.get("AvailabilityZoneId", ""),
        "total": row.get("TotalInstanceCount"),
        "free": row.get("AvailableInstanceCount"),
        "state": row.get("State", ""),
        "starts": row.get("StartDate"),
        "ends": cast("datetime | None", row.get("EndDate")),
        "platform": row.get("InstancePlatform", ""),
        "tenancy": row.get("Tenancy", ""),
        "placement_group": row.get("PlacementGroupArn", ""),
        "only_named": row.get("InstanceMatchCriteria") == "targeted" or block,
    }
