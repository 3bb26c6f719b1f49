"""The JSON schema of a spec, for editors and other tools: draft 2020-12."""

from __future__ import annotations

from typing import Any, cast

from .models import API_VERSION, ClusterSpec

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The schema of `cluster.yaml`. Whatever it refuses, `load` refuses too; `load` checks more."""
    schema: dict[str, Any] = ClusterSpec.model_json_schema(mode="validation")
    parts: dict[str, Any] = schema.pop("$defs")
    for part in (schema, *parts.values()):
        for name, field in cast(dict[str, Any], part.get("properties", {})).items():
            field.pop("title", None)
            _complete(part, name, field)
    description = f"One GPU cluster, as gpuinfra reads it ({API_VERSION})."
    head = {"$schema": DIALECT, "title": "gpuinfra cluster", "description": description}
    rest = {k: v for k, v in schema.items() if k not in head}
    return {**head, **rest, "$defs": dict(sorted(parts.items()))}


def _complete(part: dict[str, Any], name: str, field: dict[str, Any]) -> None:
    """A constant that tells the arms of a union apart must be written, whatever Python's default says."""
    if "const" in field and name != "api_version":
        field.pop("default", None)
        required: list[str] = part.setdefault("required", [])
        if name not in required:
            required.insert(0, name)
