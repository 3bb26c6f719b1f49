"""Hints that lead somewhere: what they offer is taken, the word they name is the one that was meant."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import pytest

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.spec.document import compose
from gpuinfra.spec.fields import documented
from gpuinfra.spec.load import parse
from gpuinfra.spec.models import ClusterSpec
from gpuinfra.spec.paths import parse_path
from gpuinfra.spec.synonyms import OTHER_KEYS, OTHER_VALUES, WHOLE_ENTRIES
from tests.spec.specs import LEAST, only

LOCATIONS: dict[str, dict[str, Any]] = {
    "aws": {"provider": "aws", "region": "us-east-2"},
    "gcp": {"provider": "gcp", "region": "us-central1", "project": "acme-lab"},
    "azure": {"provider": "azure", "region": "eastus"},
}
_SUBSCRIPTION = "the subscription is the login's: az account set, or pulumi config set azure-native:subscriptionId"
STORE = {"name": "x", "kind": "nfs", "mount": "/x"}
# What a mapping needs beside the field under test.
BESIDE: dict[str, Any] = {
    "node_pools[]": {"name": "gpu"},
    "node_pools[].accelerator": {"model": "H100"},
    "node_pools[].count": {"max": 8},
    "storage[]": STORE,
    "budget": {"per_month_usd": 1},
    "network.existing": {"network": "vpc-1", "subnet": "subnet-1"},
    "job.checkpoint": {"path": "/x"},
    "shutdown.stop_at": {"cron": "0 20 * * *", "timezone": "UTC"},
    "waivers[]": {"code": "GI2201", "reason": "x", "expires": "2026-12-05"},
}


def spec_with(pattern: str, value: Any, provider: str = "aws") -> dict[str, Any]:
    """A right spec with `value` at a field, given as node_pools[].count."""
    data: dict[str, Any] = {**deepcopy(LEAST), "location": dict(LOCATIONS[provider])}
    holder, at = data, ""
    *steps, last = pattern.split(".")
    for step in steps:
        at = f"{at}.{step}" if at else step
        name = step.removesuffix("[]")
        beside = dict(BESIDE.get(at, {}))
        if name == "location":
            holder = holder[name]
            continue
        below = {**beside, **({"instance_type": "g6.xlarge"} if at == "node_pools[]" else {})}
        holder[name] = [below] if step.endswith("[]") else below
        holder = below
    if last.endswith("[]"):
        holder[last[:-2]] = [value]
    else:
        holder[last] = value
    return data


def offered(hint: str) -> list[Any]:
    """The values that a hint offers, read as YAML; [key, value] pairs and bare values alike."""
    found: list[Any] = []
    for match in re.finditer(
        r"(?:^|; |, or )(?:write|for example|take|add it, for example) (.+?)(?:, if that is the id|, or [0-9].*|$)",
        hint,
    ):
        text = match[1]
        if not text.startswith(("a ", "one of", "it as", "how long", "year, ", "out", "the character")):
            found.append(text)
    found += re.findall(r"\bas ([0-9][^,; ]*(?: [GT]iB)?)", hint)
    found += re.findall(r"\b(\S+) is [0-9.]+ (?:hours|minutes)", hint)
    return found


def put(data: dict[str, Any], path: str, text: str) -> dict[str, Any]:
    """The spec with what a hint offers written at the finding's path."""
    *above, last = parse_path(path)
    fixed = deepcopy(data)
    holder: Any = fixed
    for step in above:
        holder = holder[step]
    entry = f"{last}: "
    value_text = text.removeprefix(entry) if isinstance(last, str) else text
    document = compose(f"x: {value_text}", "hint")
    assert document.diagnostics == (), text
    assert isinstance(document.data, dict)
    holder[last] = document.data["x"]
    return fixed


WRONG: list[Any] = [
    0, 1, 7, 8, 123, -1, 17, 10_001, 10**9, 10**400, 1.5, 4.0, True, False, "", " ", "7", "-3", "0", "123", "H100", "H100:8",
    "8x H100", "H100 x 4", "8 H100", "H100:99", "a b", "70b", "Llama 70B!", "True!", "_", "名前", "x" * 200, "spot", "fsx", "yes",
    "none", "$50", "50, 80", "72", "1 days", "30 min", "PT30M", "2026-13-01", "2026-12-05", "2026-12-05T18:00", "1999-01-01",
    "9999999999999999999", "projects/acme-lab", "Acme Lab", "arn:aws:iam::123456789012:role/path/ml", "name:x", "a: b", "#",
    [], [1], ["x"], [None], {}, {"x": 1}, None,
]  # fmt: skip
FIELDS = sorted({(d.path, d.where.rpartition(" ")[2] or "aws") for d in documented()})


@pytest.mark.parametrize(("pattern", "provider"), FIELDS, ids=["-".join(x) for x in FIELDS])
def test_what_a_hint_offers_is_taken(pattern: str, provider: str):
    path = pattern.replace("[]", "[0]")
    for value in WRONG:
        data = spec_with(pattern, value, provider)
        for d in parse(data).diagnostics:
            assert d.hint, (value, str(d))
            if d.code == "GI1030":
                continue
            for text in offered(d.hint):
                again = parse(put(data, d.path, text)).diagnostics
                below = [str(a) for a in again if a.path == d.path or (a.path.startswith(path) and d.path == path)]
                assert below == [], (value, d.hint)


def test_the_offers_are_seen():
    """The test above proves nothing where no hint offers anything."""
    seen = {
        (pattern, text)
        for pattern, provider in FIELDS
        for value in WRONG
        for d in parse(spec_with(pattern, value, provider)).diagnostics
        for text in offered(d.hint)
    }
    assert len({pattern for pattern, _ in seen}) > 50
    assert {
        ("node_pools[].accelerator", "accelerator: {model: H100, count: 8}"),
        ("node_pools[].accelerator", "accelerator: {model: H100, count: 4}"),
        ("name", "name: cluster-123"), ("name", "cluster-70b"), ("node_pools[].name", "name: pool-123"),
        ("node_pools[].mig", "mig: 1g.10gb"), ("shutdown.idle_after", "1d"), ("shutdown.idle_after", "30m"),
        ("location.zone", 'zone: "1"'), ("location.project", "acme-lab"), ("location.deployer_roles", "ml"),
        ("node_pools", 'node_pools: [{name: gpu, instance_type: p5.48xlarge, count: 4}]'),
        ("budget.alerts_percent", "alerts_percent: [50, 80]"), ("node_pools[].capacity", "capacity: {type: spot}"),
    } - seen == {("location.deployer_roles", "ml")}  # fmt: skip


def pool(**keys: Any) -> dict[str, Any]:
    return {"node_pools": [{"name": "gpu", **keys}]}


def store(kind: str) -> dict[str, Any]:
    return {"storage": [{**STORE, "kind": kind}]}


def only_finding(keys: dict[str, Any]) -> Diagnostic:
    return only(parse({**LEAST, **keys}))


@pytest.mark.parametrize(
    ("word", "kind"),
    [("fsx", "lustre"), ("FSx-Lustre", "lustre"), ("fsx_for_lustre", "lustre"), ("filestore", "nfs"), ("efs", "nfs"), ("EFS", "nfs"),
     ("azure_files", "nfs"), ("s3", "bucket"), ("gcs", "bucket"), ("blob", "bucket"), ("Lustre", "lustre"), ("lustr", "lustre")],
)  # fmt: skip
def test_a_word_of_a_cloud_leads_to_its_kind(word: str, kind: str):
    assert only_finding(store(word)).hint == f"did you mean {kind}?"


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        ({"budget": {"limit": 5}}, "it is called per_month_usd or per_run_usd or per_hour_usd here"),
        ({"budget": {"per_run_usd": 1, "limit": 5}}, "it is called per_month_usd or per_hour_usd here"),
        (pool(gpus=8), "the GPUs of one node are written accelerator: {model: H100, count: 8}"),
        (pool(gpu="L4"), "the GPUs of one node are written accelerator: {model: L4}"),
        (pool(gpus="H100:8"), "the GPUs of one node are written accelerator: {model: H100, count: 8}"),
        (pool(gpu_count=4), "the GPUs of one node are written accelerator: {model: H100, count: 4}"),
        (
            pool(gpus=8, instance_type="x"),
            "the GPUs of one node are written accelerator: {model: H100, count: 8}; leave it out where instance_type "
            "says which GPUs the node has",
        ),
        (pool(accelerator={"type": "H100"}), "it is called model here"),
        *(
            ({"location": {**LOCATIONS[cloud], key: "x"}}, hint)
            for cloud, key, hint in (
                ("azure", "subscription", _SUBSCRIPTION),
                ("azure", "subscriptionId", _SUBSCRIPTION),
                ("gcp", "billing_account", "the billing account is read from the project"),
                ("gcp", "quota_project", "who pays for API calls is a setting: pulumi config set gcp:billingProject"),
            )
        ),
        (pool(accelerator={"name": "H100"}), "it is called model here"),
        (pool(accelerator={"model": "H100", "gpus": 8}), "it is called count here"),
        (pool(type="p5.48xlarge"), "it is called instance_type here"),
        (pool(machineType="x"), "it is called instance_type here"),
        (pool(size=4), "it is called count here"),
        (pool(spot=True), "write capacity: {type: spot}"),
        (pool(min_nodes=0), "min_nodes belongs at node_pools[].count.min"),
        (pool(capacity_type="spot"), "capacity_type belongs at node_pools[].capacity.type"),
        (pool(labels={}), "labels belongs at labels, at the top of the file"),
        ({"storage": [{**STORE, "type": "x"}]}, "kind stands there already: take type out"),
        ({"storage": [{**STORE, "size": 5}]}, "it is called size_gib here"),
        ({"image": {"name": "x"}}, "it is called container here"),
        ({"vpc": {}}, "it is called network here"),
        ({"network": {"vpc_id": "x"}}, "write existing: {network: x, subnet: subnet-0f1e2d3c4b5a69788}"),
        ({"shutdown": {"schedule": "x"}}, "it is called stop_at here"),
    ],
)
def test_the_obvious_word_wins_over_one_that_looks_alike(keys: dict[str, Any], hint: str):
    assert only_finding(keys).hint == hint


def test_the_other_words_lead_to_keys_and_words_that_exist():
    keys = {d.name for d in documented()}
    assert {word for words in OTHER_KEYS.values() for word in words.split()} <= keys
    assert {stands_for for stands_for, _ in WHOLE_ENTRIES.values()} <= keys
    # A word that is a key too must lead to another key of some mapping that has no such key of its own.
    for word, meant in OTHER_KEYS.items():
        assert word not in meant.split(), word
    for name, words in OTHER_VALUES.items():
        takes = " ".join(d.takes for d in documented() if d.name == name)
        for other, word in words.items():
            assert re.fullmatch(r"[a-z0-9]+", other)
            assert re.search(rf"\b{word}\b", takes), (name, word)
            assert not re.search(rf"\b{other}\b", takes), (name, other)


@pytest.mark.parametrize("entry", [entry for _, entry in WHOLE_ENTRIES.values()])
def test_whole_entries_are_taken(entry: str):
    data = compose(entry, "f").data
    assert isinstance(data, dict)
    assert parse({**LEAST, **pool(**data)}).diagnostics == ()


@pytest.mark.parametrize(
    ("location", "message", "hint"),
    [
        (
            {**LOCATIONS["gcp"], "project": "Acme Lab"},
            "'Acme Lab' is not a project id",
            "take acme-lab, if that is the id",
        ),
        ({**LOCATIONS["gcp"], "project": "projects/acme-lab"}, "is not a project id", "take acme-lab"),
        (
            {**LOCATIONS["gcp"], "project": "projects/acme"},
            "'projects/acme' is not a project id",
            "gcloud projects list",
        ),
        ({**LOCATIONS["gcp"], "project": "a; rm -rf /"}, "'a; rm -rf /' is not a project id", "give the id"),
        ({**LOCATIONS["gcp"], "project": "123456789012"}, "is not a project id", "give the id"),
        ({**LOCATIONS["gcp"], "project": "acme-lab-"}, "is not a project id", "take acme-lab"),
        ({**LOCATIONS["azure"], "resource_group": "my group!"}, "is not the name of a resource group", "take my-group"),
        ({**LOCATIONS["azure"], "resource_group": "a/b;c"}, "is not the name of a resource group", "take a-b-c"),
        (
            {**LOCATIONS["azure"], "resource_group": "/subscriptions/0/resourceGroups/rg-llama"},
            "group",
            "take rg-llama",
        ),
        ({**LOCATIONS["azure"], "resource_group": "rg."}, "no full stop last", "take rg"),
        (
            {**LOCATIONS["aws"], "deployer_roles": ["arn:aws:iam::123456789012:role/teams/ml-deployer"]},
            "is the ARN of a role; the role's name is wanted",
            "write ml-deployer",
        ),
        (
            {**LOCATIONS["aws"], "deployer_roles": ["arn:aws:sts::123456789012:assumed-role/ml-deployer/me"]},
            "is the ARN of a role",
            "write ml-deployer",
        ),
        ({**LOCATIONS["aws"], "deployer_roles": ["role/ml"]}, "is a path; the role's name is wanted", "write ml"),
        ({**LOCATIONS["aws"], "deployer_roles": ["ml deployer"]}, "is not the name of an IAM role", "behind role/"),
        ({**LOCATIONS["aws"], "deployer_roles": ["*"]}, "is not the name of an IAM role", "behind role/"),
    ],
)
def test_names_that_a_cloud_gives_have_its_form(location: dict[str, Any], message: str, hint: str):
    found = only_finding({"location": location})
    assert found.code == "GI1035"
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    "location",
    [
        {**LOCATIONS["gcp"], "project": "example.com:proj"},
        {**LOCATIONS["gcp"], "project": "acme-1"},
        {**LOCATIONS["gcp"], "project": "a" * 30},
        {**LOCATIONS["azure"], "resource_group": "RG_a.b-(1)ü"},
        {**LOCATIONS["aws"], "deployer_roles": ["a+=,.@_-Z9", "AWSReservedSSO_Admin_0123456789abcdef"]},
    ],
)
def test_names_of_the_right_form_are_taken(location: dict[str, Any]):
    assert parse({**LEAST, "location": location}).diagnostics == ()


def test_a_pool_may_be_off():
    for count in (0, {"max": 0}, {"min": 0, "max": 0, "initial": 0}):
        spec = parse({**LEAST, **pool(count=count)}).spec
        assert isinstance(spec, ClusterSpec)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1 days", "write 1d"), ("30 min", "write 30m"), ("2 hours", "write 2h"), ("1 day, 2 hours", "write 1d2h"), ("72H", "write 72h"),
        ("PT1H30M", "write 1h30m"), ("P7D", "write 7d"), ("1.5 hrs", "write 1.5h"), ("9999 weeks", "write it as 30m, 72h, 7d or 1h30m"),
        ("3 months", "write it as 30m, 72h, 7d or 1h30m"), ("P", "write it as 30m, 72h, 7d or 1h30m"),
        ("0 days", "write it as 30m, 72h, 7d or 1h30m"), (0, "leave it out, or write it as 30m, 72h, 7d or 1h30m"),
        (30, "give it a unit: 30h is 30 hours, 30m is 30 minutes"), (100_000, "give it a unit: 100000m is 100000 minutes"),
    ],
)  # fmt: skip
def test_a_duration_in_other_words(text: Any, hint: str):
    assert only_finding({"shutdown": {"idle_after": text}}).hint == hint
