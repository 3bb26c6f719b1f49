"""What reading a spec loads: time at the start is time on every call."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "pulumi",
    "rich",
    "jinja2",
    "click",
    "json.schema",
    "gpuinfra.catalog",
    "gpuinfra.plan",
    "urllib.request",
)


def loaded_by(program: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after `program`."""
    code = f"{program}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_alone_loads_no_pydantic_and_no_yaml():
    assert not {"pydantic", "yaml"} & loaded_by("import gpuinfra.spec")


def test_reading_a_right_spec_loads_nothing_that_only_findings_and_other_commands_need():
    program = (
        "from gpuinfra.spec.load import load\n"
        "assert load('x', 'name: a\\nlocation: {provider: aws, region: r}\\nnode_pools: [{name: a}]\\n').spec"
    )
    loaded = loaded_by(program)
    assert "gpuinfra.spec.models" in loaded
    assert not [m for m in loaded for heavy in HEAVY if m == heavy or m.startswith(heavy + ".")]
    assert not {"gpuinfra.spec.messages", "gpuinfra.spec.fields", "gpuinfra.spec.schema"} & loaded


def test_names_of_the_package_are_there_when_asked_for():
    import gpuinfra.spec as spec
    from gpuinfra.spec.models import ClusterSpec

    assert spec.ClusterSpec is ClusterSpec
    assert all(getattr(spec, name) is not None for name in spec.__all__)
