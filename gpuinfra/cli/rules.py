"""`gpuinfra rules`: every code that a finding may carry."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ..diagnostics import Code, Severity
from ..vocabulary import Provider
from . import filters, listing
from .judge import format_option
from .listing import Column
from .output import as_json, note, write
from .rows import Row

COLUMNS = (
    Column("code", listing.text("code")),
    Column("severity", listing.text("severity")),
    Column(
        "clouds", lambda row: "all" if len(row["providers"]) == len(Provider) else " ".join(row["providers"]), rank=2
    ),
    Column("name", listing.text("slug")),
    Column("tags", lambda row: " ".join(row["tags"]), rank=1),
    Column("facts", lambda row: ", ".join(row["facts"]), rank=3, sparse=True),
)

_KINDS: Mapping[str, str] = {"GI1": "reading", "GI20": "deciding", "GI21": "deciding", "GI49": "account"}
"""Tag of the codes that no rule gives, by their beginning: what reads a file, what decides a plan, and what
reads an account."""


@click.command("rules")
@listing.provider_option
@click.option("--severity", metavar="NAME", help="Only error, warning or info.")
@click.option("--tag", metavar="NAME", help="Only with this tag: money, network, storage …")
@format_option
def command(provider: str | None, severity: str | None, tag: str | None, format_: str) -> int:
    """List the rules, and every other code that a finding may carry.

    Also the rules of an organisation that are installed here. `gpuinfra explain CODE` says why a rule is there and what
    to do.

    \b
    Examples:
      gpuinfra rules --provider gcp --severity error
      gpuinfra rules --tag money --format json
    """
    faults, table = _table()
    for fault in faults:
        note(f"gpuinfra: {fault}")
    wanted = [
        *filters.among("--provider", provider, "providers"),
        *filters.one_of("--severity", severity, "severity"),
        *filters.among("--tag", tag, "tags"),
    ]
    try:
        kept = filters.apply(table, wanted)
    except filters.UnknownValueError as e:
        note(f"error: {e}")
        return 2
    if not kept:
        note(filters.why_empty(table, wanted))
    if format_ == "json":
        write(as_json({"rules": kept}))
    elif kept:
        listing.write_table(COLUMNS, kept)
    return 2 if faults else 0


def _table() -> tuple[tuple[str, ...], list[Row]]:
    from ..policy.organisation import own_rules
    from ..policy.settings import settings_for
    from ..reference.codes import all_codes, rules_by_code

    own = own_rules(settings_for("-").rules)
    rules = {**rules_by_code(), **{r.code.code: r for r in own.rules}}
    codes = {**all_codes(), **{r.code.code: r.code for r in own.rules}}
    rows: list[Row] = []
    for name, code in sorted(codes.items()):
        rule = rules.get(name)
        rows.append(_row(code, tuple(rule.tags) if rule else _tags(name), rule.providers if rule else tuple(Provider)))
    return own.faults, rows


def _row(code: Code, tags: tuple[str, ...], providers: tuple[Provider, ...]) -> Row:
    return {
        "code": code.code,
        "slug": code.slug,
        "severity": str(Severity(code.severity)),
        "providers": [str(p) for p in providers],
        "facts": list(code.facts),
        "tags": list(tags),
        "summary": code.summary,
    }


def _tags(code: str) -> tuple[str, ...]:
    return next(((kind,) for start, kind in _KINDS.items() if code.startswith(start)), ())
