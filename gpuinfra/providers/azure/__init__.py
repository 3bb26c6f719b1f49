"""The Azure room: it spells a plan as resources of pulumi_azure_native, and decides nothing."""

from .cluster import render
from .identity import NodeIdentity
from .network import ClusterNetwork, ExistingNetwork
from .node_pool import NodePool
from .resource_group import ResourceGroup
from .spend import Spend
from .storage import SharedStorage

__all__ = [
    "ClusterNetwork",
    "ExistingNetwork",
    "NodeIdentity",
    "NodePool",
    "ResourceGroup",
    "SharedStorage",
    "Spend",
    "render",
]
