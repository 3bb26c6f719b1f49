"""Policy: rules over plans and resources, three verdicts each, and the engine that runs them."""

from .engine import GraphReport, RuleError, check_graph, check_plan, waived
from .resource_graph import UNKNOWN, OutputRef, Resource, ResourceGraph, Secret
from .rule import Examples, GraphContext, PlanContext, PlanRule, ResourceRule, RuleOptions, Undecided

__all__ = [
    "UNKNOWN",
    "Examples",
    "GraphContext",
    "GraphReport",
    "OutputRef",
    "PlanContext",
    "PlanRule",
    "Resource",
    "ResourceGraph",
    "ResourceRule",
    "RuleError",
    "RuleOptions",
    "Secret",
    "Undecided",
    "check_graph",
    "check_plan",
    "waived",
]
