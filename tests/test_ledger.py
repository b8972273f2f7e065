from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screenplug import ledger
from screenplug.model import Award, Game, Ground, Ledger, Outcome, Problem, Result, Ruling, Score, Tag

LEDGERS = Path(__file__).parent.parent / "fixtures" / "ledgers"
BROKEN = sorted((LEDGERS / "broken").glob("*.toml"))


def read(*texts: str) -> Ledger:
    return ledger.read((f"{n}.toml", text.encode()) for n, text in enumerate(texts, 1))


def ruling(id: str, rest: str = 'board = "7"\nns = "3"') -> str:
    return f'[[ruling]]\nid = "{id}"\n{rest}\n\n'


def codes(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.code for problem in problems]


# Reading


@pytest.fixture(scope="module")
def complete() -> Ledger:
    return ledger.read([("complete.toml", (LEDGERS / "good" / "complete.toml").read_bytes())])


def test_the_complete_file_has_nothing_wrong(complete: Ledger) -> None:
    assert complete.problems == ()
    assert [entry.id for entry in complete.rulings] == ["A-1", "A-2", "A-3", "A-4", "A-5", "A-6"]
    assert [entry.id for entry in complete.penalties] == ["A-7", "A-8", "A-9"]


def test_defaults_hold_unless_the_entry_says_otherwise(complete: Ledger) -> None:
    first, second, _, fourth, *_ = complete.rulings
    assert (first.regulations, first.laws, first.policy, first.session, first.director) == (
        *("wbf", "laws-2017", "wbf", "1", "A"),
    )
    assert (second.regulations, second.laws) == ("pzbs", "laws-2007")
    assert (fourth.session, fourth.director, fourth.screens) == ("2", "B", False)
    assert first.readings == {"pzbs/16.10b": "out-of-turn-card"}
    assert second.readings == {"pzbs/16.10b": "out-of-turn-card", "pzbs/16.7c": "offender-only"}


def test_grounds_keep_facts_apart_from_what_was_said(complete: Ledger) -> None:
    tempo, information = complete.rulings[0].grounds
    assert tempo.facts["seconds"] == 40 and tempo.facts["pace"] == "slow"
    assert tempo.said == {"N": "no break", "W": "about forty seconds"}
    assert tempo.disputed == ("seconds",)
    assert information.poll.startswith("6 asked:\n4 pass")
    assert complete.rulings[4].grounds[0].laws == ("15B", "6D")


def test_scores_of_every_form_are_read(complete: Ledger) -> None:
    kinds = [entry.score.kind if entry.score else None for entry in complete.rulings]
    assert kinds == ["weighted", "split", "artificial", "not-played", "artificial", None]


def test_table_is_the_first_result_when_it_reads_as_one_and_a_table_number_otherwise(complete: Ledger) -> None:
    first, fourth, fifth = complete.rulings[0], complete.rulings[3], complete.rulings[4]
    assert first.table == "4S S =" and "table" not in first.where[0]
    assert fourth.table == "" and fourth.where[0]["table"] == "5"
    assert fifth.where[1]["table"] == "2"
    assert read(ruling("1", 'board = "7"\ntable = "pass"')).rulings[0].table == "pass"


def test_keys_of_the_entry_hold_for_each_of_its_results(complete: Ledger) -> None:
    assert complete.rulings[4].where == (
        {"board": "8", "ns": "1", "ew": "9"},
        {"board": "8", "ns": "2", "ew": "10", "table": "2"},
    )


def test_whole_numbers_are_as_good_as_text_for_boards_and_pairs(complete: Ledger) -> None:
    assert complete.rulings[3].where[0]["board"] == "9"
    assert complete.penalties[1].contestant == "3"


def test_a_time_may_be_a_toml_date_or_text(complete: Ledger) -> None:
    assert complete.rulings[0].at == "2026-11-30T20:15:00+01:00"
    assert complete.rulings[1].at == "2026-11-30T20:40"
    assert complete.penalties[0].at == "2026-11-30"


@pytest.mark.parametrize(
    "at", ["2026-11-30", "2026-11-30T20:15", "2026-11-30 20:15", "2026-11-30T20:15:30", "2026-11-30T20:15:30.5+01:00"]
)
def test_a_time_in_quotes_may_be_any_iso_date_or_date_and_time(at: str) -> None:
    for moment in (at, at if len(at) == 10 else f"{at[:19]}Z"):
        book = read("format = 1\n" + ruling("1", f'board = "7"\nat = "{moment}"'))
        assert book.problems == () and book.rulings[0].at == moment


@pytest.mark.parametrize(
    "at",
    ["30.11.2026 20:15", "after the round", "20:15", "2026-11-31", "2026-W48-1", "20261130", "2026-11-30T25:00", ""],
)
@pytest.mark.parametrize("kind", ["ruling", "penalty"])
def test_a_time_in_quotes_that_is_none_is_an_error_which_shows_how_to_write_it(kind: str, at: str) -> None:
    rest = 'board = "7"' if kind == "ruling" else 'contestant = "3"\nkind = "warning"'
    book = read(f'format = 1\n[[{kind}]]\nid = "1"\nat = "{at}"\n{rest}\n')
    (problem,) = book.problems
    assert (problem.severity, problem.line, problem.ruling) == ("error", 4, "1")
    assert problem.text == f'at = "{at}" is no time; write it as 2026-11-30 or 2026-11-30T20:15'
    assert (book.rulings, book.penalties) == ((), ())


def test_a_time_without_its_day_is_no_time_of_a_ruling() -> None:
    (problem,) = read("format = 1\n" + ruling("1", 'board = "7"\nat = 20:15:00')).problems
    assert (problem.code, problem.line) == ("wrong-type", 5) and "a time without its day" in problem.text


def test_a_penalty_with_an_empty_amount_costs_something_all_the_same() -> None:
    text = '[[penalty]]\nid = "1"\ncontestant = "3"\nkind = "procedural"\namount = ""\n'
    (problem,) = read("format = 1\n" + text).problems
    assert (problem.code, problem.line) == ("amount", 6) and "needs an amount" in problem.text


@pytest.mark.parametrize(
    ("amount", "number", "unit"),
    [
        ("25% top", Fraction(-25), "top"),
        ("3 IMP", Fraction(-3), "imp"),
        ("6 IMPs", Fraction(-6), "imp"),
        ("0.5 VP", Fraction(-1, 2), "vp"),
        ("10%", Fraction(-10), "percent"),
    ],
)
def test_a_penalty_is_a_negative_amount_in_its_unit(amount: str, number: Fraction, unit: str) -> None:
    text = f'[[penalty]]\nid = "1"\ncontestant = "3"\nkind = "procedural"\namount = "{amount}"\n'
    (penalty,) = read(text).penalties
    assert (penalty.amount, penalty.unit) == (number, unit)


def test_fouled_groups_are_read(complete: Ledger) -> None:
    assert complete.fouled[0].board == "7"
    assert complete.fouled[0].groups == (("1-9", "2-10"), ("3-11",))


def test_a_file_may_have_a_byte_order_mark_and_crlf_line_ends_and_lines_stay_right(complete: Ledger) -> None:
    text = (LEDGERS / "good" / "complete.toml").read_text(encoding="utf-8")
    windows = ledger.read([("complete.toml", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())])
    assert windows == complete
    lines = text.split("\n")
    for entry in (*windows.rulings, *windows.penalties):
        assert lines[entry.line - 1].startswith("[[")
        assert lines[entry.line] == f'id = "{entry.id}"'


def test_a_file_with_lone_carriage_returns_is_told_to_be_saved_again() -> None:
    (problem,) = read("format = 1\r" + ruling("1").replace("\n", "\r")).problems
    assert problem.code == "syntax" and "save with Windows or Unix line ends" in problem.text


def test_a_missing_format_is_only_a_note() -> None:
    book = read(ruling("1"))
    assert [(p.severity, p.code) for p in book.problems] == [("note", "format-missing")]
    assert len(book.rulings) == 1


# Wrong files and entries


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_one_mistake_is_one_error_with_its_line_and_the_rest_is_read(path: Path, line_end: str) -> None:
    data = path.read_bytes()
    first = data.split(b"\n")[0].replace(b"\0", b"").decode()
    expected = re.fullmatch(r"# expect: (\S+) line=(\d+) ruling=(.+) kept=(\S*)", first)
    assert expected, "the fixture says in its first line what is wrong with it"
    code, line, id, kept = expected.groups()
    if b"\0" not in data:
        data = data.replace(b"\n", line_end.encode())
    book = ledger.read([(path.name, data)])
    (problem,) = book.problems
    assert (problem.severity, problem.code, problem.line) == ("error", code, int(line))
    assert (problem.file, problem.ruling or "-") == (path.name, id)
    assert "\n" not in problem.text
    assert {entry.id for entry in (*book.rulings, *book.penalties)} == set(kept.split(",")) - {""}


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("unknown-key", "did you mean board?"),
        ("unknown-table", "did you mean ruling?"),
        ("stage-unknown", "did you mean appeal?"),
        ("weights-not-one", "add up to 90%"),
        ("weight-missing", "write 60% or 2/3"),
        ("format-newer", "knows rulings format 2"),
        ("cp1250", "save as UTF-8"),
        ("utf16", "save as UTF-8"),
        ("windows-path-in-double-quotes", "a backslash stands for itself in '...'"),
        ("key-twice", "take one out"),
        ("superseded-twice", "let this one supersede A-3"),
        ("single-brackets", "[[fouled]]"),
        ("prefix-other", 'prefix "A"'),
        ("penalty-unit", "25% top, 3 IMP, 0.5 VP or 10%"),
    ],
)
def test_the_error_says_what_would_mend_it(name: str, remedy: str) -> None:
    path = LEDGERS / "broken" / f"{name}.toml"
    (problem,) = ledger.read([(path.name, path.read_bytes())]).problems
    assert remedy in problem.text


def test_a_broken_file_does_not_stop_the_others() -> None:
    book = ledger.read(
        [
            ("a.toml", b'format = 1\n[[ruling]\nid = "A-1"'),
            ("b.toml", b'format = 1\n[[ruling]]\nid = "B-1"\nboard = "7"\n'),
        ]
    )
    assert [(problem.file, problem.line) for problem in book.problems] == [("a.toml", 2)]
    assert [entry.id for entry in book.rulings] == ["B-1"]


def test_an_id_may_be_used_once_in_all_files_together() -> None:
    book = read("format = 1\n" + ruling("1"), "format = 1\n" + ruling("1", 'board = "8"'))
    (problem,) = book.problems
    assert (problem.code, problem.file, problem.line) == ("id-twice", "2.toml", 3)
    assert "1.toml:2" in problem.text
    assert [entry.where[0]["board"] for entry in book.rulings] == ["7"]


def test_an_entry_may_supersede_one_in_another_file() -> None:
    book = read("format = 1\n" + ruling("B-1", 'board = "7"\nsupersedes = "A-1"'), "format = 1\n" + ruling("A-1"))
    assert book.problems == ()
    assert [entry.id for entry in ledger.in_force(book)] == ["B-1"]


def test_a_circle_of_three_is_told_for_each_of_them_and_no_other() -> None:
    text = "format = 1\n" + "".join(
        ruling(new, f'board = "7"\nsupersedes = "{old}"') for new, old in ["AB", "BC", "CA", "DA"]
    )
    book = read(text)
    assert [problem.ruling for problem in book.problems] == ["A", "B", "C"]
    assert "A supersedes B supersedes C supersedes A" in book.problems[0].text
    assert [entry.id for entry in book.rulings] == ["D"]


def test_superseding_a_refused_entry_is_not_a_second_error() -> None:
    book = read(
        "format = 1\n" + ruling("1", 'board = "7"\nscore = "4S"') + ruling("2", 'board = "7"\nsupersedes = "1"')
    )
    assert [(problem.ruling, problem.code) for problem in book.problems] == [("1", "score")]
    assert [entry.id for entry in book.rulings] == ["2"]


def test_several_mistakes_in_one_entry_are_all_told_at_once_in_the_order_of_lines() -> None:
    book = read("format = 1\n" + ruling("1", 'score = "4S"\nstage = "x"\nboard = ""'))
    assert [(problem.line, problem.code) for problem in book.problems] == [
        (4, "score"),
        (5, "word-unknown"),
        (6, "key-empty"),
    ]


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_at_all_make_reading_fail(data: bytes) -> None:
    ledger.read([("x.toml", data)])


HUGE = "0x" + "F" * 5_000


@pytest.mark.parametrize(
    ("rest", "line", "said"),
    [
        (f"board = {HUGE}", 4, "board is a number of too many digits; write text in quotes"),
        (f'results = [{{ board = "7", ns = {HUGE} }}]', 4, "ns is a number of too many digits; write text in quotes"),
        (f'board = "7"\nat = {HUGE}', 5, "at is a number of too many digits; write a date and time"),
        (
            f'board = "7"\n[[ruling.ground]]\ndecision = "tempo"\nfacts = {{ seconds = {HUGE} }}',
            7,
            "the fact seconds is a number of too many digits; write a word in quotes or a whole number",
        ),
    ],
    ids=["board", "results", "at", "facts"],
)
def test_a_number_too_long_to_be_shown_is_an_error_in_its_line(rest: str, line: int, said: str) -> None:
    (problem,) = read("format = 1\n" + ruling("1", rest)).problems
    assert (problem.code, problem.line) == ("wrong-type", line)
    assert said in problem.text


def test_a_format_too_long_to_be_shown_is_no_version_number() -> None:
    (problem,) = read(f"format = {HUGE}\n").problems
    assert (problem.code, problem.text) == ("format", "format is no version number; write format = 1")


def test_a_decimal_number_of_thousands_of_digits_is_told_with_its_line() -> None:
    (problem,) = read("format = 1\n" + ruling("1", f"board = {'9' * 5_000}")).problems
    assert (problem.code, problem.line) == ("syntax", 4)
    assert problem.text == "not TOML: a number has too many digits; correct it"


@pytest.mark.parametrize("empty", ["", " ", "\t"])
def test_an_empty_decision_is_none_and_is_told_in_its_line(empty: str) -> None:
    ground = f'board = "7"\n[[ruling.ground]]\ndecision = "{empty}"\n'
    for more, said in {
        'facts = { pace = "slow" }': "the ground decides nothing; write decision = ..., or laws = [...] and finding",
        'laws = []\nfinding = ""': "the ground decides nothing; write decision = ..., or laws = [...] and finding",
        'facts = { pace = "slow" }\nfinding = "x"': "these facts belong to no decision; write decision = ...",
    }.items():
        book = read("format = 1\n" + ruling("1", ground.replace("\t", "\\t") + more))
        (problem,) = book.problems
        assert (problem.code, problem.line, book.rulings) == ("ground", 6, ())
        assert said in problem.text
    assert read("format = 1\n" + ruling("1", ground.replace("\t", "\\t") + 'finding = "x"')).problems == ()


@pytest.mark.parametrize("ground", ["laws = []", 'finding = ""', 'poll = "6 asked"', 'laws = []\nfinding = " "'])
def test_a_ground_without_decision_laws_and_finding_is_an_error(ground: str) -> None:
    (problem,) = read("format = 1\n" + ruling("1", f'board = "7"\n[[ruling.ground]]\n{ground}')).problems
    assert problem.code == "ground" and "write decision = ..., or laws = [...] and finding = ..." in problem.text


@pytest.mark.parametrize("value", ["[" * 50_000, "9" * 5_000, "{a=" * 50_000], ids=["brackets", "digits", "braces"])
def test_an_absurd_value_is_a_syntax_error(value: str) -> None:
    assert codes(read(f"format = 1\nx = {value}").problems) == ["syntax"]


_TOML: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(
        ["1", "-2.5", "true", '"7"', '""', '"4S S ="', '"A+ / A-"', "2026-11-30", "'x'", "[]", "{}", r'"\n\u001b[31m"']
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        st.dictionaries(st.sampled_from(["board", "ns", "session", "N", "x"]), inner, max_size=2).map(
            lambda table: "{ " + ", ".join(f"{key} = {value}" for key, value in table.items()) + " }"
        ),
    ),
    max_leaves=4,
)
_KEYS = [
    *(
        "id",
        "board",
        "ns",
        "session",
        "table",
        "results",
        "score",
        "stage",
        "state",
        "at",
        "supersedes",
        "note",
        "laws",
    ),
    *("screens", "readings", "ground", "contestant", "kind", "amount", "scope", "direction", "groups", "decision"),
    *("facts", "said", "disputed", "poll", "finding"),
]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["[[ruling]]", "[[ruling.ground]]", "[[penalty]]", "[[fouled]]", "[default]", "[readings]"]
            ),
            st.dictionaries(st.sampled_from(_KEYS), _TOML, max_size=4),
        ),
        max_size=4,
    )
)
def test_no_toml_at_all_makes_reading_or_placing_fail(tables: list[tuple[str, dict[str, str]]]) -> None:
    text = "\n".join(f"{header}\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for header, rows in tables)
    book = read("format = 1\n" + text)
    problems = book.problems + ledger.place(book, RESULTS, ())[1]
    assert all(f"{problem.ruling} {problem.text}".isprintable() for problem in problems)
    lines = text.count("\n") + 2
    assert all(1 <= (problem.line or 0) <= lines for problem in book.problems)


# In force


def test_a_superseded_and_a_withdrawn_ruling_are_not_in_force() -> None:
    book = read(
        "format = 1\n"
        + ruling("1")
        + ruling("2", 'board = "7"\nns = "3"\nsupersedes = "1"\nstage = "appeal"')
        + ruling("3", 'board = "8"\nns = "1"')
        + ruling("4", 'board = "8"\nns = "1"\nsupersedes = "3"\nstate = "withdrawn"')
        + ruling("5", 'board = "9"')
    )
    assert [entry.id for entry in ledger.in_force(book)] == ["2", "5"]


def test_a_ruling_stands_while_the_appeal_is_pending_and_falls_with_its_result() -> None:
    text = "format = 1\n" + ruling("1") + ruling("2", 'board = "7"\nns = "3"\nsupersedes = "1"\nstate = "pending"')
    assert [entry.id for entry in ledger.in_force(read(text))] == ["1", "2"]
    text += ruling("3", 'board = "7"\nns = "3"\nsupersedes = "2"\nstage = "appeal"')
    assert [entry.id for entry in ledger.in_force(read(text))] == ["3"]


def test_a_long_chain_of_pending_successors_stands_or_falls_with_its_end() -> None:
    def chain(*states: str) -> list[str]:
        entries = [Ruling("0"), *(Ruling(str(n), state=s, supersedes=str(n - 1)) for n, s in enumerate(states, 1))]  # type: ignore[arg-type]
        ids = [entry.id for entry in ledger.in_force(Ledger(tuple(entries)))]
        assert sorted(entry.id for entry in ledger.in_force(Ledger(tuple(reversed(entries))))) == sorted(ids)
        return ids

    assert chain("pending", "pending") == ["0", "1", "2"]
    assert chain("pending", "pending", "final") == ["3"]
    assert chain("pending", "withdrawn") == []
    assert chain("final", "pending", "pending") == ["1", "2", "3"]
    assert chain("pending", "final", "pending") == ["2", "3"]


@pytest.mark.parametrize("state", ["final", "pending"])
@pytest.mark.parametrize("circle", [False, True], ids=["chain", "circle"])
def test_three_thousand_entries_that_supersede_each_other_are_read_without_delay(state: str, circle: bool) -> None:
    first = 3000 if circle else 0
    text = "format = 1\n" + "".join(
        ruling(str(n), f'board = "7"\nstate = "{state}"\n' + (f'supersedes = "{old}"' if old else ""))
        for n, old in enumerate([first, *range(1, 3000)], 1)
    )
    start = process_time()
    book = read(text)
    standing = ledger.in_force(book)
    assert process_time() - start < 5  # it was most of a minute
    assert len(standing) == (0 if circle else 3000 if state == "pending" else 1)
    assert codes(book.problems) == ["supersedes-circle"] * (3000 if circle else 0)
    assert all(len(problem.text) < 200 for problem in book.problems)


def test_penalties_are_superseded_as_rulings_are(complete: Ledger) -> None:
    assert [entry.id for entry in ledger.penalties_in_force(complete)] == ["A-8"]


def test_the_next_id_counts_refused_entries_and_penalties_and_other_prefixes_not() -> None:
    text = (
        "format = 1\n"
        + ruling("A-9")
        + ruling("A-11", 'board = ""')
        + ruling("B-40")
        + '[[penalty]]\nid = "A-10"\ncontestant = "3"\nkind = "warning"\n'
    )
    assert ledger.next_id(read(text), "A") == "A-12"
    assert ledger.next_id(read(text), "C") == "C-1"
    assert ledger.next_id(read(text), "") == "1"


# Placing


def result(game: int, row: int, board: str, **keys: str) -> Result:
    return Result(game, row, board, {"board": board, "game": str(game), **keys}, Outcome.parse("4S S ="), 420)


RESULTS = (
    result(1, 0, "07", ns="1", ew="9", table="1"),
    result(1, 1, "07", ns="2", ew="10", table="2"),
    result(2, 0, "8", ns="1", ew="10", table="1", round="2"),
    result(2, 1, "8", ns="2", ew="9", table="2", round="2"),
)
ROOMS = (
    result(1, 0, "7", room="Open", match="Ash-Birch"),
    result(2, 0, "7", room="Closed", match="Ash-Birch"),
)


def game(number: int, **tags: str) -> Game:
    pairs = tuple(Tag(name, value, 0, 0, 0, 0, 1) for name, value in tags.items())
    return Game(number, 0, 0, 1, pairs)


def placed(
    text: str, results: tuple[Result, ...] = RESULTS, games: tuple[Game, ...] = ()
) -> tuple[dict[str, tuple[list[tuple[int, int | None]], tuple[int, ...]]], tuple[Problem, ...]]:
    book = read("format = 1\n" + text)
    assert book.problems == ()
    places, problems = ledger.place(book, results, games)
    return {p.ruling.id: ([(r.game, r.row) for r in p.results], p.games) for p in places}, problems


SCORE = '\nscore = "4S S -1"'


def test_a_ruling_finds_its_one_result_by_as_many_keys_as_it_takes() -> None:
    places, problems = placed(ruling("1", 'board = "8"\nround = "2"\ntable = "1"' + SCORE))
    assert places == {"1": ([(2, 0)], (2,))} and problems == ()
    places, problems = placed(ruling("1", 'match = "Ash-Birch"\nboard = "7"\nroom = "Closed"' + SCORE), ROOMS)
    assert places == {"1": ([(2, 0)], (2,))} and problems == ()


def test_board_7_finds_board_07_and_pair_1_does_not_find_pair_10() -> None:
    places, problems = placed(ruling("1", 'board = "7"\nns = "01"' + SCORE))
    assert places == {"1": ([(1, 0)], (1,))} and problems == ()
    assert placed(ruling("1", 'board = "7"\new = "1"' + SCORE))[0] == {"1": ([], ())}


def test_a_player_is_found_by_name_in_a_latin_1_and_in_a_utf_8_file() -> None:
    book = read(ruling("1", 'board = "7"\nn = "Łoś"'))
    for printed in ("Łoś", "Łoś".encode().decode("latin-1")):
        there = (game(1, Board="7", North=printed), game(2, Board="7", North="Other"))
        (place,), problems = ledger.place(book, (), there)
        assert (place.games, problems) == ((1,), ())


def test_a_result_found_twice_is_an_error_that_lists_what_tells_the_two_apart() -> None:
    places, problems = placed(ruling("1", 'board = "7"' + SCORE) + ruling("2", 'board = "8"\nns = "1"' + SCORE))
    (problem,) = problems
    assert (problem.severity, problem.code, problem.ruling, problem.file) == ("error", "found-twice", "1", "1.toml")
    assert 'table = "1", ns = "1", ew = "9"; table = "2", ns = "2", ew = "10"' in problem.text
    assert list(places) == ["2"], "the other entry is placed all the same"
    (problem,) = placed(ruling("1", 'board = "7"' + SCORE), ROOMS)[1]
    assert 'room = "Open", game = "1"; room = "Closed", game = "2"' in problem.text


def test_a_board_that_is_not_in_the_file_waits_with_a_note_that_names_its_neighbours() -> None:
    places, problems = placed(ruling("1", 'board = "17"\nns = "1"' + SCORE))
    (problem,) = problems
    assert (problem.severity, problem.code, problem.line) == ("note", "waiting", 2)
    assert problem.text == "the file has no board 17; there are 07, 8"
    assert places == {"1": ([], ())}


def test_a_pair_that_did_not_play_the_board_waits_with_a_note_that_names_those_who_did() -> None:
    (problem,) = placed(ruling("1", 'board = "8"\nns = "3"' + SCORE))[1]
    assert (problem.code, problem.text) == ("waiting", "board 8 has no ns 3; there are 1, 2")


def test_of_many_boards_the_nearest_are_named_in_rising_order() -> None:
    results = tuple(result(n, 0, str(n), ns="1") for n in range(1, 28))
    (problem,) = placed(ruling("1", 'board = "28"' + SCORE), results)[1]
    assert problem.text == "the file has no board 28; there are 22, 23, 24, 25, 26, 27 and others"


def test_a_board_without_a_result_waits_when_the_ruling_has_a_score_and_is_found_when_not() -> None:
    games = (game(3, Board="9", HomeTeam="Ash", VisitTeam="Birch"),)
    places, problems = placed(ruling("1", 'board = "9"' + SCORE), games=games)
    assert places == {"1": ([], (3,))} and problems[0].text == "board 9 has no result yet"
    places, problems = placed(ruling("1", 'match = "Ash-Birch"\nboard = "9"'), games=games)
    assert places == {"1": ([], (3,))} and problems == ()


def test_a_ruling_without_a_score_may_be_about_a_whole_board_in_both_rooms() -> None:
    assert placed(ruling("1", 'board = "7"'))[0] == {"1": ([], (1,))}
    places, problems = placed(ruling("1", 'board = "7"'), ROOMS)
    assert places == {"1": ([], (1, 2))} and problems == ()


def test_a_ruling_without_a_score_is_not_about_every_board_of_a_pair() -> None:
    places, problems = placed(ruling("1", 'ns = "1"'))
    assert places == {} and codes(problems) == ["found-twice"]


def test_the_session_tells_results_apart_only_where_the_file_says_sessions() -> None:
    text = '[default]\nsession = "2"\n' + ruling("1", 'board = "7"\nns = "1"' + SCORE)
    assert placed(text)[0] == {"1": ([(1, 0)], (1,))}
    sessions = (result(1, 0, "7", ns="1", session="1"), result(2, 0, "7", ns="1", session="2"))
    assert placed(text, sessions)[0] == {"1": ([(2, 0)], (2,))}
    places, problems = placed(text, sessions[:1])
    assert places == {"1": ([], ())} and problems[0].text == "board 7 has no session 2; there is 1"


def test_of_several_results_those_that_are_there_are_found_and_the_others_wait() -> None:
    text = ruling("1", 'board = "7"\nresults = [{ ns = "1" }, { ns = "3" }]' + SCORE)
    book = read("format = 1\n" + text)
    (place,), problems = ledger.place(book, RESULTS, ())
    assert [(r.game, r.row) for r in place.results] == [(1, 0)]
    assert place.waiting == ({"board": "7", "ns": "3"},)
    assert codes(problems) == ["waiting"]


def test_two_entries_in_force_may_not_score_one_result() -> None:
    text = ruling("1", 'board = "7"\nns = "1"' + SCORE) + ruling("2", 'board = "7"\ntable = "1"' + SCORE)
    places, problems = placed(text)
    assert list(places) == ["1"]
    assert [(p.code, p.ruling) for p in problems] == [("scored-twice", "2")]
    assert "1 (1.toml:2)" in problems[0].text
    for harmless in ('supersedes = "1"', 'state = "pending"', 'state = "withdrawn"'):
        places, problems = placed(text.rstrip() + "\n" + harmless)
        assert list(places) == ["1", "2"] and problems == ()


def test_a_superseded_ruling_keeps_its_place_and_no_longer_complains() -> None:
    text = (
        ruling("1", 'board = "7"\nns = "1"' + SCORE)
        + ruling("2", 'board = "7"\nns = "1"\nsupersedes = "1"' + SCORE)
        + ruling("3", 'board = "77"\nns = "1"' + SCORE)
        + ruling("4", 'board = "8"\nns = "1"\nsupersedes = "3"' + SCORE)
    )
    places, problems = placed(text)
    assert problems == ()
    assert places["1"] == places["2"] == ([(1, 0)], (1,))
    assert places["3"] == ([], ()) and places["4"] == ([(2, 0)], (2,))


def test_a_matter_without_a_board_has_no_place_and_does_not_wait() -> None:
    assert placed(ruling("1", "results = []")) == ({"1": ([], ())}, ())


# Writing

_TEXT = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.text("\"\\'\n\r\t\0\x1b\x7f\x85\u2028#[]{}=", max_size=8),
    st.sampled_from(
        [r"C:\zawody\nowe\u0041.pbn", r"\\serwer\x", "Zażółć gęślą jaźń", "Правило 12", '"""', "'''", "[[ruling]]"]
    ),
)
_WORD = _TEXT.filter(str.strip)
_OUTCOMES = st.one_of(
    st.just(Outcome(0)),
    st.builds(
        Outcome,
        st.integers(1, 7),
        st.sampled_from(["C", "D", "H", "S", "NT"]),
        st.integers(0, 2),
        st.sampled_from("NESW"),
        st.integers(0, 13),
    ),
)
_HALVES = st.integers(1, 999).map(lambda part: (Fraction(part, 1000), 1 - Fraction(part, 1000)))
_THIRDS = st.just((Fraction(1, 3), Fraction(2, 3)))
_ASSIGNED = st.one_of(
    _OUTCOMES.map(lambda outcome: Award("outcomes", ((Fraction(1), outcome),))),
    st.builds(
        lambda weights, first, second: Award("outcomes", ((weights[0], first), (weights[1], second))),
        st.one_of(_HALVES, _THIRDS),
        _OUTCOMES,
        _OUTCOMES,
    ),
)
_ARTIFICIAL = st.one_of(
    st.sampled_from(["A+", "A", "A-"]).map(lambda average: Award("average", average=average)),
    st.integers(0, 1000).map(lambda tenths: Award("percent", amount=Fraction(tenths, 10))),
    st.integers(-200, 200).map(lambda tenths: Award("imps", amount=Fraction(tenths, 10))),
)
_SPECIAL = st.sampled_from(["table", "not played", "late", "cancelled"]).map(lambda kind: Award(kind))  # type: ignore[arg-type]
_SIDE = st.one_of(_ASSIGNED, _ARTIFICIAL, _SPECIAL)
_SCORES = st.one_of(st.builds(Score, _SIDE, _SIDE), st.one_of(_ASSIGNED, _SPECIAL).map(lambda both: Score(both, both)))
_GROUNDS = st.one_of(
    st.builds(
        Ground,
        decision=_WORD,
        facts=st.dictionaries(_TEXT, st.one_of(_TEXT, st.integers(-(2**63), 2**63 - 1)), max_size=3),
        said=st.dictionaries(_TEXT, _TEXT, max_size=2),
        disputed=st.lists(_TEXT, max_size=2).map(tuple),
        poll=_TEXT,
    ),
    st.builds(Ground, laws=st.lists(_TEXT, min_size=1, max_size=2).map(tuple), finding=_TEXT),
)
_RULINGS = st.builds(
    Ruling,
    id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,31}", fullmatch=True),
    where=st.lists(
        st.dictionaries(st.sampled_from(ledger.LOCATION), _WORD, min_size=1, max_size=4), min_size=1, max_size=3
    ).map(tuple),
    grounds=st.lists(_GROUNDS, max_size=2).map(tuple),
    regulations=_TEXT,
    laws=_TEXT,
    policy=_TEXT,
    session=_TEXT,
    screens=st.booleans(),
    table=st.one_of(st.just(""), _OUTCOMES.map(str)),
    score=st.one_of(st.none(), _SCORES),
    stage=st.sampled_from(["table", "review", "appeal"]),
    state=st.sampled_from(["pending", "provisional", "final", "withdrawn"]),
    at=st.one_of(
        st.just(""), st.datetimes(timezones=st.timezones()).map(lambda at: at.isoformat()), st.dates().map(str)
    ),
    override=_TEXT,
    note=_TEXT,
    private=_TEXT,
    director=_TEXT,
    readings=st.dictionaries(_TEXT, _TEXT, max_size=2),
)


@settings(deadline=None)
@given(_RULINGS)
def test_an_entry_that_was_written_is_read_back_equal(written: Ruling) -> None:
    for line_end in ("\n", "\r\n"):
        text = ("format = 1\n\n" + ledger.entry(written)).replace("\n", line_end)
        book = read(text)
        assert book.problems == ()
        (back,) = book.rulings
        assert replace(back, file="", line=0) == written


def test_half_a_character_does_not_break_the_file_that_an_entry_is_added_to() -> None:
    written = ledger.entry(Ruling("A-1", note="caf\udce9", grounds=(Ground("tempo", said={"N\ud800": "x"}),)))
    (back,) = read("format = 1\n" + written).rulings
    assert back.note == "caf\N{REPLACEMENT CHARACTER}"


def test_an_appended_entry_leaves_the_others_as_they_are(complete: Ledger) -> None:
    text = (LEDGERS / "good" / "complete.toml").read_text(encoding="utf-8")
    appended = replace(complete.rulings[0], id="A-12", note="again", where=({"board": "9", "session": "2"},))
    book = ledger.read([("complete.toml", f"{text}\n{ledger.entry(appended)}".encode())])
    assert book.problems == ()
    assert book.rulings[:-1] == complete.rulings and book.penalties == complete.penalties
    assert replace(book.rulings[-1], line=0) == replace(appended, line=0)


def test_an_entry_without_a_board_is_written_as_one() -> None:
    assert "results = []" in ledger.entry(Ruling("A-1"))


def test_a_date_is_written_as_a_date_and_other_text_in_quotes() -> None:
    assert "at = 2026-11-30T20:15:00+01:00\n" in ledger.entry(Ruling("A-1", at="2026-11-30T20:15:00+01:00"))
    assert 'at = "2026-11-31"\n' in ledger.entry(Ruling("A-1", at="2026-11-31"))


def test_how_the_event_is_decided_and_what_is_carried_over() -> None:
    text = b'format = 1\n[contest]\nvp = "wbf"\nknock-out = true\n[[carry]]\ncontestant = "3"\namount = "12.5 VP"\n'
    book = ledger.read([("a.toml", text)])
    assert (book.problems, book.vp, book.knock_out) == ((), "wbf", True)
    assert [(each.contestant, each.amount, each.unit) for each in book.carry] == [("3", Fraction(25, 2), "vp")]


def test_the_session_of_all_entries_is_that_of_a_fouled_board_too() -> None:
    text = b'format = 1\n[default]\nsession = "2"\n'
    text += b'[[fouled]]\nboard = 7\nsection = "A"\ngroups = [["1-9"], ["3-11"]]\n'
    text += b'[[fouled]]\nboard = 7\nsession = 1\ngroups = [["1-9"], ["3-11"]]\n'
    book = ledger.read([("a.toml", text)])
    assert not book.problems
    assert [each.where for each in book.fouled] == [{"session": "2", "section": "A"}, {"session": "1"}]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('[contest]\nscale = "wbf"\n', "scale"),
        ('[[carry]]\ncontestant = "3"\namount = "12.5"\n', "write it as 12.5 VP, 30 MP or 5 IMP"),
        ('[[carry]]\namount = "12.5 VP"\n', "contestant"),
    ],
)
def test_a_contest_that_cannot_be_read_says_how_to_write_it(rows: str, said: str) -> None:
    [problem] = ledger.read([("a.toml", f"format = 1\n{rows}".encode())]).problems
    assert (problem.severity, problem.file) == ("error", "a.toml") and said in problem.text


def test_two_files_that_decide_the_event_otherwise_are_told() -> None:
    files = [(name, f'format = 1\n[contest]\nvp = "{name}"\n'.encode()) for name in ("wbf", "acbl-20")]
    [problem] = ledger.read(files).problems
    assert problem.file == "acbl-20" and "let them agree" in problem.text


def test_what_a_side_would_have_had_without_its_own_error_is_read_written_and_refused() -> None:
    head = 'format = 1\n[[ruling]]\nid = "1"\nboard = "7"\nregulations = "wbf"\n'
    [found] = ledger.read([("a.toml", (head + 'score = "4S N ="\nwithout-error.ns = "3NT N ="\n').encode())]).rulings
    assert {side: str(result) for side, result in found.without_error.items()} == {"ns": "3NT N ="}
    assert 'without-error.ns = "3NT N ="' in ledger.entry(found)
    for rows, said in (
        ('score = "A+ / A-"\nwithout-error.ns = "3NT N ="\n', "only an assigned score"),
        ('score = "4S N ="\nwithout-error.north = "3NT N ="\n', "north is no side"),
        ('score = "4S N ="\nwithout-error.ns = "much"\n', "is no result"),
    ):
        [problem] = ledger.read([("a.toml", (head + rows).encode())]).problems
        assert said in problem.text
