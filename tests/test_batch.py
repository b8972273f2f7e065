"""Many files at once: folders and patterns, several workers, what stops nothing, and the counts at the end."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from commands import FIXTURES, Done, call, document, fine, process

from screenplug import batch
from screenplug.cli import cli

PBN = (FIXTURES / "pairs-wbf" / "session.pbn").read_bytes()
OTHER = (FIXTURES / "small-pzbs" / "session.pbn").read_bytes()
RULES = ("--rulings", "small.toml")
COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", *RULES),
    "records": ("records",),
    "annotate": ("annotate", *RULES),
    "rescore": ("rescore",),
    "strip": ("strip",),
}
SUFFIX = {"annotate": "ruled", "rescore": "rescored", "strip": "stripped"}


@pytest.fixture
def archive(desk: Path) -> Path:
    """A folder with four good files, one of them below it, and two bad ones."""
    folder = desk / "archive"
    (folder / "2026" / ".old").mkdir(parents=True)
    for name in ("a.pbn", "b.pbn", "2026/d.PBN"):
        (folder / name).write_bytes(PBN)
    (folder / "c.pbn").write_bytes(OTHER)
    (folder / "aa.pbn").write_bytes(b"not boards\n")
    (folder / "zz.Pbn").write_bytes('[Board "1"]\n'.encode("utf-16"))
    (folder / "2026" / ".old" / "hidden.pbn").write_bytes(PBN)
    (folder / "notes.txt").write_bytes(b"not ours\n")
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def counts(done: Done) -> dict[str, int]:
    """The table at the end of the output."""
    rows = {}
    for line in reversed(done.out.splitlines()):
        number, _, what = line.strip().partition(" ")
        if not number.isdigit():
            break
        rows[what] = int(number)
        if what == "files":
            return rows
    return {}


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_is_worked_through_past_its_bad_files(archive: Path, command: str, jobs: str) -> None:
    done = call(*COMMANDS[command], "archive", "--jobs", jobs)
    assert done.code == 2
    refused = [line for line in done.err.splitlines() if line.startswith("Error: ")]
    assert [line.split(": ")[1] for line in refused] == [str(Path("archive", name)) for name in ("aa.pbn", "zz.Pbn")]
    table = counts(done)
    assert (table["files"], table["refused"]) == (6, 2)
    assert "hidden" not in done.out + done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_several_workers_say_and_write_what_one_does(archive: Path, command: str) -> None:
    fine(call("annotate", "archive/c.pbn", *RULES, "--in-place"))
    shutil.copytree(archive, archive.parent / "again")
    one = call(*COMMANDS[command], "archive")
    left = tree(archive)
    shutil.rmtree(archive)
    Path("again").rename("archive")
    two = call(*COMMANDS[command], "archive", "--jobs", "3")
    assert (two.code, two.out, two.err) == (one.code, one.out, one.err)
    assert tree(archive) == left
    if command in ("check", "records", "rescore"):
        assert document(*COMMANDS[command], "archive", "--jobs", "2") == document(*COMMANDS[command], "archive")


@pytest.mark.parametrize("command", SUFFIX)
def test_what_we_wrote_is_not_taken_again(archive: Path, command: str) -> None:
    fine(call("annotate", "archive/c.pbn", *RULES))
    call(*COMMANDS[command], "archive")
    before = tree(archive)
    first = counts(call(*COMMANDS[command], "archive"))
    assert tree(archive) == before
    assert first["files"] == (7 if command == "strip" else 6)
    twice = f".{SUFFIX[command]}.{SUFFIX[command]}."
    assert not [name for name in tree(archive) if twice in name]


def test_records_and_strip_find_the_ruled_files_of_a_folder(archive: Path) -> None:
    fine(call("annotate", "archive/c.pbn", *RULES))
    assert f"{Path('archive', 'c.ruled.pbn')}: 7 records" in call("records", "archive").out
    assert counts(call("strip", "archive"))["written"] == 1
    assert (archive / "c.ruled.stripped.pbn").read_bytes() == OTHER


def test_a_named_file_is_taken_whatever_it_is_called(archive: Path) -> None:
    (archive / "x.ruled.pbn").write_bytes(PBN)
    assert "x.ruled.pbn: 27 games" in call("check", "archive/x.ruled.pbn").out
    assert "x.ruled.pbn" not in call("check", "archive").out


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("archive/[ab].pbn", ["a.pbn", "b.pbn"]),
        ("archive/**/d.*", ["2026/d.PBN"]),
        ("archive/20*", ["2026/d.PBN"]),
        ("archive/a.pbn", ["a.pbn"]),
    ],
)
def test_a_pattern_that_no_shell_expanded_is_expanded(archive: Path, pattern: str, names: list[str]) -> None:
    told = document("check", pattern)
    assert [each["file"] for each in told["files"]] == [str(Path("archive", name)) for name in names]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(desk: Path) -> None:
    Path("round[1].pbn").write_bytes(PBN)
    Path("round1.pbn").write_bytes(OTHER)
    assert [each["file"] for each in document("check", "round[1].pbn")["files"]] == ["round[1].pbn"]


def test_a_pattern_that_finds_nothing_is_named(desk: Path) -> None:
    done = call("check", "2025-*.pbn", "small.pbn")
    assert done.code == 2 and "Error: 2025-*.pbn: no such file" in done.err and "small.pbn: 6 games" in done.out


def test_a_folder_without_boards_is_named_and_the_others_go_on(desk: Path) -> None:
    Path("empty").mkdir()
    done = call("check", "empty", "small.pbn")
    assert done.code == 2 and "Error: empty: this is a folder, not a file, and no *.pbn is in it" in done.err
    assert "small.pbn: 6 games" in done.out


def test_a_file_named_twice_is_taken_once(archive: Path) -> None:
    told = document("check", "archive/a.pbn", "archive", "./archive/a.pbn")
    assert [each["file"] for each in told["files"]].count("archive/a.pbn") == 1
    assert len(told["files"]) == 6


def test_the_worst_exit_code_counts(desk: Path) -> None:
    Path("wrong.pbn").write_bytes(OTHER.replace(b'[Dealer "S"]', b'[Dealer "S"]\n{never closed'))
    assert call("check", "small.pbn", "session.pbn").code == 0
    assert call("check", "wrong.pbn", "small.pbn").code == 1
    assert call("check", "missing.pbn", "wrong.pbn", "small.pbn").code == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_many_files_are_annotated_and_stripped_in_place(archive: Path, jobs: str) -> None:
    (archive / "aa.pbn").unlink()
    (archive / "zz.Pbn").unlink()
    before = tree(archive)
    done = fine(call("annotate", "archive", *RULES, "--in-place", "--jobs", jobs))
    assert counts(done) == {"files": 4, "written": 1, "with rulings": 1}
    after = tree(archive)
    assert after.keys() == before.keys()
    assert [name for name in after if after[name] != before[name]] == ["c.pbn"]
    assert b"RulingTable" in after["c.pbn"]
    assert counts(fine(call("strip", "archive", "--in-place", "--jobs", jobs)))["written"] == 1
    assert tree(archive) == before


def test_a_ruling_in_two_files_is_an_error_and_one_in_none_is_waited_for(archive: Path) -> None:
    entry = '[[ruling]]\nid = "Z-1"\nboard = "999"\nscore = "3H N ="\n'
    head = 'format = 1\n[default]\nregulations = "wbf"\nlaws = "laws-2017"\n'
    Path("more.toml").write_text(head + entry, encoding="utf-8")
    Path("archive/cc.pbn").write_bytes(OTHER)
    done = call("annotate", "archive/c.pbn", "archive/cc.pbn", *RULES, "--rulings", "more.toml")
    assert done.code == 1
    both = f"{Path('archive/c.pbn')}, {Path('archive/cc.pbn')}".replace("\\", "/")
    assert f"error: ruling P-1 is attached in 2 files: {both}; add a key" in done.err.replace("\\", "/")
    assert done.err.count("note: ruling Z-1: none of the files has its result\n") == 1
    assert "P-1: none" not in done.err


def test_a_mistake_in_the_rulings_is_said_once(archive: Path) -> None:
    Path("wrong.toml").write_text(
        'format = 1\n[default]\nregulations = "wbf"\n[[ruling]]\nid = "Z-1"\nbord = "9"\nscore = "3H N ="\n',
        encoding="utf-8",
    )
    done = call("annotate", "archive/a.pbn", "archive/b.pbn", "archive/c.pbn", "--rulings", "wrong.toml")
    assert done.code == 1 and done.err.count("did you mean board?") == 1


def test_results_never_fall_on_each_other_or_on_a_file_given(archive: Path) -> None:
    fine(call("annotate", "archive/c.pbn", *RULES))
    before = tree(archive)
    done = call("annotate", "archive/c.pbn", "archive/c.ruled.pbn", *RULES)
    assert done.code == 2 and "but that is one of the files given; nothing was written" in done.err
    assert tree(archive)["c.ruled.pbn"] == before["c.ruled.pbn"]
    if not Path("ARCHIVE").exists():  # a file system that tells a.pbn from a.PBN
        (archive / "c.PBN").write_bytes(OTHER)
        done = call("strip", "archive/c.pbn", "archive/c.PBN")
        assert "but that is the result of archive/c.pbn" in done.err


@pytest.mark.parametrize("command", SUFFIX)
def test_one_output_is_for_one_file(archive: Path, command: str) -> None:
    before = tree(archive)
    done = call(*COMMANDS[command], "archive", "-o", "out.pbn")
    assert done.code == 2 and "-o takes one file only" in done.err and tree(archive) == before


def test_standard_input_may_be_one_of_many(archive: Path) -> None:
    done = call("check", "-", "archive/a.pbn", "--jobs", "2", stdin=OTHER)
    assert done.code == 0
    assert "-: 6 games" in done.out and done.out.index("-: 6 games") < done.out.index("archive/a.pbn: 27 games")


def test_a_pipe_gets_no_progress(archive: Path) -> None:
    done = process("check", "archive", "--jobs", "2")
    assert "\r" not in done.out + done.err and "0/6" not in done.err


@pytest.mark.skipif(os.name != "posix", reason="there are no terminals of this kind on Windows")
def test_a_terminal_shows_how_far_it_is_and_programs_get_one_document(archive: Path) -> None:
    from terminal import terminal

    with terminal("check", "archive", "--jobs", "2") as shown:
        shown.question()
        assert shown.code == 2 and "0/6" in shown.screen and "6/6" in shown.screen
        lines = shown.screen.rpartition("6/6")[2].split()
        assert lines[lines.index("games") - 1] == "87"
    with terminal("check", "archive", "--json") as shown:
        shown.question()
        assert shown.screen.startswith("{") and "/6" not in shown.screen


# ------------------------------------------------------------------------------------------------------- workers


class Elsewhere(Executor):
    """A cluster of one, which remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.thread = ThreadPoolExecutor(1)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given += [path for job in args for path in job.paths]
        return self.thread.submit(fn, *args, **kwargs)


PLUGIN = """
import click
from concurrent.futures import ThreadPoolExecutor
from screenplug import hookimpl

@hookimpl
def screenplug_commands(cli):
    @cli.command(context_settings={"ignore_unknown_options": True})
    @click.argument("words", nargs=-1)
    def cluster(words):
        with ThreadPoolExecutor(2) as executor:
            cli.main([*words], "screenplug", obj={"executor": executor})
"""


def test_a_program_hands_in_its_own_executor(archive: Path) -> None:
    cluster = Elsewhere()
    with pytest.raises(SystemExit) as left:
        cli.main(["check", "archive"], "screenplug", obj={"executor": cluster})
    assert left.value.code == 2
    assert sorted(Path(name).name for name in cluster.given) == ["a.pbn", "aa.pbn", "b.pbn", "c.pbn", "d.PBN", "zz.Pbn"]
    jobs = [batch.Job((name,)) for name in batch.files.boards(["archive"])]
    told = list(batch.run(batch.records, jobs, executor=Elsewhere()))
    assert [done.paths[0] for done in told] == [job.paths[0] for job in jobs]
    assert [done.code for done in told].count(2) == 2


def test_a_plugin_brings_a_command_that_works_on_its_executor(archive: Path) -> None:
    Path("cluster.py").write_text(PLUGIN, encoding="utf-8")
    done = process("--plugin", "cluster.py", "cluster", "strip", "archive/a.pbn", "archive/b.pbn")
    assert (done.code, counts(done)) == (0, {"files": 2, "with records": 0})


def dies(job: batch.Job, done: batch.Done) -> None:
    os._exit(3)


def fails(job: batch.Job, done: batch.Done) -> None:
    if job.paths == ("bad",):
        raise ZeroDivisionError("division\nby zero")
    done.say("fine")


def test_workers_that_die_are_one_clear_error() -> None:
    with pytest.raises(batch.Refused, match=r"a worker came to an end before its files were done .* fewer --jobs"):
        list(batch.run(dies, [batch.Job(("a",)), batch.Job(("b",))], workers=2))


def test_a_mistake_in_a_plugin_does_not_stop_the_other_files() -> None:
    jobs = [batch.Job((name,), several=True) for name in ("a", "bad", "c")]
    told = list(batch.run(fails, jobs, workers=2))
    assert [done.code for done in told] == [0, 2, 0]
    said = (
        "Error: bad: screenplug failed (ZeroDivisionError: division by zero). Run it on this file alone, and tell its"
    )
    assert told[1].lines == [(f"{said} authors", True)]


def test_each_worker_loads_the_plugins_and_documents_of_the_command(archive: Path) -> None:
    Path("house.toml").write_bytes(
        b'kind = "policy"\nid = "house"\n' + (Path(batch.__file__).parents[1] / "hooks" / "screenplug_hooks"
        / "policies" / "neutral.toml").read_bytes().split(b"\n", 2)[2]
    )  # fmt: skip
    done = call("--document", "house.toml", "rescore", "archive/a.pbn", "archive/b.pbn", "--policy", "house",
                "--jobs", "2")  # fmt: skip
    assert done.code == 0, done.err
    assert b"policy house" in (archive / "b.rescored.pbn").read_bytes()
