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
from test_methods import LAW_12C2, room, row, scored, total

from screenplug import victory
from screenplug.model import Refused
from screenplug.policy import Policy, show

ROOT = Path(__file__).parents[1]
FIGURES: dict[str, Any] = json.loads((ROOT / "fixtures/scoring/victory.json").read_text(encoding="utf-8"))
DOCUMENTS = (ROOT / "hooks/screenplug_hooks/scales").glob("*.toml")
SCALES = {**victory.COMPUTED, **{path.stem: victory.read_scale(path.name, path.read_bytes()) for path in DOCUMENTS}}


@pytest.mark.parametrize("boards", FIGURES["continuous"])
def test_the_continuous_scale_is_the_computed_one_with_its_correction(boards: str) -> None:
    assert [Decimal(each) for each in FIGURES["continuous"][boards]] == [
        Decimal(vp.numerator) / vp.denominator for vp in victory.wbf(int(boards)).vp
    ]


@pytest.mark.parametrize("boards", FIGURES["corrected"])
def test_the_correction_raises_the_margins_that_it_should_and_no_other(boards: str) -> None:
    vp = victory.wbf(int(boards)).vp
    raised = [margin for margin, each in enumerate(vp) if each != victory.wbf_formula(int(boards), margin)]
    assert raised == FIGURES["corrected"][boards]


@pytest.mark.parametrize(("boards", "margin", "source"), FIGURES["blitz"])
def test_a_blitz_takes_as_many_imps_as_published(boards: int, margin: int, source: str) -> None:
    assert victory.wbf(boards).of(margin) == 20 > victory.wbf(boards).of(margin - 1), source


@pytest.mark.parametrize("boards", [1, 4, 9, 16, 25, 36, 64])
def test_a_third_of_a_blitz_is_fifteen_where_the_root_is_whole(boards: int) -> None:
    third = 5 * int(boards**0.5)
    assert victory.wbf_formula(boards, third) == 15 == 20 - victory.wbf(boards).of(-third)
    assert victory.wbf_formula(boards, 3 * third) == 20 > victory.wbf(boards).of(3 * third - 1)


@pytest.mark.parametrize(("boards", "margin", "vp", "source"), FIGURES["results"])
def test_published_results_are_met(boards: int, margin: int, vp: str, source: str) -> None:
    assert victory.wbf(boards).of(margin) == Fraction(vp), source


@pytest.mark.parametrize("boards", FIGURES["discrete"])
def test_the_discrete_scale_has_the_published_bands(boards: str) -> None:
    assert [int(limit) for limit in victory.wbf_discrete(int(boards)).upto] == FIGURES["discrete"][boards]


@pytest.mark.parametrize(("name", "boards", "rows", "source"), FIGURES["documents"])
def test_a_printed_table_is_read_as_printed(name: str, boards: int, rows: list[list[str]], source: str) -> None:
    found = [SCALES[name].vp(boards, Fraction(merit)) for merit, _ in rows]
    assert found == [Fraction(vp) for _, vp in rows], source


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


@pytest.mark.parametrize("margin", ["13.5", "13.01", "0.5", "59.5", "-13.5"])
def test_a_margin_that_is_not_whole_is_between_its_neighbours_by_the_formula(margin: str) -> None:
    scale, exact = SCALES["wbf"], Fraction(margin)
    low, high = (scale.vp(16, limit) for limit in (exact.__floor__(), exact.__ceil__()))
    assert low <= scale.vp(16, exact, "formula") <= high
    assert scale.vp(16, exact, "formula") + scale.vp(16, -exact, "formula") == 20


def test_a_policy_chooses_what_becomes_of_a_margin_that_is_not_whole() -> None:
    # 16 boards: 13 IMPs are 13.52, 14 are 13.75; 10 + 10 (1 - R^(13.5/60)) / (1 - R) is 13.6304...
    assert [SCALES["wbf"].vp(16, Fraction("13.5"), each) for each in ("whole", "formula")] == [
        Fraction("13.75"), Fraction("13.63")
    ]  # fmt: skip
    # just above 38 the formula alone is below 17.85, which the correction gives to 38
    assert victory.wbf_formula(16, Fraction("38.01")) == Fraction("17.84")
    assert SCALES["wbf"].vp(16, Fraction("38.01"), "formula") == Fraction("17.85")
    assert SCALES["wbf-discrete"].vp(16, Fraction("12.5"), "formula") == SCALES["wbf-discrete"].vp(16, 13)


@given(st.integers(1, 64), st.integers(0, 400), st.integers(1, 12))
def test_by_the_formula_more_imps_are_never_worth_less(boards: int, twelfths: int, more: int) -> None:
    less, further = (SCALES["wbf"].vp(boards, Fraction(each, 12), "formula") for each in (twelfths, twelfths + more))
    assert less <= further


# ------------------------------------------------------------------------------------------- instead of a whole result


def test_a_board_qualified_with_counts_half_of_one_of_the_final() -> None:
    # 60% of 24 boards with a top of 20; a top of the final is 10: 14.4 tops, by half 7.2 of them
    assert victory.carried_forward(288, 24, 480, 24, 240) == 72
    # the whole of the qualifier is worth half as many boards of the final, however long that is
    assert victory.carried_forward(480, 24, 480, 12, 120) == 24 * 10 / 2
    assert victory.carried_forward(0, 24, 480, 24, 240) == 0


@pytest.mark.parametrize(("name", "boards", "played", "own", "award", "vp", "source"), FIGURES["unplayed"])
def test_a_match_not_played_to_the_end_is_worth_what_the_book_says(
    name: str, boards: int, played: int, own: str, award: str, vp: str, source: str
) -> None:
    found = victory.unplayed(SCALES[name], boards, played, Fraction(own), award, LAW_12C2)
    assert SCALES[name].vp(boards, found.merit) == Fraction(vp), source


def test_a_void_match_forgets_what_was_played_and_half_a_match_is_enough() -> None:
    void = victory.unplayed(SCALES["wbf"], 7, 3, 30, "A-", LAW_12C2)
    assert (void.void, void.awarded, void.merit) == (True, 4, -12)
    enough = victory.unplayed(SCALES["wbf"], 8, 4, 30, "A-", LAW_12C2)
    assert (enough.void, enough.awarded, enough.merit) == (False, 4, 18)


def test_average_plus_at_swiss_pairs_follows_the_percentage_in_the_match() -> None:
    scale = SCALES["ebu-swiss-pairs"]
    merits = [victory.unplayed(scale, 8, 6, own, "A+", LAW_12C2).merit for own in (70, 40)]
    assert merits == [70, 45]


@pytest.mark.parametrize(("why", "pool", "vp"), FIGURES["instead"])
def test_a_share_of_all_victory_points_stands_for_a_result(why: str, pool: int, vp: str) -> None:
    percent, source = victory.INSTEAD[why]
    assert Fraction(percent * pool, 100) == Fraction(vp)
    assert "White Book" in source


@pytest.mark.parametrize(("won", "pool", "opponent", "own_fault", "vp"), FIGURES["mismatched"])
def test_a_match_against_the_wrong_opponent_is_evened_out(
    won: str, pool: int, opponent: str, own_fault: bool, vp: str
) -> None:
    assert victory.mismatched(Fraction(won), pool, opponent, own_fault) == Fraction(vp)


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
        (SCALE + TABLE.replace("[5, 6, 10]", "[5, 6, 6]"), "vp does not rise"),
        (SCALE + TABLE + "lost = [5, 4]\n", "vp does not rise"),
        (SCALE + TABLE + "lost = [4, 3, 0]\n", "from the same number"),
        (SCALE + TABLE + "lost = [5, 4, 6]\n", "lost does not fall"),
        (SCALE + TABLE.replace("[5, 6, 10]", "[5, 10, 10]") + "lost = [5, 0, 0]\n", "vp does not rise"),
        (SCALE + TABLE + "lost = 5\n", "lists of numbers"),
        (SCALE + TABLE + "blitz = [9]\n", "perhaps lost"),
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


def test_the_loser_of_a_blitz_goes_on_losing_where_a_club_has_it_so() -> None:
    table = "[[table]]\nboards = [8, 8]\nupto = [2, 20, 30, 40]\nvp = [15, 20, 25, 25, 25]\nlost = [15, 10, 5, 4, 3]\n"
    scale = victory.read_scale("club.toml", (SCALE + table).encode())
    assert [scale.vp(8, margin) for margin in (2, -2, 3, -3, 30, -30, 31, -31, 90, -90)] == [
        15, 15, 20, 10, 25, 5, 25, 4, 25, 3
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- an event


def test_an_average_plus_of_a_team_is_three_imps_of_its_margin() -> None:
    case = FIGURES["teams average"]
    assert case["margin"] == 23
    ahead = [room("Open", 1390, board=1), room("Closed", -2110, board=1)]  # 3500 points are 23 IMPs
    event = scored([*ahead, room("Open", 50, "A+ / A-", board=2), room("Closed", 50, board=2)], "IMP")
    assert total(event, "Ash").total == int(case["total"])
    assert total(event, "Birch").total == -int(case["total"])


@pytest.mark.parametrize("awarded", FIGURES["session"]["totals"])
def test_a_session_with_some_averages_comes_to_the_published_percentage(awarded: str) -> None:
    session = FIGURES["session"]
    played = session["boards"] - int(awarded)
    boards = [f"{session['others']}% / 46%"] * played + ["A+ / A-"] * int(awarded)
    entries = [row("1-2", None, ruled, number) for number, ruled in enumerate(boards, 1)]
    entries += [row("3-4", 100 * (number % 3), None, number) for number in range(1, session["boards"] + 1)]
    percent = total(scored(entries, "MP"), "1").percent
    assert percent is not None and show(percent, Policy(places=1), 50) == session["totals"][awarded]


@pytest.mark.parametrize(("others", "award", "percent"), FIGURES["own average"])
def test_an_own_average_beyond_the_award_takes_its_place(others: str, award: str, percent: str) -> None:
    assert LAW_12C2.percent({"plus": "A+", "minus": "A-"}[award], Fraction(others)) == Fraction(percent)


def game(board: int, name: str, score: int) -> str:
    return (
        f'[Event "League"]\n[Board "{board}"]\n[Vulnerable "None"]\n[Scoring "IMP"]\n[HomeTeam "Ash"]\n'
        f'[VisitTeam "Birch"]\n[Room "{name}"]\n[Score "NS {score}"]\n\n'
    )


def test_a_match_is_shown_in_the_victory_points_that_the_rulings_file_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    games = "".join(game(board, name, score) for board in (1, 2) for name, score in (("Open", 420), ("Closed", -50)))
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
