"""The page of instance types, from the catalog."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalog import AttachedAccelerator, InstanceType, Price, attached_accelerators, instance_types, prices, retired
from ..vocabulary import FabricKind, Provider

TITLES = {Provider.AWS: "Amazon Web Services", Provider.GCP: "Google Cloud", Provider.AZURE: "Microsoft Azure"}
"""The clouds, in the order of every page."""
_HEAD = ("type", "GPU", "GPUs", "GiB each", "vCPUs", "memory, GiB", "fabric", "interfaces", "on demand, USD/h", "as of")
_GONE = ("type", "GPU", "GPUs", "retired on", "take instead")
_ATTACHED = ("accelerator.model", "count", "vCPUs at most", "memory at most, GB", "each, USD/h", "as of")
_NUMBERS = frozenset((*_HEAD[2:6], *_HEAD[7:9], *_ATTACHED[1:5]))
_ONE_GPU = "accelerator:"
"""Rows that price one GPU which is attached to a machine."""

_Prices = dict[str, list[Price]]


def instances_page() -> str:
    """Instance types with GPUs, one table a cloud, with the range of their on-demand prices and its dates."""
    out = [
        "# Instance types\n",
        "An empty cell is unknown. Prices are on-demand list prices over all regions with a price that was read, one "
        "instance for an hour, Linux, with the oldest and newest date among them. `gpuinfra prices --type NAME` lists "
        "them by region with spot prices, estimates and sources; `gpuinfra explain NAME` shows one type. Nothing is "
        "fetched.\n",
    ]
    for provider, title in TITLES.items():
        by_type: _Prices = {}
        for price in prices(provider):
            by_type.setdefault(price.instance_type, []).append(price)
        machines = sorted((t for t in instance_types(provider) if not _is_attached(t)), key=_size)
        sold = [t for t in machines if not retired(provider, t.name)]
        out += [f"## {title}\n", *_table(_HEAD, [_machine(t, by_type.get(t.name, [])) for t in sold]), ""]
        if gone := [t for t in machines if retired(provider, t.name)]:
            out += [
                f"### {title}: retired\n",
                "The cloud no longer deploys these, and a spec that names one is refused.\n",
            ]
            out += [*_table(_GONE, [_gone(t) for t in gone]), ""]
        if any(name.startswith(_ONE_GPU) for name in by_type):
            out += [f"### {title}: GPUs that are attached\n", _ATTACHED_INTRO, *_attached_table(by_type), ""]
    return "\n".join(out).rstrip() + "\n"


_ATTACHED_INTRO = """\
These GPUs are no instance types. They are attached to an N1 machine and priced apart from it. The spec names both, as
`instance_type: n1-standard-8` with `accelerator: {model: T4, count: 1}`.
"""


def _is_attached(machine: InstanceType) -> bool:
    return machine.name.startswith(_ONE_GPU) or "+" in machine.name


def _size(machine: InstanceType) -> tuple[str, float, float, str]:
    return machine.family, machine.gpu_count * (machine.gpu_fraction or 1), machine.vcpus or 0, machine.name


def _attached_table(by_type: _Prices) -> list[str]:
    def cells(row: AttachedAccelerator) -> tuple[str, ...]:
        price = _price(by_type.get(f"{_ONE_GPU}{row.accelerator_type}", []))
        return (row.gpu_model, _number(row.gpu_count), _number(row.max_vcpus), _number(row.max_memory_gb), *price)

    return _table(_ATTACHED, [cells(row) for row in attached_accelerators()])


def _gone(machine: InstanceType) -> tuple[str, ...]:
    row = retired(machine.provider, machine.name)
    since, instead = (row.retired_on, row.instead) if row else ("", "")
    return f"`{machine.name}`", machine.gpu_model, _number(machine.gpu_count), since, instead


def _machine(machine: InstanceType, found: Sequence[Price]) -> tuple[str, ...]:
    share = "" if machine.gpu_fraction == 1 else f" ({_part(machine.gpu_fraction)})"
    has_fabric = machine.fabric is not FabricKind.NONE
    return (
        f"`{machine.name}`",
        f"{machine.gpu_model}{share}",
        _number(machine.gpu_count),
        _number(machine.gpu_memory_gib),
        _number(machine.vcpus),
        _number(machine.memory_gib),
        str(machine.fabric),
        _number(machine.fabric_interfaces) if has_fabric else "",
        *_price(found),
    )


def _price(found: Sequence[Price]) -> tuple[str, str]:
    """The range of the on-demand prices, and that of their dates."""
    amounts = [p.on_demand_usd_hour for p in found if p.on_demand_usd_hour is not None]
    dates = [p.as_of for p in found if p.on_demand_usd_hour is not None and p.as_of]
    shown = _range(sorted({f"{a:.2f}": a for a in amounts}.values()))
    return shown, " to ".join(sorted({min(dates), max(dates)})) if dates else ""


def _part(fraction: float | None) -> str:
    return "whole or a share: unknown" if fraction is None else f"{fraction:g} of one"


def _range(amounts: Sequence[float]) -> str:
    ends = (amounts[0], amounts[-1]) if len(amounts) > 1 else amounts
    return " to ".join(f"{a:,.2f}" for a in ends)


def _number(value: float | None) -> str:
    """At most one digit behind the point: 22.352 GiB is what 24 GB of the maker are, and 22.4 says it."""
    return "" if value is None else f"{round(value, 1):g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose columns are as wide as their widest cell, so that it reads as text too. Numbers stand right."""
    width = [max(3, *(len(row[i]) for row in (head, *rows))) for i in range(len(head))]
    rule = [("-" * (w - 1) + ":") if title in _NUMBERS else "-" * w for title, w in zip(head, width, strict=True)]

    def line(cells: Sequence[str]) -> str:
        columns = zip(head, cells, width, strict=True)
        return f"| {' | '.join(c.rjust(w) if t in _NUMBERS else c.ljust(w) for t, c, w in columns)} |"

    return [line(head), line(rule), *(line(row) for row in rows)]
