"""What `pulumi stack export` writes, as a resource graph: everything is known in it but what is encrypted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from ..diagnostics import Diagnostic
from . import documents, resources, values
from .findings import OTHER_TOOL, STATE_PENDING
from .source import Read

_VERSION: Final = re.compile(r"v?(\d+)\.(\d+)")
_WRITES_LISTS: Final = (3, 206)
"""Engines from here on write ignoreChanges and replaceOnChanges [apitype/core.go of that version]."""


_LISTED: Final = 8
_VERSIONS: Final = (1, 2, 3, 4)
"""Of the form of a deployment [apitype/core.go: current 3, latest 4]."""


def read(path: str) -> Read:
    """The graph of what is deployed. Raises GpuInfraError with one finding where the file is none."""
    document = documents.load(path, "--state")
    deployment = _deployment(path, document)
    raw = deployment.get("resources")
    if raw is not None and not isinstance(raw, list):
        raise documents.damaged(path, "deployment.resources", raw, "a list")
    listed = cast("list[Any]", raw or [])
    for n, resource in enumerate(listed):
        if not isinstance(resource, dict):
            raise documents.damaged(path, f"deployment.resources[{n}]", resource, "an object")
        documents.check_urn(path, f"deployment.resources[{n}]", cast("dict[str, Any]", resource).get("urn"))
    found = cast("list[Mapping[str, Any]]", listed)
    recent = _engine(deployment) >= _WRITES_LISTS or resources.writes_lists(found)
    remarks = _pending(path, deployment.get("pending_operations"))
    return Read(resources.graph(found, preview=False, writes_lists=recent), remarks=remarks)


def _pending(path: str, raw: Any) -> tuple[Diagnostic, ...]:
    """What a deployment was making when it was broken off."""
    listed = [values.mapping(o) for o in cast("list[Any]", raw)] if isinstance(raw, list) else []
    urns = [str(values.mapping(o.get("resource")).get("urn", "")) for o in listed if o.get("type") == "creating"]
    names = sorted({resources.name_of(urn) for urn in urns if values.is_urn(urn)})
    if not names:
        return ()
    shown = ", ".join(names[:_LISTED]) + (" …" if names[_LISTED:] else "")
    said = f"a deployment was broken off while it made {shown}: it may run, and is not in the file"
    return (documents.finding(STATE_PENDING, path, said, "find it in the cloud, and clear it: pulumi refresh"),)


def _deployment(path: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The deployment of an export, or of the file that a backend of files keeps."""
    inner: Any = document.get("deployment")
    checkpoint = document.get("checkpoint")
    if "deployment" not in document and isinstance(checkpoint, dict):
        inner = values.mapping(checkpoint).get("latest")
    elif "deployment" not in document:
        raise documents.misplaced(path, document, "--state")
    version = document.get("version")
    if version is not None and version not in _VERSIONS:
        raise documents.refused(
            OTHER_TOOL,
            path,
            f"it is a state of version {documents.quoted(version)}, and {_VERSIONS[0]} to {_VERSIONS[-1]} are known",
            "export it with an engine of this year, or update gpuinfra",
        )
    if inner is None:
        # What `stack export` writes of a stack that was never deployed.
        return {}
    if not isinstance(inner, dict):
        raise documents.damaged(path, "deployment", inner, "an object")
    if not {"manifest", "resources"} & set(cast("Mapping[str, Any]", inner)):
        # An export of an empty stack leaves out the resources, and says when and by which engine it was deployed.
        raise documents.refused(
            OTHER_TOOL,
            path,
            "its deployment has neither a manifest nor resources, so that it is no export of Pulumi",
            "write one with: pulumi stack export > state.json",
        )
    return cast("Mapping[str, Any]", inner)


def _engine(deployment: Mapping[str, Any]) -> tuple[int, int]:
    match = _VERSION.match(str(values.mapping(deployment.get("manifest")).get("version")))
    return (int(match[1]), int(match[2])) if match else (0, 0)
