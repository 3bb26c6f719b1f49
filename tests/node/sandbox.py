"""A folder that stands in for a node's disk: the bundle's files, and programs that only note how they were called."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from gpuinfra.node import BootBundle

# Whatever could touch the machine that runs the tests is a stub, whether a test speaks of it or not.
ALWAYS = [
    "apt-cache",
    "apt-get",
    "apt-mark",
    "aws",
    "blkid",
    "blobfuse2",
    "curl",
    "dnf",
    "docker",
    "dpkg-query",
    "fi_info",
    "findmnt",
    "gcsfuse",
    "loginctl",
    "logger",
    "lsblk",
    "lvs",
    "mdadm",
    "mkfs.xfs",
    "mokutil",
    "modprobe",
    "mount",
    "mount-s3",
    "mount.lustre",
    "mount.nfs4",
    "mountpoint",
    "nv-fabricmanager",
    "nvidia-ctk",
    "nvidia-imex",
    "nvidia-smi",
    "rocm-smi",
    "rpm",
    "sleep",
    "systemctl",
    "tdnf",
    "udevadm",
    "umount",
    "vgremove",
    "who",
    "wipefs",
]


class Sandbox:
    """Files of a bundle under `root`; stubs first on PATH."""

    def __init__(self, root: Path, bundle: BootBundle, late: Mapping[str, str]) -> None:
        root = Path(tempfile.mkdtemp(dir=root))
        self.root = root / "node"
        self.stubs = root / "stubs"
        self.log = root / "calls"
        self.stubs.mkdir(parents=True)
        self.log.touch()
        for file in bundle.with_late(late):
            path = self.root / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.content.replace("#!/usr/bin/python3", f"#!{sys.executable}", 1))
            path.chmod(int(file.mode, 8))
        (self.root / "proc").mkdir()
        (self.root / "proc/mounts").write_text("/dev/root / ext4 rw 0 0\n")
        (self.root / "etc").mkdir(exist_ok=True)
        for name in ALWAYS:
            self.stub(name, "exit 0")

    def stub(self, name: str, body: str) -> None:
        """A program of that name: notes its call, then runs `body`."""
        path = self.stubs / name
        path.write_text(
            f"#!/bin/bash\n{{ printf '%s\\x1f' \"${{0##*/}}\" \"$@\"; printf '\\x1e'; }} >>'{self.log}'\n{body}\n"
        )
        path.chmod(0o755)

    def without(self, *names: str) -> None:
        """Programs that the node lacks."""
        for name in names:
            (self.stubs / name).unlink()

    @property
    def calls(self) -> list[list[str]]:
        """Every call so far, as program and arguments."""
        return [record.split("\x1f")[:-1] for record in self.log.read_text().split("\x1e")[:-1]]

    def called(self, *start: str) -> list[list[str]]:
        """The calls that begin so."""
        return [call for call in self.calls if call[: len(start)] == list(start)]

    @property
    def environment(self) -> dict[str, str]:
        # Only the folders of the basic tools follow, so that a stub that was taken away is missing.
        return {"PATH": f"{self.stubs}:{self.tools()}", "GPUINFRA_ROOT": str(self.root), "LC_ALL": "C"}

    def tools(self) -> Path:
        """A folder of links to the plain tools that the scripts may use for real."""
        folder = self.stubs.parent / "tools"
        if not folder.exists():
            folder.mkdir()
            names = "awk bash cat chmod cut date env grep head ls mkdir mktemp mv readlink rm sed seq sort tail timeout touch tr uname wc xargs"
            for name in names.split():
                for place in ("/usr/bin", "/bin"):
                    if os.path.exists(f"{place}/{name}"):
                        (folder / name).symlink_to(f"{place}/{name}")
                        break
        return folder

    def run(self, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a file of the bundle by its path on the node."""
        program = self.root / path.lstrip("/")
        return subprocess.run(
            [str(program), *arguments], env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    @property
    def problems(self) -> str:
        """What people are told when they log in."""
        path = self.root / "run/gpuinfra/problems"
        return path.read_text() if path.exists() else ""

    def module(self, path: str) -> ModuleType:
        """A Python file of the bundle as a module, with the node's own modules loaded afresh."""
        for name in ("gpuinfra_node", "gpuinfra_cloud"):
            sys.modules.pop(name, None)
        before = os.environ.get("GPUINFRA_ROOT")
        os.environ["GPUINFRA_ROOT"] = str(self.root)
        library = str(self.root / "opt/gpuinfra/lib")
        sys.path.insert(0, library)
        try:
            from importlib.machinery import SourceFileLoader

            name = f"node_{Path(path).name.replace('-', '_').replace('.', '_')}"
            loader = SourceFileLoader(name, str(self.root / path.lstrip("/")))
            spec = importlib.util.spec_from_loader(name, loader)
            assert spec is not None
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
            return module
        finally:
            sys.path[:] = [entry for entry in sys.path if entry != library]
            if before is None:
                del os.environ["GPUINFRA_ROOT"]
            else:
                os.environ["GPUINFRA_ROOT"] = before
