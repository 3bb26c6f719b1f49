"""Tags that AWS refuses.

What: A tag key starts with `aws:`, a key is longer than 128 or a value longer than 256 characters, or there are more than 50.
Why: The call that makes the resource is refused, in the middle of an `up`.
Fix: Rename or shorten the tag.
References: AWS General Reference, tag naming limits
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import entries, late, plain

CODE = described("GI3058", "tags-refused", Severity.ERROR, __doc__, ("AWS CMP-18",))
_MOST, _KEY, _VALUE = 50, 128, 256


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource, at its first bad tag. Unknown values of known keys leave that tag undecided."""
    for r in ctx.graph:
        if not r.type.startswith("aws:"):
            continue
        tags = r.get("tags")
        if late(tags):
            yield Undecided(CODE.code, r.name, "the tags are not known yet")
            continue
        pairs = _pairs(tags)
        if len(pairs) > _MOST:
            yield CODE.at(f"{r.name}.tags", f"{len(pairs)} tags; AWS takes {_MOST}", resource=r.name)
        yield from _first_fault(r, pairs)


def _pairs(tags: Any) -> list[tuple[str, Any]]:
    if isinstance(tags, Mapping):
        return [(str(k), plain(v)) for k, v in cast(Mapping[str, Any], tags).items()]
    return [(str(t.get("key")), plain(t.get("value"))) for t in entries(tags) if isinstance(t.get("key"), str)]


def _first_fault(r: Resource, pairs: list[tuple[str, Any]]) -> Iterator[Diagnostic | Undecided]:
    for key, value in pairs:
        fault = ""
        if key.lower().startswith("aws:"):
            fault = f"'{key[:60]}' starts with 'aws:', which is reserved"
        elif not 0 < len(key) <= _KEY:
            fault = f"the key '{key[:30]}…' has {len(key)} characters; AWS takes 1 to {_KEY}"
        elif isinstance(value, str) and len(value) > _VALUE and not late(value):
            fault = f"the value of '{key}' has {len(value)} characters; AWS takes {_VALUE}"
        if fault:
            yield CODE.at(f"{r.name}.tags", fault, resource=r.name)
            return
        if late(value) and not isinstance(value, str):
            yield Undecided(CODE.code, r.name, f"the value of tag '{key}' is not known yet")


_T = "- {{type: aws.ec2.Vpc, name: net, inputs: {{tags: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("tags",),
    check,
    Examples((_T.format("{team: nlp}"),), (_T.format('{"aws:team": nlp}'),), (_T.format("!unknown "),)),
    providers=(Provider.AWS,),
)
