"""`gpuinfra completion`: the script that teaches a shell to complete commands and options."""

from __future__ import annotations

import click

from .output import write

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script of a shell.

    \b
    To install it:
      bash   eval "$(gpuinfra completion bash)"   in ~/.bashrc
      zsh    eval "$(gpuinfra completion zsh)"    in ~/.zshrc
      fish   gpuinfra completion fish > ~/.config/fish/completions/gpuinfra.fish
    """
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"this version of click completes no {shell}")
    script = completion(ctx.find_root().command, {}, "gpuinfra", "_GPUINFRA_COMPLETE")
    # Not source(): for bash it starts a shell to ask its version, and fails where there is none.
    write(script.source_template % script.source_vars())
    return 0
