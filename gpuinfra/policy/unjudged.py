"""Resources that may hold GPUs and that no rule looks at: their silence is no pass, so they are named.

The facts tables are about machines, disks and networks, and about clusters of Kubernetes. Services that rent GPUs in
another form are known here by their types alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .azure_graph import canonical
from .resource_graph import ResourceGraph

_SERVICES: Final = (
    (r"aws:batch/.*", "AWS Batch"),
    (r"aws:sagemaker/.*", "Amazon SageMaker"),
    (r"aws:ecs/(?:capacityProvider|service|taskDefinition|taskSet):.*", "Amazon ECS"),
    (r"aws:emr(?:containers|serverless)?/.*", "Amazon EMR"),
    (r"aws:appstream/fleet:.*", "Amazon AppStream"),
    (r"aws:gamelift/fleet:.*", "Amazon GameLift"),
    (r"aws:workspaces/workspace:.*", "Amazon WorkSpaces"),
    (r"aws:bedrock/provisionedModelThroughput:.*", "Amazon Bedrock"),
    (r"aws:opsworks/.*Layer:.*|aws:elasticbeanstalk/environment:.*", "AWS services that make machines"),
    (r"aws-native:(?!iam:|ec2:Tag|pcs:).*", "the provider aws-native"),
    (r"gcp:(?:vertex|colab)/.*", "Vertex AI"),
    (r"gcp:tpu/.*", "Cloud TPU"),
    (r"gcp:cloudrun(?:v2)?/(?:service|job|workerPool):.*", "Cloud Run"),
    (r"gcp:(?:notebooks|workbench)/.*(?:instance|runtime|environment):.*", "notebooks of Google Cloud"),
    (r"gcp:dataproc/.*(?:cluster|batch|workflowTemplate|sessionTemplate):.*", "Dataproc"),
    (r"gcp:dataflow/.*", "Dataflow"),
    (r"gcp:compute/instanceFrom\w+:.*", "machines that a template or an image of a machine describes"),
    (r"google-native:.*", "the provider google-native"),
    (r"azure-native:machinelearningservices:.*", "Azure Machine Learning"),
    (r"azure-native:app:(?:ContainerApp|Job|ManagedEnvironment).*", "Azure Container Apps"),
    (r"azure-native:containerinstance:.*", "Azure Container Instances"),
    (r"azure-native:batch:Pool", "Azure Batch"),
    (r"azure-native:databricks:.*|databricks:.*", "Databricks"),
    (r"azure-native:synapse:.*|azure-native:hdinsight:.*", "Azure's clusters for Spark"),
    (r"azure-native:redhatopenshift:.*", "Azure Red Hat OpenShift"),
    (r"azure-native:desktopvirtualization:.*", "Azure Virtual Desktop"),
    (r"azure:.*", "the classic provider azure"),
    (
        r"(?:oci|digitalocean|linode|vultr|scaleway|ovh|ibm|openstack|vsphere|equinix|equinix-metal|hcloud|nebius|"
        r"coreweave|lambdalabs|runpod|alicloud|tencentcloud|exoscale|civo|nutanix|proxmoxve):.*",
        "another cloud",
    ),
)


@dataclass(frozen=True)
class Unjudged:
    """Resources of one type that no rule looks at."""

    service: str
    type: str
    resources: tuple[str, ...]
    """Logical names, in order."""


def unjudged(graph: ResourceGraph) -> tuple[Unjudged, ...]:
    """What of a graph may hold GPUs, or be billed for them, and is looked at by no rule; by service and type."""
    names: dict[str, list[str]] = {}
    for r in graph:
        if r.custom:
            names.setdefault(r.type, []).append(r.name)
    found = [Unjudged(service, type_, tuple(sorted(names[type_]))) for type_ in names for service in _service(type_)]
    return tuple(sorted(found, key=lambda u: (u.service, u.type)))


def _service(type_: str) -> Iterator[str]:
    for pattern, service in _SERVICES:
        # The API version that a type of azure-native may carry in its name changes nothing: rules read each of them.
        if re.fullmatch(pattern, canonical(type_)):
            yield service
            return
