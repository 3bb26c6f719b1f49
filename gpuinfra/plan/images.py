"""The images of a pool: what it boots, what runs on it, and the MIG layout; the seam that `resolve` calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..catalog import Accelerator, InstanceType
from ..diagnostics import Diagnostic
from ..spec.models import Image
from ..vocabulary import FabricKind, Provider, Workload
from . import image_findings as findings
from .compatibility import solve
from .containers import container_plan, is_moving
from .image_choice import newest_of_repository, pick_container
from .mig import mig_plan
from .models import ContainerPlan, Decision, MigPlan, NodeImagePlan
from .node_images import choose_node_image, driver_kind_needed
from .toolkits import Facts, catalog_facts
from .verdict import IMAGE_CONTAINER, IMAGE_NODE, Holds, Question, Rule, Step, Verdict

_AT_CONTAINER = (Rule.DEVICE, Rule.TOOLKIT, Rule.FRAMEWORK, Rule.FABRIC)


@dataclass(frozen=True)
class ImageDecision:
    """`node_image` is None only where nothing can boot the pool (an error says why)."""

    node_image: NodeImagePlan | None
    container: ContainerPlan | None
    mig: MigPlan | None
    decisions: tuple[Decision, ...]
    diagnostics: tuple[Diagnostic, ...]
    verdict: Verdict | None = None
    """The proof that machine, image, container and layout go together; None where there is no image to judge."""


def resolve_images(
    path: str,
    *,
    provider: Provider,
    instance: InstanceType,
    accelerator: Accelerator | None,
    gpus: int,
    fabric: FabricKind,
    mig: str | tuple[str, ...] | None,
    image: Image,
    workload: Workload,
    runs_job: bool = True,
    facts: Facts | None = None,
) -> ImageDecision:
    """The images of the pool at `path`. A pool that the job does not span gets no container.

    Findings of the images stand at `image.node` and `image.container`, of the MIG layout at `<path>.mig`; their text is
    the same for pools with the same trouble. `facts` are the packaged tables unless given.
    """
    known = facts if facts is not None else catalog_facts(provider)
    kind = driver_kind_needed(instance, accelerator)
    choice = choose_node_image(provider, instance, accelerator, image.node, known, kind_needed=kind)
    layout, mig_found = mig_plan(f"{path}.mig", mig, accelerator, instance, gpus)
    found = [*choice.diagnostics, *mig_found]
    decisions: list[Decision] = []
    if choice.plan:
        decisions.append(Decision(IMAGE_NODE, choice.plan.selector or choice.node.name, choice.plan.reason))
    question = Question(instance, accelerator, choice.node, None, kind, fabric, layout.profiles if layout else ())
    container, container_found, decision = None, [], None
    if runs_job and (choice.plan or image.container):
        container, container_found, decision = _container(question, image, workload, known)
    found += container_found
    decisions += [decision] if decision else []
    verdict = solve(replace(question, container=container), known) if choice.plan else None
    if verdict:
        found += _judged(verdict, instance, container, f"{path}.mig")
    if layout:
        reason = f"{len(layout.profiles)} on each of {gpus} GPUs, largest first"
        decisions.append(Decision(f"{path}.mig", ", ".join(layout.profiles), reason))
    return ImageDecision(choice.plan, container, layout, tuple(decisions), tuple(found), verdict)


def _container(
    question: Question, image: Image, workload: Workload, facts: Facts
) -> tuple[ContainerPlan | None, list[Diagnostic], Decision | None]:
    if image.container is None:
        picked, why = pick_container(question, workload, facts)
        return picked, [], Decision(IMAGE_CONTAINER, picked.reference, why) if picked else None
    plan = facts.named.get(image.container) or container_plan(image.container, images=facts.containers)
    if isinstance(plan, Diagnostic):
        return None, [plan], None
    facts.named[image.container] = plan
    return plan, [*_unpinned(plan, facts)], Decision(IMAGE_CONTAINER, plan.reference, _what(plan))


def _what(plan: ContainerPlan) -> str:
    cuda = f"CUDA {plan.cuda}" if plan.cuda else "CUDA unknown" if plan.vendor == "nvidia" else ""
    parts = [p for p in (plan.framework, cuda, "ROCm" if plan.vendor == "amd" else "") if p]
    return f"named in the spec: {', '.join(parts) or 'contents unknown'}" + (f" ({plan.basis})" if plan.basis else "")


def _unpinned(plan: ContainerPlan, facts: Facts) -> list[Diagnostic]:
    if plan.pinned:
        return []
    newest = newest_of_repository(plan, facts)
    hint = f"name a version, as {newest.reference}, or a digest" if newest else ""
    tag = f"the tag '{plan.tag}', which moves" if is_moving(plan.tag) and plan.tag else "no tag, which means latest"
    return [findings.UNPINNED_CONTAINER.at(IMAGE_CONTAINER, f"{plan.reference} has {tag}", hint)]


def _judged(
    verdict: Verdict, instance: InstanceType, container: ContainerPlan | None, mig_path: str
) -> list[Diagnostic]:
    """What the verdict adds to the findings of the node image itself."""
    # A driver that is not known at all is said once, of the node image.
    told = _only(verdict, lambda s: s.holds is not Holds.UNKNOWN or bool(s.ends[1].value))
    found = [*findings.findings_of(told, (Rule.MIG,), mig_path)]
    if container is None:
        return found
    found += findings.findings_of(verdict, _AT_CONTAINER, IMAGE_CONTAINER)
    found += findings.findings_of(told, (Rule.DRIVER,), IMAGE_CONTAINER)
    # Images for another architecture than x86_64 are the exception, so only there is not knowing worth a word.
    doubtful = _only(verdict, lambda s: s.holds is not Holds.UNKNOWN or instance.arch == "arm64")
    return [*found, *findings.findings_of(doubtful, (Rule.CONTAINER_ARCH,), IMAGE_CONTAINER)]


def _only(verdict: Verdict, keep: Callable[[Step], bool]) -> Verdict:
    return replace(verdict, proof=tuple(s for s in verdict.proof if keep(s)))
