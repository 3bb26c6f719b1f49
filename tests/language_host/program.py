"""Runs one Pulumi program for the language host. What is asked comes as JSON on standard input."""

from __future__ import annotations

import asyncio
import json
import os
import runpy
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pulumi
from pulumi import runtime

ALREADY_SAID = 32


def main() -> int:
    asked: dict[str, Any] = json.load(sys.stdin)
    runtime.set_all_config(asked["config"], asked["secret_keys"])
    runtime.configure(
        runtime.Settings(
            project=asked["project"],
            stack=asked["stack"],
            organization=asked["organization"],
            root_directory=asked["root"],
            monitor=asked["monitor"],
            engine=asked["engine"],
            parallel=asked["parallel"],
            dry_run=asked["preview"],
        )
    )
    os.chdir(asked["folder"])
    sys.argv = [asked["program"], *asked["arguments"]]
    sys.path[0] = asked["program"]
    return _run(asked["program"], max(asked["parallel"], 1) * 4)


def _run(program: str, threads: int) -> int:
    async def whole() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads))
        await runtime.run_in_stack(lambda: _discard(runpy.run_path(program, run_name="__main__")))

    try:
        asyncio.run(whole())
    except pulumi.RunError as e:
        pulumi.log.error(str(e))
        return 1
    except Exception:
        pulumi.log.error("the program failed:\n" + traceback.format_exc())
        return ALREADY_SAID
    return 0


def _discard(names: Any) -> None:
    """A program's names are none of the stack's outputs."""


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of gRPC may wait for ever.
    os._exit(status)
