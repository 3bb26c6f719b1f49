"""Recording for tests: run a Pulumi program without engine or network and judge what it registers.

    graph = record(program)                   # a function, or the folder of a stack
    assert graph.named("web").get("instanceType") == "t3.micro"

Pulumi is imported when something is recorded, not before.
"""

from __future__ import annotations

from .golden import GoldenMismatchError, compare_golden
from .recording import RecordingError, record

__all__ = ["GoldenMismatchError", "RecordingError", "compare_golden", "record"]
