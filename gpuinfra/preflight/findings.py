"""What reading the file of an account can find."""

from __future__ import annotations

from ..diagnostics import Code, Severity

_READ_AGAIN = "Read the account again: gpuinfra preflight cluster.yaml --save account.json"

UNREADABLE = Code(
    "GI4901",
    "account-file-unreadable",
    Severity.ERROR,
    "The file of the account is not one that `gpuinfra preflight --save` wrote: cut short, of another form, or a value is not of its kind.",
    "Half of an account's facts would be judged as if they were all.",
    _READ_AGAIN,
)
OTHER_PLACE = Code(
    "GI4902",
    "account-of-another-place",
    Severity.ERROR,
    "The file is of another cloud, region, project or subscription than the spec.",
    "Quotas, zones and reservations differ from region to region and from account to account: nothing of it can be said of this cluster.",
    "Save the facts of the spec's own region and account: gpuinfra preflight cluster.yaml --save account.json",
)
OLD = Code(
    "GI4903",
    "account-file-old",
    Severity.WARNING,
    "The file was read more than a day before the moment of judging, or after it.",
    "What is in use, and what is free of a reservation, changes by the hour.",
    _READ_AGAIN,
)

CODES = (UNREADABLE, OTHER_PLACE, OLD)
