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
    """Where a room is, and the extra that installs its SDK."""

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


def available() -> tuple[Provider, ...]:
    """The clouds that have a room, whether or not their SDKs are installed."""
    return tuple(_DOORS)


def get(provider: Provider) -> Room:
    """A cloud's room. Raises MissingSdk where its SDK is not installed."""
    door = _DOORS[provider]
    try:
        return cast("Room", import_module(door.module))
    except ModuleNotFoundError as e:
        if e.name and e.name.startswith(_SDK):
            raise MissingSdk(provider, e.name) from e
        raise
