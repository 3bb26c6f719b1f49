"""The pages of docs/reference, and the comparison with what lies there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .changes import changes_page
from .codes import TITLES, all_codes, rule_page, rules_by_code
from .concepts import resources_page
from .fact_rows import fact_table
from .fields import SpecField, spec_fields
from .machines import instances_page

if TYPE_CHECKING:
    import click

FOLDER = "docs/reference"
COMMAND = "gpuinfra docs"
_MADE = f"This page is generated from the code by `{COMMAND}`: change the code and run the command, not this page.\n"


def pages(root: click.Command, goldens: Path | None = None) -> dict[str, str]:
    """Every page by its file name. `root` is the command line, and `goldens` where a checkout has what the rooms
    make and what changes do; without it there is no page of that."""
    found = {
        "spec.md": spec_page(),
        "rules.md": rules_page(),
        "instances.md": _page(instances_page()),
        "cli.md": cli_page(root),
    }
    if goldens is None:
        return found
    return {**found, "resources.md": _page(resources_page(goldens)), "changes.md": _page(changes_page(goldens))}


def _page(text: str) -> str:
    """The page with, below its title, where it comes from."""
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{_MADE}{rest}"


def write(made: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Writes the pages and returns the names of those that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = difference(made, folder)
    for name in changed:
        (folder / name).write_text(made[name], encoding="utf-8", newline="\n")
    return changed


def difference(made: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Names of the pages that are missing in the folder or differ from what the code says."""
    return tuple(name for name, text in made.items() if _text(folder / name) != text)


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def spec_page() -> str:
    """The fields of the spec."""
    out = [
        "# The spec\n",
        "A cluster.yaml is one mapping. A key that is not listed here is refused with the nearest name. Durations are a "
        "number and a unit (`30m`, `72h`, `1h30m`), moments carry their offset (`2026-12-05T18:00:00+01:00`), sizes are "
        "GiB or text with a unit (`9600`, `9.6 TB`). `gpuinfra schema` prints the same as a JSON schema.\n",
    ]
    top = ""
    for field in spec_fields():
        first = field.path.partition(".")[0].removesuffix("[]")
        if first != top:
            top = first
            out.append(f"\n## {top}\n")
        out.append(_field(field))
    return _page("\n".join(out) + "\n")


def _field(field: SpecField) -> str:
    only = f" ({field.where} only)" if field.where else ""
    need = "required" if field.required else f"default: {_code(field.default)}"
    lines = [
        f'<a id="{_anchor(field)}"></a>',
        f"**`{field.path}`**{only} — {field.type}, {need}",
        "",
        field.description,
    ]
    facts = [f"Unit: {field.unit}." if field.unit else "", f"Example: {_code(field.example)}." if field.example else ""]
    facts.append(f"On change: {field.on_change}")
    return "\n".join([*lines, "", " ".join(f for f in facts if f), ""])


def _anchor(field: SpecField) -> str:
    return "-".join(p for p in (field.where, field.path.replace("[]", "").replace(".", "-").replace("_", "-")) if p)


def _code(text: str) -> str:
    return text if text in ("none", "its own defaults") else f"`{text}`"


def rules_page() -> str:
    """Every code with its reasons and examples."""
    codes = all_codes()
    rules = rules_by_code()
    out = [
        "# Rules\n",
        "Codes are never reused. GI1NNN is about reading the spec, GI2NNN about the plan, GI3NNN about resources, GI4NNN "
        "about the account (`gpuinfra preflight`); GI9NNN is left for a team's own rules. An error changes the exit status; a warning or an info does not. "
        "`gpuinfra explain GI2001` prints an entry.\n",
    ]
    for start, title in TITLES.items():
        here = [code for code in codes.values() if code.code.startswith(start)]
        out += [f"## {title}\n", "| code | name | severity | |", "| --- | --- | --- | --- |"]
        out += [
            f"| [{c.code}](#{c.code.lower()}) | {c.slug} | {c.severity}{' (varies)' if c.varies else ''} | {_cell(c.summary)} |"
            for c in here
        ]
        out += ["", *(rule_page(c, rules.get(c.code)) for c in here)]
    out.append(fact_table(codes.values()))
    return _page("\n".join(out))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def cli_page(root: click.Command) -> str:
    """The help of every command and of the commands below it, as click prints it at 100 columns."""
    import click

    out = ["# Command line\n"]
    settings: dict[str, Any] = {
        **root.context_settings,
        "terminal_width": 100,
        "max_content_width": 100,
        "color": False,
    }
    context = click.Context(root, info_name="gpuinfra", **settings)
    out += ["```text", root.get_help(context).rstrip(), "```\n"]
    if isinstance(root, click.Group):
        for name in root.list_commands(context):
            command = root.get_command(context, name)
            if command is None or command.hidden:
                continue
            out += _help(command, name, context, settings)
    return _page("\n".join(out).rstrip() + "\n")


def _help(command: click.Command, name: str, parent: click.Context, settings: Mapping[str, Any]) -> list[str]:
    """The sections of one command: its own help, then that of each command below it."""
    import click

    inner = click.Context(command, info_name=name, parent=parent, **settings)
    out = [f"## {inner.command_path}\n", "```text", command.get_help(inner).rstrip(), "```\n"]
    if isinstance(command, click.Group):
        for below in command.list_commands(inner):
            found = command.get_command(inner, below)
            if found is not None and not found.hidden:
                out += _help(found, below, inner, settings)
    return out
