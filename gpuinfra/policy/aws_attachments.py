"""Network interfaces that are resources of their own, as the slots of the instances that they are attached to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from .linked_graph import LinkedGraph
from .resource_graph import UNKNOWN, OutputRef, Resource
from .wire_values import entries, late, plain

_INTERFACE = "aws:ec2/networkInterface:NetworkInterface"
_ATTACHMENT = "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment"
_SLOT = ("networkCardIndex", "deviceIndex")
_ID = "networkInterfaceId"
_UNSEEN: Mapping[str, Any] = {"interfaceType": UNKNOWN}
"""An interface of which nothing is known: whether it carries EFA neither."""


def attached_later(graph: LinkedGraph, *instances: str) -> dict[str, list[Mapping[str, Any]]]:
    """The interfaces that other resources attach to instances of these types, by the instance's URN."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for a in graph.of_type(_ATTACHMENT):
        for box in graph.linked(a, "instanceId", *instances).resources:
            found[box.urn].append(_slot(graph, a, _ID, a.inputs))
    for interface in graph.of_type(_INTERFACE):
        for block in entries(plain(interface.get("attachments"))):
            for box in graph.link(interface, "attachments", block.get("instance"), *instances).resources:
                found[box.urn].append({**_of(graph, interface), **{k: block.get(k) for k in _SLOT}})
    return found


def interfaces_of(graph: LinkedGraph, box: Resource, later: list[Mapping[str, Any]]) -> Any:
    """The interfaces of an instance, each with the kind, the subnet and the groups of its resource; what the instance says
    itself where it names none that is a resource of its own."""
    own, first = plain(box.get("networkInterfaces")), plain(box.get("primaryNetworkInterface"))
    if late(own) or late(first):
        return UNKNOWN
    at_boot = [*_named(graph, box, "networkInterfaces", own), *_named(graph, box, "primaryNetworkInterface", first)]
    if not at_boot and not later:
        return own
    if not at_boot:
        # The interface that every instance boots with; its groups and its subnet are the instance's.
        at_boot = [{"interfaceType": "interface"}]
    return [*at_boot, *later]


def _named(graph: LinkedGraph, box: Resource, key: str, value: Any) -> Iterator[Mapping[str, Any]]:
    for block in entries(value):
        yield _slot(graph, box, key, block) if block.get(_ID) is not None else block


def _slot(graph: LinkedGraph, owner: Resource, key: str, block: Mapping[str, Any]) -> Mapping[str, Any]:
    links = graph.link(owner, key, block.get(_ID), _INTERFACE)
    found = _of(graph, links.resources[0]) if len(links.resources) == 1 and links.decided else _UNSEEN
    return {**found, **{k: block.get(k) for k in _SLOT}}


def _of(graph: LinkedGraph, interface: Resource) -> Mapping[str, Any]:
    """An interface as a template would write it. One that is made before its node never gets a public address by itself."""
    return {
        "interfaceType": plain(interface.get("interfaceType")),
        "securityGroups": _traced(graph, interface, "securityGroups"),
        "subnetId": _traced(graph, interface, "subnetId"),
        "associatePublicIpAddress": False,
    }


def _traced(graph: LinkedGraph, interface: Resource, key: str) -> Any:
    """A value that another resource can hand on: what it leads to is named, not followed by that resource's own inputs."""
    value = interface.get(key)
    links = graph.linked(interface, key)
    if value is None or links.unknown:
        return None if value is None else UNKNOWN
    return [*(OutputRef(r.name, "id") for r in links.resources), *links.foreign]
