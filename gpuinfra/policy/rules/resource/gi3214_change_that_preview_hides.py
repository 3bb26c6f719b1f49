"""A change that preview calls an update and Azure refuses.

What: A property that Azure never changes in place is changed, or a scale set's options do not name such properties in replaceOnChanges.
Severity: for a set that is not of our own making, and of which nobody looked up what it was: warning where it names some of them, info where it names none
Why: The provider knows few create-only properties; of a scale set only its location. Preview shows one update, and `up` ends half way with PropertyChangeNotAllowed.
Fix: Add the paths named to replaceOnChanges, and deleteBeforeReplace: true for a set with a name of its own.
References: pulumi/pulumi-azure-native#577; pulumi/pulumi-azure-native#959; MicrosoftDocs/azure-docs#108952
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import (
    AVAILABILITY_SET,
    CAPACITY,
    CAPACITY_GROUP,
    NAT_GATEWAY,
    NETAPP_VOLUME,
    PROXIMITY_GROUP,
    PUBLIC_IP,
    SCALE_SET,
    STORAGE_ACCOUNT,
    AzureNodes,
)
from ...last_inputs import Spellings, changed, covered, last, same_word, unsure
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, truth

CODE = described("GI3214", "change-that-preview-hides", Severity.ERROR, __doc__, ("AZ PUL-01", "AZ PLC-05"))
_PROFILE = "virtualMachineProfile"
_ONE_WAY = "singlePlacementGroup"
FIXED = (
    "orchestrationMode",
    _ONE_WAY,
    "zones",
    "platformFaultDomainCount",
    "proximityPlacementGroup",
    f"{_PROFILE}.priority",
    f"{_PROFILE}.evictionPolicy",
    f"{_PROFILE}.storageProfile.osDisk.diffDiskSettings",
    f"{_PROFILE}.storageProfile.imageReference.publisher",
    f"{_PROFILE}.storageProfile.imageReference.offer",
)
"""What Azure refuses to change on a scale set that exists, in wire spelling."""
_FIXED_OF = {
    SCALE_SET: (*FIXED, f"{_PROFILE}.storageProfile.diskControllerType", f"{_PROFILE}.securityProfile.securityType"),
    PROXIMITY_GROUP: ("proximityPlacementGroupType", "zones"),
    AVAILABILITY_SET: ("platformFaultDomainCount", "platformUpdateDomainCount", "sku.name", "proximityPlacementGroup"),
    CAPACITY_GROUP: ("zones",),
    CAPACITY: ("zones", "sku.name"),
    NAT_GATEWAY: ("zones", "sku.name"),
    PUBLIC_IP: ("zones", "publicIPAllocationMethod"),
    STORAGE_ACCOUNT: ("enableNfsV3", "kind"),
    NETAPP_VOLUME: ("subnetId", "zones", "creationToken"),
}
"""What Azure refuses to change, and the provider takes for an update, by type."""
_ABSENT: dict[str, object] = {
    "orchestrationMode": "Uniform",
    f"{_PROFILE}.priority": "Regular",
    "proximityPlacementGroupType": "Standard",
    "publicIPAllocationMethod": "Dynamic",
    "enableNfsV3": False,
}
_KEPT = frozenset(
    {"platformFaultDomainCount", "platformUpdateDomainCount", f"{_PROFILE}.storageProfile.diskControllerType"}
)
"""What Azure chooses itself where nothing is written, and then keeps."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource that is known to change, else for each scale set of GPU nodes."""
    for r in ctx.azure.of_type(*_FIXED_OF):
        was = last(ctx, r)
        if was is not None:
            yield from _changes(r, was)
            open_ = [p for p in unsure(was, r, _FIXED_OF[r.type]) if not covered(r, "replaceOnChanges", p)]
            if open_ and not any(covered(r, "ignoreChanges", p) for p in open_):
                yield Undecided(CODE.code, r.name, f"whether {', '.join(open_)} changes is not known yet")
    for nodes in ctx.azure.sets:
        if late(nodes.resource.get("sku", "name")):
            yield Undecided(CODE.code, nodes.name, "whether the nodes have GPUs is not known yet")
        elif nodes.has_gpu and last(ctx, nodes.resource) is None:
            yield from _options(ctx, nodes)


def _changes(r: Resource, was: Resource) -> Iterator[Diagnostic]:
    found = changed(was, r, _FIXED_OF[r.type], Spellings(_absent(r), _KEPT, same_word))
    if truth(was.get(_ONE_WAY)) and truth(r.get(_ONE_WAY)) is False:
        found = [p for p in found if p != _ONE_WAY]
    missing = [p for p in found if not covered(r, "replaceOnChanges", p) and not covered(r, "ignoreChanges", p)]
    # One property that replaces takes the others along.
    if missing and len(missing) == len(found):
        yield CODE.at(
            f"{r.name}.{missing[0]}",
            f"{', '.join(missing)} change{'s' if len(missing) == 1 else ''}: preview shows an update, and Azure refuses it",
            f"add to replaceOnChanges: {', '.join(missing)}",
            resource=r.name,
        )


def _absent(r: Resource) -> dict[str, object]:
    """What Azure takes a property for that is not written."""
    if r.type == NAT_GATEWAY:
        return {"sku.name": "Standard"}
    if r.type != SCALE_SET:
        return _ABSENT
    uniform = str(r.get("orchestrationMode") or "Uniform").lower() == "uniform"
    return {**_ABSENT, _ONE_WAY: uniform}


def _options(ctx: GraphContext, nodes: AzureNodes) -> Iterator[Diagnostic | Undecided]:
    r = nodes.resource
    # From true to false the placement group may be changed in place, and only so.
    fixed = [p for p in FIXED if p != _ONE_WAY or nodes.single_group is not False]
    missing = [p for p in fixed if not covered(r, "replaceOnChanges", p)]
    if missing == [_ONE_WAY] and late(r.get(_ONE_WAY)):
        yield Undecided(CODE.code, nodes.name, f"whether {_ONE_WAY} is true, and may change, is not known yet")
        return
    # A plain program that names some of them is right until one of the others changes.
    minded = Severity.WARNING if items(r.options.get("replaceOnChanges")) else Severity.INFO
    if missing:
        yield CODE.at(
            f"{nodes.name}.options.replaceOnChanges",
            f"a change of {', '.join(missing[:3])}{' and others' if missing[3:] else ''} shows as an update in preview, "
            "and Azure refuses it",
            f"add to replaceOnChanges: {', '.join(missing)}",
            resource=nodes.name,
            severity=None if ctx.azure.ours(r) else minded,
        )
    elif r.get("vmScaleSetName") is not None and not r.options.get("deleteBeforeReplace"):
        yield CODE.at(
            f"{nodes.name}.options.deleteBeforeReplace",
            "a replacement would be made before the old set is gone, under the same name",
            "set deleteBeforeReplace: true",
            resource=nodes.name,
        )


_ALL = ", ".join(FIXED)
_OTHERS = ", ".join(p for p in FIXED if p != _ONE_WAY)
_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{vmScaleSetName: acme, sku: {{name: {3}}}, singlePlacementGroup: {2}}}
  options: {{replaceOnChanges: [{0}], deleteBeforeReplace: {1}}}
"""
_SIZE = "Standard_ND96isr_H100_v5"

RULE = ResourceRule(
    CODE,
    ("drift",),
    check,
    Examples(
        (_T.format(_ALL, "true", "true", _SIZE), _T.format(_OTHERS, "true", "false", _SIZE)),
        (
            _T.format("zones", "true", "true", _SIZE),
            _T.format(_ALL, "false", "true", _SIZE),
            _T.format(_OTHERS, "true", "true", _SIZE),
        ),
        (_T.format("zones", "true", "true", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
