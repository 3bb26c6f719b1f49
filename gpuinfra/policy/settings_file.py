"""The form of a settings file, and its reading: each finding with its line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

from pydantic import Field, ValidationError

from ..diagnostics import OWN_CODES, Code, Diagnostic, Severity, Source, did_you_mean, has_errors
from ..spec import findings as f
from ..spec.base import Day, SpecModel, Text
from ..spec.document import compose
from ..spec.paths import Path, path_text
from ..spec.positions import Positions
from ..spec.quantities import printable, shown
from ..spec.reading import read_text, shown_file
from ..spec.wanted import wanted
from .registry import house_codes
from .settings import (
    LEVELS,
    NOT_LOWERED,
    OFF,
    UNKNOWN_CODE,
    Level,
    PlacedWaiver,
    Settings,
)

_READING = "GI1"
_MAX_FINDINGS = 50


class SettingsWaiver(SpecModel):
    """A finding that an organisation accepts for a while."""

    multi_line: ClassVar[frozenset[str]] = frozenset({"reason"})

    code: str = Field(pattern=r"^GI[0-9]{4}$")
    files: str | None = Field(default=None, min_length=1)
    """Which specs or programs, as a pattern from the settings file's folder: `stacks/old-*/cluster.yaml`."""
    path: str | None = Field(default=None, min_length=1)
    """Where in them, `*` for any text; a prefix covers all below it."""
    urn: str | None = Field(default=None, min_length=1)
    """Which resource, by its URN, `*` for any text."""
    reason: str = Field(min_length=1, pattern=r"\S")
    expires: Day


class SettingsModel(SpecModel):
    """A settings file."""

    severity: dict[Text, Text] = Field(default={})
    """By code: error, warning, info or off."""
    waivers: tuple[SettingsWaiver, ...] = Field(default=(), max_length=1000)
    lease_above_usd_per_hour: float | None = Field(default=None, gt=0, strict=True)
    """From this worst hourly price on GPU nodes need an end."""
    rules: tuple[Text, ...] | None = Field(default=None, max_length=100)
    """Packages whose rules run; left out: every installed one."""


def read_settings(path: str) -> Settings:
    """One settings file. Never raises for what it holds: of one with errors only the findings are left."""
    name = shown_file(path)
    read = read_text(path)
    if isinstance(read, Diagnostic):
        return Settings((name,), diagnostics=(_of_settings(read, path),))
    document = compose(read, name)
    if not document.complete or has_errors(document.diagnostics):
        # A file of comments alone sets nothing, and says nothing wrong.
        only_empty = bool(document.diagnostics) and all(d.code == f.EMPTY.code for d in document.diagnostics)
        return Settings((name,), diagnostics=() if only_empty else document.diagnostics)
    data = document.data
    if not isinstance(data, Mapping):
        found = f.NOT_A_MAPPING.at("", "a settings file is a mapping", f"write one of its keys: {', '.join(_KEYS)}")
        root = document.positions.root
        place = Source(name, root.line, root.column) if root else Source(name)
        return Settings((name,), diagnostics=(found.located(place),))
    try:
        model = SettingsModel.model_validate(data)
    except ValidationError as e:
        errors = cast("list[dict[str, Any]]", e.errors(include_url=False))
        return Settings((name,), diagnostics=tuple(_refused(x, document.positions) for x in errors[:_MAX_FINDINGS]))
    return _settings(model, name, os.path.dirname(os.path.abspath(path)), document.positions)


def _of_settings(unread: Diagnostic, path: str) -> Diagnostic:
    """Why a settings file cannot be read. Its hint is about settings, where that of reading is about a spec."""
    if os.path.isdir(path):
        return replace(
            unread,
            message="settings are read from a file of this name, and it is a directory",
            hint="put a settings file in its place, or give the directory another name",
        )
    if os.path.islink(path) and not os.path.exists(path):
        to = printable(os.readlink(path), 200)
        return replace(
            unread,
            message=f"the settings file is a link to {to}, and there is no such file",
            hint="let the link lead to a file, or remove it",
        )
    return unread


_KEYS = tuple(SettingsModel.model_fields)


def _settings(model: SettingsModel, name: str, folder: str, positions: Positions) -> Settings:
    levels: dict[str, Level] = {}
    found: list[Diagnostic] = []
    for code, word in model.severity.items():
        path: Path = ("severity", code)
        refusal = _wrong_level(code, word, path, positions)
        if refusal is not None:
            found.append(refusal)
        else:
            levels[code] = Level(None if word == OFF else Severity(word), positions.of(path, key=True))
    waivers = tuple(
        PlacedWaiver(w, positions.of(("waivers", n, "code")), f"waivers[{n}]", folder)
        for n, w in enumerate(model.waivers)
    )
    source = positions.of(("rules",)) if model.rules is not None else None
    return Settings((name,), levels, waivers, model.lease_above_usd_per_hour, model.rules, source, tuple(found))


def _wrong_level(code: str, word: str, path: Path, positions: Positions) -> Diagnostic | None:
    if word not in LEVELS:
        hint = did_you_mean(word, LEVELS) or f"take one of {', '.join(LEVELS)}"
        message = f"{shown(word)} is not one of {', '.join(LEVELS)}"
        return f.UNKNOWN_WORD.at(path_text(path), message, hint).located(positions.of(path))
    known = house_codes()
    if code not in known and not code.startswith(OWN_CODES):
        hint = did_you_mean(code, sorted(c for c in known if c[:3] == code[:3].upper())) or UNKNOWN_CODE.fix
        found = UNKNOWN_CODE.at(path_text(path), f"{shown(code)} is the code of no finding", hint)
        return found.located(positions.of(path, key=True))
    if code.startswith(_READING) and word != str(Severity.ERROR):
        found = NOT_LOWERED.at(path_text(path), f"{code} is about reading a file; it stays an error")
        return found.located(positions.of(path, key=True))
    return None


_OWN_KINDS: Mapping[str, Code] = {"day": f.MOMENT, "invisible": f.INVISIBLE}


def _refused(error: Mapping[str, Any], positions: Positions) -> Diagnostic:
    """What pydantic refused, in the words of a settings file."""
    loc: Sequence[Any] = error["loc"]
    path: Path = tuple(step for step in loc if step != "[key]")
    kind: str = error["type"]
    ctx: Mapping[str, Any] = error.get("ctx", {})
    value = shown(error.get("input"))
    last = str(path[-1]) if path else ""
    key = kind == "extra_forbidden"
    if key:
        known = _KEYS if len(path) == 1 else tuple(SettingsWaiver.model_fields)
        hint = did_you_mean(last, known) or f"known: {', '.join(known)}"
        found = f.UNKNOWN_KEY.at(path_text(path), f"a settings file has no key {shown(last)}", hint)
    elif kind == "missing":
        found = f.MISSING_KEY.at(path_text(path), f"the key '{last}' is missing", _EXAMPLES.get(last, "add it"))
    elif kind in _OWN_KINDS:
        found = _OWN_KINDS[kind].at(path_text(path), str(ctx.get("reason", "")), str(ctx.get("hint", "")))
    elif kind in ("string_too_short", "string_pattern_mismatch"):
        hint = _EXAMPLES.get(last, "fill it in, or leave the key out")
        found = f.WRONG_FORM.at(path_text(path), f"{value} is not what '{last}' takes", hint)
    elif kind == "greater_than":
        found = f.OUT_OF_RANGE.at(path_text(path), f"{value} is out of range; more than 0 is wanted", "write 10")
    else:
        hint = _EXAMPLES.get(last) or _EXAMPLES.get(str(path[0]) if path else "", "see docs/how-to/rules-in-ci.md")
        found = f.WRONG_TYPE.at(path_text(path), f"{value} is refused: {wanted(error)}", hint)
    return found.located(positions.of(path, key=key))


_EXAMPLES: Mapping[str, str] = {
    "code": "for example code: GI2205",
    "reason": "say why it is accepted, as reason: paid by the vendor until March",
    "expires": 'give the last day, as expires: "2026-12-31"',
    "severity": "for example severity: {GI2202: error}",
    "waivers": 'for example waivers: [{code: GI2205, reason: moved in May, expires: "2026-12-31"}]',
    "rules": "for example rules: [acme-gpu-rules]",
    "lease_above_usd_per_hour": "for example lease_above_usd_per_hour: 10",
}
