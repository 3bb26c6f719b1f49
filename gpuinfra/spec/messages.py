"""What pydantic refuses, as findings in the user's own words: one for each place, with the next action."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..diagnostics import Code, Diagnostic, did_you_mean
from . import findings as f
from .base import is_output
from .fields import Place, Shape, child, place_at
from .kinds import kind_hint, kind_of
from .locations import OTHER_NAMES
from .paths import Path, path_text
from .positions import Positions
from .quantities import printable, shown
from .suggestions import likely_key, unknown_key_hint

MAX_FINDINGS = 200

# Fields that take one of several kinds, whose arm pydantic names in the error's place.
_ARMS = {
    "location": frozenset({"aws", "gcp", "azure"}),
    "count": frozenset({"number", "range"}),
    "mig": frozenset({"profile", "layout"}),
}

# Errors that our own validators raise with a reason and a hint.
_OWN: dict[str, Code] = {
    "duration": f.DURATION,
    "size": f.SIZE,
    "moment": f.MOMENT,
    "naive_moment": f.NAIVE_MOMENT,
    "day": f.MOMENT,
    "empty_budget": f.EMPTY_BUDGET,
    "range_order": f.RANGE_ORDER,
    "label": f.WRONG_FORM,
    "invisible": f.INVISIBLE,
    "pulumi_output": f.OUTPUT,
}


@dataclass(frozen=True)
class _Error:
    """One error of pydantic with everything that a message needs."""

    kind: str
    path: Path
    value: Any
    ctx: Mapping[str, Any]
    message: str
    data: object
    positions: Positions | None

    @property
    def place(self) -> Place:
        return place_at(self.path, self.data) or Place(Shape())

    @property
    def label(self) -> str:
        """What a hint writes before a value: the key and its colon, or nothing for an entry of a list."""
        last = self.path[-1] if self.path else 0
        return f"{printable(last)}: " if isinstance(last, str) else ""

    @property
    def example(self) -> str:
        """A value that may stand here, with its key; empty where none is known."""
        examples = self.place.examples
        return f"{self.label}{examples[0]}" if examples else ""

    @property
    def said(self) -> str:
        """The value as the user wrote it."""
        written = self.positions.written(self.path) if self.positions else None
        if written is None or self.value is None:
            return shown(self.value)
        return f"'{printable(written)}'" if isinstance(self.value, str) else printable(written)

    def at(
        self, code: Code, message: str, hint: str = "", *, path: Path | None = None, key: bool = False
    ) -> Diagnostic:
        where = self.path if path is None else path
        found = code.at(path_text(where), message, hint)
        return found.located(self.positions.of(where, key=key)) if self.positions else found


def translate(errors: Sequence[Mapping[str, Any]], data: object, positions: Positions | None) -> list[Diagnostic]:
    """Findings for the errors of one validation, each with its place where the document's positions are known."""
    found: list[Diagnostic] = []
    meant = _keys_meant(errors, data)
    for raw in errors[: MAX_FINDINGS + 1]:
        path = _own_path(raw["loc"])
        kind = raw["type"]
        if kind == "missing" and path in meant:
            continue
        if raw["loc"][-1:] == ("[key]",) and kind != "invisible":
            kind = "invalid_key"
        error = _Error(kind, path, raw["input"], raw.get("ctx", {}), raw["msg"], data, positions)
        diagnostic = _finding(error)
        if diagnostic is not None:
            found.append(diagnostic)
    if len(errors) > MAX_FINDINGS:
        more = f.MORE.at("", f"and {len(errors) - MAX_FINDINGS} more findings of the same reading")
        found = [*found[:MAX_FINDINGS], more.located(positions.of(())) if positions else more]
    return found


def _own_path(loc: Sequence[str | int]) -> Path:
    """An error's place without the names that pydantic adds for the arms of a union and for keys."""
    path: list[str | int] = []
    before: str | int = ""
    for step in loc:
        arm = isinstance(before, str) and step in _ARMS.get(before, ())
        before = "" if arm else step
        if not arm and step != "[key]":
            path.append(step)
    return tuple(path)


def _keys_meant(errors: Sequence[Mapping[str, Any]], data: object) -> set[Path]:
    """Keys that are missing because they stand there misspelt: one mistake, one finding."""
    missing = {_own_path(e["loc"]) for e in errors if e["type"] == "missing"}
    meant: set[Path] = set()
    for error in errors[:MAX_FINDINGS] if missing else ():
        path = _own_path(error["loc"])
        if error["type"] == "extra_forbidden" and path and isinstance(path[-1], str):
            lacking = [str(p[-1]) for p in missing if p[:-1] == path[:-1]]
            likely = likely_key(path[-1], lacking) if lacking else ""
            # The key is only misspelt where no other key of the mapping is nearer.
            if likely and likely_key(path[-1], _known(path[:-1], data)) == likely:
                meant.add((*path[:-1], likely))
    return meant


def _known(path: Path, data: object) -> tuple[str, ...]:
    place = place_at(path, data)
    model = place.model if place else None
    return tuple(model.model_fields) if model else ()


def _finding(error: _Error) -> Diagnostic | None:
    if error.kind != "extra_forbidden" and (is_output(error.value) or error.kind == "pulumi_output"):
        reason = "the value is a Pulumi Output, known only during the deployment; the spec needs a plain value"
        return error.at(f.OUTPUT, reason, str(error.ctx.get("hint", "")))
    if error.kind in _OWN:
        return error.at(_OWN[error.kind], str(error.ctx.get("reason", error.message)), str(error.ctx.get("hint", "")))
    write = _WRITERS.get(error.kind)
    if write is not None:
        return write(error)
    if error.kind.endswith(("_type", "_parsing", "_from_float")):
        return _wrong_type(error)
    return error.at(f.OTHER, f"{error.said} is refused: {printable(error.message, 200)}")


def _unknown_key(error: _Error) -> Diagnostic:
    key = str(error.path[-1])
    parent = error.path[:-1]
    known = _known(parent, error.data)
    hint = unknown_key_hint(key, parent, known)
    return error.at(f.UNKNOWN_KEY, f"unknown key {shown(key)}", hint, key=True)


def _missing(error: _Error) -> Diagnostic:
    info = error.place.info
    meaning = (info.description or "").split(". ")[0].rstrip(".") if info else ""
    message = f"the key '{error.path[-1]}' is missing" + (f": {meaning}" if meaning else "")
    return error.at(f.MISSING_KEY, message, f"add it, for example {error.example}" if error.example else "add it")


def _wrong_type(error: _Error) -> Diagnostic:
    place = error.place
    wanted = place.shape.wanted or "another kind of value"
    hint = kind_hint(error.label, error.value, place, error.positions.written(error.path) if error.positions else None)
    if isinstance(error.value, int) and not isinstance(error.value, bool) and "a number" in place.shape.kinds:
        return error.at(f.OUT_OF_RANGE, f"{error.said} is out of range", f"for example {error.example}")
    given = "there is no value" if error.value is None else f"{error.said} is {kind_of(error.value)}"
    if given in ("a mapping is a mapping", "a list is a list"):
        given = f"{error.said} is given"
    return error.at(f.WRONG_TYPE, f"{given}; {wanted} is wanted", hint)


def _word(error: _Error) -> Diagnostic:
    words = error.place.shape.words
    allowed = ", ".join(words)
    # `none` is a word here; whoever leaves the value empty, or says false, may mean it.
    usual = f"write {error.label}{'none' if 'none' in words else words[0]}" if words else ""
    if error.value is None:
        return error.at(f.UNKNOWN_WORD, f"there is no value; one of {allowed} is wanted", usual)
    if error.path == ("api_version",):
        return error.at(f.API_VERSION, f"{error.said} is not a version that this release reads: {allowed}")
    word = error.value if isinstance(error.value, str) and len(error.value) < 80 else ""
    near = did_you_mean(word.replace("-", "_"), words) or did_you_mean(word, words)
    hint = near or (usual if error.value is False else f"take one of {allowed}")
    return error.at(f.UNKNOWN_WORD, f"{error.said} is not one of {allowed}", hint)


_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def _bound(error: _Error) -> Diagnostic:
    name, words = _BOUNDS[error.kind]
    limit = error.ctx[name]
    number = f"{limit:,.0f}" if float(limit).is_integer() else str(limit)
    nearest_value = f"{error.label}{number.replace(',', '')}"
    hint = f"write {nearest_value}" if name in ("ge", "le") else f"for example {error.example}" if error.example else ""
    return error.at(f.OUT_OF_RANGE, f"{error.said} is out of range; {words} {number} is wanted", hint)


def _pattern(error: _Error) -> Diagnostic:
    text = str(error.value)
    if error.label == "name: ":
        suggestion = re.sub(r"[^a-z0-9]+", "-", text[:200].casefold()).strip("-")
        suggestion = re.sub(r"^[^a-z]+", "", suggestion)[:63].strip("-")
        hint = f"take {suggestion}" if suggestion else "as train-1"
        wanted = "lower-case letters, digits and hyphens, a letter first and no hyphen last"
        return error.at(f.WRONG_FORM, f"{error.said} is not a name: {wanted}", hint)
    return error.at(f.WRONG_FORM, f"{error.said} is not in the form wanted", f"for example {error.example}")


def _length(error: _Error) -> Diagnostic | None:
    value = error.value
    least, most = error.ctx.get("min_length"), error.ctx.get("max_length")
    size = len(value) if isinstance(value, (str, list, tuple)) else 0  # pyright: ignore[reportUnknownArgumentType]
    if least is not None and size >= least:
        # pydantic counts only the entries without an error; those have their own findings.
        return None
    noun = "characters" if isinstance(value, str) else "entries"
    if least is not None:
        what = "the text is empty" if isinstance(value, str) else "the list is empty"
        return error.at(f.WRONG_LENGTH, what, f"for example {error.example}" if error.example else "leave it out")
    return error.at(f.WRONG_LENGTH, f"{size} {noun} are too many; at most {most} are taken", "shorten it")


def _provider(error: _Error) -> Diagnostic:
    """A location whose cloud cannot be told."""
    place = error.place
    words = [str(m.model_fields["provider"].default) for m in place.shape.models]
    allowed = ", ".join(words)
    value: object = error.value
    if not isinstance(value, Mapping):
        return _wrong_type(error)
    path = (*error.path, "provider")
    given = child(cast(object, value), "provider")
    if is_output(given):
        return error.at(f.OUTPUT, "the value is a Pulumi Output; the spec needs a plain value", "", path=path)
    if given is None:
        return error.at(
            f.PROVIDER, f"the key 'provider' is missing; it is one of {allowed}", f"add provider: {words[0]}", path=path
        )
    word = given if isinstance(given, str) else ""
    other = OTHER_NAMES.get(word.casefold(), "")
    near = f"did you mean {other}?" if other else did_you_mean(word, words)
    return error.at(f.PROVIDER, f"{shown(given)} is not one of {allowed}", near or f"take one of {allowed}", path=path)


def _bad_key(error: _Error) -> Diagnostic:
    # pydantic puts a key that is no text into the path as its representation, which may hold an address of memory.
    return error.at(f.BAD_KEY, f"a key is {shown(error.value)}, which is not text", path=error.path[:-1])


def _not_finite(error: _Error) -> Diagnostic:
    return error.at(f.OUT_OF_RANGE, f"{error.said} is not a number one can count with", "write a plain number")


_WRITERS: dict[str, Callable[[_Error], Diagnostic | None]] = {
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "invalid_key": _bad_key,
    "enum": _word,
    "literal_error": _word,
    "string_pattern_mismatch": _pattern,
    "string_too_short": _length,
    "string_too_long": _length,
    "too_short": _length,
    "too_long": _length,
    "finite_number": _not_finite,
    "unknown_provider": _provider,
    **dict.fromkeys(_BOUNDS, _bound),
}
