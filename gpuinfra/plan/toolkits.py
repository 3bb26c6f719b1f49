"""Which CUDA toolkits have code for which GPU, and the other tables that the solver reads, indexed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from .. import catalog
from ..catalog import Accelerator, ContainerImage, CudaRelease, FrameworkBuild, NodeImage
from ..vocabulary import Provider
from .versions import minor, numbers

if TYPE_CHECKING:
    from .models import ContainerPlan


@dataclass(frozen=True)
class ToolkitSpan:
    """The toolkits that can serve one GPU, as releases. None: no release of the table does.

    Native code is built for the GPU's own compute capability. Binary code also runs on a later capability of the same
    major number (8.6 code on 8.9), though its compilers do not know that GPU: `first_kin` is the first such toolkit.
    PTX that a driver compiles at load time is counted on nowhere: most images carry none for the GPUs in question.
    """

    first: CudaRelease | None
    last: CudaRelease | None
    first_kin: CudaRelease | None
    kin: str
    """The older capability whose code runs, as 8.6."""


@dataclass(frozen=True)
class Facts:
    """The tables that a verdict is drawn from."""

    releases: tuple[CudaRelease, ...]
    containers: tuple[ContainerImage, ...] = ()
    node_images: tuple[NodeImage, ...] = ()
    builds: tuple[FrameworkBuild, ...] = ()

    @cached_property
    def _by_minor(self) -> dict[tuple[int, int], list[CudaRelease]]:
        found: dict[tuple[int, int], list[CudaRelease]] = {}
        for release in sorted(self.releases, key=lambda r: numbers(r.version)):
            key = minor(release.version)
            if key:
                found.setdefault(key, []).append(release)
        return found

    @cached_property
    def _spans(self) -> dict[str, ToolkitSpan]:
        return {}

    @cached_property
    def plans(self) -> dict[str, tuple[ContainerPlan, ...]]:
        """Plans of catalog containers by framework, once they were made."""
        return {}

    @cached_property
    def named(self) -> dict[str, ContainerPlan]:
        """Plans of containers that specs name, by reference."""
        return {}

    @cached_property
    def picks(self) -> dict[tuple[object, ...], tuple[ContainerPlan | None, str]]:
        """Containers that were chosen, by what they were chosen for: pools that are alike are judged once."""
        return {}

    @cached_property
    def meant(self) -> dict[tuple[str, str, str], ContainerPlan | None]:
        """Containers that were likely meant, by the reference, the GPU and the machine."""
        return {}

    @cached_property
    def rankings(self) -> dict[tuple[str, str, str], tuple[NodeImage, ...]]:
        """Node images by machine, GPU and kind of driver, best first, once they were ranked."""
        return {}

    def release(self, version: str) -> CudaRelease | None:
        """The release of a version: its own row, else the newest older patch of that minor version, else its first.

        Patch releases of one minor version share their compute capabilities, and their drivers differ little.
        """
        key = minor(version)
        family = self._by_minor.get(key) if key else None
        if not family:
            return None
        wanted = numbers(version)[:3]
        older = [r for r in family if numbers(r.version) <= wanted]
        return older[-1] if older else family[0]

    def span(self, capability: str) -> ToolkitSpan:
        """The toolkits that have code for a compute capability."""
        known = self._spans.get(capability)
        if known is None:
            known = self._spans[capability] = self._measure(capability)
        return known

    def _measure(self, capability: str) -> ToolkitSpan:
        ordered = [r for family in self._by_minor.values() for r in family]
        own = [r for r in ordered if capability in r.capabilities]
        mine = minor(capability)
        kin: list[tuple[CudaRelease, str]] = []
        if mine:
            for r in ordered:
                older = [c for c in map(minor, r.capabilities) if c and c[0] == mine[0] and c[1] < mine[1]]
                if older:
                    kin.append((r, "{}.{}".format(*max(older))))
        first_kin, name = kin[0] if kin else (None, "")
        # The newest kin is what the toolkit just before the first native one carries.
        if own and kin:
            before = [k for r, k in kin if numbers(r.version) < numbers(own[0].version)]
            name = before[-1] if before else name
        return ToolkitSpan(own[0] if own else None, own[-1] if own else None, first_kin, name)


@lru_cache(maxsize=8)
def catalog_facts(provider: Provider) -> Facts:
    """The packaged tables, with the node images of one cloud."""
    images = catalog.node_images(provider)
    return Facts(catalog.cuda_releases(), catalog.container_images(), images, catalog.framework_builds())


def is_data_center(accelerator: Accelerator) -> bool:
    """Whether the GPU is of the data-centre line, for which alone the forward-compatibility package is made.

    Source: NVIDIA CUDA Compatibility, Forward Compatibility (2026-09).
    """
    return not accelerator.model.upper().startswith(("RTX", "QUADRO"))
