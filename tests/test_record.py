"""The laws of the format on the board (README: what annotate promises), over sessions and ledgers of every shape."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from screenplug import event, host, ledger, pbn, record
from screenplug.model import Award, Ground, Ledger, Outcome, Problem, Ruling, Score

FIXTURES = Path(__file__).parent.parent / "fixtures"
TABLES = host.tables(host.plugin_manager())
PBN_FILES = {
    f"{path.parent.name}/{path.stem}": path
    for path in sorted(FIXTURES.rglob("*.pbn"))
    if path.stem not in ("utf-16", "nul-bytes")
}


# Sessions


@dataclass(frozen=True)
class Session:
    data: bytes
    results: tuple[Mapping[str, str], ...]  # the ledger keys of each result

    def __repr__(self) -> str:
        return f"Session({self.data!r})"


def score_table(board: int, rows: int) -> list[str]:
    lines = ['[ScoreTable "Table\\2R;PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer;Result\\2R;MP_NS\\4R"]']
    return lines + [f"{row:>2} {row:>2} {row + 10} 4S   N {9 + row % 2:>2}   {row}" for row in range(1, rows + 1)]


BEFORE = (
    ["% glued to the next table"],
    ["{ a comment }"],
    ["; the rest of a line"],
    ['[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]', "N NT 3", 'E "S" 11', '{ an odd quote " }'],
    ['[ActionTable "A;B"]', "1 2", "% between", '3 "[x]"'],
)
AFTER = (
    ['[TotalScoreTable "Rank;Pair"]', " 1 2", "% glued"],
    ['[Zebra "A"]', '"\\"quoted\\" \\\\"', "{ two", "", "lines }"],
    ['[RulingTable "Ruling;Verdict"]', '1 "somebody else\'s"'],
    ["{ a last comment }"],
    ["% a last directive"],
    ['[Hidden "x"] [Hidden2 "y"]'],
)
PLAYED = (
    ['[Auction "N"]', "1S Pass 4S =1= AP", '[Note "1:fit"]'],
    ['[Auction "N"]', "1S Pass 4S AP", '[Play "W"]', "HA H2 H3 H4", "*"],
    ['[Play "W"]', "HA H2 H3 H4", '[Note "1:why"]', "; said at the table"],
)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """Boards with a ScoreTable each, or one game a table; with whatever else may stand around them."""
    one_game_a_table = draw(st.booleans())
    sparse = draw(st.booleans())
    games: list[list[str]] = []
    results: list[Mapping[str, str]] = []

    def some(pieces: Sequence[list[str]]) -> list[str]:
        if sparse and draw(st.booleans()):
            return []
        return [line for piece in draw(st.lists(st.sampled_from(pieces), max_size=2)) for line in piece]

    for board in range(1, draw(st.integers(1, 3)) + 1):
        rows = draw(st.integers(1, 3))
        head = [f'[Board "{board}"]', '[Dealer "N"]', '[Vulnerable "None"]', '[Scoring "MatchPoints"]']
        results += [{"board": str(board), "ns": str(row)} for row in range(1, rows + 1)]
        if not one_game_a_table:
            games.append([*head, *some(PLAYED), *some(BEFORE), *score_table(board, rows), *some(AFTER)])
            continue
        for row in range(1, rows + 1):
            pairs = [f'[PairNS "{row}"]', f'[PairEW "{row + 10}"]', '[Contract "4S"]', '[Declarer "N"]']
            games.append([*head, *pairs, f'[Result "{9 + row % 2}"]', *some(PLAYED), *some(BEFORE), *some(AFTER)])
    text = ["% PBN 2.1", '{Caf\xe9, "odd', "", "}"] if draw(st.booleans()) else []
    for number, game in enumerate(games):
        text += [*([""] * draw(st.integers(1, 2)) if number else []), f'[Event "P\xe9 {number}"]', *game]
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    last = draw(st.sampled_from(["", end, end + end, "\x1a", end + "\x1a"]))
    return Session((end.join(text) + last).encode("latin-1"), tuple(results))


# Ledgers

texts = st.one_of(
    st.just(""),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
    st.text('"\\[]{};% \n\r\t\x00\x07\x1a\x1b\x7f\x85\u2028=:+', min_size=1, max_size=12),
    st.text("ąęłóżź ЖдёЙ 🂡😀\u200d", min_size=1, max_size=30),
    st.builds(lambda piece, times: piece * times, st.text('a "\\é😀', min_size=1, max_size=5), st.integers(60, 150)),
)
words = st.text('ab=";: \\é', max_size=6)
outcomes = st.sampled_from([Outcome.parse(text) for text in ("4S N =", "4SX S -1", "3NT E +2", "pass", "7NTXX W -13")])
WEIGHTS = ("1/2", "3/5", "2/3", "1/7", "1/1000")


@st.composite
def weighted(draw: st.DrawFn) -> Award:
    weight = Fraction(draw(st.sampled_from(WEIGHTS)))
    return Award("outcomes", ((weight, draw(outcomes)), (1 - weight, draw(outcomes))))


awards = st.one_of(
    outcomes.map(lambda outcome: Award("outcomes", ((Fraction(1), outcome),))),
    weighted(),
    st.sampled_from(
        [Award.parse(text) for text in ("A+", "A", "A-", "60%", "33.3333%", "+3 IMP", "-2.5 IMP", "0 IMP")]
    ),
    st.sampled_from([Award.parse(text) for text in ("table", "not played", "late", "cancelled")]),
)
scores = st.one_of(awards.map(lambda award: Score(award, award)), st.builds(Score, awards, awards)).filter(
    lambda score: Score.parse(score.value()) == score if readable(score) else False
)


def readable(score: Score) -> bool:
    """Leave out what the grammar has no words for, as 60% to both sides without saying so twice."""
    try:
        Score.parse(score.value())
    except ValueError:
        return False
    return True


TEMPO = {
    "slow-side": "NE", "seconds": 40, "pace": "slow", "attention-by": "S", "attributed-to": "partner",
    "unexpected": "no", "varied": "no",
}  # fmt: skip
FAULT = {"ns": "partly", "ew": "not"}
evidence: dict[str, st.SearchStrategy[Any]] = {
    "said": st.dictionaries(words, texts, max_size=2),
    "disputed": st.lists(words, max_size=2).map(tuple),
    "poll": texts,
}
grounds = st.one_of(
    st.builds(Ground, st.just("tempo"), st.just(TEMPO), finding=texts, **evidence),
    st.builds(Ground, st.just("fault"), st.just(FAULT), laws=st.just(("12C2", "WBF screens 9")), **evidence),
    st.builds(
        Ground,
        laws=st.lists(st.sampled_from(["16B", "73F; 12C1", "81C3"]), max_size=2).map(tuple),
        finding=texts,
        **evidence,
    ),
)


@st.composite
def rulings_on(draw: st.DrawFn, session: Session, director: str) -> tuple[Ruling, ...]:
    found: list[Ruling] = []
    for number in range(draw(st.integers(0, 4))):
        regulations, laws = draw(st.sampled_from([("wbf", "laws-2017"), ("pzbs", "laws-1997"), ("", "laws-2007")]))
        score = draw(st.none() | scores)
        if score is None and draw(st.booleans()):
            where: tuple[Mapping[str, str], ...] = ({"board": draw(st.sampled_from(session.results))["board"]},)
        else:
            where = tuple(draw(st.lists(st.sampled_from(session.results), min_size=1, max_size=2, unique_by=str)))
        earlier = [ruling.id for ruling in found if ruling.id not in {other.supersedes for other in found}]
        found.append(
            Ruling(
                f"{director}-{number * 7 + 1}",
                where,
                grounds=tuple(draw(st.lists(grounds, max_size=2))),
                regulations=regulations,
                laws=laws,
                screens=draw(st.booleans()),
                table=draw(st.sampled_from(["", "4S N =", "pass"])),
                score=score,
                stage=draw(st.sampled_from(["table", "review", "appeal"])),
                state=draw(st.sampled_from(["pending", "provisional", "final", "final", "final", "withdrawn"])),
                at=draw(st.sampled_from(["", "2026-11-30T20:15:00+01:00", "after the  session "])),
                supersedes=draw(st.sampled_from(["", *earlier])),
                override=draw(texts),
                note=draw(texts),
                private=draw(texts),
                director=draw(texts),
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Case:
    data: bytes
    first: tuple[Ruling, ...]
    second: tuple[Ruling, ...]

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.first + self.second)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    session = draw(sessions())
    return Case(session.data, draw(rulings_on(session, "A")), draw(rulings_on(session, "B")))


def annotate(data: bytes, book: Ledger, detail: str = "record") -> bytes:
    return event.open_rulings(data, book, TABLES).annotate(detail)[0]


def attach(data: bytes, *args: Any, **more: Any) -> tuple[bytes, tuple[Problem, ...]]:
    return record.attach(pbn.read(data), *args, **more)


def section_lines(data: bytes) -> list[bytes]:
    """The lines of all our sections."""
    tape = pbn.read(data)
    return [
        line
        for game in tape.games
        for tag in game.tags
        if data[tag.start : tag.end] == record.HEADER
        for line in data[slice(*pbn.removal(tape, tag))].strip(b"\r\n").splitlines()
    ]


def everything(data: bytes) -> list[list[Any]]:
    """Each game's tags with their rows, but for ours."""
    tape = pbn.read(data)
    return [
        [
            (tag.name, tag.value, [cell.text for cell in pbn.cells_of(data, tag)])
            for tag in game.tags
            if data[tag.start : tag.end] != record.HEADER
        ]
        for game in tape.games
    ]


details = st.sampled_from(record.DETAILS)


# The laws


@settings(max_examples=150, deadline=None)
@given(cases(), details)
def test_strip_gives_back_the_file_byte_for_byte(case: Case, detail: str) -> None:
    assert record.strip(case.data) == case.data
    assert record.strip(annotate(case.data, case.ledger, detail)) == case.data


@settings(max_examples=60, deadline=None)
@given(cases(), details)
def test_every_byte_of_the_file_is_still_there_in_its_order(case: Case, detail: str) -> None:
    rest = iter(annotate(case.data, case.ledger, detail))
    assert all(byte in rest for byte in case.data)


@settings(max_examples=60, deadline=None)
@given(cases(), details)
def test_annotating_twice_changes_nothing_more(case: Case, detail: str) -> None:
    once = annotate(case.data, case.ledger, detail)
    assert annotate(once, case.ledger, detail) == once


@settings(max_examples=150, deadline=None)
@given(cases(), details, details, st.data())
def test_annotating_with_a_grown_ledger_equals_annotating_the_original_with_it(
    case: Case, before: str, after: str, data: st.DataObject
) -> None:
    some = [rulings[: data.draw(st.integers(0, len(rulings)))] for rulings in (case.first, case.second)]
    earlier = annotate(case.data, Ledger(some[0] + some[1]), before)
    assert annotate(earlier, case.ledger, after) == annotate(case.data, case.ledger, after)


@settings(max_examples=150, deadline=None)
@given(cases(), details)
def test_records_read_back_equal_what_was_written(case: Case, detail: str) -> None:
    written = event.open_rulings(case.data, case.ledger, TABLES)
    expected = [(number, shown(entry, detail)) for number, entries in written.records().items() for entry in entries]
    found, problems = record.records(pbn.read(written.annotate(detail)[0]))
    assert not problems
    assert sorted(((game.number, entry) for game, entry in found), key=place) == sorted(expected, key=place)


def place(entry: tuple[int, record.Record]) -> tuple[int, str]:
    return entry[0], entry[1].ruling


def shown(entry: record.Record, detail: str) -> record.Record:
    """As much of a record as ``detail`` lets a reader see."""
    if detail == "full":
        return entry
    hidden: dict[str, Any] = {"said": {}, "disputed": (), "poll": ""}
    if detail == "public":
        hidden |= {"facts": {}, "finding": ""}
    findings = tuple(replace(finding, **hidden) for finding in entry.findings)
    note = "" if detail == "public" else entry.note
    return replace(entry, findings=findings, note=note, director="", override="", private="")


def with_other_secrets(ruling: Ruling, public: bool) -> Ruling:
    secrets: dict[str, Any] = {"said": {"N": "z"}, "disputed": ("pace",), "poll": "zz"}
    if public:
        secrets["finding"] = "zzz"
    changed = tuple(replace(ground, **secrets) for ground in ruling.grounds)
    note = "zzzzzz" if public else ruling.note
    return replace(ruling, grounds=changed, note=note, private="zzzz", director="zzzzz")


@settings(max_examples=100, deadline=None)
@given(cases(), st.sampled_from(["public", "record"]))
def test_what_is_private_leaves_no_byte_without_full_detail(case: Case, detail: str) -> None:
    other = Ledger(tuple(with_other_secrets(ruling, detail == "public") for ruling in case.ledger.rulings))
    assert annotate(case.data, case.ledger, detail) == annotate(case.data, other, detail)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_public_records_tell_no_facts(case: Case) -> None:
    found, _ = record.records(pbn.read(annotate(case.data, case.ledger, "public")))
    assert not any(finding.facts or finding.finding for _, entry in found for finding in entry.findings)
    assert not any(entry.note for _, entry in found)


# Every text that a director writes freely, a word of its own each, and what else may tell of a player.
RECORD = {"NOTEX", "FINDINGX", "WORDSX", "slow-side=NE", "attention-by=S"}
PRIVATE = {"SAIDX", "POLLX", "DISPUTEDX", "DIRECTORX", "OVERRIDEX", "PRIVATEX"}
TOLD: list[tuple[str, set[str]]] = [("public", set()), ("record", RECORD), ("full", RECORD | PRIVATE)]
WRITTEN = Ruling(
    "A-1",
    ({"board": "1"},),
    (
        Ground("tempo", TEMPO, {"N": "SAIDX"}, ("DISPUTEDX",), "POLLX", finding="FINDINGX"),
        Ground(laws=("73F",), finding="WORDSX"),
    ),
    regulations="wbf",
    laws="laws-2017",
    table="4S N =",
    score=Score.parse("4S N -1"),
    without_error={"ew": Outcome.parse("3NT N =")},
    override="OVERRIDEX",
    note="NOTEX",
    private="PRIVATEX",
    director="DIRECTORX",
)


@pytest.mark.parametrize(("detail", "told"), TOLD)
def test_each_detail_tells_what_it_may_and_the_decision_and_the_score_always(detail: str, told: set[str]) -> None:
    bare = b'[Board "1"]\n[Vulnerable "None"]\n[Contract "4S"]\n[Declarer "N"]\n[Result "10"]\n'
    book = Ledger((WRITTEN,))
    text = annotate(bare, book, detail).decode("ascii")
    assert tokens(text) == told
    for always in ('"4S N -1"', '"4S N ="', "ew=", "3NT N =", "tempo", "inference=possible", "Law 73F", "A-1"):
        assert always in text, always
    # What another director attached in more detail makes way as far as it has to.
    for before, was_told in TOLD:
        later, _ = attach(annotate(bare, book, before), {1: [record.Record("B-1")]}, detail)
        assert tokens(later.decode("ascii")) == told & was_told


def tokens(text: str) -> set[str]:
    return {token for token in RECORD | PRIVATE if token in text}


def test_public_keeps_no_row_that_it_does_not_know() -> None:
    data = b'[Board "1"]\n' + record.HEADER + b'\nA-1 record 1\nA-1 stage "table final"\nA-1 witness "South"\n'
    kept = {detail: attach(data, {1: [record.Record("B-1")]}, detail)[0] for detail in record.DETAILS}
    assert {detail: b"South" in text for detail, text in kept.items()} == {
        "public": False, "record": True, "full": True,
    }  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(cases(), details)
def test_nobody_elses_tags_and_rows_move_and_other_games_are_the_same_bytes(case: Case, detail: str) -> None:
    opened = event.open_rulings(case.data, case.ledger, TABLES)
    annotated = opened.annotate(detail)[0]
    assert everything(annotated) == everything(case.data)
    before, after = pbn.read(case.data), pbn.read(annotated)
    for old, new in zip(before.games, after.games, strict=True):
        if old.number not in opened.records():
            assert case.data[old.start : old.end] == annotated[new.start : new.end]


@settings(max_examples=100, deadline=None)
@given(cases(), details)
def test_our_lines_are_printable_ascii_of_at_most_253_bytes(case: Case, detail: str) -> None:
    for line in section_lines(annotate(case.data, case.ledger, detail)):
        assert len(line) <= 253
        assert all(0x20 <= byte < 0x7F for byte in line)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_our_line_ends_are_the_ones_of_the_file(case: Case) -> None:
    def kinds(data: bytes) -> set[bytes]:
        return {line[len(line.rstrip(b"\r\n")) :] for line in data.splitlines(keepends=True)} - {b""}

    assert len(kinds(annotate(case.data, case.ledger))) <= 1


@settings(max_examples=100, deadline=None)
@given(cases())
def test_two_directors_annotating_in_turn_keep_each_others_records(case: Case) -> None:
    by_first = annotate(case.data, Ledger(case.first))
    by_both = annotate(by_first, Ledger(case.second))
    theirs = set(section_lines(by_first)) - {record.HEADER}
    assert theirs <= set(section_lines(by_both))
    assert annotate(by_both, Ledger(case.second)) == by_both
    assert record.strip(by_both) == case.data


@settings(max_examples=60, deadline=None)
@given(cases())
def test_it_does_not_matter_which_director_annotates_first(case: Case) -> None:
    first, second = (
        Ledger(tuple(replace(ruling, score=None) for ruling in rulings)) for rulings in (case.first, case.second)
    )
    assert annotate(annotate(case.data, first), second) == annotate(annotate(case.data, second), first)


SCRAPS = [
    *("[", '"', "{", "}", ";", "%", " ", "\n", "\r", "\r\n", "\n\n", "\x1a", "\xe9"),
    *('[Board "1"]', '[Board "2"]', '[Auction "N"]', '[Play "W"]', '[Note "1:x"]', '[ScoreTable "PairId_NS;MP_NS"]'),
    *('[Zebra "A;B"]', "1 2", "% glued", "{ a\n\n b }", "; rest", '[Contract "4S"]', '[RulingTable "A;B"]'),
    *(record.HEADER.decode(), 'A-1 record 1\nA-1 stage "table final"\n', "B-1 record 1\n", "B-1 record 2\n", "B-1 odd"),
]
soup = st.lists(st.sampled_from(SCRAPS), max_size=25).map(lambda scraps: "".join(scraps).encode("latin-1"))


@settings(max_examples=400, deadline=None)
@given(soup)
@example(record.HEADER * 2 + b'[Board "1"]')
@example(b'[Board "1"]\n' + record.HEADER + b'\nB-1 record 1\n\n[Board "2"]\n')
@example(record.HEADER + b'\nA-1 record 1\n\n[Board "1"]\n')
@example(b'[Board "1"] ' + record.HEADER + b'\nA-1 record 1\n\n[Board "2"]\n')
@example(b'[Board "1"]\n' + record.HEADER + b'"}{ a\n\n b }[Board "1"]')
def test_strip_takes_off_what_annotate_put_on_any_file_whatever_stood_there_before(data: bytes) -> None:
    tape = pbn.read(data)
    bare = record.strip(data)
    assert len(pbn.read(bare).games) == len(tape.games)
    attached = {game.number: [record.Record("A-1", note="x"), record.Record("C-1")] for game in tape.games}
    annotated, problems = attach(data, attached)
    assert record.strip(annotated) == bare
    again, still = attach(annotated, attached)
    assert (again, codes(still)) == (annotated, codes(problems))
    for problem in problems:
        game, new = (pbn.read(each).games[(problem.game or 0) - 1] for each in (data, annotated))
        assert data[game.start : game.end] == annotated[new.start : new.end]


@pytest.mark.parametrize("name", PBN_FILES)
def test_a_record_on_every_game_of_a_fixture_comes_off_without_a_trace(name: str) -> None:
    data = PBN_FILES[name].read_bytes()
    attached = {game.number: [record.Record("A-1", note="x")] for game in pbn.read(data).games}
    annotated, problems = attach(data, attached)
    assert record.strip(annotated) == data
    found, unreadable = record.records(pbn.read(annotated))
    assert len(found) + len(problems) == len(attached) and not unreadable
    assert {problem.game for problem in problems}.isdisjoint(game.number for game, _ in found)


# What must not be touched

GAME = b'[Event "Oak"]\n[Board "7"]\n[Scoring "MatchPoints"]\n'
BOARD = {1: [record.Record("A-9", note="new")]}


def with_rows(*rows: str, header: bytes = record.HEADER) -> bytes:
    return GAME + header + b"\n" + b"".join(row.encode() + b"\n" for row in rows) + b'\n[Board "8"]\n'


def codes(problems: Sequence[Problem]) -> list[tuple[str, str, str | None, int | None]]:
    return [(problem.severity, problem.code, problem.ruling, problem.game) for problem in problems]


def test_a_newer_record_is_a_problem_and_its_game_is_left_alone() -> None:
    data = with_rows("B-2  record      2", 'B-2  judgement   "unheard of"')
    (problem,) = record.records(pbn.read(data))[1]
    assert (problem.severity, problem.game, problem.ruling, problem.line) == ("error", 1, "B-2", 4)
    assert "record 2" in problem.text and "newer screenplug" in problem.text
    annotated, problems = attach(data, BOARD | {2: [record.Record("A-9")]})
    assert codes(problems) == [("error", "not-attached", "A-9", 1)]
    assert annotated.startswith(data) and annotated.count(record.HEADER) == 2


def test_a_newer_record_of_the_same_ruling_is_not_overwritten() -> None:
    data = with_rows("A-9  record      2", 'A-9  judgement   "unheard of"')
    assert attach(data, BOARD, known=["A-9"])[0] == data


@pytest.mark.parametrize(
    "header",
    [
        b'[RulingTable "Ruling;Key;Value"]',
        b'[RulingTable "Ruling\\4L;Key\\11L;Value;More"]',
        b'[RulingTable  "Ruling\\4L;Key\\11L;Value"]',
        b'[rulingtable "Ruling\\4L;Key\\11L;Value"]',
    ],
)
def test_a_header_that_is_not_exactly_ours_is_left_alone(header: bytes) -> None:
    data = with_rows("A-9  record      1", header=header)
    assert record.strip(data) == data
    assert record.records(pbn.read(data)) == ((), ())
    annotated, _ = attach(data, BOARD)
    assert header + b"\nA-9  record      1\n" in annotated
    assert record.strip(annotated) == data


@pytest.mark.parametrize("row", ["A-8 note {theirs}", '"', "A-8 note a word too many", "% theirs\nA-8 record 1"])
def test_records_that_somebody_changed_are_refused_rather_than_lost(row: str) -> None:
    data = with_rows("A-7  record      1", row, "A-9  record      1")
    annotated, problems = attach(data, BOARD)
    assert annotated == data
    assert codes(problems) == [("error", "not-attached", "A-9", 1)]


def test_records_that_a_program_set_in_other_columns_are_read_and_kept() -> None:
    data = with_rows('"A-8"\trecord 1 ', 'A-8 stage  "table final"', 'A-8 note "kept"')
    ((_, found),), problems = record.records(pbn.read(data))
    assert (found.ruling, found.note, problems) == ("A-8", "kept", ())
    annotated, _ = attach(data, BOARD)
    assert b'"A-8"\trecord 1 \nA-8 stage  "table final"\nA-8 note "kept"\nA-9  record      1\n' in annotated


def test_records_that_a_blank_line_cut_off_are_told_and_left_alone() -> None:
    data = GAME + b"\n" + record.HEADER + b"\nA-9  record      1\n"
    assert record.strip(data) == data
    (problem,) = record.records(pbn.read(data))[1]
    assert (problem.severity, problem.line, problem.game) == ("error", 5, 2) and "blank line" in problem.text


def test_rows_with_keys_of_a_later_version_are_shown_and_kept() -> None:
    data = with_rows("A-8  record      1", 'A-8  stage       "table final"', 'A-8  ombudsman   "asked"')
    ((_, found),), _ = record.records(pbn.read(data))
    assert found.more == (("ombudsman", "asked"),)
    assert b'A-8  ombudsman   "asked"\n' in attach(data, BOARD)[0]


@pytest.mark.parametrize("row", ['score "5S"', 'score "60% 4S S ="', 'score.ns "4S S ="', 'record "soon"'])
def test_a_damaged_record_is_a_problem_with_its_place_and_the_others_are_read(row: str) -> None:
    version = [] if "record" in row else ["A-8 record 1"]
    data = with_rows(*version, f"A-8 {row}", "B-1 record 1")
    found, (problem,) = record.records(pbn.read(data))
    assert [entry.ruling for _, entry in found] == ["B-1"]
    assert (problem.severity, problem.code, problem.line, problem.game, problem.ruling) == (
        "error",
        "record",
        4,
        1,
        "A-8",
    )


def test_a_game_with_an_unclosed_comment_is_refused_and_the_rest_goes_on() -> None:
    rows = '[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n1 2 4S N 10\n'
    games = [f'[Event "x"]\n[Board "{board}"]\n[Scoring "MatchPoints"]\n{rows}' for board in (1, 2)]
    data = ("\n".join(games) + "{ never closed\n").encode()
    book = Ledger(tuple(Ruling(f"A-{board}", ({"board": str(board)},), regulations="wbf") for board in (1, 2)))
    annotated, attached, problems = event.open_rulings(data, book, TABLES).annotate()
    assert [there.ruling.id for there in attached] == ["A-1"]
    assert codes(problems) == [("error", "not-attached", "A-2", 2)]
    assert "line 12" in problems[0].text and "Mend" in problems[0].text
    assert annotated.endswith(b'[Event "x"]\n[Board "2"]' + data.split(b'[Board "2"]')[1])
    assert record.strip(annotated) == data


def test_a_record_in_front_of_an_unclosed_comment_is_kept() -> None:
    data = with_rows("A-8  record      1", "A-9  record      1", 'A-9  note        "old"')[:-14] + b"{ never closed\n"
    annotated, problems = attach(data, BOARD)
    assert annotated == data and len(problems) == 1


def test_the_record_of_an_entry_that_was_moved_to_another_board_leaves_the_first() -> None:
    data = GAME + b'\n[Event "Oak"]\n[Board "8"]\n'
    once, _ = attach(data, BOARD)
    assert attach(once, {2: BOARD[1]}) == attach(data, {2: BOARD[1]})


# What a row looks like


def test_a_record_looks_like_the_page_that_describes_it() -> None:
    entry = record.Record(
        ruling="A-9",
        regulations="wbf 2026-12-01 on laws-2017",
        findings=(
            record.Finding(
                "tempo", {"slow-side": "NE", "seconds": "40"}, {"inference": "possible"}, ("WBF screens 9", "Law 16B2")
            ),
        ),
        table="4S S =",
        score=Score.parse("60% 4S S =, 40% 4S S -1"),
        result="MP NS 13.8 EW 10.2",
        at="2026-11-30T20:15:00+01:00",
    )
    annotated, _ = attach(GAME, {1: [entry]})
    assert annotated.decode() == GAME.decode() + (
        '[RulingTable "Ruling\\4L;Key\\11L;Value"]\n'
        "A-9  record      1\n"
        'A-9  regulations "wbf 2026-12-01 on laws-2017"\n'
        'A-9  ground      "tempo: slow-side=NE seconds=40"\n'
        'A-9  outcome     "inference=possible"\n'
        'A-9  cites       "WBF screens 9; Law 16B2"\n'
        'A-9  table       "4S S ="\n'
        'A-9  score       "60% 4S S =, 40% 4S S -1"\n'
        'A-9  result      "MP NS 13.8 EW 10.2"\n'
        'A-9  stage       "table final 2026-11-30T20:15:00+01:00"\n'
    )


@pytest.mark.parametrize("laws", [("16B; 73F",), ('"quoted"', "12C1"), ("", "a; ", "b\n; c"), ("Law 73F",)])
def test_laws_written_anyhow_come_back_as_they_were(laws: tuple[str, ...]) -> None:
    entry = record.Record("A-9", findings=(record.Finding("", cites=laws, finding="no damage"),))
    annotated, _ = attach(GAME, {1: [entry]})
    ((_, back),), problems = record.records(pbn.read(annotated))
    assert (back.findings[0].cites, problems) == (laws, ())


def test_text_is_escaped_as_json_and_then_as_pbn() -> None:
    annotated, _ = attach(GAME, {1: [record.Record("A-9", note='Łódź "x" \\ [1] 🂡\n')]})
    line = next(line for line in annotated.decode().splitlines() if " note " in line)
    value = line.split(" ", 3)[3].strip()[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    assert value == '\\u0141\\u00f3d\\u017a \\"x\\" \\\\ \\u005b1\\u005d \\ud83c\\udca1\\u000a'
    assert json.loads(f'"{value}"') == 'Łódź "x" \\ [1] 🂡\n'


@given(st.builds(lambda text, times: text[:20] * times, texts.filter(bool), st.integers(60, 120)))
def test_each_row_of_a_long_value_can_be_read_by_itself(text: str) -> None:
    annotated, _ = attach(GAME, {1: [record.Record("A-9", note=text)]})
    tape = pbn.read(annotated)
    table = pbn.table(tape, tape.games[0], record.SECTION)
    assert table
    first = next(index for index, row in enumerate(table.rows) if row[1].text == "note")
    pieces = [row[2].text for row in table.rows[first:]]
    assert [row[1].text for row in table.rows[first + 1 :]] == ["+"] * (len(pieces) - 1)
    assert "".join(json.loads(f'"{piece}"') for piece in pieces) == text


def test_records_stand_in_the_order_of_their_numbers() -> None:
    annotated, _ = attach(GAME, {1: [record.Record(ruling) for ruling in ("B-1", "A-10", "A-9")]})
    assert [entry.ruling for _, entry in record.records(pbn.read(annotated))[0]] == ["A-9", "A-10", "B-1"]


def test_half_a_character_from_a_damaged_escape_is_replaced() -> None:
    ((_, found),), _ = record.records(
        pbn.read(with_rows("A-8 record 1", 'A-8 note "x\\\\ud83c"', 'A-8 director "C:\\q"'))
    )
    assert (found.note, found.director) == ("x\ufffd", "C:\\q")


def test_a_description_for_people_hides_what_a_terminal_would_obey() -> None:
    game = pbn.read(GAME).games[0]
    lines = record.describe(record.Record("A-9", ({"ns": "3"},), note="\x1b[2J wiped\nA-10: forged"), game)
    assert lines[0] == "A-9: board 7 (game 1), ns=3"
    assert lines[-1] == "  note        \\u001b[2J wiped\\u000aA-10: forged"


def test_the_fixtures_records_read_back_as_json_documents() -> None:
    folder = FIXTURES / "pairs-wbf"
    sources = [(path.name, path.read_bytes()) for path in sorted(folder.glob("*.toml"))]
    opened = event.open_event((folder / "session.pbn").read_bytes(), sources, TABLES)
    found, _ = record.records(pbn.read(opened.annotate()[0]))
    rows = {entry.ruling: record.record_json(entry, game, "session.pbn") for game, entry in found}
    assert set(rows) == {ruling.id for ruling in opened.ledger.rulings} - {"A-11", "B-7"}
    assert json.loads(json.dumps(rows["A-4"])) == {
        "file": "session.pbn", "game": 10, "board": "10", "ruling": "A-4", "where": [{"ns": "9", "ew": "14"}],
        "regulations": "wbf 2026-11-30 on laws-2017", "stage": "table", "state": "final",
        "at": "2026-10-17T16:02:00+02:00", "supersedes": None,
        "grounds": rows["A-4"]["grounds"],
        "table": "4S S =", "score": "60% 4S S -1, 40% 4S S =", "result": "MP NS 9.6 EW 6.4", "note": None,
    }  # fmt: skip
    assert [ground["decision"] for ground in rows["A-4"]["grounds"]] == [None, "adjusted-score-kind"]
    assert rows["A-2"]["state"] == "superseded" and rows["A-2"]["result"] is None
    assert rows["A-9"]["state"] == "superseded" and rows["A-10"]["state"] == "withdrawn"
    assert rows["A-5"]["score"] == "A+ / A-" and rows["A-5"]["result"] is None
    assert rows["B-1"]["supersedes"] == "A-2" and rows["B-1"]["stage"] == "appeal"


def test_ledgers_read_from_files_keep_the_laws_as_well() -> None:
    data = (FIXTURES / "pairs-wbf" / "session.pbn").read_bytes()
    books = [
        ledger.read([(path.name, path.read_bytes())])
        for path in sorted((FIXTURES / "pairs-wbf").glob("rulings-*.toml"))
    ]
    both = ledger.read([(path.name, path.read_bytes()) for path in sorted((FIXTURES / "pairs-wbf").glob("*.toml"))])
    in_turn = annotate(annotate(data, books[0]), both)
    assert in_turn == annotate(data, both)
    assert record.strip(in_turn) == data
    assert b"Deposit returned" not in in_turn and b"Deposit returned" in annotate(data, both, "full")


def test_two_sections_back_to_back_and_line_ends_that_would_melt_do_not_stop_the_program() -> None:
    back_to_back = b'[Board "1"]\n' + record.HEADER + b"\nA record 1\n" + record.HEADER + b"\nB record 1"
    assert record.strip(back_to_back) == b'[Board "1"]\n'
    melting = b'[Board "1"]\r' + record.HEADER + b'\nA record 1\n\n[Board "2"]\n'
    assert [game.value("Board") for game in pbn.read(record.strip(melting)).games] == ["1", "2"]
    again, problems = record.attach(pbn.read(melting), {1: [record.Record("B")], 2: [record.Record("C")]})
    assert [problem.code for problem in problems] == ["not-attached"] and again.startswith(melting[:-12])


def test_what_another_director_attached_in_full_is_not_published_with_less_detail() -> None:
    secret = record.Record("A-1", private="SECRETX", director="D", note="seen", score=Score.parse("4S N ="))
    full, _ = record.attach(pbn.read(b'[Board "1"]\n'), {1: [secret]}, "full")
    for detail in ("record", "public"):
        mine, _ = record.attach(pbn.read(full), {1: [record.Record("B-1")]}, detail)
        assert b"SECRETX" not in mine and b"4S N =" in mine and (b"seen" in mine) == (detail == "record")
    assert b"SECRETX" in record.attach(pbn.read(full), {1: [record.Record("B-1")]}, "full")[0]
