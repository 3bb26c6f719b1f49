"""What pydantic refuses, as findings in the user's own words: one for each place, with the next action."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..diagnostics import Code, Diagnostic, Source, did_you_mean, in_order
from . import findings as f
from .base import NO_PUBLIC_KEY, is_output, is_public_looking
from .consequences import FollowUps
from .fields import Place, Shape, child, known_keys, place_at
from .kinds import kind_hint, kind_of
from .locations import OTHER_NAMES
from .paths import Path, path_text
from .positions import Positions
from .quantities import printable, shown
from .scalars import write_inline
from .spacing import first_invisible
from .suggestions import given_keys, unknown_key_hint, word_meant

MAX_FINDINGS = 200
_MOST_COMPARED = 4000
"""Errors among which those that follow from others are looked for."""

# Fields that take one of several kinds, whose arm pydantic names in the error's place.
_ARMS = {
    "location": frozenset({"aws", "gcp", "azure"}),
    "count": frozenset({"number", "range"}),
    "mig": frozenset({"profile", "layout"}),
}

_PUBLIC_KEYS: Path = ("network", "ssh_keys")

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
    "form": f.WRONG_FORM,
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
    meant: Path = ()
    """For an unknown key that stands in the wrong mapping: the missing key that it is, or that holds it."""

    @property
    def place(self) -> Place:
        return place_at(self.path, self.data) or Place(Shape())

    @property
    def label(self) -> str:
        """What a hint writes before a value: the key and its colon, or nothing for an entry of a list."""
        last = self.path[-1] if self.path else 0
        return f"{printable(last)}: " if isinstance(last, str) else ""

    @property
    def hidden(self) -> bool:
        """Whether the value must not be shown, nor be repeated by a hint: text where a public key belongs that is none."""
        return self.path[:2] == _PUBLIC_KEYS and isinstance(self.value, str) and not is_public_looking(self.value)

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
    """Findings for the errors of one validation, in the file's order where its positions are known; at most
    `MAX_FINDINGS`, and a note behind them of how many are left."""
    placed = [(_kind(raw), _own_path(raw["loc"]), raw) for raw in errors]
    if len(placed) > MAX_FINDINGS and positions is not None:
        placed.sort(key=lambda e: _order(positions.of(e[1], key=e[0] == "extra_forbidden")))
    follow_ups = FollowUps([(kind, path) for kind, path, _ in placed[:_MOST_COMPARED]], data, positions)
    found: list[Diagnostic] = []
    for n, (kind, path, raw) in enumerate(placed):
        if len(found) == MAX_FINDINGS:
            left = sum(m not in follow_ups.numbers for m in range(n, len(placed)))
            # The place of the last one, so that the note stays behind it in the file's order.
            more = f.MORE.at("", f"and {left} more findings of the same reading")
            last = in_order(found)[-1].source
            return [*found, more.located(last) if last else more] if left else found
        if n in follow_ups.numbers:
            continue
        meant = follow_ups.explains.get(n, ())
        error = _Error(kind, path, raw["input"], raw.get("ctx", {}), raw["msg"], data, positions, meant)
        diagnostic = _finding(error)
        if diagnostic is not None:
            found.append(diagnostic)
    return found


def _kind(raw: Mapping[str, Any]) -> str:
    invalid_key = raw["loc"][-1:] == ("[key]",) and raw["type"] != "invisible"
    return "invalid_key" if invalid_key else raw["type"]


def _order(source: Source) -> tuple[int, int]:
    return source.line, source.column


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


def _finding(error: _Error) -> Diagnostic | None:
    if error.kind != "extra_forbidden" and (is_output(error.value) or error.kind == "pulumi_output"):
        reason = "the value is a Pulumi Output, known only during the deployment; the spec needs a plain value"
        return error.at(f.OUTPUT, reason, str(error.ctx.get("hint", "")))
    if error.hidden and error.kind != "extra_forbidden":
        code = _OWN.get(error.kind) or (f.WRONG_TYPE if error.kind.endswith("_type") else f.WRONG_FORM)
        wanted = "; a list of text is wanted" if len(error.path) == len(_PUBLIC_KEYS) else ""
        return error.at(
            code, NO_PUBLIC_KEY[0] + wanted, f"{NO_PUBLIC_KEY[1]}, as {error.label}{error.place.examples[0]}"
        )
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
    known = known_keys(parent, error.data)
    mapping = place_at(parent, error.data)
    given = given_keys(mapping.value) if mapping else ()
    cloud = child(child(error.data, "location"), "provider")
    number = _before_the_comma(key, error.value, mapping.value if mapping else None)
    hint = (
        f"write {number} (no thousands separator)"
        if number
        else unknown_key_hint(key, parent, known, given, error.value, cloud if isinstance(cloud, str) else "")
    )
    whole = place_at(error.meant, error.data) if error.meant else None
    if whole is not None and whole.shape.models and whole.examples:
        hint = f"{hint}; add {error.meant[-1]}, for example {error.meant[-1]}: {whole.examples[0]}"
    message = f"unknown key {shown(key)}"
    if (at := first_invisible(key)) >= 0:
        message += f": it holds the character U+{ord(key[at]):04X}, which cannot be seen"
    return error.at(f.UNKNOWN_KEY, message, hint, key=True)


_THOUSANDS = re.compile(r"[0-9]{3}(?:\.[0-9]+)?")


def _before_the_comma(key: str, value: object, mapping: object) -> str:
    """The number that was written with a comma in a flow mapping, where the comma parts it: `{usd: 20,000}` is a 20 and a
    key 000. As `usd: 20000`; empty where a key is something else."""
    if value is not None or not _THOUSANDS.fullmatch(key) or not isinstance(mapping, Mapping):
        return ""
    digits: list[str] = []
    entries = list(cast("Mapping[object, object]", mapping).items())
    at = next(n for n, (k, _) in enumerate(entries) if k == key)
    for name, given in reversed(entries[: at + 1]):
        if isinstance(given, int) and not isinstance(given, bool) and 0 < given < 1000:
            return f"{printable(str(name))}: {given}{''.join(reversed(digits))}"
        if given is not None or not _THOUSANDS.fullmatch(str(name)):
            return ""
        digits.append(str(name))
    return ""


def _missing(error: _Error) -> Diagnostic:
    info = error.place.info
    meaning = (info.description or "").split(". ")[0].rstrip(".") if info else ""
    message = f"the key '{error.path[-1]}' is missing" + (f": {meaning}" if meaning else "")
    return error.at(f.MISSING_KEY, message, f"add it, for example {error.example}" if error.example else "add it")


def _wrong_type(error: _Error) -> Diagnostic:
    place = error.place
    wanted = place.shape.wanted or "another kind of value"
    named = error.label == "name: " and isinstance(error.value, (int, float)) and not isinstance(error.value, bool)
    suggestion = _free_name(shown(error.value), error) if named else ""
    hint = (
        f"write name: {write_inline(suggestion)}"
        if suggestion
        else kind_hint(
            error.label, error.value, place, error.positions.written(error.path) if error.positions else None
        )
    )
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
    near = word_meant(str(error.path[-1]) if error.path else "", word, words)
    otherwise = usual if error.value is False else f"take one of {allowed}"
    hint = f"did you mean {' or '.join(near)}?" if near else otherwise
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
    # The least that is taken is a guess worth offering; the most would buy ten thousand nodes.
    hint = f"write {error.label}{number.replace(',', '')}" if name == "ge" else f"for example {error.example}"
    return error.at(f.OUT_OF_RANGE, f"{error.said} is out of range; {words} {number} is wanted", hint)


def _pattern(error: _Error) -> Diagnostic:
    text = str(error.value)
    if error.label == "name: ":
        suggestion = _free_name(text, error)
        hint = f"take {write_inline(suggestion)}" if suggestion else f"for example {error.example}"
        wanted = "lower-case letters, digits and hyphens, a letter first and no hyphen last"
        return error.at(f.WRONG_FORM, f"{error.said} is not a name: {wanted}", hint)
    upper = text.strip().upper()
    hint = f"write {error.label}{upper}" if error.place.takes(upper) else f"for example {error.example}"
    return error.at(f.WRONG_FORM, f"{error.said} is not in the form wanted", hint)


def name_like(text: str, path: Path) -> str:
    """The name nearest to a text; empty where nothing of it can stay."""
    name = re.sub(r"[^a-z0-9]+", "-", text[:200].casefold()).strip("-")
    if name and not name[0].isalpha():
        name = f"{_NAMED.get(str(path[0]), 'cluster')}-{name}"
    return name[:63].strip("-")


def _free_name(text: str, error: _Error) -> str:
    """The name nearest to a text that no other entry of the list has."""
    name = name_like(text, error.path)
    if not name or len(error.path) < 3:
        return name
    whole = place_at(error.path[:-2], error.data)
    entries = whole.value if whole is not None else None
    taken: set[object] = set()
    for n, entry in enumerate(cast("list[object]", entries) if isinstance(entries, (list, tuple)) else ()):
        if n != error.path[-2] and isinstance(other := child(entry, "name"), str):
            taken.add(other)
    numbered = (f"{name[:59].rstrip('-')}-{n}" for n in range(2, len(taken) + 3))
    return next(free for free in (name, *numbered) if free not in taken)


_NAMED = {"node_pools": "pool", "storage": "storage"}
"""What a name that begins with a digit gets before it."""


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
