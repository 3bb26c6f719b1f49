"""The peers: each in an environment of its own, asked about the wrong and the right form of every case that it can read.

A peer has seen a mistake when it says something of the wrong form that it does not say of the twin.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpuinfra import catalog
from gpuinfra.vocabulary import Provider

from .arm import arm
from .cloudformation import cloudformation
from .table import Case, cases
from .terraform import terraform

FOLDER = Path(__file__).parent
SIDES = ("bad", "good")
_ASK_LIMIT_S, _INSTALL_LIMIT_S = 600, 900
Said = Mapping[tuple[str, str], frozenset[str]]
"""What a peer says, by case and side: each finding as one text without what changes from form to form."""


@dataclass(frozen=True)
class Peer:
    """A tool that is asked too."""

    name: str
    requirements: tuple[str, ...]
    ask: Callable[[Path, Path], Said]
    """From its environment and a folder to work in to what it says."""


@dataclass(frozen=True)
class Answer:
    """What one peer saw. `why_not` says why it was not asked."""

    name: str
    version: str
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By case: what it says of the wrong form alone; empty where it says nothing of it."""
    why_not: str = ""


def cache_folder() -> Path:
    """Where the peers' environments are kept from run to run."""
    return Path(os.environ.get("GPUINFRA_PEERS") or Path.home() / ".cache" / "gpuinfra" / "peers")


def answers(work: Path) -> list[Answer]:
    """Every peer's answer."""
    return [_answer(peer, work) for peer in PEERS]


def _answer(peer: Peer, work: Path) -> Answer:
    home = cache_folder() / peer.name
    version = peer.requirements[0].partition("==")[2]
    try:
        _install(peer, home)
        said = peer.ask(home, work)
    except (OSError, subprocess.SubprocessError, ValueError) as e:
        return Answer(peer.name, version, why_not=f"{type(e).__name__}: {str(e).splitlines()[0][:160]}")
    ids = {case for case, _ in said}
    empty: frozenset[str] = frozenset()
    seen = {i: tuple(sorted(said.get((i, "bad"), empty) - said.get((i, "good"), empty))) for i in sorted(ids)}
    return Answer(peer.name, version, seen)


def _install(peer: Peer, home: Path) -> None:
    mark = home / ".installed"
    wanted = "\n".join(peer.requirements)
    if mark.exists() and mark.read_text() == wanted:
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, timeout=_INSTALL_LIMIT_S)
    pip = [str(home / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", *peer.requirements]
    subprocess.run(pip, check=True, timeout=_INSTALL_LIMIT_S, capture_output=True)
    mark.write_text(wanted)


def _written(work: Path, name: str, spell: Callable[[str], str], clouds: tuple[str, ...]) -> list[Path]:
    """Every program of some clouds, spelled for a peer; each in a folder of its case and side."""
    out: list[Path] = []
    for case in cases():
        for side in SIDES if case.program is not None and case.cloud in clouds else ():
            path = work / case.id / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(spell(getattr(case.program, side)), encoding="utf-8")
            out.append(path)
    return out


def _run(command: list[str], *, cwd: Path, text: str | None = None, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        input=text,
        capture_output=True,
        text=True,
        timeout=_ASK_LIMIT_S,
        env={**os.environ, **(env or {})},
        check=False,
    )
    if not done.stdout.strip():
        raise ValueError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no answer")
    return done.stdout


def _key(path: str) -> tuple[str, str] | None:
    parts = Path(path).parts
    return (parts[-3], parts[-2]) if len(parts) >= 3 else None


def _cfn_lint(home: Path, work: Path) -> Said:
    folder = work / "cloudformation"
    paths = _written(folder, "template.json", lambda p: json.dumps(cloudformation(p), indent=1), ("aws",))
    command = [str(home / "bin" / "cfn-lint"), "--regions", "us-east-2", "--format", "json", "--", *map(str, paths)]
    said: dict[tuple[str, str], set[str]] = {k: set() for p in paths if (k := _key(str(p)))}
    for found in json.loads(_run(command, cwd=folder)):
        key = _key(found["Filename"])
        if key:
            # What is quoted differs from form to form and says nothing new.
            message = re.sub(r"'[^']*'", "'…'", found["Message"])
            said[key].add(f"{found['Rule']['Id']} {message[:110]}")
    return {k: frozenset(v) for k, v in said.items()}


def _checkov(home: Path, work: Path) -> Said:
    said: dict[tuple[str, str], set[str]] = {}
    forms: tuple[tuple[str, str, Callable[[str], str], tuple[str, ...]], ...] = (
        ("terraform", "main.tf", terraform, ("aws", "gcp")),
        ("arm", "template.json", lambda p: json.dumps(arm(p), indent=1), ("azure",)),
    )
    for framework, name, spell, clouds in forms:
        folder = work / framework
        paths = _written(folder, name, spell, clouds)
        said |= {k: set[str]() for p in paths if (k := _key(str(p)))}
        command = [str(home / "bin" / "python"), str(home / "bin" / "checkov")]
        command += ["-d", str(folder), "--framework", framework, "-o", "json", "--compact", "--quiet"]
        reply = json.loads(_run(command, cwd=folder))
        for report in reply if isinstance(reply, list) else [reply]:
            for found in report.get("results", {}).get("failed_checks", []):
                key = _key(found["file_path"])
                if key:
                    said.setdefault(key, set()).add(
                        f"{found['check_id']} {found['resource'].rpartition('/')[2]}: {found['check_name']}"
                    )
    return {k: frozenset(v) for k, v in said.items()}


def _scripted(
    script: str, name: str, env: Mapping[str, str], more: Callable[[], dict[str, Any]] = dict
) -> Callable[[Path, Path], Said]:
    """Asks a peer through a script that runs in its environment; `more` is what the script needs beside the cases."""

    def ask(home: Path, work: Path) -> Said:
        asked: dict[str, Any] = more()
        for case in cases():
            for side, form in zip(SIDES, case.peers.get(name, ()), strict=False):
                asked[f"{case.id}/{side}"] = dict(form)
        work.mkdir(parents=True, exist_ok=True)
        surroundings = {k: v.format(home=home) for k, v in env.items()}
        command = [str(home / "bin" / "python"), str(FOLDER / script)]
        reply = _run(command, cwd=work, text=json.dumps(asked), env=surroundings)
        found: dict[str, list[str]] = json.loads(reply.strip().splitlines()[-1])
        return {(k.partition("/")[0], k.partition("/")[2]): frozenset(v) for k, v in found.items()}

    return ask


_PERSON = {"HOME": "{home}/person", "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}


def _catalog() -> dict[str, Any]:
    """SkyPilot downloads its catalog at first use. It gets one in its own format, from the tables here, so that the run
    needs no network and both tools judge by the same machines and prices."""
    columns = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region"
    files: dict[str, str] = {}
    gpus: dict[tuple[str, str, int], None] = {}
    for provider in Provider:
        lines = [f"{columns},AvailabilityZone"]
        for price in catalog.prices(provider):
            machine = catalog.instance_type(provider, price.instance_type)
            if not isinstance(machine, catalog.InstanceType) or not machine.has_gpu:
                continue
            gpu = machine.gpu_model.partition("-")[0]
            gpus[gpu, provider, machine.gpu_count] = None
            values = [machine.name, gpu, machine.gpu_count, machine.vcpus, machine.memory_gib, ""]
            values += [price.on_demand_usd_hour, price.spot_usd_hour, price.region, f"{price.region}-1"]
            lines.append(",".join("" if v is None else str(v) for v in values))
        files[f"{provider}/vms.csv"] = "\n".join(lines)
        files[f"{provider}/images.csv"] = "Tag,Region,OS,OSVersion,ImageId,CreationDate\n"
    files["common/accelerators.csv"] = "AcceleratorName\n" + "\n".join(sorted({g for g, _, _ in gpus}))
    files["common/metadata.csv"] = "GPU,MemoryGB,Manufacturer\n"
    return {"catalog": files}


def speaks(case: Case, peer: str) -> bool:
    """Whether a case is written in a language that a peer reads."""
    if peer == "checkov":
        return case.program is not None
    if peer == "cfn-lint":
        return case.program is not None and case.cloud == "aws"
    return {"aws-parallelcluster": "pcluster"}.get(peer, peer) in case.peers


PEERS = (
    Peer("checkov", ("checkov==3.3.30",), _checkov),
    Peer("cfn-lint", ("cfn-lint==1.58.0",), _cfn_lint),
    Peer(
        "aws-parallelcluster",
        ("aws-parallelcluster==3.16.1", "moto[ec2,fsx,ssm,s3,iam,cloudformation]"),
        _scripted("pcluster_side.py", "pcluster", {}),
    ),
    Peer("skypilot", ("skypilot==0.14.1",), _scripted("skypilot_side.py", "skypilot", _PERSON, _catalog)),
)
