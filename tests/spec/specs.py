"""Small inputs for the tests of reading."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.spec.load import Loaded, load, parse

DATA = Path(__file__).parent.parent / "data" / "specs"
FILES = sorted(DATA.glob("*.yaml"))

LEAST: dict[str, Any] = {
    "name": "tiny",
    "location": {"provider": "aws", "region": "us-east-2"},
    "node_pools": [{"name": "gpu", "instance_type": "g6.xlarge"}],
}

HEAD = """\
name: tiny
location: {provider: aws, region: us-east-2}
node_pools:
  - name: gpu
    instance_type: g6.xlarge
"""


def with_keys(**keys: Any) -> Loaded:
    """What comes of the least spec with these keys replaced or added."""
    return parse({**deepcopy(LEAST), **keys})


def read(more: str = "", head: str = HEAD) -> Loaded:
    """What comes of the least spec's text with more below it."""
    return load("cluster.yaml", head + more)


def only(loaded: Loaded) -> Diagnostic:
    """The one finding; there must be no other, and no spec beside an error."""
    assert [str(d) for d in loaded.diagnostics] == [str(loaded.diagnostics[0])]
    assert loaded.spec is None
    return loaded.diagnostics[0]


def place(found: Diagnostic) -> tuple[int, int]:
    """Line and column of a finding."""
    assert found.source is not None
    return found.source.line, found.source.column
