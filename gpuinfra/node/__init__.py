"""What runs on a node: the boot bundle."""

from .bundle import BootBundle, BootFile, boot_bundle

__all__ = ["BootBundle", "BootFile", "boot_bundle"]
