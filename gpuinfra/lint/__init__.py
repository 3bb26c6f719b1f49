"""Judges Pulumi programs that never heard of gpuinfra: by their preview, their state, or the program itself.

Three readers make a resource graph; one door judges it by the resource rules. Neither a preview nor a state needs Pulumi.
"""

from __future__ import annotations

from .door import Kind, Linted, Source, lint

__all__ = ["Kind", "Linted", "Source", "lint"]
