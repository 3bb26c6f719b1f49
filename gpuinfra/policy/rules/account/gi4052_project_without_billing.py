"""A project that no billing account pays for.

What: The project has no billing account, or one that is closed.
Why: Nothing that costs money can be made in it, and machines that run are stopped.
Fix: Link a billing account that is open: gcloud billing projects link.
References: Google Cloud docs, enable, disable or change billing for a project
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Severity
from ....vocabulary import Provider
from ...account_facts import Absent
from ...account_pools import passed, unsure
from ...rule import AccountContext, AccountRule, AccountVerdict, Examples, described

CODE = described("GI4052", "project-without-billing", Severity.ERROR, __doc__, ())
_PATH = "location.project"


def check(ctx: AccountContext) -> Iterator[AccountVerdict]:
    """One verdict for the project."""
    enabled = ctx.facts.entry("billing", "enabled")
    if isinstance(enabled, Absent):
        yield unsure(CODE, _PATH, enabled)
    elif enabled:
        yield passed(CODE, _PATH, "the project has a billing account that is open")
    else:
        yield CODE.at(_PATH, "the project has no billing account that is open")


_T = """\
spec:
  location: {{provider: gcp, project: acme-lab, region: us-central1}}
  node_pools: [{{instance_type: g2-standard-48}}]
  storage: []
account: {{billing: {0}}}
"""

RULE = AccountRule(
    CODE,
    ("money",),
    check,
    Examples((_T.format("{enabled: true}"),), (_T.format("{enabled: false}"),), (_T.format("{}"),)),
    providers=(Provider.GCP,),
)
