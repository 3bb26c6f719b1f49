"""An idle alarm that takes missing data for idleness.

What: A CloudWatch alarm on low utilisation treats missing data as breaching.
Why: A node that boots, or whose agent hangs, sends no data: the alarm stops it before or in the middle of its work.
Fix: Set treatMissingData: notBreaching.
References: CloudWatch User Guide, configuring how alarms treat missing data
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3051", "idle-alarm-kills-booting-nodes", Severity.WARNING, __doc__, ("AWS COST-11",))
_ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
_LOW = ("LessThanThreshold", "LessThanOrEqualToThreshold")


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each alarm with an action."""
    for alarm in ctx.aws.of_type(_ALARM):
        if late(alarm.get("metricName")) or late(alarm.get("comparisonOperator")):
            if alarm.get("treatMissingData") == "breaching":
                yield Undecided(CODE.code, alarm.name, "what the alarm watches for is not known yet")
            continue
        metric = str(alarm.get("metricName") or "").lower()
        if alarm.get("comparisonOperator") not in _LOW or not any(w in metric for w in ("util", "gpu", "idle")):
            continue
        said = alarm.get("treatMissingData")
        if late(said):
            yield Undecided(CODE.code, alarm.name, "how missing data are treated is not known yet")
        elif said == "breaching":
            yield CODE.at(
                f"{alarm.name}.treatMissingData",
                "missing data count as idle, so a booting node is stopped",
                resource=alarm.name,
            )


_T = """\
- type: aws.cloudwatch.MetricAlarm
  name: idle
  inputs:
    metricName: nvidia_smi_utilization_gpu
    comparisonOperator: LessThanThreshold
    treatMissingData: {0}
"""

RULE = ResourceRule(
    CODE,
    ("cost", "time"),
    check,
    Examples((_T.format("notBreaching"),), (_T.format("breaching"),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
