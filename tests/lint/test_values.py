"""Values of previews and states: the marks are the SDK's, secrets stay secret, defaults of the provider are left out."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi import Output
from pulumi.runtime import rpc

from gpuinfra.lint import values
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Secret
from gpuinfra.testing import faults


def marked(kind: str, **more: Any) -> dict[str, Any]:
    return {values.SIGNATURE: kind, **more}


def test_the_marks_are_those_of_the_sdk():
    assert rpc._special_sig_key == values.SIGNATURE
    assert rpc._special_secret_sig == values.SECRET
    assert rpc._special_resource_sig == values.RESOURCE
    assert rpc._special_asset_sig == values.ASSET
    assert rpc._special_archive_sig == values.ARCHIVE
    assert rpc._special_output_value_sig == values.OUTPUT
    assert rpc.UNKNOWN in values.UNKNOWN_TEXTS
    assert len(values.UNKNOWN_TEXTS) == 7


@pytest.mark.parametrize("text", sorted(values.UNKNOWN_TEXTS))
def test_every_mark_of_the_unknown_is_unknown(text: str):
    assert values.value(text) is UNKNOWN
    assert values.value({"a": [text]}) == {"a": [UNKNOWN]}
    assert values.value(f"arn:{text}") is UNKNOWN


def test_the_text_of_an_output_is_unknown():
    async def texts() -> list[str]:
        made = Output.from_input("data")
        return [str(made), str([made])]

    for text in asyncio.run(texts()):
        assert values.value(f"s3://{text}") is UNKNOWN
    assert values.STRINGIFIED.pattern == faults._STRINGIFIED.pattern


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        (2.0, 2),
        (2.5, 2.5),
        (True, True),
        (None, None),
        (marked(values.RESOURCE, urn="urn:pulumi:dev::p::t::a::b", id="x"), OutputRef("a::b", "id")),
        (marked(values.RESOURCE, urn="urn:pulumi:dev::p::t::a"), OutputRef("a", "urn")),
        (marked(values.OUTPUT), UNKNOWN),
        (marked(values.OUTPUT, value="v"), "v"),
        (marked(values.OUTPUT, value="v", secret=True), Secret("v")),
        (marked(values.ASSET, text="hello"), {"$asset": {"text": "hello"}}),
        (marked(values.ARCHIVE, path="."), {"$archive": {"path": "."}}),
        (marked("something new", a=1), {"$special": {"a": 1}}),
        (marked(values.SECRET, plaintext='{"a": [1]}'), Secret({"a": [1]})),
        (marked(values.SECRET, value="v"), Secret("v")),
    ],
)
def test_values(raw: Any, read: Any):
    assert values.value(raw) == read


@pytest.mark.parametrize(
    "raw", ["[secret]", marked(values.SECRET, ciphertext="v1:x"), marked(values.SECRET, plaintext="no JSON")]
)
def test_a_secret_that_is_kept_is_unknown(raw: Any):
    found = values.value(raw)
    assert isinstance(found, Secret)
    assert found.value is UNKNOWN


def test_what_the_provider_filled_in_is_left_out():
    raw = {
        "__defaults": ["name", "region", "waitForCapacityTimeout"],
        "name": "pool-1a2b3c",
        "region": "us-east-1",
        "waitForCapacityTimeout": "10m",
        "config": {"__defaults": ["mode"], "mode": "AUTO", "size": 2},
        "tags": {"a": "b"},
    }
    assert values.inputs(raw) == {"config": {"size": 2}, "region": "us-east-1", "tags": {"a": "b"}}
    assert values.inputs(None) == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_plain_json_reads_as_itself(raw: Any):
    assert values.value(raw) == raw


@given(JSON)
def test_a_secret_opens_to_what_it_closed(raw: Any):
    assert values.value(marked(values.SECRET, plaintext=json.dumps(raw))) == Secret(raw)
