"""The options that show a spec in another place, and what becomes of it there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..vocabulary import Provider
from .judge import Judged, judge_loaded

if TYPE_CHECKING:
    from ..advice.change import Change
    from ..advice.target import Target
    from ..spec.load import Loaded
    from ..spec.models import ClusterSpec
    from .governing import Ruling

C = TypeVar("C", bound=Callable[..., Any])

_NAMES = tuple(str(p) for p in Provider)


@dataclass(frozen=True)
class Wanted:
    """The place as the command line names it: what is left out stays as the spec has it."""

    provider: str | None
    region: str | None
    zone: str | None
    project: str | None
    save: str | None = None
    """The file that the moved spec is written to."""

    @property
    def nothing(self) -> bool:
        """Whether no place is named. Raises click.UsageError where a file waits for one."""
        nowhere = not (self.provider or self.region or self.zone or self.project)
        if nowhere and self.save:
            raise click.UsageError("--save writes a moved spec: name the place with --provider or --region")
        return nowhere


def options(command: C) -> C:
    """--provider, --region, --zone, --project and --save of a move."""
    for option in (
        click.option(
            "--save",
            metavar="FILE",
            type=click.Path(dir_okay=False),
            help="With that: write the moved spec to a new file.",
        ),
        click.option("--project", metavar="ID", help="The Google Cloud project of the moved spec."),
        click.option("--zone", metavar="NAME", help="With that: the zone. Left out: one that has every type."),
        click.option("--region", metavar="NAME", help="Show the same cluster in this region."),
        click.option(
            "--provider", type=click.Choice(_NAMES), help="Show the same cluster on this cloud; needs --region."
        ),
    ):
        command = option(command)
    return command


def target_of(spec: ClusterSpec, wanted: Wanted) -> Target:
    """The place that is wanted. Raises click.UsageError, with the nearest names, for one that is not known."""
    from ..advice.target import Target, location_of
    from ..diagnostics import Collector
    from ..plan.zone_as_region import zone_as_region
    from ..plan.zones import check_region, check_zone

    old = spec.location
    provider = Provider(wanted.provider or old.provider)
    if wanted.region is None and provider != old.provider:
        raise click.UsageError(
            f"--provider {provider} needs --region; gpuinfra compare SPEC --provider {provider} lists where it has the GPUs"
        )
    region = wanted.region or old.region
    zone = wanted.zone or (old.zone if (provider, region) == (old.provider, old.region) else None)
    target = Target(provider, region, zone)
    location = location_of(target)
    out = Collector()
    if (misplaced := zone_as_region(provider, location)) is not None:
        raise click.UsageError(f"--region: {misplaced.message}; {misplaced.hint}")
    if not check_region(provider, location, out):
        raise click.UsageError(f"--region: {out.found[0].message}; {out.found[0].hint}")
    if wanted.zone and not check_zone(provider, region, wanted.zone, "", out):
        raise click.UsageError(f"--zone: {out.found[0].message}; {out.found[0].hint}")
    return replace(target, project=_project(target, wanted.project))


def _project(target: Target, project: str | None) -> str | None:
    from pydantic import ValidationError

    from ..advice.target import location_of

    if project is None:
        return None
    try:
        location = location_of(replace(target, project=project))
    except ValidationError as e:
        raise click.UsageError(f"--project: {e.errors()[0]['msg']}") from None
    if getattr(location, "project", None) != project:
        raise click.UsageError(f"--project: {target.provider} has no projects")
    return project


@dataclass(frozen=True)
class Moved:
    """A spec in another place: judged there, and what it was before."""

    judged: Judged
    changes: tuple[Change, ...]


def moved(loaded: Loaded, wanted: Wanted, now: datetime, ruling: Ruling | None = None) -> Moved:
    """The spec that was read, moved and judged. Its findings keep the paths and places of the spec as it was written."""
    from ..advice.change import in_order
    from ..advice.differences import differences
    from ..advice.move import move
    from ..cost import estimate
    from ..plan.resolve import resolve

    spec = loaded.spec
    assert spec is not None
    made = move(spec, target_of(spec, wanted))
    judged = judge_loaded(replace(loaded, spec=made.spec), now, ruling)
    before, changes = resolve(spec, now).plan, made.changes
    if before is not None and judged.plan is not None:
        costs = estimate(before), estimate(judged.plan)
        changes = (*changes, *differences(before, judged.plan, costs))
    if wanted.save:
        _save(wanted.save, made.spec, f"{spec.location.provider} {spec.location.region}")
    return Moved(judged, in_order(changes))


def _save(path: str, spec: ClusterSpec, origin: str) -> None:
    """Writes the spec. Raises click.UsageError where the file is there already, or cannot be made."""
    from ..advice.written import as_yaml

    text = as_yaml(spec, f"Moved from {origin}. gpuinfra check says what is left to you.")
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except OSError as e:
        raise click.UsageError(f"--save: {path} cannot be written: {(e.strerror or str(e)).lower()}") from None
