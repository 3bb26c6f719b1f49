"""What the workflow does with the news of a budget: its own steps are executed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuinfra.providers.gcp.on_limit import workflow_source

from .workflow_steps import Failed, HttpError, execute, message

GROUPS = [f"https://compute.googleapis.com/compute/v1/projects/p/zones/z/instanceGroupManagers/{n}" for n in "abc"]
SOURCE = json.dumps(workflow_source(GROUPS))


class Compute:
    """Answers requests: the codes of a group one after the other, then success."""

    def __init__(self, **codes: list[int]) -> None:
        self.asked: list[str] = []
        self._codes = codes

    def post(self, request: dict[str, Any]) -> None:
        assert request["auth"] == {"type": "OAuth2"}
        assert set(request) == {"url", "auth"}
        group = request["url"].removesuffix("/resize?size=0")
        assert group in GROUPS
        self.asked.append(group[-1])
        if codes := self._codes.get(group[-1]):
            raise HttpError(codes.pop(0))


@pytest.mark.parametrize(
    "news",
    [
        {"costAmount": 0.0, "budgetAmount": 100.0},
        {"costAmount": 99.99, "budgetAmount": 100.0, "alertThresholdExceeded": 0.9},
        # A level of the forecast is told before the money is spent.
        {"costAmount": 60.0, "budgetAmount": 100.0, "forecastThresholdExceeded": 1.0},
    ],
)
def test_below_the_budget_no_group_is_touched(news: dict[str, Any]) -> None:
    compute = Compute()
    assert execute(SOURCE, message(**news), compute.post) == "the budget is not spent"
    assert compute.asked == []


@pytest.mark.parametrize("cost", [100, 100.0, 100.01, 250])
def test_at_the_budget_every_group_goes_to_zero(cost: float) -> None:
    compute = Compute()
    news = message(costAmount=cost, budgetAmount=100.0, budgetAmountType="SPECIFIED_AMOUNT", currencyCode="USD")
    assert execute(SOURCE, news, compute.post) == GROUPS
    assert compute.asked == ["a", "b", "c"]


def test_a_group_that_fails_keeps_no_other_up_and_is_named() -> None:
    compute = Compute(a=[403], c=[404])
    with pytest.raises(Failed) as error:
        execute(SOURCE, message(costAmount=2, budgetAmount=1), compute.post)
    assert compute.asked == ["a", "b", "c"]
    assert str(error.value) == f"not scaled to zero - {json.dumps([GROUPS[0], GROUPS[2]])}"


def test_what_may_pass_is_tried_again() -> None:
    compute = Compute(b=[503, 429, 503])
    assert execute(SOURCE, message(costAmount=2, budgetAmount=1), compute.post) == GROUPS
    assert compute.asked == ["a", "b", "b", "b", "b", "c"]


def test_it_is_not_tried_for_ever() -> None:
    compute = Compute(b=[503] * 100)
    with pytest.raises(Failed):
        execute(SOURCE, message(costAmount=2, budgetAmount=1), compute.post)
    assert compute.asked.count("b") == 9


def test_the_groups_are_data_and_never_expressions() -> None:
    groups = ["${1 + 1}"]
    assert '"groups": ["${1 + 1}"]' in json.dumps(workflow_source(groups))
    assert json.dumps(workflow_source(GROUPS)) == SOURCE, "one rendering leaves no trace in the next"
    assert not [g for g in GROUPS if "${" in g]
