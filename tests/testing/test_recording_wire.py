"""Laws of the wire form, and the internals of the SDK that recording leans on."""

import string

import pytest
from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Secret
from gpuinfra.testing import wire
from gpuinfra.testing.tokens import Tokens
from gpuinfra.testing.variant import OPEN

texts = st.text(alphabet=string.printable, max_size=12)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts
values = st.recursive(
    scalars | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3) | inner.map(Secret),
    max_leaves=12,
)


def through_the_wire(value, tokens):
    struct = struct_pb2.Struct()
    struct.update({"v": wire.encode(value)})
    return wire.Decoder(tokens).struct(struct)["v"]


def once_secret(value):
    """A secret of a secret is one secret on the wire."""
    if isinstance(value, Secret):
        inner = once_secret(value.value)
        return inner if isinstance(inner, Secret) else Secret(inner)
    if isinstance(value, dict):
        return {k: once_secret(v) for k, v in value.items()}
    return [once_secret(v) for v in value] if isinstance(value, list) else value


@given(values)
def test_values_come_back_from_the_wire_as_they_went(value):
    assert through_the_wire(value, Tokens(preview=False)) == once_secret(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_value_and_whole_ones_are_ints(number):
    back = through_the_wire(number, Tokens(preview=False))
    assert back == number
    assert isinstance(back, int) == number.is_integer()


@given(texts, texts, st.booleans())
def test_only_issued_tokens_are_references(name, path, preview):
    tokens = Tokens(preview=preview)
    text = f"${{{name}.{path}}}"
    assert tokens.read(text) == text
    assert tokens.resource(name, path) == text
    assert tokens.read(text) == OutputRef(name, path)
    assert tokens.read(f"a{text}") == f"a{text}"


@given(st.integers(0, 40), st.integers(0, 15), st.integers(1, 16))
def test_no_part_of_an_open_answer_is_the_same_in_another_variant(number, begin, length):
    made = [Tokens(preview=True, variant=v) for v in OPEN[:2]]
    first, second = ([t.answered("f", f"p[{i}]") for i in range(number + 1)] for t in made)
    part = slice(begin, min(begin + length, 16))
    assert len(first[-1]) == 16
    assert first[-1][part] != second[-1][part]
    assert len({t[:6] for t in first} | {t[-6:] for t in second}) == 2 * (number + 1)
    assert made[0].read(f"x/{first[-1].upper()}-y") is UNKNOWN
    assert made[0].shown(f"x-{first[-1]}") == f"x-${{f.p[{number}]}}"
    assert made[0].read(second[-1]) == second[-1]


@given(texts, texts)
def test_answered_tokens_are_unknown_in_preview_wherever_they_stand(name, path):
    tokens = Tokens(preview=True)
    token = tokens.answered(name, path)
    assert tokens.read(token) is UNKNOWN
    assert tokens.read(f"x{token}y") is UNKNOWN
    assert tokens.read("plain ${HOME}") == ("plain ${HOME}" if token not in "plain ${HOME}" else UNKNOWN)


@given(st.text(max_size=20))
def test_the_name_in_a_urn_may_hold_colons(name):
    assert wire.urn_name(f"urn:pulumi:dev::p::a:b:C$d:e:F::{name}") == name


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("pulumi.runtime.settings", ["ROOT", "Settings", "configure"]),
        ("pulumi.runtime.config", ["CONFIG", "_SECRET_KEYS"]),
        ("pulumi.runtime.stack", ["run_in_stack"]),
        (
            "pulumi.runtime.rpc",
            [
                "UNKNOWN", "_special_sig_key", "_special_secret_sig", "_special_resource_sig", "_special_asset_sig",
                "_special_archive_sig", "_special_output_value_sig", "_RESOURCE_PACKAGES", "_RESOURCE_MODULES",
                "deserialize_properties_unwrap_secrets", "translate_output_properties",
            ],
        ),
        (
            "pulumi._types",
            [
                "is_input_type", "is_output_type", "input_type_py_to_pulumi_names", "input_type_types",
                "output_type_types", "resource_types", "resource_py_to_pulumi_names", "unwrap_type",
            ],
        ),
        ("pulumi.runtime._callbacks", ["_CallbackServicer"]),
    ],
)  # fmt: skip
def test_the_internals_of_the_sdk_are_there(module, names):
    import importlib

    loaded = importlib.import_module(module)
    assert [n for n in names if not hasattr(loaded, n)] == []
