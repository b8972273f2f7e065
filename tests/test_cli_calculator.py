"""The calculator's steps, as a Director would copy them onto an appeal form, and what takes the place of a result."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import call, fine
from hypothesis import given
from hypothesis import strategies as st

from screenplug.model import Outcome
from screenplug.points import contract_points, contract_terms


def lines(*words: str) -> list[str]:
    done = fine(call("calc", *words))
    assert done.err == "" and done.out.isascii()
    return done.out.splitlines()


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        (
            "contract 6NTXX S vul 13",
            ["6 odd tricks in NT: 190", "redoubled: 570", "game, vulnerable: 500", "small slam, vulnerable: 750",
             "for making it: 100", "1 over at 400: 400", "2510"],
        ),
        ("contract 1CX S nv 7", ["1 odd trick in C: 20", "doubled: 20", "part score: 50", "for making it: 50", "140"]),
        (
            "contract 4SXX S nv 5",
            ["the first undertrick, redoubled, not vulnerable: -200", "2 more at 400: -800",
             "2 from the fourth on at 600: -1200", "-2200"],
        ),
        ("contract 4SXX S nv 5 --old-undertricks", ["-200 (Law 77 as before 1987)", "4 more at 400: -1600", "-1800"]),
        ("contract 3D N nv 5", ["4 down at 50, not vulnerable: -200 (Law 77)", "-200"]),
        ("contract pass - nv 0", ["passed out: no points for either side (Law 77)", "0"]),
        ("imps 490 -30", ["490 points, 430 or more and less than 500, is 10 (Law 78B)", "10", "is 1, behind", "-1"]),
        ("imps 4000 0", ["4000 points, 4000 or more, is 24", "24", "0 points, less than 20, is 0", "0"]),
        (
            "vp --scale wbf --boards 16 14",
            ["report on the victory point scales", "(1 - R^(14/X)) / (1 - R) = 13.74", "raised to 13.75", "13.75"],
        ),
        ("vp --scale wbf --boards 16 -3", ["3 IMPs behind", "= 10.91", "9.09"]),
        ("vp --scale wbf --boards 16 60", ["60 IMPs, more than 59 IMPs: 20 to 0", "20"]),
        ("vp --scale wbf --boards 16 2.5", ["2.5 IMPs are 3 whole ones", "EBU White Book 2025, 4.2.6.3", "10.91"]),
        ("vp --scale wbf-discrete --boards 8 7", ["7 IMPs, more than 6 IMPs and 9 IMPs at most: 13 to 7", "13"]),
        (
            "vp --scale ebu-swiss-pairs --boards 8 43.77",
            ["EBU White Book 3.1.7", "6.23% behind", "56.23%, more than 54.74% and 56.23% at most: 14 to 6", "6"],
        ),
        (
            "matchpoints 110x5 50x3 -50x2 -110x2 --weighted 60:110,40:-50",
            ["13 results", "2 x (13 - 1) = 24", "110: 2 x 7.4 lower + 5.6 equal - 1 (Law 78A)", "110 19.4 4.6",
             "Law 12C1(c)", "60% of 19.4 + 40% of 5.4", "adjusted 13.8 10.2"],
        ),
        ("neuberg --expected 11 --scored 10 18", ["11/10 (Neuberg's formula", "(18 + 1) x 11 / 10 - 1 =", "19.9"]),
        (
            "average --policy ebu --session 63.5 plus",
            ["average plus: 60% (Law 12C2, laws-2017)", "63.5%, which is better and takes its place", "63.5"],
        ),
        ("average --session 63.5 minus", ["average minus: 40%", "63.5%, which changes nothing", "40"]),
        ("average --session 30 minus", ["30%, which is worse and takes its place (Law 12C2, laws-2017)", "30"]),
        ("average --laws laws-1997 --session 30 minus", ["(Law 12C1, laws-1997)", "changes nothing", "40"]),
        ("average --imps average", ["average: 0 IMPs", "0"]),
        (
            "butler 450 420x3 -50 -800 --drop 1",
            ["left out: -800, 450", "mean: (-50 + 420 x 3) / 4 = 302.5", "to the nearest ten", "datum 300",
             "a difference of 150 points", "450 4 -4"],
        ),
        ("butler 450 420x3 -50 -800 --policy acbl", ["datum 140"]),
        (
            "ximps 620 170 140x2 -100",
            ["620: 10 + 10 x 2 + 12 (Law 78B; PBN 2.1, 3.4.12, Cross2, by 4 comparisons)", "620 10.5 -10.5",
             "140: -10 - 1 + 0 + 6", "140 -1.25 1.25"],
        ),
        ("ximps 730 -170 100 -420 -400 --cap 17", ["17 at most each", "730 14 -14", "-400 -7.75 7.75"]),
        ("redress -- -13 5 -2", ["-6", "-5"]),
        (
            "unplayed --scale wbf-discrete --boards 8 --played 4 minus 6",
            ["4 of 8 boards not played (EBU White Book 2025, 3.3.7, 3.3.8)",
             "A- on 4 (Law 12C2, laws-2017): 6 - 3 x 4 = -6 IMPs", "12 to 8", "8"],
        ),
        (
            "unplayed --scale ebu-swiss-pairs --boards 8 --played 3 plus 70",
            ["less than half: void (EBU White Book 2025, 3.3.9)", "(50 x 4 + 60 x 4) / 8 = 55%", "14"],
        ),
        ("void --pool 12 wrong-seats", ["40% of 12 (EBU White Book 2025, 3.3.6.1", "4.8"]),
        ("mismatch 12 stronger", ["5 + 3/4 x 12 (EBU White Book 2025, 3.5.2)", "14"]),
        ("mismatch 13 weaker --own-fault", ["13 - (13 - 5) / 4 (EBU White Book 2025, 3.5.2)", "11"]),
        ("mismatch 3 weaker --own-fault", ["the result stands", "3"]),
        (
            "carry 288 --boards 24 --most 480 --final-boards 24 --final-most 240",
            ["half of 288, x 24/480, x 240/24 (EBU White Book 2025, 3.8)", "72"],
        ),
    ],
)  # fmt: skip
def test_the_steps_stand_before_the_answer_and_say_what_they_rest_on(words: str, steps: list[str]) -> None:
    command, *rest = words.split()
    shown = lines(command, "--explain", *rest)
    place = 0
    for step in steps:
        place = next((n for n, line in enumerate(shown) if n >= place and step in line), len(shown))
        assert place < len(shown), f"{step!r} is not among {shown}"
    answers = lines(command, *rest)
    assert [line for line in shown if line in answers] == answers and shown[-1] == answers[-1]


@given(
    st.integers(1, 7), st.sampled_from(["C", "D", "H", "S", "NT"]), st.integers(0, 2), st.integers(0, 13),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_the_terms_of_a_contract_add_up_to_its_points(
    level: int, strain: str, doubled: int, tricks: int, vulnerable: bool, old: bool
) -> None:
    outcome = Outcome(level, strain, doubled, "S", tricks)
    terms = contract_terms(outcome, vulnerable, old)
    assert sum(points for _, points in terms) == contract_points(outcome, vulnerable, old)
    assert all(points for _, points in terms)


@given(st.lists(st.sampled_from([620, 170, 140, 0, -50, -100]), min_size=2, max_size=9))
def test_what_is_left_out_of_the_sum_of_a_datum_is_what_its_steps_say(scores: list[int]) -> None:
    shown = lines("butler", "--explain", "--drop", "0", *map(str, scores))
    (mean,) = (re.fullmatch(r"mean: \((.*)\) / (\d+) = (.*)", line) for line in shown if line.startswith("mean"))
    assert mean is not None
    terms = mean[1].replace("- ", "-").replace("+ ", "").replace(" x ", "x").split()
    named = [int(score) for term in terms for score in [term.split("x")[0]] * int((term + "x1").split("x")[1])]
    assert sorted(named) == sorted(scores) and int(mean[2]) == len(scores)


def test_the_whole_scale_has_what_is_left_to_the_other_side() -> None:
    assert lines("vp", "--scale", "wbf", "--boards", "4", "--table")[:3] == ["0 10 10", "1 10.61 9.39", "2 11.2 8.8"]
    assert lines("vp", "--scale", "ebu-swiss-pairs", "--boards", "8", "--table")[-2:] == ["68.35 19 1", "more 20 0"]


CLUB_SCALE = """kind = "scale"
id = "club"
title = "Club, 25 victory points"
source = "the club"
margin = "imps"
[[table]]
boards = [8, 8]
upto = [2, 20, 30]
vp = [15, 20, 25, 25]
lost = [15, 10, 5, 4]
"""
CLUB_POLICY = """kind = "policy"
id = "club"
[[value]]
id = "vp-fractions"
is = "formula"
cites = "the club, 1"
checked = "text"
"""


def test_a_club_has_its_own_scale_and_its_own_rule_for_fractions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scale.toml").write_text(CLUB_SCALE)
    Path("policy.toml").write_text(CLUB_POLICY)
    documents = ("--document", "scale.toml", "--document", "policy.toml", "calc", "vp")
    done = fine(call(*documents, "--scale", "club", "--boards", "8", "31", "-31", "2.5", "--policy", "club"))
    assert done.out.split() == ["25", "4", "20"]
    assert fine(call(*documents, "--scale", "club", "--boards", "8", "--table")).out.splitlines() == [
        "2 15 15", "20 20 10", "30 25 5", "more 25 4"
    ]  # fmt: skip
    words = ("--scale", "wbf", "--boards", "16", "--policy", "club", "--explain", "13.5")
    shown = fine(call(*documents, *words)).out.splitlines()
    assert shown[1] == "13.5 IMPs are not whole: by the formula (policy club: the club, 1)"
    assert shown[-1] == "13.63"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("vp --scale wbf --boards 16 --policy uefa 3", "there is no scoring policy 'uefa'"),
        ("unplayed --scale wbf --boards 8 --played 9 plus", "9 boards played of 8 cannot be"),
        ("unplayed --scale acbl-20 --boards 20 --played 19 plus 3", "no table for 20 boards"),
        ("unplayed --scale wbf --boards 8 --played 4 better", "'better' is not one of"),
        ("unplayed --scale wbf --boards 8 --played 4 plus --bad", "No such option: --bad"),
        ("void wrong-seats --bad", "--bad"),
        ("void --pool many wrong-seats", "'many' is not a number of victory points"),
        ("unplayed --scale wbf --boards 8 --played 4 plus", "give MARGIN, the side's own on the 4 boards played"),
        ("ximps --cap -1 420 -50", "--cap -1: 1 or more, or 0 for none"),
        ("carry 500 --boards 24 --most 480 --final-boards 24 --final-most 240", "500 matchpoints of 480 cannot be"),
        ("mismatch 23 weaker", "23 victory points of 20 cannot be"),
        ("mismatch -1 weaker", "-1 victory points cannot be"),
        ("mismatch --bad weaker", "No such option: --bad"),
        ("carry 1 --boards 0 --most 1 --final-boards 1 --final-most 1", "are more than 0"),
        ("carry --bad --boards 1 --most 1 --final-boards 1 --final-most 1", "No such option: --bad"),
    ],
)
def test_the_calculator_says_what_cannot_be(words: str, said: str) -> None:
    done = call("calc", *words.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("neuberg --expected 11 --scored 10 18 19", "the top of 10 results is 18"),
        ("neuberg --expected 11 --scored 10 18 -1", "-1 matchpoints cannot be"),
        ("average plus --session 120", "no percentage"),
        ("vp --scale ebu-swiss-pairs --boards 8 50 101", "no percentage"),
        ("vp --scale wbf --boards 16 14 much", "is not a margin in IMPs"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_answered(words: str, said: str) -> None:
    done = call("calc", *words.split())
    assert (done.code, done.out) == (2, "") and said in done.err
