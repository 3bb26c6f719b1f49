"""A simulated world for a person: groups with their machines as a tree, what is left as tables, what happened."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from .console import console, plain_table
from .output import number, printable, usd

_COLOURS = {
    "running": "green",
    "short": "yellow",
    "expired": "magenta",
    "budget spent": "red",
    "taken back": "yellow",
    "empty": "dim",
}
_BAD = {
    "refuse": "red",
    "shortage": "yellow",
    "reclaim": "yellow",
    "budget": "red",
    "exhaust": "yellow",
    "drift": "yellow",
}
_LAST_EVENTS = 10
_LAST_ENDS = 5


def world_text(data: Mapping[str, Any]) -> str:
    """What `seen` found, as text, as wide as the terminal."""
    out = console(sys.stdout)
    with out.capture() as captured:
        held = f"{data['resources']} resource{'' if data['resources'] == 1 else 's'}"
        out.print(Text.assemble((_short(data["now"]), "bold"), f"  {held}, {_money(data)}"))
        for what in data["without_price"]:
            out.print(Text(printable(f"no price is known of {what}: the budget does not see it here"), style="yellow"))
        if data["groups"]:
            out.print()
        pools = Counter(group["pool"] for group in data["groups"])
        for group in data["groups"]:
            out.print(_group(group, alone=pools[group["pool"]] == 1))
        _section(out, "Stock", _stock(data["stock"]))
        _section(out, "Quotas", _quotas(data["quotas"]))
        _section(out, "Reservations", _reservations(data["reservations"]))
        _section(out, "What happened", _events(data["events"]))
        out.print()
        out.print(Text("No machine boots here: idle limits never fire; leases, budgets and schedules do.", style="dim"))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _section(out: Console, title: str, body: RenderableType | None) -> None:
    if body is not None:
        out.print()
        out.print(Text(title, style="bold"))
        out.print(Padding(body, (0, 0, 0, 2), expand=False))


def _money(data: Mapping[str, Any]) -> str:
    """What the machines cost so far; where some of them have no price, that it is more."""
    spent, unknown = data["usd_this_month"], data["without_price"]
    if unknown and not spent:
        return "what the machines cost this month is unknown"
    dated = f" (oldest price of {data['price_as_of']})" if data["price_as_of"] else ""
    return f"{'at least ' if unknown else ''}{usd(spent)} USD of machines this month{dated}"


def _group(group: Mapping[str, Any], *, alone: bool) -> Tree:
    """A group by its pool; by its resource where it has none, or where another has the same."""
    state = group["state"]
    pool = printable(group["pool"])
    name = pool if pool and alone else " ".join(filter(None, (pool, printable(f"({group['name']})"))))
    name = name if pool else printable(group["name"])
    title = Text.assemble(
        (name, "bold"),
        f"  {group['running']} of {group['wanted']}  ",
        (state, _COLOURS.get(state, "")),
        overflow="fold",
    )
    tree = Tree(title, guide_style="dim")
    if group["shortage"]:
        tree.add(Text(printable(group["shortage"]), style="yellow", overflow="fold"))
    running = Counter(_like(n) for n in group["nodes"] if not n["ended_at"])
    for like, count in running.items():
        tree.add(Text(f"{count} × {like}", overflow="fold"))
    ended = Counter((n["ended_at"], n["why"], n["instance_type"], n["zone"]) for n in group["nodes"] if n["ended_at"])
    kept = sorted(ended.items(), key=lambda item: item[0][0])
    if len(kept) > _LAST_ENDS:
        tree.add(Text(f"… {sum(n for _, n in kept[:-_LAST_ENDS])} more that ended before", style="dim"))
    for (at, why, type_, zone), count in kept[-_LAST_ENDS:]:
        tree.add(
            Text(f"{count} × {type_} in {zone} ended {_short(at)}: {printable(why)}", style="dim", overflow="fold")
        )
    return tree


def _like(node: Mapping[str, Any]) -> str:
    reserved = f", in {node['reservation']}" if node["reservation"] else ""
    market = node["market"].replace("_", " ")
    return printable(
        f"{node['instance_type']} in {node['zone']}, {market}{reserved}, since {_short(node['launched_at'])}"
    )


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table | None:
    if not rows:
        return None
    table = plain_table()
    for column in head:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    return table


def _stock(rows: Sequence[Mapping[str, Any]]) -> Table | None:
    told = [(r["zone"], r["instance_type"], str(r["nodes"]), "" if r["left"] is None else str(r["left"])) for r in rows]
    return _rows(("zone", "type", "machines", "left"), told)


def _quotas(rows: Sequence[Mapping[str, Any]]) -> Table | None:
    return _rows(("quota", "limit", "used"), [(r["name"], number(r["limit"]), number(r["used"])) for r in rows])


def _reservations(rows: Sequence[Mapping[str, Any]]) -> Table | None:
    told = [
        (r["id"], r["instance_type"], r["zone"], f"{r['used']} of {r['nodes']}", _window(r["starts"], r["ends"]))
        for r in rows
    ]
    return _rows(("reservation", "type", "zone", "used", "window"), told)


def _window(starts: str | None, ends: str | None) -> str:
    return f"{_short(starts) if starts else ''} to {_short(ends) if ends else ''}".strip() if starts or ends else ""


def _events(events: Sequence[Mapping[str, Any]]) -> Table | None:
    if not events:
        return None
    table = plain_table(head=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    made = [e for e in events if e["what"] == "create"]
    told = [e for e in events if e["what"] != "create"][-_LAST_EVENTS:]
    if made:
        table.add_row(_short(made[-1]["at"]), "create", f"{len(made)} resources in all")
    for event in told:
        what = Text(event["what"], style=_BAD.get(event["what"], ""))
        table.add_row(_short(event["at"]), what, printable(f"{event['subject']} {event['detail']}".strip()))
    return table


def _short(moment: str) -> str:
    return moment[:16].replace("T", " ")
