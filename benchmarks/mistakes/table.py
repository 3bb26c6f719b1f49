"""The cases: tables of mistakes under `cases/`, read into values.

A case has a wrong and a right form in each language that can say it: a spec (changes laid over the base of its cloud), a
Pulumi program (the resources that it registers, a few words changed), and what peers read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

from gpuinfra.policy.examples import overlaid

FOLDER = Path(__file__).parent / "cases"
CLOUDS = ("aws", "gcp", "azure")


@dataclass(frozen=True)
class Form:
    """A mistake in one language: the wrong text, its right twin, and the finding that is expected."""

    bad: str
    good: str
    code: str
    path: str


@dataclass(frozen=True)
class Case:
    """One mistake."""

    id: str
    cloud: str
    mistake: str
    costs: str
    source: str
    spec: Form | None
    program: Form | None
    peers: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = field(
        default_factory=dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]
    )
    """By the peer's name: what it is asked in its own language, wrong and right."""
    aside: Mapping[str, str] = field(default_factory=dict[str, str])
    """Peers that say something else of the wrong form, and what: it does not count."""


class CaseError(Exception):
    """A table that cannot be read: a word to change that is not there once."""


@cache
def cases() -> tuple[Case, ...]:
    """Every case, by cloud, in the order of the tables."""
    base = _read("base.yaml")
    found: list[Case] = []
    for cloud in CLOUDS:
        programs = {p["name"]: str(p["resources"]) for p in _read(f"{cloud}_programs.yaml")}
        found += [_case(cloud, row, base[cloud], programs) for row in _read(f"{cloud}.yaml")]
    return tuple(found)


@cache
def programs() -> tuple[tuple[str, str, str], ...]:
    """(cloud, name, resources) of each right program that the cases change."""
    return tuple((c, str(p["name"]), str(p["resources"])) for c in CLOUDS for p in _read(f"{c}_programs.yaml"))


def _case(cloud: str, row: Mapping[str, Any], base: Mapping[str, Any], resources: Mapping[str, str]) -> Case:
    spec, program = row.get("spec"), row.get("program")
    peers = {
        name: (cast("Mapping[str, Any]", row[name]["bad"]), cast("Mapping[str, Any]", row[name]["good"]))
        for name in ("pcluster", "skypilot")
        if name in row
    }
    return Case(
        id=row["id"],
        cloud=cloud,
        mistake=row["mistake"],
        costs=row["costs"],
        source=row["source"],
        spec=_spec(spec, base) if spec else None,
        program=_program(row["id"], program, resources[program["of"]]) if program else None,
        peers=peers,
        aside=row.get("aside") or {},
    )


def _spec(row: Mapping[str, Any], base: Mapping[str, Any]) -> Form:
    bad, good = (_yaml(overlaid(base, row.get(side) or {})) for side in ("bad", "good"))
    return Form(bad, good, row["code"], row["path"])


def _yaml(spec: object) -> str:
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True)


def _program(name: str, row: Mapping[str, Any], resources: str) -> Form:
    bad, good = (_changed(name, resources, row.get(side) or []) for side in ("bad", "good"))
    return Form(bad, good, row["code"], row["path"])


def _changed(name: str, text: str, changes: list[list[str]]) -> str:
    """The text with each pair of (words, other words) changed."""
    for old, new in changes:
        if old not in text:
            raise CaseError(f"{name}: {old!r} is not in the program that it changes")
        text = text.replace(old, new)
    return text


def _read(file: str) -> Any:
    return yaml.safe_load((FOLDER / file).read_text(encoding="utf-8"))
