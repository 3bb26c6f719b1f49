"""The bundle as a whole: what is in it, what is not, and how it travels."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.diagnostics import GpuInfraError, Severity
from gpuinfra.node import CODES, BootBundle, boot_bundle, bundle, bundle_findings, needs_object
from gpuinfra.node.carrier import BootFile, cloud_config, gzipped
from gpuinfra.node.cluster_facts import as_json, longest_json
from gpuinfra.node.rendering import render
from gpuinfra.plan.models import ClusterPlan, LeasePlan, LocalNvmePlan
from gpuinfra.vocabulary import LocalNvme, Provider, StorageKind
from tests.node import plans
from tests.node.test_scripts import VARIANTS

GOLDEN = Path(__file__).parent / "golden"


def made(plan: ClusterPlan) -> BootBundle:
    return boot_bundle(plan, plan.pools[0])


def paths(plan: ClusterPlan) -> set[str]:
    return {file.path for file in made(plan).files}


def cluster_json(plan: ClusterPlan) -> dict:
    files = made(plan).with_late(dict.fromkeys(made(plan).late, "late"))
    return json.loads(next(f.content for f in files if f.path == "/etc/gpuinfra/cluster.json"))


def full(provider: Provider) -> ClusterPlan:
    return plans.plan(provider, (plans.pool(provider, mig=plans.MIG),))


@pytest.mark.parametrize("provider", Provider)
def test_golden(provider: Provider):
    """GPUINFRA_REWRITE_GOLDENS=1 rewrites them."""
    document = replace(made(full(provider)), limit_bytes=10**6).user_data(plans.LATE)
    golden = GOLDEN / f"{provider}.yaml"
    if os.environ.get("GPUINFRA_REWRITE_GOLDENS"):
        golden.write_bytes(document)
    assert document.decode() == golden.read_text()


@pytest.mark.parametrize("provider", Provider)
def test_the_same_plan_gives_the_same_bytes_whatever_the_moment_and_the_lease(provider: Provider):
    first = full(provider)
    later = replace(
        full(provider),
        now=datetime(2027, 1, 1, tzinfo=UTC),
        lease=LeasePlan("shutdown.lease", None, datetime(2027, 2, 3, 4, 5, 6, tzinfo=UTC)),
    )
    bundle.render.cache_clear()
    assert made(first).user_data(plans.LATE) == made(later).user_data(plans.LATE)
    assert b"2027" not in replace(made(later), limit_bytes=10**6).user_data(plans.LATE)


def test_the_largest_document_of_each_cloud_fits_by_itself():
    for provider in Provider:
        found = made(full(provider))
        carrier = found.carrier(plans.LATE)
        assert len(carrier.user_data) <= found.limit_bytes
        assert carrier.kind in ("inline", "gzip")


def test_gzip_is_used_only_where_it_is_needed_and_arrives_whole():
    found = made(full(Provider.AWS))
    plain = replace(found, limit_bytes=10**6).user_data(plans.LATE)
    assert plain.startswith(b"#cloud-config\n")
    packed = found.carrier(plans.LATE)
    assert packed.kind == "gzip"
    assert gzip.decompress(packed.user_data) == plain
    # No time, no name, no system in the header: the same on every machine.
    assert packed.user_data[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"


def test_google_never_gets_gzip_because_its_metadata_holds_text_only():
    found = replace(made(full(Provider.GCP)), limit_bytes=20000)
    with pytest.raises(GpuInfraError) as raised:
        found.user_data(plans.LATE)
    assert [d.code for d in raised.value.diagnostics] == ["GI2150"]


def test_a_document_that_does_not_fit_says_what_to_do():
    found = replace(made(full(Provider.AWS)), limit_bytes=5000)
    with pytest.raises(GpuInfraError) as raised:
        found.user_data(plans.LATE)
    (finding,) = raised.value.diagnostics
    assert finding.path == "node_pools[0]"
    assert "5000" in finding.message
    assert "object storage" in finding.hint


@pytest.mark.parametrize("provider", Provider)
def test_the_object_carries_what_does_not_fit(provider: Provider):
    found = replace(made(full(provider)), limit_bytes=12000)
    carrier = found.carrier(plans.LATE, "s3://llama-boot/gpu/")
    assert carrier.kind == "object"
    assert len(carrier.user_data) <= 12000
    text = carrier.user_data if carrier.user_data.startswith(b"#") else gzip.decompress(carrier.user_data)
    stub = yaml.safe_load(text)
    wanted = json.loads(next(e["content"] for e in stub["write_files"] if e["path"] == "/etc/gpuinfra/object.json"))
    assert wanted["url"] == f"s3://llama-boot/gpu/{carrier.object_name}"
    assert wanted["sha256"] == hashlib.sha256(carrier.object_body).hexdigest()
    assert stub["ssh_authorized_keys"] == [plans.ED25519]
    body = json.loads(carrier.object_body)
    assert {f["path"]: f["content"] for f in body["files"]} == {f.path: f.content for f in found.with_late(plans.LATE)}
    assert body["commands"] == [list(words) for words in found.commands]


def test_the_objects_name_follows_from_its_bytes():
    found = replace(made(full(Provider.AWS)), limit_bytes=12000)
    one = found.carrier(plans.LATE, "s3://b").object_name
    assert one == found.carrier(plans.LATE, "s3://b").object_name
    assert one != found.carrier({**plans.LATE, "storage.home.export": "/x"}, "s3://b").object_name


def test_late_values_are_named_and_land_in_cluster_json_alone():
    found = made(full(Provider.AWS))
    assert set(found.late) == set(plans.LATE) - {"identity.client_id"}, "nodes of AWS ask by no id"
    before = {f.path: f.content for f in found.files}
    after = {f.path: f.content for f in found.with_late(plans.LATE)}
    assert {path for path in before if before[path] != after[path]} == {"/etc/gpuinfra/cluster.json"}
    scratch = json.loads(after["/etc/gpuinfra/cluster.json"])["storage"][0]
    assert scratch["address"] == plans.LATE["storage.scratch.address"]
    assert scratch["mount_name"] == "fsx"


@pytest.mark.parametrize("missing", sorted(set(plans.LATE) - {"identity.client_id"}))
def test_a_missing_late_value_is_an_error_with_its_name(missing: str):
    late = {key: value for key, value in plans.LATE.items() if key != missing}
    with pytest.raises(KeyError, match=missing):
        made(full(Provider.AWS)).user_data(late)


def test_late_values_do_not_change_the_bundle_they_came_from():
    found = made(full(Provider.AWS))
    before = found.user_data(dict.fromkeys(plans.LATE, "a"))
    found.user_data(plans.LATE)
    assert found.user_data(dict.fromkeys(plans.LATE, "a")) == before


def test_cluster_json_says_who_and_where():
    facts = cluster_json(full(Provider.AWS))
    assert facts["cluster"] == "llama"
    assert facts["pool"] == "gpu"
    assert facts["group"] == "llama-gpu"
    assert (facts["provider"], facts["region"], facts["zone"]) == ("aws", "us-east-2", "use2-az1")
    assert (facts["count"], facts["gpus_per_node"]) == (4, 8)
    assert facts["fabric"] == {"kind": "efa", "gbps": None, "devices": 32}
    assert facts["peers"]["group"] == "llama-gpu"
    assert [entry["mount"] for entry in facts["storage"]] == ["/scratch", "/shared", "/data", "/results"]
    assert "lease" not in json.dumps(facts)


@pytest.mark.parametrize(
    ("provider", "type_name", "devices"),
    [
        (Provider.AWS, "p5.48xlarge", 32),
        (Provider.AWS, "p4d.24xlarge", 4),
        (Provider.GCP, "a3-ultragpu-8g", 8),
        (Provider.AZURE, "Standard_ND96isr_H100_v5", 8),
    ],
)
def test_the_expected_number_of_fabric_devices(provider: Provider, type_name: str, devices: int):
    facts = cluster_json(plans.plan(provider, (plans.pool(provider, type_name),)))
    assert facts["fabric"]["devices"] == devices


def test_nfs_of_aws_is_mounted_as_its_guide_says():
    options = cluster_json(full(Provider.AWS))["storage"][1]["options"][0].split(",")
    assert options[:7] == [
        "nfsvers=4.1",
        "rsize=1048576",
        "wsize=1048576",
        "hard",
        "timeo=600",
        "retrans=2",
        "noresvport",
    ]


@pytest.mark.parametrize("provider", Provider)
def test_lustre_options(provider: Provider):
    options = cluster_json(full(provider))["storage"][0]["options"][0].split(",")
    assert {"noatime", "flock", "lazystatfs", "_netdev"} <= set(options)


def test_what_a_plan_does_not_ask_for_is_not_there():
    bare = plans.plan(
        Provider.AWS,
        (plans.pool(Provider.AWS, "", container=None, local_nvme=LocalNvmePlan(LocalNvme.NONE, None, "")),),
        (),
        (),
        idle_after=None,
    )
    tasks = {path.rsplit("/", 1)[-1] for path in paths(bare) if "/tasks/" in path}
    assert tasks == {"10-who-am-i", "20-hold-driver"}
    assert not any("idle" in path for path in paths(bare))
    assert b"ssh_authorized_keys" not in made(bare).user_data({})


def test_each_wish_has_its_task():
    tasks = {path.rsplit("/", 1)[-1] for path in paths(full(Provider.AWS)) if "/tasks/" in path}
    assert tasks == {
        "10-who-am-i",
        "20-hold-driver",
        "30-local-nvme",
        "40-mig",
        "50-container-runtime",
        "60-fabric",
        "70-mounts",
        "80-container-image",
        "90-idle",
    }


def test_the_idle_timer_starts_with_the_node_and_does_not_wait_for_the_boot_tasks():
    assert ("systemctl", "enable", "--now", "gpuinfra-idle.timer") in made(full(Provider.AWS)).commands
    idle_off = replace(full(Provider.AWS), idle_after=None)
    assert not any("idle" in word for words in made(idle_off).commands for word in words)
    # cloud-init must not wait for tasks that may wait for cloud-init.
    assert ("systemctl", "start", "--no-block", "gpuinfra-boot.service") in made(idle_off).commands


def test_no_node_is_ever_shut_down_from_inside():
    for plan in VARIANTS.values():
        for file in made(plan).files:
            code = "\n".join(line for line in file.content.splitlines() if not line.lstrip().startswith("#"))
            code = re.sub(r'""".*?"""', "", code, flags=re.DOTALL)
            assert not re.search(r"\b(shutdown|poweroff|halt|init 0)\b", code), file.path


def test_a_bundle_holds_nothing_that_looks_like_a_secret():
    secret = re.compile(
        r"AKIA[0-9A-Z]{16}|PRIVATE KEY|ghp_\w{30}|eyJ[\w-]{20}|AIza[\w-]{30}|xox[bp]-|hf_\w{20}|(?i:password|secret)\s*=\s*['\"]\w"
    )
    for plan in VARIANTS.values():
        document = replace(made(plan), limit_bytes=10**6).user_data(
            {late: plans.LATE.get(late, "late") for late in made(plan).late}
        )
        assert secret.search(document.decode()) is None


@pytest.mark.parametrize(
    "key",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
        "hf_abcdefghijklmnopqrstuvwxyz",
        'command="rm -rf /" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPL x',
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPL x\nssh-ed25519 AAAAC3Nz y",
        "ssh-ed25519",
        "",
    ],
)
def test_only_public_keys_travel_and_others_are_never_shown(key: str):
    plan = plans.plan(ssh_keys=(plans.ED25519, key))
    with pytest.raises(GpuInfraError) as raised:
        made(plan)
    (finding,) = raised.value.diagnostics
    assert (finding.code, finding.path) == ("GI2151", "network.ssh_keys[1]")
    for part in [word for word in key.split() if len(word) > 12]:
        assert part not in str(raised.value)
    assert [d.code for d in bundle_findings(plan)] == ["GI2151"]


@pytest.mark.parametrize(
    "key",
    [
        plans.ED25519,
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDZ+/a= ada@example.com",
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAA=",
        "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t a $(b) `c`",
    ],
)
def test_public_keys_of_all_kinds_are_taken_as_they_are(key: str):
    document = made(plans.plan(Provider.GCP, ssh_keys=(key,))).user_data(plans.LATE)
    assert yaml.safe_load(document)["ssh_authorized_keys"] == [key]


@pytest.mark.parametrize("kind", ["ecdsa-sha2-nistp256", "sk-ssh-ed25519@openssh.com"])
def test_azure_takes_no_other_keys_than_rsa_and_ed25519(kind: str):
    key = f"{kind} AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAA="
    (one,) = bundle_findings(plans.plan(Provider.AZURE, ssh_keys=(plans.ED25519, key)))
    assert (one.code, one.path) == ("GI2151", "network.ssh_keys[1]")
    assert kind in one.message
    assert "ssh-keygen -t ed25519" in one.hint
    assert "AAAA" not in f"{one.message}{one.hint}"
    assert bundle_findings(plans.plan(Provider.AWS, ssh_keys=(key,))) == ()


@pytest.mark.parametrize("provider", Provider)
def test_a_dsa_key_opens_no_door_anywhere(provider: Provider):
    (one,) = bundle_findings(plans.plan(provider, ssh_keys=("ssh-dss AAAAB3NzaC1kc3MAAACBAO me",)))
    assert (one.code, "DSA" in one.message, "AAAA" in one.message) == ("GI2151", True, False)


def test_a_plan_of_ordinary_size_has_no_finding_and_renders_no_template():
    bundle.render.cache_clear()
    for plan in VARIANTS.values():
        assert [d for d in bundle_findings(plan) if d.is_error] == []
    assert bundle.render.cache_info().currsize == 0


def test_the_bounds_of_the_quick_size_check_hold():
    """`findings` judges by these bounds; a script that grows past them must move them."""
    for name, plan in VARIANTS.items():
        files = [file for file in made(plan).files if file.path != "/etc/gpuinfra/cluster.json"]
        document = cloud_config(files, (), made(plan).commands)
        assert len(document) < bundle._SCRIPTS_BYTES, name
        assert len(gzipped(document)) < bundle._SCRIPTS_GZIP_BYTES, name
        known = {f.path: f.content for f in made(plan).files}
        whole = cloud_config(made(plan).files, (), made(plan).commands)
        own = len(gzipped(known["/etc/gpuinfra/cluster.json"].encode()))
        assert len(gzipped(whole)) < bundle._SCRIPTS_GZIP_BYTES + own, name


def test_what_would_not_fit_is_found_before_anything_exists():
    keys = tuple(f"ssh-ed25519 AAAA{hashlib.sha512(str(n).encode()).hexdigest()} k{n}" for n in range(60))
    plan = plans.plan(ssh_keys=keys)
    assert needs_object(plan, plan.pools[0])
    assert not needs_object(plans.plan(), plans.plan().pools[0])
    # A bucket of the room's carries it; without one it does not travel.
    assert bundle_findings(plan) == ()
    (finding,) = made(plan).size_findings("")
    assert (finding.code, finding.severity, finding.path) == ("GI2150", Severity.ERROR, "node_pools[0]")
    assert "16384" in finding.message


def test_an_image_for_containers_only_and_a_pool_without_gpus_are_said():
    from gpuinfra import catalog

    closed = next(i for i in catalog.node_images(Provider.AWS) if i.os.startswith("bottlerocket"))
    pool = plans.pool(Provider.AWS, "", name="login", container=None)
    pool = replace(pool, node_image=replace(pool.node_image, image=closed, selector=closed.selector))
    found = bundle_findings(plans.plan(pools=(pool,)))
    assert [(d.code, d.path) for d in found] == [("GI2152", "image.node"), ("GI2153", "shutdown.idle_after")]
    assert all("login" in d.message for d in found)


@pytest.mark.parametrize(
    ("provider", "address", "bucket", "prefix"),
    [
        (Provider.AWS, "s3://acme-data", "acme-data", ""),
        (Provider.AWS, "s3://acme-data/a/b/", "acme-data", "a/b/"),
        (Provider.AWS, "acme-data", "acme-data", ""),
        (Provider.GCP, "gs://acme_data.x/tokens", "acme_data.x", "tokens/"),
        (Provider.AZURE, "https://acme1.blob.core.windows.net/tok/a", "acme1/tok", "a/"),
        (Provider.AZURE, "abfss://tok@acme1.dfs.core.windows.net/a", "acme1/tok", "a/"),
        (Provider.AZURE, "acme1/tok", "acme1/tok", ""),
        (
            Provider.AZURE,
            "/subscriptions/s/resourceGroups/r/providers/Microsoft.Storage/storageAccounts/acme1/blobServices/default/"
            "containers/tok",
            "acme1/tok",
            "",
        ),
    ],
)
def test_addresses_of_existing_buckets(provider: Provider, address: str, bucket: str, prefix: str):
    plan = plans.plan(provider, stores=(plans.storage(StorageKind.BUCKET, existing=address),))
    (entry,) = cluster_json(plan)["storage"]
    assert (entry["bucket"], entry["prefix"], entry["existing"]) == (bucket, prefix, True)
    assert [name for name in made(plan).late if name.startswith("storage.")] == []


@pytest.mark.parametrize(
    ("provider", "address"),
    [
        (Provider.AWS, "gs://acme"),
        (Provider.GCP, "s3://acme"),
        (Provider.AZURE, "s3://acme"),
        (Provider.AWS, "s3://A B"),
    ],
)
def test_an_address_of_another_cloud_is_a_finding(provider: Provider, address: str):
    plan = plans.plan(provider, stores=(plans.storage(StorageKind.BUCKET, existing=address),))
    (finding,) = bundle_findings(plan)
    assert (finding.code, finding.path) == ("GI2154", "storage[bucket].existing")
    assert address in finding.message
    with pytest.raises(GpuInfraError):
        made(plan)


def test_a_template_without_its_value_is_an_error():
    with pytest.raises(jinja2.UndefinedError):
        render("hold_driver.sh.j2")


def test_contents_that_a_block_cannot_hold_are_quoted():
    odd = [" starts with a space\n", "\n\nblank first\n", "no newline", "two\n\n", "tab\tand \x7f\n", "é\n"]
    files = [BootFile(f"/{n}", "0644", text) for n, text in enumerate(odd)]
    read = yaml.safe_load(cloud_config(files, (), ()))
    assert [entry["content"] for entry in read["write_files"]] == odd


def test_codes_are_in_their_range_and_unique():
    codes = [code.code for code in CODES]
    assert len(set(codes)) == len(codes)
    assert all("GI2150" <= code <= "GI2169" for code in codes)


def test_idle_time_is_kept_in_seconds():
    plan = plans.plan(idle_after=timedelta(hours=1, minutes=30))
    assert cluster_json(plan)["idle"] == {"after_s": 5400}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(0, 99) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=20,
    ).filter(lambda value: depth(value) <= 5)
)
def test_the_longest_length_of_facts_is_never_too_short(value: Any) -> None:
    facts = {"value": value}
    assert longest_json(facts) >= len(as_json(facts))


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth, inner), default=0)
