"""The scoring methods: published figures, and the laws that hold for whatever results and rulings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenplug.comparison import Line, Standing, by_board, by_butler, by_cross_imps, by_matchpoints, datum_of
from screenplug.model import TABLE, Award, Carry, Fouled, Game, Penalty, Result, Score
from screenplug.policy import NEUTRAL, Averages, Policy, read_policy
from screenplug.scoring import Entry, Event, score_event
from screenplug.totals import Contest, Total
from screenplug_hooks.methods import screenplug_methods

ROOT = Path(__file__).parents[1]
FIGURES: dict[str, Any] = json.loads((ROOT / "fixtures/scoring/methods.json").read_text(encoding="utf-8"))
LAW_12C2 = Averages(Fraction(60), Fraction(50), Fraction(40), Fraction(3), Fraction(-3), True, True, vary=True)
METHODS = {method.name: method for method in screenplug_methods()}


def policy(name: str) -> Policy:
    path = ROOT / "hooks/screenplug_hooks/policies" / f"{name}.toml"
    return read_policy(path.name, path.read_bytes())


def standing(*points: int) -> Standing:
    return Standing(tuple((Fraction(1, len(points)), each) for each in points))


def lines(scores: Sequence[int]) -> list[Line]:
    found = []
    for score in scores:
        side = standing(score)
        found.append(Line(Entry(result(1, score), TABLE), side, side))
    return found


def result(game: int, points: int | None, row: int | None = 1, board: str = "1", **keys: str) -> Result:
    return Result(game, row, board, keys, None, points, vulnerable="None")


def row(pairs: str, points: int | None, score: str | dict[str, str] | None = None, game: int = 1, **keys: str) -> Entry:
    """A row of the ScoreTable of a game, ``pairs`` as 1-9, on the board of the game's number."""
    ns, ew = pairs.split("-")
    where = result(game, points, int(ns) if ns.isdigit() else 1, str(game), ns=ns, ew=ew, **keys)
    return Entry(where, Score.parse(score) if score else TABLE, LAW_12C2)


def room(
    name: str, points: int | None, score: str | dict[str, str] | None = None, board: int = 1, match: str = "Ash-Birch"
) -> Entry:
    """One room of Ash against Birch, or of another match."""
    game = 2 * board - (name == "Open") + 100 * (match != "Ash-Birch")
    where = result(game, points, None, str(board), room=name, match=match)
    return Entry(where, Score.parse(score) if score else TABLE, LAW_12C2)


def scored(
    entries: Sequence[Entry],
    scoring: str,
    by: Policy = NEUTRAL,
    contest: Contest = Contest(),  # noqa: B008
    **tags: str,
) -> Event:
    games = []
    for number in sorted({entry.result.game for entry in entries}):
        match = next(entry.result.keys.get("match", "") for entry in entries if entry.result.game == number)
        home, _, visit = match.partition("-")
        teams = {"HomeTeam": home, "VisitTeam": visit} if match else {}
        games.append(Game(number, 0, 0, 0, (), {"Scoring": scoring, **teams, **tags}))
    return score_event(entries, games, METHODS.values(), by, contest)


def values(event: Event) -> list[tuple[Any, Any]]:
    return [(each.ns.value, each.ew.value) for each in event.scored]


def total(event: Event, label: str, match: str | None = None) -> Total:
    [found] = [t for t in event.totals if t.contestant.label == label and match in (None, t.contestant.match)]
    return found


def codes(event: Event) -> set[str]:
    return {problem.code for problem in event.problems}


# ------------------------------------------------------------------------------------------------- published figures


@pytest.mark.parametrize("case", FIGURES["butler"], ids=lambda case: case["source"][:20])
def test_butler_scores_against_the_datum_of_what_the_policy_leaves(case: dict[str, Any]) -> None:
    drop = Policy(butler_drop=((2 * case["drop"] + 1, case["drop"]),))
    table = {score: case["scores"].count(score) for score in case["scores"]}
    assert datum_of(table, drop) == case["datum"]
    earned = by_butler(lines(case["scores"]), len(case["scores"]), drop)
    assert [ns.value for ns, _ in earned] == case["imps"]
    assert [ew.value for _, ew in earned] == [-imps for imps in case["imps"]]


@pytest.mark.parametrize("case", FIGURES["cross"], ids=lambda case: case["source"][:20])
def test_cross_imps_are_the_mean_of_the_comparisons(case: dict[str, Any]) -> None:
    by = Policy(cross_cap=case["cap"])
    earned = by_cross_imps(lines(case["scores"]), len(case["scores"]), by, "comparison")
    assert [ns.value for ns, _ in earned] == [Fraction(imps) for imps in case["imps"]]


@pytest.mark.parametrize("case", FIGURES["add one"], ids=lambda case: case["source"][:20])
def test_the_old_rule_adds_a_matchpoint_for_each_missing_result(case: dict[str, Any]) -> None:
    for group, expected in zip(case["groups"], case["mp"], strict=True):
        earned = by_matchpoints(lines(group), case["expected"], Policy(missing="add-one"))
        assert [ns.value for ns, _ in earned] == expected


def test_a_split_score_by_half_weights_is_as_its_author_has_it() -> None:
    case = FIGURES["half weights"]
    split = Line(Entry(result(1, None), TABLE), standing(case["ns"]), standing(case["ew"]))
    earned = by_matchpoints([*lines(case["scores"]), split], len(case["scores"]) + 1, Policy(split="half-weights"))
    assert [ns.value for ns, _ in earned[:-1]] == [Fraction(mp) for mp in case["mp_ns"]]
    assert [side.value for side in earned[-1]] == [Fraction(mp) for mp in case["split"]]


@pytest.mark.parametrize("case", FIGURES["patton"], ids=lambda case: case["points"])
def test_patton_shares_a_point_a_board_by_the_distance_of_the_plus_scores(case: dict[str, Any]) -> None:
    match = METHODS["Patton"].match
    assert match is not None
    assert match([(standing(ns), standing(ew)) for ns, ew in case["boards"]]).value == Fraction(case["points"])


def test_a_board_a_match_is_won_by_ten_points_and_at_patton_tied() -> None:
    assert [p.value for p in by_board(lines([120, 110]), 2, NEUTRAL)[0]] == [2, 0]
    assert [p.value for p in by_board(lines([120, 110]), 2, NEUTRAL, tie=10)[0]] == [1, 1]
    won = scored(
        [room("Open", 420), room("Closed", 400), room("Open", 50, board=2), room("Closed", 50, board=2)], "BAM"
    )
    assert (total(won, "Ash").total, total(won, "Ash").percent) == (3, 75)


def test_the_acbl_rounds_the_datum_to_the_even_ten_and_leaves_out_a_twentieth() -> None:
    acbl = policy("acbl")
    assert [acbl.round_datum(Fraction(datum)) for datum in (425, 435, -425, 424)] == [420, 440, -420, 420]
    assert [acbl.butler_dropped(count) for count in (9, 10, 20, 30)] == [0, 1, 1, 2]
    assert [NEUTRAL.round_datum(Fraction(datum)) for datum in (425, -425, 424)] == [430, -430, 420]


def test_the_median_and_the_mean_are_datums_of_their_own() -> None:
    table = {620: 1, 170: 1, 140: 2, -100: 1}
    assert datum_of(table, NEUTRAL, "median") == 140
    assert datum_of(table, NEUTRAL, "mean") == 190  # 970 / 5 = 194
    assert datum_of(table, NEUTRAL, "without-extremes") == 150
    assert datum_of({620: 1, 170: 1}, Policy(butler_round="none"), "median") == 395


@pytest.mark.parametrize(
    ("scoring", "method"),
    [
        ("MP", "MP"), ("MatchPoints", "MP"), ("MatchPoints;MP1", "MP1"), ("MP;MP2", "MP2"), ("IMP", "IMP"),
        ("IMP;Butler", "Butler"), ("IMP;Butler-2", "Butler-2"), ("IMP;Butler;Mean", "Mean"), ("IMP;Median", "Median"),
        ("IMP;Cross", "Cross"), ("IMP;Cross1", "Cross1"), ("IMP;Cross2", "Cross2"), ("Butler", "Butler"),
        ("BAM", "BAM"), ("Patton", "Patton"), ("Instant", "Instant"), ("IMP;Instant", "Instant-IMP"),
        ("MP;OldMP", "MP"), ("TP", "TP"),
    ],
)  # fmt: skip
def test_the_words_of_the_scoring_tag_choose_the_method(scoring: str, method: str) -> None:
    assert scored([row("1-9", 420)], scoring).scored[0].method == method


@pytest.mark.parametrize("scoring", ["IMP;Bastille", "Ascherman", "Mitchell2", "MP;Facit", "IMP_1961"])
def test_any_other_word_is_named_and_nothing_guessed(scoring: str) -> None:
    event = scored([row("1-9", 420)], scoring)
    assert values(event) == [(None, None)]
    assert scoring in next(problem.text for problem in event.problems if problem.code == "scoring-unserved")


# -------------------------------------------------------------------------------------------------------------- laws

POINTS = st.sampled_from([-1100, -800, -620, -420, -140, -100, -50, 0, 50, 90, 100, 110, 140, 170, 400, 420, 620, 800])
OUTCOMES = ("4S N =", "4S N -1", "4SX N -2", "3NT S +1", "2H E =", "pass")
LINEAR = ("MP", "MP2", "Cross", "Cross1", "Cross2")


def weighted(weights: Sequence[int], outcomes: Sequence[str]) -> str:
    whole = sum(weights)
    return ", ".join(f"{weight}/{whole} {outcome}" for weight, outcome in zip(weights, outcomes, strict=True))


RULINGS = st.tuples(st.lists(st.integers(1, 9), min_size=2, max_size=3), st.permutations(OUTCOMES)).map(
    lambda drawn: (drawn[0], drawn[1][: len(drawn[0])])
)


def mean(weights: Sequence[int], events: Sequence[Event]) -> list[tuple[Any, Any]]:
    whole = sum(weights)
    columns = zip(*(values(event) for event in events), strict=True)
    return [
        tuple(sum(Fraction(w, whole) * sides[side] for w, sides in zip(weights, row, strict=True)) for side in (0, 1))
        for row in columns
    ]  # type: ignore[misc]


@pytest.mark.parametrize("name", LINEAR)
@given(st.lists(POINTS, min_size=1, max_size=6), RULINGS)
def test_a_weighted_result_is_the_mean_of_whole_re_scores_in_a_field(
    name: str, others: list[int], ruling: tuple[list[int], list[str]]
) -> None:
    weights, outcomes = ruling
    scoring = ";".join(METHODS[name].words)

    def event(score: str) -> Event:
        plain = [row(f"{n}-{100 + n}", points) for n, points in enumerate(others, 2)]
        return scored([row("1-101", 0, score), *plain], scoring)

    assert values(event(weighted(weights, outcomes))) == mean(weights, [event(outcome) for outcome in outcomes])


@pytest.mark.parametrize("scoring", ["IMP", "BAM", "Patton"])
@given(POINTS, RULINGS, RULINGS)
def test_a_weighted_result_is_the_mean_of_whole_re_scores_between_two_rooms(
    scoring: str, points: int, open_room: tuple[list[int], list[str]], closed: tuple[list[int], list[str]]
) -> None:
    def ash(first: str, second: str) -> Any:
        rooms = [room("Open", 0, first), room("Closed", 0, second)]
        return total(scored([*rooms, room("Open", points, board=2), room("Closed", 0, board=2)], scoring), "Ash").total

    (weights, outcomes), (others, ends) = open_room, closed
    expected = sum(
        Fraction(w, sum(weights)) * Fraction(v, sum(others)) * ash(outcome, end)
        for w, outcome in zip(weights, outcomes, strict=True)
        for v, end in zip(others, ends, strict=True)
    )
    assert ash(weighted(weights, outcomes), weighted(others, ends)) == expected


@pytest.mark.parametrize("name", ["MP", "Cross", "Cross1", "Cross2", "Butler"])
@given(
    st.lists(st.tuples(POINTS, st.sampled_from([None, "60% / 40%", "not played", "late"])), min_size=2, max_size=7),
    RULINGS,
)
def test_the_two_sides_of_a_balanced_result_balance(
    name: str, tables: list[tuple[int, str | None]], ruling: tuple[list[int], list[str]]
) -> None:
    at_imps = name != "MP"
    tables = [(points, "+3 IMP / -3 IMP" if at_imps and score == "60% / 40%" else score) for points, score in tables]
    entries = [row(f"{n}-{100 + n}", points, score) for n, (points, score) in enumerate(tables, 2)]
    event = scored([row("1-101", 0, weighted(*ruling)), *entries], ";".join(METHODS[name].words))
    for each in event.scored:
        if each.ns.value is not None and each.ew.value is not None:
            assert each.ns.value + each.ew.value == (0 if at_imps else each.ns.top)


@given(st.lists(POINTS, min_size=2, max_size=8))
def test_cross_imps_of_a_field_add_up_to_nothing(scores: list[int]) -> None:
    for per in ("", "result", "comparison"):
        assert sum(ns.value or 0 for ns, _ in by_cross_imps(lines(scores), len(scores), NEUTRAL, per)) == 0


# ------------------------------------------------------------------------------------------ artificial scores at IMPs


def test_an_average_plus_at_total_cross_imps_is_three_for_each_comparison() -> None:
    ruled = row("1-101", None, "A+ / A-")
    field = [row(f"{n}-{100 + n}", points) for n, points in enumerate((420, 420, -50), 2)]
    for scoring, expected in (("IMP;Cross", (9, -9)), ("IMP;Cross2", (3, -3)), ("IMP;Butler", (3, -3))):
        assert values(scored([ruled, *field], scoring))[0] == expected


def test_average_plus_at_imps_follows_a_better_session_where_the_policy_says_so() -> None:
    good = [row("1-101", 620), row("2-102", -800), row("3-103", -800)]
    ruled = row("1-101", None, "A+ / A-", game=2)
    own = scored(good, "IMP;Cross2").scored[0].ns.value
    assert own is not None and own > 3
    field = [*good, ruled, row("2-102", 50, game=2), row("3-103", 50, game=2)]
    event = scored(field, "IMP;Cross2")
    assert values(event)[3] == (own, min(-3, -own))
    flat = scored(field, "IMP;Cross2", Policy(imps_follow_session=False))
    assert values(flat)[3] == (3, -3)


# ---------------------------------------------------------------------------------------------- fouled boards


def test_the_groups_of_a_fouled_board_are_scored_apart_and_brought_up_to_the_board() -> None:
    """Three and five of eight: 88.10, 50 and 11.90 per cent by the formula, 70, 60 and 50 by the ACBL."""
    entries = [row(f"{n}-{100 + n}", points) for n, points in enumerate((620, 170, -100, 420, 400, 50, 0, -50), 1)]
    fouled = Fouled("1", (("1-101", "2-102", "3-103"), tuple(f"{n}-{100 + n}" for n in range(4, 9))))
    event = scored(entries, "MP", contest=Contest(fouled=(fouled,)))
    shown = [event.shown(each.ns, "percent", "mp") for each in event.scored[:3]]
    assert shown == ["88.1", "50", "11.9"]
    acbl = scored(entries, "MP", policy("acbl"), Contest(fouled=(fouled,)))
    assert [each.ns.percent for each in acbl.scored[:3]] == [70, 60, 50]
    assert [each.ns.percent for each in acbl.scored[3:]] == [each.ns.percent for each in event.scored[3:]]


def test_a_result_in_no_group_and_a_group_of_nobody_are_told() -> None:
    entries = [row(f"{n}-{100 + n}", points) for n, points in enumerate((620, 170, -100), 1)]
    event = scored(entries, "MP", contest=Contest(fouled=(Fouled("1", (("1-101", "2-102"), ("7-107",))),)))
    assert {"fouled-incomplete", "fouled-unknown"} <= codes(event)


def test_a_fouled_board_is_the_one_of_its_session() -> None:
    rows = [row(f"{n}-{100 + n}", 100 * n, game=game, session=str(game)) for game in (1, 2) for n in (1, 2, 3)]
    entries = [replace(each, result=replace(each.result, board="1")) for each in rows]

    def divided(**where: str) -> tuple[list[Any], set[str]]:
        fouled = Fouled("1", (("1-101", "2-102"), ("3-103",)), where)
        event = scored(entries, "MP", contest=Contest(fouled=(fouled,)))
        return [each.ns.percent for each in event.scored], codes(event)

    whole, groups = [0, 50, 100], [Fraction(25, 2), Fraction(175, 2), 50]
    assert divided() == ([*whole, *whole], {"fouled-twice"})
    assert divided(session="1") == ([*groups, *whole], set())
    assert divided(session="02") == ([*whole, *groups], set())
    assert divided(session="3") == ([*whole, *whole], {"fouled-unknown"})


def test_a_fouled_board_of_one_section_leaves_the_other_sections_rows_alone() -> None:
    entries = [row(f"{n}-{100 + n}", 100 * n, section=section) for section in "AB" for n in (1, 2)]
    fouled = Fouled("1", (("1-101",), ("2-102",)), {"section": "B"})
    event = scored(entries, "MP", contest=Contest(fouled=(fouled,)))
    assert [each.ns.percent for each in event.scored[:2]] == [Fraction(50, 3), Fraction(250, 3)]
    assert [each.ns.percent for each in event.scored[2:]] == [50, 50]


@pytest.mark.parametrize(("session", "off"), [("1", -1), ("2", Fraction(-1, 5)), ("", None), ("3", None)])
def test_a_percentage_comes_off_what_could_be_won_in_the_session(session: str, off: Any) -> None:
    """Ten per cent of five boards with a top of two, or of the one board of the second session."""
    rows = [row(f"{n}-{10 + n}", 100 * n, game=game, session="2" if game == 6 else "1") for game in range(1, 7)
            for n in (1, 2)]  # fmt: skip
    penalty = Penalty("p", "2", "procedural", Fraction(-10), "percent", direction="NS", session=session)
    event = scored(rows, "MP", contest=Contest((penalty,)))
    assert total(event, "2").total == (None if off is None else 12 + off)
    assert ("penalty-session" in codes(event)) == (off is None)
    whole = scored(rows, "MP", contest=Contest((replace(penalty, scope="event"),)))
    assert total(whole, "2").total == 12 - Fraction(12, 10)


def test_equal_results_of_one_row_count_as_often_as_they_occurred() -> None:
    """420 three times and -50 once: 4 of 6 and 0."""
    rows = [row("?-?", 420), row("?-?", -50)]
    entries = [replace(each, result=replace(each.result, times=n, row=n)) for n, each in ((3, rows[0]), (1, rows[1]))]
    assert [each.ns.value for each in scored(entries, "MP").scored] == [4, 0]


@pytest.mark.parametrize(("scoring", "factor"), [("Cross", 4), ("Cross1", Fraction(4, 5)), ("Cross2", 1)])
def test_averages_follow_the_session_in_every_way_of_cross_imps(scoring: str, factor: Any) -> None:
    """Ten IMPs a comparison on the other board: average plus is ten a comparison as well."""
    rows = [row("1-11", 430), *(row(f"{n}-{10 + n}", 0) for n in range(2, 6))]
    rows += [row("1-11", 0, "A+ / A-", game=2), *(row(f"{n}-{10 + n}", 0, game=2) for n in range(2, 6))]
    event = scored(rows, f"IMP;Cross;{scoring}" if scoring != "Cross" else "IMP;Cross")
    assert [event.scored[n].ns.value for n in (0, 5)] == [10 * factor, 10 * factor]


# --------------------------------------------------------------------------------------- knock-outs, individuals, carry


def test_in_a_knock_out_both_sides_get_the_average_of_margins_that_do_not_balance() -> None:
    """Five for one side and three for the other's opponents: one IMP each way."""
    entries = [room("Open", 420, "+5 IMP / +3 IMP"), room("Closed", 420)]
    league = scored(entries, "IMP")
    assert (total(league, "Ash").total, total(league, "Birch").total) == (5, 3)
    cup = scored(entries, "IMP", contest=Contest(knock_out=True))
    assert (total(cup, "Ash").total, total(cup, "Birch").total) == (1, -1)


KNOCK_OUT = Contest(knock_out=True)


def margins(*entries: Entry, contest: Contest = KNOCK_OUT) -> dict[tuple[str, str], tuple[Any, int | None]]:
    """Total and rank by team and match, empty for all matches together."""
    event = scored(entries, "IMP", contest=contest)
    return {(t.contestant.label, t.contestant.match): (t.total, t.rank) for t in event.totals}


def off(team: str, imps: int, match: str = "", unit: str = "imp") -> Penalty:
    return Penalty("p", team, "procedural", Fraction(-imps), unit, match=match)


@pytest.mark.parametrize(("imps", "ash", "winner"), [(3, 2, "Ash"), (5, 0, None), (7, -2, "Birch")])
def test_in_a_knock_out_a_penalty_comes_off_the_margin_of_the_match_whole(
    imps: int, ash: int, winner: str | None
) -> None:
    """Five IMPs up: a penalty of three leaves two, of five a tie, of seven a defeat by two."""
    rooms = room("Open", 420, "+5 IMP / -5 IMP"), room("Closed", 420)
    found = margins(*rooms, contest=Contest((off("Ash", imps),), knock_out=True))
    assert (found["Ash", "Ash-Birch"][0], found["Birch", "Ash-Birch"][0]) == (ash, -ash)
    first = {team for (team, _), (_, rank) in found.items() if rank == 1}
    assert first == ({winner} if winner else {"Ash", "Birch"})


def test_the_winner_of_a_match_is_who_has_more_after_the_penalties_of_both() -> None:
    """Three up, less a penalty of five: lost by two, although three below is less than two below for either alone."""
    rooms = room("Open", 420, "+3 IMP / -3 IMP"), room("Closed", 420)
    found = margins(*rooms, contest=Contest((off("Ash", 5),)))
    assert (found["Ash", "Ash-Birch"], found["Birch", "Ash-Birch"]) == ((-2, 2), (-3, 1))


def test_in_several_knock_out_matches_the_whole_is_the_sum_of_the_matches_as_they_were_decided() -> None:
    second = "Ash-Cedar"
    rooms = [room("Open", 420, "+5 IMP / +3 IMP"), room("Closed", 420)]
    rooms += [room("Open", 420, "+9 IMP / -9 IMP", match=second), room("Closed", 420, match=second)]
    found = margins(*rooms, contest=Contest((off("Ash", 4, second),), knock_out=True))
    assert [found["Ash", match][0] for match in ("Ash-Birch", second, "")] == [1, 5, 6]
    assert (found["Birch", "Ash-Birch"][0], found["Cedar", second][0]) == (-1, -5)


def test_a_penalty_in_imps_on_a_team_with_several_matches_needs_the_match_where_the_match_decides() -> None:
    second = "Ash-Cedar"
    rooms = [room("Open", 420), room("Closed", 400), room("Open", 420, match=second), room("Closed", 50, match=second)]

    def vps(*penalties: Penalty) -> tuple[Any, ...]:
        event = scored(rooms, "IMP", contest=Contest(penalties, scale=lambda boards, unit, margin: 10 + margin))
        return total(event, "Ash", "").vp, codes(event)

    assert vps() == (30, set())
    assert vps(off("Ash", 2)) == (30, {"penalty-match"})
    assert vps(off("Ash", 2, second)) == (28, set())
    assert vps(off("Ash", 2, second, "vp")) == (28, set())
    assert vps(off("Ash", 2, unit="vp")) == (28, set())
    assert vps(off("Ash", 2, "Ash-Elm")) == (30, {"penalty-contestant"})


def in_round(entry: Entry, **keys: str) -> Entry:
    """The same result in a round or session of its own; boards of one number are other games there."""
    number = entry.result.game + 1000 * int(next(iter(keys.values())))
    return replace(entry, result=replace(entry.result, game=number, keys={**entry.result.keys, **keys}))


def ten_and_margin(boards: int, unit: str, margin: Any) -> Any:
    return 10 + margin


@pytest.mark.parametrize("key", ["round", "session"])
def test_two_matches_of_the_same_teams_have_victory_points_each(key: str) -> None:
    """Five IMPs up and five down: 15 and 5 each, not 10 for a drawn match. In a knock-out it is one match."""
    first = [room("Open", 420, "+5 IMP / -5 IMP"), room("Closed", 420)]
    second = [room("Open", 420, "-4 IMP / +4 IMP"), room("Closed", 420)]
    rooms = [in_round(each, **{key: str(n)}) for n, match in ((1, first), (2, second)) for each in match]
    event = scored(rooms, "IMP", contest=Contest(scale=ten_and_margin))
    assert total(event, "Ash", "").vp == 21 and total(event, "Ash", f"Ash-Birch, {key} 2").vp == 6
    assert margins(*rooms)["Ash", "Ash-Birch"] == (1, 1)


def test_teams_in_rows_have_matches_too() -> None:
    rows = [row("1-2", 420, "+5 IMP / -3 IMP"), row("2-1", 420)]
    cup = scored(rows, "IMP", contest=KNOCK_OUT)
    assert (total(cup, "1").total, total(cup, "2").total) == (4, -4)
    assert total(scored(rows, "IMP", contest=Contest(scale=ten_and_margin)), "2").vp == 7


def test_pairs_have_the_victory_points_of_each_round() -> None:
    """All of the first round and half of the second: 20 and 10, not what 75% of both is worth."""
    rows = [row("1-9", 420, round="1"), row("2-8", 50, round="1")]
    rows += [row("1-8", 50, game=2, round="2"), row("2-9", 50, game=2, round="2")]
    scale = {100: 20, 50: 10, 0: 0}
    event = scored(rows, "MP", contest=Contest(scale=lambda boards, unit, percent: scale.get(percent)))
    assert {t.contestant.label: t.vp for t in event.totals} == {"1": 30, "2": 10, "9": 10, "8": 30}


def test_where_a_match_is_unknown_the_victory_points_of_all_matches_are() -> None:
    second = "Ash-Cedar"
    rooms = [room("Open", 420, "+5 IMP / -5 IMP"), room("Closed", 420), room("Open", 420, match=second)]
    event = scored(rooms, "IMP", contest=Contest(scale=ten_and_margin))
    assert (total(event, "Ash", "").vp, total(event, "Ash", "").rank) == (None, None)
    assert total(event, "Birch").vp == 5 and event.provisional


@pytest.mark.parametrize(("knock_out", "ash"), [(True, (Fraction(1, 2), 1)), (False, (Fraction(1, 2), 1))])
def test_a_carry_over_into_a_match_decides_it(knock_out: bool, ash: Any) -> None:
    """One IMP down and one and a half brought along: won by a half."""
    rooms = room("Open", 420, "-1 IMP / +1 IMP"), room("Closed", 420)
    contest = Contest(knock_out=knock_out, carry=(Carry("Ash", Fraction(3, 2), "imp"),))
    found = margins(*rooms, contest=contest)
    assert found["Ash", "Ash-Birch"] == ash and found["Birch", "Ash-Birch"][1] == 2
    assert not knock_out or found["Birch", "Ash-Birch"][0] == Fraction(-1, 2)


def test_the_match_part_of_a_patton_is_no_board() -> None:
    rooms = [room("Open", 420), room("Closed", 400), room("Open", 50, board=2)]
    assert total(scored(rooms, "BAM;Patton"), "Ash").boards == 1


def test_each_side_has_the_victory_points_of_its_own_margin() -> None:
    def scale(boards: int, unit: str, margin: Any) -> Any:
        return 10 + margin * boards

    entries = [
        room("Open", 420, "+5 IMP / +3 IMP"),
        room("Closed", 420),
        *(room(r, 50, board=2) for r in ("Open", "Closed")),
    ]
    penalty = Penalty("p", "Ash", "procedural", Fraction(-1, 2), "vp")
    carry = Carry("Birch", Fraction(7, 2), "vp")
    event = scored(entries, "IMP", contest=Contest((penalty,), scale=scale, carry=(carry,)))
    assert (total(event, "Ash").vp, total(event, "Birch").vp) == (Fraction(39, 2), Fraction(39, 2))
    assert [t.rank for t in event.totals] == [1, 1]


def test_a_match_with_an_unknown_board_has_no_victory_points_yet() -> None:
    entries = [room("Open", 420), room("Closed", 400), room("Open", 50, "late", board=2), room("Closed", 50, board=2)]
    event = scored(entries, "IMP", contest=Contest(scale=lambda boards, unit, margin: margin))
    assert total(event, "Ash").vp is None and event.provisional


def test_a_carry_over_counts_in_the_total_and_the_rank() -> None:
    entries = [row("1-101", 420), row("2-102", 50)]
    event = scored(entries, "MP", contest=Contest(carry=(Carry("2", Fraction(9), "mp", "NS"),)))
    assert total(event, "2").total == 9 and total(event, "2").rank == 1
    assert "carry-over" in codes(scored(entries, "MP", contest=Contest(carry=(Carry("5", Fraction(9), "mp"),))))


@pytest.mark.parametrize("unit", ["imp", "vp"])
def test_a_carry_over_does_not_make_an_unknown_total_known(unit: str) -> None:
    entries = [room("Open", 420, "late"), room("Closed", 400)]
    contest = Contest(scale=lambda boards, by, margin: 10 + margin, carry=(Carry("Ash", Fraction(9), unit),))
    ash = total(scored(entries, "IMP", contest=contest), "Ash")
    assert (ash.total, ash.vp, ash.rank) == (None, None, None)


def test_two_carry_overs_of_one_contestant_add_up_and_are_no_part_of_the_mean() -> None:
    entries = [row("1-101", 420), row("2-102", 50)]
    event = scored(entries, "MP", contest=Contest(carry=tuple(Carry("1", Fraction(n), "mp", "NS") for n in (9, 4))))
    assert (total(event, "1").total, total(event, "1").mean) == (15, 2)


def test_an_individual_gets_the_points_of_each_partnership() -> None:
    first = Entry(result(1, 420, None, n="oak", s="elm", e="ash", w="fir"), TABLE)
    second = Entry(result(2, 50, None, n="yew", s="bay", e="box", w="asp"), TABLE)
    third = Entry(result(3, 50, None, "2", n="oak", s="ash", e="elm", w="fir"), TABLE)
    fourth = Entry(result(4, 50, None, "2", n="yew", s="box", e="bay", w="asp"), TABLE)
    event = scored([first, second, third, fourth], "MP", Competition="Individuals")
    assert {t.contestant.label: t.total for t in event.totals} == {
        "oak": 3, "elm": 3, "ash": 1, "fir": 1, "yew": 1, "bay": 1, "box": 3, "asp": 3
    }  # fmt: skip
    assert {t.contestant.kind for t in event.totals} == {"player"}


def test_a_percentage_penalty_is_of_the_session_or_of_a_top_by_policy() -> None:
    entries = [row("1-101", 420), row("2-102", 50), row("3-103", -50)]
    penalty = Penalty("p", "1", "procedural", Fraction(-10), "percent")
    assert total(scored(entries, "MP", contest=Contest((penalty,))), "1").total == Fraction(18, 5)
    entries += [row("1-101", 420, game=2), row("2-102", 50, game=2), row("3-103", -50, game=2)]
    of_a_top = scored(entries, "MP", Policy(percent_penalty="top"), Contest((penalty,)))
    assert total(of_a_top, "1").total == 8 - Fraction(2, 5)


def test_total_points_have_no_artificial_scores() -> None:
    event = scored([row("1-101", 420), row("2-102", None, "A+ / A-")], "TP")
    assert values(event) == [(420, -420), (None, None)]
    assert "worth no points" in event.scored[1].ns.why


def test_an_instant_score_is_read_off_the_games_own_table() -> None:
    table = (
        (((400, 10**6), (1, 0)), {"percent_ns": Fraction(80), "percent_ew": Fraction(20)}),
        (((-50, -50), (1, 0)), {"percent_ns": Fraction(10), "percent_ew": Fraction(90)}),
    )
    entries = [
        Entry(result(1, None, 1, ns="1", ew="9"), Score.parse("50% 4S N =, 50% 4S N -1"), LAW_12C2, instant=table),
        Entry(result(1, 100, 2, ns="2", ew="8"), TABLE, LAW_12C2, instant=table),
        Entry(result(1, None, 3, ns="3", ew="7"), Score(Award.parse("A+"), Award.parse("A-")), LAW_12C2, instant=table),
    ]
    event = scored(entries, "Instant")
    assert values(event)[0] == (45, 55)
    assert "gives no percent for 100" in event.scored[1].ns.why
    assert event.scored[2].ns.percent == 60


# ------------------------------------------------------------------------------------------ averages and own errors


def test_the_session_of_the_own_average_is_the_policys() -> None:
    entries = []
    for game, (session, number) in enumerate((("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")), 1):
        keys = {"session": session, "round": number}
        first = (
            row("1-101", None, "A+ / A-", game, **keys)
            if game == 1
            else row("1-101", 420 * (game > 2), None, game, **keys)
        )
        entries += [first, row("2-102", 50, None, game, **keys), row("3-103", 100, None, game, **keys)]
    plus = {
        name: scored(entries, "MP", Policy(average_session=name)).scored[0].ns.percent
        for name in ("session", "stage", "round")
    }
    # no other board in the round; 0% on the other of the session, 100% on the two of the next
    assert plus == {"round": 60, "session": 60, "stage": Fraction(200, 3)}


def test_a_later_board_without_a_result_may_count_less_by_regulation() -> None:
    entries = []
    for game in (1, 2, 3):
        ruled = row("1-101", None, "A+ / A-", game) if game < 3 else row("1-101", 50, None, game)
        entries += [ruled, row("2-102", 50, None, game), row("3-103", 50, None, game)]
    by = Policy(repeated_plus=(2, Fraction(50), Fraction(0)))
    percents = [each.ns.percent for each in scored(entries, "MP", by).scored]
    assert (percents[0], percents[3]) == (60, 50)
    assert scored(entries, "MP").scored[3].ns.percent == 60
    earlier = [replace(entry, averages=replace(LAW_12C2, vary=False)) for entry in entries]  # no edition before 2017
    assert scored(earlier, "MP", by).scored[3].ns.percent == 60


def test_a_later_board_without_a_result_may_count_less_between_two_teams_too() -> None:
    entries = []
    for board in (1, 2, 3):
        entries += [room("Open", 420, "A+ / A-" if board < 3 else None, board), room("Closed", 420, None, board)]
    by = Policy(repeated_plus=(2, Fraction(50), Fraction(0)))
    assert [each.ns.value for each in scored(entries, "IMP", by).scored[::2]] == [3, 0, 0]


def reduced(entries: list[Entry], outcome: str, scoring: str) -> Event:
    side = {"ns": Score.parse(outcome).ns.outcomes[0][1]}
    return scored([replace(entries[0], without_error=side), *entries[1:]], scoring)


def test_a_side_that_damaged_itself_is_left_what_its_own_error_did_not_cost() -> None:
    other = room("Closed", 420)
    at_the_table, rectified = -300, "4S N ="
    event = reduced([room("Open", at_the_table, rectified), other], "3NT N =", "IMP")
    # at the table -300 against 420: -12; rectified 420: 0; without the error 400: -1 (20 points)
    had, due, free = -12, 0, -1
    assert total(event, "Ash").total == due - (free - had)
    assert total(event, "Birch").total == 0
    all_its_own = reduced([room("Open", at_the_table, rectified), other], "4S N =", "IMP")
    assert total(all_its_own, "Ash").total == had


def test_an_own_error_is_weighed_in_matchpoints_as_well() -> None:
    entries = [row("1-101", -50, "4S N ="), row("2-102", 420), row("3-103", 50), row("4-104", 170)]
    event = reduced(entries, "1NT N +1", "MP")  # 120 beats 50 alone: 2; the table 0; rectified 420 ties the best: 5
    assert event.scored[0].ns.value == 5 - (2 - 0)
    assert event.scored[0].ew.value == 1


def test_what_an_own_error_costs_counts_for_the_team_whichever_room_it_was_in() -> None:
    ruled = replace(room("Closed", 400, "3NT N +2"), without_error={"ns": Score.parse("4H N =").ns.outcomes[0][1]})
    event = scored([room("Open", 420), ruled], "IMP")
    (home, visitors), (there, here) = values(event)
    assert (home, visitors) == (here, there) == (-1, 0)  # of the 2 IMPs between +1 and -1 its own error cost one
    assert (total(event, "Ash").total, total(event, "Birch").total) == (home, visitors)


@pytest.mark.parametrize("ruled", ["Open", "Closed"])
@pytest.mark.parametrize("form", ["rooms", "rows"])
def test_averages_of_a_team_follow_its_session_whichever_room_was_ruled_on(ruled: str, form: str) -> None:
    # Ash wins three boards of three; the fourth has an average plus for Ash by the ruling in one of the rooms.
    entries = []
    for board in (1, 2, 3, 4):
        scores: dict[str, Any] = dict.fromkeys(("Open", "Closed"))
        if board == 4:
            scores[ruled] = "A+ / A-" if ruled == "Open" else "A- / A+"
        if form == "rooms":
            entries += [room("Open", 420, scores["Open"], board), room("Closed", -50, scores["Closed"], board)]
        else:
            entries += [row("1-2", 420, scores["Open"], board), row("2-1", -50, scores["Closed"], board)]
    event = scored(entries, "BAM")
    best, worst = ("Ash", "Birch") if form == "rooms" else ("1", "2")
    assert (total(event, best).total, total(event, worst).total) == (8, 0)
    assert values(event)[-2:] == [(2, 0), (0, 2)]


@pytest.mark.parametrize(("unit", "session", "off"), [("top", "1", -1), ("percent", "2", -1), ("top", "2", None)])
def test_a_penalty_is_of_the_boards_of_its_session(unit: str, session: str, off: Any) -> None:
    entries = [row(f"{pair}-{pair + 10}", 50 * pair, None, 1, session="1") for pair in (1, 2, 3)]
    entries += [row(f"{pair}-{pair + 10}", 50 * pair, None, 2, session="2") for pair in (2, 3)]
    who = "1" if off is None else "3"
    penalty = Penalty("1", who, "procedural", Fraction(-25 if unit == "top" else -50), unit, session=session)
    event = scored(entries, "MP", contest=Contest((penalty,)))
    assert (total(event, who).penalty if off else total(event, who).total) == off
    assert codes(event) == (set() if off else {"penalty-session"})


def test_a_carry_over_in_victory_points_needs_a_scale() -> None:
    contest = Contest(carry=(Carry("Ash", Fraction(3), "vp"),))
    assert codes(scored([room("Open", 420), room("Closed", 420)], "IMP", contest=contest)) == {"carry-over"}
