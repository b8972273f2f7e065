"""What ``check`` tells: every oddity of the form, every irregularity of the record, and the codes to choose them by."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from commands import FIXTURES, ROOT, call, fine
from hypothesis import given, settings
from hypothesis import strategies as st

from screenplug import codes, irregularities, oddities, pbn
from screenplug.model import Ground, Refused

PBN = FIXTURES / "pbn"
EXPECTED: dict[str, Any] = json.loads((PBN / "expect.json").read_text(encoding="utf-8"))
READABLE = [name for name, expected in EXPECTED.items() if "refused" not in expected]


def tape(name: str) -> pbn.Tape:
    return pbn.read((PBN / f"{name}.pbn").read_bytes())


def record(auction: str = "", play: str = "", tags: str = "") -> list[irregularities.Irregularity]:
    """What the record of a small game shows."""
    deal = "N:AQ72.K84.J63.T95 T4.QJ97.AK82.QJ3 KJ965.A5.T94.K82 83.T632.Q75.A764"
    text = f'[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{deal}"]\n{tags}'
    text += f'[Auction "N"]\n{auction}\n' if auction else ""
    text += f'[Play "W"]\n{play}\n' if play else ""
    return list(irregularities.find(pbn.read(text.encode("latin-1"))))


def shown(found: irregularities.Irregularity) -> str:
    facts = "".join(f" {key}={value}" for key, value in found.facts.items())
    return found.problem.code + (f": {found.decision}" if found.decision else "") + facts


def checked(path: Path | str, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(call("check", str(path), "--json", *words).out)["files"][0]["problems"]
    return found


# The fixtures


@pytest.mark.parametrize("name", READABLE)
def test_a_fixture_shows_the_oddities_that_are_expected_and_no_other(name: str) -> None:
    assert [problem.code for problem in oddities.find(tape(name))] == EXPECTED[name].get("odd", [])


@pytest.mark.parametrize("name", READABLE)
def test_a_fixture_shows_its_irregularity_with_the_facts_of_the_record(name: str) -> None:
    assert [shown(found) for found in irregularities.find(tape(name))] == EXPECTED[name].get("irregular", [])


def test_every_code_of_the_form_and_of_the_record_has_a_fixture() -> None:
    told = {code for each in EXPECTED.values() for code in (*each.get("problems", ()), *each.get("odd", ()))}
    told |= {text.partition(":")[0] for each in EXPECTED.values() for text in each.get("irregular", ())}
    told |= {"refused", "table-cells", "not-attached"}  # told by opening and by annotating, with tests of their own
    assert {code for code, kind in codes.KINDS.items() if kind.about in ("file", "record")} == told


# Where the code stands among the arguments, by the function that is called.
CODE_AT = {
    "Problem": 1,
    "problem_at": 1,
    "Finding": 1,
    "_fault": 1,
    "never_ends": 1,
    "problem": 1,
    "wrong": 0,
    "once": 0,
}
CODE_AT |= {"note": 0, "add": 1}
ELSEWHERE = {"clock", "added-meanwhile", "more"}  # told while one rules, and by score


def test_every_code_in_the_source_is_in_the_table() -> None:
    written = set()
    for name in ("pbn", "oddities", "event", "record", "edition", "printed", "ledger", "scoring", "totals", "awards"):
        for node in ast.walk(ast.parse((ROOT / "screenplug" / f"{name}.py").read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            at = 0 if name == "oddities" and called == "add" else CODE_AT.get(called, len(node.args))
            code = node.args[at] if at < len(node.args) else None
            if isinstance(code, ast.Constant) and isinstance(code.value, str):
                written.add(code.value)
    assert len(written) > 100
    assert written - ELSEWHERE <= codes.KINDS.keys()


@pytest.mark.parametrize("name", READABLE)
def test_problems_have_the_severity_and_the_place_that_the_table_promises(name: str) -> None:
    for problem in checked(PBN / f"{name}.pbn"):
        kind = codes.KINDS[problem["code"]]
        assert problem["severity"] == kind.severity
        if kind.about in ("file", "record") and problem["code"] != "refused":
            assert problem["line"] >= 1 and problem["column"] >= 1


@pytest.mark.parametrize("name", READABLE)
def test_check_says_of_each_game_whether_it_can_be_annotated(name: str) -> None:
    refused = {number for number, place in enumerate(EXPECTED[name]["places"], 1) if place is None}
    for problem in checked(PBN / f"{name}.pbn"):
        if "annotate" in problem and "game" in problem:
            assert problem["annotate"] == (problem["game"] not in refused)


def test_what_is_odd_about_the_whole_file_says_whether_every_game_can_be_annotated(tmp_path: Path) -> None:
    told = []
    for end in ("", " {never closed"):
        (tmp_path / "a.pbn").write_bytes(f'[Board "1"]\n\n[Board "2"]{end}'.encode())
        told += [each["annotate"] for each in checked(tmp_path / "a.pbn") if each["code"] == "no-newline-at-end"]
    assert told == [True, False]


def test_a_blank_in_the_name_of_one_of_several_columns_is_no_header_without_semicolons() -> None:
    found = oddities.find(pbn.read(b'[OwnTable "First name;Pair"]\nx 1\n'))
    assert "table-header-blanks" not in {problem.code for problem in found}


def test_a_file_that_is_no_text_is_a_problem_with_a_code() -> None:
    (problem,) = checked(PBN / "utf-16.pbn")
    assert (problem["code"], problem["severity"], problem["annotate"]) == ("refused", "error", False)


# Auctions


@pytest.mark.parametrize(
    ("auction", "found"),
    [
        ("1C 1D 1H 1S 1NT Pass Pass Pass", []),
        ("1C X XX Pass Pass 1D X AP", []),
        ("1C Pass Pass X Pass Pass XX AP", []),
        ("Pass Pass Pass Pass", []),
        ("AP", []),
        ("1C (1D) =1= ! 1H {2D} AP", []),
        ("7NT X XX AP", []),
        ("1NT Pass 1S AP", ["insufficient-bid S"]),
        ("1NT Pass 1N AP", ["insufficient-bid S"]),
        ("1nt pass ^i 1s ap", ["insufficient-bid S"]),
        ("1H 1H AP", ["insufficient-bid E"]),
        ("X AP", ["inadmissible-double N"]),
        ("1C XX AP", ["inadmissible-double E"]),
        ("1C X X AP", ["inadmissible-double S"]),
        ("1C X XX XX AP", ["inadmissible-double W"]),
        ("1C X XX Pass XX AP", ["inadmissible-double N"]),
        ("1C X 1D X XX 1S XX AP", ["inadmissible-double S"]),
        ("1C AP Pass", ["call-after-final-pass N"]),
        ("Pass Pass Pass Pass 1C", ["call-after-final-pass N"]),
        ("7S 8C AP", ["bid-above-seven E"]),
        ("1C ^S 1D AP", ["call-out-of-rotation S"]),
        ("1C - - 1D AP", ["call-out-of-rotation W"]),
        ("1C AC 1C AP", []),
    ],
)
def test_an_auction_shows_who_broke_which_law(auction: str, found: list[str]) -> None:
    assert [f"{each.facts['kind']} {each.facts['offender']}" for each in record(auction)] == found


def test_an_irregular_call_asks_the_decision_of_calls() -> None:
    assert {each.decision for each in record("X 7S 8C AP Pass")} == {"auction-irregularity"}


def test_the_words_say_whether_it_was_marked() -> None:
    marked, bare = (record(auction)[0].problem.text for auction in ("1H ^I 1D AP", "1H 1D AP"))
    assert "marked ^I" in marked and "not marked ^I" not in marked and "not marked ^I" in bare


def test_columns_before_the_dealer_are_no_call_out_of_rotation() -> None:
    text = '[Dealer "S"]\n[Auction "W"]\n- - - 1C\nAP\n'
    assert not irregularities.find(pbn.read(text.encode()))


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ('[Declarer "S"]\n[Contract "1SX"]\n', []),
        ('[Declarer "^N"]\n[Contract "1SX"]\n', ["declarer-swapped"]),
        ('[Declarer "^S"]\n[Contract "1SX"]\n', ["declarer-swapped", "mark-without-cause"]),
        ('[Declarer "W"]\n[Contract "1SX"]\n', ["declarer-against-auction"]),
        ('[Declarer "S"]\n[Contract "1S"]\n', ["declarer-against-auction"]),
        ('[Declarer ""]\n[Contract "1SX"]\n', []),
    ],
)
def test_declarer_and_contract_are_those_of_the_auction(tags: str, found: list[str]) -> None:
    assert [each.problem.code for each in record("Pass Pass 1S X AP", tags=tags)] == found


# Cards


@pytest.mark.parametrize(
    ("deal", "texts"),
    [
        ("N:AQ72.K84.J63.T95 T4.QJ97.AK82.QJ3 KJ965.A5.T94.K82 83.T632.Q75.A764", []),
        ("N:AQ72.K84.J63.T9 T4.QJ97.AK82.QJ3 KJ965.A5.T94.K82 83.T632.Q75.A764", ["North has 12 cards"]),
        ("N:AQ72.K84.J63.T95 T4.QJ97.AK82.QJ3 - -", []),
        ("E:AQ72.K84.J63.T95 AQ.QJ97.AK82.QJ3 - -", ["SQ is there 2 times: East, South", "SA is there 2 times"]),
        ("N:AA72.K84.J63.T95 - - -", ["SA is there 2 times: North, North"]),
        ("N:... ... ... ...", []),
    ],
)
def test_a_deal_of_other_cards_than_a_pack_is_shown(deal: str, texts: list[str]) -> None:
    found = [each.problem.text for each in irregularities.find(pbn.read(f'[Deal "{deal}"]\n'.encode()))]
    assert len(found) == len(texts)
    assert all(any(each.startswith(text) for each in found) for text in texts)


def test_whether_a_call_was_made_on_the_wrong_hand_is_said_only_where_the_auction_shows_it() -> None:
    deal = "N:AQ72.K84.J63.T9 T4.QJ97.AK82.QJ3 KJ965.A5.T94.K82 83.T632.Q75.A764"
    for auction, facts in (
        ("", {}),
        ('[Auction "N"]\nPass *\n', {"call-made-on-it": "yes"}),
        ('[Auction "E"]\n1C *\n', {}),
    ):
        (found,) = irregularities.find(pbn.read(f'[Dealer "{auction[10:11]}"]\n[Deal "{deal}"]\n{auction}'.encode()))
        assert (found.decision, found.facts) == ("wrong-number-of-cards", facts)


PLAYED = '[Declarer "S"]\n[Contract "2S"]\n'


@pytest.mark.parametrize(
    ("play", "found"),
    [
        ("H2 H4 HQ HA\n*", []),
        ("h2 h4 hq ha\n*", []),
        ("H2 =1= H4! HQ {x} HA\n*", []),
        ("H2 D3 HQ HA\n*", ["revoke: D3 by North, who held H4, is a revoke, not marked ^R"]),
        ("H2 ^R D3 HQ HA\n*", ["revoke: D3 by North, who held H4, is a revoke, marked ^R"]),
        ("H2 ^R H4 HQ HA\n*", ["mark-without-cause: H4 by North is marked ^R and is no revoke"]),
        ("H2 HK H7 H5\nC4 C5 CJ CK\n*", []),
        ("H2 H4 HK HA\n*", ["card-not-held: HK by East, played already or not dealt to it"]),
        ("C4 C5 CJ C2\n^L D5 D3 DA D4\n*", ["lead-out-of-turn: West led out of turn, marked ^L; it was East's turn"]),
        ("H2 H4 HQ HA\n- - - ^L SK\n*", ["mark-without-cause: South's lead is marked ^L and was in turn"]),
        ("- H4 - -\n*", ["opening-lead-out-of-turn: North led, not marked ^L, but the lead was West's"]),
    ],
)
def test_a_play_is_followed_card_by_card(play: str, found: list[str]) -> None:
    assert [f"{each.problem.code}: {each.problem.text}" for each in record(play=play, tags=PLAYED)] == found


def test_a_trick_is_won_by_the_highest_trump_or_else_of_the_suit_led() -> None:
    # North ruffs nothing: dummy's trump ten would lose to it. Wrong winners would be leads out of turn in the next row.
    tricks = "H2 H4 HQ HA\nS3 S2 S4 SK\n^L S8 SA ST S5\n*"
    assert [each.problem.code for each in record(play=tricks, tags=PLAYED)] == ["lead-out-of-turn"]


def test_a_result_is_held_against_a_play_of_all_tricks_only() -> None:
    full = (PBN / "result-not-the-plays.pbn").read_text("latin-1")
    cut = "\n".join(full.splitlines()[:-1]) + "\n*\n"
    found = [[each.problem.code for each in irregularities.find(pbn.read(text.encode()))] for text in (full, cut)]
    assert found == [["result-against-play"], []]


# Rulings


@pytest.mark.parametrize(
    ("ground", "ruled"),
    [
        (Ground("auction-irregularity", {"kind": "insufficient-bid", "offender": "E"}), True),
        (Ground("auction-irregularity", {"kind": "call-out-of-rotation", "offender": "E"}), False),
        (Ground("rectification", {}), True),
        (Ground("tempo", {}), False),
        (Ground(laws=("27B1",), finding="accepted"), True),
        (Ground(laws=("64A",), finding="a revoke"), False),
    ],
)
def test_only_a_fitting_ground_rules_on_an_insufficient_bid(ground: Ground, ruled: bool) -> None:
    (found,) = record("1H 1D AP")
    assert found.ruled_by([ground]) == ruled


RULING = """format = 1
[default]
regulations = "pzbs"
laws = "laws-1997"
[[ruling]]
id = "R-1"
board = "1"
{more}
[[ruling.ground]]
{ground}
"""
FIT = 'decision = "auction-irregularity"\nfacts = { kind = "insufficient-bid", offender = "S" }'


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("odd.pbn").write_bytes((PBN / "insufficient-bid-unmarked.pbn").read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    ("more", "ground", "listed"),
    [
        ("", FIT, False),
        ('state = "withdrawn"', FIT, True),
        ("", 'laws = ["64A"]\nfinding = "a revoke"', True),
    ],
)
def test_check_lists_what_no_ruling_in_force_is_about(desk: Path, more: str, ground: str, listed: bool) -> None:
    Path("r.toml").write_text(RULING.format(more=more, ground=ground))
    assert ("insufficient-bid" in {each["code"] for each in checked("odd.pbn", "--rulings", "r.toml")}) == listed


def test_a_ruling_that_only_the_file_carries_counts_too(desk: Path) -> None:
    Path("r.toml").write_text(RULING.format(more="", ground=FIT))
    assert "1 of 1 rulings attached" in call("annotate", "odd.pbn", "--rulings", "r.toml", "-o", "ruled.pbn").out
    codes_of = [{each["code"] for each in checked(name)} for name in ("odd.pbn", "ruled.pbn")]
    assert ["insufficient-bid" in found for found in codes_of] == [True, False]


def test_the_command_to_run_next_has_the_regulations_of_the_rulings_and_runs(desk: Path) -> None:
    Path("r.toml").write_text(RULING.format(more="", ground='laws = ["64A"]\nfinding = "a revoke"'))
    without, under = (
        next(each["next"] for each in checked("odd.pbn", *words) if each["code"] == "insufficient-bid")
        for words in ((), ("--rulings", "r.toml"))
    )
    assert without == "screenplug decide auction-irregularity --regulations ID kind=insufficient-bid offender=S"
    assert under.startswith("screenplug decide auction-irregularity --regulations pzbs --laws laws-1997 ")
    done = call(*under.split()[1:])
    assert done.code == 1 and "insufficient" in done.out and "back again" in done.out  # the next fact is asked for


def test_every_decision_that_check_names_takes_the_facts_that_it_names(desk: Path) -> None:
    for name in READABLE:
        for each in checked(PBN / f"{name}.pbn"):
            if each.get("next", "").startswith("screenplug decide"):
                done = call(*each["next"].replace(" ID", " wbf").split()[1:])
                assert done.code in (0, 1), (name, done.err)


def test_what_no_table_decides_leads_to_a_ruling_in_words() -> None:
    problems = checked(PBN / "score-not-the-contracts.pbn") + checked(PBN / "revoke-unmarked.pbn")
    told = {each["code"]: each["next"] for each in problems if "next" in each}
    assert told.keys() == {"score-contradicts-contract", "revoke"}
    assert all(command.startswith("screenplug rule ") for command in told.values())


# Codes


def test_select_and_ignore_choose_by_code(desk: Path) -> None:
    every = [each["code"] for each in checked("odd.pbn")]
    assert set(every) == {"comment-in-section", "insufficient-bid"}
    assert {each["code"] for each in checked("odd.pbn", "--ignore", "insufficient-bid")} == {"comment-in-section"}
    assert {each["code"] for each in checked("odd.pbn", "--select", "bom,insufficient-bid")} == {"insufficient-bid"}
    assert not checked("odd.pbn", "--select", "insufficient-bid", "--select", "bom", "--ignore", "insufficient-bid")


def test_an_ignored_error_is_no_failure() -> None:
    path = str(PBN / "comment-unclosed.pbn")
    assert (call("check", path).code, call("check", path, "--ignore", "comment-unclosed").code) == (1, 0)


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_code_is_refused_with_the_nearest_ones(desk: Path, option: str) -> None:
    done = call("check", "odd.pbn", option, "bom,insuficient-bid")
    assert done.code == 2 and "'insuficient-bid'" in done.err and "Did you mean insufficient-bid" in done.err


def test_codes_lists_each_with_what_it_means(desk: Path) -> None:
    listed = json.loads(fine(call("check", "--codes", "--json")).out)["codes"]
    assert [each["code"] for each in listed] == list(codes.KINDS)
    assert all(each["means"] and each["severity"] in ("note", "error") for each in listed)
    text = fine(call("check", "--codes", "--select", "bom")).out
    assert text.startswith("bom (note, file): ") and "endplay" in text and "screenplug can annotate" in text


def test_check_without_a_file_and_without_codes_is_a_mistake() -> None:
    done = call("check")
    assert done.code == 2 and "FILE" in done.err


def test_a_line_says_place_game_what_others_make_of_it_and_whether_it_can_be_annotated(desk: Path) -> None:
    lines = fine(call("check", "odd.pbn")).out.splitlines()
    assert lines[2].startswith("odd.pbn:11:12: note: game 1: a comment among the calls; endplay stops at ")
    assert lines[2].endswith("; screenplug can annotate the game [comment-in-section]")
    assert lines[1] == "    screenplug decide auction-irregularity --regulations ID kind=insufficient-bid offender=S"


def test_of_many_alike_the_first_is_shown_with_how_many_more_unless_they_are_selected() -> None:
    path = str(PBN / "vulnerable-spellings.pbn")
    short, every = (fine(call("check", path, *words)).out for words in ((), ("--select", "vulnerable-spelling")))
    assert short.count("[vulnerable-spelling]") == 1 and "(4 more)" in short
    assert every.count("[vulnerable-spelling]") == 5


def test_what_only_check_needs_is_not_loaded_by_others(desk: Path) -> None:
    code = "import sys; from screenplug.cli import cli\ntry: cli(['score', 'odd.pbn'])\nexcept SystemExit: pass\n"
    code += "print({'screenplug.oddities', 'screenplug.irregularities', 'screenplug.codes'} & set(sys.modules))"
    paths = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "hooks"))), "SCREENPLUG_PLUGINS": ""}
    environment = {**os.environ, **paths}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=desk, env=environment)
    assert done.stdout.endswith("set()\n"), done.stderr


def test_nearest_codes_are_offered_only_where_something_is_near() -> None:
    with pytest.raises(Refused, match="--codes lists them all"):
        codes.chosen(["zzz"])


# Anything at all

SCRAPS = [
    *('[Board "1"]\n', '[Dealer "N"]\n', '[Declarer "^S"]\n', '[Contract "3N"]\n', '[Result "^9"]\n', "\n\n", "% x\n"),
    *('[Deal "N:AQ72.K84.J63.T95 T4.QJ97.AK82.QJ3 KJ965.A5.T94.K82 83.T632.Q75.A764"]\n', '[Deal "W:- 2.2.2. x"]\n'),
    *('[Auction "N"]\n', '[Play "W"]\n', '[Note "1:x"]\n', '[Vulnerable "?"]\n', "1C 1NT X XX AP\n", "^S ^I 1D\n"),
    *("H2 ^R D3 HQ HA\n", "^L C4 - - +\n", "* ", "=1= $3 !? ", "{ [x\n\n }", "--", "\x1a", "\xe9", '"', "\t", "Pass*"),
    *('[ScoreTable "Contract\\2;Result;Names_NS"]\n', "3N -9 Ash ", '"9" ^60 "x"\n', '[TotalScoreTable ""]\n'),
]


def test_checking_time_grows_only_with_the_size_of_hostile_text() -> None:
    head = '[Board "1"]\n[Dealer "N"]\n[Declarer "S"]\n[Contract "2S"]\n'
    for scrap in (
        *(
            '[Event "x"]\n',
            '[Event "x"] ',
            '[Note "1:x"]\n',
            "\n\n",
            '[Board "1"]\n\n',
            "% charset= \n",
            "{ \n \n }",
            "\t",
        ),
        *(
            '[Auction "N"]\n1C ',
            "=1=",
            "^I ",
            "1C ",
            "AP ",
            "- ",
            "*",
            "  \n",
            "H2 ",
            '[ScoreTable "A;B"]\n9 ',
            '"9" ',
            "^60 ",
        ),
    ):
        for before in (
            head,
            head + '[Auction "N"]\n',
            head + '[Play "W"]\n',
            head + '[ScoreTable "Score_NS;Names_NS"]\n',
        ):
            started = perf_counter()
            found = pbn.read((before + scrap * (60_000 // len(scrap))).encode())
            oddities.find(found), irregularities.find(found)
            assert perf_counter() - started < 3, (before, scrap)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(SCRAPS), max_size=25).map("".join))
def test_whatever_the_file_is_check_names_places_in_it(text: str) -> None:
    found = pbn.read(text.encode("latin-1"))
    lines = len(found.line_starts)
    for problem in (*oddities.find(found), *(each.problem for each in irregularities.find(found))):
        assert problem.code in codes.KINDS and problem.line and problem.line <= lines
        assert problem.game is None or problem.game <= len(found.games)
