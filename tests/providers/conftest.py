"""Tests of the clouds' rooms."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Importing an SDK's module declares its retired classes, each of which warns; none of them is ours.
    for item in items:
        for sdk in ("pulumi_aws", "pulumi_gcp"):
            item.add_marker(pytest.mark.filterwarnings(f"ignore::DeprecationWarning:{sdk}"))
