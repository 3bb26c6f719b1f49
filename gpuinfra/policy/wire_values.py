"""Values of recorded inputs as rules read them: numbers in text, truths in text, and what is not known yet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, cast

from .resource_graph import OutputRef, Secret, Unknown

_LATE_TEXT = re.compile(r"\$\{[^{}]+\}")


def number(value: Any) -> float | None:
    """The number of a JSON number or of digits in text; None for anything else (also unknown, and not finite)."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if isfinite(found) else None


def truth(value: Any) -> bool | None:
    """The truth of a JSON boolean, or of 'true' and 'false' as launch templates spell them; None otherwise."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else None


def late(value: Any) -> bool:
    """Whether a value is known only after the deployment, or comes from another resource."""
    if isinstance(value, str):
        return bool(_LATE_TEXT.search(value))
    return isinstance(value, (Unknown, OutputRef))


def items(value: Any) -> list[Any]:
    """The entries of a list; nothing for anything else."""
    return list(cast(Sequence[Any], value)) if isinstance(value, (list, tuple)) else []


def given(*values: Any) -> Any:
    """The first value that is there. `or` would pass over one that is not known yet, which is never true."""
    return next((v for v in values if v is not None), None)


def differ(one: Any, other: Any) -> bool:
    """Whether two texts are known and not the same, spaces and case apart: places, as clouds spell them."""
    if not isinstance(one, str) or not isinstance(other, str) or late(one) or late(other):
        return False
    return one.replace(" ", "").lower() != other.replace(" ", "").lower()


def entries(value: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list (or a mapping that stands for a list of one); what is no mapping is left out."""
    if isinstance(value, Mapping):
        return [cast(Mapping[str, Any], value)]
    return [cast(Mapping[str, Any], v) for v in items(value) if isinstance(v, Mapping)]


def plain(value: Any) -> Any:
    """The value inside a Secret."""
    return value.value if isinstance(value, Secret) else value


def holds_secret(value: Any) -> bool:
    """Whether a part of a value is marked secret, its text known or not."""
    if isinstance(value, Mapping):
        return any(holds_secret(v) for v in cast(Mapping[Any, Any], value).values())
    if isinstance(value, (list, tuple)):
        return any(holds_secret(v) for v in cast(Sequence[Any], value))
    return isinstance(value, Secret)


def secret_texts(value: Any, *, inside: bool = False) -> set[str]:
    """Every text and number of a value that is marked secret, at any depth."""
    if isinstance(value, Secret):
        return secret_texts(value.value, inside=True)
    if isinstance(value, Mapping):
        found = cast(Mapping[Any, Any], value)
        return {t for v in found.values() for t in secret_texts(v, inside=inside)}
    if isinstance(value, (list, tuple)):
        return {t for v in cast(Sequence[Any], value) for t in secret_texts(v, inside=inside)}
    return {str(value)} if inside and isinstance(value, (str, int, float)) and not isinstance(value, bool) else set()
