"""`gpuinfra compare` over everything in the catalog, the whole process, beside an import and beside a plain listing.

Limit: 0.5 s, or 5 times `python -c 'import pydantic'` where that is more, at the median of 20 runs: in both forms, also
for a spec of 64 pools. Peers: that import, which the spec needs, and `gpuinfra prices`, which reads the same tables and no
spec.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from .large_specs import write
from .processes import PYTHON, medians, verdict

_LIMIT_S = 0.5
_STACK = "stacks/aws-l4-inference/cluster.yaml"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args(argv)
    ours = [PYTHON, "-m", "gpuinfra", "compare"]
    with tempfile.TemporaryDirectory() as temp:
        commands = {
            "text": [*ours, _STACK],
            "JSON": [*ours, _STACK, "--format", "json"],
            "JSON, 64 pools": [*ours, str(write(64, Path(temp))), "--format", "json"],
        }
        peers = {
            "gpuinfra prices": [PYTHON, "-m", "gpuinfra", "prices", "--gpu", "L4", "--format", "json"],
            "import pydantic": [PYTHON, "-c", "import pydantic"],
        }
        found = medians({**commands, **peers}, args.runs)
    print(f"compare: whole process, median of {args.runs}")
    for name in peers:
        print(f"       {name}: {found[name]:.3f} s")
    limit = max(_LIMIT_S, 5 * found["import pydantic"])
    kept = [verdict(f"gpuinfra compare, {name}, s", found[name], limit) for name in commands]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
