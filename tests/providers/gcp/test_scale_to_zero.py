"""What the workflow does with the news of a budget: its own steps are executed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuinfra.providers.gcp.stop_workflow import workflow_source

from .parts import planned, pool
from .workflow_steps import Failed, HttpError, execute, message

FLEX = {"type": "flex_start", "duration": "24h"}
PLAN = planned("t", node_pools=[pool(name="a"), pool(name="b", capacity=FLEX), pool(name="c")])
WHERE = "https://compute.googleapis.com/compute/v1/projects/acme-lab/zones/us-central1-a/instanceGroupManagers/"
GROUPS = [f"{WHERE}t-{name}" for name in "abc"]
SOURCE = json.dumps(workflow_source(PLAN, PLAN.pools))
SPENT = message(costAmount=2, budgetAmount=1)


class Compute:
    """Answers requests. `failing`: the codes that an address answers one after the other, before it succeeds."""

    def __init__(self, failing: dict[str, list[int]] | None = None, **requests: str) -> None:
        self.asked: list[str] = []
        """Method and address of each request."""
        self._failing = failing or {}
        self._requests = requests
        """States of the queue's requests, by name."""

    def ask(self, method: str, request: dict[str, Any]) -> Any:
        assert set(request) == {"url", "auth"}
        assert request["auth"] == {"type": "OAuth2"}
        assert request["url"].startswith(WHERE)
        address = request["url"].removeprefix(WHERE)
        self.asked.append(f"{method} {address}")
        if codes := self._failing.get(address):
            raise HttpError(codes.pop(0))
        if not address.endswith("/resizeRequests"):
            return {"status": "RUNNING"}
        # The API leaves out a list that is empty.
        items = [{"name": name, "state": state} for name, state in self._requests.items()]
        return {"items": items} if items else {}

    @property
    def resized(self) -> list[str]:
        return [a.removeprefix("post t-").removesuffix("/resize?size=0") for a in self.asked if "resize?" in a]


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
    assert execute(SOURCE, message(**news), compute.ask) == "the budget is not spent"
    assert compute.asked == []


@pytest.mark.parametrize("cost", [100, 100.0, 100.01, 250])
def test_at_the_budget_every_group_goes_to_zero(cost: float) -> None:
    compute = Compute()
    news = message(costAmount=cost, budgetAmount=100.0, budgetAmountType="SPECIFIED_AMOUNT", currencyCode="USD")
    assert execute(SOURCE, news, compute.ask) == GROUPS
    assert compute.resized == ["a", "b", "c"]


def test_started_with_nothing_it_stops_the_groups_in_any_case() -> None:
    compute = Compute()
    assert execute(SOURCE, {}, compute.ask) == GROUPS
    assert compute.resized == ["a", "b", "c"]


def test_what_waits_in_a_queue_is_called_back_before_the_group_is_resized() -> None:
    compute = Compute(one="SUCCEEDED", two="ACCEPTED", three="CREATING", four="ACCEPTED", five="FAILED")
    execute(SOURCE, SPENT, compute.ask)
    assert compute.asked == [
        "get t-b/resizeRequests",
        "post t-b/resizeRequests/two/cancel",
        "post t-b/resizeRequests/four/cancel",
        "post t-a/resize?size=0",
        "post t-b/resize?size=0",
        "post t-c/resize?size=0",
    ]


def test_a_group_that_fails_keeps_no_other_up_and_is_named() -> None:
    compute = Compute({"t-a/resize?size=0": [403], "t-c/resize?size=0": [404], "t-b/resizeRequests": [403]})
    with pytest.raises(Failed) as error:
        execute(SOURCE, SPENT, compute.ask)
    assert compute.resized == ["a", "b", "c"]
    named = [f"{GROUPS[1]}/resizeRequests", GROUPS[0], GROUPS[2]]
    assert str(error.value) == f"not scaled to zero - {json.dumps(named)}"


def test_what_may_pass_is_tried_again() -> None:
    compute = Compute({"t-b/resize?size=0": [503, 429, 503], "t-b/resizeRequests/x/cancel": [502]}, x="ACCEPTED")
    assert execute(SOURCE, SPENT, compute.ask) == GROUPS
    assert compute.resized == ["a", "b", "b", "b", "b", "c"]
    assert compute.asked.count("post t-b/resizeRequests/x/cancel") == 2


def test_it_is_not_tried_for_ever() -> None:
    compute = Compute({"t-b/resize?size=0": [503] * 100})
    with pytest.raises(Failed):
        execute(SOURCE, SPENT, compute.ask)
    assert compute.resized.count("b") == 9


def test_groups_are_data_and_one_rendering_leaves_no_trace_in_the_next() -> None:
    assert "${" not in "".join(GROUPS)
    workflow_source(PLAN, PLAN.pools[:1])
    assert json.dumps(workflow_source(PLAN, PLAN.pools)) == SOURCE
    assert len(SOURCE) < 128 * 1024
