"""What to do about a key or a word that is unknown: the word this tool has for it, the nearest, or where it belongs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from ..diagnostics import nearest
from .fields import FieldDoc, documented
from .paths import Path
from .quantities import printable
from .scalars import write_inline
from .spacing import spacing_fault
from .synonyms import EXISTING_IDS, NETWORK_IDS, NOT_OF_THE_SPEC, OTHER_KEYS, OTHER_VALUES, SUBNET_IDS, WHOLE_ENTRIES

_LONGEST_WORD = 100


def folded(key: str) -> str:
    """A key without case, hyphens and underscores: instanceType, instance-type and instance_type are one."""
    return re.sub(r"[^a-z0-9]", "", key.casefold())


def _snake(key: str) -> str:
    """machineType and machine-type as machine_type."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).casefold().replace("-", "_").replace(" ", "_")


def _other_words(key: str) -> tuple[str, ...]:
    return tuple((OTHER_KEYS.get(_snake(key)) or OTHER_KEYS.get(key.casefold()) or "").split())


def called_here(key: str, known: Iterable[str]) -> tuple[str, ...]:
    """The keys of the same mapping that a key is another spelling or another word of; empty where there is none."""
    keys = list(known)
    same = tuple(k for k in keys if folded(k) == folded(key) and folded(k))
    other = tuple(k for k in _other_words(key) if k in keys)
    # A pool has a count as well, which is not that of its GPUs.
    return same or (("accelerator",) if "accelerator" in other else other)


def likely_key(key: str, known: Collection[str]) -> str:
    """The key of the same mapping that was most likely meant; empty when none is near."""
    key = _seen(key)
    if len(key) > _LONGEST_WORD:
        return ""
    fault = spacing_fault(key)
    if fault is not None and fault.key in known:
        return fault.key
    here = called_here(key, known)
    near = here or nearest(key, known, n=1)
    return near[0] if near else ""


def word_meant(name: str, word: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the field `name` that `word` may stand for: what it is called elsewhere first, then what looks alike."""
    if not word or len(word) > _LONGEST_WORD:
        return ()
    same = tuple(w for w in words if folded(w) == folded(word))
    other = OTHER_VALUES.get(name, {}).get(folded(word), "")
    if same or other in words:
        return same or (other,)
    return nearest(word.replace("-", "_"), words) or nearest(word, words)


def unknown_key_hint(
    key: str, path: Path, known: tuple[str, ...], given: Collection[str] = (), value: object = None,
    cloud: str = "",
) -> str:  # fmt: skip
    """The next action for an unknown key of a mapping at `path` that takes the keys `known` and has the keys `given`;
    `cloud` is the provider, in whose form ids are shown."""
    if not key.isprintable():
        likely = likely_key(key, known)
        what = "the spaces before the key" if key[0].isspace() else "the key"
        return f"type {what} anew" + (f": did you mean {likely}?" if likely else "")
    if len(key) > _LONGEST_WORD:
        return f"keys here: {', '.join(known)}" if known else ""
    fault = spacing_fault(key)
    if fault is not None and fault.key in known:
        return fault.hint
    if path in ((), ("location",)) and key not in known and (set_by := NOT_OF_THE_SPEC.get(_snake(key))):
        return set_by
    if whole := _whole_hint(key, path, known, given, value, cloud):
        return whole
    if sure := _sure_hint(key, known, given, value):
        return sure
    elsewhere = _belongs(key, path)
    near = nearest(key, known, n=1) if not (elsewhere and _other_words(key)) else ()
    guess = ""
    if near:
        there = f" It stands there already: take {printable(key)} out" if near[0] in given else ""
        guess = f"did you mean {near[0]}?{there}"
    if elsewhere or guess:
        return "; ".join(part for part in (elsewhere, guess) if part)
    return f"keys here: {', '.join(known)}" if known else ""


def _whole_hint(key: str, path: Path, known: tuple[str, ...], given: Collection[str], value: object, cloud: str) -> str:
    """What to write for a key whose value has no place of its own here: spot, and the id of a network."""
    snake = _snake(key)
    stands_for, entry = WHOLE_ENTRIES.get(snake, ("", ""))
    if stands_for == "capacity" and key not in known and "capacity" not in known:
        if value is False:
            return f"take {printable(key)} out: nothing is spot that is not written so"
        if path[-1:] == ("capacity",):
            return "write type: spot"
        return f"write {entry} in each pool that is meant, at node_pools[].capacity" if not path else ""
    at_top = isinstance(value, str) and "network" in known and "network" not in given and key not in known and not path
    if snake in NETWORK_IDS and (at_top or ("existing" in known and "existing" not in given)):
        network, subnet = EXISTING_IDS.get(cloud, EXISTING_IDS["aws"])
        if snake in SUBNET_IDS:
            subnet = _own_id(value) or subnet
        else:
            network = _own_id(value) or network
        entry = f"existing: {{network: {network}, subnet: {subnet}}}"
        return f"write network: {{{entry}}}" if at_top else f"write {entry}"
    return ""


def _own_id(value: object) -> str:
    return write_inline(value) if isinstance(value, str) and 0 < len(value) <= 60 and value.isprintable() else ""


def _sure_hint(key: str, known: tuple[str, ...], given: Collection[str], value: object) -> str:
    """What to write for a key that this mapping has under another name; empty where it has none."""
    stands_for, entry = WHOLE_ENTRIES.get(_snake(key), ("", ""))
    here = called_here(key, known)
    if here == ("accelerator",) and folded(key) != "accelerator" and "accelerator" not in given:
        entry = f"accelerator: {_accelerator(value)}"
        named = "; leave it out where instance_type says which GPUs the node has" if "instance_type" in given else ""
        return f"the GPUs of one node are written {entry}{named}"
    if stands_for in known and not here:
        return (
            f"{stands_for} stands there already: take {printable(key)} out" if stands_for in given else f"write {entry}"
        )
    free = [k for k in here if k not in given]
    if here and not free:
        return f"{here[0]} stands there already: take {printable(key)} out"
    return f"it is called {' or '.join(free)} here" if free else ""


def _accelerator(value: object) -> str:
    """`gpus: 8` and `gpu: H100` as the mapping that accelerator takes."""
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 16:
        return write_inline({"model": "H100", "count": value})
    if isinstance(value, str) and 0 < len(value) <= 60 and value.isprintable():
        return write_inline(counted(value) or {"model": value})
    return "{model: H100, count: 8}"


_MODEL_THEN_COUNT = re.compile(r"(.*?[^\s:*])\s*(?::\s*|\*\s*|\s[xX]\s*)([0-9]{1,2})")
_COUNT_THEN_MODEL = re.compile(r"([0-9]{1,2})(?:\s*[xX*]\s*|\s+)(\S.*)")


def counted(text: str) -> dict[str, object] | None:
    """`H100:8`, `H100 x8` and `8x H100` as {model: H100, count: 8}; None for text of another form."""
    if match := _MODEL_THEN_COUNT.fullmatch(text.strip()):
        return {"model": match[1], "count": int(match[2])}
    if match := _COUNT_THEN_MODEL.fullmatch(text.strip()):
        return {"model": match[2], "count": int(match[1])}
    return None


def _seen(key: str) -> str:
    """A key without the characters that cannot be seen."""
    return key if key.isprintable() else "".join(c if c.isprintable() else " " for c in key).strip()


def places_of(key: str) -> tuple[FieldDoc, ...]:
    """The fields that a key names, anywhere in the spec: of its own name first, else by another word for it."""
    if len(key) > _LONGEST_WORD or not folded(key):
        return ()
    own = tuple(d for d in documented() if folded(d.name) == folded(key))
    others = {folded(word) for word in _other_words(key)}
    return own or tuple(d for d in documented() if folded(d.name) in others)


def _belongs(key: str, path: Path) -> str:
    """Where a key of that name exists; empty where it does not."""
    here = ".".join("[]" if isinstance(step, int) else step for step in path).replace(".[]", "[]")
    found = places_of(key)
    siblings = [d for d in found if d.where and d.path.rpartition(".")[0] == here]
    if siblings:
        return f"{siblings[0].name} is known only with {' or '.join(dict.fromkeys(d.where for d in siblings))}"
    places = list(dict.fromkeys(d.path if "." in d.path else f"{d.path}, at the top of the file," for d in found))
    if not places:
        return ""
    first = places[:3]
    more = f" (and {len(places) - 3} more)" if len(places) > 3 else ""
    return f"{printable(key)} belongs at {' or '.join(first)}{more}".rstrip(",")


def given_keys(mapping: object) -> Collection[str]:
    """The keys of the user's own mapping."""
    if not isinstance(mapping, Mapping):
        return ()
    return {k for k in mapping if isinstance(k, str)}  # pyright: ignore[reportUnknownVariableType]
