"""`gpuinfra compare`."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from .conftest import NOW

ROOT = Path(__file__).parents[2]

OFFER = [
    "provider", "region", "zone", "instance_type", "nodes", "fabric", "usd_per_hour", "usd_per_gpu_hour",
    "usd_per_lease", "as_of", "capacity",
]  # fmt: skip


def first_table(text: str) -> list[str]:
    """The rows of the first table of a text: a heading, an empty line, the head, and the offers."""
    lines = text.splitlines()[3:]
    return list(takewhile(lambda line: line.startswith(("aws ", "gcp ", "azure ")), lines))


def test_the_json_form(run, spec_file):
    ran = run("compare", spec_file(), "--format", "json", "--now", NOW)
    assert ran.status == 0
    assert set(ran.data) == {"offers", "excluded"}
    assert all(list(o)[: len(OFFER)] == OFFER for o in ran.data["offers"])
    assert all(list(e)[:3] == ["provider", "instance_type", "reason"] for e in ran.data["excluded"])
    assert all(isinstance(e["instance_type"], str) and e["reason"] for e in ran.data["excluded"])
    assert {o["provider"] for o in ran.data["offers"]} == {"aws", "gcp", "azure"}
    best = ran.data["offers"][0]
    assert best["usd_per_lease"] == pytest.approx(72 * best["usd_per_hour"])
    assert best["usd_per_gpu_hour"] == pytest.approx(best["usd_per_hour"] / 16)
    assert best["as_of"].startswith("20")


def test_the_text_form_has_the_cheapest_of_each_cloud_and_says_what_it_leaves_out(run, spec_file):
    ran = run("compare", spec_file(), "--limit", "2", "--now", NOW)
    assert ran.status == 0
    assert ran.out.startswith("gpu: 2 nodes of 8 x H100-SXM, with a fabric, on_demand\n")
    rows = first_table(ran.out)
    assert len(rows) == 4
    assert {x.split()[0] for x in rows} == {"aws", "gcp", "azure"}
    assert "more: --all shows them" in ran.out
    assert "why not" in ran.out
    assert "1 GPU a node, and 8 are asked for" in ran.out
    everything = run("compare", spec_file(), "--all", "--now", NOW).out
    assert "more: --all" not in everything
    assert len(everything.splitlines()) > len(ran.out.splitlines()) + 20


def test_a_price_that_is_unknown_shows_its_bound(run, spec_file):
    path = spec_file(("p5.48xlarge", "p5en.48xlarge"))
    text = run("compare", path, "--provider", "gcp", "--all").out
    assert "≤" in text
    assert "? no price in the tables; ≤ the on-demand list price" in text
    data = run("compare", path, "--provider", "gcp", "--format", "json").data
    unknown = [o for o in data["offers"] if o["usd_per_hour"] is None]
    assert unknown
    assert all(o["note"] and o["usd_per_gpu_hour"] is None and o["usd_per_lease"] is None for o in unknown)


def test_the_csv_form(run, spec_file):
    ran = run("compare", spec_file(), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert list(rows[0])[: len(OFFER)] == OFFER
    assert len(rows) == len(run("compare", spec_file(), "--format", "json").data["offers"])


def test_one_cloud_and_one_region(run, spec_file):
    data = run("compare", spec_file(), "--provider", "gcp", "--region", "us-central1", "--format", "json").data
    assert {(o["provider"], o["region"]) for o in data["offers"]} == {("gcp", "us-central1")}
    alone = run("compare", spec_file(), "--region", "eastus", "--format", "json").data
    assert {o["provider"] for o in alone["offers"]} == {"azure"}
    assert {e["provider"] for e in alone["excluded"]} == {"azure"}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--provider", "oracle"), "'oracle' is not one of"),
        (("--region", "us-central9"), "did you mean us-central1"),
        (("--region", "eastus", "--provider", "aws"), "is not a known region of aws"),
        (("--limit", "0"), "0"),
        (("--zone", "a"), "No such option"),
    ],
)
def test_wrong_usage(run, spec_file, args, says):
    ran = run("compare", spec_file(), *args)
    assert ran.status == 2
    assert says in ran.err


def test_a_spec_that_cannot_be_read_is_findings(run, tmp_path, spec_file):
    ran = run("compare", tmp_path / "none.yaml")
    assert ran.status == 1
    assert "GI1001" in ran.out
    data = run("compare", tmp_path / "none.yaml", "--format", "json").data
    assert (data["offers"], data["excluded"]) == ([], [])
    assert data["findings"][0]["code"] == "GI1001"
    unknown = run("compare", spec_file(("p5.48xlarge", "p5.49xlarge")))
    assert unknown.status == 1
    assert "did you mean p5.48xlarge" in unknown.out
    assert ":6:" in unknown.out


def test_what_planning_refuses_can_still_be_compared(run, spec_file):
    path = spec_file(("us-east-2, zone: use2-az1", "mx-central-1"))
    ran = run("compare", path, "--format", "json")
    assert ran.status == 0
    assert ran.data["offers"]


def test_a_spec_without_gpus_has_nothing_to_compare(run, spec_file):
    path = spec_file(("p5.48xlarge", "m7i.xlarge"))
    ran = run("compare", path)
    assert (ran.status, ran.out) == (0, "")
    assert "no pool of the spec has nodes with GPUs" in ran.err
    assert run("compare", path, "--format", "json").data == {"offers": [], "excluded": []}


def test_several_pools_are_told_apart(run, spec_file):
    path = spec_file(("count: 2}", "count: 2}\n  - {name: small, instance_type: g6.xlarge}"))
    ran = run("compare", path, "--format", "json")
    assert {o["pool"] for o in ran.data["offers"]} == {"gpu", "small"}
    text = run("compare", path).out
    assert "gpu: 2 nodes of 8 x H100-SXM" in text
    assert "\nsmall: 1 node of 1 x L4" in text


def test_standard_input_is_a_spec(run, spec_file, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(spec_file().read_bytes())))
    assert run("compare", "-").status == 0


def test_no_place_is_said(run, spec_file):
    ran = run("compare", spec_file(("p5.48xlarge", "p6-b300.48xlarge")), "--provider", "gcp")
    assert ran.status == 0
    assert "No place that the tables know meets it." in ran.out
    assert "gcp sells no machine with B300" in ran.out
    assert "every type" in ran.out


def test_it_loads_no_pulumi_and_no_rich_for_json(spec_file):
    code = (
        "import sys, gpuinfra.cli\n"
        f"gpuinfra.cli.main(['compare', {str(spec_file())!r}, '--format', 'json'])\n"
        "print('LOADED', *sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "LOADED" in loaded
    assert not {m for m in loaded if m.startswith("pulumi")} | loaded & {"rich", "jinja2"}


def test_the_first_of_each_cloud_is_shown_whatever_the_limit(run, spec_file):
    rows = first_table(run("compare", spec_file(), "--limit", "1").out)
    assert [row.split()[0] for row in rows] == ["aws", "gcp", "azure"]
