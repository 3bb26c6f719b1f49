# ruff: noqa: N802
"""The host's process: prints its port, and serves the engine until it is told to end."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format
from pulumi.runtime.proto import language_pb2 as pb
from pulumi.runtime.proto import language_pb2_grpc as service
from pulumi.runtime.proto import plugin_pb2

PROGRAM = Path(__file__).parent / "program.py"
ALREADY_SAID = 32
"""Exit status of a program that has told the engine itself why it failed; the true host uses the same."""


class Host(service.LanguageRuntimeServicer):
    """Runs programs and policy packs, each in a process of its own."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._children: list[subprocess.Popen[bytes]] = []

    def stop(self) -> None:
        """Ends what still runs, and waits for it, so that its time is counted where somebody counts."""
        for child in self._children:
            child.terminate()
        for child in self._children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(2)

    def Handshake(self, request: Any, context: Any) -> Any:
        return pb.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version="3.0.0")

    def GetRequiredPlugins(self, request: Any, context: Any) -> Any:
        return pb.GetRequiredPluginsResponse()

    def GetRequiredPackages(self, request: Any, context: Any) -> Any:
        # None are named: the engine then loads a provider when its first resource comes.
        return pb.GetRequiredPackagesResponse()

    def About(self, request: Any, context: Any) -> Any:
        return pb.AboutResponse(executable=sys.executable, version=sys.version.split()[0])

    def InstallDependencies(self, request: Any, context: Any) -> Iterator[Any]:
        yield pb.InstallDependenciesResponse()

    def Run(self, request: Any, context: Any) -> Any:
        info = request.info
        asked = {
            "project": request.project,
            "stack": request.stack,
            "organization": request.organization or "organization",
            "monitor": request.monitor_address,
            "engine": self._engine,
            "parallel": request.parallel,
            "preview": request.dryRun,
            "config": dict(request.config),
            "secret_keys": list(request.configSecretKeys),
            "root": info.root_directory,
            "folder": request.pwd or info.program_directory,
            "program": os.path.normpath(os.path.join(info.program_directory, info.entry_point or ".")),
            "arguments": list(request.args),
        }
        child = subprocess.Popen([_python(info), "-W", "ignore", "-u", str(PROGRAM)], stdin=subprocess.PIPE)
        self._children.append(child)
        child.communicate(json.dumps(asked).encode())
        if child.returncode == ALREADY_SAID:
            return pb.RunResponse(bail=True)
        failed = f"the program ended with exit status {child.returncode}" if child.returncode else ""
        return pb.RunResponse(error=failed)

    def RunPlugin(self, request: Any, context: Any) -> Iterator[Any]:
        """A policy pack, which serves the engine until the engine lets go of this call. `pulumi.policy` of the SDK is what
        the true host starts too."""
        folder = request.info.program_directory
        child = subprocess.Popen(
            [_python(request.info), "-u", "-m", "pulumi.policy", *request.args, folder],
            cwd=folder,
            env={**os.environ, **dict(line.split("=", 1) for line in request.env)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._children.append(child)
        context.add_callback(child.terminate)
        said: queue.Queue[Any] = queue.Queue()
        for name in ("stdout", "stderr"):
            threading.Thread(target=_pass_on, args=(getattr(child, name), name, said), daemon=True).start()
        open_streams = 2
        while open_streams:
            part = said.get()
            open_streams -= part is None
            if part is not None:
                yield pb.RunPluginResponse(**part)
        yield pb.RunPluginResponse(exitcode=child.wait())


def _pass_on(stream: Any, name: str, said: queue.Queue[Any]) -> None:
    """What a process writes, as it comes; None at the end."""
    for part in iter(lambda: stream.read1(65536), b""):
        said.put({name: part})
    said.put(None)


def _python(info: Any) -> str:
    """The interpreter of the project's own environment, where it has made one; else ours."""
    options = json_format.MessageToDict(info.options) if info.HasField("options") else {}
    own = Path(info.root_directory, str(options.get("virtualenv") or ""), "bin", "python")
    return str(own) if options.get("virtualenv") and own.exists() else sys.executable


def main() -> None:
    engine = next((word for word in sys.argv[1:] if ":" in word and not word.startswith("-")), "")
    host = Host(engine)
    server = grpc.server(futures.ThreadPoolExecutor(16), options=[("grpc.max_receive_message_length", -1)])
    service.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    server.start()
    print(port, flush=True)
    over.wait()
    host.stop()
    server.stop(0)
    os._exit(0)


if __name__ == "__main__":
    main()
