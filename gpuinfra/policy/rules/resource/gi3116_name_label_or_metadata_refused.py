"""A name, a label or metadata that Google refuses.

What: An explicit name is too long, too short or has characters that the kind of resource does not take; a label is longer than 63 characters, not in lower case, or one of more than 64; or a metadata value is longer than 256 KiB.
Why: The call that makes the resource is refused, in the middle of an `up`.
Fix: Rename or shorten it: small letters, digits and dashes; keep long scripts in a bucket.
References: Google Cloud docs, Naming resources; Google Cloud docs, Label requirements; Google Cloud docs, VM metadata, limitations
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from .... import catalog
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_types import (
    BUCKET,
    BUDGET,
    DISK,
    FILESTORE,
    FIREWALL,
    GROUP,
    INSTANCE,
    LUSTRE,
    MACHINES,
    NETWORK,
    REGION_GROUP,
    REGION_TEMPLATE,
    RESOURCE_POLICY,
    ROUTER,
    SUBNET,
    TEMPLATE,
)
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3116", "name-label-or-metadata-refused", Severity.ERROR, __doc__, ("GCP-NAM-01",))
_NAMES: dict[str, tuple[tuple[str, str], ...]] = {
    NETWORK: (("name", "name.network"),),
    SUBNET: (("name", "name.subnet"),),
    INSTANCE: (("name", "name.instance"),),
    TEMPLATE: (("name", "name.instance_template"), ("namePrefix", "name.instance_template_prefix")),
    REGION_TEMPLATE: (("name", "name.instance_template"), ("namePrefix", "name.instance_template_prefix")),
    GROUP: (("name", "name.instance_group"), ("baseInstanceName", "name.instance_group_base")),
    REGION_GROUP: (("name", "name.instance_group"), ("baseInstanceName", "name.instance_group_base")),
    FIREWALL: (("name", "name.firewall"),),
    RESOURCE_POLICY: (("name", "name.resource_policy"),),
    DISK: (("name", "name.disk"),),
    ROUTER: (("name", "name.router"),),
    LUSTRE: (("instanceId", "name.lustre_instance"), ("filesystem", "name.lustre_filesystem")),
    FILESTORE: (("name", "name.filestore"),),
    BUCKET: (("name", "name.bucket"),),
    BUDGET: (("displayName", "name.budget"),),
    "gcp:serviceaccount/account:Account": (("accountId", "name.service_account"),),
}
_LABELS = ("labels", "resourceLabels")
_OWN_LABELS = ("gcp:monitoring/", "gcp:logging/")
"""Services that call something else their labels, as the address of a notification channel."""


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each name, and one for each resource's labels and metadata, at the first that is wrong."""
    for r in ctx.graph:
        if not r.type.startswith("gcp:"):
            continue
        for key, what in _NAMES.get(r.type, ()):
            value = r.get(key)
            if late(value) and not isinstance(value, str):
                yield Undecided(CODE.code, r.name, f"{key} is not known yet")
            elif isinstance(value, str) and not late(value) and (fault := _fault(what, value)):
                yield CODE.at(f"{r.name}.{key}", f"'{value[:70]}' {fault}", resource=r.name)
        for key in () if r.type.startswith(_OWN_LABELS) else _LABELS:
            if fault := _labels(r.get(key)):
                yield CODE.at(f"{r.name}.{key}", fault, resource=r.name)
        if r.type in MACHINES and (fault := _metadata(r.get("metadata"))):
            yield CODE.at(f"{r.name}.metadata", fault, resource=r.name)


def _fault(what: str, value: str) -> str:
    row = catalog.limit(Provider.GCP, what)
    if row is None:
        return ""
    if len(value) > row.maximum:
        return f"has {len(value)} characters, and {row.maximum} are taken"
    # What is made up behind a prefix ends the name, so that a prefix may end with a dash.
    text = value.rstrip("-") if what.endswith("_prefix") else value
    if row.pattern and not re.fullmatch(row.pattern, text):
        return f"does not fit {row.pattern}{f' ({row.notes})' if row.notes else ''}"
    return ""


def _labels(value: Any) -> str:
    most = catalog.limit(Provider.GCP, "labels")
    if not isinstance(value, Mapping) or most is None:
        return ""
    pairs = {str(k): plain(v) for k, v in cast(Mapping[Any, Any], value).items()}
    if len(pairs) > most.maximum:
        return f"{len(pairs)} labels, and {most.maximum} are taken"
    for key, text in pairs.items():
        if fault := _fault("label_key", key):
            return f"the key '{key[:70]}' {fault}"
        if isinstance(text, str) and not late(text) and (fault := _fault("label_value", text)):
            return f"the value of '{key}' {fault}"
    return ""


def _metadata(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    sizes = {str(k): len(text.encode(errors="replace")) for k, v in cast(Mapping[Any, Any], value).items()
             if isinstance(text := plain(v), str)}  # fmt: skip
    one, total = (catalog.limit(Provider.GCP, w) for w in ("user_data_bytes", "metadata_total_bytes"))
    big = next((k for k, size in sizes.items() if one is not None and size > one.maximum), "")
    if big and one is not None:
        return f"'{big}' has {sizes[big]} bytes, and a value takes {one.maximum}"
    if total is not None and sum(sizes.values()) > total.maximum:
        return f"{sum(sizes.values())} bytes together, and a machine takes {total.maximum}"
    return ""


_T = "- {{type: gcp.compute.Network, name: net, inputs: {{name: {0}}}}}\n"
_LABELLED = "- {{type: gcp.compute.Instance, name: box, inputs: {{labels: {0}}}}}\n"
_ACCOUNT = "- {{type: gcp.serviceaccount.Account, name: sa, inputs: {{accountId: {0}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("names", "labels"),
    check,
    Examples(
        (
            _T.format("acme-net"),
            _LABELLED.format("{team: nlp}"),
            _ACCOUNT.format("gpu-nodes"),
            "- {type: gcp.compute.InstanceTemplate, name: nodes, inputs: {namePrefix: acme-gpu-}}\n",
        ),
        (
            _T.format("Acme_Net"),
            _T.format("n" * 64),
            _ACCOUNT.format("nodes"),
            _LABELLED.format("{Team: nlp}"),
            _LABELLED.format("{team: NLP & friends}"),
            "- {type: gcp.compute.Instance, name: box, inputs: {metadata: {startup-script: " + "x" * 262145 + "}}}\n",
        ),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
