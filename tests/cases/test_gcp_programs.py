"""Two public GKE programs, restated: one whose only pool has GPUs, and a right one whose machines end after a day."""

from __future__ import annotations

from typing import Any

from gpuinfra.diagnostics import Severity

from .gcp_programs import GOOGLE, judge, resource
from .judging import codes, rows, said

SCOPE = ["https://www.googleapis.com/auth/cloud-platform"]
SHIELDED = {"enableSecureBoot": True, "enableIntegrityMonitoring": True}


def one_gpu_pool() -> list[dict[str, Any]]:
    """A regional cluster without its default pool, and a pool of double-L4 machines with Secure Boot."""
    plane = resource(
        "gcp.container.Cluster", "plane", name="expert-mix", location="us-central1", network="default", initialNodeCount=1,
        removeDefaultNodePool=True, minMasterVersion="1.27", deletionProtection=False,
        nodeConfig={"oauthScopes": SCOPE, "shieldedInstanceConfig": SHIELDED},
    )  # fmt: skip
    config = {
        "machineType": "g2-standard-24", "diskSizeGb": 20, "preemptible": False, "oauthScopes": SCOPE,
        "ephemeralStorageLocalSsdConfig": {"localSsdCount": 2},
        "guestAccelerators": [
            {"type": "nvidia-l4", "count": 2, "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"}}
        ],
        "metadata": {"install-nvidia-driver": "True"}, "shieldedInstanceConfig": SHIELDED,
    }  # fmt: skip
    pool = resource(
        "gcp.container.NodePool", "pairs", name="pairs", location="us-central1", nodeLocations=["us-central1-a"],
        cluster="projects/acme-lab-1234/locations/us-central1/clusters/expert-mix", nodeCount=2,
        autoscaling={"minNodeCount": 1, "maxNodeCount": 2}, management={"autoRepair": True, "autoUpgrade": True},
        nodeConfig=config,
    )  # fmt: skip
    return [plane, pool]


def day_pools() -> list[dict[str, Any]]:
    """A private cluster that keeps its default pool, an L4 spot pool and an A100 pool that start empty."""
    account = resource("gcp.serviceaccount.Account", "nodes", accountId="kiln-nodes")
    grant = resource(
        "gcp:projects/iAMMember:IAMMember", "logs", role="roles/logging.logWriter", member="serviceAccount:x"
    )
    net = resource("gcp.compute.Network", "net", name="kiln", autoCreateSubnetworks=True)
    plane = resource(
        "gcp.container.Cluster", "plane", name="kiln", location="us-central1-a", network="kiln", removeDefaultNodePool=False,
        privateClusterConfig={"enablePrivateNodes": True}, nodeConfig={"machineType": "e2-standard-4"},
        releaseChannel={"channel": "UNSPECIFIED"},
    )  # fmt: skip
    pools = [
        resource(
            "gcp.container.NodePool", f"pool-{label}", name=f"kiln-{label}", cluster="kiln", location="us-central1-a",
            initialNodeCount=0, autoscaling={"minNodeCount": 0, "maxNodeCount": 4},
            management={"autoRepair": True, "autoUpgrade": True},
            nodeConfig={
                "machineType": machine, "spot": spot, "maxRunDuration": "86400s", "oauthScopes": SCOPE,
                "serviceAccount": "kiln-nodes@acme-lab-1234.iam.gserviceaccount.com",
                "guestAccelerators": [{"type": gpu, "count": 1}],
            },
        )
        for label, machine, gpu, spot in (
            ("l4", "g2-standard-4", "nvidia-l4", True), ("a100", "a2-highgpu-1g", "nvidia-tesla-a100", False)
        )
    ]  # fmt: skip
    return [account, grant, net, plane, *pools]


def test_a_cluster_whose_only_pool_has_gpus():
    report = judge(*one_gpu_pool())
    assert rows(report, errors=True, cloud=GOOGLE) == {"GKE-06"}
    assert rows(report, cloud=GOOGLE) >= {"GKE-08", "SCH-13", "DSK-07"}
    for code, name, path in (
        ("GI3167", "pairs", "pairs"),
        ("GI3118", "pairs", "pairs.nodeConfig.serviceAccount"),
        ("GI3130", "pairs", "pairs.autoscaling.minNodeCount"),
        ("GI3142", "pairs", "pairs.nodeConfig.diskSizeGb"),
        ("GI3159", "pairs", "pairs.nodeCount"),
    ):
        found = said(report, code)
        assert (found.resource, found.path) == (name, path)
    assert not rows(report, cloud=GOOGLE) & {"ACC-01", "ACC-05", "DSK-02", "DSK-05", "GKE-04", "SCH-02", "IMG-04"}


def test_a_right_cluster_gives_no_error():
    report = judge(*day_pools())
    assert [d for d in report.diagnostics if d.severity is Severity.ERROR] == []
    assert codes(report) == ["GI3117"]
    assert report.undecided == ()
