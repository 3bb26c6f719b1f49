"""The compatibility solver: does a container run on these GPUs, with this driver, on this CPU? With proof or with the cure.

`solve` answers one pool. Everything it knows comes from tables that are handed in (`Facts`); it reads no file and no clock.
"""

from __future__ import annotations

from dataclasses import replace

from ..catalog import Accelerator, NodeImage
from . import mig
from .container_rules import container_steps, short
from .image_choice import alternatives
from .node_image_ranking import ranked_images
from .node_rules import needed_driver, node_steps
from .toolkits import Facts, catalog_facts
from .verdict import (
    IMAGE_CONTAINER,
    IMAGE_NODE,
    INSTANCE_TYPE,
    MIG,
    NODE_RULES,
    Change,
    End,
    Holds,
    NodeFacts,
    Outcome,
    Question,
    Rule,
    Step,
    Verdict,
    doubted,
    holds,
    node_facts,
    outcome_of,
)
from .versions import newest_first

__all__ = [
    "Change",
    "End",
    "Facts",
    "Holds",
    "NodeFacts",
    "Outcome",
    "Question",
    "Rule",
    "Step",
    "Verdict",
    "catalog_facts",
    "node_facts",
    "solve",
]

_MOST_CHANGES = 3
_CONTAINER_RULES = frozenset({Rule.DEVICE, Rule.CONTAINER_ARCH, Rule.TOOLKIT, Rule.FRAMEWORK, Rule.DRIVER})


def solve(question: Question, facts: Facts | None = None) -> Verdict:
    """Whether the parts of a pool go together: the proof, and on a misfit the smallest changes, each naming its reason.

    `facts` are the packaged tables unless given.
    """
    known = facts if facts is not None else catalog_facts(question.instance.provider)
    proof = (
        *node_steps(question.instance, question.accelerator, question.node, question.driver_kind_needed),
        *_mig_steps(question),
        *container_steps(question, known),
    )
    outcome = outcome_of(proof)
    return Verdict(outcome, proof, _changes(question, proof, known) if outcome is Outcome.UNFIT else ())


def _mig_steps(q: Question) -> tuple[Step, ...]:
    if not q.mig or q.accelerator is None:
        return ()
    accelerator = q.accelerator
    fit = mig.judge_layout(q.mig, accelerator) if accelerator.mig_max_instances else mig.Fit(False, "it has no MIG")
    layout, gpu = ", ".join(q.mig), f"{accelerator.model} ({q.instance.name})"
    ends = (End(gpu, f"at most {accelerator.mig_max_instances} instances", accelerator.source), End("mig", layout))
    step = Step(
        Rule.MIG,
        f"[{layout}] stands on one {accelerator.model}",
        holds(fit.fits),
        ends,
        "" if fit.fits else f"[{layout}] does not fit on one {gpu}: {fit.reason}",
    )
    first = mig.first_mig_driver(accelerator)
    if not fit.fits or not first:
        return (step,)
    able = doubted(mig.driver_makes_mig(accelerator, q.node.driver), q.node)
    node = q.node.name or "the node image"
    driver = Step(
        Rule.MIG,
        f"the driver of {node} makes MIG instances on {accelerator.model}",
        holds(able),
        (
            End(gpu, f">= {first}", "NVIDIA Multi-Instance GPU User Guide (2026-09)"),
            End(node, q.node.driver, q.node.source),
        ),
        ""
        if able
        else f"MIG on {gpu} needs driver {first} or newer; the driver of {node} is {q.node.driver or 'unknown'}",
    )
    return step, driver


def _changes(q: Question, proof: tuple[Step, ...], facts: Facts) -> tuple[Change, ...]:
    failed = [s for s in proof if s.holds is Holds.NO and s.decides]
    found: list[Change] = []
    for step in failed:
        if step.rule in NODE_RULES:
            found += _node_changes(q, step.rule, facts)
        elif step.rule is Rule.MIG:
            found += _mig_changes(q)
    broken = [s.rule for s in failed if s.rule in _CONTAINER_RULES]
    if Rule.DRIVER in broken:
        found += _node_changes(q, Rule.DRIVER, facts)
    if broken:
        found += _container_changes(q, broken[0], facts)
    return tuple(found)


def _mig_changes(q: Question) -> list[Change]:
    if q.accelerator is None or not q.accelerator.mig_max_instances:
        return [Change(MIG, "", "remove mig from this pool", Rule.MIG)]
    fit = mig.judge_layout(q.mig, q.accelerator)
    return [Change(MIG, f"[{', '.join(fit.nearest)}]", "the nearest layout that fits", Rule.MIG)] if fit.nearest else []


def _container_changes(q: Question, rule: Rule, facts: Facts) -> list[Change]:
    container, accelerator = q.container, q.accelerator
    if container is None:
        return []
    found = [
        Change(IMAGE_CONTAINER, c.reference, _why_container(c.cuda, q), rule)
        for c in alternatives(q, facts, _MOST_CHANGES)
    ]
    if found:
        return found
    if rule is Rule.CONTAINER_ARCH:
        reason = f"take a build of {container.framework or 'the image'} for {q.instance.arch}; the catalog lists none"
    elif accelerator is not None and accelerator.vendor == "AMD":
        reason = f"take the ROCm build of {container.framework or 'the image'}; the catalog lists none"
    elif accelerator is not None:
        reason = f"take a build of {container.framework or 'the image'} for {_needs(accelerator, facts)}"
    else:
        reason = f"take a build for {q.instance.arch}"
    return [Change(IMAGE_CONTAINER, "", reason, rule)]


def _why_container(cuda: str, q: Question) -> str:
    if q.accelerator is None:
        return f"built for {q.instance.arch}"
    return f"CUDA {short(cuda)}, which serves {q.accelerator.model}" if cuda else f"built for {q.accelerator.model}"


def _needs(accelerator: Accelerator, facts: Facts) -> str:
    span = facts.span(accelerator.compute_capability)
    first = span.first.version if span.first else accelerator.min_cuda
    if accelerator.max_cuda:
        return f"CUDA {accelerator.max_cuda} or older"
    return f"CUDA {first} or newer" if first else accelerator.model


def _node_changes(q: Question, rule: Rule, facts: Facts) -> list[Change]:
    """Node images of the same cloud with which every step between node, GPU and container holds."""
    ranked = ranked_images(q.instance, q.accelerator, q.driver_kind_needed, facts)
    fitting = [i for i in ranked if i.selector and (q.accelerator is None or _node_fits(q, i, facts))]
    fitting.sort(key=lambda i: (newest_first(i.driver), i.selector))
    found = [Change(IMAGE_NODE, i.selector, _why_node(i), rule) for i in fitting[:_MOST_CHANGES]]
    if not found and q.accelerator is not None and rule is not Rule.DRIVER:
        needed = needed_driver(q.instance, q.accelerator)[0]
        wanted = f" with driver {needed} or newer" if needed else ""
        found = [Change(INSTANCE_TYPE, "", f"the catalog lists no node image{wanted} for it; name one by its id", rule)]
    return found


def _node_fits(q: Question, image: NodeImage, facts: Facts) -> bool:
    node = node_facts(image, image.selector)
    steps = node_steps(q.instance, q.accelerator, node, q.driver_kind_needed)
    beneath = [s for s in container_steps(replace(q, node=node), facts) if s.rule is Rule.DRIVER]
    return all(s.holds is Holds.YES for s in (*steps, *beneath))


def _why_node(image: NodeImage) -> str:
    return f"driver {image.driver}" if image.driver else image.name
