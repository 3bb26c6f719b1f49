"""What pydantic refuses, as findings in the user's own words: one for each place, with the next action."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..diagnostics import Code, Diagnostic, did_you_mean
from . import findings as f
from .base import is_output
from .fields import Place, Shape, child, examples_of, place_at
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
    "pulumi_output": f.OUTPUT,
}


@dataclass(frozen=True, slots=True)
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
    def key(self) -> str:
        """The last key of the path: what a hint writes before the colon."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "")

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
        if raw["type"] == "missing" and path in meant:
            continue
        error = _Error(raw["type"], path, raw["input"], raw.get("ctx", {}), raw["msg"], data, positions)
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
    if is_output(error.value) or error.kind == "pulumi_output":
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
    place = error.place
    key = error.key
    example = next(iter(examples_of(place.info, place.shape)), "")
    meaning = (place.info.description or "").split(". ")[0].rstrip(".") if place.info else ""
    hint = f"add {key}: {example}" if example else f"add {key}: …"
    return error.at(f.MISSING_KEY, f"the key '{key}' is missing" + (f" ({meaning})" if meaning else ""), hint)


def _wrong_type(error: _Error) -> Diagnostic:
    place = error.place
    wanted = place.shape.wanted or "another kind of value"
    hint = kind_hint(error.key, error.value, place, error.positions.written(error.path) if error.positions else None)
    given = "there is no value" if error.value is None else f"{error.said} is {kind_of(error.value)}"
    if given in ("a mapping is a mapping", "a list is a list"):
        given = f"{error.said} is given"
    return error.at(f.WRONG_TYPE, f"{given}; {wanted} is wanted", hint)


def _word(error: _Error) -> Diagnostic:
    place = error.place
    words = place.shape.words
    allowed = ", ".join(words)
    if error.value is None:
        return error.at(
            f.UNKNOWN_WORD, f"there is no value; one of {allowed} is wanted", f"write {error.key}: {words[0]}"
        )
    word = str(error.value) if isinstance(error.value, (str, int)) and len(error.said) < 80 else ""
    near = did_you_mean(word.replace("-", "_"), words) or did_you_mean(word, words)
    code = f.API_VERSION if error.path == ("api_version",) else f.UNKNOWN_WORD
    return error.at(
        code, f"{error.said} is not one of {allowed}", near or f"write {error.key}: {words[0]}" if words else near
    )


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
    example = next(iter(examples_of(error.place.info, error.place.shape)), "")
    hint = f"take {number}" if name in ("ge", "le") else f"as {error.key}: {example}" if example else ""
    return error.at(f.OUT_OF_RANGE, f"{error.said} is out of range; {words} {number} is wanted", hint.replace(",", ""))


def _pattern(error: _Error) -> Diagnostic:
    text = str(error.value)
    if error.key == "name":
        suggestion = re.sub(r"[^a-z0-9]+", "-", text[:200].casefold()).strip("-")
        suggestion = re.sub(r"^[^a-z]+", "", suggestion)[:63].strip("-")
        hint = f"take {suggestion}" if suggestion else "as train-1"
        wanted = "lower-case letters, digits and hyphens, a letter first and no hyphen last"
        return error.at(f.WRONG_FORM, f"{error.said} is not a name: {wanted}", hint)
    example = next(iter(examples_of(error.place.info, error.place.shape)), "")
    return error.at(f.WRONG_FORM, f"{error.said} is not in the form wanted", f"as {error.key}: {example}")


def _length(error: _Error) -> Diagnostic | None:
    value = error.value
    least, most = error.ctx.get("min_length"), error.ctx.get("max_length")
    size = len(value) if isinstance(value, (str, list, tuple)) else 0  # pyright: ignore[reportUnknownArgumentType]
    if least is not None and size >= least:
        # pydantic counts only the entries without an error; those have their own findings.
        return None
    noun = "characters" if isinstance(value, str) else "entries"
    if least is not None:
        example = next(iter(examples_of(error.place.info, error.place.shape)), "")
        what = "the text is empty" if isinstance(value, str) else "the list is empty"
        return error.at(f.WRONG_LENGTH, what, f"as {error.key}: {example}" if example else "leave the key out")
    return error.at(f.WRONG_LENGTH, f"{size} {noun} are too many; at most {most} are taken", "shorten it")


def _provider(error: _Error) -> Diagnostic:
    """A location whose cloud cannot be told."""
    place = error.place
    words = [str(m.model_fields["provider"].default) for m in place.shape.models]
    allowed = ", ".join(words)
    if not isinstance(error.value, Mapping):
        return _wrong_type(error)
    path = (*error.path, "provider")
    given = child(error.value, "provider")  # pyright: ignore[reportUnknownArgumentType]
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
    return error.at(f.BAD_KEY, f"the key {shown(error.value)} is not text")


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
    "union_tag_not_found": _provider,
    "union_tag_invalid": _provider,
    **dict.fromkeys(_BOUNDS, _bound),
}
