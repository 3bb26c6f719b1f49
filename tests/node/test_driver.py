"""Stock images: the driver that the bundle lays on them, what is left to a person, and what is said of closed systems."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gpuinfra.diagnostics import Diagnostic
from gpuinfra.node import boot_bundle, bundle_findings
from gpuinfra.node.driver import stock_driver
from gpuinfra.vocabulary import FabricKind, Provider
from tests.node import plans
from tests.node.conftest import MakeSandbox
from tests.node.sandbox import Sandbox

AWS, GCP, AZURE = Provider.AWS, Provider.GCP, Provider.AZURE
INSTALL = "/opt/gpuinfra/tasks/15-install-driver"
HOLD = "/opt/gpuinfra/tasks/20-hold-driver"
IMEX = "/opt/gpuinfra/tasks/25-imex"
GB200 = "Standard_ND128isr_NDR_GB200_v6"


def paths(provider: Provider, name: str, wish: str = "auto") -> set[str]:
    pool = plans.booted(provider, name, wish)
    return {f.path for f in boot_bundle(plans.plan(provider, (pool,)), pool).files}


def found(code: str, provider: Provider, name: str, wish: str = "auto") -> list[Diagnostic]:
    pool = plans.booted(provider, name, wish)
    return [d for d in bundle_findings(plans.plan(provider, (pool,))) if d.code == code]


# Laid on by the bundle.


@pytest.fixture
def stock(sandbox: MakeSandbox) -> Sandbox:
    node = sandbox(plans.plan(GCP, (plans.booted(GCP, "g2-standard-4"),)))
    node.stub("uname", "echo 6.14.0-1020-gcp")
    node.stub("nvidia-smi", "[[ -e $GPUINFRA_ROOT/loaded ]] && echo 'GPU 0: NVIDIA L4 (UUID: GPU-1)' || exit 9")
    node.stub("modprobe", "touch $GPUINFRA_ROOT/loaded")
    node.stub("mokutil", "echo SecureBoot disabled")
    return node


@pytest.mark.parametrize(
    ("provider", "name", "wish", "laid"),
    [
        (GCP, "g2-standard-4", "auto", True),
        (GCP, "g4-standard-48", "auto", True),
        (GCP, "g2-standard-4", "family/cos-stable", False),
        (GCP, "a3-ultragpu-8g", "auto", False),
        (GCP, "a2-highgpu-1g", "auto", False),
        (AZURE, "Standard_NV36ads_A10_v5", "auto", False),
        (AWS, "p5.48xlarge", "auto", False),
    ],
)
def test_a_driver_is_laid_only_on_a_stock_image_of_a_cloud_that_needs_it(
    provider: Provider, name: str, wish: str, laid: bool
):
    assert (INSTALL in paths(provider, name, wish)) is laid


def test_modules_for_the_running_kernel_are_installed_and_loaded(stock: Sandbox):
    done = stock.run(INSTALL)
    assert done.returncode == 0, done.stdout + done.stderr
    (install,) = [c for c in stock.called("apt-get") if "install" in c]
    assert {"linux-modules-nvidia-580-server-open-6.14.0-1020-gcp", "nvidia-utils-580-server"} <= set(install)
    assert stock.called("modprobe") == [["modprobe", "nvidia"]]
    assert stock.problems == ""


def test_a_second_boot_installs_nothing(stock: Sandbox):
    assert stock.run(INSTALL).returncode == 0
    before = len(stock.called("apt-get"))
    assert stock.run(INSTALL).returncode == 0
    assert len(stock.called("apt-get")) == before


# The archive has no modules for the kernel yet.
LATE_ARCHIVE = "[[ $* == *linux-modules-nvidia* ]] && exit 100; exit 0"


def test_modules_are_built_where_the_archive_has_none(stock: Sandbox):
    stock.stub("apt-get", LATE_ARCHIVE)
    assert stock.run(INSTALL).returncode == 0
    last = [c for c in stock.called("apt-get") if "install" in c][-1]
    assert {"linux-headers-6.14.0-1020-gcp", "nvidia-headless-580-server-open"} <= set(last)


def test_secure_boot_keeps_built_modules_out_and_that_is_said(stock: Sandbox):
    stock.stub("apt-get", LATE_ARCHIVE)
    stock.stub("mokutil", "echo SecureBoot enabled")
    assert stock.run(INSTALL).returncode == 1
    assert "Secure Boot" in stock.problems


def test_a_driver_that_finds_no_gpu_is_said(stock: Sandbox):
    stock.stub("modprobe", "exit 1")
    assert stock.run(INSTALL).returncode == 1
    assert "finds no GPU" in stock.problems


def test_an_image_without_apt_is_said(stock: Sandbox):
    stock.without("apt-get")
    assert stock.run(INSTALL).returncode == 1
    assert "apt-get" in stock.problems


# Laid on by the cloud's agent, beside the boot.


AWAIT = "/opt/gpuinfra/tasks/15-await-driver"
GRID = "Standard_NV36ads_A10_v5"


@pytest.mark.parametrize("name", [GRID, "Standard_NC144ds_xl_RTXPRO6000BSE_v6"])
def test_a_grid_driver_that_the_cloud_lays_is_waited_for(name: str):
    assert AWAIT in paths(AZURE, name)
    assert found("GI2155", AZURE, name) == []
    pool = plans.booted(AZURE, name)
    missing = stock_driver(plans.plan(AZURE, (pool,)), pool)
    assert missing is not None
    assert (missing.kind, missing.by_cloud, missing.modules) == ("grid", True, "")


@pytest.mark.parametrize("name", ["Standard_ND96isr_H100_v5", "Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4"])
def test_images_that_carry_their_driver_wait_for_nothing(name: str):
    assert AWAIT not in paths(AZURE, name)


def test_the_driver_is_looked_for_until_it_is_there(sandbox: MakeSandbox):
    node = sandbox(plans.plan(AZURE, (plans.booted(AZURE, GRID),)))
    looks = "n=$(cat $GPUINFRA_ROOT/looks 2>/dev/null || echo 0); echo $((n + 1)) >$GPUINFRA_ROOT/looks; "
    node.stub("nvidia-smi", looks + "((n >= 3)) && echo 'GPU 0: NVIDIA A10 (UUID: GPU-1)' || exit 9")
    done = node.run(AWAIT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(node.called("nvidia-smi")) == 4
    assert node.problems == ""


def test_a_driver_that_does_not_come_is_said_with_the_agent_s_log(sandbox: MakeSandbox):
    node = sandbox(plans.plan(AZURE, (plans.booted(AZURE, GRID),)))
    node.stub("nvidia-smi", "exit 9")
    assert node.run(AWAIT).returncode == 1
    assert "/var/log/azure/nvidia-vmext-status" in node.problems


# Left to a person.


def test_a_grid_driver_that_nothing_lays_is_a_finding(monkeypatch: pytest.MonkeyPatch):
    from gpuinfra.node import driver

    row = replace(driver.CLOUDS[AZURE], driver_by_cloud="")
    monkeypatch.setitem(driver.CLOUDS, AZURE, row)
    (one,) = found("GI2155", AZURE, GRID)
    assert not one.is_error
    assert "GRID" in one.message
    assert "Secure Boot must be off" in one.hint


def test_no_finding_where_the_driver_is_there_or_is_laid():
    for provider, name in ((GCP, "g2-standard-4"), (AZURE, "Standard_ND96isr_H100_v5"), (AWS, "p5.48xlarge")):
        assert found("GI2155", provider, name) == []


def test_a_node_without_its_grid_driver_says_which_one_and_where_to_look(sandbox: MakeSandbox):
    node = sandbox(plans.plan(AZURE, (plans.booted(AZURE, "Standard_NV36ads_A10_v5"),)))
    node.stub("nvidia-smi", "exit 9")
    assert node.run(HOLD).returncode == 1
    assert "needs the GRID driver" in node.problems
    assert "/var/log/azure/nvidia-vmext-status" in node.problems


# Systems on which the bundle does not work.


@pytest.mark.parametrize(
    "wish", ["family/cos-stable", "family/cos-125-lts", "projects/cos-cloud/global/images/cos-125-19216-104-25"]
)
def test_what_a_container_system_leaves_out_is_named(wish: str):
    (one,) = found("GI2152", GCP, "g2-standard-4", wish)
    assert "runs cloud-init" in one.message
    assert all(f"no {what}" in one.message for what in ("GPU driver", "mounts", "idle timer"))
    assert "write auto" in one.hint
    assert "cos-extensions install gpu" in one.hint


def test_only_what_the_spec_asks_for_is_missed():
    pool = plans.booted(GCP, "g2-standard-4", "family/cos-stable", container=None)
    plan = plans.plan(GCP, (pool,), stores=(), idle_after=None)
    (one,) = [d for d in bundle_findings(plan) if d.code == "GI2152"]
    assert "no GPU driver" in one.message
    assert "mounts" not in one.message
    assert "idle timer" not in one.message


def test_auto_has_no_such_finding():
    assert found("GI2152", GCP, "g2-standard-4") == found("GI2152", GCP, "g4-standard-48") == []


def test_a_pool_without_gpus_lacks_no_driver():
    pool = plans.pool(GCP, "")
    assert stock_driver(plans.plan(GCP, (pool,)), pool) is None


# Fabric manager on machines without NVSwitch.

NO_SWITCH = r"""[[ $1 == --query-gpu=driver_version ]] && echo 580.95.05
[[ $1 == -q ]] && printf "    Fabric\n        State                             : N/A\n"; exit 0"""


def test_the_fabric_manager_is_off_where_there_are_no_switches(sandbox: MakeSandbox):
    node = sandbox(plans.plan(AZURE, (plans.booted(AZURE, "Standard_NC96ads_A100_v4"),)))
    node.stub("nvidia-smi", NO_SWITCH)
    assert node.run(HOLD).returncode == 0
    assert ["systemctl", "disable", "--now", "nvidia-fabricmanager"] in node.calls


@pytest.mark.parametrize("state", ["", "In Progress", "Completed"])
def test_it_is_left_alone_where_switches_are_there_or_cannot_be_ruled_out(sandbox: MakeSandbox, state: str):
    node = sandbox(plans.plan(AZURE, (plans.booted(AZURE, "Standard_ND96isr_H100_v5"),)))
    node.stub("nvidia-smi", NO_SWITCH.replace("N/A", state) if state else NO_SWITCH.replace("Fabric", "Other"))
    node.stub("nv-fabricmanager", "echo 'Fabric Manager version is : 580.95.05'")
    assert node.run(HOLD).returncode == 0
    assert not [c for c in node.called("systemctl") if "disable" in c]


def test_nothing_is_disabled_where_there_is_no_such_unit(sandbox: MakeSandbox):
    node = sandbox(plans.plan(AZURE, (plans.booted(AZURE, "Standard_NC96ads_A100_v4"),)))
    node.stub("nvidia-smi", NO_SWITCH)
    node.stub("systemctl", "[[ $1 == cat ]] && exit 1; exit 0")
    assert node.run(HOLD).returncode == 0
    assert not [c for c in node.called("systemctl") if "disable" in c]


# IMEX.


@pytest.fixture
def rack(sandbox: MakeSandbox) -> Sandbox:
    node = sandbox(plans.plan(AZURE, (plans.booted(AZURE, GB200),)))
    node.stub("nvidia-imex", "exit 0")
    return node


def test_imex_is_for_several_nodes_of_a_rack_only():
    assert IMEX in paths(AZURE, GB200)
    assert IMEX in paths(GCP, "a4x-highgpu-4g")
    assert IMEX not in paths(AZURE, "Standard_ND96isr_H100_v5")
    one = plans.booted(AZURE, GB200, count_max=1, count_initial=1, wanted=1)
    assert IMEX not in {f.path for f in boot_bundle(plans.plan(AZURE, (one,)), one).files}


def test_imex_without_addresses_is_said_with_what_to_write(rack: Sandbox):
    assert rack.run(IMEX).returncode == 1
    assert "/etc/nvidia-imex/nodes_config.cfg" in rack.problems
    assert rack.called("systemctl") == []


def test_imex_starts_with_the_addresses_that_were_written(rack: Sandbox):
    nodes = rack.root / "etc/nvidia-imex/nodes_config.cfg"
    nodes.parent.mkdir(parents=True)
    nodes.write_text("10.0.0.4\n10.0.0.5\n")
    assert rack.run(IMEX).returncode == 0
    assert ["systemctl", "start", "nvidia-imex"] in rack.calls
    assert rack.problems == ""


def test_an_image_without_imex_is_said(rack: Sandbox):
    rack.without("nvidia-imex")
    assert rack.run(IMEX).returncode == 1
    assert "nvidia-imex is not in the image" in rack.problems


# GPUDirect: interfaces alone are not the fabric.


@pytest.fixture
def tcpx(sandbox: MakeSandbox) -> Sandbox:
    pool = plans.booted(GCP, "a3-highgpu-8g")
    assert pool.fabric.kind is FabricKind.GPUDIRECT_TCPX
    node = sandbox(plans.plan(GCP, (pool,), idle_after=timedelta(minutes=30)))
    driver = node.root / "drivers/gve"
    driver.mkdir(parents=True)
    for n in range(9):
        device = node.root / f"sys/class/net/eth{n}/device"
        device.mkdir(parents=True)
        (device / "driver").symlink_to(driver)
    return node


def test_interfaces_without_the_plugin_are_no_tcpx(tcpx: Sandbox):
    done = tcpx.run("/opt/gpuinfra/tasks/60-fabric")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "TCPX MISSING" in tcpx.problems
    assert "TCP" in tcpx.problems


@pytest.mark.parametrize("runs", [True, False])
def test_with_the_plugin_the_receive_manager_is_looked_for(tcpx: Sandbox, runs: bool):
    (tcpx.root / "var/lib/tcpx/lib64").mkdir(parents=True)
    if runs:
        (tcpx.root / "run/tcpx").mkdir(parents=True)
        (tcpx.root / "run/tcpx/rx_rule_manager").touch()
    done = tcpx.run("/opt/gpuinfra/tasks/60-fabric")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("receive manager does not run yet" in done.stdout) is not runs
