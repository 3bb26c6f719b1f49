"""A machine that the cloud does not offer there.

What: The region, or the zone of the nodes, does not offer the instance type of a pool or the GPUs that are attached to it.
Why: Every launch is refused ('Unsupported', 404, SkuNotAvailable): the commonest cause of node groups that stay empty. The tables of this tool may lag behind; the account's own list decides.
Fix: Take a zone that is named, another region, or another type.
References: aws/aws-parallelcluster, InstanceTypeValidator; GoogleCloudPlatform/cluster-toolkit#5232; Azure/AKS#1444
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ...account_facts import Absent, Offering
from ...account_pools import passed, unsure
from ...quota_needs import offered_as
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described(
    "GI4010",
    "type-not-offered",
    Severity.ERROR,
    __doc__,
    ("AWS CAP-18", "GCP-ACC-05", "AZ SKU-02"),
)


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for each machine, and for what is attached to it."""
    for pool in ctx.plan.pools:
        path = f"{pool.path}.instance_type"
        for name in offered_as(pool):
            found = ctx.facts.entry("offerings", name)
            if isinstance(found, Absent):
                yield unsure(CODE, path, found)
                continue
            zones = found.zones if isinstance(found, Offering) else ()
            there = f"in {', '.join(sorted(zones))}" if zones else ""
            if not isinstance(found, Offering) or not (zones or found.regional):
                text = f"{name} is not offered in {ctx.plan.region}"
                yield CODE.at(
                    path, text, "take another region (gpuinfra compare shows where it is sold) or another type"
                )
            elif pool.zone and pool.zone not in zones:
                instead = "set location.zone to one of these" if zones else "leave location.zone out"
                text = f"{name} is not offered in {pool.zone}; {ctx.plan.region} has it {there or 'outside of zones alone'}"
                yield CODE.at(path, text, instead)
            elif not pool.zone and not found.regional:
                text = f"{name} is offered {there} alone, and the nodes name no zone"
                yield CODE.at(path, text, "set location.zone to one of these")
            else:
                yield passed(CODE, path, f"{name} is offered in {pool.zone or ctx.plan.region}")


_T = """\
spec: {{location: {{provider: aws, region: us-east-1, zone: use1-az6}}}}
account: {{offerings: {{p5.48xlarge: {0}}}}}
"""

RULE = AccountRule(
    CODE,
    ("capacity",),
    check,
    Examples(
        (_T.format("{zones: [use1-az5, use1-az6]}"),),
        (_T.format("{zones: [use1-az5]}"), _T.format("null")),
        ('account: {unknown: {offerings: "permission denied: ec2:DescribeInstanceTypeOfferings"}}',),
    ),
)
