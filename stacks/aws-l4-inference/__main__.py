"""Small L4 nodes that serve a model by day."""

import pulumi

from gpuinfra import GpuCluster

cluster = GpuCluster("l4-inference", "cluster.yaml")

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
