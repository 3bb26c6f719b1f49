"""Money and time: the budget with its alerts and what happens at its limit, and the end of the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pulumi
from pulumi_gcp import billing

from ...plan.arguments import check_covers, check_names
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.models import ClusterSpec
from ...vocabulary import OnLimit
from ..lease import Limits, lease_end
from ..planning import planned
from .budget import cluster_budget
from .group_stops import GroupStops
from .on_limit import limit_topic, start_at_news
from .shutdown import Shutdown
from .stop_workflow import StopWorkflow

_START_AGAIN = "resize the groups (gcloud compute instance-groups managed resize)"


class Spend(pulumi.ComponentResource):
    """A cluster's budget and its end. Spend data come hours late: the budget is an alarm, and the end is the cap."""

    lease_end: pulumi.Output[str | None]
    """The end, UTC; None without a lease."""
    budget_name: pulumi.Output[str] | None
    """As billingAccounts/A/budgets/B."""

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        pools: Sequence[str] | None = None,
    ) -> None:
        """The budget and the end of a spec. `pools`: for the groups of these pools alone."""
        plan = planned(spec, name, opts)
        check_names("pools", "pool", pools, [p.name for p in plan.pools])
        super().__init__("gpuinfra:gcp:Spend", name, None, opts)
        self._plan = plan
        self._child = pulumi.ResourceOptions(parent=self)
        self._pools = [p for p in plan.pools if pools is None or p.name in pools]
        self._groups = frozenset(p.cloud_name for p in self._pools)
        self._stops: GroupStops | None = None
        self._workflow: StopWorkflow | None = None
        self._end = lease_end(plan, self._child)
        self._end.warn_when_over(plan.lease.path, _START_AGAIN)
        self._make_ends()
        made = self._make_budget()
        self.lease_end = pulumi.Output.from_input(cast("pulumi.Input[str | None]", self._end.text))
        self.budget_name = made.name if made else None
        self.register_outputs({"leaseEnd": self.lease_end})

    def check_covers(self, pool: PoolPlan) -> None:
        """Raises ValueError where the end and the budget are not those of the pool's group, which would run on."""
        check_covers("spend", "Spend", pool, sorted(self._groups))

    def until_end(self, nodes: int) -> pulumi.Input[int]:
        """So many nodes while the lease lasts, and none after it."""
        return self._end.until_end(nodes)

    def limits(self, pool: PoolPlan) -> Limits:
        """How many nodes a pool's group may have: none once the lease is over."""
        return self._end.limits(pool)

    def _group_stops(self) -> GroupStops:
        """Who scales the groups, made when the first thing that does so asks for it."""
        if self._stops is None:
            self._stops = GroupStops(self._plan, self._child)
        return self._stops

    def _stop_workflow(self) -> StopWorkflow:
        """What scales all groups, made when the first thing that starts it asks for it."""
        if self._workflow is None:
            self._workflow = StopWorkflow(self._plan, self._pools, self._group_stops(), self._child)
        return self._workflow

    def _make_ends(self) -> None:
        plan = self._plan
        stop_at = plan.spec.shutdown.stop_at if plan.spec.shutdown else None
        if not plan.lease.present and stop_at is None:
            return
        ends = Shutdown(plan, self._pools, self._group_stops(), self._stop_workflow, self._child)
        if plan.lease.present:
            ends.at_end(self._end)
        if stop_at is not None:
            ends.at_times(stop_at.cron, stop_at.timezone)

    def _make_budget(self) -> billing.Budget | None:
        plan, budget = self._plan, self._plan.spec.budget
        if budget is None or not budget.per_month_usd:
            return None
        topic = None
        # Nothing here forbids starts narrowly, so that deny is stop (GI2304 says so).
        if budget.on_limit is not OnLimit.NOTIFY:
            topic = limit_topic(plan, self._child)
            start_at_news(plan, topic, self._stop_workflow(), self._child)
        return cluster_budget(plan, budget, budget.per_month_usd, topic, self._child)
