"""Paths into a spec: a tuple of keys and list numbers, and its text as a finding shows it."""

from __future__ import annotations

import json
import re

Path = tuple[str | int, ...]
"""Keys and list numbers, from the top: ("node_pools", 1, "instance_type")."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_STEP = re.compile(r'\.?([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\.([^.\[\]]+)')
_LONGEST_KEY = 80


def path_text(path: Path) -> str:
    """`node_pools[1].instance_type`, and `labels["a.b"]` for a key that is no plain word. Printable, bounded."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif len(step) <= _LONGEST_KEY and _WORD.fullmatch(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{_quoted(step if len(step) <= _LONGEST_KEY else step[:_LONGEST_KEY] + '…')}]")
    return "".join(parts)


def _quoted(key: str) -> str:
    """A key in double quotes. Letters of every script stay; what cannot be seen becomes an escape of JSON."""
    text = json.dumps(key, ensure_ascii=False)
    return text if text.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def parse_path(text: str) -> Path:
    """The steps of a path's text, as far as it can be read: what does not look like a path ends it."""
    steps: list[str | int] = []
    at = 0
    while at < len(text) and (match := _STEP.match(text, at)):
        word, number, quoted, odd = match.groups()
        try:
            steps.append(int(number) if number else json.loads(quoted) if quoted else word or odd)
        except json.JSONDecodeError:
            break
        at = match.end()
    return tuple(steps)
