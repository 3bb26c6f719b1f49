"""From a file, or from plain data, to a spec with every finding and the place of each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from ..diagnostics import Diagnostic, Source, has_errors, in_order
from . import findings as f
from .document import compose
from .models import ClusterSpec
from .positions import Positions
from .reading import MAX_BYTES, decode, read_text, shown_file, too_large


@dataclass(frozen=True)
class Loaded:
    """What came of reading: the spec, or None where a finding is an error; every finding, in the file's order."""

    spec: ClusterSpec | None
    diagnostics: tuple[Diagnostic, ...]
    positions: Positions | None = None
    """The place of every key and value; None for a spec that came from Python."""
    text: str = ""
    """The text that was read, to show the line of a finding; empty for a spec that came from Python."""

    def locate(self, diagnostic: Diagnostic) -> Diagnostic:
        """The finding with its place in the file: by its path, or by the longest part of it that the file has."""
        if self.positions is None or diagnostic.source is not None:
            return diagnostic
        return diagnostic.located(self.positions.of(self.positions.find(diagnostic.path)))


def load(path: str | os.PathLike[str], text: str | None = None) -> Loaded:
    """Reads a spec from a YAML file; `-` is standard input. With `text`, the path only names it in findings.

    Never raises for what was read: a file that cannot be read, text that is not YAML and a spec with mistakes all
    come back as findings, and all at once.
    """
    name = os.fspath(path)
    source = Source(shown_file(name))
    read = read_text(name) if text is None else _given(text, source)
    if isinstance(read, Diagnostic):
        return Loaded(None, (read,), Positions(source.file))
    document = compose(read, source.file)
    found = list(document.diagnostics)
    spec: ClusterSpec | None = None
    if document.complete:
        spec, more = _validate(document.data, document.positions)
        found += more
    diagnostics = in_order(found)
    return Loaded(None if has_errors(diagnostics) else spec, diagnostics, document.positions, read)


def parse(data: Mapping[str, Any]) -> Loaded:
    """A spec from plain data, with the findings of `load`. `ClusterSpec(...)` raises pydantic's error instead."""
    spec, found = _validate(data, None)
    return Loaded(spec, in_order(found))


def _given(text: str, source: Source) -> str | Diagnostic:
    data = text.encode("utf-8", "surrogatepass")
    return too_large(source) if len(data) > MAX_BYTES else decode(data, source)


def _not_a_mapping(data: object, positions: Positions | None) -> Diagnostic:
    from .kinds import kind_of
    from .spacing import spacing_fault

    fault = spacing_fault(data) if isinstance(data, str) else None
    root = positions.root if positions else None
    if fault and positions and root:
        return fault.code.at("", fault.message, fault.hint).located(
            Source(positions.file, root.line, root.column + fault.offset)
        )
    found = f.NOT_A_MAPPING.at("", f"the document is {kind_of(data)}; a mapping of keys to values is wanted")
    return found.located(positions.of(())) if positions else found


def _validate(data: object, positions: Positions | None) -> tuple[ClusterSpec | None, list[Diagnostic]]:
    if isinstance(data, ClusterSpec):
        return data, []
    if not isinstance(data, Mapping):
        if positions and positions.root and positions.root.tagged:
            # The tag has its finding.
            return None, []
        return None, [_not_a_mapping(data, positions)]
    try:
        return ClusterSpec.model_validate(data), []
    except ValidationError as e:
        from .messages import translate

        errors = cast(list[dict[str, Any]], e.errors(include_url=False))
        return None, translate(errors, cast(object, data), positions)
