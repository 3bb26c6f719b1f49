"""`gpuinfra explain`: what a code, a field of the spec, an instance type or a GPU is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from ..diagnostics import Code, nearest
from ..vocabulary import Provider
from .output import note, write

if TYPE_CHECKING:
    from ..policy.rule import Rule

_CODE = re.compile(r"[Gg][Ii][0-9]{4}")


@click.command("explain")
@click.argument("subject", metavar="CODE|FIELD|TYPE")
def command(subject: str) -> int:
    """Explain a code, a field, a type or a GPU.

    A code of a finding or its name, a field of the spec by its path or its end, an instance type, a GPU model or family.
    A word that is none of these is wrong usage: exit status 2.

    \b
    Examples:
      gpuinfra explain GI2001
      gpuinfra explain subnets-overlap
      gpuinfra explain node_pools.capacity.type
      gpuinfra explain p5.48xlarge
      gpuinfra explain H200
    """
    # A word may be two things: H100 is a GPU, meant by most, and a machine of one seller.
    texts = [text.rstrip("\n") + "\n" for explain in (_code, _field, _gpu, _machine) if (text := explain(subject))]
    if texts:
        write("\n".join(texts))
        return 0
    near = _near_codes(subject) or nearest(subject, _subjects(), n=4)
    guess = (
        f"; did you mean {' or '.join(near)}?" if near else "; see gpuinfra instances, gpuinfra gpus, docs/reference"
    )
    note(f"error: '{subject}' is no code, name of one, field, instance type or GPU that is known here{guess}")
    return 2


def _codes() -> dict[str, Code]:
    from ..reference import all_codes

    return all_codes()


def _near_codes(subject: str) -> tuple[str, ...]:
    """The codes whose numbers are nearest to one that is not taken."""
    if not _CODE.fullmatch(subject):
        return ()
    return tuple(sorted(_codes(), key=lambda code: (abs(int(code[2:]) - int(subject[2:])), code))[:3])


def _code(subject: str) -> str:
    """The entry of a code, by its number or by its name."""
    from ..reference.codes import rules_by_code

    rules = {**rules_by_code(), **_own()}
    codes = {**_codes(), **{number: rule.code for number, rule in rules.items()}}
    fold = subject.casefold()
    found = codes.get(subject.upper()) or next((c for c in codes.values() if c.slug.casefold() == fold), None)
    return _entry(found, rules.get(found.code)) if found else ""


def _own() -> dict[str, Rule]:
    from ..policy.organisation import own_rules

    return {r.code.code: r for r in own_rules().rules}


def _entry(code: Code, rule: Rule | None) -> str:
    """One code: what it finds, why that matters, what to do, and examples where a rule has them."""
    vary = f"; {code.varies}" if code.varies else ""
    parts = [
        f"{code.code} {code.slug}",
        f"{code.severity}{vary}",
        f"What. {code.summary}",
        f"Why. {code.why}" if code.why else "",
        f"Fix. {code.fix or 'It depends on the value: the hint of the finding names it.'}",
        f"References. {'; '.join(code.references) or 'none'}",
        f"Facts. {', '.join(code.facts) or 'none'}",
    ]
    if rule is not None:
        parts.append(f"Clouds. {', '.join(rule.providers)}. Tags. {', '.join(rule.tags) or 'none'}")
        over = _OVER.get(type(rule).__name__, "facts of the account")
        for title, examples in (
            ("Caught", rule.examples.bad),
            ("Right", rule.examples.good),
            ("Undecided", rule.examples.unknown),
        ):
            parts += [f"{title} ({over}):\n\n{_indented(e)}" for e in examples[:1]]
    else:
        parts += _written(code.code)
    return "\n\n".join(p for p in parts if p) + "\n"


def _written(code: str) -> list[str]:
    from ..reference.examples import shown_examples, written_examples

    shown = [f"{title}:\n\n{_indented(text)}" for title, text in shown_examples(code)]
    example = written_examples().get(code)
    return shown or ([f"Example. None: {example.none}."] if example else [])


_OVER = {"PlanRule": "laid over a right spec", "ResourceRule": "resources"}


def _indented(example: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in example.strip("\n").splitlines())


def _plain(path: str) -> str:
    return re.sub(r"\[\w*\]", "", path)


def _field(subject: str) -> str:
    if not re.fullmatch(r"[a-z_][\w.\[\]]*", subject):
        return ""
    from ..reference import SpecField, spec_fields

    wanted = _plain(subject)
    fields = spec_fields()
    exact = [f for f in fields if _plain(f.path) == wanted]
    ends = [f for f in fields if _plain(f.path).endswith(f".{wanted}")]

    def card(f: SpecField) -> str:
        only = f"  ({f.where} only)" if f.where else ""
        rows = [
            ("type", f.type.replace("`", "").replace("\\|", "|")),
            ("default", "required" if f.required else f.default),
            ("unit", f.unit),
            ("example", f.example),
            ("on change", f.on_change),
        ]
        inner = [g.path for g in fields if g.path.startswith((f"{f.path}.", f"{f.path}[]."))]
        rows.append(
            (
                "fields",
                " ".join(p.rpartition(".")[2] for p in inner if _plain(p).count(".") == _plain(f.path).count(".") + 1),
            )
        )
        return f"{f.path}{only}\n  {f.description}\n\n{_card(rows)}"

    return "\n".join(card(f) for f in (exact or ends))


def _card(rows: Iterable[tuple[str, Any]]) -> str:
    shown = [(name, value) for name, value in rows if value not in ("", None, [], ())]
    width = max((len(name) for name, _ in shown), default=0)
    return "".join(f"  {name:<{width}}  {_text(value)}\n" for name, value in shown)


def _text(value: Any) -> str:
    from .output import number

    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return " ".join(str(v) for v in value)  # type: ignore[misc]
    return number(value) if isinstance(value, float) else str(value)


_NVME = "local NVMe"
_NVME_UNIT = {Provider.AWS: "GB"}
"""AWS prints decimal gigabytes; the figures of every other cloud are GiB."""

_MACHINE_FACTS = (
    ("GPU", "gpu_model"),
    ("GPUs", "gpu_count"),
    ("share of a GPU, each", "gpu_fraction"),
    ("GPU memory, GiB each", "gpu_memory_gib"),
    ("NVLink", "nvlink"),
    ("vCPUs", "vcpus"),
    ("memory, GiB", "memory_gib"),
    ("architecture", "arch"),
    (_NVME, "local_nvme_gb"),
    ("local NVMe optional", "local_nvme_optional"),
    ("network, Gbit/s", "network_gbps"),
    ("fabric", "fabric"),
    ("fabric interfaces", "fabric_interfaces"),
    ("fabric, Gbit/s", "fabric_gbps"),
    ("spot", "spot_supported"),
    ("placement group", "cluster_placement_supported"),
    ("notes", "notes"),
    ("from common knowledge", "weak"),
    ("as of", "as_of"),
    ("source", "source"),
)
_IF_KNOWN = frozenset(("notes", "from common knowledge", "NVLink", "local NVMe optional"))


def _machine(subject: str) -> str:
    from . import rows

    known = (*rows.instances(), *rows.cpu_instances())
    found = [r for r in known if r["instance_type"].casefold() == subject.casefold()]
    return "\n".join(_machine_card(r) for r in found) or _gone(subject)


def _gone(subject: str) -> str:
    """A retired type of which the tables keep nothing but that."""
    from ..catalog.tables import folders
    from . import rows

    return "\n".join(
        f"{subject} ({provider})\n{_retired(row)}"
        for provider in folders()
        if (row := rows.retirement(provider, subject))["retired"]
    )


def _retired(row: dict[str, Any]) -> str:
    """That a type is no longer deployed, and what to take; nothing for one that is."""
    if not row["retired"]:
        return ""
    since = f"on {row['retired_on']}" if row["retired_on"] else "on a date that was not read"
    return f"  retired {since}: no longer deployed; take {row['take_instead'] or 'another type'}\n"


def _attached(row: dict[str, Any]) -> str:
    """How the spec names GPUs that are attached to a machine; nothing for a machine."""
    from . import rows

    if not rows.attached_kind(row["instance_type"]):
        return ""
    return (
        "  no instance type but GPUs that are attached to an N1 machine; in the spec: instance_type: n1-standard-8, "
        f"accelerator: {{model: {row['gpu_model']}, count: {row['gpu_count']}}}\n"
    )


def _machine_card(row: dict[str, Any]) -> str:
    from . import listing, prices, rows

    # That NVMe need not be asked for says nothing where it is unknown whether there is any.
    row = {**row, "local_nvme_optional": row.get("local_nvme_optional") or None}
    facts = [(title, row.get(column)) for title, column in _MACHINE_FACTS if row.get("gpu_model") or "GPU" not in title]
    facts = [(title, "?" if value is None and title not in _IF_KNOWN else value) for title, value in facts]
    unit = _NVME_UNIT.get(row["provider"], "GiB")
    facts = [(f"{title}, {unit}" if title == _NVME else title, value) for title, value in facts]
    card = f"{row['instance_type']} ({row['provider']})\n{_retired(row)}{_attached(row)}{_card(facts)}"
    if layout := _layout(row):
        card += f"\ninterfaces\n{_card(layout)}"
    priced = [
        p for p in rows.prices() if (p["provider"], p["instance_type"]) == (row["provider"], row["instance_type"])
    ]
    if not priced:
        return card + "\nprices: unknown\n"
    by_price = sorted(priced, key=lambda p: (p["on_demand_usd_hour"] is None, p["on_demand_usd_hour"] or 0))
    shown = [c for c in prices.COLUMNS if c.title not in ("provider", "type", "GPU", "n", "retired")]
    return f"{card}\n{listing.table_text(shown, by_price)}"


def _layout(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """The interfaces that the cloud demands, by whichever table of the catalog knows the type."""
    from ..catalog.tables import rows as catalog_rows

    for table in ("network_cards", "nics", "infiniband"):
        fitting = [
            cells
            for cells in catalog_rows(table, row["provider"])
            if fnmatchcase(row["instance_type"], cells.get("instance_type") or cells.get("pattern") or "")
        ]
        if fitting:
            best = max(fitting, key=lambda cells: len(cells.get("pattern", "")))
            return [(k.replace("_", " "), _shortened(v)) for k, v in best.items() if v and k not in _NOT_LAYOUT]
    return []


def _shortened(cell: str) -> str:
    """A list of equal entries as one: 2;2;2 is '2, each of 3'."""
    items = cell.split(";")
    return f"{items[0]}, each of {len(items)}" if len(items) > 1 and len(set(items)) == 1 else cell.replace(";", " ")


_NOT_LAYOUT = frozenset(
    ("pattern", "family", "instance_type", "provider", "as_of", "as_of_basis", "source", "notes", "weak")
)


def _gpu(subject: str) -> str:
    from . import rows

    fold = subject.casefold()
    models = rows.gpus()
    found = [r for r in models if r["gpu_model"].casefold() == fold]
    found = found or [r for r in models if r["gpu_model"].casefold().startswith(f"{fold}-")]
    if not found:
        return ""
    machines, attached = rows.instances(), rows.attached_accelerators()

    def card(row: dict[str, Any]) -> str:
        facts = _card((k.replace("_", " "), v) for k, v in row.items() if k not in ("gpu_model", "as_of_basis"))
        sold = [
            f"{m['instance_type']} ({m['provider']}, {m['gpu_count']})"
            for m in machines
            if m["gpu_model"] == row["gpu_model"] and not m["retired"] and not rows.attached_kind(m["instance_type"])
        ]
        gone = [m["instance_type"] for m in machines if m["gpu_model"] == row["gpu_model"] and m["retired"]]
        text = f"{row['gpu_model']}\n{facts}  sold as: {', '.join(sold) or 'no type in the tables'}\n"
        counts = [str(a["gpu_count"]) for a in attached if a["gpu_model"] == row["gpu_model"]]
        if counts:
            text += (
                f"  attached to an N1 machine, by {', '.join(counts)}: instance_type: n1-standard-8, "
                f"accelerator: {{model: {row['gpu_model']}, count: {counts[0]}}}\n"
            )
        return text + (f"  retired: {', '.join(gone)}\n" if gone else "")

    return "\n".join(card(r) for r in found)


def _subjects() -> Iterable[str]:
    from ..reference import spec_fields
    from . import rows

    sources: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: _codes(),
        lambda: (c.slug for c in (*_codes().values(), *(r.code for r in _own().values()))),
        lambda: (_plain(f.path) for f in spec_fields()),
        lambda: (r["instance_type"] for r in rows.instances() if not rows.attached_kind(r["instance_type"])),
        lambda: (r["gpu_model"] for r in rows.gpus()),
    )
    return [name for source in sources for name in source()]
