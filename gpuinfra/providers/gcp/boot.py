"""What nodes boot: the image, pinned at each `up`, and the boot bundle as metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pulumi
from pulumi_gcp import compute
from pulumi_gcp import storage as objects

from ...node import BootBundle, Carrier, boot_bundle, cloud_init_installer, needs_object
from ...plan.models import ClusterPlan, PoolPlan
from ..mounts import late_values
from .buckets import private_bucket
from .names import project_of
from .storage import SharedStorage

_FAMILY = "family"
_BUCKET = "boot-bucket"
_USER = "gpuinfra"
"""Who logs in with the spec's own keys: the plan says so of every image of Google's."""


class NodeBoot:
    """What the pools of a plan boot. A family is read once, and a bucket made once, however many pools use them."""

    folder: objects.Bucket | None
    """Holds the bundles that one metadata value (256 KiB) cannot; made only where one is so large."""

    def __init__(self, plan: ClusterPlan, opts: pulumi.ResourceOptions) -> None:
        self._plan = plan
        self._opts = opts
        self._families: dict[str, pulumi.Output[str]] = {}
        self._by_object = {p.name for p in plan.pools if needs_object(plan, p)}
        self.folder = private_bucket(f"{plan.name}-boot", plan, opts, kept=False) if self._by_object else None

    def image(self, pool: PoolPlan) -> pulumi.Input[str]:
        """The image: as given, or the newest of its family now. A template that held the family itself would boot
        whatever is newest at each scale-out, and mix images in one group."""
        chosen = pool.node_image
        if chosen.kind != _FAMILY:
            return _image_path(project_of(self._plan), chosen.selector)
        if chosen.selector not in self._families:
            project, family = _family(project_of(self._plan), chosen.selector)
            asks = pulumi.InvokeOutputOptions(parent=self._opts.parent)
            found = compute.get_image_output(family=family, project=project, opts=asks)
            self._families[chosen.selector] = found.self_link
        return self._families[chosen.selector]

    def metadata(self, pool: PoolPlan, storage: SharedStorage | None) -> dict[str, pulumi.Input[str]]:
        """The metadata of a pool's nodes."""
        keys = self._plan.network.ssh_keys
        found: dict[str, pulumi.Input[str]] = {
            "user-data": self._user_data(pool, storage),
            # Who may log in is a matter of IAM. Keys in the spec need the older way: OS Login ignores them.
            "enable-oslogin": "FALSE" if keys else "TRUE",
            "block-project-ssh-keys": "TRUE",
            "serial-port-enable": "FALSE",
        }
        if keys:
            found["ssh-keys"] = "\n".join(f"{_USER}:{key.strip()}" for key in keys)
        installer = cloud_init_installer(pool)
        if installer:
            found["startup-script"] = installer
        return found

    def _user_data(self, pool: PoolPlan, storage: SharedStorage | None) -> pulumi.Input[str]:
        """The boot bundle of a pool, filled with the values that only the deployment knows."""
        bundle = boot_bundle(self._plan, pool)
        late = late_values(storage.mounts if storage else {}, bundle.late)
        if self.folder is not None and pool.name in self._by_object:
            return self._through(self.folder, pool, bundle, late)
        if not late:
            return _text(bundle.carrier({}))
        return pulumi.Output.all(**late).apply(lambda values: _text(bundle.carrier(values)))

    def _through(
        self,
        folder: objects.Bucket,
        pool: PoolPlan,
        bundle: BootBundle,
        late: Mapping[str, pulumi.Output[str]],
    ) -> pulumi.Output[str]:
        """A short document that fetches the bundle from the bucket, checks its digest, and runs it."""

        def carried(values: dict[str, str]) -> Carrier:
            bucket = values.pop(_BUCKET)
            return bundle.carrier(values, f"gs://{bucket}")

        carrier = pulumi.Output.all(**{_BUCKET: folder.name, **late}).apply(carried)
        body = objects.BucketObject(
            f"{pool.resource_name}-boot",
            bucket=folder.name,
            # The name holds the digest: nodes that run keep reading what they were made with.
            name=carrier.apply(lambda c: c.object_name),
            content=carrier.apply(lambda c: c.object_body.decode()),
            content_type="application/json",
            opts=self._opts,
        )
        return pulumi.Output.all(carrier, body.id).apply(lambda both: _text(both[0]))


def _text(carrier: Carrier) -> str:
    # Metadata holds text alone, so nothing is compressed.
    return carrier.user_data.decode("ascii")


def _family(project: str, selector: str) -> tuple[str, str]:
    """Project and name of a family, from any form in which one is named."""
    owner = re.search(r"(?:^|/)projects/([^/]+)/", selector) or re.match(r"([^/]+)/family/", selector)
    named = owner[1] if owner and owner[1] not in ("global", "family") else project
    return named, selector.rsplit("/", 1)[-1]


def _image_path(project: str, selector: str) -> str:
    if "projects/" in selector:
        return selector
    owner, _, name = selector.rpartition("/")
    owner = "" if owner == "global/images" else owner
    return f"projects/{owner or project}/global/images/{name}"
