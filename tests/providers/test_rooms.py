from __future__ import annotations

import subprocess
import sys

import pytest

from gpuinfra.providers import MissingSdk, available, get
from gpuinfra.providers.protocol import MODULES
from gpuinfra.vocabulary import Provider


def test_every_room_has_the_same_files() -> None:
    from importlib.util import find_spec

    for provider in available():
        for module in MODULES:
            assert find_spec(f"{get(provider).__name__}.{module}"), module  # type: ignore[attr-defined]


def test_a_missing_sdk_is_named_with_the_command_that_installs_it() -> None:
    program = (
        "import sys; sys.modules['pulumi_aws'] = None\n"
        "from gpuinfra.providers import get, MissingSdk\n"
        "from gpuinfra.vocabulary import Provider\n"
        "try: get(Provider.AWS)\n"
        "except MissingSdk as e: print(e.command)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pip install 'gpuinfra[aws]'"
    assert issubclass(MissingSdk, ImportError)


def test_another_missing_module_is_not_taken_for_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpuinfra.providers as rooms

    def fail(name: str) -> None:
        raise ModuleNotFoundError(name="yaml")

    monkeypatch.setattr(rooms, "import_module", fail)
    with pytest.raises(ModuleNotFoundError) as error:
        get(Provider.AWS)
    assert not isinstance(error.value, MissingSdk)


def test_asking_which_rooms_there_are_loads_none() -> None:
    program = (
        "import sys, gpuinfra, gpuinfra.providers\n"
        "import gpuinfra.providers.findings\n"
        "gpuinfra.providers.available(); gpuinfra.ClusterSpec; gpuinfra.GpuInfraError; gpuinfra.load; gpuinfra.resolve\n"
        "print([m for m in sys.modules if m.startswith('pulumi')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
