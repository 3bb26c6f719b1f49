"""Runs inside SkyPilot's own environment: reads tasks, and looks for machines that fit. Reads requests as JSON from
standard input, writes what it refuses as JSON. The catalog that SkyPilot would download is handed in."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path


def main() -> int:
    asked = json.load(sys.stdin)
    folder = Path(os.environ["HOME"]) / ".sky" / "catalogs" / "v8"
    for name, text in asked.pop("catalog").items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    noise = io.StringIO()
    with contextlib.redirect_stdout(noise):
        found = {k: findings(v) for k, v in asked.items()}
    json.dump(found, sys.stdout)
    return 0


def findings(config: dict) -> list:
    """What SkyPilot refuses of a task: what it cannot read, and what no machine of the catalog fits."""
    from sky import Task

    try:
        task = Task.from_yaml_config(config)
        for wanted in task.resources:
            wanted.validate()
            fits = wanted.cloud.get_feasible_launchable_resources(wanted, num_nodes=task.num_nodes)
            if not fits.resources_list:
                return [f"nothing fits; near: {fits.fuzzy_candidate_list}; {fits.hint or ''}"]
    except Exception as e:  # a refusal is an answer
        return [f"{type(e).__name__}: {' '.join(str(e).split())[:200]}"]
    return []


if __name__ == "__main__":
    raise SystemExit(main())
