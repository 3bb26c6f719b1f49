"""What ends Google machines in a plain program, and what only looks like it."""

from __future__ import annotations

import base64

import pytest

from tests.cases.judging import judged

CODES = ("GI3130", "GI3161")
API = "https://compute.googleapis.com/compute/v1/projects/p/zones/us-central1-a"
GKE = "https://container.googleapis.com/v1/projects/p/locations/us-central1-a/clusters/c/nodePools"
GROUP = """\
- {type: gcp.compute.InstanceTemplate, name: nodes, inputs: {machineType: g2-standard-8, disks: [{boot: true}]}}
- type: gcp.compute.InstanceGroupManager
  name: group
  inputs: {name: gpu, targetSize: 2, versions: [{instanceTemplate: !ref nodes.selfLink }]}
  options: {ignoreChanges: [targetSize]}
"""
POOL = "- {type: gcp.container.NodePool, name: pool, inputs: {name: h100, nodeCount: 2, nodeConfig: {machineType: g2-standard-8}}}\n"
AGENT = "- {type: gcp.projects.IAMMember, name: agent, inputs: {member: 'serviceAccount:service-1@compute-system.iam.gserviceaccount.com'}}\n"


def job(
    uri: str, more: str = "", target: str = "", token: str = "{serviceAccountEmail: a@p.iam.gserviceaccount.com}"
) -> str:
    return f"""\
- type: gcp.cloudscheduler.Job
  name: lease
  inputs:
    schedule: 0 19 * * *
    timeZone: Europe/Berlin
    {more}
    httpTarget: {{uri: "{uri}", oauthToken: {token}{target}}}
"""


def body(text: str) -> str:
    return f", body: {base64.b64encode(text.encode()).decode()}"


def box(policies: str = "[]", more: str = "") -> str:
    return f"""\
- type: gcp.compute.Instance
  name: box
  inputs: {{name: box, machineType: g2-standard-8, bootDisk: {{}}, resourcePolicies: {policies} {more}}}
{AGENT}"""


def hours(inputs: str) -> str:
    return f"- {{type: gcp.compute.ResourcePolicy, name: hours, inputs: {{instanceSchedulePolicy: {{timeZone: UTC, {inputs}}}}}}}\n"


STOP, ON = "vmStopSchedule: {schedule: 0 19 * * *}", "[!ref hours.selfLink ]"
RESIZE = API + "/instanceGroupManagers/gpu/resize?size="


def verdict(*parts: str) -> tuple[list[tuple[str, str]], list[str]]:
    report = judged("".join(parts))
    said = [(d.code, d.path) for d in report.diagnostics if d.code in CODES]
    return said, [u.code for u in report.undecided if u.code in CODES]


@pytest.mark.parametrize(
    ("parts", "code", "path"),
    [
        ((GROUP, job(RESIZE + "1")), "GI3130", "lease.httpTarget.uri"),
        ((GROUP, job(RESIZE + "0", target=", httpMethod: GET")), "GI3161", "lease.httpTarget.httpMethod"),
        ((GROUP, job(RESIZE + "0", more="paused: true")), "GI3161", "lease.paused"),
        ((GROUP, job(RESIZE + "0").replace("0 19 * * *", "0 19 31 2 *")), "GI3161", "lease.schedule"),
        ((GROUP, job(RESIZE + "0").replace("0 19 * * *", "0 19 * * ? *")), "GI3161", "lease.schedule"),
        ((GROUP, job(RESIZE + "0", token="null")), "GI3161", "lease.httpTarget.oauthToken"),
        ((GROUP, job(RESIZE + "0", token="{}")), "GI3161", "lease.httpTarget.oauthToken"),
        ((GROUP, job(RESIZE.replace("gpu/", "other/") + "0")), "GI3130", "group.targetSize"),
        ((GROUP, job(API + "/instanceGroupManagers/gpu", target=", httpMethod: GET")), "GI3130", "lease.httpTarget.httpMethod"),
        ((GROUP, job(API + "/instanceGroupManagers/gpu", target=", httpMethod: PATCH" + body('{"targetSize": 1}'))), "GI3130", "lease.httpTarget.body"),
        ((POOL, job(GKE + "/h100:setSize", target=body('{"nodeCount": 1}'))), "GI3130", "lease.httpTarget.body"),
        ((box(), job(API + "/instances/box/start")), "GI3130", "box"),
        ((box(ON), hours("vmStartSchedule: {schedule: 0 7 * * *}")), "GI3130", "hours.instanceSchedulePolicy"),
        ((box(ON), hours("vmStartSchedule: {schedule: 0 7 * * *}, expirationTime: '2027-01-01T00:00:00Z'")), "GI3130", "hours.instanceSchedulePolicy"),
        ((box(), hours(STOP)), "GI3130", "hours.instanceSchedulePolicy"),
        ((box(ON), hours("vmStopSchedule: {schedule: 0 19 30 2 *}")), "GI3161", "hours.instanceSchedulePolicy.vmStopSchedule.schedule"),
        ((box(ON), hours(STOP + ", expirationTime: '2026-01-01T00:00:00Z'")), "GI3161", "hours.instanceSchedulePolicy.expirationTime"),
        ((GROUP, "- {type: gcp.compute.Autoscaler, name: scale, inputs: {target: !ref group.id , autoscalingPolicy: {mode: ONLY_SCALE_OUT, minReplicas: 0}}}\n"), "GI3130", "group.targetSize"),
    ],
)  # fmt: skip
def test_what_only_looks_like_an_end(parts: tuple[str, ...], code: str, path: str):
    assert verdict(*parts) == ([(code, path)], [])


@pytest.mark.parametrize(
    "parts",
    [
        (GROUP, job(RESIZE + "0")),
        (GROUP, job("https://compute.googleapis.com/compute/v1/${group.id}/resize?size=0", target=", httpMethod: POST")),
        (GROUP, job(API + "/instanceGroupManagers/gpu", target=", httpMethod: PATCH" + body('{"targetSize": 0}'))),
        (GROUP, job(API + "/instanceGroupManagers/gpu", target=", httpMethod: DELETE")),
        (GROUP, job(RESIZE + "0"), job(RESIZE + "2").replace("name: lease", "name: day")),
        (GROUP, "- {type: gcp.compute.Autoscaler, name: scale, inputs: {target: !ref group.id , autoscalingPolicy: {mode: ON, minReplicas: 0}}}\n"),
        (POOL, job(GKE + "/h100:setSize", target=body('{"nodeCount": 0}'))),
        (POOL, job(GKE + "/h100", target=", httpMethod: DELETE")),
        (box(), job(API + "/instances/box/stop")),
        (box(), job(API + "/instances/box", target=", httpMethod: DELETE")),
        (box(ON), hours(STOP)),
        (box(), hours(STOP), "- {type: gcp.compute.ResourcePolicyAttachment, name: on, inputs: {instance: !ref box.name , name: !ref hours.name }}\n"),
        (box("[]", ", scheduling: {maxRunDuration: {seconds: 3600}}"),),
        (GROUP, job("https://end-abc.a.run.app/", target=body('{"group": "zones/z/instanceGroupManagers/gpu"}'))),
    ],
)  # fmt: skip
def test_what_ends_machines(parts: tuple[str, ...]):
    assert verdict(*parts) == ([], [])


@pytest.mark.parametrize(
    "parts",
    [
        (GROUP, job("https://us-central1-p.cloudfunctions.net/end")),
        (GROUP, job("https://workflowexecutions.googleapis.com/v1/projects/p/locations/l/workflows/end/executions")),
        (GROUP, "- {type: gcp.cloudscheduler.Job, name: lease, inputs: {schedule: 0 19 * * *, pubsubTarget: {topicName: end}}}\n"),
        (GROUP, job(RESIZE + "${size.result}")),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_into(parts: tuple[str, ...]):
    assert verdict(*parts) == ([], ["GI3130"])


def test_a_job_that_has_nothing_to_do_with_machines_is_no_end():
    assert verdict(GROUP, job("https://bigquery.googleapis.com/bigquery/v2/projects/p/jobs"))[0] == [
        ("GI3130", "group.targetSize")
    ]


TOPIC = "- {type: gcp.pubsub.Topic, name: spend, inputs: {}}\n"
BUDGET = "- {type: gcp.billing.Budget, name: money, inputs: {allUpdatesRule: {pubsubTopic: !ref spend.id , schemaVersion: '1.0'}}}\n"


@pytest.mark.parametrize(
    ("listener", "heard"),
    [
        ("{type: gcp.pubsub.Subscription, name: stop, inputs: {topic: !ref spend.name }}", True),
        (
            "{type: gcp.cloudfunctionsv2.Function, name: stop, inputs: {eventTrigger: {pubsubTopic: !ref spend.id }}}",
            True,
        ),
        ("{type: gcp.cloudfunctions.Function, name: stop, inputs: {eventTrigger: {resource: !ref spend.name }}}", True),
        (
            "{type: gcp.eventarc.Trigger, name: stop, inputs: {transports: [{pubsubs: [{topic: !ref spend.id }]}]}}",
            True,
        ),
        ("{type: gcp.pubsub.Subscription, name: stop, inputs: {topic: !unknown }}", True),
        ("{type: gcp.pubsub.Subscription, name: stop, inputs: {topic: !ref other.name }}", False),
        ("{type: gcp.cloudfunctionsv2.Function, name: web, inputs: {}}", False),
    ],
)
def test_a_budget_reacts_where_something_hears_its_topic(listener: str, heard: bool):
    other = TOPIC.replace("spend", "other")
    assert verdict(GROUP, TOPIC, other, BUDGET, f"- {listener}\n")[0] == (
        [] if heard else [("GI3130", "group.targetSize")]
    )


@pytest.mark.parametrize(
    ("grant", "said"),
    [
        ("role: roles/compute.instanceAdmin.v1, member: !unknown ''", "open"),
        ("role: !unknown '', member: !unknown ''", "open"),
        ("role: projects/p/roles/starter, members: [!unknown '']", "open"),
        ("role: roles/compute.instanceAdmin.v1, member: !ref other.member", "open"),
        ("role: roles/logging.logWriter, member: !unknown ''", "none"),
        ("role: roles/compute.instanceAdmin.v1, member: 'user:ann@acme.example'", "none"),
        ("role: roles/compute.instanceAdmin.v1, member: 'serviceAccount:service-1@compute-system.iam.gserviceaccount.com'", "held"),
    ],
)  # fmt: skip
def test_whom_a_grant_is_for_may_not_be_known_yet(grant: str, said: str):
    granted = f"- {{type: gcp.projects.IAMMember, name: grant, inputs: {{{grant} }}}}\n"
    found, undecided = verdict(box(ON).replace(AGENT, granted), hours(STOP))
    wanted = {"open": ([], ["GI3161"]), "none": ([("GI3161", "hours.instanceSchedulePolicy")], []), "held": ([], [])}
    assert (found, undecided) == wanted[said]
