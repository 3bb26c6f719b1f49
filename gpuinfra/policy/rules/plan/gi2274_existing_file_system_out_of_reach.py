"""An existing file system that the nodes may not reach.

What: A file system that is there already is mounted, and the network is new; or, on AWS, the network exists, and nothing here opens the file system's own security group.
Severity: info where the network exists
Why: A file system stands in a network of its own. From a new one no packet reaches it, and a group that does not admit the nodes drops them: the mount hangs at boot while the nodes bill.
Fix: Name the file system's network in network.existing; where its firewall names its clients, let the nodes' group in.
References: Amazon FSx for Lustre User Guide, file system access control with Amazon VPC; Amazon EFS User Guide, creating security groups; aws/aws-parallelcluster, ExistingFsxNetworkingValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider, StorageKind
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2274", "existing-file-system-out-of-reach", Severity.WARNING, __doc__, ("AWS FSX-08", "AWS FSX-09"))
_DOORS = {
    Provider.AWS: (
        "its security group is not gpuinfra's, and must let the nodes' group in",
        {
            StorageKind.LUSTRE: "once the group is there, let it in on TCP 988 and 1018-1023",
            StorageKind.NFS: "once the group is there, let it in on TCP 2049",
        },
    )
}
"""Clouds whose file systems stand behind a firewall of their own that names its clients."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each existing file system. A bucket stands in no network."""
    for storage in ctx.plan.storage:
        if not storage.existing or storage.kind is StorageKind.BUCKET:
            continue
        path = f"{storage.path}.existing"
        if ctx.plan.network.is_new:
            yield CODE.at(
                path,
                f"{storage.kind} '{storage.name}' stands in a network of its own, and the spec makes a new one for the "
                "nodes: unless you join the two, no node reaches it",
            )
        elif ctx.plan.provider in _DOORS:
            says, ports = _DOORS[ctx.plan.provider]
            yield CODE.at(path, f"{storage.kind} '{storage.name}': {says}", ports[storage.kind], severity=Severity.INFO)


_T = """\
location: {{provider: aws, region: us-east-2, zone: use2-az1}}
network: {0}
storage: [{{kind: {1}, size_gib: null, throughput_mbps_per_tib: null, existing: {2}}}]
"""
_THERE = "{existing: {network: vpc-0123456789abcdef0, subnet: subnet-0123456789abcdef0}}"

RULE = PlanRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("{}", "bucket", "s3://acme-data"), "location: {provider: aws, region: us-east-2, zone: use2-az1}"),
        (
            _T.format("{}", "lustre", "fs-0123456789abcdef0"),
            _T.format("{}", "nfs", "fs-0123456789abcdef0"),
            _T.format(_THERE, "nfs", "fs-0123456789abcdef0"),
        ),
    ),
)
