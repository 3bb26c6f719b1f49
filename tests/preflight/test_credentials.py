"""Credentials of Google Cloud and Azure, by stand-ins for their libraries: one line for a person, no page of a log."""

from __future__ import annotations

import logging
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gpuinfra.policy.examples import NOW
from gpuinfra.preflight import azure, gcp
from gpuinfra.preflight.gathering import ReadingError, RefusedError

from .conftest import FakeCloud, plan_of


class Credentials:
    """Good for one token; `fails` says at which question it stops."""

    def __init__(self, fails: int = 99) -> None:
        self.left, self.valid, self.token = fails, False, ""

    def refresh(self, request: object) -> None:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("user@example.com must sign in")
        self.token, self.valid = f"token{self.left}", False

    def get_token(self, scope: str) -> Any:
        assert scope == "https://management.azure.com/.default"
        self.refresh(None)
        return SimpleNamespace(token=self.token)


def installed(monkeypatch: pytest.MonkeyPatch, made: Credentials) -> None:
    def module(name: str, **attributes: Any) -> None:
        found = ModuleType(name)
        vars(found).update(attributes)
        monkeypatch.setitem(sys.modules, name, found)

    def default(scopes: list[str]) -> tuple[Credentials, str]:
        assert scopes == ["https://www.googleapis.com/auth/cloud-platform.read-only"]
        return made, "some-project"

    def azure_default(**options: Any) -> Credentials:
        logging.getLogger("azure.identity").warning("ten lines of what was tried")
        return made

    for name in ("google", "google.auth.transport", "azure"):
        module(name)
    module("google.auth", default=default)
    module("google.auth.transport.requests", Request=lambda: None)
    module("azure.identity", DefaultAzureCredential=azure_default)


SOURCES = [gcp.token_source, azure.token_source]


@pytest.mark.parametrize("source", SOURCES)
def test_a_token_is_got_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, source: Any):
    installed(monkeypatch, Credentials())
    token = source()
    assert token().startswith("token")


@pytest.mark.parametrize("source", SOURCES)
def test_no_credentials_are_one_line(monkeypatch: pytest.MonkeyPatch, capfd: Any, source: Any):
    installed(monkeypatch, Credentials(fails=0))
    with pytest.raises(ReadingError) as e:
        source()
    assert "credentials can be used (RuntimeError)" in str(e.value)
    assert "--account FILE" in str(e.value)
    assert "example.com" not in str(e.value)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("source", SOURCES)
def test_credentials_that_end_on_the_way_end_the_reading(monkeypatch: pytest.MonkeyPatch, source: Any):
    installed(monkeypatch, Credentials(fails=1))
    token = source()
    with pytest.raises(RefusedError, match="cannot be renewed") as e:
        token()
    assert e.value.fatal


GOOGLE = """\
location: {provider: gcp, project: acme-lab, region: us-central1}
node_pools: [{instance_type: g2-standard-48}]
storage: []
"""
AZURE = """\
location: {provider: azure, region: eastus}
node_pools: [{instance_type: Standard_NC24ads_A100_v4}]
storage: []
"""
ODD: list[Any] = [{}, {"value": 3, "quotas": 3, "items": 3}, {"value": [3], "quotas": [3], "items": {"a": 3}}, (200, b"\x00"), (500, b""),
                  ValueError("odd"), OSError("no route"), TimeoutError()]  # fmt: skip


@pytest.mark.parametrize("answer", ODD, ids=repr)
@pytest.mark.parametrize(("room", "spec"), [(gcp, GOOGLE), (azure, AZURE)])
def test_whatever_a_cloud_answers_is_read_or_unknown(room: Any, spec: str, answer: Any):
    plan = plan_of(spec)
    facts = room.read(plan, NOW, {"AZURE_SUBSCRIPTION_ID": "s"}, lambda what: None, FakeCloud({"": answer}).api())
    assert facts.unknown or answer == {}  # a flag that is off is left out of an answer
    assert all(facts.unknown.values())


@pytest.mark.parametrize("answer", [a for a in ODD if a != {}], ids=repr)
def test_subscriptions_that_cannot_be_listed_are_one_line(answer: Any):
    with pytest.raises(ReadingError, match="set AZURE_SUBSCRIPTION_ID"):
        azure.read(plan_of(AZURE), NOW, {}, lambda what: None, FakeCloud({"": answer}).api())
