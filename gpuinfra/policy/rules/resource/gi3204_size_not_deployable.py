"""A size that Azure does not deploy.

What: A GPU size that is retired, or that no table knows: GB200 sizes have NDR in their name.
Severity: warning where the tables know no size of that family, or the name only adds letters to one: it may be newer than they are
Why: Templates go on naming sizes for years after their end, and the request is refused in the middle of an `up`.
Fix: Take the size that is named.
References: Azure/EOL service_list.json; Azure/karpenter-provider-azure, known SKUs; hashicorp/terraform-provider-azurerm#30328
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ....catalog import Miss, instance_type, instance_types, retired
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import CAPACITY, size_of
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3204", "size-not-deployable", Severity.ERROR, __doc__, ("AZ SKU-01", "AZ GB-02"))
# Azure docs, naming conventions of sizes.
_NAME = re.compile(r"standard_(n[a-z]+)(\d+)([a-z]*?)(?:_((?!v\d+$).+?))?_?(v\d+)?")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each set, machine, pool and reservation. A retirement still to come is let be."""
    azure = ctx.azure
    named = [
        (n.resource, n.size_path, n.resource.get("sku", "name") if n.is_set else n.get("hardwareProfile", "vmSize"))
        for n in azure.nodes
    ]
    named += [(p.source, p.at("vmSize"), p.value("vmSize")) for p in azure.pools]
    named += [(r, f"{r.name}.sku.name", r.get("sku", "name")) for r in azure.of_type(CAPACITY)]
    for owner, where, value in named:
        if late(value):
            yield Undecided(CODE.code, owner.name, "the size is not known yet")
            continue
        size = size_of(value)
        gone = retired(Provider.AZURE, size) if size else None
        if gone is not None:
            today = ctx.now.date().isoformat() if ctx.now else ""
            if not (today and gone.retired_on > today):
                when = f" on {gone.retired_on}" if gone.retired_on else ""
                hint = f"take {gone.instead}" if gone.instead else ""
                yield CODE.at(where, f"{size} was retired{when} and is no longer deployed", hint, resource=owner.name)
            continue
        known = instance_type(Provider.AZURE, size) if size.lower().startswith("standard_n") else None
        if isinstance(known, Miss):
            likely = sorted(known.nearest, key=lambda n: not _lacks_ndr(n, size))[:2]
            near = f"did you mean {' or '.join(likely)}?" if likely else ""
            # A GB200 name without its NDR is certain: such a size never was.
            certain = any(_lacks_ndr(n, size) for n in known.nearest) or _no_newer_one(size)
            said = "no size is named" if certain else "no table knows the size"
            severity = None if certain else Severity.WARNING
            yield CODE.at(where, f"{said} {size}", near, resource=owner.name, severity=severity)


def _no_newer_one(size: str) -> bool:
    """Whether a name is of a family that the tables know, and is not one of its sizes with letters added."""
    own = _parts(size)
    if own is None:
        return False
    kind, cores, letters, accelerator, version = own
    same = [p for p in _known_parts() if (p[0], p[3]) == (kind, accelerator) and version in (p[4], "")]
    of_cores = [p[2] for p in same if p[1] == cores]
    misspelt = any(sorted(letters) == sorted(known) for known in of_cores)
    return bool(same) and (misspelt or not any(set(known) < set(letters) for known in of_cores))


def _parts(size: str) -> tuple[str, ...] | None:
    """Kind, cores, letters, accelerator and version: nd, 96, isr, h100, v5."""
    match = _NAME.fullmatch(size.lower())
    return match.groups(default="") if match else None


@cache
def _known_parts() -> tuple[tuple[str, ...], ...]:
    found = (_parts(t.name) for t in instance_types(Provider.AZURE) if t.has_gpu)
    return tuple(p for p in found if p is not None)


def _lacks_ndr(near: str, size: str) -> bool:
    return near.replace("_NDR", "") == size


_T = """\
- {{type: azure-native.compute.VirtualMachineScaleSet, name: nodes, inputs: {{sku: {{name: {0}, capacity: 1}}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("Standard_ND128isr_NDR_GB200_v6"), _T.format("standard_nc4as_t4_v3"), _T.format("Standard_D8s_v5")),
        (
            _T.format("Standard_NC24rs_v3"),
            _T.format("Standard_ND128isr_GB200_v6"),
            _T.format("Standard_ND99_v9"),
            _T.format("Standard_ND96irs_H100_v5"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
