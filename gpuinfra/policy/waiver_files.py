"""Whether a waiver's `files` names anything at all: a mistyped pattern covers nothing, and nobody would notice."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase

_MOST = 20_000
"""So many names are looked at; in a larger folder nothing is said."""
_NOT_LOOKED_INTO = frozenset((".git", ".venv", "node_modules", "__pycache__", ".gpuinfra"))
_WRITTEN_LATER = ".json"
"""Previews and states are written by a pipeline and removed again: that one is not there proves nothing."""


def matches_nothing(pattern: str, folder: str) -> bool:
    """Whether no file and no folder below a folder has a name of the pattern. False where that cannot be told."""
    if pattern.startswith("..") or os.path.normpath(pattern) != pattern or os.path.isabs(pattern):
        # Compared with paths from the folder, which are never written so: ./cluster.yaml, ../other/*, old/.
        return True
    if pattern.endswith(_WRITTEN_LATER):
        return False
    fixed = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    if fixed == pattern:
        return not os.path.lexists(os.path.join(folder, pattern))
    start = os.path.join(folder, os.path.dirname(fixed))
    looked = 0
    for inside, folders, files in os.walk(start):
        folders[:] = sorted(f for f in folders if f not in _NOT_LOOKED_INTO)
        for name in (*files, *folders):
            looked += 1
            if looked > _MOST:
                return False
            if fnmatchcase(os.path.relpath(os.path.join(inside, name), folder).replace(os.sep, "/"), pattern):
                return False
    return True
