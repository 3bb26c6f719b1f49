"""The folder of a pack: what Pulumi runs and publishes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .rules import configurable, pack_rules
from .settings import OWN_FILE, SCHEMA_FILE, SettingsError, own_settings, settings_schema

PROJECT: Final = "PulumiPolicy.yaml"
_MARK: Final = "# Written by gpuinfra policy-pack."
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")

_MAIN: Final = '''\
"""The rules of gpuinfra as a policy pack. What is configured stands in {own_file}, not here."""

import sys

try:
    from gpuinfra.pack import serve
except ImportError as e:
    print(f"{{e.name or e}} is missing; install what the pack needs: pip install -r requirements.txt", file=sys.stderr, flush=True)
    sys.exit(1)

if __name__ == "__main__":
    serve(__file__, name="{name}")
'''


class PackFolderError(Exception):
    """A folder in which no pack can be written. The text is for a person."""


def write_pack(
    folder: Path, *, name: str, version: str, requirements: Sequence[str] = (), force: bool = False
) -> tuple[Path, ...]:
    """Writes a pack and gives its files. A folder that holds something else is refused, or with `force` kept beside.

    `requirements` are the lines by which pip finds what the pack needs; without them this version of gpuinfra, from the
    index. A configuration of the user's own (policy-config.json) is never touched. Raises PackFolderError.
    """
    if not _NAME.fullmatch(name):
        raise PackFolderError(
            f"'{name}' is no name of a policy pack: up to 100 letters, digits, hyphens, underscores and periods"
        )
    for line in requirements:
        _check_requirement(line)
    if folder.exists() and not folder.is_dir():
        raise PackFolderError(f"{folder} is a file; name a new folder")
    try:
        if not force and folder.exists() and any(folder.iterdir()) and not _is_ours(folder):
            raise PackFolderError(
                f"{folder} is not empty, and what is in it is no policy pack of gpuinfra; name a new folder, or "
                "write into this one with --force"
            )
        folder.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        for file, text in _files(name, version, requirements or (f"gpuinfra[policy]=={version}",)).items():
            (folder / file).write_text(text, encoding="utf-8")
            written.append(folder / file)
    except OSError as e:
        raise PackFolderError(f"{e.filename or folder} cannot be written: {e.strerror or e}") from e
    return tuple(written)


def _check_requirement(line: str) -> None:
    """Refuses what pip would read as more than one requirement: another line, or an option as --index-url."""
    shown = line.encode("unicode_escape").decode()[:80]
    if len(line.splitlines()) != 1 or not line.strip() or line.rstrip().endswith("\\") or not line.isprintable():
        raise PackFolderError(f"'{shown}' is no requirement: one line of text is wanted, as gpuinfra[policy]==1.0")
    option = next((word for word in line.split() if word.startswith("-")), "")
    if option:
        raise PackFolderError(
            f"'{shown}' holds the option {option[:40]}: a requirement names a package, a file or an address; write options "
            "into pip's own configuration"
        )
    if not any(form.fullmatch(_REMARK.sub("", line).strip()) for form in (_NAMED, _ADDRESS, _FILE)):
        raise PackFolderError(
            f"'{shown}' is no requirement: a package, a file or an address is wanted, as gpuinfra[policy]==1.0, "
            "./gpuinfra-1.0-py3-none-any.whl[policy], or gpuinfra @ https://…"
        )


_WORD: Final = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_EXTRAS: Final = rf"(?:\s*\[\s*(?:{_WORD}(?:\s*,\s*{_WORD})*)?\s*\])?"
_VERSION: Final = r"(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9._*+!-]*"
_VERSIONS: Final = rf"{_VERSION}(?:\s*,\s*{_VERSION})*"
_TERM: Final = r"""(?:[a-z_]+|'[^']*'|"[^"]*")"""
_MARKER: Final = rf"(?:\s*;\s*\(*\s*{_TERM}\s*(?:===|==|~=|!=|<=|>=|<|>|in\b|not\s+in\b)\s*{_TERM}[^;]*)?"
_REMARK: Final = re.compile(r"\s#.*")
_NAMED: Final = re.compile(
    rf"{_WORD}{_EXTRAS}\s*(?:{_VERSIONS}|\(\s*{_VERSIONS}\s*\)|@\s*[A-Za-z][A-Za-z0-9+.-]*:\S+)?{_MARKER}"
)
"""A package by its name, as PEP 508 writes it."""
_ADDRESS: Final = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*:/\S+{_MARKER}")
_FILE: Final = re.compile(
    rf"(?:(?:\.{{0,2}}|~|[A-Za-z]:)[/\\][^;]+|\.{{1,2}}|[^\s;]+[/\\][^\s;]*|[^\s;/\\]+\.(?:whl|zip|tgz|tar\.[a-z0-9]+)){_EXTRAS}{_MARKER}"
)
"""A file or a folder here, which pip tells by a separator or by its ending."""


def fault_of_configuration(folder: Path) -> str:
    """What is wrong with the pack's own configuration, with which it would not start; nothing where all is right."""
    rules, _ = pack_rules()
    try:
        own_settings(folder, configurable(rules))
    except SettingsError as e:
        return str(e)
    return ""


def _is_ours(folder: Path) -> bool:
    project = folder / PROJECT
    return project.is_file() and _MARK in project.read_text(encoding="utf-8", errors="replace")


def _files(name: str, version: str, requirements: Sequence[str]) -> dict[str, str]:
    rules, faults = pack_rules()
    if faults:
        raise PackFolderError("; ".join(faults))
    schema = settings_schema([(r.code.code, f"{r.code.slug} ({r.code.severity})", r.demands_end) for r in rules])
    return {
        PROJECT: (
            f"{_MARK} The rules are those of the version of gpuinfra that requirements.txt names.\n"
            "runtime: python\n"
            f"version: {version}\n"
            f"description: {len(rules)} rules over GPU clusters on AWS, Google Cloud and Azure.\n"
        ),
        "__main__.py": _MAIN.format(own_file=OWN_FILE, name=name),
        "requirements.txt": "".join(f"{line}\n" for line in requirements),
        SCHEMA_FILE: json.dumps(schema, indent=2) + "\n",
    }
