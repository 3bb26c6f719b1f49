"""Existing storage that is not there, or out of the nodes' reach.

What: A file system or bucket that the spec names does not exist, cannot be used, or a file system stands in another network or zone, a bucket in another region.
Severity: warning for another zone (on Azure an error), and for a bucket in another region that no Lustre file system imports from
Why: Nodes cannot mount what is in another network; from another zone or region every byte is slower and billed.
Fix: Name storage in the nodes' network and zone, or put the cluster where the storage is.
References: aws/aws-parallelcluster, ExistingFsxNetworkingValidator, ManagedFsxMultiAz, FsxAutoImportValidator
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....plan.models import StoragePlan
from ....vocabulary import Provider, StorageKind
from ...account_facts import Absent, Bucket, FileSystem
from ...account_pools import passed, same_network, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described(
    "GI4060",
    "storage-out-of-reach",
    Severity.ERROR,
    __doc__,
    ("AWS FSX-08", "AWS FSX-10", "AZ AML-05"),
)
_BUCKET = "bucket"
_OTHER_ZONE = {Provider.AZURE: Severity.ERROR}
_LINKED_IN_REGION = {Provider.AWS: Severity.ERROR}
"""FSx imports by itself from a bucket of its own region alone; elsewhere the bytes are only slow and billed."""
_USABLE = ("available", "ready", "active", "succeeded", "updating")


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each storage that is named, and for each bucket that one imports from."""
    for store in ctx.plan.storage:
        if store.existing and store.kind != _BUCKET:
            yield _file_system(ctx, store)
        named = store.existing if store.kind == _BUCKET else store.import_from
        if named:
            field = "existing" if store.kind == _BUCKET else "import_from"
            severity = None if store.kind != StorageKind.LUSTRE else _LINKED_IN_REGION.get(ctx.plan.provider)
            yield _bucket(ctx, f"{store.path}.{field}", named, severity or Severity.WARNING)


def _file_system(ctx: AccountContext, store: StoragePlan) -> AccountVerdict:
    path, plan = f"{store.path}.existing", ctx.plan
    found = ctx.facts.entry("file_systems", store.existing)
    if isinstance(found, Absent):
        return unsure(CODE, path, found)
    if not isinstance(found, FileSystem):
        return CODE.at(path, f"'{store.existing}' is not in {plan.region} of this account")
    if found.state.lower() not in _USABLE:
        return CODE.at(path, f"'{store.existing}' cannot be used: its state is {found.state}")
    if found.network:
        if plan.network.is_new:
            text = f"'{store.existing}' is in network {found.network}, and the cluster makes a network of its own"
            return CODE.at(path, text, f"set network.existing.network: {found.network}")
        if not same_network(found.network, plan.network.existing_network):
            text = f"'{store.existing}' is in network {found.network}, and the nodes in {plan.network.existing_network}"
            return CODE.at(path, text)
    if found.zones and plan.zone and plan.zone not in found.zones:
        text = f"'{store.existing}' is in {', '.join(found.zones)}, and the nodes in {plan.zone}"
        return CODE.at(path, text, severity=_OTHER_ZONE.get(plan.provider, Severity.WARNING))
    return passed(CODE, path, f"{store.existing} is there")


def _bucket(ctx: AccountContext, path: str, named: str, severity: Severity) -> AccountVerdict:
    name = named.partition("://")[2].partition("/")[0] or named
    found = ctx.facts.entry("buckets", name)
    if isinstance(found, Absent):
        return unsure(CODE, path, found)
    if not isinstance(found, Bucket):
        return CODE.at(path, f"there is no bucket '{name}'")
    region = found.region.lower()
    if not region:
        return unsure(CODE, path, Absent(f"the region of {name} is not known"))
    # A place of several regions is a word without a number, as us or eur4.
    if region != ctx.plan.region and "-" in region:
        text = f"bucket '{name}' is in {region}, and the cluster in {ctx.plan.region}"
        return CODE.at(path, text, severity=severity)
    return passed(CODE, path, f"{name} is there, in {found.region}")


_T = """\
spec: {{storage: [{{name: data, kind: bucket, existing: "s3://acme-data", mount: /data}}]}}
account: {{buckets: {{acme-data: {0}}}}}
"""
_FS = """\
spec:
  location: {{provider: aws, region: us-east-1, zone: use1-az6}}
  network: {{existing: {{network: vpc-0aaa1111, subnet: subnet-0bbb1111}}}}
  storage: [{{name: scratch, kind: lustre, existing: fs-0a1b2c3d4e5f60718, mount: /scratch}}]
account: {{file_systems: {{fs-0a1b2c3d4e5f60718: {0}}}}}
"""
_BY_PATH = """\
spec:
  location: {provider: gcp, project: acme-lab, region: us-central1, zone: us-central1-a}
  network: {existing: {network: shared, subnet: nodes}}
  node_pools: [{instance_type: g2-standard-48, count: 2}]
  storage: [{name: home, kind: nfs, existing: files, mount: /data}]
account: {file_systems: {files: {network: projects/acme-lab/global/networks/shared, zones: [us-central1-a]}}}
"""

RULE = AccountRule(
    CODE,
    ("storage",),
    check,
    Examples(
        (_T.format("{region: us-east-1}"), _BY_PATH, _FS.format("{network: vpc-0aaa1111, zones: [use1-az6]}")),
        (
            _T.format("{region: us-west-2}"),
            _T.format("null"),
            _FS.format("{network: vpc-0ccc1111}"),
            _FS.format("{network: vpc-0aaa1111, zones: [use1-az4]}"),
            _FS.format("null"),
        ),
        (_T.format("{}"),),
    ),
)
