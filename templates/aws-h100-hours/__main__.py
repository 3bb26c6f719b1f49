"""Eight H100 for a few hours, then gone."""

import pulumi

from gpuinfra import GpuCluster

cluster = GpuCluster("h100-hours", "cluster.yaml")

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
