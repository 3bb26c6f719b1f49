"""What the next `up` does when a field of the spec changes.

Said for a field and all below it, by the longest matching path; where clouds or kinds of change differ, for each. It is
measured: tests/changes makes each change on the simulated clouds, and tests/reference holds what is said here against the
table that comes of it (tests/golden/on_change.json, docs/reference/changes.md). What forces a replacement is in the clouds'
own schemas: table a10 of the AWS facts, a11 of Google's, a1 and a17 of Azure's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from ..vocabulary import Provider
from .machines import TITLES

_Said = TypeVar("_Said")


class Effect(StrEnum):
    """What a change comes to, from small to great."""

    IN_PLACE = "in place"
    """Resources are changed, added or taken away, and no node notices."""
    NEW_NODES = "new nodes"
    """Nodes that come later are other ones; those that run stay as they are."""
    NODES = "nodes"
    """A pool's nodes end and others come."""
    NETWORK = "network"
    """The nodes' network or subnet is made anew."""
    DATA = "data"
    """A store would go, with its data: it is protected, and `up` is refused."""
    CLOUD_REFUSES = "cloud refuses"
    """A preview says update and the cloud says no. No field may do that."""


Effects = frozenset[Effect]
NOTHING: Effects = frozenset()
IN_PLACE: Effects = frozenset({Effect.IN_PLACE})
NEW_NODES: Effects = frozenset({Effect.NEW_NODES})
NODES: Effects = frozenset({Effect.NODES})
NETWORK: Effects = frozenset({Effect.NETWORK, Effect.NODES})
DATA: Effects = frozenset({Effect.DATA})
NETWORK_AND_DATA: Effects = NETWORK | DATA
NODES_AND_DATA: Effects = NODES | DATA


@dataclass(frozen=True)
class Change:
    """What a change of a field does, on every cloud but those that `clouds` names, and in every case but those of
    `cases`."""

    effects: Effects
    note: str = ""
    clouds: Mapping[Provider, Change] = field(default_factory=dict[Provider, "Change"])
    cases: Mapping[str, Change] = field(default_factory=dict[str, "Change"])

    def on(self, cloud: Provider, case: str = "") -> Effects:
        """The effects of a case on a cloud."""
        one = self.cases.get(case, self)
        return one.clouds[cloud].effects if cloud in one.clouds else one.effects


_NODES_ON_AZURE = {Provider.AZURE: Change(NODES)}
_NOT_ON_GOOGLE = {Provider.GCP: Change(NOTHING)}
_SIZE_STAYS = (
    "The number of nodes that run stays: the pool is scaled by its lease, its idle nodes and the cloud's own command."
)
_BEFORE = "What the spec says of it is used before the deployment."

ON_CHANGE: Mapping[str, Change] = {
    "api_version": Change(NOTHING),
    "name": Change(NETWORK_AND_DATA, "Where the program gives the cluster another name, that one counts."),
    "workload": Change(NOTHING),
    "location": Change(NETWORK_AND_DATA),
    "location.zone": Change(
        NETWORK_AND_DATA, clouds={p: Change(NODES_AND_DATA) for p in (Provider.GCP, Provider.AZURE)}
    ),
    "location.deployer_roles": Change(IN_PLACE),
    "location.activate_cost_tag": Change(IN_PLACE),
    "location.existing_resource_group": Change(
        DATA, "The stack gives its own group up, and with a group goes what stands in it: its stores protect it."
    ),
    "location.bastion": Change(IN_PLACE),
    "location.container_registry": Change(IN_PLACE),
    "network": Change(NETWORK_AND_DATA),
    "network.cidr": Change(
        NETWORK_AND_DATA,
        clouds={
            Provider.GCP: Change(NETWORK, "File systems stay in the old peered range, which goes when they are gone.")
        },
    ),
    "network.existing": Change(NETWORK),
    "network.existing.network": Change(
        NODES, clouds={Provider.GCP: Change(NEW_NODES, "Nodes that run stay in the old network.")}
    ),
    "network.existing.subnet": Change(
        NODES, clouds={Provider.GCP: Change(NEW_NODES, "Nodes that run stay in the old subnet.")}
    ),
    "network.public_nodes": Change(
        NEW_NODES, "The way out of private nodes goes at once: those that run are without one."
    ),
    "network.ssh_from": Change(IN_PLACE),
    "network.ssh_keys": Change(NEW_NODES, clouds=_NODES_ON_AZURE),
    "node_pools": Change(IN_PLACE, cases={"one fewer": Change(NODES, "Of that pool; the others stay.")}),
    "node_pools[].name": Change(NODES),
    "node_pools[].instance_type": Change(NEW_NODES, clouds=_NODES_ON_AZURE),
    "node_pools[].accelerator": Change(NEW_NODES, clouds=_NODES_ON_AZURE),
    "node_pools[].count": Change(NEW_NODES, _SIZE_STAYS),
    "node_pools[].count.min": Change(NOTHING, _SIZE_STAYS),
    "node_pools[].count.max": Change(IN_PLACE, clouds=_NOT_ON_GOOGLE),
    "node_pools[].count.initial": Change(NEW_NODES, _SIZE_STAYS),
    "node_pools[].capacity": Change(NEW_NODES, clouds=_NODES_ON_AZURE),
    "node_pools[].capacity.type": Change(
        NEW_NODES,
        clouds=_NODES_ON_AZURE,
        cases={"to flex-start": Change(NEW_NODES, "A request brings the nodes, beside those that run.")},
    ),
    "node_pools[].capacity.id": Change(NEW_NODES),
    "node_pools[].capacity.starts": Change(IN_PLACE, clouds=_NOT_ON_GOOGLE),
    "node_pools[].capacity.ends": Change(IN_PLACE, clouds=_NOT_ON_GOOGLE),
    "node_pools[].capacity.duration": Change(NEW_NODES, "A request that was made stands as it is."),
    "node_pools[].fabric": Change(NEW_NODES, clouds=_NODES_ON_AZURE),
    "node_pools[].proximity": Change(
        NEW_NODES,
        "A placement group goes when no node is in it any more; until then EC2 refuses to delete it.",
        clouds={
            Provider.GCP: Change(IN_PLACE),
            Provider.AZURE: Change(NOTHING, "InfiniBand keeps nodes together by itself."),
        },
    ),
    "node_pools[].mig": Change(NEW_NODES),
    "node_pools[].local_nvme": Change(NEW_NODES),
    "node_pools[].public_ip": Change(
        NEW_NODES, clouds={Provider.AWS: Change(NODES, "They move to the public subnet.")}
    ),
    "storage": Change(NEW_NODES, cases={"one fewer": Change(DATA)}),
    "storage[].name": Change(DATA),
    "storage[].kind": Change(DATA),
    "storage[].size_gib": Change(
        IN_PLACE,
        cases={
            "larger, Lustre": Change(IN_PLACE, clouds={Provider.AZURE: Change(DATA)}),
            "smaller, Lustre": Change(DATA),
        },
    ),
    "storage[].throughput_mbps_per_tib": Change(DATA, clouds={Provider.AWS: Change(IN_PLACE)}),
    "storage[].mount": Change(NEW_NODES),
    "storage[].existing": Change(NEW_NODES),
    "storage[].import_from": Change(
        IN_PLACE, "The link to the bucket is made anew; the file system stays.", clouds=_NOT_ON_GOOGLE
    ),
    "storage[].zone": Change(DATA),
    "image": Change(NEW_NODES),
    "image.node": Change(NEW_NODES, cases={"of another publisher": Change(NODES)}),
    "job": Change(NEW_NODES, "They carry its command."),
    "job.command": Change(NEW_NODES),
    "job.launcher": Change(NOTHING, _BEFORE),
    "job.pools": Change(NOTHING, _BEFORE),
    "job.checkpoint": Change(NOTHING, _BEFORE),
    "scheduler": Change(NOTHING),
    "budget": Change(IN_PLACE),
    "budget.per_run_usd": Change(NOTHING, _BEFORE),
    "budget.per_hour_usd": Change(NOTHING, _BEFORE),
    "budget.start": Change(IN_PLACE, clouds=_NOT_ON_GOOGLE),
    "shutdown": Change(IN_PLACE),
    "shutdown.idle_after": Change(NEW_NODES),
    "labels": Change(NEW_NODES, clouds={Provider.AZURE: Change(IN_PLACE)}),
    "waivers": Change(NOTHING),
}

_SMALL = {
    NOTHING: "changes no resource.",
    IN_PLACE: "in place.",
    NEW_NODES: "for new nodes; running ones keep what they have.",
}
_GREAT = {Effect.NETWORK: "the network", Effect.NODES: "the pool's nodes", Effect.DATA: "the store"}
_REFUSED = ", whose data would be lost: it is protected, and `up` is refused."


def in_words(effects: Effects) -> str:
    """The effects as the end of a sentence."""
    if effects in _SMALL:
        return _SMALL[effects]
    things = [thing for effect, thing in _GREAT.items() if effect in effects]
    if Effect.NETWORK in effects:
        things = [t.replace("the pool's nodes", "the nodes") for t in things]
    listed = " and ".join(filter(None, [", ".join(things[:-1]), things[-1]]))
    return f"replaces {listed}{_REFUSED if Effect.DATA in effects else '.'}"


def on_change(path: str) -> str:
    """What a change of the field at `path` does, as `node_pools[].capacity.type`, and where it does something else."""
    found = change_of(path)
    said = [_sentence("", found)]
    said += [_sentence(f"On {TITLES[cloud]}: ", one) for cloud, one in found.clouds.items()]
    for case, one in found.cases.items():
        said.append(_sentence(f"{case[:1].upper()}{case[1:]}: " if case else "", one))
        said += [_sentence(f"On {TITLES[cloud]}: ", other) for cloud, other in one.clouds.items()]
    return " ".join(said)


def _sentence(start: str, change: Change) -> str:
    words = in_words(change.effects)
    words = start + words if start else words[0].upper() + words[1:]
    return f"{words} {change.note}".rstrip()


def change_of(path: str) -> Change:
    """What is said of the path, or of the nearest one that holds it. Raises KeyError for no field."""
    if found := _longest(ON_CHANGE, path):
        return found
    raise KeyError(path)


def _longest(known: Mapping[str, _Said], path: str) -> _Said | None:
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        at = ".".join(parts[:end])
        if found := known.get(at) or known.get(at.removesuffix("[]")):
            return found
    return None
