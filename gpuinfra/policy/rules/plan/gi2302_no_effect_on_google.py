"""A field that nothing on Google Cloud acts on.

What: The spec has `budget.start`, or new Lustre storage with `import_from`.
Why: A budget of Google that repeats each month counts from the month's first day, and one with a start of its own does not repeat. Managed Lustre copies a bucket when it is told to, and shows no bucket by itself. What looks like a promise, and is none, misleads whoever reads the spec.
Fix: Remove budget.start. Run the command that copies the bucket once the file system is there.
References: Cloud Billing Budget API, Filter; Managed Lustre API, instances.importData
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.models import StoragePlan
from ....vocabulary import Provider
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2302", "no-effect-on-google", Severity.WARNING, __doc__)
_LONGEST = 2000


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each field. A start without a monthly amount, and an import into storage that is there already, are
    other rules' findings."""
    budget = ctx.plan.spec.budget
    if budget is not None and budget.start is not None and budget.per_month_usd is not None:
        yield CODE.at("budget.start", "a monthly budget of Google counts from the first of each month", "remove it")
    for storage in ctx.plan.storage:
        if storage.import_from and storage.import_mount and not storage.existing:
            yield CODE.at(
                f"{storage.path}.import_from",
                f"'{storage.name}' is made empty: Managed Lustre copies a bucket only when it is told to",
                f"once it is there, run: {_command(storage)}",
            )


def _command(storage: StoragePlan) -> str:
    """The command that copies the bucket, or the folder in it, whose path ends in a slash; its beginning alone where nobody
    could read the whole."""
    words = [
        *("gcloud", "lustre", "instances", "import-data", storage.cloud_name),
        f"--location={storage.zone}",
        f"--gcs-path-uri={storage.import_from.rstrip('/')}/",
        f"--lustre-path={storage.import_mount}",
    ]
    command = shlex.join(words)
    return command if len(command) <= _LONGEST else f"{shlex.join(words[:5])} …"


_GCP = """\
location: {{provider: gcp, project: acme-lab, region: us-central1}}
node_pools: [{{instance_type: g2-standard-4}}]
storage: {0}
budget: {1}
"""
_LUSTRE = "[{{size_gib: 18000, throughput_mbps_per_tib: 500{0}}}]"

RULE = PlanRule(
    CODE,
    ("money", "storage"),
    check,
    Examples(
        (
            _GCP.format(_LUSTRE.format(""), "{}"),
            _GCP.format("[]", "{start: 2026-12-01, per_month_usd: null, per_run_usd: 900}"),
        ),
        (
            _GCP.format("[]", "{start: 2026-12-01}"),
            _GCP.format(_LUSTRE.format(", import_from: gs://acme-data/tokens"), "{}"),
        ),
    ),
    providers=(Provider.GCP,),
)
