"""YAML text becomes plain data with the place of every key and value.

The parser's events are composed here and not by PyYAML's own loader, because that one recurses, keeps one of two equal
keys, resolves words by YAML 1.1, and drops every position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, cast

import yaml

from ..diagnostics import Code, Diagnostic, Source
from . import findings as f
from .paths import Path, path_text
from .positions import Node, Positions
from .quantities import printable
from .scalars import resolve_scalar
from .syntax import plain_words

MAX_DEPTH = 32
MAX_NODES = 200_000
MAX_FINDINGS = 100

# What YAML calls non-printable; both parsers refuse it, but neither tells its line.
_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Document:
    """What was read: plain data (None where it could not be composed), places, and findings."""

    data: object
    positions: Positions
    diagnostics: tuple[Diagnostic, ...]
    complete: bool
    """Whether the text was read to its end, so that `data` is worth judging."""


def compose(text: str, file: str, *, pure_python: bool = False) -> Document:
    """The one document in `text`. `pure_python` takes PyYAML's own parser where libyaml's is there too."""
    if match := _CONTROL.search(text):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
        found = f.CONTROL_CHARACTER.at("", f"the character U+{ord(match[0]):04X} is not allowed in YAML")
        return Document(None, Positions(file), (found.located(Source(file, line, column)),), False)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(file)
    try:
        parse = cast(Any, yaml.parse)  # pyright: ignore[reportUnknownMemberType]
        composer.run(parse(text, Loader=yaml.SafeLoader if pure_python else loader))
        complete = True
    except _StopError:
        complete = False
    except yaml.YAMLError as e:
        composer.findings.append(plain_words(e, text, file))
        complete = False
    root = composer.root
    if complete and (root is None or (root.raw == "" and root.plain)):
        composer.findings.append(f.EMPTY.at("", "the file holds no values").located(Source(file)))
        complete = False
    data = root.data if complete and root else None
    return Document(data, Positions(file, root if complete else None), tuple(composer.findings), complete)


Place = tuple[int, int]
"""Line and column, from 1."""


def _place_of(event: Any) -> Place:
    return event.start_mark.line + 1, event.start_mark.column + 1


class _StopError(Exception):
    """What was read so far is not worth going on with; the reason is among the findings."""


@dataclass(slots=True, eq=False)
class _Open:
    """A mapping or list whose end is still to come."""

    node: Node
    key: str | None = None
    """The key that waits for its value."""
    merges_next: bool = False
    merges: list[Node] = field(default_factory=list[Node])


class _Composer:
    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self.findings: list[Diagnostic] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._count = 0

    def run(self, events: Iterator[Any]) -> None:
        documents = 0
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._begin(event)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._end(event)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._add(
                        f.SEVERAL_DOCUMENTS, _place_of(event), "a second document begins here; one file is one cluster"
                    )
                    return

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        tagged = self._refuse_tag(event)
        at = _place_of(event)
        self._tick(at)
        text = str(event.value)
        plain = event.style is None or event.style == ""
        data = resolve_scalar(text) if plain else text
        node = Node(*at, data, raw=text, plain=plain, open=False, tagged=tagged)
        self._anchor(event, node)
        self._place(node)

    def _begin(self, event: Any) -> None:
        tagged = self._refuse_tag(event)
        at = _place_of(event)
        if len(self._stack) >= MAX_DEPTH:
            self._stop(f.TOO_DEEP, at, f"the value is nested more than {MAX_DEPTH} levels deep")
        top = self._stack[-1] if self._stack else None
        if top and top.node.entries is not None and top.key is None:
            kind = "a mapping" if isinstance(event, yaml.MappingStartEvent) else "a list"
            self._stop(f.BAD_KEY, at, f"{kind} stands where a key is wanted")
        node = Node(*at, block=not event.flow_style, tagged=tagged)
        if isinstance(event, yaml.MappingStartEvent):
            node.entries = {}
        else:
            node.items = []
        self._anchor(event, node)
        self._stack.append(_Open(node))
        self._tick(at)

    def _end(self, event: Any) -> None:
        frame = self._stack.pop()
        node = frame.node
        for source in frame.merges:
            self._merge(node, source)
        if node.entries is not None:
            node.data = {key: child.data for key, child in node.entries.items()}
            node.weight += sum(child.weight for child in node.entries.values())
        elif node.items is not None:
            node.data = [child.data for child in node.items]
            node.weight += sum(child.weight for child in node.items)
        node.open = False
        self._weigh(node.weight, _place_of(event))
        self._place(node)

    def _alias(self, event: Any) -> None:
        at = _place_of(event)
        target = self._anchors.get(event.anchor)
        name = printable(str(event.anchor))
        if target is None:
            self._stop(f.ALIAS, at, f"*{name} stands for an anchor that is not defined before it")
        if target.open:
            self._stop(f.ALIAS, at, f"*{name} stands for a value that contains it")
        self._tick(at)
        self._place(replace(target, line=at[0], column=at[1], block=False))

    def _place(self, node: Node) -> None:
        """Puts a finished value where it belongs: the top, a list, a key, or the value of a key."""
        at = (node.line, node.column)
        if not self._stack:
            self.root = node
            return
        top = self._stack[-1]
        if top.node.items is not None:
            top.node.items.append(node)
        elif top.key is None:
            if node.raw is None:
                self._stop(f.BAD_KEY, at, "an alias of a mapping or list stands where a key is wanted")
            top.key = node.raw
            top.merges_next = node.plain and node.raw == "<<"
            if not top.merges_next and top.key not in top.node.keys:
                top.node.keys[top.key] = at
            elif not top.merges_next:
                line = top.node.keys[top.key][0]
                said = printable(top.key)
                self._add(
                    f.DUPLICATE_KEY, at, f"the key '{said}' stands twice; it is on line {line} already", (top.key,)
                )
        else:
            assert top.node.entries is not None
            if top.merges_next:
                top.merges.append(node)
            else:
                top.node.entries.setdefault(top.key, node)
            top.key = None

    def _merge(self, node: Node, source: Node) -> None:
        """Adds the entries of `<<` that the mapping does not have itself; the first of several sources wins."""
        at = (source.line, source.column)
        sources = source.items if source.items is not None else [source]
        for one in sources:
            if one.entries is None:
                node.partial = True
                self._add(f.MERGE, at, "the value of << is not a mapping, nor a list of mappings")
                return
            node.weight += one.weight
            self._weigh(node.weight, at)
            assert node.entries is not None
            for key, child in one.entries.items():
                if key not in node.entries:
                    node.entries[key] = child
                    node.keys[key] = one.keys[key]

    def _refuse_tag(self, event: Any) -> bool:
        """Whether the value has a tag, which is a finding."""
        if event.tag is None:
            return False
        tag = printable(str(event.tag).replace("tag:yaml.org,2002:", "!!"))
        self._add(f.TAG, _place_of(event), f"the tag {tag} is not allowed; a spec is plain data")
        return True

    def _anchor(self, event: Any, node: Node) -> None:
        if event.anchor is not None:
            self._anchors[event.anchor] = node

    def _tick(self, at: Place) -> None:
        self._count += 1
        self._weigh(self._count, at)

    def _weigh(self, weight: int, at: Place) -> None:
        if weight > MAX_NODES:
            self._stop(f.EXPLODING, at, f"the document expands to more than {MAX_NODES:,} values")

    def _path(self, below: Path) -> Path:
        steps: list[str | int] = []
        for frame in self._stack[:-1]:
            steps.append(len(frame.node.items) if frame.node.items is not None else frame.key or "")
        return (*steps, *below)

    def _add(self, code: Code, at: Place, message: str, below: Path | None = None) -> None:
        path = path_text(self._path(below)) if below else ""
        self.findings.append(code.at(path, message).located(Source(self.file, *at)))
        if len(self.findings) >= MAX_FINDINGS:
            # The place of the last one, so that the note stays behind it in the file's order.
            self.findings.append(f.MORE.at("", "and more of the same").located(Source(self.file, *at)))
            raise _StopError

    def _stop(self, code: Code, at: Place, message: str) -> NoReturn:
        self._add(code, at, message)
        raise _StopError
