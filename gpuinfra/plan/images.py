"""The images of a pool: what it boots, what runs on it, and the MIG layout; the seam that `resolve` calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..catalog import Accelerator, InstanceType
from ..diagnostics import Diagnostic
from ..spec.models import Image
from ..vocabulary import FabricKind, Launcher, Provider, Workload
from . import image_findings as findings
from .compatibility import solve
from .containers import CATALOG, catalog_repository, container_plan, is_moving
from .image_choice import alternatives, likely_meant, newest_of_repository, pick_container
from .mig import across_instances, mig_plan
from .models import ContainerPlan, Decision, MigPlan, NodeImagePlan
from .node_images import choose_node_image, driver_kind_needed
from .oci_reference import DOCKER_HUB
from .toolkits import Facts, catalog_facts
from .verdict import IMAGE_CONTAINER, IMAGE_NODE, Holds, Question, Rule, Step, Verdict

_ROCM_FIX = (
    "name a ROCm image of the catalog (gpuinfra images), or put rocm into the tag, as ghcr.io/team/image:1.0-rocm7"
)
_OFFICIAL = f"{DOCKER_HUB}/library/"
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
    nodes: int = 1,
    launcher: Launcher = Launcher.NONE,
    facts: Facts | None = None,
) -> ImageDecision:
    """The images of the pool at `path`. A pool beside those with GPUs gets no container, unless the job spans it.

    Findings of the images stand at `image.node` and `image.container`, of the MIG layout at `<path>.mig`; their text is
    the same for pools with the same trouble. `nodes` and `launcher` are those of the job that spans the pool. `facts` are the packaged tables unless given.
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
    decisions += [decision] if decision else []
    asked = replace(question, container=container)
    verdict = solve(asked, known) if choice.plan else None
    if verdict:
        judged = [*container_found, *_judged(verdict, instance, container, f"{path}.mig")]
        found += _with_build_for_cpu(_with_likely_meant(judged, asked, known), asked, known)
    else:
        found += container_found
    if layout:
        found += across_instances(f"{path}.mig", layout, gpus, nodes, launcher, fabric)
    if layout:
        on = "the GPU" if gpus == 1 else f"each of {gpus} GPUs"
        reason = f"{len(layout.profiles)} on {on}, largest first"
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
    text = f"{plan.reference} has {tag}"
    if not plan.cuda and plan.vendor in ("", "nvidia"):
        text += ": what it holds today, and so whether it runs here, is unknown"
    return [findings.UNPINNED_CONTAINER.at(IMAGE_CONTAINER, text, hint)]


def _with_likely_meant(found: list[Diagnostic], q: Question, facts: Facts) -> list[Diagnostic]:
    """The findings of a container that is unknown name the catalog image that was likely meant."""
    code, container = findings.UNKNOWN_CONTAINER.code, q.container
    if container is None or q.accelerator is None:
        return found
    if container.known == CATALOG and container.pinned and not any(d.code == code for d in found):
        return found
    key = (container.reference, q.accelerator.model, q.instance.name)
    if key not in facts.meant:
        facts.meant[key] = likely_meant(q, container, facts)
    meant = facts.meant[key]
    other = meant is not None and meant.repository != catalog_repository(container)
    guess = f"did you mean {meant.reference}? Otherwise " if meant and other else ""
    if not container.pinned:
        # That a moving tag holds something unknown is said with its moving.
        moving = findings.UNPINNED_CONTAINER.code
        kept = [d for d in found if d.code != code]
        return [replace(d, hint=guess + d.hint) if d.code == moving else d for d in kept]
    if any(d.code == findings.NO_BUILD.code for d in found):
        return [d for d in found if d.code != code]
    if any(d.code == code for d in found):
        # Under a toolkit that is not known the driver cannot be judged either: one finding says so.
        found = [d for d in found if d.code != findings.UNCERTAIN_DRIVER.code]
    elif other or (container.known != CATALOG and container.repository.startswith(_OFFICIAL)):
        text = f"{container.reference} is pulled from {container.repository}, of which nothing is known"
        found = [findings.UNKNOWN_CONTAINER.at(IMAGE_CONTAINER, text), *found]
    if meant and not other:
        guess = f"take one whose contents are known, as {meant.reference}; or "
    fix = _ROCM_FIX if q.accelerator.vendor == "AMD" else findings.UNKNOWN_CONTAINER.fix
    return [replace(d, hint=guess + fix) if d.code == code else d for d in found]


def _with_build_for_cpu(found: list[Diagnostic], q: Question, facts: Facts) -> list[Diagnostic]:
    """The finding of a container whose CPUs are not known names one that the catalog lists for the node's."""
    code = findings.UNKNOWN_CONTAINER_ARCH.code
    if not any(d.code == code for d in found):
        return found
    known = next(iter(alternatives(q, facts, 1)), None)
    if known is None:
        return found
    hint = f"check the image's manifest for linux/{q.instance.arch}, or take {known.reference}, which has it"
    return [replace(d, hint=hint) if d.code == code else d for d in found]


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
