"""``screenplug rule``: the Director's questions, typed through standard input."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from commands import Done, call, process

from screenplug import ledger

# Board 10, the ninth result (pairs 9-14); what it was; not on to unauthorized information.
TEMPO = ["10 9-14", "hesitation", "tempo", "NE", "slow", "40", "S", "partner", ""]
WEIGHTED = [*TEMPO, "60% 4S S -1, 40% 4S S =", "y"]
IRREGULAR = ("call or tray", "auction-irregularity")
NO_GROUND = "the reason comes later"
AT = ("--at", "2026-10-17T16:02:00+02:00")


def rule(*answers: str, file: str = "session.pbn", book: str = "new.toml", options: tuple[str, ...] = ()) -> Done:
    return call("rule", file, "--rulings", book, *AT, *options, stdin="".join(f"{answer}\n" for answer in answers))


def test_one_whole_ruling_is_written_and_can_be_attached(desk: Path) -> None:
    words = ("rule", "session.pbn", *AT)
    done = process(*words, stdin="\n".join(["wbf", *WEIGHTED, ""]).encode())
    assert done.code == 0 and not done.err
    assert "The tempo may have conveyed information" in done.out and "[WBF screens 10]" in done.out
    assert (
        "board 10, pairs 9-14: MP NS 15 EW 1 -> MP NS 9.6 EW 6.4\n  6 other results on the board change\n" in done.out
    )
    assert done.out.endswith("Ruling 1 is in session.rulings.toml\n")
    assert Path("session.rulings.toml").read_bytes().decode() == (
        """#:schema screenplug-ledger.schema.json
format = 1

[default]
regulations = "wbf"

[[ruling]]
id = "1"
board = "10"
ns = "9"
ew = "14"
table = "4S S ="
score = "60% 4S S -1, 40% 4S S ="
stage = "table"
state = "final"
at = 2026-10-17T16:02:00+02:00

[[ruling.ground]]
decision = "tempo"
facts = { slow-side = "NE", pace = "slow", seconds = 40, attention-by = "S", attributed-to = "partner" }
"""
    )
    done = call("annotate", "session.pbn", "--rulings", "session.rulings.toml")
    assert (done.code, done.out, done.err) == (0, "1 of 1 rulings attached: session.ruled.pbn\n", "")


def test_regulations_are_asked_once_and_kept_as_the_default_of_the_file(desk: Path) -> None:
    first = rule("wbf", *WEIGHTED)
    assert "wbf: WBF and EBL screen regulations" in first.out and "Regulations (1-" in first.out
    second = rule("11", "1", NO_GROUND, "", "y")
    assert second.code == 0 and "Regulations" not in second.out
    assert [entry["id"] for entry in tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"]] == ["1", "2"]


def test_choices_are_taken_by_number_or_by_word_and_bad_ones_asked_again(desk: Path) -> None:
    by_number = ["8", "10", "9", "8", "1", "1", "1", "40", "3", "1", "", "4S S -1", ""]
    done = rule(*by_number)
    assert done.code == 0
    written = Path("new.toml").read_bytes()
    done = rule(
        *[
            "wfb",
            "wbf",
            "99",
            "010",
            "12",
            "9-14",
            "hesitations",
            "hesitation",
            "tempo",
            "NE",
            "slow",
            "forty",
            "-4",
            "40",
        ],
        *["S", "partner", "", "4S S", "2", "yes"],
        book="again.toml",
    )
    assert done.code == 0 and Path("again.toml").read_bytes() == written
    for said in (
        "'wfb' is none of them; did you mean wbf?",
        "There is no board 99 in session.pbn; there are 1, 2, 3",
        "'12' is none of them",
        "'hesitations' is none of them; did you mean hesitation?",
        "Error: write a whole number, such as 40.",
        "'4S S' is no result; write contract, declarer and tricks, as 4SX S -1",
    ):
        assert said in done.out


def test_only_facts_that_can_still_matter_are_asked_and_only_values_that_can_be(desk: Path) -> None:
    answers = ["10", "9", *IRREGULAR, "insufficient-bid", "E", "passed"]
    shown = rule(*answers, options=("--regulations", "pl-1997")).out
    assert shown.index("Offender (1-4)") < shown.index("Tray (1-4)") < shown.index("Moved by (1-2)")
    # East sits with North: nobody else can have moved the tray away from their side.
    asked = shown.partition("Tray (1-4)")[2].partition("Moved by")[0]
    assert [line.split()[1] for line in asked.splitlines() if line.startswith("  ")] == ["N", "E"]
    assert "Moved by" not in rule(*answers[:-1], "not-passed", options=("--regulations", "pl-1997")).out


def test_a_finding_in_words_takes_the_place_of_the_tables(desk: Path) -> None:
    finding = 'West asked "4S?" and\tpaused'
    answers = ["wbf", "17", "2", "other: laws and finding in words", "73F, 16B1", finding, "", "note", "a note", "y"]
    assert rule(*answers).code == 0
    entry = tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"][0]
    assert entry["ground"] == [{"laws": ["73F", "16B1"], "finding": finding}]
    assert (entry["note"], "score" in entry, "private" in entry) == ("a note", False, False)


def test_a_split_score_is_asked_side_by_side(desk: Path) -> None:
    done = rule(
        "2",
        "1",
        NO_GROUND,
        "split",
        "2NT E =",
        "2NT E -1",
        "y",
        file="match.pbn",
        options=("--regulations", "wbf"),
    )
    assert done.code == 0 and "board 2, Open room: IMP NS 0 EW 0 -> IMP NS -5 EW 0" in done.out
    entry = tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"][0]
    assert (entry["board"], entry["room"], entry["score"]) == ("2", "Open", {"ns": "2NT E =", "ew": "2NT E -1"})


def test_a_score_that_is_not_awarded_is_asked_again(desk: Path) -> None:
    done = rule("wbf", "10 9-14", NO_GROUND, "4S S -2", "score", "4S S -1", "y")
    assert done.code == 0 and done.out.count("or write: ") == 2
    assert 'score = "4S S -1"' in Path("new.toml").read_text("utf-8")


# ------------------------------------------------------------------------------------------------------- nothing yet


@pytest.mark.parametrize("answered", range(len(WEIGHTED)))
def test_an_end_of_input_at_any_question_leaves_no_file(desk: Path, answered: int) -> None:
    before = sorted(desk.rglob("*"))
    done = rule(*WEIGHTED[:answered], options=("--regulations", "wbf"))
    assert done.code == 2 and done.err.startswith(
        "Error: session.pbn: the answers came to an end and there is no terminal; nothing was written. Still needed: --"
    )
    assert sorted(desk.rglob("*")) == before


def test_control_c_leaves_no_file(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(ledger, "entry", interrupted)
    before = sorted(desk.rglob("*"))
    assert rule("wbf", *WEIGHTED).code == 1
    assert sorted(desk.rglob("*")) == before


def test_a_no_to_the_last_question_writes_nothing(desk: Path) -> None:
    done = rule("wbf", *WEIGHTED[:-1], "n")
    assert done.code == 0 and done.out.endswith("Nothing was written.\n") and not Path("new.toml").exists()


# ---------------------------------------------------------------------------------------------------- adding to a file

BOOK = """# the evening of A
format = 1
prefix = "A"
[default]
regulations = "wbf"

[[ruling]]
id = "A-7"
results = []
"""


@pytest.mark.parametrize(
    ("before", "line_end"),
    [
        (BOOK.encode(), b"\n"),
        (BOOK.replace("\n", "\r\n").encode(), b"\r\n"),
        (b"\xef\xbb\xbf" + BOOK.encode(), b"\n"),
        (BOOK.rstrip("\n").encode(), b"\n"),
        (BOOK.replace("\n", "\r\n").rstrip("\r\n").encode() + b"  # no line end", b"\r\n"),
    ],
    ids=["lf", "crlf", "bom", "no line end", "crlf, comment at the end"],
)
def test_a_ruling_is_only_added_and_keeps_the_line_ends(desk: Path, before: bytes, line_end: bytes) -> None:
    Path("new.toml").write_bytes(before)
    done = rule(*WEIGHTED[:-1], "note", "Żółw", "private", "private", "y")
    assert done.code == 0, done.err
    after = Path("new.toml").read_bytes()
    assert after.startswith(before)
    added = after[len(before) :]
    assert added.count(b"\n") == added.count(line_end) and (line_end == b"\r\n") == (b"\r" in added)
    entry = tomllib.loads(after.decode("utf-8-sig"))["ruling"][1]
    assert (entry["id"], entry["note"], entry["private"]) == ("A-8", "Żółw", "private")


def test_an_appeal_replaces_the_ruling_that_stands(desk: Path) -> None:
    rule("wbf", *WEIGHTED)
    done = rule("10", "9", "y", "appeal", NO_GROUND, "", "y")
    assert "Ruling 1 stands on this result: 60% 4S S -1, 40% 4S S = (table, final)" in done.out
    assert '  score = "60% 4S S -1, 40% 4S S ="\n' in done.out
    assert "MP NS 9.6 EW 6.4 -> MP NS 15 EW 1" in done.out
    entry = tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"][1]
    assert (entry["supersedes"], entry["stage"], entry["score"]) == ("1", "appeal", "table")
    done = call("check", "session.pbn", "--rulings", "new.toml")
    assert done.code == 0 and "2 board 10, pairs 9-14: applied" in done.out and "\n1 board" not in done.out


def test_a_second_score_beside_one_that_stands_is_not_taken(desk: Path) -> None:
    rule("wbf", *WEIGHTED)
    done = rule("10", "9", "n", NO_GROUND, "4S S -2", "", "y")
    assert done.code == 0 and "error: " in done.err and "ruling 2" in done.err
    assert "score" not in tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"][1]
    assert call("check", "session.pbn", "--rulings", "new.toml").code == 0


def test_an_award_that_the_edition_forbids_needs_a_reason(desk: Path) -> None:
    weights = "70% 3H N =, 30% 3H N +1"
    answers = ["2", "3", NO_GROUND, weights, "", weights, "the committee was there", "y"]
    done = rule(*answers, file="small.pbn", options=("--regulations", "pzbs"))
    assert done.code == 0
    refusals = done.err.splitlines()
    assert len(refusals) == 2 and refusals[0].startswith(
        "error: ruling 1: laws-1997 allows no weighted score at the table"
    )
    entry = tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"][0]
    assert (entry["score"], entry["override"]) == (weights, "the committee was there")
    assert call("annotate", "small.pbn", "--rulings", "new.toml").code == 0


def test_a_standing_choice_of_reading_decides(desk: Path) -> None:
    Path("new.toml").write_text(
        'format = 1\n[default]\nregulations = "pzbs"\n[readings]\n"pzbs/16.7-calls-removed" = "normal-laws"\n'
    )
    facts = ["insufficient-bid", "W", "calls-removed", "S", "nobody", "yes"]
    done = rule("2", "3", *IRREGULAR, *facts, file="small.pbn")
    assert "differ" not in done.out and "Decided:" in done.out
    Path("new.toml").unlink()
    done = rule("2", "3", *IRREGULAR, *facts, file="small.pbn", options=("--regulations", "pzbs"))
    assert "differ" in done.out


# ----------------------------------------------------------------------------------------------------- what goes wrong


def test_a_rulings_file_with_mistakes_gets_nothing_added(desk: Path) -> None:
    Path("new.toml").write_text(BOOK + 'scroe = "table"\n')
    done = rule(*WEIGHTED)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "new.toml:10: error: scroe is no key here; did you mean score? (ruling A-7)",
        "Error: new.toml: the rulings file has mistakes; nothing was added. Mend them first",
    ]


@pytest.mark.parametrize(
    ("book", "said"), [("nowhere/new.toml", "there is no such folder"), ("both", "this is a folder, not a file")]
)
def test_a_place_that_cannot_be_written_to_is_refused_before_the_first_question(
    desk: Path, book: str, said: str
) -> None:
    done = rule(*WEIGHTED, book=book)
    assert (done.code, done.out) == (2, "") and said in done.err and done.err.count("\n") == 1


def test_standard_input_is_for_the_answers(desk: Path) -> None:
    done = call("rule", "-", stdin=Path("small.pbn").read_bytes())
    assert done.code == 2 and "rule asks its questions on standard input; give files by name" in done.err


def test_what_somebody_else_added_meanwhile_is_taken_in(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("new.toml").write_text(BOOK)
    entry = ledger.entry

    def while_another_director_saves(*given: object) -> str:
        Path("new.toml").write_text(BOOK + '[[ruling]]\nid = "A-8"\nresults = []\n')
        return entry(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(ledger, "entry", while_another_director_saves)
    done = rule(*WEIGHTED)
    assert (done.code, done.err) == (
        0,
        "new.toml: note: the rulings file was added to while we asked; this ruling is A-9\n",
    )
    assert [each["id"] for each in tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"]] == [
        "A-7",
        "A-8",
        "A-9",
    ]


def test_a_file_at_whose_end_no_entry_can_stand_is_left_alone(desk: Path) -> None:
    closed = 'format = 1\nruling = [{ id = "1", regulations = "wbf", results = [] }]\n'
    Path("new.toml").write_text(closed)
    done = rule("10", "9", NO_GROUND, "", options=("--regulations", "wbf"))
    assert (
        done.code == 2 and "new.toml: the entry cannot stand at its end: " in done.err and "Add it by hand" in done.err
    )
    assert Path("new.toml").read_text() == closed


def test_boards_without_numbers_cannot_be_ruled_on(desk: Path) -> None:
    Path("odd.pbn").write_text('[Event "x"]\n[Contract "4S"]\n[Declarer "S"]\n[Result "10"]\n')
    done = rule(file="odd.pbn", options=("--regulations", "wbf"))
    assert done.code == 2 and "odd.pbn: no game of this file has a board number" in done.err


def test_the_time_of_a_ruling_may_be_given_short_and_must_be_one(desk: Path) -> None:
    answers = ["1", "1", NO_GROUND, "", "y"]
    rule(*answers, options=("--regulations", "wbf", "--at", "2026-10-17 21:40"))
    assert "at = 2026-10-17T21:40:00\n" in Path("new.toml").read_text("utf-8")
    done = rule(*answers, options=("--at", "after supper"))
    assert (done.code, done.out) == (2, "") and "'after supper' is no time; write it as 2026-11-30T20:15." in done.err


def test_who_did_it_is_asked_even_where_it_decides_nothing_and_what_may_change_the_answer_too(desk: Path) -> None:
    answers = ["10", "9-14", *IRREGULAR, "insufficient-bid", "e", "passed", "no", "yes", "n", ""]
    done = rule("wbf", *answers, "", "y")
    assert done.code == 0 and "Board 10, ns 9 ew 14: 4S S =" in done.out
    (ground,) = tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"][0]["ground"]
    assert (ground["facts"]["offender"], ground["facts"]["inadvertent"]) == ("E", "yes")
    assert "The irregular call has been accepted" in done.out


def test_a_possible_inference_goes_on_to_what_partner_did_with_it(desk: Path) -> None:
    done = rule("wbf", *TEMPO[:-1], "yes", "yes", "yes", "yes", "4S S -1", "y")
    assert done.code == 0
    grounds = tomllib.loads(Path("new.toml").read_text("utf-8"))["ruling"][0]["ground"]
    assert [ground["decision"] for ground in grounds] == ["tempo", "unauthorized-information"]
    assert grounds[1]["facts"]["source"] == "tempo" and "Law 16C" not in done.out
