"""The old file or the new one, never neither: two writers, crashes, full disks, links, folders without rights."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, call, fine

from screenplug import files
from screenplug.model import Refused

OLD, NEW = b"the old file\n" * 900, b"the new file\n" * 1000
ANNOTATE = ("annotate", "small.pbn", "--rulings", "small.toml", "--in-place")

# A child that counts what it asks of the system and is gone, without any cleaning up, before or after one of these.
CHILD = """
import builtins, io, os, sys

step, when, target, new = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4].encode() * 1000
from screenplug import files
import tempfile, random
tempfile._get_candidate_names()
count = 0

def counted(function):
    def call(*given, **named):
        global count
        count += 1
        here = count == step
        if here and when == "before":
            os._exit(77)
        found = function(*given, **named)
        if here:
            os._exit(77)
        return found
    return call

class Stream(io.FileIO):
    def write(self, data):
        global count
        count += 1
        if count == step:
            super().write(data[: len(data) // 2])  # the power goes in the middle of it
            os._exit(77)
        return super().write(data)

for name in ("open", "close", "fsync", "chmod", "replace", "rename", "unlink", "remove", "stat", "lstat", "access"):
    setattr(os, name, counted(getattr(os, name)))
os.fdopen = lambda handle, mode: Stream(handle, "w")
files.write(target, new) if sys.argv[5] == "write" else files.deliver(
    target, open(target, "rb").read(), new, None, "x", in_place=True
)
os._exit(0)
"""


def child(script: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-c", textwrap.dedent(script), *words]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True)


@pytest.mark.parametrize("how", ["write", "deliver"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_between_any_two_system_calls_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, how: str, when: str
) -> None:
    target = tmp_path / "session.pbn"
    seen, step, code = set(), 0, 77
    while code == 77:
        step += 1
        assert step < 60, "it never ends by itself"
        target.write_bytes(OLD)
        done = child(CHILD, str(step), when, str(target), "the new file\n", how)
        code = done.returncode
        assert code in (0, 77), done.stderr.decode()
        assert target.read_bytes() in (OLD, NEW), f"step {step}"
        seen.add(target.read_bytes())
        for left in tmp_path.iterdir():
            assert left == target or left.name.startswith("."), f"step {step} left {left.name} among the boards"
            if left != target:
                left.unlink()
    assert seen == {OLD, NEW} and step > 8
    assert target.read_bytes() == NEW and list(tmp_path.iterdir()) == [target]


def test_what_a_crash_left_behind_is_taken_away_by_a_later_run(desk: Path) -> None:
    old, young = desk / ".screenplug.abc.tmp", desk / ".screenplug.def.tmp"
    for left, age in ((old, 7200), (young, 60)):
        left.write_bytes(b"half a fi")
        os.utime(left, (time.time() - age, time.time() - age))
    (desk / ".small.pbn.lock").touch()
    os.utime(desk / ".small.pbn.lock", (time.time() - 60, time.time() - 60))
    call(*ANNOTATE)
    assert not old.exists() and young.exists(), "another screenplug may be writing the younger one"
    assert b"RulingTable" in Path("small.pbn").read_bytes() and not (desk / ".small.pbn.lock").exists()


TWO = """
import sys, time
from screenplug import batch, files
path, book, other = sys.argv[1:4]
deliver = files.deliver
def later(*given, **named):
    open(other + ".ready", "w").close()
    end = time.monotonic() + 10
    while not __import__("os").path.exists(path + ".go") and time.monotonic() < end:
        time.sleep(0.005)
    return deliver(*given, **named)
files.deliver = later
from screenplug.cli import cli
cli.main(["annotate", path, "--rulings", book, "--in-place"], "screenplug")
"""


def test_of_two_annotations_at_the_same_time_one_is_told_to_run_again(desk: Path) -> None:
    before = Path("small.pbn").read_bytes()
    head = 'format = 1\n[default]\nregulations = "pzbs"\nlaws = "laws-1997"\n[[ruling]]\n'
    path = os.pathsep.join([str(ROOT), str(ROOT / "hooks")])
    running = []
    for name in ("a", "b"):
        book = desk / f"one-{name}.toml"
        book.write_text(f'{head}id = "{name}-1"\nboard = "2"\nns = "3"\new = "7"\nscore = "3H N ="\n', "utf-8")
        running.append(
            subprocess.Popen(
                [sys.executable, "-c", TWO, "small.pbn", str(book), str(desk / name)],
                env={**os.environ, "PYTHONPATH": path},
                stderr=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
    end = time.monotonic() + 20
    while not all(Path(f"{name}.ready").exists() for name in ("a", "b")) and time.monotonic() < end:
        time.sleep(0.01)
    Path("small.pbn.go").touch()
    said = [program.communicate(timeout=30)[1].decode() for program in running]
    assert sorted(program.returncode for program in running) == [0, 2], said
    loser = [program.returncode for program in running].index(2)
    assert (
        "small.pbn: the file changed while we worked on it; nothing was written. Run the command again" in said[loser]
    )
    after = Path("small.pbn").read_bytes()
    assert len(after) > len(before)
    assert [mark in after for mark in (b"a-1  record", b"b-1  record")] == [loser == 1, loser == 0]
    assert not list(desk.glob(".*"))


def raises(error: int) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(error, os.strerror(error))

    return fail


class Closing:
    """A stream whose disk is found to be full only when it is closed, as on a network drive."""

    def __init__(self, handle: int, mode: str) -> None:
        self.stream = open(handle, mode)  # noqa: SIM115

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def __enter__(self) -> Closing:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


CALLS = {
    "mkstemp": (tempfile, "mkstemp"),
    "fdopen": (os, "fdopen"),
    "fsync": (os, "fsync"),
    "close": (os, "fdopen"),
    "replace": (os, "replace"),
}


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("step", CALLS)
def test_whatever_fails_the_old_file_stays_and_the_message_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: int
) -> None:
    target = tmp_path / "session.pbn"
    target.write_bytes(OLD)
    module, name = CALLS[step]
    monkeypatch.setattr(module, name, Closing if step == "close" else raises(error))
    with pytest.raises(Refused) as refused:
        files.write(str(target), NEW)
    monkeypatch.undo()
    assert target.read_bytes() == OLD and list(tmp_path.iterdir()) == [target]
    said = str(refused.value)
    assert os.strerror(errno.ENOSPC if step == "close" else error) in said
    assert "the file is as it was" in said or "cannot write into this folder" in said


def test_a_result_beside_a_held_file_takes_no_other_files_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, earlier = tmp_path / "session.pbn", tmp_path / "session.pbn.new"
    target.write_bytes(OLD)
    earlier.write_bytes(b"an earlier result\n")
    replace = Path.replace

    def held(source: Path, to: Path) -> Path:
        if to == target:
            raise PermissionError(errno.EACCES, "Access is denied")
        return replace(source, to)

    monkeypatch.setattr(Path, "replace", held)
    with pytest.raises(Refused, match=r"the file is as it was and the result is in .*session\.pbn\.2\.new"):
        files.write(str(target), NEW)
    assert (target.read_bytes(), earlier.read_bytes()) == (OLD, b"an earlier result\n")
    assert (tmp_path / "session.pbn.2.new").read_bytes() == NEW


def linked(link: Path, to: Path | str) -> None:
    try:
        link.symlink_to(to)
    except OSError:
        pytest.skip("no symbolic links here")


@pytest.mark.parametrize("relative", [True, False])
def test_behind_a_symbolic_link_the_file_is_replaced_and_the_link_stays(desk: Path, relative: bool) -> None:
    real = desk / "both" / "real.pbn"
    real.write_bytes(Path("small.pbn").read_bytes())
    Path("small.pbn").unlink()
    linked(Path("small.pbn"), "both/real.pbn" if relative else real)
    before = real.read_bytes()
    call(*ANNOTATE)
    assert Path("small.pbn").is_symlink() and b"RulingTable" in real.read_bytes()
    fine(call("strip", "small.pbn", "--in-place"))
    assert Path("small.pbn").is_symlink() and real.read_bytes() == before
    done = call("strip", "both/real.pbn", "-o", "small.pbn")
    assert done.code == 2 and "this is the file that was read" in done.err


def test_a_symbolic_link_to_nothing_makes_the_file_that_it_names(tmp_path: Path) -> None:
    linked(tmp_path / "link.pbn", tmp_path / "real.pbn")
    files.write(str(tmp_path / "link.pbn"), NEW)
    assert (tmp_path / "link.pbn").is_symlink() and (tmp_path / "real.pbn").read_bytes() == NEW


def test_links_in_a_circle_are_named(desk: Path) -> None:
    linked(desk / "x.pbn", "y.pbn")
    linked(desk / "y.pbn", "x.pbn")
    done = call("strip", "small.pbn", "-o", "x.pbn")
    assert done.code == 2 and "x.pbn: the symbolic links go round in a circle. Name the file itself" in done.err
    for words in (("check", "x.pbn"), (*ANNOTATE[:1], "x.pbn", *ANNOTATE[2:])):
        done = call(*words)
        assert done.code == 2 and "x.pbn: " in done.err and len(done.err.splitlines()) == 1


def test_a_folder_without_rights_keeps_its_files(desk: Path) -> None:
    if os.name != "posix" or os.geteuid() == 0:
        pytest.skip("nobody is without rights here; test_cli_errors has the message")
    folder = desk / "kept"
    folder.mkdir()
    (folder / "small.pbn").write_bytes(Path("small.pbn").read_bytes())
    before = (folder / "small.pbn").read_bytes()
    folder.chmod(0o555)
    try:
        done = call("annotate", "kept/small.pbn", "--rulings", "small.toml", "--in-place")
        assert done.code == 2 and "cannot write into this folder (Permission denied)" in done.err
        assert (folder / "small.pbn").read_bytes() == before and len(list(folder.iterdir())) == 1
    finally:
        folder.chmod(0o755)
