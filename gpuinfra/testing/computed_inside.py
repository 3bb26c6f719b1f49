"""Values that a cloud computes inside an input: the program gives an object, and the cloud adds to it.

No class says which members those are, so they stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

_LISTS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    # The addresses of a file server, in each network that it was given.
    "gcp:filestore/instance:Instance": (("networks", "ipAddresses"),),
}
"""By type: the input, a list of objects, and the member of each that is a list of texts."""


def add_computed(type_: str, state: dict[str, Any], token: Callable[[str], str]) -> None:
    """Adds a token where the cloud would add a value that the program did not give."""
    for key, member in _LISTS.get(type_, ()):
        given = state.get(key)
        for i, element in enumerate(cast("list[Any]", given) if isinstance(given, list) else ()):
            if isinstance(element, dict) and member not in element:
                element[member] = [token(f"{key}[{i}].{member}[0]")]
