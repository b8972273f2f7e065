"""Victory points: published tables, the laws of a scale, and an event with matches."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from commands import call
from hypothesis import given
from hypothesis import strategies as st

from screenplug import victory
from screenplug.model import Refused

ROOT = Path(__file__).parents[1]
FIGURES: dict[str, Any] = json.loads((ROOT / "fixtures/scoring/victory.json").read_text(encoding="utf-8"))
SCALES = {
    path.stem: victory.read_scale(path.name, path.read_bytes())
    for path in (ROOT / "hooks/screenplug_hooks/scales").glob("*.toml")
}


@pytest.mark.parametrize("boards", FIGURES["continuous"])
def test_the_continuous_scale_is_the_computed_one_with_its_correction(boards: str) -> None:
    assert [Decimal(each) for each in FIGURES["continuous"][boards]] == [
        Decimal(vp.numerator) / vp.denominator for vp in victory.wbf(int(boards)).vp
    ]


@pytest.mark.parametrize(("boards", "margin", "vp", "source"), FIGURES["results"])
def test_published_results_are_met(boards: int, margin: int, vp: str, source: str) -> None:
    assert victory.wbf(boards).of(margin) == Fraction(vp), source


@pytest.mark.parametrize("boards", FIGURES["discrete"])
def test_the_discrete_scale_has_the_published_bands(boards: str) -> None:
    assert [int(limit) for limit in victory.wbf_discrete(int(boards)).upto] == FIGURES["discrete"][boards]


def test_a_percentage_equal_to_a_limit_takes_the_lower_award() -> None:
    scale = SCALES["ebu-swiss-pairs"]
    assert [scale.vp(8, Fraction(percent) - 50) for percent in ("56.23", "56.24", "43.77", "43.76")] == [14, 15, 6, 5]


@given(st.integers(1, 64), st.integers(0, 200))
def test_each_side_has_the_complement_of_the_other(boards: int, margin: int) -> None:
    for bands in (victory.wbf(boards), victory.wbf_discrete(boards)):
        assert bands.of(margin) + bands.of(-margin) == 20
        assert bands.of(margin + 1) >= bands.of(margin)


@given(st.integers(1, 64))
def test_the_continuous_scale_never_bends_upwards(boards: int) -> None:
    vp = victory.wbf(boards).vp
    steps = [after - before for before, after in pairwise(vp)]
    assert vp[0] == 10 and vp[-1] == 20
    assert all(after <= before for before, after in pairwise(steps)) and min(steps) >= 0


@pytest.mark.parametrize("margin", ["2.5", "-2.5", "2.4", "0.5", "-0.5"])
def test_a_margin_with_a_half_goes_away_from_nothing(margin: str) -> None:
    expected = {"2.5": 3, "-2.5": -3, "2.4": 2, "0.5": 1, "-0.5": -1}
    assert victory.whole_margin(Fraction(margin)) == expected[margin]


def test_a_score_is_carried_forward_by_half_and_by_the_boards() -> None:
    assert victory.carried_forward(Fraction(60), 20, 24, 12, 24) == Fraction(25, 2)


SCALE = 'kind = "scale"\nid = "club"\ntitle = "Club"\nsource = "the club"\nmargin = "imps"\n'
TABLE = "[[table]]\nboards = [4, 8]\nvp = [5, 6, 10]\nupto = [0, 9]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TABLE, "no scale of victory points"),
        (SCALE, "one [[table]] or more"),
        (SCALE.replace("imps", "points") + TABLE, "margin = 'points'"),
        (SCALE + TABLE.replace("[0, 9]", "[9, 0]"), "does not rise"),
        (SCALE + TABLE.replace("[5, 6, 10]", "[5, 6]"), "not one longer"),
        (SCALE + TABLE.replace("[4, 8]", "[8, 4]"), "the first and the last"),
        (SCALE + TABLE.replace("[4, 8]", '["4", 8]'), "lists of numbers"),
        (SCALE + TABLE + TABLE, "two tables are for 4 boards"),
        ("kind =", "no TOML"),
    ],
)
def test_a_scale_that_cannot_be_read_names_the_file_and_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(Refused, match=r"club\.toml") as refused:
        victory.read_scale("club.toml", text.encode())
    assert said in str(refused.value)


# ------------------------------------------------------------------------------------------------------------- an event


def room(board: int, name: str, score: int) -> str:
    return (
        f'[Event "League"]\n[Board "{board}"]\n[Vulnerable "None"]\n[Scoring "IMP"]\n[HomeTeam "Ash"]\n'
        f'[VisitTeam "Birch"]\n[Room "{name}"]\n[Score "NS {score}"]\n\n'
    )


def test_a_match_is_shown_in_the_victory_points_that_the_rulings_file_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    games = "".join(room(board, name, score) for board in (1, 2) for name, score in (("Open", 420), ("Closed", -50)))
    Path("match.pbn").write_text(games)
    Path("club.toml").write_text(SCALE + TABLE.replace("[4, 8]", "[2, 2]"))
    book = 'format = 1\n[contest]\nvp = "{}"\n[[penalty]]\nid = "1"\ncontestant = "Birch"\nkind = "procedural"\n'
    # 20 IMPs are 19.73 on two boards, by the formula done by hand
    for scale, ash, birch in (("wbf", "19.73", "-0.23"), ("club", "10", "-0.5")):
        Path("r.toml").write_text(book.format(scale) + 'amount = "0.5 VP"\n')
        done = call("--document", "club.toml", "score", "match.pbn", "--rulings", "r.toml", "--json")
        vps = {total["contestant"]: total["vp"] for total in json.loads(done.out)["totals"]}
        assert (vps["Ash"], vps["Birch"]) == (ash, birch)
    Path("r.toml").write_text(book.format("wfb") + 'amount = "0.5 VP"\n')
    done = call("score", "match.pbn", "--rulings", "r.toml")
    assert done.code == 1 and "there is no scale of victory points 'wfb'" in done.err
    Path("r.toml").write_text(book.format("acbl-20") + 'amount = "0.5 VP"\n')
    done = call("score", "match.pbn", "--rulings", "r.toml")
    assert done.code == 1 and "a match of 2 boards at IMP" in done.err
