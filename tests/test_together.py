"""An event in several files: scored as one, and every change in the file that it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import call, document, fine
from hypothesis import given
from hypothesis import strategies as st

from screenplug import pbn
from screenplug.model import Problem
from screenplug.together import together

HEAD = '[Event "Oak"]\n[Board "{board}"]\n[Vulnerable "None"]\n[Scoring "MP"]\n'
TABLE = '[ScoreTable "PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1R;Result\\2R;MP_NS\\5R;MP_EW\\5R"]\n'
TOTALS = '[TotalScoreTable "Rank\\2R;PairId\\2R;TotalMP\\6R;NrBoards\\2R"]\n'


def session(board: int, first: int, second: int, totals: str = "") -> bytes:
    rows = f" 1 11 4S   N {first:>2}   0.0   0.0\n 2 12 4S   N {second:>2}   0.0   0.0\n"
    return (HEAD.format(board=board) + TABLE + rows + totals).encode()


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.pbn").write_bytes(session(1, 10, 9))
    standings = TOTALS + " 1  1   0.00  2\n 2 11   0.00  2\n 3  2   0.00  2\n 4 12   0.00  2\n"
    (tmp_path / "second.pbn").write_bytes(b"\xef\xbb\xbf" + session(2, 10, 10, standings).replace(b"\n", b"\r\n"))
    return tmp_path


def test_the_standings_count_the_boards_of_all_files(evening: Path) -> None:
    done = fine(call("rescore", "first.pbn", "second.pbn", "--together"))
    assert "written: first.rescored.pbn" in done.out and "written: second.rescored.pbn" in done.out
    second = (evening / "second.rescored.pbn").read_bytes()
    rows = [line.split() for line in second.splitlines()[-4:]]
    assert rows == [[b"1", b"1", b"3.00", b"2"], [b"1", b"12", b"3.00", b"2"], [b"3", b"11", b"1.00", b"2"],
                    [b"3", b"2", b"1.00", b"2"]]  # fmt: skip
    assert second.startswith(b"\xef\xbb\xbf%screenplug rescored")
    assert b"\n" not in second.replace(b"\r\n", b"")
    assert (evening / "first.rescored.pbn").read_bytes().count(b"2.0") == 2


def test_alone_a_file_keeps_standings_that_count_other_boards_too(evening: Path) -> None:
    done = call("rescore", "second.pbn")
    assert done.code == 1 and "2 boards of 1 count there, here 1" in done.err and "--together" in done.err
    standings = b" 1  1   0.00  2\r\n 2 11   0.00  2\r\n"
    assert standings in (evening / "second.rescored.pbn").read_bytes()


def test_alone_a_file_with_standings_of_its_own_boards_has_them_computed(evening: Path) -> None:
    alone = evening / "second.pbn"
    alone.write_bytes(alone.read_bytes().replace(b"0.00  2", b"0.00  1"))
    fine(call("rescore", "second.pbn"))
    assert b"1.00  1" in (evening / "second.rescored.pbn").read_bytes()


@pytest.mark.parametrize("again", ["first.pbn", "./first.pbn", "copy.pbn"])
def test_a_file_counts_once(evening: Path, again: str) -> None:
    (evening / "copy.pbn").write_bytes((evening / "first.pbn").read_bytes())
    for command in ("score", "rescore"):
        done = call(command, "first.pbn", "second.pbn", again, "--together")
        assert done.code == 2 and "first.pbn" in done.err and "each file counts once" in done.err


def test_a_problem_is_told_with_its_own_file_and_line(evening: Path) -> None:
    wrong = session(3, 10, 9).replace(b'[Vulnerable "None"]', b'[Vulnerable "Sometimes"]')
    (evening / "third.pbn").write_bytes(session(2, 10, 9) + b"\n" + wrong)
    done = call("score", "first.pbn", "third.pbn", "--together")
    assert "third.pbn: error: board 3" in done.err and "first.pbn" not in done.err


def test_several_files_are_scored_only_as_one_event(evening: Path) -> None:
    done = call("score", "first.pbn", "second.pbn")
    assert done.code == 2 and "--together" in done.err
    scored = document("score", "first.pbn", "second.pbn", "--together")
    assert {total["contestant"]: total["boards"] for total in scored["totals"]} == {"1": 2, "2": 2, "11": 2, "12": 2}


def test_what_moved_is_one_document_for_programs(evening: Path) -> None:
    rulings = 'format = 1\n[default]\nregulations = "wbf"\n[[ruling]]\nid = "1"\nboard = "1"\nns = "1"\newx = "11"\n'
    (evening / "r.toml").write_text(rulings.replace("ewx", "ew") + 'table = "4S N ="\nscore = "4S N -1"\n')
    told = document("rescore", "first.pbn", "second.pbn", "--together", "--rulings", "r.toml")
    [event] = told["events"]
    assert event["written"] == ["first.rescored.pbn", "second.rescored.pbn"]
    first = next(row for row in event["moved"]["standings"] if row["contestant"] == "1")
    assert (first["before"]["total"], first["after"]["total"]) == ("3", "2")
    assert event["moved"]["results"][0]["board"] == "1"


FILES = st.lists(
    st.sampled_from([b"", b"a", b"a\n", b"a\r\nb", b"\xef\xbb\xbfc\r", b"\n\n", b"d\re"]),
    min_size=1,
    max_size=4,
    unique=True,
)


@given(FILES)
def test_every_place_of_all_together_is_the_same_place_of_its_file(contents: list[bytes]) -> None:
    whole = together([(str(number), data) for number, data in enumerate(contents)])
    for part, data in zip(whole.parts, contents, strict=True):
        assert whole.data[part.start : part.end] == data[part.cut :]
    edits = [(part.start, part.start, b"x") for part in whole.parts if part.start < part.end]
    new = [pbn.splice(data, own) for data, own in zip(contents, whole.edits(edits), strict=True)]
    assert [len(after) - len(before) for before, after in zip(contents, new, strict=True)] == [
        int(part.start < part.end) for part in whole.parts
    ]
    for part in whole.parts:
        place = whole.placed(Problem("note", "x", "x", line=part.line), ())
        assert place.line == 1 or part.start == part.end


def test_after_a_file_that_ends_in_a_lone_cr_lines_are_told_as_they_are(evening: Path) -> None:
    (evening / "first.pbn").write_bytes(session(1, 10, 9).replace(b"\n", b"\r"))
    wrong = session(3, 10, 9).replace(b" 2 12 4S   N  9   0.0   0.0\n", b" 2 12 4S\n")
    (evening / "third.pbn").write_bytes(wrong)
    assert "third.pbn:7: error: 10 cells" in call("score", "first.pbn", "third.pbn", "--together").err
