"""Two B300 nodes from a capacity block."""

import pulumi

from gpuinfra import GpuCluster

cluster = GpuCluster("b300-block", "cluster.yaml")

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
