"""How a pack is configured: the enforcement level of a rule, and waivers of single findings.

Pulumi's own form, in a file that `--policy-pack-config` names, in the pack's own `policy-config.json`, or in the cloud
service: {"all": "advisory", "GI3047": "disabled", "GI3012": {"enforcementLevel": "mandatory", "waivers": [...]}}.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from ..diagnostics import did_you_mean
from ..spec.models import Waiver
from ..spec.wanted import wanted

OWN_FILE: Final = "policy-config.json"
SCHEMA_FILE: Final = "policy-config.schema.json"
ALL: Final = "all"
UNDECIDED: Final = "undecided"
"""The policy that tells of what no rule can judge yet. It is disabled unless it is asked for."""
LEVEL: Final = "enforcementLevel"
LEVELS: Final = ("advisory", "mandatory", "disabled")
_MORE_LEVELS: Final = (*LEVELS, "remediate")
"""What Pulumi takes; nothing is remedied here, so that the last one is as good as mandatory."""

END_ABOVE: Final = "endDemandedAboveUsdPerHour"
END_ABOVE_SCHEMA: Final[dict[str, Any]] = {
    "type": "number",
    "exclusiveMinimum": 0,
    "description": "USD an hour: from this list price on, nodes without an end are an error. Left out: a warning.",
}

WAIVERS: Final = "waivers"
WAIVERS_SCHEMA: Final[dict[str, Any]] = {
    "type": "array",
    "description": "Findings of this rule that are known and accepted for a while.",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["reason", "expires"],
        "properties": {
            "urn": {"type": "string", "description": "Which resource; left out: every one."},
            "path": {"type": "string", "description": "Which input; a prefix covers all below it."},
            "reason": {"type": "string", "minLength": 1, "description": "Why it is accepted."},
            "expires": {
                "type": "string",
                "pattern": r"^\d{4}-\d{2}-\d{2}$",
                "description": "Last day; after it the finding counts again.",
            },
        },
    },
}


class SettingsError(Exception):
    """A configuration that cannot be meant. The text is for a person."""


def checked_names(names: Iterable[str], known: Collection[str]) -> None:
    """Raises SettingsError for a name that is no policy of the pack: the engine itself would pass over it."""
    for name in names:
        if name == ALL or name in known:
            continue
        what_now = did_you_mean(name, [*known, ALL]) or f"its policies stand in {SCHEMA_FILE}"
        raise SettingsError(f"'{name}' is none of its policies; {what_now}")


@dataclass(frozen=True)
class Options:
    """What is set for one policy beside its level."""

    waivers: tuple[Waiver, ...] = ()
    end_above: float | None = None


def read_options(policy: str, given: Mapping[str, Any], policies: Mapping[str, bool]) -> Options:
    """The options of a policy as they are configured. Raises SettingsError, also for an option that the policy does not have:
    the engine itself would pass over it."""
    known = () if policy in (ALL, UNDECIDED) else (WAIVERS, END_ABOVE) if policies[policy] else (WAIVERS,)
    for option in given:
        if option in known:
            continue
        if option == END_ABOVE:
            what_now = f"the policies that take it are {', '.join(name for name, ending in policies.items() if ending)}"
        else:
            listed = ", ".join((LEVEL, *known))
            what_now = did_you_mean(option, [LEVEL, *known]) or f"{policy} takes {listed}"
        raise SettingsError(f"'{option}' is no option of {policy}; {what_now}")
    return Options(_waivers_of(policy, given.get(WAIVERS)), _end_above_of(policy, given.get(END_ABOVE)))


def _waivers_of(code: str, given: Any) -> tuple[Waiver, ...]:
    from pydantic import ValidationError

    if given is not None and not isinstance(given, list):
        raise SettingsError(f"{WAIVERS} of {code}: a list is wanted")
    found: list[Waiver] = []
    for entry in cast("list[Any]", given or []):
        if not isinstance(entry, Mapping):
            raise SettingsError(f"{WAIVERS} of {code}: an object with reason and expires is wanted for each")
        try:
            found.append(Waiver.model_validate({**entry, "code": code}))
        except ValidationError as e:
            first = e.errors()[0]
            place = ".".join(str(step) for step in first["loc"])
            raise SettingsError(f"waivers of {code}: {place}: {wanted(cast('dict[str, Any]', first))}") from e
    return tuple(found)


def _end_above_of(code: str, given: Any) -> float | None:
    if given is None or (isinstance(given, (int, float)) and not isinstance(given, bool) and 0 < given < float("inf")):
        return given
    raise SettingsError(f"{END_ABOVE} of {code}: a number of USD above 0 is wanted, and not {given!r}")


def own_settings(folder: Path, policies: Mapping[str, bool]) -> dict[str, dict[str, Any]]:
    """The pack's own configuration, by policy; nothing where it has no such file. Raises SettingsError.

    `policies`: those of the pack, and whether each takes END_ABOVE.
    """
    file = folder / OWN_FILE
    if not file.exists():
        return {}
    try:
        read: Any = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise SettingsError(f"{file}: cannot be read as JSON: {e}") from e
    if not isinstance(read, dict):
        raise SettingsError(f'{file}: has to be an object by policy, as {{"GI3047": "disabled"}}')
    given = {name: value for name, value in cast("dict[str, Any]", read).items() if name != "$schema"}
    try:
        checked_names(given, policies)
        entries = {name: _entry(name, value) for name, value in given.items()}
        for name, entry in entries.items():
            read_options(name, {k: v for k, v in entry.items() if k != LEVEL}, policies)
    except SettingsError as e:
        raise SettingsError(f"{file}: {e}") from e
    return entries


def _entry(name: str, value: Any) -> dict[str, Any]:
    entry = cast("Mapping[str, Any]", value if isinstance(value, dict) else {LEVEL: value})
    level = entry.get(LEVEL)
    if LEVEL in entry and level not in _MORE_LEVELS:
        raise SettingsError(f"{name}: {level!r} is no enforcement level; write {', '.join(LEVELS)}")
    return dict(entry)


def options_of(demands_end: bool) -> dict[str, Any]:
    """What may be set for a rule beside its level, as properties of a JSON schema."""
    return {WAIVERS: WAIVERS_SCHEMA, **({END_ABOVE: END_ABOVE_SCHEMA} if demands_end else {})}


def settings_schema(codes: Iterable[tuple[str, str, bool]]) -> dict[str, Any]:
    """A JSON schema of the configuration, for editors. `codes`: names, what each is about, and whether it demands an end."""
    level = {"enum": list(LEVELS)}

    def entry(demands_end: bool) -> dict[str, Any]:
        properties = {LEVEL: level, **options_of(demands_end)}
        return {"anyOf": [level, {"type": "object", "additionalProperties": False, "properties": properties}]}

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of the policy pack of gpuinfra",
        "type": "object",
        "additionalProperties": False,
        "$defs": {"policy": entry(False), "ending": entry(True)},
        "properties": {
            "$schema": {"type": "string"},
            ALL: {**level, "description": "Every policy that has no line of its own."},
            UNDECIDED: {**level, "description": "What a rule cannot tell before the deployment; disabled by default."},
            **{
                code: {"$ref": f"#/$defs/{'ending' if ending else 'policy'}", "description": about}
                for code, about, ending in codes
            },
        },
    }
