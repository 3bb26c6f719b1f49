"""Names that Pulumi makes up from a logical one, kept within AWS's limits.

A made-up name is the logical one and eight characters more; the provider refuses it when it passes the limit, at `up`.
"""

from __future__ import annotations

from ...plan.names import shortened

_MADE_UP = 8
# The longest name, and the longest prefix that the provider takes for one (it adds 26 characters of its own).
_LIMITS = {"role": (64, 38), "schedule": (64, 38), "rule": (64, 38), "queue": (80, 54), "bucket": (63, 37)}
_FUNCTION = 64


def name_prefix(logical: str, kind: str) -> str | None:
    """None where a made-up name fits; else the beginning of one, which differs for different logical names."""
    longest, prefix = _LIMITS[kind]
    return None if len(logical) + _MADE_UP <= longest else f"{shortened(logical, prefix - 1)}-"


def function_name(logical: str) -> str | None:
    """None where a made-up name fits; else the whole name of a Lambda function, which takes no prefix."""
    return None if len(logical) + _MADE_UP <= _FUNCTION else shortened(logical, _FUNCTION)
