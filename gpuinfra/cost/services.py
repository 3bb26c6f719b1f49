"""Cost lines of what stands beside the nodes: storage, NAT, traffic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import catalog
from ..catalog import ServicePrice
from ..plan.models import ClusterPlan, StoragePlan
from ..plan.network import BASTION_ROLE
from .units import CostLine, Metered, by_use_line, service_line


def storage_lines(plan: ClusterPlan) -> Iterator[CostLine]:
    """A line for each new store, which bills until it is deleted, nodes or not, and lines for the way to it."""
    for store in plan.storage:
        if store.existing:
            continue
        name = f"{store.name} ({store.kind})"
        price = _storage_price(plan, store)
        if store.size_gib is None:
            what = Metered(name, store.path, 0, 0, "GiB-month", note="for each GiB kept; requests come on top")
            yield by_use_line(what, price)
        else:
            what = Metered(name, store.path, store.size_gib, store.size_gib, "GiB-month")
            yield service_line(what, price)
        yield from _private_way(plan, store)


def _private_way(plan: ClusterPlan, store: StoragePlan) -> Iterator[CostLine]:
    """The private way to a new bucket, on clouds that bill one: by the hour, nodes or not, and by what passes."""
    if price := catalog.service_price(plan.provider, store.kind, "private-way", plan.region):
        yield service_line(Metered(f"{store.name} private way", store.path, 1, 1, "hour"), price)
    if price := catalog.service_price(plan.provider, store.kind, "private-data", plan.region):
        note = "each GB that nodes read or write"
        yield by_use_line(Metered(f"{store.name} private traffic", store.path, 0, 0, "GB", note=note), price)


def _storage_price(plan: ClusterPlan, store: StoragePlan) -> ServicePrice | None:
    items: list[str] = []
    if store.tier is not None:
        throughput = store.throughput_mbps_per_tib or store.tier.throughput_mbps_per_tib
        if throughput:
            items.append(f"{store.tier.tier}-{throughput}")
        items.append(store.tier.tier)
    items.append("standard")
    for item in items:
        if price := catalog.service_price(plan.provider, store.kind, item, plan.region):
            return price
    return None


def network_lines(plan: ClusterPlan) -> Iterator[CostLine]:
    """The NAT gateway of a new network, its address and its traffic, and what leaves the cloud."""
    network = plan.network
    if network.is_new and network.needs_nat:
        yield _nat_line(plan)
        address = Metered("NAT gateway address", network.path, 1, 1, "address-hour")
        yield service_line(address, catalog.service_price(plan.provider, "address", "ipv4", plan.region))
        traffic = Metered("NAT traffic", network.path, 0, 0, "GB", note="each GB that passes the gateway")
        yield by_use_line(traffic, catalog.service_price(plan.provider, "nat", "data", plan.region))
    if network.is_new and network.subnet(BASTION_ROLE):
        host = Metered("Bastion", "location.bastion", 1, 1, "hour")
        yield service_line(host, catalog.service_price(plan.provider, "bastion", "hour", plan.region))
        address = Metered("Bastion address", "location.bastion", 1, 1, "address-hour")
        yield service_line(address, catalog.service_price(plan.provider, "address", "ipv4", plan.region))
    egress = Metered("egress", network.path, 0, 0, "GB", note="each GB that leaves the cloud")
    yield by_use_line(egress, catalog.service_price(plan.provider, "egress", "internet", plan.region))


def _nat_line(plan: ClusterPlan) -> CostLine:
    """The gateway by the hour. Google bills each machine behind it up to a number of them, which is the hourly price."""
    ceiling = catalog.service_price(plan.provider, "nat", "hour", plan.region)
    each = catalog.service_price(plan.provider, "nat", "vm-hour", plan.region)
    whole = service_line(Metered("NAT gateway", plan.network.path, 1, 1, "hour"), ceiling)
    if each is None or each.usd is None or whole.usd_per_hour is None:
        return whole
    nodes, most = sum(p.wanted for p in plan.pools), sum(p.count_max for p in plan.pools)
    by_node = service_line(Metered(whole.name, whole.path, nodes, most, "vm-hour"), each)
    if nodes * each.usd >= whole.usd_per_hour:
        return whole
    return replace(by_node, unit="machine-hour", worst_usd_per_hour=min(most * each.usd, whole.usd_per_hour))
