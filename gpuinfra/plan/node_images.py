"""Which node image a pool boots: the one that is named, or the one that the catalog makes for the machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .. import catalog
from ..catalog import Accelerator, InstanceType, Miss, NodeImage
from ..diagnostics import Diagnostic, Severity
from ..vocabulary import KernelModule, Provider
from . import image_findings as findings
from .models import NodeImagePlan
from .node_image_names import FAMILY, ID, ImageName, read_image_name
from .node_image_naming import generation, malformed, terms, unpinned
from .node_image_needs import name_your_own, needed_image, take_instead
from .node_image_ranking import image_steps, laid_on, ranked_images, refused_by_publisher, same_stock, serves
from .toolkits import Facts
from .verdict import Holds, NodeFacts, Rule, Step, node_facts

AUTO = "auto"
GPU_ROOT_GIB = 200
CPU_ROOT_GIB = 100

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


def _auto(instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts, path: str) -> NodeChoice:
    ranked = ranked_images(instance, accelerator, kind, facts)
    what = f"{accelerator.model} ({instance.name})" if accelerator else instance.name
    if not ranked:
        text = f"no node image for {what} is in the catalog: it needs {needed_image(instance, accelerator, kind)}"
        return NodeChoice(
            None,
            NodeFacts(),
            (),
            (
                findings.NO_NODE_IMAGE.at(
                    path, text, f"lay that driver on a plain image, and {name_your_own(instance)}"
                ),
            ),
        )
    image = ranked[0]
    steps = image_steps(image, instance, accelerator, kind)
    why = f"{image.name}: for {what}" + (f", driver {image.driver}" if image.driver else "")
    if not image.selector:
        text = f"{what} boots {image.name}" + (f" (driver {image.driver})" if image.driver else "")
        text += f", and the name under which it is sold is not known: {image.notes}"
        name = ImageName("id", "", False)
        return _chosen(name, image, steps, why, (findings.UNNAMED_NODE_IMAGE.at(path, text),), accelerator)
    name = read_image_name(instance.provider, _full_selector(image)) or ImageName("id", image.selector, False)
    # Who leaves the choice to us has asked for the newest: that it moves is worth knowing, and no fault.
    found = [*_doubts(image, steps, what, path, ""), *unpinned(name, image.name, path, Severity.INFO)]
    return _chosen(name, image, steps, why, tuple(found), accelerator)


def _full_selector(image: NodeImage) -> str:
    """The selector with the project that publishes it, where the form has a place for one."""
    if image.selector.startswith("family/") and image.publisher:
        return f"projects/{image.publisher}/global/images/{image.selector}"
    return image.selector


def _doubts(image: NodeImage, steps: tuple[Step, ...], what: str, path: str, instead: str) -> tuple[Diagnostic, ...]:
    """One finding for all that is not known of an image: a warning, or a word where a release was not verified."""
    unknown = [s.finding for s in steps if s.holds is Holds.UNKNOWN and s.rule is not Rule.DRIVER_BRANCH]
    cuda = any(s.rule is Rule.DRIVER_BRANCH for s in steps)
    if not image.driver and cuda:
        named = f" ({image.name})" if image.name != image.selector else ""
        unknown.insert(0, f"{what} boots {image.selector}{named}, whose driver is unknown")
    if unknown:
        return (findings.UNKNOWN_DRIVER.at(path, "; ".join(unknown), instead),)
    if image.verified:
        return ()
    text = f"{image.selector} is taken to carry driver {image.driver}, not verified for this release: {image.notes}"
    hint = "read the driver in the release notes of that release"
    return (findings.UNKNOWN_DRIVER.at(path, text, hint, severity=Severity.INFO),)


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
    instead = take_instead(instance, accelerator, kind, facts)
    if name is None:
        best = next((i for i in ranked_images(instance, accelerator, kind, facts) if i.selector), None)
        own = read_image_name(provider, _full_selector(best)) if best else None
        return NodeChoice(None, NodeFacts(), (), (malformed(provider, wish, path, instead, own),))
    if _WINDOWS.search(wish):
        text = f"'{wish}' is a Windows image, and nodes are set up by cloud-init on Linux"
        return NodeChoice(None, NodeFacts(), (), (findings.WINDOWS.at(path, text, instead or name_your_own(instance)),))
    found = (*generation(instance, name, path, instead), *terms(name, path, bool(instead)))
    row = catalog.node_image(provider, wish)
    if isinstance(row, Miss):
        found = (*found, *_unknown(row, name, wish, instance, accelerator, kind, facts, path))
        found = (*found, *unpinned(name, wish, path))
        return _chosen(name, None, (), "named in the spec; not in the catalog", found, accelerator)
    image = _under_driver(row, instance, kind, facts)
    full = read_image_name(provider, _full_selector(image)) if wish.startswith("family/") or "/" not in wish else None
    name = full if full and full.kind == name.kind == FAMILY else name
    image = image._replace(selector=wish)
    steps = image_steps(image, instance, accelerator, kind)
    what = f"{accelerator.model} ({instance.name})" if accelerator else instance.name
    found = (*found, *_misfits(steps, instead or name_your_own(instance), path))
    if not any(d.is_error for d in found):
        found = (*found, *_not_served(image, instance, accelerator, instead or name_your_own(instance), path))
        certain = next((i for i in ranked_images(instance, accelerator, kind, facts) if i.selector), None)
        known = instead if certain and certain.driver else ""
        found = (*found, *_doubts(image, steps, what, path, known))
    found = (*found, *unpinned(name, image.name, path))
    return _chosen(name, image, steps, f"named in the spec: {image.name}", found, accelerator)


def _unknown(
    row: Miss,
    name: ImageName,
    wish: str,
    instance: InstanceType,
    accelerator: Accelerator | None,
    kind: str,
    facts: Facts,
    path: str,
) -> tuple[Diagnostic, ...]:
    """An image that no table has: a warning where it looks like a slip or moves, a word where a pinned image is meant."""
    near = [n for n in row.nearest if name.kind != ID and _would_do(n, instance, accelerator, kind, facts)]
    if accelerator is None and not near:
        return ()
    text = f"'{wish}' is not in the catalog: whether it drives the GPUs of {instance.name} is unknown"
    if near:
        text += f"; the nearest that is known is {near[0]}"
    certain = [n for n in near if accelerator is None or not _doubtful(n, instance, accelerator, kind, facts)]
    hint = f"did you mean {' or '.join(certain)}? If not, " if certain else ""
    hint += f"see that it is {needed_image(instance, accelerator, kind)}"
    if not name.pinned:
        hint += f", and {name_your_own(instance)}"
    if near and not certain:
        hint += f"; or {take_instead(instance, accelerator, kind, facts)}"
    severity = Severity.INFO if name.pinned and not near else Severity.WARNING
    return (findings.UNKNOWN_NODE_IMAGE.at(path, text, hint, severity=severity),)


def _doubtful(selector: str, instance: InstanceType, accelerator: Accelerator, kind: str, facts: Facts) -> bool:
    """Whether naming an image would only change the doubt about it, where the machine has an image without doubt."""
    best = next(iter(ranked_images(instance, accelerator, kind, facts)), None)
    found = catalog.node_image(instance.provider, selector)
    return bool(best and best.selector and best.driver) and not isinstance(found, Miss) and not found.driver


def _would_do(selector: str, instance: InstanceType, accelerator: Accelerator | None, kind: str, facts: Facts) -> bool:
    """Whether the catalog's image of a selector passes the checks of a machine: a guess should not be refused next."""
    found = catalog.node_image(instance.provider, selector)
    if isinstance(found, Miss) or "<" in selector:
        return False
    image = _under_driver(found, instance, kind, facts)
    if refused_by_publisher(image, instance) or (accelerator is not None and serves(image, instance) is False):
        return False
    return not any(s.holds is Holds.NO for s in image_steps(image, instance, accelerator, kind))


def _under_driver(row: NodeImage, instance: InstanceType, kind: str, facts: Facts) -> NodeImage:
    """A stock image counts as carrying the driver that the cloud, or the boot bundle, lays on it for this machine."""
    if row.driver_kind != "none" or not kind:
        return row
    laid = [i for i in facts.node_images if i.driver_kind == kind and not i.selector and serves(i, instance)]
    laid = [i for i in laid if laid_on(i, facts).selector]
    for image in laid:
        if same_stock(row, image):
            return image._replace(selector=row.selector)
    return row._replace(driver_kind=kind) if laid else row


def _misfits(steps: tuple[Step, ...], hint: str, path: str) -> tuple[Diagnostic, ...]:
    codes = {
        Rule.NODE_ARCH: findings.WRONG_NODE_ARCH,
        Rule.DRIVER_KIND: findings.WRONG_DRIVER_KIND,
        Rule.KERNEL_MODULE: findings.WRONG_MODULE,
        Rule.DRIVER_BRANCH: findings.OLD_BRANCH,
    }
    return tuple(codes[s.rule].at(path, s.finding, hint) for s in steps if s.holds is Holds.NO)


def _not_served(
    image: NodeImage, instance: InstanceType, accelerator: Accelerator | None, hint: str, path: str
) -> tuple[Diagnostic, ...]:
    if accelerator is None:
        return ()
    refused = refused_by_publisher(image, instance)
    if refused:
        return (
            findings.MACHINE_NOT_SERVED.at(path, f"{instance.name} cannot boot {image.selector} ({refused})", hint),
        )
    if serves(image, instance) is False:
        text = f"{image.selector} is made for {image.machine_types.replace(';', ', ')}; {instance.name} is none of them"
        return (findings.MACHINE_NOT_SERVED.at(path, text, hint, severity=Severity.WARNING),)
    return ()


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
