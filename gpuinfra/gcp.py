"""The parts of a cluster on Google Cloud, each usable alone: a pool in a network that is there, storage, a budget."""

from .providers.gcp import ClusterNetwork, ExistingNetwork, NodeIdentity, NodePool, SharedStorage, Spend

__all__ = ["ClusterNetwork", "ExistingNetwork", "NodeIdentity", "NodePool", "SharedStorage", "Spend"]
