"""The labels that each cloud takes: how many, how long, of which characters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..vocabulary import Provider

CLUSTER_LABEL = "gpuinfra-cluster"
POOL_LABEL = "gpuinfra-pool"
_OURS = (CLUSTER_LABEL, POOL_LABEL)


@dataclass(frozen=True)
class LabelForm:
    """What a cloud takes as a label (AWS General Reference, tag naming limits; Google Cloud docs, label requirements;
    Azure docs, tag limitations)."""

    most: int
    key_length: int
    value_length: int
    key: re.Pattern[str]
    value: re.Pattern[str]
    reserved: tuple[str, ...]
    says: str
    ours: tuple[str, ...]
    """Keys that gpuinfra itself writes, lower-case."""


LABEL_FORMS = {
    Provider.AWS: LabelForm(
        50,
        128,
        256,
        re.compile(r"[\w\s+\-=._:/@]+"),
        re.compile(r"[\w\s+\-=._:/@]*"),
        ("aws:",),
        "letters, digits, spaces and + - = . _ : / @",
        (*_OURS, "name"),
    ),
    Provider.GCP: LabelForm(
        64,
        63,
        63,
        re.compile(r"[a-z][a-z0-9_-]*"),
        re.compile(r"[a-z0-9_-]*"),
        ("goog-", "google"),
        "lower-case letters, digits, _ and -, a letter first",
        _OURS,
    ),
    Provider.AZURE: LabelForm(
        50,
        512,
        256,
        re.compile(r"[^<>%&\\?/]+"),
        re.compile(r".*", re.DOTALL),
        ("microsoft", "azure", "windows"),
        "anything but < > % & \\ ? /",
        _OURS,
    ),
}
