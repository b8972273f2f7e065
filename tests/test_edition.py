"""The edition of the Laws that a ruling stands under when it names none: by the date of its board."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import call

from screenplug import event, host, ledger
from screenplug.event import Event

TABLES = host.tables(host.plugin_manager())

ENTRY = '[[ruling]]\nid = "{}"\nboard = "{}"\nns = "1"\n'
ROWS = '[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n1 2 4S N 10\n'


def book(regulations: str, *entries: tuple[str, str, str]) -> bytes:
    """A rulings file; each entry as id, board and what else it says."""
    rows = [f'format = 1\n[default]\nregulations = "{regulations}"\n']
    return "".join([*rows, *(f"{ENTRY.format(id, board)}{more}\n" for id, board, more in entries)]).encode()


def played(*boards: tuple[str, str]) -> bytes:
    """A file; each board as its number and what its tags say of the date."""
    return "\n".join(f'[Board "{number}"]\n{tags}[Scoring "MP"]\n{ROWS}' for number, tags in boards).encode()


def opened(pbn: bytes, rulings: bytes) -> Event:
    return event.open_rulings(pbn, ledger.read([("r.toml", rulings)]), TABLES)


def on(date: str) -> tuple[str, str]:
    return "7", f'[Date "{date}"]\n'


BY_DATE = [
    ("wbf", "2009.03.01", "laws-2007"),
    ("wbf", "2017.07.31", "laws-2007"),
    ("wbf", "2017.09.30", "laws-2017"),
    ("wbf", "2026.11.30", "laws-2017"),
    ("wbf", "2016.??.??", "laws-2007"),
    ("wbf", "2018.1?.??", "laws-2017"),
    ("pzbs", "2006.03.11", "laws-1997"),
    ("pzbs", "2008.09.30", "laws-2007"),
    ("pl-1997", "1999.01.02", "laws-1997"),
    ("hbs-2006", "2008.02.01", "laws-1997"),  # the only edition under it, still in use somewhere
]


@pytest.mark.parametrize(("regulations", "date", "laws"), BY_DATE)
def test_a_ruling_that_names_no_edition_stands_on_the_one_in_force(regulations: str, date: str, laws: str) -> None:
    found = opened(played(on(date)), book(regulations, ("A-1", "7", "")))
    assert found.regulations["A-1"].endswith(f" on {laws}") and not found.problems


NOT_TOLD = [
    ("wbf", "2017.08.20", ["laws-2017 (from 2017-08-01)", "laws-2007 (from 2008-01-01 to 2017-09-29) were"]),
    ("wbf", "2017.??.??", ["from 2017-01-01 to 2017-12-31"]),
    ("pzbs", "2008.05.01", ['laws = "laws-1997" or laws = "laws-2007"']),
    ("pzbs", "2026.11.30", ["pzbs stands on laws-1997", "not in force on 2026-11-30"]),
    ("wbf", "2001.01.01", ["not in force on 2001-01-01", 'laws = "laws-2017" or laws = "laws-2007"']),
]  # fmt: skip


@pytest.mark.parametrize(("regulations", "date", "said"), NOT_TOLD)
def test_none_or_two_in_force_is_an_error_that_names_them(regulations: str, date: str, said: list[str]) -> None:
    found = opened(played(on(date)), book(regulations, ("A-1", "7", 'score = "4S N -1"')))
    (problem,) = found.problems
    assert (problem.severity, problem.code, problem.ruling) == ("error", "regulations", "A-1")
    assert all(words in problem.text for words in said), problem.text
    assert found.places == () and found.records() == {}


def test_an_edition_that_is_named_holds_and_one_of_another_time_is_remarked_on_once() -> None:
    entries = ("A-1", "7", 'laws = "laws-2007"'), ("A-2", "7", 'laws = "laws-2007"'), ("A-3", "7", "")
    found = opened(played(on("2020.01.01")), book("wbf", *entries))
    assert [found.regulations[id][-9:] for id in ("A-1", "A-2", "A-3")] == ["laws-2007", "laws-2007", "laws-2017"]
    assert [(each.severity, each.code, each.ruling) for each in found.problems] == [("note", "edition", "A-1")]
    assert "2017-09-29" in found.problems[0].text and "2020-01-01" in found.problems[0].text


def test_an_edition_asked_by_its_own_name_is_that_edition() -> None:
    found = opened(played(on("2026.11.30")), book("laws-1997", ("A-1", "7", "")))
    assert found.regulations["A-1"].startswith("laws-1997 ")
    assert [(each.severity, each.code) for each in found.problems] == [("note", "edition")]


def test_boards_of_two_times_each_have_their_own_edition() -> None:
    pbn = played(("7", '[Date "2010.01.01"]\n'), ("8", '[Date "2020.01.01"]\n'))
    both = 'results = [{ board = "7" }, { board = "8" }]'
    rulings = book("wbf", ("A-1", "7", ""), ("A-2", "8", "")) + f'[[ruling]]\nid = "A-3"\n{both}\n'.encode()
    found = opened(pbn, rulings)
    assert [found.regulations[id][-9:] for id in ("A-1", "A-2")] == ["laws-2007", "laws-2017"]
    assert [(each.code, each.ruling) for each in found.problems] == [("regulations", "A-3")]


WHEN = [
    ('[Date "????.??.??"]\n[EventDate "2010.05.01"]\n', "", "laws-2007"),
    ('[Date "2010.13.01"]\n', "at = 2020-01-01", "laws-2017"),
    ('[Date ""]\n', "at = 2010-01-01T10:00:00+01:00", "laws-2007"),
    ('[Date "2020.01.01"]\n', "at = 2010-01-01", "laws-2017"),
    ("", 'at = "2010-01-01T10:00"', "laws-2007"),
]


@pytest.mark.parametrize(("tags", "entry", "laws"), WHEN)
def test_the_board_tells_the_date_and_else_the_event_and_else_the_ruling(tags: str, entry: str, laws: str) -> None:
    found = opened(played(("7", tags)), book("wbf", ("A-1", "7", entry)))
    assert found.regulations["A-1"].endswith(laws) and not found.problems


def test_a_board_that_is_not_in_the_file_yet_is_of_the_days_of_the_file() -> None:
    pbn = played(("7", '[Date "2010.01.01"]\n'), ("8", '[Date "2010.01.02"]\n'))
    found = opened(pbn, book("wbf", ("A-1", "9", ""), ("A-2", "9", "at = 2020-01-01")))
    assert [found.regulations[id][-9:] for id in ("A-1", "A-2")] == ["laws-2007", "laws-2017"]


def test_without_any_date_the_first_edition_of_the_document_is_taken_and_said() -> None:
    found = opened(played(("7", "")), book("pzbs", ("A-1", "7", ""), ("A-2", "7", "")))
    assert found.regulations["A-1"].endswith("laws-1997")
    (problem,) = found.problems
    assert (problem.severity, problem.code) == ("note", "edition") and 'laws = "laws-1997"' in problem.text
    for regulations in ("pl-1997", "wbf"):  # the only edition, and the newest
        assert not opened(played(("7", "")), book(regulations, ("A-1", "7", ""))).problems


def test_without_screens_the_date_tells_the_base_laws() -> None:
    found = opened(played(on("2010.01.01")), book("wbf", ("A-1", "7", "screens = false")))
    assert found.regulations["A-1"].startswith("laws-2007 ")


def test_rule_asks_under_the_edition_that_check_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ground = ("--ground", "adjusted-score-kind: result=obtained possibilities=few other-table=none stage=table")
    words = ("rule", "s.pbn", "--rulings", "r.toml", "--regulations", "pzbs", "--board", "7", "--yes", *ground)
    for date, laws in (("2006.03.11", "laws-1997"), ("2010.03.11", "laws-2007")):
        Path("s.pbn").write_bytes(played(on(date)))
        Path("r.toml").unlink(missing_ok=True)
        done = call(*words)
        assert done.code == 0 and f"under pzbs on {laws}" in done.out
        assert b"laws = " not in Path("r.toml").read_bytes()
        assert laws[-4:] in call("annotate", "s.pbn", "--rulings", "r.toml", "-o", "-").out
    for date, remedy in (("2008.05.01", "--laws"), ("2026.03.11", "--laws")):
        Path("s.pbn").write_bytes(played(on(date)))
        Path("r.toml").unlink(missing_ok=True)
        done = call(*words)
        assert (done.code, Path("r.toml").exists()) == (2, False) and remedy in done.err
    done = call(*words, "--laws", "laws-2007")
    assert done.code == 0 and b'laws = "laws-2007"' in Path("r.toml").read_bytes()


def test_rule_asks_for_the_edition_that_the_date_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for regulations, answers in (("wbf", "laws-2007\n"), ("pl-1997", "")):
        Path("s.pbn").write_bytes(played(on("2017.09.02")))
        words = ("rule", "s.pbn", "--rulings", "r.toml", "--regulations", regulations, "--board", "7", "--later")
        done = call(*words, "--score", "4S N -1", stdin=f"{answers}\n")
        assert done.code == 0 and ("Edition of the Laws (1-2)" in done.out) == (regulations == "wbf"), (
            done.err + done.out
        )
        assert f'laws = "{"laws-2007" if answers else "laws-1997"}"' in Path("r.toml").read_text()
        Path("r.toml").unlink()


def test_the_list_of_documents_shows_the_days_of_the_editions() -> None:
    assert "laws-2007" in (line := next(row for row in call("laws", "list").out.splitlines() if "laws-2007 " in row))
    assert line.endswith("(in force from 2008-01-01 to 2017-09-29)")
