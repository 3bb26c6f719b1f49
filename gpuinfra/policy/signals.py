"""Signals of Linux by their names (signal(7)), as the tools that send them take them."""

from __future__ import annotations

import re

NAMES = (
    "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGHUP", "SIGQUIT", "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCONT",
    "SIGFPE", "SIGILL", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGSEGV", "SIGSTKFLT",
    "SIGSTOP", "SIGSYS", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGVTALRM", "SIGWINCH", "SIGXCPU",
    "SIGXFSZ",
)  # fmt: skip
_REAL_TIME = re.compile(r"SIGRTM(IN(\+([0-9]|[12][0-9]|30))?|AX(-([0-9]|[12][0-9]|30))?)")
_HIGHEST = 64
_BY_NUMBER = {9: "SIGKILL", 19: "SIGSTOP"}
_NEVER = ("SIGKILL", "SIGSTOP")


def known(text: str) -> str:
    """The name of a signal that is written with or without SIG, in any case, or as a number; empty where it is none."""
    if text.isascii() and text.isdigit():
        number = int(text[:4])
        return _BY_NUMBER.get(number, f"signal {number}") if 0 < number <= _HIGHEST and len(text) <= 2 else ""
    name = text.upper() if text.upper().startswith("SIG") else f"SIG{text.upper()}"
    return name if name in NAMES or _REAL_TIME.fullmatch(name) else ""


def can_be_handled(text: str) -> bool:
    """Whether a text is a signal that a program can answer: SIGKILL and SIGSTOP never reach it."""
    return known(text) not in ("", *_NEVER)
