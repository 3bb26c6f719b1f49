"""The codes of what is wrong with what `gpuinfra lint` reads: GI1080 to GI1096. None is used twice."""

from __future__ import annotations

from ..diagnostics import Code, Severity

E = Severity.ERROR
W = Severity.WARNING

UNREADABLE = Code(
    "GI1080",
    "lint-input-unreadable",
    E,
    "A preview or a state that cannot be read: no such file, a directory, nothing in it, not text, or too large.",
    why="Nothing can be judged.",
    fix="Give a file that `pulumi preview --json` or `pulumi stack export` has written.",
)
CUT_SHORT = Code(
    "GI1081",
    "lint-input-cut-short",
    E,
    "A file that is not whole JSON.",
    why="The command that wrote it was broken off, or something else was written into it: half of the resources would "
    "look like all of them.",
    fix="Write it again, standard output alone: pulumi preview --json > preview.json, or pulumi stack export > state.json",
)
OTHER_TOOL = Code(
    "GI1082",
    "lint-input-of-another-tool",
    E,
    "JSON that is no preview, or no state, of Pulumi.",
    why="Resources of another tool have other types and other names, so that no rule would see anything.",
    fix="Give what `pulumi preview --json` writes with --preview, and what `pulumi stack export` writes with --state.",
)
PREVIEW_FAILED = Code(
    "GI1083",
    "preview-failed",
    W,
    "The preview itself ended with an error.",
    why="Resources that it did not come to are not in the file, so that findings may be missing, or be wrong about what "
    "is not there.",
    fix="Correct what the preview says, and write it again.",
    varies="error where nothing is left to judge",
)
PREVIEW_PARTIAL = Code(
    "GI1084",
    "preview-leaves-out-what-stays",
    W,
    "The preview does not list the resources that do not change.",
    why="Rules that ask whether something is there (a budget, a route, an end) cannot see it, and links into what is "
    "left out cannot be followed.",
    fix="Write it with all resources: pulumi preview --json --show-sames > preview.json",
    varies="error where nothing is left to judge",
)
NO_PROGRAM = Code(
    "GI1085",
    "lint-program-missing",
    E,
    "A folder that holds no Python program of Pulumi, or not the stack that is asked for.",
    why="Only Python programs are run here, without an engine; every other language has its own host. Without the config "
    "of a stack another program is judged than the one that is deployed.",
    fix="Give the folder that holds Pulumi.yaml; for another language run `pulumi preview --json > preview.json` there, and "
    "give --preview preview.json.",
)
PROGRAM_RAISES = Code(
    "GI1086",
    "program-raises",
    E,
    "The program ended with an error of its own, or ended its process before it had come to its end.",
    why="What it had not registered by then is not known, so that nothing is judged.",
    fix="Correct it where the message points, or judge its preview: pulumi preview --json > preview.json",
)
PROGRAM_REFUSED = Code(
    "GI1087",
    "program-would-not-deploy",
    E,
    "The program registers what the engine would refuse, or what would deploy nonsense.",
    why="Two resources of one URN, or the text of an Output where its value is meant, are only found by `up`.",
    fix="Correct the program where the message points.",
)
CONFIG_MISSING = Code(
    "GI1088",
    "program-config-missing",
    E,
    "The program asks for a config value that its stack does not have.",
    why="Without it the program ends before it registers anything.",
    fix="Set it in the stack's file, or give it here: --config KEY=VALUE",
)

GOES_BY_LOOKUP = Code(
    "GI1090",
    "program-needs-the-account",
    E,
    "The program ended with an error, after look-ups in an account that is not asked here.",
    why="A recording answers look-ups in the form of their results, with values that nobody knows. A program that reads "
    "more into them (a version, a key of JSON, at least seven zones) may be right and end here all the same; what it had "
    "not registered is not judged.",
    fix="Judge its preview, which asks the account: pulumi preview --json > preview.json, and give --preview preview.json.",
)

STATE_PENDING = Code(
    "GI1091",
    "state-with-pending-creations",
    W,
    "A deployment was broken off while it made a resource, which the state therefore does not hold.",
    why="The machine may run, and cost, without any program that knows it: nothing here judges it, and no destroy ends it.",
    fix="Look for it in the cloud, and import or delete it; then clear the operation: pulumi refresh",
)

SDK_STOOD_IN_FOR = Code(
    "GI1092",
    "sdk-stood-in-for",
    W,
    "A package of Pulumi that the program imports is not installed, and something stood in for it.",
    why="What the program makes with it is recorded by its arguments alone. The resources that a component of it makes, as the "
    "nodes of pulumi_eks, are not seen, and so not judged: that nothing is said of them is no pass.",
    fix="Install it where gpuinfra is installed, or judge the preview: pulumi preview --json > preview.json, --preview preview.json.",
)

CODES: tuple[Code, ...] = (
    UNREADABLE, CUT_SHORT, OTHER_TOOL, PREVIEW_FAILED, PREVIEW_PARTIAL, NO_PROGRAM, PROGRAM_RAISES, PROGRAM_REFUSED,
    CONFIG_MISSING, GOES_BY_LOOKUP, STATE_PENDING, SDK_STOOD_IN_FOR,
)  # fmt: skip
"""Every code that reading for `gpuinfra lint` can give."""
