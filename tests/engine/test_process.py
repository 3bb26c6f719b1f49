"""What the engine's lines become on their way to a person."""

from __future__ import annotations

import io

from gpuinfra.engine.process import Reader

LINES = """\
 +  aws:ec2:Vpc vpc creating
    error: python inline source runtime error: cancelled
    Traceback (most recent call last):
      File "resource.py", line 1340, in do_rpc_call
        return monitor.RegisterResource(req)
    grpc.RpcError: cancelled
Resources:
"""


def told(*, interrupted: bool) -> list[str]:
    said: list[str] = []
    Reader(io.StringIO(LINES), said.append, lambda: interrupted).join()
    return said


def test_a_program_that_was_broken_off_shows_no_traceback() -> None:
    lines = LINES.splitlines()
    assert told(interrupted=True) == [*lines[:2], lines[-1]]


def test_a_program_that_fails_by_itself_shows_where() -> None:
    assert told(interrupted=False) == LINES.splitlines()
