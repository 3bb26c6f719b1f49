"""The forms of Google's own texts, and the ids of types that no table has."""

from __future__ import annotations

import base64
from typing import Any

from ...cloud import Request, digest
from . import machines

API = "https://www.googleapis.com/compute/v1/"
NUMBER = "123456789012"
"""The number of a project in Google's documentation."""
DOCUMENT = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVk\n-----END CERTIFICATE-----\n").decode()
_MODULES_OF_COMPUTE = ("compute",)


def project(request: Request) -> str:
    """The project of a resource."""
    return str(request.inputs.get("project") or request.config.get("project") or "project")


_PLACES = ("zone", "region", "location")


def placed(request: Request) -> dict[str, Any]:
    """The provider's own project, and its own zone or region where the resource names no place of its own."""
    config = request.config
    zone = config.get("zone")
    region = config.get("region") or (str(zone).rpartition("-")[0] if zone else None)
    place = {"zone": zone, "region": region, "location": zone or region}
    nowhere = all(request.inputs.get(key) is None for key in _PLACES)
    return {"project": config.get("project"), **(place if nowhere else {})}


def usual_id(request: Request, name: str) -> str:
    """The id that the API has for a type's resources in nearly all cases: a place, a collection, a name."""
    parts = request.type.split(":")
    module, _, what = parts[1].partition("/") if len(parts) > 1 else ("", "", "thing")
    collection = f"{what[:-1]}ies" if what.endswith("y") else f"{what}es" if what.endswith("s") else f"{what}s"
    p = project(request)
    for key in ("zone", "region", "location"):
        if isinstance(request.inputs.get(key), str):
            where = f"{key}s/{machines.place_of(request.inputs)}"
            return f"projects/{p}/{where}/{collection}/{name}"
    return f"projects/{p}/{'global/' if module in _MODULES_OF_COMPUTE else ''}{collection}/{name}"


def word(request: Request, id_: str, name: str) -> Any:
    """The form of a computed text, by its name."""
    if name == "selfLink":
        return id_ if id_.startswith("https://") else API + id_
    if name in ("project", "projectId"):
        return project(request)
    if name in ("creationTimestamp", "createTime", "updateTime", "creationTime"):
        return request.world.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    if name in ("fingerprint", "etag", "labelFingerprint", "metadataFingerprint", "tagsFingerprint"):
        return base64.b64encode(digest(f"{id_}{name}", 8).encode()).decode()
    if name in ("instanceId", "uniqueId", "generatedId", "networkId", "numericId", "snapshotId"):
        return str(int(digest(f"{id_}{name}", 15), 16))
    if name in ("clusterCaCertificate",):
        return DOCUMENT
    if name in ("clientCertificate", "clientKey"):
        return ""
    if name == "ipCidrRange":
        return "10.128.0.0/20"
    if name in ("gatewayAddress", "address", "ipAddress") or name.endswith("Ip"):
        return "10.128.0.1"
    if name == "number":
        return NUMBER
    if name in ("region", "zone", "location"):
        return request.inputs.get(name) or request.config.get(name)
    if name in ("state", "status", "currentStatus"):
        return {"state": "ACTIVE", "status": "READY"}.get(name, "RUNNING")
    return None
