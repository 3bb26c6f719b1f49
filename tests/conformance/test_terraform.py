"""The provider's own judgement of what gpuinfra registers on AWS, through Terraform.

It needs a `terraform` and the folder that GPUINFRA_TERRAFORM_PLUGINS names, which holds the AWS provider as a file system
mirror does (HOST/hashicorp/aws/VERSION/…). Arguments that only a newer major of the provider has are set aside, and listed
in MAY_LACK.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.policy.resource_graph import ResourceGraph
from gpuinfra.testing import record

from .terraform_json import Converted, converted, terraform_name

PLUGINS = os.environ.get("GPUINFRA_TERRAFORM_PLUGINS", "")
TERRAFORM = shutil.which("terraform")
pytestmark = pytest.mark.skipif(
    not (PLUGINS and TERRAFORM), reason="no terraform, or GPUINFRA_TERRAFORM_PLUGINS names no folder of plugins"
)
ROOT = Path(__file__).parents[2]
STACKS = sorted(p.parent.name for p in ROOT.glob("*/aws-*/Pulumi.yaml"))
MAY_LACK = {"region", "action_after_completion"}
"""Arguments of version 6 and later, which version 5 does not have: a region for each resource, and what becomes of a
schedule that has run."""
APPLIED = (
    "aws_vpc",
    "aws_subnet",
    "aws_internet_gateway",
    "aws_eip",
    "aws_nat_gateway",
    "aws_route_table",
    "aws_route",
    "aws_route_table_association",
    "aws_security_group",
    "aws_iam_role",
    "aws_iam_role_policy",
    "aws_iam_instance_profile",
    "aws_sqs_queue",
    "aws_launch_template",
    "aws_sns_topic",
    "aws_cloudwatch_log_group",
)
"""What moto makes, reads and removes as the provider expects."""

MOTO_FORGETS: dict[str, set[str]] = {"aws_launch_template": {"tag_specifications"}}
"""What moto (5.2) does not give back as it was told: it counts a template's own tags among those for its machines."""


def graph_of(name: str) -> ResourceGraph:
    folder = next(iter(ROOT.glob(f"*/{name}")))

    def program() -> None:
        from gpuinfra import GpuCluster

        GpuCluster(f"{name}-dev"[:20], str(folder / "cluster.yaml"))

    return record(program, preview=False)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}
    return subprocess.run(
        [str(TERRAFORM), *words], cwd=folder, capture_output=True, text=True, timeout=600, check=False, env=env
    )


def terraform(folder: Path, *words: str) -> str:
    done = run(folder, *words)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def refusals(workspace: Path, made: Converted) -> list[str]:
    """What `terraform validate` says against a configuration."""
    (workspace / "main.tf.json").write_text(json.dumps(made.document({"region": "us-east-2"})))
    done = run(workspace, "validate", "-json")
    return [f"{d.get('address')}: {d['summary']}: {d['detail']}" for d in json.loads(done.stdout)["diagnostics"]]


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the provider is installed."""
    folder = tmp_path_factory.mktemp("terraform")
    (folder / "main.tf.json").write_text(
        json.dumps({"terraform": {"required_providers": {"aws": {"source": "hashicorp/aws"}}}})
    )
    terraform(folder, "init", "-input=false", f"-plugin-dir={PLUGINS}")
    return folder


@pytest.fixture(scope="session")
def schemas(workspace: Path) -> dict[str, Any]:
    (provider,) = json.loads(terraform(workspace, "providers", "schema", "-json"))["provider_schemas"].values()
    return provider["resource_schemas"]


@pytest.mark.parametrize("name", STACKS)
def test_the_provider_accepts_what_is_registered(name: str, workspace: Path, schemas: dict[str, Any]) -> None:
    graph = graph_of(name)
    made = converted(graph, schemas)
    assert not made.unknown_types
    assert {where.rpartition(".")[2] for where in made.set_aside} <= MAY_LACK, made.set_aside
    assert sum(map(len, made.resources.values())) == sum(1 for r in graph if r.custom and r.type.startswith("aws:"))
    assert refusals(workspace, made) == []


def test_a_wrong_argument_is_refused(workspace: Path, schemas: dict[str, Any]) -> None:
    made = converted(graph_of("aws-h100-training"), schemas)
    (group,) = made.resources["aws_autoscaling_group"].values()
    group["desired_size"] = group.pop("desired_capacity")
    (said,) = refusals(workspace, made)
    assert "desired_size" in said


@pytest.fixture
def moto_url() -> Iterator[str]:
    """A moto server of our own, on loopback, at a port that the system chooses."""
    server = pytest.importorskip("moto.server", reason="moto without its server").ThreadedMotoServer(
        ip_address="127.0.0.1", port=0, verbose=False
    )
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def test_what_moto_knows_is_applied_and_removed(moto_url: str, tmp_path: Path, schemas: dict[str, Any]) -> None:
    graph = graph_of("aws-h100-training")
    made = converted(graph, schemas, APPLIED)
    services = ("ec2", "iam", "sqs", "sns", "logs", "sts")
    provider = {
        "region": "us-east-2",
        "access_key": "testing",
        "secret_key": "testing",
        "skip_credentials_validation": True,
        "skip_metadata_api_check": True,
        "skip_requesting_account_id": True,
        "max_retries": 1,
        "endpoints": [dict.fromkeys(services, moto_url)],
    }
    (tmp_path / "main.tf.json").write_text(json.dumps(made.document(provider)))
    terraform(tmp_path, "init", "-input=false", f"-plugin-dir={PLUGINS}")
    terraform(tmp_path, "apply", "-auto-approve", "-input=false")
    state = json.loads(terraform(tmp_path, "show", "-json"))["values"]["root_module"]["resources"]
    assert {r["type"] for r in state} == set(made.resources)
    wanted = sum(1 for r in graph if r.custom and terraform_name(r.type, schemas) in APPLIED)
    assert len(state) == wanted
    terraform(tmp_path, "plan", "-input=false", "-out=plan.bin")
    again = json.loads(terraform(tmp_path, "show", "-json", "plan.bin"))
    unlike = {
        c["type"]: _differing(c["change"]) for c in again["resource_changes"] if c["change"]["actions"] == ["update"]
    }
    assert unlike == MOTO_FORGETS, "else a second plan finds nothing to do"
    assert {a for c in again["resource_changes"] for a in c["change"]["actions"]} <= {"no-op", "read", "update"}
    terraform(tmp_path, "destroy", "-auto-approve", "-input=false")
    assert json.loads(terraform(tmp_path, "show", "-json")).get("values") is None


def _differing(change: dict[str, Any]) -> set[str]:
    before, after = change["before"], change["after"]
    return {key for key in after if after[key] != before.get(key)}
