"""From rows to software: CUDA releases, container images, node images; and names as people write them."""

from __future__ import annotations

import re

from ..vocabulary import KernelModule, Provider
from .models import ContainerImage, CudaRelease, NodeImage
from .reading import Row

_DOCKER_HUB = re.compile(r"^(?:[a-z0-9-]+\.)?docker\.io/")
# AWS publishes its deep-learning containers in a public gallery and, per region, in private registries of its own.
_AWS_CONTAINERS = re.compile(r"^(?:[^/]+/deep-learning-containers/|\d{12}\.dkr\.ecr[^/]*/)")
_DATED_IMAGE = re.compile(r"^(?:.*/images/)?([a-z][a-z0-9-]*?)-v(\d{8}[a-z]?)$")
_FAMILY = re.compile(r"(?:^|/)family/([^/]+)$")
_URN = re.compile(r"^([^:/\s]+):([^:/\s]+):([^:/\s]+)(?::([^:/\s]+))?$")


def cuda_release(row: Row) -> CudaRelease:
    """A CUDA toolkit release."""
    return CudaRelease(
        version=row.needed_text("cuda_version"),
        min_driver=row.text("min_driver_linux"),
        min_driver_minor_compat=row.text("min_driver_minor_compat"),
        max_branch_minor_compat=row.text("max_driver_branch_minor_compat"),
        released=row.text("released"),
        capabilities=row.items("supported_compute_capabilities"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )


def container_image(row: Row) -> ContainerImage:
    """A container image whose contents are known."""
    return ContainerImage(
        image=row.needed_text("image"),
        registry=row.needed_text("registry"),
        framework=row.text("framework"),
        framework_version=row.text("framework_version"),
        cuda_version=row.text("cuda_version"),
        python_version=row.text("python_version"),
        nccl_version=row.text("nccl_version"),
        efa_version=row.text("efa_version"),
        min_driver=row.text("min_driver"),
        os=row.text("os"),
        arches=row.items("arches"),
        end_of_patch=row.text("eop"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
        weak=row.items("weak"),
    )


def node_image(row: Row) -> NodeImage:
    """A VM image."""
    return NodeImage(
        provider=row.word("provider", Provider),
        name=row.needed_text("name"),
        publisher=row.text("project_or_publisher"),
        selector=row.text("selector"),
        os=row.text("os"),
        arch=row.text("arch"),
        driver=row.text("driver"),
        cuda=row.text("cuda"),
        extras=row.text("extras"),
        machine_types=row.text("machine_types"),
        release=row.text("release"),
        kernel_module=row.word("kernel_module", KernelModule),
        driver_kind=row.text("driver_kind"),
        root_device=row.text("root_device"),
        min_root_gib=row.integer("min_root_gib"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
    )


def version_key(version: str) -> tuple[int, ...]:
    """A version as numbers, so that 12.10 comes after 12.9."""
    return tuple(int(part) for part in version.split(".") if part.isascii() and part.isdigit())


def nearest_versions(version: str, known: list[str]) -> tuple[str, ...]:
    """The known versions just below and just above; nothing for a text that is no version."""
    wanted = version_key(version)
    if not wanted:
        return ()
    ordered = sorted(known, key=version_key)
    below = [v for v in ordered if version_key(v) <= wanted]
    above = [v for v in ordered if version_key(v) > wanted]
    return (*below[-1:], *above[:1])


def container_key(reference: str) -> str:
    """The reference as the table spells it: no digest, no name of the default registry, no AWS account or gallery."""
    name = reference.strip().partition("@")[0]
    name = _AWS_CONTAINERS.sub("", _DOCKER_HUB.sub("", name))
    return name.removeprefix("library/")


class NodeImages:
    """The VM images of a cloud, found by the many ways in which people name one."""

    def __init__(self, rows: tuple[NodeImage, ...]) -> None:
        self.rows = rows
        self._by_selector = {row.selector: row for row in rows if row.selector}
        self._patterns = [(_pattern(row.selector), row) for row in rows if "<" in row.selector]

    @property
    def selectors(self) -> tuple[str, ...]:
        """Every name that a look-up finds."""
        return tuple(self._by_selector)

    def find(self, selector: str) -> NodeImage | None:
        """The image of a selector. A dated image is its family's row without the exact driver, which may differ."""
        name = selector.strip().removeprefix("resolve:ssm:")
        family = _FAMILY.search(name)
        for candidate in (name, f"family/{family[1] if family else name}", f"{name}:latest"):
            if candidate in self._by_selector:
                return self._by_selector[candidate]
        for pattern, row in self._patterns:
            if pattern.fullmatch(name):
                return row
        return self._dated(name)

    def _dated(self, name: str) -> NodeImage | None:
        urn, dated = _URN.match(name), _DATED_IMAGE.match(name)
        if urn and urn[4]:
            row = self._by_selector.get(":".join((urn[1], urn[2], urn[3], "latest")))
            return row and _at_release(row, name, urn[4])
        if dated:
            row = self._by_selector.get(f"family/{dated[1]}")
            return row and _at_release(row, name, dated[2])
        return None


def _pattern(selector: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"<[^<>]+>", "[^/]+", re.sub(r"[.+*?()\[\]{}|^$\\]", r"\\\g<0>", selector)))


def _at_release(row: NodeImage, selector: str, release: str) -> NodeImage:
    # Only a branch that the image's own name holds (…-nvidia-580) is sure to be the branch of each of its releases.
    branch = row.driver.partition(".")[0]
    driver = branch if branch and branch in re.split(r"[-_:/]", row.name) else ""
    notes = f"release {release}; the table knows the driver of {row.release or 'the newest release'}"
    return row._replace(selector=selector, release=release, driver=driver, cuda="", notes=notes)
