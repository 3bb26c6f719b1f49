"""`gpuinfra plan`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import catalog, providers
from gpuinfra.cli import main, plan_view
from gpuinfra.cli.plan import Recorded
from gpuinfra.vocabulary import Provider

from .conftest import NOW, SPEC, Ran

GCP = ("{provider: aws, region: us-east-2, zone: use2-az1}", "{provider: gcp, project: acme-lab, region: us-central1}")
A3 = ("p5.48xlarge", "a3-megagpu-8g")


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[int, str]]:
    """The plan of SPEC in a form, made once: rendering loads the cloud's SDK."""
    import contextlib
    import io

    path = tmp_path_factory.mktemp("plan") / "cluster.yaml"
    path.write_text(SPEC)
    kept: dict[str, tuple[int, str]] = {}

    def make(form: str) -> tuple[int, str]:
        if form not in kept:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                status = main(["plan", str(path), "--now", NOW, "--format", form])
            kept[form] = status, out.getvalue()
        return kept[form]

    return make


@pytest.fixture
def data(planned) -> Any:
    import json

    return json.loads(planned("json")[1])


def test_the_json_form(planned, data):
    assert planned("json")[0] == 0
    assert {"decisions", "resources", "cost", "findings"} <= set(data)
    assert all(set(d) == {"path", "value", "reason"} for d in data["decisions"])
    assert all(set(r) == {"type", "name", "parent", "inputs", "options"} for r in data["resources"])
    assert {"usd_per_hour", "usd_per_lease", "lines", "unknown"} <= set(data["cost"])
    line = ["name", "quantity", "unit", "unit_price_usd", "usd_per_hour", "as_of", "source"]
    assert all(list(x)[: len(line)] == line for x in data["cost"]["lines"])
    assert all(isinstance(name, str) for name in data["cost"]["unknown"])
    assert all(isinstance(d[key], str) for d in data["decisions"] for key in d)
    assert all(isinstance(r["inputs"], dict) and isinstance(r["options"], dict) for r in data["resources"])


def test_resources_name_their_parent_and_what_feeds_them(data):
    by_name = {r["name"]: r for r in data["resources"]}
    assert len(by_name) == len(data["resources"])
    assert {r["parent"] for r in data["resources"]} - set(by_name) == {None}
    references = [v["$output"] for r in data["resources"] for v in outputs_in(r["inputs"])]
    assert references
    assert all(reference.rpartition(".")[0] in by_name for reference in references)
    template = next(r for r in data["resources"] if r["type"] == "aws:ec2/launchTemplate:LaunchTemplate")
    assert len(template["inputs"]["networkInterfaces"]) == 33


def outputs_in(value: Any) -> list[dict[str, str]]:
    if isinstance(value, dict):
        found = [value] if set(value) == {"$output"} else []
        return found + [x for v in value.values() for x in outputs_in(v)]
    return [x for v in value for x in outputs_in(v)] if isinstance(value, list) else []


def test_the_sum_is_the_sum_of_the_lines(data):
    cost = data["cost"]
    known = [x["usd_per_hour"] for x in cost["lines"] if x["usd_per_hour"] is not None]
    assert cost["usd_per_hour"] == pytest.approx(sum(known), abs=1e-4)
    assert cost["usd_per_lease"] == pytest.approx(cost["usd_per_hour"] * 72, rel=1e-6)
    assert cost["unknown"] == [x["name"] for x in cost["lines"] if x["usd_per_hour"] is None]
    nodes = cost["lines"][0]
    assert (nodes["quantity"], nodes["unit_price_usd"]) == (2, 55.04)


def test_the_text_form_holds_every_part(planned, data):
    status, text = planned("text")
    assert status == 0
    assert "\x1b[" not in text
    for part in ("Decisions", "Resources (", "Cost", "per hour", "per lease", "worst month", "nodes stopped"):
        assert part in text
    for resource in data["resources"]:
        assert resource["name"] in text
    for decision in data["decisions"]:
        assert decision["reason"] in text
    assert "110.08" in text
    assert "prices of 2025-10" in text
    assert "undecided[" not in text


def test_errors_leave_resources_out_and_show_what_could_be_decided(run, spec_file):
    path = spec_file(("count: 2", "count: 2}\n  - {name: other, instance_type: p5.49xlarge"))
    ran = run("plan", path, "--format", "json", "--now", NOW)
    assert ran.status == 1
    assert ran.data["resources"] == []
    assert "node_pools[0].instance_type" in {d["path"] for d in ran.data["decisions"]}
    assert ran.data["summary"]["errors"] >= 1
    assert run("plan", path, "--now", NOW).status == 1


def test_unreadable_input_has_the_same_form(run, tmp_path):
    ran = run("plan", tmp_path / "none.yaml", "--format", "json")
    assert ran.status == 1
    assert (ran.data["decisions"], ran.data["resources"], ran.data["cost"]["usd_per_hour"]) == ([], [], None)
    assert {"lease_hours", "worst_usd_per_hour", "worst_usd_per_month", "residual_usd_per_hour"} <= set(
        ran.data["cost"]
    )
    assert ran.data["findings"][0]["code"] == "GI1001"
    assert "GI1001" in run("plan", tmp_path / "none.yaml").out


def built(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def refuse(provider: Provider) -> None:
        raise error

    monkeypatch.setattr(providers, "get", refuse)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_missing_sdk_is_said_with_its_install_line(run, spec_file, monkeypatch, form):
    built(monkeypatch, providers.MissingSdk(Provider.AWS, "pulumi_aws"))
    ran: Ran = run("plan", spec_file(), "--format", form, "--now", NOW)
    assert ran.status == 2
    assert "pip install 'gpuinfra[aws]'" in ran.err
    assert "p5.48xlarge" in ran.out
    assert "55.04" in ran.out


def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided and what it costs needs no resources."""
    monkeypatch.setattr("gpuinfra.cli.plan.record_plan", lambda plan, ruling: Recorded(None))


def test_nodes_without_a_price_make_no_sum(run, spec_file, monkeypatch):
    unrendered(monkeypatch)
    monkeypatch.setattr(catalog, "price", lambda *_: None)
    path = spec_file()
    text = run("plan", path, "--now", NOW).out
    for row in ("per hour", "per lease", "worst month"):
        line = next(x for x in text.splitlines() if x.strip().startswith(row))
        assert "unknown" in line
        assert "USD" not in line
    cost = run("plan", path, "--now", NOW, "--format", "json").data["cost"]
    assert "gpu nodes (p5.48xlarge)" in cost["unknown"]
    assert cost["lines"][0]["usd_per_hour"] is None


def test_a_secret_never_shows():
    from gpuinfra.cli.judge import judge
    from gpuinfra.cli.plan import as_data
    from gpuinfra.policy.resource_graph import Resource, ResourceGraph, Secret

    secret = Resource("urn:a", "a:b:C", "a", True, {"password": Secret("hunter2"), "list": [{"x": Secret("hunter2")}]})
    shown = as_data(judge("none.yaml", None), Recorded(ResourceGraph("p", "s", False, (secret,))), None)
    assert shown["resources"][0]["inputs"]["password"] == {"$secret": True}
    assert "hunter2" not in str(shown)


def test_short_types_leave_the_file_out():
    assert plan_view.short_type("aws:ec2/launchTemplate:LaunchTemplate") == "aws:ec2:LaunchTemplate"
    assert plan_view.short_type("gpuinfra:index:GpuCluster") == "gpuinfra:index:GpuCluster"
    assert plan_view.short_type("odd") == "odd"


def test_no_spec_and_two_specs_are_wrong_usage(run, spec_file):
    assert run("plan").status == 2
    assert run("plan", spec_file(), spec_file()).status == 2


def test_standard_input_is_a_spec(run, monkeypatch):
    import io
    import sys

    unrendered(monkeypatch)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SPEC.encode())))
    assert run("plan", "-", "--now", NOW).status == 0


def test_a_plan_of_a_hundred_pools_draws_a_tree_without_recursion():
    from gpuinfra.policy.resource_graph import Resource, ResourceGraph

    deep = tuple(
        Resource(f"urn:{i}", "a:b:C", f"r{i}", True, {}, parent=f"urn:{i - 1}" if i else "") for i in range(300)
    )
    tree = plan_view.resource_tree(ResourceGraph("p", "s", False, deep))
    assert tree is not None


def test_paths_are_accepted_as_they_are(run, spec_file, monkeypatch):
    unrendered(monkeypatch)
    path: Path = spec_file(name="it's a spec.yaml")
    assert run("plan", path, "--now", NOW).status == 0


def test_rules_that_wait_are_one_line_at_the_end(planned, data):
    text = planned("text")[1]
    assert data["undecided"]
    codes = list(dict.fromkeys(u["code"] for u in data["undecided"]))
    last = text.splitlines()[-1]
    assert last.startswith("1 rule waits" if len(codes) == 1 else f"{len(codes)} rules wait")
    assert all(f"{code} (" in last for code in codes)


def test_many_rules_that_wait_stay_one_line():
    from gpuinfra.cli.plan import waiting_line
    from gpuinfra.policy.rule import Undecided

    assert waiting_line(()) == ""
    one = waiting_line([Undecided("GI3048", f"pool-{n}", "not known yet") for n in range(50)])
    assert "1 rule waits for the deployment: GI3048 (not known yet)" in one
    many = waiting_line([Undecided(f"GI30{n}", "a", "why") for n in range(10, 20)])
    assert "10 rules wait" in many
    assert "GI3015 (why) and 4 more" in many
    assert many.count("\n") == 1


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([(10, "2025-10"), (1, "2022-09-03")], "prices of 2025-10; oldest 2022-09-03"),
        ([(10, "2025-10"), (1, "2025-10")], "prices of 2025-10"),
        ([(1, "2026-01"), (10, "2025-10")], "prices of 2025-10"),
        ([(10, "2025-10"), (1, "")], "prices of 2025-10; others are undated"),
        ([(10, ""), (1, "2025-10")], "the largest price is undated"),
    ],
)
def test_the_date_of_the_sum_is_that_of_its_bulk_and_the_oldest(lines, words):
    from gpuinfra.cost import CostEstimate, CostLine

    made = tuple(CostLine("x", "", 1, "hour", usd, usd, usd, as_of, "", False, "") for usd, as_of in lines)
    cost = CostEstimate(made, 11, 11, None, None, None, 11, ())
    assert plan_view.dates(cost) == words


def test_what_a_room_finds_is_shown_with_its_place(run, tmp_path):
    """A role cannot be assigned at an address: known to the room alone, and not only to be read during `up`."""
    spec = tmp_path / "cluster.yaml"
    spec.write_text(AZURE_STORE)
    ran = run("plan", spec)
    assert ran.status == 0
    (line,) = [text for text in ran.out.splitlines() if "GI2176" in text and "warning" in text]
    assert ":8:42: " in line
    assert ran.out.count("[GI2123]") == 1, "what check says is not said twice"
    waiver = "waivers: [{code: GI2176, reason: assigned by hand, expires: 2099-01-01}]\n"
    with_waiver = tmp_path / "waived.yaml"
    with_waiver.write_text(AZURE_STORE + waiver)
    assert "warning[GI2176]" not in run("plan", with_waiver).out
    data = run("plan", spec, "--format", "json").data
    assert [d["path"] for d in data["findings"] if d["code"] == "GI2176"] == ["storage[0].existing"]


AZURE_STORE = """\
api_version: gpuinfra/v1
name: acme
location: {provider: azure, region: eastus}
node_pools:
  - {name: gpu, instance_type: Standard_NC24ads_A100_v4}
network: {ssh_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvciB0ZXN0cyBvbmx5LCBub3QgYSByZWFsIGtleSBhdCBhbGw me"]}
storage:
  - {name: data, kind: bucket, existing: "https://acmedata.blob.core.windows.net/tokens", mount: /data}
budget: {per_month_usd: 5000, contacts: [you@example.com]}
shutdown: {lease: 24h}
"""
