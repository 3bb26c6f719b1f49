"""Four H100 nodes with EFA and Lustre, for three days."""

import pulumi

from gpuinfra import GpuCluster

cluster = GpuCluster("h100-training", "cluster.yaml")

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
