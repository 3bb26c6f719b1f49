"""Every rule of the house, found by walking the rules folders: a rule is one file, named after its code."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module
from types import ModuleType

from ..diagnostics import Code
from .rule import AccountRule, PlanRule, ResourceRule, Rule

_FILE = re.compile(r"(gi([234])\d{3})_([a-z0-9_]+)")


class RegistryError(Exception):
    """A rule file that breaks the house's form: a fault of the tool, never of the input."""


@cache
def plan_rules() -> tuple[PlanRule, ...]:
    """The rules over plans, by code. Imports their modules at the first call."""
    return tuple(r for r in _load("plan") if isinstance(r, PlanRule))


@cache
def resource_rules() -> tuple[ResourceRule, ...]:
    """The rules over resources, by code. Imports their modules at the first call."""
    return tuple(r for r in _load("resource") if isinstance(r, ResourceRule))


@cache
def account_rules() -> tuple[AccountRule, ...]:
    """The rules over an account, by code. Imports their modules at the first call."""
    return tuple(r for r in _load("account") if isinstance(r, AccountRule))


def all_rules() -> tuple[Rule, ...]:
    """Every kind, by code."""
    return (*plan_rules(), *resource_rules(), *account_rules())


def rule(code: str) -> Rule | None:
    """The rule of a code, case aside."""
    return next((r for r in all_rules() if r.code.code == code.upper()), None)


def module_of(rule: Rule) -> ModuleType:
    """The module that holds a rule: its docstring is the rule's page in the reference."""
    return import_module(rule.check.__module__)


def _load(folder: str) -> list[Rule]:
    package = import_module(f".rules.{folder}", __package__)
    found: dict[str, Rule] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        match = _FILE.fullmatch(info.name)
        if not match:
            raise RegistryError(
                f"{package.__name__}.{info.name} is not named as a rule, gi2201_<slug>, gi3001_<slug> or gi4001_<slug>"
            )
        rule = getattr(import_module(f"{package.__name__}.{info.name}"), "RULE", None)
        if not isinstance(rule, (PlanRule, ResourceRule, AccountRule)):
            raise RegistryError(f"{package.__name__}.{info.name} has no RULE")
        code = match[1].upper()
        if rule.code.code != code or rule.code.slug != match[3].replace("_", "-"):
            raise RegistryError(
                f"{package.__name__}.{info.name} holds {rule.code.code} {rule.code.slug}; file name, code and slug must agree"
            )
        if code in found:
            raise RegistryError(f"{code} is taken twice, by {found[code].code.slug} and {rule.code.slug}")
        found[code] = rule
    return list(found.values())


def plan_code(number: str) -> Code:
    """The code of a plan rule that is known by its number."""
    return next(r.code for r in plan_rules() if r.code.code == number)


@cache
def house_codes() -> frozenset[str]:
    """Every code of the house that a finding may carry, by the names of the rules' files, so that no rule is imported;
    and those of components and rooms, which stand in a layer above."""
    from ..node.findings import CODES as NODE
    from ..plan.findings import CODES as PLAN
    from ..plan.image_findings import CODES as IMAGES
    from ..spec.findings import CODES as SPEC
    from .baseline import CODES as BASELINE
    from .settings import CODES as SETTINGS

    rules = import_module(".rules", __package__)
    found = {c.code for c in (*SPEC, *PLAN, *IMAGES, *NODE, *SETTINGS, *BASELINE)}
    for kind in pkgutil.iter_modules(rules.__path__):
        folder = import_module(f".rules.{kind.name}", __package__)
        names = (_CODE.match(m.name) for m in pkgutil.iter_modules(folder.__path__))
        found.update(m[1].upper() for m in names if m)
    return frozenset(found | ROOM_CODES | DOOR_CODES)


ROOM_CODES = frozenset(f"GI217{n}" for n in range(10))
"""Kept for gpuinfra.providers.findings, which this layer cannot import."""
DOOR_CODES = frozenset(
    (*(f"GI108{n}" for n in range(9)), "GI1090", "GI1091", "GI1092", *(f"GI490{n}" for n in (1, 2, 3)))
)
"""Of gpuinfra.lint.findings and gpuinfra.preflight.findings, which this layer cannot import either."""
_CODE = re.compile(r"(gi\d{4})_")
