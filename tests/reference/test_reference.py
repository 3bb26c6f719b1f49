"""The generated reference: everything is in it, and it says nothing of its own."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Literal

import pytest

from gpuinfra import catalog, reference
from gpuinfra.cli.app import COMMANDS, root
from gpuinfra.diagnostics import Code, Severity
from gpuinfra.policy.registry import all_rules
from gpuinfra.reference.codes import MODULES, DuplicateCodeError, _sections
from gpuinfra.reference.fields import type_words
from gpuinfra.reference.on_change import ON_CHANGE, change_of, on_change
from gpuinfra.spec.schema import json_schema

GOLDENS = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference.pages(root, GOLDENS)


def test_pages_are_the_same_at_every_run(pages):
    assert reference.pages(root, GOLDENS) == pages


def test_without_a_checkout_there_is_no_page_of_goldens(pages):
    assert set(pages) - set(reference.pages(root)) == {"resources.md", "changes.md"}


def test_every_code_has_an_anchor_that_the_findings_name(pages):
    for code in reference.all_codes():
        assert f'<a id="{code.lower()}"></a>\n### {code} ' in pages["rules.md"]


def test_every_module_of_codes_exists_and_codes_are_well_formed():
    codes = reference.all_codes()
    from importlib import import_module

    for module in MODULES:
        for code in import_module(module).CODES:
            assert codes[code.code] == code
    for name, code in codes.items():
        assert re.fullmatch(r"GI[1234]\d{3}", name)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.slug), code.slug
        assert code.summary


@pytest.mark.parametrize("start", ["GI1", "GI2", "GI3"])
def test_slugs_are_unique_in_each_kind(start):
    slugs = [code.slug for name, code in reference.all_codes().items() if name.startswith(start)]
    assert sorted({s for s in slugs if slugs.count(s) > 1}) == []


def test_two_entries_with_one_code_are_refused():
    with pytest.raises(DuplicateCodeError, match="GI2001"):
        reference.all_codes([Code("GI2001", "another", Severity.ERROR, "Another.")])


def test_rules_show_what_why_fix_and_examples(pages):
    for rule in all_rules():
        entry = pages["rules.md"].split(f"### {rule.code.code} ")[1].split('<a id="gi')[0]
        assert "**Why.**" in entry, rule.code.code
        assert "**Fix.**" in entry, rule.code.code
        for examples in (rule.examples.bad, rule.examples.good, rule.examples.unknown):
            assert all(example.strip("\n") in entry for example in examples[:1]), rule.code.code


def test_sections_of_a_docstring():
    doc = "What\n----\nOne thing.\n\nAnd more.\n\nWhy: because\nof it.\n\nReferences:\n- a\n"
    assert _sections(doc) == {"What": "One thing.\n\nAnd more.", "Why": "because\nof it.", "References": "- a"}


def test_every_field_of_the_schema_is_in_the_page(pages):
    schema = json_schema()
    names = set(schema["properties"])
    for definition in schema.get("$defs", {}).values():
        names |= set(definition.get("properties", {}))
    shown = {field.path.rpartition(".")[2] for field in reference.spec_fields()}
    assert names == shown
    for field in reference.spec_fields():
        assert f"**`{field.path}`**" in pages["spec.md"]
        assert field.description, field.path


def test_anchors_are_unique(pages):
    for name, page in pages.items():
        anchors = re.findall(r'<a id="([^"]+)">', page)
        assert len(anchors) == len(set(anchors)), name


def test_every_field_says_what_a_change_does_and_no_entry_is_stale():
    paths = {field.path for field in reference.spec_fields()}
    assert set(ON_CHANGE) <= paths
    for path in paths:
        assert on_change(path)[0].isupper(), path
    assert change_of("node_pools[].accelerator.model") is ON_CHANGE["node_pools[].accelerator"]
    with pytest.raises(KeyError):
        on_change("nothing.like_it")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("workload", "Changes no resource."),
        ("node_pools[].name", "Replaces the pool's nodes."),
        (
            "node_pools[].instance_type",
            "For new nodes; running ones keep what they have. On Microsoft Azure: replaces the pool's nodes.",
        ),
        ("storage[].zone", "Replaces the store, whose data would be lost: it is protected, and `up` is refused."),
        (
            "location.region",
            "Replaces the network, the nodes and the store, whose data would be lost: it is protected, and `up` is refused.",
        ),
    ],
)
def test_what_a_change_does_in_words(path: str, words: str):
    assert on_change(path) == words


def test_fields_of_one_cloud_name_it():
    clouds = {(f.path, f.where) for f in reference.spec_fields() if f.path.startswith("location.")}
    assert ("location.project", "gcp") in clouds
    assert {where for path, where in clouds if path == "location.region"} == {"aws", "gcp", "azure"}
    assert not [f for f in reference.spec_fields() if f.where and not f.path.startswith("location.")]


class Word(StrEnum):
    A = "a"
    B = "b"


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (str, "text"),
        (int | None, "whole number"),
        (tuple[str, ...], "list of text"),
        (dict[str, str], "mapping of text to text"),
        (Word, "`a` \\| `b`"),
        (Literal["x"], "`x`"),
        (str | tuple[str, ...] | None, "text or list of text"),
    ],
)
def test_types_in_words(annotation, words):
    assert type_words(annotation) == words


def test_every_instance_type_is_in_the_page_with_dated_prices(pages):
    page = pages["instances.md"]
    for machine in catalog.instance_types():
        attached = machine.name.startswith(("accelerator:", "n1+"))
        assert (f"| `{machine.name}` " in page) is not attached, machine.name
    row = next(x for x in page.splitlines() if x.startswith("| `p5.48xlarge` "))
    assert "55.04 to " in row
    assert "2025-10 to 2026-07-20" in row


def test_retired_types_stand_apart_with_what_to_take(pages):
    sold, gone = pages["instances.md"].split("## Microsoft Azure\n")[1].split("### Microsoft Azure: retired")
    assert "Standard_NC6s_v3`" not in sold
    row = next(x for x in gone.splitlines() if "`Standard_NC6s_v3`" in x)
    assert [c.strip() for c in row.split("|")[4:6]] == ["2025-09-30", "Standard_NC24ads_A100_v4"]


def test_gpus_that_are_attached_have_a_table_with_the_spelling_of_the_spec(pages):
    part = pages["instances.md"].split("GPUs that are attached\n")[1].split("\n## ")[0]
    assert "`instance_type: n1-standard-8` with `accelerator: {model: T4, count: 1}`" in part
    for row in catalog.attached_accelerators():
        assert re.search(rf"^\| {row.gpu_model} +\| +{row.gpu_count} \|", part, re.MULTILINE)


def test_tables_of_types_are_even_and_sorted(pages):
    page = pages["instances.md"]
    for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        assert len({len(line) for line in table.splitlines()}) == 1
        assert len({line.count("|") for line in table.splitlines()}) == 1
    assert page.index("`g6.xlarge`") < page.index("`g6.48xlarge`") < page.index("`p5.48xlarge`")
    assert "22.352" not in page


def test_every_page_says_below_its_title_what_makes_it(pages):
    for page in pages.values():
        title, empty, line, after = page.split("\n")[:4]
        assert title.startswith("# ")
        assert (empty, after) == ("", "")
        assert line.startswith("This page is generated from the code by `gpuinfra docs`")


def test_the_command_line_page_holds_every_command(pages):
    for name in COMMANDS:
        assert f"## gpuinfra {name}\n" in pages["cli.md"]
    assert "--max-price" in pages["cli.md"]


def test_the_command_line_page_holds_the_commands_below_a_command(pages):
    for name in ("show", "advance", "reclaim", "exhaust", "drift", "env"):
        assert f"## gpuinfra simulate {name}\n\n```text\nUsage: gpuinfra simulate {name} [OPTIONS]" in pages["cli.md"]
    for name in ("status", "install"):
        assert f"## gpuinfra engine {name}\n\n```text\nUsage: gpuinfra engine {name} [OPTIONS]" in pages["cli.md"]


def test_what_becomes_of_protected_resources_is_asked_of_destroy_alone(pages):
    parts = {part.partition("\n")[0]: part for part in pages["cli.md"].split("\n## ")}
    with_them = {name for name, part in parts.items() if "--unprotect" in part or "--keep-data" in part}
    assert with_them == {"gpuinfra destroy"}


def test_pages_hold_no_path_of_this_machine(pages):
    for page in pages.values():
        assert "/work/" not in page
        assert "/tmp/" not in page
        assert "/root" not in page
