"""Runs every benchmark: `python -m benchmarks`, or with --smoke a short run that only shows that each still works."""

from __future__ import annotations

import argparse
import importlib
import sys

FULL: dict[str, list[str]] = {
    "check_start": [],
    "plan_start": [],
    "compare": [],
    "registration": [],
    "catalog_prices": [],
    "solver": [],
    "rules": [],
    "fuzz_specs": ["--count", "20000"],
    "mistakes.run": [],
    "mutations": [],
    "policy_pack": [],
    "engine_up": [],
    "engine_kills": [],
}
SMOKE: dict[str, list[str]] = {
    "check_start": ["--runs", "3"],
    "plan_start": ["--runs", "1", "--pools", "5", "20"],
    "compare": ["--runs", "3"],
    "registration": ["--runs", "2", "--pools", "40"],
    "catalog_prices": [],
    "solver": [],
    "rules": ["--runs", "1", "--resources", "300"],
    "policy_pack": ["--runs", "1", "--pools", "2"],
    "fuzz_specs": ["--count", "200"],
    "mistakes.run": [],
    "mutations": ["--smoke"],
}

_DEFECTS = ("fuzz_specs", "engine_kills", "mistakes.run")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="short runs; a missed limit is shown and does not fail")
    parser.add_argument("names", nargs="*", help="only these")
    args = parser.parse_args()
    missed: list[str] = []
    for name, options in (SMOKE if args.smoke else FULL).items():
        if args.names and name not in args.names:
            continue
        print(f"== {name}", flush=True)
        if importlib.import_module(f"benchmarks.{name}").main(options):
            missed.append(name)
    # A short run on a busy machine says nothing about speed; a traceback, or a stack that does
    # not recover, is a defect at any length.
    fatal = [m for m in missed if not args.smoke or m in _DEFECTS]
    print(f"missed: {', '.join(missed)}" if missed else "every limit kept")
    return 1 if fatal else 0


if __name__ == "__main__":
    sys.exit(main())
