"""What the generic plugin asks of a cloud's module, and what holds for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .world import Node, Thing, World

if TYPE_CHECKING:
    from .held import Holding


class Refusal(Exception):  # noqa: N818
    """The cloud says no, in its own words: a code and a message."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"{code}: {message}")


@dataclass(frozen=True)
class Request:
    """A resource that is to be made or changed, as its cloud sees it: no secrets' marks, no unknowns."""

    type: str
    name: str
    urn: str
    inputs: Mapping[str, Any]
    world: World
    config: Mapping[str, Any]
    """The provider's own configuration, as `region`."""
    turn: int = 0
    """How many resources of this URN stand already: one that is replaced stands until the new one is there."""

    @property
    def seed(self) -> str:
        """What a made-up name follows from: another for each turn, as with the engine's own."""
        return f"{self.urn}#{self.turn}" if self.turn else self.urn


@dataclass(frozen=True)
class Diffs:
    """What a change of a type's inputs does. Paths are wire names without indices; a path covers what is below it."""

    replace: tuple[str, ...] = ()
    """The provider plans a replacement; `*` for whatever changes."""
    in_place: tuple[str, ...] = ()
    """What `*` leaves out."""
    refuse: tuple[str, ...] = ()
    """The provider plans an update, and the cloud refuses it at apply."""
    refusal: str = ""
    """The code of that refusal."""
    shrink: tuple[str, ...] = ()
    """Numbers and ranges of addresses that may grow in place, and are replaced where they shrink or move."""
    silent: tuple[str, ...] = ()
    """The provider plans an update, the cloud says yes, and everything stays as it was."""
    absent: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the provider takes an input for that is not written."""
    kept: tuple[str, ...] = ()
    """Inputs that the cloud computes: one that is no longer written stays as it is."""


@dataclass(frozen=True)
class Due:
    """Something that the cloud does by itself at a moment."""

    moment: datetime
    subject: str
    act: Callable[[World], None]


@dataclass(frozen=True)
class Groups:
    """How a cloud's groups of machines are read and moved."""

    types: tuple[str, ...]
    size: Callable[[World, Thing], int]
    """How many machines a group wants."""
    resize: Callable[[World, Thing, int, str], None]
    """Brings a group to a number, and says why."""
    pool: Callable[[World, Thing], str]
    """The pool of the spec that a group is; empty where it is none of ours."""
    again: Callable[[World, Thing], None] | None = None
    """A group that is short of machines tries again; None where the cloud asks once and says no."""
    lost: Callable[[World, Thing, int], None] | None = None
    """The cloud took so many of a group's machines away; None: the group asks for others at once."""
    margin: Callable[[Node], timedelta] = lambda node: timedelta()
    """How long before the end of its reservation's window a machine is taken."""
    quiet: tuple[str, ...] = ()
    """Types that are no group to anybody while they hold no machines."""


@dataclass(frozen=True)
class Spending:
    """How a cloud watches money."""

    budgets: Callable[[World], Sequence[tuple[Thing, float]]]
    """The monthly budgets, in USD."""
    stopped: Callable[[World, Thing], Sequence[Thing]]
    """The groups that are brought to zero when the budget is spent."""


Answer = Callable[[Mapping[str, Any], World, Mapping[str, Any]], Mapping[str, Any]]
"""What a data source says to its arguments in a world, under the provider's configuration."""


@dataclass(frozen=True)
class Cloud:
    """One package's cloud."""

    package: str
    identify: Callable[[Request], str]
    """The id of a new resource, in the cloud's form."""
    outputs: Callable[[Request, str], Mapping[str, Any]]
    """Computed outputs that have a form of their own; the rest is made up from the SDK's types."""
    placed: Callable[[Request], Mapping[str, Any]] = lambda request: {}
    """Where a resource stands whose program leaves that to the provider, by wire names: its type may take some of them."""
    check: Callable[[str, Mapping[str, Any]], list[tuple[str, str]]] = lambda type_, inputs: []
    """(property, reason) that the provider refuses at plan time, beside the schema."""
    create: Callable[[Request, str], None] = lambda request, id_: None
    """What making a resource does to the world. Raises Refusal."""
    update: Callable[[Request, Thing], None] = lambda request, old: None
    delete: Callable[[Request, Thing], None] = lambda request, old: None
    read: Callable[[World, Thing], Mapping[str, Any]] = lambda world, thing: thing.outputs
    """The outputs as they are now: what the world moved shows."""
    shape: Callable[[dict[str, Any]], dict[str, Any]] = lambda state: state
    """Inputs as the state has them, where the two differ in form."""
    word: Callable[[Request, str, str], Any] = lambda request, id_, name: None
    """The form of a computed text, by the name of its property; None where the cloud has none of its own."""
    invoke: Mapping[str, Answer] = field(default_factory=dict[str, Answer])
    """Data sources that say more than a resource's own properties."""
    diffs: Mapping[str, Diffs] = field(default_factory=dict[str, Diffs])
    others: Callable[[str], Diffs] = lambda type_: Diffs()
    """What a change does to a type that `diffs` does not have."""
    unordered: frozenset[str] = frozenset()
    """Lists of words whose order is none."""
    names_itself: Callable[[str, Mapping[str, Any], Sequence[str]], bool] = lambda type_, inputs, required: False
    """Whether the program gave a name that the provider makes up else (an input that is required it never makes up): then the
    old one goes before the new one comes."""
    moves: tuple[str, ...] = ()
    """Inputs that say where a thing is: a change replaces it, whatever its type."""
    due: Callable[[World, datetime, datetime], Sequence[Due]] = lambda world, after, until: ()
    """What the cloud does by itself after one moment and until another."""
    groups: Groups | None = None
    holding: Holding | None = None
    """What else holds machines; `groups` has it too."""
    spending: Spending | None = None
    computed_secret: frozenset[str] = frozenset()
    """type.property whose made-up value is a secret."""


def digest(text: str, length: int = 17) -> str:
    """Hexadecimal digits that follow from a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def covers(path: str, changed: str) -> bool:
    """Whether a table's path covers a changed one, whose indices do not count."""
    import re

    plain = re.sub(r"\[\d+\]", "", changed)
    return plain == path or plain.startswith(f"{path}.")
