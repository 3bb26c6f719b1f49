"""Measures every change and writes the table: `python -m tests.changes`. It takes a few minutes."""

from __future__ import annotations

import json
import sys

from .measure import TABLE, measured

if __name__ == "__main__":
    text = json.dumps(list(measured().values()), indent=1, ensure_ascii=False) + "\n"
    changed = not TABLE.is_file() or TABLE.read_text(encoding="utf-8") != text
    TABLE.write_text(text, encoding="utf-8")
    print(f"{TABLE.name}: {'changed; run gpuinfra docs' if changed else 'as it was'}")
    sys.exit(0)
