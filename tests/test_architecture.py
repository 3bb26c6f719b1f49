"""The rules of the house, held by tests: what may import what is import-linter's; the rest is here."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gpuinfra"
SOURCES = sorted(PACKAGE.rglob("*.py"))
PROVIDER_WORDS = {"aws", "gcp", "azure"}
ROOMS = PACKAGE / "providers"


def _is_provider(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in PROVIDER_WORDS
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "Provider"
    if isinstance(node, (ast.Tuple, ast.Set, ast.List)):
        return any(_is_provider(e) for e in node.elts)
    return False


def provider_comparisons(source: str) -> list[int]:
    """Lines that compare with a provider's name."""
    found: list[int] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and any(_is_provider(e) for e in (node.left, *node.comparators)):
            found.append(node.lineno)
        if isinstance(node, ast.MatchValue) and _is_provider(node.value):
            found.append(node.lineno)
    return found


def test_the_check_sees_comparisons():
    assert provider_comparisons("x == 'aws'") == [1]
    assert provider_comparisons("p in (Provider.AWS, q)") == [1]
    assert provider_comparisons("match p:\n  case Provider.GCP: pass") == [2]
    assert provider_comparisons("table = {Provider.AWS: 1}") == []


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if ROOMS not in p.parents], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_no_comparison_with_a_providers_name_outside_its_room(path: Path):
    assert provider_comparisons(path.read_text()) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_modules_and_functions_stay_small(path: Path):
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 70, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_what_it_is_for(path: Path):
    assert (ast.get_docstring(ast.parse(path.read_text())) or "").strip(" .")


def test_no_module_is_named_for_leftovers():
    banned = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert not [p for p in SOURCES if p.stem in banned or p.parent.name in banned]


def _modules_after(code: str) -> set[str]:
    program = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stdout.split())


HEAVY = re.compile(r"pulumi.*|boto.*|moto|rich(\..*)?|jinja2(\..*)?|grpc.*")


def test_importing_the_package_loads_nothing_heavy():
    loaded = {m for m in _modules_after("import gpuinfra") if HEAVY.fullmatch(m) or m.startswith("pydantic")}
    assert loaded == set()


def test_check_loads_no_pulumi():
    code = (
        "import gpuinfra.cli\n"
        "try:\n    gpuinfra.cli.main(['check', 'stacks/aws-h100-training/cluster.yaml', '--format', 'json'])\n"
        "except SystemExit as e:\n    assert not e.code, e.code\n"
    )
    loaded = {m for m in _modules_after(code) if HEAVY.fullmatch(m)}
    assert loaded == set()
    assert "gpuinfra.policy.engine" in _modules_after(code)


def test_the_public_surface_is_complete():
    import gpuinfra

    for name in gpuinfra.__all__:
        assert getattr(gpuinfra, name) is not None
    with pytest.raises(AttributeError, match="GpuClutser"):
        gpuinfra.GpuClutser  # noqa: B018
