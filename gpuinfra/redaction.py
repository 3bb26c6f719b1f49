"""Secrets that a person puts into the wrong place are told by their shape, named, and never shown."""

from __future__ import annotations

import re
from functools import cache

PRIVATE_KEY = "a private key"

# Marks are looked for first, since nearly no text has one, and only then is a pattern made and tried.
_SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # The body of an OpenSSH key always begins with its magic word, `openssh-key-v1` in base64.
    (
        PRIVATE_KEY,
        ("PRIVATE KEY", "b3BlbnNzaC1rZXkt", "PuTTY-User-Key-File-"),
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY|\bb3BlbnNzaC1rZXkt|\bPuTTY-User-Key-File-\d",
    ),
    ("an AWS access key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{20,}\b"),
    (
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})\b",
    ),
    ("an Azure storage key", ("AccountKey=",), r"\bAccountKey=[A-Za-z0-9+/]{40,}={0,2}"),
    ("an Azure access signature", ("sig=",), r"[?&]sig=[A-Za-z0-9%+/]{20,}={0,2}"),
    (
        "an API key",
        ("nvapi-", "sk-", "xoxb-", "xoxp-"),
        r"\b(?:nvapi-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{20,}|xox[bp]-[A-Za-z0-9-]{20,})",
    ),
)

NOT_SHOWN = "not shown here"

# Of a private key nothing of the sentence's quotation stays: what follows its first line is the key.
_TO_THE_END = r"(?:{0})(?:(?!-----END)[^'\"])*(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?:-----)?)?"


def secret_kind(text: str) -> str:
    """What secret a text holds, as 'a private key'; empty where none is recognized."""
    return next((what for what, pattern in _candidates(text) if re.search(pattern, text)), "")


def redacted(text: str) -> str:
    """A sentence without the secrets that it quotes."""
    for what, pattern in _candidates(text):
        span = _TO_THE_END.format(pattern) if what == PRIVATE_KEY else pattern
        text = re.sub(span, f"({what}, {NOT_SHOWN})", text)
    return text


@cache
def _any_mark() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(mark) for _, marks, _ in _SHAPES for mark in marks))


def _candidates(text: str) -> list[tuple[str, str]]:
    """The secrets whose mark a text has, each with its pattern."""
    if not _any_mark().search(text):
        return []
    return [(what, pattern) for what, marks, pattern in _SHAPES if any(mark in text for mark in marks)]
