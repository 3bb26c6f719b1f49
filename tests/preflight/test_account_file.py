"""The file of an account's facts: what is written is what is read, and everything else is a finding."""

from __future__ import annotations

import json
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.policy.account_facts import FORMAT, PARTS, Absent, AccountFacts, Quota
from gpuinfra.policy.examples import NOW
from gpuinfra.preflight.account_file import masked, place_findings, read_account_file, write_account_file

from .conftest import plan_of

FACTS = {
    "format": FORMAT,
    "provider": "aws",
    "region": "us-east-1",
    "account": "123456789012",
    "as_of": "2026-11-30T08:00:00Z",
    "quotas": {"L-417A185B": {"limit": 384, "used": 0}},
    "reservations": {"cr-0aaa1111bbbb2222c": None},
    "unknown": {"offerings": "permission denied: ec2:DescribeInstanceTypeOfferings"},
}


def read(tmp_path: Path, text: str | bytes) -> AccountFacts | Diagnostic:
    path = tmp_path / "account.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_account_file(str(path))


def refused(tmp_path: Path, text: str | bytes) -> Diagnostic:
    found = read(tmp_path, text)
    assert isinstance(found, Diagnostic)
    assert found.is_error
    assert found.hint
    assert found.source is not None
    return found


def test_what_is_written_is_read(tmp_path: Path):
    facts = AccountFacts.model_validate(FACTS)
    path = tmp_path / "account.json"
    write_account_file(str(path), facts)
    assert read_account_file(str(path)) == facts
    assert json.loads(path.read_text())["format"] == FORMAT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["account.json"]


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path):
    (tmp_path / "account.json").mkdir()
    with pytest.raises(OSError):  # noqa: PT011
        write_account_file(str(tmp_path / "account.json"), AccountFacts.model_validate(FACTS))
    assert [p.name for p in tmp_path.iterdir()] == ["account.json"]


@pytest.mark.parametrize("keep", [0, 1, 40, 200, -3])
def test_a_file_that_is_cut_short_is_said_to_be(tmp_path: Path, keep: int):
    found = refused(tmp_path, json.dumps(FACTS, indent=2)[:keep])
    assert found.code == "GI4901"
    assert "cut short" in found.message or "not JSON" in found.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "names no format"),
        ("3", "names no format"),
        ('{"version": 3, "deployment": {}}', "names no format"),
        ('{"format": "gpuinfra/account-v2"}', "'gpuinfra/account-v2'"),
        ("api_version: gpuinfra/v1", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"format": ' + "9" * 5000 + "}", "not JSON"),
    ],
)
def test_another_form_is_said(tmp_path: Path, text: str, said: str):
    assert said in refused(tmp_path, text).message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"quotas": {"L-1": {"limit": "many"}}}, "quotas.L-1.limit: a number is wanted"),
        ({"quotas": {"L-1": {"limit": float("nan")}}}, "quotas.L-1.limit"),
        ({"quotas": {"L-1": {"limit": 1, "usage": 2}}}, "quotas.L-1.usage: there is no such key"),
        ({"as_of": "2026-11-30T08:00:00"}, "as_of: a moment with an offset is wanted"),
        ({"as_of": "0001-01-01T00:00:00Z"}, "as_of: a year from 2000"),
        ({"as_of": "9999-12-31T23:59:59Z"}, "as_of"),
        ({"provider": "oci"}, "provider: one of 'aws'"),
        ({"region": None}, "region: a text is wanted"),
        ({"offers": {}}, "offers"),
        ({"quotas": {"L-1": {"limit": -8}}}, "quotas.L-1.limit: a limit is 0 or more, or -1 for none"),
        ({"quotas": {"L-1": {"limit": 8, "used": -1}}}, "quotas.L-1.used: 0 or more is wanted"),
        ({"unknown": {"qoutas": "denied"}}, "unknown: 'qoutas' is no part of an account's facts; they are quotas,"),
        (
            {"reservations": {"cr-1": {"members": [{"total": 2, "free": 3}]}}},
            "reservations.cr-1.members.0.free: 3 machines are free, of 2 in all",
        ),
        (
            {
                "reservations": {
                    "cr-1": {"members": [{"starts": "2026-12-02T00:00:00Z", "ends": "2026-12-01T00:00:00Z"}]}
                }
            },
            "reservations.cr-1.members.0.ends: it ends before it starts",
        ),
    ],
)
def test_a_value_of_another_kind_is_named_by_its_place(tmp_path: Path, change: dict[str, Any], said: str):
    assert said in refused(tmp_path, json.dumps({**FACTS, **change})).message


def test_a_value_is_never_quoted(tmp_path: Path):
    secret = "ghp_" + "a" * 36
    found = refused(tmp_path, json.dumps({**FACTS, "quotas": {"L-1": {"limit": secret}}, secret: 1}))
    assert secret not in found.message + found.hint


def test_no_file_no_text_and_too_much(tmp_path: Path):
    missing = read_account_file(str(tmp_path / "none.json"))
    assert isinstance(missing, Diagnostic)
    assert missing.is_error
    assert "1 MiB" in refused(tmp_path, b" " * (2**20 + 1)).message
    assert "UTF-8" in refused(tmp_path, b"\xff\xfe{}").message


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*PARTS, "x", "limit", "members"]), inner),
    )
)
def test_nothing_in_a_file_raises(tmp_path_factory: pytest.TempPathFactory, value: Any):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps({**FACTS, **value} if isinstance(value, dict) else value))
    assert isinstance(read_account_file(str(path)), (AccountFacts, Diagnostic))


def found(change: dict[str, Any], spec: str = "{}", now: Any = NOW) -> list[tuple[str, str]]:
    facts = AccountFacts.model_validate({**FACTS, **change})
    return [(d.code, d.path) for d in place_findings(plan_of(spec), facts, "account.json", now)]


GOOGLE = """\
location: {provider: gcp, project: acme-lab, region: us-central1}
node_pools: [{instance_type: g2-standard-48}]
storage: []
"""
AZURE_NETWORK = """\
location: {provider: azure, region: eastus}
node_pools: [{instance_type: Standard_NC24ads_A100_v4}]
storage: []
network:
  existing:
    network: /subscriptions/AAAA/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v
    subnet: /subscriptions/AAAA/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/s
"""


def test_a_file_of_the_own_place_and_day_is_fine():
    assert found({}) == []
    assert found({"provider": "gcp", "region": "us-central1", "account": "acme-lab"}, GOOGLE) == []
    assert found({"provider": "azure", "region": "eastus", "account": "aaaa"}, AZURE_NETWORK) == []


@pytest.mark.parametrize(
    ("change", "spec", "path"),
    [
        ({"provider": "gcp"}, "{}", "location.provider"),
        ({"region": "us-west-2"}, "{}", "location.region"),
        ({"provider": "gcp", "region": "us-central1", "account": "other"}, GOOGLE, "location.project"),
        ({"provider": "azure", "region": "eastus", "account": "bbbb"}, AZURE_NETWORK, "network.existing.subnet"),
    ],
)
def test_a_file_of_another_place_is_an_error(change: dict[str, Any], spec: str, path: str):
    assert found(change, spec) == [("GI4902", path)]


@pytest.mark.parametrize(
    ("age", "codes"),
    [(timedelta(hours=24), []), (timedelta(hours=24, seconds=1), ["GI4903"]), (-timedelta(hours=1), ["GI4903"])],
)
def test_a_file_is_good_for_a_day(age: timedelta, codes: list[str]):
    at = (NOW - age).isoformat()
    assert [code for code, _ in found({"as_of": at})] == codes


def test_a_number_is_masked_and_a_name_is_not():
    assert masked("123456789012") == "…9012"
    assert masked("00000000-1111-2222-3333-444444445555") == "…5555"
    assert masked("acme-lab") == "acme-lab"


def test_an_entry_is_a_row_or_nothing_or_absent_with_its_reason():
    facts = AccountFacts.model_validate({**FACTS, "unknown": {**FACTS["unknown"], "quotas/L-X": "throttled"}})  # type: ignore[dict-item]
    assert facts.entry("quotas", "L-417A185B") == Quota(limit=384, used=0)
    assert facts.entry("quotas", "l 417a185b") == Quota(limit=384, used=0)
    assert facts.entry("reservations", "cr-0aaa1111bbbb2222c") is None
    assert facts.entry("quotas", "L-X") == Absent("throttled")
    assert facts.entry("offerings", "p5.48xlarge") == Absent("permission denied: ec2:DescribeInstanceTypeOfferings")
    assert "say nothing of" in facts.entry("quotas", "L-Y").reason
    assert "hold no subnets" in facts.entry("subnets", "subnet-1").reason


def test_a_quota_without_a_limit_is_read(tmp_path: Path):
    found = read(tmp_path, json.dumps({**FACTS, "quotas": {"cores": {"limit": -1}}}))
    assert isinstance(found, AccountFacts)


@pytest.mark.parametrize(
    ("hours", "ago"), [(25, "25 hours ago"), (71, "71 hours ago"), (72, "3 days ago"), (9600, "400 days ago")]
)
def test_how_old_a_file_is_is_said(hours: int, ago: str):
    facts = AccountFacts.model_validate({**FACTS, "as_of": NOW - timedelta(hours=hours)})
    (found,) = place_findings(plan_of(""), facts, "account.json", NOW)
    assert (found.code, found.message.endswith(ago)) == ("GI4903", True)
