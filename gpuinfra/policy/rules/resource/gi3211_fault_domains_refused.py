"""A number of fault domains that Azure refuses.

What: platformFaultDomainCount is not one of the numbers that the orchestration mode and the zones allow, or of an availability set.
Why: A Uniform set takes 1 or 5 in a zone and 1 to 5 without one, a Flexible set 1 in a zone and 1 to 3 without; other numbers are refused, and the number can never be changed.
Fix: Take a number that is named.
References: Azure docs, choose the right number of fault domains for a scale set; Azure/azure-cli#21834
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AVAILABILITY_SET, AzureNodes, zones_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3211", "fault-domains-refused", Severity.ERROR, __doc__, ("AZ PLC-01",))
_ALLOWED = {
    # (Flexible, in a zone): Azure docs, manage fault domains of scale sets.
    (False, True): (1, 5),
    (False, False): (1, 2, 3, 4, 5),
    (True, True): (1,),
    (True, False): (1, 2, 3),
}
_AVAILABILITY = {"platformFaultDomainCount": (1, 3), "platformUpdateDomainCount": (1, 20)}


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set and each field of an availability set."""
    for nodes in ctx.azure.sets:
        yield from _set(nodes)
    for group in ctx.azure.of_type(AVAILABILITY_SET):
        yield from _availability(group)


def _set(nodes: AzureNodes) -> Iterator[Diagnostic | Undecided]:
    value = nodes.resource.get("platformFaultDomainCount")
    if value is None:
        return
    zones, flexible = zones_of(nodes.resource), nodes.flexible
    if late(value) or zones is None or flexible is None:
        yield Undecided(CODE.code, nodes.name, "the fault domains, the zones or the mode are not known yet")
        return
    allowed = _ALLOWED[flexible, bool(zones)]
    if number(value) not in allowed:
        mode = "Flexible" if flexible else "Uniform"
        yield CODE.at(
            f"{nodes.name}.platformFaultDomainCount",
            f"{value} fault domains, and a {mode} set {'in a zone' if zones else 'without a zone'} takes "
            f"{' or '.join(map(str, allowed))}",
            "write platformFaultDomainCount: 1, or leave it out",
            resource=nodes.name,
        )


def _availability(group: Resource) -> Iterator[Diagnostic | Undecided]:
    for key, (least, most) in _AVAILABILITY.items():
        value = group.get(key)
        found = number(value)
        if late(value):
            yield Undecided(CODE.code, group.name, f"{key} is not known yet")
        elif value is not None and (found is None or not least <= found <= most):
            yield CODE.at(
                f"{group.name}.{key}",
                f"{value}, and an availability set takes {least} to {most}",
                f"take {least} to {most}",
                resource=group.name,
            )


_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{orchestrationMode: {0}, zones: {1}, platformFaultDomainCount: {2}}}
"""

RULE = ResourceRule(
    CODE,
    ("placement",),
    check,
    Examples(
        (_T.format("Uniform", '["1"]', 1), _T.format("Uniform", "null", 3), _T.format("Flexible", "null", "2.0")),
        (_T.format("Uniform", '["1"]', 3), _T.format("Flexible", '["1"]', 2), _T.format("Flexible", "null", 5)),
        (_T.format("Uniform", "!unknown ", 3),),
    ),
    providers=(Provider.AZURE,),
)
