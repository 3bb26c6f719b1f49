"""Every mistake in the user's own words: the path, the fact and the value, and the next action."""

from __future__ import annotations

from typing import Any

import pytest

from gpuinfra.spec.load import parse
from tests.spec.specs import LEAST, only, place, read, with_keys

POOL = "node_pools[0]"


def pool(**keys: Any) -> dict[str, Any]:
    return {"node_pools": [{"name": "gpu", "instance_type": "g6.xlarge", **keys}]}


CASES: list[Any] = [
    # Unknown keys: the nearest, the word this tool has, or where the key belongs.
    ({"nmae": 1}, "GI1030", "nmae", "unknown key 'nmae'", "did you mean name?"),
    (pool(instnce_type="x"), "GI1030", f"{POOL}.instnce_type", "unknown key 'instnce_type'", "did you mean instance_type?"),
    ({"node_pools": [{"name": "gpu", "instanceType": "x"}]}, "GI1030", f"{POOL}.instanceType", "unknown key", "it is called instance_type here"),
    (pool(**{"local-nvme": "none"}), "GI1030", f"{POOL}.local-nvme", "unknown key", "it is called local_nvme here"),
    ({"node_pools": [{"name": "gpu", "machine_type": "x"}]}, "GI1030", f"{POOL}.machine_type", "unknown key", "it is called instance_type here"),
    (pool(machine_type="x"), "GI1030", f"{POOL}.machine_type", "unknown key", "instance_type stands there already: take machine_type out"),
    (pool(replicas=2), "GI1030", f"{POOL}.replicas", "unknown key", "it is called count here"),
    ({"zone": "x"}, "GI1030", "zone", "unknown key 'zone'", "zone belongs at location.zone or storage[].zone"),
    ({"lease": "72h"}, "GI1030", "lease", "unknown key 'lease'", "lease belongs at shutdown.lease"),
    ({"ttl": "72h"}, "GI1030", "ttl", "unknown key 'ttl'", "ttl belongs at shutdown.lease"),
    ({"budget": {"per_month_usd": 1, "per_week_usd": 1}}, "GI1030", "budget.per_week_usd", "unknown key", "did you mean per_"),
    ({"qqq": 1}, "GI1030", "qqq", "unknown key 'qqq'", "keys here: api_version, name"),
    ({"x\x1b[2J": 1}, "GI1030", '["x\\u001b[2J"]', r"unknown key 'x\x1b[2J': it holds the character U+001B", "type the key anew"),
    (
        {"location": {"provider": "aws", "region": "us-east-2", "resource_group": "rg"}},
        "GI1030", "location.resource_group", "unknown key", "resource_group is known only with location.provider: azure",
    ),
    # Missing keys.
    ({"storage": [{"name": "x", "kind": "nfs"}]}, "GI1031", "storage[0].mount", "the key 'mount' is missing", "mount: /scratch"),
    ({"node_pools": [{}]}, "GI1031", f"{POOL}.name", "the key 'name' is missing", "name: gpu"),
    (pool(count={"min": 0}), "GI1031", f"{POOL}.count.max", "the key 'max' is missing", "max: 8"),
    (
        {"location": {"provider": "gcp", "region": "us-central1"}},
        "GI1031", "location.project", "the key 'project' is missing: Project id", "project: acme-lab",
    ),
    # Wrong kinds of value.
    (pool(count="4"), "GI1032", f"{POOL}.count", "'4' is text; a whole number or a mapping", "write count: 4"),
    (pool(count="four"), "GI1032", f"{POOL}.count", "'four' is text", "for example count: 4"),
    (pool(count=4.0), "GI1032", f"{POOL}.count", "4.0 is a number; a whole number", "write count: 4"),
    (pool(count=True), "GI1032", f"{POOL}.count", "true is a truth value", "for example count: 4"),
    (pool(count=[4]), "GI1032", f"{POOL}.count", "a list is given; a whole number", ""),
    (pool(capacity="spot"), "GI1032", f"{POOL}.capacity", "'spot' is text; a mapping {type", "write capacity: {type: spot}"),
    (pool(accelerator="H100"), "GI1032", f"{POOL}.accelerator", "'H100' is text", "write accelerator: {model: H100}"),
    (pool(public_ip="no"), "GI1032", f"{POOL}.public_ip", "'no' is text; true or false", "write public_ip: false"),
    (pool(public_ip=1), "GI1032", f"{POOL}.public_ip", "1 is a number; true or false", "public_ip: "),
    (pool(instance_type=5), "GI1032", f"{POOL}.instance_type", "5 is a number; text", "for example instance_type: p5.48xlarge"),
    (pool(mig=7), "GI1032", f"{POOL}.mig", "7 is a number; text or a list of text", "for example mig: 1g.10gb"),
    (pool(mig=["1g.10gb", 2]), "GI1032", f"{POOL}.mig[1]", "2 is a number; text is wanted", "for example 3g.40gb"),
    ({"network": None}, "GI1032", "network", "there is no value; a mapping {cidr", "leave it out, or for example network: {cidr"),
    ({"network": {"ssh_from": "10.0.0.0/8"}}, "GI1032", "network.ssh_from", "is text; a list of text", "ssh_from: [10.0.0.0/8]"),
    ({"job": {"command": "python 'a b.py'"}}, "GI1032", "job.command", "is text; a list", 'write command: [python, "a b.py"]'),
    ({"job": {"command": "it's"}}, "GI1032", "job.command", "is text; a list", '''write command: ["it's"]'''),
    ({"budget": {"per_month_usd": "$50,000"}}, "GI1032", "budget.per_month_usd", "'$50,000' is text", "write per_month_usd: 50000"),
    (
        {"budget": {"per_month_usd": 1, "alerts_percent": ["50"]}},
        "GI1032", "budget.alerts_percent[0]", "'50' is text; a number", "write 50",
    ),
    (
        {"budget": {"per_month_usd": 1, "alerts_percent": 50}},
        "GI1032", "budget.alerts_percent", "50 is a number; a list of numbers", "write alerts_percent: [50]",
    ),
    ({"storage": {"name": "x"}}, "GI1032", "storage", "a mapping is given; a list of mappings", "begin each entry with '- '"),
    ({"image": [{"node": "auto"}]}, "GI1032", "image", "a list is given; a mapping", "take out the '- '"),
    ({"labels": {"cost_center": 1234}}, "GI1032", "labels.cost_center", "1234 is a number; text", 'write cost_center: "1234"'),
    ({"labels": {"a": None}}, "GI1032", "labels.a", "there is no value; text is wanted", "a: nlp"),
    ({"location": "us-east-1"}, "GI1032", "location", "'us-east-1' is text; a mapping", "location: {provider: aws"),
    ({"name": object()}, "GI1032", "name", "a value of type object", ""),
    # Words.
    ({"scheduler": "slrum"}, "GI1033", "scheduler", "'slrum' is not one of none, slurm, kubernetes", "did you mean slurm?"),
    ({"workload": "crypto"}, "GI1033", "workload", "'crypto' is not one of training", "take one of training"),
    (pool(capacity={"type": "on-demand"}), "GI1033", f"{POOL}.capacity.type", "'on-demand' is not", "did you mean on_demand?"),
    (pool(fabric=False), "GI1033", f"{POOL}.fabric", "false is not one of auto, required, none", "write fabric: none"),
    (pool(local_nvme=None), "GI1033", f"{POOL}.local_nvme", "there is no value; one of raid0", "write local_nvme: none"),
    ({"api_version": "gpuinfra/v9"}, "GI1044", "api_version", "'gpuinfra/v9' is not a version", "api_version: gpuinfra/v1"),
    ({"location": {"provider": "awz"}}, "GI1045", "location.provider", "'awz' is not one of aws, gcp, azure", "did you mean aws?"),
    ({"location": {"provider": "Google"}}, "GI1045", "location.provider", "'Google' is not one of", "did you mean gcp?"),
    ({"location": {"region": "x"}}, "GI1045", "location.provider", "the key 'provider' is missing", "add provider: aws"),
    ({"location": {"provider": ["aws"]}}, "GI1045", "location.provider", "a list is not one of", "take one of aws"),
    # Bounds, lengths and forms.
    (pool(count=-1), "GI1034", f"{POOL}.count", "-1 is out of range; at least 0 is wanted", "write count: 0"),
    (pool(count=10_001), "GI1034", f"{POOL}.count", "10001 is out of range; at most 10,000", "for example count: 4"),
    (pool(count=10**400), "GI1034", f"{POOL}.count", "an enormous number is out of range", "for example count: 4"),
    ({"budget": {"per_month_usd": -5}}, "GI1034", "budget.per_month_usd", "-5 is out of range; more than 0", "per_month_usd: 50000"),
    ({"budget": {"per_month_usd": 0}}, "GI1034", "budget.per_month_usd", "0 is out of range; more than 0", "per_month_usd: 50000"),
    ({"budget": {"per_month_usd": 10**400}}, "GI1034", "budget.per_month_usd", "an enormous number is out of range", "50000"),
    ({"budget": {"per_month_usd": float("nan")}}, "GI1034", "budget.per_month_usd", "nan is not a number one can count", ""),
    ({"name": "Llama 70B!"}, "GI1035", "name", "'Llama 70B!' is not a name: lower-case", "take llama-70b"),
    ({"name": "70b"}, "GI1035", "name", "'70b' is not a name", "take cluster-70b"),
    ({"name": "tiny\n"}, "GI1046", "name", r"'tiny\n' holds the character U+000A, which cannot be seen", "type the value anew"),
    ({"name": "名前"}, "GI1035", "name", "is not a name", "for example name: llama-70b"),
    ({"waivers": [{"code": "2001", "reason": "x", "expires": "2026-12-05"}]}, "GI1035", "waivers[0].code", "'2001' is not", "GI2201"),
    ({"labels": {" ": "x"}}, "GI1035", "labels", "a label needs a name", "team: nlp"),
    ({"name": ""}, "GI1036", "name", "the text is empty", "name: llama-70b"),
    ({"name": "x" * 64}, "GI1036", "name", "64 characters are too many; at most 63", "shorten it"),
    ({"node_pools": []}, "GI1036", "node_pools", "the list is empty", "node_pools: [{name: gpu"),
    (pool(mig=[]), "GI1036", f"{POOL}.mig", "the list is empty", "mig: 1g.10gb"),
    ({"storage": [{"name": "x", "kind": "nfs", "mount": "/x"}] * 101}, "GI1036", "storage", "101 entries are too many", "shorten"),
    # Quantities.
    ({"shutdown": {"lease": 72}}, "GI1037", "shutdown.lease", "72 is not a duration", "72h is 72 hours"),
    ({"shutdown": {"lease": "72"}}, "GI1037", "shutdown.lease", "'72' is neither a duration nor a moment", "72h is 72 hours"),
    ({"shutdown": {"idle_after": "0m"}}, "GI1037", "shutdown.idle_after", "a duration must be positive", "30m"),
    ({"storage": [{"name": "x", "kind": "nfs", "mount": "/x", "size_gib": 0}]}, "GI1038", "storage[0].size_gib", "more than 0", "9600"),
    ({"storage": [{"name": "x", "kind": "nfs", "mount": "/x", "size_gib": []}]}, "GI1038", "storage[0].size_gib", "a list is not", "9600"),
    ({"shutdown": {"lease": "2026-12-05"}}, "GI1039", "shutdown.lease", "'2026-12-05' is not a moment", "2026-12-05T18:00:00Z"),
    ({"budget": {"per_month_usd": 1, "start": "2026-13-01"}}, "GI1039", "budget.start", "'2026-13-01' is not in the calendar", "exists"),
    ({"budget": {"per_month_usd": 1, "start": 20261201}}, "GI1039", "budget.start", "20261201 is not a day", "2026-12-05"),
    ({"shutdown": {"lease": "2026-12-05T18:00"}}, "GI1040", "shutdown.lease", "has no timezone", "2026-12-05T18:00Z for UTC"),
    # Rules inside one part.
    ({"budget": {}}, "GI1041", "budget", "a budget without an amount limits nothing", "per_month_usd"),
    (pool(count={"min": 3, "max": 2}), "GI1043", f"{POOL}.count", "min 3 is more than max 2", "swap"),
    (pool(count={"min": 1, "max": 4, "initial": 9}), "GI1043", f"{POOL}.count", "initial 9 is not between", "take 4"),
    # Keys that are no text, from Python.
    ({"labels": {3: "x"}}, "GI1016", "labels", "a key is 3, which is not text", "Write a word"),
    (pool() | {7: 1}, "GI1016", "", "a key is 7, which is not text", "Write a word"),
    # Characters that cannot be seen.
    (pool(instance_type="p5.48xlarge\u00a0"), "GI1046", f"{POOL}.instance_type", "U+00A0", "type the value anew"),
    ({"network": {"ssh_from": ["10.0.0.0/8\u200b"]}}, "GI1046", "network.ssh_from[0]", "U+200B", "type the value anew"),
    ({"labels": {"a\u202eb": "x"}}, "GI1046", 'labels["a\\u202eb"]', "U+202E", "type the value anew"),
    ({"job": {"command": ["x\x00"]}}, "GI1046", "job.command[0]", "U+0000", "type the value anew"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "code", "path", "message", "hint"), CASES, ids=[f"{c[1]}-{i}" for i, c in enumerate(CASES)]
)
def test_one_mistake_is_one_finding(keys: dict[Any, Any], code: str, path: str, message: str, hint: str):
    found = only(parse({**LEAST, **keys}))
    assert (found.code, found.path) == (code, path)
    assert message in found.message
    assert hint in found.hint
    assert f"{found}{found.hint}".isprintable()


def test_every_mistake_at_once():
    loaded = with_keys(nmae=1, workload="x", budget={"per_month_usd": -1, "contacts": "me"}, network=None)
    assert [(d.code, d.path) for d in loaded.diagnostics] == [
        ("GI1030", "nmae"),
        ("GI1032", "budget.contacts"),
        ("GI1032", "network"),
        ("GI1033", "workload"),
        ("GI1034", "budget.per_month_usd"),
    ]


def test_a_misspelt_key_is_not_missing_as_well():
    found = only(parse({**LEAST, "location": {"provider": "aws", "reigon": "us-east-2"}}))
    assert (found.path, found.hint) == ("location.reigon", "did you mean region?")
    both = parse({**LEAST, "location": {"provider": "aws", "qqq": "us-east-2"}})
    assert [d.path for d in both.diagnostics] == ["location.qqq", "location.region"]


def test_a_list_with_a_wrong_entry_is_not_empty_as_well():
    assert only(parse({**LEAST, "node_pools": [3]})).path == "node_pools[0]"


def test_keys_that_pydantic_uses_for_arms_of_a_union_stay_in_the_path():
    data = {**LEAST, "location": {"provider": "aws", "region": "x", "aws": 1}, **pool(count={"max": 1, "range": 1})}
    assert [d.path for d in parse(data).diagnostics] == ["location.aws", f"{POOL}.count.range"]
    labels = parse({**LEAST, "labels": {"count": 1, "location": 2, "mig": 3}})
    assert [d.path for d in labels.diagnostics] == ["labels.count", "labels.location", "labels.mig"]


@pytest.mark.parametrize(
    ("yaml", "message", "hint", "where"),
    [
        ("labels: {cost_center: 0123}\n", "0123 is a number; text is wanted", 'write cost_center: "0123"', (6, 23)),
        ("labels: {b: 0x1F}\n", "0x1F is a number", 'write b: "0x1F"', (6, 13)),
        (
            "network: {public_nodes: off}\n",
            "'off' is text; true or false is wanted",
            "write public_nodes: false",
            (6, 25),
        ),
        ("network:\n", "there is no value", "leave it out, or", (6, 9)),
        ("budget: {per_hour_usd: 1e400}\n", "1e400 is not a number one can count with", "", (6, 24)),
        ("labels: {a: .nan}\n", ".nan is a number; text", 'a: ".nan"', (6, 13)),
        ("shutdown: {stop_at: 20:00}\n", "'20:00' is text; a mapping {cron, timezone}", "cron:", (6, 21)),
    ],
)
def test_values_are_quoted_as_they_were_written(yaml: str, message: str, hint: str, where: tuple[int, int]):
    found = only(read(yaml))
    assert message in found.message
    assert hint in found.hint
    assert place(found) == where


def test_long_values_are_cut():
    for value in ("x" * 5000, "\x1b" * 5000, "é" * 5000):
        found = only(parse({**LEAST, "workload": value}))
        assert len(found.message) < 700
        assert found.message.isprintable()
        assert only(parse({**LEAST, value: 1})).message.isprintable()


def test_values_that_look_like_markup_of_messages_stay_what_they_are():
    found = only(parse({**LEAST, "shutdown": {"lease": "{hint} {0} %s"}}))
    assert "'{hint} {0} %s'" in found.message


def test_ssh_keys_come_as_files_hold_them_and_arguments_may_have_lines():
    spec = with_keys(network={"ssh_keys": ["ssh-ed25519 AAAA me\n"]}, job={"command": ["bash", "-c", "a\n\tb\n"]}).spec
    assert spec is not None
    assert spec.network.ssh_keys == ("ssh-ed25519 AAAA me",)
    assert spec.job is not None
    assert spec.job.command[2] == "a\n\tb\n"


def test_data_that_contains_itself_and_data_without_a_floor():
    loop: dict[str, Any] = dict(LEAST)
    loop["labels"] = loop
    assert {d.code for d in parse(loop).diagnostics} == {"GI1032"}
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert only(parse({**LEAST, "name": deep})).message == "a list is given; text is wanted"
    assert only(parse({**LEAST, "node_pools": deep})).path == "node_pools[0]"
