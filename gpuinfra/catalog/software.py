"""From rows to software: CUDA releases, container images, node images; and names as people write them."""

from __future__ import annotations

import re

from ..vocabulary import KernelModule, Provider
from .models import ContainerImage, CudaRelease, FrameworkBuild, NodeImage
from .reading import Row

_DOCKER_HUB = re.compile(r"^(?:[a-z0-9-]+\.)?docker\.io/")
AWS_PUBLIC_GALLERY = "public.ecr.aws/deep-learning-containers"
# AWS publishes its deep-learning containers in a public gallery and, per region, in private registries of its own.
# Source of the accounts: aws/deep-learning-containers:available_images.md.
AWS_PRIVATE_REGISTRY = (
    r"(?:763104351884|626614931356|871362719292|364406365360|907027046896|692866216735|217643126080|914824155844"
    r"|727897471807)\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?"
)
_AWS_CONTAINERS = re.compile(f"^{AWS_PRIVATE_REGISTRY}/")
_DATED_IMAGE = re.compile(r"^(?:.*/images/)?([a-z][a-z0-9-]*?)-v(\d{8}[a-z]?)$")
# Ubuntu's dated images carry the release's code name where the family says lts: ubuntu-2404-noble-amd64-v20261101.
_UBUNTU_IMAGE = re.compile(r"(ubuntu-\d{4})-[a-z]+((?:-amd64|-arm64)?)")
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


def framework_build(row: Row) -> FrameworkBuild:
    """The oldest GPU that a publisher's builds of a framework serve."""
    return FrameworkBuild(
        repositories=row.items("repositories"),
        framework=row.needed_text("framework"),
        version_from=row.text("version_from"),
        version_until=row.text("version_until"),
        cuda_from=row.text("cuda_from"),
        arch=row.text("arch"),
        lowest_capability=row.needed_text("lowest_capability"),
        notes=row.text("notes"),
        source=row.text("source"),
        as_of=row.text("as_of"),
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
        trusted_launch=row.flag("trusted_launch"),
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
    """The reference as the table spells it: no digest, no name of the default registry, AWS's by their public gallery.

    A bare `pytorch-training:…` stays what a node would pull: an image of Docker Hub.
    """
    name = reference.strip().partition("@")[0]
    name = _AWS_CONTAINERS.sub(f"{AWS_PUBLIC_GALLERY}/", _DOCKER_HUB.sub("", name))
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
        """The image of a selector. A dated image is its family's row, whose driver was not verified for that date."""
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
            row = self._by_selector.get(f"family/{dated[1]}") or self._ubuntu(dated[1])
            return row and _at_release(row, name, dated[2])
        return None

    def _ubuntu(self, name: str) -> NodeImage | None:
        ubuntu = _UBUNTU_IMAGE.fullmatch(name)
        if not ubuntu:
            return None
        lts = f"family/{ubuntu[1]}-lts"
        return self._by_selector.get(f"{lts}{ubuntu[2]}") or self._by_selector.get(lts)


def _pattern(selector: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"<[^<>]+>", "[^/]+", re.sub(r"[.+*?()\[\]{}|^$\\]", r"\\\g<0>", selector)))


def _at_release(row: NodeImage, selector: str, release: str) -> NodeImage:
    # Only a branch that the image's own name holds (…-nvidia-580) is sure to be the branch of each of its releases.
    branch = row.driver.partition(".")[0]
    if branch and branch in re.split(r"[-_:/]", row.name):
        return row._replace(selector=selector, release=release, driver=branch, cuda="")
    notes = f"release {release}; the facts are those of {row.release or f'the release that was read ({row.as_of})'}"
    return row._replace(selector=selector, release=release, notes=notes, verified=not row.driver)
