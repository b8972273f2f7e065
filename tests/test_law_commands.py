"""``screenplug laws``, and documents of the user's own on the command line."""

from __future__ import annotations

import json
import os
import re
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from commands import FIXTURES, call, document, fine

from screenplug import host, vocabulary, words
from screenplug.laws import vocabulary as shipped_vocabulary

CLUB = str(FIXTURES / "laws/overlay/club.toml")
SMALL = str(FIXTURES / "laws/small")
BROKEN = sorted((FIXTURES / "laws/broken").glob("*.toml"))
DELAY = ("slow-side=NE", "pace=slow", "seconds=25", "attention-by=S", "attributed-to=partner")
IRREGULAR = ("kind=insufficient-bid", "offender=E", "tray=passed", "moved-by=N", "noticed-on=other-side")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCREENPLUG_PLUGINS", "")
    monkeypatch.delenv("SCREENPLUG_STRICT", raising=False)
    monkeypatch.delenv("SCREENPLUG_DOCUMENTS", raising=False)


def own(folder: Path, *rows: str, extends: str = "wbf", head: str = "") -> str:
    """A regulation of a club, in a file."""
    file = folder / "own.toml"
    top = f'kind = "laws"\nid = "own"\nrevision = 2026-11-30\nsource = "ours"\nextends = "{extends}"\n{head}\n'
    file.write_text("\n".join([top, *rows]), encoding="utf-8")
    return str(file)


def row(name: str, decides: str, when: str, then: str, more: str = "") -> str:
    return (
        f'[[rule]]\nid = "{name}"\ndecides = "{decides}"\nwhen = {{ {when} }}\nthen = {{ {then} }}\n'
        f'cites = "Own {name}"\nchecked = "text"\n{more}\n'
    )


# --------------------------------------------------------------------------------------------------------------- trace


def test_every_statement_of_every_text_is_carried_and_every_row_of_a_regulation_carries_one() -> None:
    families = document("laws", "trace")["families"]
    assert {("PL97", 41), ("PZBS", 34), ("HBS", 27), ("WBF", 11)} <= {
        (family["family"], family["statements"]) for family in families
    }
    for family in families:
        assert family["carried"] == family["statements"], family["lost"]
        assert family["loose"] == []
    lines = fine(call("laws", "trace")).out.splitlines()
    assert len(lines) == len(families)
    assert re.search(r"^PZBS +pzbs +34/34 statements carried$", "\n".join(lines), re.MULTILINE)


def test_a_statement_leads_to_its_rows_and_a_row_to_its_statements() -> None:
    traced = document("laws", "trace", "PL97-24")
    (statement,) = traced["statements"]
    ids = [each["id"] for each in statement["carried_by"]]
    assert "pl-1997/25-32/B" in ids
    assert all(each["cites"] for each in statement["carried_by"])
    (entry,) = document("laws", "trace", "pl-1997/25-32/B")["entries"]
    assert (entry["kind"], entry["decides"]) == ("rule", "auction-irregularity")
    assert "PL97-24" in entry["statements"]
    text = fine(call("laws", "trace", "PL97-24")).out
    assert "PL97-24:\n" in text
    assert "  rule pl-1997/25-32/B (auction irregularity) [PL 1997, 25-32 B]" in text


def test_a_whole_text_or_document_is_traced_in_its_order() -> None:
    by_text, by_document = document("laws", "trace", "PZBS"), document("laws", "trace", "pzbs")
    expected = [f"PZBS-{number}" for number in range(1, 35)]
    assert [each["statement"] for each in by_text["statements"]] == expected
    assert [each["statement"] for each in by_document["statements"]] == expected
    kinds = {entry["kind"] for each in by_text["statements"] for entry in each["carried_by"]}
    assert kinds == {"rule", "value", "procedure"}


@pytest.mark.parametrize(("name", "near"), [("PL97-99", "PL97-9"), ("pzbs/16.7bb", "pzbs/16.7b"), ("pzb", "pzbs")])
def test_an_id_that_is_nowhere_is_refused_with_the_nearest(name: str, near: str) -> None:
    done = call("laws", "trace", name)
    assert done.code == 2
    assert near in done.err


def test_a_lost_statement_and_a_loose_row_are_told(tmp_path: Path) -> None:
    rule = row("4", "tempo", 'pace = "fast"', 'inference = "possible"', 'except = ["16/tempo"]')
    file = own(tmp_path, rule, head='states = ["OWN-1..2"]')
    done = call("--document", file, "laws", "trace")
    assert done.code == 1
    assert re.search(r"OWN +own +0/2 statements carried\n  OWN-1: nothing carries it\n  OWN-2: nothing", done.out)
    assert "  own/4: carries no statement" in done.out
    found = document("laws", "audit", file, code=1)["findings"]
    assert [each["code"] for each in found] == ["lost-statement", "lost-statement", "loose-entry"]


# --------------------------------------------------------------------------------------------------------------- audit


def test_the_audit_of_all_that_ships_is_clean() -> None:
    audited = document("laws", "audit")
    assert {"pl-1997", "pzbs", "hbs-2006", "wbf", "laws-1997", "laws-2007", "laws-2017"} <= set(audited["documents"])
    assert audited["findings"] == []
    assert fine(call("laws", "audit", "pzbs")).out == "pzbs audited: nothing found\n"


def test_a_file_of_the_users_own_is_audited_by_its_name() -> None:
    assert fine(call("laws", "audit", CLUB)).out == "club audited: nothing found\n"
    assert document("--document", CLUB, "laws", "audit", "club")["documents"] == ["club"]


def test_findings_say_where_what_an_example_and_what_would_mend_it(tmp_path: Path) -> None:
    gap = row("1", "tempo", 'pace = "slow"', 'calling = "gap"', 'except = ["16/reservation"]')
    never = row("2", "tempo", 'pace = "fast", seconds = "< 0"', 'inference = "none"', 'except = ["16/tempo"]')
    other = row("3", "tempo", 'pace = "slow"', 'inference = "possible"', 'except = ["16/tempo"]')
    found = document("laws", "audit", own(tmp_path, gap, never, other), code=1)["findings"]
    assert {each["code"] for each in found} == {"conflict", "never-fires"}, "a declared silence is none"
    conflict = next(each for each in found if each["code"] == "conflict")
    assert (conflict["document"], conflict["laws"], conflict["decision"]) == ("own", "laws-2017", "tempo")
    assert conflict["facts"]["pace"] == "slow"
    assert "except" in conflict["remedy"]
    assert "rule own/2 never fits any facts" in next(each["text"] for each in found if each["code"] == "never-fires")
    text = call("laws", "audit", str(tmp_path / "own.toml"))
    assert text.code == 1
    assert text.out.count("such") == 0
    assert "as slow-side=NE, pace=slow" in text.out


@pytest.mark.parametrize("path", [path for path in BROKEN if path.stem != "document-twice"], ids=lambda path: path.stem)
def test_a_broken_document_is_refused_by_every_command_and_a_finding_of_the_audit(path: Path) -> None:
    expected = path.read_bytes().splitlines()[0].decode()[2:]
    done = call("--document", SMALL, "--document", str(path), "decide", "call-made", "--regulations", "screens")
    assert done.code == 2
    assert done.err.startswith(f"Error: {path}: ")
    assert expected in done.err
    audited = call("--document", SMALL, "laws", "audit", str(path))
    assert audited.code == 1
    assert expected in audited.out


def test_the_audit_goes_on_after_a_document_that_does_not_load() -> None:
    done = call("--document", SMALL, "laws", "audit", str(BROKEN[0]), "pzbs")
    assert done.code == 1
    assert done.out.splitlines()[-1] == "pzbs audited: 1 found"


def test_an_unknown_document_is_refused() -> None:
    assert "did you mean pzbs" in call("laws", "audit", "pzbz").err
    assert "no such file" in call("laws", "audit", "nowhere.toml").err


def test_the_words_for_a_rule_of_ones_own_are_shown_with_a_decision() -> None:
    told = fine(call("laws", "show", "wbf", "tempo")).out
    assert "Words for `when`:\n  slow-side = NE | SW | unknown\n" in told
    assert "\n  seconds = a whole number\n" in told
    assert "\n  caller = slow-side | receiving-side | unclear\n" in told
    assert "Words for `then`:\n  inference = none | possible | presumed\n" in told
    assert document("laws", "show", "wbf", "tempo")["outcome"]["inference"] == ["none", "possible", "presumed"]
    assert "Words for" not in fine(call("laws", "show", "wbf")).out


# ------------------------------------------------------------------------------------------------- answers in words


def test_explain_tells_what_decide_tells_and_of_every_rule_when_it_holds_and_what_it_says() -> None:
    question = ("auction-irregularity", "--regulations", "pzbs", *IRREGULAR, "lho-called=no")
    short, whole = (fine(call(*command, *question)).out.splitlines() for command in (("decide",), ("laws", "explain")))
    assert short[:-1] == whole[: len(short) - 1], "one place of wording"
    told = "\n".join(whole)
    headings = ["What happened", "Decided", "What the law says", "What is done now", "The path"]
    places = [told.index(f"{heading}:") for heading in headings]
    assert places == sorted(places)
    assert "The irregular call was East's. The tray was on the far side. North moved the tray" in told
    assert "    The irregular call cannot be accepted. [PZBS 16.7b]" in whole
    rule = next(line for line in whole if line.startswith("  2. PZBS 16.7b (pzbs): where "))
    assert "mover proper: Both sides are at fault" in rule


def test_explain_shows_numbers_behind_names_and_what_the_base_laws_would_say() -> None:
    told = fine(call("--document", CLUB, "laws", "explain", "tempo", "--regulations", "club", *DELAY)).out
    assert "WBF screens 9; Club 4.1 (wbf, restated, not read in a text): where pace slow, seconds <= tray delay" in told
    assert "seconds (30): The delay conveys nothing." in told
    law = fine(call("laws", "explain", "auction-irregularity", "--regulations", "wbf", *IRREGULAR, "lho-called=no"))
    assert re.search(r"WBF screens 3 .*: as the base Laws say\.", law.out)


FOLLOWED = (
    "kind=insufficient-bid",
    "offender=E",
    "tray=passed",
    "moved-by=E",
    "noticed-on=other-side",
    "lho-called=no",
)


@pytest.mark.parametrize("command", [("decide",), ("laws", "explain")], ids=" ".join)
def test_one_question_goes_on_to_what_partner_may_do(command: tuple[str, ...]) -> None:
    asked = (*command, "auction-irregularity", "--regulations", "pl-1997", *FOLLOWED)
    alone = fine(call(*asked)).out
    assert "Goes on with: Rectification of an irregular call (rectification: kind insufficient bid" in alone
    assert "Still to be asked: What does the offender call instead?" in alone
    assert "rest of the auction" not in alone
    followed = fine(call(*asked, "--follow", "replacement=other")).out
    assert followed.startswith(alone) and "passes for the rest of the auction" in followed
    told = document(*asked, "--follow", "replacement=other")
    assert told["next"]["decision"] == "rectification" and told["next"]["facts"]["accepted"] == "no"
    assert told["next"]["ask"] == ["conventional", "replacement"]
    (after,) = told["followed"]
    assert (after["decision"], after["outcome"]["partner"]) == ("rectification", "passes-throughout")


def test_a_matter_that_is_not_followed_to_its_end_exits_1() -> None:
    done = call("decide", "auction-irregularity", "--regulations", "pl-1997", *FOLLOWED, "--follow")
    assert done.code == 1
    assert done.out.endswith("One more fact needed: Was the cancelled call conventional? (yes, no)\n")
    wrong = call("decide", "auction-irregularity", "--regulations", "pl-1997", *FOLLOWED, "--follow", "accepted=yes")
    assert wrong.code == 2 and "auction-irregularity leads to no" in wrong.err


def test_a_rule_shows_what_it_goes_on_with() -> None:
    rules = {each["rule"]: each for each in document("laws", "show", "pl-1997", "auction-irregularity")["rules"]}
    assert rules["pl-1997/25-32/C"]["next"] == "rectification"
    assert rules["pl-1997/25-32/C"]["hand_over"] == {"accepted": "no"}
    assert "next" not in rules["pl-1997/25-32/B"]
    assert "next = rectification (accepted no)" in fine(call("laws", "show", "pl-1997", "auction-irregularity")).out
    ends = call("laws", "explain", "auction-irregularity", "--regulations", "pzbs", *FOLLOWED[:2], "tray=passed-back",
                "moved-by=E", "noticed-on=nobody", "lho-called=yes").out  # fmt: skip
    assert "Nothing goes on from there." in ends


def test_explain_ends_as_decide_does() -> None:
    assert call("laws", "explain", "tempo", "--regulations", "pzbs").code == 1
    assert "One more fact needed" in call("laws", "explain", "tempo", "--regulations", "pzbs").out
    assert call("laws", "explain", "tempo", "--regulations", "pzbs", "pace=sluggish").code == 2
    assert call("laws", "explain", "tempo", "--regulations", "pzbs", "--reading", "pzbs/9=x").code == 2


def facts() -> Iterator[tuple[str, str, str]]:
    for decision in shipped_vocabulary().decisions.values():
        for name, fact in decision.facts.items():
            yield from ((decision.name, name, value) for value in fact.values or ("30",))


@pytest.mark.parametrize(("decision", "name", "value"), list(facts()))
def test_every_fact_is_told_in_a_sentence(decision: str, name: str, value: str) -> None:
    told = shipped_vocabulary().told(decision, name, value)
    assert told.endswith(".")
    assert told != f"{name}: {value}.".replace("-", " "), "no sentence of its own"
    assert "{" not in told


def test_every_outcome_field_has_its_place_in_the_answer() -> None:
    fields = [field for _, part in shipped_vocabulary().parts for field in part]
    assert len(fields) == len(set(fields))
    assert set(fields) >= {name for decision in shipped_vocabulary().decisions.values() for name in decision.outcome}


def test_a_translation_is_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that people read in capitals, an answer has no small letter but in words of the tables."""
    text = resources.files("screenplug").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    keys = ("title|ask|because|absent|impossible|facts|path|open|gap|conflict|decided|restated|base|may-change|next|"
            "under|on|reading|where|or|as-base|as-if|number|nothing|silent")  # fmt: skip
    head, mark, sentences = text.partition(vocabulary._SENTENCES)
    loud = re.sub(rf'^(?:({keys})) = "(.*)"$', lambda m: f'{m[1]} = "{m[2].upper()}"', head, flags=re.MULTILINE)
    loud += mark + re.sub(
        r'^("?[\w*-]+"?) = "(.*)"$',
        lambda m: f'{m[1]} = "{m[2].upper().replace("{VALUE}", "{value}")}"',
        sentences,
        flags=re.MULTILINE,
    )
    tomllib.loads(loud)
    monkeypatch.setattr(words, "vocabulary", lambda: vocabulary.read(loud))
    question = ("laws", "explain", "auction-irregularity", "--regulations", "pzbs", *IRREGULAR, "lho-called=no")
    for line in fine(call(*question)).out.splitlines():
        said = re.sub(r"\[[^]]*\]|\([^)]*\)|PZBS 16\.7b|PZBS 16|far side told|Law 27|where|pzbs|laws-1997", "", line)
        said = re.sub(r"(?i)kind insufficient bid|tray passed or passed back or calls removed, mover proper", "", said)
        assert said == said.upper(), line


# ------------------------------------------------------------------------------------------------------------- compare


def test_two_regulations_are_compared_on_one_decision_or_on_all() -> None:
    told = fine(call("laws", "compare", "pl-1997", "pzbs", "tempo")).out
    assert told.startswith("Tempo and the tray (tempo)\n")
    assert "  pace slow, seconds 16 or more, attributed to partner or unclear, unexpected yes, varied yes:" in told
    assert "      pl-1997: The delay conveys nothing. [PL 1997, 73D]" in told
    whole = document("laws", "compare", "pl-1997", "hbs-2006")
    assert (whole["a"]["regulations"], whole["b"]["laws"]) == ("pl-1997", "laws-1997")
    delay = next(each for each in whole["values"] if each["id"] == "tray-delay-seconds")
    assert (delay["a"]["is"], delay["b"]["is"]) == (15, 20)
    (tempo,) = document("laws", "compare", "pl-1997", "pzbs", "tempo")["decisions"]
    assert {field for each in tempo["differences"] for field in each["fields"]} >= {"inference", "calling"}
    assert any(each["facts"].get("seconds") == [{"from": 16, "to": None}] for each in tempo["differences"])


def test_the_same_regulation_is_compared_on_two_editions() -> None:
    told = fine(call("laws", "compare", "pzbs", "pzbs", "--laws-b", "laws-2007")).out
    assert "could-have-known-law: pzbs on laws-1997 72B1 [Law 72B1], pzbs on laws-2007 23 [Law 23]" in told
    assert fine(call("laws", "compare", "pzbs", "pzbs")).out == "no difference\n"


def test_a_reading_settles_what_would_be_compared_as_a_conflict() -> None:
    key = "pl-1997/25-32-D"
    choices = document("laws", "show", "pl-1997")["readings"][key]
    without, chosen = (
        document("laws", "compare", "pl-1997", "hbs-2006", "auction-irregularity", *more)
        for more in ((), ("--reading", f"{key}={choices[0]}"))
    )
    assert without != chosen
    assert call("laws", "compare", "pl-1997", "hbs-2006", "--reading", "pzbs/9=x").code == 2


@pytest.mark.parametrize(
    ("words", "near"),
    [(("pl-1997", "pzbz"), "pzbs"), (("pl-1997", "pzbs", "tempoo"), "tempo"), (("pzbs", "wbf", "--laws-a", "x"), "x")],
)
def test_words_that_are_not_there_are_refused(words: tuple[str, ...], near: str) -> None:
    done = call("laws", "compare", *words)
    assert done.code == 2
    assert near in done.err


# --------------------------------------------------------------------------------- documents of the user's own, no code


def test_a_clubs_regulation_replaces_adds_and_takes_out() -> None:
    def said(regulations: str, *facts: str) -> dict[str, Any]:
        done = call("--document", CLUB, "decide", "tempo", "--regulations", regulations, *facts, "--json")
        answer = json.loads(done.out)
        return {**answer["outcome"], "cites": " ".join(step["cites"] for step in answer["path"])}

    rest = ("unexpected=no", "varied=no")
    assert said("wbf", *DELAY, *rest)["inference"] == "possible"
    club = said("club", *DELAY, *rest)
    assert (club["inference"], club["calling"]) == ("none", "not-regulated")
    assert "Club 4.1" in club["cites"], "the article that set the number"
    assert said("wbf", *DELAY, *rest)["calling"] == "proper"
    late = ("slow-side=NE", "pace=slow", "seconds=90", "attention-by=S", "attributed-to=partner", "unexpected=no")
    assert said("club", *late, "varied=no")["inference"] == "possible"
    varied = said("club", *late, "varied=yes")
    assert varied["inference"] == "none"
    assert "Club 4.2" in varied["cites"]


def test_a_document_of_ones_own_serves_every_command(desk: Path) -> None:
    text = (desk / "rulings.toml").read_text(encoding="utf-8").replace('regulations = "wbf"', 'regulations = "club"')
    (desk / "club-rulings.toml").write_text(text, encoding="utf-8")
    arguments = ("session.pbn", "--rulings", "club-rulings.toml")
    for command in ("check", "score", "annotate"):
        fine(call("--document", CLUB, command, *arguments))
    assert b"club" in (desk / "session.ruled.pbn").read_bytes()
    refused = call("check", *arguments)
    assert refused.code != 0
    assert "there are no regulations 'club'" in refused.err + refused.out


def test_a_setting_names_documents_for_every_command(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCREENPLUG_DOCUMENTS", os.pathsep.join([str(FIXTURES / "laws/overlay"), SMALL]))
    ids = {each["id"] for each in document("laws", "list")["documents"]}
    assert {"club", "screens", "edition", "wbf"} <= ids
    fine(call("--document", CLUB, "laws", "audit", CLUB))  # named three times, taken once
    listed = {each["name"]: each["source"] for each in document("plugins")["plugins"]}
    assert listed[SMALL] == "SCREENPLUG_DOCUMENTS"


def test_a_document_that_is_not_there_is_refused(desk: Path) -> None:
    (desk / "empty").mkdir()
    for path, why in (("nowhere.toml", "there is no such file"), ("empty", "there is no document in this folder")):
        done = call("--document", path, "laws", "list")
        assert done.code == 2
        assert f"{path}: {why}" in done.err


def test_a_setting_that_names_a_document_no_longer_there_is_listed_and_stops_no_other_command(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCREENPLUG_DOCUMENTS", os.pathsep.join(["nowhere.toml", CLUB]))
    fine(call("--help"))
    assert "club" in {each["id"] for each in document("laws", "list")["documents"]}
    listed = {each["name"]: each for each in document("plugins")["plugins"]}
    assert "there is no such file" in str(listed["nowhere.toml"])


def test_the_order_in_which_files_of_ones_own_are_audited_makes_no_difference(tmp_path: Path) -> None:
    over = tmp_path / "over.toml"
    over.write_text(
        'kind = "laws"\nid = "over"\nrevision = 2026-12-01\nsource = "made up"\nextends = "club"\n', encoding="utf-8"
    )
    for files in ((str(over), CLUB), (CLUB, str(over))):
        assert "over" in fine(call("laws", "audit", *files)).out
    alone = call("laws", "audit", str(over))
    assert alone.code == 1
    assert "extends 'club', which is not there" in alone.out


def test_explain_gives_programs_the_answer_and_the_sentences() -> None:
    told = document("laws", "explain", "call-made", "--regulations", "wbf", "placed=yes", "released=no")
    assert told["outcome"] == {"made": "no"}
    assert any("WBF screens 2" in line for line in told["explained"])


def test_the_edition_that_ships_is_not_replaced_under_its_own_id(tmp_path: Path) -> None:
    shipped = resources.files("screenplug_hooks").joinpath("laws", "wbf.toml").read_text(encoding="utf-8")
    (tmp_path / "wbf.toml").write_text(shipped, encoding="utf-8")
    done = call("--document", str(tmp_path / "wbf.toml"), "laws", "list")
    assert done.code == 2
    assert "give yours an id of its own" in done.err
    (tmp_path / "wbf.toml").write_text(re.sub(r"(?m)^revision = .*$", "revision = 2027-01-01", shipped))
    done = call("--document", str(tmp_path / "wbf.toml"), "laws", "list")
    assert done.code == 2
    assert "give it another id" in done.err


def test_a_document_given_twice_counts_once() -> None:
    pm = host.plugin_manager()
    for _ in range(2):
        host.load_document(pm, CLUB)
    assert [file for _, file, _ in host.documents(pm)].count(CLUB) == 1


def test_a_scoring_policy_of_ones_own_is_taken_in_the_same_way(desk: Path) -> None:
    neutral = resources.files("screenplug_hooks").joinpath("policies", "neutral.toml").read_text(encoding="utf-8")
    (desk / "house.toml").write_text(neutral.replace('id = "neutral"', 'id = "house"'), encoding="utf-8")
    fine(call("--document", "house.toml", "score", "session.pbn", "--policy", "house"))
    assert call("score", "session.pbn", "--policy", "house").code == 2


def test_a_plugin_installed_as_a_zip_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "plugins.zip"
    with zipfile.ZipFile(archive, "w") as file:
        source = "from screenplug import hookimpl\n@hookimpl\ndef screenplug_hosts(): return ()\n"
        file.writestr("zipped_plugin.py", source)
        file.writestr("zipped-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 1.0\n")
        file.writestr("zipped-1.0.dist-info/entry_points.txt", "[screenplug]\nzipped = zipped_plugin\n")
    monkeypatch.delenv("SCREENPLUG_PLUGINS")
    monkeypatch.syspath_prepend(archive)
    assert "zipped" in {plugin["name"] for plugin in host.describe(host.plugin_manager())}
