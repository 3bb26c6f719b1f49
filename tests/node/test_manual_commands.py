"""The commands for what nothing on the node does yet."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.node import ManualCommand, manual_commands
from gpuinfra.vocabulary import Provider, StorageKind
from tests.node import plans


def commands(
    job: dict[str, Any] | None, provider: Provider = Provider.AWS, **changes: Any
) -> tuple[ManualCommand, ...]:
    stores = (plans.storage(StorageKind.LUSTRE, "scratch", "/scratch"),)
    return manual_commands(plans.plan(provider, (plans.pool(provider, **changes),), stores, job=job))


TRAIN = ["python", "train.py", "--note", "it's $HOME; ok"]


def test_nothing_to_run_without_a_job():
    assert commands(None) == ()
    assert commands({"command": []}) == ()


def test_torchrun_over_the_nodes():
    (found,) = commands({"command": TRAIN, "launcher": "torchrun"}, container=None)
    assert found.path == "job.command"
    assert shlex.split(found.command) == [
        "torchrun",
        "--nnodes=4",
        "--nproc-per-node=8",
        "--node-rank=$NODE_RANK",
        "--master-addr=$MASTER_ADDR",
        "--master-port=29500",
        *TRAIN[1:],
    ]
    # A shell must fill these in, and nothing of the user's.
    assert '"$NODE_RANK"' in found.command
    assert "MASTER_ADDR" in found.where
    assert "0 to 3" in found.where


def test_torchrun_on_one_node_needs_no_address():
    (found,) = commands({"command": TRAIN, "launcher": "torchrun"}, container=None, wanted=1)
    assert shlex.split(found.command)[:3] == ["torchrun", "--standalone", "--nproc-per-node=8"]
    assert "MASTER_ADDR" not in found.command + found.where


@pytest.mark.parametrize(
    ("command", "tail"),
    [
        (["python3", "-m", "pkg.train"], ["-m", "pkg.train"]),
        (["./train.sh", "a"], ["--no-python", "./train.sh", "a"]),
        (["python"], ["--no-python", "python"]),
    ],
)
def test_torchrun_takes_scripts_modules_and_programs(command: list[str], tail: list[str]):
    (found,) = commands({"command": command, "launcher": "torchrun"}, container=None, wanted=1)
    assert shlex.split(found.command)[3:] == tail


def test_a_command_that_is_torchrun_already_is_left_alone():
    (found,) = commands({"command": ["torchrun", "--nnodes=2", "x.py"], "launcher": "torchrun"}, container=None)
    assert found.command == "torchrun --nnodes=2 x.py"


def test_the_container_gets_gpus_fabric_memory_and_mounts():
    (found,) = commands({"command": TRAIN, "launcher": "torchrun"})
    words = shlex.split(found.command)
    assert words[:2] == ["docker", "run"]
    image = words.index("nvcr.io/nvidia/pytorch:25.08-py3")
    options = words[2:image]
    assert {"--gpus=all", "--network=host", "--ipc=host", "--ulimit=memlock=-1"} <= set(options)
    assert {"--device=/dev/infiniband", "--env-file=/etc/gpuinfra/fabric.env"} <= set(options)
    assert "--mount=type=bind,source=/scratch,target=/scratch" in options
    assert "--mount=type=bind,source=/local,target=/local" in options
    assert words[image + 1] == "torchrun"


def test_amd_gpus_are_handed_over_as_devices():
    pool = plans.pool(Provider.AZURE, "Standard_ND96isr_MI300X_v5")
    plan = plans.plan(Provider.AZURE, (pool,), (), job={"command": ["a"]})
    words = shlex.split(manual_commands(plan)[0].command)
    assert {"--device=/dev/kfd", "--device=/dev/dri"} <= set(words)
    assert "--gpus=all" not in words


def test_mpi_and_srun():
    (mpi,) = commands({"command": TRAIN, "launcher": "mpi"}, container=None)
    assert shlex.split(mpi.command)[:7] == ["mpirun", "-np", "32", "--map-by", "ppr:8:node", "--hostfile", "hosts.txt"]
    assert shlex.split(mpi.command)[7:] == TRAIN
    (srun,) = commands({"command": TRAIN, "launcher": "srun"}, container=None)
    assert shlex.split(srun.command) == ["srun", "--nodes=4", "--ntasks-per-node=8", *TRAIN]


def test_pools_of_the_job_are_counted_and_unknown_ones_are_not_guessed():
    two = (plans.pool(Provider.AWS), replace(plans.pool(Provider.AWS), name="more", wanted=2))
    job = {"command": TRAIN, "launcher": "torchrun"}
    assert "--nnodes=6" in manual_commands(plans.plan(pools=two, job=job))[0].command
    assert "--nnodes=2" in manual_commands(plans.plan(pools=two, job={**job, "pools": ["more"]}))[0].command
    assert manual_commands(plans.plan(pools=two, job={**job, "pools": ["nowhere"]})) == ()


def test_the_notice_by_hand():
    job = {"command": TRAIN, "checkpoint": {"path": "/scratch/ckpt", "on_notice": "SIGTERM"}}
    _, found = commands(job)
    assert found.path == "job.checkpoint.on_notice"
    assert found.command == "docker kill --signal=SIGTERM gpuinfra-job"
    _, found = commands(job, container=None)
    assert shlex.split(found.command) == ["pkill", "--signal", "TERM", "--full", "--", " ".join(TRAIN)]


def test_a_path_with_a_comma_stays_one_mount():
    stores = (plans.storage(StorageKind.NFS, "home", '/a,b"c'),)
    plan = plans.plan(stores=stores, job={"command": ["x"]})
    words = shlex.split(manual_commands(plan)[0].command)
    assert '--mount=type=bind,"source=/a,b""c","target=/a,b""c"' in words


def test_with_mig_a_process_takes_one_instance():
    from gpuinfra.plan.models import MigPlan

    cut = MigPlan(("3g.40gb", "3g.40gb"), 16)
    (start,) = commands({"command": ["train"], "launcher": "torchrun"}, mig=cut)
    assert "--nproc-per-node=16" in start.command


def test_a_torchrun_that_names_no_peers_is_told_of_them():
    command = ["/opt/venv/bin/torchrun", "--nproc_per_node=4", "x.py", "a b"]
    (found,) = commands({"command": command, "launcher": "torchrun"}, container=None)
    assert shlex.split(found.command) == [
        "/opt/venv/bin/torchrun",
        "--nnodes=4",
        "--node-rank=$NODE_RANK",
        "--master-addr=$MASTER_ADDR",
        "--master-port=29500",
        "--nproc_per_node=4",
        "x.py",
        "a b",
    ]
    assert "MASTER_ADDR" in found.where
