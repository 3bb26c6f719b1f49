"""MIG layouts: whether the instances that are asked for can stand on one GPU together, and the nearest that can."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..catalog import Accelerator, InstanceType
from ..diagnostics import Diagnostic, Severity, nearest
from ..vocabulary import FabricKind, Launcher
from . import image_findings as findings
from .models import MigPlan
from .versions import at_least

_PROFILE = re.compile(r"(?P<base>(?P<compute>\d{1,2})g\.(?P<memory>\d{1,4})gb)(?P<extra>\+gfx|\+me(?:\.all)?|-me)?")

# Placements of a profile: the memory slices at which it may start, and how many it takes. The driver refuses any other.
# Source: NVIDIA Multi-Instance GPU User Guide, Supported MIG Profiles and `nvidia-smi mig -lgipp` (2026-09); one set
# holds for every GPU with seven compute slices (A100, H100, H200, B200 and their kin), which have eight memory slices.
_Placements = dict[tuple[int, int], tuple[tuple[int, ...], int]]
_SEVEN: _Placements = {
    (1, 1): ((0, 1, 2, 3, 4, 5, 6), 1),
    (1, 2): ((0, 2, 4, 6), 2),
    (2, 2): ((0, 2, 4), 2),
    (3, 4): ((0, 4), 4),
    (4, 4): ((0,), 4),
    (7, 8): ((0,), 8),
}
_FOUR: _Placements = {(1, 1): ((0, 1, 2, 3), 1), (2, 2): ((0, 2), 2), (4, 4): ((0,), 4)}
_GEOMETRY: dict[int, tuple[int, _Placements]] = {7: (8, _SEVEN), 4: (4, _FOUR)}

# First driver with MIG where it came later than the GPU's own branch.
# Source: NVIDIA Multi-Instance GPU User Guide, Getting Started (2026-09)
_FIRST_DRIVER = {"B200": "570.133.20", "RTX-PRO-6000": "575.51.03"}

_MOST_SHOWN = 8


@dataclass(frozen=True)
class Fit:
    """Whether a layout stands. `reason` is empty where it does; `nearest` is the closest layout that stands."""

    fits: bool
    reason: str = ""
    nearest: tuple[str, ...] = ()


def first_mig_driver(accelerator: Accelerator) -> str:
    """The first driver that can make MIG instances on the GPU; empty where every driver of the GPU can."""
    return _FIRST_DRIVER.get(accelerator.model, "")


def mig_plan(
    path: str, wish: str | Sequence[str] | None, accelerator: Accelerator | None, instance: InstanceType, gpus: int
) -> tuple[MigPlan | None, tuple[Diagnostic, ...]]:
    """The MIG instances of each of a node's `gpus` GPUs, largest first, or why they cannot be had.

    One profile is repeated until the GPU is full; a list is the layout of each GPU. Largest first is the order in which
    they are to be made: a small instance made early can take the only place of a large one.
    """
    if wish is None or (not isinstance(wish, str) and not wish):
        return None, ()
    refusal = _refusal(path, accelerator, instance)
    if refusal or accelerator is None:
        return None, (refusal,) if refusal else ()
    single = isinstance(wish, str)
    names = [_normal(wish)] if isinstance(wish, str) else [_normal(w) for w in wish]
    unknown = _unknown_profiles(path, names, accelerator, instance)
    if unknown:
        return None, unknown
    if single:
        names = names * _most_alike(names[0], accelerator)
    fit = judge_layout(names, accelerator)
    if not fit.fits:
        hint = f"nearest layout that fits: mig: [{', '.join(fit.nearest)}]" if fit.nearest else ""
        text = f"{_shown(names)} does not fit on one {accelerator.model} of {instance.name}: {fit.reason}"
        return None, (findings.MIG_LAYOUT.at(path, text, hint),)
    ordered = tuple(sorted(names, key=lambda n: _size(n, accelerator), reverse=True))
    return MigPlan(ordered, len(ordered) * gpus), ()


def judge_layout(profiles: Sequence[str], accelerator: Accelerator) -> Fit:
    """Whether profiles (all of which the GPU has) can stand on one GPU at once."""
    geometry = _GEOMETRY.get(accelerator.mig_max_instances or 0)
    if geometry is None:
        return Fit(False, f"how {accelerator.model} may be cut is not known")
    slices, placements = geometry
    media = sum(1 for p in profiles if "+me" in p)
    if media > 1:
        return Fit(False, "at most one instance of a GPU can hold its media engines (+me)")
    kinds = [_kind(p, accelerator) for p in profiles]
    if len(kinds) <= slices and _place(tuple(sorted(kinds, reverse=True)), tuple(placements.items()), 0):
        return Fit(True)
    free: tuple[tuple[int, ...], int] = ((), slices)
    wanted = sum(placements.get(k, free)[1] for k in kinds)
    if wanted > slices:
        reason = f"it takes {wanted} memory slices of {slices}"
    else:
        starts = "; ".join(
            f"{p} may start at {', '.join(map(str, placements.get(k, free)[0]))}"
            for p, k in dict(zip(profiles, kinds, strict=True)).items()
        )
        reason = f"no placement of the instances on {slices} memory slices exists ({starts})"
    return Fit(False, reason, _nearest_layout(profiles, accelerator))


def mig_models(accelerators: Iterable[Accelerator]) -> tuple[str, ...]:
    """The models that have MIG."""
    return tuple(a.model for a in accelerators if a.mig_max_instances)


def driver_makes_mig(accelerator: Accelerator, driver: str) -> bool | None:
    """Whether a driver can make MIG instances on the GPU. None where that cannot be told."""
    first = first_mig_driver(accelerator)
    return at_least(driver, first) if first else True


def across_instances(
    path: str, layout: MigPlan, gpus: int, nodes: int, launcher: Launcher, fabric: FabricKind
) -> tuple[Diagnostic, ...]:
    """A finding where one job has to reach from MIG instance to MIG instance.

    torchrun starts one rank for each instance and joins them by NCCL. On a node with several instances that ends in an
    error, since each process sees one instance; with one a node it is not supported, and may run. What other launchers
    start may be made for it, over the host's memory; a fabric brings such a job little.
    """
    instances = len(layout.profiles) * gpus
    where = f"{instances} MIG instance{'s' if instances > 1 else ''} on "
    where += "a node" if nodes == 1 else f"each of {nodes} nodes"
    if launcher is Launcher.TORCHRUN and nodes * instances > 1:
        text = f"torchrun joins its processes by NCCL, which does not support MIG, and this pool has {where}"
        return (findings.MIG_ACROSS.at(path, text, severity=Severity.ERROR if instances > 1 else Severity.WARNING),)
    if launcher not in (Launcher.NONE, Launcher.TORCHRUN) and nodes * instances > 1:
        text = f"the {launcher} job spans {where}: NCCL does not support that, transfers through the host's memory work"
        return (findings.MIG_ACROSS.at(path, text, severity=Severity.WARNING),)
    if nodes > 1 and fabric is not FabricKind.NONE:
        text = f"{fabric} joins {where}: NCCL does not support MIG, so what uses NCCL gets nothing of the fabric"
        hint = "remove mig from this pool, or set fabric: none"
        return (findings.MIG_ACROSS.at(path, text, hint, severity=Severity.WARNING),)
    return ()


def _refusal(path: str, accelerator: Accelerator | None, instance: InstanceType) -> Diagnostic | None:
    at, remove = findings.MIG_UNSUPPORTED.at, "remove mig from this pool"
    if accelerator is None:
        return at(path, f"{instance.name} has no GPU, so there is nothing to split with MIG", remove)
    if instance.mig_supported is False:
        text = f"{instance.name} does not offer the MIG of its {accelerator.model} ({instance.source})"
        return at(path, text, remove)
    if instance.gpu_fraction is None:
        text = f"whether {instance.name} holds a whole {accelerator.model} or a share of one is unknown"
        return findings.MIG_UNVERIFIED.at(path, f"{text}, and a share cannot be split again", remove)
    if instance.gpu_fraction < 1:
        return at(path, f"{instance.name} holds a share of a {accelerator.model}, which cannot be split again", remove)
    if accelerator.mig_max_instances is None and accelerator.vendor == "NVIDIA":
        text = (
            f"whether {accelerator.model} ({instance.name}) has MIG is unknown: {accelerator.notes or 'no source says'}"
        )
        return findings.MIG_UNVERIFIED.at(path, text, remove)
    if not accelerator.mig_max_instances:
        whose = "" if accelerator.vendor == "NVIDIA" else f", a GPU of {accelerator.vendor},"
        hint = f"{remove}, or take a GPU with MIG such as A100, H100, H200 or B200"
        return at(path, f"{accelerator.model} ({instance.name}){whose} has no MIG", hint)
    return None


def _normal(wish: str) -> str:
    return wish.strip().lower().removeprefix("mig").lstrip("-_ ").removeprefix("all-")


def _unknown_profiles(
    path: str, names: Sequence[str], accelerator: Accelerator, instance: InstanceType
) -> tuple[Diagnostic, ...]:
    found: list[Diagnostic] = []
    for name in dict.fromkeys(names):
        match = _PROFILE.fullmatch(name)
        if match and match["base"] in accelerator.mig_profiles:
            continue
        shown = name if len(name) <= 40 else f"{name[:37]}…"
        # A profile keeps its compute share from GPU to GPU while its memory changes: that is the likeliest meaning.
        alike = [p for p in accelerator.mig_profiles if match and p.startswith(f"{match['compute']}g.")]
        near = alike or list(nearest(name, accelerator.mig_profiles))
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        hint += f"Profiles of {accelerator.model}: {', '.join(accelerator.mig_profiles)}"
        text = f"'{shown}' is no MIG profile of {accelerator.model} ({instance.name})"
        found.append(findings.MIG_PROFILE.at(path, text, hint))
    return tuple(found)


def _base(name: str) -> str:
    match = _PROFILE.fullmatch(name)
    return match["base"] if match else name


def _kind(name: str, accelerator: Accelerator) -> tuple[int, int]:
    """Compute slices and memory slices of a profile.

    Memory slices follow from the compute slices, save that the larger of two 1g profiles takes two.
    """
    match = _PROFILE.fullmatch(name)
    if not match:
        return (0, 0)
    compute = int(match["compute"])
    if compute > 1:
        return next((k for k in _GEOMETRY[accelerator.mig_max_instances or 7][1] if k[0] == compute), (0, 0))
    small = min((_memory(p) for p in accelerator.mig_profiles if p.startswith("1g.")), default=0)
    return (1, 1 if int(match["memory"]) <= small else 2)


def _memory(profile: str) -> int:
    match = _PROFILE.fullmatch(profile)
    return int(match["memory"]) if match else 0


def _size(name: str, accelerator: Accelerator) -> tuple[int, int]:
    compute, memory = _kind(name, accelerator)
    return memory, compute


@lru_cache(maxsize=4096)
def _place(
    kinds: tuple[tuple[int, int], ...],
    placements: tuple[tuple[tuple[int, int], tuple[tuple[int, ...], int]], ...],
    taken: int,
) -> bool:
    """Whether every kind finds free slices, given the slices (a bit each) that are taken."""
    if not kinds:
        return True
    starts, size = dict(placements).get(kinds[0], ((), 0))
    for start in starts:
        mask = ((1 << size) - 1) << start
        if not taken & mask and _place(kinds[1:], placements, taken | mask):
            return True
    return False


def _most_alike(name: str, accelerator: Accelerator) -> int:
    """How many instances of one profile a GPU holds; 1 where it can have only one of that form."""
    geometry = _GEOMETRY.get(accelerator.mig_max_instances or 0)
    if geometry is None or "+me" in name:
        return 1
    starts, size = geometry[1].get(_kind(name, accelerator), ((0,), 1))
    return sum(1 for s in starts if s % size == 0)


@lru_cache(maxsize=64)
def _layouts(profiles: tuple[str, ...], accelerator: Accelerator) -> tuple[tuple[str, ...], ...]:
    """Every layout that stands, each largest first."""
    geometry = _GEOMETRY[accelerator.mig_max_instances or 7]
    placements = tuple(geometry[1].items())
    found: list[tuple[str, ...]] = []

    def grow(layout: tuple[str, ...], rest: Sequence[str]) -> None:
        for i, profile in enumerate(rest):
            wider = (*layout, profile)
            kinds = tuple(sorted((_kind(p, accelerator) for p in wider), reverse=True))
            if _place(kinds, placements, 0):
                found.append(wider)
                grow(wider, rest[i:])

    grow((), sorted(profiles, key=lambda p: _size(p, accelerator), reverse=True))
    return tuple(found)


def _nearest_layout(profiles: Sequence[str], accelerator: Accelerator) -> tuple[str, ...]:
    """The layout that stands with fewest instances dropped and added; of equals the one that uses most of the GPU."""
    wanted = Counter(_base(p) for p in profiles)

    def distance(layout: tuple[str, ...]) -> tuple[int, int, tuple[str, ...]]:
        have = Counter(layout)
        moved = sum((wanted - have).values()) + sum((have - wanted).values())
        return moved, -sum(_kind(p, accelerator)[0] for p in layout), layout

    return min(_layouts(accelerator.mig_profiles, accelerator), key=distance, default=())


def _shown(names: Sequence[str]) -> str:
    if len(names) <= _MOST_SHOWN:
        return f"[{', '.join(names)}]"
    return f"[{', '.join(names[:_MOST_SHOWN])}, … {len(names)} in all]"
