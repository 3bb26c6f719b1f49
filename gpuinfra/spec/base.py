"""What every part of the spec has in common: frozen, no unknown keys, no values that are not known yet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from ..redaction import secret_kind
from .quantities import (
    DAY_PATTERN,
    DURATION_PATTERN,
    MAX_SIZE_GIB,
    MOMENT_PATTERN,
    SIZE_PATTERN,
    Gib,
    QuantityError,
    check_day,
    check_duration,
    check_moment,
    duration_hint,
    format_duration,
    format_moment,
    parse_day,
    parse_duration,
    parse_lease,
    parse_moment,
    parse_size_gib,
    shown,
)

T = TypeVar("T")


def is_output(value: object) -> bool:
    """Whether a value is a Pulumi Output, decided without importing Pulumi: where it is not loaded there is none.

    An Output answers every attribute and every truth test, so its class is asked and nothing else.
    """
    pulumi = sys.modules.get("pulumi")
    output = getattr(pulumi, "Output", None)
    return output is not None and issubclass(type(value), output)


def refuse_output(value: Any, alternative: str = "") -> Any:
    """The value itself, or an error where it is a Pulumi Output."""
    if is_output(value):
        reason = (
            "a Pulumi Output, whose value is not known before the deployment; the spec decides before it and needs a "
            "plain value"
        )
        hint = alternative or "give the value itself, for instance from pulumi.Config or a constant"
        raise PydanticCustomError("pulumi_output", "{reason}; {hint}", {"reason": reason, "hint": hint})
    return value


def visible(text: str) -> str:
    """The text itself, or an error where it holds a character that cannot be seen: a line break, a no-break space from a
    web page, a mark that turns the writing round. Clouds refuse those late, and terminals obey some."""
    if text.isprintable():
        return text
    code = next(ord(c) for c in text if not c.isprintable())
    raise bad(
        "invisible", f"{shown(text)} holds the character U+{code:04X}, which cannot be seen", "type the value anew"
    )


def is_public_looking(text: str) -> bool:
    """Whether a text may be shown where a public key belongs: it begins like one, and holds no private one."""
    return text.lstrip().startswith(_PUBLIC_PREFIXES) and not secret_kind(text)


NO_PUBLIC_KEY = ("this is not one SSH public key; it is not shown here", "give the one line of the .pub file")
_PUBLIC_PREFIXES = ("ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-")


def _public(text: str) -> str:
    """The text itself, or an error that does not show it where it has several lines and may be a private key."""
    if text.isprintable() or is_public_looking(text):
        return visible(text)
    raise bad("invisible", *NO_PUBLIC_KEY)


def _lines(text: str) -> str:
    visible(text.replace("\n", "").replace("\t", ""))
    return text


class SpecModel(BaseModel):
    """A frozen part of the spec."""

    # defer_build: one validator for the whole spec at its first use, instead of one for each part at import.
    # hide_input_in_errors: pydantic's own text would show a private key that stands where a public one belongs.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True, hide_input_in_errors=True
    )

    multi_line: ClassVar[frozenset[str]] = frozenset()
    """Text fields in which line breaks have a meaning."""

    output_alternatives: ClassVar[Mapping[str, str]] = {}
    """By field: where a Pulumi Output may be given instead. "" stands for the part as a whole."""

    @field_validator("*", mode="before")
    @classmethod
    def _plain_and_visible(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            return _lines(value) if info.field_name in cls.multi_line else visible(value)
        if is_output(value):
            return refuse_output(value, cls.output_alternatives.get(info.field_name or "", ""))
        return value

    @model_validator(mode="before")
    @classmethod
    def _refuse_output_as_part(cls, value: Any) -> Any:
        return refuse_output(value, cls.output_alternatives.get("", ""))


def bad(kind: str, reason: str, hint: str = "") -> PydanticCustomError:
    """An error for a validator to raise: `kind` chooses the finding's code, the hint becomes the finding's hint."""
    template = "{reason}; {hint}" if hint else "{reason}"
    return PydanticCustomError(kind, template, {"reason": reason, "hint": hint})  # type: ignore[arg-type]


def _read(parse: Callable[[Any], T], value: Any) -> T:
    try:
        return parse(value)
    except QuantityError as e:
        raise bad(e.kind, str(e), e.hint) from None


def _checked(check: Callable[[T], None], value: T) -> T:
    try:
        check(value)
    except QuantityError as e:
        raise bad(e.kind, str(e), e.hint) from None
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number_hint(value: Any) -> str:
    if _is_number(value) and value <= 0:
        return f"leave it out, or {duration_hint('')}"
    return duration_hint(shown(value) if _is_number(value) else "")


def _duration(value: Any) -> Any:
    if isinstance(value, timedelta):
        return _checked(check_duration, value)
    if isinstance(value, str):
        return _read(parse_duration, value)
    number = shown(value)
    raise bad("duration", f"{number} is not a duration", _number_hint(value))


def _size(value: Any) -> Gib:
    if not _is_number(value) and not isinstance(value, str):
        raise bad("size", f"{shown(value)} is not a size", "write a number of GiB, as 9600, or a unit, as 10 TiB")
    return _read(parse_size_gib, value)


def _moment(value: Any) -> Any:
    if isinstance(value, datetime):
        return _checked(check_moment, value)
    if isinstance(value, str):
        return _read(parse_moment, value)
    raise bad("moment", f"{shown(value)} is not a moment", "write a day, a time and an offset, as 2026-12-05T18:00:00Z")


def _lease(value: Any) -> Any:
    if isinstance(value, datetime):
        return _moment(value)
    return _read(parse_lease, value) if isinstance(value, str) else _duration(value)


def _day(value: Any) -> Any:
    if isinstance(value, date) and not isinstance(value, datetime):
        return _checked(check_day, value)
    if isinstance(value, str):
        return _read(parse_day, value)
    raise bad("day", f"{shown(value)} is not a day", "write year, month and day, as 2026-12-05")


def _written(value: timedelta | datetime) -> str:
    return format_duration(value) if isinstance(value, timedelta) else format_moment(value)


_DURATION_SCHEMA: dict[str, Any] = {"type": "string", "pattern": DURATION_PATTERN, "examples": ["30m", "72h", "7d"]}
_MOMENT_SCHEMA: dict[str, Any] = {
    "type": "string",
    "pattern": MOMENT_PATTERN,
    "examples": ["2026-12-05T18:00:00+01:00", "2026-12-05T17:00:00Z"],
}
_SIZE_SCHEMA = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_SIZE_GIB},
        {"type": "string", "pattern": SIZE_PATTERN},
    ],
    "examples": [9600, "9600 GiB", "10 TiB"],
}
_DAY_SCHEMA: dict[str, Any] = {"type": "string", "pattern": DAY_PATTERN, "examples": ["2026-12-05"]}

Duration = Annotated[
    timedelta, PlainValidator(_duration), PlainSerializer(_written, when_used="json"), WithJsonSchema(_DURATION_SCHEMA)
]
"""A length of time: text such as 30m, 72h or 7d, or a timedelta in Python."""

Moment = Annotated[
    datetime, PlainValidator(_moment), PlainSerializer(_written, when_used="json"), WithJsonSchema(_MOMENT_SCHEMA)
]
"""An instant with its offset: text, or an aware datetime in Python."""

Lease = Annotated[
    timedelta | datetime,
    PlainValidator(_lease),
    PlainSerializer(_written, when_used="json"),
    WithJsonSchema({"anyOf": [_DURATION_SCHEMA, _MOMENT_SCHEMA], "examples": ["72h", "2026-12-05T18:00:00+01:00"]}),
]
"""A duration, which starts at the first `up`, or an end with its offset."""

if TYPE_CHECKING:
    # What a type checker lets Python users write; at run time the value remembers how it was written.
    _GibNumber = float
else:
    _GibNumber = Gib

SizeGib = Annotated[
    _GibNumber,
    PlainValidator(_size),
    PlainSerializer(lambda v: int(v) if float(v).is_integer() else float(v), when_used="json"),
    WithJsonSchema(_SIZE_SCHEMA),
]
"""A size in GiB: a number, or text with a unit."""

Day = Annotated[
    date, PlainValidator(_day), PlainSerializer(lambda v: v.isoformat(), when_used="json"), WithJsonSchema(_DAY_SCHEMA)
]
"""A day of the calendar: text as 2026-12-05, or a date in Python."""

Text = Annotated[str, BeforeValidator(refuse_output), AfterValidator(visible)]
"""Text inside a list or a mapping, where no field's own check sees the value."""

PublicKey = Annotated[
    str, BeforeValidator(refuse_output), StringConstraints(strip_whitespace=True), AfterValidator(_public)
]
"""One line, as a .pub file holds it; the file's line end is left off."""

Argument = Annotated[str, BeforeValidator(refuse_output), AfterValidator(_lines)]
"""One argument of a command, which may have several lines."""

Number = Annotated[float, Field(strict=True)]
"""A number, whole or not. Text is no number: what the schema refuses, the model refuses."""

ListedNumber = Annotated[float, Field(strict=True), BeforeValidator(refuse_output)]
"""A number inside a list."""
