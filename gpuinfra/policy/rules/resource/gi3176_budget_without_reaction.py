"""A budget that stops nothing.

What: A budget notifies people, and nothing of the program acts on its messages.
Why: A budget on Google Cloud is a message, hours late, and never a cap: machines run on until somebody reads it.
Fix: Give the machines an end of their own; and let a subscriber of the budget's topic resize groups to zero. Turning billing off can destroy data.
References: Google Cloud docs, Budget notifications; GoogleCloudPlatform/python-docs-samples#9008
"""

from __future__ import annotations

from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...gcp_endings import is_heard
from ...gcp_types import BUDGET
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late

CODE = described("GI3176", "budget-without-reaction", Severity.WARNING, __doc__, ("GCP-BUD-03",))


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each budget; what our own component made is judged by the plan rules."""
    for b in ctx.gcp.of_type(BUDGET):
        if ctx.gcp.ours(b):
            continue
        topic = b.get("allUpdatesRule", "pubsubTopic")
        if late(b.get("allUpdatesRule")):
            yield Undecided(CODE.code, b.name, "whom the budget tells is not known yet")
        elif (heard := is_heard(ctx.gcp, b)) is None:
            yield Undecided(CODE.code, b.name, "whether anything listens to its topic is not known yet")
        elif not heard:
            what = "it tells no topic" if topic is None else "nothing here listens to its topic"
            yield CODE.at(f"{b.name}.allUpdatesRule", f"{what}, so that nothing stops at the limit", resource=b.name)


_T = """\
- {{type: gcp.billing.Budget, name: money, inputs: {{allUpdatesRule: {0}}}}}
- {{type: gcp.pubsub.Subscription, name: stop, inputs: {{topic: spend}}}}
"""


RULE = ResourceRule(
    CODE,
    ("cost",),
    check,
    Examples(
        (_T.format("{pubsubTopic: projects/acme-lab/topics/spend}"),),
        (_T.format("null"), _T.format("{pubsubTopic: projects/acme-lab/topics/alarms}")),
        (_T.format("!unknown "),),
    ),
    providers=(Provider.GCP,),
)
