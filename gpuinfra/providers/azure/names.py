"""Names within Azure's limits, which differ by kind, and names that are GUIDs."""

from __future__ import annotations

from uuid import UUID, uuid5

import pulumi

from ...plan.names import name_limit, shortened
from ...vocabulary import Provider

_MADE_UP = 8
_HOST_PREFIX = 15
_NAMESPACE = UUID("3f1c7a52-6c0e-5d0b-9a54-2f6f0f3c9b11")


def fixed_name(logical: str, kind: str, *replaced_by: str) -> str | None:
    """None where the name that the provider makes up fits: the logical one and eight hexadecimal digits. Else a whole
    name, which differs for different logical ones; the provider itself never shortens, and ARM refuses at `up`.

    `replaced_by`: values whose change makes the thing anew, while the old one still has its name.
    """
    longest = name_limit(Provider.AZURE, kind)
    if len(logical) + _MADE_UP <= longest:
        return None
    return shortened("-".join((logical, *(text.replace("/", "-") for text in replaced_by if text))), longest)


def host_prefix(cluster: str, pool: str) -> str:
    """The beginning of the nodes' host names; Azure adds six characters. Linux takes more, and short names are read."""
    return shortened(f"{cluster}-{pool}", _HOST_PREFIX).rstrip("-")


def guid(scope: pulumi.Input[str], *what: str) -> pulumi.Output[str]:
    """A GUID that is the same for the same thing at the same scope, and no other's: ARM wants one that is unique in the
    whole tenant, for assignments of roles and for roles of one's own."""

    def named(at: str | None) -> str | None:
        # None under mocks that leave computed outputs out. ARM does not tell ids apart by case.
        return None if at is None else str(uuid5(_NAMESPACE, "|".join((at.lower(), *what))))

    return pulumi.Output.from_input(scope).apply(named)  # pyright: ignore[reportReturnType]
