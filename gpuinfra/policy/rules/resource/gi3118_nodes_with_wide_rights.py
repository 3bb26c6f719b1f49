"""Nodes that act with wide rights.

What: GPU nodes run as the default compute service account, or their account has the role Editor or Owner of the project.
Why: The default account is an editor of the whole project: whoever gets into one node, or one container, can delete everything and start more machines.
Fix: Make a service account of its own with the few roles that nodes need, and name it in serviceAccount.
References: Google Cloud docs, Best practices for service accounts; CIS Google Cloud Foundations Benchmark 4.1 and 4.2
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3118", "nodes-with-wide-rights", Severity.WARNING, __doc__, ("GCP-IAM-01", "GCP-GKE-08"))
_DEFAULT = "-compute@developer.gserviceaccount.com"
_WIDE = ("roles/editor", "roles/owner")
_GRANTS = {"gcp:projects/iAMMember:IAMMember": "member", "gcp:projects/iAMBinding:IAMBinding": "members"}
_ACCOUNT = "gcp:serviceaccount/account:Account"


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine on the default account, and one for each grant that is too wide."""
    accounts: set[str] = set()
    for m in ctx.gcp.machines:
        if not m.has_gpus:
            continue
        email = m.get("serviceAccount") if m.is_pool else m.get("serviceAccount", "email")
        key = "nodeConfig" if m.is_pool else "serviceAccount"
        accounts.update(r.urn for r in ctx.gcp.link(m.source, key, email, _ACCOUNT).resources)
        # An instance without the block has no account at all, and a pool without it has the default one.
        named = m.is_pool or m.get("serviceAccount") is not None
        if late(email):
            if not m.source.property_dependencies.get(key):
                yield Undecided(CODE.code, m.name, "the service account is not known yet")
        elif named and (email is None or email == "default" or str(email).endswith(_DEFAULT)):
            said = "absent, which means the default compute account" if email is None else "the default compute account"
            yield CODE.at(m.path("serviceAccount"), said, resource=m.name)
    for grant in ctx.gcp.of_type(*_GRANTS):
        ours = accounts.intersection(grant.property_dependencies.get(_GRANTS[grant.type], ()))
        # A role that another resource makes is none of the wide ones.
        if ours and late(grant.get("role")) and not grant.property_dependencies.get("role"):
            yield Undecided(CODE.code, grant.name, "which role the nodes' account gets is not known yet")
        if ours and grant.get("role") in _WIDE:
            yield CODE.at(f"{grant.name}.role", f"the nodes' account gets {grant.get('role')}", resource=grant.name)


_T = """\
- {{type: gcp.serviceaccount.Account, name: nodes, inputs: {{accountId: acme-nodes}}}}
- type: gcp.container.NodePool
  name: pool
  inputs: {{nodeConfig: {{machineType: g2-standard-8, serviceAccount: {0}}}}}
- type: gcp.projects.IAMMember
  name: grant
  inputs: {{role: {1}, member: "serviceAccount:${{nodes.email}}"}}
  from: {{member: [nodes]}}
"""


RULE = ResourceRule(
    CODE,
    ("security",),
    check,
    Examples(
        (_T.format("!ref nodes.email ", "roles/logging.logWriter"),),
        (
            _T.format("null", "roles/logging.logWriter"),
            _T.format("!ref nodes.email ", "roles/editor"),
            _T.format("!ref nodes.email ", "roles/owner")
            .replace("IAMMember", "IAMBinding")
            .replace("member: [", "members: [")
            .replace('member: "serviceAccount:${nodes.email}"', 'members: ["serviceAccount:${nodes.email}"]'),
        ),
        (_T.format("!unknown ", "roles/logging.logWriter"),),
    ),
    providers=(Provider.GCP,),
)
