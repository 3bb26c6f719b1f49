"""The fields as data: complete, described, and with examples that the models take."""

from __future__ import annotations

import pytest

from gpuinfra.spec import fields, messages
from gpuinfra.spec.document import compose
from gpuinfra.spec.fields import FieldDoc, documented, place_at
from gpuinfra.spec.models import ClusterSpec
from tests.spec.specs import LEAST, with_keys

DOCS = documented()
BY_PATH: dict[str, list[FieldDoc]] = {}
for _doc in DOCS:
    BY_PATH.setdefault(_doc.path, []).append(_doc)


def test_the_contract_of_field_names():
    assert [d.path for d in DOCS if "." not in d.path] == [
        "api_version", "name", "workload", "location", "network", "node_pools", "storage", "image", "job", "scheduler",
        "budget", "shutdown", "labels", "waivers",
    ]  # fmt: skip
    assert [d.name for d in DOCS if d.path.startswith("node_pools[].") and d.path.count(".") == 1] == [
        "name", "instance_type", "accelerator", "count", "capacity", "fabric", "proximity", "mig", "local_nvme", "public_ip",
    ]  # fmt: skip


@pytest.mark.parametrize("doc", DOCS, ids=lambda d: f"{d.path}-{d.where[-5:]}")
def test_every_field_says_what_it_is_what_it_takes_and_shows_it(doc: FieldDoc):
    assert doc.description.endswith((".", "?"))
    assert doc.takes
    assert doc.examples
    for example in doc.examples:
        assert compose(f"x: {example}", "f").diagnostics == ()


def test_what_depends_on_the_cloud_says_so():
    assert {d.where for d in BY_PATH["location.project"]} == {"location.provider: gcp"}
    assert {d.where for d in BY_PATH["location.zone"]} == {f"location.provider: {p}" for p in ("aws", "gcp", "azure")}
    assert {d.where for d in BY_PATH["node_pools[].count.max"]} == {""}


def test_defaults_are_shown_as_yaml():
    assert BY_PATH["budget.alerts_percent"][0].default == "[50, 80, 100]"
    assert BY_PATH["node_pools[].fabric"][0].default == "auto"
    assert BY_PATH["name"][0].default == ""


def test_a_place_follows_the_users_document():
    data = {**LEAST, "location": {"provider": "azure", "region": "x"}}
    place = place_at(("location", "resource_group"), data)
    assert place is not None
    assert place.shape.wanted == "text"
    assert place_at(("location", "project"), data) is None
    assert place_at(("node_pools", 0, "nothing"), data) is None
    assert place_at((), None) == fields.Place(fields.TOP, None, None)


def test_the_arms_that_pydantic_names_are_the_ones_that_paths_leave_out():
    """Tags of a union stand in pydantic's paths; each must be known, or it would show up in a finding's path."""

    def tagged(schema: object) -> set[str]:
        found: set[str] = set()
        stack: list[object] = [schema]
        while stack:
            one = stack.pop()
            if isinstance(one, dict):
                if one.get("type") == "tagged-union":
                    found |= set(one["choices"])
                stack.extend(one.values())
            elif isinstance(one, (list, tuple)):
                stack.extend(one)
        return found

    with_keys()  # builds the validator
    arms = set().union(*messages._ARMS.values())  # pyright: ignore[reportPrivateUsage]
    assert tagged(ClusterSpec.__pydantic_core_schema__) == arms
