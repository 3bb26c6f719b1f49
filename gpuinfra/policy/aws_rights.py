"""What a role of the program may do, as far as its policies can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, cast

from .aws_graph import AwsGraph
from .resource_graph import Resource
from .wire_values import entries, items, late, plain

ROLE = "aws:iam/role:Role"
PROFILE = "aws:iam/instanceProfile:InstanceProfile"
_INLINE = "aws:iam/rolePolicy:RolePolicy"
_ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
_POLICY = "aws:iam/policy:Policy"
_LISTED = (
    "aws:iam/policyAttachment:PolicyAttachment",
    "aws:iam/rolePoliciesExclusive:RolePoliciesExclusive",
    "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
)
"""Attachments that name many roles or policies at once: with one of them, what a role lacks is not said."""
_FULL = ("AdministratorAccess", "PowerUserAccess")
_OF_NODES = frozenset(
    [
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKSWorkerNodeMinimalPolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonEBSCSIDriverPolicy",
        "AmazonEC2ContainerRegistryReadOnly",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonEC2ContainerServiceforEC2Role",
        "AmazonSSMManagedInstanceCore",
        "CloudWatchAgentServerPolicy",
        "AmazonS3ReadOnlyAccess",
        "AmazonS3FullAccess",
        "AWSLambdaBasicExecutionRole",
    ]
)
"""AWS's own policies that nodes usually have, none of which starts or ends machines, groups or stacks."""
_MACHINES = ("autoscaling:", "cloudformation:", "ec2:Terminate", "eks:Delete", "eks:Update", "ssm:Start", "states:")


def roles_of(aws: AwsGraph, machine: Resource) -> tuple[Resource, ...]:
    """The roles of this program that the machines of a launch template, or an instance, act as."""
    value = machine.get("iamInstanceProfile")
    named = (
        [cast("Mapping[str, Any]", value).get(k) for k in ("arn", "name")] if isinstance(value, Mapping) else [value]
    )
    profiles = aws.link(machine, "iamInstanceProfile", [v for v in named if v is not None], PROFILE).resources
    return tuple(r for p in profiles for r in aws.linked(p, "role", ROLE).resources)


def may(aws: AwsGraph, role: Resource, action: str) -> bool | None:
    """Whether a role may do an action, on whatever resource; None where a policy of it cannot be read, or none is here:
    what a program leaves without any right gets it, most likely, where the program does not show it."""
    found = [_allows(document, action) for document in _documents(aws, role)]
    if True in found:
        return True
    return None if not found or None in found or aws.has(*_LISTED) else False


def _documents(aws: AwsGraph, role: Resource) -> Iterator[Any]:
    """Each policy of a role: its text, the ARN of a policy from elsewhere, or a value that is not known yet."""
    listed, inline = role.get("managedPolicyArns"), role.get("inlinePolicies")
    yield from (v for v in (listed, inline) if late(v))
    for value in map(plain, items(listed)):
        yield from _of_arn(aws, role, "managedPolicyArns", value)
    yield from (plain(block.get("policy")) for block in entries(inline))
    for r in aws.of_type(_INLINE, _ATTACHMENT):
        links, value = aws.linked(r, "role", ROLE), r.get("role")
        if any(x.urn == role.urn for x in links.resources) or (isinstance(value, str) and value == role.get("name")):
            yield from (r.get("policy"),) if r.type == _INLINE else _of_arn(aws, r, "policyArn", r.get("policyArn"))
        elif links.unknown and not links.resources:
            yield value


def _of_arn(aws: AwsGraph, owner: Resource, key: str, value: Any) -> Iterator[Any]:
    own = aws.link(owner, key, value, _POLICY).resources
    if own:
        yield from (policy.get("policy") for policy in own)
    else:
        yield value


def _allows(document: Any, action: str) -> bool | None:
    if isinstance(document, str) and document.startswith("arn:"):
        name = document.rpartition("/")[2]
        if name in _OF_NODES and action.startswith(_MACHINES):
            return False
        # What the many other policies of AWS hold is not known here.
        return True if name in _FULL else None
    if isinstance(document, str):
        try:
            document = json.loads(document)
        except ValueError:
            return None
    if not isinstance(document, Mapping):
        return None
    found = [_statement(s, action) for s in entries(cast("Mapping[str, Any]", document).get("Statement"))]
    return None if None in found else True in found


def _statement(statement: Mapping[str, Any], action: str) -> bool | None:
    """Whether a statement allows an action; None where it denies something, or its actions cannot be read."""
    value = plain(statement.get("Action"))
    named = [plain(v) for v in items(value)] or [value]
    if statement.get("Effect") != "Allow" or not all(isinstance(n, str) and not late(n) for n in named):
        return None
    return any(fnmatchcase(action.lower(), str(n).lower()) for n in named)
