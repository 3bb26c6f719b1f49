"""A file system that is not sold, or not in this size.

What: The program makes a Parallelstore instance; a Managed Lustre instance has a throughput or a capacity that is no step of its tier; a Filestore instance has a capacity that is no step of its tier, or NFS 4.1 on a basic tier.
Why: Google sells fixed steps and refuses the rest. Rounding would change what is paid, so nothing is rounded. Parallelstore is given up: the toolkit deprecated it on 2026-08-31 and points to Managed Lustre.
Fix: Take one of the sizes named; instead of Parallelstore use gcp.lustre.Instance.
References: Google Cloud docs, Managed Lustre, performance tiers; Google Cloud docs, Filestore service tiers; GoogleCloudPlatform/cluster-toolkit#6282
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...azure_network import range_of
from ...gcp_storage import in_band, nearest_sizes
from ...gcp_types import FILESTORE, LUSTRE, PARALLELSTORE, is_zone, last_part
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, number, plain

CODE = described("GI3169", "file-system-not-sold", Severity.ERROR, __doc__, ("GCP-STO-01", "GCP-STO-04", "GCP-STO-05"))

_ZONAL = ("ZONAL", "HIGH_SCALE_SSD", "BASIC_HDD", "BASIC_SSD")
_LONGEST = 26
"""A range that a zonal Filestore keeps is no smaller."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system."""
    for fs in ctx.gcp.of_type(PARALLELSTORE):
        yield CODE.at(fs.name, "Parallelstore is given up in favour of Managed Lustre", resource=fs.name)
    for fs in ctx.gcp.of_type(LUSTRE):
        size, speed = fs.get("capacityGib"), fs.get("perUnitStorageThroughput")
        if late(size) or late(speed):
            yield Undecided(CODE.code, fs.name, "the size or the throughput is not known yet")
            continue
        yield from _placed(fs, "")
        if speed is None and fs.get("dynamicTierOptions") is None:
            continue
        word = f"{number(speed):g}" if number(speed) is not None else "dynamic"
        yield from _judged(fs, StorageKind.LUSTRE, word, size, "capacityGib", "perUnitStorageThroughput")
    for fs in ctx.gcp.of_type(FILESTORE):
        size, tier = fs.get("fileShares", "capacityGb"), fs.get("tier")
        if late(size) or late(tier):
            yield Undecided(CODE.code, fs.name, "the size or the tier is not known yet")
        elif isinstance(tier, str):
            yield from _judged(fs, StorageKind.NFS, tier, size, "fileShares.capacityGb", "")
            if tier in _ZONAL:
                yield from _placed(fs, tier, basic=tier.startswith("BASIC"))
            basic = tier.startswith(("BASIC", "STANDARD", "PREMIUM"))
            if basic and late(fs.get("protocol")):
                yield Undecided(CODE.code, fs.name, "the protocol is not known yet")
            elif basic and fs.get("protocol") == "NFS_V4_1":
                yield CODE.at(f"{fs.name}.protocol", f"NFS_V4_1 on tier {tier}, which speaks NFS 3", resource=fs.name)


def _placed(fs: Resource, tier: str, *, basic: bool = False) -> Iterator[Diagnostic | Undecided]:
    """What a file system of one zone says of its place, and of the range that it keeps."""
    key = "location" if fs.get("location") is not None else "zone"
    place = fs.get(key)
    if late(place):
        yield Undecided(CODE.code, fs.name, "its location is not known yet")
    elif isinstance(place, str) and place and not is_zone(last_part(place)):
        yield CODE.at(
            f"{fs.name}.{key}",
            f"{last_part(place)} is no zone, and {f'tier {tier}' if tier else 'Managed Lustre'} stands in one",
            "write the zone of the nodes",
            resource=fs.name,
        )
    for n, one in enumerate(entries(fs.get("networks"))):
        kept = range_of(plain(one.get("reservedIpRange")))
        if tier and not basic and kept is not None and kept.prefixlen > _LONGEST:
            yield CODE.at(
                f"{fs.name}.networks[{n}].reservedIpRange",
                f"{kept}, and tier {tier} keeps a range of /24 to /{_LONGEST}",
                f"take a /{_LONGEST} that no subnet has, or leave it out",
                resource=fs.name,
            )


def _judged(fs: Resource, kind: StorageKind, tier: str, size: Any, key: str, tier_key: str) -> Iterator[Diagnostic]:
    every = catalog.storage_tiers(Provider.GCP, kind)
    bands = [t for t in every if t.tier == tier]
    gib = number(size)
    if not bands and tier_key:
        known = ", ".join(dict.fromkeys(t.tier for t in every if t.tier.isdigit()))
        yield CODE.at(
            f"{fs.name}.{tier_key}", f"{tier} MB/s per TiB is not sold", f"take one of {known}", resource=fs.name
        )
    elif bands and gib is not None and not any(in_band(b, gib) for b in bands):
        sizes = " or ".join(f"{s} GiB" for s in nearest_sizes(bands, gib))
        yield CODE.at(
            f"{fs.name}.{key}", f"{gib:g} GiB is not a size of tier {tier}", f"take {sizes}", resource=fs.name
        )


_T = """\
- type: gcp.lustre.Instance
  name: scratch
  inputs: {{capacityGib: {0}, perUnitStorageThroughput: {1}}}
"""
_NFS = "- {{type: gcp.filestore.Instance, name: home, inputs: {{tier: {0}, protocol: {2}, fileShares: {{name: home, capacityGb: {1}}}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (
            _T.format('"36000"', '"500"'),
            _NFS.format("ZONAL", 1280, "NFS_V4_1"),
            _NFS.format("ZONAL", 12800, "null"),
            _T.format('"72000"', '"125"'),
        ),
        (
            _T.format('"24000"', '"500"'),
            _T.format('"36000"', '"400"'),
            _NFS.format("ZONAL", 1100, "null"),
            _NFS.format("BASIC_SSD", 2560, "NFS_V4_1"),
            "- {type: gcp.lustre.Instance, name: scratch, inputs: {location: us-central1, capacityGib: '18000', perUnitStorageThroughput: '500'}}\n",
            "- {type: gcp.filestore.Instance, name: home, inputs: {tier: ZONAL, location: us-central1-a, "
            "fileShares: {capacityGb: 1024}, networks: [{network: net, reservedIpRange: 10.9.0.0/29}]}}\n",
            "- {type: gcp.parallelstore.Instance, name: scratch, inputs: {capacityGib: '12000'}}\n",
        ),
        (_T.format("!unknown ", '"500"'),),
    ),
    providers=(Provider.GCP,),
)
