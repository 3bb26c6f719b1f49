"""`gpuinfra check` on a spec of 64 pools, the whole process, beside an import and beside two peers.

Limit: 0.25 s, or 2.5 times `python -c 'import pydantic'` where that is more, at the median of 20 runs.
Peers: `terraform validate` of a module without providers where the binary is there, and `pcluster` where it is named
with --pcluster (a Python that has aws-parallelcluster and moto; `benchmarks/README.md` says how to make one).
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from .large_specs import write
from .processes import PYTHON, ROOT, medians, verdict

_TERRAFORM = """
variable "pools" {
  type = map(object({ instance_type = string, count = number }))
  default = {}
  validation {
    condition     = alltrue([for p in var.pools : p.count > 0])
    error_message = "A pool needs nodes."
  }
}
output "pools" { value = var.pools }
"""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--pcluster", help="a Python with aws-parallelcluster and moto")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(temp)
        commands = {
            "gpuinfra check, 64 pools": [PYTHON, "-m", "gpuinfra", "check", str(write(64, folder))],
            "import pydantic": [PYTHON, "-c", "import pydantic"],
            "python": [PYTHON, "-c", ""],
        }
        if shutil.which("terraform"):
            (folder / "main.tf").write_text(_TERRAFORM)
            commands["terraform validate"] = ["terraform", f"-chdir={folder}", "validate"]
        if args.pcluster:
            commands["pcluster, 1 queue"] = [args.pcluster, str(ROOT / "benchmarks" / "pcluster_dryrun.py")]
        found = medians(commands, args.runs)
    print(f"check: whole process, median of {args.runs}")
    for name, seconds in found.items():
        print(f"       {name}: {seconds:.3f} s")
    limit = max(0.25, 2.5 * found["import pydantic"])
    return 0 if verdict("gpuinfra check, s", found["gpuinfra check, 64 pools"], limit) else 1


if __name__ == "__main__":
    raise SystemExit(main())
