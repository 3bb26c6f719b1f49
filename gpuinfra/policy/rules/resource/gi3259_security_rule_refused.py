"""A security rule that Azure refuses.

What: Two rules of one group and direction share a priority or a name, a priority is not from 100 to 4096, or a field is written for one and for many at once.
Why: The update of the group is refused, and the nodes stand without their rules.
Fix: Give each rule a priority of its own from 100 to 4096.
References: Azure docs, network security groups: security rules
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_firewall import SecurityRule, all_rules
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import items, late, number

CODE = described("GI3259", "security-rule-refused", Severity.ERROR, __doc__, ())
# Azure docs, network security groups.
_LEAST, _MOST = 100, 4096
_BOTH = ("sourceAddressPrefix", "destinationAddressPrefix", "sourcePortRange", "destinationPortRange")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each rule."""
    seen: dict[tuple[str, bool, float], SecurityRule] = {}
    for rule in all_rules(ctx.azure):
        value = rule.value("priority")
        if late(value):
            yield Undecided(CODE.code, rule.source.name, "the priority of a rule is not known yet")
        priority = number(value)
        fault, hint = _fault(rule)
        key = (rule.group, rule.inbound, rule.priority)
        # Rules of two directions may share a priority.
        known = not late(rule.value("direction"))
        if not fault and known and rule.group and priority is not None and key in seen:
            fault = f"priority {priority:g} is that of '{seen[key].where}' too"
            hint = "give it a priority of its own"
        if known:
            seen.setdefault(key, rule)
        if fault:
            yield CODE.at(rule.where, fault, hint, resource=rule.source.name)


def _fault(rule: SecurityRule) -> tuple[str, str]:
    value = rule.value("priority")
    priority = number(value)
    if not late(value) and value is not None and (priority is None or not _LEAST <= priority <= _MOST):
        return f"priority {value} is not from {_LEAST} to {_MOST}", "take one from 100 to 4096"
    for one in _BOTH:
        many = f"{one}es" if one.endswith("Prefix") else f"{one}s"
        if rule.value(one) and items(rule.value(many)):
            return f"{one} and {many} exclude each other", "keep one of them"
    ports = ("destinationPortRange", "destinationPortRanges")
    if rule.value("sourcePortRange") is not None and all(rule.value(p) is None for p in ports):
        return "no destination port is written, and Azure wants one", 'write destinationPortRange, "*" for all'
    return "", ""


_T = """\
- type: azure-native.network.NetworkSecurityGroup
  name: guard
  inputs:
    securityRules:
    - {{name: a, direction: Inbound, access: Allow, priority: 200, protocol: Tcp, sourceAddressPrefix: 10.0.0.0/8}}
    - {{name: b, direction: {0}, access: Allow, priority: {1}, protocol: Tcp, sourceAddressPrefix: 10.0.0.0/8}}
"""

RULE = ResourceRule(
    CODE,
    ("network",),
    check,
    Examples(
        (_T.format("Inbound", 210), _T.format("Outbound", 200)),
        (_T.format("Inbound", 200), _T.format("Inbound", 50)),
        (_T.format("Inbound", "!unknown "),),
    ),
    providers=(Provider.AZURE,),
)
