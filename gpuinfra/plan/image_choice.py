"""Which container to take: the smallest change of one that does not fit, and one where none is named."""

from __future__ import annotations

import re
from dataclasses import replace

from ..vocabulary import FabricKind, Workload
from .container_rules import container_steps
from .containers import cuda_range, framework_version, plan_of
from .models import ContainerPlan
from .toolkits import Facts
from .verdict import Holds, Outcome, Question, Rule, Step, outcome_of
from .versions import minor, newest_first

_FRAMEWORK_OF = {Workload.TRAINING: "pytorch", Workload.INFERENCE: "vllm"}
_FRAMEWORK_ELSE = "cuda"
_FLAVOUR = re.compile(r"[\d.]+")
# Images that a managed service starts in its own way.
_OF_A_SERVICE = re.compile(r"(?:^|[-_])sagemaker(?:$|[-_])")


def alternatives(q: Question, facts: Facts) -> tuple[ContainerPlan, ...]:
    """Catalog containers of the same framework that fit where `q.container` does not, the smallest change first.

    Smallest: the same repository, then the same framework version, then the nearest CUDA, then the newest.
    """
    container = q.container
    if container is None or not container.framework:
        return ()
    fitting = [
        c
        for c in _plans(facts)
        if c.framework == container.framework and c.repository != "" and _fits(q, c, facts) and c.pinned
    ]
    return tuple(sorted(fitting, key=lambda c: _change(container, c)))


def newest_of_repository(container: ContainerPlan, facts: Facts) -> ContainerPlan | None:
    """The newest catalog image of the container's own repository: what to pin a moving tag to."""
    same = [c for c in _plans(facts) if c.repository == container.repository and c.pinned]
    return min(same, key=_newest, default=None)


def pick_container(q: Question, workload: Workload, facts: Facts) -> tuple[ContainerPlan | None, str]:
    """A pinned catalog container for a pool that names none, with the reason; None where the catalog has none that fits."""
    if q.accelerator is None:
        return None, "no GPU, so no container is chosen"
    framework = _FRAMEWORK_OF.get(workload, _FRAMEWORK_ELSE)
    candidates = [c for c in _plans(facts) if c.framework == framework and c.pinned and not _OF_A_SERVICE.search(c.tag)]
    judged = [(c, container_steps(replace(q, container=c), facts)) for c in candidates]
    fitting = [(c, steps) for c, steps in judged if outcome_of(steps) is not Outcome.UNFIT]
    gpu = f"{q.accelerator.model} ({q.instance.name})"
    if not fitting:
        return None, f"no {framework} image of the catalog fits {gpu}: name one in image.container"
    chosen, steps = min(fitting, key=lambda j: _preference(q, *j))
    low, _ = cuda_range(chosen)
    cuda = f" with CUDA {low}" if low else ""
    return chosen, f"{workload}: the newest {framework} image{cuda} in the catalog that fits {gpu}" + _doubt(steps)


def _plans(facts: Facts) -> tuple[ContainerPlan, ...]:
    cached = facts.memory.get("plans")
    if cached is None:
        cached = facts.memory["plans"] = tuple(plan_of(row) for row in facts.containers)
    return cached


def _fits(q: Question, container: ContainerPlan, facts: Facts) -> bool:
    steps = container_steps(replace(q, container=container), facts)
    failed = any(s.holds is Holds.NO for s in steps if s.decides)
    # An image whose CUDA is not known is no cure for one whose CUDA is wrong.
    cures = all(s.holds is Holds.YES for s in steps if s.rule in (Rule.DEVICE, Rule.TOOLKIT))
    return cures and not failed


def _change(now: ContainerPlan, then: ContainerPlan) -> tuple[object, ...]:
    mine, other = _cuda_number(now), _cuda_number(then)
    return (
        now.repository != then.repository,
        bool(_OF_A_SERVICE.search(then.tag)),
        framework_version(now) != framework_version(then),
        abs(mine - other) if mine and other else 0,
        _flavour(now) != _flavour(then),
        _newest(then),
    )


def _cuda_number(container: ContainerPlan) -> int:
    known = minor(cuda_range(container)[0])
    return known[0] * 100 + known[1] if known else 0


def _flavour(container: ContainerPlan) -> str:
    """The tag without its numbers: runtime or devel, and the operating system."""
    return _FLAVOUR.sub("", container.tag)


def _newest(container: ContainerPlan) -> tuple[object, ...]:
    version = framework_version(container) or container.tag
    return newest_first(version), newest_first(cuda_range(container)[0]), "devel" in container.tag, container.reference


def _preference(q: Question, container: ContainerPlan, steps: tuple[Step, ...]) -> tuple[object, ...]:
    """Certain before doubtful, whole before limited, with the fabric's plugin before without, then the newest."""
    unknown = sum(1 for s in steps if s.decides and s.holds is Holds.UNKNOWN)
    limited = sum(1 for s in steps if s.caveat)
    plugin = q.fabric is FabricKind.EFA and not any(s.rule is Rule.FABRIC and s.holds is Holds.YES for s in steps)
    base = 0 if container.framework != "cuda" else int("-base-" not in container.tag)
    return unknown, limited, plugin, base, _newest(container)


def _doubt(steps: tuple[Step, ...]) -> str:
    unknown = [s.finding for s in steps if s.decides and s.holds is Holds.UNKNOWN]
    return f"; {unknown[0]}" if unknown else ""
