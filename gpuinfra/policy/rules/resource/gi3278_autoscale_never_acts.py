"""An autoscale setting that does nothing, or that Azure refuses.

What: enabled is not true; a profile's numbers are no text, or are not in the order minimum, default, maximum; a time zone is no Windows id; or a fixed window is over, or ends before it begins.
Why: Left out, enabled is false: the lease is there to be seen, and never fires. The API takes the numbers as text only.
Fix: Set enabled: true, write capacities as "0", and time zones as W. Europe Standard Time.
References: Azure Monitor API, AutoscaleSettings; CLDR, windowsZones
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import AUTOSCALE
from ...azure_scaling import is_open, profile_fault, profiles
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, truth

CODE = described("GI3278", "autoscale-never-acts", Severity.ERROR, __doc__, ("AZ SHUT-03",))


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
            if is_open(profile, capacity):
                yield Undecided(CODE.code, setting.name, "the numbers or the time of a profile are not known yet")
            place, fault, hint = profile_fault(profile, capacity, ctx.now)
            if fault:
                yield CODE.at(f"{setting.name}.profiles[{n}].{place}", fault, hint, resource=setting.name)


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
        (_T.format("!unknown ", '"0"', _ZONE), _T.format("true", "!unknown ", _ZONE)),
    ),
    providers=(Provider.AZURE,),
)
