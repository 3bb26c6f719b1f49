"""What an Azure subscription allows, read over the resource manager with the user's own credentials. Read-only calls alone."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib import import_module
from typing import Any

from ..plan.label_forms import CLUSTER_LABEL
from ..plan.models import ClusterPlan
from ..plan.node_image_naming import has_terms
from ..policy.account_facts import AccountFacts
from ..policy.needed_services import needed_services
from ..policy.quota_needs import other_needs
from ..vocabulary import StorageKind
from .azure_existing import read_existing
from .gathering import Gathering, ReadingError, RefusedError, reason_of, renewing
from .https import RestApi

PERMISSIONS = (
    "Microsoft.Compute/capacityReservationGroups/capacityReservations/read",
    "Microsoft.Compute/capacityReservationGroups/read",
    "Microsoft.Compute/images/read",
    "Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions/read",
    "Microsoft.Compute/locations/usages/read",
    "Microsoft.Compute/proximityPlacementGroups/read",
    "Microsoft.Compute/skus/read",
    "Microsoft.Compute/virtualMachineScaleSets/read",
    "Microsoft.MarketplaceOrdering/offertypes/publishers/offers/plans/agreements/read",
    "Microsoft.Network/virtualNetworks/read",
    "Microsoft.Network/virtualNetworks/subnets/read",
    "Microsoft.Resources/subscriptions/providers/read",
    "Microsoft.Resources/subscriptions/read",
    "Microsoft.StorageCache/amlFilesystems/read",
)
"""Everything that reading may ask for. The built-in role Reader has all of them."""

ARM = "https://management.azure.com"
_COMPUTE_API, _SKUS_API, _PROVIDERS_API = "2024-07-01", "2021-07-01", "2021-04-01"
_TERMS_API, _AMLFS_API, _SUBSCRIPTIONS_API = "2021-01-01", "2024-03-01", "2022-12-01"
_ENVIRONMENT = ("AZURE_SUBSCRIPTION_ID", "ARM_SUBSCRIPTION_ID")
_IN_ID = re.compile(r"/subscriptions/([^/]+)/", re.IGNORECASE)
# Managed Lustre: four file systems of a subscription unless support raised it (microsoft/mcp#1165).
_LUSTRE_LIMIT = 4.0


def read(
    plan: ClusterPlan,
    now: datetime,
    environment: Mapping[str, str],
    progress: Callable[[str], None],
    api: RestApi | None = None,
) -> AccountFacts:
    """The facts of the subscription of the network that is there, else the environment's, a reservation's, or the only one.

    `api` is the resource manager with its token, for tests.
    """
    asked = api or RestApi(token_source())
    subscription = _subscription(plan, environment, asked)
    gather = Gathering(progress)
    _Subscription(plan, subscription, asked, gather).read()
    return gather.facts(plan, subscription, now)


def token_source() -> Callable[[], str]:
    """Tokens of the default Azure credentials. Raises ReadingError in one line where there are none."""
    try:
        identity: Any = import_module("azure.identity")
    except ImportError:
        raise ReadingError(
            "reading an Azure subscription needs azure-identity, which is not installed: pip install 'gpuinfra[preflight-azure]'"
        ) from None
    # It logs every way that it tried, over a page.
    logging.getLogger("azure").setLevel(logging.CRITICAL)
    try:
        credentials: Any = identity.DefaultAzureCredential(exclude_interactive_browser_credential=True)
        credentials.get_token(f"{ARM}/.default")
    except Exception as e:
        raise ReadingError(
            f"no Azure credentials can be used ({type(e).__name__}): az login; --account FILE judges a saved file"
        ) from None

    return renewing(lambda: str(credentials.get_token(f"{ARM}/.default").token))


def _subscription(plan: ClusterPlan, environment: Mapping[str, str], api: RestApi) -> str:
    named = _IN_ID.match(plan.network.existing_subnet)
    if named:
        return named[1]
    for variable in _ENVIRONMENT:
        if environment.get(variable):
            return environment[variable]
    # A reservation may be shared by another subscription.
    for pool in plan.pools:
        named = _IN_ID.match(pool.capacity.id)
        if named:
            return named[1]
    try:
        pages = api.pages(f"{ARM}/subscriptions", "Microsoft.Resources/subscriptions/read",
                          **{"api-version": _SUBSCRIPTIONS_API})  # fmt: skip
        found = [
            str(s["subscriptionId"]) for page in pages for s in page.get("value", ()) if s.get("state") == "Enabled"
        ]
    except Exception as e:
        raise ReadingError(f"the subscriptions cannot be listed: {reason_of(e)}; set {_ENVIRONMENT[0]}") from None
    if len(found) != 1:
        what = "no subscription" if not found else f"{len(found)} subscriptions"
        raise ReadingError(f"the credentials have {what}: set {_ENVIRONMENT[0]} to the one that is meant")
    return found[0]


class _Subscription:
    """Everything that is asked of one subscription."""

    def __init__(self, plan: ClusterPlan, subscription: str, api: RestApi, gather: Gathering) -> None:
        self.plan, self.api, self.gather = plan, api, gather
        self.home = f"{ARM}/subscriptions/{subscription}"
        self.region = f"{self.home}/providers/Microsoft.Compute/locations/{plan.region}"

    def read(self) -> None:
        plan, gather = self.plan, self.gather
        gather.part("quotas", "quotas of the region", self.quotas)
        if other_needs(plan):
            self.lustre_quota()
        gather.part("offerings", "sizes and their restrictions", self.offerings)
        gather.part("own_nodes", "scale sets that run", self.own_nodes)
        for service, _, _ in needed_services(plan):
            gather.entry("services", service, lambda service=service: self.service(service))
        for name in dict.fromkeys(p.capacity.id for p in plan.pools if p.capacity.type.names_capacity):
            if name:
                gather.entry("reservations", name, lambda name=name: self.reservation(name))
        for name in dict.fromkeys(p.node_image.selector for p in plan.pools if has_terms(p.node_image.selector)):
            offer = name.rpartition(":")[0]
            gather.entry("terms", offer, lambda offer=offer: self.terms(offer))
        read_existing(plan, self.home, self.api, gather)
        for store in plan.storage:
            named = store.existing if store.kind is StorageKind.BUCKET else store.import_from
            if named:
                name = named.partition("://")[2].partition("/")[0] or named
                gather.unknown[f"buckets/{name}"] = "storage accounts are not read on Azure"

    def quotas(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        url = f"{self.region}/usages"
        for page in self.api.pages(url, "Microsoft.Compute/locations/usages/read", **{"api-version": _COMPUTE_API}):
            for row in page.get("value", ()):
                found[str(row["name"]["value"]).strip()] = {
                    "limit": float(row["limit"]),
                    "used": float(row.get("currentValue", 0)),
                }
        return found

    def lustre_quota(self) -> None:
        """How many file systems the subscription has; the limit is the documented one."""
        url, permission = (
            f"{self.home}/providers/Microsoft.StorageCache/amlFilesystems",
            "Microsoft.StorageCache/amlFilesystems/read",
        )
        name = "amlFilesystems"
        try:
            pages = self.api.pages(url, permission, **{"api-version": _AMLFS_API})
            count = sum(len(page.get("value", ())) for page in pages)
        except Exception as e:
            self.gather.unknown[f"quotas/{name}"] = reason_of(e)
            return
        self.gather.parts.setdefault("quotas", {})[name] = {"limit": _LUSTRE_LIMIT, "used": float(count)}

    def offerings(self) -> dict[str, Any]:
        names = {p.instance.name.lower(): p.instance.name for p in self.plan.pools}
        found: dict[str, Any] = dict.fromkeys(names.values())
        url = f"{self.home}/providers/Microsoft.Compute/skus"
        query = {"api-version": _SKUS_API, "$filter": f"location eq '{self.plan.region}'"}
        for page in self.api.pages(url, "Microsoft.Compute/skus/read", **query):
            for row in page.get("value", ()):
                name = names.get(str(row.get("name", "")).lower())
                if name and row.get("resourceType") == "virtualMachines":
                    found[name] = _offering(row, self.plan.region)
        return found

    def own_nodes(self) -> dict[str, int]:
        found: dict[str, int] = {}
        url = f"{self.home}/providers/Microsoft.Compute/virtualMachineScaleSets"
        permission = "Microsoft.Compute/virtualMachineScaleSets/read"
        for page in self.api.pages(url, permission, **{"api-version": _COMPUTE_API}):
            for row in page.get("value", ()):
                same_place = str(row.get("location", "")).lower() == self.plan.region.lower()
                if same_place and row.get("tags", {}).get(CLUSTER_LABEL) == dict(self.plan.labels).get(CLUSTER_LABEL):
                    key = f"{_purchase(row)}/{row['sku']['name']}"
                    found[key] = found.get(key, 0) + int(row["sku"].get("capacity") or 0)
        return found

    def service(self, name: str) -> bool:
        permission = "Microsoft.Resources/subscriptions/providers/read"
        row = self.api.get(f"{self.home}/providers/{name}", permission, **{"api-version": _PROVIDERS_API})
        return row.get("registrationState") == "Registered"

    def reservation(self, name: str) -> dict[str, Any]:
        url = f"{ARM}{name}"
        self.api.get(url, "Microsoft.Compute/capacityReservationGroups/read", **{"api-version": _COMPUTE_API})
        permission = "Microsoft.Compute/capacityReservationGroups/capacityReservations/read"
        members: list[dict[str, Any]] = []
        for page in self.api.pages(f"{url}/capacityReservations", permission, **{"api-version": _COMPUTE_API}):
            members += [_reserved(row) for row in page.get("value", ())]
        return {"members": members}

    def terms(self, offer: str) -> bool:
        publisher, product, plan = offer.split(":")
        url = (
            f"{self.home}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/{publisher}"
            f"/offers/{product}/plans/{plan}/agreements/current"
        )
        permission = "Microsoft.MarketplaceOrdering/offertypes/publishers/offers/plans/agreements/read"
        try:
            row = self.api.get(url, permission, **{"api-version": _TERMS_API})
        except RefusedError as e:
            if e.missing:
                raise RefusedError(f"the marketplace has no plan {offer}") from None
            raise
        return row.get("properties", {}).get("accepted") is True


def _offering(row: Mapping[str, Any], region: str) -> dict[str, Any]:
    zones = sorted({z for info in row.get("locationInfo", ()) for z in info.get("zones", ())})
    restricted: list[dict[str, Any]] = []
    for limit in row.get("restrictions", ()):
        info: Mapping[str, Any] = limit.get("restrictionInfo", {})
        places = [str(p).lower() for p in info.get("locations", ())]
        if places and region.lower() not in places:
            continue
        # A restriction of the kind Location holds in every zone.
        held = list(info.get("zones", ())) if limit.get("type") == "Zone" else []
        restricted.append({"zones": held, "reason": str(limit.get("reasonCode", ""))})
    return {
        "zones": zones,
        "regional": True,
        "restricted": restricted,
        "quota": str(row.get("family", "")),
        "capabilities": {str(c["name"]): str(c["value"]) for c in row.get("capabilities", ())},
    }


def _purchase(row: Mapping[str, Any]) -> str:
    profile: Mapping[str, Any] = row.get("properties", {}).get("virtualMachineProfile", {}) or {}
    reserved: Mapping[str, Any] = profile.get("capacityReservation") or {}
    if reserved.get("capacityReservationGroup"):
        return "reserved"
    return "spot" if profile.get("priority") in ("Spot", "Low") else "on_demand"


def _reserved(row: Mapping[str, Any]) -> dict[str, Any]:
    more: Mapping[str, Any] = row.get("properties", {})
    total = int(row.get("sku", {}).get("capacity") or 0)
    taken = len(more.get("virtualMachinesAssociated") or ())
    state = str(more.get("provisioningState", ""))
    return {
        "kind": "on_demand",
        "instance_type": str(row.get("sku", {}).get("name", "")),
        "zone": next(iter(row.get("zones") or ()), ""),
        "total": total,
        "free": max(total - taken, 0),
        "state": "active" if state in ("Succeeded", "Updating") else state.lower(),
        "only_named": True,
    }
