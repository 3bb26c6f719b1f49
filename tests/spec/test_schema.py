"""The JSON schema: valid itself, takes every right spec, refuses the bad ones, and never what `load` takes."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gpuinfra.spec.document import compose
from gpuinfra.spec.load import parse
from gpuinfra.spec.schema import json_schema
from tests.spec.specs import FILES, LEAST

SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def data_of(path: Path) -> Any:
    return compose(path.read_text(encoding="utf-8"), path.name).data


RIGHT = [data_of(path) for path in FILES]


def test_it_is_a_schema_of_its_draft():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)) == SCHEMA


@pytest.mark.parametrize("data", RIGHT, ids=[p.stem for p in FILES])
def test_right_specs_pass(data: Any):
    assert [e.message for e in VALIDATOR.iter_errors(data)] == []


def mappings(schema: Any) -> list[dict[str, Any]]:
    return [part for part in [schema, *schema["$defs"].values()] if part.get("type") == "object"]


def test_no_mapping_takes_unknown_keys():
    assert [part.get("title") for part in mappings(SCHEMA) if part.get("additionalProperties") is not False] == []


def test_every_field_is_described_for_an_editor():
    for part in mappings(SCHEMA):
        assert part["description"].strip()
        for name, field in part["properties"].items():
            assert field.get("description", "").strip(), name


def test_examples_are_right():
    for part in mappings(SCHEMA):
        for field in part["properties"].values():
            one = Draft202012Validator({**field, "$defs": SCHEMA["$defs"]})
            for example in field.get("examples", []):
                assert [e.message for e in one.iter_errors(example)] == [], example


def bad(path: str, value: Any) -> Any:
    """The least spec with one value replaced; `path` as location.region or node_pools.0.count; ... takes the key out."""
    data: Any = deepcopy(LEAST)
    *steps, last = [int(s) if s.isdigit() else s for s in path.split(".")]
    holder = data
    for step in steps:
        if isinstance(step, str) and step not in holder:
            holder[step] = {}
        holder = holder[step]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return data


BAD = [
    ("name", ...), ("location", ...), ("node_pools", ...), ("node_pools", []), ("node_pools", {}), ("nmae", "x"),
    ("name", "Upper"), ("name", "x" * 64), ("name", ""), ("name", 3), ("api_version", "gpuinfra/v2"), ("workload", "mining"),
    ("location.provider", ...), ("location.provider", "awz"), ("location.region", ...), ("location.region", 1),
    ("location.resource_group", "x"), ("location.deployer_roles", ["arn:aws:iam::1:role/x"]),
    ("location.zone", 1), ("location", "aws"), ("network.public_nodes", "no"),
    ("network.ssh_from", "10.0.0.0/8"), ("network.ssh_from", [1]), ("network.existing", {"network": "x"}), ("network", None),
    ("node_pools.0.count", -1), ("node_pools.0.count", "4"), ("node_pools.0.count", 1.5), ("node_pools.0.count", 10_001),
    ("node_pools.0.count", {"min": 0}), ("node_pools.0.count", {"max": -1}), ("node_pools.0.count", True),
    ("node_pools.0.capacity", "spot"), ("node_pools.0.capacity", {"type": "on-demand"}),
    ("node_pools.0.capacity", {"duration": 3}), ("node_pools.0.capacity", {"starts": "2026-12-01T00:00:00"}),
    ("node_pools.0.mig", []), ("node_pools.0.mig", 3), ("node_pools.0.fabric", None), ("node_pools.0.accelerator", {"count": 8}),
    ("node_pools.0.accelerator", {"model": "L4", "memory_gib": "24"}), ("node_pools.0.public_ip", "yes"),
    ("storage", [{"name": "x", "kind": "nfs"}]), ("storage", [{"name": "x", "kind": "nfs", "mount": "/x", "size_gib": "9600"}]),
    ("storage", [{"name": "x", "kind": "nfs", "mount": "/x", "size_gib": 0}]),
    ("storage", [{"name": "x", "kind": "nfs", "mount": "/x", "size_gib": "1 ZB"}]), ("job.command", "python"),
    ("budget.per_month_usd", 0), ("budget.per_month_usd", "50"), ("budget.per_month_usd", 2e9), ("budget.start", "1.12.2026"),
    ("budget", {}), ("shutdown.lease", 72), ("shutdown.lease", "72"), ("shutdown.lease", "2026-12-05T18:00:00"),
    ("shutdown.lease", "tomorrow"), ("shutdown.stop_at", {"cron": "0 20 * * *"}), ("labels.a", 1), ("labels", ["a"]),
    ("waivers", [{"code": "GI1", "reason": "x", "expires": "2026-12-05"}]), ("waivers", [{"code": "GI2001", "reason": "x"}]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), BAD, ids=[f"{p}-{i}" for i, (p, _) in enumerate(BAD)])
def test_bad_specs_are_refused_by_both(path: str, value: Any):
    data = bad(path, value)
    assert parse(data).spec is None
    assert not VALIDATOR.is_valid(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "auto", "none", "aws", "gcp", "72h", " 3 d", "1.5h30m", "9600 GiB", "1TB", "2026-12-05", "spot", "x", "1"])
    | st.sampled_from(["2026-12-05T18:00:00+01:00", "2026-12-05 18:00 Z", "2026-12-05T18:00:00", "10.0.0.0/8", "GI2001"])
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["name", "type", "min", "max", "model", "count", "x"]), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_the_schema_refuses_is_refused(data: st.DataObject):
    """One value of a right spec is replaced by any JSON value; the schema may be milder than `load`, never stricter."""
    spec = deepcopy(data.draw(st.sampled_from(RIGHT)))
    holder: Any = spec
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        below = holder[key]
        if not isinstance(below, (dict, list)) or not below or data.draw(st.booleans()):
            break
        holder = below
    holder[key] = data.draw(JSON)
    if not VALIDATOR.is_valid(spec):
        assert parse(spec).spec is None
