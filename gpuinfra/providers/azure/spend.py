"""Money and time: the budget with its alerts and what happens at its limit, and the end of the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pulumi

from ...plan.arguments import check_covers, check_names
from ...plan.models import ClusterPlan, PoolPlan
from ...spec.models import ClusterSpec
from ...vocabulary import OnLimit
from ..lease import Limits, lease_end
from ..planning import planned
from .budget import monthly_budget
from .on_limit import LimitStop
from .resource_group import ResourceGroup, check_group, resource_group
from .shutdown import Shutdown

_START_AGAIN = "set the capacity of the scale sets (az vmss scale)"


class Spend(pulumi.ComponentResource):
    """A cluster's budget and its end. Spend data lags 8 to 24 hours: the budget is an alarm, and the end is the cap.

    What ends a scale set names it by its id, so a pool's end is made once its set is there: see `attach`.
    """

    lease_end: pulumi.Output[str | None]
    """The end, UTC; None without a lease."""
    budget_name: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        spec: ClusterSpec | ClusterPlan,
        opts: pulumi.ResourceOptions | None = None,
        *,
        group: ResourceGroup | None = None,
        pools: Sequence[str] | None = None,
    ) -> None:
        """The budget and the end of a spec. `pools`: for the groups of these pools alone. `group`: the resource group
        that holds the cluster; the spec's where left out."""
        plan = planned(spec, name, opts)
        check_group(group)
        check_names("pools", "pool", pools, [p.name for p in plan.pools])
        super().__init__("gpuinfra:azure:Spend", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        chosen = [p for p in plan.pools if pools is None or p.name in pools]
        self._groups = frozenset(p.cloud_name for p in chosen)
        self._end = lease_end(plan, child)
        self._end.warn_when_over(plan.lease.path, _START_AGAIN)
        place = resource_group(f"{name}-group", plan, group, child)
        self._shutdown = Shutdown(plan, place, self._end)
        self._stop: LimitStop | None = None
        self.budget_name = None
        budget = plan.spec.budget
        if budget and budget.per_month_usd:
            if budget.on_limit is not OnLimit.NOTIFY:
                self._stop = LimitStop(plan, chosen, place, child)
            told = self._stop.action_group_id if self._stop else None
            self.budget_name = monthly_budget(plan, budget, budget.per_month_usd, place, told, child).name
        self.lease_end = pulumi.Output.from_input(cast("pulumi.Input[str | None]", self._end.text))
        self.register_outputs({"leaseEnd": self.lease_end})

    def attach(self, pool: PoolPlan, scale_set_id: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
        """Puts the scale set of a pool under the end and the budget. What is made belongs to the parent in `opts`."""
        self.check_covers(pool)
        self._shutdown.setting(pool, scale_set_id, opts)
        if self._stop:
            self._stop.reach(pool, scale_set_id, opts)

    def check_covers(self, pool: PoolPlan) -> None:
        """Raises ValueError where the end and the budget are not those of the pool's group, which would run on."""
        check_covers("spend", "Spend", pool, sorted(self._groups))

    def until_end(self, nodes: int) -> pulumi.Input[int]:
        """So many nodes while the lease lasts, and none after it."""
        return self._end.until_end(nodes)

    def limits(self, pool: PoolPlan) -> Limits:
        """How many nodes a pool's group may have: none once the lease is over."""
        return self._end.limits(pool)
