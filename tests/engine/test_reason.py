"""What the engine says of a failure, as a person is told it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuinfra.engine.reason import reason

URN = "urn:pulumi:dev::train::gpuinfra:index:GpuCluster$aws:fsx/lustreFileSystem:LustreFileSystem::train-scratch"
DELETED = f'error: Preview failed: resource "{URN}" cannot be deleted\nbecause it is protected.'
REPLACED = f'error: Preview failed: unable to replace resource "{URN}"\nas it is currently marked for protection.'


@pytest.mark.parametrize(("text", "does"), [(DELETED, "delete"), (REPLACED, "replace")])
def test_a_change_that_would_take_data(text: str, does: str):
    said = reason(text, Path("stack"), "up", begun=False)
    assert said.startswith(f"stack: this change would {does} train-scratch: protected")
    assert "nothing was changed" in said
    assert "may be changed already" in reason(text, Path("stack"), "up", begun=True)


def test_a_destroy_that_would_take_data_says_both_ways_on():
    said = reason(DELETED, Path("stack"), "destroy", begun=False)
    assert "train-scratch" in said
    assert "--keep-data" in said
    assert "--unprotect" in said


def test_of_many_the_first_are_named():
    many = "\n".join(DELETED.replace("scratch", f"store{n}") for n in range(6))
    assert "train-store3 and 2 more" in reason(many, Path("stack"), "destroy", begun=False)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("error: the stack is currently locked by 1 lock(s)", "pulumi cancel"),
        ('error: unknown stack "organization/other/dev"', "StackReference"),
        ("error: incorrect passphrase", "PULUMI_CONFIG_PASSPHRASE"),
        ("error: passphrase must be set with", "set PULUMI_CONFIG_PASSPHRASE"),
        ("write: No space left on device", "the disk is full"),
    ],
)
def test_what_is_known(text: str, word: str):
    assert word in reason(text, Path("stack"), "up", begun=True)


def test_what_is_not_known_is_given_as_it_was_said_once():
    text = "noise\n  error: one thing\n  error: one thing\nerror: another\n"
    assert reason(text, Path("stack"), "up", begun=True) == "one thing\nanother"


def test_what_the_engine_says_on_its_first_line_is_found():
    """The Automation API sets the streams of a command beneath each other, each after its name."""
    text = "\n code: 1\n stdout: \n stderr: error: no such thing\nerror: and another\n"
    assert reason(text, Path("stack"), "up", begun=False) == "no such thing\nand another"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("error: PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions", "pulumi login"),
        ("error: validating stack config: bad value", "cannot be decrypted"),
    ],
)
def test_what_is_to_be_done_is_said(text: str, word: str):
    assert word in reason(text, Path("stack"), "up", begun=False)


def test_what_fails_when_the_program_has_run_is_the_programs_and_said_once():
    text = (
        "error: python inline source runtime error: division by zero\n"
        "error: an unhandled error occurred: python inline source runtime error: division by zero\n"
    )
    assert reason(text, Path("stack"), "up", begun=True) == "stack: the program failed: division by zero"
    empty = "error: python inline source runtime error:\n"
    assert reason(empty, Path("stack"), "up", begun=True) == "stack: the program failed: it says no more"
