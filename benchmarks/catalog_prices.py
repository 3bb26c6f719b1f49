"""Price look-up over a table of 100,000 rows: cold (a fresh process reads the table) and warm (1,000 look-ups).

Limits: 0.3 s cold, 0.05 s warm for all look-ups together. The start of the interpreter and the imports are left out of
the cold figure; the imports are printed next to it.
Peer: the same look-ups with the csv module's DictReader and a dictionary, which is what a script would do.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .processes import PYTHON, ROOT, verdict

LOOKUPS = 1000
COLD_S, WARM_S = 0.3, 0.05

OURS = """
import sys, time
before = time.perf_counter()
from pathlib import Path
from gpuinfra.catalog import Catalog
from gpuinfra.vocabulary import Provider
imported = time.perf_counter()
catalog = Catalog(Path(sys.argv[1]))
region, name = sys.argv[2].split(",")
price = catalog.price(Provider.AWS, region, name)
cold = time.perf_counter()
assert price is not None and price.on_demand_usd_hour
keys = [line.split(",") for line in Path(sys.argv[3]).read_text().split()]
begin = time.perf_counter()
found = [catalog.price(Provider.AWS, r, n) for r, n in keys]
warm = time.perf_counter()
assert all(found)
print(imported - before, cold - imported, warm - begin)
"""

PEER = """
import sys, time
before = time.perf_counter()
import csv
from pathlib import Path
imported = time.perf_counter()
with open(Path(sys.argv[1], "aws", "prices.csv"), newline="") as file:
    table = {(row["region"], row["instance_type"]): row for row in csv.DictReader(file)}
region, name = sys.argv[2].split(",")
price = float(table[region, name]["on_demand_usd_hour"])
cold = time.perf_counter()
keys = [line.split(",") for line in Path(sys.argv[3]).read_text().split()]
begin = time.perf_counter()
found = [float(table[r, n]["on_demand_usd_hour"]) for r, n in keys]
warm = time.perf_counter()
print(imported - before, cold - imported, warm - begin)
"""


def multiplied(folder: Path, rows: int) -> list[str]:
    """Writes aws/prices.csv with that many rows, made from the packaged one under further regions; its keys."""
    with (ROOT / "gpuinfra" / "catalog" / "data" / "aws" / "prices.csv").open(newline="", encoding="utf-8") as file:
        header, *packaged = csv.reader(file)
    priced = [row for row in packaged if row[header.index("on_demand_usd_hour")]]
    (folder / "aws").mkdir()
    keys: list[str] = []
    with (folder / "aws" / "prices.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for number in range(rows):
            row = list(priced[number % len(priced)])
            row[1] = f"{row[1]}-{number // len(priced)}"
            writer.writerow(row)
            keys.append(f"{row[1]},{row[2]}")
    return keys


def timed(program: str, folder: Path, key: str, keys: Path, runs: int) -> tuple[float, float, float]:
    """Medians of import, cold and warm, in seconds, each run in a process of its own."""
    figures: list[list[float]] = []
    for _ in range(runs):
        done = subprocess.run(
            [PYTHON, "-c", program, str(folder), key, str(keys)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        figures.append([float(part) for part in done.stdout.split()])
    imports, cold, warm = (statistics.median(column) for column in zip(*figures, strict=True))
    return imports, cold, warm


def main(argv: list[str] | None = None) -> int:
    """Prints each figure beside its limit and the peer's. Exit status 1 when one is over its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = multiplied(folder, args.rows)
        chosen = folder / "keys"
        chosen.write_text("\n".join(keys[:: max(1, len(keys) // LOOKUPS)][:LOOKUPS]), encoding="utf-8")
        ours = timed(OURS, folder, keys[-1], chosen, args.runs)
        peer = timed(PEER, folder, keys[-1], chosen, args.runs)
        megabytes = (folder / "aws" / "prices.csv").stat().st_size / 1e6
    print(
        f"  {args.rows} rows, {megabytes:.1f} MB, {min(LOOKUPS, args.rows)} look-ups, median of {args.runs} processes"
    )
    print(f"  csv.DictReader and a dict: cold {peer[1]:.3f}, warm {peer[2]:.4f}; imports {peer[0]:.3f}")
    print(f"  gpuinfra.catalog: imports {ours[0]:.3f} (not counted)")
    cold = verdict("cold: read the table, first look-up", ours[1], COLD_S)
    warm = verdict("warm: all look-ups together", ours[2], WARM_S)
    return 0 if cold and warm else 1


if __name__ == "__main__":
    sys.exit(main())
