"""A command that is not written word by word.

What: `job.command` is an empty list, its first word is a whole command line, or a word is an operator of a shell.
Why: The command is run as it stands, by no shell: a program called 'python train.py' does not exist, and '&&' is one more argument.
Fix: Write one list entry for each word, as [python, train.py]; or [bash, -c, "…"] for a line that a shell shall read.
References: execve(2)
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Launcher
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2243", "command-not-in-words", Severity.WARNING, __doc__)
_OPERATORS = ("&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1")


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for the command. A launcher without a command is another rule's."""
    job = ctx.plan.spec.job
    if job is None or "command" not in job.model_fields_set:
        return
    if not job.command:
        if job.launcher is Launcher.NONE:
            yield CODE.at(
                "job.command", "an empty list runs nothing", "write the program and its arguments, or remove it"
            )
        return
    first = job.command[0]
    if len(first.split()) > 1 and not first.startswith("/"):
        words = [*_words(first), *job.command[1:]]
        plain = len(words) <= 12 and not set(words) & set(_OPERATORS)
        yield CODE.at(
            "job.command[0]",
            f"the program is '{first.encode('unicode_escape').decode()[:60]}', with its blanks",
            f"write {json.dumps(words, ensure_ascii=True)[:200]}" if plain else "",
        )
        return
    n = next((n for n, word in enumerate(job.command) if word in _OPERATORS), None)
    if n is not None and n:
        yield CODE.at(
            f"job.command[{n}]",
            f"'{job.command[n]}' is an argument like any other: no shell reads the command",
            'for a shell\'s line write [bash, -c, "…"]',
        )


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


_T = "job: {{command: {0}}}"

RULE = PlanRule(
    CODE,
    ("job",),
    check,
    Examples(
        (
            _T.format("[python, train.py]"),
            _T.format('[bash, -c, "a && b"]'),
            _T.format('["/opt/my app/run"]'),
            "job: {command: [], launcher: torchrun}",
        ),
        (_T.format('["python train.py"]'), _T.format("[]"), _T.format('[python, a.py, "&&", python, b.py]')),
    ),
)
