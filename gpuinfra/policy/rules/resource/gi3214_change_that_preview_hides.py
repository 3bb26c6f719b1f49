"""A change that preview calls an update and Azure refuses.

What: A scale set's options do not name, in replaceOnChanges, the properties that Azure never changes in place.
Severity: info for a set that names none of them and is not of our own making
Why: The provider knows no create-only property of a scale set but its location. Preview shows one update, and `up` ends half way with PropertyChangeNotAllowed.
Fix: Add the paths named to replaceOnChanges, and deleteBeforeReplace: true for a set with a name of its own.
References: pulumi/pulumi-azure-native#577; pulumi/pulumi-azure-native#959; MicrosoftDocs/azure-docs#108952
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AzureNodes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items

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


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each scale set of GPU nodes."""
    for nodes in ctx.azure.sets:
        if not nodes.has_gpu:
            continue
        written = [str(p) for p in items(nodes.resource.options.get("replaceOnChanges"))]
        # From true to false the placement group may be changed in place, and only so.
        fixed = [p for p in FIXED if p != _ONE_WAY or nodes.single_group is not False]
        missing = [p for p in fixed if not any(_covers(w, p) for w in written)]
        minded = bool(written) or ctx.azure.ours(nodes.resource)
        if missing:
            yield CODE.at(
                f"{nodes.name}.options.replaceOnChanges",
                f"a change of {', '.join(missing[:3])}{' and others' if missing[3:] else ''} shows as an update in preview, "
                "and Azure refuses it",
                f"add to replaceOnChanges: {', '.join(missing)}",
                resource=nodes.name,
                severity=None if minded else Severity.INFO,
            )
        elif _name_stays(nodes) and not nodes.resource.options.get("deleteBeforeReplace"):
            yield CODE.at(
                f"{nodes.name}.options.deleteBeforeReplace",
                "a replacement would be made before the old set is gone, under the same name",
                "set deleteBeforeReplace: true",
                resource=nodes.name,
            )


def _covers(written: str, path: str) -> bool:
    plain = written.replace("[*]", "").replace(".*", "")
    return plain in ("*", path) or path.startswith(f"{plain}.")


def _name_stays(nodes: AzureNodes) -> bool:
    return nodes.resource.get("vmScaleSetName") is not None


_ALL = ", ".join(FIXED)
_OTHERS = ", ".join(p for p in FIXED if p != _ONE_WAY)
_T = """\
- type: azure-native.compute.VirtualMachineScaleSet
  name: nodes
  inputs: {{vmScaleSetName: acme, sku: {{name: Standard_ND96isr_H100_v5}}, singlePlacementGroup: {2}}}
  options: {{replaceOnChanges: [{0}], deleteBeforeReplace: {1}}}
"""

RULE = ResourceRule(
    CODE,
    ("drift",),
    check,
    Examples(
        (_T.format(_ALL, "true", "true"), _T.format(_OTHERS, "true", "false")),
        (_T.format("zones", "true", "true"), _T.format(_ALL, "false", "true"), _T.format(_OTHERS, "true", "true")),
    ),
    providers=(Provider.AZURE,),
)
