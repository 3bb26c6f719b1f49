"""The Pulumi engine: the `pulumi` program that deploys. Found where it is, or fetched into a cache of gpuinfra's own."""

from .install import InstallError, Progress, install
from .locate import CACHED, MINIMUM, ON_PATH, TESTED, Engine, EngineError, Status, cache_folder, find, status

__all__ = [
    "CACHED",
    "MINIMUM",
    "ON_PATH",
    "TESTED",
    "Engine",
    "EngineError",
    "InstallError",
    "Progress",
    "Status",
    "cache_folder",
    "find",
    "install",
    "status",
]
