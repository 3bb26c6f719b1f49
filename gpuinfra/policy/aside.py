"""Keeps what code of somebody else writes away from standard output, which is for findings and results."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from typing import Any, cast

_STDOUT, _STDERR = 1, 2


class _Kept:
    """A stream that stays open when the code that it is lent to closes it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def close(self) -> None:
        self._stream.flush()

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def __iter__(self) -> Any:
        return iter(self._stream)


class _Turned:
    """How often standard output is turned aside at this moment. It is the process's, and threads are in it at once: the
    first one turns it, and the last one puts it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._back = contextlib.ExitStack()

    def enter(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._back.enter_context(_descriptor_turned())
                self._back.enter_context(redirect_stdout(cast("Any", _Kept(sys.stderr))))

    def leave(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._back.close()


_TURNED = _Turned()


@contextmanager
def told_aside() -> Generator[None]:
    """Within it whatever is written to standard output goes to standard error: by `print`, and by what knows the number of
    the descriptor alone, as a child process does."""
    _TURNED.enter()
    try:
        yield
    finally:
        _TURNED.leave()


@contextmanager
def _descriptor_turned() -> Generator[None]:
    _flush()
    try:
        kept = os.dup(_STDOUT)
    except OSError:
        # Closed by the caller: nothing can be written there anyway.
        yield
        return
    try:
        with contextlib.suppress(OSError):
            os.dup2(_STDERR, _STDOUT)
        yield
    finally:
        # What lies in a buffer of the stream itself was written within, and goes where the rest went.
        _flush()
        os.dup2(kept, _STDOUT)
        os.close(kept)


def _flush() -> None:
    for stream in (sys.stdout, sys.__stdout__):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()  # type: ignore[union-attr]
