"""From what a component is given, a spec in any form or a plan, to a plan without errors."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..clock import current_moment
from ..diagnostics import Diagnostic, GpuInfraError, Severity, has_errors
from ..plan.arguments import wrong_type
from ..plan.models import ClusterPlan
from ..policy.governance import Governor
from ..policy.judgement import judge
from ..policy.organisation import OwnRulesError, own_rules
from ..policy.settings import settings_for
from ..spec.load import Loaded, load, parse
from ..spec.models import ClusterSpec
from .components import name_findings, option_findings

if TYPE_CHECKING:
    import pulumi

SpecLike = ClusterSpec | Mapping[str, Any] | str | Path
"""The spec as a model, as a mapping, or as the path of a YAML file."""
_WANTED = "a ClusterSpec, a mapping, or the path of a YAML file, known before the deployment"
_MEANT: dict[type, str] = {
    Loaded: ": its .spec",
    type(None): "; the .spec of what gpuinfra.load gives is None where its .diagnostics say why",
}


def planned(
    spec: SpecLike | ClusterPlan,
    name: str,
    opts: pulumi.ResourceOptions | None = None,
    now: datetime | None = None,
) -> ClusterPlan:
    """The plan for a component: the one given, or one made here, whose logical names begin with `name`.

    Warnings go to Pulumi's log. Raises GpuInfraError with every finding when one of them is an error.
    """
    wrong = option_findings(opts)
    if isinstance(spec, ClusterPlan):
        if wrong:
            raise GpuInfraError(wrong)
        return spec
    wrong += name_findings(name)
    plan, found = judged(spec, "component" if wrong else name, now)
    if plan is None or wrong or has_errors(found):
        raise GpuInfraError([*wrong, *found])
    _show(found)
    return plan


def judged(spec: SpecLike, name: str, now: datetime | None) -> tuple[ClusterPlan | None, tuple[Diagnostic, ...]]:
    """The plan, as far as it could be made, and every finding of reading, deciding and judging. For a spec in a file the
    settings beside it and above it hold, as for `gpuinfra check`."""
    if isinstance(spec, (str, Path)):
        return _judged_file(spec, name, now)
    judgement = judge(_loaded(spec), now, name=name)
    return judgement.plan, judgement.diagnostics


def _judged_file(
    spec: str | Path, name: str, now: datetime | None
) -> tuple[ClusterPlan | None, tuple[Diagnostic, ...]]:
    loaded = _loaded(spec)
    settings = settings_for(os.fspath(spec))
    own = own_rules(settings.rules)
    if own.faults:
        raise OwnRulesError("; ".join(own.faults))
    judgement = judge(loaded, now, name=name, options=settings.options, own=own.rules)
    if not settings.files and not settings.diagnostics:
        return judgement.plan, judgement.diagnostics
    governor = Governor(now or current_moment())
    governor.take(judgement.diagnostics, settings, os.fspath(spec), missing=own.missing)
    return judgement.plan, governor.result(not_judged=("GI3", "GI4")).findings


def _loaded(spec: SpecLike) -> Loaded:
    if isinstance(spec, ClusterSpec):
        return Loaded(spec, ())
    if isinstance(spec, (str, Path)):
        _refuse_yaml(str(spec))
        return load(spec)
    if not isinstance(spec, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_type("spec", spec, _WANTED + _MEANT.get(type(spec), ""))
    return parse(spec)


def _refuse_yaml(path: str) -> None:
    # As a path it would come back whole, in a finding that there is no such file.
    if ("\n" in path or ": " in path) and not os.path.exists(path):
        raise ValueError(
            "spec is a text that looks like YAML, and a text is taken as the path of a file; give "
            'gpuinfra.load("cluster.yaml", text).spec, or a mapping'
        )


@contextmanager
def listening() -> Generator[list[Diagnostic]]:
    """The findings that rooms come to while they make resources, for who shows a plan: beside those of the spec, which
    `planned` shows, and which are known before."""
    heard: list[Diagnostic] = []
    _LISTENERS.append(heard)
    try:
        yield heard
    finally:
        _LISTENERS[:] = [other for other in _LISTENERS if other is not heard]


_LISTENERS: list[list[Diagnostic]] = []


def warn(found: tuple[Diagnostic, ...]) -> None:
    """Shows findings of a room that are no errors in the output of the program."""
    for heard in _LISTENERS:
        heard.extend(found)
    _show(found)


def _show(found: tuple[Diagnostic, ...]) -> None:
    import pulumi

    for finding in found:
        text = f"{finding}\n  hint: {finding.hint}" if finding.hint else str(finding)
        if finding.severity is Severity.WARNING:
            pulumi.log.warn(text)
        else:
            pulumi.log.info(text)
