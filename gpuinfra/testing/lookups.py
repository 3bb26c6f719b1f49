"""Records a program that looks things up in an account which nobody asks: twice, with other answers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..policy.resource_graph import ResourceGraph
from .either import either, with_lonely
from .errors import RecordingError
from .recording import alone
from .variant import OPEN, Variant

TIMEOUT_S: Final = 600.0
_ENOUGH: Final = 2


@dataclass(frozen=True)
class Ended:
    """How a program ended that raised."""

    error: BaseException
    by_lookups: tuple[str, ...] = ()
    """The functions whose answers were made up before it raised; empty where it went by none."""
    said: str = ""
    """The text of the error as a person reads it."""


@dataclass(frozen=True)
class Attempt:
    """What came of a program. One of `graph` and `ended` is there."""

    graph: ResourceGraph | None = None
    faults: tuple[str, ...] = ()
    ended: Ended | None = None
    lookups: tuple[str, ...] = ()


def record_open(program: str | os.PathLike[str], *, stack: str, config: Mapping[str, Any]) -> Attempt:
    """What the program registers, as a preview would see it in whatever account. What depends on a look-up is unknown.

    A program that looks nothing up is run once; else twice, and again where it refuses one of the answers or makes
    something under one of them alone.
    """
    first = _attempt(program, stack, config, OPEN[0])
    if not first.lookups or (first.ended is not None and not first.ended.by_lookups):
        return first
    graphs = [first.graph] if first.graph is not None else []
    told = first
    waiting = list(OPEN[1:])
    while waiting and len(graphs) < _ENOUGH:
        more = _attempt(program, stack, config, waiting.pop(0))
        if more.graph is None:
            if not graphs:
                return first
            continue
        told = more if not graphs else told
        graphs.append(more.graph)
    if len(graphs) < _ENOUGH:
        return told
    common = either(graphs[0], graphs[1])
    further = [_attempt(program, stack, config, v).graph for v in waiting] if common.lonely else []
    graph = with_lonely(common, [g for g in further if g is not None])
    return Attempt(graph, told.faults, None, told.lookups)


def _attempt(program: str | os.PathLike[str], stack: str, config: Mapping[str, Any], variant: Variant) -> Attempt:
    from .session import Seen, Session

    seen = Seen()
    session = Session(
        program=program,
        project=None,
        stack=stack,
        organization="organization",
        preview=True,
        config=dict(config),
        secret_keys=frozenset(),
        invoke=None,
        outputs=None,
        stack_references={},
        env={},
        strict=True,
        timeout_s=TIMEOUT_S,
        variant=variant,
        seen=seen,
    )
    try:
        graph, faults = alone(session.run), ()
    except RecordingError as e:
        graph, faults = e.graph, e.faults
        if graph is None:
            return Attempt(None, faults, Ended(e), tuple(sorted(seen.made_up)))
    except KeyboardInterrupt:
        raise
    except BaseException as e:
        made_up = tuple(sorted(seen.made_up))
        return Attempt(None, (), Ended(e, made_up, seen.shown(str(e))), made_up)
    return Attempt(graph, faults, None, tuple(sorted(seen.made_up)))
