"""Secrets that a person puts into the wrong place are told by their shape, named, and never shown."""

from __future__ import annotations

import re

PRIVATE_KEY = "a private key"

SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    # The body of an OpenSSH key always begins with its magic word, `openssh-key-v1` in base64.
    (PRIVATE_KEY, re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY|\bb3BlbnNzaC1rZXkt|\bPuTTY-User-Key-File-\d")),
    ("an AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{20,}\b")),
    ("a GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})\b")),
    ("an API key", re.compile(r"\b(?:nvapi-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{20,}|xox[bp]-[A-Za-z0-9-]{20,})")),
)

NOT_SHOWN = "not shown here"

# Of a private key nothing of the sentence's quotation stays: what follows its first line is the key.
_TO_THE_END = r"(?:{0})(?:(?!-----END)[^'\"])*(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?:-----)?)?"
_SPANS = tuple(
    (what, re.compile(_TO_THE_END.format(shape.pattern)) if what == PRIVATE_KEY else shape) for what, shape in SHAPES
)


def secret_kind(text: str) -> str:
    """What secret a text holds, as 'a private key'; empty where none is recognized."""
    return next((what for what, shape in SHAPES if shape.search(text)), "")


def redacted(text: str) -> str:
    """A sentence without the secrets that it quotes."""
    for what, span in _SPANS:
        text = span.sub(f"({what}, {NOT_SHOWN})", text)
    return text
