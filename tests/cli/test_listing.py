"""`gpuinfra instances`, `gpus`, `prices`, `images` and `regions`."""

from __future__ import annotations

import csv
import io
import json

import pytest

from gpuinfra.cli import filters, listing, rows
from gpuinfra.cli.listing import Column

LISTS = ("instances", "gpus", "prices", "images", "regions")


@pytest.mark.parametrize("command", LISTS)
def test_three_forms_of_one_table(run, command):
    data = run(command, "--format", "json").data
    assert data
    read = list(csv.DictReader(io.StringIO(run(command, "--format", "csv").out)))
    assert len(read) == len(data)
    assert list(read[0]) == list(data[0])
    assert run(command).status == 0


@pytest.mark.parametrize(
    ("command", "columns"),
    [
        (
            "instances",
            {"provider", "instance_type", "gpu_model", "gpu_count", "vcpus", "arch", "fabric", "source", "as_of"},
        ),
        ("gpus", {"gpu_model", "vendor", "compute_capability", "memory_gib", "mig_profiles", "source", "as_of"}),
        (
            "prices",
            {"provider", "region", "instance_type", "on_demand_usd_hour", "spot_usd_hour", "zones", "as_of", "source"},
        ),
        ("images", {"image", "framework", "cuda_version", "arches", "source", "as_of"}),
        ("regions", {"provider", "region", "instance_type", "zones", "as_of", "source"}),
    ],
)
def test_json_has_the_columns_of_the_catalog(run, command, columns):
    assert all(columns <= set(row) for row in run(command, "--format", "json").data)


def test_values_are_numbers_flags_lists_and_null(run):
    row = next(r for r in run("instances", "--format", "json").data if r["instance_type"] == "p5.48xlarge")
    assert (row["gpu_count"], row["nvlink"], row["fabric_gbps"]) == (8, True, None)
    assert "us-east-2" in row["regions"]


def test_a_family_keeps_each_of_its_forms_and_a_model_only_itself(run):
    family = {r["gpu_model"] for r in run("instances", "--gpu", "h100", "--format", "json").data}
    assert family == {"H100-SXM", "H100-PCIE", "H100-NVL"}
    exact = {r["gpu_model"] for r in run("instances", "--gpu", "A100-80GB", "--format", "json").data}
    assert exact == {"A100-80GB"}


def test_filters_of_instances_all_hold(run):
    args = (
        "--provider",
        "aws",
        "--count",
        "8",
        "--max-price",
        "60",
        "--min-memory",
        "80",
        "--fabric",
        "efa",
        "--arch",
        "x86_64",
    )
    data = run("instances", *args, "--format", "json").data
    assert "p5.48xlarge" in {r["instance_type"] for r in data}
    for row in data:
        assert (row["provider"], row["gpu_count"], row["fabric"], row["arch"]) == ("aws", 8, "efa", "x86_64")
        assert row["on_demand_usd_hour"] <= 60
        assert row["gpu_memory_gib"] >= 79


def test_region_gives_the_price_there(run):
    data = run("instances", "--provider", "aws", "--gpu", "H100", "--region", "eu-north-1", "--format", "json").data
    row = next(r for r in data if r["instance_type"] == "p5.48xlarge")
    assert (row["region"], round(row["on_demand_usd_hour"], 2)) == ("eu-north-1", 58.89)
    assert row["price_as_of"]


def test_prices_are_sorted_and_dated(run):
    data = run("prices", "--type", "p5.48xlarge", "--format", "json").data
    known = [r["on_demand_usd_hour"] for r in data if r["on_demand_usd_hour"] is not None]
    assert known == sorted(known)
    assert all(r["as_of"] for r in data)
    text = run("prices", "--type", "p5.48xlarge", "--region", "us-east-1").out
    assert "55.04  2026-07-20" in text


def test_a_weak_spot_price_is_unknown_and_named_weak(run):
    data = run("prices", "--type", "p5.48xlarge", "--region", "ca-central-1", "--format", "json").data
    assert [(r["spot_usd_hour"], r["weak"]) for r in data] == [(None, ["spot_usd_hour"])]
    ran = run("prices", "--type", "p5.48xlarge", "--spot", "--format", "json")
    assert "ca-central-1" not in {r["region"] for r in ran.data}


def test_an_estimate_is_marked_in_each_form(run):
    data = run("prices", "--format", "json").data
    row = next(r for r in data if r["estimate"])
    assert row["estimate_method"]
    text = run("prices", "--type", row["instance_type"], "--region", row["region"]).out
    assert "~" in text


def test_an_estimate_never_stands_beside_the_price_that_was_read(run):
    seen = [
        (r["provider"], r["region"], r["instance_type"]) for r in rows.prices() if r["on_demand_usd_hour"] is not None
    ]
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("instances", "--gpu", "H10"), "did you mean H100"),
        (("instances", "--provider", "asw"), "did you mean aws"),
        (("prices", "--region", "us-east-9"), "us-east-1"),
        (("prices", "--type", "p5.49xlarge"), "p5.48xlarge"),
        (("regions", "--gpu", "B20"), "B200"),
        (("images", "--framework", "pytorh"), "pytorch"),
        (("gpus", "--arch", "Hoper"), "Hopper"),
    ],
)
def test_a_value_that_occurs_nowhere_names_the_nearest(run, args, words):
    ran = run(*args)
    assert (ran.status, ran.out) == (2, "")
    assert args[2] in ran.err
    assert words in ran.err


def test_an_empty_result_names_the_nearest_value_of_a_filter(run):
    ran = run("instances", "--provider", "aws", "--gpu", "H100", "--count", "4")
    assert (ran.status, ran.out) == (0, "")
    assert "--count" in ran.err
    cheap = run("instances", "--provider", "aws", "--count", "8", "--gpu", "H100", "--max-price", "5")
    assert "--max-price 55.04" in cheap.err
    assert run("instances", "--provider", "aws", "--gpu", "H100", "--count", "4", "--format", "json").data == []


def test_an_empty_csv_keeps_its_header(run):
    out = run("prices", "--type", "p5.48xlarge", "--max-price", "1", "--format", "csv").out
    assert out.startswith("provider,region,instance_type")
    assert out.count("\n") == 1


def test_regions_give_zone_ids_and_a_line_a_region_without_filters(run):
    data = run("regions", "--type", "p5.48xlarge", "--region", "us-east-2", "--format", "json").data
    assert data[0]["zones"]
    assert all(zone.startswith("use2-az") for zone in data[0]["zones"])
    text = run("regions", "--provider", "aws").out
    assert len([x for x in text.splitlines() if " us-east-2 " in x]) == 1


def test_images_of_nodes_and_containers(run):
    containers = run("images", "--cuda", "12.8", "--arch", "x86_64", "--format", "json").data
    assert containers
    assert all(r["cuda_version"] == "12.8" or r["cuda_version"].startswith("12.8.") for r in containers)
    nodes = run("images", "--provider", "gcp", "--format", "json").data
    assert nodes
    assert {r["provider"] for r in nodes} == {"gcp"}
    assert run("images", "--kind", "container", "--provider", "aws").status == 2


def test_unknown_is_a_question_mark_and_never_zero():
    assert listing.text("x")({"x": None}) == "?"
    assert listing.text("x")({"x": 0}) == "0"
    assert listing.money("on_demand_usd_hour")({"on_demand_usd_hour": None}) == "?"
    assert listing.money("on_demand_usd_hour")({"on_demand_usd_hour": 0.5, "estimate": True}) == "~0.5000"


TABLE = [{"a": "alpha", "n": 1.0}, {"a": "beta", "n": 5.0}, {"a": None, "n": None}]


def test_unknown_is_kept_by_no_filter():
    assert filters.apply(TABLE, filters.at_least("--n", 0, "n")) == TABLE[:2]
    assert filters.apply(TABLE, filters.at_most("--n", 9, "n")) == TABLE[:2]


def test_the_nearest_number_is_the_one_least_away():
    wanted = filters.exactly("--n", 4, "n")
    assert filters.apply(TABLE, wanted) == []
    assert "--n 5" in filters.why_empty(TABLE, wanted)


def test_columns_of_the_lowest_rank_go_first_where_it_is_narrow(monkeypatch):
    columns = (
        Column("a", listing.text("a")),
        Column("wide", lambda _: "x" * 60, rank=2),
        Column("less", lambda _: "y" * 30, rank=1),
    )
    monkeypatch.setattr("gpuinfra.cli.console.terminal_width", lambda _: 80)
    text = listing.table_text(columns, TABLE)
    assert "x" * 60 in text
    assert "y" * 30 not in text
    assert "too narrow for: less" in text
    monkeypatch.setattr("gpuinfra.cli.console.terminal_width", lambda _: None)
    assert "y" * 30 in listing.table_text(columns, TABLE)


def test_json_of_every_table_is_json():
    for table in (
        rows.instances,
        rows.cpu_instances,
        rows.gpus,
        rows.container_images,
        rows.node_images,
        rows.availability,
    ):
        json.dumps(table(), allow_nan=False)


@pytest.mark.parametrize(
    "args",
    [
        ("instances", "--provider", "amazon"),
        ("instances", "--gpu", "H1000"),
        ("instances", "--fabric", "foo"),
        ("instances", "--arch", "mips"),
        ("regions", "--region", "nowhere"),
        ("regions", "--provider", "amazon"),
        ("images", "--cuda", "abc"),
        ("images", "--name", "zzzz"),
        ("gpus", "--vendor", "foo"),
    ],
)
def test_a_value_without_a_near_one_is_wrong_usage_with_the_known_ones(run, args):
    ran = run(*args)
    assert (ran.status, ran.out) == (2, "")
    assert "known: " in ran.err or "did you mean" in ran.err
    assert len(ran.err) < 400


@pytest.mark.parametrize(
    "args",
    [
        *((c, "--count", n) for c in ("instances", "prices", "regions") for n in ("-1", "0", "1.5", "x")),
        *((c, "--max-price", n) for c in ("instances", "prices") for n in ("-1", "nan", "inf", "-inf", "x")),
        *((c, "--min-memory", n) for c in ("instances", "gpus") for n in ("-1", "nan", "inf")),
        ("instances", "--min-vcpus", "-1"),
    ],
)
def test_a_number_that_is_no_amount_is_wrong_usage(run, args):
    ran = run(*args)
    assert (ran.status, ran.out) == (2, "")
    assert args[1] in ran.err
    assert args[2] in ran.err


@pytest.mark.parametrize("command", ["instances", "images"])
@pytest.mark.parametrize(
    ("spelled", "arch"),
    [("amd64", "x86_64"), ("x86-64", "x86_64"), ("AMD64", "x86_64"), ("aarch64", "arm64"), ("arm64", "arm64")],
)
def test_spellings_of_a_cpu_architecture(run, command, spelled, arch):
    found = run(command, "--arch", spelled, "--format", "json")
    assert found.status == 0
    assert found.data == run(command, "--arch", arch, "--format", "json").data
    assert found.data
    nodes = run("images", "--provider", "aws", "--arch", spelled, "--format", "json").data
    assert {row["arch"] for row in nodes} == {arch}


def test_images_are_named_by_the_reference_that_pulls_them(run):
    from gpuinfra.plan.containers import CATALOG, container_plan

    data = run("images", "--format", "json").data
    assert [row["image"] for row in data if "/" not in row["image"]] == []
    assert all(container_plan(row["image"]).known == CATALOG for row in data)
    reference = next(row["image"] for row in data if row["registry"].startswith("aws-dlc"))
    assert reference.startswith("public.ecr.aws/deep-learning-containers/")
    assert f"{reference} " in run("images").out
    assert f"{reference}," in run("images", "--format", "csv").out
    kept = run("images", "--name", "public.ecr.aws", "--format", "json").data
    assert all(row["image"].startswith("public.ecr.aws/") for row in kept)


@pytest.mark.parametrize("command", ["instances", "prices", "regions"])
def test_retired_types_are_marked_in_each_form(run, command):
    data = run(command, "--provider", "azure", "--format", "json").data
    gone = next(row for row in data if row["instance_type"] == "Standard_NC6s_v3")
    assert (gone["retired"], gone["retired_on"]) == (True, "2025-09-30")
    assert gone["take_instead"] == "Standard_NC24ads_A100_v4"
    stays = next(row for row in data if row["instance_type"] == "Standard_ND96isr_H100_v5")
    assert (stays["retired"], stays["retired_on"], stays["take_instead"]) == (False, None, None)
    out = run(command, "--provider", "azure", "--gpu", "V100").out
    lines = out.splitlines()
    assert lines[0].endswith("  retired")
    assert all(line.endswith("  2025-09-30") for line in lines if " Standard_NC6s_v3 " in line)
    assert "retired" not in run(command, "--provider", "aws", "--gpu", "H100").out.splitlines()[0]


def test_a_type_whose_retirement_has_no_date_is_marked_too(run):
    row = next(r for r in run("instances", "--format", "json").data if r["instance_type"] == "p3.2xlarge")
    assert (row["retired"], row["retired_on"]) == (True, None)
    line = next(x for x in run("instances", "--provider", "aws").out.splitlines() if " p3.2xlarge " in x)
    assert line.endswith("  yes")


def test_every_retired_type_of_the_plan_is_retired_here():
    from gpuinfra import catalog
    from gpuinfra.vocabulary import Provider

    for provider in Provider:
        for row in (*rows.instances(), *rows.cpu_instances()):
            if row["provider"] == provider:
                known = catalog.retired(provider, row["instance_type"])
                assert row["retired"] == (known is not None)
                assert (row["take_instead"] or "") == (known.instead if known else "")


def test_a_region_is_not_said_to_offer_what_is_retired(run):
    assert "V100-16GB-PCIE" not in run("regions", "--provider", "azure").out
    gpu = next(r for r in run("gpus", "--format", "json").data if r["gpu_model"] == "V100-16GB-PCIE")
    assert gpu["providers"] == []


def test_gpus_that_are_attached_are_no_instance_types(run):
    for form in ("json", "csv"):
        ran = run("instances", "--format", form)
        assert "n1+" not in ran.out
        assert "accelerator:nvidia" not in ran.out
        assert "write instance_type: n1-standard-8, accelerator: {model: " in ran.err
    text = run("instances", "--provider", "gcp", "--gpu", "T4").out
    assert "n1+" not in text
    assert "instance_type: n1-standard-8, accelerator: {model: T4, count: 1}" in text
    assert [x.split()[2] for x in text.splitlines() if x.startswith("gcp  ")] == ["1", "2", "4"]
    assert "nothing matches" not in run("instances", "--provider", "gcp", "--gpu", "T4").err
    assert "attached" not in run("instances", "--gpu", "H100").out
    assert "n1+" in {k[:3] for k in (r["instance_type"] for r in rows.instances())}


def test_attached_gpus_have_the_price_of_the_region(run):
    priced = run("prices", "--type", "accelerator:nvidia-tesla-t4", "--format", "json").data
    dearest = max(priced, key=lambda r: r["on_demand_usd_hour"])
    text = run("instances", "--provider", "gcp", "--gpu", "T4", "--region", dearest["region"], "--count", "4").out
    line = next(x for x in text.splitlines() if x.startswith("gcp "))
    assert listing.usd(dearest["on_demand_usd_hour"]) in line
    assert f" {dearest['region']} " in line


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("accelerator:nvidia-tesla-t4", "nvidia-tesla-t4"),
        ("n1+nvidia-tesla-p100:4", "nvidia-tesla-p100"),
        ("n1-standard-8", ""),
        ("gpu:L4", ""),
        ("GPU+", ""),
        ("p5.48xlarge", ""),
    ],
)
def test_what_is_attached_to_a_machine(name, kind):
    assert rows.attached_kind(name) == kind
