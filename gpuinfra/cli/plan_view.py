"""A plan for a person: decisions, resources as a tree, cost."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..advice.change import Change
from ..cost import CostEstimate, CostLine
from ..plan.models import ClusterPlan
from ..policy.resource_graph import Resource, ResourceGraph
from ..spec.quantities import format_moment
from .console import console, plain_table
from .output import number, printable, usd


def plan_text(plan: ClusterPlan, graph: ResourceGraph | None, cost: CostEstimate) -> str:
    """The plan as text, as wide as the terminal."""
    out = console(sys.stdout)
    with out.capture() as captured:
        out.print(_title(plan))
        _section(out, "Decisions", _decisions(plan))
        if graph is not None:
            _section(out, f"Resources ({sum(r.custom for r in graph)})", resource_tree(graph))
        _section(out, "Cost", _cost(plan, cost))
        out.print()
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def moved_text(changes: Sequence[Change]) -> str:
    """What a move changed in meaning, as text; a word where it changed nothing."""
    out = console(sys.stdout)
    with out.capture() as captured:
        out.print(Text("What changes in meaning", style="bold"))
        out.print(Padding(_changes(changes) if changes else Text("nothing"), (0, 0, 0, 2), expand=False))
        out.print(Text("Below is the moved spec; findings stand where the file as it is says otherwise.", style="dim"))
        out.print()
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _changes(changes: Sequence[Change]) -> Table:
    table = plain_table(head=False)
    table.add_column(overflow="fold", style="cyan")
    table.add_column(overflow="fold")
    for c in changes:
        was, now = printable(c.was), printable(c.now)
        arrow = Text.assemble((now, "bold")) if was == now else Text.assemble(was, " → ", (now, "bold"))
        table.add_row(
            printable(c.path), Text.assemble(arrow, (f"  {printable(c.meaning)}" if c.meaning else "", "dim"))
        )
    return table


def _title(plan: ClusterPlan) -> Text:
    zone = f" ({plan.zone})" if plan.zone else ""
    return Text.assemble((plan.name, "bold"), f"  {plan.provider}, {plan.region}{zone}, at {format_moment(plan.now)}")


def _section(out: Console, title: str, body: RenderableType) -> None:
    out.print()
    out.print(Text(title, style="bold"))
    out.print(Padding(body, (0, 0, 0, 2), expand=False))


def _decisions(plan: ClusterPlan) -> RenderableType:
    table = plain_table(head=False)
    table.add_column(overflow="fold", style="cyan")
    table.add_column(overflow="fold")
    for d in plan.decisions:
        table.add_row(
            printable(d.path), Text.assemble((printable(d.value), "bold"), (f"  {printable(d.reason)}", "dim"))
        )
    return table


def resource_tree(graph: ResourceGraph) -> RenderableType:
    """The resources under their parents, those of the stack first."""
    known = {r.urn for r in graph}
    roots = [r for r in graph if r.parent not in known]
    children: dict[str, list[Resource]] = {}
    for resource in graph:
        children.setdefault(resource.parent, []).append(resource)
    trees: list[RenderableType] = []
    for root in roots:
        tree = Tree(_label(root), guide_style="dim")
        _grow(tree, root, children)
        trees.append(tree)
    return Group(*trees)


def _grow(tree: Tree, root: Resource, children: dict[str, list[Resource]]) -> None:
    # A list and not recursion: depth belongs to the user's program.
    todo = [(tree, root)]
    while todo:
        branch, resource = todo.pop()
        for child in children.get(resource.urn, ()):
            todo.append((branch.add(_label(child)), child))


def _label(resource: Resource) -> Text:
    marks = "".join(
        f"  {word}" for key, word in (("protect", "protected"), ("retainOnDelete", "kept")) if resource.options.get(key)
    )
    return Text.assemble(
        (printable(resource.name), "bold"), (f"  {short_type(resource.type)}", "dim"), (marks, "green")
    )


def short_type(token: str) -> str:
    """A type token without its file: aws:ec2/launchTemplate:LaunchTemplate is aws:ec2:LaunchTemplate."""
    package, _, rest = token.partition(":")
    module, _, name = rest.rpartition(":")
    return f"{package}:{module.partition('/')[0]}:{name}" if module else token


def _cost(plan: ClusterPlan, cost: CostEstimate) -> RenderableType:
    parts: list[RenderableType] = [_lines(cost)]
    parts += [Text(""), _totals(plan, cost)]
    notes = _notes(cost)
    if notes:
        parts += [Text(""), *notes]
    return Group(*parts)


def _lines(cost: CostEstimate) -> Table:
    table = plain_table()
    table.add_column("", overflow="fold")
    table.add_column("quantity", justify="right", overflow="fold")
    table.add_column("unit price, USD", justify="right")
    table.add_column("USD/h", justify="right")
    table.add_column("as of", overflow="fold")
    for line in cost.lines:
        table.add_row(printable(line.name), _quantity(line), _unit_price(line), _hourly(line), _date(line))
    return table


def _quantity(line: CostLine) -> str:
    if line.by_use:
        return "by use"
    return f"{number(round(line.quantity, 2))} {_countable(line.unit)}"


def _countable(unit: str) -> str:
    return {"instance-hour": "nodes", "GPU-hour": "GPUs", "GiB-month": "GiB", "GB-month": "GB", "hour": ""}.get(
        unit, unit.removesuffix("-hour").removesuffix("-month")
    )


def _unit_price(line: CostLine) -> str:
    if line.unit_price_usd is None:
        return "unknown"
    per = {"instance-hour": "h", "GPU-hour": "h", "hour": "h", "GiB-month": "GiB month", "GB-month": "GB month"}
    price = f"{line.unit_price_usd:,.4f}".rstrip("0")
    whole, _, cents = price.partition(".")
    return f"{'~' if line.estimate else ''}{whole}.{cents.ljust(2, '0')} / {per.get(line.unit, line.unit)}"


def _hourly(line: CostLine) -> str:
    if line.usd_per_hour is not None:
        return ("~" if line.estimate else "") + usd(line.usd_per_hour)
    return "–" if line.by_use else "unknown"


def _date(line: CostLine) -> str:
    return line.as_of or ("undated" if line.unit_price_usd is not None else "")


def _totals(plan: ClusterPlan, cost: CostEstimate) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    table.add_column(overflow="fold", style="dim")
    missing = [line for line in cost.lines if line.name in cost.unknown]
    unbounded = [line for line in cost.lines if line.name in cost.unbounded]
    table.add_row("per hour", _sum(cost.usd_per_hour, missing, bold=True), dates(cost) if cost.usd_per_hour else "")
    if cost.usd_per_lease is not None and cost.lease_hours is not None:
        hours = f"{number(round(cost.lease_hours, 1))} h"
        table.add_row("per lease", _sum(cost.usd_per_lease, missing, bold=True), hours)
    if cost.worst_usd_per_hour > cost.usd_per_hour:
        worst = "most nodes of each range, on demand where another price is unknown"
        table.add_row("at most, per hour", _sum(cost.worst_usd_per_hour, unbounded), worst)
    month = "a month of 730 h" if cost.lease_hours is None else "the lease, at most 730 h"
    table.add_row("worst month", _sum(cost.worst_usd_per_month, unbounded), month)
    stays = [line for line in missing if not line.ends_with_nodes]
    table.add_row(
        "nodes stopped, per hour", _sum(cost.residual_usd_per_hour, stays), "what goes on billing: storage, NAT"
    )
    if plan.spec.budget is not None:
        lag = "spend data of the cloud lags 8 to 24 h: a budget is an alarm and no cap"
        late = [line for line in unbounded if not line.paid_ahead]
        table.add_row("before an alert", _sum(cost.unnoticed_usd(), late), lag)
    return table


def dates(cost: CostEstimate) -> str:
    """The date of the price that makes most of the sum, and the oldest where that is another."""
    main, oldest = cost.main_as_of, cost.oldest_as_of
    first = f"prices of {main}" if main else "the largest price is undated"
    if not oldest:
        return f"{first}; others are undated" if main else first
    return first if oldest == main else f"{first}; oldest {oldest}"


def _sum(amount: float, missing: Sequence[CostLine], *, bold: bool = False) -> Text:
    """The sum: 'at least' where a line is missing, unknown where the missing line is the nodes themselves."""
    if any(line.of_nodes for line in missing):
        return Text("unknown", style="bold red" if bold else "red")
    return Text(f"{'at least ' if missing else ''}{usd(amount)} USD", style="bold" if bold else "")


def _notes(cost: CostEstimate) -> list[RenderableType]:
    notes: list[str] = []
    if cost.unknown:
        notes.append("Unknown, in no sum: " + ", ".join(cost.unknown) + ".")
    if cost.by_use:
        notes.append("Billed by use, in no sum: " + ", ".join(cost.by_use) + ".")
    if cost.has_estimates:
        notes.append("~ an estimate, derived and not read.")
    notes += [f"{line.name}: {line.note}." for line in cost.lines if line.note and not line.by_use and _telling(line)]
    sources = dict.fromkeys(line.source for line in cost.lines if line.source)
    notes += [f"Source: {source}" for source in sources]
    return [Text(printable(n), style="dim") for n in notes]


def _telling(line: CostLine) -> bool:
    return (
        line.usd_per_hour is None
        or line.estimate
        or line.worst_usd_per_hour != line.usd_per_hour
        or "reservation" in line.note
    )
