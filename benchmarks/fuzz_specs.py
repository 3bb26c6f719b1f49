"""Faulty specs by the thousand: reading, planning and judging them may refuse, but never raise.

    python benchmarks/fuzz_specs.py --count 20000 [--seed 1]
    python benchmarks/fuzz_specs.py --seed 1 --only 4711      (one case again, with what it was)

Each case is made from a right spec by a few changes, drawn from the seed and the case's number alone: to the YAML text
or to the data. What raises is printed with its number, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from gpuinfra.diagnostics import Diagnostic, Severity  # noqa: E402
from gpuinfra.spec.load import Loaded, load, parse  # noqa: E402
from gpuinfra.spec.models import ClusterSpec  # noqa: E402

SPECS = sorted((ROOT / "tests" / "data" / "specs").glob("*.yaml"))
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)

WORDS = [
    "", " ", "no", "yes", "null", "~", "true", "010", "0x1F", "1e400", ".inf", "-.inf", ".nan", "-1", "0", "1.5", "4.0",
    "9" * 400, "-" + "9" * 30, "12:30", "2026-12-01", "2026-12-01T00:00:00", "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00", "2026-02-30T00:00:00Z", "2026-11-29T00:00:00Z", "0s", "1m", "30m", "72", "99999999999h",
    "1e9h", "9.6 TB", "9600 GiB", "-5 GiB", "1 ZB", "10.0.0.0/33", "10.0.0.0/0", "300.1.1.1/16", "::/0", "0.0.0.0/0",
    "10.0.0.0/30", "/", "//", "/..", "/etc", "../x", "a/b", "$(touch /tmp/pwned)", "`id`", "; rm -rf /", "' || true #",
    '"', "\\", "{{ x }}", "{", "[", "}", "*a", "&a", "!x", "%x", "@x", "|", ">", "#", "-", "?", ":", ": ", "\t",
    "p5.48xlarge", "p5.49xlarge", "p4d.24xlarge", "g4dn.xlarge", "p6-b300.48xlarge", "u-p6e-gb200x36", "n1-standard-8",
    "n1-standard-0", "n1-standard-abc", "a3-highgpu-8g", "a4x-highgpu-4g", "Standard_ND40rs_v2", "Standard_NC6", "H100",
    "A100", "B200", "MI300X", "aws", "gcp", "azure", "us-east-1", "us-east-1a", "use1-az1", "mars-north-1", "1", "3",
    "spot", "reservation", "capacity_block", "flex_start", "cr-0aaa1111bbbb2222c", "auto", "none", "required", "1g.10gb",
    "7g.80gb", "9g.900gb", "0 20 * * 1-5", "* * * * * *", "99 99 31 2 9", "Europe/Berlin", "Mars/Olympus", "SIGTERM",
    "s3://acme", "gs://acme", "s3://", "https://x.blob.core.windows.net/y", "nvidia/cuda:13.0.0-base-ubuntu24.04",
    "pytorch/pytorch:latest", "x@sha256:abc", "UPPER/case:tag", "ami-0a1b2c3d4e5f60718", "a:b:c:latest", "/aws/service/x",
    "ssh-rsa AAAAB3NzaC1yc2E", "-----BEGIN OPENSSH PRIVATE KEY-----", "a" * 64, "a" * 5000, "ünïcödé", "名前", "\u202egnp",
    "\ud7ff", "\U0001f680" * 20, "\x00", "\x1b[31m", "a\nb", "a\r\nb", "\x7f", "\x85", "\u2028", "\ufeff", "GI2201",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 17, 10_000, 10_001, 2**31, 2**63, 2**64, -(2**63), 10**30, 10**400, 0.0, -0.0, 0.5,
    1e-320, 1e308, float("inf"), float("-inf"), float("nan"), [], {}, [[]], [{}], [None], {"": ""}, {"a": {"b": {}}},
    {"min": 0, "max": 8}, {"min": 5, "max": 1}, {"max": 10_000}, {"type": "spot"}, {"provider": "gcp"}, b"x", (), set(),
    {1: 2}, {None: 1}, datetime(2026, 12, 1), datetime(1, 1, 1, tzinfo=UTC), datetime.max, object(),
]  # fmt: skip
TEXT_PIECES = [
    "\t", "  ", "\n", "---\n", "...\n", "%YAML 1.1\n", "# ", ": ", ":", "- ", "? ", "{", "}", "[", "]", ",", "'", '"', "|",
    ">", "&a ", "*a", "<<: *a\n", "<<: 1\n", "!!python/object/apply:os.system [id]\n", "!Ref x", "\x00", "\x1b[2J", "\ufeff",
    "\u2028", "\ud7ff", "&a [*a]", "[" * 50, "- " * 50, "{a: " * 40, "x: &x [" + "y," * 200 + "]\n", "name: again\n",
]  # fmt: skip

# Values that reading takes, so that planning and the rules see them.
PLAUSIBLE: dict[str, list[Any]] = {
    "provider": ["aws", "gcp", "azure"],
    "region": ["us-east-1", "us-east-2", "us-west-2", "us-central1", "eastus", "francecentral", "mars-north-1", "x" * 300],
    "zone": ["use1-az1", "use2-az1", "us-east-1a", "us-central1-b", "us-central1-z", "1", "9", "ü", None],
    "project": ["acme-lab", "x", "$(id)"],
    "cidr": ["10.0.0.0/8", "10.0.0.0/29", "10.0.0.1/16", "8.8.8.0/24", "172.16.0.0/16", "0.0.0.0/0", "fd00::/48", "x", None],
    "existing": [None, {"network": "vpc-1", "subnet": "subnet-1"}, {"network": "; id", "subnet": "ü"}],
    "ssh_from": [["0.0.0.0/0"], ["::/0", "x"], ["10.0.0.0/8"] * 70],
    "instance_type": [
        "p5.48xlarge", "p5.4xlarge", "p5e.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge", "p4d.24xlarge", "g6.xlarge",
        "g4dn.12xlarge", "p3.16xlarge", "m7i.large", "u-p6e-gb200x36", "a3-highgpu-8g", "a3-highgpu-2g", "a3-megagpu-8g",
        "a4-highgpu-8g", "a4x-highgpu-4g", "g2-standard-4", "n1-standard-8", "n1-standard-96", "n1-standard-0", "n1-standard-x",
        "Standard_ND96isr_H100_v5", "Standard_ND40rs_v2", "Standard_NC6", "Standard_NV36ads_A10_v5", "p5.49xlarge", "", None,
    ],
    "accelerator": [{"model": m, "count": c} for m in ("H100", "A100", "T4", "L4", "MI300X", "H10", "ü") for c in (1, 3, 8, 16)],
    "memory_gib": [40, 80, 0.5, 10_000],
    "count": [0, 1, 2, 100, 10_000, {"min": 0, "max": 8}, {"min": 3, "max": 10_000, "initial": 4}],
    "capacity": [
        {"type": "spot"}, {"type": "reservation"}, {"type": "reservation", "id": "cr-0aaa1111bbbb2222c"},
        {"type": "capacity_block", "id": "cr-0aaa1111bbbb2222c"}, {"type": "flex_start", "duration": "1s"},
        {"type": "capacity_block", "id": "x; id", "starts": "2199-12-31T23:59:59Z", "ends": "2000-01-01T00:00:00Z"},
        {"type": "flex_start", "duration": "3650d"}, {"type": "on_demand", "id": "x", "duration": "1h"},
    ],
    "fabric": ["auto", "required", "none"],
    "proximity": ["auto", "none", "my-group", "x" * 3000, "$(id)"],
    "mig": ["1g.10gb", "7g.80gb", "0g.0gb", "x", ["1g.5gb"] * 7, ["3g.40gb", "4g.40gb"], ["1g.10gb"] * 500],
    "local_nvme": ["raid0", "separate", "none"],
    "public_ip": [True, False, None],
    "public_nodes": [True, False],
    "kind": ["lustre", "nfs", "bucket"],
    "size_gib": [1, 0.001, 1200, 9600, "9.6 TB", "1 PiB", 2**40, None],
    "throughput_mbps_per_tib": [1, 125, 500, 1000, 100_000],
    "mount": ["/", "/home", "/scratch/..", "relative", "/a b", "/$(id)", "/ü", "/" + "x" * 200, "/scratch/deeper"],
    "import_from": ["s3://b", "gs://b/p", "x", "https://acme.blob.core.windows.net/c"],
    "container": [w for w in WORDS if 0 < len(w) < 100],
    "node": [w for w in WORDS if 0 < len(w) < 100],
    "path": ["/", "relative", "/scratch", "/nowhere/ckpt", "s3://b"],
    "every": ["1s", "3650d"],
    "pools": [[], ["gpu"], ["gp"], ["gpu", "gpu"], ["$(id)"]],
    "per_month_usd": [1e-9, 1, 1e9],
    "per_hour_usd": [1e-9, 1, 1e9],
    "start": ["2000-01-01", "2199-12-31", "2026-12-15"],
    "alerts_percent": [[], [0], [-1e308, 1e308], [50] * 50, [1e-320]],
    "contacts": [[], ["x"], ["a@b.c"] * 100],
    "lease": ["1s", "3650d", "2000-01-01T00:00:00Z", "2199-12-31T23:59:59-12:00", "2026-11-30T10:00:00+01:00"],
    "idle_after": ["1s", "3650d"],
    "cron": ["* * * * *", "0 0 31 2 *", "x", "*/0 * * * *", "99 99 99 99 99", "1-0 5,,3 ? L #", "9" * 300 + " * * * *"],
    "timezone": ["UTC", "Mars/Olympus", "../../etc/passwd", "/etc/passwd", "x" * 5000, "ü", "\x00"],
    "labels": [{"aws:x": "y"}, {"k" * 300: "v" * 300}, {"ü": "$(id)"}, {f"k{i}": "v" for i in range(200)}],
    "scheduler": ["slurm", "kubernetes"],
    "workload": ["training", "inference", "rendering", "interactive", "simulation"],
    "expires": ["2000-01-01", "2199-12-31"],
    "code": ["GI2001", "GI2201", "GI9999"],
}  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """A case that raised, or whose findings are not fit to be shown."""

    case: int
    stage: str
    what: str


def changed_text(text: str, rng: random.Random) -> str:
    """Text with one change: a piece put in, a line moved, a value replaced, a part cut out, an explosion appended."""
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines)) if lines else 0
    choice = rng.randrange(10)
    if choice == 0 or not lines:
        place = rng.randrange(len(text) + 1)
        return text[:place] + rng.choice(TEXT_PIECES) + text[place:]
    if choice == 1:
        del lines[at]
    elif choice == 2:
        lines.insert(rng.randrange(len(lines)), lines[at])
    elif choice == 3:
        lines[at] = " " * rng.randrange(6) + lines[at].lstrip()
    elif choice == 4:
        return text[: rng.randrange(len(text) + 1)]
    elif choice == 5:
        head, colon, _ = lines[at].partition(": ")
        lines[at] = f"{head}{colon}{rng.choice(WORDS)}\n"
    elif choice == 6:
        place = rng.randrange(len(text))
        return text[:place] + chr(rng.choice([rng.randrange(1, 128), rng.randrange(0xD7FF)])) + text[place + 1 :]
    elif choice == 7:
        lines[at] = lines[at].replace(rng.choice(list(lines[at])), rng.choice(WORDS), 1)
    elif choice == 8:
        depth = rng.randrange(2, 12)
        bomb = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, depth))
        lines.append(f"a0: &a0 [{', '.join('x' * 9)}]\n{bomb}labels: *a{depth - 1}\n")
    else:
        lines[at] = lines[at].replace("_", "-").swapcase() if rng.random() < 0.5 else lines[at].rstrip("\n")
    return "".join(lines)


def changed_data(data: Any, rng: random.Random) -> Any:
    """Data with one change somewhere below: a value, a key, a level, a repetition."""
    holders: list[Any] = []
    stack = [data]
    while stack:
        one = stack.pop()
        if isinstance(one, (dict, list)) and one:
            holders.append(one)
            stack.extend(one.values() if isinstance(one, dict) else one)
    if not holders:
        return data
    holder = rng.choice(holders)
    keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    key = rng.choice(keys)
    choice = rng.randrange(9)
    if choice <= 2:
        holder[key] = copy.deepcopy(rng.choice(WORDS))
    elif choice <= 4:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    elif choice == 5:
        holder[key] = rng.choice([[holder[key]], {"x": holder[key]}, {str(key): holder[key]}, str(holder[key])])
    elif choice == 6 and isinstance(holder, dict):
        new = rng.choice([str(key).replace("_", "-"), str(key).upper(), str(key)[:-1], rng.choice(WORDS), 7, None])
        holder[new] = holder.pop(key)
    elif choice == 7:
        del holder[key]
    elif isinstance(holder, list):
        holder.extend(copy.deepcopy([holder[key]] * rng.choice([1, 2, 30])))
    else:
        holder[rng.choice(WORDS)] = copy.deepcopy(rng.choice(VALUES))
    return data


def plausible_data(data: Any, rng: random.Random) -> Any:
    """Data with one value that its key takes, wherever it stands, put in the place of another."""
    holders: list[tuple[dict[str, Any], str]] = []
    stack = [data]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            holders += [(one, key) for key in one if key in PLAUSIBLE]
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
    if holders:
        holder, key = rng.choice(holders)
        holder[key] = copy.deepcopy(rng.choice(PLAUSIBLE[key]))
    return data


Case = tuple[str, Any]
"""("text", YAML) or ("data", plain data)."""


def make_case(seed: int, number: int) -> Case:
    """The case of that number: the same for the same seed, whatever ran before."""
    rng = random.Random(f"{seed}:{number}")
    text = rng.choice(SPECS).read_text(encoding="utf-8")
    if rng.random() < 0.4:
        for _ in range(rng.choice([1, 1, 2, 4])):
            text = changed_text(text, rng)
        return "text", text
    import yaml

    data: Any = copy.deepcopy(yaml.safe_load(text))
    data = json.loads(json.dumps(data, default=str))
    change = plausible_data if rng.random() < 0.7 else changed_data
    for _ in range(rng.choice([1, 1, 2, 5])):
        data = change(data, rng)
    return "data", data


def planner() -> Callable[[ClusterSpec], list[Diagnostic]] | None:
    """Planning and judging, or None where they are not part of this installation."""
    try:
        from gpuinfra.plan.resolve import resolve
        from gpuinfra.policy.engine import check_plan
    except ImportError:
        return None

    def plan(spec: ClusterSpec) -> list[Diagnostic]:
        resolution = resolve(spec, NOW)
        found = list(resolution.diagnostics)
        if resolution.plan is not None:
            found += check_plan(resolution.plan)
        return found

    return plan


def faults_of(found: tuple[Diagnostic, ...] | list[Diagnostic]) -> str:
    """What is wrong with findings as text for a person: empty where nothing is."""
    for d in found:
        # A hint may show a command of several lines.
        text = f"{d}{d.path}" + d.hint.replace("\n", "").replace("\t", "")
        if not d.code or not d.message:
            return f"a finding without code or text: {d!r}"
        if not all(c.isprintable() for c in text):
            return f"a finding that a terminal would obey: {text!r}"
        if len(text) > 4000:
            return f"a finding of {len(text)} characters: {text[:200]!r}"
    return ""


def run_case(
    case: Case, number: int, plan: Callable[[ClusterSpec], list[Diagnostic]] | None, seen: Counter[str]
) -> list[Failure]:
    """The failures of one case; what came out is counted in `seen`."""
    kind, what = case
    stage = "load"
    try:
        loaded: Loaded = load("fuzz.yaml", what) if kind == "text" else parse(what)
        found = list(loaded.diagnostics)
        if loaded.spec is None and not any(d.severity is Severity.ERROR for d in found):
            return [Failure(number, stage, "no spec and no error")]
        seen["refused on reading" if loaded.spec is None else "read"] += 1
        if loaded.spec is not None and plan is not None:
            stage = "plan"
            found += [loaded.locate(d) for d in plan(loaded.spec)]
            seen["planned, with errors" if any(d.is_error for d in found) else "planned, clean"] += 1
        seen.update(d.code for d in found)
        fault = faults_of(found)
        return [Failure(number, stage, fault)] if fault else []
    except Exception:
        return [Failure(number, stage, traceback.format_exc())]


def run(seed: int, count: int, *, only: int | None = None) -> tuple[list[Failure], Counter[str]]:
    """Runs the cases and returns what raised, and how often each outcome and each code came."""
    plan = planner()
    seen: Counter[str] = Counter()
    failures: list[Failure] = []
    for number in range(count) if only is None else [only]:
        failures += run_case(make_case(seed, number), number, plan, seen)
    return failures, seen


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this case alone and print it")
    options = parser.parse_args(argv)
    if options.only is not None:
        kind, what = make_case(options.seed, options.only)
        print(what if kind == "text" else repr(what))
    start = time.perf_counter()
    failures, seen = run(options.seed, options.count, only=options.only)
    took = time.perf_counter() - start
    for failure in failures[:20]:
        print(f"seed {options.seed}, case {failure.case}, {failure.stage}:\n{failure.what}\n", file=sys.stderr)
    cases = 1 if options.only is not None else options.count
    print(f"{cases} specs in {took:.1f} s, {len(failures)} raised or spoke unfit text")
    print(", ".join(f"{what}: {n}" for what, n in seen.most_common()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
