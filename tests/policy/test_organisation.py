"""An organisation's own rules: found by their entry point, checked, run beside the house's, and named where they fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from gpuinfra.policy.organisation import GROUP, OwnRules, own_rules

ROOT = Path(__file__).parents[2]

HEAD = """
from gpuinfra.diagnostics import Severity
from gpuinfra.policy import Examples, PlanRule, ResourceRule
from gpuinfra.diagnostics import Code

def rule(number, check, kind=PlanRule, severity=Severity.ERROR):
    code = Code(number, "own-" + number.lower(), severity, "A rule of Acme.", "because", "mend it")
    return kind(code, ("acme",), lambda ctx: check(code, ctx), Examples((), ()))

def says(code, ctx):
    yield code.at("name", "Acme says no to " + ctx.plan.name)

def raises(code, ctx):
    raise ZeroDivisionError("by nothing")
"""


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    own_rules.cache_clear()
    yield
    own_rules.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes a package with rules importable, as if it were installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def make(body: str, package: str = "acme-rules", value: str = "", module: str = "") -> Path:
        name = module or package.replace("-", "_")
        (folder / f"{name}.py").write_text(HEAD + dedent(body))
        meta = folder / f"{package.replace('-', '_')}-1.0.dist-info"
        meta.mkdir()
        (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (meta / "entry_points.txt").write_text(f"[{GROUP}]\nours = {value or name}\n")
        monkeypatch.delitem(sys.modules, name, raising=False)
        return folder

    return make


def codes(own: OwnRules) -> list[str]:
    return [r.code.code for r in own.rules]


def test_without_a_package_there_is_nothing_and_nothing_heavy_is_loaded():
    code = (
        "import sys\nfrom gpuinfra.policy.organisation import own_rules\n"
        "assert own_rules().rules == ()\nassert 'importlib.metadata' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("RULES = [rule('GI9002', says), rule('GI9001', says, ResourceRule)]", ""),
        ("A = rule('GI9002', says)\nB = rule('GI9001', says, ResourceRule)\nAGAIN = A", ""),
        ("given = (rule('GI9002', says), rule('GI9001', says, ResourceRule))", "acme_rules:given"),
    ],
)
def test_a_module_or_a_list_of_rules_is_taken(install: Callable[..., Path], body: str, value: str):
    install(body, value=value)
    found = own_rules()
    assert codes(found) == ["GI9001", "GI9002"]
    assert found.faults == ()


def test_the_packages_that_run_can_be_named(install: Callable[..., Path]):
    install("RULES = [rule('GI9001', says)]", "acme-rules")
    install("RULES = [rule('GI9002', says)]", "other-rules")
    assert codes(own_rules()) == ["GI9001", "GI9002"]
    assert codes(own_rules(("Acme_Rules",))) == ["GI9001"]
    assert own_rules(()) == OwnRules()
    assert own_rules(("acme-rules", "gone")).missing == ("gone",)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("RULES = [rule('GI2999', says)]", "rule GI2999 of acme-rules (entry point 'ours') is left out"),
        ("RULES = [rule('GI90001', says)]", "the codes of own rules are GI9000 to GI9999"),
        ("RULES = [rule('GI9001', says), rule('GI9001', raises)]", "has that code already"),
        ("RULES = [1]", "hold int; PlanRule, ResourceRule and AccountRule are taken"),
        ("RULES = 'GI9001'", "TypeError: the entry point is str"),
        ("raise RuntimeError('no\\nlicence')", "cannot be loaded: RuntimeError: no licence"),
        ("import sys; sys.exit(3)", "cannot be loaded: SystemExit: 3"),
    ],
)
def test_what_cannot_be_used_is_named(install: Callable[..., Path], body: str, words: str):
    install(body)
    install("RULES = [rule('GI9100', says)]", "other-rules")
    found = own_rules()
    assert "GI9100" in codes(found)
    (fault,) = found.faults
    assert words in fault
    assert "\n" not in fault


SPEC = """\
api_version: gpuinfra/v1
name: acme
location: {provider: aws, region: us-east-2, zone: use2-az1}
node_pools: [{name: gpu, instance_type: p5.48xlarge, count: 2}]
shutdown: {idle_after: 30m, lease: 72h}
"""


def checked(folder: Path, tmp_path: Path, settings: str = "", *options: str) -> subprocess.CompletedProcess[str]:
    spec = tmp_path / "cluster.yaml"
    spec.write_text(SPEC)
    if settings:
        (tmp_path / "gpuinfra.yaml").write_text(settings)
    return subprocess.run(
        [sys.executable, "-m", "gpuinfra", "check", "cluster.yaml", "--format", "json", *options],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
    )


def test_own_rules_run_beside_the_houses(install: Callable[..., Path], tmp_path: Path):
    folder = install("RULES = [rule('GI9001', says)]")
    done = checked(folder, tmp_path)
    assert done.returncode == 1
    by_code = {f["code"]: f for f in json.loads(done.stdout)["findings"]}
    assert by_code["GI9001"]["message"] == "Acme says no to acme"
    assert by_code["GI9001"]["source"]["line"] == 2
    assert "GI2202" in by_code


def test_own_rules_are_under_the_settings(install: Callable[..., Path], tmp_path: Path):
    folder = install("RULES = [rule('GI9001', says)]")
    assert json.loads(checked(folder, tmp_path, "severity: {GI9001: off}").stdout)["summary"]["off"] == 1
    assert "GI9001" not in checked(folder, tmp_path, "rules: []").stdout
    missing = checked(folder, tmp_path, "rules: [acme-rules, gone]")
    assert "GI9001" in missing.stdout
    assert "GI1062" in missing.stdout


def test_what_a_rule_prints_does_not_mix_with_the_findings(install: Callable[..., Path], tmp_path: Path):
    loud = "print('loaded')\ndef loud(code, ctx):\n    print('looking')\n    yield from says(code, ctx)\n"
    done = checked(install(loud + "RULES = [rule('GI9001', loud)]"), tmp_path)
    assert "GI9001" in {f["code"] for f in json.loads(done.stdout)["findings"]}
    assert done.stderr.split() == ["loaded", "looking"]


def test_nor_does_what_it_writes_by_the_number_of_the_stream(install: Callable[..., Path], tmp_path: Path):
    loud = (
        "import os, subprocess, sys\nos.write(1, b'loaded')\ndef loud(code, ctx):\n    os.write(1, b'looking')\n"
        "    subprocess.run([sys.executable, '-c', 'print(1)'])\n    yield from says(code, ctx)\n"
    )
    done = checked(install(f"{loud}RULES = [rule('GI9001', loud)]"), tmp_path)
    assert "GI9001" in {f["code"] for f in json.loads(done.stdout)["findings"]}
    assert "looking" in done.stderr


@pytest.mark.parametrize("body", ["X = 1", "RULES = []"])
def test_an_entry_point_without_rules_is_named(install: Callable[..., Path], tmp_path: Path, body: str):
    done = checked(install(body), tmp_path)
    assert done.returncode == 2
    (fault,) = json.loads(done.stdout)["faults"]
    assert "entry point 'ours' of acme-rules (acme_rules) holds no rules" in fault


def test_a_rule_that_ends_the_program_does_not_end_it(install: Callable[..., Path], tmp_path: Path):
    folder = install("import sys\nRULES = [rule('GI9001', lambda *_: sys.exit(0)), rule('GI9002', says)]")
    done = checked(folder, tmp_path)
    assert done.returncode == 2
    assert "GI9002" in {f["code"] for f in json.loads(done.stdout)["findings"]}
    assert "rule GI9001 (own-gi9001): SystemExit" in done.stderr


def test_a_rule_that_raises_is_named_the_others_still_run_and_the_status_is_2(
    install: Callable[..., Path], tmp_path: Path
):
    folder = install("RULES = [rule('GI9001', raises), rule('GI9002', says)]")
    done = checked(folder, tmp_path)
    assert done.returncode == 2
    data = json.loads(done.stdout)
    assert {"GI9002", "GI2202"} <= {f["code"] for f in data["findings"]}
    assert data["faults"] == [done.stderr.strip().removeprefix("gpuinfra: ")]
    assert done.stderr.startswith("gpuinfra: error in rule GI9001 (own-gi9001): ZeroDivisionError: by nothing;")
    assert "tell who keeps acme_rules" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "body", ["return None", "yield 1", "from gpuinfra.plan.findings import CODES\n    yield CODES[0].at('name', 'x')"]
)
def test_a_rule_that_gives_no_finding_of_its_own_is_named_too(install: Callable[..., Path], tmp_path: Path, body: str):
    folder = install(f"def odd(code, ctx):\n    {body}\nRULES = [rule('GI9001', odd)]")
    done = checked(folder, tmp_path)
    assert done.returncode == 2
    assert "GI9001" in done.stderr
    assert "Traceback" not in done.stderr


def test_own_rules_are_listed_and_explained(install: Callable[..., Path], capsys: pytest.CaptureFixture[str]):
    from gpuinfra.cli import main

    install("RULES = [rule('GI9001', says)]")
    assert main(["rules", "--tag", "acme", "--format", "json"]) == 0
    assert [r["slug"] for r in json.loads(capsys.readouterr().out)["rules"]] == ["own-gi9001"]
    assert main(["explain", "gi9001"]) == 0
    assert "What. A rule of Acme." in capsys.readouterr().out


def test_a_waiver_of_an_own_code_is_one_of_a_code_that_is_known(install: Callable[..., Path], tmp_path: Path):
    spec_waiver = 'waivers: [{code: GI9001, reason: known, expires: "2099-12-31"}]'
    folder = install("RULES = [rule('GI9001', says)]")
    assert "GI2281" not in checked(folder, tmp_path, spec_waiver).stdout
    done = checked(tmp_path, tmp_path, spec_waiver)
    assert "GI9001 is the code of no finding" in done.stdout


def test_a_program_stops_at_a_package_that_cannot_be_used(install: Callable[..., Path], tmp_path: Path):
    from gpuinfra.policy.organisation import OwnRulesError
    from gpuinfra.providers.planning import planned

    install("raise RuntimeError('no licence')")
    spec = tmp_path / "cluster.yaml"
    spec.write_text(SPEC)
    with pytest.raises(
        OwnRulesError, match=r"acme-rules \(entry point 'ours'\) cannot be loaded: RuntimeError: no licence"
    ):
        planned(spec, "acme")


def test_a_program_is_under_the_same_rules(install: Callable[..., Path], tmp_path: Path):
    from gpuinfra.diagnostics import GpuInfraError
    from gpuinfra.providers.planning import planned

    install("RULES = [rule('GI9001', says)]")
    spec = tmp_path / "cluster.yaml"
    spec.write_text(SPEC)
    with pytest.raises(GpuInfraError, match="GI9001"):
        planned(spec, "acme")
