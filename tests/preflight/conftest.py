"""What the tests of preflight share: plans, and clouds that answer from a table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from gpuinfra.plan import resolve
from gpuinfra.plan.models import ClusterPlan
from gpuinfra.policy.examples import NOW, spec_of
from gpuinfra.preflight.https import Answer, RestApi


def plan_of(text: str) -> ClusterPlan:
    """The plan of a spec that is laid over the base spec of the rules' examples."""
    yaml.safe_load(text)
    plan = resolve(spec_of(text), NOW).plan
    assert plan is not None
    return plan


@dataclass
class FakeCloud:
    """A REST API that answers by the first pattern that a URL has: data, or (status, error)."""

    answers: dict[str, Any]
    asked: list[str] = field(default_factory=list[str])
    headers: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])

    def __call__(self, url: str, headers: Mapping[str, str]) -> Answer:
        self.asked.append(url)
        self.headers.append(headers)
        for pattern, answer in self.answers.items():
            if re.search(pattern, url):
                if isinstance(answer, Exception):
                    raise answer
                if callable(answer):
                    answer = answer({k: v[0] for k, v in parse_qs(urlsplit(url).query).items()})
                status, data = answer if isinstance(answer, tuple) else (200, answer)
                return Answer(status, data if isinstance(data, bytes) else json.dumps(data).encode())
        return Answer(404, json.dumps({"error": {"code": 404, "status": "NOT_FOUND"}}).encode())

    def api(self) -> RestApi:
        return RestApi(lambda: "secret-token", self, lambda seconds: None)


DENIED = (403, {"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "someone@example.com may not"}})


@pytest.fixture
def silent() -> Callable[[str], None]:
    return lambda what: None
