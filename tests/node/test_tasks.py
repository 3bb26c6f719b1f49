"""The other boot tasks: driver, MIG, containers, fabric, image, identity, and the program that runs them all."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest

from gpuinfra.node import boot_bundle
from gpuinfra.plan.models import MigPlan
from gpuinfra.vocabulary import Provider
from tests.node import plans
from tests.node.conftest import MakeSandbox
from tests.node.sandbox import Sandbox

DRIVER = "580.95.05"


@pytest.fixture
def node(sandbox: MakeSandbox) -> Sandbox:
    return sandbox(plans.plan(pools=(plans.pool(Provider.AWS, mig=MigPlan(("3g.40gb", "1g.10gb"), 16)),)))


# Driver and fabric manager.


def healthy(node: Sandbox) -> None:
    node.stub("nvidia-smi", f'[[ $1 == --query-gpu=driver_version ]] && printf "{DRIVER}\\n{DRIVER}\\n"; exit 0')
    node.stub("nv-fabricmanager", f"echo 'Fabric Manager version is : {DRIVER}'")
    node.stub(
        "dpkg-query",
        r"printf 'ii  nvidia-driver-580-open\nii  libnvidia-compute-580\nii  linux-image-6.8.0-aws\nrc  nvidia-old\nii  vim\n'",
    )


def switches(node: Sandbox) -> None:
    (node.root / "proc/driver/nvidia-nvswitch/devices/0000:85:00.0").mkdir(parents=True)


def test_kernel_and_driver_are_held_and_nothing_else(node: Sandbox):
    healthy(node)
    done = node.run("/opt/gpuinfra/tasks/20-hold-driver")
    assert done.returncode == 0, done.stdout + done.stderr
    (hold,) = node.called("apt-mark")
    assert hold == ["apt-mark", "hold", "nvidia-driver-580-open", "libnvidia-compute-580", "linux-image-6.8.0-aws"]
    upgrades = (node.root / "etc/apt/apt.conf.d/52gpuinfra-hold").read_text()
    assert {'"nvidia"', '"linux-"', '"lustre"'} <= set(upgrades.replace(";", " ").split())
    assert "$nrconf{restart} = 'l';" in (node.root / "etc/needrestart/conf.d/gpuinfra.conf").read_text()


def test_dnf_keeps_them_out_once(node: Sandbox):
    healthy(node)
    conf = node.root / "etc/dnf/dnf.conf"
    conf.parent.mkdir()
    conf.write_text("[main]\ngpgcheck=1\n")
    node.without("apt-mark")
    for _ in range(2):
        assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 0
    text = conf.read_text()
    assert text.startswith("[main]\n# gpuinfra\nexcludepkgs=kernel ")
    assert text.count("excludepkgs") == 1
    assert text.endswith("gpgcheck=1\n")


def test_the_fabric_manager_of_the_drivers_version_is_started(node: Sandbox):
    healthy(node)
    switches(node)
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 0
    assert ["systemctl", "start", "nvidia-fabricmanager"] in node.calls


def test_a_fabric_manager_of_another_version_is_said(node: Sandbox):
    healthy(node)
    switches(node)
    node.stub("nv-fabricmanager", "echo 'Fabric Manager version is : 580.82.07'")
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 1
    assert f"fabric manager 580.82.07 and driver {DRIVER} differ" in node.problems
    assert "802" in node.problems


def test_a_missing_fabric_manager_is_said_only_where_there_are_switches(node: Sandbox):
    healthy(node)
    node.without("nv-fabricmanager")
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 0
    switches(node)
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 1
    assert f"need nvidia-fabricmanager {DRIVER}" in node.problems


def test_switches_outside_the_machine_are_seen_by_the_fabrics_state(node: Sandbox):
    healthy(node)
    node.stub(
        "nvidia-smi",
        f'[[ $1 == --query-gpu=driver_version ]] && echo {DRIVER}; [[ $1 == -q ]] && printf "    Fabric\\n        State                             : Completed\\n"; exit 0',
    )
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 0
    assert ["systemctl", "start", "nvidia-fabricmanager"] in node.calls


def test_no_driver_is_said(node: Sandbox):
    healthy(node)
    node.stub("nvidia-smi", "exit 9")
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 1
    assert "nvidia-smi finds no driver" in node.problems


def test_an_amd_node_is_judged_by_its_own_device(sandbox: MakeSandbox):
    plan = plans.plan(Provider.AZURE, (plans.pool(Provider.AZURE, "Standard_ND96isr_MI300X_v5"),))
    node = sandbox(plan)
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 1
    assert "/dev/kfd is missing" in node.problems
    (node.root / "dev/dri").mkdir(parents=True)
    (node.root / "dev/kfd").touch()
    assert node.run("/opt/gpuinfra/tasks/20-hold-driver").returncode == 0
    assert node.run("/opt/gpuinfra/tasks/50-container-runtime").returncode == 0
    assert node.called("nvidia-smi") == node.called("nvidia-ctk") == []


# MIG.

MIG_SMI = """
case "$*" in
  "--query-gpu=index --format=csv,noheader") printf '0\\n1\\n' ;;
  *mig.mode.current*) cat {root}/mode-$2 2>/dev/null || echo Disabled ;;
  *-mig*) echo {after} >{root}/mode-$2 ;;
  *--gpu-reset*) echo Enabled >{root}/mode-$2 ;;
  *-lgi*) cat {root}/layout-$3 2>/dev/null || echo 'No GPU instances found' ;;
  *-cgi*) printf '|   0  MIG 1g.10gb  19 |\\n|   0  MIG 3g.40gb  9 |\\n' >{root}/layout-$3 ;;
esac
exit 0
"""


def test_each_gpu_is_cut_and_a_second_boot_task_changes_nothing(node: Sandbox):
    node.stub("nvidia-smi", MIG_SMI.format(root=node.root, after="Enabled"))
    done = node.run("/opt/gpuinfra/tasks/40-mig")
    assert done.returncode == 0, done.stdout + done.stderr
    cut = [call for call in node.calls if "-cgi" in call]
    assert cut == [["nvidia-smi", "mig", "-i", gpu, "-cgi", "3g.40gb,1g.10gb", "-C"] for gpu in ("0", "1")]
    assert node.run("/opt/gpuinfra/tasks/40-mig").returncode == 0
    assert len([call for call in node.calls if "-cgi" in call or "-dgi" in call]) == 4


@pytest.mark.parametrize("profile", ["1g.24gb-me", "1g.24gb+me", "1g.24gb+gfx"])
def test_a_profile_with_a_suffix_is_known_again(sandbox: MakeSandbox, profile: str):
    node = sandbox(plans.plan(pools=(plans.pool(Provider.AWS, mig=MigPlan((profile,), 8)),)))
    node.stub(
        "nvidia-smi",
        f"[[ $1 == --query-gpu=index ]] && echo 0; [[ $* == *mode* ]] && echo Enabled; "
        f"[[ $* == *-lgi* ]] && echo '|   0  MIG {profile}  19 |'; exit 0",
    )
    assert node.run("/opt/gpuinfra/tasks/40-mig").returncode == 0
    assert not [call for call in node.calls if "-cgi" in call]


def test_ampere_needs_a_reset_to_take_the_mode(node: Sandbox):
    node.stub("nvidia-smi", MIG_SMI.format(root=node.root, after="Disabled"))
    assert node.run("/opt/gpuinfra/tasks/40-mig").returncode == 0
    assert len([call for call in node.calls if "--gpu-reset" in call]) == 2


def test_a_gpu_that_does_not_take_the_mode_is_said(node: Sandbox):
    node.stub("nvidia-smi", "[[ $1 == --query-gpu=index ]] && echo 0; [[ $* == *mode* ]] && echo Disabled; exit 0")
    assert node.run("/opt/gpuinfra/tasks/40-mig").returncode == 1
    assert "GPU 0 does not take MIG mode" in node.problems


# Containers and the image.


def test_cdi_is_written_after_the_mig_layout(node: Sandbox):
    tasks = sorted(path.name for path in (node.root / "opt/gpuinfra/tasks").iterdir())
    assert tasks.index("40-mig") < tasks.index("50-container-runtime") < tasks.index("80-container-image")
    node.stub("docker", """[[ $1 == info ]] && echo '{"nvidia":{},"runc":{}}'; exit 0""")
    assert node.run("/opt/gpuinfra/tasks/50-container-runtime").returncode == 0
    assert node.called("nvidia-ctk") == [["nvidia-ctk", "cdi", "generate", f"--output={node.root}/etc/cdi/nvidia.yaml"]]
    assert node.called("systemctl", "restart") == []


def test_the_toolkit_comes_past_the_hold_of_the_driver(node: Sandbox):
    node.without("apt-get", "nvidia-ctk")
    node.stub("dnf", f"printf '#!/bin/bash\\n' >{node.stubs}/nvidia-ctk && chmod +x {node.stubs}/nvidia-ctk")
    done = node.run("/opt/gpuinfra/tasks/50-container-runtime")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ["dnf", "install", "-y", "--setopt=excludepkgs=", "nvidia-container-toolkit"] in node.calls


def test_docker_learns_of_the_gpus_once(node: Sandbox):
    assert node.run("/opt/gpuinfra/tasks/50-container-runtime").returncode == 0
    assert ["nvidia-ctk", "runtime", "configure", "--runtime=docker", "--cdi.enabled"] in node.calls
    assert node.called("systemctl", "restart") == [["systemctl", "restart", "docker"]]


DIGEST = "nvcr.io/nvidia/pytorch@sha256:" + "a" * 64


def pulls(node: Sandbox) -> list[list[str]]:
    return node.called("docker", "pull")


def test_the_image_is_pulled_once_and_its_digest_kept(node: Sandbox):
    node.stub("docker", f"""[[ $* == *RepoDigests* ]] && echo '["{DIGEST}"]'; exit 0""")
    for _ in range(2):
        assert node.run("/opt/gpuinfra/tasks/80-container-image").returncode == 0
    assert pulls(node) == [["docker", "pull", "--quiet", "--", "nvcr.io/nvidia/pytorch:25.08-py3"]]
    kept = json.loads((node.root / "var/lib/gpuinfra/image.json").read_text())
    assert kept == {"reference": "nvcr.io/nvidia/pytorch:25.08-py3", "digest": DIGEST}


def fast(node: Sandbox, path: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = node.module(path)
    monkeypatch.setenv("PATH", node.environment["PATH"])
    monkeypatch.setattr(module.node, "SLEEP", lambda seconds: None)
    return module


def test_a_pull_is_tried_again_and_said(node: Sandbox, monkeypatch: pytest.MonkeyPatch):
    node.stub("docker", "echo toomanyrequests >&2; exit 1")
    image = fast(node, "/opt/gpuinfra/tasks/80-container-image", monkeypatch)
    assert image.main() == 1
    assert len(pulls(node)) == 6
    assert "nvcr.io/nvidia/pytorch:25.08-py3 could not be pulled" in node.problems


def test_the_clouds_registry_gets_the_nodes_identity_and_the_password_is_no_argument(sandbox: MakeSandbox):
    reference = "763104351884.dkr.ecr.us-east-2.amazonaws.com/pytorch-training:2.8"
    node = sandbox(plans.plan(pools=(plans.pool(Provider.AWS, container=plans.container(reference)),)))
    node.stub("aws", "echo s3cr3t-of-ecr")
    node.stub("docker", f"[[ $1 == login ]] && cat >{node.root}/stdin; exit 0")
    assert node.run("/opt/gpuinfra/tasks/80-container-image").returncode == 0
    assert (node.root / "stdin").read_text() == "s3cr3t-of-ecr"
    assert not [call for call in node.calls if "s3cr3t-of-ecr" in call]


@pytest.mark.parametrize("reference", ["docker.io/library/ubuntu:24.04", "evil.dkr.ecr.us-east-2.amazonaws.com.x.io/a"])
def test_other_registries_get_no_password(sandbox: MakeSandbox, reference: str):
    node = sandbox(plans.plan(pools=(plans.pool(Provider.AWS, container=plans.container(reference)),)))
    assert node.run("/opt/gpuinfra/tasks/80-container-image").returncode == 0
    assert node.called("docker", "login") == node.called("aws") == []


# Fabric.


def endpoints(n: int) -> str:
    return f'for n in $(seq {n}); do echo "    domain: rdmap$n-rdm"; echo "    domain: rdmap$n-rdm"; done'


@pytest.mark.parametrize(("found", "code"), [(32, 0), (31, 1), (0, 1)])
def test_every_efa_device_is_counted_once(node: Sandbox, found: int, code: int):
    node.stub("fi_info", endpoints(found))
    assert node.run("/opt/gpuinfra/tasks/60-fabric").returncode == code
    assert (f"FABRIC MISSING: {found} of 32 efa devices" in node.problems) == bool(code)
    assert ("TCP" in node.problems) == bool(code)


def test_a_node_without_the_efa_tool_has_no_fabric(node: Sandbox):
    node.without("fi_info")
    assert node.run("/opt/gpuinfra/tasks/60-fabric").returncode == 1
    assert "0 of 32" in node.problems


@pytest.mark.parametrize(("up", "code"), [(8, 0), (7, 1)])
def test_infiniband_ports_count_when_they_are_up(sandbox: MakeSandbox, up: int, code: int):
    node = sandbox(plans.plan(Provider.AZURE))
    for n in range(8):
        port = node.root / f"sys/class/infiniband/mlx5_{n}/ports/1"
        port.mkdir(parents=True)
        (port / "state").write_text("4: ACTIVE\n" if n < up else "1: DOWN\n")
    (node.root / "opt/microsoft").mkdir()
    (node.root / "opt/microsoft/ndv5-topo.xml").touch()
    for _ in range(2):
        assert node.run("/opt/gpuinfra/tasks/60-fabric").returncode == code
    environment = (node.root / "etc/gpuinfra/fabric.env").read_text()
    assert environment.count("NCCL_TOPO_FILE=/opt/microsoft/ndv5-topo.xml\n") == 1


def test_the_environment_of_a_fabric_is_the_same_for_shells_and_containers():
    for provider in Provider:
        plan = plans.plan(provider)
        files = {file.path: file.content for file in boot_bundle(plan, plan.pools[0]).files}
        profile = files["/etc/profile.d/gpuinfra-fabric.sh"]
        lines = files["/etc/gpuinfra/fabric.env"].splitlines()
        assert lines
        for line in lines:
            name, value = line.split("=", 1)
            assert f"export {name}=" in profile
            assert value in profile
    efa = plans.plan(Provider.AWS)
    files = {file.path: file.content for file in boot_bundle(efa, efa.pools[0]).files}
    assert "export FI_PROVIDER=efa\n" in files["/etc/profile.d/gpuinfra-fabric.sh"]


# Who am I.


def test_a_node_knows_itself_and_its_cluster(node: Sandbox, monkeypatch: pytest.MonkeyPatch):
    who = fast(node, "/opt/gpuinfra/tasks/10-who-am-i", monkeypatch)
    document = {
        "instanceId": "i-1",
        "instanceType": "p5.48xlarge",
        "region": "us-east-2",
        "privateIp": "10.40.0.9",
        "imageId": "ami-1",
    }
    answers = {"api/token": "T", "instance-identity/document": json.dumps(document), "availability-zone-id": "use2-az1"}

    def http(url, *args, **kwargs):
        return next(text for end, text in answers.items() if url.endswith(end)).encode()

    monkeypatch.setattr(who.node, "http", http)
    assert who.main() == 0
    found = json.loads((node.root / "etc/gpuinfra/node.json").read_text())
    assert found["instance_id"] == "i-1"
    assert (found["cluster"], found["pool"], found["zone"], found["gpus_per_node"]) == ("llama", "gpu", "use2-az1", 8)


def test_a_silent_metadata_service_is_asked_again_and_said(node: Sandbox, monkeypatch: pytest.MonkeyPatch):
    who = fast(node, "/opt/gpuinfra/tasks/10-who-am-i", monkeypatch)
    asked: list[str] = []

    def http(url, *args, **kwargs):
        asked.append(url)
        raise OSError("timed out")

    monkeypatch.setattr(who.node, "http", http)
    assert who.main() == 1
    assert len(asked) == 8
    assert "metadata service does not answer" in node.problems
    assert not (node.root / "etc/gpuinfra/node.json").exists()


# The program that runs the tasks.


def test_one_failed_task_does_not_hold_up_the_others_and_people_are_told(node: Sandbox):
    folder = node.root / "opt/gpuinfra/tasks"
    for path in folder.iterdir():
        path.write_text(f"#!/bin/bash\necho {path.name} >>{node.root}/order\n[[ {path.name} != 40-mig ]]\n")
    motd = node.root / "etc/motd"
    motd.write_text("Welcome\n")
    for _ in range(2):
        assert node.run("/opt/gpuinfra/bin/boot").returncode == 1
    order = (node.root / "order").read_text().split()
    assert order == 2 * sorted(path.name for path in folder.iterdir())
    text = motd.read_text()
    assert text.startswith("Welcome\n")
    assert text.count("the boot task 40-mig failed") == 1


def test_a_good_boot_takes_the_old_warning_away(node: Sandbox):
    for path in (node.root / "opt/gpuinfra/tasks").iterdir():
        path.write_text("#!/bin/bash\n")
    motd = node.root / "etc/motd"
    motd.write_text("Welcome\n== gpuinfra ==\nold\n== end of gpuinfra ==\n")
    assert node.run("/opt/gpuinfra/bin/boot").returncode == 0
    assert motd.read_text() == "Welcome\n"


# The stub that fetches the files.


def test_an_image_without_the_aws_command_reads_objects_by_its_library(node: Sandbox, monkeypatch: pytest.MonkeyPatch):
    asked: list[dict[str, str]] = []

    class Client:
        def get_object(self, **what: str):
            asked.append(what)
            return {"Body": io.BytesIO(b"files")}

    monkeypatch.setitem(sys.modules, "boto3", SimpleNamespace(client=lambda service: Client()))
    cloud = node.module("/opt/gpuinfra/lib/gpuinfra_cloud.py")
    monkeypatch.setattr(cloud.shutil, "which", lambda name: None)
    assert cloud.fetch_object("s3://boot/a/b") == b"files"
    assert asked == [{"Bucket": "boot", "Key": "a/b"}]


def test_the_stub_writes_the_files_only_when_they_are_the_planned_ones(tmp_path, monkeypatch: pytest.MonkeyPatch):
    plan = plans.plan(Provider.AWS)
    bundle = replace(boot_bundle(plan, plan.pools[0]), limit_bytes=12000)
    node = Sandbox(tmp_path, bundle, plans.LATE)
    carrier = bundle.carrier(plans.LATE, "s3://llama-boot")
    import gzip

    import yaml

    text = carrier.user_data if carrier.user_data.startswith(b"#") else gzip.decompress(carrier.user_data)
    for entry in yaml.safe_load(text)["write_files"]:
        path = node.root / entry["path"].lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(entry["content"])
    target = node.root / "opt/gpuinfra/tasks/10-who-am-i"
    target.unlink()
    (tmp_path / "body").write_bytes(carrier.object_body + b" ")
    node.stub("aws", f'cat {tmp_path}/body >"${{@: -1}}"')
    fetch = fast(node, "/opt/gpuinfra/bin/fetch", monkeypatch)
    assert fetch.main() == 1
    assert not target.exists()
    assert node.called("systemctl") == []
    (tmp_path / "body").write_bytes(carrier.object_body)
    assert fetch.main() == 0
    assert target.stat().st_mode & 0o111
    assert [tuple(call) for call in node.called("systemctl")] == list(bundle.commands)
