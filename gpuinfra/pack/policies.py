"""One Pulumi policy for each resource rule, so that each is listed, explained and configured by its code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pulumi_policy import EnforcementLevel, PolicyConfigSchema, StackValidationPolicy
from pulumi_policy import Severity as PolicySeverity

from ..diagnostics import Severity
from ..policy.last_inputs import compares
from ..policy.rule import ResourceRule
from .settings import LEVEL, UNDECIDED, options_of

LEVEL_OF: Final = {
    Severity.ERROR: EnforcementLevel.MANDATORY,
    Severity.WARNING: EnforcementLevel.ADVISORY,
    Severity.INFO: EnforcementLevel.ADVISORY,
}
SEVERITY_OF: Final = {
    Severity.ERROR: PolicySeverity.HIGH,
    Severity.WARNING: PolicySeverity.MEDIUM,
    Severity.INFO: PolicySeverity.LOW,
}


class RulePolicy(StackValidationPolicy):
    """A rule as Pulumi lists it. The rules run all at once (see `analyzer`), never one policy at a time."""

    def validate(self, args: Any, report_violation: Any) -> None:
        raise NotImplementedError("policies of gpuinfra are served by gpuinfra.pack.serve")


def policies(rules: Iterable[ResourceRule]) -> list[StackValidationPolicy]:
    """The policies of the rules, and the one of undecided verdicts."""
    return [*(_policy(rule) for rule in rules), _undecided()]


_NOT_SHOWN: Final = (
    "What it compares with the last deployment stays unsaid here, since the engine shows a pack no old state; "
    "`gpuinfra lint --preview` sees it."
)


def _policy(rule: ResourceRule) -> RulePolicy:
    code = rule.code
    about = code.summary or code.slug
    return RulePolicy(
        code.code,
        f"{about} {_NOT_SHOWN}" if compares(rule) else about,
        enforcement_level=LEVEL_OF[code.severity],
        config_schema=PolicyConfigSchema(options_of(rule.demands_end)),
        display_name=code.slug,
        severity=SEVERITY_OF[code.severity],
        tags=list(rule.tags),
        remediation_steps=code.fix,
    )


def _undecided() -> RulePolicy:
    return RulePolicy(
        UNDECIDED,
        "A rule cannot tell before the deployment, because a value is not known yet.",
        enforcement_level=EnforcementLevel.DISABLED,
        display_name=UNDECIDED,
        severity=PolicySeverity.LOW,
    )


def initial_config(settings: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """The pack's own settings as pulumi_policy takes them."""
    if not settings:
        return None
    return {
        name: {key: EnforcementLevel(value) if key == LEVEL else value for key, value in entry.items()}
        for name, entry in settings.items()
    }
