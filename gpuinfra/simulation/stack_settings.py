"""What a stack is told (Pulumi.dev.yaml), laid out for the engine in the simulation's folder: the user's own words, with the
salt of the simulation's secrets where the user has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from ..engine.deployment import StackFolder, settings_files

_PROJECT = "Pulumi.y*ml"
_SECRETS = ("encryptionsalt", "encryptedkey", "secretsprovider")
"""Keys that say how a stack's secrets are encrypted."""


def lay_out(folder: StackFolder, stack: str, work: Path) -> None:
    """Writes the project and the settings of one stack into a folder, where the engine finds them. Other stacks' files are
    left alone: one of them may be deploying."""
    work.mkdir(exist_ok=True)
    (work / folder.settings_dir).mkdir(parents=True, exist_ok=True)
    for file in folder.path.glob(_PROJECT):
        _write(work / file.name, file.read_bytes())
    theirs = settings_files(folder.path, folder.settings_dir, stack)
    ours = {file.name: file for file in settings_files(work, folder.settings_dir, stack)}
    for file in theirs:
        _write(work / folder.settings_dir / file.name, _joined(file.read_bytes(), ours.pop(file.name, None)))
    for left in ours.values():
        # The user took the settings away: what is kept is the salt of what was deployed.
        _write(left, _joined(b"{}", left))


def _joined(theirs: bytes, ours: Path | None) -> bytes:
    """The user's settings. Their way of encrypting counts where something is encrypted by it, else the simulation's own:
    nobody has to give a passphrase for a config without secrets."""
    import yaml

    document = _document(theirs)
    if document is None or _has_secret(document.get("config")):
        return theirs
    own = (_document(ours.read_bytes()) if ours is not None else None) or {}
    kept = {key: value for key, value in document.items() if key not in _SECRETS}
    salt = {key: own[key] for key in _SECRETS if key in own and not _has_secret(own.get("config"))}
    return yaml.safe_dump({**kept, **salt}, sort_keys=False, allow_unicode=True).encode()


def _document(text: bytes) -> dict[str, Any] | None:
    """The settings of a file; None where they cannot be read, which the engine says better."""
    import yaml

    try:
        read: Any = yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError):
        return None
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {} if read is None else None


def _has_secret(value: Any) -> bool:
    """Whether something in a config is encrypted."""
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        return "secure" in found or any(_has_secret(v) for v in found.values())
    return isinstance(value, list) and any(_has_secret(v) for v in cast("list[Any]", value))


def _write(file: Path, content: bytes) -> None:
    if not file.is_file() or file.read_bytes() != content:
        file.write_bytes(content)
