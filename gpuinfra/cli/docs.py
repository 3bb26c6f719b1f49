"""`gpuinfra docs`: writes the reference, or says that it is out of date."""

from __future__ import annotations

from pathlib import Path

import click

from .output import note, write

FOLDER = "docs/reference"


@click.command("docs")
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 where a page differs from the code.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Where the pages lie.  [default: {FOLDER}, in a checkout]",
)
@click.pass_context
def command(ctx: click.Context, check: bool, folder: Path | None) -> int:
    """Write docs/reference from the code.

    For those who work on gpuinfra; CI runs it with --check. A folder that --folder names is made where it is missing.
    """
    from .. import reference

    # Without --folder only a checkout is meant: pages written just anywhere would be litter.
    needed = folder if folder and check else None if folder else Path(FOLDER).parent
    folder = folder or Path(FOLDER)
    if needed and not needed.is_dir():
        note(
            f"error: no folder {needed} is here; run it at the root of a checkout of gpuinfra, or name one by --folder"
        )
        return 2
    goldens = Path(reference.GOLDENS)
    made = reference.pages(ctx.find_root().command, goldens if goldens.is_dir() else None)
    if not check:
        try:
            changed = reference.write(made, folder)
        except OSError as e:
            note(f"error: {e.filename or folder} cannot be written: {e.strerror}")
            return 2
        write("".join(f"{folder / name}\n" for name in changed) or "nothing to write: the pages agree with the code\n")
        return 0
    differing = reference.difference(made, folder)
    for name in differing:
        note(f"error: {folder / name} differs from the code; run: gpuinfra docs")
    return 1 if differing else 0
