"""Two A100 nodes on spot for fine-tuning."""

import pulumi

from gpuinfra import GpuCluster

cluster = GpuCluster("a100-spot", "cluster.yaml")

pulumi.export("connect", cluster.connect)
pulumi.export("mounts", cluster.mounts)
pulumi.export("lease_end", cluster.lease_end)
pulumi.export("usd_per_hour", cluster.usd_per_hour)
