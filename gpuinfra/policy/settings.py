"""What an organisation and a stack set of the rules: how much each counts, what is accepted for a while, what is dear."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..diagnostics import Code, Diagnostic, Severity, Source
from .rule import ALL, RuleOptions

if TYPE_CHECKING:
    from .settings_file import SettingsWaiver

FILE_NAME = "gpuinfra.yaml"
_OTHER_NAME = "gpuinfra.yml"
OFF = "off"
LEVELS = (*(str(s) for s in Severity), OFF)

UNKNOWN_CODE = Code(
    "GI1060",
    "settings-name-no-code",
    Severity.ERROR,
    "A settings file gives a severity to a code that does not exist.",
    why="The rule that was meant counts as before.",
    fix="Give the code as gpuinfra check shows it, or list them: gpuinfra rules",
)
NOT_LOWERED = Code(
    "GI1061",
    "settings-lower-what-cannot-be",
    Severity.ERROR,
    "A settings file lowers a finding of reading a file.",
    why="What cannot be read cannot be judged: a cluster that nobody has looked at would pass.",
    fix="Take the line out, and mend the file that the finding is about.",
)
NO_PACKAGE = Code(
    "GI1062",
    "settings-name-no-package",
    Severity.ERROR,
    "A settings file names a package of rules that is not installed.",
    why="Its rules do not run, and nobody would notice.",
    fix="Install it beside gpuinfra, or take the name out of `rules`.",
)
OTHER_NAME = Code(
    "GI1063",
    "settings-of-another-name",
    Severity.WARNING,
    "A file gpuinfra.yml lies where settings are looked for, and is not read.",
    why="Severities and waivers that somebody wrote there do not count, and nobody would notice.",
    fix="Name it gpuinfra.yaml, or remove it.",
)
CODES = (UNKNOWN_CODE, NOT_LOWERED, NO_PACKAGE, OTHER_NAME)


@dataclass(frozen=True)
class Level:
    """What a code counts for; None is off."""

    severity: Severity | None
    source: Source


@dataclass(frozen=True)
class PlacedWaiver:
    """A waiver and where it stands."""

    waiver: SettingsWaiver
    source: Source
    path: str
    folder: str

    def covers(self, d: Diagnostic, file: str, urns: Iterable[str] = ()) -> bool:
        """Whether it speaks of a finding of a file. `urns` are those of the finding's resource."""
        w = self.waiver
        if w.code != d.code or not self.about(file):
            return False
        if w.path is not None and not _covers_path(w.path, d.path):
            return False
        return w.urn is None or any(_fits(w.urn, urn) for urn in urns)

    def about(self, file: str) -> bool:
        """Whether it speaks of a file, given by its absolute path."""
        if self.waiver.files is None:
            return True
        try:
            inside = PurePath(file).relative_to(self.folder).as_posix()
        except ValueError:
            return False
        return fnmatchcase(inside, self.waiver.files)

    def in_force(self, today: date) -> bool:
        return today <= self.waiver.expires


@dataclass(frozen=True)
class Settings:
    """What holds for one spec or program: the files from its own folder outwards, laid over each other."""

    files: tuple[str, ...] = ()
    levels: Mapping[str, Level] = field(default_factory=dict[str, Level])
    waivers: tuple[PlacedWaiver, ...] = ()
    lease_above_usd_per_hour: float | None = None
    rules: tuple[str, ...] | None = None
    """Packages whose rules run; None: every installed one."""
    rules_source: Source | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def options(self) -> RuleOptions:
        """What the rules read."""
        silenced = {code for code, level in self.levels.items() if level.severity is None}
        silenced |= {placed.waiver.code for placed in self.waivers}
        above = self.lease_above_usd_per_hour
        given = RuleOptions() if above is None else RuleOptions(above, end_above_usd_per_hour={ALL: above})
        return replace(given, silenced=frozenset(silenced))

    def over(self, outer: Settings) -> Settings:
        """These settings laid over those of a folder further out: the nearer word counts, waivers add up."""
        own_rules = self.rules is not None
        return Settings(
            (*self.files, *outer.files),
            {**outer.levels, **self.levels},
            (*self.waivers, *outer.waivers),
            self.lease_above_usd_per_hour
            if self.lease_above_usd_per_hour is not None
            else outer.lease_above_usd_per_hour,
            self.rules if own_rules else outer.rules,
            self.rules_source if own_rules else outer.rules_source,
            (*self.diagnostics, *outer.diagnostics),
        )

    def with_findings(self, *found: Diagnostic) -> Settings:
        """The same with further findings about the files themselves."""
        return replace(self, diagnostics=(*self.diagnostics, *found))


def _fits(pattern: str, text: str) -> bool:
    """Whether a text is that of a pattern in which `*` stands for any text; brackets mean themselves, as in
    node_pools[*].count. Each part is looked for once: a regular expression of many stars could look for ever."""
    first, *parts = pattern.split("*")
    if not parts:
        return text == first
    *middle, last = parts
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _covers_path(pattern: str, path: str) -> bool:
    """Whether a pattern is that of a path, or of something around it."""
    return _fits(pattern, path) or any(_fits(pattern, path[:n]) for n, c in enumerate(path) if c in ".[")


def settings_for(path: str, given: str | None = None) -> Settings:
    """The settings that hold for a spec or a program's folder (`-`: the working folder). Those of `given` come first;
    then each gpuinfra.yaml from its folder up to the one that holds the repository, the nearer before the farther."""
    folders = _folders(path)
    files = _named(FILE_NAME, path, folders)
    named_otherwise = [_not_read(file) for file in _named(_OTHER_NAME, path, folders) if not _is_spec(file)]
    if not files and given is None:
        return Settings(diagnostics=tuple(named_otherwise))
    # The model of a settings file costs a check of a spec more than looking for one, and most have none.
    from .settings_file import read_settings

    found = [_pipe(file) or read_settings(file) for file in files]
    if given is not None:
        found.insert(0, read_settings(given))
    merged = Settings()
    for settings in reversed(found):
        merged = settings.over(merged)
    return merged.with_findings(*named_otherwise)


def settings_files(path: str) -> tuple[str, ...]:
    """The settings files beside a spec and above it, nearest first. Outside of a repository only the one beside it: what
    lies further up belongs to somebody else. A folder of the name and a link that leads nowhere are among them: whoever
    made them believes that they count."""
    return _named(FILE_NAME, path, _folders(path))


def _folders(path: str) -> tuple[str, ...]:
    """Where settings of a spec, or of a program's folder, are looked for; nearest first."""
    start = os.path.abspath(os.curdir if path == "-" else path)
    if path != "-" and not os.path.isdir(start):
        start = os.path.dirname(start)
    folders = [start]
    while not os.path.exists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return (start,)
        folders.append(above)
    return tuple(folders)


def _named(name: str, path: str, folders: Iterable[str]) -> tuple[str, ...]:
    """The files of a name in some folders, but for the spec itself."""
    files = [os.path.join(folder, name) for folder in folders]
    own = os.path.abspath(path)
    return tuple(_near(file) for file in files if os.path.lexists(file) and file != own)


def _pipe(file: str) -> Settings | None:
    """What is said of a pipe in the place of a settings file: reading it would wait for ever."""
    try:
        if not stat.S_ISFIFO(os.stat(file).st_mode):
            return None
    except OSError:
        return None
    from ..spec.findings import UNREADABLE
    from ..spec.reading import shown_file

    name = shown_file(file)
    said = UNREADABLE.at("", "a settings file is wanted here, and this is a pipe", "write a file, or remove the pipe")
    return Settings((name,), diagnostics=(said.located(Source(name)),))


def _not_read(file: str) -> Diagnostic:
    from ..spec.reading import shown_file

    said = OTHER_NAME.at("", f"{_OTHER_NAME} is not read: a settings file is named {FILE_NAME}")
    return said.located(Source(shown_file(file)))


def _is_spec(file: str) -> bool:
    """Whether a file says that it is a spec, which may have any name."""
    if not os.path.isfile(file):
        return False
    try:
        with open(file, "rb") as stream:
            return b"api_version" in stream.read(2**20)
    except OSError:
        return False


def _near(file: str) -> str:
    """A file as a person names it: from the working folder where it lies below."""
    inside = os.path.relpath(file)
    return file if inside.startswith("..") else inside
