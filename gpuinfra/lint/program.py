"""A program in a folder, recorded without an engine: as a preview would see it, nothing that is computed is known."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from ..diagnostics import Diagnostic, GpuInfraError, Source, did_you_mean
from ..policy.aside import told_aside
from . import source
from .findings import CONFIG_MISSING, GOES_BY_LOOKUP, NO_PROGRAM, PROGRAM_RAISES, PROGRAM_REFUSED, SDK_STOOD_IN_FOR
from .source import MissingSdkError, Read

if TYPE_CHECKING:
    from ..testing.absent_sdk import Absent
    from ..testing.lookups import Ended

_PROJECT_FILES: Final = ("Pulumi.yaml", "Pulumi.yml")
_STACK_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_DEFAULT_STACK: Final = "dev"
_ENVIRONMENTS: Final = [".venv", "venv"]
"""Where `pulumi new`, uv and poetry make one, without that Pulumi.yaml names it."""
_LISTED: Final = 8
_SHOWN: Final = 300
_SHORTEST_SECRET: Final = 4
_FUNCTIONS: Final = 3
_BY_PREVIEW: Final = "run `pulumi preview --json > preview.json` there, and give --preview preview.json"


def read(asked: source.Source) -> Read:
    """The graph of the program. Raises GpuInfraError with what keeps it from being judged, and MissingSdkError."""
    file = _project_file(asked.path)
    document = _document(file)
    _only_python(asked.path, document)
    # This is a process of the program's own. What is installed here goes first: the SDK that records is of this place.
    sys.path.extend(_its_packages(file, document))
    return _recorded(asked, file, _stack(asked, file))


def _project_file(path: str) -> Path:
    try:
        return _project_file_at(path)
    except OSError as e:
        raise _refused(path, f"it cannot be read: {e.strerror or e}", "make it readable for the user who runs the command"
                       ) from None  # fmt: skip


def _project_file_at(path: str) -> Path:
    given = Path(path)
    if not given.exists():
        raise _refused(path, "there is no such folder")
    if given.is_file():
        if given.name not in _PROJECT_FILES:
            raise _refused(path, "it is a file", "give the folder that holds Pulumi.yaml; for a preview or a state: "
                           "--preview or --state")  # fmt: skip
        return given.absolute()
    found = next((given / name for name in _PROJECT_FILES if (given / name).is_file()), None)
    if found is None:
        raise _refused(path, f"there is no Pulumi.yaml in it{_nearby(given)}")
    return found.absolute()


def _nearby(folder: Path) -> str:
    """Where a Pulumi.yaml is, one folder up or down: a program is often one below its repository."""
    try:
        below = sorted(p.parent.name for n in _PROJECT_FILES for p in folder.glob(f"*/{n}"))
    except OSError:
        return ""
    if below:
        return f"; there is one in {', '.join(below[:3])}{' …' if below[3:] else ''}"
    return (
        "; there is one in the folder above"
        if any((folder.absolute().parent / n).is_file() for n in _PROJECT_FILES)
        else ""
    )


def _refused(path: str, message: str, hint: str = "") -> GpuInfraError:
    return GpuInfraError([NO_PROGRAM.at("", message, hint).located(Source(path))])


def _document(file: Path) -> Mapping[str, Any]:
    import yaml

    try:
        document: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        place = Source(str(_near(file)), mark.line + 1, mark.column + 1) if mark else Source(str(_near(file)))
        said = getattr(e, "problem", None) or "it cannot be read"
        raise GpuInfraError([NO_PROGRAM.at("", f"not YAML: {said}", "correct it").located(place)]) from None
    except (OSError, UnicodeDecodeError, RecursionError) as e:
        raise _refused(str(_near(file)), f"it cannot be read: {e}", "make it a readable file in UTF-8") from None
    if not isinstance(document, dict):
        raise _refused(str(_near(file)), "it holds no project: name and runtime are wanted", "correct it")
    return cast("Mapping[str, Any]", document)


def _only_python(path: str, document: Mapping[str, Any]) -> None:
    runtime = document.get("runtime")
    name: Any = cast("Mapping[str, Any]", runtime).get("name") if isinstance(runtime, dict) else runtime
    if name != "python":
        said = f"its runtime is {str(name)[:40]}" if name else "its Pulumi.yaml names no runtime"
        raise _refused(path, f"{said}, and only programs in Python are recorded", _BY_PREVIEW)


def _its_packages(file: Path, document: Mapping[str, Any]) -> list[str]:
    """Where the program's own virtual environment keeps packages for this version of Python, if it has one: there are the
    SDKs that it imports."""
    runtime: Any = document.get("runtime")
    options: Any = cast("Mapping[str, Any]", runtime).get("options") if isinstance(runtime, dict) else None
    named: Any = cast("Mapping[str, Any]", options).get("virtualenv") if isinstance(options, dict) else None
    folders = [str(named)] if named else _ENVIRONMENTS
    inside = (f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages", "Lib/site-packages")
    found = [file.parent / folder / path for folder in folders for path in inside]
    return [str(p) for p in found if p.is_dir()]


def _stack(asked: source.Source, file: Path) -> str:
    """The stack that is meant: the one that was asked for, else the only one, else dev. Where stacks have files beside
    Pulumi.yaml it is one of those: of another, the program would be judged without a config."""
    there = sorted(
        p.name.removeprefix("Pulumi.").removesuffix(file.suffix) for p in file.parent.glob(f"Pulumi.*{file.suffix}")
    )
    # Written as organisation/project/stack, it is the last part that names the file.
    wanted = asked.stack.rpartition("/")[2] if asked.stack is not None else ""
    if asked.stack is not None and (not wanted or not _STACK_NAME.fullmatch(wanted)):
        raise _refused(asked.path, f"'{asked.stack[:60]}' is no name of a stack", "letters, digits, '-', '_' and '.'")
    name = wanted or (there[0] if len(there) == 1 else _DEFAULT_STACK)
    if not there or name in there:
        return name
    known = ", ".join(there[:_LISTED]) + (" …" if there[_LISTED:] else "")
    if not wanted:
        raise _refused(asked.path, f"it has the stacks {known}", "say which one is meant, with --stack")
    near = did_you_mean(name, there) or "name one of them"
    hint = f"{near}; for a stack without any config make an empty Pulumi.{name}{file.suffix}"
    raise _refused(asked.path, f"it has no stack '{name}'; its stacks are {known}", hint)


def _recorded(asked: source.Source, file: Path, stack: str) -> Read:
    from ..testing import RecordingError
    from ..testing.absent_sdk import stood_in_for
    from ..testing.lookups import record_open
    from ..testing.program import find

    try:
        find(file, stack)
    except RecordingError as e:
        raise _refused(asked.path, " ".join(str(e).split())[:_SHOWN]) from None
    # What the program prints must not mix with the findings.
    with told_aside(), stood_in_for() as absent:
        found = record_open(file, stack=stack, config=asked.config)
    if found.ended is not None and not found.faults:
        raise _its_own(found.ended, file, stack, asked.config, absent.packages) from None
    place = Source(str(_near(file.parent)))
    refused = tuple(PROGRAM_REFUSED.at("", fault).located(place) for fault in found.faults)
    if found.graph is None:
        raise GpuInfraError(refused) from None
    # One text that is none hides nothing else that is wrong with the program.
    return Read(found.graph, remarks=(*refused, *_stood_in_for(absent, place)))


def _stood_in_for(absent: Absent, place: Source) -> list[Diagnostic]:
    """One finding for the packages that are missing and used."""
    used = {p: sorted({t for t, _ in absent.made[p]} | absent.asked.get(p, set())) for p in absent.packages}
    parts = [f"{package} ({_some(what)})" for package, what in used.items() if what]
    if not parts:
        return []
    said = f"not installed here, and seen only as far as the program writes it: {'; '.join(parts)}"
    missing = " ".join(package.replace("_", "-") for package, what in used.items() if what)
    hint = f"where gpuinfra is installed: pip install {missing}; what components of them make is seen by a preview alone: {_BY_PREVIEW}"
    return [SDK_STOOD_IN_FOR.at("", said, hint).located(place)]


def _some(words: Sequence[str]) -> str:
    return ", ".join(words[:_FUNCTIONS]) + (" …" if words[_FUNCTIONS:] else "")


def _its_own(ended: Ended, file: Path, stack: str, config: Mapping[str, str], absent: Sequence[str]) -> Exception:
    """The error of a program as what the person is told. `absent`: the packages that something stood in for."""
    error = ended.error
    missing_sdk = _missing_sdk(error)
    if missing_sdk:
        return MissingSdkError(
            f"the program imports {missing_sdk}, which is not installed here: pip install "
            f"{missing_sdk.partition('.')[0].replace('_', '-')}; or {_BY_PREVIEW}"
        )
    if absent and not isinstance(error, SystemExit):
        # It may want of a package what only the package has.
        return MissingSdkError(
            f"the program imports {_some(absent)}, which {'are' if absent[1:] else 'is'} not installed here, and ended with "
            f"{type(error).__name__} without: pip install {' '.join(p.replace('_', '-') for p in absent)}; or {_BY_PREVIEW}"
        )
    place = _place(error, file.parent)
    missing = _missing_key(error)
    if missing:
        config_file = _near(file.with_name(f"Pulumi.{stack}{file.suffix}"))
        near = did_you_mean(missing, _keys(config_file))
        hint = f"set it in {config_file}, or give it here: --config {missing}=VALUE" + (f"; {near}" if near else "")
        return GpuInfraError(
            [CONFIG_MISSING.at("", f"the program asks for the config value '{missing}'", hint).located(place)]
        )
    return GpuInfraError([_raised(ended, config).located(place)])


def _missing_sdk(error: BaseException) -> str:
    name = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
    return name if name.startswith("pulumi") else ""


def _raised(ended: Ended, config: Mapping[str, str]) -> Diagnostic:
    error = ended.error
    if isinstance(error, SystemExit):
        return PROGRAM_RAISES.at("", f"the program ended itself, with status {error.code}")
    said = error.msg if isinstance(error, SyntaxError) else ended.said
    # Any value of the command line may be a secret to the program, which alone knows.
    for key, value in config.items():
        said = str(said).replace(value, f"[{key}]") if len(value) >= _SHORTEST_SECRET else said
    text = " ".join(str(said).split())[:_SHOWN]
    if ended.by_lookups:
        asked = _some(ended.by_lookups)
        return GOES_BY_LOOKUP.at(
            "", f"the program raises {type(error).__name__}{': ' if text else ''}{text}; it goes by what {asked} answers, "
            "and no account is asked here", f"where it is right in your account, {_BY_PREVIEW}",
        )  # fmt: skip
    hint = f"install it where gpuinfra is installed; or {_BY_PREVIEW}" if isinstance(error, ImportError) else ""
    return PROGRAM_RAISES.at("", f"the program raises {type(error).__name__}{': ' if text else ''}{text}", hint)


def _missing_key(error: BaseException) -> str:
    """The full key that the program demanded, where that is what ended it."""
    import pulumi

    if isinstance(error, pulumi.ConfigMissingError):
        return str(error.key)
    return ""


def _keys(file: Path) -> list[str]:
    import yaml

    try:
        document: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return []
    config: Any = cast("Mapping[str, Any]", document).get("config") if isinstance(document, dict) else None
    return [str(k) for k in cast("Mapping[str, Any]", config)] if isinstance(config, dict) else []


def _place(error: BaseException, folder: Path) -> Source:
    """The innermost line of the program's own on the way to the error; the folder where there is none."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_relative_to(folder):
        return Source(str(_near(Path(error.filename))), error.lineno or 0, error.offset or 1)
    resolved = folder.resolve()
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        found = Path(frame.filename).resolve()
        if found.is_relative_to(resolved) and "site-packages" not in found.relative_to(resolved).parts:
            return Source(str(_near(found)), frame.lineno or 0, (frame.colno or 0) + 1)
    return Source(str(_near(folder)))


def _near(path: Path) -> Path:
    """The path from here, where it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
