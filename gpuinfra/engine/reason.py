"""Why the engine refused: in one line where the reason is known, else in the engine's own words."""

from __future__ import annotations

import re
from pathlib import Path

_KNOWN = (
    (
        "currently locked by",
        "the stack is locked by another update; wait for it, or, where it was killed: pulumi cancel",
    ),
    ("incorrect passphrase", "PULUMI_CONFIG_PASSPHRASE is not the passphrase that the stack's secrets were made with"),
    ("passphrase must be set", "the stack's secrets need a passphrase: set PULUMI_CONFIG_PASSPHRASE"),
    (
        "PULUMI_ACCESS_TOKEN must be set",
        "nobody is logged in where the stack's state is kept: pulumi login, or set PULUMI_ACCESS_TOKEN, or PULUMI_BACKEND_URL "
        "for a bucket or a folder; --simulate needs none",
    ),
    *(
        (
            words,
            "a secret in the stack's config (Pulumi.STACK.yaml) cannot be decrypted here; give what it was encrypted with (for "
            "a passphrase: PULUMI_CONFIG_PASSPHRASE), or set it anew in a stack of its own: pulumi config set --stack NAME "
            "--secret KEY",
        )
        for words in ("validating stack config: bad value", "get stack secrets manager", "getting secrets manager")
    ),
    ("organization name must be", "this backend takes a stack's name alone, as dev"),
    (
        'unknown stack "',
        "the program refers to a stack (StackReference) that is not where this one's state is kept: deploy it there first, "
        "under the name that the program has for it",
    ),
    ("No space left on device", "the disk is full: the stack's state could not be written"),
)


def reason(text: str, folder: Path, operation: str, *, begun: bool) -> str:
    """What the engine's output says went wrong with an operation on a stack folder, and what to do about it.

    `begun`: the operation itself was at work, not the look before it.
    """
    so_far = _so_far(begun)
    replaced = _named(r'unable to replace resource "([^"]+)"', text)
    deleted = _named(r'resource "([^"]+)" cannot be deleted', text)
    if operation == "destroy" and deleted:
        return kept_from_destroy(deleted, folder, begun=begun)
    if replaced or deleted:
        does = " and ".join(
            f"{verb} {_listed(names)}" for verb, names in (("replace", replaced), ("delete", deleted)) if names
        )
        return (
            f"{folder}: this change would {does}: protected, since data are kept there, or it guards what keeps them; "
            f"{so_far}. Take the change back, or add the new store beside the old one and copy the data first; "
            "without need of the data: destroy --unprotect, then up"
        )
    for words, meaning in _KNOWN:
        if words.lower() in text.lower():
            return f"{folder}: {meaning}"
    # The Automation API puts the name of the stream before its first line.
    lines = (re.sub(r"^\s*(stdout|stderr): ", "", line).strip() for line in text.splitlines())
    said = [line for line in lines if line.startswith(("error:", "** "))]
    unique = list(dict.fromkeys(_of_the_program(line.removeprefix("error: "), folder) for line in said))
    return "\n".join(unique) or " ".join(text.split())[-600:]


def _of_the_program(line: str, folder: Path) -> str:
    """What failed in the program when it had run to its end, as a function that an output is applied to."""
    words = line.removeprefix("an unhandled error occurred: ").removeprefix("python inline source runtime error:")
    if words == line:
        return line
    return f"{folder}: the program failed: {words.strip() or 'it says no more'}"


def kept_from_destroy(names: list[str], folder: Path, *, begun: bool) -> str:
    """Why a stack is not removed: these resources keep data, or guard what does."""
    return (
        f"{folder}: {_listed(names)}: protected, since data are kept there, or it guards what keeps them; {_so_far(begun)}. "
        "To remove all but these: --keep-data. To remove them too, with their data: --unprotect"
    )


def _so_far(begun: bool) -> str:
    return "what else was to change may be changed already" if begun else "nothing was changed"


def _named(pattern: str, text: str) -> list[str]:
    """The logical names of the resources that a message speaks of."""
    return sorted({urn.rsplit("::", 1)[-1] for urn in re.findall(pattern, text)})


def _listed(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
