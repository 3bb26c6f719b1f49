"""An autoscale setting that does nothing, or that Azure refuses.

What: enabled is not true; a profile's numbers are no text, or are not in the order minimum, default, maximum; a time zone is no Windows id; or a fixed window is over, or ends before it begins.
Why: Left out, enabled is false: the lease is there to be seen, and never fires. The API takes the numbers as text only.
Fix: Set enabled: true, write capacities as "0", and time zones as W. Europe Standard Time.
References: Azure Monitor API, AutoscaleSettings; CLDR, windowsZones
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AUTOSCALE
from ...azure_moments import moment_of, zone_fault
from ...azure_scaling import profiles
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number, plain, truth

CODE = described("GI3278", "autoscale-never-acts", Severity.ERROR, __doc__, ("AZ SHUT-03",))
_NUMBERS = ("minimum", "default", "maximum")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for the switch, and one for each profile."""
    for setting in ctx.azure.of_type(AUTOSCALE):
        enabled = setting.get("enabled")
        if late(enabled) or late(setting.get("profiles")):
            yield Undecided(CODE.code, setting.name, "enabled or the profiles are not known yet")
        elif truth(enabled) is not True:
            said = "is false" if enabled is not None else "is not written, which means false"
            yield CODE.at(
                f"{setting.name}.enabled", f"enabled {said}: it never acts", "set enabled: true", resource=setting.name
            )
        for n, profile, capacity in profiles(setting):
            yield from _profile(setting, f"profiles[{n}]", profile, capacity, ctx.now)


def _profile(
    setting: Resource, path: str, profile: Mapping[str, Any], capacity: Mapping[str, Any], now: datetime | None
) -> Iterator[Diagnostic | Undecided]:
    numbers = [plain(capacity.get(k)) for k in _NUMBERS]
    wrong = next((k for k, v in zip(_NUMBERS, numbers, strict=True) if isinstance(v, (int, float))), "")
    values = [number(v) for v in numbers]
    known = [v for v in values if v is not None]
    holders = (plain(profile.get("fixedDate")), plain(_get(plain(profile.get("recurrence")), "schedule")))
    if any(map(late, (*numbers, *(plain(_get(h, k)) for h in holders for k in ("timeZone", "end"))))):
        yield Undecided(CODE.code, setting.name, "the numbers or the time of a profile are not known yet")
    where, fault, hint = "", "", ""
    if wrong:
        where, fault = f"{path}.capacity.{wrong}", f"the number {numbers[_NUMBERS.index(wrong)]} is no text"
        hint = f'write "{numbers[_NUMBERS.index(wrong)]:g}"'
    elif len(known) == len(_NUMBERS) and known != sorted(known):
        where = f"{path}.capacity"
        fault = "minimum, default and maximum are not in this order: " + ", ".join(f"{v:g}" for v in known)
        hint = "put them in order"
    else:
        where, fault, hint = _when(path, profile, now)
    if fault:
        yield CODE.at(f"{setting.name}.{where}", fault, hint, resource=setting.name)


def _when(path: str, profile: Mapping[str, Any], now: datetime | None) -> tuple[str, str, str]:
    window = plain(profile.get("fixedDate"))
    schedule = plain(_get(plain(profile.get("recurrence")), "schedule"))
    for place, holder in ((f"{path}.fixedDate", window), (f"{path}.recurrence.schedule", schedule)):
        fault, hint = zone_fault(plain(_get(holder, "timeZone")))
        if fault:
            return f"{place}.timeZone", fault, hint
    start, end = (moment_of(plain(_get(window, k))) for k in ("start", "end"))
    if start is not None and end is not None and end <= start:
        return f"{path}.fixedDate.end", "the window ends before it begins", "take a later end"
    if end is not None and now is not None and end <= now:
        return (
            f"{path}.fixedDate.end",
            "the window is over: the profile never applies",
            "take a later end, or remove it",
        )
    return "", "", ""


def _get(block: object, key: str) -> Any:
    return cast("Mapping[str, Any]", block).get(key) if isinstance(block, Mapping) else None


_T = """\
- type: azure-native.monitor.AutoscaleSetting
  name: lease
  inputs:
    enabled: {0}
    profiles:
    - name: end
      capacity: {{minimum: "0", default: {1}, maximum: "4"}}
      recurrence: {{frequency: Week, schedule: {{timeZone: {2}, days: [Monday], hours: [19], minutes: [0]}}}}
"""
_ZONE = "W. Europe Standard Time"

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (_T.format("true", '"0"', _ZONE),),
        (
            _T.format("null", '"0"', _ZONE),
            _T.format("true", "0", _ZONE),
            _T.format("true", '"9"', _ZONE),
            _T.format("true", '"0"', "Europe/Berlin"),
        ),
        (_T.format("!unknown ", '"0"', _ZONE),),
    ),
    providers=(Provider.AZURE,),
)
