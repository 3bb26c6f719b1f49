"""A compute environment of AWS Batch that keeps GPU machines.

What: minVcpus of a managed compute environment with GPU instance types is above 0.
Why: Batch keeps that many vCPUs running whether there is a job or not, and never ends them: a queue that is empty over the weekend bills its GPUs all the same.
Fix: Set minVcpus to 0: Batch starts machines for jobs that wait, and ends them minutes after the last.
References: AWS Batch User Guide, compute environment parameters
"""

from __future__ import annotations

from collections.abc import Iterator

from ....cost import LAG_HOURS
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...aws_batch import COMPUTE_ENVIRONMENT, has_gpus
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, number

CODE = described("GI3420", "batch-keeps-gpus", Severity.WARNING, __doc__, ("AWS COST-05",))
_LEAST = ("computeResources", "minVcpus")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each environment that may start GPU machines."""
    for env in ctx.aws.of_type(COMPUTE_ENVIRONMENT):
        least, gpus = env.get(*_LEAST), has_gpus(env)
        if gpus is False or (gpus is None and not (number(least) or late(least))):
            continue
        if gpus is None:
            yield Undecided(CODE.code, env.name, "whether its machines have GPUs is not known yet")
        elif late(least):
            yield Undecided(CODE.code, env.name, "how many vCPUs it keeps is not known yet")
        elif number(least):
            yield CODE.at(
                f"{env.name}.{'.'.join(_LEAST)}",
                f"{number(least):g} vCPUs of GPU machines run for ever, with or without jobs; a budget alone is no cap, "
                f"its data lag 8–{LAG_HOURS} h",
                resource=env.name,
            )


_T = """\
- type: aws.batch.ComputeEnvironment
  name: env
  inputs: {{type: MANAGED, computeResources: {{type: EC2, minVcpus: {0}, maxVcpus: 96, instanceTypes: [{1}]}}}}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples(
        (_T.format(0, "g6e.4xlarge"), _T.format(16, "m7i.4xlarge"), _T.format("null", "p5")),
        (_T.format(16, "g6e.4xlarge"), _T.format(96, "p4d")),
        (_T.format("!unknown ", "g6e.4xlarge"), _T.format(16, "!unknown ")),
    ),
    providers=(Provider.AWS,),
)
