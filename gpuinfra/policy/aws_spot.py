"""Spot nodes of AWS as rules read them: who buys them, of which types, and what runs on them at boot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..vocabulary import Provider
from .aws_graph import INSTANCES, LAUNCH_TEMPLATE, NODE_GROUP, SCALING_GROUP, SPOT_REQUEST, AwsGraph, Nodes
from .machine_rows import gpu_row_of
from .resource_graph import Resource
from .wire_values import entries, items, late, number, plain

_SPLIT = ("mixedInstancesPolicy", "instancesDistribution")
_SHARE = "onDemandPercentageAboveBaseCapacity"
_OVERRIDES = ("mixedInstancesPolicy", "launchTemplate", "overrides")


@dataclass(frozen=True)
class SpotNodes:
    """A group or an instance that is bought as spot, as far as is known."""

    owner: Resource
    template: Resource | None
    """What launches the nodes; None where EKS makes the template."""
    types: tuple[str, ...] | None
    """The types that it may start; None where not known."""
    sure: bool = True
    """False: how it is bought is not known yet."""

    @property
    def has_gpu(self) -> bool:
        """Whether the catalog knows one of its types to have GPUs."""
        return any(gpu_row_of(Provider.AWS, t) for t in self.types or ())


def spot_nodes(aws: AwsGraph) -> tuple[SpotNodes, ...]:
    """Every group and instance of the program that is spot, or of which that is not known yet."""
    return aws.once("spot nodes", lambda: tuple(_all(aws)))


def _all(aws: AwsGraph) -> Iterator[SpotNodes]:
    launched: dict[str, Nodes] = {g.urn: n for n in aws.nodes for g in n.groups}
    for group in aws.of_type(SCALING_GROUP, NODE_GROUP):
        nodes = launched.get(group.urn)
        template = nodes.template if nodes is not None else None
        spot = _is_spot(group, template)
        if spot is not False:
            yield SpotNodes(group, template, _types(group, template), sure=spot is True)
    for box in aws.of_type(*INSTANCES):
        said = "spot" if box.type == SPOT_REQUEST else _market(box)
        if said == "spot" or late(said):
            kind = box.get("instanceType")
            types = (kind,) if isinstance(kind, str) and not late(kind) else None
            yield SpotNodes(box, box, types, sure=not late(said))


def _is_spot(group: Resource, template: Resource | None) -> bool | None:
    """Whether a group buys all of its nodes as spot; None where that is not known yet."""
    if group.get("mixedInstancesPolicy") is not None:
        share, base = group.get(*_SPLIT, _SHARE), group.get(*_SPLIT, "onDemandBaseCapacity")
        if late(share) or (number(share) == 0 and late(base)):
            return None
        return number(share) == 0 and not number(base)
    if group.type == NODE_GROUP:
        said = group.get("capacityType")
    else:
        said = _market(template) if template is not None else None
    return None if late(said) else said in ("SPOT", "spot")


def _market(launcher: Resource) -> object:
    return launcher.get("instanceMarketOptions", "marketType")


def _types(group: Resource, template: Resource | None) -> tuple[str, ...] | None:
    own = group.get("instanceTypes")
    overrides = group.get(*_OVERRIDES)
    # By attributes many types come; which, EC2 chooses.
    chosen = [group.get(*_OVERRIDES), *([template.get("instanceRequirements")] if template is not None else [])]
    if late(own) or any(late(v) for v in chosen) or _by_attributes(group, template):
        return None
    named = [plain(t) for t in items(own)] + [plain(o.get("instanceType")) for o in entries(overrides)]
    named = [t for t in named if t is not None]
    if not named and template is not None and template.type == LAUNCH_TEMPLATE:
        named = [template.get("instanceType")]
    if not named or any(not isinstance(t, str) or late(t) for t in named):
        return None
    return tuple(dict.fromkeys(str(t) for t in named))


def _by_attributes(group: Resource, template: Resource | None) -> bool:
    if template is not None and template.get("instanceRequirements") is not None:
        return True
    return any(o.get("instanceRequirements") is not None for o in entries(group.get(*_OVERRIDES)))
