"""`record`: what a Pulumi program registers, as a resource graph."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..policy.resource_graph import ResourceGraph
from .errors import RecordingError

if TYPE_CHECKING:
    from .answers import InvokeCallback, OutputsCallback

__all__ = ["RecordingError", "record"]

Program = Callable[[], Any] | str | os.PathLike[str]

# Environment, working folder and modules belong to the process, so recordings follow one another.
_ONE_AT_A_TIME: Final = threading.Lock()
_RECORDING: Final = contextvars.ContextVar("gpuinfra_recording", default=False)


def record(
    program: Program,
    *,
    project: str | None = None,
    stack: str = "dev",
    organization: str = "organization",
    preview: bool = False,
    config: Mapping[str, Any] | None = None,
    secret_keys: Iterable[str] = (),
    invoke: InvokeCallback | None = None,
    outputs: OutputsCallback | None = None,
    stack_references: Mapping[str, Mapping[str, Any]] | None = None,
    env: Mapping[str, str] | None = None,
    strict: bool = True,
    timeout_s: float = 600,
) -> ResourceGraph:
    """The resources that a program registers, without engine, network and credentials.

    `program` is a function without arguments (it may be async), or the path of a Python stack: its folder, Pulumi.yaml
    or __main__.py. From a Pulumi.yaml come the project's name and, with Pulumi.<stack>.yaml, the config, over which
    `config` lies; elsewhere the project is called "project". A config key without a namespace belongs to the project.

    With `preview`, computed outputs are unknown. Without it, as after an update, they are what
    `outputs(type, name, inputs)` gives by wire name, else a token `${<logical name>.<property>}`: a whole value that is
    one reads OutputRef in the graph. `invoke(token, args)` answers data sources and `stack_references` holds outputs by
    stack name; what they do not give is a token too, which reads UNKNOWN in preview.

    The program sees a minimal environment and `env`. It runs in a thread with an event loop of its own.

    Raises what the program raises, the first error, as it is. Raises RecordingError for duplicate URNs, for the text of
    an Output in an input or a name, and (with `strict`) for a "None" made of an output; also when the program does not
    end within `timeout_s`, as with an output that nothing resolves.
    """
    from .session import Session

    session = Session(
        program=program,
        project=project,
        stack=stack,
        organization=organization,
        preview=preview,
        config=dict(config or {}),
        secret_keys=frozenset(secret_keys),
        invoke=invoke,
        outputs=outputs,
        stack_references=stack_references or {},
        env=dict(env or {}),
        strict=strict,
        timeout_s=timeout_s,
    )
    return alone(session.run)


def alone(run: Callable[[], ResourceGraph]) -> ResourceGraph:
    """What a recording gives, when no other one runs."""
    if _RECORDING.get():
        raise RecordingError("record() was called by a program that is being recorded. Record the two one by one")
    with _ONE_AT_A_TIME:
        return _in_thread(run)


def _in_thread(run: Callable[[], ResourceGraph]) -> ResourceGraph:
    """Runs in a thread, which leaves the caller's event loop and context variables alone, whether or not a loop runs."""
    graphs: list[ResourceGraph] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()

    def body() -> None:
        _RECORDING.set(True)
        try:
            graphs.append(run())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=context.run, args=(body,), name="gpuinfra-recording", daemon=True)
    thread.start()
    thread.join()
    if errors:
        error = errors.pop()
        try:
            raise error
        finally:
            # The traceback holds this frame, and this frame the error: let the cycle go now.
            del error
    return graphs[0]
