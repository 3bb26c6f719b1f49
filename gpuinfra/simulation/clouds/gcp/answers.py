"""What Google Cloud's data sources say, where it is more than a resource's own properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .... import catalog
from ....plan.zones import region_zones
from ....vocabulary import Provider
from ...cloud import Answer, digest
from ...world import World
from .words import API, NUMBER

_BILLING = "000000-000000-000000"
_Given = Mapping[str, Any]
_KUBERNETES = ("1.35.1-gke.1396000", "1.34.3-gke.1318000", "1.33.5-gke.1201000")
_DEFAULT_REGION = "us-central1"


def _project(args: _Given, config: _Given) -> str:
    return str(args.get("project") or args.get("projectId") or config.get("project") or "project")


def _project_looked_up(args: _Given, world: World, config: _Given) -> _Given:
    project = args.get("projectId") or config.get("project") or "project"
    return {
        "projectId": project,
        "id": f"projects/{project}",
        "number": NUMBER,
        "billingAccount": _BILLING,
        "name": project,
        "autoCreateNetwork": False,
        "deletionPolicy": "PREVENT",
        "folderId": "",
        "orgId": "",
        "labels": {},
        "effectiveLabels": {},
        "pulumiLabels": {},
        "tags": {},
    }


def _image_looked_up(args: _Given, world: World, config: _Given) -> _Given:
    name = args.get("name") or f"{args.get('family')}-v20261101"
    id_ = f"projects/{_project(args, config)}/global/images/{name}"
    return {
        **args,
        "id": id_,
        "name": name,
        "project": _project(args, config),
        "selfLink": API + id_,
        "imageId": digest(id_, 16),
        "status": "READY",
    }


def _zones(args: _Given, world: World, config: _Given) -> _Given:
    where, project = str(args.get("region") or config.get("region") or _DEFAULT_REGION), _project(args, config)
    names = region_zones(Provider.GCP, where) or tuple(f"{where}-{c}" for c in "abc")
    return {
        **args,
        "id": f"projects/{project}/regions/{where}",
        "names": list(names),
        "project": project,
        "region": where,
    }


def _regions(args: _Given, world: World, config: _Given) -> _Given:
    project = _project(args, config)
    return {**args, "id": f"projects/{project}", "names": list(catalog.regions(Provider.GCP)), "project": project}


def _client(args: _Given, world: World, config: _Given) -> _Given:
    project = _project({}, config)
    place = {"region": config.get("region") or "", "zone": config.get("zone") or ""}
    return {
        "id": f'projects/"{project}"/regions/"{place["region"]}"/zones/"{place["zone"]}"',
        "project": project,
        "accessToken": f"ya29.{digest(project, 40)}",
        "defaultLabels": {},
        **place,
    }


def _versions(args: _Given, world: World, config: _Given) -> _Given:
    prefix = str(args.get("versionPrefix") or "")
    fits = [v for v in _KUBERNETES if v.startswith(prefix)]
    latest = (fits or _KUBERNETES)[0]
    channels = dict.fromkeys(("RAPID", "REGULAR", "STABLE"), latest)
    return {
        **args,
        "id": str(world.now),
        "validMasterVersions": fits,
        "validNodeVersions": fits,
        "latestMasterVersion": latest,
        "latestNodeVersion": latest,
        "defaultClusterVersion": latest,
        "releaseChannelDefaultVersion": channels,
        "releaseChannelLatestVersion": channels,
    }


def _own_account(args: _Given, world: World, config: _Given) -> _Given:
    project, email = _project(args, config), f"{NUMBER}-compute@developer.gserviceaccount.com"
    id_ = f"projects/{project}/serviceAccounts/{email}"
    return {**args, "id": id_, "name": id_, "email": email, "member": f"serviceAccount:{email}", "project": project}


def _billing(args: _Given, world: World, config: _Given) -> _Given:
    id_ = str(args.get("billingAccount") or _BILLING).rsplit("/", 1)[-1]
    return {**args, "id": id_, "name": f"billingAccounts/{id_}", "open": True, "currencyCode": "USD", "projectIds": []}


def _machine_types(args: _Given, world: World, config: _Given) -> _Given:
    zone = str(args.get("zone") or config.get("zone") or f"{_DEFAULT_REGION}-a")
    rows = [
        (t, catalog.zones(Provider.GCP, zone.rsplit("-", 1)[0], t.name)) for t in catalog.instance_types(Provider.GCP)
    ]
    there = [t for t, row in rows if row and zone in row.zones]
    return {
        **args,
        "id": zone,
        "zone": zone,
        "machineTypes": [
            {
                "name": t.name,
                "guestCpus": t.vcpus,
                "selfLink": f"{API}projects/{_project(args, config)}/zones/{zone}/machineTypes/{t.name}",
            }
            for t in there
        ],
    }


INVOKE: Mapping[str, Answer] = {
    "gcp:organizations/getProject:getProject": _project_looked_up,
    "gcp:organizations/getClientConfig:getClientConfig": _client,
    "gcp:organizations/getBillingAccount:getBillingAccount": _billing,
    "gcp:compute/getImage:getImage": _image_looked_up,
    "gcp:compute/getZones:getZones": _zones,
    "gcp:compute/getRegions:getRegions": _regions,
    "gcp:compute/getMachineTypes:getMachineTypes": _machine_types,
    "gcp:compute/getDefaultServiceAccount:getDefaultServiceAccount": _own_account,
    "gcp:container/getEngineVersions:getEngineVersions": _versions,
}
