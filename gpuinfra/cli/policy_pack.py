"""`gpuinfra policy-pack`: the rules as a folder that Pulumi runs at every preview."""

from __future__ import annotations

from pathlib import Path

import click

from .output import note, write


@click.command("policy-pack")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--name", default="gpuinfra", show_default=True, help="Name of the pack.")
@click.option(
    "--requirement",
    metavar="LINE",
    multiple=True,
    help="How pip finds gpuinfra, and what else the pack needs; may be repeated, as './gpuinfra-0.1.0-py3-none-any.whl[policy]'.  [default: this version, from the index]",
)
@click.option("--force", is_flag=True, help="Write also into a folder that holds something else.")
@click.pass_context
def command(ctx: click.Context, folder: Path, name: str, requirement: tuple[str, ...], force: bool) -> int:
    """Write the rules as a Pulumi policy pack.

    The pack judges what any Pulumi program registers, in every language, with the findings of `gpuinfra plan`: an error
    ends the preview, a warning is shown. DIR is made where it is missing; a pack that was written before is renewed,
    its policy-config.json kept.

    \b
    Examples:
      gpuinfra policy-pack policy/
      pulumi preview --policy-pack policy/
    """
    from ..pack import PackFolderError, fault_of_configuration, write_pack
    from .app import version

    try:
        written = write_pack(folder, name=name, version=version(), requirements=requirement, force=force)
    except PackFolderError as e:
        note(f"error: {e}")
        return 2
    write("".join(f"{path}\n" for path in written))
    if fault := fault_of_configuration(folder):
        note(f"error: {fault}; the pack is written, and does not start until this is corrected")
        return 1
    write(f"run it: pulumi preview --policy-pack {folder}\n")
    return 0
