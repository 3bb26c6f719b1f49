"""What `pulumi preview --json` writes, as a resource graph and the inputs of the last deployment.

The document is a PreviewDigest: steps with the old and the new state of each resource. Resources that do not change are
left out unless `--show-sames` was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from ..diagnostics import Diagnostic, Severity
from ..policy.resource_graph import ResourceGraph
from . import documents, resources, values
from .findings import PREVIEW_FAILED, PREVIEW_PARTIAL
from .source import Read

_GONE: Final = frozenset({"delete", "delete-replaced", "discard", "discard-replaced", "remove-pending-replace"})
"""Steps after which the resource, or this one of two, is not there."""
_MAY_BE_GONE: Final = _GONE | {"refresh"}
_READ: Final = frozenset({"read", "read-replacement"})
_NEW: Final = frozenset({"create", *_READ})
_SHOWN: Final = 200


def read(path: str) -> Read:
    """The graph that the program would have made. Raises GpuInfraError with one finding where the file is none."""
    document = documents.load(path, "--preview")
    if "steps" not in document and "changeSummary" not in document:
        raise documents.misplaced(path, document, "--preview")
    steps = _steps(path, document.get("steps"))
    if not steps and not _same(document):
        # Even a program that makes nothing has its stack.
        why = _first_error(document.get("diagnostics"))
        said = f"it ended with an error: {why}" if why else "it did not come to the program's first line"
        raise documents.refused(PREVIEW_FAILED, path, f"the preview lists nothing, not even the stack: {said}")
    present: dict[str, dict[str, Any]] = {}
    facts: dict[str, Any] = {}
    for step in steps:
        operation, old, new = str(step.get("op")), _state(step, "oldState"), _state(step, "newState")
        if operation in _GONE or new is None:
            continue
        urn = str(new.get("urn") or step.get("urn") or "")
        # The new state of a resource that is there has no id yet: the old one's is the one that others point at.
        known = old.get("id") if old is not None and operation not in ("replace", "create-replacement") else None
        present[urn] = {**new, "urn": urn, "id": new.get("id") or known, "external": _external(operation, new)}
        if old is not None and operation not in _NEW and not old.get("external"):
            facts[urn] = {"inputs": values.inputs(old.get("inputs"))}
    found = [*present.values()]
    graph = resources.graph(found, preview=True, writes_lists=resources.writes_lists(found))
    return Read(graph, facts, tuple(_remarks(path, document, steps, graph)))


def _external(operation: str, new: Mapping[str, Any]) -> bool:
    return operation in _READ or new.get("external") is True


def _steps(path: str, raw: Any) -> list[Mapping[str, Any]]:
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise documents.damaged(path, "steps", raw, "a list")
    listed = cast("list[Any]", raw)
    for n, step in enumerate(listed):
        if not isinstance(step, dict):
            raise documents.damaged(path, f"steps[{n}]", step, "an object")
        _check_step(path, f"steps[{n}]", cast("dict[str, Any]", step))
    return cast("list[Mapping[str, Any]]", listed)


def _check_step(path: str, place: str, step: Mapping[str, Any]) -> None:
    operation = step.get("op")
    if not isinstance(operation, str):
        raise documents.damaged(path, f"{place}.op", operation, "a text, as create,")
    for key in ("newState", "oldState"):
        state = step.get(key)
        if state is not None and not isinstance(state, dict):
            raise documents.damaged(path, f"{place}.{key}", state, "an object")
    new = _state(step, "newState")
    if new is None and operation not in _MAY_BE_GONE:
        raise documents.damaged(path, f"{place}.newState", new, f"what `{operation}` makes")
    if new is not None and operation not in _GONE:
        documents.check_urn(path, place, new.get("urn") or step.get("urn"))


def _state(step: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    return cast("dict[str, Any] | None", step.get(key))


def _remarks(
    path: str, document: Mapping[str, Any], steps: list[Mapping[str, Any]], graph: ResourceGraph
) -> list[Diagnostic]:
    """What is to be known about the file before its findings are believed."""
    remarks: list[Diagnostic] = []
    error = _first_error(document.get("diagnostics"))
    if error:
        remarks.append(documents.finding(PREVIEW_FAILED, path, f"the preview ended with an error: {error}"))
    listed = sum(step.get("op") == "same" for step in steps)
    stack_listed = any(resources.STACK in str(step.get("urn")) for step in steps)
    left_out = _same(document) - listed - (0 if stack_listed else 1)
    if left_out > 0:
        those = (
            "1 resource that does not change is" if left_out == 1 else f"{left_out} resources that do not change are"
        )
        remarks.append(documents.finding(PREVIEW_PARTIAL, path, f"{those} not in it"))
    # A warning is enough where something was judged: nothing at all must not pass.
    return remarks if graph.resources else [replace(r, severity=Severity.ERROR) for r in remarks]


def _same(document: Mapping[str, Any]) -> int:
    """How many resources do not change, the stack among them."""
    same = values.mapping(document.get("changeSummary")).get("same")
    return same if isinstance(same, int) else 0


def _first_error(raw: Any) -> str:
    """The first line of what went wrong; of a traceback the last, which says it."""
    for entry in cast("list[Any]", raw) if isinstance(raw, list) else ():
        said = values.mapping(entry)
        lines = [line.strip() for line in str(said.get("message", "")).splitlines() if line.strip()]
        if said.get("severity") == "error" and lines:
            line = lines[-1] if any(one.startswith("Traceback") for one in lines) else lines[0]
            return line.removeprefix("error: ")[:_SHOWN]
    return ""
