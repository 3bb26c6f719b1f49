"""Shared storage on the node: how it is mounted, tried again, and refused."""

from __future__ import annotations

from types import ModuleType

import pytest

from gpuinfra.vocabulary import Provider, StorageKind
from tests.node import plans
from tests.node.conftest import MakeSandbox
from tests.node.sandbox import Sandbox

TASK = "/opt/gpuinfra/tasks/70-mounts"


def test_each_storage_is_mounted_with_its_options(sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.AWS))
    done = node.run(TASK)
    assert done.returncode == 0, done.stdout
    lustre, nfs = node.called("mount")
    assert lustre == [
        *("mount", "-t", "lustre", "-o", "noatime,flock,lazystatfs,_netdev"),
        "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com@tcp:/fsx",
        "/scratch",
    ]
    assert nfs[:3] == ["mount", "-t", "nfs"]
    assert nfs[4].startswith("nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport")
    assert nfs[5:] == ["fs-0aaa.efs.us-east-2.amazonaws.com:/", "/shared"]
    assert node.problems == ""


def test_only_a_bucket_of_the_cluster_may_lose_objects(sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.AWS))
    node.run(TASK)
    existing, made = node.called("mount-s3")
    assert existing == ["mount-s3", "acme-data", "/data", "--allow-other", "--prefix", "tokens/"]
    assert made[1:3] == ["llama-results-7f3a", "/results"]
    assert {"--allow-delete", "--allow-overwrite"} <= set(made)


def test_google_and_azure_buckets(tmp_path, sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.GCP))
    assert node.run(TASK).returncode == 0
    assert node.called("gcsfuse")[0] == [
        *("gcsfuse", "--implicit-dirs", "-o", "allow_other", "--only-dir", "tokens/", "acme-data", "/data")
    ]


def test_azure_buckets_use_the_nodes_identity(sandbox: MakeSandbox):
    plan = plans.plan(Provider.AZURE, stores=(plans.storage(StorageKind.BUCKET, "data", "/data", "acme1/tok"),))
    node = sandbox(plan)
    node.stub("blobfuse2", f'echo "$AZURE_STORAGE_ACCOUNT $AZURE_STORAGE_AUTH_TYPE" >{node.root}/seen')
    assert node.run(TASK).returncode == 0
    (call,) = node.called("blobfuse2")
    assert call[1:3] == ["mount", "/data"]
    assert call[call.index("--container-name") + 1] == "tok"
    assert (node.root / "seen").read_text() == "acme1 MSI\n"


def test_what_is_mounted_already_stays(sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.AWS, stores=(plans.storage(StorageKind.NFS, "home", "/my home"),)))
    (node.root / "proc/mounts").write_text("server:/ /my\\040home nfs4 rw 0 0\n")
    assert node.run(TASK).returncode == 0
    assert node.called("mount") == []


def test_files_are_never_hidden_in_silence(sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.AWS))
    (node.root / "scratch").mkdir()
    (node.root / "scratch/precious").touch()
    assert node.run(TASK).returncode == 1
    assert "storage scratch: /scratch holds files" in node.problems
    assert [call[-1] for call in node.called("mount")] == ["/shared"]


def test_a_mount_that_fails_is_tried_again_and_said_and_does_not_hold_up_the_others(sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.AWS))
    node.stub("mount", "[[ $2 == nfs ]] && exit 0; echo 'Connection timed out' >&2; exit 1")
    module = _fast(node)
    assert module.main() == 1
    assert len(node.called("mount", "-t", "lustre")) == module.TRIES
    assert "storage scratch: /scratch could not be mounted from fs-0123456789abcdef0" in node.problems
    assert "Connection timed out" in node.problems
    assert len(node.called("mount", "-t", "nfs")) == 1


def _fast(node: Sandbox) -> ModuleType:
    module = node.module(TASK)
    module.os.environ.update(node.environment)
    module.node.SLEEP = lambda seconds: None
    return module


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch):
    """`_fast` sets these; they go back after the test."""
    for name in ("PATH", "GPUINFRA_ROOT", "LC_ALL"):
        monkeypatch.setenv(name, __import__("os").environ.get(name, ""))


def test_waiting_grows_and_ends(sandbox: MakeSandbox):
    module = _fast(sandbox(plans.plan()))
    waits: list[int] = []
    module.node.SLEEP = waits.append
    assert not module.node.retry(module.TRIES, lambda: False)
    assert waits[:6] == [2, 4, 8, 16, 32, 60]
    assert len(waits) == module.TRIES - 1
    assert 300 < sum(waits) < 1800


def test_the_second_form_of_nfs_is_tried_where_the_first_is_refused(sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.GCP, stores=(plans.storage(StorageKind.NFS, "home", "/shared"),)))
    node.stub("mount", "[[ $4 == nfsvers=3* ]]")
    assert node.run(TASK).returncode == 0
    assert [call[4].split(",")[0] for call in node.called("mount")] == ["nfsvers=4.1", "nfsvers=3"]


def test_googles_lustre_client_speaks_over_the_first_network_alone(sandbox: MakeSandbox):
    node = sandbox(plans.plan(Provider.GCP))
    (node.root / "proc/net").mkdir()
    (node.root / "proc/net/route").write_text("Iface Destination\nenp6s0 0000FEA9\nenp0s12 00000000\n")
    node.stub("gpg", "cat >/dev/null")
    done = node.run("/opt/gpuinfra/bin/lustre-client")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (node.root / "etc/modprobe.d/gpuinfra-lnet.conf").read_text() == "options lnet networks=tcp0(enp0s12)\n"
    source = (node.root / "etc/apt/sources.list.d/gcp-lustre-client.list").read_text()
    assert source.startswith("deb [signed-by=/usr/share/keyrings/gcp-lustre-client.gpg] https://us-apt.pkg.dev/")
    assert any("lustre-client-utils" in call for call in node.called("apt-get"))


def test_the_lustre_client_is_installed_for_the_running_kernel_where_it_is_missing(sandbox: MakeSandbox):
    plan = plans.plan(Provider.AWS, stores=(plans.storage(StorageKind.LUSTRE, "scratch", "/scratch"),))
    node = sandbox(plan)
    client = node.root / "opt/gpuinfra/bin/lustre-client"
    assert "lustre-client-modules-$(uname -r)" in client.read_text()
    node.without("mount.lustre")
    client.write_text(
        f"#!/bin/bash\nprintf '#!/bin/bash\\n' >{node.stubs}/mount.lustre\nchmod +x {node.stubs}/mount.lustre\n"
    )
    assert node.run(TASK).returncode == 0
    assert len(node.called("mount")) == 1


def test_a_client_that_cannot_be_had_is_said(sandbox: MakeSandbox):
    plan = plans.plan(Provider.AWS, stores=(plans.storage(StorageKind.LUSTRE, "scratch", "/scratch"),))
    node = sandbox(plan)
    node.without("mount.lustre")
    (node.root / "opt/gpuinfra/bin/lustre-client").write_text(
        "#!/bin/bash\necho 'Unable to locate package' >&2; exit 100\n"
    )
    assert node.run(TASK).returncode == 1
    assert "mount.lustre could not be installed: Unable to locate package" in node.problems
    assert node.called("mount") == []


def test_a_module_for_another_kernel_is_said(sandbox: MakeSandbox):
    plan = plans.plan(Provider.AWS, stores=(plans.storage(StorageKind.LUSTRE, "scratch", "/scratch"),))
    node = sandbox(plan)
    node.stub("modprobe", "exit 1")
    assert node.run(TASK).returncode == 1
    assert "there is no Lustre client module for kernel" in node.problems


@pytest.mark.parametrize("mount", ["/", "//", "/a/..", "relative", ""])
def test_a_mount_that_is_no_directory_of_its_own_is_refused(sandbox: MakeSandbox, mount: str):
    from dataclasses import replace

    store = replace(plans.storage(StorageKind.NFS, "home"), mount=mount)
    node = sandbox(plans.plan(Provider.AWS, stores=(store,)))
    assert node.run(TASK).returncode == 1
    assert "is not a directory of its own" in node.problems
    assert node.called("mount") == []


def test_an_inner_mount_comes_after_the_outer_one(sandbox: MakeSandbox):
    stores = (plans.storage(StorageKind.NFS, "inner", "/data/a/b"), plans.storage(StorageKind.NFS, "outer", "/data"))
    node = sandbox(plans.plan(Provider.AWS, stores=stores))
    node.run(TASK)
    assert [call[-1] for call in node.called("mount")] == ["/data", "/data/a/b"]


def test_metacharacters_stay_one_argument(sandbox: MakeSandbox, tmp_path):
    odd = f"/m $(touch {tmp_path}/owned) `touch {tmp_path}/owned`;\n'x"
    node = sandbox(plans.plan(Provider.AWS, stores=(plans.storage(StorageKind.NFS, "home", odd),)))
    assert node.run(TASK).returncode == 0
    (call,) = node.called("mount")
    assert call[-1] == odd
    assert not (tmp_path / "owned").exists()
