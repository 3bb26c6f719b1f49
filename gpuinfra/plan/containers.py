"""What a container reference says about its contents: framework, CUDA, GPU vendor, CPU architectures, and whether it moves.

The catalog is asked first; then the tag is read by the rules of its publisher. What neither says stays empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .. import catalog
from ..catalog import ContainerImage, Miss
from ..catalog.software import AWS_PRIVATE_REGISTRY, AWS_PUBLIC_GALLERY
from ..diagnostics import Diagnostic
from . import image_findings as findings
from .models import ContainerPlan
from .oci_reference import BadReference, Reference, parse_reference
from .versions import minor, numbers

NVIDIA, AMD, CPU = "nvidia", "amd", "cpu"
CATALOG, TAG, UNKNOWN = "catalog", "tag", "unknown"

Lookup = Callable[[str], ContainerImage | Miss]

_AWS_REGISTRY = rf"(?:{re.escape(AWS_PUBLIC_GALLERY)}|{AWS_PRIVATE_REGISTRY})"
_AWS_DEEP_LEARNING = re.compile(rf"{_AWS_REGISTRY}/[a-z0-9-]+")


@dataclass(frozen=True)
class _Publisher:
    """What a repository is known to hold, whatever the tag."""

    repository: re.Pattern[str]
    framework: str
    vendor: str
    """Empty where the tag decides between GPU and CPU builds."""
    plain: str = ""
    """The vendor of a tag that names neither CPU nor GPU."""


_PUBLISHERS = (
    _Publisher(re.compile(r"docker\.io/pytorch/pytorch"), "pytorch", NVIDIA),
    _Publisher(re.compile(r"docker\.io/tensorflow/tensorflow"), "tensorflow", "", plain=CPU),
    _Publisher(re.compile(r"docker\.io/vllm/vllm-openai"), "vllm", NVIDIA),
    _Publisher(re.compile(r"docker\.io/vllm/vllm-openai-rocm"), "vllm", AMD),
    _Publisher(re.compile(r"docker\.io/rocm/(?P<framework>[a-z0-9]+)[a-z0-9._/-]*"), "", AMD),
    _Publisher(re.compile(r"(?:docker\.io|nvcr\.io)/nvidia/cuda"), "cuda", NVIDIA),
    _Publisher(re.compile(r"nvcr\.io/nvidia/(?P<framework>[a-z0-9]+)[a-z0-9._/-]*"), "", NVIDIA),
    _Publisher(re.compile(rf"{_AWS_REGISTRY}/(?P<framework>[a-z0-9]+)[a-z0-9-]*"), "", ""),
)

_FRAMEWORKS = frozenset({"pytorch", "tensorflow", "vllm", "sglang", "jax", "tritonserver", "nemo", "cuda", "base"})

# NGC's monthly images share one CUDA a month (triton-inference-server/server:docs/introduction/compatibility.md).
_MONTHLY = re.compile(r"nvcr\.io/nvidia/(?:pytorch|tensorflow|tritonserver)")
_MONTH = re.compile(r"(\d\d\.(?:0[1-9]|1[0-2]))(?:-|$)")
_MONTHS_FROM = "nvcr.io/nvidia/pytorch:"
_FIRST_YEAR = 17
# A month that is not listed yet may well be out; one of a later year is a slip of the pen.
_MONTHS_AHEAD = 6

_CUDA_LONG = re.compile(r"(?:^|[^a-z0-9])cuda[-_]?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?!\d)")
_CUDA_SHORT = re.compile(r"(?:^|[^a-z0-9])cu(\d\d)(\d)(?!\d)")
_CUDA_FIRST = re.compile(r"(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?:-|$)")
_WORD_CPU = re.compile(r"(?:^|[^a-z0-9])cpu(?:$|[^a-z0-9])")
_WORD_GPU = re.compile(r"(?:^|[^a-z0-9])gpu(?:$|[^a-z0-9])")

_MOVING_WORDS = frozenset(
    {"latest", "main", "master", "nightly", "dev", "devel", "edge", "stable", "head", "lts", "release"}
)
_MOVING = re.compile(r"v?\d+|(?:latest|nightly|main|master)[-_].*|.*[-_](?:latest|nightly|main|master)")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def container_plan(
    reference: str,
    path: str = "image.container",
    *,
    lookup: Lookup | None = None,
    images: Iterable[ContainerImage] | None = None,
) -> ContainerPlan | Diagnostic:
    """What is known of the container at `reference`, or the finding that it is no reference.

    `lookup` and `images` are the catalog's unless given.
    """
    parsed = parse_reference(reference)
    if isinstance(parsed, BadReference):
        hint = f"write {parsed.nearest}" if parsed.nearest else ""
        shown = reference if len(reference) <= 120 else f"{reference[:117]}…"
        return findings.BAD_REFERENCE.at(path, f"'{shown}' is no container reference: it {parsed.reason}", hint)
    base = _from_name(reference, parsed, catalog.container_images() if images is None else images)
    # A digest without a tag says nothing about the contents that a table of tags could match.
    row = (lookup or catalog.container_image)(reference) if parsed.tag else None
    return _from_row(base, row) if isinstance(row, ContainerImage) else base


def full_reference(image: ContainerImage) -> str:
    """The reference that pulls a catalog image."""
    return image.image


def is_moving(tag: str) -> bool:
    """Whether a tag is known to be pointed at other contents from time to time: none, latest, nightly, a bare major."""
    word = tag.lower()
    if not word or word in _MOVING_WORDS:
        return True
    return bool(_MOVING.fullmatch(word)) and not _COMMIT.search(word)


def plan_of(image: ContainerImage) -> ContainerPlan:
    """The plan of a catalog image."""
    reference = full_reference(image)
    parsed = parse_reference(reference)
    if isinstance(parsed, BadReference):
        # A row that cannot be pulled is kept out of every choice by its empty vendor.
        return ContainerPlan(reference, "", "", "", image.framework, "", image.arches, "", UNKNOWN, False, image)
    return _from_row(_from_name(reference, parsed, ()), image)


def _from_name(reference: str, parsed: Reference, images: Iterable[ContainerImage]) -> ContainerPlan:
    repository, tag = parsed.repository, parsed.tag.lower()
    framework, vendor, plain = _publisher(repository)
    cuda = _cuda_in(tag, framework)
    if "rocm" in tag or "rocm" in repository:
        vendor, cuda = AMD, ""
    elif _WORD_CPU.search(tag):
        vendor, cuda = CPU, ""
    elif cuda or (framework and not vendor and _WORD_GPU.search(tag)):
        vendor = NVIDIA
    elif not vendor and (tag or not parsed.digest):
        vendor = plain
    plan = ContainerPlan(
        reference=reference,
        repository=repository,
        tag=parsed.tag,
        digest=parsed.digest,
        framework=framework,
        cuda=cuda,
        arches=_aws_arches(repository),
        vendor=vendor,
        known=TAG if vendor else UNKNOWN,
        pinned=bool(parsed.digest) or not is_moving(parsed.tag),
        basis="its tag" if vendor else "",
    )
    return _by_month(plan, images) if _MONTHLY.fullmatch(repository) and not cuda else plan


def _publisher(repository: str) -> tuple[str, str, str]:
    """Framework and vendor of a repository, and the vendor of its plain tags; empty where not known."""
    for publisher in _PUBLISHERS:
        match = publisher.repository.fullmatch(repository)
        if match:
            named = publisher.framework or match.groupdict().get("framework", "")
            return named if named in _FRAMEWORKS else "", publisher.vendor, publisher.plain
    return "", "", ""


def _cuda_in(tag: str, framework: str) -> str:
    if framework == "cuda":
        first = _CUDA_FIRST.match(tag)
        return first[1] if first else ""
    long = _CUDA_LONG.search(tag)
    if long:
        return long[1]
    short = _CUDA_SHORT.search(tag)
    return f"{short[1]}.{short[2]}" if short else ""


def _aws_arches(repository: str) -> tuple[str, ...]:
    """AWS builds one repository for each CPU architecture and puts arm64 into the name."""
    if not _AWS_DEEP_LEARNING.fullmatch(repository):
        return ()
    return ("arm64",) if repository.endswith("-arm64") else ("x86_64",)


def _by_month(plan: ContainerPlan, images: Iterable[ContainerImage]) -> ContainerPlan:
    """The CUDA of an NGC month: of the month's row, else between the months around it. CUDA never goes back."""
    month = _MONTH.match(plan.tag)
    if not month:
        return plan
    rows = [
        (i.image.removeprefix(_MONTHS_FROM)[:5], i)
        for i in images
        if i.image.startswith(_MONTHS_FROM) and i.cuda_version and _MONTH.match(i.image.removeprefix(_MONTHS_FROM))
    ]
    rows.sort(key=lambda r: r[0])
    if not rows or not _is_near(month[1], rows[-1][0]):
        return plan
    before = [i for m, i in rows if m <= month[1]]
    after = [i for m, i in rows if m >= month[1]]
    if before and after and before[-1] is after[0]:
        row = after[0]
        return replace(plan, cuda=row.cuda_version, basis=f"the month of its tag ({row.source}, {row.as_of})")
    return replace(
        plan,
        cuda_at_least=before[-1].cuda_version if before else "",
        cuda_at_most=after[0].cuda_version if after else "",
        basis="the months around that of its tag",
    )


def _is_near(month: str, newest: str) -> bool:
    """Whether an image of a month can exist: since the first ones, and not long after the newest that is known."""
    ahead = _count(month) - _count(newest)
    return int(month[:2]) >= _FIRST_YEAR and ahead <= _MONTHS_AHEAD


def _count(month: str) -> int:
    year, number = month.split(".")
    return int(year) * 12 + int(number)


def month_of(plan: ContainerPlan) -> str:
    """The month that a monthly image is of, as 25.08; empty for other images."""
    found = _MONTH.match(plan.tag) if _MONTHLY.fullmatch(plan.repository) else None
    return found[1] if found else ""


def catalog_repository(plan: ContainerPlan) -> str:
    """The repository as the tables spell it: AWS's private registries hold what its public gallery does."""
    return re.sub(rf"^{AWS_PRIVATE_REGISTRY}", AWS_PUBLIC_GALLERY, plan.repository)


def _from_row(plan: ContainerPlan, row: ContainerImage) -> ContainerPlan:
    vendor = AMD if "rocm" in row.image.lower() else plan.vendor or (NVIDIA if row.cuda_version else "")
    cuda = row.cuda_version if vendor == NVIDIA else ""
    # The tag is the publisher's own word where the row has none.
    known_cuda = cuda or plan.cuda
    return replace(
        plan,
        framework=row.framework.partition(" ")[0] or plan.framework,
        cuda=known_cuda,
        cuda_at_least="" if known_cuda else plan.cuda_at_least,
        cuda_at_most="" if known_cuda else plan.cuda_at_most,
        arches=row.arches or plan.arches,
        vendor=vendor,
        known=CATALOG,
        image=row,
        basis=f"{row.source}, {row.as_of}" if row.as_of else row.source,
    )


def cuda_range(plan: ContainerPlan) -> tuple[str, str]:
    """The oldest and the newest CUDA that the container can hold; an empty end is unknown."""
    if minor(plan.cuda):
        return plan.cuda, plan.cuda
    return plan.cuda_at_least, plan.cuda_at_most


def framework_version(plan: ContainerPlan) -> str:
    """The framework's version: the catalog's, else the number that the tag begins with; empty where unknown."""
    if plan.image and plan.image.framework_version:
        return plan.image.framework_version
    return ".".join(str(n) for n in numbers(plan.tag)) if plan.framework != "cuda" else ""
