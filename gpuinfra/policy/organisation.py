"""An organisation's own rules: GI9NNN, from the entry point group `gpuinfra.rules` of an installed package."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from .aside import told_aside
from .registry import house_codes
from .rule import Rule

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "gpuinfra.rules"
_CODE = re.compile(r"GI9\d{3}")
_METADATA = (".dist-info", ".egg-info")


class OwnRulesError(Exception):
    """An organisation's rules cannot be used, where nothing else can say so."""


@dataclass(frozen=True)
class OwnRules:
    """The rules of the installed packages, and what is wrong with those that could not be used."""

    rules: tuple[Rule, ...] = ()
    faults: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Packages that were asked for and have no rules here."""


@cache
def own_rules(packages: tuple[str, ...] | None = None) -> OwnRules:
    """The rules of these packages, or of every installed one, by code. Never raises for what a package does."""
    if packages == () or not (packages or _any_installed()):
        return OwnRules()
    points = list(_entry_points())
    names = {_folded(_package(p)) for p in points}
    missing = tuple(p for p in packages or () if _folded(p) not in names)
    wanted = None if packages is None else {_folded(p) for p in packages}
    found: dict[str, Rule] = {}
    owners: dict[str, str] = {}
    faults: list[str] = []
    for point in points:
        if wanted is not None and _folded(_package(point)) not in wanted:
            continue
        try:
            with told_aside():
                given = _rules_in(point.load())
        except (Exception, SystemExit) as e:
            reason = " ".join(f"{type(e).__name__}: {e}".split())[:300]
            faults.append(f"the rules of {_named(point)} cannot be loaded: {reason}; mend or uninstall the package")
            continue
        if not given:
            faults.append(
                f"the entry point '{point.name}' of {_package(point)} ({point.value}) holds no rules, so that nothing is judged "
                "by it; give it RULES = […], or name the module that has them"
            )
        for rule in given:
            if fault := _fault(rule, owners, point):
                faults.append(fault)
                continue
            code = cast(Rule, rule).code.code
            found[code] = cast(Rule, rule)
            owners[code] = _named(point)
    return OwnRules(tuple(found[c] for c in sorted(found)), tuple(faults), missing)


def is_known(code: str) -> bool:
    """Whether a finding may have a code: one of the house, or of a rule that is installed here."""
    if code in house_codes():
        return True
    return bool(_CODE.fullmatch(code)) and any(r.code.code == code for r in own_rules().rules)


def _fault(rule: object, owners: dict[str, str], point: EntryPoint) -> str:
    """What keeps a rule from being used, as a sentence; empty for one that can be."""
    if not isinstance(rule, Rule):
        return (
            f"the rules of {_named(point)} hold {type(rule).__name__}; PlanRule, ResourceRule and AccountRule are taken"
        )
    code = rule.code.code
    if not _CODE.fullmatch(code):
        return f"rule {code} of {_named(point)} is left out: the codes of own rules are GI9000 to GI9999"
    if code in owners:
        return f"rule {code} of {_named(point)} is left out: {owners[code]} has that code already; take another"
    return ""


def _rules_in(given: Any) -> Sequence[object]:
    """The rules of an entry point: a rule, a list of them, or a module that has RULES, or one rule or more by name."""
    if isinstance(given, Rule):
        return (given,)
    if isinstance(given, ModuleType):
        listed = getattr(given, "RULES", None)
        if listed is None:
            return tuple(dict.fromkeys(v for v in vars(given).values() if isinstance(v, Rule)))
        given = listed
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"the entry point is {type(given).__name__}; a module or a list of rules is wanted")
    return tuple(cast("Iterable[object]", given))


def _named(point: EntryPoint) -> str:
    return f"{_package(point)} (entry point '{point.name}')"


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _entry_points() -> Iterator[EntryPoint]:
    from importlib.metadata import entry_points

    seen: set[tuple[str, str]] = set()
    for point in sorted(entry_points(group=GROUP), key=lambda p: (_package(p), p.name)):
        if (point.name, point.value) not in seen:
            seen.add((point.name, point.value))
            yield point


def _any_installed() -> bool:
    """Whether a package has such entry points. Importlib's own search takes longer than a whole check of a spec; most
    have none, and a look into the packages' lists of entry points tells so."""
    return any(_mentions(path) for path in dict.fromkeys(sys.path))


def _mentions(path: str) -> bool:
    try:
        with os.scandir(path or ".") as entries:
            folders = [e.path for e in entries if e.name.endswith(_METADATA)]
    except OSError:
        # A zip file, or nothing: only importlib can look into it.
        return os.path.isfile(path) and path.endswith((".whl", ".egg"))
    for folder in folders:
        try:
            with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
                if GROUP.encode() in file.read():
                    return True
        except OSError:
            continue
    return False
