"""The boot bundle: cloud-init with one readable file per task, made from a plan. Pure and deterministic."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import catalog
from ..diagnostics import Diagnostic, GpuInfraError
from ..plan.models import ClusterPlan, PoolPlan
from ..vocabulary import LocalNvme, StorageKind
from .carrier import BootFile, Carrier, cloud_config, digest, gzipped, object_of
from .clouds import CLOUDS, FABRICS, CloudBoot
from .cluster_facts import Facts, as_json, bucket_parts, facts_of, longest_json
from .driver import stock_driver
from .findings import BUCKET_FORM, BUCKET_FORMS, TOO_LARGE, key_findings, pool_findings
from .rendering import render

CLUSTER_JSON = "/etc/gpuinfra/cluster.json"
_LIB = "/opt/gpuinfra/lib/"
_BIN = "/opt/gpuinfra/bin/"
_TASKS = "/opt/gpuinfra/tasks/"
_UNITS = "/etc/systemd/system/"

_NO_DRIVER = "nvidia-smi finds no driver: the image has none that fits this GPU, or its module did not load (dmesg | grep -i nvidia)"

# For a cloud whose limit the catalog does not know yet: the smallest of those it knows (AWS).
_SMALLEST_LIMIT = 16384
# More than all scripts together ever have, compressed and plain; a test holds both.
_SCRIPTS_GZIP_BYTES = 14500
_SCRIPTS_BYTES = 60000
# A late value is not known when the size is judged; this is longer than any address.
_LONGEST_LATE = "x" * 255
_LONGEST_FOLDER = f"https://{'x' * 24}.blob.core.windows.net/{'x' * 63}"


@dataclass(frozen=True)
class BootBundle:
    """What one pool's nodes get at boot.

    Late values (a file system's address, the name of a new bucket) are not known to the plan; `late` names them, as
    `storage.scratch.address`, and `user_data` takes them. They land in /etc/gpuinfra/cluster.json as data, and scripts
    read them from there: no value is ever pasted into a command. The group's name is no late value, because a launch
    template that waits for its own group would never be made: it is the plan's `cloud_name`.
    """

    scripts: tuple[BootFile, ...]
    """Every file but cluster.json."""
    late: tuple[str, ...]
    path: str
    """Of the pool, in the spec."""
    ssh_keys: tuple[str, ...]
    limit_bytes: int
    takes_gzip: bool
    commands: tuple[tuple[str, ...], ...]
    facts: Facts
    places: Mapping[str, tuple[str | int, ...]]

    @property
    def files(self) -> tuple[BootFile, ...]:
        """In order of their path. In cluster.json late values are null."""
        return self._with(self.facts)

    def _with(self, facts: Facts) -> tuple[BootFile, ...]:
        # Laid out only here: a preview, which knows no late value, asks for no file at all.
        return tuple(sorted((*self.scripts, BootFile(CLUSTER_JSON, "0644", as_json(facts))), key=lambda f: f.path))

    def with_late(self, late: Mapping[str, str]) -> tuple[BootFile, ...]:
        """The files with every late value in its place. Raises KeyError, with its name, for one that is missing."""
        facts = copy.deepcopy(self.facts)
        for name in self.late:
            *way, key = self.places[name]
            target: Any = facts
            for step in way:
                target = target[step]
            target[key] = late[name]
        return self._with(facts)

    def user_data(self, late: Mapping[str, str]) -> bytes:
        """The cloud-init document, compressed where it passes the cloud's limit.

        Raises KeyError for a missing late value, GpuInfraError (GI2150) where it does not fit compressed either.
        """
        return self.carrier(late).user_data

    def carrier(self, late: Mapping[str, str], object_folder: str = "") -> Carrier:
        """How the files travel: inline where they fit, else compressed, else by an object in `object_folder`.

        `object_folder` is a URL of the cluster's own bucket in the cloud's form (s3://…, gs://…, https://…): the room
        uploads `object_body` there under `object_name`, and the node reads it with its own identity. Without one a
        document that does not fit raises GpuInfraError (GI2150).
        """
        files = self.with_late(late)
        document = cloud_config(files, self.ssh_keys, self.commands)
        if len(document) <= self.limit_bytes:
            return Carrier("inline", document)
        if self.takes_gzip:
            packed = gzipped(document)
            if len(packed) <= self.limit_bytes:
                return Carrier("gzip", packed)
        if not object_folder:
            raise GpuInfraError([self._too_large(len(gzipped(document) if self.takes_gzip else document))])
        name, body = object_of(files, self.commands)
        return self._stub(f"{object_folder.rstrip('/')}/{name}", name, body)

    def _stub(self, url: str, name: str, body: bytes) -> Carrier:
        wanted = as_json({"url": url, "sha256": digest(body)})
        needed = [f for f in self.scripts if f.path.startswith(_LIB)]
        stub = [
            *needed,
            BootFile("/etc/gpuinfra/object.json", "0644", wanted),
            BootFile(_BIN + "fetch", "0755", render("fetch.py.j2")),
        ]
        document = cloud_config(stub, self.ssh_keys, [(_BIN + "fetch",)])
        if len(document) <= self.limit_bytes:
            return Carrier("object", document, name, body)
        packed = gzipped(document)
        if self.takes_gzip and len(packed) <= self.limit_bytes:
            return Carrier("object", packed, name, body)
        raise GpuInfraError([self._too_large(len(packed))])

    def _too_large(self, size: int) -> Diagnostic:
        return TOO_LARGE.at(
            self.path,
            f"what its nodes read at boot has {size} bytes, the cloud takes {self.limit_bytes}",
            "shorten network.ssh_keys, storage or job.command, or carry it by object storage: "
            "BootBundle.carrier(late, object_folder=…)",
        )

    def size_findings(self, object_folder: str = _LONGEST_FOLDER) -> tuple[Diagnostic, ...]:
        """GI2150 where the document would not fit with the longest late values, not even by an object in the folder."""
        try:
            self.carrier(dict.fromkeys(self.late, _LONGEST_LATE), object_folder)
        except GpuInfraError as error:
            return error.diagnostics
        return ()


def boot_bundle(plan: ClusterPlan, pool: PoolPlan) -> BootBundle:
    """The bundle of a pool. Raises GpuInfraError for an SSH key that is no public key, or an unreadable bucket."""
    cloud = CLOUDS[plan.provider]
    if found := [*key_findings(plan), *_bucket_findings(plan, cloud)]:
        raise GpuInfraError(found)
    facts, places = facts_of(plan, pool)
    commands = [
        ("systemctl", "daemon-reload"),
        ("systemctl", "enable", "gpuinfra-boot.service"),
        # cloud-init itself is a unit that the boot tasks may wait for, so it must not wait for them.
        ("systemctl", "start", "--no-block", "gpuinfra-boot.service"),
    ]
    if _has_idle_timer(plan, pool):
        commands.append(("systemctl", "enable", "--now", "gpuinfra-idle.timer"))
    return BootBundle(
        scripts=tuple(sorted((*_base(cloud), *_tasks(plan, pool, cloud)), key=lambda f: f.path)),
        late=tuple(places),
        path=pool.path,
        ssh_keys=tuple(key.strip() for key in plan.network.ssh_keys),
        limit_bytes=_limit_bytes(cloud),
        takes_gzip=cloud.gzip,
        commands=tuple(commands),
        facts=facts,
        places=places,
    )


def bundle_findings(plan: ClusterPlan) -> tuple[Diagnostic, ...]:
    """What is wrong with the bundles of a plan, or cannot be done on a node (GI2150 to GI2154). Never raises."""
    cloud = CLOUDS[plan.provider]
    found = [*key_findings(plan), *_bucket_findings(plan, cloud)]
    buildable = not found
    for pool in plan.pools:
        found += pool_findings(plan, pool)
        if buildable and _may_be_too_large(plan, pool, cloud):
            found += boot_bundle(plan, pool).size_findings(_LONGEST_FOLDER if cloud.by_object else "")
    return tuple(found)


def needs_object(plan: ClusterPlan, pool: PoolPlan) -> bool:
    """Whether a pool's bundle may pass what the cloud hands to a node, so that the room must give it a bucket."""
    return _may_be_too_large(plan, pool, CLOUDS[plan.provider]) and bool(boot_bundle(plan, pool).size_findings(""))


def _may_be_too_large(plan: ClusterPlan, pool: PoolPlan, cloud: CloudBoot) -> bool:
    # Nothing is rendered for a plan of ordinary size: a check of a spec should not pay for templates.
    facts, places = facts_of(plan, pool)
    keys = plan.network.ssh_keys
    at_most = longest_json(facts) + sum(len(key) + 1 for key in keys) + len(_LONGEST_LATE) * len(places)
    if (_SCRIPTS_GZIP_BYTES + at_most if cloud.gzip else _SCRIPTS_BYTES + 2 * at_most) <= _limit_bytes(cloud):
        return False
    own = "\n".join([as_json(facts), *keys]).encode() + _LONGEST_LATE.encode() * len(places)
    size = _SCRIPTS_GZIP_BYTES + len(zlib.compress(own)) if cloud.gzip else _SCRIPTS_BYTES + 2 * len(own)
    return size > _limit_bytes(cloud)


def _limit_bytes(cloud: CloudBoot) -> int:
    known = catalog.limit(cloud.provider, "user_data_bytes")
    return known.maximum if known else _SMALLEST_LIMIT


def _bucket_findings(plan: ClusterPlan, cloud: CloudBoot) -> list[Diagnostic]:
    return [
        BUCKET_FORM.at(
            f"{entry.path}.existing",
            f"'{entry.existing}' is not an address of a bucket of this cloud",
            f"write {BUCKET_FORMS}",
        )
        for entry in plan.storage
        if entry.kind is StorageKind.BUCKET and entry.existing and bucket_parts(cloud, entry.existing) is None
    ]


def _vendor(pool: PoolPlan) -> str:
    return pool.accelerator.vendor.lower() if pool.accelerator and pool.gpus_per_node else ""


def _has_idle_timer(plan: ClusterPlan, pool: PoolPlan) -> bool:
    return plan.idle_after is not None and bool(pool.gpus_per_node)


def _base(cloud: CloudBoot) -> list[BootFile]:
    return [
        BootFile(_LIB + "journal.sh", "0644", render("journal.sh.j2")),
        BootFile(_LIB + "gpuinfra_node.py", "0644", render("gpuinfra_node.py.j2")),
        BootFile(_LIB + "gpuinfra_cloud.py", "0644", render(f"{cloud.parts}/gpuinfra_cloud.py.j2")),
        BootFile(_BIN + "fact", "0755", render("fact.py.j2")),
        BootFile(_BIN + "boot", "0755", render("boot.sh.j2")),
        BootFile(
            _UNITS + "gpuinfra-boot.service", "0644", render("gpuinfra-boot.service.j2", image_unit=cloud.image_unit)
        ),
        BootFile(_TASKS + "10-who-am-i", "0755", render("who_am_i.py.j2")),
    ]


def _tasks(plan: ClusterPlan, pool: PoolPlan, cloud: CloudBoot) -> list[BootFile]:
    """One file a task, in the order of their numbers: drives before MIG, MIG before containers, mounts before images."""
    vendor = _vendor(pool)
    files = _driver(plan, pool, vendor)
    if pool.local_nvme.mode is not LocalNvme.NONE:
        files.append(BootFile(_TASKS + "30-local-nvme", "0755", _local_nvme(pool, cloud)))
    if pool.mig:
        files.append(BootFile(_TASKS + "40-mig", "0755", render("mig.sh.j2")))
    plugin = _fabric_plugin(pool)
    if pool.container or plugin:
        files.append(
            BootFile(_TASKS + "50-container-runtime", "0755", render("container_runtime.sh.j2", vendor=vendor))
        )
    if pool.container:
        files.append(BootFile(_TASKS + "80-container-image", "0755", render("container_image.py.j2")))
    if pool.fabric.present:
        files += [*_fabric(pool), *plugin]
    if plan.storage:
        files += _storage(plan, cloud)
    if _has_idle_timer(plan, pool):
        files += [
            BootFile(_TASKS + "90-idle", "0755", render("idle_check.sh.j2")),
            BootFile(_BIN + "idle", "0755", render("idle.py.j2")),
            BootFile(_UNITS + "gpuinfra-idle.service", "0644", render("gpuinfra-idle.service.j2")),
            BootFile(_UNITS + "gpuinfra-idle.timer", "0644", render("gpuinfra-idle.timer.j2")),
        ]
    return files


def _driver(plan: ClusterPlan, pool: PoolPlan, vendor: str) -> list[BootFile]:
    missing = stock_driver(plan, pool)
    text = _NO_DRIVER
    files: list[BootFile] = []
    if missing is not None and missing.modules:
        install = render("install_driver.sh.j2", branch=missing.branch, modules=missing.modules)
        files.append(BootFile(_TASKS + "15-install-driver", "0755", install))
    elif missing is not None:
        log = CLOUDS[plan.provider].driver_log
        text = (
            f"nvidia-smi finds no driver: this machine needs the {missing.kind.upper()} driver, and the image has none"
        )
        text += f"; read what the cloud's agent did: {log}" if missing.by_cloud else ""
        if missing.by_cloud:
            wait = render("await_driver.sh.j2", kind=missing.kind.upper(), log=log)
            files.append(BootFile(_TASKS + "15-await-driver", "0755", wait))
    hold = render("hold_driver.sh.j2", vendor=vendor, no_driver=text)
    files.append(BootFile(_TASKS + "20-hold-driver", "0755", hold))
    if pool.spans_rack:
        files.append(BootFile(_TASKS + "25-imex", "0755", render("imex.sh.j2")))
    return files


def _local_nvme(pool: PoolPlan, cloud: CloudBoot) -> str:
    return render(
        "local_nvme.sh.j2",
        mode=str(pool.local_nvme.mode),
        models=cloud.nvme_models,
        links=cloud.nvme_links,
        image_mount=cloud.image_mount,
        image_unit=cloud.image_unit,
        image_marker=cloud.image_marker,
    )


def _fabric(pool: PoolPlan) -> list[BootFile]:
    row = FABRICS[pool.fabric.kind]
    architecture = pool.accelerator.architecture if pool.accelerator else ""
    fits = [e for e in row.files if not e.architectures or architecture in e.architectures]
    kind, files = str(row.kind), tuple(fits)
    check = render(
        "fabric.sh.j2",
        kind=kind,
        check=row.check,
        plugins=row.plugins,
        files=files,
        needs_plugin=row.needs_plugin,
        manager=bool(row.images and row.images.manager),
    )
    profile = render("fabric_profile.sh.j2", kind=kind, exports=row.exports, files=files, script=row.script)
    return [
        BootFile(_TASKS + "60-fabric", "0755", check),
        BootFile("/etc/profile.d/gpuinfra-fabric.sh", "0644", profile),
        BootFile("/etc/gpuinfra/fabric.env", "0644", render("fabric_env.j2", exports=row.exports)),
    ]


def _fabric_plugin(pool: PoolPlan) -> list[BootFile]:
    """The task that lays the fabric's plugin on the host; none where the fabric has none for the machine."""
    if not pool.fabric.present:
        return []
    row = FABRICS[pool.fabric.kind]
    images = row.images
    plugin = dict(images.plugins).get(pool.instance.arch, "") if images else ""
    if images is None or not plugin:
        return []
    task = render(
        images.template,
        kind=str(row.kind),
        plugin=plugin,
        manager=images.manager,
        needs=images.needs,
        script=row.script,
    )
    return [BootFile(_TASKS + "55-fabric-plugin", "0755", task)]


def _storage(plan: ClusterPlan, cloud: CloudBoot) -> list[BootFile]:
    files = [
        BootFile(_TASKS + "70-mounts", "0755", render("mounts.py.j2")),
        BootFile(_BIN + "install", "0755", render("install.sh.j2")),
    ]
    kinds = {entry.kind for entry in plan.storage}
    if StorageKind.LUSTRE in kinds:
        files.append(BootFile(_BIN + "lustre-client", "0755", render(f"{cloud.parts}/lustre_client.sh.j2")))
    if StorageKind.BUCKET in kinds:
        files.append(BootFile(_BIN + "bucket-client", "0755", render(f"{cloud.parts}/bucket_client.sh.j2")))
    return files
