"""Whatever a user writes reaches a node as data: no script changes with it, and no shell reads it."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import replace

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.node import boot_bundle, manual_commands
from gpuinfra.plan.models import ClusterPlan, LocalNvmePlan, MigPlan
from gpuinfra.vocabulary import Launcher, LocalNvme, Provider, StorageKind
from tests.node import plans

NASTY = st.sampled_from(
    [
        "$(touch /tmp/owned)",
        "`id`",
        "; rm -rf /",
        "a\nb",
        "' || true '",
        '" && echo "',
        "{{ 7 * 7 }}",
        "{% raw %}",
        "\x00\x7f",
        "EOF\n",
        "- x: !!python/object/apply:os.system ['id']",
        "é😀",
        "%n$HOME",
    ]
)
VALUE = st.one_of(NASTY, st.text(max_size=40))


def plan_with(provider: Provider, value: str) -> ClusterPlan:
    """A plan that holds `value` wherever a user's text can stand."""
    pool = plans.pool(
        provider,
        name=value,
        cloud_name=value,
        container=plans.container(value),
        mig=MigPlan((value,), 8),
        local_nvme=LocalNvmePlan(LocalNvme.SEPARATE, 1, value),
        zone=value,
    )
    stores = tuple(replace(plans.storage(kind), mount=value, import_from=value, zone=value) for kind in StorageKind)
    plan = plans.plan(provider, (pool,), stores, job={"command": ["x"]})
    # The spec refuses some of these values; the bundle must not lean on that.
    job = plan.spec.job.model_copy(update={"command": (value, value)})
    spec = plan.spec.model_copy(update={"job": job})
    return replace(plan, spec=spec, name=value, region=value, labels=((value, value),))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(Provider), VALUE, VALUE)
def test_no_value_changes_a_script(provider: Provider, value: str, late: str):
    plain, odd = plan_with(provider, "plain"), plan_with(provider, value)
    expected = boot_bundle(plain, plain.pools[0])
    found = boot_bundle(odd, odd.pools[0])
    assert found.late == expected.late
    assert found.commands == expected.commands
    values = dict.fromkeys(found.late, late)
    changed = {
        file.path
        for file, other in zip(found.with_late(values), expected.files, strict=True)
        if (file.path, file.mode, file.content) != (other.path, other.mode, other.content)
    }
    assert changed <= {"/etc/gpuinfra/cluster.json"}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(Provider), VALUE, VALUE)
def test_every_value_comes_back_as_it_was(provider: Provider, value: str, late: str):
    plan = plan_with(provider, value)
    bundle = replace(boot_bundle(plan, plan.pools[0]), limit_bytes=10**7)
    document = yaml.safe_load(bundle.user_data(dict.fromkeys(bundle.late, late)))
    text = next(e["content"] for e in document["write_files"] if e["path"] == "/etc/gpuinfra/cluster.json")
    facts = json.loads(text)
    assert facts["cluster"] == facts["pool"] == facts["container"]["reference"] == value
    assert facts["job"]["command"] == [value, value]
    assert [entry["mount"] for entry in facts["storage"]] == [value] * 3
    assert facts["storage"][0]["address"] == late
    assert set(document) == {"ssh_authorized_keys", "write_files", "runcmd"}


SHELL_TEXT = st.one_of(
    NASTY.filter(lambda t: "\x00" not in t and t.isprintable()),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=30),
)


@settings(max_examples=40, deadline=None)
@given(SHELL_TEXT, st.sampled_from(Launcher))
def test_manual_commands_hold_user_values_as_single_words(value: str, launcher: Launcher):
    plan = plan_with(Provider.AWS, value)
    job = {"command": ["prog", value], "launcher": launcher, "checkpoint": {"path": "/c", "on_notice": value}}
    spec = plans.plan(job=job).spec
    for found in manual_commands(replace(plan, spec=spec)):
        words = shlex.split(found.command)
        assert value in words or any(value in word for word in words)
        assert words.count("prog") <= 1


def test_a_real_shell_executes_none_of_it(tmp_path):
    owned = tmp_path / "owned"
    value = f"$(touch {owned}) `touch {owned}`; touch {owned} #"
    plan = plan_with(Provider.AWS, value)
    job = {"command": ["prog", value], "launcher": "torchrun", "checkpoint": {"path": "/c", "on_notice": value}}
    plan = replace(plan, spec=plans.plan(job=job).spec)
    for found in manual_commands(plan):
        # A function of each name takes the place of the program, so the shell only reads the words.
        script = f"docker() {{ :; }}; pkill() {{ :; }}\n{found.command}"
        subprocess.run(["bash", "-c", script], check=True, env={"PATH": "/usr/bin:/bin"})
    assert not owned.exists()
