"""One spec on two clouds: training on AWS, overflow on Google Cloud."""

import pulumi

from gpuinfra import GpuCluster

# One program, two clouds: each cluster takes the default provider of its own cloud, and neither knows of the other.
clusters = {cloud: GpuCluster(f"train-{cloud}-{pulumi.get_stack()}", f"{cloud}.yaml") for cloud in ("aws", "gcp")}

for cloud, cluster in clusters.items():
    pulumi.export(f"{cloud}_connect", cluster.connect)
    pulumi.export(f"{cloud}_mounts", cluster.mounts)
    pulumi.export(f"{cloud}_lease_end", cluster.lease_end)
    pulumi.export(f"{cloud}_usd_per_hour", cluster.usd_per_hour)
