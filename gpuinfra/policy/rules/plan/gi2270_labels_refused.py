"""Labels that the cloud refuses.

What: A label's key or value is too long, has characters or a prefix that the cloud does not take, is a key that gpuinfra writes itself, differs from another key in case alone, or there are too many labels.
Why: The call that makes the first resource is refused, and the next resources with it.
Fix: Use keys and values that all clouds take: lower-case letters, digits, hyphens and underscores, up to 63 characters.
References: AWS General Reference, tag naming limits; Google Cloud docs, label requirements; Azure docs, tag limitations
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics import Diagnostic, Severity
from ....plan.label_forms import LABEL_FORMS, LabelForm
from ...rule import Examples, PlanContext, PlanRule, described

CODE = described("GI2270", "labels-refused", Severity.ERROR, __doc__, ("AWS CMP-18",))


def check(ctx: PlanContext) -> Iterator[Diagnostic]:
    """One finding for each label, and one for their number, which counts the labels that gpuinfra adds."""
    form = LABEL_FORMS[ctx.plan.provider]
    total = len(ctx.plan.labels) + 2
    if total > form.most:
        yield CODE.at(
            "labels",
            f"{len(ctx.plan.spec.labels)} labels make {total} with our own, and the cloud takes {form.most}",
            f"remove {total - form.most} of them",
        )
    first: dict[str, str] = {}
    for key, value in ctx.plan.spec.labels.items():
        same = first.setdefault(key.lower(), key) if form.key.fullmatch(key) else key
        path, shown = f"labels.{key[:60]}", key[:60]
        if key.lower() in form.ours:
            yield CODE.at(
                path,
                f"'{shown}' is written by gpuinfra, by which the cluster's own resources are told from others: yours would be "
                "dropped",
                "rename the label, as cluster-name",
            )
        elif key.lower().startswith(form.reserved):
            yield CODE.at(path, f"'{shown}' starts with a prefix that the cloud keeps for itself", "rename the label")
        elif len(key) > form.key_length:
            yield CODE.at(path, f"the key has {len(key)} characters, and the cloud takes {form.key_length}")
        elif not form.key.fullmatch(key):
            near = _lower(key, form)
            hint = "remove or rename it" if near.removeprefix("write ").strip("'") in ctx.plan.spec.labels else near
            yield CODE.at(path, f"the key '{shown}' is refused: it takes {form.says}", hint)
        elif len(value) > form.value_length:
            yield CODE.at(path, f"the value has {len(value)} characters, and the cloud takes {form.value_length}")
        elif not form.value.fullmatch(value):
            yield CODE.at(path, f"the value '{value[:60]}' is refused: it takes {form.says}", _lower(value, form))
        elif same != key:
            yield CODE.at(
                path,
                f"'{shown}' and '{same[:60]}' differ in case alone, and are one key to the cloud, or to a part of it",
                "remove or rename one of them",
            )


def _lower(text: str, form: LabelForm) -> str:
    near = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-")[: min(form.key_length, 63)]
    return f"write '{near}'" if near else ""


_GCP = """\
location: {{provider: gcp, project: acme-lab, region: us-central1}}
node_pools: [{{instance_type: g2-standard-4}}]
storage: []
labels: {0}
"""

RULE = PlanRule(
    CODE,
    ("tags",),
    check,
    Examples(
        ('labels: {team: nlp, cost_center: "1234"}', _GCP.format("{team: nlp}")),
        (
            'labels: {"aws:team": nlp}',
            "labels: {team: 'a;b'}",
            _GCP.format("{Team: nlp}"),
            _GCP.format("{team: NLP}"),
            "labels: {gpuinfra-cluster: other}",
            "labels: {Name: x}",
            _GCP.format("{gpuinfra-pool: x}"),
        ),
    ),
)
