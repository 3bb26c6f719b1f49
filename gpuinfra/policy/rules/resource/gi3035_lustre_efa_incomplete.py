"""An EFA-enabled Lustre file system without what EFA needs.

What: `efaEnabled` is set on a type other than PERSISTENT_2 SSD, without metadata configuration, or at a size that the throughput does not allow.
Why: FSx refuses the creation, or takes it and serves over TCP without a word.
Fix: Take PERSISTENT_2 on SSD, add metadataConfiguration, and a size in multiples of 38400 GiB at 125 MB/s, 19200 at 250, 9600 at 500 or 4800 at 1000.
References: awslabs/awsome-distributed-ai#1124; FSx for Lustre User Guide, EFA-enabled file systems
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LUSTRE, SECURITY_GROUP, AwsGraph
from ...aws_lustre import EFA_STEPS, PERSISTENT_2, deployment, storage_type
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, truth

CODE = described("GI3035", "lustre-efa-incomplete", Severity.ERROR, __doc__, ("AWS FSX-04",))

_SHAPE = ("deploymentType", "storageType", "storageCapacity", "perUnitStorageThroughput")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each file system, with every such fault."""
    for fs in ctx.aws.of_type(LUSTRE):
        enabled = fs.get("efaEnabled")
        if late(enabled):
            yield Undecided(CODE.code, fs.name, "whether EFA is enabled is not known yet")
        elif truth(enabled):
            faults = [*_shape(fs), *_firewall(ctx.aws, fs)]
            if faults:
                yield CODE.at(f"{fs.name}.efaEnabled", f"EFA is enabled, but {'; '.join(faults)}", resource=fs.name)
            elif any(late(fs.get(k)) for k in _SHAPE):
                yield Undecided(CODE.code, fs.name, "the type, the size or the throughput is not known yet")


def _shape(fs: Resource) -> Iterator[str]:
    kind, storage = deployment(fs), storage_type(fs)
    if fs.get("deploymentType") is None:
        kind = "SCRATCH_1 (the default)"
    if (kind and kind != PERSISTENT_2) or storage not in ("SSD", "INTELLIGENT_TIERING", ""):
        yield f"the type is {kind} {storage}, and only PERSISTENT_2 carries EFA"
        return
    if fs.get("metadataConfiguration") is None and storage == "SSD":
        yield "metadataConfiguration is absent"
    size, throughput = number(fs.get("storageCapacity")), number(fs.get("perUnitStorageThroughput"))
    step = EFA_STEPS.get(int(throughput)) if throughput is not None else None
    if size is not None and step and (size <= 0 or size % step):
        below, above = int(size // step) * step, (int(size // step) + 1) * step
        choice = f"{below} or {above}" if below > 0 else str(above)
        yield f"{size:g} GiB at {throughput:g} MB/s per TiB is not a multiple of {step} GiB (choose {choice})"


def _firewall(aws: AwsGraph, fs: Resource) -> Iterator[str]:
    links = aws.linked(fs, "securityGroupIds", SECURITY_GROUP)
    if not links.decided or not links.resources:
        return
    for group in links.resources:
        rules = [r for r in aws.firewall_rules(group) if r.all_traffic and r.peers]
        if any(r.unknown for r in aws.firewall_rules(group)) or {r.ingress for r in rules} == {True, False}:
            return
    yield "no security group lets all traffic in and out by group, as EFA needs"


_T = """\
- type: aws.fsx.LustreFileSystem
  name: scratch
  inputs: {{efaEnabled: {0}, deploymentType: PERSISTENT_2, storageCapacity: {1}, perUnitStorageThroughput: 500{2}}}
"""
_META = ", metadataConfiguration: {mode: AUTOMATIC}"

RULE = ResourceRule(
    CODE,
    ("storage", "fabric"),
    check,
    Examples(
        (_T.format("true", 9600, _META), _T.format("false", 2400, "")),
        (_T.format("true", 2400, _META), _T.format("true", 9600, "")),
        (_T.format("!unknown ", 9600, ""),),
    ),
    providers=(Provider.AWS,),
)
