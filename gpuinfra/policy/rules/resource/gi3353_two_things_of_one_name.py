"""Two things of one name in one place.

What: Two resources of Google Cloud of the same type are given the same name, and their zones, regions or projects do not tell them apart.
Why: A name holds once in a zone, a region or a project: the second one is refused (409), after the first was made.
Fix: Write another name, or leave it out and let the provider make one.
References: Google Cloud docs, naming resources; Google Cloud docs, global, regional and zonal resources
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import (
    CLUSTER,
    DISK,
    FILESTORE,
    FIREWALL,
    GROUP,
    INSTANCE,
    LUSTRE,
    NETWORK,
    NODE_POOL,
    REGION_GROUP,
    RESERVATION,
    RESOURCE_POLICY,
    ROUTER,
    SUBNET,
    TEMPLATES,
    own_name,
)
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import differ, late

CODE = described("GI3353", "two-things-of-one-name", Severity.ERROR, __doc__, ("GCP-NAM-01",))
_NAMED = (
    INSTANCE, *TEMPLATES, GROUP, REGION_GROUP, NETWORK, SUBNET, FIREWALL, ROUTER, RESOURCE_POLICY, RESERVATION, DISK,
    NODE_POOL, CLUSTER, LUSTRE, FILESTORE,
)  # fmt: skip
_PLACES = ("project", "region", "zone", "location", "cluster")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each name that is taken already. Things of two providers may stand in two projects."""
    for kind in _NAMED:
        seen: dict[tuple[str, str], list[Resource]] = {}
        for r in ctx.gcp.of_type(kind):
            if not (name := own_name(r)):
                continue
            others = seen.setdefault((r.provider, name), [])
            verdicts = [(o, _apart(r, o)) for o in others]
            taken = next((o for o, apart in verdicts if apart is False), None)
            if taken is not None:
                yield CODE.at(
                    f"{r.name}.{'instanceId' if r.get('name') is None else 'name'}",
                    f"'{name}' is the name of '{taken.name}' too, and nothing parts the two",
                    resource=r.name,
                )
            elif any(apart is None for _, apart in verdicts):
                yield Undecided(
                    CODE.code, r.name, "whether it stands where another thing of its name does is not known yet"
                )
            others.append(r)


def _apart(one: Resource, other: Resource) -> bool | None:
    """Whether two things of one name stand in two places; None where that is not known yet."""
    unsure = False
    for key in _PLACES:
        a, b = one.inputs.get(key), other.inputs.get(key)
        if differ(a, b) or (a is None) != (b is None):
            return True
        if late(a) or late(b):
            sources = [r.property_dependencies.get(key, ()) for r in (one, other)]
            # What comes out of two things are two places; out of one it is one.
            if all(sources) and sources[0] != sources[1]:
                return True
            unsure = unsure or sources[0] != sources[1] or not all(sources)
    return None if unsure else False


_T = """\
- {{type: gcp.compute.Instance, name: a, inputs: {{name: gpu-0, zone: us-central1-a, machineType: g2-standard-8}}}}
- {{type: gcp.compute.Instance, name: b, inputs: {{name: {0}, zone: {1}, machineType: g2-standard-8}}}}
"""
_POOLS = """\
- {{type: gcp.container.Cluster, name: a, inputs: {{location: us-central1}}}}
- {{type: gcp.container.Cluster, name: b, inputs: {{location: us-central1}}}}
- {{type: gcp.container.NodePool, name: one, inputs: {{name: gpu, cluster: {0}}}}}
- {{type: gcp.container.NodePool, name: two, inputs: {{name: gpu, cluster: {1}}}}}
"""

RULE = ResourceRule(
    CODE,
    ("names",),
    check,
    Examples(
        (
            _T.format("gpu-1", "us-central1-a"),
            _T.format("gpu-0", "us-central1-b"),
            _T.format("null", "us-central1-a"),
            _POOLS.format("!ref a.name ", "!ref b.name "),
        ),
        (_T.format("gpu-0", "us-central1-a"), _POOLS.format("!ref a.name ", "!ref a.name ")),
        (_T.format("gpu-0", "!unknown "),),
    ),
    providers=(Provider.GCP,),
)
