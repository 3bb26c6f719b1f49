"""The resource rules as a Pulumi policy pack: the folder that is published, and the server that the engine asks.

Nothing here imports Pulumi before `serve` is called.
"""

from .folder import PackFolderError, fault_of_configuration, write_pack
from .server import serve

__all__ = ["PackFolderError", "fault_of_configuration", "serve", "write_pack"]
