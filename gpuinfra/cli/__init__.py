"""The command line. Each command lives in a module of its own, which is imported when the command is called."""

from .app import main, run

__all__ = ["main", "run"]
