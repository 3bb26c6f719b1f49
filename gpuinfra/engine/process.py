"""The engine as a process that an interrupted program waits for.

The Automation API's own command leaves the engine at Ctrl-C: the program that the engine still asks is gone while the engine
tidies up. Here the engine is told, finishes what it has begun, writes its state, and only then the interruption goes on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any

import pulumi.automation as auto
from pulumi.automation.errors import create_command_error

Take = Callable[[str], Any]


class EngineKilledError(Exception):
    """Something ended the engine in the middle of its work."""


class EngineCommand(auto.PulumiCommand):
    """Runs the engine in a process group of its own, so that a terminal's Ctrl-C comes to it through us, once."""

    def __init__(self, *, root: str, say: Take) -> None:
        super().__init__(root=root, skip_version_check=True)
        self._say = say
        self.interrupted = False
        """Whether a person ended the operation."""

    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: Take | None = None,
        on_error: Take | None = None,
    ) -> auto.CommandResult:
        """Runs a command of the engine. Raises CommandError where it fails, and KeyboardInterrupt where it was
        interrupted, after the engine has ended."""
        with subprocess.Popen(
            [self.command, "--non-interactive", *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=self._environment(additional_env),
            encoding="utf-8",
            errors="replace",
            process_group=0,
        ) as process:
            streams = (process.stdout, on_output), (process.stderr, on_error)
            readers = [Reader(stream, take, lambda: self.interrupted) for stream, take in streams]
            self._wait(process, readers)
        out, err = ("\n".join(reader.lines) for reader in readers)
        result = auto.CommandResult(stdout=out, stderr=err, code=process.returncode)
        if self.interrupted:
            raise KeyboardInterrupt
        if result.code < 0:
            raise EngineKilledError(f"the engine was ended by {signal.Signals(-result.code).name}")
        if result.code:
            raise create_command_error(result)
        return result

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        env = {**os.environ, **more, "PULUMI_AUTOMATION_API": "true"}
        # Language hosts and tools that lie beside the engine belong to it.
        env["PATH"] = os.pathsep.join([os.path.dirname(self.command), env.get("PATH", "")])
        return env

    def _wait(self, process: subprocess.Popen[str], readers: list[Reader]) -> None:
        while True:
            try:
                for reader in readers:
                    reader.join()
                process.wait()
                return
            except KeyboardInterrupt:
                # The engine takes a second one as an order to drop everything: it is passed on as it comes.
                process.send_signal(signal.SIGINT)
                if not self.interrupted:
                    self._say("interrupted: waiting for what the clouds are doing (Ctrl-C again: give it up)")
                self.interrupted = True


class Reader(threading.Thread):
    """Takes the lines of a stream as they come.

    The traceback of a program that the engine broke off is left out: who interrupted it knows why it did not go on."""

    def __init__(self, stream: IO[str] | None, take: Take | None, interrupted: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        assert stream is not None
        self._stream, self._take, self._interrupted = stream, take, interrupted
        self._inside: int | None = None
        """How far the traceback that is left out is indented."""
        self.lines: list[str] = []
        self.start()

    def run(self) -> None:
        for line in self._stream:
            self.lines.append(line.rstrip())
            if self._take and not self._of_a_traceback(self.lines[-1]):
                self._take(self.lines[-1])

    def _of_a_traceback(self, line: str) -> bool:
        text = line.lstrip()
        indent = len(line) - len(text)
        if self._interrupted() and text.startswith("Traceback (most recent call last)"):
            self._inside = indent
            return True
        if self._inside is None:
            return False
        if text and indent <= self._inside:
            # The error itself, which stands behind its traceback, is the last line of it.
            self._inside = None
        return True
