"""A secret in the spec.

What: A word of the job's command, or a label, holds a password, a key or a token.
Why: The spec lies in a repository, its plan in every review, and the command in the process list of every node. A token that was committed once is out.
Fix: Revoke the secret. Keep it in the cloud's secret store, and let the job read it when it starts.
References: GitHub docs, removing sensitive data from a repository
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described
from ...script_secrets import kind_of_secret

CODE = described("GI2390", "secret-in-the-spec", Severity.ERROR, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each word. What the secret is, is never shown."""
    spec = ctx.plan.spec
    words = [(f"job.command[{n}]", word, word) for n, word in enumerate(spec.job.command if spec.job else ())]
    words += [(f"labels.{key}", value, f"{key}={value}") for key, value in spec.labels.items()]
    for path, word, whole in words:
        kind = kind_of_secret(word) or kind_of_secret(whole)
        if kind:
            yield CODE.at(path, f"the text holds {kind}", "revoke it, and read it from a secret store at the start")


_T = "job: {{command: [env, {0}, python, train.py]}}"

RULE = PlanRule(
    CODE,
    ("job", "secret"),
    check,
    Examples(
        (_T.format('"HF_HOME=/scratch/hf"'), _T.format('"HF_TOKEN=$(cat /run/token)"')),
        (
            _T.format('"HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEF"'),
            _T.format('"WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567"'),
        ),
    ),
)
