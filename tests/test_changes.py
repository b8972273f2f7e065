"""From the Director's ruling into the scoring program: what it can hold, what has to be keyed, and its next export."""

from __future__ import annotations

import csv
import io
import json
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import FIXTURES, call, process

from screenplug import changes as listing
from screenplug import event, hookimpl, host, ledger, pbn
from screenplug.changes import Changes, Item
from screenplug.model import Change, Ledger, Refused, Ruling, Score

MANAGER = host.plugin_manager()
TABLES = host.tables(MANAGER)
HOSTS = host.hosts(MANAGER)
EXPORTS = FIXTURES / "exports"
NAMES = ("magic-contest", "jfr-teamy", "ebuscore", "acblscore", "realbridge", "bridgemate", "usebio")


def export(name: str) -> bytes:
    return (EXPORTS / f"{name}.pbn").read_bytes()


def ruling(score: Any, *, id: str = "A-1", **more: Any) -> Ruling:
    given = {"regulations": "wbf", "laws": "laws-2017", "table": "4S N =", **more}
    return Ruling(id, ({"board": "7", "ns": "1", "ew": "5"},), score=Score.parse(score), **given)


def under(name: str, *rulings: Ruling) -> event.Event:
    return event.open_rulings(export(name), Ledger(rulings), TABLES, file=f"{name}.pbn")


def status(name: str, *rulings: Ruling) -> tuple[str, str]:
    (found,) = under(name, *rulings).statuses()
    return found.status, found.text


def listed(name: str, *rulings: Ruling, program: str = "") -> Changes:
    return listing.changes(under(name, *rulings), HOSTS[program] if program else None)


def only(found: Changes) -> Item:
    (item,) = found.items
    return item


AVERAGES, FIXED = ruling("A+ / A-"), ruling("60% / 40%")
BEFORE = "before-the-ruling"

# Artificial rows as programs write them


@pytest.mark.parametrize(
    ("name", "award"),
    [
        ("a6040-with-match-points", "60% / 40%"),
        ("a6040-of-a-good-session", "A+ / A-"),
        ("averages-in-one-cell", "A+ / A-"),
        ("averages-in-words", "A+ / A-"),
        ("averages-in-quotes", "A+ / A-"),
        ("average-beside-the-result", "A+ / A-"),
        ("average-for-one-side-beside-the-result", "table / A-"),
        ("both-average", "A / A"),
        ("not-played-in-words", "not played"),
    ],
)
def test_an_artificial_row_that_can_mean_one_thing_is_read(name: str, award: str) -> None:
    result = pbn.results(pbn.read(export(name)))[0]
    assert result.award.value() == award and not result.why


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a6040-without-figures", "'A6040' can be 60% / 40% (fixed) or A+ / A- (by the law"),
        ("remark-with-percentages", "'60%-40%' can be 60% / 40% (fixed) or A+ / A- (by the law"),
        ("numbers-in-the-score-columns", "'60 / 40' can be 60% / 40% (fixed) or A+ / A- (by the law"),
        ("carets-in-the-score-columns", "'^60 / ^40' can be 60% / 40% (fixed) or A+ / A- (by the law"),
        ("caret-for-one-side", "'^60' is what North-South get; the other side's score is missing"),
        ("average-for-one-side", "'AVE+' is what North-South get; the other side's score is missing"),
        ("adjusted-but-not-how", "'Adj' says that the score was adjusted, but not how"),
    ],
)
def test_an_artificial_row_that_says_too_little_is_told_with_what_it_could_mean(name: str, why: str) -> None:
    result = pbn.results(pbn.read(export(name)))[0]
    assert result.award.value() == "table" and result.points is None and result.why.startswith(why)
    assert any(why in problem.text for problem in under(name).all_problems())


def test_percentages_read_by_their_figures_are_told_until_a_ruling_says_which() -> None:
    codes = [problem.code for problem in under("a6040-with-match-points").all_problems()]
    assert "artificial-unclear" in codes
    codes = [problem.code for problem in under("a6040-with-match-points", FIXED).all_problems()]
    assert "artificial-unclear" not in codes


@pytest.mark.parametrize("text", ["A 6040", "A604", "A+B-", "60-70", "A150/20", "9-4", "-50", "4S-1", "A60400", ""])
def test_other_texts_are_no_artificial_score(text: str) -> None:
    from screenplug import artificial

    assert artificial.of_both(text) == ()


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("A60/40", ["60% / 40%", "A+ / A-"]),
        ("A6060", ["60% / 60%", "A+ / A+"]),
        ("A6337", ["63% / 37%"]),
        ("62,5% / 37.5 %", ["62.5% / 37.5%"]),
        ("AVE+/AVE-", ["A+ / A-"]),
        ("A+A=", ["A+ / A"]),
        ("avg avg", ["A / A"]),
        ("NP", ["not played"]),
    ],
)
def test_texts_for_both_sides_begin_with_north_south(text: str, scores: list[str]) -> None:
    from screenplug import artificial

    assert [score.value() for score in artificial.of_both(text)] == scores


@pytest.mark.parametrize("score", ["A6040", "60%-40%", "A+A-", "NS A+ EW A-", "AVE+ AVE-"])
def test_a_game_without_a_table_says_it_in_its_score_tag(score: str) -> None:
    data = f'[Board "7"]\n[Declarer ""]\n[Contract ""]\n[Score "{score}"]\n[ScorePercentage "NS 63.2 EW 40"]\n'
    assert pbn.results(pbn.read(data.encode()))[0].award.value() == "A+ / A-"


# check --rulings on the next export


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        (BEFORE, AVERAGES, "not applied"),
        (BEFORE, FIXED, "not applied"),
        ("a6040-with-match-points", AVERAGES, "applied"),
        ("a6040-with-match-points", FIXED, "applied"),
        ("a6040-without-figures", AVERAGES, "applied"),
        ("a6040-without-figures", FIXED, "applied"),
        ("remark-with-percentages", AVERAGES, "applied"),
        ("numbers-in-the-score-columns", FIXED, "applied"),
        ("carets-in-the-score-columns", FIXED, "applied"),
        ("averages-in-one-cell", AVERAGES, "applied"),
        ("averages-in-words", AVERAGES, "applied"),
        ("averages-in-words", FIXED, "not applied"),
        ("averages-in-quotes", AVERAGES, "applied"),
        ("average-beside-the-result", AVERAGES, "applied"),
        ("a6040-of-a-good-session", FIXED, "differs"),
        ("average-for-one-side", AVERAGES, "not applied"),
        ("adjusted-but-not-how", AVERAGES, "not applied"),
        ("not-played-in-words", ruling("not played"), "applied"),
        ("not-played-in-words", ruling("cancelled"), "not applied"),
        ("assigned-result-keyed", ruling("4S N -1"), "applied"),
        ("assigned-result-keyed", AVERAGES, "table result changed"),
    ],
    ids=lambda value: str(value.score) if isinstance(value, Ruling) else value,
)
def test_the_next_export_tells_whether_a_ruling_was_keyed(name: str, given: Ruling, expected: str) -> None:
    assert status(name, given)[0] == expected


def test_equal_figures_of_another_kind_are_applied_for_now() -> None:
    found, text = status("averages-in-quotes", FIXED)
    assert found == "applied" and "the file says A+ / A-, the ruling 60% / 40%" in text


def test_an_export_that_lost_the_ruled_board_waits_and_says_so() -> None:
    assert status("board-lost", AVERAGES) == ("waiting", "the file has no board 7; there is 8")


def test_an_export_that_lost_the_ruled_row_waits_and_says_so() -> None:
    found, text = status("row-lost", AVERAGES)
    assert found == "waiting" and text == "board 7 has no ns 1; there are 2, 3, 4"


@pytest.mark.parametrize("score", ["not played", "cancelled"])
def test_a_row_that_the_program_took_out_is_how_some_apply_not_played(score: str) -> None:
    assert status("row-lost", ruling(score))[0] == "applied"
    assert status("board-lost", ruling(score))[0] == "waiting"


REPLACED = (ruling("4S N -1"), ruling("70% 4S N -1, 30% 4S N =", id="A-2", supersedes="A-1", stage="appeal"))
WITHDRAWN = (ruling("4S N -1"), ruling("table", id="A-2", supersedes="A-1", state="withdrawn"))
RESTORED = (ruling("4S N -1"), ruling("table", id="A-2", supersedes="A-1", stage="review"))


def test_what_a_replaced_ruling_left_behind_is_named() -> None:
    found, text = status("assigned-result-keyed", *REPLACED)
    assert found == "differs"
    assert text.startswith("the file still has A-1's 4S N -1 (MP NS 1.0 EW 5.0), the ruling gives MP NS")


def test_what_a_withdrawn_ruling_left_behind_is_named() -> None:
    found, text = status("assigned-result-keyed", *WITHDRAWN)
    assert found == "differs"
    assert text == "taken back by A-2, but the file still has its 4S N -1 (MP NS 1.0 EW 5.0)"
    assert under(BEFORE, *WITHDRAWN).statuses() == ()


def test_what_a_ruling_that_lets_the_result_stand_has_to_undo_is_named() -> None:
    found, text = status("assigned-result-keyed", *RESTORED)
    assert found == "differs" and text.endswith("the ruling gives 4S N = again")
    assert status(BEFORE, *RESTORED)[0] == "applied"


def test_figures_alone_show_what_a_replaced_ruling_left_behind() -> None:
    old = ruling("60% 4S N =, 40% 4S N -1")
    figures = under(BEFORE, old)
    shown = figures.shown(figures.results[0])
    data = export(BEFORE).replace(b" 4.0  2.0\n 2", f" {shown['mp_ns']} {shown['mp_ew']}\n 2".encode())
    assert data != export(BEFORE)
    back = Ledger((old, ruling("table", id="A-2", supersedes="A-1", state="withdrawn")))
    (found,) = event.open_rulings(data, back, TABLES).statuses()
    assert (found.ruling, found.status) == ("A-1", "differs") and "taken back by A-2" in found.text


# The list


def test_the_list_gives_board_table_pairs_old_new_and_figures() -> None:
    item = only(listed(BEFORE, ruling("60% 4S N =, 40% 4S N -1")))
    assert (item.do, item.board, item.place, item.pairs) == ("key", "7", "table 1", "1-5")
    assert (item.old, item.new) == ("4S N =", "60% 4S N =, 40% 4S N -1")
    assert item.change
    assert (item.change.before["mp_ns"], item.change.figures["mp_ns"]) == ("4.0", "2.8")
    assert listing.correction(item.change) == {"mp_ns": "-1.2", "mp_ew": "+1.2"}


def test_without_a_program_nothing_is_refused() -> None:
    found = listed(BEFORE, ruling("60% 4S N =, 40% 4S N -1"))
    assert not found.refused and not only(found).how


def test_figures_typed_for_a_weighted_score_come_with_those_of_the_field() -> None:
    item = only(listed(BEFORE, ruling("60% 4S N =, 40% 4S N -1"), program="acblscore"))
    moved = {change.result.keys["ns"]: (change.before["mp_ns"], change.figures["mp_ns"]) for change in item.moved}
    assert moved == {"3": ("2.0", "2.8"), "4": ("0.0", "0.4")}
    text = "\n".join(listing.as_text(listed(BEFORE, ruling("60% 4S N =, 40% 4S N -1"), program="acblscore")))
    assert "pairs 3-7: MP NS 2.0 EW 4.0 -> MP NS 2.8 EW 3.2" in text


def test_a_ruling_that_was_keyed_is_done_and_only_shown_on_demand() -> None:
    found = listed("assigned-result-keyed", ruling("4S N -1"))
    assert only(found).do == "done"
    assert listing.shown(found, False) == [] and len(listing.shown(found, True)) == 1


def test_a_result_that_changed_since_the_ruling_is_to_be_looked_at_and_not_keyed() -> None:
    item = only(listed("assigned-result-keyed", AVERAGES, program="usebio"))
    assert item.do == "look" and not item.change and not item.refused


@pytest.mark.parametrize("rulings", [WITHDRAWN, RESTORED], ids=["withdrawn", "restored"])
def test_a_ruling_that_was_taken_back_is_taken_out_of_the_program(rulings: Sequence[Ruling]) -> None:
    item = only(listed("assigned-result-keyed", *rulings, program="ebuscore"))
    assert (item.do, item.old, item.new) == ("take back", "4S N -1", "4S N =")
    assert item.how == "change the result of the board to 4S N ="
    assert "A-1" in item.text and not item.refused


def test_a_replaced_ruling_is_named_beside_the_one_to_key() -> None:
    item = only(listed("assigned-result-keyed", *REPLACED))
    assert (item.do, item.ruling.id) == ("key", "A-2") and "the file still has A-1's 4S N -1" in item.text


def test_a_pending_ruling_is_not_keyed() -> None:
    assert only(listed(BEFORE, ruling("A+ / A-", state="pending"))).do == "pending"


def test_a_missing_board_waits_in_the_list_with_its_reason() -> None:
    item = only(listed("board-lost", AVERAGES, program="usebio"))
    assert (item.do, item.board, item.text) == ("wait", "7", "the file has no board 7; there is 8")


def test_the_list_follows_the_boards_and_penalties_come_last() -> None:
    book = ledger.read((path.name, path.read_bytes()) for path in sorted((FIXTURES / "pairs-wbf").glob("*.toml")))
    found = listing.changes(event.open_rulings((FIXTURES / "pairs-wbf" / "session.pbn").read_bytes(), book, TABLES))
    assert [int(item.board) for item in found.items if item.do == "key"] == [
        3, 5, 8, 10, 12, 15, 16, 18, 19, 20, 24, 25, 25,
    ]  # fmt: skip
    assert [line.split(",")[0] for line in found.penalties] == ["Penalty A-12", "Penalty B-8"]


# The programs

EVERY_SCORE: dict[str, Any] = {
    "result": "4S N -1",
    "average": "A+ / A-",
    "both average": "A / A",
    "percent": "60% / 40%",
    "odd percent": "65% / 35%",
    "imps": "+3 IMP / -3 IMP",
    "weighted": "60% 4S N =, 40% 4S N -1",
    "split": {"ns": "4S N -1", "ew": "4S N ="},
    "one-side": "A+ / table",
    "not played": "not played",
    "late": "late",
}
HELD = {
    "magic-contest": {"result", "average", "both average", "late"},
    "jfr-teamy": {"result", "not played", "late"},
    "ebuscore": {"result", "average", "both average", "not played", "late"},
    "acblscore": {"result", "average", "both average", "one-side", "not played", "late"},
    "realbridge": {"result", "average", "both average", "percent", "late"},
    "bridgemate": {"result", "average", "both average", "percent", "not played", "late"},
    "usebio": {"result", "both average", "percent", "odd percent", "late"},
}


def test_the_programs_of_the_list_are_offered() -> None:
    assert set(HOSTS) == set(NAMES) == set(HELD)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_holds_what_its_sources_say_and_names_what_it_would_lose(name: str) -> None:
    held = {word for word, score in EVERY_SCORE.items() if not HOSTS[name].loses(ruling(score))}
    assert held == HELD[name]
    for word in EVERY_SCORE.keys() - held:
        assert all(len(sentence) > 20 for sentence in HOSTS[name].loses(ruling(EVERY_SCORE[word])))


@pytest.mark.parametrize("name", NAMES)
def test_no_program_takes_weights_or_a_split_score_and_the_figures_are_given_instead(name: str) -> None:
    for word in ("weighted", "split"):
        item = only(listed(BEFORE, ruling(EVERY_SCORE[word]), program=name))
        assert item.refused and item.change
        figures = [text for key, text in item.change.figures.items() if key.startswith("mp")]
        assert all(text in item.how for text in figures), item.how
        assert "{" not in item.how


@pytest.mark.parametrize("name", NAMES)
def test_every_sentence_of_how_to_key_is_filled_in(name: str) -> None:
    for word in HELD[name]:
        how = only(listed(BEFORE, ruling(EVERY_SCORE[word]), program=name)).how
        assert how and "{" not in how, (word, how)


@pytest.mark.parametrize(
    ("name", "score", "words"),
    [
        ("magic-contest", "A+ / A-", "A+A-"),
        ("ebuscore", "A+ / A-", "A6040"),
        ("acblscore", "A- / A", "AVE- for North-South and AVE for East-West"),
        ("acblscore", "table / A+", "the result for North-South and AVE+ for East-West"),
        ("realbridge", "A+ / A", "first box +/= (North-South first), second box ~"),
        ("realbridge", "60% / 40%", "first box +/- (North-South first), second box ="),
        ("bridgemate", "60% / 40%", "'60%-40%'"),
        ("bridgemate", "not played", "Level -10"),
        ("usebio", "60% / 40%", "SCORE A6040"),
        ("usebio", "A / A", "SCORE A5050"),
        ("usebio", "3NTX S -2", "CONTRACT 3NTX, PLAYED_BY S, TRICKS 7"),
        ("jfr-teamy", "pass", "Pass"),
    ],
)
def test_a_change_is_told_in_the_programs_own_words(name: str, score: str, words: str) -> None:
    assert words in only(listed(BEFORE, ruling(score), program=name)).how


CODES = {
    "A- / A-": -1, "A- / A": -2, "A- / A+": -3, "A / A-": -4, "A / A": -5, "A / A+": -6, "A+ / A-": -7, "A+ / A": -8,
    "A+ / A+": -9,
}  # fmt: skip


@pytest.mark.parametrize(("score", "code"), CODES.items())
def test_the_data_connectors_code_is_that_of_the_two_averages(score: str, code: int) -> None:
    assert f"Level {code} (" in only(listed(BEFORE, ruling(score), program="bridgemate")).how


def test_percentages_that_a_program_does_not_know_are_refused_with_those_it_knows() -> None:
    (lost,) = HOSTS["bridgemate"].loses(ruling("65% / 40%"))
    assert lost == "65%: the only percentages it takes are 40%, 50%, 60%"
    assert "two digits" in HOSTS["usebio"].loses(ruling("62.5% / 37.5%"))[0]


def test_a_board_that_does_not_count_has_no_figures_to_type() -> None:
    item = only(listed(BEFORE, ruling("not played"), program="usebio"))
    assert item.refused and item.how == "no figures: the board must not count for either side; leave it out"


def test_every_program_has_sources_and_every_kind_a_sentence() -> None:
    data = tomllib.loads((Path(__file__).parents[1] / "hooks/screenplug_hooks/hosts.toml").read_text("utf-8"))
    kinds = {"result", "average", "percent", "imps", "weighted", "split", "one-side", "not-played", "late", "cancelled"}
    for program in data["host"]:
        assert program["sources"] and program["title"] and program["instead"]
        assert not program["holds"].keys() & program["lacks"].keys(), program["name"]
        assert program["holds"].keys() | program["lacks"].keys() <= kinds, program["name"]


# Programs of plugins


class Club:
    """A program of somebody else's."""

    name = "club"

    def loses(self, ruling: Ruling) -> list[str]:
        return ["everything but averages"] if ruling.score and ruling.score.kind != "artificial" else []

    def enter(self, change: Change) -> str:
        return f"ask Kim to key {change.score}"


class Broken(Club):
    def loses(self, ruling: Ruling) -> list[str]:
        raise SystemExit(3)


class Offer:
    """The plugin that offers it."""

    def __init__(self, program: Club) -> None:
        self.program = program

    @hookimpl
    def screenplug_hosts(self) -> Iterable[Club]:
        return [self.program]


def offered(program: Club) -> Any:
    manager = host.plugin_manager()
    manager.register(Offer(program), "club")
    return host.hosts(manager)["club"]


def test_a_plugins_program_is_used_and_without_a_word_on_it_figures_are_given() -> None:
    club = offered(Club())
    assert only(listing.changes(under(BEFORE, AVERAGES), club)).how == "ask Kim to key A+ / A-"
    item = only(listing.changes(under(BEFORE, ruling("60% 4S N =, 40% 4S N -1")), club))
    assert item.refused == ("everything but averages",)
    assert item.how == "type the figures MP NS 2.8 EW 3.2, or correct the two totals by MP NS -1.2 EW +1.2"


def test_a_plugins_program_that_fails_is_named() -> None:
    with pytest.raises(Refused, match=r"the scoring program club failed .SystemExit: 3"):
        listing.changes(under(BEFORE, AVERAGES), offered(Broken()))


# The command

HEAD = 'format = 1\n[default]\nregulations = "wbf"\nlaws = "laws-2017"\n[[ruling]]\nid = "9"\nboard = "7"\nns = "1"\n'


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCREENPLUG_PLUGINS", "")
    (tmp_path / "before.pbn").write_bytes(export(BEFORE))
    (tmp_path / "weighted.toml").write_text(
        f'{HEAD}table = "4S N ="\nscore = "60% 4S N =, 40% 4S N -1"\nprivate = "hush"\nnote = "told"\n'
    )
    (tmp_path / "average.toml").write_text(f'{HEAD}table = "4S N ="\nscore = "A+ / A-"\n')
    return tmp_path


def test_a_refused_ruling_makes_the_exit_code_1(evening: Path) -> None:
    done = call("changes", "before.pbn", "--rulings", "weighted.toml", "--host", "usebio")
    assert done.code == 1
    assert "What usebio can hold is known from:\n  usebio.org" in done.out
    assert "REFUSED for usebio: the weights" in done.out and "NS_MATCH_POINTS 2.8, EW_MATCH_POINTS 3.2" in done.out
    assert call("changes", "before.pbn", "--rulings", "weighted.toml").code == 0
    assert call("changes", "before.pbn", "--rulings", "average.toml", "--host", "ebuscore").code == 0


def test_an_unknown_program_is_refused_with_the_known_ones(evening: Path) -> None:
    done = call("changes", "before.pbn", "--rulings", "average.toml", "--host", "ebuscor")
    assert done.code == 2
    assert "Did you mean ebuscore?" in done.err and ", ".join(sorted(NAMES)) in done.err


def test_the_list_as_json(evening: Path) -> None:
    done = call("changes", "before.pbn", "--rulings", "weighted.toml", "--host", "usebio", "--json")
    document = json.loads(done.out)
    (change,) = document["changes"]
    assert (document["format"], document["host"], document["policy"]) == (1, "usebio", "neutral")
    assert (change["ruling"], change["do"], change["board"], change["table"]) == ("9", "key", "7", "1")
    assert (change["old"], change["new"]) == ("4S N =", "60% 4S N =, 40% 4S N -1")
    assert (change["before"]["mp_ns"], change["figures"]["mp_ns"]) == ("4.0", "2.8")
    assert change["refused"] and len(change["moved"]) == 2
    assert "hush" not in done.out


def test_the_list_as_csv_has_the_moved_results_in_rows_of_their_own(evening: Path) -> None:
    done = call("changes", "before.pbn", "--rulings", "weighted.toml", "--host", "usebio", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["ruling"], row["do"], row["pairs"]) for row in rows] == [
        ("9", "key", "1-5"), ("9", "moves", "3-7"), ("9", "moves", "4-8"),
    ]  # fmt: skip
    assert rows[0]["new figures"] == "MP NS 2.8 EW 3.2"
    assert "before.pbn: 1 to key" in done.err


def test_no_cell_of_the_csv_is_a_formula(evening: Path) -> None:
    (evening / "imps.toml").write_text(f'{HEAD}score = "+3 IMP / -3 IMP"\n')
    done = call("changes", "before.pbn", "--rulings", "imps.toml", "--format", "csv")
    assert "'+3 IMP / -3 IMP" in done.out


def test_the_list_as_markdown_is_a_table(evening: Path) -> None:
    out = call("changes", "before.pbn", "--rulings", "average.toml", "--format", "markdown").out
    head, line, row = out.splitlines()
    assert head.count("|") == line.count("|") == row.count("|")
    assert "| A+ / A- |" in row


@pytest.mark.parametrize("form", ["text", "csv", "markdown"])
def test_nothing_from_a_file_can_drive_the_terminal(evening: Path, form: str) -> None:
    (evening / "esc.pbn").write_bytes(export(BEFORE).replace(b"1  1  5", b'1 "\x1b[2J|*a*" 5'))
    (evening / "esc.toml").write_text(HEAD.replace('ns = "1"', 'ew = "5"') + 'score = "A+ / A-"\n')
    done = call("changes", "esc.pbn", "--rulings", "esc.toml", "--format", form)
    assert done.code == 0 and "\x1b" not in done.out and "u001b" in done.out


def test_rulings_that_cannot_be_read_stop_the_list(evening: Path) -> None:
    (evening / "bad.toml").write_text("[[ruling]\n")
    done = call("changes", "before.pbn", "--rulings", "bad.toml")
    assert done.code == 2 and "bad.toml:1" in done.err


@pytest.mark.parametrize("form", ["text", "csv", "markdown"])
def test_the_list_survives_a_narrow_console(evening: Path, form: str) -> None:
    (evening / "pl.pbn").write_bytes(export(BEFORE).replace(b"1  1  5", b'1 "Zi\xeaba|[x]" 5'))
    (evening / "pl.toml").write_text(HEAD.replace('ns = "1"', 'ew = "5"') + 'score = "A+ / A-"\n', "utf-8")
    done = process("changes", "pl.pbn", "--rulings", "pl.toml", "--format", form, PYTHONIOENCODING="ascii:strict")
    assert done.code == 0 and "A+ / A-" in done.out


def test_the_evening_ends_with_nothing_left_to_key(evening: Path) -> None:
    (evening / "after.pbn").write_bytes(export("averages-in-quotes"))
    done = call("changes", "after.pbn", "--rulings", "average.toml", "--host", "magic-contest")
    assert (done.code, done.out) == (0, "after.pbn: 0 to key, 1 done\n")
    assert "9 board 7, pairs 1-5: applied" in call("check", "after.pbn", "--rulings", "average.toml").out


def test_two_hundred_rulings_are_listed_in_a_moment() -> None:
    rows = [f'{pair} {pair + 40} "4S" N 10 20.0 20.0' for pair in range(1, 21)]
    columns = "PairId_NS\\2R;PairId_EW\\2R;Contract;Declarer;Result;MP_NS;MP_EW"
    boards = range(1, 25)
    data = "\n".join(
        "\n".join(
            [f'[Board "{board}"]', '[Vulnerable "None"]', '[Scoring "MP"]', f'[ScoreTable "{columns}"]', *rows, ""]
        )
        for board in boards
    ).encode()
    book = Ledger(
        tuple(
            Ruling(
                f"A-{number}",
                ({"board": str(number % 24 + 1), "ns": str(number // 24 + 1)},),
                regulations="wbf",
                laws="laws-2017",
                score=Score.parse("60% 4S N =, 40% 4S N -1"),
            )
            for number in range(200)
        )
    )
    opened = event.open_rulings(data, book, TABLES)
    start = time.perf_counter()
    found = listing.changes(opened, HOSTS["usebio"])
    text = list(listing.as_text(found))
    assert len(found.refused) == 200 and text
    assert time.perf_counter() - start < 1


def test_a_program_for_teams_is_not_told_to_correct_a_match_of_pairs() -> None:
    files = sorted((FIXTURES / "pairs-wbf").glob("*.toml"))
    book = ledger.read((path.name, path.read_bytes()) for path in files)
    opened = event.open_rulings((FIXTURES / "pairs-wbf" / "session.pbn").read_bytes(), book, TABLES)
    how = [item.how for item in listing.changes(opened, HOSTS["jfr-teamy"]).items if item.refused]
    assert how and all("in another program" in each and "corrh" not in each for each in how)
