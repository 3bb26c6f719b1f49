"""The bytes of a file, bounded and in UTF-8, or the finding that says why not."""

from __future__ import annotations

import errno
import os
import stat
import sys

from ..diagnostics import Diagnostic, Source
from . import findings as f
from .quantities import printable

MAX_BYTES = 2**20
STDIN = "<stdin>"


def shown_file(path: str) -> str:
    """A file's name as findings show it: printable, whatever bytes the file system allows."""
    return STDIN if path == "-" else printable(path, 1000)


def read_text(path: str) -> str | Diagnostic:
    """The text of a file; `-` is standard input. At most one byte over the limit is read."""
    file = Source(shown_file(path))
    try:
        data = _read_stdin() if path == "-" else _read_file(path)
    except IsADirectoryError:
        return f.DIRECTORY.at("", "the path is a directory; a file is wanted").located(file)
    except FileNotFoundError:
        return f.NO_FILE.at("", "there is no such file").located(file)
    except (OSError, ValueError) as e:
        # ValueError: a path with a NUL byte.
        if isinstance(e, ValueError) or e.errno in (errno.ENAMETOOLONG, errno.ENOTDIR, errno.ENOENT):
            return f.NO_FILE.at("", "there is no such file").located(file)
        reason = printable(e.strerror or type(e).__name__, 200)
        return f.UNREADABLE.at("", f"the file cannot be read: {reason}").located(file)
    if len(data) > MAX_BYTES:
        return too_large(file)
    return decode(data, file)


def too_large(file: Source) -> Diagnostic:
    """The finding for more than the limit."""
    return f.TOO_LARGE.at("", "the file is larger than 1 MiB; no spec is").located(file)


def decode(data: bytes, file: Source) -> str | Diagnostic:
    """Bytes as text, a byte-order mark left out."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        column = len(data[data.rfind(b"\n", 0, e.start) + 1 : e.start].decode("utf-8", "replace")) + 1
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return f.NOT_UTF8.at("", "the file is not UTF-8; it looks like UTF-16").located(file)
        message = f"the file is not UTF-8: byte 0x{data[e.start]:02X} begins no character"
        return f.NOT_UTF8.at("", message).located(Source(file.file, line, column))


def _read_file(path: str) -> bytes:
    # O_NONBLOCK would make an empty pipe look like an empty file: <(…) must wait for its writer.
    with open(path, "rb", buffering=0) as stream:
        status = os.fstat(stream.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES:
            return bytes(MAX_BYTES + 1)
        return _drain(stream)


def _read_stdin() -> bytes:
    stdin = sys.stdin
    if stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise OSError(errno.EBADF, "standard input is closed")
    return _drain(getattr(stdin, "buffer", stdin))


def _drain(stream: object) -> bytes:
    """What a stream holds, at most one byte over the limit."""
    read = getattr(stream, "read")  # noqa: B009
    parts: list[bytes] = []
    left = MAX_BYTES + 1
    while left > 0:
        part = read(left)
        if isinstance(part, str):
            part = part.encode("utf-8", "surrogatepass")
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
