"""Secrets in boot scripts: told by their shape, or by a name that says what is assigned. The secret is never shown."""

from __future__ import annotations

import re

from ..redaction import secret_kind

_WORDS = ("password", "passwd", "secret", "api_key", "api-key", "apikey", "token", "wandb login")
_KEY = r"(?i:PASSWORD|PASSWD|SECRET_?(?:ACCESS_?)?KEY|API_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|_TOKEN)"
# A path, an address, an ARN, or words joined by hyphens is where a secret lies, and none itself.
_VALUE = r"(?!(?i:none|null|true|false)\b|self\.|os\.|/|arn:|projects/|https?:|[a-z]+(?:[_-][a-z]+)+(?:[\s\"';]|$))[^\s\"'$<>(){}\[\]`,;\\]{6,}"
_ASSIGNED = (
    re.compile(rf"{_KEY}=[\"']?{_VALUE}(?=[\s\"';]|$)"),
    re.compile(rf"(?m){_KEY}[^\S\n]*:[^\S\n]+[\"']?{_VALUE}[\"']?[^\S\n]*$"),
    re.compile(rf"{_KEY}\"\s*:\s*\"{_VALUE}\""),
    # As an argument: of `aws configure set`, of an option, of a login.
    re.compile(
        rf"(?i:aws_secret_access_key|--(?:(?:access|admin|auth|db|hf|join|user)-)?(?:password|token|api-key|secret-key))[ =][\"']?{_VALUE}"
    ),
    re.compile(r"wandb login (?:--[a-z-]+ )*[0-9a-f]{40}\b"),
)


def kind_of_secret(text: str) -> str:
    """What secret a script holds, as 'a private key'; empty where none is seen."""
    found = secret_kind(text)
    # Boot documents are long and mostly scripts: only lines with one of the words are worth the closer look.
    lines = [] if found else [line for line in text.splitlines() if any(w in line.lower() for w in _WORDS)]
    near = "\n".join(lines)
    return found or ("a secret" if any(a.search(near) for a in _ASSIGNED) else "")
