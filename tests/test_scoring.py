"""Scores as a player, a scorer and a Director would check them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screenplug.comparison import Line, Method, Points
from screenplug.event import standings as standings_lines
from screenplug.model import TABLE, Game, Outcome, Penalty, Refused, Result, Score
from screenplug.points import contract_points, imps, matchpoints, points_ns
from screenplug.policy import NEUTRAL, Averages, Policy, neuberg, read_policy, show
from screenplug.scoring import Entry, Event, score_event
from screenplug.totals import Contest, Total
from screenplug_hooks.methods import screenplug_methods

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures" / "scoring"
POLICIES = ROOT / "hooks" / "screenplug_hooks" / "policies"

# Law 12C2 in 2007 and 2017, and before, when average minus stayed what it was
LAW_12C2 = Averages(Fraction(60), Fraction(50), Fraction(40), Fraction(3), Fraction(-3), True, True)
LAW_12C2_1997 = Averages(Fraction(60), Fraction(50), Fraction(40), Fraction(3), Fraction(-3), True, False)


def figures(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))


def policy(name: str) -> Policy:
    path = POLICIES / f"{name}.toml"
    return read_policy(path.name, path.read_bytes())


def row(
    ns: str, ew: str, points: int | None = None, score: str | Mapping[str, str] | None = None, *, game: int = 1,
    number: int = 0, outcome: str = "", vulnerable: str = "None", averages: Averages | None = LAW_12C2, **keys: str,
) -> Entry:  # fmt: skip
    """One row of the ScoreTable of a game; ``score`` is a ruling's."""
    made = Outcome.parse(outcome) if outcome else None
    result = Result(game, number, str(game), {"ns": ns, "ew": ew, **keys}, made, points, vulnerable=vulnerable)
    return Entry(result, Score.parse(score) if score else TABLE, averages)


def room(
    name: str, points: int | None = None, score: str | Mapping[str, str] | None = None, *, board: str = "1",
    match: str = "Ash-Birch", game: int = 0, averages: Averages | None = LAW_12C2,
) -> Entry:  # fmt: skip
    """One game of a team match; the game's number follows from board and room unless given."""
    keys = {"room": name, "match": match}
    game = game or 2 * int(board) - (name == "Open")
    result = Result(game, None, board, keys, None, points, vulnerable="None")
    return Entry(result, Score.parse(score) if score else TABLE, averages)


def score(
    entries: Sequence[Entry], scoring: str = "MP", policy: Policy = NEUTRAL, penalties: Iterable[Penalty] = ()
) -> Event:
    numbers = sorted({entry.result.game for entry in entries})
    tags = {"Scoring": scoring}
    games = []
    for number in numbers:
        match = next(entry.result.keys.get("match", "") for entry in entries if entry.result.game == number)
        home, _, visit = match.partition("-")
        games.append(Game(number, 0, 0, 0, (), tags | ({"HomeTeam": home, "VisitTeam": visit} if match else {})))
    return score_event(entries, games, screenplug_methods(), policy, Contest(tuple(penalties)))


def field(scores: Iterable[int], game: int = 1) -> list[Entry]:
    """A table for each score, North-South pairs 1, 2, ... against 101, 102, ..."""
    return [row(str(n), str(100 + n), points, game=game) for n, points in enumerate(scores, 1)]


def shown(event: Event, index: int) -> tuple[str | None, ...]:
    scored = event.scored[index]
    return tuple(event.shown(side, scored.unit, scored.unit) for side in (scored.ns, scored.ew))


def total(event: Event, contestant: str, match: str | None = None) -> Total:
    found = [
        total
        for total in event.totals
        if total.contestant.label == contestant and match in (None, total.contestant.match)
    ]
    assert len(found) == 1
    return found[0]


def codes(event: Event) -> set[str]:
    return {problem.code for problem in event.problems}


# Contract points and IMPs


@pytest.mark.parametrize(("result", "safe", "vulnerable"), figures("contract-points")["made"])
def test_a_made_contract_scores_as_published(result: str, safe: int, vulnerable: int) -> None:
    outcome = Outcome.parse(result)
    assert (contract_points(outcome, False), contract_points(outcome, True)) == (safe, vulnerable)


@pytest.mark.parametrize("kind", figures("contract-points")["undertricks"])
def test_each_undertrick_costs_as_published(kind: str) -> None:
    doubled = {"undoubled": 0, "redoubled": 2}.get(kind, 1)
    for vulnerable, costs in zip((False, True), figures("contract-points")["undertricks"][kind], strict=True):
        for down, cost in enumerate(costs, 1):
            outcome = Outcome(7, "S", doubled, "S", 13 - down)
            assert contract_points(outcome, vulnerable, old_undertricks="1987" in kind) == -cost


def test_points_are_north_souths_whoever_declares() -> None:
    assert points_ns(Outcome.parse("4S W ="), "EW") == -620
    assert points_ns(Outcome.parse("4S S ="), "ew") == 420
    assert points_ns(Outcome.parse("4S E -1"), "Both") == 100


def test_an_unknown_vulnerability_matters_only_where_it_changes_the_score() -> None:
    assert points_ns(Outcome.parse("2S N ="), "?") == 110
    assert points_ns(Outcome.parse("4S N ="), "?") is None


def test_imps_follow_the_scale() -> None:
    for low, high, expected in figures("imps")["scale"]:
        assert {abs(imps(sign * d)) for sign in (1, -1) for d in (low, high)} == {expected}
        assert imps(-high) == -expected


@given(st.integers(-800, 800), st.integers(-800, 800))
def test_imps_are_antisymmetric_and_never_fall_as_the_difference_grows(one: int, other: int) -> None:
    assert imps(-10 * one) == -imps(10 * one)
    assert imps(10 * min(one, other)) <= imps(10 * max(one, other))


# Matchpoints


@pytest.mark.parametrize("case", figures("matchpoints"), ids=lambda case: case["source"])
def test_matchpoints_are_the_published_ones(case: Mapping[str, Any]) -> None:
    earned = matchpoints({points: Fraction(times) for points, times in case["frequencies"]})
    assert {str(points): show(mine) for points, mine in earned.items()} == case["ns"]


@pytest.mark.parametrize("case", figures("neuberg"), ids=lambda case: f"{case['actual']}-{case['expected']}")
def test_neubergs_formula_gives_the_published_matchpoints(case: Mapping[str, Any]) -> None:
    # The sources round halves towards average, so no exact half may be among the figures.
    found = [neuberg(int(scored), case["actual"], case["expected"]) for scored in case["scored"]]
    assert [show(number, Policy(places=case["places"])) for number in found] == case["matchpoints"]


@given(st.integers(1, 40), st.data())
def test_neubergs_formula_changes_nothing_on_a_full_board(results: int, data: st.DataObject) -> None:
    scored = data.draw(st.fractions(0, 2 * (results - 1)))
    assert neuberg(scored, results, results) == scored


def test_a_weighted_score_moves_the_whole_field() -> None:
    case = figures("events")["weighted"]
    event = score([*field(case["scores"]), row("13", "113", 110, case["ruling"])])
    assert list(shown(event, 12)) == case["pair"]
    for index, points in enumerate(case["scores"]):
        ns, ew = shown(event, index)
        assert ns == case["field"][str(points)]
        assert Fraction(str(ns)) + Fraction(str(ew)) == 24
    assert event.scored[12].kind == "weighted"
    assert not event.provisional


def test_each_side_of_a_split_score_is_compared_with_its_own_result() -> None:
    case = figures("events")["split"]
    event = score([*field(case["scores"]), row("13", "113", 450, case["ruling"])])
    assert list(shown(event, 9)) == case["pair"]
    for index, points in enumerate(case["scores"]):
        assert list(shown(event, index)) == case["field"][str(points)]


def test_an_artificial_score_is_part_of_the_full_top_and_left_out_of_the_comparison() -> None:
    case = figures("events")["artificial"]
    event = score([*field(case["scores"]), row("13", "113", 110, "60% / 60%")])
    assert list(shown(event, 9)) == case["pair"]
    assert [shown(event, index)[0] for index in range(9)] == [case["field"][str(p)] for p in case["scores"]]


def test_a_clubs_printed_percentages_come_out() -> None:
    case = figures("events")["club board"]
    event = score([*field(case["scores"]), row("22", "122", None, "60% / 40%")], policy=Policy(places=1))
    for index, points in enumerate(case["scores"]):
        if str(points) in case["percent"]:
            assert event.shown(event.scored[index].ns, "percent", "mp") == case["percent"][str(points)]
    assert event.shown(event.scored[21].ew, "percent", "mp") == "40"


@pytest.mark.parametrize(
    ("words", "best"), [("MP", "4"), ("Matchpoints", "4"), ("MatchPoints;MP1", "4"), ("MP;MP2", "2")]
)
def test_the_scoring_tag_chooses_the_unit_of_matchpoints(words: str, best: str) -> None:
    event = score(field([420, 170, -50]), words)
    assert [shown(event, index)[0] for index in (0, 2)] == [best, "0"]
    assert event.scored[0].ns.percent == 100


def test_old_matchpoints_use_the_old_undertricks() -> None:
    down_four = row("1", "101", outcome="4SX N -4")
    assert score([down_four], "MP;OldMP").scored[0].score_ns == -700
    assert score([down_four], "MP").scored[0].score_ns == -800


@st.composite
def boards(draw: st.DrawFn, split: bool = False) -> list[Entry]:
    """One board with weighted, artificial, unplayed and late results among the ordinary ones."""
    results = ["4S S =", "4S S -1", "2H N +1", "3NT E =", "3NT E -2", "pass", "5DX W -3"]
    entries = []
    for number in range(draw(st.integers(2, 7))):
        outcome = draw(st.sampled_from(results))
        ruling: Any = draw(
            st.sampled_from([None, None, None, f"1/3 {outcome}, 2/3 2H N +1", "60% / 40%", "not played", "late"])
        )
        if split and draw(st.booleans()):
            ruling = {"ns": f"30% {outcome}, 70% pass", "ew": draw(st.sampled_from(results))}
        entries.append(row(str(number), str(100 + number), None, ruling, outcome=outcome))
    return entries


@given(boards())
def test_both_sides_together_get_the_top(entries: list[Entry]) -> None:
    for scored in score(entries).scored:
        if scored.ns.value is not None:
            assert scored.ew.value is not None
            assert scored.ns.value + scored.ew.value == scored.ns.top


@given(st.lists(st.sampled_from([620, 170, 140, 0, -50, -100]), min_size=1, max_size=12))
def test_a_board_hands_out_two_matchpoints_for_each_pair_of_tables(scores: list[int]) -> None:
    event = score(field(scores))
    assert sum(scored.ns.value or 0 for scored in event.scored) == len(scores) * (len(scores) - 1)


@settings(max_examples=60)
@given(boards(split=True), st.sampled_from([1, 2, 3, 4]))
def test_a_weighted_score_is_the_mean_of_scoring_the_board_once_for_each_result(
    entries: list[Entry], quarters: int
) -> None:
    weight = Fraction(quarters, 5)
    weighted = row("90", "190", 0, f"{quarters}/5 3NT E =, {5 - quarters}/5 2H N +1")
    either = [row("90", "190", 0, "3NT E ="), row("90", "190", 0, "2H N +1")]
    one, other = (score([*entries, ruled]).scored for ruled in either)
    for found, first, second in zip(score([*entries, weighted]).scored, one, other, strict=True):
        for side in ("ns", "ew"):
            values = [getattr(scored, side).value for scored in (found, first, second)]
            if values[0] is None:
                assert values == [None] * 3
            else:
                assert values[0] == weight * values[1] + (1 - weight) * values[2]


# What is unknown, and what is nothing


def test_a_board_not_played_gives_nothing_and_is_no_board_of_the_pair() -> None:
    entries = [*field([420, 170, -50]), row("4", "104", None, "not played"), *field([420, 170, -50, -50], game=2)]
    event = score(entries)
    assert shown(event, 3) == (None, None)
    assert (total(event, "4").boards, total(event, "1").boards) == (1, 2)
    assert not event.provisional


@pytest.mark.parametrize("ruling", ["late", "not played", "cancelled", None])
def test_a_pair_whose_only_board_is_unknown_or_not_played_has_no_total(ruling: str | None) -> None:
    three = total(score([*field([420, -50]), row("3", "103", None, ruling)]), "3")
    assert (three.boards, three.total, three.percent, three.rank) == (0, None, None, None)


def test_a_pair_with_one_known_board_keeps_its_total_beside_an_unknown_one() -> None:
    event = score([*field([420, -50]), *field([420], game=2), row("2", "102", None, "late", game=2)])
    assert (total(event, "2").boards, total(event, "2").total, event.provisional) == (1, 0, True)


def test_a_board_not_played_is_missing_only_if_the_policy_expects_it() -> None:
    entries = [*field([420, 170]), row("3", "103", None, "not played"), *field([420, 170], game=2)]
    assert shown(score(entries), 0) == ("2", "0")
    assert shown(score(entries, policy=Policy(not_played_expected=True)), 0) == ("3.5", "0.5")


def test_a_cancelled_result_leaves_the_comparison() -> None:
    event = score([*field([420, 170, -50]), row("4", "104", 980, "cancelled")])
    assert shown(event, 0) == ("4", "0")
    assert event.scored[3].kind == "cancelled"


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (row("3", "103", None, "late"), "result-late"),
        (row("3", "103"), "result-missing"),
        (row("3", "103", 430, outcome="4S S ="), "score-contradicts-contract"),
        (row("3", "103", None, outcome="4S S =", vulnerable="?"), "vulnerability-unknown"),
    ],
)
def test_an_unknown_result_is_expected_reported_and_never_zero(entry: Entry, code: str) -> None:
    event = score([*field([420, -50]), entry])
    assert shown(event, 2) == (None, None)
    assert shown(event, 0) == ("3.5", "0.5")
    assert code in codes(event)
    assert event.provisional
    assert total(event, "3").boards == 0


def test_printed_points_decide_when_the_vulnerability_is_missing() -> None:
    assert score([row("1", "101", 620, outcome="4S S =", vulnerable="")]).scored[0].score_ns == 620


def test_a_pending_ruling_makes_the_totals_provisional() -> None:
    entry = row("1", "101", 420)
    assert score([Entry(entry.result, TABLE, provisional=True)]).provisional


def test_imps_are_no_award_at_matchpoints_and_a_percentage_none_at_imps() -> None:
    event = score([*field([420, -50]), row("3", "103", None, "+3 IMP / -3 IMP")])
    assert shown(event, 2) == (None, None)
    assert "percentage" in event.scored[2].ns.why
    event = score([room("Open", 420, "60% / 40%"), room("Closed", 420)], "IMP")
    assert shown(event, 0) == (None, None)
    assert next(problem.severity for problem in event.problems if "fixed IMPs" in problem.text) == "error"


def test_a_method_that_nobody_serves_is_named_and_nothing_guessed() -> None:
    event = score(field([420, -50]), "IMP;Bastille")
    assert shown(event, 0) == (None, None)
    assert [p.text for p in event.problems if p.code == "scoring-unserved" and "IMP;Bastille" in p.text]
    assert not event.totals


def answers(answer: Any) -> Method:
    """A plugin's method: ``answer`` is what it returns, makes of the number of lines, or raises."""

    def scored(lines: Sequence[Line], expected: int, policy: Policy) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer(len(lines)) if callable(answer) else answer

    return Method("Patton", ("Patton",), "mp", "field", scored, "a plugin")


PAIR = (Points(1), Points(1))
made: Any = Points


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (KeyError("top"), "KeyError: 'top'"),
        (ValueError("two\nlines"), "ValueError: two lines"),
        (None, "TypeError"),
        ([PAIR], "1 pairs of Points for 3 results"),
        (lambda count: [PAIR] * (count + 1), "4 pairs of Points for 3 results"),
        (lambda count: [Points(1)] * count, "Points in the place of a pair"),
        (lambda count: [(1, 1)] * count, "tuple in the place of a pair"),
        (lambda count: [(Points(1), None)] * count, "tuple in the place of a pair"),
        (lambda count: [(Points(1), made(0.5))] * count, "neither int nor Fraction"),
        (lambda count: [(Points(1), made(top="2"))] * count, "neither int nor Fraction"),
    ],
)
def test_a_method_that_fails_leaves_its_results_unknown_and_is_named_once(answer: Any, said: str) -> None:
    games = [Game(game, 0, 0, 0, (), {"Scoring": words}) for game, words in ((1, "Patton"), (2, "Patton"), (3, "MP"))]
    entries = [entry for game in (1, 2, 3) for entry in field([420, 170, -50], game=game)]
    event = score_event(entries, games, [*screenplug_methods(), answers(answer)])
    assert {side for scored in event.scored[:6] for side in (scored.ns, scored.ew)} == {
        Points(why="the scoring method Patton failed")
    }
    assert shown(event, 6) == ("4", "0")
    assert event.provisional
    (problem,) = event.problems
    assert (problem.severity, problem.code, problem.game) == ("error", "method-failed", 1)
    assert "Patton" in problem.text and said in problem.text and "\n" not in problem.text


def test_a_method_that_works_may_answer_with_any_series_of_pairs() -> None:
    games = [Game(1, 0, 0, 0, (), {"Scoring": "Patton"})]
    event = score_event(field([420, -50]), games, [answers(lambda count: (PAIR for _ in range(count)))])
    assert (event.scored[0].ns.value, event.problems) == (1, ())


def test_without_a_scoring_tag_the_printed_columns_tell_the_method() -> None:
    result = Result(1, 0, "1", {"ns": "1", "ew": "2"}, None, 420, printed={"mp_ns": "0"})
    event = score([Entry(result, TABLE)], "")
    assert (event.scored[0].method, codes(event)) == ("MP", {"scoring-missing"})
    bare = score(field([420]), "?")
    assert (bare.scored[0].method, codes(bare)) == ("", {"scoring-missing"})


# Averages by the law


def two_sessions_of(percentages: Mapping[str, int]) -> list[Entry]:
    """On board 1 pair 1 has each given artificial percentage, one board each."""
    return [
        row("1", "101", None, f"{percent}% / {100 - percent}%", game=int(game)) for game, percent in percentages.items()
    ] + [row("2", "102", None, "50% / 50%", game=int(game)) for game in percentages]


def test_average_plus_is_the_pairs_own_average_when_that_is_better() -> None:
    entries = [*two_sessions_of({"1": 70, "2": 64}), row("1", "101", None, "A+ / A-", game=3), *field([1, 2], game=4)]
    own = score([*entries[:-2], row("2", "102", 420, game=3)]).scored[4]
    assert (own.ns.percent, own.ew.percent) == (67, 33)


def test_boards_with_averages_by_the_law_do_not_feed_on_one_another() -> None:
    entries = [
        *two_sessions_of({"1": 63}),
        *(row(ns, f"10{ns}", None, "A+ / A+", game=game) for game in (2, 3) for ns in "12"),
    ]
    event = score(entries)
    assert [event.scored[index].ns.percent for index in (2, 4)] == [63, 63]
    assert total(event, "1").percent == 63
    assert total(event, "2").percent == Fraction(170, 3)


def test_a_fixed_percentage_stays_whatever_the_session_was() -> None:
    entries = [*two_sessions_of({"1": 70}), row("1", "101", None, "60% / 40%", game=2), row("2", "102", 420, game=2)]
    assert score(entries).scored[2].ns.percent == 60


def test_average_minus_stayed_forty_under_the_laws_of_1997() -> None:
    for averages, expected in ((LAW_12C2, 30), (LAW_12C2_1997, 40)):
        ruled = row("1", "101", None, "A+ / A-", game=2, averages=averages)
        event = score([*two_sessions_of({"1": 70}), ruled, row("2", "102", 420, game=2)])
        assert event.scored[2].ew.percent == expected


def test_another_session_does_not_count_for_average_plus() -> None:
    entries = [
        row("1", "101", None, "70% / 30%", session="1"),
        row("2", "102", 420, session="1"),
        row("1", "101", None, "A+ / A-", game=2, session="2"),
        row("2", "102", 420, game=2, session="2"),
    ]
    assert score(entries).scored[2].ns.percent == 60


def test_without_an_edition_of_the_laws_an_average_is_unknown() -> None:
    event = score([*field([420, -50]), row("3", "103", None, "A+ / A-", averages=None)])
    assert shown(event, 2) == (None, None)
    assert event.provisional


# Team matches


def test_the_rooms_of_a_match_are_compared() -> None:
    event = score([room("Open", 620), room("Closed", -100)], "IMP")
    assert [shown(event, index) for index in (0, 1)] == [("12", "-12"), ("-12", "12")]
    assert total(event, "Ash").total == 12
    assert total(event, "Birch").boards == 1


def test_a_board_without_the_other_room_is_unknown_not_zero() -> None:
    event = score([room("Open", 620), room("Open", 50, board="2"), room("Closed", 50, board="2")], "IMP")
    assert shown(event, 0) == (None, None)
    assert event.provisional
    assert (total(event, "Ash").total, total(event, "Ash").boards) == (0, 1)


def test_a_team_without_a_known_board_has_no_total_and_no_rank() -> None:
    event = score([room("Open", 620)], "IMP", penalties=[Penalty("P-1", "Ash", "procedural", Fraction(-3), "imp")])
    ash = total(event, "Ash")
    assert (ash.boards, ash.total, ash.percent, ash.rank, ash.penalty) == (0, None, None, None, -3)
    assert total(event, "Birch").rank is None
    found = event.to_json("match.pbn")["totals"][0]
    assert (found["total"], found["percent"], found["rank"], found["boards"]) == (None, None, None, 0)
    assert all("?" in line for line in standings_lines(event))


def test_weights_apply_after_the_conversion_to_imps() -> None:
    # As published of an appeal in 2010: +50 against half of +50 and half of -420 is half of 0 and half of 10 IMPs.
    event = score([room("Open", 50), room("Closed", None, "50% 4S W -1, 50% 4S W =")], "IMP")
    assert shown(event, 0) == ("5", "-5")


def test_both_rooms_weighted_is_the_mean_over_every_pair_of_results() -> None:
    rooms = [room("Open", None, "3/4 4S N =, 1/4 4S N -1"), room("Closed", None, "1/2 4S N =, 1/2 2S N +2")]
    # 420 with 420 and 170: 0 and 6 IMPs; -50 with them: -10 and -6
    assert score(rooms, "IMP").scored[0].ns.value == Fraction(3, 8) * 6 + Fraction(1, 8) * (-10 - 6)


def test_a_split_score_gives_each_team_its_own_margin() -> None:
    event = score([room("Open", 50), room("Closed", None, {"ns": "4S N =", "ew": "2S N ="})], "IMP")
    # Ash: +50 and -110 are 2 lost; Birch: +420 and -50 are 9 won
    assert [total(event, team).total for team in ("Ash", "Birch")] == [-2, 9]
    assert shown(event, 0) == ("-2", "9")


def test_an_artificial_score_takes_the_place_of_the_comparison() -> None:
    unplayed = room("Open", None, "+5 IMP / A", board="2")
    event = score([room("Open", 1430, "A+ / A-"), room("Closed", -50), unplayed], "IMP")
    assert [shown(event, index) for index in (0, 1, 2)] == [("3", "-3"), ("-3", "3"), ("5", "0")]
    assert (total(event, "Ash").total, total(event, "Birch").total) == (8, -3)


def test_a_board_that_one_room_did_not_play_is_not_counted() -> None:
    event = score([room("Open", 620), room("Closed", None, "not played")], "IMP")
    assert shown(event, 0) == (None, None)
    assert not event.provisional
    assert total(event, "Ash").boards == 0


def test_two_results_of_one_room_are_not_a_match() -> None:
    event = score([room("Open", 620), room("Open", 170, game=9)], "IMP")
    assert shown(event, 0) == (None, None)
    assert "rooms-unclear" in codes(event)


def test_mirrored_rows_of_a_table_are_the_two_rooms() -> None:
    event = score([row("1", "2", 620), row("3", "4", 50), row("2", "1", 170), row("4", "3", 50)], "IMP")
    assert [shown(event, index)[0] for index in range(4)] == ["10", "0", "-10", "0"]
    assert [(t.contestant.label, t.total, t.rank) for t in event.totals] == [
        ("1", 10, 1), ("3", 0, 2), ("4", 0, 2), ("2", -10, 4)
    ]  # fmt: skip


def test_a_team_has_a_total_for_each_match_and_one_for_all() -> None:
    entries = [room("Open", 620), room("Closed", -100)]
    entries += [room("Open", 50, match="Cedar-Ash", game=8), room("Closed", 100, match="Cedar-Ash", game=9)]
    event = score(entries, "IMP")
    assert total(event, "Ash", match="Ash-Birch").total == 12
    assert total(event, "Ash", match="Cedar-Ash").total == 2
    assert total(event, "Ash", match="").total == 14


@given(
    st.sampled_from(["4S N =", "1/3 4S N =, 2/3 4S N -1", "late", "not played", "A+ / A-"]),
    st.sampled_from(["3NT E =", "60% 3NT E =, 40% pass", "late", "not played"]),
)
def test_what_one_team_wins_the_other_loses(one: str, other: str) -> None:
    event = score([room("Open", None, one), room("Closed", None, other)], "IMP")
    for scored in event.scored:
        assert (scored.ns.value is None) == (scored.ew.value is None)
        assert (scored.ns.value or 0) + (scored.ew.value or 0) == 0


# Totals


def standings(event: Event) -> list[tuple[str, str, int | None]]:
    return [(total.contestant.label, total.contestant.direction, total.rank) for total in event.totals]


def test_equal_totals_share_the_best_rank() -> None:
    event = score(field([420, 170, 170, -50]))
    assert [line for line in standings(event) if line[1] == "NS"] == [
        ("1", "NS", 1), ("2", "NS", 2), ("3", "NS", 2), ("4", "NS", 4)
    ]  # fmt: skip


def test_pairs_that_never_change_directions_are_two_fields() -> None:
    event = score([*field([420, 170, -50]), *field([-50, 170, 420], game=2)])
    assert [(label, way) for label, way, rank in standings(event) if rank == 1] == [
        ("1", "NS"), ("2", "NS"), ("3", "NS"), ("101", "EW"), ("102", "EW"), ("103", "EW")
    ]  # fmt: skip


def test_pairs_that_change_directions_are_one_field() -> None:
    howell = [("1", "2", "3", "4"), ("2", "3", "1", "4"), ("3", "1", "2", "4")]
    entries = []
    for game, (a, b, c, d) in enumerate(howell, 1):
        entries += [row(a, b, 420, game=game), row(c, d, -50, game=game)]
    assert standings(score(entries)) == [("4", "", 1), ("1", "", 2), ("2", "", 2), ("3", "", 2)]


def test_a_pair_that_sat_the_wrong_way_once_keeps_one_total() -> None:
    entries = [row(str(n), str(10 + n), 10 * n, game=game) for game in range(1, 4) for n in range(1, 6)]
    event = score([*entries[:-1], row("15", "5", 420, game=3)])
    assert total(event, "5").boards == total(event, "15").boards == 3
    assert total(event, "5").contestant.direction == "NS"


def test_one_number_sitting_both_ways_means_two_pairs() -> None:
    event = score([row("1", "1", 420), row("2", "2", -50)])
    assert standings(event) == [("1", "NS", 1), ("2", "NS", 2), ("2", "EW", 1), ("1", "EW", 2)]


def test_a_penalty_comes_off_the_total_and_leaves_the_board_alone() -> None:
    entries = [*field([420, 170, -50]), *field([-50, 170, 420], game=2)]
    quarter = Penalty("P-1", "1", "procedural", Fraction(-25), "top")
    event = score(entries, penalties=[quarter, Penalty("P-2", "3", "warning")])
    assert shown(event, 0) == ("4", "0")
    assert (total(event, "1").total, total(event, "1").penalty) == (3, -1)
    assert (total(event, "3").total, total(event, "3").penalty) == (4, 0)
    assert (total(event, "1").percent, total(event, "1").rank) == (Fraction(75, 2), 3)


def test_a_penalty_in_per_cent_comes_off_the_percentage() -> None:
    event = score(field([420, 170, -50]), penalties=[Penalty("P-1", "1", "disciplinary", Fraction(-10), "percent")])
    assert (total(event, "1").percent, total(event, "1").total) == (90, Fraction(18, 5))


def test_a_penalty_in_imps_comes_off_a_match() -> None:
    entries = [room("Open", 620), room("Closed", -100)]
    event = score(entries, "IMP", penalties=[Penalty("P-1", "Birch", "procedural", Fraction(-3), "imp")])
    assert total(event, "Birch").total == -15
    assert shown(event, 0) == ("12", "-12")


def with_penalties(*penalties: Penalty) -> Event:
    return score([*field([420, 170, -50]), *field([420, 170, -50], game=2)], penalties=penalties)


def fined(id: str, percent: int, state: str, supersedes: str = "") -> Penalty:
    amount = Fraction(-percent)
    return Penalty(id, "1", "procedural", amount, "top", state=state, supersedes=supersedes)


def test_a_pending_penalty_takes_nothing_off_and_leaves_the_totals_provisional() -> None:
    event = with_penalties(fined("P-1", 25, "pending"))
    assert (total(event, "1").total, total(event, "1").penalty, event.provisional) == (8, 0, True)


def test_a_provisional_penalty_counts_and_leaves_the_totals_provisional() -> None:
    event = with_penalties(fined("P-1", 25, "provisional"))
    assert (total(event, "1").total, total(event, "1").penalty, event.provisional) == (7, -1, True)
    assert not with_penalties(fined("P-1", 25, "final")).provisional


def test_a_pending_penalty_does_not_count_beside_the_one_that_it_would_supersede() -> None:
    event = with_penalties(fined("P-1", 25, "final"), fined("P-2", 50, "pending", supersedes="P-1"))
    assert (total(event, "1").total, total(event, "1").penalty, event.provisional) == (7, -1, True)


@pytest.mark.parametrize(
    ("penalty", "code"),
    [
        (Penalty("P-1", "99", "procedural", Fraction(-25), "top"), "penalty-contestant"),
        (Penalty("P-1", "1", "procedural", Fraction(-3), "imp"), "penalty-unit"),
    ],
)
def test_a_penalty_that_cannot_be_taken_off_is_an_error(penalty: Penalty, code: str) -> None:
    event = score(field([420, -50]), penalties=[penalty])
    assert code in codes(event)
    assert total(event, "1").total == (None if code == "penalty-unit" else 2)


def test_a_pair_with_two_results_on_a_board_is_reported() -> None:
    assert "pair-twice" in codes(score([row("1", "101", 420), row("1", "102", 50), row("3", "103", 50)]))


def test_games_of_one_board_without_a_score_table_are_one_field() -> None:
    entries = [
        Entry(Result(game, None, "7", {"ns": str(game), "ew": str(10 + game)}, None, points), TABLE)
        for game, points in enumerate([420, 170, -50], 1)
    ]
    assert [shown(score(entries), index)[0] for index in range(3)] == ["4", "2", "0"]


def test_sections_with_the_same_numbers_are_told_apart() -> None:
    entries = [row("1", "2", points, section=section) for section, points in (("A", 420), ("B", -50))]
    assert {t.contestant.label for t in score(entries).totals} == {"A1", "A2", "B1", "B2"}


def in_sections(*tables: tuple[str, Sequence[int]]) -> list[Entry]:
    """A game with a ScoreTable for each section; pairs are numbered from 1 in each."""
    return [
        row(str(n), str(100 + n), points, game=game, section=section)
        for game, (section, scores) in enumerate(tables, 1)
        for n, points in enumerate(scores, 1)
    ]


def test_a_small_section_is_not_stretched_to_the_size_of_a_large_one() -> None:
    event = score(in_sections(("A", [420, 170, 50, -50]), ("B", [420, -50])))
    assert [scored.ns.top for scored in event.scored] == [6] * 4 + [2] * 2
    assert [shown(event, index) for index in (4, 5)] == [("2", "0"), ("0", "2")]


def test_a_board_is_stretched_to_the_largest_of_its_own_section() -> None:
    event = score(in_sections(("A", [420, 170, 50, -50]), ("B", [420, -50]), ("B", [420, 170, -50])))
    assert [event.scored[index].ns.top for index in (0, 4, 6)] == [6, 4, 4]
    assert shown(event, 4) == ("3.5", "0.5")


def test_sections_in_one_score_table_are_one_field_on_every_board() -> None:
    both = [row("1", "2", 420, section="A"), row("11", "12", 170, section="A"), row("21", "22", 50, section="B")]
    event = score([*both, row("1", "2", 420, section="A", game=2), row("11", "12", 50, section="A", game=2)])
    assert [scored.ns.top for scored in event.scored] == [4] * 5


def test_games_without_a_score_table_are_stretched_within_their_section() -> None:
    entries = [
        Entry(Result(game, None, "7", {"ns": str(game), "ew": str(10 + game), "section": section}, None, game), TABLE)
        for game, section in enumerate("AAABB", 1)
    ]
    assert [scored.ns.top for scored in score(entries).scored] == [4, 4, 4, 2, 2]


def test_every_label_has_the_section_once_sections_reuse_a_number() -> None:
    event = score(in_sections(("A", [420, 170, -50]), ("B", [420, -50])))
    assert {t.contestant.label for t in event.totals if t.contestant.direction == "NS"} == {
        "A1", "A2", "A3", "B1", "B2"
    }  # fmt: skip


def test_a_pair_without_a_number_is_no_number_that_sections_reuse() -> None:
    nameless = row("?", "9", 50, section="A"), row("?", "19", 50, section="B", game=2)
    assert {t.contestant.label for t in score(nameless).totals} == {"9", "19"}


def test_numbers_of_sections_cannot_run_into_numbers_of_pairs() -> None:
    event = score(in_sections(("1", range(12)), ("11", range(2))))
    assert {"1-12", "11-2"} <= {t.contestant.label for t in event.totals}


def test_the_score_json_has_decimal_strings_and_null_for_unknown() -> None:
    case = figures("events")["weighted"]
    ruled = row("13", "113", 110, case["ruling"])
    document = score([*field(case["scores"]), ruled, row("14", "114", None, "late")]).to_json("evening.pbn")
    assert json.loads(json.dumps(document)) == document
    results = document["games"][0]["results"]
    assert (results[0]["score_ns"], results[0]["kind"], results[0]["imp_ns"]) == ("110", "table", None)
    assert (results[12]["kind"], results[12]["score_ns"]) == ("weighted", None)
    assert (results[13]["kind"], results[13]["mp_ns"], results[13]["percent_ew"]) == ("late", None, None)
    assert document["provisional"] is True
    assert document["totals"][0]["rank"] == 1


# Policies


@pytest.mark.parametrize("name", sorted(path.stem for path in POLICIES.glob("*.toml")))
def test_every_policy_that_comes_along_says_where_its_values_are_from(name: str) -> None:
    loaded = policy(name)
    assert (loaded.id, bool(loaded.title), bool(loaded.source)) == (name, True, True)
    choice = {"choice"} if name == "neutral" else set()
    assert {known for _, known in loaded.cites.values()} <= {"text", "restated"} | choice


def test_what_a_policy_does_not_state_is_neutral() -> None:
    neutral = policy("neutral")
    stated = [each.name for each in fields(Policy) if each.name not in ("id", "title", "source", "cites")]
    assert {name: getattr(neutral, name) for name in stated} == {name: getattr(NEUTRAL, name) for name in stated}
    assert {name: getattr(policy("wbf"), name) for name in stated} == {name: getattr(NEUTRAL, name) for name in stated}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('kind = "policy"', "no scoring policy"),
        ('kind = "laws"\nid = "x"', "no scoring policy"),
        ("kind =", "no TOML"),
        ('kind = "policy"\nid = "x"\n[[value]]\nid = "place"\nis = 2', "no value 'place'"),
        ('kind = "policy"\nid = "x"\n[[value]]\nid = "places"\nis = 2', "needs cites"),
        ('kind = "policy"\nid = "x"\n[[value]]\nid = "halves"\nis = "down"\ncites = "a"\nchecked = "text"', "'down'"),
        ('kind = "policy"\nid = "x"\n[[value]]\nid = "small-groups"\nis = [3]\ncites = "a"\nchecked = "text"', "3"),
    ],
)
def test_a_policy_that_cannot_be_read_names_the_file_and_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        read_policy("club.toml", text.encode())
    assert "club.toml" in str(refused.value)
    assert reason in str(refused.value)


def value(id: str, then: str) -> str:
    return f'kind = "policy"\nid = "x"\n[[value]]\nid = {id}\ncites = "a"\nchecked = "text"\n{then}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('kind = "policy"\nid = "x"\nvalue = 3', "value is no list of tables"),
        ('kind = "policy"\nid = "x"\nvalue = ["a"]', "value is no list of tables"),
        ('kind = "policy"\nid = "x"\n[value]\nid = "places"', "value is no list of tables"),
        ('kind = "policy"\nid = "x"\nvalue = {}', "value is no list of tables"),
        ('kind = "policy"\nid = ["x"]', "no scoring policy"),
        ('kind = "policy"\nid = ""', "no scoring policy"),
        ('kind = ["policy"]\nid = "x"', "no scoring policy"),
        ('kind = "policy"\nid = "x"\ntitle = 3', "title is no text"),
        ('kind = "policy"\nid = "x"\nsource = ["a"]', "source is no text"),
        ('kind = "policy"\nid = "x"\n[[value]]', "no value None"),
        (value('["places"]', "is = 2"), "no value ['places']"),
        (value('{a = 1}', "is = 2"), "no value {'a': 1}"),
        (value('"places"', "is = true"), "places cannot be True"),
        (value('"places"', "is = 2.0"), "places cannot be 2.0"),
        (value('"places"', ""), "places cannot be None"),
        (value('"halves"', 'is = ["up"]'), "halves cannot be"),
        (value('"split"', "is = {}"), "split cannot be"),
        (value('"not-played-expected"', "is = 1"), "not-played-expected cannot be 1"),
        (value('"small-groups"', "is = {results = 2}"), "small-groups cannot be"),
        (value('"small-groups"', 'is = ["a"]'), "'a' cannot be read"),
        (value('"small-groups"', "is = [[]]"), "[] cannot be read"),
        (value('"small-groups"', "is = [{results = 2}]"), "cannot be read"),
        (value('"small-groups"', "is = [{results = [2], expected = 6}]"), "cannot be read"),
        (value('"small-groups"', "is = [{results = 2, expected = inf}]"), "cannot be read"),
        (value('"small-groups"', "is = [{results = true, expected = 6}]"), "cannot be read"),
        (value('"small-groups"', "is = [{results = 0, expected = 6}]"), "cannot be read"),
        (value('"small-groups"', "is = [{results = 2, expected = 6, middle = inf}]"), "cannot be read"),
        (value('"small-groups"', "is = [{results = 2, expected = 6, middle = nan}]"), "cannot be read"),
        (value('"small-groups"', 'is = [{results = 2, expected = 6, middle = "1/0"}]'), "cannot be read"),
        (value('"small-groups"', "is = [{results = 2, expected = 6, step = {}}]"), "cannot be read"),
        (value('"small-groups"', "is = [{results = 2, expected = 6, midle = 60}]"), "cannot be read"),
        (value('"places"', "is = 2").replace('"a"', "3"), "needs cites"),
        (value('"places"', "is = 2").replace('"text"', '["text"]'), "needs cites"),
    ],
)  # fmt: skip
def test_a_policy_with_anything_of_a_wrong_kind_is_refused(text: str, reason: str) -> None:
    test_a_policy_that_cannot_be_read_names_the_file_and_what_is_wrong(text, reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f'kind = "policy"\nid = "x"\nnumber = {"9" * 5000}', "no TOML"),
        (f'kind = "policy"\nid = "x"\ndeep = {"[" * 5000}{"]" * 5000}', "no TOML"),
        (value('"places"', f"is = 0x{'f' * 5000}"), "places cannot be"),
    ],
    ids=["digits", "depth", "hexadecimal"],
)
def test_a_policy_with_more_than_python_takes_is_refused(text: str, reason: str) -> None:
    test_a_policy_that_cannot_be_read_names_the_file_and_what_is_wrong(text, reason)


def test_a_policy_reads_a_decimal_as_it_is_written() -> None:
    groups = value('"small-groups"', "is = [{results = 2, expected = 6, middle = 62.4, step = 0.1}]")
    (group,) = read_policy("club.toml", groups.encode()).small_groups
    assert (group.middle, group.step) == (Fraction(312, 5), Fraction(1, 10))


def test_few_results_of_many_earn_what_the_policy_says() -> None:
    artificial = [row(str(n), str(100 + n), None, "60% / 40%") for n in range(11, 15)]
    two = [*field([420, -50]), *artificial]
    assert [score(two, policy=policy(name)).scored[0].ns.percent for name in ("ebu", "acbl", "neutral")] == [
        65, 65, 50 + Fraction(100, 2) * Fraction(1, 2) * Fraction(6, 5)
    ]  # fmt: skip
    more = [row(str(n), str(100 + n), None, "60% / 40%") for n in (15, 16)]
    three = [*field([420, 170, -50]), *artificial, *more]
    assert [score(three, policy=policy("ebu")).scored[n].ns.percent for n in range(3)] == [70, 60, 50]
    one = score([*field([420]), *artificial], policy=policy("ebu"))
    assert shown(one, 0) == (None, None)


def test_halves_go_away_from_average_or_up() -> None:
    up = policy("acbl")
    assert [show(Fraction("11.125"), average=12), show(Fraction("12.875"), average=12)] == ["11.12", "12.88"]
    assert [show(Fraction("11.125"), up, 12), show(Fraction("12.875"), up, 12)] == ["11.13", "12.88"]
    assert [show(Fraction("-2.505")), show(Fraction("2.505")), show(Fraction(-1, 1000)), show(30)] == [
        "-2.51", "2.51", "0", "30"
    ]  # fmt: skip
    assert show(Fraction(5, 2), Policy(places=0)) == "3"
