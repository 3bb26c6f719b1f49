# pyright: reportPrivateUsage=false
"""One run of a program against a recording monitor.

The internals of the SDK that a recording leans on are named here and in `wire`, `declarations`, `open_values`,
`transforms` and `isolation`; tests/testing/test_recording_wire.py says when one of them is gone.
"""

from __future__ import annotations

import asyncio
import inspect
import runpy
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import pulumi
from pulumi.runtime import config as pulumi_config
from pulumi.runtime import settings as pulumi_settings
from pulumi.runtime.stack import run_in_stack

from ..policy.resource_graph import ResourceGraph
from . import isolation, stack_references
from .answers import Answers
from .assembly import assemble
from .declarations import Declarations
from .draining import linear_wait, seldom_collected
from .errors import RecordingError
from .faults import faults, without_texts
from .monitor import OLDEST_SDK, Engine, Monitor, can_record
from .open_values import OpenValues
from .program import ProgramFiles, find, full_key, text
from .tokens import Tokens
from .variant import PLAIN, Variant

if TYPE_CHECKING:
    from .answers import InvokeCallback, OutputsCallback
    from .recording import Program

_PARALLEL: Final = 16
_STUCK: Final = (
    "the program did not end within {0:g} s: it waits for an output or awaitable that nothing resolves "
    "(an unresolved deferred_output, depends_on a component that holds the dependant). {1} resources were registered"
)


@dataclass
class Seen:
    """What is known of a run also where its program raises."""

    made_up: set[str] = field(default_factory=set[str])
    """Functions whose answer nobody knew."""
    shown: Callable[[str], str] = str
    """A text as a person reads it."""


@dataclass(frozen=True)
class Session:
    """A program and everything that decides how it runs."""

    program: Program
    project: str | None
    stack: str
    organization: str
    preview: bool
    config: Mapping[str, Any]
    secret_keys: frozenset[str]
    invoke: InvokeCallback | None
    outputs: OutputsCallback | None
    stack_references: Mapping[str, Mapping[str, Any]]
    env: Mapping[str, str]
    strict: bool
    timeout_s: float
    variant: Variant = PLAIN
    seen: Seen = field(default_factory=lambda: Seen())

    def run(self) -> ResourceGraph:
        """Runs the program to its end and returns its graph. The process is as before, also after an error."""
        if not can_record():
            raise RecordingError(f"recording needs pulumi {OLDEST_SDK} or newer: pip install 'pulumi>={OLDEST_SDK}'")
        files = None if callable(self.program) else find(self.program, self.stack)
        project = self.project or (files.project if files else None) or "project"
        config = self._config(files, project)
        secret_keys = {full_key(k, project) for k in self.secret_keys} | (files.secret_keys if files else set[str]())

        tokens = Tokens(preview=self.preview, variant=self.variant)
        declarations = Declarations()
        region = next((v for k, v in sorted(config.items()) if k.endswith(":region")), "")
        answers = Answers(
            tokens,
            declarations,
            preview=self.preview,
            region=region,
            outputs=self.outputs,
            invoke=self.invoke,
            stack_references=self.stack_references,
            variant=self.variant,
        )
        self.seen.made_up, self.seen.shown = answers.made_up, tokens.shown
        monitor = Monitor(project, self.stack, preview=self.preview, answers=answers)

        def observe(args: pulumi.ResourceTransformationArgs) -> None:
            declarations.transformation(args)
            stack_references.observe(args.resource, args.name, tokens.answered, preview=self.preview)

        with ExitStack() as around:
            around.enter_context(isolation.environment(self.env))
            around.enter_context(isolation.no_engine())
            if self.variant.open:
                around.enter_context(OpenValues(tokens, self.variant).handed_out())
            if files is not None:
                around.enter_context(isolation.folder(files.main.parent, [str(files.main)]))
            root = str(files.root) if files else "."
            _configure(self, monitor, project=project, root=root, config=config, secret_keys=secret_keys)
            body = cast("Callable[[], Any]", self.program) if files is None else _runs_file(files)
            _run(body, observe, monitor, self.timeout_s)
        found = faults(monitor.recorded, declarations, strict=self.strict)
        graph = assemble(
            monitor.recorded, declarations, answers.decoder, project=project, stack=self.stack, preview=self.preview
        )
        if found:
            raise RecordingError(map(tokens.shown, found), without_texts(graph))
        return graph

    def _config(self, files: ProgramFiles | None, project: str) -> dict[str, str]:
        config = dict(files.config) if files else {}
        if files and files.project and files.project != project:
            # Under another project name the program still asks for its own keys.
            own = f"{files.project}:"
            config = {f"{project}:{k[len(own) :]}" if k.startswith(own) else k: v for k, v in config.items()}
        config.update({full_key(k, project): text(v) for k, v in self.config.items()})
        return config


def _configure(
    session: Session, monitor: Monitor, *, project: str, root: str, config: Mapping[str, str], secret_keys: set[str]
) -> None:
    # The root stack, the config and the settings are context variables; the root would stay that of an earlier run
    # in this context (pulumi/pulumi#8280), and the config's default is one dict for the whole process.
    pulumi_settings.ROOT.set(None)
    pulumi_config.CONFIG.set(dict(config))
    pulumi_config._SECRET_KEYS.set(set(secret_keys))
    settings = pulumi.runtime.Settings(
        project=project,
        stack=session.stack,
        monitor=monitor,
        engine=Engine(monitor.recorded.logs),
        parallel=_PARALLEL,
        dry_run=session.preview,
        organization=session.organization,
        root_directory=root,
    )
    pulumi.runtime.configure(settings)


def _runs_file(files: ProgramFiles) -> Callable[[], None]:
    def run() -> None:
        runpy.run_path(str(files.main), run_name="__main__")

    return run


def _run(program: Callable[[], Any], observe: Callable[[Any], None], monitor: Monitor, timeout_s: float) -> None:
    """Runs the program until everything that it registered is answered. Raises its first own error as it is."""
    first: list[BaseException] = []

    async def awaited(result: Awaitable[Any]) -> None:
        try:
            await result
        except BaseException as error:
            first.append(error)
            raise

    def guarded() -> Awaitable[None] | None:
        pulumi.runtime.register_stack_transformation(cast("Any", observe))
        try:
            result = program()
        except BaseException as error:
            first.append(error)
            raise
        is_async = inspect.isawaitable(result) and not isinstance(result, pulumi.Output)
        return awaited(cast("Awaitable[Any]", result)) if is_async else None

    try:
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            # Outputs that wait for a failed one all hold its error; only the first is told.
            loop.set_exception_handler(lambda _loop, _context: None)
            loop.set_default_executor(ThreadPoolExecutor(_PARALLEL * 2, thread_name_prefix="gpuinfra-recording"))
            with linear_wait(), seldom_collected():
                runner.run(_within(run_in_stack(guarded), timeout_s, monitor))
    except BaseException as error:
        raise (first[0] if first else error) from None


async def _within(run: Any, timeout_s: float, monitor: Monitor) -> None:
    task = asyncio.ensure_future(run)
    _, pending = await asyncio.wait({task}, timeout=timeout_s)
    if pending:
        raise RecordingError(_STUCK.format(timeout_s, max(len(monitor.recorded.registrations) - 1, 0)))
    task.result()
