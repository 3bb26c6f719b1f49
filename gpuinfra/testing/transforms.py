# pyright: reportPrivateUsage=false
"""Transforms (`ResourceOptions(transforms=...)`, stack transforms, invoke transforms), which the engine runs.

The SDK offers them as callbacks of a server; here they are called in the same process, without a connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from pulumi.runtime._callbacks import _CallbackServicer
from pulumi.runtime.proto import resource_pb2

_SAME: Final = {
    "dependencies": "depends_on",
    "ignoreChanges": "ignore_changes",
    "replaceOnChanges": "replace_on_changes",
    "version": "version",
    "aliases": "aliases",
    "provider": "provider",
    "providers": "providers",
    "customTimeouts": "custom_timeouts",
    "pluginDownloadURL": "plugin_download_url",
    "deletedWith": "deleted_with",
    "additionalSecretOutputs": "additional_secret_outputs",
    "importId": "import",
    "hideDiffs": "hide_diff",
    "replace_with": "replace_with",
    "hooks": "hooks",
    "protect": "protect",
    "retainOnDelete": "retain_on_delete",
}
"""Field of a registration request to field of a transform's options."""


class Transforms:
    """The transforms that a run has registered, and their effect on a request."""

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._stack_invoke: list[str] = []
        self._of: dict[str, tuple[str, tuple[str, ...]]] = {}

    def add_stack(self, callback: Any) -> None:
        self._stack.append(callback.token)

    def add_stack_invoke(self, callback: Any) -> None:
        self._stack_invoke.append(callback.token)

    def keep(self, urn: str, request: Any) -> None:
        """Remembers a resource's own transforms for its children."""
        if request.transforms:
            self._of[urn] = (request.parent, tuple(c.token for c in request.transforms))
        elif request.parent in self._of:
            self._of[urn] = (request.parent, ())

    def apply(self, request: Any) -> Any:
        """The request as its transforms leave it. The engine's order: its own, its parents' from near to far, the
        stack's."""
        tokens = [*(c.token for c in request.transforms), *self._inherited(request.parent), *self._stack]
        if not tokens:
            return request
        changed = resource_pb2.RegisterResourceRequest()
        changed.CopyFrom(request)
        for token in tokens:
            _transform(changed, token)
        return changed

    def apply_invoke(self, request: Any) -> Any:
        """The arguments of a data source after the stack's invoke transforms."""
        args = request.args
        for token in self._stack_invoke:
            asked = resource_pb2.TransformInvokeRequest(token=request.tok, args=args)
            args = resource_pb2.TransformInvokeResponse.FromString(_call(token, asked)).args
        return args

    def _inherited(self, parent: str) -> Iterable[str]:
        while parent in self._of:
            parent, tokens = self._of[parent]
            yield from tokens


def _transform(request: Any, token: str) -> None:
    options = resource_pb2.TransformResourceOptions()
    for ours, theirs in _SAME.items():
        _copy(request, ours, options, theirs)
    if request.deleteBeforeReplaceDefined:
        options.delete_before_replace = request.deleteBeforeReplace
    asked = resource_pb2.TransformRequest(
        type=request.type, name=request.name, custom=request.custom, parent=request.parent,
        properties=request.object, options=options,
    )  # fmt: skip
    answer = resource_pb2.TransformResponse.FromString(_call(token, asked))
    request.object.CopyFrom(answer.properties)
    if not answer.HasField("options"):
        return
    for ours, theirs in _SAME.items():
        request.ClearField(ours)
        _copy(answer.options, theirs, request, ours)
    request.deleteBeforeReplaceDefined = answer.options.HasField("delete_before_replace")
    request.deleteBeforeReplace = answer.options.delete_before_replace


def _copy(source: Any, source_field: str, target: Any, target_field: str) -> None:
    """Copies one field where it is set. A field that this version of the SDK does not have is left out."""
    field = source.DESCRIPTOR.fields_by_name.get(source_field)
    other = target.DESCRIPTOR.fields_by_name.get(target_field)
    if field is None or other is None:
        return
    value = getattr(source, source_field)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        getattr(target, target_field).update(value)
    elif hasattr(value, "extend"):
        getattr(target, target_field).extend(value)
    elif field.message_type is not None:
        if source.HasField(source_field):
            getattr(target, target_field).CopyFrom(value)
    # A field without presence is set where it is not empty; assigning '' to one with presence would set it.
    elif source.HasField(source_field) if field.has_presence else value:
        setattr(target, target_field, value)


def _call(token: str, request: Any) -> bytes:
    for servicer in list(_CallbackServicer._servicers):
        callback = servicer._callbacks.get(token)
        if callback is not None:
            future = asyncio.run_coroutine_threadsafe(_run(callback, request), servicer._loop)
            return future.result()
    raise RuntimeError("a transform is registered whose callback is gone")


async def _run(callback: Any, request: Any) -> bytes:
    return (await callback(request.SerializeToString())).SerializeToString()
