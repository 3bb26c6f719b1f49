"""Which room reads the account of which cloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from importlib import import_module
from typing import cast

from ..plan.models import ClusterPlan
from ..policy.account_facts import AccountFacts
from ..vocabulary import Provider

_ROOMS = {Provider.AWS: ".aws", Provider.GCP: ".gcp", Provider.AZURE: ".azure"}

Read = Callable[[ClusterPlan, datetime, Mapping[str, str], Callable[[str], None]], AccountFacts]


def read_account(
    plan: ClusterPlan, now: datetime, environment: Mapping[str, str], progress: Callable[[str], None]
) -> AccountFacts:
    """What the account allows of a plan, by read-only calls with the user's own credentials.

    A question that is refused leaves its part unknown. Raises ReadingError where nothing can be read.
    """
    room = import_module(_ROOMS[plan.provider], __package__)
    return cast(Read, room.read)(plan, now, environment, progress)
