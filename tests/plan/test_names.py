"""Names are deterministic, within the limit, and never the same for two things."""

from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.plan.names import cloud_name, name_limit, pool_resource_name, shortened, storage_resource_name
from gpuinfra.vocabulary import Provider

NAME = st.from_regex(r"[a-z]([-a-z0-9]{0,60}[a-z0-9])?", fullmatch=True)
ROLE = st.sampled_from(["", "-template", "-group", "-schedule", "-start", "-end"])


@given(st.lists(NAME, min_size=2, max_size=6, unique=True), NAME)
def test_logical_names_of_parts_stay_apart(names, cluster):
    roles = ["", "-template", "-group", "-end"]
    made = [pool_resource_name(cluster, n) + r for n in names for r in roles]
    made += [storage_resource_name(cluster, n) + r for n in names for r in roles]
    made += [f"{cluster}-network", f"{cluster}-budget"]
    assert len(set(made)) == len(made)
    assert all(n.startswith(cluster) for n in made)


@given(st.text("abc-", min_size=1, max_size=80), st.integers(12, 63))
def test_a_short_name_is_kept_and_a_long_one_fits(name, maximum):
    short = shortened(name, maximum)
    assert len(short) <= maximum
    assert short == name or len(name) > maximum
    assert short == shortened(name, maximum)


@given(st.sets(st.text("ab", min_size=60, max_size=70), min_size=2, max_size=8))
def test_long_names_that_begin_alike_stay_apart(names):
    assert len({shortened("x" * 40 + n, 45) for n in names}) == len(names)


def test_the_two_pools_of_the_report():
    blue = shortened("gpu-training-a100-blue", 12)
    green = shortened("gpu-training-a100-green", 12)
    assert blue != green
    assert len(blue) <= 12


def test_limits_come_from_the_catalog():
    for provider in Provider:
        limit = name_limit(provider, "node_group")
        assert len(cloud_name(provider, "node_group", "c" * 63, "p" * 63)) <= limit
