"""An SSH source that is no address range.

What: An entry of `network.ssh_from` is no CIDR, or has bits set behind its prefix.
Why: The cloud refuses it, or silently takes another range than the one written.
Fix: Write an address and a prefix, as 203.0.113.0/24 or 203.0.113.7/32.
References: RFC 4632
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from ....diagnostics import Diagnostic, Severity
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2251", "ssh-range-malformed", Severity.ERROR, __doc__)


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each entry."""
    for n, text in enumerate(ctx.plan.spec.network.ssh_from):
        path = f"network.ssh_from[{n}]"
        if "/" not in text:
            try:
                address = ip_address(text.strip())
            except ValueError:
                yield CODE.at(path, f"'{text[:60]}' is no address range")
                continue
            yield CODE.at(path, f"'{text}' has no prefix", f"write {address}/{address.max_prefixlen}")
            continue
        try:
            ip_network(text)
        except ValueError:
            try:
                near = ip_network(text.strip(), strict=False)
            except ValueError:
                yield CODE.at(path, f"'{text[:60]}' is no address range")
                continue
            yield CODE.at(path, f"'{text[:60]}' is not the start of its range", f"write {near}")


RULE = PlanRule(
    CODE,
    ("network",),
    check,
    Examples(
        ("network: {ssh_from: [203.0.113.0/24]}",),
        (
            "network: {ssh_from: [203.0.113.7]}",
            "network: {ssh_from: [203.0.113.7/24]}",
            "network: {ssh_from: [home]}",
            "network: {ssh_from: [203.0.113.0/33]}",
        ),
    ),
)
