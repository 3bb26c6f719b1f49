"""What nodes boot: the image's own root disk, and bundles that user data cannot hold."""

from __future__ import annotations

import base64
import gzip
from hashlib import sha512

import pytest

from gpuinfra import GpuCluster
from gpuinfra.policy.resource_graph import OutputRef
from gpuinfra.providers.aws.auto_names import function_name, name_prefix
from gpuinfra.testing import record

from ...specs import AWS, NOW, pool, spec


def recorded(what, preview=False, name="acme"):
    return record(lambda: GpuCluster(name, what, now=NOW), preview=preview)


def device_of(graph):
    (template,) = graph.of_type("aws:ec2/launchTemplate:LaunchTemplate")
    return template.get("blockDeviceMappings", 0, "deviceName")


@pytest.mark.parametrize("preview", [True, False])
def test_the_root_disk_of_an_image_that_the_catalog_does_not_know_is_asked_for(preview):
    graph = recorded(spec({**AWS, "image": {**AWS["image"], "node": "ami-0123456789abcdef0"}}), preview)
    asked = [args for token, args in graph.invokes if token == "aws:ec2/getAmi:getAmi"]
    assert [a["filters"] for a in asked] == [[{"name": "image-id", "values": ["ami-0123456789abcdef0"]}]]
    assert device_of(graph) not in ("", None)


def test_the_root_disk_of_a_known_image_is_not_asked_for():
    graph = recorded(spec())
    assert not [token for token, _ in graph.invokes if token == "aws:ec2/getAmi:getAmi"]
    assert device_of(graph) == "/dev/xvda"


def test_a_bundle_that_user_data_cannot_hold_travels_by_a_bucket():
    words = [sha512(str(n).encode()).hexdigest() for n in range(90)]  # nothing that compression could make small
    stores = [
        {"name": f"b{n}", "kind": "bucket", "mount": f"/{word}", "existing": f"s3://{word[:60]}"}
        for n, word in enumerate(words)
    ]
    big = spec({**AWS, "storage": stores})
    graph = recorded(big)
    (bucket,) = [r for r in graph.of_type("aws:s3/bucket:Bucket") if r.name == "acme-boot"]
    (private,) = [
        r
        for r in graph.of_type("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")
        if r.name.startswith("acme-boot")
    ]
    assert private.get("restrictPublicBuckets") is True
    (body,) = graph.of_type("aws:s3/bucketObject:BucketObject")
    assert body.inputs["bucket"] == OutputRef(bucket.name, "bucket")
    assert "cluster.json" in body.get("content")
    (template,) = graph.of_type("aws:ec2/launchTemplate:LaunchTemplate")
    raw = base64.b64decode(template.get("userData"))
    assert len(raw) <= 16384
    text = gzip.decompress(raw).decode() if raw[:2] == b"\x1f\x8b" else raw.decode()
    assert body.get("key") in text
    policy = next(r for r in graph.of_type("aws:iam/rolePolicy:RolePolicy") if r.name == "acme-nodes-policy")
    assert "ReadBootBundle" in policy.get("policy")


def test_a_bundle_of_ordinary_size_needs_no_bucket():
    graph = recorded(spec())
    assert not graph.of_type("aws:s3/bucket:Bucket", "aws:s3/bucketObject:BucketObject")


LONG = "llama-70b-pretraining-run-of-the-nlp-team-in-the-east"


def test_made_up_names_stay_within_the_limits():
    what = pool(
        {**AWS, "budget": {**AWS["budget"], "on_limit": "stop"}}, name="gpu-workers-of-the-large-kind-in-zone-one"
    )
    graph = recorded(what, name=LONG)
    limits = {
        "aws:iam/role:Role": 64,
        "aws:scheduler/schedule:Schedule": 64,
        "aws:lambda/function:Function": 64,
        "aws:sqs/queue:Queue": 80,
        "aws:autoscaling/group:Group": 255,
        "aws:ec2/launchTemplate:LaunchTemplate": 128,
        "aws:budgets/budget:Budget": 100,
        "aws:sns/topic:Topic": 256,
    }
    seen = set()
    for r in graph:
        if r.type not in limits:
            continue
        seen.add(r.type)
        name, prefix = r.get("name"), r.get("namePrefix")
        made = len(name) if name else len(prefix) + 26 if prefix else len(r.name) + 8
        assert made <= limits[r.type], (r.type, r.name)
    assert seen == set(limits)


def test_prefixes_of_long_names_that_begin_alike_differ():
    kinds = ("role", "schedule", "queue", "bucket", "rule")
    for kind in kinds:
        assert name_prefix("short", kind) is None
        assert name_prefix("x" * 90 + "a", kind) != name_prefix("x" * 90 + "b", kind)
    assert function_name("short") is None
    assert len(function_name("f" * 90)) == 64


@pytest.mark.parametrize(("limit", "denied"), [("notify", False), ("stop", True), ("deny", True)])
def test_named_deployers_are_denied_new_nodes_once_the_budget_is_spent(limit, denied):
    base = {
        **AWS,
        "location": {**AWS["location"], "deployer_roles": ["ml-deployer"]},
        "budget": {**AWS["budget"], "on_limit": limit},
    }
    graph = recorded(spec(base))
    actions = graph.of_type("aws:budgets/budgetAction:BudgetAction")
    assert [a.get("actionType") for a in actions] == (["APPLY_IAM_POLICY"] if denied else [])
