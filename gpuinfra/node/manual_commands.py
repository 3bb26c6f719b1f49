"""The commands that a person runs by hand for what nothing on the node does yet: start the job, hand on a notice."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from ..plan.models import ClusterPlan, PoolPlan
from ..spec.models import Job
from ..vocabulary import Launcher
from .clouds import FABRICS

CONTAINER = "gpuinfra-job"
MASTER_PORT = 29500
_LONGEST = 2000


@dataclass(frozen=True)
class ManualCommand:
    """One command, quoted for a shell: it can be pasted as it stands."""

    path: str
    """The field of the spec that it stands in for."""
    where: str
    """On which nodes it is run, and what is filled in."""
    command: str

    @property
    def shown(self) -> str:
        """For the hint of a finding: where and what, and its length alone where nobody could read it."""
        if len(self.command) > _LONGEST:
            return f"{self.where}: {self.path} itself, whose {len(self.command)} characters are too many to show here"
        return f"{self.where}: {self.command}"


def manual_commands(plan: ClusterPlan) -> tuple[ManualCommand, ...]:
    """What to run by hand for `job.command` and `job.checkpoint.on_notice`; empty where the spec has neither."""
    job = plan.spec.job
    if job is None:
        return ()
    pools = [p for p in plan.pools if (p.name in job.pools if job.pools else p.gpus_per_node)]
    if not pools:
        return ()
    found: list[ManualCommand] = []
    if job.command:
        found.append(_start(plan, pools, job))
    signal = job.checkpoint.on_notice if job.checkpoint else None
    if signal:
        found.append(_notice(pools[0], job, signal))
    return tuple(found)


def _start(plan: ClusterPlan, pools: list[PoolPlan], job: Job) -> ManualCommand:
    nodes = sum(p.wanted for p in pools)
    # A process takes one MIG instance and cannot span two.
    gpus = max((p.mig.instances_per_node if p.mig else p.gpus_per_node for p in pools), default=0) or 1
    launch = _LAUNCH[job.launcher]
    before, words, where = launch(job, nodes, gpus)
    text = " ".join(shlex.quote(w) for w in before)
    inside = _container(plan, pools[0], words) if pools[0].container else words
    command = " ".join(part for part in (text, " ".join(inside)) if part)
    return ManualCommand("job.command", where, command)


# Words are ready for the shell: user values quoted, the variables that a person sets left open.
Launch = tuple[list[str], list[str], str]


def _quoted(words: tuple[str, ...]) -> list[str]:
    return [shlex.quote(w) for w in words]


def _direct(job: Job, nodes: int, gpus: int) -> Launch:
    return [], _quoted(job.command), "on each node" if nodes > 1 else "on the node"


_MEETING = {"--nnodes", "--standalone", "--rdzv-backend", "--rdzv-endpoint", "--master-addr", "--node-rank"}
"""Options by which torchrun's nodes find each other: who gives one has thought of it. Without any, each node would train
alone."""


def _torchrun(job: Job, nodes: int, gpus: int) -> Launch:
    words = job.command
    program_file = words[0]
    own = program_file.rsplit("/", 1)[-1] == "torchrun"
    given = {w.split("=", 1)[0].replace("_", "-") for w in words[1:] if w.startswith("--")} if own else set[str]()
    if own and (nodes <= 1 or given & _MEETING):
        return _direct(job, nodes, gpus)
    interpreted = program_file.rsplit("/", 1)[-1] in ("python", "python3")
    program = _quoted(words[1:]) if own or (interpreted and len(words) > 1) else ["--no-python", *_quoted(words)]
    if nodes <= 1:
        return [], ["torchrun", "--standalone", f"--nproc-per-node={gpus}", *program], "on the node"
    return (
        [],
        [
            shlex.quote(program_file) if own else "torchrun",
            f"--nnodes={nodes}",
            *([] if "--nproc-per-node" in given else [f"--nproc-per-node={gpus}"]),
            '--node-rank="$NODE_RANK"',
            '--master-addr="$MASTER_ADDR"',
            f"--master-port={MASTER_PORT}",
            *program,
        ],
        f"on each node, after: export MASTER_ADDR=(private address of the first node) NODE_RANK=(0 to {nodes - 1})",
    )


def _mpi(job: Job, nodes: int, gpus: int) -> Launch:
    before = ["mpirun", "-np", str(nodes * gpus), "--map-by", f"ppr:{gpus}:node", "--hostfile", "hosts.txt"]
    return (
        before,
        _quoted(job.command),
        "on the first node, with the private address of each node as a line of hosts.txt",
    )


def _srun(job: Job, nodes: int, gpus: int) -> Launch:
    before = ["srun", f"--nodes={nodes}", f"--ntasks-per-node={gpus}"]
    return before, _quoted(job.command), "on a node of your Slurm cluster"


_LAUNCH = {Launcher.NONE: _direct, Launcher.TORCHRUN: _torchrun, Launcher.MPI: _mpi, Launcher.SRUN: _srun}

# How a container gets the GPUs of a vendor.
_GPU_OPTIONS = {
    "nvidia": ("--gpus=all",),
    "amd": ("--device=/dev/kfd", "--device=/dev/dri", "--group-add=video", "--security-opt=seccomp=unconfined"),
}


def _container(plan: ClusterPlan, pool: PoolPlan, words: list[str]) -> list[str]:
    assert pool.container is not None
    vendor = pool.accelerator.vendor.lower() if pool.accelerator else ""
    options = ["--rm", f"--name={CONTAINER}", *_GPU_OPTIONS.get(vendor, ())]
    # NCCL moves data through shared and locked memory, and meets its peers on the host's own interfaces.
    options += ["--network=host", "--ipc=host", "--ulimit=memlock=-1", "--ulimit=stack=67108864"]
    if pool.fabric.present:
        options += [*FABRICS[pool.fabric.kind].devices, "--env-file=/etc/gpuinfra/fabric.env"]
    mounts = [entry.mount for entry in plan.storage]
    if pool.local_nvme.mount:
        mounts.append(pool.local_nvme.mount)
    options += [f"--mount=type=bind,{_field('source', mount)},{_field('target', mount)}" for mount in mounts]
    return ["docker", "run", *(shlex.quote(o) for o in options), shlex.quote(pool.container.reference), *words]


def _field(key: str, path: str) -> str:
    # The option is a line of CSV, so a comma or a quote in a path needs CSV's own quoting.
    text = f"{key}={path}"
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"') else text


def _notice(pool: PoolPlan, job: Job, signal: str) -> ManualCommand:
    where = "on each node that the cloud is about to take"
    if pool.container:
        return ManualCommand(
            "job.checkpoint.on_notice", where, f"docker kill --signal={shlex.quote(signal)} {CONTAINER}"
        )
    name = signal.removeprefix("SIG")
    pattern = " ".join(job.command) or "python"
    return ManualCommand(
        "job.checkpoint.on_notice", where, f"pkill --signal {shlex.quote(name)} --full -- {shlex.quote(pattern)}"
    )
