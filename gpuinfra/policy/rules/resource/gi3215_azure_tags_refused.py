"""Tags that Azure refuses.

What: A tag's name holds <, >, %, &, \\, ? or /, is longer than 512 characters (128 on a storage account), its value is longer than 256, or there are more than 50.
Why: The call that makes the resource is refused, in the middle of an `up`. Names copied from labels of Kubernetes have a slash.
Fix: Rename or shorten the tag.
References: Azure docs, use tags to organize resources: limitations
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ....catalog import Limit, limit
from ....diagnostics import Diagnostic, Severity
from ....vocabulary import Provider
from ...azure_graph import PREFIX, STORAGE_ACCOUNT
from ...resource_graph import Resource
from ...rule import Examples, GraphContext, ResourceRule, Undecided, described
from ...wire_values import late, plain

CODE = described("GI3215", "azure-tags-refused", Severity.ERROR, __doc__, ())
# Azure docs, tag limitations: storage accounts alone take shorter names.
_ACCOUNT_KEY = 128


def check(ctx: GraphContext) -> Iterator[Diagnostic | Undecided]:
    """One finding for each resource, at its first bad tag. Unknown values of known names leave that tag undecided."""
    key, value, most = (limit(Provider.AZURE, what) for what in ("tag_key", "tag_value", "tags"))
    if key is None or value is None or most is None:
        return
    for r in ctx.azure.graph:
        if not r.type.startswith(f"{PREFIX}:"):
            continue
        tags = r.get("tags")
        if late(tags):
            yield Undecided(CODE.code, r.name, "the tags are not known yet")
        if not isinstance(tags, Mapping):
            continue
        pairs = {str(k): plain(v) for k, v in cast("Mapping[Any, Any]", tags).items()}
        if len(pairs) > most.maximum:
            yield CODE.at(
                f"{r.name}.tags", f"{len(pairs)} tags; Azure takes {most.maximum}", "leave some out", resource=r.name
            )
        fault = next((text for k, v in pairs.items() if (text := _fault(r, k, v, key, value))), "")
        if fault:
            yield CODE.at(f"{r.name}.tags", fault, "rename or shorten it", resource=r.name)
        elif any(late(v) and not isinstance(v, str) for v in pairs.values()):
            yield Undecided(CODE.code, r.name, "the value of a tag is not known yet")


def _fault(r: Resource, key: str, value: Any, keys: Limit, values: Limit) -> str:
    longest = _ACCOUNT_KEY if r.type == STORAGE_ACCOUNT else keys.maximum
    if not 0 < len(key) <= longest:
        return f"the name '{key[:30]}…' has {len(key)} characters; Azure takes 1 to {longest}"
    if not re.search(keys.pattern, key):
        return f"the name '{key[:60]}' holds a character that tags do not have"
    if isinstance(value, str) and not late(value) and len(value) > values.maximum:
        return f"the value of '{key[:60]}' has {len(value)} characters; Azure takes {values.maximum}"
    return ""


_T = "- {{type: azure-native.resources.ResourceGroup, name: group, inputs: {{tags: {0}}}}}\n"

RULE = ResourceRule(
    CODE,
    ("tags",),
    check,
    Examples((_T.format("{team: nlp}"),), (_T.format('{"example.com/team": nlp}'),), (_T.format("!unknown "),)),
    providers=(Provider.AZURE,),
)
