"""The parts of SARIF 2.1.0 that gpuinfra writes, as a JSON schema that lets nothing else pass.

Written from the standard (OASIS, Static Analysis Results Interchange Format Version 2.1.0, section 3): property names,
required ones, words and unique lists. It is stricter than the standard's own schema: what is not named here is refused.
"""

from __future__ import annotations

from typing import Any


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required.split(),
        "properties": properties,
    }


def _list(items: Any, *, unique: bool = False, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": unique, "minItems": least}


def _words(*words: str) -> dict[str, Any]:
    return {"enum": list(words)}


_TEXT = {"type": "string", "minLength": 1}
_BAG = {"type": "object", "properties": {"tags": _list({"type": "string"}, unique=True)}}
_MESSAGE = _object("text", text=_TEXT)
_MULTIFORM = _object("text", text=_TEXT, markdown=_TEXT)
_LEVEL = _words("none", "note", "warning", "error")
_ARTIFACT_LOCATION = _object("uri", uri={"type": "string", "minLength": 1, "format": "uri-reference"})
_REGION = _object(
    "startLine", startLine={"type": "integer", "minimum": 1}, startColumn={"type": "integer", "minimum": 1}
)
_LOGICAL = _object("kind", name=_TEXT, fullyQualifiedName=_TEXT, kind=_TEXT)
_LOCATION = _object(
    "",
    physicalLocation=_object("artifactLocation", artifactLocation=_ARTIFACT_LOCATION, region=_REGION),
    logicalLocations=_list(_LOGICAL, unique=True, least=1),
)
_SUPPRESSION = _object(
    "kind status justification",
    kind=_words("inSource", "external"),
    status=_words("accepted", "underReview", "rejected"),
    justification=_TEXT,
)
_RESULT: dict[str, Any] = {
    **_object(
        "ruleId ruleIndex level message locations",
        ruleId={"type": "string", "pattern": r"^GI\d{4}$"},
        ruleIndex={"type": "integer", "minimum": 0},
        kind=_words("open"),
        level=_LEVEL,
        message=_MESSAGE,
        locations=_list(_LOCATION, least=1),
        partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
        suppressions=_list(_SUPPRESSION, unique=True),
        properties=_BAG,
    ),
    # 3.27.10: where the kind is not 'fail', the level is 'none'; without a kind it is 'fail'.
    "if": {"required": ["kind"]},
    "then": {"properties": {"level": {"const": "none"}}},
    "else": {"properties": {"level": _words("note", "warning", "error")}},
}
_RULE = _object(
    "id",
    id=_TEXT,
    name=_TEXT,
    shortDescription=_MULTIFORM,
    fullDescription=_MULTIFORM,
    help=_MULTIFORM,
    defaultConfiguration=_object("level", level=_words("note", "warning", "error")),
    properties=_BAG,
)
_INVOCATION = _object(
    "executionSuccessful",
    executionSuccessful={"type": "boolean"},
    toolExecutionNotifications=_list(_object("message level", message=_MESSAGE, level=_LEVEL)),
)
_RUN = _object(
    "tool results",
    tool=_object("driver", driver=_object("name version", name=_TEXT, version=_TEXT, rules=_list(_RULE, unique=True))),
    columnKind=_words("utf16CodeUnits", "unicodeCodePoints"),
    invocations=_list(_INVOCATION, least=1),
    artifacts=_list(_object("location", location=_ARTIFACT_LOCATION), unique=True),
    results=_list(_RESULT),
)
SARIF: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **_object(
        "version runs",
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"const": "2.1.0"},
        runs={**_list(_RUN, least=1), "maxItems": 1},
    ),
}
