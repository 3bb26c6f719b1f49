"""Eight H100 on Google Cloud for a few hours, then gone."""

from pathlib import Path

import pulumi
import yaml

from gpuinfra import GpuCluster

# What `pulumi new` asked for wins over the file. The stack's name is part of the cluster's: two stacks stay apart.
spec = yaml.safe_load(Path("cluster.yaml").read_text())
asked = {key: pulumi.Config("gcp").get(key) for key in ("project", "region")}
spec["location"].update({key: value for key, value in asked.items() if value})
cluster = GpuCluster(f"{pulumi.get_project()}-{pulumi.get_stack()}", spec)

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
