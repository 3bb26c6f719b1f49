"""A volume without encryption.

What: A volume is written out without `encrypted`, or names a key without it, and no EncryptionByDefault of the program holds where it stands.
Why: Model weights and data lie readable in snapshots; a key without `encrypted` is refused, or ignored.
Fix: Set encrypted ("true" as text in a launch template).
References: aws/aws-parallelcluster, KmsKeyIdEncryptedValidator; CIS AWS Foundations Benchmark 2.2.1
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_account_defaults import ENCRYPTION, account_default
from ...aws_volumes import volumes
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain, truth

CODE = described("GI3056", "volume-unencrypted", Severity.ERROR, __doc__, ("AWS CMP-14",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each volume. One that is made from a snapshot takes the snapshot's encryption."""
    for owner, path, ebs in volumes(ctx.aws):
        said = plain(ebs.get("encrypted"))
        by_account, value = account_default(ctx.aws, owner, ENCRYPTION, "enabled")
        if (by_account and value is None) or truth(value):
            # EC2 then encrypts every new volume, even one that asks not to be.
            continue
        said = value if by_account and late(value) and not truth(said) else said
        if late(said):
            yield Undecided(CODE.code, owner.name, "whether the volume is encrypted is not known yet")
        elif not truth(said) and (said is not None or ebs.get("snapshotId") is None):
            key = " and names a key all the same" if ebs.get("kmsKeyId") is not None else ""
            what = "is false" if said is not None else "is absent"
            yield CODE.at(f"{owner.name}.{path}encrypted", f"encrypted {what}{key}", resource=owner.name)


_T = """\
- type: aws.ec2.LaunchTemplate
  name: nodes
  inputs: {{blockDeviceMappings: [{{ebs: {{volumeSize: 200{0}}}}}]}}
"""
_D = "- {{type: aws.ebs.EncryptionByDefault, name: all, inputs: {{enabled: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("security", "storage"),
    check,
    Examples(
        (_T.format(', encrypted: "true"'), _T.format("") + _D.format("true"), _T.format("") + _D.format("null")),
        (_T.format(""), _T.format(', encrypted: "false"'), _T.format("") + _D.format("false")),
        (_T.format(", encrypted: !unknown "), _T.format("") + _D.format("!unknown ")),
    ),
    providers=(Provider.AWS,),
)
