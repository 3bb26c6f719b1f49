"""Waits for everything that a program registered, in time linear in its outputs.

The SDK's own wait asks every pending output anew whenever one is done (since pulumi/pulumi#22411): outputs times waves,
which is most of the time of a program with hundreds of resources. In a recording nothing else runs on the loop, so
waiting for all of them at once comes to the same.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import pulumi.runtime.stack as sdk
from pulumi.runtime import settings

_SELDOM = 100_000


@contextmanager
def linear_wait() -> Generator[None]:
    """While it holds, the SDK waits by `_wait`. Only one recording runs at a time, so nobody else sees it."""
    module = cast(Any, sdk)
    own = module.wait_for_rpcs
    module.wait_for_rpcs = _wait
    try:
        yield
    finally:
        module.wait_for_rpcs = own


@contextmanager
def seldom_collected() -> Generator[None]:
    """While it holds, the garbage collector looks seldom: a program's outputs all live until its end, and looking
    through them again and again takes half of its time."""
    before = gc.get_threshold()
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


async def _wait(await_all_outstanding_tasks: bool = True) -> None:
    """As the SDK's `wait_for_rpcs`: raises the first error of a registration or an output."""
    calls = cast(Any, sdk)._get_rpc_manager()
    while True:
        await _calls(calls)
        while await_all_outstanding_tasks and (outputs := _take()):
            done, waiting = await asyncio.wait(outputs, return_when=asyncio.FIRST_EXCEPTION)
            state = cast(Any, settings.SETTINGS)
            with state.lock:
                state.outputs.update(waiting)
            for task in done:
                await task
        if not calls.rpcs:
            return


async def _calls(calls: Any) -> None:
    while calls.rpcs:
        await asyncio.sleep(0)
        try:
            await calls.rpcs.pop()
        except Exception as error:
            if calls.unhandled_exception is not None:
                raise error from calls.unhandled_exception.with_traceback(calls.exception_traceback)
            raise
    if calls.unhandled_exception is not None:
        raise calls.unhandled_exception.with_traceback(calls.exception_traceback)


def _take() -> list[asyncio.Task[Any]]:
    state = cast(Any, settings.SETTINGS)
    with state.lock:
        outputs = list(state.outputs)
        state.outputs.clear()
    return outputs
