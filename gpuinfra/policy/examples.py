"""Turns the short examples of rules into what rules read: they are the tests of the rules and their documentation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

import yaml

from ..diagnostics import Diagnostic
from ..plan.models import ClusterPlan
from ..spec.models import ClusterSpec
from .account_facts import AccountFacts
from .engine import AccountReport, GraphReport, check_account, check_graph, check_plan
from .resource_graph import UNKNOWN, OutputRef, Resource, ResourceGraph
from .rule import AccountRule, PlanRule, ResourceRule

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
"""The moment that examples are judged by."""

BASE_SPEC = """\
api_version: gpuinfra/v1
name: acme
workload: training
location: {provider: aws, region: us-east-1}
node_pools:
  - {name: gpu, instance_type: p5.48xlarge, count: 2}
storage:
  - {name: scratch, kind: lustre, size_gib: 9600, throughput_mbps_per_tib: 500, mount: /scratch}
budget: {per_month_usd: 90000, contacts: [ml@example.com]}
shutdown: {idle_after: 30m, lease: 72h}
"""
"""The spec that a plan rule's examples are laid over."""


_FLAT = ("azure-native",)
"""Packages whose tokens hold no file name."""


class _Loader(yaml.SafeLoader):
    """YAML with `!unknown` and `!ref name.property`."""


def _unknown(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    return UNKNOWN


def _ref(loader: yaml.SafeLoader, node: yaml.Node) -> object:
    name, _, prop = str(cast(yaml.ScalarNode, node).value).rpartition(".")
    return OutputRef(name, prop)


_Loader.add_constructor("!unknown", _unknown)
_Loader.add_constructor("!ref", _ref)


def overlaid(base: Any, over: Any) -> Any:
    """`over` laid over `base`: mappings merge by key (a `location` of another cloud replaces), lists of mappings merge
    item by item and take the length of `over`, all else is replaced."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        old, new = cast(Mapping[str, Any], base), cast(Mapping[str, Any], over)
        if "provider" in new:
            return dict(new)
        return {
            k: overlaid(old.get(k), new[k]) if k in new else old[k] for k in (*old, *(k for k in new if k not in old))
        }
    if isinstance(base, list) and isinstance(over, list):
        before, after = cast(list[Any], base), cast(list[Any], over)
        return [overlaid(before[i] if i < len(before) else None, item) for i, item in enumerate(after)]
    return over


def spec_of(example: str) -> ClusterSpec:
    """The spec of a plan rule's example: the base spec with the example laid over it."""
    return ClusterSpec.model_validate(overlaid(yaml.safe_load(BASE_SPEC), yaml.safe_load(example) or {}))


def check_plan_example(rule: PlanRule, example: str) -> tuple[Diagnostic, ...]:
    """What one rule says of its example. Raises ValueError where the example makes no plan."""
    from ..plan import resolve

    plan = resolve(spec_of(example), NOW).plan
    if plan is None:
        raise ValueError(f"an example of {rule.code.code} makes no plan:\n{example}")
    return check_plan(plan, rules=(rule,))


def graph_of(example: str, *, preview: bool = False) -> ResourceGraph:
    """The graph of a resource rule's example: a YAML list of {type, name, inputs, options, depends_on, parent}.

    A type is a token, or short as `aws.ec2.LaunchTemplate` and `azure-native.compute.VirtualMachine`. References become property dependencies, as in a recording.
    """
    items = cast(list[dict[str, Any]], yaml.load(example, Loader=_Loader) or [])
    urns = {str(i["name"]): _urn(i) for i in items}
    resources: list[Resource] = []
    for item in items:
        inputs = cast(dict[str, Any], item.get("inputs") or {})
        late = cast(dict[str, list[str]], item.get("from") or {})
        deps: dict[str, tuple[str, ...]] = {}
        for key, value in inputs.items():
            names = {*_names(value), *late.get(key, ())}
            if names:
                deps[key] = tuple(sorted(urns[n] for n in names if n in urns))
        depends = {u for us in deps.values() for u in us}
        depends.update(urns[n] for n in item.get("depends_on") or ())
        parent = item.get("parent")
        resources.append(
            Resource(
                urn=urns[str(item["name"])],
                type=_token(str(item["type"])),
                name=str(item["name"]),
                custom=bool(item.get("custom", True)),
                inputs=inputs,
                parent=urns[parent] if parent else "",
                dependencies=tuple(sorted(depends)),
                property_dependencies=deps,
                options=item.get("options") or {},
            )
        )
    return ResourceGraph("example", "dev", preview, tuple(sorted(resources, key=lambda r: r.urn)))


def check_graph_example(rule: ResourceRule, example: str, facts: Mapping[str, Any] | None = None) -> GraphReport:
    """What one rule says of its example, beside the plan and the facts that its examples name."""
    plan = None
    if rule.examples.spec:
        from ..plan import resolve

        plan = resolve(spec_of(rule.examples.spec), NOW).plan
    found = facts if facts is not None else rule.examples.facts
    return check_graph(graph_of(example), plan, rules=(rule,), now=NOW, facts=found)


def _token(short: str) -> str:
    if ":" in short:
        return short
    package, module, cls = short.split(".")
    if package in _FLAT:
        return f"{package}:{module}:{cls}"
    return f"{package}:{module}/{cls[0].lower()}{cls[1:]}:{cls}"


def _urn(item: Mapping[str, Any]) -> str:
    return f"urn:pulumi:dev::example::{_token(str(item['type']))}::{item['name']}"


def _names(value: Any) -> set[str]:
    if isinstance(value, OutputRef):
        return {value.resource}
    if isinstance(value, Mapping):
        return {n for v in cast(Mapping[str, Any], value).values() for n in _names(v)}
    if isinstance(value, list):
        return {n for v in cast(list[Any], value) for n in _names(v)}
    return set()


def account_of(example: str) -> tuple[ClusterPlan, AccountFacts]:
    """The plan and the facts of an account rule's example, a mapping of `spec` (laid over the base spec) and `account`
    (what it leaves out is as in the plan). Raises ValueError where it makes no plan."""
    from ..plan import resolve

    data = cast(dict[str, Any], yaml.safe_load(example) or {})
    plan = resolve(spec_of(yaml.safe_dump(data.get("spec") or {})), NOW).plan
    if plan is None:
        raise ValueError(f"an example makes no plan:\n{example}")
    start = {"provider": plan.provider, "region": plan.region, "as_of": NOW}
    return plan, AccountFacts.model_validate({**start, **cast(dict[str, Any], data.get("account") or {})})


def check_account_example(rule: AccountRule, example: str) -> AccountReport:
    """What one rule says of its example."""
    plan, facts = account_of(example)
    return check_account(plan, facts, rules=(rule,))
