"""A10 nodes on Azure that render frames by day."""

import pulumi

from gpuinfra import GpuCluster

# The stack's name is part of the cluster's, so that two stacks in one subscription stay apart.
cluster = GpuCluster(f"a10-rendering-{pulumi.get_stack()}", "cluster.yaml")

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
