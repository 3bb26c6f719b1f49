"""Labels in the form that another cloud takes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..plan.label_forms import LabelForm
from .change import NOTHING, Change


def move_labels(labels: Mapping[str, str], form: LabelForm, changes: list[Change]) -> dict[str, str]:
    """The labels there: spelled anew where the cloud refuses them, left out where nothing of them can stay."""
    moved: dict[str, str] = {}
    for key, value in labels.items():
        path = f"labels.{key}"
        new_key = key if _is_key(key, form) else _plain(key, form.key_length, letter_first=True)
        new_value = value if _is_value(value, form) else _plain(value, form.value_length)
        if not _is_key(new_key, form) or new_key in moved or (new_key != key and new_key in labels):
            changes.append(
                Change(path, f"{key}: {value}", NOTHING, f"the cloud takes {form.says}: no such key is left")
            )
            continue
        if (new_key, new_value) != (key, value):
            changes.append(Change(path, f"{key}: {value}", f"{new_key}: {new_value}", f"the cloud takes {form.says}"))
        moved[new_key] = new_value
    return moved


def _is_key(key: str, form: LabelForm) -> bool:
    low = key.lower()
    taken = low in form.ours or low.startswith(form.reserved)
    return not taken and len(key) <= form.key_length and form.key.fullmatch(key) is not None


def _is_value(value: str, form: LabelForm) -> bool:
    return len(value) <= form.value_length and form.value.fullmatch(value) is not None


def _plain(text: str, length: int, *, letter_first: bool = False) -> str:
    """The text in what every cloud takes: lower-case letters, digits, hyphens and underscores, up to 63."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-")
    return (re.sub(r"^[^a-z]+", "", plain) if letter_first else plain)[: min(length, 63)]
