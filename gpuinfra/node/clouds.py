"""What differs between the clouds when a node boots, as one row a cloud."""

from __future__ import annotations

from dataclasses import dataclass

from ..vocabulary import FabricKind, Provider


@dataclass(frozen=True)
class CloudBoot:
    """One cloud. `parts` is the folder of templates that only this cloud needs."""

    provider: Provider
    parts: str
    nvme_models: tuple[str, ...]
    """Model names of drives that belong to the instance; network disks have others."""
    nvme_links: tuple[str, ...]
    """Patterns under /dev/disk/by-id for the same, where the model tells nothing."""
    image_mount: str
    """Where the usual GPU image mounts the drives by itself."""
    image_unit: str
    """The unit that does so; empty where there is none that can be stopped."""
    image_marker: str
    """A path that shows that the image assembles the drives; empty where the unit shows it."""
    nfs_options: tuple[str, ...]
    """Mount options of the cloud's NFS service, the first that works is taken."""
    bucket_pattern: str
    """An existing bucket as people write it: groups `bucket`, and maybe `account` and `prefix`."""
    gzip: bool
    """Whether a compressed document arrives: Google's metadata holds text only."""
    source: str
    driver_by_boot: str = ""
    """Kind of GPU driver that the bundle lays on a stock image: cuda; empty where it lays none."""
    driver_by_cloud: str = ""
    """Kind that the cloud's own agent lays on one, beside the boot: grid; empty where it lays none."""
    driver_log: str = ""
    """What that agent writes."""
    by_object: bool = True
    """The room carries by an object what the cloud does not hand to a node."""
    asks_by_client: bool = False
    """A node asks for tokens by the id of its identity, since a machine may have several."""


CLOUDS = {
    Provider.AWS: CloudBoot(
        provider=Provider.AWS,
        parts="aws",
        nvme_models=("Amazon EC2 NVMe Instance Storage",),
        nvme_links=(),
        image_mount="/opt/dlami/nvme",
        image_unit="dlami-nvme.service",
        image_marker="",
        nfs_options=("nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport,_netdev",),
        bucket_pattern=r"(?:s3://)?(?P<bucket>[a-z0-9.-]{3,63})(?:/(?P<prefix>.*))?",
        gzip=True,
        source="facts aws a5; Amazon EFS User Guide, recommended NFS mount options; AWS Deep Learning AMIs Developer Guide",
    ),
    Provider.GCP: CloudBoot(
        provider=Provider.GCP,
        parts="gcp",
        nvme_models=(),
        # The names that the guest's udev rules give: older rules, then those of newer images.
        nvme_links=("google-local-nvme-ssd-*", "google-local-ssd-*"),
        image_mount="",
        image_unit="",
        image_marker="",
        # Filestore speaks 4.1 only where it was made for it; 3 is its default.
        nfs_options=(
            "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=3,_netdev",
            "nfsvers=3,rsize=524288,wsize=1048576,hard,timeo=600,retrans=3,_netdev",
        ),
        bucket_pattern=r"(?:gs://)?(?P<bucket>[a-z0-9._-]{3,222})(?:/(?P<prefix>.*))?",
        gzip=False,
        source="Compute Engine, Format and mount Local SSD; Filestore, Mounting file shares; Compute Engine, VM metadata",
        driver_by_boot="cuda",
    ),
    Provider.AZURE: CloudBoot(
        provider=Provider.AZURE,
        parts="azure",
        nvme_models=("Microsoft NVMe Direct Disk", "Microsoft NVMe Direct Disk v2"),
        nvme_links=(),
        image_mount="/mnt/resource_nvme",
        image_unit="",
        # HPC images stripe the drives at boot; formatting them again loses the race (facts azure a7).
        image_marker="/opt/azurehpc",
        nfs_options=(
            "vers=4.1,rsize=262144,wsize=262144,hard,timeo=600,retrans=2,_netdev",
            "vers=3,rsize=262144,wsize=262144,hard,timeo=600,retrans=2,_netdev",
        ),
        bucket_pattern=(
            r"(?:(?i:/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Storage/storageAccounts/)"
            r"(?P<account4>[a-z0-9]{3,24})(?i:/blobServices/default/containers/)(?P<bucket4>[a-z0-9$-]{3,63})"
            r"|https://(?P<account>[a-z0-9]{3,24})\.blob\.core\.[a-z.]+/(?P<bucket>[a-z0-9$-]{3,63})"
            r"|abfss?://(?P<bucket2>[a-z0-9$-]{3,63})@(?P<account2>[a-z0-9]{3,24})\.dfs\.core\.[a-z.]+"
            r"|(?P<account3>[a-z0-9]{3,24})/(?P<bucket3>[a-z0-9$-]{3,63}))(?:/(?P<prefix>.*))?"
        ),
        gzip=True,
        source="facts azure a7; Azure NetApp Files, Linux NFS mount options; Azure VMs, custom data",
        driver_by_cloud="grid",
        driver_log="/var/log/azure/nvidia-vmext-status",
        # Four times what AWS hands over: no plan of ordinary size comes near it.
        by_object=False,
        asks_by_client=True,
    ),
}

LUSTRE_OPTIONS = ("noatime,flock,lazystatfs,_netdev",)
"""facts aws a6: flock for programs that lock files, lazystatfs so that df does not hang on a slow server."""


@dataclass(frozen=True)
class Export:
    """One variable, or one that names a file and is set only where that file is."""

    name: str
    value: str
    reason: str
    architectures: tuple[str, ...] = ()
    """GPU architectures that it is meant for; empty: all."""


@dataclass(frozen=True)
class PluginImages:
    """Container images that lay a fabric's NCCL plugin on the host, and the manager that receives for it."""

    template: str
    """The task that does so."""
    plugins: tuple[tuple[str, str], ...]
    """Image by the machine's architecture."""
    manager: str
    """Image of the receive manager; empty where there is none."""
    needs: str
    """What else the manager needs of the node, for a person whose node lacks it."""
    source: str


@dataclass(frozen=True)
class FabricEnvironment:
    """What a fabric needs of the environment, and how its devices are counted."""

    kind: FabricKind
    exports: tuple[Export, ...]
    files: tuple[Export, ...]
    script: str
    """The vendor's own script that sets the rest; empty: none."""
    plugins: tuple[str, ...]
    """Where the host would have the NCCL plugin."""
    check: str
    """efa, rdma or gvnic: which devices are counted."""
    devices: tuple[str, ...]
    """Container options that hand the fabric's devices over."""
    source: str
    needs_plugin: bool = False
    """The host must have the plugin: without it the interfaces are there and carry plain TCP."""
    images: PluginImages | None = None
    """What lays the plugin on the host at boot; None where nothing does."""


_NO_BRIDGES = Export(
    "NCCL_SOCKET_IFNAME", "^docker,lo,veth", "Bootstrap never over a container bridge, which other nodes cannot reach."
)

_AI_INFRA = "us-docker.pkg.dev/gce-ai-infra"
_LIBRARIES = "/usr/local/nvidia/lib64"
"""Where CUDA images look for libraries by themselves; on a host without it the plugin is the only thing there."""

FABRICS = {
    FabricKind.EFA: FabricEnvironment(
        kind=FabricKind.EFA,
        exports=(
            Export("FI_PROVIDER", "efa", "Fail rather than fall back to TCP."),
            Export("FI_EFA_USE_HUGE_PAGE", "0", "Data loaders fork; huge pages then fail with ENOMEM."),
            _NO_BRIDGES,
        ),
        files=(),
        script="",
        plugins=("/opt/amazon/ofi-nccl", "/opt/aws-ofi-nccl"),
        check="efa",
        devices=("--device=/dev/infiniband",),
        source="awslabs/awsome-distributed-ai test cases; Amazon EC2 User Guide, EFA and NCCL",
    ),
    FabricKind.GPUDIRECT_TCPX: FabricEnvironment(
        kind=FabricKind.GPUDIRECT_TCPX,
        exports=(Export("NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX", "/run/tcpx", "Socket of the receive manager."),),
        files=(),
        script="",
        plugins=("/var/lib/tcpx/lib64", "/usr/local/tcpx/lib64"),
        check="gvnic",
        devices=(
            "--volume=/run/tcpx:/run/tcpx",
            "--volume=/var/lib/tcpx:/var/lib/tcpx",
            f"--volume=/var/lib/tcpx/lib64:{_LIBRARIES}:ro",
        ),
        source="Compute Engine, Maximize GPU network bandwidth with GPUDirect-TCPX",
        needs_plugin=True,
        images=PluginImages(
            template="gcp/fabric_plugin.sh.j2",
            plugins=(("x86_64", f"{_AI_INFRA}/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.8"),),
            manager=f"{_AI_INFRA}/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.12",
            needs="; on Ubuntu it needs the kernel linux-gcp-tcpx, to which Google gives access on request",
            source="GoogleCloudPlatform/slurm-gcp: prologs-epilogs/receive-data-path-manager; "
            "cluster-toolkit: a3-highgpu-8g README (kernel)",
        ),
    ),
    FabricKind.GPUDIRECT_TCPXO: FabricEnvironment(
        kind=FabricKind.GPUDIRECT_TCPXO,
        exports=(
            Export("NCCL_LIB_DIR", "/var/lib/tcpxo/lib64", "The vendor's script looks for its plugin here."),
            Export("NCCL_NET", "FasTrak", "Fail rather than fall back to sockets."),
        ),
        files=(),
        script="/var/lib/tcpxo/lib64/nccl-env-profile.sh",
        plugins=("/var/lib/tcpxo/lib64",),
        check="gvnic",
        devices=(
            "--volume=/var/lib/tcpxo:/var/lib/tcpxo",
            "--volume=/dev/aperture_devices:/dev/aperture_devices",
            f"--volume=/var/lib/tcpxo/lib64:{_LIBRARIES}:ro",
            "--device=/dev/dmabuf_import_helper",
        ),
        source="nccl-env-profile.sh of the TCPXO plugin; Compute Engine, GPUDirect-TCPXO",
        needs_plugin=True,
        images=PluginImages(
            template="gcp/fabric_plugin.sh.j2",
            plugins=(("x86_64", f"{_AI_INFRA}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.14"),),
            manager=f"{_AI_INFRA}/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.20",
            needs="",
            source="GoogleCloudPlatform/container-engine-accelerators: gpudirect-tcpxo release notes (2025-11-19), which name "
            "the two as a pair; slurm-gcp: prologs-epilogs/receive-data-path-manager-mega",
        ),
    ),
    FabricKind.ROCE: FabricEnvironment(
        kind=FabricKind.ROCE,
        exports=(Export("NCCL_NET", "gIB", "Fail rather than fall back to sockets."),),
        files=(),
        script="/usr/local/gib/scripts/set_nccl_env.sh",
        plugins=("/usr/local/gib/lib64",),
        check="rdma",
        devices=(
            "--device=/dev/infiniband",
            "--volume=/usr/local/gib:/usr/local/gib",
            f"--volume=/usr/local/gib/lib64:{_LIBRARIES}:ro",
        ),
        source="set_nccl_env.sh of the gIB plugin; AI Hypercomputer, NCCL/gIB (facts gcp a5)",
        images=PluginImages(
            template="gcp/fabric_plugin.sh.j2",
            plugins=(
                ("x86_64", f"{_AI_INFRA}/gpudirect-gib/nccl-plugin-gib:v1.1.0"),
                ("arm64", f"{_AI_INFRA}/gpudirect-gib/nccl-plugin-gib-arm64:v1.1.0"),
            ),
            manager="",
            needs="",
            source="GoogleCloudPlatform/container-engine-accelerators: gpudirect-rdma release notes (2025-08-15) and "
            "nccl-rdma-installer-a4x.yaml; AI Hypercomputer, Install CoMMA (the command)",
        ),
    ),
    FabricKind.INFINIBAND: FabricEnvironment(
        kind=FabricKind.INFINIBAND,
        exports=(
            Export("NCCL_IB_PCI_RELAXED_ORDERING", "1", "Without it a virtual function reaches half its bandwidth."),
            Export("CUDA_DEVICE_ORDER", "PCI_BUS_ID", "The topology file names GPUs by their place on the bus."),
            _NO_BRIDGES,
        ),
        files=(
            Export("NCCL_TOPO_FILE", "/opt/microsoft/ndv4-topo.xml", "The machine hides its topology.", ("Ampere",)),
            Export("NCCL_TOPO_FILE", "/opt/microsoft/ndv5-topo.xml", "The machine hides its topology.", ("Hopper",)),
        ),
        script="",
        plugins=(),
        check="rdma",
        devices=("--device=/dev/infiniband", "--volume=/opt/microsoft:/opt/microsoft:ro"),
        source="Azure/azhpc-images topology files; Azure HPC, NCCL on ND series",
    ),
}
