"""A cache of a bucket where no GPU node reads it.

What: An Anywhere Cache stands in a zone where no GPU node of the program may stand, or outside of its bucket's region.
Severity: error where the bucket's region does not hold the zone
Why: A cache serves the machines of its own zone. Elsewhere it is filled and billed, and every read goes to the bucket all the same.
Fix: Make the cache in the nodes' zone, and the bucket in the region that holds it.
References: Google Cloud docs, Anywhere Cache; gcp facts a8
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_graph import GcpGraph
from ...gcp_storage import MULTI_REGIONS
from ...gcp_types import BUCKET, is_zone, last_part, region_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3342", "cache-of-another-zone", Severity.WARNING, __doc__, ("GCP-STO-03",))
_CACHE = "gcp:storage/anywhereCache:AnywhereCache"
_REGION = re.compile(r"[a-z]+-[a-z]+\d+")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each cache that no node reads; where all of them are, one of another zone may be for its own."""
    gcp = ctx.gcp
    stands: dict[str, str] = {}
    unknown = False
    for m in gcp.machines:
        zones, some = gcp.zones(m) if m.has_gpus else ((), False)
        unknown = unknown or some
        for zone in zones:
            stands.setdefault(zone, m.name)
    for cache in gcp.of_type(_CACHE):
        zone = plain(cache.get("zone"))
        if gcp.ours(cache) or (not late(zone) and not is_zone(last_part(str(zone)))):
            continue
        home = _home(gcp, cache)
        if late(zone) or home is None:
            yield Undecided(CODE.code, cache.name, "its zone, or its bucket's location, is not known yet")
            continue
        name = last_part(str(zone))
        if home and not _holds(home, region_of(name)):
            yield CODE.at(
                f"{cache.name}.zone",
                f"{name} is no zone of {home.upper() if home in MULTI_REGIONS else home}, where the bucket stands",
                resource=cache.name,
                severity=Severity.ERROR,
            )
        elif unknown and name not in stands:
            yield Undecided(CODE.code, cache.name, "the zone of the nodes is not known yet")
        elif stands and name not in stands:
            other, nodes = next(iter(stands.items()))
            yield CODE.at(
                f"{cache.name}.zone", f"the cache stands in {name}, and nodes '{nodes}' in {other}", resource=cache.name
            )


def _holds(home: str, region: str) -> bool:
    return region.startswith(MULTI_REGIONS[home]) if home in MULTI_REGIONS else region == home


def _home(gcp: GcpGraph, cache: Resource) -> str | None:
    """The region or continent that the cache's bucket stands in; empty where it is a pair of regions, or another program
    makes it. None where it is not known yet."""
    for bucket in gcp.linked(cache, "bucket", BUCKET).resources:
        place = plain(bucket.get("location"))
        if late(place):
            return None
        if isinstance(place, str) and (place.lower() in MULTI_REGIONS or _REGION.fullmatch(place.lower())):
            return place.lower()
    return ""


_T = """\
- {{type: gcp.storage.Bucket, name: data, inputs: {{location: {1}}}}}
- {{type: gcp.storage.AnywhereCache, name: cache, inputs: {{bucket: !ref data.name , zone: {0}}}}}
- {{type: gcp.compute.Instance, name: box, inputs: {{machineType: g2-standard-8, zone: us-central1-a}}}}
"""

RULE = ResourceRule(
    CODE,
    ("storage", "cost"),
    check,
    Examples(
        (
            _T.format("us-central1-a", "us-central1"),
            _T.format("us-central1-a", "US"),
            _T.format("us-central1-a", "NAM4"),
        ),
        (
            _T.format("us-central1-b", "us-central1"),
            _T.format("us-east1-b", "us-central1"),
            _T.format("us-central1-a", "EU"),
        ),
        (_T.format("!unknown ", "us-central1"),),
    ),
    providers=(Provider.GCP,),
)
