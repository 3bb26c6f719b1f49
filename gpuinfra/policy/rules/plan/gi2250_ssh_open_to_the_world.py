"""SSH from the whole internet.

What: `network.ssh_from` holds 0.0.0.0/0, ::/0, a range so wide that it comes to the same, or several that do so together.
Severity: warning for a range that is very wide and not the whole internet
Why: GPU nodes are found by scanners within minutes, and are worth stealing.
Fix: Name your own address, as 203.0.113.7/32; or none at all: the cloud's session service needs no open port.
References: CIS AWS Foundations Benchmark 5.2; Azure security baseline; Google Cloud, firewall best practices
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from ....diagnostics import Diagnostic, Severity
from ...internet_ranges import open_to
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2250", "ssh-open-to-the-world", Severity.ERROR, __doc__, ("AWS NET-18", "GCP-NET-13", "AZ SEC-09"))
_WIDE = {4: 8, 6: 16}
"""A prefix shorter than this holds so many addresses that it protects nothing."""


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each such range, or one for several together; malformed ones are another rule's."""
    sources = ctx.plan.spec.network.ssh_from
    alone = [s for s in sources if open_to([s])]
    if (world := open_to(sources)) and len(alone) != 1 and not any(s.strip().endswith("/0") for s in alone):
        yield CODE.at("network.ssh_from", f"these ranges let in {world}")
        return
    for n, text in enumerate(sources):
        try:
            net = ip_network(text.strip(), strict=False)
        except ValueError:
            continue
        path = f"network.ssh_from[{n}]"
        if net.prefixlen <= 1:
            yield CODE.at(path, f"'{text}' lets the whole internet in")
        elif net.prefixlen < _WIDE[net.version] and not net.is_private:
            yield CODE.at(path, f"'{text}' lets {net.num_addresses:,} addresses in", severity=Severity.WARNING)


_QUARTERS = "network: {ssh_from: [0.0.0.0/2, 64.0.0.0/2, 128.0.0.0/2, 192.0.0.0/3]}"

RULE = PlanRule(
    CODE,
    ("security", "network"),
    check,
    Examples(
        ("network: {ssh_from: [203.0.113.0/24, 10.0.0.0/8]}",),
        (
            "network: {ssh_from: [0.0.0.0/0]}",
            'network: {ssh_from: ["::/0"]}',
            "network: {ssh_from: [64.0.0.0/2]}",
            _QUARTERS,
        ),
    ),
)
