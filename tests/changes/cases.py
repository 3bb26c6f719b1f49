"""One change of every field of the spec, for each cloud that knows the field: what `up` is asked to do.

A case stands on its cloud's base cluster, with what the field needs beside it, and changes that field alone.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuinfra.vocabulary import Provider


class Absent:
    """The key is not there."""


ABSENT = Absent()


class By(dict[str, Any]):
    """A value for each cloud; the others do not have the case."""


@dataclass(frozen=True)
class Case:
    """A change of one field."""

    field: str
    """As the reference spells it: `node_pools[].count`."""
    to: Any
    change: str = ""
    """Which change of the field, where there are several: "smaller"."""
    at: str = ""
    """The place in the spec; empty: the first entry of each list."""
    base: Any = field(default_factory=dict[str, Any])
    """Place to value of what stands in the cluster before and after; may be a `By`."""

    @property
    def id(self) -> str:
        return f"{self.field} {self.change}".strip()

    def clouds(self) -> Iterator[Provider]:
        for cloud in Provider:
            if all(cloud in v for v in (self.to, self.base) if isinstance(v, By)):
                yield cloud

    def specs(self, cloud: Provider) -> tuple[dict[str, Any], dict[str, Any]]:
        """The cluster before and after."""
        before = copy.deepcopy(BASES[cloud])
        for place, value in of(self.base, cloud).items():
            put(before, place, of(value, cloud))
        after = copy.deepcopy(before)
        put(after, self.at or re.sub(r"\[\]", "[0]", self.field), of(self.to, cloud))
        return before, after


def of(value: Any, cloud: Provider) -> Any:
    """The cloud's own value."""
    return value[cloud] if isinstance(value, By) else value


def put(spec: Any, place: str, value: Any) -> None:
    """Writes a value at a place as `node_pools[0].count`. A list's next entry is added."""
    *way, last = re.findall(r"[^.\[\]]+", place)
    at = spec
    for step in way:
        at = at[int(step)] if isinstance(at, list) else at.setdefault(step, {})
    if isinstance(at, list):
        number = int(last)
        if value is ABSENT:
            del at[number]
        elif number == len(at):
            at.append(value)
        else:
            at[number] = value
    elif value is ABSENT:
        del at[last]
    else:
        at[last] = copy.deepcopy(value)


_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbGw ml"
_KEY_2 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbHQ ml"

_COMMON: Mapping[str, Any] = {
    "name": "lab",
    "workload": "training",
    "network": {"cidr": "10.50.0.0/16", "ssh_keys": [_KEY]},
    "image": {"container": "nvcr.io/nvidia/pytorch:25.03-py3"},
    "job": {
        "command": ["python", "train.py"],
        "launcher": "torchrun",
        "pools": ["train"],
        "checkpoint": {"path": "/scratch/ckpt", "size_gib": 100, "every": "30m", "on_notice": "SIGTERM"},
    },
    "budget": {
        "per_month_usd": 300000,
        "alerts_percent": [50, 80],
        "contacts": ["ml@example.com"],
        "on_limit": "stop",
    },
    "shutdown": {"idle_after": "45m", "lease": "72h", "stop_at": {"cron": "0 20 * * 5", "timezone": "Europe/Berlin"}},
    "labels": {"team": "nlp"},
}

BASES: Mapping[str, Mapping[str, Any]] = {
    "aws": {
        **_COMMON,
        "location": {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"},
        "node_pools": [
            {"name": "train", "instance_type": "p5.48xlarge", "count": 4},
            {"name": "side", "instance_type": "g6e.12xlarge", "count": {"min": 0, "max": 4, "initial": 1}},
        ],
        "storage": [
            {
                "name": "scratch",
                "kind": "lustre",
                "size_gib": 9600,
                "throughput_mbps_per_tib": 500,
                "mount": "/scratch",
            },
            {"name": "home", "kind": "nfs", "mount": "/shared"},
            {"name": "out", "kind": "bucket", "mount": "/out"},
        ],
    },
    "gcp": {
        **_COMMON,
        "location": {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-b"},
        "node_pools": [
            {"name": "train", "instance_type": "a3-megagpu-8g", "count": 2, "capacity": {"type": "spot"}},
            {"name": "side", "instance_type": "g2-standard-8", "count": {"min": 0, "max": 4, "initial": 1}},
        ],
        "storage": [
            {
                "name": "scratch",
                "kind": "lustre",
                "size_gib": 36000,
                "throughput_mbps_per_tib": 500,
                "mount": "/scratch",
            },
            {"name": "home", "kind": "nfs", "size_gib": 2560, "mount": "/shared"},
            {"name": "out", "kind": "bucket", "mount": "/out"},
        ],
    },
    "azure": {
        **_COMMON,
        "location": {"provider": "azure", "region": "eastus", "zone": "1"},
        "node_pools": [
            {"name": "train", "instance_type": "Standard_ND96isr_H100_v5", "count": 2},
            {
                "name": "side",
                "instance_type": "Standard_NC24ads_A100_v4",
                "count": {"min": 0, "max": 4, "initial": 1},
            },
        ],
        "storage": [
            {
                "name": "scratch",
                "kind": "lustre",
                "size_gib": 16384,
                "throughput_mbps_per_tib": 250,
                "mount": "/scratch",
            },
            {"name": "home", "kind": "nfs", "size_gib": 4096, "mount": "/shared"},
            {"name": "out", "kind": "bucket", "mount": "/out"},
        ],
    },
}

_SMALL = By(
    aws={"name": "train", "instance_type": "g6.12xlarge", "count": 1},
    gcp={"name": "train", "instance_type": "g2-standard-8", "count": 1},
    azure={"name": "train", "instance_type": "Standard_NC4as_T4_v3", "count": 1},
)
"""A pool of a small machine that many places have."""
_SMALL_ONLY = By({c: {"node_pools": [pool]} for c, pool in _SMALL.items()})
_A100 = By(
    aws={"name": "train", "instance_type": "p4d.24xlarge", "count": 1},
    gcp={"name": "train", "instance_type": "a2-highgpu-8g", "count": 1},
    azure={"name": "train", "instance_type": "Standard_NC24ads_A100_v4", "count": 1},
)


def _beside(pools: Mapping[str, Any], **more: Any) -> By:
    """The first pool is another one."""
    return By({c: {"node_pools[0]": pool, **more} for c, pool in pools.items()})


_NETS = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/net/providers/Microsoft.Network/virtualNetworks"
)
_EXISTING = By(
    aws={"network": "vpc-0a1b2c3d4e5f60718", "subnet": "subnet-0f1e2d3c4b5a69788"},
    gcp={"network": "research", "subnet": "gpu"},
    azure={"network": f"{_NETS}/research", "subnet": f"{_NETS}/research/subnets/gpu"},
)
_IN_EXISTING = By(
    {c: {"network": {"existing": e, "ssh_keys": [_KEY]}, "storage": [], "job": ABSENT} for c, e in _EXISTING.items()}
)
_AML = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/r/providers/Microsoft.StorageCache/amlFilesystems"
_STORED = By(aws="fs-0123456789abcdef0", gcp="scratch-one", azure=f"{_AML}/one")
_RESERVED = By(
    aws="cr-0ddd3333eeee4444f",
    gcp="projects/shared/reservations/res-h",
    azure="/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/g",
)
_RESERVED_2 = By(
    aws="cr-0ddd3333eeee44440",
    gcp="projects/shared/reservations/res-i",
    azure="/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/h",
)
_WINDOW = By(
    aws={
        "type": "capacity_block",
        "id": "cr-0aaa1111bbbb2222c",
        "starts": "2026-12-01T11:30:00Z",
        "ends": "2026-12-08T11:30:00Z",
    },
    gcp={
        "type": "reservation",
        "id": "projects/shared/reservations/res-h",
        "starts": "2026-12-01T00:00:00Z",
        "ends": "2027-01-10T00:00:00Z",
    },
)
_IN_WINDOW = By({c: {"node_pools[0].capacity": w, "shutdown.lease": "150h"} for c, w in _WINDOW.items()})
_FLEX = By(
    gcp={
        "node_pools[0]": {
            "name": "train",
            "instance_type": "a4-highgpu-8g",
            "count": 2,
            "capacity": {"type": "flex_start", "duration": "72h"},
        },
        "shutdown.lease": "150h",
    }
)
_WAIVER = {"code": "GI2253", "reason": "known", "expires": "2027-01-10"}
_WAIVED = {"waivers": [_WAIVER]}

CASES: tuple[Case, ...] = (
    Case("name", "lab2"),
    Case("workload", "simulation"),
    Case(
        "location.region",
        By(aws="us-west-2", gcp="us-east4", azure="westus2"),
        base=By(
            {
                c: {
                    **b,
                    "location.zone": ABSENT,
                    "storage[0]": {"name": "out", "kind": "bucket", "mount": "/scratch"},
                    "storage[2]": ABSENT,
                }
                for c, b in _SMALL_ONLY.items()
            }
        ),
    ),
    Case("location.zone", By(aws="use2-az2", gcp="us-central1-a", azure="2"), base=_SMALL_ONLY),
    Case(
        "location.deployer_roles",
        By(aws=["a", "b"]),
        base={"location.deployer_roles": ["a"], "budget.on_limit": "deny"},
    ),
    Case("location.activate_cost_tag", By(aws=True)),
    Case("location.project", By(gcp="acme-two")),
    Case("location.resource_group", By(azure="rg-two"), base={"location.resource_group": "rg-one"}),
    Case("location.existing_resource_group", By(azure=True), base={"location.resource_group": "rg-one"}),
    Case("location.bastion", By(azure=True)),
    Case(
        "location.container_registry",
        By(
            azure="/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/registries/providers/Microsoft.ContainerRegistry/registries/acmeimages"
        ),
    ),
    Case("network.cidr", "10.60.0.0/16"),
    Case("network.existing", _EXISTING, base={"storage": [], "job": ABSENT, "network": {"ssh_keys": [_KEY]}}),
    Case(
        "network.existing.network",
        By(
            aws={"network": "vpc-0a1b2c3d4e5f60700", "subnet": "subnet-0f1e2d3c4b5a69700"},
            gcp={"network": "other", "subnet": "gpu2"},
            azure={"network": f"{_NETS}/other", "subnet": f"{_NETS}/other/subnets/gpu"},
        ),
        "with its subnet",
        at="network.existing",
        base=_IN_EXISTING,
    ),
    Case(
        "network.existing.subnet",
        By(aws="subnet-0f1e2d3c4b5a69700", gcp="other", azure=f"{_NETS}/research/subnets/other"),
        base=_IN_EXISTING,
    ),
    Case("network.public_nodes", True, base=_SMALL_ONLY),
    Case("network.ssh_from", ["203.0.113.0/24"]),
    Case("network.ssh_keys", [_KEY, _KEY_2]),
    Case(
        "node_pools", By({c: {**pool, "name": "third"} for c, pool in _SMALL.items()}), "one more", at="node_pools[2]"
    ),
    Case("node_pools", ABSENT, "one fewer", at="node_pools[1]"),
    Case("node_pools[].name", "side2", at="node_pools[1].name"),
    Case(
        "node_pools[].instance_type",
        By(aws="g6e.24xlarge", gcp="g2-standard-12", azure="Standard_NC48ads_A100_v4"),
        at="node_pools[1].instance_type",
    ),
    Case(
        "node_pools[].accelerator",
        {"model": "L4", "count": 1},
        "instead of the type",
        at="node_pools[0].accelerator",
        base=By(
            aws={"node_pools[0]": {"name": "train", "accelerator": {"model": "T4", "count": 1}}},
            gcp={"node_pools[0]": {"name": "train", "accelerator": {"model": "T4", "count": 1}}},
        ),
    ),
    Case(
        "node_pools[].accelerator.model",
        By(aws="L4", gcp="L4", azure="T4"),
        base=By(
            aws={"node_pools[0]": {"name": "train", "accelerator": {"model": "T4"}}},
            gcp={"node_pools[0]": {"name": "train", "accelerator": {"model": "T4"}}},
            azure={"node_pools[0]": {"name": "train", "accelerator": {"model": "A10"}}},
        ),
    ),
    Case(
        "node_pools[].accelerator.count",
        By(aws=4, gcp=2, azure=2),
        base=By(
            aws={"node_pools[0]": {"name": "train", "accelerator": {"model": "L4", "count": 1}}},
            gcp={"node_pools[0]": {"name": "train", "accelerator": {"model": "T4", "count": 1}}},
            azure={"node_pools[0]": {"name": "train", "accelerator": {"model": "A10", "count": 1}}},
        ),
    ),
    Case(
        "node_pools[].accelerator.memory_gib",
        80,
        base=By(
            {
                c: {
                    "location": place,
                    "storage": [{"name": "out", "kind": "bucket", "mount": "/scratch"}],
                    "node_pools": [{"name": "train", "accelerator": {"model": "A100", "count": 8, "memory_gib": 40}}],
                }
                for c, place in (
                    ("aws", {"provider": "aws", "region": "us-east-1", "zone": "use1-az4"}),
                    ("gcp", {**BASES["gcp"]["location"], "zone": "us-central1-c"}),
                )
            }
        ),
    ),
    Case("node_pools[].count", By(aws=5, gcp=3, azure=3)),
    Case("node_pools[].count", 40, "many more"),
    Case("node_pools[].count.min", 1, at="node_pools[1].count.min", base={"shutdown.idle_after": ABSENT}),
    Case("node_pools[].count.max", 6, at="node_pools[1].count.max"),
    Case("node_pools[].count.initial", 2, at="node_pools[1].count.initial"),
    Case("node_pools[].capacity", {"type": "spot"}, at="node_pools[1].capacity"),
    Case(
        "node_pools[].capacity.type",
        "spot",
        at="node_pools[1].capacity.type",
        base={"node_pools[1].capacity": {"type": "on_demand"}},
    ),
    Case(
        "node_pools[].capacity.type",
        "flex_start",
        "to flex-start",
        base=By(gcp={"node_pools[0].capacity": {"type": "spot", "duration": "24h"}}),
    ),
    Case(
        "node_pools[].capacity.id",
        _RESERVED_2,
        base=By(
            {
                c: {
                    "node_pools[0].capacity": {"type": "reservation", "id": i},
                    **(
                        {
                            "node_pools[0].fabric": "none",
                            "node_pools[0].instance_type": "Standard_NC4as_T4_v3",
                            "node_pools[0].proximity": "none",
                        }
                        if c == "azure"
                        else {}
                    ),
                }
                for c, i in _RESERVED.items()
            }
        ),
    ),
    Case("node_pools[].capacity.starts", By(aws="2026-12-02T11:30:00Z", gcp="2026-12-02T00:00:00Z"), base=_IN_WINDOW),
    Case("node_pools[].capacity.ends", By(aws="2026-12-15T11:30:00Z", gcp="2027-01-12T00:00:00Z"), base=_IN_WINDOW),
    Case("node_pools[].capacity.duration", By(gcp="96h"), base=_FLEX),
    Case("node_pools[].fabric", "none"),
    Case("node_pools[].proximity", "none"),
    Case("node_pools[].mig", By(aws="1g.5gb", gcp="1g.5gb", azure="1g.10gb"), base=_beside(_A100, job=ABSENT)),
    Case("node_pools[].local_nvme", "separate"),
    Case(
        "node_pools[].public_ip",
        True,
        at="node_pools[1].public_ip",
        base=By({c: {"node_pools[1]": {**p, "name": "side"}} for c, p in _SMALL.items()}),
    ),
    Case("storage", {"name": "more", "kind": "bucket", "mount": "/more"}, "one more", at="storage[3]"),
    Case(
        "storage",
        By(
            aws={"name": "home", "kind": "nfs", "mount": "/shared"},
            gcp={"name": "home", "kind": "nfs", "size_gib": 2560, "mount": "/shared"},
            azure={"name": "home", "kind": "nfs", "size_gib": 4096, "mount": "/shared"},
        ),
        "the first file system",
        at="storage[1]",
        base={"storage": [{"name": "out", "kind": "bucket", "mount": "/scratch"}]},
    ),
    Case("storage", ABSENT, "one fewer", at="storage[1]"),
    Case("storage[].name", "scratch2"),
    Case(
        "storage[].kind",
        By(
            aws={"name": "home", "kind": "bucket", "mount": "/shared"},
            gcp={"name": "home", "kind": "bucket", "mount": "/shared"},
            azure={"name": "home", "kind": "bucket", "mount": "/shared"},
        ),
        "and what is of the kind",
        at="storage[1]",
    ),
    Case("storage[].size_gib", By(aws=12000, gcp=54000, azure=24576), "larger, Lustre"),
    Case("storage[].size_gib", By(aws=7200, gcp=18000, azure=8192), "smaller, Lustre"),
    Case("storage[].size_gib", By(gcp=5120, azure=8192), "larger, NFS", at="storage[1].size_gib"),
    Case("storage[].size_gib", By(gcp=1024, azure=2048), "smaller, NFS", at="storage[1].size_gib"),
    Case("storage[].throughput_mbps_per_tib", By(aws=1000, gcp=1000, azure=500)),
    Case("storage[].mount", "/fast", at="storage[1].mount"),
    Case(
        "storage[].existing",
        By(aws="fs-0123456789abcdef1", gcp="scratch-two", azure=f"{_AML}/two"),
        base=By(
            {
                c: {"storage[0]": {"name": "scratch", "kind": "lustre", "existing": e, "mount": "/scratch"}}
                for c, e in _STORED.items()
            }
        ),
    ),
    Case(
        "storage[].import_from",
        By(aws="s3://acme/b", gcp="gs://acme/b"),
        base=By(
            aws={"storage[0].import_from": "s3://acme/a"},
            gcp={"storage[0].import_from": "gs://acme/a"},
        ),
    ),
    Case(
        "storage[].zone",
        By(aws="use2-az2", gcp="us-central1-c", azure="2"),
        base={"storage[0].zone": By(aws="use2-az1", gcp="us-central1-b", azure="1")},
    ),
    Case("image.container", "nvcr.io/nvidia/pytorch:25.04-py3"),
    Case(
        "image.node",
        By(
            aws="ami-0123456789abcdef1",
            gcp="projects/acme-lab/global/images/gpu-v20261102",
            azure="microsoft-dsvm:ubuntu-hpc:2404:24.04.2025072301",
        ),
        base={
            "image.node": By(
                aws="ami-0123456789abcdef0",
                gcp="projects/acme-lab/global/images/gpu-v20261101",
                azure="microsoft-dsvm:ubuntu-hpc:2204:22.04.2025060501",
            )
        },
    ),
    Case(
        "image.node",
        By(azure="canonical:ubuntu-24_04-lts:server:24.04.202509030"),
        "of another publisher",
        base={"image.node": "microsoft-dsvm:ubuntu-hpc:2204:22.04.2025060501"},
    ),
    Case("job", ABSENT),
    Case("job.command", ["python", "other.py"]),
    Case("job.launcher", "mpi"),
    Case("job.pools", ["side"]),
    Case("job.checkpoint", ABSENT),
    Case("job.checkpoint.path", "/scratch/other"),
    Case("job.checkpoint.size_gib", 200),
    Case("job.checkpoint.every", "45m"),
    Case("job.checkpoint.on_notice", "SIGUSR1"),
    Case("budget", ABSENT),
    Case("budget.per_month_usd", 400000),
    Case("budget.per_run_usd", 500000),
    Case("budget.per_hour_usd", 5000),
    Case("budget.start", "2027-01-01", base={"budget.start": "2026-12-01", "shutdown.lease": "1200h"}),
    Case("budget.alerts_percent", [50, 90]),
    Case("budget.contacts", ["ml@example.com", "ops@example.com"]),
    Case("budget.on_limit", "notify"),
    Case("shutdown.idle_after", "60m"),
    Case("shutdown.lease", "96h"),
    Case("shutdown.stop_at", ABSENT),
    Case("shutdown.stop_at.cron", "0 21 * * 5"),
    Case("shutdown.stop_at.timezone", "Europe/Paris"),
    Case("labels", {"team": "cv"}),
    Case("waivers", [_WAIVER]),
    Case("waivers[].code", "GI2238", base=_WAIVED),
    Case("waivers[].path", "node_pools[0]", base=_WAIVED),
    Case("waivers[].urn", "urn:pulumi:dev::p::t::n", base=_WAIVED),
    Case("waivers[].reason", "still known", base=_WAIVED),
    Case("waivers[].expires", "2027-01-11", base=_WAIVED),
)

UNCHANGEABLE = {
    "api_version": "has one word",
    "location": "is its parts",
    "location.provider": "changes every other key: `gpuinfra move`",
    "network": "is its parts",
    "image": "is its parts",
    "shutdown": "is its parts",
    "scheduler": "has one word that is built",
}
"""Fields that nobody can change alone."""
