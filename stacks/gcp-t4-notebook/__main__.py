"""One T4 on an N1 machine of Google Cloud, for a notebook."""

import pulumi

from gpuinfra import GpuCluster

# The stack's name is part of the cluster's, so that two stacks in one project stay apart.
cluster = GpuCluster(f"t4-notebook-{pulumi.get_stack()}", "cluster.yaml")

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
