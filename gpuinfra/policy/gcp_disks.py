"""The disks and images of Google machines, on instances, in templates and on their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from .gcp_graph import GcpGraph
from .gcp_machines import Machines
from .gcp_types import ATTACHED_DISK, DISK, INSTANCE, TEMPLATES, last_part
from .resource_graph import Resource
from .wire_values import entries, late, plain

_DEFAULT_BOOT = "pd-standard"
"""What an instance or a template boots from where no type is named."""
_CUSTOM = re.compile(r"(?:n1-)?custom-(\d+)-\d+(?:-ext)?")


def boot_disk_type(machines: Machines) -> tuple[str, Any]:
    """(path, type) of the boot disk: its name, or unknown. An empty path: the disk is another's, or not written."""
    if machines.is_pool:
        value = machines.get("diskType")
        return ("diskType", _name(value)) if value is not None else ("", None)
    found = _boot(machines)
    if found is None or found[1].get("source") is not None:
        return "", None
    path, disk = found
    key = "type" if machines.source.type == INSTANCE else "diskType"
    return f"{path}.{key}", _name(_given(disk.get(key)))


def boot_disk_size(machines: Machines) -> tuple[str, Any]:
    """(path, size in GB) of the boot disk where it is written out; an empty path where it is not."""
    if machines.is_pool:
        value = machines.get("diskSizeGb")
        return ("diskSizeGb", value) if value is not None else ("", None)
    found = _boot(machines)
    if found is None:
        return "", None
    key = "size" if machines.source.type == INSTANCE else "diskSizeGb"
    value = plain(found[1].get(key))
    return (f"{found[0]}.{key}", value) if value is not None else ("", None)


def boot_image_path(machines: Machines) -> str:
    """Where the image of a machine stands."""
    found = _boot(machines)
    key = "image" if machines.source.type == INSTANCE else "sourceImage"
    return f"{found[0]}.{key}" if found is not None else key


def boot_image_value(machines: Machines) -> Any:
    """The image as it is written, also where it is unknown; None where there is none."""
    found = _boot(machines)
    return plain(found[1].get("image" if machines.source.type == INSTANCE else "sourceImage")) if found else None


def boot_image(machines: Machines) -> str:
    """The image as text; empty where there is none, or it is unknown."""
    value = boot_image_value(machines)
    return value if isinstance(value, str) and not late(value) else ""


def data_disks(gcp: GcpGraph, machines: Machines) -> Iterator[tuple[str, Any]]:
    """(place, type) of each disk that a machine has beside its boot disk."""
    source = machines.source
    attached: dict[str, tuple[str, Any]] = {}
    for n, disk in enumerate(entries(source.get("attachedDisks"))):
        linked = gcp.link(source, "attachedDisks", disk.get("source"), DISK).resources
        # Preview may know that several disks are attached, and not which stands where.
        place = f"attachedDisks[{n}].source" if len(linked) == 1 else "attachedDisks"
        for found in linked:
            attached.setdefault(found.urn, (f"{source.name}.{place}", _given(found.get("type"))))
    yield from attached.values()
    if source.type in TEMPLATES:
        for n, disk in enumerate(entries(source.get("disks"))):
            if (
                n
                and plain(disk.get("type")) != "SCRATCH"
                and not plain(disk.get("boot"))
                and disk.get("source") is None
            ):
                yield f"{source.name}.disks[{n}].diskType", _given(disk.get("diskType"))
    for joint in gcp.of_type(ATTACHED_DISK):
        if source in gcp.linked(joint, "instance", INSTANCE).resources:
            for found in gcp.linked(joint, "disk", DISK).resources:
                yield f"{joint.name}.disk", _given(found.get("type"))


def every_disk(gcp: GcpGraph) -> Iterator[tuple[Resource, str, Mapping[str, Any]]]:
    """(owner, path with a trailing dot or empty, description) of each disk that is written out."""
    for disk in gcp.of_type(DISK):
        yield disk, "", disk.inputs
    for box in gcp.of_type(INSTANCE):
        params = box.get("bootDisk", "initializeParams")
        if isinstance(params, Mapping):
            yield box, "bootDisk.initializeParams.", cast(Mapping[str, Any], params)
    for template in gcp.of_type(*TEMPLATES):
        for n, disk in enumerate(entries(template.get("disks"))):
            yield template, f"disks[{n}].", disk


def cores_of(machines: Machines) -> int | None:
    """The vCPUs of a machine type, from the catalog or from the name of a custom type."""
    if machines.facts is not None and machines.facts.vcpus:
        return machines.facts.vcpus
    match = _CUSTOM.fullmatch(machines.machine_type)
    return int(match[1]) if match else None


def _boot(machines: Machines) -> tuple[str, Mapping[str, Any]] | None:
    """(path, description) of the boot disk of an instance or a template."""
    source = machines.source
    if source.type == INSTANCE:
        params = source.get("bootDisk", "initializeParams")
        return ("bootDisk.initializeParams", cast(Mapping[str, Any], params)) if isinstance(params, Mapping) else None
    disks = entries(source.get("disks"))
    found = next((n for n, d in enumerate(disks) if plain(d.get("boot")) is True), 0 if disks else None)
    return (f"disks[{found}]", disks[found]) if found is not None else None


def _given(kind: Any) -> Any:
    """A disk's type as it is written, the default where it is not; what is unknown stays so."""
    value = plain(kind)
    return _DEFAULT_BOOT if value is None else value


def _name(value: Any) -> Any:
    return last_part(value) if isinstance(value, str) and not late(value) else value
