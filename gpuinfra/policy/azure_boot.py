"""What Azure nodes run at boot: custom data, user data, the settings of extensions, and run commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from .aws_user_data import is_late, script
from .azure_graph import AzureGraph, AzureNodes
from .resource_graph import Resource, Secret
from .wire_values import late, plain

FIELDS: tuple[tuple[str, ...], ...] = (("osProfile", "customData"), ("userData",))
"""Where a boot document stands in the profile of nodes."""

_SET_COMMAND = "azure-native:compute:VirtualMachineScaleSetVMRunCommand"
_MACHINE_COMMAND = "azure-native:compute:VirtualMachineRunCommandByVirtualMachine"


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
    for command in _run_commands(azure, nodes):
        said = plain(command.get("source", "script"))
        # Without a text of its own it is fetched from an address, or is one of Azure's.
        if not isinstance(said, str) or is_late(said):
            return None
        out.append(said)
    return "\n".join(out)


def _run_commands(azure: AzureGraph, nodes: AzureNodes) -> Iterator[Resource]:
    """The commands that the program has run on nodes once they are up."""
    key, kind = ("vmScaleSetName", _SET_COMMAND) if nodes.is_set else ("vmName", _MACHINE_COMMAND)
    for r in azure.of_type(kind):
        named = r.get(key)
        linked = any(o.urn == nodes.resource.urn for o in azure.linked(r, key, nodes.resource.type).resources)
        if linked or (isinstance(named, str) and named and named == nodes.resource.get(key)):
            yield r


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
