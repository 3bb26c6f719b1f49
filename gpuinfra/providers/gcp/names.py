"""Names on Google Cloud: made-up ones within the limits, ids that are the project's own, and paths of networks."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import cast

import pulumi

from ...plan.models import ClusterPlan
from ...plan.names import name_limit, shortened
from ...spec.locations import GcpLocation
from ...vocabulary import Provider

_MADE_UP = 8
"""What Pulumi adds to a logical name: a hyphen and seven characters."""
_TEMPLATE_PREFIX = 37
_DIGEST = 6
_ROLE_PREFIX = 40
"""An id has at most 64 characters, and an account's number 21."""
_API = re.compile(r"^https://[^/]+/(?:compute/)?(?:v1|beta)/")


def project_of(plan: ClusterPlan) -> str:
    """The project that the cluster stands in."""
    return cast(GcpLocation, plan.spec.location).project


def auto_name(logical: str, kind: str) -> str | None:
    """None where the name that Pulumi makes up fits; else a whole name, which differs for different logical names."""
    longest = name_limit(Provider.GCP, kind)
    return None if len(logical) + _MADE_UP <= longest else shortened(logical, longest)


def template_prefix(logical: str) -> str:
    """The beginning of a template's name. Templates get no whole name: the next one must exist before the last goes."""
    return f"{shortened(logical, _TEMPLATE_PREFIX - 1)}-"


def node_tag(plan: ClusterPlan) -> str:
    """The network tag that the cluster's nodes carry: rules in a network of others name them by it."""
    return shortened(f"{plan.name}-nodes", name_limit(Provider.GCP, "instance"))


def account_id(logical: str) -> str:
    """The id of a service account. It must be new to the project, so it ends in a digest of project and stack: two stacks
    of one program do not clash."""
    whole = f"{pulumi.get_project()}/{pulumi.get_stack()}/{logical}"
    digest = sha256(whole.encode()).hexdigest()[:_DIGEST]
    room = name_limit(Provider.GCP, "service_account") - _DIGEST - 1
    return f"{shortened(logical, room)}-{digest}"


def role_prefix(logical: str) -> str:
    """The beginning of a custom role's id; the number of its account follows. Google keeps the id of a deleted role for
    weeks, in which no role can be made under it (IAM documentation, "Delete a custom role"), and a new account has a
    new number."""
    return f"{shortened(f'gpuinfra-{logical}', _ROLE_PREFIX)}-".replace("-", "_")


def path_of(url: str) -> str:
    """projects/… for a link to a resource; other text as it is."""
    return _API.sub("", url)


def network_path(project: str, network: str) -> str:
    """A network's path, from its name, path or link."""
    return path_of(network) if "/" in network else f"projects/{project}/global/networks/{network}"


def subnet_path(project: str, region: str, subnet: str) -> str:
    """A subnet's path, from its name, path or link."""
    return path_of(subnet) if "/" in subnet else f"projects/{project}/regions/{region}/subnetworks/{subnet}"


def owner_of(path: str) -> str:
    """The project in a path."""
    found = re.match(r"projects/([^/]+)/", path)
    return found[1] if found else ""
