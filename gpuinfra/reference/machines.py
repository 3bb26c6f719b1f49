"""The page of instance types, from the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..catalog import InstanceType, Price, instance_types, prices
from ..vocabulary import FabricKind, Provider

_TITLES = {Provider.AWS: "Amazon Web Services", Provider.GCP: "Google Cloud", Provider.AZURE: "Microsoft Azure"}
_HEAD = ("type", "GPU", "count", "GiB each", "vCPU", "GiB", "fabric", "interfaces", "on demand, USD/h", "as of")


def instances_page() -> str:
    """Instance types with GPUs, one table a cloud, with the range of their on-demand prices and its dates."""
    out = [
        "# Instance types\n",
        "An empty cell is unknown. Prices are on-demand list prices over all regions with a price that was read, one "
        "instance for an hour, Linux, with the oldest and newest date among them. `gpuinfra prices --type NAME` lists "
        "them by region with spot prices, estimates and sources; nothing is fetched.\n",
    ]
    for provider, title in _TITLES.items():
        by_type: dict[str, list[Price]] = {}
        for price in prices(provider):
            by_type.setdefault(price.instance_type, []).append(price)
        out += [f"## {title}\n", _row(_HEAD), _row("---" for _ in _HEAD)]
        out += [_machine(t, by_type.get(t.name, [])) for t in instance_types(provider)]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def _machine(machine: InstanceType, found: Sequence[Price]) -> str:
    amounts = [p.on_demand_usd_hour for p in found if p.on_demand_usd_hour is not None]
    dates = [p.as_of for p in found if p.on_demand_usd_hour is not None and p.as_of]
    share = "" if machine.gpu_fraction == 1 else f" ({_part(machine.gpu_fraction)})"
    has_fabric = machine.fabric is not FabricKind.NONE
    cells = (
        f"`{machine.name}`",
        f"{machine.gpu_model}{share}",
        _number(machine.gpu_count),
        _number(machine.gpu_memory_gib),
        _number(machine.vcpus),
        _number(machine.memory_gib),
        str(machine.fabric),
        _number(machine.fabric_interfaces) if has_fabric else "",
        _range(sorted({f"{a:.2f}": a for a in amounts}.values())),
        " to ".join(sorted({min(dates), max(dates)})) if dates else "",
    )
    return _row(cells)


def _part(fraction: float | None) -> str:
    return "whole or a share: unknown" if fraction is None else f"{fraction:g} of one"


def _range(amounts: Sequence[float]) -> str:
    ends = (amounts[0], amounts[-1]) if len(amounts) > 1 else amounts
    return " to ".join(f"{a:,.2f}" for a in ends)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
