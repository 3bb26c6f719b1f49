"""InfiniBand nodes in more than one set.

What: Two scale sets of one InfiniBand size, or machines of one that share no availability set.
Severity: warning where the sets share no proximity placement group, since they may be meant apart
Why: Only machines of one scale set, or of one availability set, have the same partition key. Over TCP everything works; NCCL over InfiniBand hangs.
Fix: Make it one scale set with the sum of the nodes. Leave it so where no job spans the sets.
References: NVIDIA/nccl-tests#36; ComputeCanada/magic_castle#200; Azure docs, set up InfiniBand on HPC VMs
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AVAILABILITY_SET, SCALE_SET, AzureGraph, AzureNodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3201", "infiniband-over-several-sets", Severity.ERROR, __doc__, ("AZ IB-01",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each size. What our own component made is judged by the job's pools, in the plan rules."""
    azure = ctx.azure
    sizes: dict[str, list[AzureNodes]] = defaultdict(list)
    for nodes in azure.nodes:
        if nodes.infiniband and not azure.ours(nodes.resource):
            sizes[nodes.size].append(nodes)
    open_ = [n for n in azure.nodes if n.is_set and late(n.resource.get("sku", "name")) and not azure.ours(n.resource)]
    for nodes in open_ if sizes else ():
        yield Undecided(CODE.code, nodes.name, "whether the set is of an InfiniBand size is not known yet")
    for size, found in sizes.items():
        yield from _sets(azure, size, [n for n in found if n.is_set])
        yield from _machines(azure, size, [n for n in found if not n.is_set])


def _sets(azure: AzureGraph, size: str, sets: list[AzureNodes]) -> Iterator[Diagnostic]:
    if len(sets) < 2:
        return
    groups: dict[str, list[str]] = defaultdict(list)
    for nodes in sets:
        links = azure.proximity_group(nodes)
        for key in (*(r.urn for r in links.resources), *links.foreign):
            groups[key].append(nodes.name)
    shared = next((names for names in groups.values() if len(names) > 1), None)
    names = shared or [n.name for n in sets]
    counts = [n.count for n in sets if n.name in names]
    total = f" of {sum(c for c in counts if c is not None):g} nodes" if None not in counts else ""
    where = "share one proximity placement group" if shared else "are of one InfiniBand size"
    yield CODE.at(
        f"{names[1]}.sku.name",
        f"scale sets {', '.join(repr(n) for n in names)} of {size} {where}, and InfiniBand joins the nodes of one set only",
        f"make them one scale set{total}, or let no job span them",
        resource=names[1],
        severity=None if shared else Severity.WARNING,
    )


def _machines(azure: AzureGraph, size: str, machines: list[AzureNodes]) -> Iterator[Diagnostic]:
    homes: set[str] = set()
    for n in machines:
        links = [
            azure.to(n.resource, key, n.resource.get(key), kind)
            for key, kind in (("availabilitySet", AVAILABILITY_SET), ("virtualMachineScaleSet", SCALE_SET))
        ]
        if any(found.unknown for found in links):
            return
        named = [key for found in links for key in (*(r.urn for r in found.resources), *found.foreign)]
        homes.add(named[0] if named else n.resource.urn)
    if len(homes) > 1:
        yield CODE.at(
            f"{machines[1].name}.availabilitySet",
            f"{len(machines)} machines of {size} share no availability set, so that InfiniBand does not join them",
            "put them into one scale set or one availability set, or let no job span them",
            resource=machines[1].name,
            severity=Severity.WARNING,
        )


_SET = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: {0}
  inputs:
    sku: {{name: {1}, capacity: 4}}
    proximityPlacementGroup: {{id: /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/proximityPlacementGroups/near}}
"""
_SIZE = "Standard_ND96isr_H100_v5"

RULE = ResourceRule(
    CODE,
    ("fabric",),
    check,
    Examples(
        (_SET.format("a", _SIZE),),
        (_SET.format("a", _SIZE) + _SET.format("b", _SIZE),),
        (_SET.format("a", _SIZE) + _SET.format("b", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
