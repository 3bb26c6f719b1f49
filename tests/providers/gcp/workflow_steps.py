"""Runs the steps of a workflow as Google's Workflows does, as far as ours use them. What it does not know it refuses."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any

_EXPRESSION = re.compile(r"\$\{(.*)\}", re.DOTALL)
_RETRIED = {429, 502, 503, 504}


class Failed(Exception):  # noqa: N818
    """The execution ended with an error."""


class HttpError(Exception):
    """An answer that is no success."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(str(code))


class _Done(Exception):  # noqa: N818
    def __init__(self, value: Any) -> None:
        self.value = value


class _Record(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return _seen(self[name])


class _Library:
    def __init__(self, **functions: Any) -> None:
        self.__dict__.update(functions)


_LIBRARY = {
    "base64": _Library(decode=base64.b64decode),
    "json": _Library(decode=json.loads, encode_to_string=json.dumps),
    "list": _Library(concat=lambda values, value: [*values, value]),
    "map": _Library(get=lambda values, key: values.get(key)),
    "default": lambda value, other: other if value is None else value,
    "http": _Library(default_retry_predicate=lambda error: error.code in _RETRIED),
    "len": len,
}


def message(**news: Any) -> dict[str, Any]:
    """The event that carries a message of a topic."""
    return {"data": {"message": {"data": base64.b64encode(json.dumps(news).encode()).decode()}}}


def execute(source: str, event: dict[str, Any], ask: Callable[[str, dict[str, Any]], Any]) -> Any:
    """What the workflow returns for an event. `ask` answers its requests with a body, and raises HttpError; it gets the
    method and the arguments. Raises Failed."""
    main = json.loads(source)["main"]
    (parameter,) = main["params"]
    try:
        _Execution(ask).run(main["steps"], {parameter: event})
    except _Done as done:
        return done.value
    return None


class _Execution:
    def __init__(self, ask: Callable[[str, dict[str, Any]], Any]) -> None:
        self._ask = ask

    def run(self, steps: list[dict[str, Any]], values: dict[str, Any]) -> None:
        for step in steps:
            ((name, what),) = step.items()
            assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]*", name)
            self._step(what, values)

    def _step(self, what: dict[str, Any], values: dict[str, Any]) -> None:
        match sorted(what):
            case ["assign"]:
                for assignment in what["assign"]:
                    ((name, value),) = assignment.items()
                    values[name] = _value(value, values)
            case ["switch"]:
                self._switch(what["switch"], values)
            case ["for"]:
                self._for(what["for"], values)
            case ["except", "retry", "try"]:
                self._try(what, values)
            case ["args", "call"]:
                self._call(what, values)
            case ["args", "call", "result"]:
                values[what["result"]] = {"body": self._call(what, values)}
            case ["steps"]:
                self.run(what["steps"], values)
            case ["return"]:
                raise _Done(_value(what["return"], values))
            case ["raise"]:
                raise Failed(_value(what["raise"], values))
            case unknown:
                raise AssertionError(f"a step that is not known: {unknown}")

    def _call(self, what: dict[str, Any], values: dict[str, Any]) -> Any:
        method = what["call"].removeprefix("http.")
        assert method in ("get", "post")
        return self._ask(method, _value(what["args"], values))

    def _switch(self, branches: list[dict[str, Any]], values: dict[str, Any]) -> None:
        for branch in branches:
            rest = {key: value for key, value in branch.items() if key != "condition"}
            if _value(branch["condition"], values):
                return self._step(rest, values)
        return None

    def _for(self, loop: dict[str, Any], values: dict[str, Any]) -> None:
        assert set(loop) == {"value", "in", "steps"}
        for one in _value(loop["in"], values):
            inner = {**values, loop["value"]: one}
            self.run(loop["steps"], inner)
            # A loop sees what stands outside it, and changes it; what it makes itself is gone after it.
            values.update({name: value for name, value in inner.items() if name in values})

    def _try(self, what: dict[str, Any], values: dict[str, Any]) -> None:
        retry = what["retry"]
        again = _value(retry["predicate"], values)
        for left in range(retry["max_retries"], -1, -1):
            try:
                return self._step(what["try"], values)
            except HttpError as error:
                if left and again(error):
                    continue
                inner = {**values, what["except"]["as"]: error}
                self.run(what["except"]["steps"], inner)
                values.update({name: value for name, value in inner.items() if name in values})
                return None
        return None


def _value(text: Any, values: dict[str, Any]) -> Any:
    if isinstance(text, dict):
        return {key: _value(value, values) for key, value in text.items()}
    if isinstance(text, list):
        return [_value(value, values) for value in text]
    found = _EXPRESSION.fullmatch(text) if isinstance(text, str) else None
    if not found:
        return text
    names = {**{name: _seen(value) for name, value in values.items()}, **_LIBRARY}
    return eval(found[1], {"__builtins__": {}}, names)  # the file is ours, and its expressions are Python's too


def _seen(value: Any) -> Any:
    return _Record(value) if isinstance(value, dict) else value
