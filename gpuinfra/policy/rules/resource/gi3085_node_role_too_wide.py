"""GPU nodes whose role may do nearly anything.

What: The role of GPU nodes, or of the head beside them, has a managed policy of full rights, or a policy that allows `*`, ec2:*, iam:*, or iam:PassRole on every role.
Why: Every process of a node can take the role's credentials: one stolen notebook then starts a fleet, or becomes an administrator.
Fix: Grant the few actions that nodes need, on the resources that carry the cluster's tag.
References: aws/aws-parallelcluster, IAM validators; IAM User Guide, security best practices
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_graph import AwsGraph
from ...aws_kubernetes import node_groups
from ...aws_rights import ROLE, roles_of
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, items, late, plain

CODE = described("GI3085", "node-role-too-wide", Severity.WARNING, __doc__, ("AWS CMP-22",))
_ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
_INLINE = "aws:iam/rolePolicy:RolePolicy"
_POLICY = "aws:iam/policy:Policy"
_FULL = ("AdministratorAccess", "PowerUserAccess", "AmazonEC2FullAccess", "IAMFullAccess")
_WIDE = ("*", "*:*", "ec2:*", "iam:*")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each policy that gives too much."""
    aws, roles = ctx.aws, _roles(ctx.aws)
    for role in roles.values():
        for value in items(role.get("managedPolicyArns")):
            yield from _arn(role, "managedPolicyArns", plain(value))
        for n, block in enumerate(entries(role.get("inlinePolicies"))):
            yield from _document(role, f"inlinePolicies[{n}].policy", plain(block.get("policy")))
    for r in aws.of_type(_ATTACHMENT, _INLINE):
        if not any(x.urn in roles for x in aws.linked(r, "role", ROLE).resources):
            continue
        if r.type == _INLINE:
            yield from _document(r, "policy", r.get("policy"))
            continue
        own = aws.linked(r, "policyArn", _POLICY).resources
        for policy in own:
            yield from _document(policy, "policy", policy.get("policy"))
        if not own:
            yield from _arn(r, "policyArn", r.get("policyArn"))


def _roles(aws: AwsGraph) -> dict[str, Resource]:
    """The roles of this program that machines of a program with GPU nodes act as."""
    # The head of a cluster has no GPU, and is where the right to start machines lies.
    machines = [n.template for n in aws.nodes] if any(True for _ in aws.gpu_nodes) else []
    found = {r.urn: r for m in machines for r in roles_of(aws, m)}
    for group in node_groups(aws):
        if group.has_gpu:
            found.update({r.urn: r for r in aws.linked(group.resource, "nodeRoleArn", ROLE).resources})
    return found


def _arn(owner: Resource, path: str, value: Any) -> Iterator[Diagnostic | Undecided]:
    if late(value):
        yield Undecided(CODE.code, owner.name, "a policy of the nodes' role is not known yet")
    elif isinstance(value, str) and value.rpartition("/")[2] in _FULL:
        yield CODE.at(f"{owner.name}.{path}", f"the nodes' role gets {value.rpartition('/')[2]}", resource=owner.name)


def _document(owner: Resource, path: str, value: Any) -> Iterator[Diagnostic | Undecided]:
    if value is not None and not isinstance(value, str):
        yield Undecided(CODE.code, owner.name, "a policy of the nodes' role is not known yet")
        return
    try:
        document = json.loads(value or "{}")
    except ValueError:
        return
    found = cast(Mapping[str, Any], document).get("Statement") if isinstance(document, Mapping) else None
    for statement in entries(found):
        wide = _too_wide(statement)
        if wide:
            yield CODE.at(f"{owner.name}.{path}", f"the nodes' role may {wide}", resource=owner.name)
            return


def _too_wide(statement: Mapping[str, Any]) -> str:
    if statement.get("Effect") != "Allow":
        return ""
    actions, places = _texts(statement.get("Action")), _texts(statement.get("Resource"))
    condition = statement.get("Condition")
    if statement.get("NotAction") is not None and _everywhere(places, "*"):
        wide = "do anything but " + ", ".join(_texts(statement.get("NotAction")))[:60]
    else:
        wide = next((a for a in actions if a.lower() in _WIDE), "") if _everywhere(places, "*") else ""
    passes = next((a for a in actions if a.lower() in ("iam:passrole", "iam:pass*")), "")
    # A tag bounds what may be touched; other conditions say when or from where.
    if wide and not _names_a_tag(condition):
        return wide
    return f"{passes} every role" if passes and condition is None and _everywhere(places, "*", "role/*") else ""


def _everywhere(places: list[str], *whole: str) -> bool:
    """Whether a statement is for every resource: `*`, an ARN that ends in it, or no list at all but one of exceptions."""
    return not places or any(p == "*" or p.split(":", 5)[-1] in whole for p in places)


def _names_a_tag(condition: Any) -> bool:
    tests = list(cast(Mapping[str, Any], condition).values()) if isinstance(condition, Mapping) else []
    return any("tag/" in str(k).lower() for t in tests if isinstance(t, Mapping) for k in cast(Mapping[str, Any], t))


def _texts(value: Any) -> list[str]:
    return [v for v in (items(value) or [value]) if isinstance(v, str)]


_T = """\
- {{type: aws.iam.Role, name: role, inputs: {{}}}}
- {{type: aws.iam.RolePolicy, name: rights, inputs: {{role: !ref role.id , policy: {0}}}}}
- {{type: aws.iam.InstanceProfile, name: profile, inputs: {{role: !ref role.name }}}}
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{instanceType: p5.48xlarge, iamInstanceProfile: {{arn: !ref profile.arn }}}}
"""
_POLICY_OF = """'{"Statement": [{"Effect": "Allow", "Action": [%s], "Resource": "*"}]}'"""
_TAGGED = (
    """'{"Statement": [{"Effect": "Allow", "Action": "ec2:*", "Resource": "*", """
    """"Condition": {"StringEquals": {"ec2:ResourceTag/cluster": "acme"}}}]}'"""
)
_MANAGED = """\
- {{type: aws.iam.Role, name: role, inputs: {{}}}}
- type: aws.iam.RolePolicyAttachment
  name: rights
  inputs: {{role: !ref role.name , policyArn: "arn:aws:iam::aws:policy/{0}"}}
- type: aws.eks.NodeGroup
  name: pool
  inputs: {{nodeRoleArn: !ref role.arn , instanceTypes: [p5.48xlarge]}}
"""

RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (
            _T.format(_POLICY_OF % '"s3:GetObject"'),
            _T.format(_TAGGED),
            _MANAGED.format("AmazonEKSWorkerNodePolicy"),
        ),
        (
            _T.format(_POLICY_OF % '"ec2:*"'),
            _T.format(_POLICY_OF % '"iam:PassRole"'),
            _MANAGED.format("AdministratorAccess"),
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.AWS,),
)
