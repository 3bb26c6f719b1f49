"""What an account allows, as preflight rules read it: quotas, offerings, reservations and what is there already.

Each part is a mapping by name. A name with nothing behind it was looked for and is not there; a part, or a name, that is
missing is unknown, with the reason in `unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, field_validator

from ..vocabulary import Provider

FORMAT = "gpuinfra/account-v1"

_YEARS = range(2000, 2200)
"""Arithmetic with a lease must not leave the calendar."""


def _sensible(moment: datetime) -> datetime:
    if moment.year not in _YEARS:
        raise ValueError(f"a year from {_YEARS[0]} to {_YEARS[-1]} is wanted")
    return moment


NO_LIMIT = -1
Count = Annotated[int, Field(ge=0, le=10_000_000)]
Moment = Annotated[AwareDatetime, AfterValidator(_sensible)]
Amount = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]


@dataclass(frozen=True)
class Absent:
    """A fact that is not known, and why."""

    reason: str


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _limit(amount: float) -> float:
    if amount < 0 and amount != NO_LIMIT:
        raise ValueError("a limit is 0 or more, or -1 for none")
    return amount


class Quota(_Row):
    """A quota in the plan's region, or of the whole account. A limit of -1 is none."""

    limit: Annotated[Amount, AfterValidator(_limit)]
    used: Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)] | None = None
    """In use now, by whatever; None: the cloud does not say."""
    unit: str = ""


class Restriction(_Row):
    """Where a type is not to be had by this account though the cloud sells it."""

    zones: tuple[str, ...] = ()
    """Empty: in the whole region."""
    reason: str = ""


class Offering(_Row):
    """Where the region offers a type."""

    zones: tuple[str, ...] = ()
    """Zones that offer it. Empty: the region has no zones, or offers it outside of them alone."""
    regional: bool = True
    """The region sells it to nodes that name no zone."""
    restricted: tuple[Restriction, ...] = ()
    quota: str = ""
    """The quota that it draws on, where the cloud says so."""
    capabilities: dict[str, str] = {}


class Reserved(_Row):
    """Machines of one type in one zone that were reserved."""

    kind: Literal["on_demand", "capacity_block", "calendar"] = "on_demand"
    instance_type: str = ""
    zone: str = ""
    total: Count | None = None
    free: Count | None = None
    state: str = "active"
    """active and scheduled can be used; another word (expired, cancelled, failed …) cannot."""
    starts: Moment | None = None
    ends: Moment | None = None
    platform: str = ""
    tenancy: str = ""
    placement_group: str = ""
    """The group that it was made in."""
    only_named: bool | None = None
    """It serves machines alone that name it. None: unknown."""
    unhealthy: Count | None = None
    """Machines of a capacity block that are out of order. None: unknown."""
    interconnect: str = ""
    """State of a rack's own fabric: ok, impaired, insufficient-data; empty: it has none, or unknown."""
    accelerator: str = ""
    """What is attached to each machine, where anything is."""


class Reservation(_Row):
    """A reservation, or a group of them: what it holds."""

    members: tuple[Reserved, ...] = ()


class Network(_Row):
    """A network that is there."""

    region: str = ""
    dns_support: bool | None = None
    dns_hostnames: bool | None = None


class Subnet(_Row):
    """A subnet that is there."""

    network: str = ""
    """Its network, in the form of the spec."""
    region: str = ""
    zone: str = ""
    """Empty: it spans the region's zones."""
    cidr: str = ""
    free_addresses: Count | None = None
    """None: the cloud does not say."""
    way_out: Literal["nat", "internet", "other", "none"] | None = None
    """Where its default route leads: to address translation, straight to the internet, elsewhere, nowhere."""


class Image(_Row):
    """A node image that is there."""

    arch: str = ""
    """x86_64 or arm64; empty: unknown."""
    root_device: str = ""
    root_gib: Count | None = None
    """Size of the snapshot that a root disk is made from."""
    state: str = "available"


class FileSystem(_Row):
    """A file system that is there."""

    network: str = ""
    zones: tuple[str, ...] = ()
    """Zones of its mount targets; empty: unknown, or regional."""
    state: str = "available"


class Bucket(_Row):
    """A bucket that is there."""

    region: str = ""
    """Empty: unknown. A place of several regions stands in its own word, as US."""


class Placement(_Row):
    """A placement group that is there."""

    strategy: str = ""
    zones: tuple[str, ...] = ()
    region: str = ""


class AccountFacts(_Row):
    """The facts of one account in one region at one moment."""

    format: Literal["gpuinfra/account-v1"] = FORMAT
    provider: Provider
    region: str = Field(min_length=1)
    account: str = ""
    """Account, project or subscription. Empty: unknown."""
    as_of: Moment
    quotas: dict[str, Quota | None] | None = None
    offerings: dict[str, Offering | None] | None = None
    """By instance type, or what is attached to it."""
    reservations: dict[str, Reservation | None] | None = None
    """By the id that the spec gives."""
    own_nodes: dict[str, Count] | None = None
    """Nodes of this very cluster that run already, by purchase and type: on_demand/…, spot/…, and reserved/… for those of
    a reservation or a block."""
    networks: dict[str, Network | None] | None = None
    subnets: dict[str, Subnet | None] | None = None
    images: dict[str, Image | None] | None = None
    file_systems: dict[str, FileSystem | None] | None = None
    buckets: dict[str, Bucket | None] | None = None
    placements: dict[str, Placement | None] | None = None
    services: dict[str, bool] | None = None
    """APIs and resource providers: whether each is enabled."""
    terms: dict[str, bool] | None = None
    """Marketplace images, by publisher:offer:plan: whether their terms are accepted."""
    cost_tags: dict[str, bool] | None = None
    """Tags: whether each is activated for cost allocation."""
    billing: dict[str, bool] | None = None
    """`enabled`: whether the project has a billing account that is open."""
    unknown: dict[str, str] = {}
    """Why a part is missing, by its name, or one entry of it, by part/name."""

    @field_validator("unknown")
    @classmethod
    def _of_parts(cls, unknown: dict[str, str]) -> dict[str, str]:
        for key in unknown:
            if key.partition("/")[0] not in PARTS:
                raise ValueError(f"'{key[:60]}' is no part of an account's facts; they are {', '.join(PARTS)}")
        return unknown

    @property
    def known(self) -> bool:
        """Whether they say anything at all."""
        return any(getattr(self, part) for part in PARTS)

    def entry(self, part: str, name: str) -> Any:
        """What a part holds under a name: a row, None where it was looked for and is not there, or Absent.

        Names are compared as the cloud's own APIs need it: case and blanks aside (skypilot-org/skypilot#10119).
        """
        table: Mapping[str, Any] | None = getattr(self, part)
        if f"{part}/{name}" in self.unknown:
            return Absent(self.unknown[f"{part}/{name}"])
        if table is None:
            return Absent(self.unknown.get(part, f"the account's facts hold no {part}"))
        if name in table:
            return table[name]
        plain = _plain(name)
        for key, value in table.items():
            if _plain(key) == plain:
                return value
        return Absent(self.unknown.get(part, f"the account's facts say nothing of {name}"))


PARTS = tuple(name for name, field in AccountFacts.model_fields.items() if field.default is None)
"""The parts that a reader fills, by name."""


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())
