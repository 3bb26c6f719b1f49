"""Every script that any bundle can hold is read by the checkers of its language."""

from __future__ import annotations

import ast
import itertools
import os
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import yaml

from gpuinfra.node import BootFile, boot_bundle
from gpuinfra.plan.models import ClusterPlan, Fabric, LocalNvmePlan
from gpuinfra.vocabulary import FabricKind, LocalNvme, Provider, StorageKind
from tests.node import plans

FABRICS = {
    Provider.AWS: (FabricKind.EFA,),
    Provider.GCP: (FabricKind.GPUDIRECT_TCPX, FabricKind.GPUDIRECT_TCPXO, FabricKind.ROCE),
    Provider.AZURE: (FabricKind.INFINIBAND,),
}
OTHER_TYPES = {Provider.AWS: ["p4d.24xlarge"], Provider.GCP: [], Provider.AZURE: ["Standard_ND96isr_MI300X_v5"]}

BOOTED = {
    Provider.AWS: ["p6e-gb200.36xlarge"],
    Provider.GCP: ["g2-standard-4"],
    Provider.AZURE: ["Standard_NV36ads_A10_v5"],
}


def variants() -> dict[str, ClusterPlan]:
    """Plans that between them ask for every file that a bundle can hold."""
    made: dict[str, ClusterPlan] = {}
    for provider in Provider:
        for mode, mig in itertools.product(LocalNvme, (None, plans.MIG)):
            pool = plans.pool(provider, mig=mig, local_nvme=LocalNvmePlan(mode, 1, "/local"))
            made[f"{provider}-{mode}-{'mig' if mig else 'whole'}"] = plans.plan(provider, (pool,))
        made[f"{provider}-cpu"] = plans.plan(provider, (plans.pool(provider, "", container=None),), ())
        made[f"{provider}-cpu-container"] = plans.plan(provider, (plans.pool(provider, ""),))
        for kind in StorageKind:
            made[f"{provider}-{kind}"] = plans.plan(provider, stores=(plans.storage(kind),))
        for fabric in FABRICS[provider]:
            pool = plans.pool(provider)
            pool = replace(pool, fabric=Fabric(fabric, None, pool.fabric.nics, ""))
            made[f"{provider}-{fabric}"] = plans.plan(provider, (pool,))
        for name in OTHER_TYPES[provider]:
            made[f"{provider}-{name}"] = plans.plan(provider, (plans.pool(provider, name),))
        for name in BOOTED[provider]:
            made[f"{provider}-{name}-booted"] = plans.plan(provider, (plans.booted(provider, name),))
    return made


VARIANTS = variants()


@cache
def files_of(name: str) -> tuple[BootFile, ...]:
    plan = VARIANTS[name]
    return boot_bundle(plan, plan.pools[0]).files


@cache
def distinct() -> dict[str, BootFile]:
    """Each different content once, by a readable name."""
    found: dict[tuple[str, str], str] = {}
    for name in VARIANTS:
        for file in files_of(name):
            found.setdefault((file.path, file.content), f"{name}:{file.path}")
    return {label: BootFile(path, "0644", content) for (path, content), label in found.items()}


def is_bash(file: BootFile) -> bool:
    return file.content.startswith("#!/bin/bash") or file.path.endswith("journal.sh")


BASH = {label: file for label, file in distinct().items() if is_bash(file)}
PYTHON = {
    label: file
    for label, file in distinct().items()
    if file.content.startswith("#!/usr/bin/python3") or file.path.endswith(".py")
}


def test_the_variants_reach_every_template():
    """A template that no variant renders would be checked by nothing."""
    from gpuinfra.node import rendering

    rendering.render.cache_clear()
    seen: set[str] = set()
    environment = rendering._environment()
    original = environment.get_template

    def note(name: str):
        seen.add(name)
        return original(name)

    environment.get_template = note  # type: ignore[method-assign]
    try:
        for name in VARIANTS:
            boot_bundle(VARIANTS[name], VARIANTS[name].pools[0])
    finally:
        environment.get_template = original  # type: ignore[method-assign]
    every = {str(path.relative_to(rendering.FOLDER)) for path in rendering.FOLDER.rglob("*.j2")}
    # The one stands in the stub of a large bundle, the other runs before the bundle and beside it.
    assert every - seen == {"fetch.py.j2", "gcp/cloud_init.sh.j2"}


@pytest.mark.parametrize("label", BASH)
def test_bash_reads_it(label: str):
    done = subprocess.run(["bash", "-n"], input=BASH[label].content, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_bash_task_stops_at_its_first_error():
    tasks = [file for file in BASH.values() if "/tasks/" in file.path and not file.path.endswith("90-idle")]
    assert len(tasks) > 10
    assert [file.path for file in tasks if "\nset -euo pipefail\n" not in file.content] == []


def needs(tool: str) -> None:
    """Skips where a tool of the system is missing; where CI says that it installed it, that is a failure."""
    if shutil.which(tool) is None:
        say = pytest.fail if os.environ.get("GPUINFRA_REQUIRE_SYSTEM_CHECKS") else pytest.skip
        say(f"{tool} is not installed: apt-get install {tool} (CI installs it)")


def test_shellcheck_finds_nothing(tmp_path: Path):
    needs("shellcheck")
    for n, file in enumerate(BASH.values()):
        (tmp_path / f"{n:03}-{Path(file.path).name}").write_text(file.content)
    paths = sorted(str(path) for path in tmp_path.iterdir())
    # SC1091: the file that is sourced stands on the node only.
    done = subprocess.run(
        ["shellcheck", "--shell=bash", "--exclude=SC1091", *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[:4000]


def test_the_profile_is_for_any_shell(tmp_path: Path):
    profiles = [file for file in distinct().values() if file.path.startswith("/etc/profile.d/")]
    assert len(profiles) >= 5
    for file in profiles:
        done = subprocess.run(["sh", "-n"], input=file.content, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("label", PYTHON)
def test_python_reads_it_and_it_needs_the_standard_library_only(label: str):
    tree = ast.parse(PYTHON[label].content, feature_version=(3, 9))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    allowed = {"hashlib", "json", "os", "re", "shutil", "subprocess", "sys", "tempfile", "time"}
    allowed |= {"urllib.parse", "urllib.request", "gpuinfra_cloud", "gpuinfra_node", "boto3"}
    assert modules <= allowed
    assert ast.get_docstring(tree)


@pytest.mark.parametrize("label", distinct())
def test_text_is_plain(label: str):
    content = distinct()[label].content
    assert content.isascii()
    assert content.endswith("\n")
    assert not content.endswith("\n\n")
    assert "{{" not in content.replace("{{json", "")
    assert "{%" not in content


def test_cloud_init_accepts_the_documents(tmp_path: Path):
    needs("cloud-init")
    for name in ("aws-raid0-mig", "gcp-none-whole", "azure-cpu"):
        plan = VARIANTS[name]
        bundle = replace(boot_bundle(plan, plan.pools[0]), limit_bytes=10**6)
        document = tmp_path / f"{name}.yaml"
        document.write_bytes(bundle.user_data({late: plans.LATE.get(late, "late") for late in bundle.late}))
        done = subprocess.run(
            ["cloud-init", "schema", "--config-file", str(document)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", VARIANTS)
def test_the_document_holds_exactly_the_files(name: str):
    plan = VARIANTS[name]
    bundle = replace(boot_bundle(plan, plan.pools[0]), limit_bytes=10**6)
    late = {key: plans.LATE.get(key, "late") for key in bundle.late}
    read = yaml.safe_load(bundle.user_data(late))
    written = {entry["path"]: entry["content"] for entry in read["write_files"]}
    assert written == {file.path: file.content for file in bundle.with_late(late)}
    assert all(entry["permissions"] in ("0644", "0755") for entry in read["write_files"])
