"""Reads a JSON document from a file or standard input, and tells what is no document of Pulumi.

Every refusal is one finding that says what the file is instead and what to run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ..diagnostics import Code, Diagnostic, GpuInfraError, Source
from .findings import CUT_SHORT, OTHER_TOOL, UNREADABLE
from .values import mapping

MAX_BYTES = 512 * 2**20
"""The state of ten thousand resources stays below a tenth of it."""
STDIN = "-"
_PREVIEW, _STATE = "a preview of Pulumi", "a state of Pulumi"


def shown(path: str) -> str:
    """A path as findings name it."""
    return "standard input" if path == STDIN else path


def refused(code: Code, path: str, message: str, hint: str = "") -> GpuInfraError:
    """The error that holds one finding about a whole file."""
    return GpuInfraError([code.at("", message, hint).located(Source(shown(path)))])


def load(path: str) -> dict[str, Any]:
    """The JSON object in a file; `-` is standard input. Raises GpuInfraError with one finding."""
    text = _text(path, _bytes(path))
    if not text.strip():
        raise refused(UNREADABLE, path, "there is nothing in it; did the command that writes it fail?")
    try:
        document: Any = json.loads(text)
    except RecursionError:
        raise refused(OTHER_TOOL, path, "it is nested deeper than anything that Pulumi writes") from None
    except json.JSONDecodeError as e:
        raise _not_json(path, text, e) from None
    except ValueError:
        # A number of thousands of digits, which Python refuses to read.
        raise refused(OTHER_TOOL, path, "it holds a number that Pulumi does not write") from None
    if not isinstance(document, dict):
        raise refused(OTHER_TOOL, path, f"it holds {_kind(document)}, and {_PREVIEW} or {_STATE} is one object")
    return cast("dict[str, Any]", document)


def _bytes(path: str) -> bytes:
    try:
        if path == STDIN:
            return _limited(path, sys.stdin.buffer.read(MAX_BYTES + 1))
        with Path(path).open("rb") as file:
            return _limited(path, file.read(MAX_BYTES + 1))
    except FileNotFoundError:
        raise refused(UNREADABLE, path, "there is no such file") from None
    except IsADirectoryError:
        raise refused(
            UNREADABLE, path, "it is a directory", "name the file; for the folder of a program: --program"
        ) from None
    except (OSError, ValueError) as e:
        reason = (e.strerror if isinstance(e, OSError) else "") or str(e)
        raise refused(UNREADABLE, path, f"it cannot be read: {reason}") from None


def _limited(path: str, data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise refused(UNREADABLE, path, f"it is larger than {MAX_BYTES // 2**20} MiB")
    return data


def _text(path: str, data: bytes) -> str:
    """PowerShell writes `>` in UTF-16 with a mark at the start."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise refused(
            UNREADABLE, path, "it is not text in UTF-8; is it an archive, or a plan of another tool?"
        ) from None


def _not_json(path: str, text: str, error: json.JSONDecodeError) -> GpuInfraError:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].lstrip().startswith("{") and _is_object(lines[0]):
        return refused(
            OTHER_TOOL,
            path,
            "it is a log of events, one a line, which does not say what depends on what",
            "write the preview as one document: unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW, and run pulumi preview --json",
        )
    if not text.lstrip().startswith(("{", "[")):
        return refused(OTHER_TOOL, path, f"it is not JSON; it begins with {lines[0].strip()[:40]!r}")
    where = f"line {error.lineno}, column {error.colno}"
    if error.pos >= len(text.rstrip()) or "Unterminated" in error.msg:
        return refused(CUT_SHORT, path, f"it ends in the middle, at {where}")
    return refused(CUT_SHORT, path, f"it is not JSON at {where}: {error.msg}")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(cast("type[Any]", type(value)), "null")


def what_else(document: Mapping[str, Any]) -> str:
    """What a JSON object is, where it is no preview or state; empty where nobody knows."""
    keys = set(document)
    if "steps" in keys or "changeSummary" in keys:
        return _PREVIEW
    if "deployment" in keys or "checkpoint" in keys:
        return _STATE
    if "resourcePlans" in keys:
        return "a plan that `pulumi preview --save-plan` has written"
    if "planned_values" in keys or "resource_changes" in keys:
        return "a plan of Terraform"
    if "terraform_version" in keys or ("lineage" in keys and "serial" in keys):
        return "a state of Terraform"
    if "AWSTemplateFormatVersion" in keys or _cloudformation(document.get("Resources")):
        return "a CloudFormation template"
    if str(document.get("$schema", "")).rpartition("/")[2].startswith(("deploymentTemplate", "subscriptionDeployment")):
        return "a template of Azure Resource Manager"
    if "sequence" in keys and "timestamp" in keys:
        return "a log of events"
    return ""


def _cloudformation(resources: Any) -> bool:
    types = [str(mapping(r).get("Type", "")) for r in mapping(resources).values()]
    return any(t.startswith(("AWS::", "Custom::")) for t in types)


def misplaced(path: str, document: Mapping[str, Any], wanted: str) -> GpuInfraError:
    """The error for an object that is not the one wanted, `--preview` or `--state`."""
    command = {"--preview": "pulumi preview --json > preview.json", "--state": "pulumi stack export > state.json"}[
        wanted
    ]
    found = what_else(document)
    other = {_PREVIEW: "--preview", _STATE: "--state"}.get(found)
    if other is not None and other != wanted:
        return refused(OTHER_TOOL, path, f"it is {found}", f"give it with {other}")
    said = f"it is {found}" if found and other is None else _keys(document)
    return refused(OTHER_TOOL, path, said, f"write one with: {command}")


def _keys(document: Mapping[str, Any]) -> str:
    if not document:
        return "it is an empty object, which Pulumi writes where the command failed"
    some = ", ".join(repr(k[:40]) for k in list(document)[:4])
    return f"it is no document of Pulumi; its keys are {some}{' …' if len(document) > 4 else ''}"


def damaged(path: str, place: str, found: Any, wanted: str) -> GpuInfraError:
    """The error for a part of a document that does not have its form."""
    return refused(OTHER_TOOL, path, f"{place} is {_kind(found)}, and {wanted} is wanted there", "write the file again")


def finding(code: Code, path: str, message: str, hint: str = "") -> Diagnostic:
    """A finding about a whole file that does not keep it from being judged."""
    return code.at("", message, hint).located(Source(shown(path)))
