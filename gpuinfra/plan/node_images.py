"""Which node image a pool boots: the one that is named, or the one that the catalog makes for the machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .. import catalog
from ..catalog import Accelerator, InstanceType, Miss, NodeImage
from ..diagnostics import Diagnostic, Severity
from ..vocabulary import KernelModule, Provider
from . import image_findings as findings
from .models import NodeImagePlan
from .node_image_names import FAMILY, ImageName, read_image_name
from .node_image_naming import generation, malformed, terms, unpinned
from .node_rules import needed_driver, node_steps
from .toolkits import Facts
from .verdict import Holds, NodeFacts, Rule, Step, node_facts
from .versions import newest_first

AUTO = "auto"
GPU_ROOT_GIB = 200
CPU_ROOT_GIB = 100

# Images for the nodes of a managed service, which starts and updates them in its own way.
_OF_A_SERVICE = re.compile(r"/(?:ecs|eks|pcs|bottlerocket)/|slurm|(?:^|[-_])aks-|fips", re.IGNORECASE)
_OS_ORDER = ("ubuntu24.04", "ubuntu22.04", "al2023")

# Machines that an image's publisher says cannot boot it: publisher, family of the machine, source.
_CANNOT_BOOT = {("deeplearning-platform-release", "g2"): "Google Cloud: GPU machine types (2026-04-14)"}

_WINDOWS = re.compile(r"(?i)windows|(?:^|[:/])win(?:10|11|dows|2\d{3})")

# Who logs in: the image decides on one cloud, the machine's own settings on the others.
_USERS: Mapping[Provider, Mapping[str, str]] = {
    Provider.AWS: {"ubuntu": "ubuntu", "al2": "ec2-user", "bottlerocket": "ec2-user", "rocky": "rocky"},
    Provider.GCP: {"": "gpuinfra"},
    Provider.AZURE: {"": "azureuser"},
}


@dataclass(frozen=True)
class NodeChoice:
    """The image of a pool. `steps` are the proof that machine and image go together; None where nothing was chosen."""

    plan: NodeImagePlan | None
    node: NodeFacts
    steps: tuple[Step, ...]
    diagnostics: tuple[Diagnostic, ...]


def driver_kind_needed(instance: InstanceType, accelerator: Accelerator | None) -> str:
    """The driver that a machine's GPUs need: cuda, grid or rocm; empty without GPUs."""
    if accelerator is None:
        return ""
    row = catalog.infiniband(instance.name)
    if row is not None and row.driver_kind:
        return row.driver_kind
    if accelerator.vendor == "AMD":
        return "rocm"
    # A share of a GPU is a virtual GPU, which the data-centre driver does not drive. Where the share is unknown, the
    # driver of whole GPUs stands, as for every machine of which nothing else is said.
    return "grid" if instance.gpu_fraction is not None and instance.gpu_fraction < 1 else "cuda"


def choose_node_image(
    provider: Provider,
    instance: InstanceType,
    accelerator: Accelerator | None,
    wish: str,
    facts: Facts,
    *,
    kind_needed: str | None = None,
    path: str = "image.node",
) -> NodeChoice:
    """The image that `wish` names, or the machine's own for `auto`; with the findings about it."""
    kind = driver_kind_needed(instance, accelerator) if kind_needed is None else kind_needed
    if wish.strip().lower() == AUTO:
        return _auto(instance, accelerator, kind, facts, path)
    return _named(provider, instance, accelerator, wish.strip(), kind, facts, path)


def serves(image: NodeImage, instance: InstanceType) -> bool | None:
    """Whether an image's own list of machines has this one; None where it has no list."""
    tokens = [t.strip() for t in image.machine_types.split(";") if t.strip()]
    return any(_is_machine(t, instance) for t in tokens) if tokens else None


def ranked_images(
    instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts
) -> tuple[NodeImage, ...]:
    """The images that fit a machine, best first: sold under a name, made for it, certain, plain Ubuntu, newest."""
    key = (instance.name, accelerator.model if accelerator else "", kind)
    found = facts.rankings.get(key)
    if found is None:
        found = facts.rankings[key] = _rank_images(instance, accelerator, kind, facts)
    return found


def _rank_images(
    instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts
) -> tuple[NodeImage, ...]:
    fitting = [(i, _steps(i, instance, accelerator, kind)) for i in _bootable(instance, accelerator, kind, facts)]
    fitting = [(i, s) for i, s in fitting if not any(step.holds is Holds.NO for step in s)]
    return tuple(i for i, _ in sorted(fitting, key=lambda f: _rank(f[0], f[1], instance)))


def _bootable(instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts) -> list[NodeImage]:
    if accelerator is None:
        return [i for i in facts.node_images if i.driver_kind == "none" and i.selector]
    made = [i for i in facts.node_images if i.driver_kind == kind and serves(i, instance) is not False]
    made = [i for i in made if not _OF_A_SERVICE.search(f"{i.selector} {i.name} {i.publisher}") and i.os[:3] != "aks"]
    made = [i for i in made if "<" not in i.selector and "recipe" not in i.name and "blueprint" not in i.name]
    made = [i for i in made if _refused_by_publisher(i, instance) is None]
    return [_laid_on(i, facts) for i in made] or (
        _plain_under_driver(kind, facts) if _lays_drivers(kind, facts) else []
    )


def _laid_on(image: NodeImage, facts: Facts) -> NodeImage:
    """An image that is a stock image with a driver laid on it at boot takes the stock image's selector."""
    if image.selector:
        return image
    stock = next(
        (i for i in facts.node_images if i.driver_kind == "none" and i.selector and _same_stock(i, image)), None
    )
    return image._replace(selector=stock.selector) if stock else image


def _same_stock(stock: NodeImage, image: NodeImage) -> bool:
    return (stock.publisher, stock.os, stock.arch) == (image.publisher, image.os, image.arch)


def _lays_drivers(kind: str, facts: Facts) -> bool:
    """Whether the cloud is known to lay this kind of driver on stock images."""
    return any(i.driver_kind == kind and not i.selector and _laid_on(i, facts).selector for i in facts.node_images)


def _plain_under_driver(kind: str, facts: Facts) -> list[NodeImage]:
    """Stock images that carry the driver once it is laid on; its version is not known."""
    return [i._replace(driver_kind=kind) for i in facts.node_images if i.driver_kind == "none" and i.selector]


def _is_machine(token: str, instance: InstanceType) -> bool:
    """Whether a token such as `A3 High (8 GPUs)`, `P6-B200`, `NVads A10 v5` or `NC*_xl_X_v6` means the machine."""
    text, _, limit = token.partition("(")
    gpus = re.match(r"(\d+) GPU", limit)
    if gpus and instance.gpu_count != int(gpus[1]):
        return False
    if "*" in text:
        return fnmatchcase(instance.name.lower().removeprefix("standard_"), text.strip().lower())
    words = [w for w in re.split(r"[ _-]+", text.strip().lower()) if w]
    parts = [p for p in re.split(r"[_-]+", instance.family.lower()) if p]
    if "".join(words) == "".join(parts) or (len(words) == 1 and words[0] in parts):
        return True
    return bool(words) and len(words) <= len(parts) and all(map(_same_word, words, parts, range(len(words))))


def _same_word(word: str, part: str, at: int) -> bool:
    # Later words may be cut short (Ultra for ultragpu). The first names the family: A4 is not A4X, though NVads is NV.
    if at:
        return part.startswith(word)
    return word == part or (len(word) - len(part) > 2 and word.startswith(part))


def _refused_by_publisher(image: NodeImage, instance: InstanceType) -> str | None:
    return _CANNOT_BOOT.get((image.publisher, instance.family.lower()))


def _steps(image: NodeImage, instance: InstanceType, accelerator: Accelerator | None, kind: str) -> tuple[Step, ...]:
    return node_steps(instance, accelerator, node_facts(image, image.selector or image.name), kind)


def _rank(image: NodeImage, steps: tuple[Step, ...], instance: InstanceType) -> tuple[object, ...]:
    unknown = sum(1 for s in steps if s.holds is Holds.UNKNOWN)
    os = next((n for n, name in enumerate(_OS_ORDER) if image.os == name), len(_OS_ORDER))
    moving = bool(re.search(r"stable|latest(?!/)", image.selector)) and not numbers_in(image.selector)
    return (
        not image.selector,
        serves(image, instance) is None,
        unknown,
        not image.driver,
        os,
        moving,
        newest_first(image.driver),
        tuple(-n for n in numbers_in(image.selector)),
        image.selector,
    )


def numbers_in(text: str) -> tuple[int, ...]:
    """The numbers in a name, in order."""
    return tuple(int(n) for n in re.findall(r"\d{1,9}", text))


def _auto(instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts, path: str) -> NodeChoice:
    ranked = ranked_images(instance, accelerator, kind, facts)
    what = f"{accelerator.model} ({instance.name})" if accelerator else instance.name
    if not ranked:
        needed = needed_driver(instance, accelerator)[0] if accelerator else ""
        wanted = f"an image for {instance.arch or 'its CPU'}" + (f" with a {kind} driver" if kind else "")
        wanted += f" of {needed} or newer" if needed else ""
        if accelerator and accelerator.kernel_module in (KernelModule.OPEN, KernelModule.PROPRIETARY):
            wanted += f" and the {accelerator.kernel_module} kernel module"
        text = f"no node image for {what} is in the catalog: it needs {wanted}"
        return NodeChoice(None, NodeFacts(), (), (findings.NO_NODE_IMAGE.at(path, text),))
    image = ranked[0]
    steps = _steps(image, instance, accelerator, kind)
    why = f"{image.name}: for {what}" + (f", driver {image.driver}" if image.driver else "")
    if not image.selector:
        text = f"{what} boots {image.name}" + (f" (driver {image.driver})" if image.driver else "")
        text += f", and the name under which it is sold is not known: {image.notes}"
        name = ImageName("id", "", False)
        return _chosen(name, image, steps, why, (findings.UNNAMED_NODE_IMAGE.at(path, text),), accelerator)
    name = read_image_name(instance.provider, _full_selector(image)) or ImageName("id", image.selector, False)
    found = [*_doubts(image, steps, what, path), *unpinned(name, image.name, path)]
    return _chosen(name, image, steps, why, tuple(found), accelerator)


def _full_selector(image: NodeImage) -> str:
    """The selector with the project that publishes it, where the form has a place for one."""
    if image.selector.startswith("family/") and image.publisher:
        return f"projects/{image.publisher}/global/images/{image.selector}"
    return image.selector


def _doubts(image: NodeImage, steps: tuple[Step, ...], what: str, path: str) -> tuple[Diagnostic, ...]:
    """One warning for all that is not known of a chosen image."""
    unknown = [s.finding for s in steps if s.holds is Holds.UNKNOWN and s.rule is not Rule.DRIVER_BRANCH]
    cuda = any(s.rule is Rule.DRIVER_BRANCH for s in steps)
    if not image.driver and cuda:
        named = f" ({image.name})" if image.name != image.selector else ""
        unknown.insert(0, f"{what} boots {image.selector}{named}, whose driver is unknown")
    return (findings.UNKNOWN_DRIVER.at(path, "; ".join(unknown)),) if unknown else ()


def _named(
    provider: Provider,
    instance: InstanceType,
    accelerator: Accelerator | None,
    wish: str,
    kind: str,
    facts: Facts,
    path: str,
) -> NodeChoice:
    name = read_image_name(provider, wish)
    if name is None:
        return NodeChoice(None, NodeFacts(), (), (malformed(provider, wish, path),))
    if _WINDOWS.search(wish):
        text = f"'{wish}' is a Windows image, and nodes are set up by cloud-init on Linux"
        return NodeChoice(None, NodeFacts(), (), (findings.WINDOWS.at(path, text),))
    found = generation(instance, name, path)
    row = catalog.node_image(provider, wish)
    found = (*found, *terms(name, path))
    if isinstance(row, Miss):
        near = [n for n in row.nearest if _for_same_cpu(n, instance)]
        guess = f"did you mean {' or '.join(near)}? " if near and name.kind != "id" else ""
        text = f"'{wish}' is not in the catalog: whether it drives the GPUs of {instance.name} is unknown"
        if accelerator is not None or guess:
            found = (*found, findings.UNKNOWN_NODE_IMAGE.at(path, text, guess + findings.UNKNOWN_NODE_IMAGE.fix))
        found = (*found, *unpinned(name, wish, path))
        return _chosen(name, None, (), "named in the spec; not in the catalog", found, accelerator)
    image = _under_driver(row, instance, kind, facts)
    full = read_image_name(provider, _full_selector(image)) if wish.startswith("family/") or "/" not in wish else None
    name = full if full and full.kind == name.kind == FAMILY else name
    steps = _steps(image._replace(selector=wish), instance, accelerator, kind)
    what = f"{accelerator.model} ({instance.name})" if accelerator else instance.name
    found = (*found, *_misfits(steps, instance, accelerator, kind, facts, path))
    if not any(d.is_error for d in found):
        found = (*found, *_not_served(image, instance, accelerator, wish, kind, facts, path))
        found = (*found, *_doubts(image._replace(selector=wish), steps, what, path))
    found = (*found, *unpinned(name, image.name, path))
    return _chosen(name, image, steps, f"named in the spec: {image.name}", found, accelerator)


def _for_same_cpu(selector: str, instance: InstanceType) -> bool:
    """Whether a machine's CPU may run the image of a selector: no guess should send a user to an image that cannot boot."""
    found = catalog.node_image(instance.provider, selector)
    return isinstance(found, Miss) or not found.arch or not instance.arch or found.arch == instance.arch


def _under_driver(row: NodeImage, instance: InstanceType, kind: str, facts: Facts) -> NodeImage:
    """A stock image counts as carrying the driver that the cloud, or the boot bundle, lays on it for this machine."""
    if row.driver_kind != "none" or not kind:
        return row
    laid = [i for i in facts.node_images if i.driver_kind == kind and not i.selector and serves(i, instance)]
    laid = [i for i in laid if _laid_on(i, facts).selector]
    for image in laid:
        if _same_stock(row, image):
            return image._replace(selector=row.selector)
    return row._replace(driver_kind=kind) if laid else row


def _misfits(
    steps: tuple[Step, ...],
    instance: InstanceType,
    accelerator: Accelerator | None,
    kind: str,
    facts: Facts,
    path: str,
) -> tuple[Diagnostic, ...]:
    failed = [s for s in steps if s.holds is Holds.NO]
    hint = _take_instead(instance, accelerator, kind, facts) if failed else ""
    codes = {
        Rule.NODE_ARCH: findings.WRONG_NODE_ARCH,
        Rule.DRIVER_KIND: findings.WRONG_DRIVER_KIND,
        Rule.KERNEL_MODULE: findings.WRONG_MODULE,
        Rule.DRIVER_BRANCH: findings.OLD_BRANCH,
    }
    return tuple(codes[s.rule].at(path, s.finding, hint) for s in failed)


def _not_served(
    image: NodeImage,
    instance: InstanceType,
    accelerator: Accelerator | None,
    wish: str,
    kind: str,
    facts: Facts,
    path: str,
) -> tuple[Diagnostic, ...]:
    if accelerator is None:
        return ()
    refused = _refused_by_publisher(image, instance)
    hint = _take_instead(instance, accelerator, kind, facts)
    if refused:
        return (findings.MACHINE_NOT_SERVED.at(path, f"{instance.name} cannot boot {wish} ({refused})", hint),)
    if serves(image, instance) is False:
        text = f"{wish} is made for {image.machine_types.replace(';', ', ')}; {instance.name} is none of them"
        return (findings.MACHINE_NOT_SERVED.at(path, text, hint, severity=Severity.WARNING),)
    return ()


def _take_instead(instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts) -> str:
    ranked = [i for i in ranked_images(instance, accelerator, kind, facts) if i.selector]
    if not ranked:
        return "name an image that fits; the catalog lists none"
    best = ranked[0]
    driver = f" (driver {best.driver})" if best.driver else f" ({best.name})"
    return f"take {best.selector}{driver}, or write auto"


def _chosen(
    name: ImageName,
    image: NodeImage | None,
    steps: tuple[Step, ...],
    why: str,
    found: tuple[Diagnostic, ...],
    accelerator: Accelerator | None,
) -> NodeChoice:
    least = image.min_root_gib or 0 if image else 0
    plan = NodeImagePlan(
        selector=name.selector,
        kind=name.kind,
        image=image,
        driver=image.driver if image else "",
        kernel_module=image.kernel_module if image else KernelModule.UNKNOWN,
        user=_user(image),
        root_device=image.root_device if image else "",
        root_gib=max(GPU_ROOT_GIB if accelerator else CPU_ROOT_GIB, least),
        pinned=name.pinned,
        reason=why,
    )
    return NodeChoice(plan, node_facts(image, name.selector or (image.name if image else "")), steps, found)


def _user(image: NodeImage | None) -> str:
    if image is None:
        return ""
    users = _USERS[image.provider]
    return users.get("") or next((u for os, u in users.items() if image.os.startswith(os)), "")
