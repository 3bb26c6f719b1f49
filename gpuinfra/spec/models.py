"""The spec: what a person writes about a cluster, in words that belong to no cloud.

Field names are the contract (`api_version`). A value here may still be left to decide (`auto`); a plan has nothing left.
Descriptions and examples are the source of the reference and of the JSON schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, StrictInt, model_validator

from ..vocabulary import Launcher, OnLimit, Scheduler, StorageKind, Workload
from .base import Argument, Day, Duration, Lease, ListedNumber, Number, PublicKey, SizeGib, SpecModel, Text, bad
from .locations import AwsLocation, AzureLocation, GcpLocation, Location
from .pools import AcceleratorRequest, Capacity, CountRange, Name, NodePool

__all__ = [
    "API_VERSION",
    "AcceleratorRequest",
    "AwsLocation",
    "AzureLocation",
    "Budget",
    "Capacity",
    "Checkpoint",
    "ClusterSpec",
    "CountRange",
    "ExistingNetwork",
    "GcpLocation",
    "Image",
    "Job",
    "Name",
    "Network",
    "NodePool",
    "Shutdown",
    "StopAt",
    "Storage",
    "Waiver",
]

API_VERSION = "gpuinfra/v1"

Usd = Annotated[Number, Field(gt=0, le=1e9)]
"""An amount in USD, more than nothing."""

_NETWORK_OUTPUT = "give it to GpuCluster(..., network=ExistingNetwork(...)), which takes Outputs"


class ExistingNetwork(SpecModel):
    """A network that is there already, by ids in the cloud's own form."""

    output_alternatives: ClassVar[Mapping[str, str]] = dict.fromkeys(("", "network", "subnet"), _NETWORK_OUTPUT)

    network: str = Field(
        min_length=1,
        description="Id of the network in the cloud's own form: vpc-…, a path projects/…/networks/…, or an ARM id.",
        examples=["vpc-0a1b2c3d4e5f60718"],
    )
    subnet: str = Field(
        min_length=1,
        description="Id of the subnet in the cloud's own form. Every node and every mount target stands in it.",
        examples=["subnet-0f1e2d3c4b5a69788"],
    )


class Network(SpecModel):
    """The network of the nodes: a new one, or one that is there."""

    output_alternatives: ClassVar[Mapping[str, str]] = dict.fromkeys(("", "existing"), _NETWORK_OUTPUT)

    cidr: str | None = Field(
        default=None,
        min_length=1,
        description="Private IPv4 range of a new network. Left out: 10.40.0.0/16. Not together with `existing`.",
        examples=["10.40.0.0/16"],
    )
    existing: ExistingNetwork | None = Field(
        default=None,
        description="Use this network and subnet instead of a new network.",
        examples=[{"network": "vpc-0a1b2c3d4e5f60718", "subnet": "subnet-0f1e2d3c4b5a69788"}],
    )
    public_nodes: StrictBool = Field(
        default=False,
        description="Give nodes public addresses. Nodes are private by default and reach out through NAT.",
    )
    ssh_from: tuple[Text, ...] = Field(
        default=(),
        description="Address ranges (CIDRs) from which SSH is let in. None by default.",
        examples=[["203.0.113.0/24"]],
    )
    ssh_keys: tuple[PublicKey, ...] = Field(
        default=(),
        description="SSH public keys for the login user, one line each; ed25519 is best. Never a private key.",
        examples=[["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA… me@example.com"]],
    )


class Storage(SpecModel):
    """Shared storage, mounted on every node."""

    name: Name = Field(description="Name, unique in the cluster.", examples=["scratch"])
    kind: StorageKind = Field(
        description="lustre (fast, for training data), nfs (home directories), or bucket (objects)."
    )
    size_gib: SizeGib | None = Field(
        default=None,
        description="Size: a number of GiB, or text with a unit. Refused, not rounded, where the service sells other steps.",
    )
    throughput_mbps_per_tib: StrictInt | None = Field(
        default=None, gt=0, le=100_000, description="Lustre: MB/s for each TiB of size.", examples=[125, 500]
    )
    mount: str = Field(
        min_length=1, max_length=255, description="Absolute directory at which nodes see it.", examples=["/scratch"]
    )
    existing: str | None = Field(
        default=None,
        min_length=1,
        description="Use this file system or bucket instead of a new one, by id or URL.",
        examples=["s3://acme-data", "fs-0a1b2c3d4e5f60718"],
    )
    import_from: str | None = Field(
        default=None,
        min_length=1,
        description="Lustre: bucket, with an optional prefix, whose files it shows.",
        examples=["s3://acme-data/tokens"],
    )
    zone: str | None = Field(
        default=None, min_length=1, description="Zone, only where it is not the nodes'. Slower, and traffic may cost.",
        examples=["use2-az2", "1"],
    )  # fmt: skip


class Image(SpecModel):
    """What the nodes boot and what runs on them."""

    container: str | None = Field(
        default=None,
        min_length=1,
        description="Container image, by tag or digest. Its CUDA is checked against GPU and driver.",
        examples=["nvcr.io/nvidia/pytorch:25.08-py3"],
    )
    node: str = Field(
        default="auto",
        min_length=1,
        description="Node image: auto, an image id, a family, a URN, or a parameter path.",
        examples=["auto", "ami-0a1b2c3d4e5f60718"],
    )


class Checkpoint(SpecModel):
    """Where a job saves its state, and when."""

    path: str = Field(min_length=1, description="Directory, on shared storage.", examples=["/scratch/ckpt"])
    size_gib: SizeGib | None = Field(
        default=None, description="Size of one checkpoint: a number of GiB, or text with a unit."
    )
    every: Duration | None = Field(default=None, description="Interval between checkpoints.", examples=["30m"])
    on_notice: str | None = Field(
        default=None, min_length=1, description="Signal sent to the job when the cloud says it takes the node back.",
        examples=["SIGTERM"],
    )  # fmt: skip


class Job(SpecModel):
    """What runs on the nodes."""

    command: tuple[Argument, ...] = Field(
        default=(),
        description="The program and its arguments, one list entry each; no shell reads it.",
        examples=[["python", "train.py", "--steps", "20000"]],
    )
    launcher: Launcher = Field(default=Launcher.NONE, description="What starts one process per GPU on every node.")
    pools: tuple[Text, ...] = Field(
        default=(), description="Names of the pools the job spans. Left out: every pool with GPUs.", examples=[["gpu"]]
    )
    checkpoint: Checkpoint | None = Field(
        default=None,
        description="Where and when the job saves its state.",
        examples=[{"path": "/scratch/ckpt", "every": "30m"}],
    )


class Budget(SpecModel):
    """What may be spent, and what happens then. At least one amount."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": [name]} for name in ("per_month_usd", "per_run_usd", "per_hour_usd")]}
    )

    per_month_usd: Usd | None = Field(
        default=None, description="Most that a calendar month may cost, USD.", examples=[50000]
    )
    per_run_usd: Usd | None = Field(
        default=None,
        description="Most that one run may cost, from the first `up` to the end of the lease, USD.",
        examples=[20000],
    )
    per_hour_usd: Usd | None = Field(
        default=None, description="Most that the whole cluster may cost an hour, USD.", examples=[300]
    )
    start: Day | None = Field(
        default=None, description="First day of the cloud's budget. Left out: the cloud's own default."
    )
    alerts_percent: tuple[ListedNumber, ...] = Field(
        default=(50, 80, 100), description="Alert levels, in per cent of the monthly budget.", examples=[[50, 80, 100]]
    )
    contacts: tuple[Text, ...] = Field(
        default=(), description="E-mail addresses that alerts go to.", examples=[["ml-platform@example.com"]]
    )
    on_limit: OnLimit = Field(
        default=OnLimit.NOTIFY,
        description="When the monthly budget is spent. notify: mail; stop: the node groups go to zero, and the roles that "
        "are named as deployers are denied new nodes; deny: the same, and such roles must be named. Spend data of the "
        "clouds lags 8 to 24 hours.",
    )

    @model_validator(mode="after")
    def _says_something(self) -> Budget:
        if self.per_month_usd is None and self.per_run_usd is None and self.per_hour_usd is None:
            raise bad(
                "empty_budget",
                "a budget without an amount limits nothing",
                "give per_month_usd, per_run_usd or per_hour_usd, or leave the budget out",
            )
        return self


class StopAt(SpecModel):
    """A time of day at which the nodes stop."""

    cron: str = Field(
        min_length=1, description="When, in five fields: minute hour day month weekday.", examples=["0 20 * * 1-5"]
    )
    timezone: str = Field(min_length=1, description="IANA name of the timezone of `cron`.", examples=["Europe/Berlin"])


class Shutdown(SpecModel):
    """When the cluster ends."""

    idle_after: Duration | None = Field(
        default=None, description="A node without GPU work for this long is scaled away.", examples=["30m"]
    )
    lease: Lease | None = Field(
        default=None,
        description=(
            "How long the cluster lives, counted from its first `up` and then kept, or the moment of its end with its "
            "offset. Ended from outside the nodes."
        ),
    )
    stop_at: StopAt | None = Field(
        default=None, description="A recurring stop.", examples=[{"cron": "0 20 * * 1-5", "timezone": "Europe/Berlin"}]
    )


class Waiver(SpecModel):
    """A finding that is known and accepted for a while."""

    multi_line: ClassVar[frozenset[str]] = frozenset({"reason"})

    code: str = Field(pattern=r"^GI[0-9]{4}$", description="Code of the finding.", examples=["GI2201"])
    path: str | None = Field(
        default=None,
        min_length=1,
        description="Where in the spec; a prefix covers all below it.",
        examples=["node_pools[0]"],
    )
    urn: str | None = Field(
        default=None, min_length=1, description="Which resource, by its URN.",
        examples=["urn:pulumi:prod::llama::aws:ec2/launchTemplate:LaunchTemplate::gpu"],
    )  # fmt: skip
    reason: str = Field(
        min_length=1, pattern=r"\S", description="Why it is accepted.", examples=["paid by the vendor until March"]
    )
    expires: Day = Field(description="Last day of the waiver; after it the finding counts again.")


def _labels(labels: dict[str, str]) -> dict[str, str]:
    if not all(key.strip() for key in labels):
        raise bad("label", "a label needs a name", "name it, as team: nlp")
    return labels


class ClusterSpec(SpecModel):
    """One GPU cluster."""

    output_alternatives: ClassVar[Mapping[str, str]] = {"network": _NETWORK_OUTPUT}

    api_version: Literal["gpuinfra/v1"] = Field(
        default=API_VERSION, description="Version of this form.", examples=[API_VERSION]
    )
    name: Name = Field(description="Name of the cluster; every resource is named after it.", examples=["llama-70b"])
    workload: Workload = Field(default=Workload.TRAINING, description="What it is for: chooses checks and defaults.")
    location: Location = Field(
        description="The cloud and where in it the cluster stands. `provider` chooses the other keys.",
        examples=[
            {"provider": "aws", "region": "us-east-2", "zone": "use2-az1"},
            {"provider": "gcp", "project": "acme-lab", "region": "us-central1", "zone": "us-central1-b"},
            {"provider": "azure", "region": "eastus", "zone": "1", "resource_group": "rg-llama"},
        ],
    )
    network: Network = Field(
        default_factory=Network.model_construct,
        description="The network. Left out: a new private one.",
        examples=[{"cidr": "10.40.0.0/16", "public_nodes": False}],
    )
    node_pools: tuple[NodePool, ...] = Field(
        min_length=1,
        max_length=1000,
        description="The nodes, in pools of like ones.",
        examples=[[{"name": "gpu", "instance_type": "p5.48xlarge", "count": 4}]],
    )
    storage: tuple[Storage, ...] = Field(
        default=(),
        max_length=100,
        description="Shared storage.",
        examples=[[{"name": "scratch", "kind": "lustre", "size_gib": 9600, "mount": "/scratch"}]],
    )
    image: Image = Field(
        default_factory=Image.model_construct,
        description="Node and container image. Left out: chosen to fit the GPUs.",
        examples=[{"container": "nvcr.io/nvidia/pytorch:25.08-py3", "node": "auto"}],
    )
    job: Job | None = Field(
        default=None,
        description="What runs on the nodes.",
        examples=[{"command": ["python", "train.py"], "launcher": "torchrun"}],
    )
    scheduler: Scheduler = Field(default=Scheduler.NONE, description="What hands jobs to nodes. Only none is built.")
    budget: Budget | None = Field(
        default=None, description="Money: limits, alerts and what happens at the limit.",
        examples=[{"per_month_usd": 50000, "per_run_usd": 20000, "contacts": ["ml-platform@example.com"]}],
    )  # fmt: skip
    shutdown: Shutdown | None = Field(
        default=None, description="When the cluster ends.", examples=[{"idle_after": "30m", "lease": "72h"}]
    )
    labels: Annotated[dict[Text, Text], AfterValidator(_labels)] = Field(
        default={}, description="Labels (tags) on every resource: text to text; quote numbers.",
        examples=[{"team": "nlp", "cost_center": "1234"}],
    )  # fmt: skip
    waivers: tuple[Waiver, ...] = Field(
        default=(),
        description="Findings that are accepted for a while.",
        examples=[[{"code": "GI2201", "reason": "demo until Friday", "expires": "2026-12-05"}]],
    )
