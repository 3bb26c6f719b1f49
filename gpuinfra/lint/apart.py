"""A program is recorded in a process of its own: what ends that process does not end this one, and what it prints goes to
standard error.

The other process says at its end, in so many words, what came of it. Where it says nothing, the program has ended it: that
is an error, whatever the exit status, since nobody knows what it had left to register.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import IO, Final, NoReturn

from ..diagnostics import Diagnostic, GpuInfraError
from ..diagnostics import Source as Place
from .findings import PROGRAM_RAISES
from .source import MissingSdkError, Read, Source

_BEGIN: Final = (
    # The import path of this process, so that the same packages are found and nothing of the working folder is.
    "import pickle, sys; path, asked, told = pickle.load(sys.stdin.buffer); sys.path[:] = path; "
    "from gpuinfra.lint.apart import answer; answer(asked, told)"
)
_STDERR: Final = 2


@dataclass(frozen=True)
class _Answer:
    """What came of recording a program: one of these."""

    read: Read | None = None
    refused: tuple[Diagnostic, ...] = ()
    missing_sdk: str = ""
    fault: str = ""


def read(asked: Source) -> Read:
    """The graph of the program. Raises GpuInfraError with what keeps it from being judged, and MissingSdkError."""
    with tempfile.TemporaryFile() as told:
        status = _run(asked, told)
        told.seek(0)
        answer = _answer(told)
    if answer is None:
        raise GpuInfraError([_ended(asked, status)])
    if answer.fault:
        raise RuntimeError(answer.fault)
    if answer.missing_sdk:
        raise MissingSdkError(answer.missing_sdk)
    if answer.read is None:
        raise GpuInfraError(answer.refused)
    return answer.read


def _run(asked: Source, told: IO[bytes]) -> int:
    request = pickle.dumps(([os.path.abspath(p) for p in sys.path], asked, told.fileno()))
    sys.stderr.flush()
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _BEGIN],
        stdin=subprocess.PIPE,
        # What the program prints must not mix with the findings.
        stdout=_STDERR if _is_open(_STDERR) else subprocess.DEVNULL,
        pass_fds=(told.fileno(),),
    )
    try:
        # Not in the arguments, which every process sees: values of the config may be secret.
        process.communicate(request)
        return process.returncode
    finally:
        process.kill()
        process.wait()


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _answer(told: IO[bytes]) -> _Answer | None:
    """What the other process said; None where it did not come to that."""
    try:
        answer = pickle.load(told)
    except (EOFError, pickle.UnpicklingError):
        return None
    return answer if isinstance(answer, _Answer) else None


def _ended(asked: Source, status: int) -> Diagnostic:
    if status < 0:
        try:
            how = f"by {signal.Signals(-status).name}"
        except ValueError:
            how = f"by signal {-status}"
    else:
        how = f"with exit status {status}"
    said = f"the program ended its process {how} before it had come to its end"
    return PROGRAM_RAISES.at("", said).located(Place(asked.path))


def answer(asked: Source, told: int) -> NoReturn:
    """The whole of the other process."""
    own = os.getpid()
    try:
        found = _recorded(asked)
    except KeyboardInterrupt:
        os._exit(130)
    # A process that the program has forked off comes by here too.
    if os.getpid() == own:
        with os.fdopen(told, "wb") as file:
            pickle.dump(found, file)
    sys.stdout.flush()
    sys.stderr.flush()
    # Neither threads of the program nor what it wants to do at the end is waited for.
    os._exit(0)


def _recorded(asked: Source) -> _Answer:
    from . import program

    try:
        return _Answer(program.read(asked))
    except MissingSdkError as e:
        return _Answer(missing_sdk=str(e))
    except GpuInfraError as e:
        return _Answer(refused=tuple(e.diagnostics))
    except Exception as e:
        return _Answer(fault=f"{type(e).__name__}: {e}")
