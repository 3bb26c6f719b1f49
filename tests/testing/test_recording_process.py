"""Many programs in one process: nothing leaks from one to the next, or into the tests around them."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pytest
from pulumi import automation

from gpuinfra.policy.resource_graph import UNKNOWN, OutputRef
from gpuinfra.testing import RecordingError, record


def small():
    vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16")
    aws.ec2.Subnet("sub", vpc_id=vpc.id, cidr_block=pulumi.Config().get("cidr") or "10.0.0.0/24")
    pulumi.export("stack", f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}")


def other():
    bucket = aws.s3.Bucket("data")
    pulumi.export("arn", bucket.arn)


def _open_files():
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0


def _resident_mib():
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS")) / 1024


def test_two_hundred_programs_leave_no_threads_files_or_memory_behind():
    for _ in range(10):
        record(small)
    threads, files, memory = threading.active_count(), _open_files(), _resident_mib()
    for i in range(200):
        graph = record(small if i % 2 else other, preview=bool(i % 3), stack=f"s{i}")
        assert len(graph.resources) == (2 if i % 2 else 1)
    assert threading.active_count() <= threads
    assert _open_files() <= files
    assert _resident_mib() - memory < 40


def test_programs_with_transforms_leave_nothing_behind_either():
    def program():
        pulumi.runtime.register_resource_transform(lambda args: None)
        small()

    record(program)
    threads, files = threading.active_count(), _open_files()
    for _ in range(20):
        assert len(record(program).resources) == 2
    assert threading.active_count() <= threads
    assert _open_files() <= files


def test_two_programs_alternate_and_give_the_same_graphs_every_time():
    seen = {}
    for _ in range(3):
        for program in (small, other):
            for preview in (True, False):
                graph = record(program, preview=preview)
                first = seen.setdefault((program, preview), graph)
                assert graph.to_json() == first.to_json()
                assert graph.outputs == first.outputs
    assert seen[small, True].named("sub").get("vpcId") is UNKNOWN
    assert seen[small, False].named("sub").get("vpcId") == OutputRef("net", "id")
    assert seen[other, False].outputs == {"arn": OutputRef("data", "arn")}


def test_names_of_stack_and_config_belong_to_one_run():
    graph = record(small, project="p", stack="one", organization="acme", config={"cidr": "10.0.7.0/24"})
    assert graph.outputs["stack"] == "acme/p/one"
    assert graph.named("sub").get("cidrBlock") == "10.0.7.0/24"
    assert graph.named("net").urn.startswith("urn:pulumi:one::p::")
    again = record(small)
    assert again.outputs["stack"] == "organization/project/dev"
    assert again.named("sub").get("cidrBlock") == "10.0.0.0/24"


def test_config_of_all_kinds_reaches_the_program():
    def program():
        config = pulumi.Config()
        pulumi.export("count", config.require_int("count"))
        pulumi.export("on", config.require_bool("on"))
        pulumi.export("pools", config.require_object("pools"))
        pulumi.export("region", pulumi.Config("aws").require("region"))
        pulumi.export("none", config.get("missing"))

    graph = record(program, config={"count": 3, "on": True, "pools": [{"n": 1}], "aws:region": "us-east-2"})
    assert graph.outputs == {"count": 3, "on": True, "pools": [{"n": 1}], "region": "us-east-2"}


def test_the_environment_is_minimal_and_put_back(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "private")
    monkeypatch.setenv("PULUMI_CONFIG", '{"project:cidr": "10.0.9.0/24"}')
    before = dict(os.environ)
    seen = {}

    def program():
        seen.update(os.environ)
        os.environ["LEFT_BEHIND"] = "1"
        small()

    graph = record(program, env={"AWS_REGION": "eu-west-1"})
    assert "AWS_PROFILE" not in seen
    assert "PULUMI_CONFIG" not in seen
    assert seen["AWS_REGION"] == "eu-west-1"
    assert seen["PATH"] == os.environ["PATH"]
    assert graph.named("sub").get("cidrBlock") == "10.0.0.0/24"
    assert dict(os.environ) == before


def test_recording_works_from_a_thread_and_inside_a_running_loop():
    results = []
    thread = threading.Thread(target=lambda: results.append(record(small)))
    thread.start()
    thread.join()

    async def inside():
        results.append(record(small))
        await asyncio.sleep(0)
        return asyncio.get_running_loop().is_running()

    assert asyncio.run(inside())
    assert [len(r.resources) for r in results] == [2, 2]
    assert results[0].to_json() == results[1].to_json()


def test_several_threads_record_one_after_the_other():
    results = {}

    def work(n):
        results[n] = record(small, stack=f"s{n}", env={"N": str(n)})

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {n: r.stack for n, r in results.items()} == {n: f"s{n}" for n in range(6)}
    assert all(r.named("net").urn.startswith(f"urn:pulumi:s{n}::") for n, r in results.items())


def test_async_programs_are_awaited():
    async def program():
        await asyncio.sleep(0)
        small()

    assert len(record(program).resources) == 2


class Answering(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return f"{args.name}-id", dict(args.inputs)

    def call(self, args):
        return {}


def _mocked():
    seen = []

    @pulumi.runtime.test
    def check():
        subnet = aws.ec2.Subnet("sub", vpc_id="vpc-1", cidr_block="10.0.0.0/24")
        return subnet.id.apply(seen.append)

    check()
    return seen


def test_plain_mocks_work_before_and_after_a_recording():
    asyncio.set_event_loop(asyncio.new_event_loop())
    try:
        pulumi.runtime.set_mocks(Answering(), project="mocked", stack="unit")
        assert _mocked() == ["sub-id"]
        assert record(small, stack="one").outputs["stack"] == "organization/project/one"
        # Without set_mocks again: the recording left the mocks in place.
        assert pulumi.get_stack() == "unit"
        assert _mocked() == ["sub-id"]
        pulumi.runtime.set_mocks(Answering(), project="mocked", stack="unit2")
        assert _mocked() == ["sub-id"]
        assert record(small).named("sub").get("vpcId") == OutputRef("net", "id")
    finally:
        asyncio.get_event_loop().close()
        asyncio.set_event_loop(None)
        pulumi.runtime.settings.ROOT.set(None)


PROJECT = "name: demo\nruntime: python\nconfig:\n  aws:region: {default: us-west-2}\n  size: 3\n"
MAIN = """
import os
import pulumi
import pulumi_aws as aws
import network
from parts.names import PREFIX

vpc = network.make(PREFIX)
pulumi.export("cwd", os.path.basename(os.getcwd()))
pulumi.export("size", pulumi.Config().require_int("size"))
pulumi.export("region", pulumi.Config("aws").get("region"))
pulumi.export("token", pulumi.Config().get_secret("token"))
pulumi.export("stack", pulumi.get_project() + "/" + pulumi.get_stack())
pulumi.export("main", __name__)
# Imported when an output is known, after the file has run.
pulumi.export("late", vpc.id.apply(lambda _: __import__("late").VALUE))
"""


@pytest.fixture
def stack_folder(tmp_path):
    def make(name, prefix):
        folder = tmp_path / name
        (folder / "parts").mkdir(parents=True)
        (folder / "Pulumi.yaml").write_text(PROJECT)
        (folder / "Pulumi.prod.yaml").write_text("config:\n  demo:size: 7\n  token: {secure: v1:abc}\n")
        (folder / "__main__.py").write_text(MAIN)
        (folder / "network.py").write_text(
            "import pulumi_aws as aws\n\ndef make(p):\n    return aws.ec2.Vpc(p, cidr_block='10.0.0.0/16')\n"
        )
        (folder / "parts" / "__init__.py").write_text("")
        (folder / "parts" / "names.py").write_text(f"PREFIX = {prefix!r}\n")
        (folder / "late.py").write_text(f"VALUE = 'late {prefix}'\n")
        return folder

    return make


def test_folders_run_as_the_language_host_runs_them_and_do_not_see_each_other(stack_folder):
    first, second = stack_folder("first", "alpha"), stack_folder("second", "beta")
    cwd, path, modules = Path.cwd(), list(sys.path), set(sys.modules)
    for folder, prefix in ((first, "alpha"), (second, "beta"), (first, "alpha")):
        graph = record(folder)
        assert [r.name for r in graph.resources] == [prefix]
        assert graph.outputs["late"] == f"late {prefix}"
        assert graph.outputs["cwd"] == folder.name
        assert graph.outputs["main"] == "__main__"
        assert graph.outputs["stack"] == "demo/dev"
        assert (graph.outputs["size"], graph.outputs["region"]) == (3, "us-west-2")
    assert (Path.cwd(), sys.path) == (cwd, path)
    assert {"network", "parts", "parts.names", "late"}.isdisjoint(set(sys.modules) - modules)


def test_the_file_and_the_project_file_mean_the_same_program(stack_folder):
    folder = stack_folder("first", "alpha")
    graphs = [record(p).to_json() for p in (folder, folder / "Pulumi.yaml", folder / "__main__.py", str(folder))]
    assert all(g == graphs[0] for g in graphs)


def test_the_stacks_own_config_lies_over_the_projects_and_secrets_stay_closed(stack_folder):
    graph = record(stack_folder("first", "alpha"), stack="prod", config={"aws:region": "eu-north-1"})
    assert (graph.outputs["size"], graph.outputs["region"]) == (7, "eu-north-1")
    assert graph.outputs["token"].value == "[secret demo:token]"


def test_a_project_under_another_name_keeps_its_config(stack_folder):
    graph = record(stack_folder("first", "alpha"), project="renamed")
    assert graph.outputs["stack"] == "renamed/dev"
    assert graph.outputs["size"] == 3


def test_main_of_the_project_file_is_followed(stack_folder):
    folder = stack_folder("first", "alpha")
    (folder.parent / "root").mkdir()
    (folder.parent / "root" / "Pulumi.yaml").write_text(PROJECT + "main: ../first\n")
    assert record(folder.parent / "root").outputs["cwd"] == "first"


def test_modules_of_the_test_with_the_same_name_are_not_seen_and_come_back(stack_folder, tmp_path, monkeypatch):
    (tmp_path / "network.py").write_text("def make(p):\n    raise AssertionError('the wrong module')\n")
    monkeypatch.syspath_prepend(tmp_path)
    import network

    try:
        assert record(stack_folder("first", "alpha")).resources
        assert sys.modules["network"] is network
    finally:
        del sys.modules["network"]


def test_an_error_in_a_folder_leaves_the_process_as_it_was(stack_folder):
    folder = stack_folder("first", "alpha")
    (folder / "late.py").write_text("raise ValueError('late')\n")
    cwd, path = Path.cwd(), list(sys.path)
    with pytest.raises(ValueError, match="late"):
        record(folder)
    assert (Path.cwd(), sys.path) == (cwd, path)
    assert "network" not in sys.modules


@pytest.mark.parametrize(
    ("files", "path", "says"),
    [
        ({}, "missing", "there is no such file or folder"),
        ({"x/readme.md": ""}, "x", "there is no __main__.py"),
        ({"readme.md": ""}, "readme.md", "not a Python program"),
        ({"x/Pulumi.yaml": "name: a\nruntime: nodejs\n"}, "x", "runtime is 'nodejs'"),
        ({"x/Pulumi.yaml": "name: a\n"}, "x", "runtime is None"),
        ({"x/Pulumi.yaml": ": ["}, "x", "Pulumi.yaml: cannot be read"),
        ({"x/Pulumi.yaml": "- a\n"}, "x", "must hold a mapping"),
        ({"x/Pulumi.yaml": "name: a\nruntime: python\nmain: gone.py\n"}, "x", "there is no __main__.py"),
    ],
)
def test_paths_that_hold_no_program_are_refused(tmp_path, files, path, says):
    from gpuinfra.testing import RecordingError

    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    with pytest.raises(RecordingError, match=says):
        record(tmp_path / path)


def test_importing_the_module_loads_no_pulumi():
    import subprocess

    code = "import sys, gpuinfra.testing, gpuinfra.pytest_plugin; print([m for m in sys.modules if m.startswith('pulumi')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_program_that_deploys_by_itself_is_kept_from_it(tmp_path: Path):
    # A command line that would tell of any call.
    command = tmp_path / "bin" / "pulumi"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\necho $@ >> {tmp_path}/called\necho v3.274.1\n")
    command.chmod(0o755)
    main = tmp_path / "__main__.py"
    main.write_text(
        "from pulumi import automation\n"
        "stack = automation.create_or_select_stack(stack_name='dev', project_name='probe', program=lambda: None)\n"
        "stack.up()\n"
    )
    before = automation.PulumiCommand.run
    with pytest.raises(RecordingError, match="Automation API"):
        record(main, env={"PATH": f"{command.parent}:{os.environ['PATH']}"})
    assert not (tmp_path / "called").exists()
    assert automation.PulumiCommand.run is before
