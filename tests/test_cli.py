"""The commands as a scorer types them: what they say where, what they write, and their exit codes."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest
from commands import FIXTURES, all_commands, call, document, fine, process

COMMANDS = all_commands()
INSUFFICIENT = shlex.split(
    "kind=insufficient-bid offender=E tray=passed moved-by=N noticed-on=other-side lho-called=no"
)


# ----------------------------------------------------------------------------------------------------------- the help


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_the_help_of_every_command_runs(name: str, desk: Path) -> None:
    fine(call("annotate", "session.pbn", "--rulings", "rulings.toml"))
    example = re.fullmatch(r"Example: screenplug (.+)", " ".join((COMMANDS[name].epilog or "").split()))
    assert example and example[1].startswith(name)
    words = [word.replace("A-9", "A-3") for word in shlex.split(example[1])]
    done = fine(call(*words))
    assert done.out and (not done.err or name in ("check", "annotate", "score", "rescore"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    shown = fine(call(*name.split(), "--help")).out
    assert not [option for option in COMMANDS[name].params if option.param_type_name == "option" and not option.help]
    assert "Example: screenplug" in shown


def test_the_program_says_its_version_and_loads_nothing_for_it() -> None:
    done = process("--version", python=("-X", "importtime"))
    assert done.out.startswith("screenplug, version ")
    assert set(re.findall(r"screenplug\.(\w+)$", done.err, re.MULTILINE)) <= {"cli", "files", "model"}


def test_the_help_lists_plugin_commands_without_loading_law_tables(desk: Path) -> None:
    done = process("--help", python=("-X", "importtime"))
    assert done.code == 0 and " calc " in done.out and " annotate " in done.out
    loaded = set(re.findall(r"screenplug\.(\w+)$", done.err, re.MULTILINE))
    assert not loaded & {"laws", "lawbook", "tables", "vocabulary", "event", "ledger", "pbn"}


def test_the_shell_completes_commands_and_options() -> None:
    assert "complete" in process(_SCREENPLUG_COMPLETE="bash_source").out
    asked = process(_SCREENPLUG_COMPLETE="bash_complete", COMP_WORDS="screenplug an", COMP_CWORD="1")
    assert asked.out.split() == ["plain,annotate"]
    asked = process(_SCREENPLUG_COMPLETE="bash_complete", COMP_WORDS="screenplug annotate --de", COMP_CWORD="2")
    assert asked.out.split() == ["plain,--detail"]


def test_a_mistyped_command_is_answered_with_the_nearest_one() -> None:
    done = call("anotate", "x.pbn")
    assert (done.code, done.out) == (2, "")
    assert "Did you mean 'annotate'?" in done.err


# --------------------------------------------------------------------------------------------------- bytes in and out


def test_annotate_writes_beside_the_file_and_strip_gives_the_original_back(desk: Path) -> None:
    original = Path("session.pbn").read_bytes()
    done = fine(process("annotate", "session.pbn", "--rulings", "both"))
    assert done.out == "19 of 20 rulings attached: session.ruled.pbn\n"
    waiting, penalties = done.err.splitlines()
    assert re.fullmatch(r"both.b\.toml:\d+: note: the file has no board 28; .* \(ruling B-7\)", waiting)
    assert penalties.startswith("note: penalties are on contestants, not on boards")
    assert Path("session.pbn").read_bytes() == original
    done = fine(process("strip", "session.ruled.pbn"))
    assert re.fullmatch(r"\d+ bytes of records taken off: session\.ruled\.stripped\.pbn\n", done.out) and not done.err
    assert Path("session.ruled.stripped.pbn").read_bytes() == original


def test_a_pipe_carries_bytes_and_nothing_else(desk: Path) -> None:
    original = Path("session.pbn").read_bytes()
    assert b"\r\n" in original and b"\xe9" in original
    annotated = process("annotate", "-", "--rulings", "both", stdin=original)
    assert annotated.code == 0 and "19 of 20 rulings attached" in annotated.err
    assert b'\r\n[RulingTable "' in annotated.data and b"\n\n" not in annotated.data
    assert not re.search(rb"(?<!\r)\n", annotated.data)
    bare = process("strip", "-", stdin=annotated.data)
    assert bare.data == original
    assert process("strip", "session.pbn", "-o", "-").data == original


def test_rescore_from_standard_input_writes_the_file_alone(desk: Path) -> None:
    done = fine(process("rescore", "-", "--rulings", "rulings.toml", stdin=Path("session.pbn").read_bytes()))
    assert done.data.startswith(b"%screenplug rescored ") and done.data.endswith(b"\r\n")
    assert "contestants moved" in done.err and b"contestants moved" not in done.data


def test_the_rulings_may_come_from_standard_input(desk: Path) -> None:
    done = call("annotate", "session.pbn", "--rulings", "-", stdin=Path("rulings.toml").read_bytes())
    assert fine(done).out == "10 of 10 rulings attached: session.ruled.pbn\n"


def test_annotate_in_place_keeps_the_rights_and_strip_in_place_takes_it_back(desk: Path) -> None:
    file = desk / "session.pbn"
    file.chmod(0o640)
    original, rights = file.read_bytes(), file.stat().st_mode
    assert fine(call("annotate", "session.pbn", "--rulings", "both", "--in-place")).out.endswith(": session.pbn\n")
    assert b"[RulingTable" in file.read_bytes() and file.stat().st_mode == rights
    fine(call("strip", "session.pbn", "--in-place"))
    assert file.read_bytes() == original
    assert sorted(path.name for path in desk.glob("*session*")) == ["session.pbn"]


def test_annotating_twice_changes_nothing_more(desk: Path) -> None:
    fine(call("annotate", "session.pbn", "--rulings", "both"))
    once = Path("session.ruled.pbn").read_bytes()
    fine(call("annotate", "session.ruled.pbn", "--rulings", "both", "--in-place"))
    assert Path("session.ruled.pbn").read_bytes() == once


@pytest.mark.parametrize(
    ("detail", "shown"), [("public", (False, False)), ("record", (True, False)), ("full", (True, True))]
)
def test_the_detail_says_whether_facts_and_private_notes_leave_the_rulings_file(
    desk: Path, detail: str, shown: tuple[bool, bool]
) -> None:
    fine(call("annotate", "session.pbn", "--rulings", "both", "--detail", detail))
    data = Path("session.ruled.pbn").read_bytes()
    assert (b"slow-side=NE" in data, b"Deposit returned" in data) == shown


def test_rescore_names_its_files_and_takes_the_rulings_from_the_records(desk: Path) -> None:
    fine(call("annotate", "session.pbn", "--rulings", "both"))
    done = fine(call("rescore", "session.ruled.pbn", "--policy", "wbf"))
    assert "written: session.ruled.rescored.pbn" in done.out and "-> " in done.out
    first, rest = Path("session.ruled.rescored.pbn").read_bytes().split(b"\r\n", 1)
    assert first.startswith(b"%screenplug rescored by ") and b"policy wbf" in first
    assert rest.count(b"\n") == Path("session.ruled.pbn").read_bytes().count(b"\n")


def test_several_files_are_rescored_in_one_go(desk: Path) -> None:
    fine(call("rescore", "session.pbn", "match.pbn"))
    assert Path("session.rescored.pbn").is_file() and Path("match.rescored.pbn").is_file()
    done = call("rescore", "session.pbn", "match.pbn", "-o", "one.pbn")
    assert done.code == 2 and "-o takes one file only" in done.err and not Path("one.pbn").exists()


def test_a_device_is_written_to_and_not_replaced(desk: Path) -> None:
    before = Path(os.devnull).stat().st_mode
    fine(call("strip", "session.pbn", "-o", os.devnull))
    assert Path(os.devnull).stat().st_mode == before


def test_a_link_stays_a_link(desk: Path) -> None:
    try:
        Path("link.pbn").symlink_to("session.pbn")
    except OSError:
        return  # Windows gives links only to administrators
    fine(call("annotate", "link.pbn", "--rulings", "both", "--in-place"))
    assert Path("link.pbn").is_symlink() and b"[RulingTable" in Path("session.pbn").read_bytes()


# -------------------------------------------------------------------------------------------------------------- check


def test_check_counts_oddities_as_notes_on_standard_output(desk: Path) -> None:
    done = fine(process("check", "session.pbn", "match.pbn"))
    assert "session.pbn: note: board 22, 6-13: no result is given [result-missing]\n" in done.out
    assert "session.pbn: 27 games, 57 to look at\n" in done.out and "match.pbn: 24 games, " in done.out
    assert not done.err


def test_check_shows_an_insufficient_bid_that_nobody_ruled_on(desk: Path) -> None:
    problems = document("check", "match.pbn")["files"][0]["problems"]
    found = [problem for problem in problems if problem["code"] == "insufficient-bid"]
    assert [problem["severity"] for problem in found] == ["note"]
    assert Path("match.pbn").read_text("latin-1").splitlines()[found[0]["line"] - 1]


ONE = """format = 1
[default]
regulations = "pzbs"
laws = "laws-1997"
[[ruling]]
id = "P-1"
board = "{board}"
ns = "3"
ew = "7"
table = "{table}"
score = "3H N ="
"""


@pytest.mark.parametrize(
    ("status", "board", "table", "replaced"),
    [
        ("not applied", "2", "3H N +2", ()),
        ("differs", "2", "3H N +2", (b"6      0 100.00   0.00\n 1  4  4", b"5      1  83.33  16.67\n 1  4  4")),
        ("table result changed", "2", "3H N +1", ()),
        ("waiting", "9", "3H N +2", ()),
    ],
)
def test_check_tells_how_a_ruling_stands_in_the_file(
    desk: Path, status: str, board: str, table: str, replaced: tuple[bytes, ...]
) -> None:
    Path("one.toml").write_text(ONE.format(board=board, table=table))
    data = Path("small.pbn").read_bytes()
    if replaced:
        assert data.count(replaced[0]) == 1
    Path("now.pbn").write_bytes(data.replace(*replaced) if replaced else data)
    found = document("check", "now.pbn", "--rulings", "one.toml")["files"][0]["rulings"]
    assert [entry["status"] for entry in found] == [status]
    line = next(
        line for line in fine(call("check", "now.pbn", "--rulings", "one.toml")).out.splitlines() if "P-1 " in line
    )
    assert f"board {board}, pairs 3-7: {status}" in line
    if status in ("not applied", "differs"):
        assert (found[0]["printed"], found[0]["computed"]) == (
            f"MP NS {'5 EW 1' if replaced else '6 EW 0'}",
            "MP NS 2 EW 4",
        )
        assert found[0]["printed"] in line and found[0]["computed"] in line


def test_check_says_applied_when_the_file_prints_what_the_ruling_gives(desk: Path) -> None:
    Path("one.toml").write_text(ONE.format(board="2", table="3H N +2"))
    fine(call("rescore", "small.pbn", "--rulings", "one.toml"))
    done = fine(call("check", "small.rescored.pbn", "--rulings", "one.toml"))
    assert "P-1 board 2, pairs 3-7: applied" in done.out


def test_one_bad_file_among_several_does_not_hide_the_others(desk: Path) -> None:
    Path("letter.pbn").write_text("Dear Director,\n")
    for command in ("check", "records", "rescore"):
        done = call(command, "small.pbn", "letter.pbn", "match.pbn")
        assert done.code == 2
        assert "small.pbn" in done.out or Path("small.rescored.pbn").exists()
        assert "match.pbn" in done.out or Path("match.rescored.pbn").exists()
        assert done.err.splitlines()[0].startswith("Error: letter.pbn: this is not a PBN file")
    found = document("check", "letter.pbn", "small.pbn")["files"]
    assert [entry["file"] for entry in found] == ["letter.pbn", "small.pbn"]
    assert [problem["severity"] for problem in found[0]["problems"]] == ["error"]
    assert len(found[1]["games"]) == 6


def test_rulings_come_from_files_and_folders_each_read_once(desk: Path) -> None:
    whole = call("check", "session.pbn", "--rulings", "both").out
    assert call("check", "session.pbn", "--rulings", "both", "--rulings", str(Path("both", "a.toml"))).out == whole
    halves = call("check", "session.pbn", "--rulings", "both/a.toml", "--rulings", "both/b.toml").out
    assert [line for line in halves.splitlines() if line[:2] in ("A-", "B-")] == [
        line for line in whole.splitlines() if line[:2] in ("A-", "B-")
    ]


# --------------------------------------------------------------------------------------------------------------- JSON


def test_check_prints_one_document_with_the_documented_keys(desk: Path) -> None:
    found = document("check", "small.pbn", "--rulings", "small.toml")["files"][0]
    assert set(found) == {"file", "games", "problems", "rulings"}
    assert found["file"] == "small.pbn" and found["games"][0] == {"game": 1, "board": "1"}
    assert {"severity", "code", "text", "line"} <= set(found["problems"][0])
    assert all({"ruling", "status"} <= set(entry) for entry in found["rulings"])


def test_score_prints_one_document_with_the_documented_keys(desk: Path) -> None:
    found = document("score", "small.pbn", "--rulings", "small.toml")
    assert set(found) == {"format", "file", "policy", "provisional", "games", "totals", "problems"}
    assert (found["file"], found["policy"], found["provisional"]) == ("small.pbn", "neutral", True)
    game = found["games"][0]
    assert {"game", "board", "method", "results"} <= set(game) and (game["board"], game["method"]) == ("1", "MP1")
    figures = ("score_ns", "mp_ns", "mp_ew", "percent_ns", "percent_ew", "imp_ns", "imp_ew")
    assert {"ns", "ew", "kind", "printed", *figures} <= set(game["results"][0])
    assert game["results"][0]["mp_ns"] == "6" and game["results"][0]["imp_ns"] is None
    totals = ("contestant", "kind", "direction", "match", "total", "percent", "vp", "boards", "penalty", "rank")
    assert set(totals) <= set(found["totals"][0])


def test_records_prints_one_document_with_the_documented_keys(desk: Path) -> None:
    fine(call("annotate", "small.pbn", "--rulings", "small.toml"))
    found = document("records", "small.ruled.pbn", "small.pbn")["records"]
    assert len(found) == 7
    keys = {"file", "game", "board", "ruling", "stage", "state", "grounds", "table", "score", "result", "note"}
    assert all(keys <= set(entry) for entry in found)
    first = found[0]
    assert (first["file"], first["game"], first["board"], first["ruling"]) == ("small.ruled.pbn", 2, "2", "P-1")
    assert first["grounds"][0]["decision"] == "auction-irregularity"


def test_records_lists_what_is_attached_in_words(desk: Path) -> None:
    fine(call("annotate", "small.pbn", "--rulings", "small.toml"))
    done = fine(process("records", "small.ruled.pbn"))
    assert done.out.startswith("P-1: board 2 (game 2), ns=3 ew=7\n")
    assert done.out.endswith("small.ruled.pbn: 7 records\n") and not done.err


def test_score_shows_standings_and_every_figure_that_is_printed_otherwise(desk: Path) -> None:
    done = fine(call("score", "session.pbn"))
    assert done.out.startswith("session.pbn: policy neutral")
    assert "pair 7 NS (27 boards)" in done.out and "all 1040 printed figures are what we compute" in done.out
    done = fine(call("score", "session.pbn", "--rulings", "both"))
    assert "board 10, pairs 9-14, mp_ns: printed 15, computed 9.6, by -5.4" in done.out


def test_a_weighted_score_moves_the_whole_field(desk: Path) -> None:
    header = 'ScoreTable "PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1L;Result\\2R;Score_NS\\5R;Score_EW\\5R"'
    results = [("2H S 8", "110 -")] * 6 + [("2S N 7", "- 50")] * 2 + [("2D W 9", "- 110")] * 2
    rows = [f"{n:>2} {n + 20} {c.split()[0]} {c.split()[1]} {c.split()[2]} {s}" for n, (c, s) in enumerate(results, 1)]
    fifties = [f"{n:>2} {n + 20} 2D W 7 50 -" for n in (11, 12, 13)]
    text = "\n".join(
        ['[Event "x"]', '[Board "1"]', '[Vulnerable "None"]', '[Scoring "MatchPoints"]', f"[{header}]", *rows, *fifties]
    )
    Path("field.pbn").write_text(text + "\n")
    Path("field.toml").write_text(
        'format = 1\n[[ruling]]\nid = "1"\nregulations = "wbf"\nboard = "1"\nns = "1"\n'
        'score = "60% 2H S =, 40% 2S N -1"\n'
    )
    results = document("score", "field.pbn", "--rulings", "field.toml")["games"][0]["results"]
    assert (results[0]["kind"], results[0]["mp_ns"], results[0]["mp_ew"]) == ("weighted", "13.8", "10.2")
    field = {result["score_ns"]: result["mp_ns"] for result in results[1:]}
    assert field == {"110": "19.4", "50": "10.8", "-50": "5.4", "-110": "1"}


def test_the_laws_are_listed_and_shown(desk: Path) -> None:
    listed = document("laws", "list")["documents"]
    assert {"laws-1997", "laws-2017", "wbf", "pl-1997", "pzbs", "hbs-2006"} <= {entry["id"] for entry in listed}
    assert "pzbs" in fine(call("laws", "list")).out
    shown = document("laws", "show", "pzbs", "auction-irregularity")
    assert {"document", "laws", "revision", "rules"} <= set(shown)
    assert {"rule", "decides", "when", "then", "cites", "checked"} <= set(shown["rules"][0])
    assert {rule["decides"] for rule in shown["rules"]} == {"auction-irregularity"}
    assert "PZBS 16.7b" in fine(call("laws", "show", "pzbs")).out
    done = call("laws", "show", "pzbs", "tempoo")
    assert (done.code, done.err) == (2, "Error: there is no decision 'tempoo'. Did you mean tempo?\n")


def test_report_tells_a_ruling_in_words_and_what_it_changes(desk: Path) -> None:
    done = fine(call("report", "session.pbn", "--rulings", "rulings.toml", "A-4", "--form", "summary"))
    assert "== Ruling A-4, board 10, pairs 9-14: table, final" in done.out and "A-3" not in done.out
    assert "MP NS 15 EW 1 -> MP NS 9.6 EW 6.4" in done.out
    fine(call("report", "session.pbn", "--rulings", "rulings.toml", "--form", "summary", "-o", "paper.txt"))
    assert Path("paper.txt").read_bytes().startswith(b"== Ruling A-1") and b"\r" not in Path("paper.txt").read_bytes()
    done = call("report", "session.pbn", "--rulings", "rulings.toml", "A-99")
    assert (done.code, done.out) == (2, "") and "there is no ruling A-99. There are A-1, A-2" in done.err
    done = call("report", "session.pbn", "--rulings", "rulings.toml", "--form", "poster")
    assert (done.code, done.out) == (2, "")
    assert "there is no report 'poster'. Known are appeal, rulings, summary" in done.err


# ------------------------------------------------------------------------------------------------------------- decide


def test_decide_answers_with_the_articles() -> None:
    done = fine(process("decide", "auction-irregularity", "--regulations", "pzbs", *INSUFFICIENT))
    assert done.out.startswith("Irregular call, under pzbs on laws-1997\n") and not done.err
    assert "The irregular call cannot be accepted. [PZBS 16.7b]" in done.out
    found = document("decide", "auction-irregularity", "--regulations", "pzbs", *INSUFFICIENT)
    assert (found["status"], found["laws"], found["outcome"]["acceptance"]) == ("decided", "laws-1997", "excluded")
    assert any(step["cites"] == "PZBS 16.7b" for step in found["path"])


GAP = shlex.split("kind=insufficient-bid offender=S tray=passed moved-by=W noticed-on=other-side lho-called=no")
CONFLICT = shlex.split(
    "kind=insufficient-bid offender=W tray=calls-removed moved-by=S noticed-on=nobody lho-called=yes"
)


@pytest.mark.parametrize(
    ("facts", "status", "words"),
    [
        ([], "open", "One more fact needed: What was wrong with the call?"),
        (GAP, "gap", "silent"),
        (CONFLICT, "conflict", "differ"),
    ],
)
def test_what_is_not_decided_is_said_in_words_and_exits_1(facts: list[str], status: str, words: str) -> None:
    done = call("decide", "auction-irregularity", "--regulations", "pl-1997", *facts)
    assert (done.code, done.err) == (1, "") and words in done.out
    done = call("decide", "auction-irregularity", "--regulations", "pl-1997", *facts, "--json")
    assert done.code == 1 and json.loads(done.out)["status"] == status


def test_a_reading_chosen_by_the_director_decides_what_the_text_leaves_open() -> None:
    words = ("decide", "auction-irregularity", "--regulations", "pl-1997", *CONFLICT)
    found = document(*words, "--reading", "pl-1997/25-32-D=return-possible")
    assert (found["status"], found["outcome"]["class"]) == ("decided", "unnoticed")
    done = call(*words, "--reading", "pl-1997/25-32-D=return-maybe")
    assert done.code == 2 and "return-maybe" in done.err and "return-possible" in done.err
    done = call(*words, "--reading", "pzbs/16.2=whole-law")
    assert done.code == 2 and "pl-1997 has no readings 'pzbs/16.2'. Known: pl-1997/25-32-" in done.err


def test_an_edition_never_in_force_needs_to_be_called_hypothetical() -> None:
    words = ("decide", "tempo", "--regulations", "wbf", "--laws", "laws-1997", "pace=slow")
    done = call(*words)
    assert (done.code, done.out) == (2, "") and "never in force on laws-1997" in done.err and "hypothetical" in done.err
    assert document(*words, "--hypothetical")["hypothetical"] is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("auction-irregularity --regulations pzbs kind=insuficient-bid", "did you mean insufficient-bid?"),
        ("auction-irregularity --regulations pzbs kid=insufficient-bid", "did you mean kind?"),
        ("auction-irregularity --regulations pzb", "did you mean pzbs?"),
        ("auction-irregularity --regulations wbf --laws laws-2071", "did you mean laws-2017?"),
        ("auction-irregularity --regulations pzbs kind", "write it as NAME=VALUE"),
        ("auction-irregularity --regulations pzbs =x", "write it as NAME=VALUE"),
        ("auction-irregularity --regulations pzbs offender=E offender=W", "offender is given twice, as E and as W"),
        ("tempo --regulations wbf seconds=soon", "seconds = 'soon' is no whole number"),
        ("tempo --regulations wbf seconds=-4", "seconds = '-4' is no whole number"),
        (
            "auction-irregularity --regulations pzbs kind=insufficient-bid offender=E tray=passed moved-by=W",
            "W cannot have moved the tray away from E's side of the screen. Correct offender or moved-by",
        ),
        ("auction-irregularity --regulations pzbs tray=not-passed moved-by=N", "moved-by"),
        ("auction-irregularity kind=insufficient-bid", "--regulations"),
        ("slowness --regulations wbf", "there is no decision 'slowness'"),
    ],
)
def test_facts_that_cannot_be_exit_2_and_name_the_nearest_word(words: str, said: str) -> None:
    done = call("decide", *words.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.err.splitlines()[-1] and done.err.splitlines()[-1].startswith("Error: ")


# --------------------------------------------------------------------------------------------------------------- calc


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("contract 4SX S vul 9", ["-200"]),
        ("contract 4sx s VUL 9", ["-200"]),
        ("contract 3NT N nv 9", ["400"]),
        ("contract 4SX S nv 5", ["-1100"]),
        ("contract 4SX S nv 5 --old-undertricks", ["-900"]),
        ("contract --old-undertricks 4SX S nv 5", ["-900"]),
        ("contract -- 4SX S nv 9", ["-100"]),
        ("contract pass - nv 0", ["0"]),
        ("imps 490 -30", ["10", "-1"]),
        ("imps -- -30 490", ["-1", "10"]),
        ("imps -30", ["-1"]),
        ("imps \N{MINUS SIGN}30", ["-1"]),
        ("imps 0 10 20", ["0", "0", "1"]),
        (
            "matchpoints 110x5 50x3 -50x2 -110x2 --weighted 60:110,40:-50",
            ["110 19.4 4.6", "50 10.8 13.2", "-50 5.4 18.6", "-110 1 23", "adjusted 13.8 10.2"],
        ),
        ("matchpoints --weighted=60:110,40:-50 -- -110 110", ["-110 0 4", "110 3.4 0.6", "adjusted 2.6 1.4"]),
        ("matchpoints 110x2 110", ["110 2 2"]),
        ("neuberg --expected 11 --scored 10 18", ["19.9"]),
        ("neuberg --expected 11 --scored 10 18 0 12,5", ["19.9", "0.1", "13.85"]),
        ("neuberg --expected 10 --scored 10 -- 7", ["7"]),
        ("vp --scale wbf --boards 16 14 -3", ["13.75", "9.09"]),
        ("vp --scale wbf --boards 16 13.5", ["13.75"]),
        ("vp --scale wbf-discrete --boards 16 5 -5 100", ["12", "8", "20"]),
        ("vp --scale acbl-20 --boards 7 10 -11", ["14", "5"]),
        ("vp --scale ebu-swiss-pairs --boards 8 56.23 56.24 43.77", ["14", "15", "6"]),
        ("average --policy ebu --session 63.5 plus", ["63.5"]),
        ("average --session 55 plus", ["60"]),
        ("average plus", ["60"]),
        ("average --session 38 minus", ["38"]),
        ("average --laws laws-1997 --session 38 minus", ["40"]),
        ("average average", ["50"]),
        ("average --imps plus", ["3"]),
        ("average --imps --session 4 plus", ["4"]),
        ("average --imps minus", ["-3"]),
        ("butler 450 420x3 -50 -800 --drop 1", ["datum 300", "450 4 -4", "420 3 -3", "-50 -8 8", "-800 -15 15"]),
        ("ximps 420 170 300", ["420 4.5 -4.5", "170 -5 5", "300 0.5 -0.5"]),
        ("ximps 420 170 300 --sum", ["420 9 -9", "170 -10 10", "300 1 -1"]),
        ("redress -- -13 5 -2", ["-6", "-5"]),
        ("redress 3 5 7", ["3", "-5"]),
    ],
)
def test_the_calculator_prints_the_answers_alone_one_per_line(words: str, answers: list[str]) -> None:
    done = fine(call("calc", *words.split()))
    assert (done.out.splitlines(), done.err) == (answers, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("contract 8S S nv 9", "4SX S -1"),
        ("contract S S nv 9", "write it as 4S, 3NT or 4SX"),
        ("contract 4S X nv 9", "4SX S -1"),
        ("contract 4S S maybe 9", "neither nv nor vul"),
        ("contract 4S S nv 14", "14 tricks cannot be; write 0 to 13"),
        ("contract 4S S nv -1", "-1 tricks cannot be"),
        ("contract 4S S nv nine", "write a whole number such as 9"),
        ("contract 4S S nv 9 --vulnerable", "--vulnerable"),
        ("imps", "Missing argument"),
        ("imps 4.5", "write a whole number such as -50"),
        ("imps -x", "write a whole number such as -50"),
        ("imps \N{FULLWIDTH DIGIT FOUR}", "write a whole number"),
        ("imps 1_000", "write a whole number"),
        ("imps --scale 30", "No such option: --scale"),
        ("imps 30 -- --scale", "No such option: --scale"),
        ("matchpoints 110x0", "occurs at least once"),
        ("matchpoints 110x", "write a whole number such as 5"),
        ("matchpoints 11ox5", "write a whole number such as -50"),
        ("matchpoints 110x5 --weighted 60:110,30:50", "add up to 90%, not to 100%"),
        ("matchpoints 110x5 --weighted 60", "write it as 60:110"),
        ("matchpoints 110x5 --weighted 150:110,-50:50", "more than 0%"),
        ("neuberg --expected 11 18", "Missing option '--scored'"),
        ("neuberg --expected 9 --scored 10 18", "10 results scored of 9 expected cannot be"),
        ("neuberg --expected 11 --scored 0 18", "0 results scored"),
        ("neuberg --expected 11 --scored 10 1e400", "write a number such as 12.5"),
        ("neuberg --expected 11 --scored 10 nan", "write a number such as 12.5"),
        ("imp 30", "No such command 'imp'"),
        (
            "vp --scale wfb --boards 16 3",
            "there is no scale 'wfb'. Known are acbl-20, ebu-swiss-pairs, wbf, wbf-discrete",
        ),
        ("vp --scale acbl-20 --boards 16 3", "no table for 16 boards. It has 6 to 8, 9 to 11"),
        ("vp --scale wbf --boards 0 3", "no table for 0 boards"),
        ("vp --scale wbf --boards 16", "give margins, or --table"),
        ("vp --scale wbf --boards 16 three", "write a number such as 12.5"),
        ("average --policy uefa plus", "there is no scoring policy 'uefa'"),
        ("average better", "'better' is not one of"),
        ("butler 450 420 --drop 1", "leave nothing"),
        ("ximps 420", "two results or more"),
        ("redress 5 3 1", "would have had no less"),
    ],
)
def test_the_calculator_refuses_what_it_cannot_read(words: str, said: str) -> None:
    done = call("calc", *words.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.err.splitlines()[-1]


# ------------------------------------------------------------------------------------------------------------ plugins

HELLO = '''
import click
from screenplug import hookimpl

@hookimpl
def screenplug_commands(cli):
    @cli.command()
    def hello():
        """Greet the directors."""
        click.echo("hello from the club")
'''


def test_a_plugin_from_a_file_adds_its_command_also_to_the_help(desk: Path) -> None:
    Path("hello.py").write_text(HELLO)
    assert fine(process("--plugin", "hello.py", "hello")).out == "hello from the club\n"
    assert "Greet the directors." in fine(call("--plugin", "hello.py", "--help")).out
    assert "Greet the directors." in fine(call("--plugin", "hello.py", "hello", "--help")).out
    assert "hello.py: screenplug_commands" in fine(call("--plugin", "hello.py", "plugins")).out
    assert fine(call("--plugin", "hello.py", "check", "small.pbn")).out.endswith("small.pbn: 6 games, 5 to look at\n")
    assert process("hello").code == 2


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "there is no such file"),
        ("raise RuntimeError('licence expired')", "RuntimeError: licence expired"),
        ("def x(:", "SyntaxError"),
        ("import sys; sys.exit(0)", "SystemExit"),
    ],
)
@pytest.mark.parametrize("words", [("--help",), ("check", "small.pbn")])
def test_a_plugin_asked_for_by_name_that_fails_stops_the_program(
    desk: Path, source: str | None, said: str, words: tuple[str, ...]
) -> None:
    if source:
        Path("own.py").write_text(source)
    done = call("--plugin", "own.py", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: plugin own.py: ") and said in done.err and done.err.count("\n") == 1


def test_plugins_says_where_the_schema_of_rulings_files_is(desk: Path) -> None:
    path = json.loads(fine(call("plugins", "--json")).out)["ledger-schema"]
    assert path in fine(call("plugins")).out
    assert "ruling" in json.loads(Path(path).read_text())["properties"]


def test_a_broken_installed_plugin_is_listed_and_stops_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = Path("site", "screenplug_club-1.2.dist-info")
    info.mkdir(parents=True)
    Path("site", "club_plugin.py").write_text("raise ImportError('licence expired')")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: screenplug-club\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("[screenplug]\nclub = club_plugin\n")
    monkeypatch.setenv("PYTHONPATH", str(Path("site").resolve()))
    here = {"SCREENPLUG_PLUGINS": "club"}
    assert fine(process("check", "small.pbn", **here)).err == ""
    done = fine(process("plugins", **here))
    assert "club 1.2: failed: ImportError: licence expired" in done.out
    found = json.loads(fine(process("plugins", "--json", **here)).out)
    club = next(plugin for plugin in found["plugins"] if plugin["name"] == "club")
    assert found["format"] == 1
    assert (club["version"], club["hooks"], club["failure"]) == ("1.2", [], "ImportError: licence expired")
    done = process("check", "small.pbn", **here, SCREENPLUG_STRICT="1")
    assert (done.code, done.out) == (2, "") and "plugin club: ImportError: licence expired" in done.err


# ------------------------------------------------------------------------------------------------------------ console


@pytest.mark.parametrize("encoding", ["ascii", "cp1250", "cp1252", "utf-8"])
def test_output_survives_a_console_that_cannot_show_every_character(desk: Path, encoding: str) -> None:
    text = (
        Path("rulings.toml")
        .read_text("utf-8")
        .replace('note = "3S cancelled', 'note = "Żółw \N{SNOWMAN} 龍 3S cancelled')
    )
    Path("rulings.toml").write_text(text, "utf-8")
    strict = {"PYTHONIOENCODING": f"{encoding}:strict"}
    done = fine(process("report", "session.pbn", "--rulings", "rulings.toml", "A-2", "--form", "summary", **strict))
    # click takes an ASCII console for one that was set up wrong, and writes UTF-8 to it.
    shown = r"\u2603 \u9f8d" if encoding.startswith("cp") else "\N{SNOWMAN} 龍"
    assert shown in done.data.decode("utf-8", "replace")
    done = process("check", "dragon-\N{SNOWMAN}.pbn", **strict)
    assert done.code == 2 and "no such file" in done.err


def test_json_is_ascii_on_every_console(desk: Path) -> None:
    fine(call("annotate", "session.pbn", "--rulings", "rulings.toml"))
    for words in (("records", "session.ruled.pbn"), ("laws", "list"), ("decide", "tempo", "--regulations", "wbf")):
        assert call(*words, "--json").data.isascii()


def test_the_fixtures_are_clean(desk: Path) -> None:
    for file in ("session.pbn", "match.pbn", "small.pbn"):
        found = document("check", file)["files"][0]["problems"]
        assert not [problem for problem in found if problem["severity"] == "error"]
    assert (FIXTURES / "README.md").is_file()
