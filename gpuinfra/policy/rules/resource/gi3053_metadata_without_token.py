"""An instance metadata service that answers without a token.

What: `metadataOptions.httpTokens` is not `required`, and no InstanceMetadataDefaults of the program makes it so.
Why: Any process or server-side request on the node can then read the role's credentials. A launch template allows it by default.
Fix: Set metadataOptions: {httpTokens: required}.
References: CIS AWS Foundations Benchmark 5.6; EC2 User Guide, instance metadata options
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_account_defaults import METADATA, account_default
from ...aws_graph import INSTANCES
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3053", "metadata-without-token", Severity.ERROR, __doc__, ("AWS CMP-04",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each template, and each instance without one."""
    for nodes in ctx.aws.nodes:
        template = nodes.template
        if template.type in INSTANCES and template.get("launchTemplate") is not None:
            continue
        if template.get("metadataOptions", "httpEndpoint") == "disabled":
            continue
        said = template.get("metadataOptions", "httpTokens")
        if said is None:
            said = account_default(ctx.aws, template, METADATA, "httpTokens")[1]
            said = None if said == "no-preference" else said
        if late(said):
            yield Undecided(CODE.code, nodes.name, "the metadata options are not known yet")
        elif said != "required":
            what = f"'{said}'" if said is not None else "absent, which means optional"
            yield CODE.at(f"{nodes.name}.metadataOptions.httpTokens", f"httpTokens is {what}", resource=nodes.name)


_T = "- {{type: aws.ec2.LaunchTemplate, name: nodes, inputs: {{metadataOptions: {{httpTokens: {0}}}}}}}\n"
_D = "- {{type: aws.ec2.InstanceMetadataDefaults, name: all, inputs: {{httpTokens: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format("required"), _T.format("null") + _D.format("required")),
        (_T.format("optional"), _T.format("null"), _T.format("optional") + _D.format("required")),
        (_T.format("!unknown "), _T.format("null") + _D.format("!unknown ")),
    ),
    providers=(Provider.AWS,),
)
