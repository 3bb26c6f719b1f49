"""The `time` package: a moment that is worked out once and remembered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ..cloud import Cloud, Diffs, Request

_OFFSET = "time:index/offset:Offset"
_UNITS = {
    "offsetDays": "days",
    "offsetHours": "hours",
    "offsetMinutes": "minutes",
    "offsetSeconds": "seconds",
}


def _base(request: Request) -> datetime:
    given = request.inputs.get("baseRfc3339")
    return datetime.fromisoformat(str(given).replace("Z", "+00:00")) if given else request.world.now


def _identify(request: Request) -> str:
    text = _text(_base(request))
    # Two of one second are two: the plugin marks a further asking by its number, which becomes the fraction.
    number = request.urn.rpartition("#")[2]
    return f"{text[:-1]}.{int(number):06}Z" if number.isdigit() else text


def _outputs(request: Request, id_: str) -> Mapping[str, Any]:
    base = datetime.fromisoformat(id_.replace("Z", "+00:00"))
    moved = base + sum(
        (timedelta(**{unit: int(request.inputs[key])}) for key, unit in _UNITS.items() if request.inputs.get(key)),
        timedelta(),
    )
    return {
        "baseRfc3339": id_,
        "rfc3339": _text(moved),
        "unix": int(moved.timestamp()),
        **{key: getattr(moved, key) for key in ("year", "month", "day", "hour", "minute", "second")},
    }


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


CLOUD = Cloud("time", _identify, _outputs, diffs={_OFFSET: Diffs(replace=("triggers", "baseRfc3339"))})
