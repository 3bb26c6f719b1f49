"""How a pack is configured, and what is said of a configuration that cannot be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gpuinfra.pack.rules import configurable
from gpuinfra.pack.settings import SettingsError, checked_names, own_settings, read_options, settings_schema
from gpuinfra.policy.registry import resource_rules

CODES = configurable(resource_rules())


def own(folder: Path, text: str) -> dict[str, Any]:
    (folder / "policy-config.json").write_text(text, encoding="utf-8")
    return own_settings(folder, CODES)


def test_no_file_configures_nothing(tmp_path: Path) -> None:
    assert own_settings(tmp_path, CODES) == {}


def test_a_level_alone_and_with_options(tmp_path: Path) -> None:
    found = own(
        tmp_path, '{"$schema": "x.json", "all": "advisory", "GI3059": {"enforcementLevel": "mandatory", "waivers": []}}'
    )
    assert found == {
        "all": {"enforcementLevel": "advisory"},
        "GI3059": {"enforcementLevel": "mandatory", "waivers": []},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "has to be an object by policy"),
        ('{"GI9999": "disabled"}', "'GI9999' is none of its policies"),
        ('{"gi3059": "disabled"}', "did you mean GI3059"),
        ('{"GI3059": "off"}', "GI3059: 'off' is no enforcement level; write advisory, mandatory, disabled"),
        ('{"GI3059": null}', "GI3059: None is no enforcement level"),
        ('{"GI3059": {"enforcementLevel": 3}}', "3 is no enforcement level"),
        ('{"GI3047": {"endDemandedAboveUsdPerHour": -1}}', "a number of USD above 0 is wanted, and not -1"),
        ('{"GI3047": {"endDemandedAboveUsdPerHours": 5}}', "did you mean endDemandedAboveUsdPerHour"),
        (
            '{"GI3059": {"endDemandedAboveUsdPerHour": 5}}',
            "the policies that take it are GI3047, GI3130, GI3275, GI3402",
        ),
        ('{"GI3059": {"waiver": []}}', "'waiver' is no option of GI3059; did you mean waivers"),
        ('{"GI3059": {"waivers": 3}}', "a list is wanted"),
        ('{"GI3059": {"waivers": ["x"]}}', "an object with reason and expires is wanted"),
        ('{"GI3059": {"waivers": [{"reason": "x", "expires": "soon"}]}}', "waivers of GI3059: expires"),
        ('{"all": {"enforcementLevel": "advisory", "waivers": []}}', "'waivers' is no option of all"),
        ("\ud83d", "cannot be read as JSON"),
    ],
)
def test_a_file_that_cannot_be_meant(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "policy-config.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SettingsError) as e:
        own_settings(tmp_path, CODES)
    assert says in str(e.value)
    assert "policy-config.json" in str(e.value) or "policy pack" in str(e.value)


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "policy-config.json").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        own_settings(tmp_path, CODES)


def test_all_is_no_rule_and_is_known() -> None:
    checked_names(["all", "GI3059"], CODES)


def test_a_waiver() -> None:
    (found,) = read_options(
        "GI3059", {"waivers": [{"urn": "urn:x", "reason": "known", "expires": "2027-01-31"}]}, CODES
    ).waivers
    assert (found.code, found.urn, found.expires.isoformat()) == ("GI3059", "urn:x", "2027-01-31")


@pytest.mark.parametrize(
    "given", [{"expires": "2027-01-31"}, {"reason": "", "expires": "2027-01-31"}, {"reason": "x", "expires": "soon"}]
)
def test_a_waiver_without_a_reason_or_an_end(given: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=r"waivers of GI3059: (reason|expires)"):
        read_options("GI3059", {"waivers": [given]}, CODES)


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"all": "advisory"}, True),
        ({"GI3059": "disabled", "undecided": "advisory"}, True),
        ({"GI3059": {"waivers": [{"reason": "x", "expires": "2027-01-31"}]}}, True),
        ({"GI3059": {"waivers": [{"expires": "2027-01-31"}]}}, False),
        ({"GI3059": "off"}, False),
        ({"GI9999": "disabled"}, False),
    ],
)
def test_the_schema_for_editors(given: dict[str, Any], fits: bool) -> None:
    schema = json.loads(json.dumps(settings_schema((c, c, ending) for c, ending in CODES.items())))
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(given) is fits
