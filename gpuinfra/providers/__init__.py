"""The clouds' rooms. A room is imported when it is asked for, since each cloud's SDK is large."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from ..vocabulary import Provider

if TYPE_CHECKING:
    from .protocol import Room


@dataclass(frozen=True, slots=True)
class _Door:
    """Where a room is. `module` is empty while the room is not built."""

    module: str
    extra: str


_DOORS: dict[Provider, _Door] = {
    Provider.AWS: _Door("gpuinfra.providers.aws", "aws"),
    Provider.GCP: _Door("gpuinfra.providers.gcp", "gcp"),
    Provider.AZURE: _Door("gpuinfra.providers.azure", "azure"),
}
_SDK = "pulumi"


class MissingSdk(ImportError):  # noqa: N818
    """The cloud's SDK is not installed. The text says how to install it."""

    def __init__(self, provider: Provider, module: str) -> None:
        self.provider = provider
        self.command = f"pip install 'gpuinfra[{_DOORS[provider].extra}]'"
        super().__init__(f"the Python package that provides '{module}' is needed and not installed: {self.command}")


class RoomNotBuilt(NotImplementedError):  # noqa: N818
    """The cloud's resources cannot be rendered yet; everything before that works."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        super().__init__(
            f"resources for '{provider}' are not built yet; gpuinfra checks, plans and prices such a cluster, and deploys "
            f"to: {', '.join(available())}"
        )


def available() -> tuple[Provider, ...]:
    """The clouds whose rooms are built, whether or not their SDKs are installed."""
    return tuple(provider for provider, door in _DOORS.items() if door.module)


def get(provider: Provider) -> Room:
    """A cloud's room. Raises RoomNotBuilt, or MissingSdk where its SDK is not installed."""
    door = _DOORS[provider]
    if not door.module:
        raise RoomNotBuilt(provider)
    try:
        return cast("Room", import_module(door.module))
    except ModuleNotFoundError as e:
        if e.name and e.name.startswith(_SDK):
            raise MissingSdk(provider, e.name) from e
        raise
