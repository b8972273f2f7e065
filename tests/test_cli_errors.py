"""Bad input: one clear line on standard error with place and remedy, exit 1 or 2, and nothing half written."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import FIXTURES, Done, call, process

from screenplug import decide, files, record
from screenplug.model import Refused

BROKEN = FIXTURES / "ledgers" / "broken"
HEAD = 'format = 1\n[default]\nregulations = "pzbs"\nlaws = "laws-1997"\n[[ruling]]\nid = "P-1"\n'
GOOD = f'{HEAD}board = "2"\nns = "3"\new = "7"\nscore = "3H N ="\n'


def everything() -> dict[str, bytes]:
    """All files on the desk, and what is in them."""
    return {path.as_posix(): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def one_line(done: Done, *said: str, code: int = 2) -> None:
    assert done.code == code
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    for words in said:
        assert words in lines[0]


# ------------------------------------------------------------------------------------------------- files that are none

NOT_PBN = {
    "letter.pbn": (b"Dear Director,\r\nthe score was wrong.\r\n", "this is not a PBN file"),
    "program.pbn": (b"x = y[1]\nprint(x)\n", "this is not a PBN file"),
    "latex.pbn": (b"% a letter\n\\documentclass[a4paper]{letter}\n", "this is not a PBN file"),
    "picture.pbn": (b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)), "this is not a PBN file"),
    "database.pbn": (b'[Board "1"]\n' + bytes(range(256)), "NUL"),
    "utf-16.pbn": ('[Board "1"]\r\n'.encode("utf-16"), "UTF-16"),
    "empty.pbn": (b"", "the file is empty"),
    "blank.pbn": (b"\r\n \r\n", "the file is empty"),
}
COMMANDS = {
    "check": (),
    "annotate": ("--rulings", "small.toml"),
    "strip": (),
    "records": (),
    "score": (),
    "rescore": (),
    "report": ("--rulings", "small.toml"),
    "rule": (),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", [*NOT_PBN, "folder.pbn", "missing.pbn"])
def test_what_is_no_pbn_file_is_refused_by_name(desk: Path, command: str, name: str) -> None:
    said = "no such file" if name == "missing.pbn" else "this is a folder, not a file"
    if name in NOT_PBN:
        data, said = NOT_PBN[name]
        Path(name).write_bytes(data)
    elif name == "folder.pbn":
        Path(name).mkdir()
    before = everything()
    done = call(command, name, *COMMANDS[command])
    one_line(done, f"Error: {name}: ", said)
    assert done.err.rstrip().rpartition(". ")[2] != "", "a remedy follows"
    assert not done.out.removesuffix(f"{name}: 0 records\n") and everything() == before


def test_the_rulings_given_as_the_boards_are_refused(desk: Path) -> None:
    one_line(call("check", "small.toml"), "small.toml: this is not a PBN file")


def test_directives_alone_are_a_pbn_file_without_games(desk: Path) -> None:
    Path("none.pbn").write_bytes(b"% PBN 2.1\r\n% EXPORT\r\n")
    done = call("check", "none.pbn")
    assert (done.code, done.out, done.err) == (0, "none.pbn: 0 games, nothing odd\n", "")


def test_an_empty_standard_input_is_called_so(desk: Path) -> None:
    one_line(call("check", "-"), "Error: standard input: the file is empty")
    one_line(process("check", "-"), "Error: standard input: the file is empty")


def test_a_file_that_cannot_be_read_is_named(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", locked)
    one_line(
        call("check", "small.pbn"), "small.pbn: cannot be read (Permission denied). Close the program that holds it"
    )


def test_standard_input_can_be_only_one_of_the_files(desk: Path) -> None:
    for words in (("annotate", "-", "--rulings", "-"), ("check", "-", "-"), ("check", "-", "--rulings", "-")):
        done = call(*words, stdin=Path("small.pbn").read_bytes())
        assert (done.code, done.out) == (2, "") and "standard input (-) can be one file only" in done.err


def test_a_program_without_a_standard_input_says_so(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.sys, "stdin", None)  # as under pythonw on Windows
    with pytest.raises(files.Refused, match="there is no standard input"):
        files.read("-")


# ------------------------------------------------------------------------------------------------------------ rulings


def test_rulings_that_are_not_there_are_named(desk: Path) -> None:
    Path("none").mkdir()
    one_line(call("annotate", "small.pbn", "--rulings", "no.toml"), "Error: no.toml: no such file. Check the name")
    one_line(call("check", "small.pbn", "--rulings", "none"), "Error: none: no rulings file (*.toml) in this folder")


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("quote-not-closed.toml", ":12: not TOML: "),
        ("cp1250.toml", ":14: the file is not UTF-8 text; save as UTF-8"),
        ("format-newer.toml", ":2: this is format 2; reading it needs a screenplug that knows rulings format 2"),
    ],
)
def test_nothing_is_written_while_a_rulings_file_cannot_be_read(desk: Path, file: str, said: str) -> None:
    book = Path("day")
    book.mkdir()
    (book / "a.toml").write_bytes((BROKEN / file).read_bytes())
    (book / "b.toml").write_text(GOOD)
    before = everything()
    for command in ("annotate", "rescore"):
        done = call(command, "small.pbn", "--rulings", "day")
        one_line(done, f"Error: {book / 'a.toml'}{said}", "Nothing was written")
        assert everything() == before
    for command in ("check", "score", "report"):
        done = call(command, "small.pbn", "--rulings", "day")
        one_line(done, said.replace(": ", ": error: ", 1), code=1)


@pytest.mark.parametrize("command", ["annotate", "rescore", "strip"])
def test_the_export_and_the_rulings_files_are_never_written_over(desk: Path, command: str) -> None:
    before = everything()
    rulings = () if command == "strip" else ("--rulings", "small.toml")
    done = call(command, "small.pbn", *rulings, "-o", "small.pbn")
    assert done.code == 2 and "Error: small.pbn: this is the file that was read" in done.err
    if rulings:
        done = call(command, "small.pbn", *rulings, "-o", "small.toml")
        assert done.code == 2 and "Error: small.toml: this is one of the rulings files" in done.err
    assert everything() == before


def test_a_rulings_file_with_a_byte_order_mark_is_fine(desk: Path) -> None:
    Path("bom.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    done = call("annotate", "small.pbn", "--rulings", "bom.toml")
    assert (done.code, done.out, done.err) == (0, "1 of 1 rulings attached: small.ruled.pbn\n", "")


TRAY = 'facts = { kind = "insufficient-bid", offender = "E", tray = "passed", moved-by = "W" }'
PLACE = 'board = "2"\nns = "3"\new = "7"\n'
WRONG = {
    "weights": (PLACE + 'score = "60% 3H N =, 30% 3H N +1"', ":10: error: ", "the weights add up to 90%, not to 100%"),
    "forbidden award": (
        PLACE + 'score = "60% 3H N =, 40% 3H N +1"',
        ":5: error: ",
        "laws-1997 allows no weighted score at the table (Law 12C2); give one result, or say why in override",
    ),
    "result found twice": ('board = "2"\nscore = "3H N ="', ":5: error: ", 'ns = "3", ew = "7"', "add a key"),
    "unknown key": (PLACE + 'scroe = "3H N ="', ":10: error: ", "did you mean score?"),
    "unknown value": (
        PLACE + '[[ruling.ground]]\ndecision = "auction-irregularity"\nfacts = { kind = "insuficient-bid" }',
        ":5: error: ",
        "kind cannot be 'insuficient-bid'; did you mean insufficient-bid?",
    ),
    "unknown fact": (
        PLACE + '[[ruling.ground]]\ndecision = "auction-irregularity"\nfacts = { kid = "insufficient-bid" }',
        ":5: error: ",
        "auction-irregularity has no fact 'kid'; did you mean kind?",
    ),
    "wrong side of the screen": (
        PLACE + f'[[ruling.ground]]\ndecision = "auction-irregularity"\n{TRAY}',
        ":5: error: ",
        "W cannot have moved the tray away from E's side of the screen",
    ),
    "unknown regulations": (PLACE + 'regulations = "pzb"', ":5: error: ", "did you mean pzbs?"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("command", ["annotate", "check", "score", "rescore", "report"])
def test_a_wrong_ruling_is_named_with_its_line_and_the_others_go_on(desk: Path, wrong: str, command: str) -> None:
    entry, *said = WRONG[wrong]
    other = '\n[[ruling]]\nid = "P-2"\nboard = "1"\nns = "1"\new = "5"\nscore = "2NT S -1"\n'
    Path("wrong.toml").write_text(f"{HEAD}{entry}\n{other}")
    done = call(command, "small.pbn", "--rulings", "wrong.toml")
    one_line(done, "wrong.toml", "P-1", *said, code=1)
    if command == "annotate":
        assert done.out == "1 of 2 rulings attached: small.ruled.pbn\n"
        assert b"P-1  " not in Path("small.ruled.pbn").read_bytes()


def test_a_board_that_is_not_in_the_file_is_waited_for(desk: Path) -> None:
    Path("late.toml").write_text(GOOD.replace('board = "2"', 'board = "31"'))
    done = call("annotate", "small.pbn", "--rulings", "late.toml")
    one_line(done, "late.toml:5: note: the file has no board 31; there are 1, 2, 3, 4, 5, 6", "(ruling P-1)", code=0)
    assert done.out == "0 of 1 rulings attached: small.ruled.pbn\n"
    assert Path("small.ruled.pbn").read_bytes() == Path("small.pbn").read_bytes()
    assert "P-1 board 31, pairs 3-7: waiting" in call("check", "small.pbn", "--rulings", "late.toml").out


def test_a_short_id_is_named_even_when_the_message_has_that_digit(desk: Path) -> None:
    Path("short.toml").write_text(GOOD.replace("P-1", "1").replace("3H N =", "60% 3H N =, 30% 3H N +1"))
    one_line(call("annotate", "small.pbn", "--rulings", "short.toml"), "not to 100% (ruling 1)", code=1)


def test_an_undecided_ground_is_attached_and_exits_1(desk: Path) -> None:
    Path("open.toml").write_text(GOOD + '[[ruling.ground]]\ndecision = "tempo"\nfacts = { pace = "slow" }\n')
    done = call("annotate", "small.pbn", "--rulings", "open.toml")
    one_line(done, "open.toml:5: note: ruling P-1, tempo: one more fact is needed: ", code=1)
    assert done.out == "1 of 1 rulings attached: small.ruled.pbn\n"


def test_a_record_of_a_newer_screenplug_is_left_alone(desk: Path) -> None:
    Path("good.toml").write_text(GOOD)
    call("annotate", "small.pbn", "--rulings", "good.toml")
    newer = Path("small.ruled.pbn").read_bytes().replace(b"P-1  record      1", b"P-1  record      2")
    Path("newer.pbn").write_bytes(newer)
    for command in ("records", "check", "score", "rescore"):
        done = call(command, "newer.pbn")
        one_line(done, "newer.pbn:39: error: ", "P-1", "record 2", "Install a newer screenplug", code=1)
    done = call("annotate", "newer.pbn", "--rulings", "good.toml")
    assert done.code == 1 and done.out == "0 of 1 rulings attached; nothing was written\n"
    assert Path("newer.pbn").read_bytes() == newer and not Path("newer.ruled.pbn").exists()


def test_a_comment_that_swallows_the_rest_of_the_file_is_named(desk: Path) -> None:
    data = Path("small.pbn").read_bytes().replace(b'[Dealer "S"]', b'[Dealer "S"]\n{never closed')
    Path("open.pbn").write_bytes(data)
    for command in ("annotate", "check", "score", "report"):
        done = call(command, "open.pbn", "--rulings", "small.toml")
        assert done.code == 1
        told = done.err.splitlines()[0]
        assert told.startswith("open.pbn:54:") and "error: " in told
        assert "the comment that begins in line 54 never ends; put a } where it ends" in told
    assert "P-1: board 2" in call("records", "open.ruled.pbn").out


@pytest.mark.parametrize(("option", "said"), [("--policy", "there is no scoring policy 'wfb'. Known are ")])
def test_an_unknown_policy_is_answered_with_the_known_ones(desk: Path, option: str, said: str) -> None:
    for command in ("score", "rescore"):
        one_line(call(command, "small.pbn", option, "wfb"), said)


REPORTS = """
from screenplug import hookimpl

class Paper:
    def __init__(self, name, render):
        self.name, self.render = name, render

def fails(event, rulings, detail):
    raise RuntimeError("no such\\n  board")

def leaves(event, rulings, detail):
    raise SystemExit(7)

@hookimpl
def screenplug_reports():
    yield Paper("bad", fails)
    yield Paper("leaving", leaves)
    yield Paper("none", lambda event, rulings, detail: None)
    yield Paper("half", lambda event, rulings, detail: "\\ud800")
"""


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("bad", "RuntimeError: no such board)"),
        ("leaving", "SystemExit: 7"),
        ("none", "AttributeError: "),
        ("half", "UnicodeEncodeError: "),
    ],
)
@pytest.mark.parametrize("output", [(), ("-o", "paper.txt")], ids=["shown", "written"])
def test_a_report_of_a_plugin_that_fails_is_named_with_the_reason(
    desk: Path, form: str, said: str, output: tuple[str, ...]
) -> None:
    Path("papers.py").write_text(REPORTS)
    Path("good.toml").write_text(GOOD)
    words = ("report", "small.pbn", "--rulings", "good.toml", "--form", form, *output)
    done = process("--plugin", "papers.py", *words)
    one_line(done, f"Error: the report {form} failed ({said}", "Use another form")
    assert done.out == "" and not Path("paper.txt").exists()


# --------------------------------------------------------------------------------------------------- odd and too long

RULE = ("rule", "small.pbn", "--rulings", "new.toml", "--regulations", "pzbs")


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict", "cp1250:strict"])
@pytest.mark.parametrize("answered", range(4))
def test_answers_in_another_encoding_are_no_crash_and_nothing_is_written(
    desk: Path, encoding: str, answered: int
) -> None:
    before = everything()
    damaged = b"\x81" if encoding.startswith("cp1250") else b"\xff"
    answers = [b"1", b"1", b"the reason comes later", b""][:answered]
    done = process(*RULE, stdin=b"\n".join([*answers, damaged, b""]), PYTHONIOENCODING=encoding)
    assert done.code == 2 and "Error: small.pbn: the answers came to an end" in done.err
    assert everything() == before


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict"])
def test_a_text_with_characters_that_could_not_be_read_is_asked_again(desk: Path, encoding: str) -> None:
    ground = [b"1", b"1", b"other: laws and finding in words", b"73F \xff", b"73F", b"caf\xe9", b"cafe"]
    answers = [*ground, b"3H N =\xff", b"", b"note", b"\xff", b"a note", b"4", b"priv\xe9", b"private", b"y"]
    done = process(*RULE, stdin=b"\n".join([*answers, b""]), PYTHONIOENCODING=encoding)
    assert (done.code, done.err) == (0, "")
    assert done.out.count("Error: some characters of this could not be read; type it again, without them.") == 5
    written = Path("new.toml").read_text("utf-8")
    assert "\ufffd" not in written and "?" not in written
    for said in ('laws = ["73F"]', 'finding = "cafe"', 'note = "a note"', 'private = "private"'):
        assert said in written


def test_a_number_of_thousands_of_digits_is_one_clear_line(desk: Path) -> None:
    for digits in ("9" * 5_000, "1234567"):
        done = call("decide", "tempo", "--regulations", "wbf", f"seconds={digits}")
        one_line(done, "Error: seconds has more than 6 digits. Correct it")
    assert call("decide", "tempo", "--regulations", "wbf", "seconds=123456").code == 1
    for number in (10**5_000, -(10**5_000)):
        for fact in ("seconds", "pace"):
            with pytest.raises(Refused, match=f"{fact} has more than 6 digits"):
                decide("tempo", {fact: number}, regulations="wbf")
    questions = ["1", "1", "hesitation", "tempo", "NE", "slow", "9" * 5_000, "1234567"]
    before = everything()
    done = call(*RULE, stdin="".join(f"{answer}\n" for answer in questions))
    assert done.code == 2 and "Still needed: --fact seconds=NUMBER; " in done.err and everything() == before
    assert done.out.count("Error: a number has at most 6 digits; write it again.") == 2


@pytest.mark.parametrize(
    ("old", "new"), [('board = "2"', "board = {}"), ("format = 1", "format = {}"), ('id = "P-1"', "id = {}")]
)
def test_a_rulings_file_with_a_number_of_thousands_of_digits_is_told_with_its_line(
    desk: Path, old: str, new: str
) -> None:
    for number in ("0x" + "F" * 5_000, "9" * 5_000):
        text = GOOD.replace(old, new.format(number))
        Path("huge.toml").write_text(text)
        line = text[: text.index(number)].count("\n") + 1
        done = call("check", "small.pbn", "--rulings", "huge.toml")
        assert done.code == 1 and f"huge.toml:{line}: error: " in done.err and len(done.err) < 600


# ------------------------------------------------------------------------------------------------------------ writing

WRITERS: dict[str, tuple[str, ...]] = {
    "annotate": ("annotate", "small.pbn", "--rulings", "small.toml", "-o", "out.pbn"),
    "annotate in place": ("annotate", "small.pbn", "--rulings", "small.toml", "--in-place"),
    "strip": ("strip", "small.pbn", "-o", "out.pbn"),
    "strip in place": ("strip", "small.pbn", "--in-place"),
    "rescore": ("rescore", "small.pbn", "-o", "out.pbn"),
    "report": ("report", "small.pbn", "--rulings", "small.toml", "-o", "out.pbn"),
    "rule": ("rule", "small.pbn", "--rulings", "small.toml"),
}
ANSWERS = "1\n1\nthe reason comes later\n\ny\n"


def fails(error: int, said: str) -> Callable[..., Any]:
    def raises(*_: Any, **__: Any) -> Any:
        raise OSError(error, said)

    return raises


class FullDisk:
    """What ``os.fdopen`` gives when the disk fills up in the middle of writing."""

    def __init__(self, handle: int, mode: str) -> None:
        self.stream = open(handle, mode)  # noqa: SIM115

    def __enter__(self) -> FullDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()

    def write(self, data: bytes) -> None:
        self.stream.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("where", ["write", "fsync"])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_leaves_the_old_file_and_no_other(
    desk: Path, monkeypatch: pytest.MonkeyPatch, writer: str, where: str
) -> None:
    Path("out.pbn").write_bytes(b"what was there\n")
    before = everything()
    if where == "fsync":
        monkeypatch.setattr(os, "fsync", fails(errno.ENOSPC, "No space left on device"))
    else:
        monkeypatch.setattr(os, "fdopen", FullDisk)
    done = call(*WRITERS[writer], stdin=ANSWERS)
    name = next(word for word in reversed(WRITERS[writer]) if word.startswith(("out", "small")))
    target = name if writer == "rule" or name == "out.pbn" else "small.pbn"
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        f"Error: {target}: not written (No space left on device); the file is as it was. "
        "Free some space, or write elsewhere"
    )
    assert everything() == before


def test_a_full_disk_leaves_no_new_file(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything()
    monkeypatch.setattr(os, "fsync", fails(errno.ENOSPC, "No space left on device"))
    one_line(call("strip", "small.pbn"), "small.stripped.pbn: not written (No space left on device). Free some space")
    assert everything() == before


@pytest.mark.parametrize("words", [("check", "small.pbn"), ("annotate", "small.pbn", "--rulings", "a.toml", "-o", "-")])
def test_a_full_disk_behind_standard_output_is_one_line_too(desk: Path, words: tuple[str, ...]) -> None:
    Path("a.toml").write_text(GOOD)
    if not Path("/dev/full").exists():
        return  # only Linux has a device that is always full
    with Path("/dev/full").open("wb") as full:
        one_line(process(*words, stdout=full), "Error: ", "No space left on device")


def test_an_interruption_while_writing_leaves_the_old_file_and_no_other(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    before = everything()
    monkeypatch.setattr(os, "fsync", interrupted)
    done = call("annotate", "small.pbn", "--rulings", "small.toml", "--in-place")
    assert done.code == 1 and everything() == before


@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_that_another_program_holds_gets_the_result_beside_it(
    desk: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    Path("out.pbn").write_bytes(b"what was there\n")
    before = everything()
    original = Path.replace

    def held(source: Path, target: Path) -> Path:
        if target.name.endswith(".new"):
            return original(source, target)
        raise PermissionError(errno.EACCES, "The process cannot access the file")

    monkeypatch.setattr(Path, "replace", held)
    done = call(*WRITERS[writer], stdin=ANSWERS)
    after = everything()
    (new,) = after.keys() - before.keys()
    assert done.code == 2
    said = done.err.splitlines()[-1]
    assert f"Error: {new.removesuffix('.new')}: another program holds it (The process cannot access the file)" in said
    assert f"the result is in {desk.resolve() / new}. Close that program and rename the result" in said
    assert {name: after[name] for name in before} == before
    monkeypatch.undo()
    monkeypatch.chdir(desk)
    assert new.endswith(".toml.new" if writer == "rule" else ".pbn.new") and after[new] != b""


def test_a_file_that_holds_out_everywhere_leaves_nothing_behind(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything()
    monkeypatch.setattr(Path, "replace", fails(errno.EACCES, "Access is denied"))
    done = call("strip", "small.pbn", "--in-place")
    one_line(done, "small.pbn: not written (Access is denied); the file is as it was")
    assert everything() == before


def test_a_file_system_that_knows_no_rights_is_written_to(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "chmod", fails(errno.EPERM, "Operation not permitted"))
    done = call("strip", "small.pbn")
    assert (done.code, done.err) == (0, "") and Path("small.stripped.pbn").is_file()


def test_a_file_that_changed_under_us_is_not_overwritten(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attach = record.attach
    newer = Path("small.pbn").read_bytes() + b"\n; another result came in\n"

    def while_the_scorer_saves(*given: Any) -> Any:
        Path("small.pbn").write_bytes(newer)
        return attach(*given)

    monkeypatch.setattr(record, "attach", while_the_scorer_saves)
    done = call("annotate", "small.pbn", "--rulings", "small.toml", "--in-place")
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        "Error: small.pbn: the file changed while we worked on it; nothing was written. Run the command again"
    )
    assert Path("small.pbn").read_bytes() == newer and not list(Path().glob(".*"))


@pytest.mark.parametrize("writer", ["annotate", "strip", "rescore", "report"])
def test_output_into_a_missing_folder_or_onto_a_folder_is_refused(desk: Path, writer: str) -> None:
    before = everything()
    words = WRITERS[writer][:-1]
    done = call(*words, str(Path("nowhere", "out.pbn")))
    assert done.code == 2 and "Error: nowhere: there is no such folder. Make it first" in done.err
    done = call(*words, "both")
    assert done.code == 2 and "Error: both: this is a folder, not a file. Name a file in it" in done.err
    assert everything() == before


@pytest.mark.parametrize("protected", ["by its rights", "by the system"])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_read_only_file_is_not_replaced(
    desk: Path, monkeypatch: pytest.MonkeyPatch, writer: str, protected: str
) -> None:
    target = next(word for word in reversed(WRITERS[writer]) if word.startswith(("out", "small")))
    target = target if writer == "rule" or target == "out.pbn" else "small.pbn"
    Path("out.pbn").write_bytes(b"what was there\n")
    if protected == "by its rights":
        Path(target).chmod(0o444)
    else:
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or Path(path).name != target)
    before = everything()
    done = call(*WRITERS[writer], stdin=ANSWERS)
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        f"Error: {target}: this file is read-only; nothing was written. Make it writable, or write elsewhere"
    )
    assert everything() == before
    if writer == "rule":
        assert done.out == "", "not a question was asked"


def test_a_folder_without_rights_is_named(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "mkstemp", fails(errno.EACCES, "Permission denied"))
    done = call("strip", "small.pbn")
    one_line(done, f"Error: {desk.resolve()}: cannot write into this folder (Permission denied). Check the rights")


def test_output_and_in_place_exclude_each_other(desk: Path) -> None:
    before = everything()
    one_line(call("strip", "small.pbn", "--in-place", "-o", "x.pbn"), "-o and --in-place exclude each other")
    one_line(call("strip", "-", "--in-place", stdin=before["small.pbn"]), "--in-place needs a file")
    assert everything() == before


def test_windows_paths_are_shown_as_they_were_typed(desk: Path) -> None:
    one_line(process("check", r"C:\Turniej\nowy.pbn"), r"Error: C:\Turniej\nowy.pbn: no such file. Check the name")
