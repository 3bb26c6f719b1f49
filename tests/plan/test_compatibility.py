"""The solver over tables: which container runs on which GPU with which driver, and what mends it."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import catalog
from gpuinfra.catalog import CudaRelease
from gpuinfra.plan.compatibility import (
    Facts,
    Holds,
    NodeFacts,
    Outcome,
    Question,
    Rule,
    Step,
    Verdict,
    catalog_facts,
    solve,
)
from gpuinfra.plan.containers import plan_of
from gpuinfra.plan.versions import at_least, minor
from gpuinfra.vocabulary import FabricKind, KernelModule, Provider

from .solver_questions import MACHINES, ask, cuda, gpu, image, machine, node


@pytest.mark.parametrize(
    ("model", "version", "outcome"),
    [
        ("V100-16GB", "11.0.3", Outcome.FITS),
        ("V100-16GB", "12.9", Outcome.FITS),
        ("V100-16GB", "13.0", Outcome.UNFIT),
        ("V100-16GB", "14.2", Outcome.UNFIT),
        ("P100", "13.1.0", Outcome.UNFIT),
        ("T4", "13.4.1", Outcome.FITS),
        ("T4", "9.2", Outcome.UNFIT),
        ("A100-40GB", "10.2", Outcome.UNFIT),
        ("L4", "11.8", Outcome.FITS),
        ("L4", "11.0.3", Outcome.FITS),
        ("L4", "10.2", Outcome.UNFIT),
        ("H100-SXM", "11.7.1", Outcome.UNFIT),
        ("H100-SXM", "11.8", Outcome.FITS),
        ("H100-SXM", "12.7", Outcome.UNKNOWN),
        ("B200", "12.4", Outcome.UNFIT),
        ("B200", "12.6.3", Outcome.UNFIT),
        ("B200", "12.8", Outcome.FITS),
        ("B200", "13.2", Outcome.FITS),
        ("B300", "12.8", Outcome.FITS),
        ("B300", "12.9", Outcome.FITS),
        ("B300", "12.6", Outcome.UNFIT),
        ("GB200", "12.8.1", Outcome.FITS),
        ("RTX-PRO-6000", "12.6", Outcome.UNFIT),
        ("RTX-PRO-6000", "12.8.0.038", Outcome.FITS),
        ("RTX-PRO-4500", "12.8", Outcome.FITS),
        ("H100-SXM", "99.1", Outcome.UNKNOWN),
    ],
)
def test_toolkit_and_gpu(model: str, version: str, outcome: Outcome) -> None:
    verdict = ask(model, cuda(version))
    assert verdict.outcome is outcome, [s.finding for s in verdict.proof]


def test_every_gpu_and_every_toolkit_agree_with_the_table() -> None:
    """A toolkit fits where the table lists the capability, or an older one of its major number; and nowhere else."""
    facts = catalog_facts(Provider.AWS)
    for model in MACHINES:
        accelerator = gpu(model)
        own = minor(accelerator.compute_capability)
        if own is None:
            continue
        for release in catalog.cuda_releases():
            step = _step(ask(model, cuda(release.version)), Rule.TOOLKIT)
            listed = [c for c in map(minor, release.capabilities) if c]
            expected = own in listed or any(c[0] == own[0] and c[1] < own[1] for c in listed)
            assert (step.holds is Holds.YES) is expected, (model, release.version)
            assert bool(step.caveat) is (expected and own not in listed)
    assert facts.span("10.3").kin == "10.0"


def _step(verdict: Verdict, rule: Rule) -> Step:
    return next(s for s in verdict.proof if s.rule is rule)


def test_code_of_an_older_gpu_of_the_family_is_a_limit_that_is_said() -> None:
    step = _step(ask("B300", cuda("12.8")), Rule.TOOLKIT)
    assert "12.9" in step.caveat
    assert "10.0" in step.caveat
    assert "PTX" in step.claim


def test_a_capability_of_another_family_never_counts() -> None:
    """Code for 10.0 does not run on 12.0, nor the other way."""
    only_100 = CudaRelease("12.8.0", "570.26", "525.60.13", "<580", "2025-01", ("10.0",), "", "s", "2025-01-01")
    question = Question(machine("g7e.8xlarge"), gpu("RTX-PRO-6000"), node("RTX-PRO-6000"), cuda("12.8"), "cuda")
    assert solve(question, Facts((only_100,))).outcome is Outcome.UNFIT


@pytest.mark.parametrize(
    ("driver", "version", "holds", "word"),
    [
        ("595.64", "12.8", Holds.YES, ""),
        ("595.64", "11.8", Holds.YES, ""),
        ("570.26", "12.8", Holds.YES, ""),
        ("550.54.15", "12.8", Holds.YES, "minor-version"),
        ("525.60.13", "12.9", Holds.YES, "minor-version"),
        ("520.61.05", "12.0", Holds.NO, "525.60.13"),
        ("570.211.01", "13.0", Holds.NO, "580"),
        ("580.65.06", "13.4.1", Holds.YES, "minor-version"),
        ("580", "13.0", Holds.YES, "minor-version"),
        ("580", "13.5.0", Holds.YES, "minor-version"),
        ("525", "12.0", Holds.UNKNOWN, "525.60.13"),
        ("", "12.8", Holds.UNKNOWN, "unknown"),
        ("610", "13.2", Holds.YES, ""),
    ],
)
def test_driver_and_toolkit(driver: str, version: str, holds: Holds, word: str) -> None:
    step = _step(ask("H100-SXM", cuda(version), node("H100-SXM", driver)), Rule.DRIVER)
    assert step.holds is holds
    assert word in step.caveat + step.finding
    assert bool(word) is bool(step.caveat + step.finding)


DRIVERS = st.sampled_from(
    ["450.80.02", "520.61.05", "525.60.13", "550.54.15", "570.124.06", "575.57.08", "580.65.06", "595.64", "610.43.02"]
)
RELEASES = st.sampled_from([r.version for r in catalog.cuda_releases()])


@given(DRIVERS, DRIVERS, RELEASES)
def test_a_newer_driver_runs_whatever_an_older_one_runs(a: str, b: str, version: str) -> None:
    older, newer = (a, b) if at_least(b, a) else (b, a)
    first = _step(ask("H100-SXM", cuda(version), node("H100-SXM", older)), Rule.DRIVER)
    second = _step(ask("H100-SXM", cuda(version), node("H100-SXM", newer)), Rule.DRIVER)
    assert first.holds is not Holds.YES or second.holds is Holds.YES


def test_ngc_images_go_forward_on_data_centre_gpus_alone() -> None:
    ngc = image("nvcr.io/nvidia/pytorch:25.08-py3")
    step = _step(ask("A100-40GB", ngc, node("A100-40GB", "570.26")), Rule.DRIVER)
    assert step.holds is Holds.YES
    assert "forward-compatibility" in step.caveat
    assert _step(ask("RTX-PRO-6000", ngc, node("RTX-PRO-6000", "570.26")), Rule.DRIVER).holds is Holds.NO
    grid = node("A100-40GB", "570.26", driver_kind="grid")
    assert _step(ask("A100-40GB", ngc, grid, driver_kind_needed="grid"), Rule.DRIVER).holds is Holds.NO


def test_a_range_of_cuda_decides_only_where_both_ends_agree() -> None:
    between = cuda("", cuda_at_least="12.9.0", cuda_at_most="13.0.1")
    assert _step(ask("B200", between), Rule.TOOLKIT).holds is Holds.YES
    assert _step(ask("V100-16GB", between), Rule.TOOLKIT).holds is Holds.UNKNOWN
    assert _step(ask("V100-16GB", cuda("", cuda_at_least="13.0.0")), Rule.TOOLKIT).holds is Holds.NO
    assert _step(ask("B200", cuda("", cuda_at_most="12.4.1")), Rule.TOOLKIT).holds is Holds.NO
    assert _step(ask("H100-SXM", cuda("", cuda_at_most="12.4.1")), Rule.TOOLKIT).holds is Holds.UNKNOWN
    assert _step(ask("H100-SXM", between, node("H100-SXM", "570.26")), Rule.DRIVER).holds is Holds.UNKNOWN
    assert _step(ask("H100-SXM", between, node("H100-SXM", "595.64")), Rule.DRIVER).holds is Holds.YES
    assert _step(ask("H100-SXM", between, node("H100-SXM", "520.61.05")), Rule.DRIVER).holds is Holds.NO


def test_an_unfit_container_names_both_ends_and_the_smallest_change() -> None:
    verdict = ask("B200", image("pytorch/pytorch:2.4.1-cuda12.4-cudnn9-runtime"))
    assert verdict.outcome is Outcome.UNFIT
    (failed,) = verdict.failed
    assert {"12.4", "10.0", "12.8.0"} <= set(failed.finding.replace(",", " ").replace(":", " ").split())
    assert all(end.source for end in failed.ends)
    assert verdict.changes[0].value == "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime"
    mended = ask("B200", image(verdict.changes[0].value))
    assert mended.outcome is Outcome.FITS


def test_volta_keeps_its_framework_version_and_takes_an_older_cuda() -> None:
    verdict = ask("V100-16GB", image("pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"))
    assert verdict.outcome is Outcome.UNFIT
    assert "12.9" in verdict.failed[0].finding
    assert verdict.changes[0].value == "pytorch/pytorch:2.13.0-cuda12.6-cudnn9-runtime"


@pytest.mark.parametrize(
    ("model", "reference", "holds"),
    [
        ("P100", "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", Holds.NO),
        ("V100-16GB", "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", Holds.YES),
        ("V100-16GB", "pytorch/pytorch:2.11.0-cuda12.8-cudnn9-runtime", Holds.NO),
        ("T4", "pytorch/pytorch:2.11.0-cuda12.8-cudnn9-runtime", Holds.YES),
        ("V100-16GB", "pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime", Holds.NO),
        ("V100-16GB", "nvcr.io/nvidia/pytorch:24.12-py3", Holds.YES),
        ("V100-16GB", "nvcr.io/nvidia/pytorch:25.02-py3", Holds.NO),
        ("P100", "nvcr.io/nvidia/pytorch:25.02-py3", Holds.NO),
        ("P100", "nvcr.io/nvidia/pytorch:24.04-py3", Holds.YES),
        ("V100-16GB", "nvcr.io/nvidia/tritonserver:25.04-py3", Holds.NO),
        ("P100", "vllm/vllm-openai:v0.11.0", Holds.NO),
        ("V100-16GB", "vllm/vllm-openai:v0.11.0", Holds.YES),
        ("V100-16GB", "vllm/vllm-openai:v0.21.0", Holds.NO),
    ],
)
def test_a_framework_may_leave_out_a_gpu_that_its_toolkit_serves(model: str, reference: str, holds: Holds) -> None:
    assert _step(ask(model, image(reference)), Rule.FRAMEWORK).holds is holds


REFERENCES = (
    "pytorch/pytorch:2.4.1-cuda12.4-cudnn9-runtime",
    "pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime",
    "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime",
    "nvcr.io/nvidia/pytorch:25.02-py3",
    "nvcr.io/nvidia/pytorch:25.08-py3",
    "vllm/vllm-openai:v0.21.0",
    "public.ecr.aws/deep-learning-containers/vllm:0.27.1-gpu-py312-cu130-ubuntu22.04-ec2",
)


@pytest.mark.parametrize("model", [m for m in MACHINES if m != "MI300X"])
def test_every_change_applied_fits(model: str) -> None:
    for reference in REFERENCES:
        verdict = ask(model, image(reference))
        for change in verdict.changes:
            if change.field == "image.container" and change.value:
                assert ask(model, image(change.value)).outcome is Outcome.FITS, (model, reference, change.value)


def test_the_whole_catalog_is_never_suggested_where_it_does_not_fit() -> None:
    for model in ("V100-32GB", "P100"):
        for row in catalog.container_images():
            verdict = ask(model, plan_of(row))
            for change in verdict.changes:
                if change.field == "image.container" and change.value:
                    assert ask(model, image(change.value)).outcome is Outcome.FITS, (model, row.image, change.value)


def test_volta_is_sent_to_the_last_month_that_served_it() -> None:
    for month in ("25.02", "25.08"):
        verdict = ask("V100-32GB", image(f"nvcr.io/nvidia/pytorch:{month}-py3"))
        assert verdict.changes[0].value == "nvcr.io/nvidia/pytorch:24.12-py3"


def test_a_container_for_the_other_cpu_names_one_for_the_nodes() -> None:
    reference = "public.ecr.aws/deep-learning-containers/vllm:0.27.1-gpu-py312-cu130-ubuntu22.04-ec2"
    verdict = ask("GB200", image(reference))
    assert [s.rule for s in verdict.failed] == [Rule.CONTAINER_ARCH]
    assert "vllm-arm64" in verdict.changes[0].value
    none = ask("GB200", image(reference.replace("vllm:0.27.1", "sglang:0.5.17").replace("22.04", "24.04")))
    assert "arm64" in none.changes[0].reason


def test_a_driver_of_another_release_refuses_nothing() -> None:
    old = node("B200", "570.26", verified=False)
    assert _step(ask("B200", cuda("13.0"), old), Rule.DRIVER).holds is Holds.UNKNOWN
    assert _step(ask("B200", cuda("13.0"), node("B200", "570.26")), Rule.DRIVER).holds is Holds.NO


@pytest.mark.parametrize(
    ("model", "reference", "outcome", "word"),
    [
        ("MI300X", "vllm/vllm-openai:v0.11.0", Outcome.UNFIT, "ROCm"),
        ("MI300X", "vllm/vllm-openai-rocm:v0.19.1", Outcome.FITS, ""),
        ("H100-SXM", "vllm/vllm-openai-rocm:v0.19.1", Outcome.UNFIT, "AMD"),
        ("H100-SXM", "tensorflow/tensorflow:2.16.1", Outcome.UNFIT, "CPUs"),
        ("H100-SXM", "me/train:1.0", Outcome.UNKNOWN, "unknown"),
        ("H100-SXM", "vllm/vllm-openai:v0.19.1", Outcome.UNKNOWN, "which CUDA"),
    ],
)
def test_container_and_maker_of_the_gpu(model: str, reference: str, outcome: Outcome, word: str) -> None:
    verdict = ask(model, image(reference))
    assert verdict.outcome is outcome
    assert word in " ".join(s.finding for s in verdict.proof)


def test_amd_is_told_to_take_the_rocm_build() -> None:
    verdict = ask("MI300X", image("vllm/vllm-openai:v0.11.0"))
    assert verdict.changes[0].value == "vllm/vllm-openai-rocm:v0.19.1"
    none = ask("MI300X", image("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime"))
    assert none.changes[0].value == ""
    assert "ROCm" in none.changes[0].reason


@pytest.mark.parametrize(("arches", "holds"), [(("x86_64",), Holds.NO), (("arm64",), Holds.YES), ((), Holds.UNKNOWN)])
def test_container_and_cpu_on_arm64(arches: tuple[str, ...], holds: Holds) -> None:
    step = _step(ask("GB200", cuda("12.8", arches=arches)), Rule.CONTAINER_ARCH)
    assert step.holds is holds
    assert holds is Holds.YES or "arm64" in step.finding


def test_a_pool_without_gpus_takes_any_image_of_its_cpu() -> None:
    cpu = machine("c5.xlarge")
    boots = NodeFacts("plain", "x86_64", "", KernelModule.UNKNOWN, "none")
    for reference in ("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", "vllm/vllm-openai-rocm:v0.19.1"):
        assert solve(Question(cpu, None, boots, image(reference))).outcome is Outcome.FITS
    arm = dataclasses.replace(image("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime"), arches=("arm64",))
    assert solve(Question(cpu, None, boots, arm)).outcome is Outcome.UNFIT


@pytest.mark.parametrize(
    ("model", "changed", "rule", "word"),
    [
        ("V100-32GB", {"kernel_module": KernelModule.OPEN}, Rule.KERNEL_MODULE, "V100"),
        ("B200", {"kernel_module": KernelModule.PROPRIETARY}, Rule.KERNEL_MODULE, "open"),
        ("B200", {"driver": "550.54.15"}, Rule.DRIVER_BRANCH, "570"),
        ("RTX-PRO-4500", {"driver": "580.159.03"}, Rule.DRIVER_BRANCH, "595"),
        ("H100-SXM", {"driver_kind": "grid"}, Rule.DRIVER_KIND, "GRID"),
        ("H100-SXM", {"driver_kind": "none"}, Rule.DRIVER_KIND, "no GPU driver"),
        ("MI300X", {"driver_kind": "cuda"}, Rule.DRIVER_KIND, "ROCm"),
        ("H100-SXM", {"arch": "arm64"}, Rule.NODE_ARCH, "arm64"),
    ],
)
def test_node_image_and_machine(model: str, changed: dict[str, object], rule: Rule, word: str) -> None:
    assert ask(model, None).outcome is Outcome.FITS
    verdict = ask(model, None, dataclasses.replace(node(model), **changed))  # type: ignore[arg-type]
    assert verdict.outcome is Outcome.UNFIT
    assert [s.rule for s in verdict.failed] == [rule]
    assert word in verdict.failed[0].finding
    assert verdict.changes


@pytest.mark.parametrize("model", ["T4", "A100-40GB", "L4", "H100-SXM"])
def test_gpus_between_volta_and_blackwell_take_either_module(model: str) -> None:
    for module in (KernelModule.OPEN, KernelModule.PROPRIETARY):
        assert ask(model, None, node(model, kernel_module=module)).outcome is Outcome.FITS


def test_what_is_not_known_of_a_node_is_unknown_and_never_fits() -> None:
    verdict = ask("B200", cuda("12.8"), NodeFacts("ami-0123456789abcdef0"))
    assert verdict.outcome is Outcome.UNKNOWN
    assert verdict.changes == ()
    assert all(s.finding for s in verdict.proof if s.holds is Holds.UNKNOWN)


def test_an_old_driver_names_a_newer_node_image_and_an_older_container() -> None:
    boots = dataclasses.replace(node("H100-SXM", "570.26"))
    verdict = ask("H100-SXM", image("pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"), boots)
    fields = [c.field for c in verdict.changes]
    assert "image.node" in fields
    assert "image.container" in fields
    container = next(c for c in verdict.changes if c.field == "image.container")
    assert container.value == "pytorch/pytorch:2.13.0-cuda12.6-cudnn9-runtime"


@pytest.mark.parametrize(
    ("fabric", "reference", "holds"),
    [
        (FabricKind.EFA, "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", Holds.UNKNOWN),
        (FabricKind.EFA, "public.ecr.aws/deep-learning-containers/pytorch:2.13.0-cu133-amzn2023", Holds.YES),
        (FabricKind.EFA, "nvcr.io/nvidia/pytorch:26.03-py3", Holds.YES),
        (FabricKind.GPUDIRECT_TCPXO, "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", Holds.YES),
        (FabricKind.ROCE, "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", Holds.YES),
    ],
)
def test_the_fabrics_plugin_informs_and_decides_nothing(fabric: FabricKind, reference: str, holds: Holds) -> None:
    verdict = ask("H100-SXM", image(reference), fabric=fabric)
    step = _step(verdict, Rule.FABRIC)
    assert step.holds is holds
    assert not step.decides
    assert verdict.outcome is Outcome.FITS


def test_mig_is_part_of_the_proof() -> None:
    fits = ask("A100-40GB", None, mig=("3g.20gb", "3g.20gb"))
    assert fits.outcome is Outcome.FITS
    bad = ask("A100-40GB", None, mig=("3g.20gb", "3g.20gb", "1g.5gb"))
    assert bad.outcome is Outcome.UNFIT
    assert bad.changes[0].value == "[3g.20gb, 3g.20gb]"
    assert ask("L4", None, mig=("1g.5gb",)).outcome is Outcome.UNFIT
    old = ask("B200", None, node("B200", "570.26"), mig=("1g.23gb",))
    assert old.outcome is Outcome.UNFIT
    assert "570.133.20" in old.failed[0].finding


def test_the_proof_of_a_fit_has_both_ends_of_every_step_with_their_sources() -> None:
    verdict = ask("H100-SXM", image("nvcr.io/nvidia/pytorch:26.03-py3"))
    assert verdict.outcome is Outcome.FITS
    assert [s.rule for s in verdict.proof] == [
        Rule.NODE_ARCH,
        Rule.DRIVER_KIND,
        Rule.KERNEL_MODULE,
        Rule.DRIVER_BRANCH,
        Rule.DEVICE,
        Rule.CONTAINER_ARCH,
        Rule.TOOLKIT,
        Rule.FRAMEWORK,
        Rule.DRIVER,
    ]
    assert all(end.value and end.source for s in verdict.proof for end in s.ends)


@given(
    st.sampled_from(sorted(MACHINES)),
    st.sampled_from(["", "580", "550.54.15", "595.64"]),
    st.sampled_from(list(KernelModule)),
    st.sampled_from(["", "cuda", "grid", "rocm", "none"]),
    st.sampled_from([i.image for i in catalog.container_images()] + ["me/train:1.0"]),
)
def test_every_verdict_explains_itself(
    model: str, driver: str, module: KernelModule, kind: str, reference: str
) -> None:
    verdict = ask(model, image(reference), node(model, driver, kernel_module=module, driver_kind=kind))
    deciding = [s.holds for s in verdict.proof if s.decides]
    expected = Outcome.UNFIT if Holds.NO in deciding else Outcome.UNKNOWN if Holds.UNKNOWN in deciding else Outcome.FITS
    assert verdict.outcome is expected
    assert all(bool(s.finding) is (s.holds is not Holds.YES) for s in verdict.proof)
    assert bool(verdict.changes) is (verdict.outcome is Outcome.UNFIT)
