"""What every part of the spec has in common: frozen, no unknown keys, no values that are not known yet."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, PlainValidator, WithJsonSchema, field_validator
from pydantic_core import PydanticCustomError

from .quantities import (
    Gib,
    QuantityError,
    format_duration,
    format_moment,
    parse_duration,
    parse_moment,
    parse_size_gib,
)


def is_output(value: object) -> bool:
    """Whether a value is a Pulumi Output, decided without importing Pulumi: where it is not loaded there is none.

    An Output answers every attribute and every truth test, so its class is asked and nothing else.
    """
    pulumi = sys.modules.get("pulumi")
    return pulumi is not None and isinstance(value, pulumi.Output)


class SpecModel(BaseModel):
    """A frozen part of the spec."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_output(cls, value: Any) -> Any:
        if is_output(value):
            raise PydanticCustomError(
                "pulumi_output",
                "is a Pulumi Output, whose value is not known before the deployment; the spec decides before it and "
                "needs a plain value",
            )
        return value


def _duration(value: Any) -> Any:
    if isinstance(value, timedelta):
        if value <= timedelta():
            raise PydanticCustomError("quantity", "a duration must be positive")
        return value
    if not isinstance(value, str):
        raise PydanticCustomError(
            "quantity",
            "{value} is not a duration; write a number and a unit, as 30m or 72h",
            {"value": repr(value)},
        )
    try:
        return parse_duration(value)
    except QuantityError as e:
        raise PydanticCustomError("quantity", "{reason}", {"reason": str(e)}) from None


def _size(value: Any) -> Gib:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise PydanticCustomError("quantity", "{value} is not a size; write a number of GiB", {"value": repr(value)})
    try:
        return parse_size_gib(value)
    except (QuantityError, OverflowError) as e:
        raise PydanticCustomError("quantity", "{reason}", {"reason": str(e)}) from None


def _moment(value: Any) -> Any:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise PydanticCustomError(
                "quantity", "{value} has no timezone; give the moment its offset", {"value": value.isoformat()}
            )
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("quantity", "{value} is not a moment", {"value": repr(value)})
    try:
        return parse_moment(value)
    except QuantityError as e:
        raise PydanticCustomError("quantity", "{reason}", {"reason": str(e)}) from None


def _lease(value: Any) -> Any:
    if isinstance(value, timedelta):
        return _duration(value)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, str) and not value.strip()[:4].isdigit():
        return _duration(value)
    if isinstance(value, str) and "-" not in value:
        return _duration(value)
    return _moment(value) if isinstance(value, str) else _duration(value)


def _written(value: timedelta | datetime) -> str:
    return format_duration(value) if isinstance(value, timedelta) else format_moment(value)


_DURATION_SCHEMA = {"type": "string", "pattern": r"^\s*(\d+(\.\d+)?\s*[smhdw]\s*)+$", "examples": ["30m", "72h"]}
_MOMENT_SCHEMA = {
    "type": "string",
    "pattern": r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$",
    "examples": ["2026-12-05T18:00:00+01:00"],
}
_SIZE_SCHEMA = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*([MmGgTtPp][Ii]?[Bb])\s*$"},
    ],
    "examples": [9600, "9600 GiB"],
}

Duration = Annotated[
    timedelta, BeforeValidator(_duration), PlainSerializer(_written, when_used="json"), WithJsonSchema(_DURATION_SCHEMA)
]
"""A length of time: text such as 30m, 72h or 7d, or a timedelta in Python."""

Moment = Annotated[
    datetime, BeforeValidator(_moment), PlainSerializer(_written, when_used="json"), WithJsonSchema(_MOMENT_SCHEMA)
]
"""An instant with its offset."""

Lease = Annotated[
    timedelta | datetime,
    BeforeValidator(_lease),
    PlainSerializer(_written, when_used="json"),
    WithJsonSchema({"anyOf": [_DURATION_SCHEMA, _MOMENT_SCHEMA]}),
]
"""A duration, which starts at the first `up`, or an end with its offset."""

SizeGib = Annotated[
    Gib,
    PlainValidator(_size),
    PlainSerializer(lambda v: int(v) if float(v).is_integer() else float(v), when_used="json"),
    WithJsonSchema(_SIZE_SCHEMA),
]
"""A size in GiB: a number, or text with a unit."""
