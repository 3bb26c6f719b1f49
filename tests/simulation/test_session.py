"""What a simulated stack and the command line around it say."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from gpuinfra.cli.simulate import DurationParam
from gpuinfra.simulation.home import Home
from gpuinfra.simulation.session import locked


def test_a_lock_is_named_and_no_command_of_another_backend(tmp_path: Path) -> None:
    home = Home(tmp_path)
    lock = home.state / ".pulumi/locks/organization/small/dev/a.json"
    lock.parent.mkdir(parents=True)
    lock.write_text("{}")
    said = locked(home, "small", "dev")
    assert str(lock) in said
    assert "pulumi cancel" not in said


@pytest.mark.parametrize(
    ("text", "reason"),
    [("0h", "is zero"), ("0d 0.0m", "is zero"), ("999999d", "too far"), ("soon", "not a duration"), ("-3h", "not a")],
)
def test_a_length_of_time_that_cannot_be_gone(text: str, reason: str) -> None:
    with pytest.raises(click.BadParameter, match=reason):
        DurationParam().convert(text, None, None)
