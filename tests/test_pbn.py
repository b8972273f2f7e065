from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from screenplug import pbn
from screenplug.model import Game, Refused, Tag
from screenplug.pbn import Tape

FIXTURES = Path(__file__).parent.parent / "fixtures" / "pbn"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expect.json").read_text(encoding="utf-8"))
READABLE = [name for name, expected in EXPECTED.items() if "refused" not in expected]
SECTION = "RulingTable"


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.pbn").read_bytes()


def tape_of(text: str) -> Tape:
    return pbn.read(text.encode("latin-1"))


def with_section(tape: Tape, game: Game) -> bytes:
    position, before, line_end = pbn.insertion(tape, game, SECTION)
    lines = [f'[{SECTION} "Ruling\\4L;Value"]'.encode(), b'A-1  "one two"', b"A-1  3"]
    return pbn.splice(tape.data, [(position, position, before + line_end.join(lines) + (b"" if before else line_end))])


def without_section(data: bytes, number: int) -> bytes:
    tape = pbn.read(data)
    section = [tag for tag in tape.games[number - 1].tags if tag.name == SECTION][-1]
    return pbn.splice(data, [(*pbn.removal(tape, section), b"")])


def cells(tape: Tape, tag: Tag) -> list[str]:
    return [cell.text for cell in pbn.cells_of(tape.data, tag)]


def content(data: bytes, but: str = "") -> list[list[tuple[str, str, list[str]]]]:
    """Each game as its tags with their values and cells."""
    tape = pbn.read(data)
    return [[(tag.name, tag.value, cells(tape, tag)) for tag in game.tags if tag.name != but] for game in tape.games]


# The fixtures


def test_every_fixture_is_described() -> None:
    assert {path.stem for path in FIXTURES.glob("*.pbn")} == set(EXPECTED)


@pytest.mark.parametrize("name", READABLE)
def test_a_file_has_the_games_and_problems_that_are_expected(name: str) -> None:
    tape = pbn.read(fixture(name))
    assert [game.value("Board") for game in tape.games] == EXPECTED[name]["boards"]
    assert [problem.code for problem in tape.problems] == EXPECTED[name]["problems"]


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in READABLE])
def test_what_is_no_text_is_refused_with_a_remedy(name: str) -> None:
    with pytest.raises(Refused) as refused:
        pbn.read(fixture(name))
    assert "Save" in refused.value.remedy


@pytest.mark.parametrize("name", READABLE)
def test_a_section_goes_to_the_line_that_is_expected_and_comes_off_without_a_trace(name: str) -> None:
    data = fixture(name)
    tape = pbn.read(data)
    for game, place in zip(tape.games, EXPECTED[name]["places"], strict=True):
        if place is None:
            with pytest.raises(Refused):
                pbn.insertion(tape, game, SECTION)
            continue
        ruled = with_section(tape, game)
        section = pbn.read(ruled).games[game.number - 1].tag(SECTION)
        assert section and section.line == place
        assert content(ruled, but=SECTION) == content(data)
        assert without_section(ruled, game.number) == data


@pytest.mark.parametrize("name", [name for name in READABLE if "pair" in EXPECTED[name]])
def test_a_pair_has_one_result_in_the_scoretable(name: str) -> None:
    pair = EXPECTED[name]["pair"].items()
    for game in pbn.read(fixture(name)).games:
        found = [
            result
            for result in pbn.results(pbn.read(fixture(name)))
            if result.game == game.number and pair <= result.keys.items()
        ]
        assert len(found) == bool(game.tag("ScoreTable"))


@pytest.mark.parametrize("name", READABLE)
def test_sections_in_all_games_at_once_come_off_without_a_trace(name: str) -> None:
    data = fixture(name)
    for number, place in enumerate(EXPECTED[name]["places"], 1):
        if place is not None:
            data = with_section(pbn.read(data), pbn.read(data).games[number - 1])
    for number, place in enumerate(EXPECTED[name]["places"], 1):
        if place is not None:
            data = without_section(data, number)
    assert data == fixture(name)


# Any bytes at all

SCRAPS = [
    *("[", "]", '"', "{", "}", ";", "%", "\\", " ", "\t", "\n", "\r", "\r\n", "\n\n", "\x1a", "\xe9", "#", "^60", "-"),
    *('[Board "1"]', '[Board "2"]', '[Deal ""]', '[Event "##x"]', '[Event "#"]', '[Auction "N"]', '[Play "W"]'),
    *('[Note "1:x"]', '[ScoreTable "PairId_NS;Score_NS"]', '[OptimumResultTable ""]', '[TotalScoreTable "A;B"]'),
    *("1 2", '"x y"', "1H 1D", "% glued", "{ a\n\n b }", "; rest", "[Bad tag]", '[Name\n"x"', '[Contract "4S"]'),
]
soup = st.lists(st.sampled_from(SCRAPS), max_size=30).map(lambda scraps: "".join(scraps).encode("latin-1"))
any_bytes = st.binary(max_size=200) | soup


@settings(deadline=None)
@given(any_bytes)
def test_reading_refuses_nothing_but_nul_and_utf_16(data: bytes) -> None:
    try:
        tape = pbn.read(data)
    except Refused:
        assert b"\0" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff")
        return
    pbn.results(tape)
    for game in tape.games:
        for tag in game.tags:
            if not pbn.table(tape, game, tag.name):
                pbn.table_problems(tape, game, tag.name)


@settings(deadline=None)
@given(any_bytes)
def test_games_and_tags_cover_the_tape_in_order(data: bytes) -> None:
    if b"\0" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return
    tape = pbn.read(data)
    at = 0
    for number, game in enumerate(tape.games, 1):
        assert game.number == number
        assert at <= game.start < game.end <= len(data)
        at = game.start
        for tag in game.tags:
            assert at <= tag.start < tag.end == tag.data_start <= tag.data_end <= game.end
            assert data[tag.start : tag.start + 1] == b"[" and data[tag.end - 1 : tag.end] == b"]"
            assert tape.position(tag.start)[0] == tag.line
            at = tag.data_end


@settings(deadline=None)
@given(any_bytes)
def test_changing_nothing_gives_the_same_bytes(data: bytes) -> None:
    assert pbn.splice(data, ()) == data


@settings(max_examples=300, deadline=None)
@given(soup)
@example(b'[Board "1"]\r[Play "W"]\rH2\r% glued\r[Room "x"]')
def test_a_section_moves_nobody_elses_tags_and_rows_and_comes_off_without_a_trace(data: bytes) -> None:
    tape = pbn.read(data)
    for game in tape.games:
        if not game.refusal:
            ruled = with_section(tape, game)
            assert content(ruled, but=SECTION) == content(data)
            assert ("RulingTable", r"Ruling\4L;Value", ["A-1", "one two", "A-1", "3"]) in content(ruled)[
                game.number - 1
            ]
            assert without_section(ruled, game.number) == data


names = st.text("ABCZ_abz019", min_size=1, max_size=8)
values = st.text(st.characters(codec="latin-1", exclude_characters='"\\\t\n\r\f\v\x00\x1a'), max_size=20)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.tuples(names, values), min_size=1, max_size=5), max_size=4),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_tags_written_by_the_rules_are_read_back(games: list[list[tuple[str, str]]], end: str) -> None:
    text = end.join(end.join([*(f'[{name} "{value}"]' for name, value in game), ""]) for game in games)
    found = [[(tag.name, tag.value) for tag in game.tags] for game in tape_of(text).games]
    assert found == games


# The rules


def test_positions_count_every_kind_of_line_end_once() -> None:
    tape = pbn.read(b"ab\rc\r\n\nd")
    assert [tape.position(offset) for offset in (0, 1, 3, 6, 7, 8)] == [(1, 1), (1, 2), (2, 1), (3, 1), (4, 1), (4, 2)]


def test_a_hash_takes_the_value_of_the_nearest_game_before() -> None:
    games = pbn.read(fixture("inherited-for-all")).games
    assert [game.value("Event") for game in games] == ["Thursday pairs", "Thursday pairs", "Play-off", None]
    assert games[1].value("West") == ""
    assert games[0].tags[0].value == "##Thursday pairs"


def test_a_hash_ends_the_copying_that_two_hashes_began() -> None:
    tape = tape_of('[Event "##A"]\n\n[Event "#"]\n\n[Board "3"]\n\n[Event "#"]\n')
    assert [game.value("Event") for game in tape.games] == ["A", "A", None, "A"]


def test_a_deal_is_never_inherited() -> None:
    tape = tape_of('[Deal "N:x"]\n\n[Deal "#"]\n')
    assert tape.games[1].value("Deal") == "#"


def test_escapes_in_a_value_are_only_quote_and_backslash() -> None:
    assert pbn.read(fixture("escaped-quotes")).games[0].value("Event") == 'The "Thursday" [A] {1}; C:\\x'
    assert pbn.read(fixture("lone-backslash")).games[0].value("Event") == "M\\'s P:\\dlr"


def test_a_refused_game_says_which_line_to_mend() -> None:
    tape = pbn.read(fixture("comment-unclosed"))
    with pytest.raises(Refused, match=r"game 1: the comment that begins in line 15 never ends\. Mend"):
        pbn.insertion(tape, tape.games[0], SECTION)
    assert tape.problems[0].severity == "error"


def test_oddities_that_can_be_read_are_notes() -> None:
    odd = ("bom", "duplicate-tags", "tag-in-directive", "trailing-statistics", "tag-without-quotes", "long-line")
    assert {problem.severity for name in odd for problem in pbn.read(fixture(name)).problems} == {"note"}


def test_overlapping_edits_are_rejected() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        pbn.splice(b"abcdef", [(0, 3, b""), (2, 4, b"")])


def test_a_comment_put_after_our_rows_stays_when_the_section_is_taken_off() -> None:
    data = b'[Board "1"]\n[RulingTable "A;B"]\n1 2\n% theirs\n{ theirs }\n'
    assert without_section(data, 1) == b'[Board "1"]\n% theirs\n{ theirs }\n'


def test_reading_time_grows_only_with_the_size_of_hostile_text() -> None:
    for scrap in ('[A "x', "[\n%", '[A\n%"\n', '"', "{", "[A ", '\\"', '[A "x"]"', "% [", " ", '"x" '):
        started = perf_counter()
        tape_of('[A "x"]\n' + scrap * (200_000 // len(scrap)))
        assert perf_counter() - started < 3


# Tables


def test_a_table_header_gives_names_widths_sides_and_order() -> None:
    tape = tape_of('[T "-Rank\\3R;+Score_NS\\5;Names"]\n1 2 "a b"\n')
    table = pbn.table(tape, tape.games[0], "T")
    assert table
    assert [(c.name, c.width, c.align, c.order) for c in table.columns] == [
        ("Rank", 3, "R", "-"),
        ("Score_NS", 5, "", "+"),
        ("Names", 0, "", ""),
    ]
    assert [cell.text for cell in table.rows[0]] == ["1", "2", "a b"]
    assert tape.data[table.rows[0][2].start : table.rows[0][2].end] == b'"a b"'
    assert (table.column("Names"), table.column("Rules")) == (2, None)


def test_a_table_takes_its_header_from_the_game_before_with_a_hash() -> None:
    tape = tape_of('[T "A;B"]\n1 2\n\n[T "#"]\n3 4\n')
    table = pbn.table(tape, tape.games[1], "T")
    assert table and [column.name for column in table.columns] == ["A", "B"]


def test_a_table_with_a_missing_cell_names_the_line() -> None:
    tape = pbn.read(fixture("table-cells-missing"))
    assert pbn.table(tape, tape.games[0], "ScoreTable") is None
    (problem,) = pbn.table_problems(tape, tape.games[0], "ScoreTable")
    assert problem.code == "table-cells" and problem.line == 14
    (result,) = pbn.results(tape)
    assert result.outcome is None and result.points is None and "34 cells" in result.why


def test_a_header_that_names_no_column_is_left_alone() -> None:
    tape = pbn.read(fixture("empty-table-header"))
    assert pbn.table(tape, tape.games[0], "OptimumResultTable") is None
    assert [problem.code for problem in pbn.table_problems(tape, tape.games[0], "OptimumResultTable")] == [
        "table-header"
    ]


# Results


def test_a_row_tells_outcome_points_and_matchpoints() -> None:
    result = pbn.results(pbn.read(fixture("plain")))[2]
    assert (result.game, result.row, result.board, result.vulnerable) == (1, 3, "1", "None")
    assert str(result.outcome) == "2H W -2"
    assert result.points == 100
    assert dict(result.printed) == {"mp_ns": "2.0", "mp_ew": "4.0"}
    assert dict(result.keys) == {"event": "Thursday pairs", "board": "1", "game": "1", "ns": "3", "ew": "13"}


def test_printed_averages_are_awards() -> None:
    results = pbn.results(pbn.read(fixture("averages-as-strings")))
    assert [result.award.value() for result in results] == ["table", "A- / A+", "table"]
    assert results[1].points is None and results[1].outcome is None and not results[1].why


def test_percentages_without_a_contract_are_awards() -> None:
    results = pbn.results(pbn.read(fixture("percentages-with-caret")))
    assert results[1].award.value() == "60% / 50%"
    assert str(results[2].outcome) == "pass" and results[2].points == 0


def row(contract: str, declarer: str, tricks: str, ns: str, ew: str) -> Any:
    header = '[ScoreTable "Contract;Declarer;Result;Score_NS;Score_EW"]\n'
    return pbn.results(tape_of(header + " ".join([contract, declarer, tricks, ns, ew])))[0]


@pytest.mark.parametrize(
    ("cells", "outcome", "points"),
    [
        ("3N N 9 400 -", "3NT N =", 400),
        ("4hx e 8 300 -", "4HX E -2", 300),
        ("1CXX ^S 7 - 230", "1CXX S =", -230),
        ("PASS - - PASS -", "pass", 0),
        ("2S S 8 ? ?", "2S S =", None),
        ("2S S 8 110 -110", "2S S =", 110),
        ("2S S 8 0 50", "2S S =", -50),
        ("- - - 420 -", "None", 420),
        ("2S S -9752 - -", "None", None),
        ("2S S 14 - -", "None", None),
        ("? ? ? ? ?", "None", None),
    ],
)
def test_contracts_and_scores_are_read_in_all_their_spellings(cells: str, outcome: str, points: int | None) -> None:
    result = row(*cells.split())
    assert str(result.outcome) == outcome
    assert result.points == points
    assert bool(result.why) == (outcome == "None" and points is None)


def test_two_scores_that_contradict_each_other_are_no_score() -> None:
    result = row("-", "-", "-", "400", "50")
    assert result.points is None and "NS 400, EW 50" in result.why


def game(tags: str) -> Any:
    return pbn.results(tape_of('[Board "7"]\n[Declarer "E"]\n[Contract "4S"]\n' + tags))[0]


@pytest.mark.parametrize(
    ("score", "points"),
    [
        ("420", -420),
        ("NS -420", -420),
        ("EW 420", -420),
        ("EW +50 NS -50", -50),
        ("-50", 50),
        ('\\"420\\"', -420),
        ("", None),
        ("?", None),
    ],
)
def test_a_score_tag_counts_for_the_side_it_names_or_else_for_declarer(score: str, points: int | None) -> None:
    assert game(f'[Score "{score}"]').points == points


@pytest.mark.parametrize(
    ("tricks", "outcome"),
    [("10", "4S E ="), ("^9", "4S E -1"), ("EW 9 NS 4", "4S E -1"), ("NS 4", "4S E -1"), ("?", "None")],
)
def test_tricks_count_for_the_side_they_name_or_else_for_declarer(tricks: str, outcome: str) -> None:
    assert str(game(f'[Result "{tricks}"]').outcome) == outcome


def test_a_game_without_a_contract_can_print_an_artificial_score() -> None:
    text = '[Board "7"]\n[Contract ""]\n[Result ""]\n[ScorePercentage "NS 40.0 EW 60,5"]\n'
    award = pbn.results(tape_of(text))[0].award
    assert (award.ns.amount, award.ew.amount) == (Fraction(40), Fraction(121, 2))


def test_an_unknown_contract_is_no_artificial_score() -> None:
    result = pbn.results(tape_of('[Contract "?"]\n[ScorePercentage "NS 40 EW 60"]\n'))[0]
    assert result.award.value() == "table" and result.why == "no result is given"


def test_a_game_is_found_by_teams_room_and_players() -> None:
    text = '[HomeTeam "Ash"]\n[VisitTeam "Birch"]\n[Room "Open"]\n[Round "2"]\n[North "N1"]\n[East "?"]\n[Result "9"]\n'
    assert dict(pbn.results(tape_of(text))[0].keys) == {
        "match": "Ash-Birch",
        "room": "Open",
        "round": "2",
        "game": "1",
        "n": "N1",
    }


def test_a_deal_without_a_result_is_no_result() -> None:
    assert pbn.results(tape_of('[Board "1"]\n[Deal "N:x"]\n')) == ()
