"""Rules between a container, the GPUs, and the driver beneath it."""

from __future__ import annotations

from ..catalog import Accelerator, FrameworkBuild
from ..vocabulary import FabricKind
from .containers import AMD, CPU, NVIDIA, UNKNOWN, catalog_repository, cuda_range, framework_version, month_of
from .models import ContainerPlan
from .toolkits import Facts, is_data_center
from .verdict import End, Holds, Question, Rule, Step, doubted, holds
from .versions import at_least, minor, numbers

_FROM_HOST = {
    FabricKind.GPUDIRECT_TCPX: "the GPUDirect-TCPX plugin",
    FabricKind.GPUDIRECT_TCPXO: "the GPUDirect-TCPXO plugin",
    FabricKind.ROCE: "the gIB plugin",
}


def container_steps(q: Question, facts: Facts) -> tuple[Step, ...]:
    """The proof that a container runs on a pool's CPUs, GPUs and driver. Empty without a container."""
    container, accelerator = q.container, q.accelerator
    if container is None:
        return ()
    steps = [_arch(q, container)]
    if accelerator is None:
        return tuple(steps)
    steps.insert(0, _device(q, container, accelerator))
    if steps[0].holds is Holds.YES and container.vendor == NVIDIA:
        steps.append(_toolkit(q, container, accelerator, facts))
        if steps[-1].holds is not Holds.NO:
            steps += _framework(q, container, accelerator, facts)
        if any(cuda_range(container)):
            steps.append(_driver(q, container, accelerator, facts))
    if steps[0].holds is not Holds.NO:
        steps += _fabric(q, container)
    return tuple(steps)


def may_run(q: Question, container: ContainerPlan, facts: Facts) -> bool:
    """Whether a container has code for a pool's GPUs, and nothing cheap to see speaks against it: no proof yet."""
    if q.accelerator is None or container.vendor != q.accelerator.vendor.lower():
        return False
    if container.arches and q.instance.arch and q.instance.arch not in container.arches:
        return False
    if container.vendor != NVIDIA:
        return True
    if _range_answer(*cuda_range(container), q.accelerator, facts)[0] is not Holds.YES:
        return False
    if any(s.holds is Holds.NO for s in _framework(q, container, q.accelerator, facts)):
        return False
    release = facts.release(container.cuda)
    floor = (release.min_driver_minor_compat or release.min_driver) if release else ""
    forward = _bundles_forward_compatibility(container) and _may_go_forward(q, q.accelerator)
    return forward or at_least(q.node.driver, floor) is not False


def container_end(container: ContainerPlan) -> End:
    """The container's side of a claim about CUDA."""
    low, high = (short(v) for v in cuda_range(container))
    value = f"CUDA {low}" if low and low == high else f"CUDA {low or '?'} to {high or '?'}" if low or high else ""
    return End(container.reference, value, container.basis)


def cuda_text(container: ContainerPlan) -> str:
    """The container's CUDA for a sentence."""
    low, high = (short(v) for v in cuda_range(container))
    if low == high:
        return f"CUDA {low}"
    return f"CUDA {low} or newer" if not high else f"CUDA {high} or older" if not low else f"CUDA {low} to {high}"


def short(version: str) -> str:
    """A version without what follows its patch number: 12.9.0 for 12.9.0.043."""
    return ".".join(version.split(".")[:3])


def _machine(q: Question) -> str:
    return f"{q.accelerator.model} ({q.instance.name})" if q.accelerator else q.instance.name


def _device(q: Question, container: ContainerPlan, accelerator: Accelerator) -> Step:
    maker = accelerator.vendor.lower()
    answer = container.vendor == maker if container.vendor else None
    ref, gpu = container.reference, _machine(q)
    finding = ""
    if container.vendor == CPU:
        finding = f"{ref} is a build for CPUs: {gpu} would stand idle"
    elif answer is False and maker == AMD:
        finding = f"{ref} is a CUDA build and {gpu} is an AMD GPU: it finds no NVIDIA driver; the ROCm build is needed"
    elif answer is False:
        finding = f"{ref} is a ROCm build and {gpu} is an {accelerator.vendor} GPU: it finds no AMD driver"
    elif answer is None:
        finding = f"what {ref} holds is unknown: whether it has code for {gpu} cannot be told"
    return Step(
        Rule.DEVICE,
        f"{ref} is built for {accelerator.vendor} GPUs",
        holds(answer),
        (End(gpu, accelerator.vendor, accelerator.source), End(ref, container.vendor, container.basis)),
        finding,
    )


def _arch(q: Question, container: ContainerPlan) -> Step:
    arch, arches, ref = q.instance.arch, container.arches, container.reference
    answer = arch in arches if arch and arches else None
    if answer is None and arch == "x86_64" and container.known != UNKNOWN:
        # Every publisher that is known builds x86_64; only the other architecture is ever missing.
        answer = True
    finding = ""
    if answer is False:
        finding = f"{q.instance.name} is {arch} and {ref} is built for {' and '.join(arches)} only: it does not start"
    elif answer is None:
        finding = (
            f"{q.instance.name} is {arch or 'of unknown architecture'}; whether {ref} has a build for it is unknown"
        )
    return Step(
        Rule.CONTAINER_ARCH,
        f"{ref} has a build for {arch or 'the CPU'}",
        holds(answer),
        (End(q.instance.name, arch, q.instance.source), End(ref, ", ".join(arches), container.basis)),
        finding,
    )


def _has_code(cuda: str, accelerator: Accelerator, facts: Facts) -> tuple[Holds, bool]:
    """Whether a toolkit has code that runs on the GPU, and whether that code is the GPU's own."""
    release, mine = facts.release(cuda), minor(cuda)
    if release is None or mine is None:
        too_new = _is_beyond(mine, accelerator.max_cuda, 1)
        too_old = _is_beyond(mine, accelerator.min_cuda, -1)
        return (Holds.NO if too_new or too_old else Holds.UNKNOWN), False
    if accelerator.compute_capability in release.capabilities:
        return Holds.YES, True
    own = minor(accelerator.compute_capability)
    kin = own and any(c and c[0] == own[0] and c[1] < own[1] for c in map(minor, release.capabilities))
    return (Holds.YES if kin else Holds.NO), False


def _is_beyond(version: tuple[int, int] | None, bound: str, sign: int) -> bool:
    limit = minor(bound)
    if version is None or limit is None:
        return False
    return version > limit if sign > 0 else version < limit


def _range_answer(low: str, high: str, accelerator: Accelerator, facts: Facts) -> tuple[Holds, bool]:
    """As `_has_code`, for a container whose CUDA is known between two ends."""
    if low and low == high:
        return _has_code(low, accelerator, facts)
    if not low and not high:
        return Holds.UNKNOWN, False
    first, last = minor(low) or (0, 0), minor(high) or (9999, 0)
    inside = {minor(r.version): r.version for r in facts.releases if first <= (minor(r.version) or (0, 0)) <= last}
    answers = [_has_code(v, accelerator, facts) for v in inside.values()]
    if not high and not _is_beyond(minor(low), accelerator.max_cuda, 1):
        answers.append((Holds.UNKNOWN, False))
    if not low and not _is_beyond(minor(high), accelerator.min_cuda, -1):
        answers.append((Holds.UNKNOWN, False))
    words = {a for a, _ in answers}
    return (words.pop() if len(words) == 1 else Holds.UNKNOWN), all(n for _, n in answers)


def _toolkit(q: Question, container: ContainerPlan, accelerator: Accelerator, facts: Facts) -> Step:
    low, high = cuda_range(container)
    answer, native = _range_answer(low, high, accelerator, facts)
    span = facts.span(accelerator.compute_capability)
    ref, gpu = container.reference, f"{_machine(q)}, compute capability {accelerator.compute_capability}"
    first = minor(span.first.version) if span.first else minor(accelerator.min_cuda)
    needs = f"CUDA {first[0]}.{first[1]} or newer" if first else "a toolkit with its code"
    if accelerator.max_cuda:
        needs = f"CUDA {accelerator.max_cuda} or older"
    finding = caveat = ""
    if answer is Holds.NO and accelerator.max_cuda and _is_beyond(minor(high or low), accelerator.max_cuda, 1):
        finding = (
            f"{ref} holds {cuda_text(container)}, which has no code for {gpu}: "
            f"the last toolkit with it is CUDA {accelerator.max_cuda}"
        )
    elif answer is Holds.NO:
        shown = span.first.version if span.first else accelerator.min_cuda
        finding = (
            f"{ref} holds {cuda_text(container)}, which has no code for {gpu}: "
            f"the first toolkit with it is CUDA {shown or 'not in the table'}"
        )
    elif answer is Holds.UNKNOWN and not low and not high:
        finding = f"which CUDA {ref} holds is unknown; {gpu} needs {needs}"
    elif answer is Holds.UNKNOWN:
        finding = (
            f"{ref} holds {cuda_text(container)}, and whether that has code for {gpu} is unknown; it needs {needs}"
        )
    elif not native:
        caveat = (
            f"{ref} holds {cuda_text(container)}, which has no code of its own for {gpu}: the code for {span.kin} runs, "
            f"but what compiles at run time (Triton, torch.compile, NVRTC) fails; {needs} has it"
        )
    return Step(
        Rule.TOOLKIT,
        f"{container_end(container).value or 'the CUDA of the container'} has code for {accelerator.model} "
        f"(PTX compiled by the driver is not counted on)",
        answer,
        (End(gpu, needs, accelerator.source), container_end(container)),
        finding,
        caveat,
    )


def _framework(q: Question, container: ContainerPlan, accelerator: Accelerator, facts: Facts) -> list[Step]:
    """A step where the publisher is known to leave GPUs out of its builds."""
    mine = minor(accelerator.compute_capability)
    builds = [b for b in facts.builds if mine and _is_of(b, q, container)]
    if not mine or not builds:
        return []
    build = max(builds, key=lambda b: minor(b.lowest_capability) or (0, 0))
    fits = mine >= (minor(build.lowest_capability) or mine)
    name = f"{build.framework} {_version_of(build, container)}"
    cuda = f" for CUDA {short(container.cuda)}" if build.cuda_from else ""
    cpu = f" on {build.arch}" if build.arch else ""
    finding = (
        f"{container.reference} holds {name}{cuda}, whose builds{cpu} begin at compute capability "
        f"{build.lowest_capability}; {_machine(q)} has {accelerator.compute_capability}: no kernel is found for it"
    )
    source = f"{build.source}, {build.as_of}" if build.as_of else build.source
    ends = (
        End(_machine(q), accelerator.compute_capability, accelerator.source),
        End(container.reference, f"compute capability {build.lowest_capability} or newer", source),
    )
    claim = f"{name} is built for {accelerator.model}"
    return [Step(Rule.FRAMEWORK, claim, holds(fits), ends, "" if fits else finding)]


def _is_of(build: FrameworkBuild, q: Question, container: ContainerPlan) -> bool:
    """Whether a container is certainly one of a row's builds."""
    if catalog_repository(container) not in build.repositories or build.arch not in ("", q.instance.arch):
        return False
    version = _version_of(build, container)
    since = not build.version_from or at_least(version, build.version_from)
    before = not build.version_until or at_least(version, build.version_until) is False
    return bool(version and since and before and (not build.cuda_from or at_least(container.cuda, build.cuda_from)))


def _version_of(build: FrameworkBuild, container: ContainerPlan) -> str:
    # The monthly images hold builds between two releases: the month says what they were built for.
    return month_of(container) if build.framework == "NGC" else framework_version(container)


def _driver(q: Question, container: ContainerPlan, accelerator: Accelerator, facts: Facts) -> Step:
    low, high = cuda_range(container)
    answers = [_driver_for(v, q, container, accelerator, facts) for v in dict.fromkeys((low or high, high or low))]
    # Of an open end nobody knows what it needs: only a no, which holds for everything newer, is certain.
    open_end = bool(low) and not high and answers[-1].holds is not Holds.NO
    if not open_end and (len(answers) == 1 or answers[0].holds is answers[-1].holds):
        return answers[-1]
    # A newer CUDA never needs an older driver: what holds at the upper end holds, what fails at the lower end fails.
    decided = (
        None
        if open_end
        else answers[-1]
        if answers[-1].holds is Holds.YES
        else answers[0]
        if answers[0].holds is Holds.NO
        else None
    )
    if decided:
        return decided
    last = answers[-1]
    finding = f"whether driver {q.node.driver} of {q.node.name} runs {container.reference} is unknown: it holds {cuda_text(container)}"
    return Step(last.rule, last.claim, Holds.UNKNOWN, last.ends, finding)


def _driver_for(cuda: str, q: Question, container: ContainerPlan, accelerator: Accelerator, facts: Facts) -> Step:
    release, driver, node = facts.release(cuda), q.node.driver, q.node.name or "the node image"
    cuda = short(cuda)
    strict = at_least(driver, release.min_driver) if release and release.min_driver else None
    within = (
        at_least(driver, release.min_driver_minor_compat) if release and release.min_driver_minor_compat else strict
    )
    needs = release.min_driver if release else ""
    floor = release.min_driver_minor_compat if release else ""
    answer: bool | None = True if strict or within else None if within is None else False
    major = numbers(cuda)[0] if numbers(cuda) else 0
    finding = caveat = ""
    if answer is True and not strict:
        caveat = (
            f"driver {driver} of {node} runs CUDA {cuda} of {container.reference} by minor-version compatibility within "
            f"CUDA {major} (its own driver is {needs or 'unknown'}): without PTX compilation and newer features"
        )
    elif answer is False and _bundles_forward_compatibility(container) and _may_go_forward(q, accelerator):
        answer = True
        caveat = (
            f"driver {driver} of {node} is older than CUDA {cuda} of {container.reference} wants ({floor or needs}): it runs "
            f"only by the forward-compatibility package inside the image, on a driver branch that NVIDIA still supports"
        )
    answer = doubted(answer, q.node)
    if answer is False:
        finding = (
            f"{container.reference} holds CUDA {cuda}, which needs driver {floor or needs} or newer, and {node} carries "
            f"driver {driver}"
        )
    elif answer is None:
        caveat = ""
        wanted = f"{needs or floor} or newer" if needs or floor else "a driver that no table names"
        finding = (
            f"the driver of {node} is {driver or 'unknown'}; CUDA {cuda} of {container.reference} needs {wanted}"
            + (f", at least {floor} by minor-version compatibility" if floor and needs else "")
        )
    need_text = f">= {needs}" if needs else ""
    return Step(
        Rule.DRIVER,
        f"the driver of {node} runs CUDA {cuda}",
        holds(answer),
        (
            End(
                f"CUDA {cuda}",
                f"{need_text} (>= {floor} within CUDA {major})" if floor else need_text,
                release.source if release else "",
            ),
            End(node, driver, q.node.source),
        ),
        finding,
        caveat,
    )


def _bundles_forward_compatibility(container: ContainerPlan) -> bool:
    """NGC's images carry the package; others are not known to."""
    return container.repository.startswith("nvcr.io/nvidia/")


def _may_go_forward(q: Question, accelerator: Accelerator) -> bool:
    return is_data_center(accelerator) and q.node.driver_kind != "grid"


def _fabric(q: Question, container: ContainerPlan) -> list[Step]:
    """What the fabric needs inside the container. It informs: without the plugin a job runs, over TCP."""
    ref = container.reference
    host = _FROM_HOST.get(q.fabric)
    if host:
        ends = (End(str(q.fabric), host, "Google Cloud"), End(ref, "mounted from the host", ""))
        return [Step(Rule.FABRIC, f"{host} comes from the host", Holds.YES, ends, decides=False)]
    if q.fabric is not FabricKind.EFA:
        return []
    row = container.image
    version = row.efa_version if row else ""
    carried = f"EFA {version}" if version else "AWS OFI NCCL" if row and "OFI NCCL" in row.notes else ""
    finding = (
        ""
        if carried
        else f"whether {ref} carries the EFA plugin (libfabric and aws-ofi-nccl) is unknown; without it NCCL uses TCP"
    )
    ends = (End("EFA", "libfabric and aws-ofi-nccl in the container", ""), End(ref, carried, container.basis))
    claim = f"{ref} carries the EFA plugin"
    return [Step(Rule.FABRIC, claim, Holds.YES if carried else Holds.UNKNOWN, ends, finding, decides=False)]
