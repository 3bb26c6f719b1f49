"""Security groups and their rules, each rule a resource of its own.

A rule is never written inside a group: mixing the two forms makes the provider remove one with the other, and a file
system that must wait for its rules can only depend on resources (aws/aws-parallelcluster#6181).
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from ...plan.models import ClusterPlan
from ...vocabulary import StorageKind
from .tags import tags

_ANYWHERE = "0.0.0.0/0"
_SSH = 22
_NFS = 2049
# What Lustre clients and servers speak over (FSx for Lustre User Guide, "File system access control with Amazon VPC").
_LUSTRE = (("lnet", 988, 988), ("lnet-reply", 1018, 1023))


@dataclass(frozen=True)
class Firewall:
    """A cluster's groups. `rules` of a group are what its members must wait for."""

    nodes: aws.ec2.SecurityGroup
    node_rules: tuple[pulumi.Resource, ...]
    lustre: aws.ec2.SecurityGroup | None
    lustre_rules: tuple[pulumi.Resource, ...]
    nfs: aws.ec2.SecurityGroup | None
    nfs_rules: tuple[pulumi.Resource, ...]


@dataclass(frozen=True)
class _Rules:
    """Makes rules of one cluster."""

    plan: ClusterPlan
    opts: pulumi.ResourceOptions

    def group(self, name: str, vpc_id: pulumi.Input[str], description: str) -> aws.ec2.SecurityGroup:
        return aws.ec2.SecurityGroup(
            name,
            description=description,
            vpc_id=vpc_id,
            # Rules of other groups that name this one would otherwise hold its deletion up.
            revoke_rules_on_delete=True,
            region=self.plan.region,
            tags=tags(self.plan, name),
            opts=self.opts,
        )

    def enter(
        self,
        name: str,
        group: aws.ec2.SecurityGroup,
        description: str,
        *,
        source: pulumi.Input[str] | None = None,
        cidr: str | None = None,
        ports: tuple[int, int] | None = None,
    ) -> pulumi.Resource:
        """Lets traffic into `group`, from a group or a range; every protocol where no ports are given."""
        v6 = cidr is not None and ":" in cidr
        return aws.vpc.SecurityGroupIngressRule(
            name,
            security_group_id=group.id,
            referenced_security_group_id=source,
            cidr_ipv4=None if v6 else cidr,
            cidr_ipv6=cidr if v6 else None,
            ip_protocol="tcp" if ports else "-1",
            from_port=ports[0] if ports else None,
            to_port=ports[1] if ports else None,
            description=description,
            region=self.plan.region,
            tags=tags(self.plan, name),
            opts=self.opts,
        )

    def leave(
        self,
        name: str,
        group: aws.ec2.SecurityGroup,
        description: str,
        *,
        target: pulumi.Input[str] | None = None,
        cidr: str | None = None,
        ports: tuple[int, int] | None = None,
    ) -> pulumi.Resource:
        """Lets traffic out of `group`, to a group or a range; every protocol where no ports are given."""
        return aws.vpc.SecurityGroupEgressRule(
            name,
            security_group_id=group.id,
            referenced_security_group_id=target,
            cidr_ipv4=cidr,
            ip_protocol="tcp" if ports else "-1",
            from_port=ports[0] if ports else None,
            to_port=ports[1] if ports else None,
            description=description,
            region=self.plan.region,
            tags=tags(self.plan, name),
            opts=self.opts,
        )


def firewall(
    prefix: str,
    plan: ClusterPlan,
    vpc_id: pulumi.Input[str],
    clients: tuple[pulumi.Input[str], ...],
    opts: pulumi.ResourceOptions,
) -> Firewall:
    """Registers the groups that the plan needs. `clients`: further groups whose members mount the shared storage."""
    make = _Rules(plan, opts)
    nodes = make.group(f"{prefix}-nodes-sg", vpc_id, f"Nodes of {plan.name}")
    node_rules = _node_rules(make, prefix, nodes)
    lustre = nfs = None
    lustre_rules: tuple[pulumi.Resource, ...] = ()
    nfs_rules: tuple[pulumi.Resource, ...] = ()
    new = {s.kind for s in plan.storage if not s.existing}
    if plan.network.lustre_rules and StorageKind.LUSTRE in new:
        lustre = make.group(f"{prefix}-lustre-sg", vpc_id, f"Lustre file systems of {plan.name}")
        lustre_rules = _lustre_rules(make, prefix, nodes, lustre, clients)
    if plan.network.nfs_rules and StorageKind.NFS in new:
        nfs = make.group(f"{prefix}-nfs-sg", vpc_id, f"NFS mount targets of {plan.name}")
        nfs_rules = tuple(
            make.enter(f"{prefix}-nfs-from-{who}", nfs, f"NFS from {who}", source=group, ports=(_NFS, _NFS))
            for who, group in _clients(nodes, clients)
        )
    return Firewall(nodes, node_rules, lustre, lustre_rules, nfs, nfs_rules)


def _node_rules(make: _Rules, prefix: str, nodes: aws.ec2.SecurityGroup) -> tuple[pulumi.Resource, ...]:
    rules = [
        # EFA drops what the group does not allow *by reference to itself, in both directions*: a rule to 0.0.0.0/0
        # lets TCP pass and EFA fail (EC2 User Guide, "EFA-enabled security group"). Nodes without EFA talk TCP to each
        # other by the same two rules.
        make.enter(f"{prefix}-nodes-from-nodes", nodes, "Between nodes", source=nodes.id),
        make.leave(f"{prefix}-nodes-to-nodes", nodes, "Between nodes", target=nodes.id),
        make.leave(f"{prefix}-nodes-to-world", nodes, "Packages, images and the APIs of the cloud", cidr=_ANYWHERE),
    ]
    for i, cidr in enumerate(make.plan.network.ssh_from):
        rules.append(make.enter(f"{prefix}-ssh-from-{i}", nodes, f"SSH from {cidr}", cidr=cidr, ports=(_SSH, _SSH)))
    return tuple(rules)


def _lustre_rules(
    make: _Rules,
    prefix: str,
    nodes: aws.ec2.SecurityGroup,
    servers: aws.ec2.SecurityGroup,
    clients: tuple[pulumi.Input[str], ...],
) -> tuple[pulumi.Resource, ...]:
    rules: list[pulumi.Resource] = []
    for what, low, high in _LUSTRE:
        ports = (low, high)
        for who, group in (("lustre", servers.id), *_clients(nodes, clients)):
            rules.append(
                make.enter(
                    f"{prefix}-lustre-{what}-from-{who}", servers, f"Lustre from {who}", source=group, ports=ports
                )
            )
            rules.append(
                make.leave(f"{prefix}-lustre-{what}-to-{who}", servers, f"Lustre to {who}", target=group, ports=ports)
            )
        rules.append(
            make.enter(f"{prefix}-nodes-{what}-from-lustre", nodes, "Lustre servers", source=servers.id, ports=ports)
        )
        rules.append(
            make.leave(f"{prefix}-nodes-{what}-to-lustre", nodes, "Lustre servers", target=servers.id, ports=ports)
        )
    return tuple(rules)


def _clients(
    nodes: aws.ec2.SecurityGroup, clients: tuple[pulumi.Input[str], ...]
) -> tuple[tuple[str, pulumi.Input[str]], ...]:
    return (("nodes", nodes.id), *((f"client-{i}", group) for i, group in enumerate(clients)))
