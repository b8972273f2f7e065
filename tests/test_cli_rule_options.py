"""``screenplug rule`` with its answers as options: unattended, superseding, replaying, and texts that mean harm."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, Done, call
from hypothesis import given, settings
from hypothesis import strategies as st

from screenplug import ledger
from screenplug.board import irregular_call
from screenplug.pbn import read

TEMPO = "tempo: slow-side=NE pace=slow seconds=40 attention-by=S attributed-to=partner"
FAULT = "fault: ns=not ew=directly"
AT = ("--at", "2026-10-17T16:02:00+02:00")
BOARD = ("--board", "10", "--ns", "9")


def rule(*options: str, file: str = "session.pbn", book: str = "new.toml", at: tuple[str, ...] = AT) -> Done:
    regulations = () if Path(book).exists() else ("--regulations", "wbf")
    return call("rule", file, "--rulings", book, *at, *regulations, *options, "--yes")


def entries(book: str = "new.toml") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(Path(book).read_text("utf-8"))["ruling"]
    return found


def test_with_options_alone_the_entry_is_the_same_as_with_answers(desk: Path) -> None:
    weights = "60% 4S S -1, 40% 4S S ="
    assert rule(*BOARD, "--ground", TEMPO, "--score", weights).code == 0
    answers = ["10 9-14", "1", "NE", "40", "S", "partner", "", weights, ""]
    words = ("rule", "session.pbn", "--rulings", "asked.toml", *AT, "--regulations", "wbf")
    assert call(*words, stdin="".join(f"{answer}\n" for answer in answers)).code == 0
    assert Path("new.toml").read_bytes() == Path("asked.toml").read_bytes()


def test_an_answer_that_an_option_gives_is_not_asked(desk: Path) -> None:
    options = (
        "--board",
        "10",
        "--fact",
        "slow-side=NE",
        "--fact",
        "seconds=40",
        "--score",
        "4S S -1",
        "--note",
        "a note",
    )
    words = ("rule", "session.pbn", "--rulings", "new.toml", *AT, "--regulations", "wbf", *options)
    done = call(*words, stdin="9-14\na hesitation\nS\npartner\n\n\n")
    assert done.code == 0 and "How many seconds" not in done.out and "Score (Enter" not in done.out
    (entry,) = entries()
    assert (entry["ground"][0]["facts"]["seconds"], entry["score"], entry["note"]) == (40, "4S S -1", "a note")


MISSING = {
    (): "--regulations ID; --board N (or --no-board); --ground DECISION (or --law and --finding, or --later)",
    ("--regulations", "wbf"): "--board N (or --no-board); --ground DECISION (or --law and --finding, or --later)",
    (
        "--regulations",
        "wbf",
        "--board",
        "10",
        "--later",
    ): "--ns and --ew (or another key) for one of: ns 1 ew 16: 2S N +1",
    ("--regulations", "wbf", *BOARD): "--ground DECISION (or --law and --finding, or --later)",
    ("--regulations", "wbf", *BOARD, "--ground", "tempo pace=slow"): "--fact slow-side=NE|SW|unknown",
    ("--regulations", "wbf", *BOARD, "--ground", "tempo: pace=slow slow-side=NE"): "--fact seconds=NUMBER",
}


@pytest.mark.parametrize("options", MISSING, ids=len)
def test_without_a_terminal_it_says_which_options_are_missing(desk: Path, options: tuple[str, ...]) -> None:
    before = sorted(desk.rglob("*"))
    done = call("rule", "session.pbn", *options, "--yes")
    assert done.code == 2 and f"Still needed: {MISSING[options]}" in done.err and done.err.count("\n") == 1
    done = call("rule", "session.pbn", *options)  # nobody answers
    assert done.code == 2 and f"Still needed: {MISSING[options]}" in done.err and "--yes" in done.err
    assert sorted(desk.rglob("*")) == before


WRONG = [
    (("--board", "99", "--later"), "There is no board 99 in session.pbn; there are 1, 2, 3"),
    ((*BOARD, "--ground", "tempi: pace=slow"), "did you mean tempo?"),
    ((*BOARD, "--ground", "tempo: pase=slow"), "tempo has no fact 'pase'; did you mean pace?"),
    ((*BOARD, "--ground", "tempo: slow"), "'slow' in --ground is no fact"),
    ((*BOARD, "--ground", FAULT, "--fact", "tray=passed"), "no ground has a fact tray"),
    ((*BOARD, "--ground", FAULT, "--score", "4S"), "'4S' is no result"),
    ((*BOARD, "--ground", FAULT, "--disputed", "tray"), "no ground has a fact 'tray' that could be disputed"),
    ((*BOARD, "--later", "--said", "N=no break"), "--said belongs to a ground, and the ruling has none"),
    ((*BOARD, "--later", "--reading", "wbf/1=x"), "wbf has no readings 'wbf/1'"),
    ((*BOARD, "--later", "--supersede", "7"), "there is no ruling 7 to supersede"),
    ((*BOARD, "--later", "--score-ns", "4S S ="), "both --score-ns and --score-ew"),
    (("--no-board", "--score", "4S S =", "--later"), "--no-board is for a matter without a board"),
    ((*BOARD, "--later", "--note", "caf\udce9"), "some characters of this could not be read"),
]


@pytest.mark.parametrize(("options", "said"), WRONG, ids=lambda each: each if isinstance(each, str) else "")
def test_an_option_that_cannot_be_is_refused_by_name(desk: Path, options: tuple[str, ...], said: str) -> None:
    done = rule(*options)
    assert done.code == 2 and said in done.err and not Path("new.toml").exists()


def test_several_grounds_and_all_that_belongs_to_them(desk: Path) -> None:
    second = "unauthorized-information: source=tempo alternatives=yes suggested=yes chosen-suggested=yes damaged=yes"
    private = ("--said", "N=no break", "--said", "W=about forty seconds", "--disputed", "seconds", "--poll", "6 asked")
    words = ("--law", "73F", "--finding", "no bridge reason", "--director", "A", "--stage", "review")
    assert rule(*BOARD, "--ground", TEMPO, "--ground", second, *words, *private, "--score", "4S S -1").code == 0
    (entry,) = entries()
    first, inference, finding = entry["ground"]
    assert (first["said"], first["disputed"]) == ({"N": "no break", "W": "about forty seconds"}, ["seconds"])
    assert inference["facts"]["damaged"] == "yes" and finding["laws"] == ["73F"] and finding["poll"] == "6 asked"
    assert (entry["director"], entry["stage"]) == ("A", "review")


def test_a_ground_is_handed_what_the_one_before_it_settled(desk: Path) -> None:
    first = "auction-irregularity: kind=insufficient-bid offender=E tray=passed moved-by=E noticed-on=other-side"
    second = "rectification: replacement=other conventional=no"
    options = ("--ground", f"{first} lho-called=no", "--ground", second)
    words = ("rule", "session.pbn", "--rulings", "new.toml", *AT, "--regulations", "pl-1997", *BOARD)
    assert call(*words, *options, "--score", "table", "--yes").code == 0
    grounds = entries()[0]["ground"]
    assert [ground["decision"] for ground in grounds] == ["auction-irregularity", "rectification"]
    assert (grounds[1]["facts"]["kind"], grounds[1]["facts"]["accepted"]) == ("insufficient-bid", "no")


def test_a_result_that_is_not_there_yet_waits(desk: Path) -> None:
    done = rule("--board", "10", "--ns", "9", "--ew", "13", "--later", "--score", "A / A")
    assert done.code == 0 and "board 10 has no result of ns 9 ew 13 yet" in done.err
    assert "waiting" in call("check", "session.pbn", "--rulings", "new.toml").out


def test_the_same_board_and_pairs_in_two_sections_are_told_apart(desk: Path) -> None:
    table = '[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n1 2 4S S {}\n3 4 4S S 9\n'
    head = '[Event "x"]\n[Board "1"]\n[Section "{}"]\n[Scoring "MP"]\n'
    Path("two.pbn").write_text(head.format("A") + table.format(10) + "\n" + head.format("B") + table.format(11))
    assert "Still needed: --ns and --ew (or another key)" in rule("--board", "1", "--later", file="two.pbn").err
    assert rule("--board", "1", "--ns", "1", "--section", "B", "--later", file="two.pbn").code == 0
    (entry,) = entries()
    assert (entry["section"], entry["ns"], entry["table"]) == ("B", "1", "4S S +1")


def test_a_matter_without_a_board_has_no_score(desk: Path) -> None:
    assert rule("--no-board", "--law", "74A2", "--finding", "a warning").code == 0
    assert entries()[0]["results"] == [] and "score" not in entries()[0]


def test_an_average_for_now_is_provisional(desk: Path) -> None:
    assert rule(*BOARD, "--later", "--score", "A / A").code == 0
    assert rule("--board", "11", "--ns", "1", "--later", "--state", "pending").code == 0
    assert [entry["state"] for entry in entries()] == ["provisional", "pending"]


# ----------------------------------------------------------------------------------------------- superseding, replaying


def test_an_appeal_shows_what_stood_and_keeps_where_and_why_it_was(desk: Path) -> None:
    rule(*BOARD, "--ground", TEMPO, "--score", "4S S -1", "--private", "nobody\x1b[2J\u202e sees this")
    done = rule("--supersede", "1", "--stage", "appeal", "--score", "60% 4S S -1, 40% 4S S =")
    assert done.code == 0 and '  score = "4S S -1"\n' in done.out
    assert "MP NS 15 EW 1 -> MP NS 6 EW 10" in done.out and "MP NS 6 EW 10 -> MP NS 9.6 EW 6.4" in done.out
    assert "\x1b[2J" not in done.out and "\u202e" not in done.out  # shown, not obeyed
    first, second = entries()
    assert second["ground"] == first["ground"] and (second["ns"], second["table"]) == ("9", "4S S =")
    assert (second["supersedes"], second["stage"]) == ("1", "appeal")
    done = rule("--supersede", "1", "--stage", "appeal", "--score", "4S S =")
    assert done.code == 2 and "1 is superseded by 2 already. Supersede 2" in done.err


def test_a_ruling_of_another_director_can_be_superseded(desk: Path) -> None:
    done = rule("--also", "both", "--supersede", "A-3", "--stage", "review", "--score", "table", book="mine.toml")
    assert done.code == 0 and "Ruling A-3 as it stands:" in done.out
    assert entries("mine.toml")[0]["supersedes"] == "A-3"
    done = call("check", "session.pbn", "--rulings", "both", "--rulings", "mine.toml")
    assert "\nA-3 " not in done.out


def test_a_second_score_on_the_same_result_has_to_supersede(desk: Path) -> None:
    rule(*BOARD, "--ground", TEMPO, "--score", "4S S -1")
    done = rule(*BOARD, "--ground", FAULT, "--score", "A+ / A-")
    assert done.code == 2 and "let one supersede the other" in done.err and len(entries()) == 1


def test_a_forbidden_score_needs_its_reason(desk: Path) -> None:
    weights = ("--board", "2", "--ns", "3", "--later", "--regulations", "pzbs", "--score", "70% 3H N =, 30% 3H N +1")
    done = call("rule", "small.pbn", "--rulings", "new.toml", *AT, *weights, "--yes")
    assert done.code == 2 and "laws-1997 allows no weighted score" in done.err and "--override" in done.err
    done = call("rule", "small.pbn", "--rulings", "new.toml", *AT, *weights, "--override", "by the committee", "--yes")
    assert done.code == 0 and entries()[0]["override"] == "by the committee"


def test_an_old_ruling_is_decided_again_and_drift_is_told(desk: Path) -> None:
    rule(*BOARD, "--ground", TEMPO, "--score", "4S S -1")
    before = Path("new.toml").read_bytes()
    done = call("rule", "session.pbn", "--rulings", "new.toml", "--replay", "1")
    assert done.code == 0 and "session.pbn carries no record of it to compare with" in done.out
    call("annotate", "session.pbn", "--rulings", "new.toml")
    done = call("rule", "session.ruled.pbn", "--rulings", "new.toml", "--replay", "1")
    assert done.code == 0 and "As it was decided then." in done.out and done.out.endswith("\nNo drift\n")
    ruled = Path("session.ruled.pbn").read_bytes()
    Path("session.ruled.pbn").write_bytes(ruled.replace(b"inference=possible", b"inference=presumed"))
    done = call("rule", "session.ruled.pbn", "--rulings", "new.toml", "--replay", "1")
    assert done.code == 1 and "CHANGED: inference was presumed, and is possible\n" in done.out
    assert done.out.endswith("\nThe ruling has drifted\n") and Path("new.toml").read_bytes() == before
    done = call("rule", "session.pbn", "--rulings", "new.toml", "--replay", "2")
    assert done.code == 2 and "there is no ruling 2" in done.err


CLUB = """kind = "laws"
id = "our-club"
title = "Our club's screen regulations"
revision = 2026-12-01
source = "Section 4"
extends = "wbf"
[[value]]
id = "tray-delay-seconds"
is = {seconds}
cites = "Club 4.1"
checked = "text"
"""


def test_a_regulation_that_was_changed_lets_a_ruling_drift(desk: Path) -> None:
    Path("club.toml").write_text(CLUB.format(seconds=30))
    document = ("--document", "club.toml")
    options = (*BOARD, "--regulations", "our-club", "--ground", TEMPO, "--yes")
    assert call(*document, "rule", "session.pbn", "--rulings", "new.toml", *options).code == 0
    call(*document, "annotate", "session.pbn", "--rulings", "new.toml")
    Path("club.toml").write_text(CLUB.format(seconds=60))
    done = call(*document, "rule", "session.ruled.pbn", "--rulings", "new.toml", "--replay", "1")
    assert done.code == 1 and "CHANGED: " in done.out


# ------------------------------------------------------------------------------------------------------------ bad input


def test_a_clock_that_went_backwards_is_told_and_the_order_of_the_file_counts(desk: Path) -> None:
    rule("--board", "10", "--ns", "9", "--ground", FAULT, "--score", "A+ / A-")
    done = rule("--board", "11", "--ns", "1", "--later", at=("--at", "2026-10-17T13:59:00+00:00"))
    assert done.code == 0 and done.err == (
        "new.toml: note: the time of this ruling, 2026-10-17T13:59:00+00:00, is before that of 1, "
        "2026-10-17T16:02:00+02:00; look at the clock, or give --at. Entries count in the order of the file\n"
    )
    assert [entry["id"] for entry in entries()] == ["1", "2"]
    assert rule("--board", "12", "--ns", "1", "--later", at=("--at", "2026-10-18")).err == ""


def test_directors_who_add_at_the_same_moment_lose_nothing(desk: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'hooks'}", "SCREENPLUG_PLUGINS": ""}
    Path("new.toml").write_text('format = 1\n[default]\nregulations = "wbf"\n')
    words = [sys.executable, "-m", "screenplug", "rule", "session.pbn", "--rulings", "new.toml", "--later", "--yes"]
    boards = [str(board) for board in range(1, 9)]
    running = [
        subprocess.Popen([*words, "--board", board, "--ns", "1"], env=environment, stdout=subprocess.DEVNULL)
        for board in boards
    ]
    assert [program.wait(60) for program in running] == [0] * len(boards)
    assert sorted(entry["board"] for entry in entries()) == boards
    assert sorted(entry["id"] for entry in entries()) == boards  # an id of its own for each
    assert not [path for path in desk.iterdir() if "lock" in path.name]


def test_what_was_added_meanwhile_and_scores_the_same_result_is_not_overruled(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule("--board", "12", "--ns", "1", "--later")
    before = Path("new.toml").read_bytes()
    theirs = before + b'\n[[ruling]]\nid = "2"\nboard = "10"\nns = "9"\nscore = "4S S -2"\n'
    entry = ledger.entry

    def while_another_director_saves(*given: Any) -> str:
        Path("new.toml").write_bytes(theirs)
        return entry(*given)

    monkeypatch.setattr(ledger, "entry", while_another_director_saves)
    done = rule(*BOARD, "--ground", FAULT, "--score", "A+ / A-")
    assert done.code == 2 and "this cannot stand beside it; nothing was written" in done.err
    assert 'score = "A+ / A-"' in done.out and Path("new.toml").read_bytes() == theirs


def test_a_lock_that_a_crash_left_is_taken_over_and_a_fresh_one_waited_for(desk: Path) -> None:
    lock = Path(".new.toml.lock")
    lock.touch()
    done = rule(*BOARD, "--later")
    assert done.code == 2 and "another screenplug is writing to it; nothing was written" in done.err
    os.utime(lock, (time.time() - 60, time.time() - 60))
    assert rule(*BOARD, "--later").code == 0 and not lock.exists()


HOSTILE = [
    "two\nlines\r\nand\rmore",
    'quotes "double" and \'single\' and """three"""',
    "[brackets] {braces} % per cent\n%screenplug ; comment {",
    "\\ backslash \\n \\u0041 C:\\temp",
    "שלום עולם - مرحبا - \u202e\u2066turned\u2069",
    "Zażółć gęślą jaźń; Ђорђе; Čakovec",
    "\x1b[31m red \x07 \x7f \x85 \u2028",
    "x" * 2000,
    'ю]"{%\n' * 400,
]


def test_hostile_texts_come_back_as_they_were_given(desk: Path) -> None:
    for number, text in enumerate(HOSTILE):
        texts = ("--note", text, "--private", text, "--poll", text, "--said", f"N={text}", "--director", text)
        done = rule(
            "--board", str(number + 1), "--ns", "1", "--law", text, "--finding", text, *texts, "--override", text
        )
        assert done.code == 0, done.err
    read_back = ledger.read([("new.toml", Path("new.toml").read_bytes())])
    assert not read_back.problems
    for text, ruling in zip(HOSTILE, read_back.rulings, strict=True):
        (ground,) = ruling.grounds
        assert {ruling.note, ruling.private, ruling.director, ruling.override, ground.poll, ground.finding} == {text}
        assert (ground.said["N"], ground.laws) == (text, (text,))
    assert call("annotate", "session.pbn", "--rulings", "new.toml", "--detail", "full").code == 0
    assert call("strip", "session.ruled.pbn", "-o", "again.pbn").code == 0
    assert Path("again.pbn").read_bytes() == Path("session.pbn").read_bytes()


# -------------------------------------------------------------------------------------------- irregular calls in a file

AUCTIONS = [
    (b"Pass 1H 1D Pass", ("insufficient-bid", "S", "1D over 1H")),
    (b"1NT ^I 1S Pass", ("insufficient-bid", "E", "1S over 1NT")),
    (b"1H =1= {1C} 2D X 2C", ("insufficient-bid", "W", "2C over 2D")),
    (b"1S ^S X AP", ("call-out-of-rotation", "S", "X out of turn")),
    (b"^S 1S Pass 2S", ("call-out-of-rotation", "E", "1S out of turn")),
    (b"1C 1D 1H 1S 1NT Pass 3NT AP", None),
    (b"", None),
]


@pytest.mark.parametrize(("calls", "found"), AUCTIONS)
def test_the_first_irregular_call_of_an_auction_is_found_with_its_caller(calls: bytes, found: object) -> None:
    tape = read(b'[Board "1"]\n[Auction "N"]\n' + calls + b'\n[Note "1:natural"]\n')
    assert irregular_call(tape, tape.games[0]) == found


@settings(max_examples=200)
@given(st.binary(max_size=80))
def test_no_auction_is_too_odd_to_be_looked_at(calls: bytes) -> None:
    try:
        tape = read(b'[Board "1"]\n[Auction "N"]\n' + calls)
    except Exception:
        return  # what is no PBN at all is refused before
    for game in tape.games:
        irregular_call(tape, game)


OWN_ERROR = ("--ground", "self-inflicted: error=serious related=no", "--score", "4S S -2")


def test_what_a_side_lost_by_its_own_error_is_an_option_and_a_question(desk: Path) -> None:
    assert rule(*BOARD, "--laws", "laws-2007", *OWN_ERROR, "--without-error", "ew=4S S -1").code == 0
    [entry] = entries()
    assert entry["without-error"] == {"ew": "4S S -1"}
    words = ("rule", "session.pbn", "--rulings", "asked.toml", *AT, "--regulations", "wbf", "--laws", "laws-2007")
    answers = ["n=4S S -1", "EW = 4S S -1", ""]
    done = call(*words, *BOARD, *OWN_ERROR[:2], stdin="\n".join(["4S S -2", *answers, ""]) + "\n")
    assert done.code == 0, done.err + done.out
    assert "n is no side" in done.out and entries("asked.toml")[0]["without-error"] == {"ew": "4S S -1"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--without-error", "n=4S S =", "--score", "4S S -2"), "n is no side"),
        (("--without-error", "ns=4S =", "--score", "4S S -2"), "Correct --without-error"),
        (("--without-error", "ns=4S S ="), "reduces a score; give that with --score"),
    ],
)
def test_an_own_error_that_cannot_be_is_refused(desk: Path, options: tuple[str, ...], said: str) -> None:
    done = rule(*BOARD, *OWN_ERROR[:2], *options)
    assert done.code == 2 and said in done.err and not Path("new.toml").exists()


def test_what_is_doubtful_about_a_score_is_told_before_it_is_written(desk: Path) -> None:
    grounds = "unauthorized-information: source=tempo alternatives=yes suggested=yes chosen-suggested=yes damaged=yes"
    done = rule(*BOARD, "--ground", grounds)
    assert done.code == 0 and "by its own grounds the score is adjusted" in done.err
    done = rule(*BOARD, "--ground", grounds, "--score", "A / A", "--supersede", "1", "--stage", "table")
    assert done.code == 0 and "too many to weigh" in done.err
