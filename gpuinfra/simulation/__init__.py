"""Simulated clouds that the real Pulumi engine deploys to.

One generic provider plugin speaks the engine's protocol; what a cloud is like (identifiers, refusals, what replaces,
stock, time) stands in `clouds/`, one module a cloud. A world is one SQLite file beside the stack.
"""
