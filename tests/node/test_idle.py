"""The idle timer: when it acts, and that nothing else makes it act."""

from __future__ import annotations

import json
from datetime import timedelta
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.vocabulary import Provider
from tests.node import plans
from tests.node.conftest import MakeSandbox
from tests.node.sandbox import Sandbox

QUIET = {"gpu_percent": 0, "gpu_processes": 0, "sessions": 0, "jobs": 0, "load_percent": 1.0}
IDLE_AFTER_S = 1800


@pytest.fixture
def node(sandbox: MakeSandbox) -> Sandbox:
    return sandbox(plans.plan(idle_after=timedelta(seconds=IDLE_AFTER_S)))


@pytest.fixture
def idle(node: Sandbox) -> ModuleType:
    return node.module("/opt/gpuinfra/bin/idle")


def looks(start: int, end: int, step: int = 60, **changes: object) -> list[dict]:
    return [{"at": at, **QUIET, **changes} for at in range(start, end + 1, step)]


def test_quiet_for_long_enough_after_the_grace_is_idle(idle: ModuleType):
    assert idle.decide(looks(1800, 3600), IDLE_AFTER_S)[0]


def test_one_second_less_is_not(idle: ModuleType):
    assert not idle.decide(looks(1801, 3600), IDLE_AFTER_S)[0]


def test_the_grace_is_half_an_hour_at_least_whatever_the_idle_time(idle: ModuleType):
    assert idle.GRACE_S >= 1800
    assert not idle.decide(looks(0, 1799), 60)[0]
    assert idle.decide(looks(0, 1800), 60)[0]


def test_nothing_seen_is_not_idle(idle: ModuleType):
    assert not idle.decide([], IDLE_AFTER_S)[0]


@pytest.mark.parametrize("name", sorted(QUIET))
@pytest.mark.parametrize("place", [0, 30, -1])
def test_missing_data_is_never_idle(idle: ModuleType, name: str, place: int):
    seen = looks(5400, 7200)
    seen[place][name] = None
    assert not idle.decide(seen, IDLE_AFTER_S)[0]
    del seen[place][name]
    assert not idle.decide(seen, IDLE_AFTER_S)[0]


@pytest.mark.parametrize(
    ("name", "value"), [("gpu_percent", 6), ("gpu_processes", 1), ("sessions", 1), ("jobs", 1), ("load_percent", 11)]
)
@pytest.mark.parametrize("place", [0, 30, -1])
def test_anything_at_work_is_never_idle(idle: ModuleType, name: str, value: int, place: int):
    seen = looks(5400, 7200)
    seen[place][name] = value
    go, why = idle.decide(seen, IDLE_AFTER_S)
    assert not go
    assert why


def test_a_gap_in_what_was_seen_begins_anew(idle: ModuleType):
    seen = looks(3600, 5400) + looks(5400 + 600, 7200)
    assert not idle.decide(seen, IDLE_AFTER_S)[0]
    assert not idle.decide([seen[0], seen[-1]], IDLE_AFTER_S)[0]


LOOK = st.fixed_dictionaries(
    {
        "gpu_percent": st.none() | st.integers(0, 100),
        "gpu_processes": st.none() | st.integers(0, 3),
        "sessions": st.none() | st.integers(0, 2),
        "jobs": st.none() | st.integers(0, 2),
        "load_percent": st.none() | st.floats(0, 100),
    }
)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_it_acts_only_when_every_look_of_the_time_was_quiet(data: st.DataObject):
    idle = _IDLE[0]
    seen, at = [], data.draw(st.integers(0, 5000))
    for _ in range(data.draw(st.integers(0, 30))):
        seen.append({"at": at, **data.draw(st.just(QUIET) | LOOK)})
        at += data.draw(st.integers(1, 400))
    go, _ = idle.decide(seen, 600)
    if go:
        now = seen[-1]["at"]
        window = [look for look in seen if look["at"] >= now - 600]
        assert now >= idle.GRACE_S
        assert all(idle.quiet(look)[0] for look in window)
        before = [look for look in seen if look["at"] <= now - 600]
        assert before
        assert idle.quiet(before[-1])[0]


_IDLE: list[ModuleType] = []


@pytest.fixture(autouse=True)
def _keep_for_properties(idle: ModuleType):
    _IDLE[:] = [idle]


# What is read on the node.


def reads(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", node.environment["PATH"])
    return idle


def test_use_and_processes_are_read_from_nvidia_smi(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    reads(node, idle, monkeypatch)
    node.stub(
        "nvidia-smi",
        'if [[ $1 == *utilization* ]]; then printf "Disabled, 3\\nDisabled, 97\\n"; else printf "python\\nnvidia-cuda-mps-server\\n"; fi',
    )
    assert idle.nvidia_gpus() == (97, 1)


@pytest.mark.parametrize(
    "body",
    [
        "exit 9",
        "printf 'Disabled, [N/A]\\n'",
        "printf 'Failed to initialize NVML: Driver/library version mismatch\\n'",
        "printf ''",
    ],
)
def test_use_that_cannot_be_read_is_unknown_and_not_zero(
    node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch, body: str
):
    reads(node, idle, monkeypatch)
    node.stub("nvidia-smi", body)
    assert idle.nvidia_gpus()[0] is None


def test_no_nvidia_smi_is_unknown(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    reads(node, idle, monkeypatch)
    node.without("nvidia-smi")
    assert idle.nvidia_gpus() == (None, None)


def test_a_gpu_under_mig_is_judged_by_its_processes(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    reads(node, idle, monkeypatch)
    node.stub("nvidia-smi", 'if [[ $1 == *utilization* ]]; then echo "Enabled, [N/A]"; else echo "python"; fi')
    assert idle.nvidia_gpus() == (0, 1)


def test_amd_gpus(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    reads(node, idle, monkeypatch)
    (node.root / "sys/class/kfd/kfd/proc/4242").mkdir(parents=True)
    node.stub("rocm-smi", """echo '{"card0": {"GPU use (%)": "0"}, "card1": {"GPU use (%)": "55"}, "system": {}}'""")
    assert idle.amd_gpus() == (55.0, 1)
    node.stub("rocm-smi", "echo oops")
    assert idle.amd_gpus()[0] is None


def test_sessions_of_people_count_and_unknown_is_unknown(
    node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    reads(node, idle, monkeypatch)
    assert idle.sessions() == 0
    node.stub("loginctl", "echo '  3 1000 ubuntu -  pts/0'")
    assert idle.sessions() == 1
    node.stub("who", "printf 'a pts/0\\nb pts/1\\n'")
    assert idle.sessions() == 2
    node.stub("loginctl", "exit 1")
    assert idle.sessions() is None


@pytest.mark.parametrize(
    ("argv", "count"),
    [
        (["/usr/bin/python3", "/opt/bin/torchrun", "x.py"], 1),
        (["python", "train.py"], 1),
        (["docker", "run", "img", "python", "train.py"], 1),
        (["/usr/bin/ssm-session-worker", "a"], 1),
        (["python", "other.py"], 0),
        (["bash", "-c", "vi train.py"], 0),
    ],
)
def test_the_jobs_processes(node: Sandbox, idle: ModuleType, argv: list[str], count: int):
    process = node.root / "proc/77"
    process.mkdir()
    (process / "cmdline").write_bytes("\0".join(argv).encode() + b"\0")
    assert idle.jobs(["python", "train.py"]) == count


# The whole program.


def remember(node: Sandbox, seen: list[dict], tried_at: int = -600) -> None:
    path = node.root / "run/gpuinfra/idle.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"looks": seen, "tried_at": tried_at}))


def run(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch, now: int, **changes: object) -> list[str]:
    monkeypatch.setattr(idle, "look", lambda facts: {"at": now, **QUIET, **changes})
    monkeypatch.setattr(idle.sys, "argv", ["idle"])
    left: list[str] = []
    monkeypatch.setattr(idle.gpuinfra_cloud, "scale_in_self", left.append)
    assert idle.main() == 0
    return left


def test_an_idle_node_leaves_its_own_group(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    remember(node, looks(5400, 7140))
    assert run(node, idle, monkeypatch, 7200) == ["llama-gpu"]


def test_a_busy_one_does_not(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    remember(node, looks(5400, 7140))
    assert run(node, idle, monkeypatch, 7200, gpu_percent=50) == []


def test_what_was_seen_before_a_reboot_does_not_count(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    remember(node, looks(90000, 91800))
    assert run(node, idle, monkeypatch, 2000) == []


def test_a_broken_state_file_begins_anew(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    path = node.root / "run/gpuinfra/idle.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert run(node, idle, monkeypatch, 7200) == []
    assert len(json.loads(path.read_text())["looks"]) == 1


def test_a_refusal_of_the_cloud_is_said_and_tried_again_later(
    node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    def refuse(group: str) -> None:
        raise idle.node.Failed("ValidationError: min size")

    remember(node, looks(5400, 7140))
    monkeypatch.setattr(idle, "look", lambda facts: {"at": 7200, **QUIET})
    monkeypatch.setattr(idle.sys, "argv", ["idle"])
    monkeypatch.setattr(idle.gpuinfra_cloud, "scale_in_self", refuse)
    assert idle.main() == 0
    assert "ValidationError: min size" in node.problems
    assert run(node, idle, monkeypatch, 7260) == []
    state = json.loads((node.root / "run/gpuinfra/idle.json").read_text())
    remember(node, looks(5400, 7740), state["tried_at"])
    assert run(node, idle, monkeypatch, 7800) == ["llama-gpu"]


def test_memory_of_looks_is_bounded(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    remember(node, looks(0, 90000, gpu_percent=50))
    run(node, idle, monkeypatch, 90060)
    kept = json.loads((node.root / "run/gpuinfra/idle.json").read_text())["looks"]
    assert len(kept) <= IDLE_AFTER_S / 60 + 12


def test_the_real_program_takes_a_look(node: Sandbox):
    node.stub("nvidia-smi", "exit 1")
    done = node.run("/opt/gpuinfra/bin/idle")
    assert done.returncode == 0, done.stderr
    (look,) = json.loads((node.root / "run/gpuinfra/idle.json").read_text())["looks"]
    assert look["gpu_percent"] is None
    assert look["at"] > 0
    assert node.called("aws", "autoscaling") == []


# How each cloud is asked.


def answers(idle: ModuleType, monkeypatch: pytest.MonkeyPatch, table: dict[str, str]) -> list[tuple]:
    asked: list[tuple] = []

    def http(url, headers=None, method="GET", body=None, timeout_s=10):
        asked.append((method, url, headers, body))
        for end, text in table.items():
            if url.endswith(end):
                return text.encode()
        raise OSError(f"404 {url}")

    monkeypatch.setattr(idle.node, "http", http)
    return asked


IDENTITY = json.dumps(
    {
        "instanceId": "i-0abc",
        "instanceType": "p5.48xlarge",
        "region": "us-east-2",
        "privateIp": "10.0.0.1",
        "imageId": "ami-1",
    }
)


def test_aws_terminates_its_own_instance_and_lowers_the_wanted_number(
    node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", node.environment["PATH"])
    asked = answers(idle, monkeypatch, {"api/token": "T", "dynamic/instance-identity/document": IDENTITY})
    idle.gpuinfra_cloud.scale_in_self("llama-gpu")
    (call,) = node.called("aws")
    assert call[1:3] == ["autoscaling", "terminate-instance-in-auto-scaling-group"]
    assert call[call.index("--instance-id") + 1] == "i-0abc"
    assert call[call.index("--region") + 1] == "us-east-2"
    assert "--should-decrement-desired-capacity" in call
    assert "--no-should-decrement-desired-capacity" not in call
    # Version 2 of the metadata service: a token is fetched by PUT and shown.
    assert asked[0][0] == "PUT"
    assert asked[1][2] == {"X-aws-ec2-metadata-token": "T"}


def test_aws_without_the_command_or_boto3_says_so(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", node.environment["PATH"])
    assert idle.gpuinfra_cloud.cannot_scale_in() == ""
    node.without("aws")
    monkeypatch.setitem(idle.sys.modules, "boto3", None)
    assert "boto3" in idle.gpuinfra_cloud.cannot_scale_in()
    monkeypatch.setattr(idle.sys, "argv", ["idle", "--check"])
    assert idle.main() == 1
    assert "idle timer cannot scale the group in" in node.problems


def test_aws_failure_is_raised_with_its_reason(node: Sandbox, idle: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", node.environment["PATH"])
    answers(idle, monkeypatch, {"api/token": "T", "dynamic/instance-identity/document": IDENTITY})
    node.stub("aws", "echo 'An error occurred (AccessDenied)' >&2; exit 254")
    with pytest.raises(idle.node.Failed, match="AccessDenied"):
        idle.gpuinfra_cloud.scale_in_self("llama-gpu")


GCP = {
    "instance/attributes/created-by": "projects/123/zones/us-central1-b/instanceGroupManagers/llama-gpu",
    "instance/zone": "projects/123/zones/us-central1-b",
    "instance/name": "llama-gpu-x1",
    "service-accounts/default/token": json.dumps({"access_token": "TOKEN"}),
    "/deleteInstances": "{}",
}


def test_google_deletes_its_own_instance_through_its_own_group(sandbox: MakeSandbox, monkeypatch: pytest.MonkeyPatch):
    idle = sandbox(plans.plan(Provider.GCP)).module("/opt/gpuinfra/bin/idle")
    asked = answers(idle, monkeypatch, GCP)
    idle.gpuinfra_cloud.scale_in_self("llama-gpu")
    method, url, headers, body = asked[-1]
    assert method == "POST"
    assert url.endswith("/projects/123/zones/us-central1-b/instanceGroupManagers/llama-gpu/deleteInstances")
    assert json.loads(body) == {"instances": ["zones/us-central1-b/instances/llama-gpu-x1"]}
    assert headers["Authorization"] == "Bearer TOKEN"
    asked.clear()
    with pytest.raises(idle.node.Failed, match="not to other"):
        idle.gpuinfra_cloud.scale_in_self("other")
    assert all(entry[0] == "GET" for entry in asked)


def azure(instance: str) -> dict[str, str]:
    base = "/subscriptions/S/resourceGroups/R/providers/Microsoft.Compute/"
    compute = {
        "vmScaleSetName": "llama-gpu",
        "azEnvironment": "AzurePublicCloud",
        "resourceId": base + instance,
        "subscriptionId": "S",
        "resourceGroupName": "R",
    }
    return {
        "instance?api-version=2021-02-01": json.dumps({"compute": compute}),
        f"resource=https%3A%2F%2Fmanagement.azure.com&client_id={plans.LATE['identity.client_id']}": json.dumps(
            {"access_token": "TOKEN"}
        ),
        "/delete?api-version=2024-11-01": "",
    }


@pytest.mark.parametrize(
    ("resource", "instance_id"),
    [
        ("virtualMachineScaleSets/llama-gpu/virtualMachines/3", "3"),
        ("virtualMachines/llama-gpu_1a2b", "llama-gpu_1a2b"),
    ],
)
def test_azure_deletes_its_own_instance_out_of_its_scale_set(
    sandbox: MakeSandbox, monkeypatch: pytest.MonkeyPatch, resource: str, instance_id: str
):
    idle = sandbox(plans.plan(Provider.AZURE)).module("/opt/gpuinfra/bin/idle")
    asked = answers(idle, monkeypatch, azure(resource))
    idle.gpuinfra_cloud.scale_in_self("llama-gpu")
    method, url, headers, body = asked[-1]
    assert method == "POST"
    assert "/resourceGroups/R/providers/Microsoft.Compute/virtualMachineScaleSets/llama-gpu/delete?" in url
    assert json.loads(body) == {"instanceIds": [instance_id]}
    assert headers["Authorization"] == "Bearer TOKEN"
    asked.clear()
    with pytest.raises(idle.node.Failed, match="not to other"):
        idle.gpuinfra_cloud.scale_in_self("other")
    assert all(entry[0] == "GET" for entry in asked)


def test_azure_logs_in_to_its_own_registries_with_the_cluster_s_identity(
    sandbox: MakeSandbox, monkeypatch: pytest.MonkeyPatch
):
    idle = sandbox(plans.plan(Provider.AZURE)).module("/opt/gpuinfra/bin/idle")
    reply = {"acmeimages.azurecr.io/oauth2/exchange": json.dumps({"refresh_token": "R"})}
    asked = answers(idle, monkeypatch, azure("virtualMachineScaleSets/llama-gpu/virtualMachines/3") | reply)
    assert idle.gpuinfra_cloud.registry_login("acmeimages.azurecr.io") == ("00000000-0000-0000-0000-000000000000", "R")
    assert asked[-1][3] == b"grant_type=access_token&service=acmeimages.azurecr.io&access_token=TOKEN"
    asked.clear()
    for other in ("nvcr.io", "azurecr.io.example.com", "docker.io", "x.azurecr.io"):
        assert idle.gpuinfra_cloud.registry_login(other) is None
    assert asked == []


def test_azure_mounts_a_bucket_as_the_cluster_s_identity(sandbox: MakeSandbox):
    idle = sandbox(plans.plan(Provider.AZURE)).module("/opt/gpuinfra/bin/idle")
    entry = {"bucket": "acme1/tok", "mount": "/data", "name": "data", "prefix": ""}
    _, env = idle.gpuinfra_cloud.bucket_command(entry)
    assert env["AZURE_STORAGE_AUTH_TYPE"] == "MSI"
    assert env["AZURE_STORAGE_IDENTITY_CLIENT_ID"] == plans.LATE["identity.client_id"]
