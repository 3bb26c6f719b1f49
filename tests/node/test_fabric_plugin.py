"""The plugins of Google's fabrics: laid on the host at boot, their managers started, and every gap said aloud."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.node import boot_bundle
from gpuinfra.node.rendering import render
from gpuinfra.plan.models import PoolPlan
from gpuinfra.vocabulary import FabricKind, Provider
from tests.node import plans
from tests.node.conftest import MakeSandbox
from tests.node.sandbox import Sandbox
from tests.node.test_scripts import needs

TASK = "/opt/gpuinfra/tasks/55-fabric-plugin"
READY = "Buffer manager initialization complete"
MAKES = {
    "roce": "a3-ultragpu-8g",
    "arm": "a4x-highgpu-4g",
    "tcpxo": "a3-megagpu-8g",
    "tcpx": "a3-highgpu-8g",
}


def booted(name: str) -> PoolPlan:
    return plans.booted(Provider.GCP, MAKES[name])


@pytest.fixture
def node_of(sandbox: MakeSandbox) -> Callable[[str], Sandbox]:
    def make(name: str) -> Sandbox:
        node = sandbox(plans.plan(Provider.GCP, (booted(name),)))
        driver = node.root / "drivers/gve"
        driver.mkdir(parents=True)
        for interface in ("enp0s12", "enp6s0", "enp7s0", "enp13s0", "enp134s0"):
            device = node.root / f"sys/class/net/{interface}/device"
            device.mkdir(parents=True)
            (device / "driver").symlink_to(driver)
        (node.root / "proc/net").mkdir(parents=True)
        (node.root / "proc/net/route").write_text("Iface Destination\nenp6s0 0000FEA9\nenp0s12 00000000\n")
        return node

    return make


def docker(node: Sandbox, word: str) -> list[list[str]]:
    return [call for call in node.called("docker") if call[1] == word]


def test_each_fabric_has_its_task_and_a_runtime_for_it_also_without_a_container():
    for name, kind in (("roce", FabricKind.ROCE), ("tcpxo", FabricKind.GPUDIRECT_TCPXO)):
        pool = booted(name)
        assert pool.fabric.kind is kind
        plan = plans.plan(Provider.GCP, (pool,))
        paths = {file.path for file in boot_bundle(plan, pool).files}
        assert {TASK, "/opt/gpuinfra/tasks/50-container-runtime"} <= paths
    aws = plans.plan()
    assert TASK not in {file.path for file in boot_bundle(aws, aws.pools[0]).files}


@pytest.mark.parametrize(("name", "image"), [("roce", "nccl-plugin-gib:v"), ("arm", "nccl-plugin-gib-arm64:v")])
def test_roce_gets_the_plugin_of_its_architecture(node_of: Callable[[str], Sandbox], name: str, image: str):
    node = node_of(name)
    done = node.run(TASK)
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = docker(node, "run")
    assert "/usr/local/gib:/var/lib/gib" in run
    assert image in run[-3]
    assert run[-2:] == ["install", "--install-nccl"]


def test_tcpxo_lays_the_plugin_and_starts_the_manager(node_of: Callable[[str], Sandbox]):
    node = node_of("tcpxo")
    for n, device in enumerate(("0x0084", "0x0042")):
        folder = node.root / f"sys/bus/pci/devices/0000:0{n}:00.0"
        folder.mkdir(parents=True)
        (folder / "vendor").write_text("0x1ae0\n")
        (folder / "device").write_text(f"{device}\n")
    node.stub("docker", f"[[ $1 == logs ]] && echo '{READY}'; exit 0")
    node.stub("mountpoint", "exit 1")
    done = node.run(TASK)
    assert done.returncode == 0, done.stdout + done.stderr
    install, manager = docker(node, "run")
    assert "nccl-plugin-gpudirecttcpx-dev:v1.0.14" in install[-3]
    assert manager[-2:] == ["--num_hops=2", "--num_nics=8"]
    assert {"--network=host", "--restart=unless-stopped"} <= set(manager)
    (bind,) = node.called("mount")
    assert bind[1] == "--bind"
    assert bind[3].endswith("/dev/aperture_devices/0000:00:00.0")
    profile = (node.root / "var/lib/tcpxo/lib64/nccl-env-profile.sh").read_text()
    assert "NCCL_FASTRAK_CTRL_DEV=enp0s12\n" in profile
    assert "NCCL_FASTRAK_IFNAME=enp6s0,enp7s0,enp13s0,enp134s0\n" in profile, "in the order of the bus"


def test_containers_get_what_the_vendors_script_sets(node_of: Callable[[str], Sandbox]):
    node = node_of("tcpxo")
    library = node.root / "var/lib/tcpxo/lib64"
    script = "export NCCL_PROTO=Simple,LL128 NCCL_NET=other\\nexport NCCL_DIR=$NCCL_LIB_DIR\\n[[ $UNSET ]]\\n"
    node.stub(
        "docker",
        f"[[ $1 == logs ]] && echo '{READY}'\n"
        f"[[ $* == *install* ]] && mkdir -p {library} && printf '{script}' >{library}/nccl-env-profile.sh; exit 0",
    )
    for _ in range(2):
        done = node.run(TASK)
        assert done.returncode == 0, done.stdout + done.stderr
    lines = (node.root / "etc/gpuinfra/fabric.env").read_text().splitlines()
    assert {"NCCL_PROTO=Simple,LL128", "NCCL_DIR=/var/lib/tcpxo/lib64", "NCCL_SOCKET_IFNAME=enp0s12"} <= set(lines)
    assert [line for line in lines if line.startswith("NCCL_NET=")] == ["NCCL_NET=FasTrak"], "ours stays"
    assert len(lines) == len(set(lines)), "a second boot adds nothing"


def test_a_module_that_does_not_load_is_built_and_said_where_it_still_does_not(node_of: Callable[[str], Sandbox]):
    node = node_of("tcpxo")
    node.stub("modprobe", "exit 1")
    node.stub("gpg", "cat >/dev/null; exit 0")
    assert node.run(TASK).returncode == 1
    installed = [word for call in node.called("apt-get") for word in call]
    assert "dmabuf-import-helper" in installed
    assert "import-helper does not load" in node.problems
    assert "plain TCP" in node.problems


@pytest.mark.parametrize("name", ["tcpx", "tcpxo"])
def test_a_manager_that_does_not_come_up_is_said(node_of: Callable[[str], Sandbox], name: str):
    node = node_of(name)
    assert node.run(TASK).returncode == 1
    assert "its receive manager does not come up" in node.problems
    assert ("linux-gcp-tcpx" in node.problems) is (name == "tcpx"), "the kernel that Ubuntu lacks"


def test_tcpx_waits_for_the_managers_socket(node_of: Callable[[str], Sandbox]):
    node = node_of("tcpx")
    (node.root / "run/tcpx").mkdir(parents=True)
    (node.root / "run/tcpx/rx_rule_manager").touch()
    done = node.run(TASK)
    assert done.returncode == 0, done.stdout + done.stderr
    assert docker(node, "run")[1][-2:] == ["--uds_path", "/run/tcpx"]


def test_a_closed_registry_is_asked_with_the_nodes_own_account(node_of: Callable[[str], Sandbox]):
    node = node_of("roce")
    node.stub(
        "docker",
        f"[[ $1 == login ]] && touch {node.root}/in; [[ $1 == pull && ! -e {node.root}/in ]] && exit 1; exit 0",
    )
    (node.root / "opt/gpuinfra/lib/gpuinfra_cloud.py").write_text(
        "def registry_login(r):\n    return 'u', 'token-' + r\n"
    )
    done = node.run(TASK)
    assert done.returncode == 0, done.stdout + done.stderr
    (login,) = docker(node, "login")
    assert login[-1] == "us-docker.pkg.dev"
    assert "token-us" not in " ".join(login), "the password goes by standard input"


def test_images_that_cannot_be_had_are_said(node_of: Callable[[str], Sandbox]):
    node = node_of("roce")
    node.stub("docker", "exit 1")
    assert node.run(TASK).returncode == 1
    assert "could not be pulled" in node.problems


def test_cloud_init_is_laid_on_once(tmp_path: Path):
    script = render("gcp/cloud_init.sh.j2")
    needs("shellcheck")
    done = subprocess.run(
        ["shellcheck", "--shell=bash", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    (tmp_path / "cloud-init").write_text("#!/bin/bash\nexit 7\n")
    (tmp_path / "cloud-init").chmod(0o755)
    there = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["bash", "-c", script], env=there, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), "an image that has it is left alone"
