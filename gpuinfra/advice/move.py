"""The same spec in another place: every field that names something of the old place becomes its twin, or is said."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan.label_forms import LABEL_FORMS
from ..spec.locations import AzureLocation, GcpLocation
from ..spec.models import ClusterSpec
from ..vocabulary import OnLimit, Provider
from .change import NOTHING, Change
from .clouds import CLOUDS
from .move_image import move_image
from .move_labels import move_labels
from .move_pool import move_pool
from .move_storage import move_storage
from .substitute import Place
from .target import Location, Target, location_of

__all__ = ["Change", "Move", "Target", "move"]


@dataclass(frozen=True)
class Move:
    """The moved spec, and everything that became another thing on the way."""

    spec: ClusterSpec
    changes: tuple[Change, ...]


def move(spec: ClusterSpec, target: Target) -> Move:
    """The spec at the target. What has no twin there stays as it is, so that planning says what is wrong with it."""
    source = Provider(spec.location.provider)
    abroad = target.provider is not source
    region_left = abroad or target.region != spec.location.region
    zone_left = region_left or target.zone != spec.location.zone
    changes: list[Change] = []
    location = _location(spec.location, target, changes)
    network = spec.network
    if network.existing is not None and region_left:
        old = network.existing
        network = network.model_copy(update={"existing": None})
        changes.append(
            Change(
                "network.existing", old.network, NOTHING, "it stands in the old place: a new private network is made"
            )
        )
    if abroad and (why := CLOUDS[target.provider].keys_needed) and not network.ssh_keys:
        changes.append(Change("network.ssh_keys", NOTHING, NOTHING, why))
    place = Place(target.provider, target.region, target.zone)
    pools = tuple(
        move_pool(spec, n, place, target_left=zone_left, region_left=region_left, changes=changes)
        for n in range(len(spec.node_pools))
    )
    storage = tuple(
        move_storage(
            store, f"storage[{n}]", (source, target.provider), target.region, (region_left, zone_left), changes
        )
        for n, store in enumerate(spec.storage)
    )
    image = move_image(spec.image, source, target.provider, region_left, changes)
    labels = move_labels(spec.labels, LABEL_FORMS[target.provider], changes) if abroad else spec.labels
    if abroad:
        _budget(spec, source, target.provider, changes)
    moved = spec.model_copy(
        update={
            "location": location,
            "network": network,
            "node_pools": pools,
            "storage": storage,
            "image": image,
            "labels": labels,
        }
    )
    return Move(moved, tuple(changes))


def _location(old: Location, target: Target, changes: list[Change]) -> Location:
    abroad = target.provider != old.provider
    said = [f"{old.provider} {old.region}", f"{target.provider} {target.region}"]
    if said[0] != said[1]:
        quota = "quota for the GPUs must be there; data and images do not move by themselves"
        changes.append(Change("location", said[0], said[1], quota))
    if old.zone != target.zone:
        left = "left to the plan" if target.zone is None else "named for the move"
        changes.append(Change("location.zone", old.zone or "not named", target.zone or "not named", left))
    if not abroad:
        project = getattr(old, "project", None)
        named = {"project": target.project} if target.project else {}
        if target.project and project != target.project:
            changes.append(
                Change("location.project", str(project), target.project, "what exists in the old project stays there")
            )
        return old.model_copy(update={"region": target.region, "zone": target.zone, **named})
    for field, meaning in CLOUDS[Provider(old.provider)].location_fields.items():
        value = getattr(old, field)
        if value and field in old.model_fields_set:
            changes.append(Change(f"location.{field}", _shown(value), NOTHING, meaning))
    location = location_of(target)
    if isinstance(location, GcpLocation):
        meaning = "named for the move" if target.project else "stands for a project of yours: name it with --project"
        changes.append(Change("location.project", NOTHING, location.project, meaning))
    if isinstance(location, AzureLocation):
        changes.append(Change("location.resource_group", NOTHING, NOTHING, "one named after the cluster is made"))
    return location


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(v) for v in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _budget(spec: ClusterSpec, source: Provider, target: Provider, changes: list[Change]) -> None:
    """What the cloud's own budget counts there, and what stops the nodes."""
    budget = spec.budget
    if budget is None or budget.per_month_usd is None:
        return
    here, there = CLOUDS[source], CLOUDS[target]
    amount = f"{budget.per_month_usd:,.0f} USD"
    changes.append(
        Change("budget.per_month_usd", amount, amount, f"there the budget {there.budget}; here it {here.budget}")
    )
    acts = {OnLimit.STOP: (here.stop, there.stop), OnLimit.DENY: (here.deny, there.deny)}.get(budget.on_limit)
    if acts is not None:
        limit = str(budget.on_limit)
        changes.append(Change("budget.on_limit", limit, limit, f"there {acts[1]}; here {acts[0]}"))
