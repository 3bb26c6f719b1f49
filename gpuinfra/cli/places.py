"""How files are named where a machine reads: relative paths and URIs."""

from __future__ import annotations

import os
from pathlib import PurePath
from urllib.parse import quote


def shown_path(file: str) -> str:
    """A file's path from the folder that the command runs in, with slashes; as it is where it lies elsewhere."""
    if file.startswith("<"):
        return file
    if os.path.isabs(file):
        inside = os.path.relpath(file)
        return file if inside.startswith("..") else PurePath(inside).as_posix()
    return PurePath(os.path.normpath(file)).as_posix()


def uri(file: str) -> str:
    """The same as a URI reference: relative below the working folder, else file://."""
    path = shown_path(file)
    try:
        # The bytes of the name, whatever they are.
        quoted = quote(os.fsencode(path), safe="/")
    except UnicodeEncodeError:
        quoted = quote(path, safe="/", errors="surrogatepass")
    return f"file://{quoted}" if path.startswith("/") else quoted
