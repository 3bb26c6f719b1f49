"""A bucket far from the nodes that read it.

What: A bucket of one region, or of another continent, is given to nodes of another region: their description names it, or their account gets rights on it.
Why: Every epoch and every checkpoint crosses regions, slower than the GPUs read and at a price for each GiB.
Fix: Make the bucket in the nodes' region, or in a dual region that holds it.
References: Google Cloud docs, bucket locations; Google Cloud docs, Cloud Storage pricing, network
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import GcpGraph
from ...gcp_machines import Machines
from ...gcp_storage import MULTI_REGIONS
from ...gcp_types import BUCKET, region_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3352", "bucket-in-another-region", Severity.WARNING, __doc__, ("GCP-STO-03",))
_RIGHTS = ("gcp:storage/bucketIAMMember:BucketIAMMember", "gcp:storage/bucketIAMBinding:BucketIAMBinding")
_ACCOUNT = "gcp:serviceaccount/account:Account"
_REGION = re.compile(r"[a-z]+-[a-z]+\d+")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each bucket; what our own component made is judged by the plan rules."""
    gcp = ctx.gcp
    nodes = [
        (m, {region_of(z) for z in gcp.zones(m)[0]}) for m in gcp.machines if m.has_gpus and not gcp.ours(m.source)
    ]
    for bucket in gcp.of_type(BUCKET):
        readers = [(m, regions) for m, regions in nodes if regions and _reads(gcp, m, bucket)]
        place = bucket.get("location")
        if any(m.has_gpus and gcp.zones(m)[1] and _reads(gcp, m, bucket) for m in gcp.machines):
            yield Undecided(CODE.code, bucket.name, "the zone of the nodes is not known yet")
            continue
        if not readers:
            continue
        if late(place):
            yield Undecided(CODE.code, bucket.name, "its location is not known yet")
        away = [(m, r) for m, r in readers if isinstance(place, str) and not late(place) and not _holds(place, r)]
        # Nodes of several regions cannot all be near.
        if len(away) == len(readers) and away:
            m, regions = away[0]
            yield CODE.at(
                f"{bucket.name}.location",
                f"the bucket stands in {place}, and nodes '{m.name}' in {', '.join(sorted(regions))}",
                f"write location: {min(regions)}",
                resource=bucket.name,
            )


def _holds(place: str, regions: set[str]) -> bool:
    """Whether a location may be that of one of the regions; dual regions and words that are not known here may."""
    name = place.lower()
    if name in MULTI_REGIONS:
        return any(r.startswith(MULTI_REGIONS[name]) for r in regions)
    return name in regions or _REGION.fullmatch(name) is None


def _reads(gcp: GcpGraph, m: Machines, bucket: Resource) -> bool:
    """Whether machines name a bucket, or their account has rights on it."""
    if bucket.urn in (u for urns in m.source.property_dependencies.values() for u in urns):
        return True
    key = "nodeConfig" if m.is_pool else "serviceAccount"
    accounts = {r.urn for r in gcp.linked(m.source, key, _ACCOUNT).resources}
    for grant in gcp.of_type(*_RIGHTS):
        if bucket in gcp.linked(grant, "bucket", BUCKET).resources:
            told = (*grant.property_dependencies.get("member", ()), *grant.property_dependencies.get("members", ()))
            if accounts & set(told):
                return True
    return False


_T = """\
- {{type: gcp.storage.Bucket, name: data, inputs: {{location: {0}}}}}
- {{type: gcp.serviceaccount.Account, name: sa, inputs: {{accountId: gpu-nodes}}}}
- {{type: gcp.storage.BucketIAMMember, name: may, inputs: {{bucket: !ref data.name , role: roles/storage.objectUser, member: !ref sa.member }}}}
- type: gcp.compute.Instance
  name: box
  inputs: {{machineType: g2-standard-8, zone: us-central1-a, serviceAccount: {{email: !ref sa.email , scopes: [cloud-platform]}}}}
"""
_OTHERS = """\
- {type: gcp.storage.Bucket, name: logs, inputs: {location: europe-west4}}
- {type: gcp.compute.Instance, name: box, inputs: {machineType: g2-standard-8, zone: us-central1-a}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "cost"),
    check,
    Examples(
        (_T.format("us-central1"), _T.format("US"), _T.format("NAM4"), _OTHERS),
        (_T.format("EUROPE-WEST4"), _T.format("EU")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
