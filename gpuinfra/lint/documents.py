"""Reads a JSON document from a file or standard input, and tells what is no document of Pulumi.

Every refusal is one finding that says what the file is instead and what to run.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
import sys
import time
from collections.abc import Mapping
from typing import Any, cast

from ..diagnostics import Code, Diagnostic, GpuInfraError, Severity, Source
from ..spec.reading import STDIN
from .findings import CUT_SHORT, OTHER_TOOL, UNREADABLE
from .values import is_urn, mapping

MAX_BYTES = 256 * 2**20
"""The state of ten thousand resources stays below a fifth of it."""
_PIPE = "-"
_PATIENCE_S = 5.0
"""For somebody to open a pipe; how long it then takes to write is the writer's own affair."""
_PREVIEW, _STATE, _LOG = "a preview of Pulumi", "a state of Pulumi", "a log of events"


def shown(path: str) -> str:
    """A path as findings name it."""
    return STDIN if path == _PIPE else path


def refused(code: Code, path: str, message: str, hint: str = "") -> GpuInfraError:
    """The error that holds one finding about a whole file."""
    # What keeps a file from being judged is an error, also where the code is a warning about one that was.
    return GpuInfraError([code.at("", message, hint, severity=Severity.ERROR).located(Source(shown(path)))])


_COMMANDS = {"--preview": "pulumi preview --json > preview.json", "--state": "pulumi stack export > state.json"}
"""What writes the file of each option."""


def load(path: str, wanted: str) -> dict[str, Any]:
    """The JSON object in the file of `wanted`, which is --preview or --state; `-` is standard input. Raises GpuInfraError
    with one finding."""
    text = _behind_messages(_text(path, _bytes(path)))
    if not text.strip():
        raise refused(UNREADABLE, path, "there is nothing in it; did the command that writes it fail?")
    try:
        document: Any = json.loads(text)
    except RecursionError:
        raise refused(OTHER_TOOL, path, "it is nested deeper than anything that Pulumi writes") from None
    except json.JSONDecodeError as e:
        raise _not_json(path, text, e, wanted) from None
    except ValueError:
        # A number of thousands of digits, which Python refuses to read.
        raise refused(OTHER_TOOL, path, "it holds a number that Pulumi does not write") from None
    if not isinstance(document, dict):
        raise refused(OTHER_TOOL, path, f"it holds {_kind(document)}, and {_PREVIEW} or {_STATE} is one object")
    return cast("dict[str, Any]", document)


def _bytes(path: str) -> bytes:
    try:
        if path == _PIPE:
            return _limited(path, sys.stdin.buffer.read(MAX_BYTES + 1))
        with open(path, "rb", opener=_without_waiting) as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES:
                raise _too_large(path)
            head = _first_of_pipe(path, file.fileno()) if stat.S_ISFIFO(status.st_mode) else b""
            os.set_blocking(file.fileno(), True)
            return _limited(path, head + file.read(MAX_BYTES + 1))
    except FileNotFoundError:
        raise refused(UNREADABLE, path, "there is no such file") from None
    except IsADirectoryError:
        raise refused(
            UNREADABLE, path, "it is a directory", "name the file; for the folder of a program: --program"
        ) from None
    except (OSError, ValueError) as e:
        reason = (e.strerror if isinstance(e, OSError) else "") or str(e)
        raise refused(UNREADABLE, path, f"it cannot be read: {reason}") from None


def _without_waiting(path: str, flags: int) -> int:
    # A pipe that nobody opens to write would be waited for without end, in `open` itself.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _first_of_pipe(path: str, descriptor: int) -> bytes:
    """The first bytes of a pipe, or none of one whose writer takes its time. Refuses one that nobody writes into."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        try:
            head = os.read(descriptor, 65536)
        except BlockingIOError:
            return b""
        if head:
            return head
        time.sleep(0.02)
    raise refused(UNREADABLE, path, "it is a pipe that nothing is written into")


def _limited(path: str, data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise _too_large(path)
    return data


def _too_large(path: str) -> GpuInfraError:
    return refused(
        UNREADABLE,
        path,
        f"it is larger than {MAX_BYTES // 2**20} MiB",
        "Is it a preview or a state? Without what a program embeds (archives, generated files) no stack's is so large.",
    )


_OBJECT = re.compile(r"^\{\s*$", re.MULTILINE)
"""How Pulumi begins a document: by a line of its own."""

_MARKS = (
    # The mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"{\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
)
"""How a document begins that is not UTF-8: PowerShell writes `>` in UTF-16, with a mark or without."""


def _text(path: str, data: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8-sig")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise refused(
            UNREADABLE, path, "it is not text in UTF-8; is it an archive, or a plan of another tool?"
        ) from None


def _behind_messages(text: str) -> str:
    """The text from the line on which an object begins, where lines of messages stand in front of it: `2>&1` writes the
    warnings of the command into the same file. A text in which none begins stays as it is."""
    if not text.strip() or text.lstrip().startswith(("{", "[")):
        return text
    begin = _OBJECT.search(text)
    # Blank lines in its place, so that a place in the document stays the place in the file.
    return "\n" * text.count("\n", 0, begin.start()) + text[begin.start() :] if begin else text


def _not_json(path: str, text: str, error: json.JSONDecodeError, wanted: str) -> GpuInfraError:
    lines = [line for line in text.splitlines() if line.strip()]
    first = _first_object(text) if error.msg == "Extra data" else None
    if first is not None:
        found = what_else(first)
        if found == _LOG:
            return _log_of_events(path)
        said = f"{found or 'one document'} ends, and at line {error.lineno} something else begins"
        return refused(OTHER_TOOL, path, said, "give each document in a file of its own, standard output alone")
    if not text.lstrip().startswith(("{", "[")):
        return refused(OTHER_TOOL, path, f"it is not JSON; it begins with {lines[0].strip()[:40]!r}")
    again = f"write it again, standard output alone: {_COMMANDS[wanted]}"
    where = f"line {error.lineno}, column {error.colno}"
    if error.pos >= len(text.rstrip()) or "Unterminated" in error.msg:
        return refused(CUT_SHORT, path, f"it ends in the middle, at {where}", again)
    return refused(CUT_SHORT, path, f"it is not JSON at {where}: {error.msg}", again)


def _first_object(text: str) -> dict[str, Any] | None:
    """The object that a text begins with."""
    try:
        found, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def quoted(value: Any) -> str:
    """A value of a file as a message shows it."""
    return json.dumps(value)[:40]


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
    if "timestamp" in keys and ("sequence" in keys or any(k.endswith("Event") for k in keys)):
        return _LOG
    if "deployments" in keys:
        return "a list of several deployments"
    return ""


def _cloudformation(resources: Any) -> bool:
    types = [str(mapping(r).get("Type", "")) for r in mapping(resources).values()]
    return any(t.startswith(("AWS::", "Custom::")) for t in types)


def misplaced(path: str, document: Mapping[str, Any], wanted: str) -> GpuInfraError:
    """The error for an object that is not the one wanted, `--preview` or `--state`."""
    command = _COMMANDS[wanted]
    found = what_else(document)
    other = {_PREVIEW: "--preview", _STATE: "--state"}.get(found)
    if other is not None and other != wanted:
        return refused(OTHER_TOOL, path, f"it is {found}", f"give it with {other}")
    said = f"it is {found}" if found and other is None else _keys(document)
    if found == _LOG:
        return _log_of_events(path)
    return refused(OTHER_TOOL, path, said, f"write one with: {command}")


def _log_of_events(path: str) -> GpuInfraError:
    return refused(
        OTHER_TOOL,
        path,
        "it is a log of events, one a line, which does not say what depends on what",
        "write the preview as one document: unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW, and run pulumi preview --json",
    )


def _keys(document: Mapping[str, Any]) -> str:
    if not document:
        return "it is an empty object, which Pulumi writes where the command failed"
    some = ", ".join(repr(k[:40]) for k in list(document)[:4])
    return f"it is no document of Pulumi; its keys are {some}{' …' if len(document) > 4 else ''}"


def damaged(path: str, place: str, found: Any, wanted: str) -> GpuInfraError:
    """The error for a part of a document that does not have its form."""
    return refused(OTHER_TOOL, path, f"{place} is {_kind(found)}, and {wanted} is wanted there", "write the file again")


def check_urn(path: str, place: str, urn: Any) -> None:
    """Refuses a resource without a URN: no rule would see it, and its silence would look like a pass."""
    if not is_urn(urn):
        raise refused(
            OTHER_TOOL, path, f"{place} is no resource of Pulumi: it has no URN", "write the file again, with Pulumi"
        )


def finding(code: Code, path: str, message: str, hint: str = "") -> Diagnostic:
    """A finding about a whole file that does not keep it from being judged."""
    return code.at("", message, hint).located(Source(shown(path)))
