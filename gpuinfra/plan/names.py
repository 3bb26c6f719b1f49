"""Names: logical ones for the program, and the ones that the cloud sees.

Both are functions of the cluster's and the part's own name alone: adding a pool never renames another.
"""

from __future__ import annotations

import re

from .. import catalog
from ..vocabulary import Provider

_DIGEST = 6
_FALLBACK_LENGTH = 63


def pool_resource_name(cluster: str, pool: str) -> str:
    """The logical name of a pool; its parts add `-<role>`.

    The word `pool` after the user's own keeps names apart whatever the user chose (a pool `gpu` with its part
    `template`, and a pool `gpu-template`), as long as no role holds that word.
    """
    return f"{cluster}-{pool}-pool"


def storage_resource_name(cluster: str, storage: str) -> str:
    """The logical name of a storage; the word `storage` does for it what `pool` does for pools."""
    return f"{cluster}-{storage}-storage"


def cloud_name(provider: Provider, kind: str, *parts: str) -> str:
    """The name that the cloud sees: the parts joined by hyphens, shortened to the cloud's limit.

    A shortened name ends in a digest of the whole, so that two long names that begin alike stay apart.
    """
    return shortened("-".join(parts), name_limit(provider, kind))


def name_limit(provider: Provider, kind: str) -> int:
    """The longest name of a kind of resource, in characters."""
    row = catalog.limit(provider, f"name.{kind}")
    return row.maximum if row else _FALLBACK_LENGTH


def is_taken(provider: Provider, kind: str, name: str) -> bool:
    """Whether the cloud takes a name of a kind: its characters, and no word that the cloud keeps for itself."""
    row = catalog.limit(provider, f"name.{kind}")
    return row is None or not row.pattern or re.search(row.pattern, name) is not None


def shortened(name: str, maximum: int) -> str:
    """The name itself where it fits, else its beginning and a digest of the whole."""
    if len(name) <= maximum:
        return name
    from hashlib import sha256  # loads OpenSSL, for the few names that are too long

    digest = sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: maximum - _DIGEST - 1].rstrip('-')}-{digest}"
