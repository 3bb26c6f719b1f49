"""The folder of a pack: what is in it, and where none is written."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from gpuinfra.cli.app import main, version
from gpuinfra.pack import PackFolderError, write_pack
from gpuinfra.pack.rules import pack_rules
from gpuinfra.policy.examples import graph_of
from gpuinfra.policy.organisation import own_rules
from gpuinfra.policy.registry import resource_rules

from .asking import analyzer, answers

ROOT = Path(__file__).parents[2]


def test_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "pack"
    assert main(["policy-pack", str(folder)]) == 0
    said = capsys.readouterr().out
    assert f"pulumi preview --policy-pack {folder}" in said
    assert {p.name for p in folder.iterdir()} == {
        "PulumiPolicy.yaml", "__main__.py", "requirements.txt", "policy-config.schema.json",
    }  # fmt: skip
    project = yaml.safe_load((folder / "PulumiPolicy.yaml").read_text())
    assert (project["runtime"], project["version"]) == ("python", version())
    assert (folder / "requirements.txt").read_text() == f"gpuinfra[policy]=={version()}\n"
    schema = json.loads((folder / "policy-config.schema.json").read_text())
    assert {r.code.code for r in resource_rules()} < set(schema["properties"])
    compile((folder / "__main__.py").read_text(), "__main__.py", "exec")


def test_renewed_and_the_own_configuration_is_kept(tmp_path: Path) -> None:
    write_pack(tmp_path, name="one", version="1")
    (tmp_path / "policy-config.json").write_text('{"all": "advisory"}')
    write_pack(tmp_path, name="two", version="2")
    assert (tmp_path / "policy-config.json").read_text() == '{"all": "advisory"}'
    assert 'name="two"' in (tmp_path / "__main__.py").read_text()


def test_where_no_index_has_gpuinfra(tmp_path: Path) -> None:
    line = "./gpuinfra-0.1.0-py3-none-any.whl[policy]"
    assert main(["policy-pack", str(tmp_path / "p"), "--requirement", line, "--requirement", "acme-rules"]) == 0
    assert (tmp_path / "p" / "requirements.txt").read_text() == f"{line}\nacme-rules\n"


def test_a_folder_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "PulumiPolicy.yaml").write_text("runtime: nodejs\n")
    (tmp_path / "index.ts").write_text("//")
    assert main(["policy-pack", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "is not empty" in said
    assert "--force" in said
    assert (tmp_path / "PulumiPolicy.yaml").read_text() == "runtime: nodejs\n"
    assert main(["policy-pack", str(tmp_path), "--force"]) == 0
    assert (tmp_path / "index.ts").exists()


def test_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(PackFolderError, match="is a file"):
        write_pack(tmp_path / "x", name="p", version="1")
    with pytest.raises(PackFolderError, match="cannot be written"):
        write_pack(tmp_path / "x" / "below", name="p", version="1")


def test_a_folder_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "write_text", denied)
    assert main(["policy-pack", str(tmp_path / "pack")]) == 2
    assert "PulumiPolicy.yaml cannot be written: Permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "a b", 'x"; import os', "x" * 101])
def test_a_name_that_pulumi_refuses(tmp_path: Path, name: str) -> None:
    with pytest.raises(PackFolderError, match="is no name of a policy pack"):
        write_pack(tmp_path / "pack", name=name, version="1")
    assert not (tmp_path / "pack").exists()


@pytest.mark.parametrize(("missing", "says"), [("pulumi_policy", "gpuinfra[policy]"), ("gpuinfra", "requirements.txt")])
def test_something_is_missing_at_run_time(tmp_path: Path, missing: str, says: str) -> None:
    """One clear line, and no port on standard output."""
    write_pack(tmp_path, name="p", version="1")
    program = (
        f"import runpy, sys; sys.modules[{missing!r}] = None; runpy.run_path({str(tmp_path)!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert missing in line
    assert "is missing; install what the pack needs" in line
    assert says in line


def test_writing_a_pack_imports_no_pulumi(tmp_path: Path) -> None:
    program = (
        "import sys; from gpuinfra.cli.app import main; main(sys.argv[1:]); "
        "print([m for m in sys.modules if m.startswith(('pulumi', 'grpc'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "policy-pack", str(tmp_path / "p")],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"


OWN = """
from gpuinfra.diagnostics import Code, Severity
from gpuinfra.policy import Examples, ResourceRule

CODE = Code("GI9001", "acme-says-no", Severity.ERROR, "Acme says no.", fix="ask Acme")

def check(ctx):
    for r in ctx.graph:
        yield CODE.at(r.name, "no", resource=r.name)

RULE = ResourceRule(CODE, ("acme",), check, Examples((), ()))
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of an organisation's rules, as if it were installed."""
    folder = tmp_path / "site"
    meta = folder / "acme_rules-1.0.dist-info"
    meta.mkdir(parents=True)
    (folder / "acme_rules.py").write_text(OWN)
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (meta / "entry_points.txt").write_text("[gpuinfra.rules]\nours = acme_rules\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "acme_rules", raising=False)
    own_rules.cache_clear()
    yield folder
    own_rules.cache_clear()


def test_an_organisations_own_rules_are_in_the_pack(own: Path, tmp_path: Path) -> None:
    write_pack(tmp_path / "p", name="p", version="1")
    assert "GI9001" in json.loads((tmp_path / "p" / "policy-config.schema.json").read_text())["properties"]
    rules, faults = pack_rules()
    assert rules[-1].code.code == "GI9001"
    assert not faults
    graph = graph_of("[{type: acme.index.Thing, name: a}]")
    assert ("GI9001", "a") in {(v.policyName, v.urn.split("::")[-1]) for v in answers(analyzer(rules=rules), graph)}


def test_own_rules_that_cannot_be_used_are_no_pack(own: Path, tmp_path: Path) -> None:
    (own / "acme_rules.py").write_text("import nothing_that_is_there")
    with pytest.raises(PackFolderError, match="acme-rules"):
        write_pack(tmp_path / "p", name="p", version="1")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a==1\n--index-url https://evil.example", "is no requirement: one line"),
        ("a==1\r-r other.txt", "is no requirement: one line"),
        ("a==1\u2028b==2", "is no requirement: one line"),
        ("a==1 \\", "is no requirement: one line"),
        ("", "is no requirement: one line"),
        ("-r other.txt", "holds the option -r"),
        ("--index-url=https://evil.example", "holds the option --index-url"),
        ("a==1 --hash=sha256:0", "holds the option --hash"),
        ("not a req ;;;", "is no requirement: a package"),
        ("gpuinfra==", "is no requirement: a package"),
        ("gpuinfra=1.0", "is no requirement: a package"),
        ("gpuinfra[policy", "is no requirement: a package"),
        ("gpuinfra 1.0", "is no requirement: a package"),
        ("gpuinfra; nonsense", "is no requirement: a package"),
        ("gpuinfra @", "is no requirement: a package"),
        ("# a remark", "is no requirement: a package"),
    ],
)
def test_a_requirement_is_one_and_no_option(tmp_path: Path, line: str, words: str):
    with pytest.raises(PackFolderError) as e:
        write_pack(tmp_path / "pack", name="gpuinfra", version="1.0", requirements=(line,))
    assert words in str(e.value)
    assert "\n" not in str(e.value)
    assert not (tmp_path / "pack").exists()


@pytest.mark.parametrize(
    "line",
    [
        "gpuinfra",
        "gpuinfra[policy]==0.1.0",
        "gpuinfra [policy, lint] >=0.1, <2  # until the next",
        "gpuinfra[policy] (>=0.1)",
        "gpuinfra~=1.0; python_version >= '3.11' and sys_platform == \"linux\"",
        "gpuinfra[policy] @ https://example.com/gpuinfra-1.0-py3-none-any.whl#sha256=00",
        "gpuinfra @ git+https://example.com/gpuinfra.git@v1.0",
        "git+ssh://git@example.com/gpuinfra.git#egg=gpuinfra",
        "https://example.com/gpuinfra-1.0.tar.gz",
        "file:///srv/gpuinfra-1.0-py3-none-any.whl",
        "./gpuinfra-0.1.0-py3-none-any.whl[policy]",
        "gpuinfra-0.1.0-py3-none-any.whl[policy]",
        "../my folder/gpuinfra",
        "/srv/wheels/gpuinfra-1.0.tar.gz",
        "vendor/gpuinfra",
        ".",
        "..[policy]",
        "acme==1!2.0.post1+local.7",
    ],
)
def test_what_pip_takes_is_taken(tmp_path: Path, line: str):
    write_pack(tmp_path / "pack", name="gpuinfra", version="1.0", requirements=(line,))
    assert (tmp_path / "pack" / "requirements.txt").read_text() == f"{line}\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "has to be an object"),
        ('{"GI3047": "loud"}', "no enforcement level"),
        ('{"GI3999": "advisory"}', "none of its policies"),
    ],
)
def test_a_broken_configuration_is_said_when_the_pack_is_renewed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
):
    assert main(["policy-pack", str(tmp_path)]) == 0
    assert "run it: pulumi preview" in capsys.readouterr().out
    (tmp_path / "policy-config.json").write_text(text)
    assert main(["policy-pack", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert words in said.err
    assert "does not start until this is corrected" in said.err
    assert "run it" not in said.out
    assert (tmp_path / "policy-config.json").read_text() == text
