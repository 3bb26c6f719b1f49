"""A file system without the connection that leads to it.

What: A Lustre or Filestore instance in a network of this program has no private services connection there, or it stands in another network than the first interface of the nodes.
Why: Managed Lustre, and Filestore with PRIVATE_SERVICE_ACCESS, live in Google's own network: without the connection they cannot be made, and from another network nodes cannot mount them.
Fix: Make a servicenetworking Connection with an address range in the network of the nodes' first interface, and let the file system wait for it.
References: Google Cloud docs, Managed Lustre, configure a VPC network; Google Cloud docs, Private services access
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import FILESTORE, LUSTRE, NETWORK, SERVICES
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3170", "file-system-that-nodes-cannot-reach", Severity.ERROR, __doc__, ("GCP-STO-02",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system in a network of this program."""
    for fs in ctx.gcp.of_type(LUSTRE, FILESTORE):
        key = "network" if fs.type == LUSTRE else "networks"
        value = fs.get("network") if fs.type == LUSTRE else fs.get("networks", 0, "network")
        links = ctx.gcp.link(fs, key, value, NETWORK)
        if links.unknown:
            yield Undecided(CODE.code, fs.name, "its network is not known yet")
        if len(links.resources) != 1 or links.unknown:
            continue
        network = links.resources[0]
        mode = fs.get("networks", 0, "connectMode")
        first = [a[0].network for m in ctx.gcp.machines if (a := ctx.gcp.attachments(m))]
        if first and all(n is not None and n is not network for n in first):
            yield CODE.at(
                f"{fs.name}.{key}",
                f"it stands in network '{network.name}', and no node has its first interface there",
                resource=fs.name,
            )
        # In a network that no node stands in, a connection would help nobody.
        elif fs.type == LUSTRE or mode == "PRIVATE_SERVICE_ACCESS":
            yield from _connection(ctx, fs, network, key)


def _connection(ctx: GraphContext, fs: Resource, network: Resource, key: str) -> Iterator[Diagnostic | Undecided]:
    unknown = False
    for c in ctx.gcp.of_type(SERVICES):
        links = ctx.gcp.linked(c, "network", NETWORK)
        unknown = unknown or links.unknown
        if network in links.resources:
            return
    if unknown:
        yield Undecided(CODE.code, fs.name, "the network of the services connection is not known yet")
    else:
        yield CODE.at(
            f"{fs.name}.{key}", f"network '{network.name}' has no private services connection", resource=fs.name
        )


_T = """\
- {{type: gcp.compute.Network, name: net, inputs: {{}}}}
- {{type: gcp.compute.Network, name: other, inputs: {{}}}}
- {{type: gcp.servicenetworking.Connection, name: services, inputs: {{network: {0}}}}}
- {{type: gcp.lustre.Instance, name: scratch, inputs: {{network: !ref net.id }}, depends_on: [services]}}
- {{type: gcp.compute.Instance, name: box, inputs: {{networkInterfaces: [{{network: {1}}}]}}}}
"""


RULE = ResourceRule(
    CODE,
    ("storage", "network"),
    check,
    Examples(
        (_T.format("!ref net.id ", "!ref net.id "),),
        (
            _T.format("!ref other.id ", "!ref net.id "),
            _T.format("!ref net.id ", "!ref other.id "),
        ),
        (_T.format("!unknown ", "!ref net.id "),),
    ),
    providers=(Provider.GCP,),
)
