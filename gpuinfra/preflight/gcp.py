"""What a Google Cloud project allows, read over its REST APIs with the user's own credentials. Read-only calls alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib import import_module
from typing import Any

from .. import catalog
from ..plan.label_forms import CLUSTER_LABEL
from ..plan.models import ClusterPlan, PoolPlan
from ..policy.account_facts import AccountFacts
from ..policy.needed_services import needed_services
from ..policy.quota_needs import family_needs, other_needs, total_needs
from ..vocabulary import StorageKind
from .gathering import Gathering, ReadingError, RefusedError, reason_of, renewing
from .https import RestApi

PERMISSIONS = (
    "cloudquotas.quotas.get",
    "compute.acceleratorTypes.list",
    "compute.images.get",
    "compute.images.getFromFamily",
    "compute.instances.list",
    "compute.machineTypes.list",
    "compute.networks.get",
    "compute.projects.get",
    "compute.regions.get",
    "compute.reservations.list",
    "compute.subnetworks.get",
    "resourcemanager.projects.get",
    "serviceusage.services.get",
    "serviceusage.services.use",
    "storage.buckets.get",
)
"""Everything that reading may ask for."""

_COMPUTE = "https://compute.googleapis.com/compute/v1"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform.read-only"
_WANT_PROJECT = ("https://cloudquotas.", "https://serviceusage.", "https://cloudbilling.")
_GLOBAL = ("GPUS_ALL_REGIONS", "NETWORKS")
_ARCH = {"ARM64": "arm64", "X86_64": "x86_64"}
_SEVERAL = 20
"""Services asked about at once."""


def read(
    plan: ClusterPlan,
    now: datetime,
    environment: Mapping[str, str],
    progress: Callable[[str], None],
    api: RestApi | None = None,
) -> AccountFacts:
    """The facts of the spec's own project. `api` is the API with its token, for tests."""
    project = str(getattr(plan.spec.location, "project", ""))
    asked = api or RestApi(token_source(), headers=lambda url: quota_project(url, project))
    gather = Gathering(progress)
    _Project(plan, project, asked, gather).read()
    return gather.facts(plan, project, now)


def quota_project(url: str, project: str) -> dict[str, str]:
    """Under a person's own credentials these APIs want a project that answers for the quota of the question (facts gcp c);
    the others would only want a further permission for it."""
    return {"x-goog-user-project": project} if url.startswith(_WANT_PROJECT) else {}


def token_source() -> Callable[[], str]:
    """Tokens of the application default credentials. Raises ReadingError in one line where there are none."""
    try:
        auth: Any = import_module("google.auth")
        transport: Any = import_module("google.auth.transport.requests")
    except ImportError:
        raise ReadingError(
            "reading a Google Cloud project needs google-auth, which is not installed: pip install 'gpuinfra[preflight-gcp]'"
        ) from None
    logging.getLogger("google.auth").setLevel(logging.CRITICAL)
    try:
        credentials, _ = auth.default(scopes=[_SCOPE])
        credentials.refresh(transport.Request())
    except Exception as e:
        raise ReadingError(
            f"no Google Cloud credentials can be used ({type(e).__name__}): gcloud auth application-default login; "
            "--account FILE judges a saved file"
        ) from None

    def token() -> str:
        if not credentials.valid:
            credentials.refresh(transport.Request())
        return str(credentials.token)

    return renewing(token)


class _Project:
    """Everything that is asked of one project."""

    def __init__(self, plan: ClusterPlan, project: str, api: RestApi, gather: Gathering) -> None:
        self.plan, self.api, self.gather = plan, api, gather
        self.project = project
        self.home = f"{_COMPUTE}/projects/{project}"

    def read(self) -> None:
        plan, gather = self.plan, self.gather
        services = [name for name, _, _ in needed_services(plan)]
        gather.part("services", "APIs that are enabled", lambda: self.services(services))
        gather.part("billing", "billing", self.billing)
        self.quotas()
        gather.part("offerings", "machine types by zone", self.machine_types)
        if any(p.attached_accelerator for p in plan.pools):
            gather.part("offerings", "accelerator types by zone", self.accelerator_types)
        gather.part("own_nodes", "instances that run", self.own_nodes)
        for pool in plan.pools:
            if pool.capacity.type.names_capacity and pool.capacity.id:
                gather.entry("reservations", pool.capacity.id, lambda pool=pool: self.reservation(pool))
        self.existing()

    def existing(self) -> None:
        plan, net, gather = self.plan, self.plan.network, self.gather
        if net.existing_network:
            gather.entry("networks", net.existing_network, self.network)
            gather.entry("subnets", net.existing_subnet, self.subnet)
        for image in {p.node_image.selector: p.node_image for p in plan.pools}.values():
            if image.selector:
                gather.entry("images", image.selector, lambda image=image: self.image(image.selector))
        for store in plan.storage:
            named = store.existing if store.kind is StorageKind.BUCKET else store.import_from
            if named:
                name = named.partition("://")[2].partition("/")[0] or named
                gather.entry("buckets", name, lambda name=name: self.bucket(name))
            if store.existing and store.kind is not StorageKind.BUCKET:
                gather.unknown[f"file_systems/{store.existing}"] = "file systems are not read on Google Cloud"

    def services(self, names: list[str]) -> dict[str, bool]:
        found: dict[str, bool] = {}
        base = f"https://serviceusage.googleapis.com/v1/projects/{self.project}/services"
        for start in range(0, len(names), _SEVERAL):
            some = names[start : start + _SEVERAL]
            asked = "&".join(f"names=projects/{self.project}/services/{name}" for name in some)
            page = self.api.get(f"{base}:batchGet?{asked}", "serviceusage.services.get")
            for row in page.get("services", ()):
                found[str(row["name"]).rpartition("/")[2]] = row.get("state") == "ENABLED"
        return found

    def billing(self) -> dict[str, bool]:
        url = f"https://cloudbilling.googleapis.com/v1/projects/{self.project}/billingInfo"
        return {"enabled": self.api.get(url, "resourcemanager.projects.get").get("billingEnabled") is True}

    def quotas(self) -> None:
        """The region's and the project's quotas at once, and each family's own from the Cloud Quotas API."""
        names = dict.fromkeys(
            n.quota for n in (*family_needs(self.plan), *total_needs(self.plan), *other_needs(self.plan))
        )
        plain = [n for n in names if n and "/" not in n]
        regional = [n for n in plain if n not in _GLOBAL]
        if regional:
            url = f"{self.home}/regions/{self.plan.region}"
            self.gather.part(
                "quotas", "quotas of the region", lambda: self.listed(url, "compute.regions.get", regional)
            )
        if len(regional) < len(plain):
            shared = [n for n in plain if n in _GLOBAL]
            self._more_quotas(shared, lambda: self.listed(self.home, "compute.projects.get", shared))
        for name in names:
            if "/" in name:
                self.gather.entry("quotas", name, lambda name=name: self.family_quota(name))

    def _more_quotas(self, names: list[str], read: Callable[[], Mapping[str, Any]]) -> None:
        """A second source of the same part: its refusal leaves what the first one said."""
        self.gather.progress("quotas of the project")
        try:
            self.gather.parts.setdefault("quotas", {}).update(read())
        except Exception as e:
            self.gather.unknown.update(dict.fromkeys((f"quotas/{name}" for name in names), reason_of(e)))

    def listed(self, url: str, permission: str, names: list[str]) -> dict[str, Any]:
        rows = {str(q.get("metric")): q for q in self.api.get(url, permission).get("quotas", ())}
        return {
            n: {"limit": float(rows[n]["limit"]), "used": float(rows[n].get("usage", 0))} if n in rows else None
            for n in names
        }

    def family_quota(self, name: str) -> dict[str, Any] | None:
        """A quota of one GPU family. This API says how much is allowed, and not how much is in use."""
        identity, _, family = name.partition("/")
        url = (
            f"https://cloudquotas.googleapis.com/v1/projects/{self.project}/locations/global/services/"
            f"compute.googleapis.com/quotaInfos/{identity}"
        )
        best: tuple[int, float] | None = None
        for row in self.api.get(url, "cloudquotas.quotas.get").get("dimensionsInfos", ()):
            dims: Mapping[str, str] = row.get("dimensions", {})
            if dims.get("gpu_family", family) != family or dims.get("region", self.plan.region) != self.plan.region:
                continue
            places = row.get("applicableLocations")
            if "region" not in dims and places and self.plan.region not in places:
                continue
            value = float(row.get("details", {}).get("value", 0))
            # The row that names most of what was asked is the one in force.
            if best is None or len(dims) > best[0]:
                best = (len(dims), value)
        # No row at all is the default of the family, which is none.
        return {"limit": 0.0 if best is None else best[1], "unit": "gpu"}

    def machine_types(self) -> dict[str, Any]:
        names = sorted({p.instance.name for p in self.plan.pools})
        return self._by_zone("machineTypes", "compute.machineTypes.list", names)

    def accelerator_types(self) -> dict[str, Any]:
        names = sorted({p.attached_accelerator for p in self.plan.pools if p.attached_accelerator})
        return self._by_zone("acceleratorTypes", "compute.acceleratorTypes.list", names)

    def _by_zone(self, kind: str, permission: str, names: list[str]) -> dict[str, Any]:
        zones: dict[str, set[str]] = {n: set() for n in names}
        wanted = " OR ".join(f'(name = "{n}")' for n in names)
        for page in self.api.pages(f"{self.home}/aggregated/{kind}", permission, filter=wanted, maxResults="500"):
            for scope, rows in dict(page.get("items", {})).items():
                zone = str(scope).rpartition("/")[2]
                if not zone.startswith(f"{self.plan.region}-"):
                    continue
                for row in rows.get(kind, ()):
                    if row.get("name") in zones:
                        zones[row["name"]].add(zone)
        return {n: {"zones": sorted(found)} if found else None for n, found in zones.items()}

    def own_nodes(self) -> dict[str, int]:
        found: dict[str, int] = {}
        wanted = f'labels.{CLUSTER_LABEL}="{dict(self.plan.labels).get(CLUSTER_LABEL, "")}"'
        url = f"{self.home}/aggregated/instances"
        for page in self.api.pages(url, "compute.instances.list", filter=wanted, maxResults="500"):
            for rows in dict(page.get("items", {})).values():
                for node in rows.get("instances", ()):
                    if node.get("status") in ("PROVISIONING", "STAGING", "RUNNING"):
                        key = f"{_purchase(node)}/{_last(node.get('machineType'))}"
                        found[key] = found.get(key, 0) + 1
        return found

    def reservation(self, pool: PoolPlan) -> dict[str, Any]:
        """A reservation by its name, in whatever zone it stands; a block of one counts as the whole."""
        named = pool.capacity.id.partition("/reservationBlocks/")[0]
        owner, name = self.project, named
        if named.startswith("projects/"):
            _, owner, _, name = named.split("/", 3)
        url = f"{_COMPUTE}/projects/{owner}/aggregated/reservations"
        members: list[dict[str, Any]] = []
        for page in self.api.pages(url, "compute.reservations.list", filter=f'name = "{name}"'):
            for scope, rows in dict(page.get("items", {})).items():
                zone = str(scope).rpartition("/")[2]
                if zone.startswith(f"{self.plan.region}-"):
                    members += [_reserved(row, zone) for row in rows.get("reservations", ()) if row.get("name") == name]
        if not members:
            raise RefusedError("not found", missing=True)
        return {"members": members}

    def network(self) -> dict[str, Any]:
        self.api.get(self._url(self.plan.network.existing_network, "global/networks"), "compute.networks.get")
        return {}

    def subnet(self) -> dict[str, Any]:
        place = f"regions/{self.plan.region}/subnetworks"
        row = self.api.get(self._url(self.plan.network.existing_subnet, place), "compute.subnetworks.get")
        return {
            "network": str(row.get("network", "")),
            "region": _last(row.get("region")),
            "cidr": str(row.get("ipCidrRange", "")),
        }

    def image(self, selector: str) -> dict[str, Any]:
        url = self._url(selector, "global/images")
        row = self.api.get(url, "compute.images.get, compute.images.getFromFamily")
        size = row.get("diskSizeGb")
        return {
            "arch": _ARCH.get(str(row.get("architecture", "")), ""),
            "root_gib": int(size) if size is not None else None,
            "state": str(row.get("status", "READY")).lower(),
        }

    def bucket(self, name: str) -> dict[str, Any]:
        row = self.api.get(f"https://storage.googleapis.com/storage/v1/b/{name}", "storage.buckets.get")
        return {"region": str(row.get("location", "")).lower()}

    def _url(self, name: str, place: str) -> str:
        """The address of a resource that is named by a URL, a path, or its name in the own project."""
        if name.startswith("https://"):
            name = "projects/" + name.partition("/projects/")[2]
        if name.startswith("projects/"):
            return f"{_COMPUTE}/{name}"
        if name.startswith("global/"):
            return f"{self.home}/{name}"
        if "/family/" in name:
            owner, _, rest = name.partition("/family/")
            return f"{_COMPUTE}/projects/{owner}/global/images/family/{rest}"
        return f"{self.home}/{place}/{name}"


def _last(path: Any) -> str:
    return str(path or "").rpartition("/")[2]


def _purchase(node: Mapping[str, Any]) -> str:
    if node.get("reservationAffinity", {}).get("consumeReservationType") == "SPECIFIC_RESERVATION":
        return "reserved"
    model = node.get("scheduling", {}).get("provisioningModel")
    return "spot" if model in ("SPOT", "FLEX_START") or node.get("scheduling", {}).get("preemptible") else "on_demand"


def _reserved(row: Mapping[str, Any], zone: str) -> dict[str, Any]:
    specific: Mapping[str, Any] = row.get("specificReservation", {})
    machine: Mapping[str, Any] = specific.get("instanceProperties", {})
    total, taken = int(specific.get("count", 0)), int(specific.get("inUseCount", 0))
    state = {"READY": "active", "CREATING": "scheduled", "UPDATING": "active"}
    attached = [_last(a.get("acceleratorType")) for a in machine.get("guestAccelerators", ())]
    name = str(machine.get("machineType", ""))
    return {
        "kind": "calendar" if row.get("deleteAtTime") else "on_demand",
        "instance_type": name,
        "zone": zone,
        "total": total,
        "free": max(total - taken, 0),
        "state": state.get(str(row.get("status", "")), str(row.get("status", "")).lower()),
        "ends": row.get("deleteAtTime"),
        "only_named": bool(row.get("specificReservationRequired")),
        # A machine that implies its GPUs lists them here too.
        "accelerator": attached[0] if attached and catalog.nic_layout(name).family == "n1" else "",
    }
