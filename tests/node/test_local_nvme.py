"""Local drives: which ones, how often formatted, and never the wrong one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.plan.models import LocalNvmePlan
from gpuinfra.vocabulary import LocalNvme, Provider
from tests.node import plans
from tests.node.conftest import MakeSandbox
from tests.node.sandbox import Sandbox

TASK = "/opt/gpuinfra/tasks/30-local-nvme"


def node_of(sandbox: MakeSandbox, provider: Provider, mode: LocalNvme, mount: Path) -> Sandbox:
    pool = replace(plans.pool(provider), local_nvme=LocalNvmePlan(mode, 30400, str(mount)))
    node = sandbox(plans.plan(provider, (pool,)))
    # A plain image: nothing mounted, no unit of the image, no label yet, no array yet.
    node.stub("mountpoint", f'grep -qxF "$2" {node.root}/mounted 2>/dev/null')
    node.stub("mount", f'echo "${{@: -1}}" >>{node.root}/mounted')
    node.stub("systemctl", "[[ $1 != is-enabled ]]")
    node.stub("blkid", "exit 2")
    node.stub("lsblk", f"[[ -e {node.root}/array ]] && echo /dev/md127 raid0; exit 0")
    node.stub("mdadm", f"[[ $1 == --create ]] && touch {node.root}/array; [[ $1 != --assemble ]]")
    return node


def drives(node: Sandbox, *models: str) -> None:
    for n, model in enumerate(models):
        folder = node.root / f"sys/block/nvme{n}n1/device"
        folder.mkdir(parents=True)
        # The kernel pads the model with blanks.
        (folder / "model").write_text(f"{model:40}\n")


LOCAL = "Amazon EC2 NVMe Instance Storage"
NETWORK = "Amazon Elastic Block Store"


def test_drives_of_the_instance_are_striped_and_network_disks_are_left_alone(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.RAID0, tmp_path / "local")
    drives(node, NETWORK, LOCAL, LOCAL, NETWORK)
    done = node.run(TASK)
    assert done.returncode == 0, done.stdout + done.stderr
    (create,) = node.called("mdadm", "--create")
    assert create[-2:] == ["/dev/nvme1n1", "/dev/nvme2n1"]
    assert "--raid-devices=2" in create
    assert "--level=0" in create
    assert node.called("mkfs.xfs") == [["mkfs.xfs", "-q", "-f", "-K", "-L", "gpuinfra", "/dev/md127"]]
    assert node.called("mount") == [["mount", "-o", "noatime", "/dev/md127", str(tmp_path / "local")]]
    touched = {word for call in node.calls if call[0] != "lsblk" for word in call}
    assert not {"/dev/nvme0n1", "/dev/nvme3n1"} & touched


def test_after_a_reboot_the_array_is_used_again(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.RAID0, tmp_path / "local")
    drives(node, LOCAL, LOCAL)
    (node.root / "array").touch()
    node.stub("blkid", "echo gpuinfra")
    assert node.run(TASK).returncode == 0
    assert node.called("mdadm", "--create") == []
    assert node.called("mkfs.xfs") == []
    assert len(node.called("mount")) == 1


def test_a_second_run_does_nothing(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.RAID0, tmp_path / "local")
    drives(node, LOCAL, LOCAL)
    assert node.run(TASK).returncode == 0
    before = len(node.calls)
    assert node.run(TASK).returncode == 0
    assert {call[0] for call in node.calls[before:]} == {"mountpoint"}


def test_after_a_stop_with_new_drives_they_are_made_anew(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.RAID0, tmp_path / "local")
    drives(node, LOCAL, LOCAL)
    # One member was left in an array that cannot start.
    holder = node.root / "sys/block/nvme0n1/holders/md9"
    holder.mkdir(parents=True)
    assert node.run(TASK).returncode == 0
    assert node.called("mdadm", "--stop") == [["mdadm", "--stop", "/dev/md9"]]
    assert len(node.called("mdadm", "--create")) == 1
    assert len(node.called("mkfs.xfs")) == 1


def test_one_drive_needs_no_array(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.RAID0, tmp_path / "local")
    drives(node, LOCAL)
    assert node.run(TASK).returncode == 0
    assert node.called("mdadm") == []
    assert node.called("mkfs.xfs")[0][-1] == "/dev/nvme0n1"


def test_no_drive_is_said(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.RAID0, tmp_path / "local")
    drives(node, NETWORK)
    assert node.run(TASK).returncode == 1
    assert "no local NVMe drive was found" in node.problems
    assert node.called("mkfs.xfs") == []


@pytest.mark.parametrize("mode", [LocalNvme.RAID0, LocalNvme.SEPARATE])
def test_files_are_never_hidden_in_silence(sandbox: MakeSandbox, tmp_path: Path, mode: LocalNvme):
    node = node_of(sandbox, Provider.AWS, mode, tmp_path / "local")
    drives(node, LOCAL)
    place = tmp_path / "local" / ("0" if mode is LocalNvme.SEPARATE else "")
    place.mkdir(parents=True)
    (place / "precious").touch()
    assert node.run(TASK).returncode == 1
    assert "holds files" in node.problems
    assert node.called("mount") == []
    assert node.called("mkfs.xfs") == []


def test_separate_drives(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.SEPARATE, tmp_path / "local")
    drives(node, LOCAL, NETWORK, LOCAL)
    assert node.run(TASK).returncode == 0
    assert [call[-2:] for call in node.called("mkfs.xfs")] == [
        ["gpuinfra-0", "/dev/nvme0n1"],
        ["gpuinfra-1", "/dev/nvme2n1"],
    ]
    assert [call[-1] for call in node.called("mount")] == [str(tmp_path / "local/0"), str(tmp_path / "local/1")]


def test_what_the_deep_learning_image_mounted_is_used(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.RAID0, tmp_path / "local")
    drives(node, LOCAL, LOCAL)
    node.stub("systemctl", "exit 0")
    (node.root / "mounted").write_text("/opt/dlami/nvme\n")
    assert node.run(TASK).returncode == 0
    assert node.called("mount") == [["mount", "--bind", "/opt/dlami/nvme", str(tmp_path / "local")]]
    assert node.called("mkfs.xfs") == node.called("mdadm") == []


def test_separate_takes_the_deep_learning_images_stripe_apart_once(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AWS, LocalNvme.SEPARATE, tmp_path / "local")
    drives(node, LOCAL, LOCAL)
    node.stub(
        "systemctl", f"[[ $1 == disable ]] && touch {node.root}/off; [[ $1 != is-enabled || ! -e {node.root}/off ]]"
    )
    node.stub("findmnt", "echo /dev/mapper/vg.01-lv_ephemeral")
    node.stub("lvs", "echo '  vg.01'")
    (node.root / "mounted").write_text("/opt/dlami/nvme\n")
    assert node.run(TASK).returncode == 0
    assert node.called("systemctl", "disable") == [["systemctl", "disable", "--now", "dlami-nvme.service"]]
    assert node.called("vgremove") == [["vgremove", "-q", "-f", "-y", "vg.01"]]
    assert len(node.called("mkfs.xfs")) == 2


def test_what_the_azure_hpc_image_mounted_is_used_and_never_formatted(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AZURE, LocalNvme.RAID0, tmp_path / "local")
    drives(node, "Microsoft NVMe Direct Disk", "Microsoft NVMe Direct Disk")
    (node.root / "opt/azurehpc").mkdir()
    (node.root / "mounted").write_text("/mnt/resource_nvme\n")
    assert node.run(TASK).returncode == 0
    assert node.called("mount") == [["mount", "--bind", "/mnt/resource_nvme", str(tmp_path / "local")]]
    assert node.called("mkfs.xfs") == []


def test_an_azure_hpc_image_that_never_mounts_is_said_and_its_drives_left_alone(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AZURE, LocalNvme.RAID0, tmp_path / "local")
    drives(node, "Microsoft NVMe Direct Disk")
    (node.root / "opt/azurehpc").mkdir()
    assert node.run(TASK).returncode == 1
    assert "/mnt/resource_nvme" in node.problems
    assert node.called("mkfs.xfs") == []


def test_a_plain_azure_image_is_set_up_here(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.AZURE, LocalNvme.RAID0, tmp_path / "local")
    drives(node, "MSFT NVMe Accelerator v1.0", "Microsoft NVMe Direct Disk v2", "Microsoft NVMe Direct Disk v2")
    assert node.run(TASK).returncode == 0
    assert node.called("mdadm", "--create")[0][-2:] == ["/dev/nvme1n1", "/dev/nvme2n1"]


def test_google_finds_its_drives_by_their_links(sandbox: MakeSandbox, tmp_path: Path):
    node = node_of(sandbox, Provider.GCP, LocalNvme.RAID0, tmp_path / "local")
    links = node.root / "dev/disk/by-id"
    links.mkdir(parents=True)
    for name in ("sda", "nvme0n1", "nvme0n2", "nvme0n10"):
        (node.root / "dev" / name).touch()
    (links / "google-persistent-disk-0").symlink_to("../../sda")
    for n, name in enumerate(("nvme0n1", "nvme0n2", "nvme0n10")):
        (links / f"google-local-nvme-ssd-{n}").symlink_to(f"../../{name}")
        (node.root / f"dev/{name}p1").touch()
        (links / f"google-local-nvme-ssd-{n}-part1").symlink_to(f"../../{name}p1")
    assert node.run(TASK).returncode == 0
    (create,) = node.called("mdadm", "--create")
    assert [Path(word).name for word in create if "/dev/nvme" in word] == ["nvme0n1", "nvme0n2", "nvme0n10"]
    assert "--raid-devices=3" in create
