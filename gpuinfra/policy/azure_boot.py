"""What Azure nodes run at boot: custom data, user data, and the settings of extensions."""

from __future__ import annotations

from collections.abc import Iterator

from .aws_user_data import is_late, script
from .azure_graph import AzureGraph, AzureNodes
from .wire_values import plain

FIELDS = (("osProfile", "customData"), ("userData",))


def boot_fields(nodes: AzureNodes) -> Iterator[tuple[str, object]]:
    """(place, value) of each boot document that is written, encoded as it stands."""
    for path in FIELDS:
        value = nodes.get(*path)
        if value is not None:
            yield ".".join(path), value


def boot_text(azure: AzureGraph, nodes: AzureNodes) -> str | None:
    """All that nodes run at boot, decoded; empty where nothing is written, None where some of it is unknown."""
    out: list[str] = []
    for _, value in boot_fields(nodes):
        if is_late(value):
            return None
        out.append(script(str(value)))
    for extension in azure.extensions(nodes):
        out.append(repr(plain(extension.block.get("settings"))))
    return "\n".join(out)
