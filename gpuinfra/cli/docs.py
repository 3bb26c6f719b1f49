"""`gpuinfra docs`: writes the reference, or says that it is out of date."""

from __future__ import annotations

from pathlib import Path

import click

from .output import note, write


@click.command("docs")
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 where a page differs from the code.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("docs/reference"),
    show_default=True,
    help="Where the pages lie.",
)
@click.pass_context
def command(ctx: click.Context, check: bool, folder: Path) -> int:
    """Write docs/reference from the code.

    For those who work on gpuinfra; CI runs it with --check.
    """
    from .. import reference
    from . import plan

    made = reference.pages(ctx.find_root().command, plan.CODES)
    if not check:
        changed = reference.write(made, folder)
        write("".join(f"{folder / name}\n" for name in changed) or "nothing to write: the pages agree with the code\n")
        return 0
    differing = reference.difference(made, folder)
    for name in differing:
        note(f"error: {folder / name} differs from the code; run: gpuinfra docs")
    return 1 if differing else 0
