"""A secret in a machine's metadata.

What: Metadata or the startup script of a machine hold a private key, an access key, a token or a password.
Severity: warning for a value that is marked secret, whose text is not known
Why: Every process of the guest can read metadata, and everybody with compute.instances.get from the project.
Fix: Keep the secret in Secret Manager, and let the node's service account fetch it at boot.
References: Google Cloud docs, About VM metadata (do not store sensitive data)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...resource_graph import Secret
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...script_secrets import kind_of_secret
from ...wire_values import plain

CODE = described("GI3119", "secret-in-metadata", Severity.ERROR, __doc__, ())


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each machine and value. The secret itself is never shown."""
    for m in ctx.gcp.machines:
        metadata = m.get("metadata")
        values: dict[str, Any] = {}
        if isinstance(metadata, Mapping):
            values.update({f"metadata.{k}": v for k, v in cast(Mapping[Any, Any], metadata).items()})
        values["metadataStartupScript"] = m.source.inputs.get("metadataStartupScript")
        for key, raw in values.items():
            text = plain(raw)
            found = kind_of_secret(text) if isinstance(text, str) else ""
            if found:
                yield CODE.at(m.path(key), f"the value holds {found}", resource=m.name)
            elif isinstance(raw, Secret) and text is not None:
                yield CODE.at(
                    m.path(key),
                    "the value is composed with one that is marked secret",
                    resource=m.name,
                    severity=Severity.WARNING,
                )


_T = "- {{type: gcp.compute.Instance, name: box, inputs: {{metadata: {{startup-script: '{0}'}}}}}}\n"


RULE = ResourceRule(
    CODE,
    ("security", "boot"),
    check,
    Examples(
        (_T.format("export HF_TOKEN=$(gcloud secrets versions access latest --secret hf)"),),
        (_T.format("export WANDB_API_KEY=0123456789abcdef0123"),),
        (),
    ),
    providers=(Provider.GCP,),
)
