"""A NetApp volume in a subnet that is not delegated to it.

What: The subnet of a volume has no delegation to Microsoft.NetApp/volumes, or nodes stand in it too.
Why: Azure refuses the volume; and a delegated subnet takes no machines.
Fix: Give the volumes a subnet of their own with delegations: [{serviceName: Microsoft.NetApp/volumes}].
References: Azure docs, delegate a subnet to Azure NetApp Files
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import NETAPP_VOLUME, SUBNET
from ...azure_network import subnet_block
from ...last_inputs import late_inside
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3268", "netapp-subnet-not-delegated", Severity.ERROR, __doc__, ("AZ ANF-01",))
_SERVICE = "microsoft.netapp/volumes"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each volume whose subnet is of this program."""
    for volume in ctx.azure.of_type(NETAPP_VOLUME):
        for subnet in ctx.azure.linked(volume, "subnetId", SUBNET).resources:
            if late_inside(subnet.get("delegations")):
                yield Undecided(CODE.code, volume.name, "the delegations of its subnet are not known yet")
            elif _SERVICE not in subnet_block(subnet).delegations:
                yield CODE.at(
                    f"{volume.name}.subnetId",
                    f"'{subnet.name}' is not delegated to Microsoft.NetApp/volumes",
                    "delegate it, or name a subnet that is",
                    resource=volume.name,
                )


_T = """\
- {{type: azure-native.network.Subnet, name: files, inputs: {{delegations: {0}}}}}
- {{type: azure-native.netapp.CapacityPoolVolume, name: shared, inputs: {{subnetId: !ref files.id }}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_T.format("[{name: d, serviceName: Microsoft.NetApp/volumes}]"),),
        (_T.format("[]"),),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
