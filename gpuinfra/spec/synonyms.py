"""What other tools, and the clouds' own consoles, call the keys and words of a spec."""

from __future__ import annotations

OTHER_KEYS: dict[str, str] = {
    # Location.
    "cloud": "provider",
    "platform": "provider",
    "location": "region",
    "datacenter": "region",
    "availability_zone": "zone",
    "az": "zone",
    "project_id": "project",
    "rg": "resource_group",
    "resource_group_name": "resource_group",
    "roles": "deployer_roles",
    # Network.
    "cidr_block": "cidr",
    "address_space": "cidr",
    "vpc": "network existing",
    "vpc_id": "network existing",
    "vnet": "network existing",
    "network_id": "network existing",
    "subnet_id": "subnet",
    "public_ips": "public_nodes public_ip",
    "ssh_key": "ssh_keys",
    "public_keys": "ssh_keys",
    "allowed_cidrs": "ssh_from",
    # Pools. A name that stands in several models fits the one whose mapping it is in.
    "node_groups": "node_pools",
    "nodegroups": "node_pools",
    "pools": "node_pools",
    "machine_type": "instance_type",
    "vm_size": "instance_type",
    "vm_type": "instance_type",
    "sku": "instance_type",
    "shape": "instance_type",
    "flavor": "instance_type",
    "machine": "instance_type",
    "instance": "instance_type",
    "type": "model kind instance_type",
    "name": "model container",
    "kind": "model type",
    "gpu": "accelerator model",
    "gpu_type": "accelerator model",
    "gpu_model": "accelerator model",
    "gpus": "accelerator count",
    "gpu_count": "accelerator count",
    "num_gpus": "accelerator count",
    "gpus_per_node": "accelerator count",
    "accelerators": "accelerator",
    "number": "count",
    "quantity": "count",
    "replicas": "count",
    "nodes": "count",
    "num_nodes": "count",
    "node_count": "count",
    "memory": "memory_gib",
    "memory_gb": "memory_gib",
    "vram": "memory_gib",
    "minimum": "min",
    "min_size": "min",
    "min_nodes": "min",
    "min_count": "min",
    "maximum": "max",
    "max_size": "max",
    "max_nodes": "max",
    "max_count": "max",
    "desired": "initial",
    "desired_size": "initial",
    "capacity_type": "type",
    "market": "type",
    "lifecycle": "type",
    "reservation": "id",
    "reservation_id": "id",
    "capacity_reservation_id": "id",
    "max_run_duration": "duration",
    "start": "starts",
    "end": "ends",
    "placement": "proximity",
    "placement_group": "proximity",
    "interconnect": "fabric",
    "efa": "fabric",
    "infiniband": "fabric",
    "mig_profile": "mig",
    "local_ssd": "local_nvme",
    "nvme": "local_nvme",
    # Storage, image, job.
    "filesystems": "storage",
    "file_systems": "storage",
    "volumes": "storage",
    "size": "size_gib count",
    "size_gb": "size_gib",
    "capacity": "size_gib",
    "capacity_gib": "size_gib",
    "throughput": "throughput_mbps_per_tib",
    "path": "mount",
    "mount_path": "mount",
    "mount_point": "mount",
    "mountpoint": "mount",
    "bucket": "existing",
    "image": "container",
    "docker_image": "container",
    "ami": "node",
    "image_id": "node",
    "vm_image": "node",
    "cmd": "command",
    "run": "command",
    "args": "command",
    "entrypoint": "command",
    "dir": "path",
    "directory": "path",
    "interval": "every",
    "frequency": "every",
    "signal": "on_notice",
    # Money and time.
    "limit": "per_month_usd per_run_usd per_hour_usd",
    "limit_usd": "per_month_usd per_run_usd per_hour_usd",
    "amount": "per_month_usd per_run_usd per_hour_usd",
    "amount_usd": "per_month_usd per_run_usd per_hour_usd",
    "max_usd": "per_month_usd per_run_usd per_hour_usd",
    "usd": "per_month_usd per_run_usd per_hour_usd",
    "cap": "per_month_usd per_run_usd per_hour_usd",
    "max_cost": "per_month_usd per_run_usd per_hour_usd",
    "monthly": "per_month_usd",
    "monthly_usd": "per_month_usd",
    "monthly_limit": "per_month_usd",
    "per_month": "per_month_usd",
    "hourly": "per_hour_usd",
    "hourly_usd": "per_hour_usd",
    "per_hour": "per_hour_usd",
    "per_run": "per_run_usd",
    "alerts": "alerts_percent",
    "thresholds": "alerts_percent",
    "emails": "contacts",
    "email": "contacts",
    "action": "on_limit",
    "ttl": "lease",
    "max_duration": "lease",
    "deadline": "lease",
    "idle": "idle_after",
    "idle_timeout": "idle_after",
    "idle_minutes": "idle_after",
    "autostop": "idle_after",
    "schedule": "cron stop_at",
    "tz": "timezone",
    "time_zone": "timezone",
    "tags": "labels",
    "rule": "code",
    "until": "expires",
    "why": "reason",
}
"""Key by what else it is called, in lower case with underscores. Of several keys those of the same mapping are meant."""

WHOLE_ENTRIES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("spot", "use_spot", "preemptible"), ("capacity", "capacity: {type: spot}")),
    **dict.fromkeys(("autoscaling", "autoscale"), ("count", "count: {min: 0, max: 8}")),
}
"""What a key of other tools becomes here where a mapping is wanted: the key it stands for, and the entry to write."""

_SUBSCRIPTION = "the subscription is the login's: az account set, or pulumi config set azure-native:subscriptionId"
_ACCOUNT = "the account is the login's: pulumi config set aws:profile, or a provider of its own in the program"
_BILLING = "who pays for API calls is a setting: pulumi config set gcp:billingProject"
NOT_OF_THE_SPEC: dict[str, str] = {
    **dict.fromkeys(("subscription", "subscription_id", "tenant", "tenant_id"), _SUBSCRIPTION),
    **dict.fromkeys(("account", "account_id", "profile", "aws_profile"), _ACCOUNT),
    **dict.fromkeys(("billing_project", "quota_project", "user_project_override"), _BILLING),
    "billing_account": "the billing account is read from the project",
    **dict.fromkeys(
        ("credentials", "access_key", "secret_key", "service_account_key", "client_secret"),
        "no spec holds credentials: log in with the cloud's own command line",
    ),
}
"""What people look for in a location, and what it is set by: the spec says what is made, and not as whom."""

SUBNET_IDS = frozenset({"subnet", "subnet_id", "subnetwork"})
NETWORK_IDS = SUBNET_IDS | {"vpc", "vpc_id", "vnet", "vnet_id", "network_id", "network"}
"""What names a network that is there by its id alone; here network and subnet stand together in `existing`."""

_VNET = "/subscriptions/…/resourceGroups/rg-net/providers/Microsoft.Network/virtualNetworks/net"
EXISTING_IDS: dict[str, tuple[str, str]] = {
    "aws": ("vpc-0a1b2c3d4e5f60718", "subnet-0f1e2d3c4b5a69788"),
    "gcp": ("projects/acme-lab/global/networks/net", "projects/acme-lab/regions/us-central1/subnetworks/nodes"),
    "azure": (_VNET, f"{_VNET}/subnets/nodes"),
}
"""A network and a subnet in each cloud's own form."""

OTHER_VALUES: dict[str, dict[str, str]] = {
    "kind": {
        **dict.fromkeys(
            ("fsx", "fsxlustre", "fsxforlustre", "managedlustre", "amlfs", "azuremanagedlustre", "parallel", "scratch"),
            "lustre",
        ),
        **dict.fromkeys(
            ("efs", "filestore", "netapp", "anf", "netappfiles", "azurefiles", "nfs3", "nfs4", "home", "files"), "nfs"
        ),
        **dict.fromkeys(
            ("s3", "gcs", "gs", "blob", "blobs", "blobstorage", "object", "objects", "objectstorage", "objectstore",
             "storageaccount", "container", "buckets"),
            "bucket",
        ),
    },
    "type": {
        **dict.fromkeys(("ondemand", "regular", "standard", "default", "dedicated", "normal"), "on_demand"),
        **dict.fromkeys(("preemptible", "preemptive", "lowpriority", "interruptible", "spotvm"), "spot"),
        **dict.fromkeys(("reserved", "odcr", "capacityreservation", "crg", "futurereservation"), "reservation"),
        **dict.fromkeys(("block", "cbml", "capacityblocks", "capacityblockforml"), "capacity_block"),
        **dict.fromkeys(("flex", "dws", "queued", "dynamicworkloadscheduler"), "flex_start"),
    },
    "on_limit": {
        **dict.fromkeys(("alert", "mail", "email", "warn", "none", "nothing"), "notify"),
        **dict.fromkeys(("shutdown", "terminate", "kill", "halt", "destroy", "scaletozero"), "stop"),
        **dict.fromkeys(("block", "forbid", "refuse"), "deny"),
    },
    "workload": {
        **dict.fromkeys(("train", "pretraining", "finetuning", "llm"), "training"),
        **dict.fromkeys(("serving", "serve", "infer"), "inference"),
        **dict.fromkeys(("notebook", "notebooks", "jupyter", "dev", "development"), "interactive"),
        **dict.fromkeys(("hpc", "cfd"), "simulation"),
        **dict.fromkeys(("render", "graphics"), "rendering"),
    },
    "launcher": {
        **dict.fromkeys(("torch", "pytorch", "torchelastic", "distributed"), "torchrun"),
        **dict.fromkeys(("mpirun", "mpiexec", "openmpi"), "mpi"),
        "slurm": "srun",
    },
    "scheduler": dict.fromkeys(("k8s", "kube", "eks", "gke", "aks"), "kubernetes"),
    "fabric": {
        **dict.fromkeys(("efa", "infiniband", "ib", "rdma", "gpudirect", "roce", "on", "yes"), "required"),
        **dict.fromkeys(("off", "no", "disabled"), "none"),
    },
    "local_nvme": {
        **dict.fromkeys(("raid", "stripe", "striped"), "raid0"),
        **dict.fromkeys(("each", "individual", "jbod"), "separate"),
        **dict.fromkeys(("off", "no", "disabled"), "none"),
    },
}  # fmt: skip
"""By field: word by what else it is called, in lower case with letters and digits only."""
