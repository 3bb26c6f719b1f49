"""Instances, volumes or interfaces that carry no tags.

What: A template has no tag specification for instances, volumes or network interfaces.
Why: The provider's default tags do not reach what a group launches: cost filters read 0 for it, and leftovers have no owner.
Fix: Add tagSpecifications for instance, volume and network-interface.
References: Terraform AWS provider, default_tags; hashicorp/terraform-provider-aws#39850
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import LAUNCH_TEMPLATE
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3057", "launched-things-untagged", Severity.WARNING, __doc__, ("AWS CMP-17",))
_KINDS = ("instance", "volume", "network-interface")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template of a program that may start GPUs: their cost is what the tags are to tell apart."""
    if ctx.aws.nodes and all(ctx.aws.without_gpus(n) for n in ctx.aws.nodes):
        return
    for template in ctx.aws.of_type(LAUNCH_TEMPLATE):
        listed = template.get("tagSpecifications")
        if late(listed):
            yield Undecided(CODE.code, template.name, "the tag specifications are not known yet")
            continue
        tagged = [plain(s.get("resourceType")) for s in entries(listed)]
        missing = [k for k in _KINDS if k not in tagged]
        if missing and any(late(t) for t in tagged):
            yield Undecided(CODE.code, template.name, "what is tagged is not known yet")
        elif missing:
            yield CODE.at(
                f"{template.name}.tagSpecifications",
                f"nothing tags {', '.join(m + 's' for m in missing)} that are launched",
                resource=template.name,
            )


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{tagSpecifications: {0}}}}}\n"
_ALL = ", ".join(f"{{resourceType: {k}, tags: {{Cluster: acme}}}}" for k in _KINDS)

RULE = ResourceRule(
    CODE,
    ("cost", "tags"),
    check,
    Examples(
        (_T.format(f"[{_ALL}]"),),
        (_T.format("[]"), _T.format("[{resourceType: instance, tags: {Cluster: acme}}]")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
