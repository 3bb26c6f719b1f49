"""The codes of what is wrong with a file or with the shape of a spec: GI1001 to GI1099. None is used twice."""

from __future__ import annotations

from ..diagnostics import Code, Severity

E = Severity.ERROR

# The file.
NO_FILE = Code(
    "GI1001",
    "spec-file-missing",
    E,
    "No file of that name.",
    why="The path is wrong, or the command runs in another folder than the one the path counts from.",
    fix="Check the path; it counts from the folder the command runs in.",
)
DIRECTORY = Code(
    "GI1002",
    "spec-is-a-directory",
    E,
    "A directory where a file is wanted.",
    why="One file is one cluster; a directory may hold several.",
    fix="Name the file in it, as cluster.yaml.",
)
UNREADABLE = Code(
    "GI1003",
    "spec-unreadable",
    E,
    "A file that cannot be read.",
    why="The operating system refused it, mostly for lack of permission.",
    fix="Make the file readable for the user who runs the command.",
)
TOO_LARGE = Code(
    "GI1004",
    "spec-too-large",
    E,
    "A file of more than 1 MiB.",
    why="A spec of a thousand pools stays far below. Something else was named, or data was pasted in.",
    fix="Name the spec itself, and keep data out of it.",
)
NOT_UTF8 = Code(
    "GI1005",
    "spec-not-utf8",
    E,
    "A file that is not text in UTF-8.",
    why="YAML is Unicode text. Another encoding would be read as other characters.",
    fix="Save the file as UTF-8.",
)
EMPTY = Code(
    "GI1006",
    "spec-empty",
    E,
    "A file with nothing in it but space and comments.",
    why="An empty file is mostly one whose editor has not saved it, or a path to the wrong file.",
    fix="Start with name, location and node_pools.",
)

# The document.
NOT_YAML = Code(
    "GI1007",
    "not-yaml",
    E,
    "Text that is not YAML.",
    why="The place named is where the reader gave up; the cause is there or a little above.",
    fix="Look there for wrong indentation, an open quote or bracket, or text that wants quotes.",
)
TAB = Code(
    "GI1008",
    "tab-as-indentation",
    E,
    "A tab where YAML wants spaces.",
    why="YAML forbids tabs in indentation, because editors show them with different widths.",
    fix="Indent with spaces.",
)
SEVERAL_DOCUMENTS = Code(
    "GI1009",
    "several-documents",
    E,
    "More than one YAML document in a file.",
    why="One file is one cluster; what follows `---` would be left out without a word.",
    fix="Put each cluster into its own file.",
)
DUPLICATE_KEY = Code(
    "GI1010",
    "duplicate-key",
    E,
    "A key that stands twice in one mapping.",
    why="YAML readers keep one of the two without a word, and not all the same one.",
    fix="Keep one of the two.",
)
TAG = Code(
    "GI1011",
    "yaml-tag",
    E,
    "A YAML tag, as !!python/object or !Ref.",
    why="A tag asks the reader to build something other than plain data. A spec is plain data.",
    fix="Take the tag out; quote the value where it is meant as text.",
)
ALIAS = Code(
    "GI1012",
    "alias-without-end",
    E,
    "An alias to an anchor that does not exist, or that contains the alias.",
    why="Such a document has no value.",
    fix="Write the anchor (&name) before the alias (*name), outside of what the alias stands for.",
)
EXPLODING = Code(
    "GI1013",
    "aliases-explode",
    E,
    "Aliases that expand to more values than a spec can have.",
    why="A few lines of nested aliases can stand for billions of values.",
    fix="Write the values out.",
)
TOO_DEEP = Code(
    "GI1014",
    "nested-too-deep",
    E,
    "Mappings and lists nested deeper than a spec can be.",
    why="Such depth is a bracket that was never closed, or data that was pasted in.",
    fix="Close the brackets, or take out levels.",
)
NOT_A_MAPPING = Code(
    "GI1015",
    "not-a-mapping",
    E,
    "A document that is not a mapping of keys to values.",
    why="A spec is a mapping with keys such as name, location and node_pools.",
    fix="Start with `name: …` at the left margin.",
)
BAD_KEY = Code(
    "GI1016",
    "key-not-text",
    E,
    "A key that is not text.",
    why="Every key of a spec is a word. A list or mapping as a key mostly comes from a template that was not filled in.",
    fix="Write a word before the colon; quote text that begins with { or [.",
)
MERGE = Code(
    "GI1017",
    "merge-of-no-mapping",
    E,
    "A merge key (<<) whose value is not a mapping, or a list of mappings.",
    why="A merge key lays mappings over each other; of anything else there is nothing to merge.",
    fix="Give it an alias of a mapping, as <<: *defaults.",
)
CONTROL_CHARACTER = Code(
    "GI1018",
    "control-character",
    E,
    "A character that YAML does not allow.",
    why="Control characters are invisible in an editor and obeyed by a terminal.",
    fix="Delete the character; inside double quotes it can be written as an escape.",
)

# The shape.
UNKNOWN_KEY = Code(
    "GI1030",
    "unknown-key",
    E,
    "A key that the spec does not have.",
    why="A key that is passed over looks like a setting and sets nothing.",
    fix="List the keys: gpuinfra schema",
)
MISSING_KEY = Code(
    "GI1031",
    "missing-key",
    E,
    "A key that must be there is not.",
    why="Nothing can stand in for it without a guess.",
)
WRONG_TYPE = Code(
    "GI1032",
    "wrong-kind-of-value",
    E,
    "A value of another kind than the key takes: text for a number, one value for a list.",
    why="Only true and false are truth values, and only unquoted digits are numbers (YAML 1.2): yes, no, on and off "
    "are text, and 010 is ten.",
)
UNKNOWN_WORD = Code(
    "GI1033",
    "unknown-word",
    E,
    "A word that is not among the ones the key takes.",
    why="A near word may mean the opposite; none is taken for another.",
)
OUT_OF_RANGE = Code(
    "GI1034",
    "out-of-range",
    E,
    "A number that is too small or too large for the key.",
    why="A budget of nothing, or less, stops the cluster or limits nothing; a count below zero has no meaning.",
)
WRONG_FORM = Code(
    "GI1035",
    "malformed-text",
    E,
    "Text that is not in the form the key takes.",
    why="Names go into the names of cloud resources, which take lower-case letters, digits and hyphens.",
)
WRONG_LENGTH = Code(
    "GI1036",
    "empty-or-too-long",
    E,
    "Text or a list that is empty, or longer than the key takes.",
    why="An empty value is mostly one that was meant to be filled in; a key that is left out gets its default.",
    fix="Fill it in, or leave the key out.",
)
DURATION = Code(
    "GI1037",
    "malformed-duration",
    E,
    "A duration without a unit, not positive, or over ten years.",
    why="A bare number could be seconds, minutes or hours.",
    fix="Write it as 30m, 72h, 7d or 1h30m.",
)
SIZE = Code(
    "GI1038",
    "malformed-size",
    E,
    "A size that is not a number of GiB, or a number and a unit.",
    why="GB and GiB differ by 7 %, TB and TiB by 10 %: enough to miss the step that a file system is sold in.",
    fix="Write a number of GiB, as 9600, or a number and a unit, as 10 TiB.",
)
MOMENT = Code(
    "GI1039",
    "malformed-moment",
    E,
    "A day or a moment that cannot be read.",
    why="A lease or a waiver that ends on a day nobody can read would never end.",
    fix="Write a moment as 2026-12-05T18:00:00+01:00, and a day as 2026-12-05.",
)
NAIVE_MOMENT = Code(
    "GI1040",
    "moment-without-timezone",
    E,
    "A moment without its offset from UTC.",
    why="It would mean another moment on the laptop than in the pipeline, and the cluster would end hours off.",
    fix="Add the offset, as 2026-12-05T18:00:00+01:00, or Z for UTC.",
)
EMPTY_BUDGET = Code(
    "GI1041",
    "empty-budget",
    E,
    "A budget without an amount.",
    why="It looks like a limit and limits nothing.",
    fix="Give per_month_usd, per_run_usd or per_hour_usd, or leave the budget out.",
)
OUTPUT = Code(
    "GI1042",
    "output-in-spec",
    E,
    "A Pulumi Output where the spec needs a plain value.",
    why="The spec is decided before the deployment; an Output is known only during it.",
    fix="Give the value itself, for instance from pulumi.Config or a constant.",
)
RANGE_ORDER = Code(
    "GI1043",
    "range-out-of-order",
    E,
    "A range whose ends, or whose first value, do not fit each other.",
    why="A group of nodes whose least number is above its largest is refused by every cloud.",
    fix="Keep min <= initial <= max.",
)
API_VERSION = Code(
    "GI1044",
    "unknown-api-version",
    E,
    "A version of the spec that this release does not read.",
    why="A later version may give a key another meaning.",
    fix="Write api_version: gpuinfra/v1, or install the release that knows the version.",
)
PROVIDER = Code(
    "GI1045",
    "unknown-provider",
    E,
    "A location that names no cloud, or one that is not known.",
    why="The provider chooses the other keys of the location.",
)
INVISIBLE = Code(
    "GI1046",
    "invisible-character",
    E,
    "A character that cannot be seen, in a value or where a space is wanted.",
    why="A no-break space from a web page, a line break or a mark that turns the writing round makes another name of a "
    "name; clouds refuse it late, and terminals obey some of them.",
    fix="Type the value anew.",
)
MORE = Code(
    "GI1098",
    "more-findings",
    E,
    "More findings than are worth listing.",
    why="One slip of the pen can give thousands; the first ones mostly explain the others.",
    fix="Correct the ones above and check again.",
)
OTHER = Code(
    "GI1099",
    "refused-value",
    E,
    "A value that the spec does not take, for another reason.",
    why="It would be refused later by the cloud, or change its meaning on the way there.",
    fix="See what the key takes: gpuinfra explain KEY",
)

CODES: tuple[Code, ...] = (
    NO_FILE, DIRECTORY, UNREADABLE, TOO_LARGE, NOT_UTF8, EMPTY, NOT_YAML, TAB, SEVERAL_DOCUMENTS, DUPLICATE_KEY, TAG,
    ALIAS, EXPLODING, TOO_DEEP, NOT_A_MAPPING, BAD_KEY, MERGE, CONTROL_CHARACTER, UNKNOWN_KEY, MISSING_KEY, WRONG_TYPE,
    UNKNOWN_WORD, OUT_OF_RANGE, WRONG_FORM, WRONG_LENGTH, DURATION, SIZE, MOMENT, NAIVE_MOMENT, EMPTY_BUDGET, OUTPUT,
    RANGE_ORDER, API_VERSION, PROVIDER, INVISIBLE, MORE, OTHER,
)  # fmt: skip
"""Every code that reading a spec can give."""
