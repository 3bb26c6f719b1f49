"""What Azure nodes run at boot: custom data, user data, and the settings of extensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from .aws_user_data import is_late, script
from .azure_graph import AzureGraph, AzureNodes
from .resource_graph import Secret
from .wire_values import late, plain

FIELDS: tuple[tuple[str, ...], ...] = (("osProfile", "customData"), ("userData",))
"""Where a boot document stands in the profile of nodes."""


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
        settings = [extension.block.get(k) for k in ("settings", "protectedSettings")]
        if "customscript" in extension.kind.lower() and any(_unseen(s) for s in settings):
            return None
        out += [text_of(s) for s in settings]
    return "\n".join(out)


def _unseen(settings: Any) -> bool:
    """Whether a script extension runs what is fetched from elsewhere, or what is not known yet."""
    settings = plain(settings)
    if not isinstance(settings, Mapping):
        return is_late(settings) or (isinstance(settings, str) and "fileUris" in settings)
    block = cast("Mapping[str, Any]", settings)
    scripts = [plain(block.get(k)) for k in ("commandToExecute", "script", "fileUris")]
    return bool(scripts[2]) or any(is_late(s) for s in scripts[:2]) or late(scripts[2])


def text_of(value: Any) -> str:
    """Settings as lines of text, a script in them decoded; what is not known is left out."""
    value = plain(value)
    if isinstance(value, str):
        return script(value)
    if isinstance(value, Mapping):
        return "\n".join(f"{k}: {text_of(v)}" for k, v in cast("Mapping[Any, Any]", value).items())
    if isinstance(value, (list, tuple)):
        return "\n".join(text_of(v) for v in cast("Sequence[Any]", value))
    return ""


def is_marked_secret(nodes: AzureNodes, path: tuple[str, ...]) -> bool:
    """Whether a boot document itself, and not a part around it, is marked secret."""
    holder = nodes.get(*path[:-1]) if nodes.root or path[:-1] else nodes.resource.inputs
    return isinstance(holder, Mapping) and isinstance(cast("Mapping[str, Any]", holder).get(path[-1]), Secret)
