"""The plugin's process: what the engine starts from its plugin folder, one for each provider it uses."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent import futures
from importlib import import_module
from pathlib import Path

WORLD_VARIABLE = "GPUINFRA_SIMULATED_WORLD"
"""Path of the world's file, for the plugins that an engine starts."""
CLOUDS = {"aws": "aws", "gcp": "gcp", "azure-native": "azure", "time": "time"}
"""Package of the engine to module of `clouds`."""
_LOOK_S = 0.2


def main(package: str) -> int:
    """Serves until the engine says stop. Prints the port, and nothing before it."""
    engine = os.getppid()
    import grpc
    from pulumi.runtime.proto import provider_pb2_grpc as service

    from .lost import refusal
    from .provider import SimulatedProvider
    from .schema import Sdk
    from .world import World
    from .world_file import WorldError

    path = os.environ.get(WORLD_VARIABLE)
    if not path:
        print(f"{WORLD_VARIABLE} is not set: this plugin is started by gpuinfra's simulation", file=sys.stderr)
        return 2
    if gone := refusal(Path(path)):
        print(gone, file=sys.stderr)
        return 1
    try:
        world = World(Path(path))
    except WorldError as e:
        print(e, file=sys.stderr)
        return 1
    cloud = import_module(f".clouds.{CLOUDS[package]}", __package__).CLOUD
    server = grpc.server(futures.ThreadPoolExecutor(16), options=[("grpc.max_receive_message_length", -1)])
    service.add_ResourceProviderServicer_to_server(SimulatedProvider(cloud, Sdk(package), world), server)
    port = server.add_insecure_port("127.0.0.1:0")
    stopped = threading.Event()

    def stop(number: int, frame: object) -> None:
        stopped.set()

    for signal_ in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_, stop)
    server.start()
    print(port, flush=True)
    _wait(stopped, engine)
    server.stop(0)
    world.close()
    return 0


def _wait(stopped: threading.Event, engine: int) -> None:
    """Until the engine says stop, or is gone: one that was killed says nothing, and its plugins must not outlive it."""
    while not stopped.wait(_LOOK_S):
        if os.getppid() != engine:
            return
