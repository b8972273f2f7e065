"""A file under its rulings: statuses, scores, rescoring, and the records in the file when no ledger is at hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from screenplug import event, host, ledger, pbn, record
from screenplug.event import Event
from screenplug.model import Ground, Ledger, Outcome, Refused, Ruling, Score
from screenplug.reconcile import Status
from screenplug.rescore import rescore

FIXTURES = Path(__file__).parent.parent / "fixtures"
TABLES = host.tables(host.plugin_manager())
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "pairs-wbf" / "expected.json").read_text(encoding="utf-8"))
EVENTS = {"pairs-wbf": "session.pbn", "small-pzbs": "session.pbn", "teams-wbf": "match.pbn"}


def fixture(folder: str, policy: str | None = None, data: bytes | None = None) -> Event:
    """A whole event under its own rulings files."""
    data = (FIXTURES / folder / EVENTS[folder]).read_bytes() if data is None else data
    return event.open_rulings(data, book_of(folder), TABLES, policy=policy, file=EVENTS[folder])


def book_of(folder: str) -> Ledger:
    return ledger.read((path.name, path.read_bytes()) for path in sorted((FIXTURES / folder).glob("*.toml")))


def under(data: bytes, *rulings: Ruling, policy: str | None = None) -> Event:
    return event.open_rulings(data, Ledger(rulings), TABLES, policy=policy)


COLUMNS = "PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1L;Result\\2R;MP_NS\\5R;MP_EW\\5R"


def board(*rows: str, number: str = "7", columns: str = COLUMNS, more: str = "", vulnerable: str = "None") -> bytes:
    """One board with its ScoreTable; each row as its line."""
    tags = {"Event": "Oak", "Board": number, "Vulnerable": vulnerable, "Scoring": "MatchPoints"}
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    table = "\n".join([f'[ScoreTable "{columns}"]', *rows])
    return f"{head}{table}\n{more}".encode("latin-1")


def ruling(score: str | Mapping[str, str] | None = None, *, id: str = "A-1", **more: Any) -> Ruling:
    where = more.pop("where", ({"board": "7", "ns": "1"},))
    awarded = Score.parse(score) if score is not None else None
    return Ruling(id, where, score=awarded, **{"regulations": "wbf", "laws": "laws-2017", **more})


def statuses(opened: Event) -> dict[str, str]:
    return {f"{status.ruling} {status.where}".strip(): status.status for status in opened.statuses()}


def status(opened: Event) -> Status:
    (found,) = opened.statuses()
    return found


def codes(opened: Event) -> list[tuple[str, str, str | None]]:
    return [(problem.severity, problem.code, problem.ruling) for problem in opened.problems]


# The weighted score that everybody asks about: 60% +110, 40% -50, in a field of thirteen.

FIELD = ["2S   N  8"] * 5 + ["2H   E  7"] * 3 + ["2S   N  7"] * 2 + ["2H   E  8"] * 2
WEIGHTED = ruling("60% 2S N =, 40% 2S N -1", table="2S N =")


def headline() -> bytes:
    results = ["2S   N  8", *FIELD]
    return board(*(f"{pair:>2} {pair + 13} {result}  12.0  12.0" for pair, result in enumerate(results, 1)))


def test_a_weighted_score_moves_the_whole_field_in_the_score_json() -> None:
    document = under(headline(), WEIGHTED).score_json()
    (game,) = document["games"]
    first, *field = game["results"]
    assert (first["kind"], first["mp_ns"], first["mp_ew"], first["score_ns"]) == ("weighted", "13.8", "10.2", None)
    assert (first["percent_ns"], first["percent_ew"]) == ("57.5", "42.5")
    assert [result["mp_ns"] for result in field] == ["19.4"] * 5 + ["10.8"] * 3 + ["5.4"] * 2 + ["1"] * 2
    assert [result["score_ns"] for result in field] == ["110"] * 5 + ["50"] * 3 + ["-50"] * 2 + ["-110"] * 2
    assert all(Fraction(result["mp_ns"]) + Fraction(result["mp_ew"]) == 24 for result in game["results"])


def test_a_weighted_score_moves_the_whole_field_in_the_rescored_file() -> None:
    lines = rescore(under(headline(), WEIGHTED), "1").decode().splitlines()
    assert lines[0] == "%screenplug rescored by 1, policy neutral, rulings A-1"
    assert lines[6] == " 1 14 2S   N  8  13.8  10.2"
    assert [line[-12:] for line in lines[7:]] == ["  19.4   4.6"] * 5 + ["  10.8  13.2"] * 3 + ["   5.4  18.6"] * 2 + [
        "   1.0  23.0"
    ] * 2


# Whole events against figures that come from elsewhere


@pytest.mark.parametrize("expected", EXPECTED["boards"], ids=lambda expected: str(expected["kind"]))
def test_a_ruled_boards_matchpoints_are_the_expected_ones(expected: dict[str, Any]) -> None:
    opened = fixture("pairs-wbf")
    game = next(game for game in opened.score_json()["games"] if game["board"] == expected["board"])
    figures = ("ns", "ew", "mp_ns", "mp_ew", "percent_ns", "percent_ew")
    assert [[result[key] for key in figures] for result in game["results"]] == [
        [result[key] for key in figures] for result in expected["results"]
    ]
    assert {result["kind"] for result in game["results"]} == {"table", expected["kind"]}
    for result, scored in zip(opened.results, opened.scored.scored, strict=True):
        if result.board == expected["board"]:
            row = next(row for row in expected["results"] if row["ns"] == result.keys["ns"])
            assert [scored.ns.value, scored.ew.value] == [Fraction(row["exact_ns"]), Fraction(row["exact_ew"])]


@pytest.mark.parametrize("expected", EXPECTED["averages"], ids=lambda row: f"{row['board']}-{row['contestant']}")
def test_an_average_by_the_law_follows_the_pairs_own_session(expected: dict[str, Any]) -> None:
    opened = fixture("pairs-wbf")
    side = "ns" if int(expected["contestant"]) < 10 else "ew"
    result = next(
        result
        for result in opened.results
        if result.board == expected["board"] and result.keys[side] == expected["contestant"]
    )
    assert getattr(opened.points(result, opened.scored), side).percent == Fraction(expected["exact"])


def test_the_standings_after_the_rulings_are_the_expected_ones() -> None:
    opened = fixture("pairs-wbf")
    document = opened.score_json()
    keys = ("contestant", "direction", "total", "percent", "boards", "penalty", "rank")
    found = {(total["direction"], total["rank"]): [total[key] for key in keys] for total in document["totals"]}
    expected = {(total["direction"], total["rank"]): [total[key] for key in keys] for total in EXPECTED["standings"]}
    assert found == expected
    assert {total.contestant.label: total.percent for total in opened.scored.totals} == {
        total["contestant"]: Fraction(total["exact"]) for total in EXPECTED["standings"]
    }
    assert document["policy"] == "wbf" and document["provisional"] is True


def test_the_standings_before_the_rulings_are_the_expected_ones() -> None:
    plain = fixture("pairs-wbf").plain
    found = {
        total["contestant"]: [total[key] for key in ("total", "percent", "rank")]
        for total in plain.to_json("")["totals"]
    }
    assert found == {
        total["contestant"]: [total["before"][key] for key in ("total", "percent", "rank")]
        for total in EXPECTED["standings"]
    }


@pytest.mark.parametrize("folder", EVENTS)
def test_without_rulings_every_figure_that_a_fixture_prints_is_the_computed_one(folder: str) -> None:
    opened = event.open_event((FIXTURES / folder / EVENTS[folder]).read_bytes(), [], TABLES)
    assert list(opened.compared.wrong) == []


def test_the_score_document_has_the_keys_of_the_contract() -> None:
    document = fixture("pairs-wbf").score_json()
    assert json.loads(json.dumps(document)) == document
    assert list(document) == ["format", "file", "policy", "provisional", "games", "totals", "problems"]
    assert (document["format"], document["file"]) == (1, "session.pbn")
    game = document["games"][0]
    assert {key: game[key] for key in ("game", "board", "method")} == {"game": 1, "board": "1", "method": "MP"}
    assert game["results"][0] == {
        "ns": "1", "ew": "10", "kind": "table", "score_ns": "-100", "mp_ns": "14", "mp_ew": "2",
        "percent_ns": "87.5", "percent_ew": "12.5", "imp_ns": None, "imp_ew": None,
        "printed": {"mp_ns": "14", "mp_ew": "2", "percent_ns": "87.50", "percent_ew": "12.50"},
    }  # fmt: skip
    kinds = {result["kind"] for game in document["games"] for result in game["results"]}
    assert kinds == {"table", "assigned", "weighted", "split", "artificial", "not-played", "late", "cancelled"}
    total = next(total for total in document["totals"] if total["contestant"] == "5")
    assert total == {
        "contestant": "5", "kind": "pair", "direction": "NS", "match": None, "total": "207.85", "percent": "48.11",
        "vp": None, "boards": 27, "penalty": "-4", "rank": 7,
    }  # fmt: skip
    late = next(problem for problem in document["problems"] if problem["code"] == "result-late")
    assert (late["severity"], late["game"]) == ("note", 22) and "6-13" in late["text"]


# check --rulings


def test_the_statuses_of_the_pairs_event_before_anything_is_keyed_in() -> None:
    found = statuses(fixture("pairs-wbf"))
    by_status = {word: {key for key, status in found.items() if status == word} for word in set(found.values())}
    assert by_status["applied"] == {"A-1 pairs 6-18", "A-11", "B-5 pairs 6-13", "B-10 pairs 1-10"}
    assert by_status["pending"] == {"A-7 pairs 2-17"}
    assert by_status["waiting"] == {"B-7 pairs 2-11"}
    assert {"A-6 pairs 5-10", "A-6 pairs 6-12", "B-1 pairs 4-14", "B-4 pairs 8-15"} <= by_status["not applied"]
    assert set(by_status) == {"applied", "pending", "waiting", "not applied"}
    assert not {key.split()[0] for key in found} & {"A-2", "A-9", "A-10"}  # superseded, withdrawn


@pytest.mark.parametrize("folder", ["pairs-wbf", "small-pzbs"])
def test_in_the_rescored_file_every_ruling_is_applied(folder: str) -> None:
    opened = fixture(folder)
    rescored = fixture(folder, data=rescore(opened, "1"))
    assert {status.status for status in rescored.statuses()} == {"applied", "pending", "waiting"}
    assert rescored.compared.wrong == ()


def test_a_team_ruling_is_shown_with_its_room() -> None:
    assert statuses(fixture("teams-wbf")) == {
        "T-1 Open room": "not applied",
        "T-2 Closed room": "not applied",
        "T-3 Open room": "applied",
        "T-4 Closed room": "not applied",
        "T-5 Closed room": "applied",
        "T-6 Closed room": "applied",
        "T-7 Closed room": "pending",
    }


AS_SCORED = (" 1 11 4S   N 10   4.0   0.0", " 2 12 4S   N  9   1.0   3.0", " 3 13 4S   N  9   1.0   3.0")
AS_KEYED = (" 1 11 4S   N  9   2.0   2.0", " 2 12 4S   N  9   2.0   2.0", " 3 13 4S   N  9   2.0   2.0")
ONE_DOWN = ruling("4S N -1", table="4S N =")


def test_a_ruling_that_the_file_does_not_have_is_not_applied_and_shows_both_figures() -> None:
    found = status(under(board(*AS_SCORED), ONE_DOWN))
    assert (found.status, found.printed, found.computed) == ("not applied", "MP NS 4.0 EW 0.0", "MP NS 2 EW 2")
    assert (found.game, found.board, found.where) == (1, "7", "pairs 1-11")


def test_a_ruling_that_the_host_program_keyed_in_is_applied() -> None:
    assert status(under(board(*AS_KEYED), ONE_DOWN)).status == "applied"


def test_a_result_keyed_in_and_not_yet_scored_anew_differs() -> None:
    half = board(" 1 11 4S   N  9   4.0   0.0", *AS_SCORED[1:])
    assert status(under(half, ONE_DOWN)).status == "differs"


def test_other_figures_than_before_and_after_differ() -> None:
    found = status(under(board(" 1 11 4S   N 10   3.0   1.0", *AS_SCORED[1:]), ONE_DOWN))
    assert (found.status, found.printed, found.computed) == ("differs", "MP NS 3.0 EW 1.0", "MP NS 2 EW 2")


def test_a_table_result_that_changed_since_the_ruling_is_told() -> None:
    found = status(under(board(" 1 11 4S   N 11   4.0   0.0", *AS_SCORED[1:]), ONE_DOWN))
    assert found.status == "table result changed"
    assert "4S N =" in found.text and "4S N +1" in found.text


def test_what_a_superseded_ruling_gave_is_no_slip_in_the_board_when_the_file_has_it_by_now() -> None:
    first, appeal = ruling("4S N -1", table="4S N ="), ruling("60% 4S N =, 40% 4S N -1", id="A-2", table="4S N =")
    chained = under(board(*AS_KEYED), first, replace(appeal, supersedes="A-1"))
    assert "table-changed" not in {problem.code for problem in chained.all_problems()}
    assert "table-changed" in {problem.code for problem in under(board(*AS_KEYED), appeal).all_problems()}


@pytest.mark.parametrize("detail", record.DETAILS)
def test_an_own_error_still_counts_when_a_file_is_scored_by_its_records(detail: str) -> None:
    opened = under(board(*AS_SCORED), ruling("4S N -1", table="4S N =", without_error={"ns": Outcome.parse("3NT N =")}))
    plain = under(board(*AS_SCORED), ruling("4S N -1", table="4S N ="))
    by_records = under(opened.annotate(detail)[0])
    figures = [each.shown(each.results[0]) for each in (opened, by_records, plain)]
    assert figures[0] == figures[1] != figures[2]


@pytest.mark.parametrize("score", [None, "table"])
def test_a_ruling_that_lets_the_result_stand_notices_when_the_result_changes(score: str | None) -> None:
    stands = ruling(score, table="4S N =")
    assert status(under(board(*AS_SCORED), stands)).status == "applied"
    assert status(under(board(*AS_KEYED), stands)).status == "table result changed"


def test_figures_without_decimals_do_not_pass_for_a_weighted_score_that_rounds_to_them() -> None:
    rows = [f" {pair} {pair + 10} 4S   N 10     2     2" for pair in (1, 2, 3)]
    opened = under(board(*rows), ruling("99% 4S N =, 1% 4S N -1"))
    assert status(opened).status == "not applied"
    assert "1.98" in status(opened).computed


BARE = "PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1L;Result\\2R"


@pytest.mark.parametrize(
    ("score", "tricks", "expected"),
    [
        ("4S N -1", 9, "applied"),
        ("4S N -1", 10, "not applied"),
        ("4S N -1", 11, "table result changed"),
        ("60% 4S N =, 40% 4S N -1", 10, "not applied"),
        ("60% / 40%", 10, "not applied"),
        ("not played", 10, "not applied"),
        ("late", 10, "not applied"),
        ("table", 10, "applied"),
    ],
)
def test_in_a_file_without_figures_only_the_ruled_result_itself_counts_as_applied(
    score: str, tricks: int, expected: str
) -> None:
    data = board(f" 1 11 4S   N {tricks:>2}", " 2 12 4S   N  9", columns=BARE)
    assert status(under(data, ruling(score, table="4S N ="))).status == expected


def test_a_result_taken_away_is_applied_when_its_figures_are_gone() -> None:
    gone = board(" 1 11 4S   N 10     -     -", " 2 12 4S   N  9   1.0   1.0", " 3 13 4S   N  9   1.0   1.0")
    assert status(under(gone, ruling("not played", table="4S N ="))).status == "applied"
    assert status(under(board(*AS_SCORED), ruling("not played", table="4S N ="))).status == "not applied"


def test_a_pending_ruling_leaves_the_score_and_makes_the_totals_provisional() -> None:
    opened = under(board(*AS_SCORED), replace(ONE_DOWN, state="pending"))
    assert status(opened).status == "pending"
    document = opened.score_json()
    assert (document["games"][0]["results"][0]["mp_ns"], document["provisional"]) == ("4", True)


def test_a_provisional_ruling_counts_and_says_so() -> None:
    document = under(board(*AS_SCORED), replace(ONE_DOWN, state="provisional")).score_json()
    assert (document["games"][0]["results"][0]["mp_ns"], document["provisional"]) == ("2", True)


def test_a_result_that_is_not_in_the_file_yet_waits_and_the_others_go_on() -> None:
    later = ruling("table", id="A-2", where=({"board": "9", "ns": "1"},))
    opened = under(board(*AS_KEYED), ONE_DOWN, later)
    assert [status.status for status in opened.statuses()] == ["applied", "waiting"]
    assert codes(opened) == [("note", "waiting", "A-2")]


def test_a_status_as_json_leaves_out_what_there_is_not() -> None:
    assert status(under(board(*AS_KEYED), ONE_DOWN)).to_json() == {
        "ruling": "A-1", "game": 1, "board": "7", "status": "applied", "where": "pairs 1-11",
        "computed": "MP NS 2 EW 2",
    }  # fmt: skip


# What an edition allows


def test_weights_at_the_table_under_the_laws_of_1997_are_refused_with_the_article() -> None:
    opened = under(board(*AS_SCORED), ruling("60% 4S N =, 40% 4S N -1", laws="laws-1997", regulations="pzbs"))
    assert codes(opened) == [("error", "award", "A-1")]
    assert "laws-1997" in opened.problems[0].text and "12C" in opened.problems[0].text
    assert opened.statuses() == () and opened.records() == {} and opened.to_attach() == {"A-1"}
    assert opened.score_json()["games"][0]["results"][0]["kind"] == "table"


@pytest.mark.parametrize(
    "more", [{"override": "a reason"}, {"stage": "appeal"}, {"regulations": "wbf", "laws": "laws-2017"}]
)
def test_weights_are_accepted_with_a_reason_from_a_committee_and_under_later_laws(more: dict[str, str]) -> None:
    entry = ruling("60% 4S N =, 40% 4S N -1", **{"laws": "laws-1997", "regulations": "pzbs", **more})
    opened = under(board(*AS_SCORED), entry)
    assert codes(opened) == []
    assert opened.score_json()["games"][0]["results"][0]["kind"] == "weighted"


def test_a_refused_award_stops_nothing_else() -> None:
    weights = ruling("60% 4S N =, 40% 4S N -1", laws="laws-1997", regulations="pzbs")
    opened = under(board(*AS_SCORED), weights, replace(ONE_DOWN, id="A-2"))
    assert [(status.ruling, status.status) for status in opened.statuses()] == [("A-2", "not applied")]
    assert [there.ruling.id for there in opened.annotate()[1]] == ["A-2"]


def test_without_screens_the_base_laws_alone_answer() -> None:
    tempo: dict[str, str | int] = {
        "slow-side": "NE", "seconds": 40, "pace": "slow", "attention-by": "S", "attributed-to": "partner",
        "unexpected": "no", "varied": "no",
    }  # fmt: skip
    entry = ruling("table", grounds=(Ground("tempo", tempo),))
    (behind,), (open_table,) = (
        under(board(*AS_SCORED), replace(entry, screens=screens)).records()[1] for screens in (True, False)
    )
    assert behind.regulations.startswith("wbf ") and behind.regulations.endswith(" on laws-2017")
    assert open_table.regulations.startswith("laws-2017 ") and " on " not in open_table.regulations
    assert any(article.startswith("WBF") for article in behind.findings[0].cites)
    assert not any(article.startswith("WBF") for article in open_table.findings[0].cites)


@pytest.mark.parametrize(
    ("more", "code", "word"),
    [
        ({"regulations": "", "laws": ""}, "regulations", "names no regulations"),
        ({"regulations": "wfb"}, "regulations", "wfb"),
        ({"regulations": "wfb", "grounds": (Ground(laws=("81C3",), finding="in words"),)}, "regulations", "wfb"),
        ({"regulations": "wfb", "grounds": (Ground("fault", {"ns": "not", "ew": "not"}),)}, "regulations", "wfb"),
        ({"grounds": (Ground("tempo", {"second": 40}),)}, "ground", "second"),
        ({"grounds": (Ground("temper", {}),)}, "ground", "temper"),
    ],
)
def test_an_entry_that_the_tables_cannot_answer_is_an_error_and_not_attached(
    more: dict[str, Any], code: str, word: str
) -> None:
    opened = under(board(*AS_SCORED), ruling("4S N -1", **more))
    assert codes(opened) == [("error", code, "A-1")]
    assert word in opened.problems[0].text
    assert opened.annotate()[0] == board(*AS_SCORED)


def test_a_ground_with_one_fact_missing_is_a_note_and_attached_as_open() -> None:
    opened = under(board(*AS_SCORED), ruling(grounds=(Ground("tempo", {"slow-side": "NE"}),)))
    assert codes(opened) == [("note", "ground-open", "A-1")] and not opened.all_decided()
    assert opened.records()[1][0].findings[0].outcome == {"status": "open"}


# Records in the file instead of a ledger


@pytest.mark.parametrize("detail", record.DETAILS)
@pytest.mark.parametrize("folder", EVENTS)
def test_a_file_scores_by_its_records_as_by_the_ledger_that_they_came_from(folder: str, detail: str) -> None:
    data = (FIXTURES / folder / EVENTS[folder]).read_bytes()
    book = replace(book_of(folder), penalties=())  # a penalty is on a contestant, so it is in no file
    by_ledger = event.open_rulings(data, book, TABLES)
    by_records = event.open_event(by_ledger.annotate(detail)[0], [], TABLES)
    assert by_records.policy == by_ledger.policy
    one, other = by_ledger.score_json(), by_records.score_json()
    assert {key: one[key] for key in ("games", "totals", "provisional")} == {
        key: other[key] for key in ("games", "totals", "provisional")
    }
    assert record.strip(rescore(by_records, "1")) == rescore(by_ledger, "1")


@pytest.mark.parametrize(
    ("regulations", "laws", "screens"),
    [("pzbs", "laws-1997", True), ("wbf", "laws-2017", True), ("wbf", "laws-2017", False)],
)
def test_averages_by_the_law_keep_the_edition_of_their_record(regulations: str, laws: str, screens: bool) -> None:
    entry = ruling("A+ / A-", regulations=regulations, laws=laws, screens=screens)
    opened = under(board(*AS_SCORED), entry)
    alone = event.open_event(opened.annotate()[0], [], TABLES)
    assert alone.regulations == opened.regulations
    assert alone.averages["A-1"] == opened.averages["A-1"] == event.averages_of(TABLES.lawbook.code(laws))


def test_an_overridden_award_counts_from_the_record_as_well() -> None:
    entry = ruling("60% 4S N =, 40% 4S N -1", laws="laws-1997", regulations="pzbs", override="a reason")
    annotated = under(board(*AS_SCORED), entry).annotate()[0]
    alone = event.open_event(annotated, [], TABLES)
    assert codes(alone) == [] and alone.score_json()["games"][0]["results"][0]["kind"] == "weighted"


def test_the_ledgers_entry_counts_and_not_the_record_of_the_same_ruling() -> None:
    annotated = under(board(*AS_SCORED), ONE_DOWN).annotate()[0]
    later = replace(ONE_DOWN, state="withdrawn")
    assert under(annotated, later).score_json()["games"][0]["results"][0]["kind"] == "table"


def test_a_record_of_an_appeal_still_supersedes_when_only_the_first_ledger_is_given() -> None:
    first = ONE_DOWN
    appeal = ruling("4S N -2", id="B-1", supersedes="A-1", stage="appeal", table="4S N =")
    annotated = under(board(*AS_SCORED), first, appeal).annotate()[0]
    again = under(annotated, first)
    assert codes(again) == []
    assert again.score_json()["games"][0]["results"][0]["score_ns"] == "-100"
    assert again.annotate()[0] == annotated


def test_an_entry_with_a_mistake_takes_its_old_record_off_the_board() -> None:
    data = board(*AS_SCORED)
    annotated = under(data, ONE_DOWN).annotate()[0]
    mistaken = replace(ONE_DOWN, regulations="wfb")
    assert under(annotated, mistaken).annotate()[0] == data


# Rescoring


def table_cells(data: bytes, name: str) -> list[dict[str, list[tuple[str, bool]]]]:
    """For each game the columns of a table, each cell as text and whether it is quoted."""
    tape = pbn.read(data)
    return [
        {
            f"{column.name}\\{column.width}{column.align}": [(row[index].text, row[index].quoted) for row in table.rows]
            for index, column in enumerate(table.columns)
        }
        for game in tape.games
        if (table := pbn.table(tape, game, name))
    ]


FIGURES = ("MP_", "IMP_", "Percentage_")


@pytest.mark.parametrize("folder", EVENTS)
def test_rescoring_leaves_everything_but_figures(folder: str) -> None:
    opened = fixture(folder)
    before, after = opened.tape.data, rescore(opened, "1")
    for old, new in zip(table_cells(before, "ScoreTable"), table_cells(after, "ScoreTable"), strict=True):
        assert list(old) == list(new)
        assert all(old[name] == new[name] for name in old if not name.startswith(FIGURES))
    # A tag is as long as its value; everything in columns stays in them.
    lines = zip(before.splitlines(), after.splitlines()[1:], strict=True)
    assert all(len(old) == len(new) for old, new in lines if not old.startswith(b"[ScoreIMP "))
    assert sorted(re_line(before)) == sorted(re_line(after.split(b"\n", 1)[1]))


def re_line(data: bytes) -> Iterable[bytes]:
    """The lines that rescoring may not touch: all but rows of tables, which begin with a blank, and score tags."""
    return (line for line in data.split(b"\n") if not line.startswith((b" ", b"[ScoreIMP ")))


def test_rescoring_leaves_boards_without_a_ruling_as_they_are() -> None:
    opened = fixture("pairs-wbf")
    after = rescore(opened, "1")
    ruled = {result.game for place in opened.in_force for result in place.results}
    tape = pbn.read(after)
    same = [
        old.number
        for old, new in zip(opened.tape.games[:-1], tape.games[:-1], strict=True)
        if opened.tape.data[old.start : old.end] == after[new.start : new.end]
    ]
    assert set(range(1, 27)) - ruled <= set(same)
    assert {10, 12, 19, 20}.isdisjoint(same)


@pytest.mark.parametrize("folder", EVENTS)
def test_rescoring_twice_changes_nothing_more(folder: str) -> None:
    once = rescore(fixture(folder), "1")
    assert rescore(fixture(folder, data=once), "1") == once


def test_the_rescored_standings_are_the_expected_ones_in_their_order() -> None:
    (table,) = table_cells(rescore(fixture("pairs-wbf"), "1"), "TotalScoreTable")
    rows = list(zip(*([text for text, _ in cells] for cells in table.values()), strict=True))
    assert [(row[0], row[1], row[2]) for row in rows] == [
        (str(total["rank"]), total["contestant"], "N-S" if total["direction"] == "NS" else "E-W")
        for total in EXPECTED["standings"]
    ]
    for row, total in zip(rows, EXPECTED["standings"], strict=True):
        assert [Fraction(row[3]), Fraction(row[4]), int(row[5])] == [
            Fraction(total["total"]), Fraction(total["percent"]), total["boards"],
        ]  # fmt: skip


def test_a_later_rescoring_replaces_the_line_that_says_so() -> None:
    first = rescore(under(board(*AS_SCORED), ONE_DOWN), "1.0")
    second = rescore(under(first, policy="ebu"), "2.0")
    assert second.startswith(b"%screenplug rescored by 2.0, policy ebu, rulings none\n[Event")
    assert second.count(b"%screenplug") == 1
    assert second.split(b"\n", 1)[1] == board(*AS_SCORED)


def test_a_pending_ruling_is_not_named_as_one_that_counted() -> None:
    opened = under(board(*AS_SCORED), replace(ONE_DOWN, state="pending"))
    assert rescore(opened, "1").startswith(b"%screenplug rescored by 1, policy neutral, rulings none\n")


@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
def test_a_byte_order_mark_stays_first_and_line_ends_are_the_files(end: bytes) -> None:
    data = b"\xef\xbb\xbf" + board(*AS_SCORED).replace(b"\n", end)
    after = rescore(under(data, ONE_DOWN), "1")
    assert after.startswith(b"\xef\xbb\xbf%screenplug rescored by 1, policy neutral, rulings A-1" + end + b"[Event")
    assert b" 1 11 4S   N 10   2.0   2.0" + end in after
    assert rescore(under(after, ONE_DOWN), "1") == after


def test_a_quoted_cell_stays_quoted() -> None:
    rows = (' 1 11 4S   N 10 "4.0"   0.0', ' 2 12 4S   N  9 "1.0"   3.0', " 3 13 4S   N  9   1.0   3.0")
    lines = rescore(under(board(*rows), ONE_DOWN), "1").decode().splitlines()
    assert lines[-3:] == [
        ' 1 11 4S   N 10 "2.0"   2.0',
        ' 2 12 4S   N  9 "2.0"   2.0',
        " 3 13 4S   N  9   2.0   2.0",
    ]


def test_a_wrong_figure_is_mended_without_any_ruling_and_a_right_one_keeps_its_form() -> None:
    rows = (" 1 11 4S   N 10   4.0  0.00", " 2 12 4S   N  9     1     2", " 3 13 4S   N  9  1.00   3.0")
    lines = rescore(under(board(*rows)), "1").decode().splitlines()
    assert lines[-3:] == [rows[0], " 2 12 4S   N  9     1  3.00", rows[2]]


def test_a_figure_that_needs_more_room_takes_blanks_and_never_another_cell() -> None:
    rows = (" 1 11 4S   N 10 4 0", " 2 12 4S   N  9 1 3", " 3 13 4S   N  9 1 3")
    data = board(*rows, columns="PairId_NS;PairId_EW;Contract;Declarer;Result;MP_NS\\1R;MP_EW\\1R")
    lines = rescore(under(data, ruling("1/3 4S N =, 2/3 4S N -1")), "1").decode().splitlines()
    assert lines[-3:] == [" 1 11 4S   N 10 2.67 1.33", " 2 12 4S   N  9 1.67 2.33", " 3 13 4S   N  9 1.67 2.33"]


def test_what_was_not_played_or_is_late_shows_no_figure() -> None:
    for score, shown in (("not played", "-"), ("cancelled", "-"), ("late", "?")):
        lines = rescore(under(board(*AS_SCORED), ruling(score)), "1").decode().splitlines()
        assert lines[-3].split()[-2:] == [shown, shown]


def test_standings_with_an_unknown_contestant_are_left_alone() -> None:
    standings = '[TotalScoreTable "Rank\\2R;PairId\\2R;TotalMP\\5R"]\n 1  1   9.0\n 2 99   1.0\n'
    assert standings.encode() in rescore(under(board(*AS_SCORED, more=standings), ONE_DOWN), "1")


def test_standings_are_put_in_the_order_of_the_new_ranks() -> None:
    rows = [*AS_SCORED[1:], AS_SCORED[0]]
    standings = '[TotalScoreTable "Rank\\2R;PairId\\2R;TotalMP\\5R;Name"]\n'
    standings += (
        ' 1  1   4.0 "A 1"\n 2  2   1.0 "B"\n 2  3   1.0 "C"\n 1 12   3.0 "D"\n 1 13   3.0 "E"\n 3 11   0.0 "F"\n'
    )
    after = rescore(under(board(*rows, more=standings), ruling("4S N -2", table="4S N =")), "1").decode()
    assert after.splitlines()[-6:] == [
        ' 1  2   3.0 "B"', ' 1  3   3.0 "C"', ' 3  1   0.0 "A 1"',
        ' 1 11   4.0 "F"', ' 2 12   1.0 "D"', ' 2 13   1.0 "E"',
    ]  # fmt: skip


def test_a_table_that_cannot_be_read_is_left_alone() -> None:
    data = board(*AS_SCORED, "stray")
    assert rescore(under(data), "1").split(b"\n", 1)[1] == data


# Teams


def room(name: str, contract: str, declarer: str, tricks: str) -> str:
    tags = {"Event": "Trees", "Board": "7", "Vulnerable": "None", "Scoring": "IMP", "Room": name}
    tags |= {"HomeTeam": "Ash", "VisitTeam": "Birch", "Declarer": declarer, "Contract": contract, "Result": tricks}
    return "".join(f'[{tag} "{value}"]\n' for tag, value in tags.items())


def match(*rooms: str) -> bytes:
    return "\n".join(rooms).encode()


def in_room(name: str, score: str | Mapping[str, str], id: str) -> Ruling:
    return ruling(score, id=id, where=({"board": "7", "room": name},))


BOTH = match(room("Open", "4S", "N", "10"), room("Closed", "4S", "N", "9"))  # +420, -50: 10 IMPs


def imps_of(opened: Event) -> list[tuple[str | None, str | None]]:
    return [(row["imp_ns"], row["imp_ew"]) for game in opened.score_json()["games"] for row in game["results"]]


def test_an_assigned_score_in_one_room_changes_both_rooms_imps() -> None:
    assert imps_of(under(BOTH)) == [("10", "-10"), ("-10", "10")]
    assert imps_of(under(BOTH, in_room("Open", "4S N -1", "A-1"))) == [("0", "0"), ("0", "0")]


def test_weights_apply_after_the_conversion_to_imps() -> None:
    # 70% of 10 IMPs; not the IMPs of 70% of 470 points.
    assert imps_of(under(BOTH, in_room("Open", "70% 4S N =, 30% 4S N -1", "A-1"))) == [("7", "-7"), ("-7", "7")]


def test_weights_in_both_rooms_are_multiplied() -> None:
    # Ash: 420/-50 against 420/-50. 0.6 x 0.25 x (+10) + 0.4 x 0.75 x (-10) = -1.5
    opened = under(
        BOTH,
        in_room("Open", "60% 4S N =, 40% 4S N -1", "A-1"),
        in_room("Closed", "75% 4S N =, 25% 4S N -1", "A-2"),
    )
    assert imps_of(opened) == [("-1.5", "1.5"), ("1.5", "-1.5")]
    totals = {total["contestant"]: (total["total"], total["boards"]) for total in opened.score_json()["totals"]}
    assert totals == {"Ash": ("-1.5", 1), "Birch": ("1.5", 1)}


def test_a_split_score_gives_the_two_teams_different_imps() -> None:
    opened = under(BOTH, in_room("Open", {"ns": "4S N -1", "ew": "4S N ="}, "A-1"))
    assert imps_of(opened) == [("0", "-10"), ("-10", "0")]


@pytest.mark.parametrize("other", [(), (room("Closed", "?", "?", "?"),)])
def test_imps_that_need_a_missing_room_are_unknown(other: tuple[str, ...]) -> None:
    opened = under(match(room("Open", "4S", "N", "10"), *other), in_room("Open", "4S N -1", "A-1"))
    assert set(imps_of(opened)) == {(None, None)}
    document = opened.score_json()
    assert all(total["boards"] == 0 for total in document["totals"]) and document["provisional"] is True
    assert opened.records()[1][0].result == ""


def test_an_award_by_the_law_at_imps_is_three() -> None:
    opened = under(match(room("Open", "4S", "N", "10")), in_room("Open", "A+ / A-", "A-1"))
    assert imps_of(opened) == [("3", "-3")]


def test_the_teams_fixtures_rulings_move_the_match() -> None:
    opened = fixture("teams-wbf")
    figures = {(row.board, row.keys["room"]): opened.figures(row, opened.scored) for row in opened.results}
    assert figures["2", "Open"] == {"imp_ns": Fraction(-3), "imp_ew": Fraction(3)}
    assert figures["1", "Closed"] == {"imp_ns": Fraction(-3), "imp_ew": Fraction(3)}
    assert figures["12", "Closed"] == {"imp_ns": Fraction(-1), "imp_ew": Fraction(1)}
    birch = next(total for total in opened.scored.totals if total.contestant.label == "Birch")
    ash = next(total for total in opened.scored.totals if total.contestant.label == "Ash")
    assert birch.penalty == -3 and birch.total == -(ash.total or 0) - 3


# For people


def test_changes_are_told_from_before_to_after() -> None:
    opened = under(headline(), WEIGHTED)
    assert opened.change_text(opened.results[0]) == "board 7, pairs 1-14: MP NS 19 EW 5 -> MP NS 13.8 EW 10.2"
    before = under(headline())
    assert list(opened.effect_lines(before)) == [
        "  board 7, pairs 1-14: MP NS 19 EW 5 -> MP NS 13.8 EW 10.2",
        "  10 other results on the board change",
    ]


def test_a_printed_figure_that_is_wrong_is_told_with_the_difference() -> None:
    opened = under(board(" 1 11 4S   N 10   3.0   0.0", *AS_SCORED[1:]))
    assert list(opened.compared.wrong) == ["board 7, pairs 1-11, mp_ns: printed 3.0, computed 4, by 1"]
    assert list(opened.score_lines())[-2:] == [
        "1 of 6 printed figures is not what we compute",
        "  board 7, pairs 1-11, mp_ns: printed 3.0, computed 4, by 1",
    ]


def test_a_half_is_shown_to_people_as_in_the_json() -> None:
    rescored = rescore(fixture("pairs-wbf"), "1")
    wrong = fixture("pairs-wbf", data=rescored.replace(b"  6.87   9.13", b"  5.87   9.13", 1))
    shown = next(game for game in wrong.score_json()["games"] if game["board"] == "12")["results"][0]["mp_ns"]
    (told,) = wrong.compared.wrong
    assert shown == "6.87" and "printed 5.87, computed 6.87," in told


def test_only_contestants_that_move_are_listed() -> None:
    opened = under(board(*AS_SCORED), ONE_DOWN)
    lines = list(opened.moved_lines())
    assert lines[-1] == "6 of 6 contestants moved by the rulings, most pair 1 NS: -50 %"
    assert lines[0].split("->")[0].split()[:2] == ["pair", "1"]
    assert list(under(board(*AS_SCORED)).moved_lines()) == ["0 of 6 contestants moved by the rulings"]


def test_rows_with_the_same_pairs_are_told_apart_by_what_differs() -> None:
    columns = "Round\\1R;PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1L;Result\\2R"
    data = board("1  1 11 4S   N 10", "2  1 11 4S   N  9", "1  2 12 4S   N  9", columns=columns)
    opened = under(data, ruling("4S N -1", where=({"board": "7", "ns": "1", "round": "2"},)))
    assert [opened.where(result) for result in opened.results] == [
        {"ns": "1", "ew": "11", "round": "1"}, {"ns": "1", "ew": "11", "round": "2"}, {"ns": "2", "ew": "12"},
    ]  # fmt: skip
    alone = event.open_event(opened.annotate()[0], [], TABLES)
    assert [place.results[0].row for place in alone.in_force] == [2]


def test_an_unknown_policy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Refused, match=r"no scoring policy 'best'.*neutral"):
        under(board(*AS_SCORED), policy="best")


def test_a_match_is_rescored_in_the_tags_of_its_games() -> None:
    opened = fixture("teams-wbf")
    rescored = rescore(opened, "0.1.0")
    again = fixture("teams-wbf", data=rescored)
    assert {each.status for each in again.statuses()} == {"applied", "pending"}
    changed = [
        (old, new)
        for old, new in zip(opened.tape.data.split(b"\n"), rescored.split(b"\n")[1:], strict=True)
        if old != new
    ]
    assert (b'[ScoreIMP "NS 2"]', b'[ScoreIMP "NS 3"]') in changed
    assert all(old.startswith(b"[ScoreIMP ") for old, _ in changed) and len(changed) == 6


def test_an_irregular_call_that_somebody_ruled_on_is_no_finding_any_more() -> None:
    data = (FIXTURES / "teams-wbf" / "match.pbn").read_bytes()
    facts = {"kind": "insufficient-bid", "offender": "E", "tray": "not-passed", "noticed-on": "offenders-side"}
    entry = ruling(where=({"board": "10", "room": "Closed"},), grounds=(Ground("auction-irregularity", facts),))
    found = [[each.code for each in opened.checked()] for opened in (under(data), under(data, entry))]
    assert ["insufficient-bid" in codes for codes in found] == [True, False]


def test_a_ruling_made_on_another_result_than_the_board_has_is_a_note() -> None:
    wrong = under(board(*AS_SCORED), ruling("4S N -1", table="3NT S ="))
    assert ("note", "table-changed", "A-1") in codes(wrong)
    right = under(board(*AS_SCORED), ruling("4S N -1", table=str(wrong.results[0].outcome)))
    assert not [code for _, code, _ in codes(right) if code == "table-changed"]


def test_two_policies_in_the_rulings_are_told_and_the_first_is_used() -> None:
    two = (ruling(id="A-1", policy="wbf"), ruling(id="A-2", policy="acbl", where=({"board": "7", "ns": "2"},)))
    assert ("note", "policies-differ", None) in codes(under(board(*AS_SCORED), *two))
    assert under(board(*AS_SCORED), *two).policy.id == "wbf"
    assert not under(board(*AS_SCORED), *two, policy="acbl").problems


def test_a_ruling_stands_while_its_appeal_is_pending_and_a_note_takes_no_score_away() -> None:
    first = ruling("4S N -1", id="A-1")
    pending = ruling(None, id="A-2", supersedes="A-1", stage="appeal", state="pending")
    note = ruling(None, id="A-3", note="the tray was late")
    alone = under(board(*AS_SCORED), first).scored
    for later in (pending, note):
        for entries in ((first, later), (later, first)):
            both = under(board(*AS_SCORED), *entries)
            assert [each.ns for each in both.scored.scored] == [each.ns for each in alone.scored]
    assert under(board(*AS_SCORED), first, pending).scored.provisional


def test_a_side_that_loses_its_score_is_not_printed_with_the_old_one() -> None:
    entry = ruling({"ns": "60% 4S N =, 40% 4S N -1", "ew": "late"})
    opened = under(board(*AS_SCORED), entry)
    assert status(opened).status != "applied"
    rescored = under(rescore(opened, "1"), entry)
    assert rescored.results[0].printed.keys() == {"mp_ns"} and status(rescored).status == "applied"
    assert rescore(rescored, "1") == rescored.tape.data


def test_the_groups_of_a_fouled_board_in_the_rulings_file_are_scored_apart() -> None:
    book = ledger.read([("a.toml", b'format = 1\n[[fouled]]\nboard = "7"\ngroups = [["1-11", "2-12"], ["3-13"]]\n')])
    opened, plain = (event.open_rulings(board(*AS_SCORED), each, TABLES) for each in (book, ledger.read([])))
    assert [each.ns.value for each in opened.scored.scored] != [each.ns.value for each in plain.scored.scored]


def test_a_contestant_without_a_known_board_is_not_ranked_with_zero() -> None:
    columns = "Rank\\2R;PairId\\2R;TotalMP\\6R;TotalPercentage\\6R;NrBoards\\2R"
    rows = " 1  1    4.0 100.00  1\n 2  2    1.0  25.00  1\n 2  3    1.0  25.00  1\n"
    data = board(*AS_SCORED, more=f'[TotalScoreTable "{columns}"]\n{rows}')
    entry = ruling("not played")
    rescored = rescore(under(data, entry), "1")
    assert rescored.splitlines()[-1].split() == [b"-", b"1", b"?", b"?", b"0"]
    assert rescore(under(rescored, entry), "1") == rescored


def test_a_score_that_its_own_grounds_speak_against_is_a_note() -> None:
    facts = {"source": "tempo", "alternatives": "no", "suggested": "yes", "chosen-suggested": "yes", "damaged": "yes"}
    against = Ground("unauthorized-information", facts)
    for_it = Ground("unauthorized-information", {**facts, "alternatives": "yes"})
    found = [
        [code for _, code, _ in codes(under(board(*AS_SCORED), entry))]
        for entry in (
            ruling("4S N -1", grounds=(against,)),
            ruling("4S N -1", grounds=(against, for_it)),
            ruling("table", grounds=(against,)),
        )
    ]
    assert [("not-adjusted" in each) for each in found] == [True, False, False]


def test_a_board_without_a_result_carries_the_record_of_its_award_while_the_score_waits() -> None:
    data = b'[Board "7"]\n[Scoring "MP"]\n'
    opened = under(data, ruling("60% / 40%", where=({"board": "7"},)))
    annotated, attached, problems = opened.annotate()
    assert len(attached) == 1 and not problems and b'score       "60% / 40%"' in annotated
    assert record.strip(annotated) == data and status(opened).status == "waiting"


WHAT_IF = ("4S S -1", "60% 4S S =, 40% pass", "A+ / A-", "A / A", "65% / 35%", "+3 IMP / -3 IMP", "late", "table")


@pytest.mark.parametrize("folder", EVENTS)
def test_the_effect_of_a_score_is_told_without_scoring_all_again_and_is_the_same(folder: str) -> None:
    before = fixture(folder)
    ruled = {id(result) for place in before.in_force for result in place.results}
    averages = event.averages_of(TABLES.lawbook.code("laws-2017"))
    for result in [each for each in before.results if id(each) not in ruled][::7]:
        where = {"game": str(result.game), "board": result.board, **before.where(result)}
        for text in WHAT_IF:
            figures, others = before.effect(result, Score.parse(text), averages)
            one_more = Ruling("new", (where,), score=Score.parse(text), regulations="laws-2017")
            book = replace(before.ledger, rulings=(*before.ledger.rulings, one_more))
            lines = list(before.under(book, TABLES).effect_lines(before))
            assert lines[-1] == f"  {others} other results on the board change", (text, where)
            assert len(lines) == 1 or lines[0].endswith(f" -> {figures}")


@pytest.mark.parametrize("nobody", ["-", "0", "Bye"])
@pytest.mark.parametrize("policy", ["neutral", "ebu"])  # ebu expects what was not played
def test_a_pair_that_sits_out_is_no_result_of_the_board(nobody: str, policy: str) -> None:
    columns = "PairId_NS;PairId_EW;Contract;Declarer;Result;Score_NS;MP_NS;MP_EW"
    data = board("1 2 4S N 10 420 2 0", "3 4 4S N 9 -50 0 2", f'7 {nobody} - - - "Bye" - -', columns=columns)
    scored = under(data, policy=policy).scored
    assert [(each.kind, each.ns.value, each.ew.value) for each in scored.scored][-1] == ("sit-out", None, None)
    first = scored.scored[0].ns
    assert (scored.provisional, first.value, first.top, scored.problems) == (False, 2, 2, ())


def test_a_pair_whose_opponents_are_unknown_does_not_sit_out() -> None:
    opened = under(board("1 2 4S N 10 - -", "3 4 4S N 9 - -", "7 ? - - - - -"))
    assert opened.scored.provisional and opened.scored.scored[0].ns.top == 4


def test_a_score_beside_a_contract_that_cannot_be_read_counts_and_is_told() -> None:
    columns = "PairId_NS;PairId_EW;Contract;Declarer;Result;Score_NS"
    scored = under(board("1 2 4S N 10 420", "3 4 hello N 9 400", columns=columns)).scored
    assert [each.ns.value for each in scored.scored] == [2, 0] and not scored.provisional
    assert [(each.severity, each.text) for each in scored.problems] == [
        ("note", "board 7, 3-4: 'hello' is no contract; the printed score counts")
    ]


def test_before_is_the_table_score_also_when_the_program_has_been_told() -> None:
    keyed, scored = under(board(*AS_KEYED), ONE_DOWN), under(board(*AS_SCORED), ONE_DOWN)
    assert keyed.change_text(keyed.results[0]) == scored.change_text(scored.results[0])
    assert " -> " in keyed.change_text(keyed.results[0])
    assert list(keyed.moved_lines()) == list(scored.moved_lines())


EVENINGS = [path for path in sorted(FIXTURES.glob("*/*.pbn")) if list(path.parent.glob("rulings*.toml"))]
EVENINGS += sorted(FIXTURES.glob("contests/*/session.pbn"))


@pytest.mark.parametrize("path", EVENINGS, ids=lambda path: path.parent.name)
def test_a_record_has_the_figures_of_the_whole_event_although_only_its_board_is_scored(path: Path) -> None:
    books = [(book.name, book.read_bytes()) for book in sorted(path.parent.glob("rulings*.toml"))]
    opened, whole = (event.open_event(path.read_bytes(), books, TABLES) for _ in range(2))
    _ = whole.scored
    assert opened.annotate() == whole.annotate()
    entries = [[ruling for ruling in opened.ledger.rulings if ruling.id == one.id] for one in opened.ledger.rulings]
    for one in entries:  # each alone: then no average by the law hides in the others
        alone, full = (
            event.open_rulings(path.read_bytes(), replace(opened.ledger, rulings=tuple(one)), TABLES) for _ in range(2)
        )
        _ = full.scored
        assert alone.annotate() == full.annotate()


def test_to_attach_a_ruling_the_other_boards_are_not_scored() -> None:
    opened = fixture("pairs-wbf")
    one = next(each for each in opened.ledger.rulings if each.score and each.score.kind == "weighted")
    alone = event.open_rulings(opened.tape.data, replace(opened.ledger, rulings=(one,)), TABLES)
    annotated, attached, _ = alone.annotate()
    assert len(attached) == 1 and b"MP NS " in annotated
    assert "scored" not in vars(alone)
