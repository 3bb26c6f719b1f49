"""Which container to take: the smallest change of one that does not fit, and one where none is named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice

from ..catalog import Accelerator
from ..diagnostics import nearest
from ..vocabulary import FabricKind, Workload
from .container_rules import container_steps, may_run, short
from .containers import CPU, catalog_repository, container_plan, cuda_range, framework_version, plan_of
from .models import ContainerPlan
from .oci_reference import DOCKER_HUB
from .toolkits import Facts
from .verdict import Holds, Outcome, Question, Rule, Step, outcome_of
from .versions import minor, newest_first

_FRAMEWORK_OF = {Workload.TRAINING: "pytorch", Workload.INFERENCE: "vllm"}
_FRAMEWORK_ELSE = "cuda"
# Every node image of the tables has the driver that CUDA 12 asks for (525), and not every one that of CUDA 13 (580).
_MODEST_CUDA = 12
# How like a known repository a name must be to be taken for a slip of it: one letter in seven.
_CLOSE = 0.86
_FLAVOUR = re.compile(r"[\d.]+")
# Images that a managed service starts in its own way.
_OF_A_SERVICE = re.compile(r"(?:^|[-_])sagemaker(?:$|[-_])")


def alternatives(q: Question, facts: Facts, most: int = 3) -> tuple[ContainerPlan, ...]:
    """At most `most` catalog containers of the same framework that fit where `q.container` does not, the smallest change first.

    Smallest: the same repository, then the same framework version, then the nearest CUDA, then the newest.
    """
    container = q.container
    if container is None or not container.framework:
        return ()
    able = [c for c in _plans(facts, container.framework) if q.accelerator is None or may_run(q, c, facts)]
    fitting = (c for c in sorted(able, key=lambda c: _change(container, c)) if _fits(q, c, facts))
    return tuple(islice(fitting, most))


def likely_meant(q: Question, container: ContainerPlan, facts: Facts) -> ContainerPlan | None:
    """The catalog image whose name a reference comes near to, or leaves the registry out of; None where none fits the pool.

    Of the repository that is meant the same tag, else the newest that fits.
    """
    repositories = {c.repository: c.reference for c in _all_plans(facts)}
    meant = _nearest_repository(catalog_repository(container), tuple(repositories))
    if not meant:
        return None
    tag = f":{container.tag}" if container.tag else ""
    same = container_plan(f"{_as_written(meant, repositories)}{tag}", images=facts.containers)
    listed = sorted((c for c in _all_plans(facts) if c.repository == meant), key=_newest)
    near = nearest(container.tag, [c.tag for c in listed], n=1)
    ordered = [*([same] if isinstance(same, ContainerPlan) and tag else []), *listed]
    ordered.sort(key=lambda c: (c.tag != container.tag, c.tag not in near))
    return next((c for c in ordered if c.reference != container.reference and _is_certain(q, c, facts)), None)


def _as_written(repository: str, references: Mapping[str, str]) -> str:
    """A repository as the tables write it: without the default registry."""
    return references[repository].partition("@")[0].rpartition(":")[0]


def _nearest_repository(repository: str, known: Sequence[str]) -> str:
    """The known repository that a name means: another registry's of the same path, or one that is a slip away."""
    registry, _, path = repository.partition("/")
    if repository in known:
        return repository
    if registry not in {k.partition("/")[0] for k in known}:
        return ""
    bare = path.removeprefix("library/")
    by_path = {k.partition("/")[2]: k for k in known}
    # A name without registry and owner is what the publisher's own pages call it.
    if bare != path or "/" not in bare:
        by_path |= {k.rpartition("/")[2]: k for k in known if k.partition("/")[0] != DOCKER_HUB}
    found = get_close_matches(bare, by_path, n=1, cutoff=_CLOSE)
    return by_path[found[0]] if found else ""


def newest_of_repository(container: ContainerPlan, facts: Facts) -> ContainerPlan | None:
    """The newest catalog image of the container's own repository: what to pin a moving tag to."""
    same = [c for c in _plans(facts, container.framework) if c.repository == container.repository]
    return min(same, key=_newest, default=None)


def pick_container(q: Question, workload: Workload, facts: Facts) -> tuple[ContainerPlan | None, str]:
    """A pinned catalog container for a pool that names none, with the reason; None where the catalog has none that fits."""
    if q.accelerator is None:
        return None, "no GPU, so no container is chosen"
    key = (q.instance.name, q.accelerator.model, q.node, q.driver_kind_needed, q.fabric, workload)
    picked = facts.picks.get(key)
    if picked is None:
        picked = facts.picks[key] = _pick(q, q.accelerator, workload, facts)
    return picked


def _pick(q: Question, accelerator: Accelerator, workload: Workload, facts: Facts) -> tuple[ContainerPlan | None, str]:
    framework = _FRAMEWORK_OF.get(workload, _FRAMEWORK_ELSE)
    candidates = [c for c in _plans(facts, framework) if not _OF_A_SERVICE.search(c.tag)]
    candidates = [c for c in candidates if may_run(q, c, facts)] or candidates
    judged = [(c, container_steps(replace(q, container=c), facts)) for c in candidates]
    fitting = [(c, steps) for c, steps in judged if outcome_of(steps) is not Outcome.UNFIT]
    gpu = f"{accelerator.model} ({q.instance.name})"
    if not fitting:
        return None, f"no {framework} image of the catalog fits {gpu}: name one in image.container"
    chosen, steps = min(fitting, key=lambda j: _preference(q, *j))
    low, _ = cuda_range(chosen)
    cuda = f" with CUDA {short(low)}" if low else ""
    return chosen, f"{workload}: the newest {framework} image in the catalog that fits {gpu}{cuda}" + _doubt(steps)


def _plans(facts: Facts, framework: str) -> tuple[ContainerPlan, ...]:
    """The pinned catalog containers of a framework."""
    cached = facts.plans.get(framework)
    if cached is None:
        # Two spellings in a row's framework (`base devel`) share the first word.
        rows = [r for r in facts.containers if r.framework.partition(" ")[0] == framework]
        plans = (plan_of(r) for r in rows)
        cached = facts.plans[framework] = tuple(p for p in plans if p.pinned and p.repository)
    return cached


def _all_plans(facts: Facts) -> tuple[ContainerPlan, ...]:
    return tuple(
        p for f in dict.fromkeys(r.framework.partition(" ")[0] for r in facts.containers) for p in _plans(facts, f)
    )


def _fits(q: Question, container: ContainerPlan, facts: Facts) -> bool:
    """Whether a container certainly runs, save that a driver which is not known stays unknown."""
    steps = [s for s in container_steps(replace(q, container=container), facts) if s.decides]
    return all(s.holds is Holds.YES or (s.rule is Rule.DRIVER and s.holds is Holds.UNKNOWN) for s in steps)


def _is_certain(q: Question, container: ContainerPlan, facts: Facts) -> bool:
    return container.vendor != CPU and _fits(q, container, facts)


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
    """Certain before doubtful, whole before limited, made for the fabric before others, then the newest.

    Under a driver that is not known, an older CUDA major comes first: it asks for less.
    """
    unknown = [s.rule for s in steps if s.decides and s.holds is Holds.UNKNOWN]
    limited = sum(1 for s in steps if s.caveat)
    cuda = cuda_range(container)[0]
    cautious = max((minor(cuda) or (0, 0))[0], _MODEST_CUDA) if Rule.DRIVER in unknown else 0
    if q.fabric is FabricKind.EFA:
        foreign = not any(s.rule is Rule.FABRIC and s.holds is Holds.YES for s in steps)
    else:
        # One cloud's own images run elsewhere too, but are made for its fabric.
        foreign = bool(container.image and container.image.registry.startswith("aws-dlc"))
    base = 0 if container.framework != _FRAMEWORK_ELSE else int("-base-" not in container.tag)
    return len(unknown), limited, foreign, cautious, base, newest_first(cuda), _newest(container)


def _doubt(steps: tuple[Step, ...]) -> str:
    unknown = [s.finding for s in steps if s.decides and s.holds is Holds.UNKNOWN]
    return f"; {unknown[0]}" if unknown else ""
