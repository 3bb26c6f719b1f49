"""Kills the engine at a random point of `up`, seed by seed; the next `up` has to complete, and `destroy` to leave nothing.

Each seed takes a template of another cloud. Nothing may be made twice, forgotten, or left locked. It needs an engine, and
lasts about a quarter of a minute a seed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path


def main(argv: list[str] | None = None) -> int:
    from tests.engine.killing import TEMPLATES, killed_at_random

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args(argv)
    came: Counter[str] = Counter()
    for seed in range(args.first, args.first + args.seeds):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                came["killed" if killed_at_random(seed, Path(scratch)) else "done before"] += 1
            except AssertionError as e:
                came["FAILED"] += 1
                print(f"  seed {seed} ({list(TEMPLATES)[seed % len(TEMPLATES)]}): {e}", flush=True)
        if sum(came.values()) % 10 == 0:
            print(f"  {sum(came.values())} of {args.seeds}: {dict(came)}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in came.items()))
    return 1 if came["FAILED"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
