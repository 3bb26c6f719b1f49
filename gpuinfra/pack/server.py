"""The process that the engine starts for a pack."""

from __future__ import annotations

import gc
import os
import signal
import sys
from concurrent import futures
from pathlib import Path
from typing import Final, NoReturn

_NAME: Final = "gpuinfra"
_LARGEST_MESSAGE: Final = 400 * 2**20
"""Bytes; what the engine and pulumi_policy allow. A stack is one message."""


def serve(pack: str | os.PathLike[str], name: str = _NAME) -> NoReturn:
    """Serves the engine until it ends this process. `pack` is the pack's folder, or a file in it (`__file__`)."""
    at = Path(pack)
    folder = at if at.is_dir() else at.parent
    try:
        import pulumi_policy  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as e:
        _refuse(f"{e.name} is missing; install what the pack needs: pip install 'gpuinfra[policy]'")
    import grpc
    from pulumi.runtime.proto import analyzer_pb2_grpc

    from .analyzer import RuleAnalyzer
    from .policies import initial_config
    from .rules import configurable, pack_rules
    from .settings import SettingsError, own_settings

    # As for the command line: a process whose start is waited for has no garbage worth a search.
    gc.disable()
    rules, faults = pack_rules()
    gc.enable()
    if faults:
        # A pack that leaves out rules of the house it belongs to would let pass what they are there for.
        _refuse("; ".join(faults))
    try:
        initial = initial_config(own_settings(folder, configurable(rules)))
    except SettingsError as e:
        _refuse(str(e))
    options = [("grpc.max_receive_message_length", _LARGEST_MESSAGE)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=options)
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(RuleAnalyzer(name, rules, initial=initial), server)
    port = server.add_insecure_port("127.0.0.1:0")
    # There is nothing to tidy up: the engine's word to end is taken as it comes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server.start()
    print(port, flush=True)
    server.wait_for_termination()
    sys.exit(0)


def _refuse(reason: str) -> NoReturn:
    # The launcher of the SDK drops the text of a SystemExit, so it is written here.
    print(f"gpuinfra policy pack: {reason}", file=sys.stderr, flush=True)
    sys.exit(1)
