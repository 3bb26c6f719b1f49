"""The mutation run: `python -m benchmarks mutations`.

Takes the resources that each golden cluster registers, breaks one property at a time, and counts what the resource rules
see. What they do not see and the clouds' facts call a fault is listed.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from gpuinfra.policy import check_graph
from gpuinfra.policy.examples import NOW
from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef, Resource, ResourceGraph, Secret

from .mistakes.page import put
from .mutations_table import FAULTS, NO_FAULT, OPTIONS, WORDS, Rule

GOLDENS = Path(__file__).parents[1] / "tests" / "golden"
CLOUDS = ("aws", "gcp", "azure")
_ZONES = (
    (re.compile(r"([a-z]{3,4}\d-az)(\d)"), lambda m: f"{m[1]}{3 - int(m[2]) if m[2] in '12' else 1}"),
    (re.compile(r"([a-z]+-[a-z]+\d-)([a-f])"), lambda m: f"{m[1]}{'b' if m[2] != 'b' else 'a'}"),
)
Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutation:
    """One property of one resource, broken in one way."""

    resource: str
    type: str
    path: Path_
    how: str
    graph: ResourceGraph

    @property
    def place(self) -> str:
        """The property without positions, as networkInterfaces[].nicType."""
        return "".join(f"[{''}]" if isinstance(p, int) else f".{p}" for p in self.path).lstrip(".")


def golden(folder: Path) -> ResourceGraph:
    """The graph of a golden's preview, its resources standing alone as those of a plain program would."""
    data = json.loads((folder / "preview.json").read_text(encoding="utf-8"))
    found = [_resource(r) for r in data["resources"] if not str(r["type"]).startswith(("gpuinfra:", "pulumi:"))]
    return ResourceGraph("golden", "dev", True, tuple(sorted(found, key=lambda r: r.urn)))


def _resource(data: Mapping[str, Any]) -> Resource:
    return Resource(
        urn=data["urn"],
        type=data["type"],
        name=data["name"],
        custom=True,
        inputs=_value(data["inputs"]),
        dependencies=tuple(data["dependencies"]),
        property_dependencies={k: tuple(v) for k, v in data["propertyDependencies"].items()},
        options=data["options"],
    )


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        found = cast("Mapping[str, Any]", value)
        if "$unknown" in found:
            return UNKNOWN
        if "$secret" in found:
            return Secret("secret")
        if "$output" in found:
            name, _, prop = str(found["$output"]).rpartition(".")
            return OutputRef(name, prop)
        return {k: _value(v) for k, v in found.items()}
    return [_value(v) for v in cast("list[Any]", value)] if isinstance(value, list) else value


def mutations(graph: ResourceGraph) -> Iterator[Mutation]:
    """Every break of a graph."""
    for n, r in enumerate(graph.resources):
        for path, how, changed in (*_of_inputs(graph, r), *_of_options(r)):
            resources = (*graph.resources[:n], changed, *graph.resources[n + 1 :])
            yield Mutation(r.name, r.type, path, how, replace(graph, resources=resources))


def _of_options(r: Resource) -> Iterator[tuple[Path_, str, Resource]]:
    for name in OPTIONS:
        if r.options.get(name):
            rest = {k: v for k, v in r.options.items() if k != name}
            yield ("options", name), "removed", replace(r, options=rest)


def _of_inputs(graph: ResourceGraph, r: Resource) -> Iterator[tuple[Path_, str, Resource]]:
    for path, value in _leaves(r.inputs, ()):
        yield path, "removed", _changed(r, path, None, drop=True)
        key = next((p for p in reversed(path) if isinstance(p, str)), "")
        if isinstance(value, bool) or value in ("true", "false"):
            turned = not value if isinstance(value, bool) else {"true": "false", "false": "true"}[value]
            yield path, "turned round", _changed(r, path, turned)
        elif (amount := _amount(value)) is not None and amount > 1:
            for how, other in (("halved", amount // 2), ("ten times as much", amount * 10)):
                yield path, how, _changed(r, path, str(other) if isinstance(value, str) else other)
        elif isinstance(value, str):
            for pattern, other in _ZONES:
                if pattern.fullmatch(value):
                    yield path, "moved to another zone", _changed(r, path, pattern.sub(other, value))
            for word in WORDS.get(key, ()):
                if word != value:
                    yield path, f"put to {word}", _changed(r, path, word)
        if "zones" in key.lower() and value in ("1", "2"):
            yield path, "moved to another zone", _changed(r, path, "3")
    for key, urns in r.property_dependencies.items():
        for urn in urns:
            target = graph.by_urn(urn)
            other = next((o for o in graph.resources if target and o.type == target.type and o.urn not in urns), None)
            if other is not None:
                swapped = tuple(sorted(other.urn if u == urn else u for u in urns))
                links = {**r.property_dependencies, key: swapped}
                yield (key,), "pointed at another", replace(r, property_dependencies=links)


def _leaves(value: Any, path: Path_) -> Iterator[tuple[Path_, Any]]:
    if isinstance(value, Mapping):
        for k, v in cast("Mapping[str, Any]", value).items():
            yield from _leaves(v, (*path, k))
    elif isinstance(value, (list, tuple)):
        for n, v in enumerate(cast("list[Any]", value)):
            yield from _leaves(v, (*path, n))
    elif path:
        yield path, value


def _amount(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{2,9}", value) else None


def _changed(r: Resource, path: Path_, value: Any, *, drop: bool = False) -> Resource:
    links = {k: v for k, v in r.property_dependencies.items() if not (drop and path == (k,))}
    return replace(r, inputs=_put(r.inputs, path, value, drop=drop), property_dependencies=links)


def _put(inside: Any, path: Path_, value: Any, *, drop: bool) -> Any:
    head, rest = path[0], path[1:]
    items = list(cast("list[Any]", inside)) if isinstance(head, int) else dict(cast("Mapping[str, Any]", inside))
    if rest:
        items[head] = _put(items[head], rest, value, drop=drop)  # type: ignore[index]
    elif drop:
        del items[head]  # type: ignore[arg-type]
    else:
        items[head] = value  # type: ignore[index]
    return items


def _said(graph: ResourceGraph) -> Counter[tuple[str, str]]:
    report = check_graph(graph, now=NOW)
    found = Counter((d.code, f"{d.resource} {d.severity}") for d in report.diagnostics)
    found.update((u.code, f"{u.resource} undecided") for u in report.undecided)
    return found


def _row(cloud: str, mutation: Mutation) -> str:
    """The rows of the facts by which a break is a fault; empty where no table says so."""
    where = f"{mutation.type.rpartition(':')[2]}.{mutation.place}"

    def match(rules: tuple[Rule, ...]) -> str:
        return next((r for p, how, r in rules if re.fullmatch(p, where) and re.fullmatch(how, mutation.how)), "")

    return "" if match(NO_FAULT) else match(FAULTS[cloud])


@dataclass
class Count:
    """What became of the breaks of one cloud, by kind: a type, a property and a way to break it."""

    faults: dict[str, bool] = field(default_factory=dict[str, bool])
    """Whether some break of the kind was seen."""
    rows: dict[str, str] = field(default_factory=dict[str, str])
    others: dict[str, bool] = field(default_factory=dict[str, bool])

    @property
    def seen(self) -> int:
        return sum(self.faults.values())

    @property
    def missed(self) -> list[str]:
        return sorted(f"{k} ({self.rows[k]})" for k, seen in self.faults.items() if not seen)


def count(cloud: str, every: int = 1, tries: int = 15) -> Count:
    """Breaks the goldens of a cloud. A kind of break is tried on several resources until a rule says something: one
    resource may not mind what another does."""
    out = Count()
    tried: Counter[str] = Counter()
    for folder in sorted(GOLDENS.glob(f"{cloud}-*")):
        graph = golden(folder)
        base = _said(graph)
        for n, m in enumerate(mutations(graph)):
            kind = f"{m.type.rpartition(':')[2]}.{m.place} {m.how}"
            row = _row(cloud, m)
            into, most = (out.faults, tries) if row else (out.others, 1)
            if into.get(kind) or tried[kind] >= most or n % every:
                continue
            tried[kind] += 1
            into[kind] = _said(m.graph) != base
            out.rows[kind] = row
    return out


def main(options: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks mutations", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every n-th break")
    parser.add_argument("--smoke", action="store_true", help="every 40th break, to show that it still works")
    parser.add_argument("--list", action="store_true", help="list what is not seen")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/reference/mistakes.md")
    args = parser.parse_args(options)
    begin = time.perf_counter()
    found = {cloud: count(cloud, 40 if args.smoke else args.every) for cloud in CLOUDS}
    text = _table(found)
    print(text)
    if args.list:
        for cloud, c in found.items():
            print(f"{cloud}, not seen ({len(c.missed)}):", *c.missed, sep="\n  ")
    print(f"took {time.perf_counter() - begin:.0f} s")
    if args.write:
        put("mutations", _part(text, found))
    return 0


def _table(found: Mapping[str, Count]) -> str:
    lines = [
        "| Cloud | Faults by the tables | Seen | Share | Other breaks | Of them seen |",
        "| -- | -- | -- | -- | -- | -- |",
    ]
    for cloud, c in found.items():
        share = 100 * c.seen / len(c.faults) if c.faults else 0
        others = f"{len(c.others)} | {sum(c.others.values())}"
        lines.append(f"| {cloud} | {len(c.faults)} | {c.seen} | {share:.0f} % | {others} |")
    return "\n".join(lines)


def _part(text: str, found: Mapping[str, Count]) -> str:
    day = datetime.now(UTC).date().isoformat()
    listed = "\n".join(f"- {cloud}: {', '.join(f'`{m}`' for m in c.missed) or 'nothing'}" for cloud, c in found.items())
    return (
        f"## Mutations ({day})\n\n"
        "The resources that the golden clusters register, one property broken at a time: removed, turned round, halved, ten "
        "times as much, moved to another zone, put to another word of the cloud, or pointed at another resource. A kind of "
        "break is a type, a property and a way to break it; it is seen when some rule says something else than before. "
        "Which kinds are faults is told by `benchmarks/mutations_table.py`, with the rows of the facts; the others are "
        "names, tags, texts, and properties whose absence means the same or that the engine itself demands.\n\n"
        f"{text}\n\nFaults that are not seen:\n\n{listed}\n"
    )
