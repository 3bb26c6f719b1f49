"""Codes that a component or a cloud's room gives: GI2170 to GI2179."""

from __future__ import annotations

from ..diagnostics import Code, Severity

CRON_NOT_EXPRESSIBLE = Code(
    "GI2170",
    "cron-not-expressible",
    Severity.ERROR,
    "The cloud's scheduler has no words for this cron line.",
    why="A stop that the scheduler cannot be told does not happen, and the nodes bill on.",
    fix="write minute hour day month weekday, and leave day or weekday as *",
    references=(
        "EventBridge Scheduler User Guide, Schedule types",
        "Cloud Scheduler, Cron job format and time zone",
    ),
)
OPTION_WITHOUT_EFFECT = Code(
    "GI2171",
    "component-option-without-effect",
    Severity.ERROR,
    "The option does nothing on a component.",
    why="Pulumi hands providers, protect, aliases, depends_on and transforms down to the resources of a component, and "
    "drops other options without a word.",
    fix="set it on the resources that are meant, with opts.transforms",
    references=("pulumi/pulumi#8969", "pulumi/docs#17011"),
)
COMPONENT_NAME = Code(
    "GI2172",
    "component-name",
    Severity.ERROR,
    "The component's name cannot begin the names of resources.",
    why="Every resource is named after its component, and the clouds take lower-case letters, digits and hyphens.",
    fix="write lower-case letters, digits and hyphens, a letter first, at most 63",
)
SHARED_NETWORK = Code(
    "GI2173",
    "network-of-another-project",
    Severity.WARNING,
    "The existing network belongs to another project, so its firewall is left alone.",
    why="Rules of a shared network are its owner's, and who deploys a cluster seldom may change them. Without rules nodes "
    "reach neither each other nor people them: collectives hang.",
    fix="ask the owner for three rules on the nodes' network tag (CLUSTER-nodes): tcp, udp and icmp from that tag; tcp:22 "
    "from 35.235.240.0/20; with Lustre tcp:988 and tcp:6988 from its range",
)
NO_BILLING_ACCOUNT = Code(
    "GI2175",
    "no-billing-account",
    Severity.ERROR,
    "The project shows no billing account.",
    why="A budget of Google belongs to the billing account of the project, which is looked up when the cluster is deployed: "
    "it is not shown to whoever has no leave to see it.",
    fix="link the project to an account, or deploy with the roles Browser on the project and Billing Account Costs Manager on "
    "the account",
    references=("Cloud Billing Budget API", "Cloud Billing API, projects.getBillingInfo"),
)
GRANT_BY_HAND = Code(
    "GI2176",
    "grant-by-hand",
    Severity.WARNING,
    "The nodes may not use something that the spec names, and its ARM id is not known.",
    why="A role is assigned at an ARM id, and an address does not say in which subscription and resource group a thing "
    "stands. The nodes would be refused at boot, while they bill.",
    fix="name the thing by its ARM id, or assign the role yourself",
    facts=("AZ SEC-08",),
)
IMAGE_WITHOUT_NAME = Code(
    "GI2177",
    "node-image-without-name",
    Severity.ERROR,
    "The node image is known, and the name under which the cloud sells it is not.",
    why="The group cannot be made without an image, and another image does not boot the machine.",
    fix="name an image in image.node",
    facts=("AZ IMG-01",),
)
STOP_NOT_WEEKLY = Code(
    "GI2178",
    "stop-not-weekly",
    Severity.ERROR,
    "The cloud's schedules have no words for this recurring stop.",
    why="Azure Monitor knows times of day on days of the week, in timezones by the names that Windows has for them. A stop "
    "that it cannot be told does not happen, and the nodes bill on.",
    fix='write minute, hour and weekday alone, as "0 20 * * 1-5", in a timezone such as Europe/Berlin',
    references=("Azure Monitor, Autoscale with multiple profiles",),
    facts=("AZ SHUT-02",),
)
CODES = (
    CRON_NOT_EXPRESSIBLE,
    OPTION_WITHOUT_EFFECT,
    COMPONENT_NAME,
    SHARED_NETWORK,
    GRANT_BY_HAND,
    IMAGE_WITHOUT_NAME,
    STOP_NOT_WEEKLY,
    NO_BILLING_ACCOUNT,
)
