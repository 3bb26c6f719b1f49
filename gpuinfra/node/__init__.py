"""What runs on a node: the boot bundle, and what a person runs there by hand until something does it."""

from .bundle import BootBundle, boot_bundle, bundle_findings, needs_object
from .carrier import BootFile, Carrier
from .cloud_init import cloud_init_installer
from .driver import modules_are_signed
from .findings import CODES
from .manual_commands import ManualCommand, manual_commands

__all__ = [
    "CODES",
    "BootBundle",
    "BootFile",
    "Carrier",
    "ManualCommand",
    "boot_bundle",
    "bundle_findings",
    "cloud_init_installer",
    "manual_commands",
    "modules_are_signed",
    "needs_object",
]
