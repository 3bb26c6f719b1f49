"""The parts of a cluster on Azure, each usable alone: a pool in a network that is there, storage, a budget.

Parts that are used apart share a ResourceGroup: each takes it as `group`, and makes one of its own where it gets none.
"""

from .providers.azure import (
    ClusterNetwork,
    ExistingNetwork,
    NodeIdentity,
    NodePool,
    ResourceGroup,
    SharedStorage,
    Spend,
)

__all__ = ["ClusterNetwork", "ExistingNetwork", "NodeIdentity", "NodePool", "ResourceGroup", "SharedStorage", "Spend"]
