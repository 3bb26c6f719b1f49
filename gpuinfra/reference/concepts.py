"""What each part of the spec becomes on each cloud, read from the goldens of a checkout: whole outputs of the rooms.

A resource belongs to the part whose component made it (`gpuinfra:<cloud>:<Component>`, the same names in each room), and
within one to the first concept whose words its class or its logical name holds, else to the one without words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..vocabulary import Provider
from .machines import TITLES

GOLDENS = "tests/golden"
"""Where the goldens lie in a checkout."""
_UPDATE = "update.json"
_COMPONENT = re.compile(r"gpuinfra:\w+:(\w+)")


@dataclass(frozen=True)
class Concept:
    """A row. `classes` and `roles` are searched in the class and in the logical name; a concept without them takes the
    rest of its component."""

    title: str
    field: str
    component: str
    classes: str = ""
    roles: str = ""
    kind: str = ""
    """Of storage that the golden's spec names."""

    @property
    def takes_the_rest(self) -> bool:
        return not (self.classes or self.roles or self.kind)

    def names(self, made: Made) -> bool:
        """Whether a resource of the component is meant by name."""
        if self.kind:
            return made.kind == self.kind
        words = [(self.classes, made.shown.rpartition(".")[2]), (self.roles, made.name)]
        return any(word and re.search(word, text) for word, text in words)


@dataclass(frozen=True)
class Made:
    """A resource of a golden, as far as it matters here."""

    component: str
    name: str
    shown: str
    """Module and class, as `ec2.Vpc`."""
    kind: str = ""


CONCEPTS = (
    Concept("resource group", "location.resource_group", "ResourceGroup"),
    Concept("network and subnets", "network", "ClusterNetwork"),
    Concept("the way out", "network.public_nodes", "ClusterNetwork", "Nat|Route|InternetGateway|^Eip$|PublicIPAddress"),
    Concept("who may reach whom", "network.ssh_from", "ClusterNetwork", "SecurityGroup|SecurityRule|Firewall|Bastion"),
    Concept("the way to the cloud's own services", "storage", "ClusterNetwork", "VpcEndpoint|GlobalAddress|Connection"),
    Concept("what nodes may do", "node_pools", "NodeIdentity"),
    Concept("what nodes may do", "node_pools", "NodePool", roles="-leave$"),
    Concept("the group and what its nodes are", "node_pools[]", "NodePool", "^Group$|GroupManager|Template|ScaleSet"),
    Concept("nodes that stand together", "node_pools[].proximity", "NodePool", "PlacementGroup|ResourcePolicy"),
    Concept("windows and requests for capacity", "node_pools[].capacity", "NodePool"),
    Concept("storage: lustre", "storage[].kind", "SharedStorage", kind="lustre"),
    Concept("storage: nfs", "storage[].kind", "SharedStorage", kind="nfs"),
    Concept("storage: bucket", "storage[].kind", "SharedStorage", kind="bucket"),
    Concept("storage: what all share", "storage", "SharedStorage"),
    Concept("lease and recurring stop", "shutdown", "Spend", "Offset|Schedule|Job"),
    Concept("lease and recurring stop", "shutdown", "NodePool", "AutoscaleSetting"),
    Concept(
        "budget, and who hears of it", "budget", "Spend", "Budget|CostAllocation|Topic|NotificationChannel|ActionGroup"
    ),
    Concept("what sets the groups to zero", "budget.on_limit", "Spend"),
    Concept("what sets the groups to zero", "budget.on_limit", "NodePool", roles="-budget-stop$"),
    Concept("what nodes boot from", "image", "GpuCluster"),
)
"""In the order of the page. Concepts with one title are one row."""


class UnknownComponentError(Exception):
    """A golden holds a component that no concept names: a fault of the table above."""


def resources_page(goldens: Path) -> str:
    """The page. Raises UnknownComponentError."""
    found = {provider: tuple(_made_of(goldens, provider)) for provider in TITLES}
    fields = {concept.title: concept.field for concept in CONCEPTS}
    rows = [row for title, field in fields.items() if (row := _row(title, field, found))]
    return "\n".join(
        [
            "# What each part becomes\n",
            "What the parts of a spec are made of on each cloud, as module and class of the cloud's SDK: `pulumi_aws`, "
            "`pulumi_gcp`, `pulumi_azure_native`; `time.Offset` is of `pulumiverse_time`. Read from what the specs in "
            f"`{GOLDENS}` become, which hold every branch of a room that one cluster can hold; a smaller spec needs fewer. "
            "`gpuinfra plan` shows those of yours.\n",
            f"| part | field | {' | '.join(TITLES.values())} |",
            f"| --- | --- |{' --- |' * len(TITLES)}",
            *rows,
            "",
        ]
    )


def concept_of(made: Made) -> Concept:
    """The concept that means the resource by name, else the one that takes the rest. Raises UnknownComponentError."""
    here = [concept for concept in CONCEPTS if concept.component == made.component]
    for concept in (*(c for c in here if c.names(made)), *(c for c in here if c.takes_the_rest)):
        return concept
    raise UnknownComponentError(f"{made.component} ({made.name})")


def _row(title: str, field: str, found: Mapping[Provider, Sequence[Made]]) -> str:
    """A line of the table; empty where no cloud has the concept."""
    cells = [sorted({m.shown for m in made if concept_of(m).title == title}) for made in found.values()]
    if not any(cells):
        return ""
    shown = ["<br>".join(f"`{name}`" for name in cell) or "–" for cell in cells]
    return f"| {title} | [`{field}`](spec.md#{_anchor(field)}) | {' | '.join(shown)} |"


def _anchor(field: str) -> str:
    where = "azure-" if field == "location.resource_group" else ""
    return where + field.replace("[]", "").replace(".", "-").replace("_", "-")


def _made_of(goldens: Path, provider: Provider) -> Iterator[Made]:
    """Every resource of a cloud's goldens."""
    for path in sorted(goldens.glob(f"{provider}-*/{_UPDATE}")):
        kinds = _kinds(path.parent / "cluster.yaml")
        data = cast(Mapping[str, Any], json.loads(path.read_text(encoding="utf-8")))
        for resource in cast("list[Mapping[str, Any]]", data["resources"]):
            if _COMPONENT.fullmatch(resource["type"]):
                continue
            parents = _COMPONENT.findall(resource["parent"])
            name = str(resource["name"])
            kind = next((kind for end, kind in kinds.items() if end in f"{name}-"), "")
            yield Made(parents[-1] if parents else "", name, _shown(resource["type"]), kind)


def _kinds(spec: Path) -> dict[str, str]:
    """The kind of each storage, by the part of a logical name that says which storage it is."""
    import yaml

    data = cast(Mapping[str, Any], yaml.safe_load(spec.read_text(encoding="utf-8")))
    stores = cast("list[Mapping[str, Any]]", data.get("storage", []))
    return {f"-{store['name']}-storage-": str(store["kind"]) for store in stores}


def _shown(token: str) -> str:
    """`aws:ec2/vpc:Vpc` as `ec2.Vpc`; a module called index is its package."""
    package, module, name = token.split(":")
    module = module.partition("/")[0]
    return f"{package if module == 'index' else module}.{name}"
