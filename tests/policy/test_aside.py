"""Standard output is for findings: what others write there goes to standard error."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from gpuinfra.policy.aside import told_aside


def _written(where: str) -> None:
    print(f"{where}: printed")
    os.write(1, f"{where}: by number\n".encode())
    subprocess.run([sys.executable, "-c", f"print('{where}: by a child')"], check=True)


def test_every_way_of_writing_is_turned_and_put_back(capfd: pytest.CaptureFixture[str]):
    with told_aside():
        _written("within")
        with told_aside():
            os.write(1, b"twice within\n")
        os.write(1, b"still within\n")
    _written("after")
    sys.stdout.flush()
    out, err = capfd.readouterr()
    assert sorted(out.splitlines()) == ["after: by a child", "after: by number", "after: printed"]
    assert {"within: printed", "within: by number", "within: by a child", "twice within", "still within"} == set(
        err.splitlines()
    )


def test_what_raises_within_leaves_it_as_it_was(capfd: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit), told_aside():
        raise SystemExit(3)
    os.write(1, b"after\n")
    assert capfd.readouterr().out == "after\n"


def test_threads_that_overlap_leave_it_as_it_was(capfd: pytest.CaptureFixture[str]):
    first_in, second_in, first_out = (threading.Event() for _ in range(3))

    def first() -> None:
        with told_aside():
            first_in.set()
            second_in.wait(5)
        first_out.set()

    def second() -> None:
        first_in.wait(5)
        with told_aside():
            second_in.set()
            first_out.wait(5)
            os.write(1, b"within the second\n")

    threads = [threading.Thread(target=t) for t in (first, second)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    os.write(1, b"after\n")
    assert tuple(capfd.readouterr()) == ("after\n", "within the second\n")


def test_a_stream_that_the_caller_closed(tmp_path: object):
    code = "from gpuinfra.policy.aside import told_aside\nwith told_aside():\n    print('within')\n"
    done = subprocess.run(["sh", "-c", '"$0" -c "$1" >&-', sys.executable, code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "within\n")


def test_code_that_closes_standard_output_closes_nothing_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    with told_aside():
        sys.stdout.close()
        with sys.stdout as out:
            print("one", file=out)
        print("two")
    print("three", file=sys.stderr)
    print("four")
    seen = capsys.readouterr()
    assert (seen.err, seen.out) == ("one\ntwo\nthree\n", "four\n")
