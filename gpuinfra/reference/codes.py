"""Every code that a finding can carry, gathered from the modules that define them and from the rules."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from ..diagnostics import Code
from ..policy.registry import all_rules, module_of
from ..policy.rule import AccountRule, PlanRule, ResourceRule, Rule
from .examples import shown_examples

MODULES = (
    "gpuinfra.spec.findings",
    "gpuinfra.plan.findings",
    "gpuinfra.plan.image_findings",
    "gpuinfra.node.findings",
    "gpuinfra.providers.findings",
    "gpuinfra.lint.findings",
    "gpuinfra.preflight.findings",
    "gpuinfra.policy.settings",
    "gpuinfra.policy.baseline",
)
"""Modules with a tuple CODES."""

TITLES = {
    "GI1": "Reading a spec, or what is linted",
    "GI2": "The plan",
    "GI3": "Resources",
    "GI4": "The account",
}


class DuplicateCodeError(Exception):
    """Two entries with one code: a fault of the tool."""


def all_codes(extra: Iterable[Code] = ()) -> dict[str, Code]:
    """Every code by its name, in order. `extra` are codes of layers above this one. Raises DuplicateCodeError."""
    found: dict[str, Code] = {}
    for code in (*extra, *_defined(), *(rule.code for rule in all_rules())):
        if code.code in found and found[code.code] != code:
            raise DuplicateCodeError(f"{code.code} is both {found[code.code].slug} and {code.slug}")
        found[code.code] = code
    return dict(sorted(found.items()))


def _defined() -> Iterable[Code]:
    for name in MODULES:
        if find_spec(name) is not None:
            yield from cast(tuple[Code, ...], import_module(name).CODES)


def rules_by_code() -> dict[str, Rule]:
    """The rules by their code."""
    return {rule.code.code: rule for rule in all_rules()}


def rule_page(code: Code, rule: Rule | None) -> str:
    """The Markdown of one code: what, why, fix, references, and the examples of a rule."""
    out = [
        f'<a id="{code.code.lower()}"></a>',
        f"### {code.code} {code.slug}",
        "",
        f"*{code.severity}{f'; {code.varies}' if code.varies else ''}*. {_written(code, rule)}",
    ]
    if code.facts:
        out += ["", f"Facts: {', '.join(code.facts)}."]
    if code.references:
        out += ["", "References:", "", *(f"- {r}" for r in code.references)]
    if rule is not None:
        out += _examples(rule)
    for title, text in shown_examples(code.code):
        out += ["", f"{title}:", "", "```yaml", text.strip("\n"), "```"]
    return "\n".join(out).rstrip() + "\n"


def _written(code: Code, rule: Rule | None) -> str:
    own = _sections(inspect.getdoc(import_module(module_of(rule).__name__)) or "") if rule else {}
    what = own.get("What") or code.summary
    why = own.get("Why") or code.why
    fix = own.get("Fix") or code.fix
    references = own.get("References", "")
    parts = [what, f"**Why.** {why}" if why else "", f"**Fix.** {fix}" if fix else ""]
    if references and not code.references:
        parts.append(f"**References.** {references}")
    return "\n\n".join(p for p in parts if p)


def _sections(doc: str) -> dict[str, str]:
    """The parts of a rule's docstring by heading: a line that is What, Severity, Why, Fix or References, with a colon or not."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in doc.splitlines():
        word, colon, rest = line.strip().partition(":")
        if word in ("What", "Severity", "Why", "Fix", "References") and (colon or not rest):
            current = word
            found[current] = [rest.strip()]
        elif current and not (line.strip() and set(line.strip()) <= set("-=~")):
            found[current].append(line)
    return {heading: "\n".join(lines).strip() for heading, lines in found.items()}


_EXAMPLES_OF: dict[type[Rule], str] = {
    PlanRule: "laid over a right spec",
    ResourceRule: "resources",
    AccountRule: "a spec, laid over a right one, and the account's facts",
}


def _examples(rule: Rule) -> list[str]:
    over = _EXAMPLES_OF[type(rule)]
    out: list[str] = []
    for title, examples in (
        ("Caught", rule.examples.bad),
        ("Right", rule.examples.good),
        ("Undecided", rule.examples.unknown),
    ):
        if examples:
            out += ["", f"{title} ({over}):", "", "```yaml", examples[0].strip("\n"), "```"]
    return out
