"""A group whose bounds cross, or whose template version is not followed.

What: The least, wanted and most nodes are not in that order; or the template's version is `$Latest`, `$Default`, or a text that came out of an unset value.
Severity: warning where no version is named
Why: EC2 refuses crossed bounds. `$Latest` hides a changed template from preview, so nodes differ without a word.
Fix: Order the three numbers, and pass the template's latestVersion.
References: pulumi/pulumi-eks#980; pulumi/pulumi-eks#1086; EC2 Auto Scaling API, CreateAutoScalingGroup
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import NODE_GROUP, SCALING_GROUP, group_size, size_unknown
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described

CODE = described("GI3059", "group-bounds-or-version", Severity.ERROR, __doc__, ("AWS CMP-20",))
_VERSIONS = (
    ("launchTemplate", "version"),
    ("mixedInstancesPolicy", "launchTemplate", "launchTemplateSpecification", "version"),
)


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each group and fault. The version is text that depends on the template, unknown in preview."""
    for group in ctx.aws.of_type(SCALING_GROUP, NODE_GROUP):
        if any(size_unknown(group)):
            yield Undecided(CODE.code, group.name, "the group's size is not known yet")
        least, wanted, most = group_size(group)
        key = "scalingConfig" if group.type == NODE_GROUP else "minSize"
        if least is not None and most is not None and least > most:
            yield CODE.at(
                f"{group.name}.{key}",
                f"the least ({least:g}) is above the most ({most:g})",
                f"write a least number of at most {most:g}, or a most of at least {least:g}",
                resource=group.name,
            )
        elif wanted is not None and (wanted < (least or 0) or (most is not None and wanted > most)):
            yield CODE.at(
                f"{group.name}.{key}",
                f"{wanted:g} nodes are wanted, outside {least or 0:g} to {f'{most:g}' if most is not None else 'any'}",
                f"want {min(max(wanted, least or 0), most if most is not None else wanted):g}, or move the bound",
                resource=group.name,
            )
        for *around, key in _VERSIONS:
            template = group.get(*around, "launchTemplateId" if len(around) > 1 else "id")
            version = group.get(*around, key)
            path = (*around, key)
            if template is not None and version is None and group.type == SCALING_GROUP:
                yield CODE.at(
                    f"{group.name}.{'.'.join(path)}",
                    "no version is named, which means the default one: a change of the template reaches no new node",
                    "name the template's latestVersion",
                    resource=group.name,
                    severity=Severity.WARNING,
                )
            elif isinstance(version, str) and version in ("$Latest", "$Default", "None", ""):
                yield CODE.at(
                    f"{group.name}.{'.'.join(path)}",
                    f"the template's version is '{version}'; a change of the template would not show",
                    "pass the template's latestVersion, an Output of the template",
                    resource=group.name,
                )


_T = "- {{type: aws.autoscaling.Group, name: group, inputs: {{minSize: {0}, desiredCapacity: 2, maxSize: 4{1}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("drift",),
    check,
    Examples(
        (_T.format(0, ', launchTemplate: {id: lt-1, version: "7"}'),),
        (
            _T.format(5, ""),
            _T.format(3, ""),
            _T.format(0, ', launchTemplate: {id: lt-1, version: "$Latest"}'),
            _T.format(
                0, ", mixedInstancesPolicy: {launchTemplate: {launchTemplateSpecification: {launchTemplateId: lt-1}}}"
            ),
        ),
        (_T.format("!unknown ", ""),),
    ),
    providers=(Provider.AWS,),
)
