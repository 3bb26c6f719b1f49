"""The page of what each change does on each cloud, from the table that was measured on the simulated clouds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..vocabulary import Provider
from .machines import TITLES
from .on_change import Effect

TABLE = "on_change.json"
"""Name of the table among a checkout's goldens."""
_ORDER = tuple(reversed(Effect))


def rows(goldens: Path) -> list[dict[str, Any]]:
    """The rows of the table: `field`, `change`, and `on` with an entry for each cloud that has the field."""
    return json.loads((goldens / TABLE).read_text(encoding="utf-8"))


def changes_page(goldens: Path) -> str:
    """What a change of each field does, as a page."""
    out = [
        "# What a change does\n",
        "Each row is a cluster with pools, network, file systems, a bucket, budget and end, deployed to the simulated "
        "clouds; then one field was changed and `up` was planned again (`python -m tests.changes`). "
        "`gpuinfra explain FIELD` says the same in words. What stands in a cell:\n",
        "- none: no resource changes. in place: resources change, and no node notices.",
        "- new nodes: nodes that come later are other ones; those that run stay as they are.",
        "- **nodes**: the nodes of the pool end and others come. **network**: the nodes' network or subnet is made anew.",
        "- **refused (data)**: a store would go, with its data. It is protected, and `up` ends before anything changes. To "
        "give the data up, see [how to end a cluster](../how-to/end-a-cluster.md).",
        "- –: the cloud does not have the field, or not this change.\n",
        f"| field | change | {' | '.join(TITLES[p] for p in Provider)} |",
        "| --- | --- |" + " --- |" * len(Provider),
    ]
    for row in rows(goldens):
        cells = [_cell(row["on"].get(str(p))) for p in Provider]
        out.append(f"| `{row['field']}` | {row['change']} | {' | '.join(cells)} |")
    return "\n".join(out) + "\n"


def _cell(entry: dict[str, Any] | None) -> str:
    if entry is None:
        return "–"
    effects = [e for e in _ORDER if e in entry["effects"]]
    if not effects:
        return "none"
    return ", ".join(_word(e) for e in effects)


def _word(effect: Effect) -> str:
    if effect is Effect.DATA:
        return "**refused (data)**"
    return effect.value if effect in (Effect.IN_PLACE, Effect.NEW_NODES) else f"**{effect.value}**"
