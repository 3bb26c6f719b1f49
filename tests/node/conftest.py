"""Sandboxes for the tests of what runs on a node."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.node import boot_bundle
from gpuinfra.plan.models import ClusterPlan
from tests.node import plans
from tests.node.sandbox import Sandbox

MakeSandbox = Callable[[ClusterPlan], Sandbox]


@pytest.fixture
def sandbox(tmp_path: Path) -> MakeSandbox:
    """Makes the sandbox of a plan's first pool."""

    def make(plan: ClusterPlan) -> Sandbox:
        bundle = boot_bundle(plan, plan.pools[0])
        return Sandbox(tmp_path, bundle, {name: plans.LATE.get(name, "late") for name in bundle.late})

    return make
