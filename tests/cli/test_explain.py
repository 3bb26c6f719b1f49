"""`gpuinfra explain`, `schema` and `docs`."""

from __future__ import annotations

import pytest

from gpuinfra import reference
from gpuinfra.spec.schema import json_schema


@pytest.mark.parametrize("code", ["GI1001", "gi2001", "GI2170"])
def test_a_code(run, code):
    ran = run("explain", code)
    assert ran.status == 0
    assert ran.out.startswith(code.upper())


def test_every_code_can_be_explained(run):
    for code, entry in reference.all_codes().items():
        out = run("explain", code).out
        assert out.startswith(f"{code} {entry.slug}\n")
        assert "```" not in out


def test_every_field_can_be_explained(run):
    for field in reference.spec_fields():
        ran = run("explain", field.path.replace("[]", "[0]"))
        assert ran.status == 0
        assert field.description.split()[0] in ran.out
        assert field.on_change in ran.out


def test_a_field_by_its_end_names_every_one_that_ends_so(run):
    out = run("explain", "throughput_mbps_per_tib").out
    assert out.startswith("storage[].throughput_mbps_per_tib\n")
    assert "unit       MB/s per TiB" in out
    zones = run("explain", "zone").out
    assert "location.zone" in zones
    assert "storage[].zone" in zones


def test_an_instance_type_with_interfaces_and_prices(run):
    out = run("explain", "p5.48xlarge").out
    assert "fabric interfaces     32" in out
    assert "2, each of 32" in out
    assert "us-east-1" in out
    assert "55.04" in out
    assert "2026-07-20" in out


def test_a_type_without_gpus_and_without_a_price(run):
    out = run("explain", "c5n.18xlarge").out
    assert "vCPUs" in out
    assert "prices: unknown" in out


def test_a_gpu_and_a_family_of_gpus(run):
    assert "p5en.48xlarge (aws, 8)" in run("explain", "H200").out
    family = run("explain", "h100").out
    assert all(f"\n{model}\n" in f"\n{family}" for model in ("H100-SXM", "H100-PCIE", "H100-NVL"))


@pytest.mark.parametrize(
    ("subject", "near"),
    [("p5.49xlarge", "p5.48xlarge"), ("GI2000", "GI2001"), ("node_pool.name", "node_pools.name"), ("B20", "B200")],
)
def test_anything_else_names_the_nearest(run, subject, near):
    ran = run("explain", subject)
    assert (ran.status, ran.out) == (2, "")
    assert near in ran.err


@pytest.mark.parametrize("subject", ["", "\x1b[31m", "[", "(((", "a" * 5000, "*"])
def test_odd_subjects_are_unknown_and_no_fault(run, subject):
    assert run("explain", subject).status == 2


def test_schema(run):
    assert run("schema").data == json_schema()


def test_docs_are_written_and_then_agree(run, tmp_path):
    folder = tmp_path / "reference"
    assert run("docs", "--folder", folder).status == 0
    assert sorted(p.name for p in folder.iterdir()) == [
        "changes.md",
        "cli.md",
        "instances.md",
        "resources.md",
        "rules.md",
        "spec.md",
    ]
    assert run("docs", "--check", "--folder", folder).status == 0
    page = folder / "rules.md"
    page.write_text(page.read_text() + "by hand\n")
    ran = run("docs", "--check", "--folder", folder)
    assert ran.status == 1
    assert "rules.md differs from the code; run: gpuinfra docs" in ran.err
    assert "spec.md" not in ran.err


def test_docs_outside_a_checkout_write_nothing_and_say_what_is_missing(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for args in ((), ("--check",)):
        ran = run("docs", *args)
        assert (ran.status, ran.out) == (2, "")
        assert "no folder docs is here" in ran.err
        assert "differs" not in ran.err
    ran = run("docs", "--check", "--folder", "pages")
    assert ran.status == 2
    assert "no folder pages is here" in ran.err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "docs").mkdir()
    assert run("docs").status == 0
    assert (tmp_path / "docs" / "reference" / "spec.md").is_file()


def test_docs_that_cannot_be_written_are_one_line(run, tmp_path):
    (tmp_path / "file").write_text("")
    ran = run("docs", "--folder", tmp_path / "file" / "pages")
    assert ran.status == 2
    assert "cannot be written" in ran.err
    assert "internal error" not in ran.err


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("p3.2xlarge", "retired on a date that was not read: no longer deployed; take g6e.xlarge, or p5.4xlarge"),
        ("Standard_NC6s_v3", "retired on 2025-09-30: no longer deployed; take Standard_NC24ads_A100_v4"),
        ("p2.xlarge", "no longer deployed; take g6.xlarge"),
    ],
)
def test_a_retired_type_names_what_to_take(run, subject, words):
    ran = run("explain", subject)
    assert ran.status == 0
    assert words in ran.out
    assert "retired" not in run("explain", "p5.48xlarge").out


def test_a_gpu_that_is_attached_says_how_the_spec_names_it(run):
    spelled = "instance_type: n1-standard-8, accelerator: {model: T4, count: 2}"
    assert spelled in run("explain", "n1+nvidia-tesla-t4:2").out
    gpu = run("explain", "T4").out
    assert "attached to an N1 machine, by 1, 2, 4" in gpu
    assert "n1+" not in gpu


def test_a_gpu_is_not_sold_as_a_retired_type(run):
    out = run("explain", "V100-16GB-PCIE").out
    assert "sold as: no type in the tables" in out
    assert "retired: Standard_NC6s_v3" in out


@pytest.mark.parametrize(
    ("subject", "unit"), [("p5.48xlarge", "GB"), ("a3-megagpu-8g", "GiB"), ("Standard_ND96isr_H100_v5", "GiB")]
)
def test_local_nvme_has_the_unit_of_its_cloud(run, subject, unit):
    assert f"  local NVMe, {unit} " in run("explain", subject).out


def test_the_stars_of_a_cron_line_stay(run):
    out = run("explain", "GI2222").out
    assert out.count('"0 20 * * 1-5"') == 2
    assert "**" not in out
    assert out.splitlines()[2].startswith("error; warning where")


def test_a_code_is_explained_by_its_name_too(run):
    assert run("explain", "subnets-overlap").out == run("explain", "GI3111").out
    assert run("explain", "Subnets-Overlap").status == 0


def test_a_name_that_is_not_known_gets_the_nearest(run):
    ran = run("explain", "subnets-overlapp")
    assert ran.status == 2
    assert "did you mean subnets-overlap" in ran.err
