"""The command that opens a shell on one node of a pool, or, without a way in, runs one on it."""

from __future__ import annotations

import pulumi

from ...plan.models import PoolPlan
from .network import ClusterNetwork
from .node_pool import NodePool
from .scale_set import login_user

_KEY = "~/.ssh/id_ed25519"


def shell_command(pool: PoolPlan, network: ClusterNetwork, made: NodePool) -> pulumi.Output[str]:
    """Over the Bastion where there is one; else to the node's own address; else through the machine's agent, which runs a
    script as root and needs no way in."""
    # The set's name is written out by us, and known before it is made: an output less to wait for, for each pool.
    group, name, user = made.resource_group, pool.cloud_name, login_user(pool)
    if network.bastion_name is not None:
        return pulumi.Output.all(group, network.bastion_name).apply(lambda v: _by_bastion(v[0], name, v[1], user))
    if pool.public_ip:
        return group.apply(lambda known: _by_address(known, name, user))
    return group.apply(lambda known: _by_agent(known, name))


def _instances(group: str, name: str, field: str) -> str:
    return f'"$(az vmss list-instances --resource-group {group} --name {name} --query [0].{field} --output tsv)"'


def _by_bastion(group: str, name: str, bastion: str, user: str) -> str:
    return (
        f"az network bastion ssh --resource-group {group} --name {bastion} --target-resource-id "
        f"{_instances(group, name, 'id')} --auth-type ssh-key --username {user} --ssh-key {_KEY}"
    )


def _by_address(group: str, name: str, user: str) -> str:
    listed = f"az vmss list-instance-public-ips --resource-group {group} --name {name}"
    return f'ssh {user}@"$({listed} --query [0].ipAddress --output tsv)"'


def _by_agent(group: str, name: str) -> str:
    return (
        f"az vmss run-command invoke --resource-group {group} --name {name} --instance-id "
        f"{_instances(group, name, 'instanceId')} --command-id RunShellScript --scripts 'nvidia-smi; cat /etc/motd'"
    )
