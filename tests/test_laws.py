"""How the law tables load, decide, ask and explain. The documents here are small and made up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screenplug import laws
from screenplug.model import Refused
from screenplug.vocabulary import checked

ROOT = Path(__file__).parents[1]
SMALL = [(path.name, path.read_bytes()) for path in sorted((ROOT / "fixtures/laws/small").glob("*.toml"))]
BROKEN = sorted((ROOT / "fixtures/laws/broken").glob("*.toml"))
SHIPPED = laws.load((path.name, path.read_bytes()) for path in (ROOT / "hooks/screenplug_hooks/laws").glob("*.toml"))

# ------------------------------------------------------------------------------------------------ small documents


def toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)


def rule(name: str, when: Mapping[str, Any], then: Any, decides: str = "wrong-board", **more: Any) -> str:
    row = {"id": name, "decides": decides, "when": when, "then": then, "cites": f"Art. {name}", "checked": "text"}
    row |= {key.replace("_", "-").removesuffix("-"): value for key, value in more.items()}
    return "[[rule]]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in row.items())


def document(name: str, *entries: str, **keys: Any) -> tuple[str, bytes]:
    head = {"kind": "laws", "id": name, "source": "made up"}
    head |= {key.replace("_", "-"): value for key, value in keys.items()}
    text = "".join(f"{key} = {toml(value)}\n" for key, value in head.items()) + "revision = 2026-11-30\n"
    return f"{name}.toml", "\n".join([text, *entries]).encode()


def edition(*entries: str, name: str = "edition", **keys: Any) -> tuple[str, bytes]:
    return document(name, *entries, **keys)


def screens(*entries: str, **keys: Any) -> tuple[str, bytes]:
    return document("screens", *entries, **{"stands_on": ["edition"], **keys})


def decide(*documents: tuple[str, bytes], on: str = "", decision: str = "wrong-board", **facts: Any) -> laws.Answer:
    library = laws.load(documents)
    regulations = on or ("screens" if "screens" in library.ids else "edition")
    return library.code(regulations).decide(decision, {key.replace("_", "-"): value for key, value in facts.items()})


def steps(answer: laws.Answer) -> list[str]:
    return [step.rule for step in answer.path]


STANDS = {"board": "stands", "artificial-for": "none"}
GONE = {"board": "cancelled", "artificial-for": "those-deprived"}
ALL = {"found": "after", "played_before": "somebody", "call_repeated": "yes"}
BASE = edition(rule("15/board", {}, STANDS))

# ------------------------------------------------------------------------------------------- exceptions and conflicts


def test_an_exception_displaces_only_the_fields_that_it_states() -> None:
    answer = decide(
        edition(rule("15/a", {}, STANDS), rule("15/b", {"found": "after"}, {"board": "by-td"}, except_="15/a")), **ALL
    )
    assert answer.status == "decided"
    assert answer.outcome == {"board": "by-td", "artificial-for": "none"}
    assert steps(answer) == ["edition/15/a", "edition/15/b"]


def test_an_exception_to_an_exception_speaks_last() -> None:
    rows = (
        rule("15/a", {}, STANDS),
        rule("15/b", {"found": "after"}, {"board": "by-td"}, except_="15/a"),
        rule("15/c", {"call-repeated": "yes"}, {"board": "continue"}, except_="15/b"),
    )
    assert decide(edition(*rows), **ALL).outcome["board"] == "continue"
    assert steps(decide(edition(*rows), **ALL)) == ["edition/15/a", "edition/15/b", "edition/15/c"]
    # Where the middle rule does not fit, its exception has nothing to be an exception to.
    assert decide(edition(*rows), found="auction", call_repeated="yes").outcome["board"] == "stands"


def test_an_exception_further_down_displaces_a_field_that_the_one_between_leaves_alone() -> None:
    rows = (
        rule("15/a", {}, STANDS),
        rule("15/b", {}, {"board": "by-td"}, except_="15/a"),
        rule("15/c", {}, {"artificial-for": "those-deprived"}, except_="15/b"),
    )
    assert decide(edition(*rows), **ALL).outcome == {"board": "by-td", "artificial-for": "those-deprived"}


def test_rules_of_different_branches_that_agree_are_all_cited() -> None:
    answer = decide(
        edition(rule("15/a", {"found": "after"}, STANDS), rule("15/b", {"call-repeated": "yes"}, STANDS)), **ALL
    )
    assert answer.status == "decided"
    assert steps(answer) == ["edition/15/a", "edition/15/b"]


def test_rules_of_different_branches_that_differ_are_a_conflict_naming_both() -> None:
    answer = decide(edition(rule("15/a", {}, STANDS), rule("15/b", {"found": "after"}, {"board": "by-td"})), **ALL)
    assert answer.status == "conflict"
    assert answer.outcome == {"artificial-for": "none"}
    assert [(side.step.cites, dict(side.outcome)) for side in answer.conflict] == [
        (("Art. 15/a",), {"board": "stands"}),
        (("Art. 15/b",), {"board": "by-td"}),
    ]


def test_depth_counts_along_one_branch_only() -> None:
    rows = (
        rule("15/a", {}, {"board": "stands"}),
        rule("15/b", {}, {"board": "by-td"}, except_="15/a"),
        rule("15/x", {}, {"board": "continue"}),
    )
    answer = decide(edition(*rows), **ALL)
    assert answer.status == "conflict"
    assert {side.outcome["board"] for side in answer.conflict} == {"by-td", "continue"}


def test_an_exception_to_a_slot_is_one_to_every_rule_in_it() -> None:
    rows = (rule("15/a/one", {"found": "after"}, STANDS), rule("15/a/two", {"played-before": "somebody"}, GONE))
    screen = screens(rule("1", {}, {"board": "by-td", "artificial-for": "none"}, except_="15/a"))
    assert decide(edition(*rows), screen, **ALL).outcome["board"] == "by-td"


# --------------------------------------------------------------------------------------------------- gaps and the base


def test_what_nobody_says_is_a_gap() -> None:
    answer = decide(edition(rule("15/a", {"found": "after"}, {"board": "stands"})), **ALL)
    assert answer.status == "gap"
    assert answer.outcome == {"board": "stands"}


def test_a_declared_gap_cites_the_article_that_is_silent() -> None:
    answer = decide(BASE, screens(rule("1", {}, "gap"), displaces=["15"]), **ALL)
    assert answer.status == "gap"
    assert steps(answer)[-1] == "screens/1"


def test_a_gap_of_one_field_leaves_the_others_decided() -> None:
    answer = decide(BASE, screens(rule("1", {}, {"board": "gap"}, except_="15")), **ALL)
    assert answer.status == "gap"
    assert answer.outcome == {"artificial-for": "none"}


def test_silence_inside_the_displaced_range_is_a_gap_with_the_base_answer_beside_it() -> None:
    screen = screens(rule("1", {"found": "auction"}, GONE), displaces=["12-15"])
    answer = decide(BASE, screen, **ALL)
    assert answer.status == "gap"
    assert answer.base is not None
    assert (answer.base.regulations, answer.base.status, answer.base.outcome) == ("edition", "decided", STANDS)
    silent = decide(BASE, screens(displaces=["12-15"]), **ALL)
    assert silent.status == "gap"
    assert silent.base is not None


def test_outside_the_displaced_range_the_base_laws_decide() -> None:
    answer = decide(BASE, screens(displaces=["16"]), **ALL)
    assert answer.status == "decided"
    assert [step.document for step in answer.path] == ["edition"]


def test_a_screen_rule_stands_in_the_place_of_a_displaced_law_and_shows_it() -> None:
    answer = decide(BASE, screens(rule("1", {}, GONE), displaces=["15"]), **ALL)
    assert answer.outcome == GONE
    assert steps(answer) == ["edition/15/board", "screens/1"]


def test_the_number_of_the_law_that_goes_on_is_never_displaced() -> None:
    base = edition(
        rule("33", {}, {"call": "by-law", "penalty": "by-law", "could-have-known": "72B1"}, "simultaneous-call")
    )
    screen = screens(rule("1", {}, {"call": "cancelled", "penalty": "none"}, "simultaneous-call"), displaces=["33"])
    answer = decide(base, screen, decision="simultaneous-call", timing="simultaneous")
    assert answer.outcome == {"call": "cancelled", "penalty": "none", "could-have-known": "72B1"}


def test_base_means_what_the_laws_alone_would_say_and_ends_the_path() -> None:
    base = edition(rule("15/a", {}, STANDS), rule("15/b", {"played-before": "somebody"}, GONE, except_="15/a"))
    screen = screens(
        rule("1", {}, {"board": "by-td", "artificial-for": "none"}),
        rule("2", {"call-repeated": "yes"}, "base", except_="1"),
        displaces=["15"],
    )
    answer = decide(base, screen, **ALL)
    assert answer.outcome == GONE
    assert steps(answer) == ["screens/1", "screens/2", "edition/15/a", "edition/15/b"]
    one_field = screens(rule("1", {}, {"board": "base", "artificial-for": "none"}), displaces=["15"])
    assert decide(base, one_field, **ALL).outcome == {"board": "cancelled", "artificial-for": "none"}


def test_base_agrees_with_a_rule_that_says_the_same() -> None:
    screen = screens(rule("1", {}, "base"), rule("2", {"found": "after"}, {"board": "stands"}), displaces=["15"])
    answer = decide(BASE, screen, **ALL)
    assert answer.status == "decided"
    assert {"screens/1", "screens/2"} <= set(steps(answer))


def test_as_if_asks_again_with_other_facts_and_comes_last() -> None:
    rows = (
        rule(
            "13/yes", {"call-made-on-it": "yes"}, {"board": "artificial", "penalty": "possible", "adjust-later": "no"}
        ),
        rule(
            "13/no", {"call-made-on-it": "no"}, {"board": "correct-and-play", "penalty": "none", "adjust-later": "no"}
        ),
    )
    base = edition(*(row.replace("wrong-board", "wrong-number-of-cards") for row in rows))
    when = {"call-made-on-it": "yes", "tray": "not-passed"}
    screen = screens(rule("2", when, {"as-if": {"call-made-on-it": "no"}}, "wrong-number-of-cards", except_="13/yes"))
    answer = decide(base, screen, decision="wrong-number-of-cards", call_made_on_it="yes", tray="not-passed")
    assert answer.outcome["board"] == "correct-and-play"
    assert steps(answer)[-1] == "screens/2"
    assert "edition/13/no" in steps(answer)
    passed = decide(base, screen, decision="wrong-number-of-cards", call_made_on_it="yes", tray="passed")
    assert passed.outcome["board"] == "artificial"


# ----------------------------------------------------------------------------------------------------------- readings


READ = (
    rule("1", {}, {"artificial-for": "none"}),
    rule("1/old", {}, {"board": "stands"}, reading="1=old", except_="1"),
    rule("1/new", {}, {"board": "cancelled"}, reading="1=new", except_="1"),
)


def test_two_readings_are_a_conflict_until_the_director_chooses() -> None:
    library = laws.load([edition(), screens(*READ)])
    code = library.code("screens")
    assert code.readings == {"screens/1": ("old", "new")}
    open_text = code.decide("wrong-board", {"found": "after"})
    assert open_text.status == "conflict"
    assert [side.step.reading for side in open_text.conflict] == ["screens/1=old", "screens/1=new"]
    chosen = code.decide("wrong-board", {"found": "after"}, {"screens/1": "new"})
    assert chosen.outcome["board"] == "cancelled"
    assert chosen.path[-1].reading == "screens/1=new"


@pytest.mark.parametrize(
    ("readings", "message"),
    [
        ({"screens/2": "new"}, "screens/1"),
        ({"screens/1": "nev"}, "did you mean new"),
        ({"screens": "new"}, "screens/1"),
    ],
)
def test_a_reading_that_is_not_there_is_refused(readings: dict[str, str], message: str) -> None:
    with pytest.raises(Refused, match=message):
        laws.load([edition(), screens(*READ)]).code("screens").decide("wrong-board", {}, readings)


def test_a_standing_choice_for_another_document_does_no_harm() -> None:
    code = laws.load([edition(), screens(*READ)]).code("screens")
    assert code.decide("wrong-board", {}, {"screens/1": "new", "pzbs/16.10b": "other-card"}).status == "decided"


# ------------------------------------------------------------------------------------------------------------ numbers


def tempo(*rows: str, value: int = 15) -> laws.Code:
    limit = f'[[value]]\nid = "limit"\nis = {value}\ncites = "Art. 0"\nchecked = "text"\n'
    rest = {"calling": "not-regulated", "rights-lost-by": "nobody"}
    return laws.load([edition(limit, rule("16/rest", {}, rest, "tempo"), *rows)]).code("edition")


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, "none"), (14, "none"), (15, "none"), (16, "possible"), (900, "possible")]
)
def test_a_number_is_compared_with_a_value_of_the_document(seconds: int, expected: str) -> None:
    code = tempo(
        rule("16/a", {"seconds": "<= limit"}, {"inference": "none"}, "tempo"),
        rule("16/b", {"seconds": "> limit"}, {"inference": "possible"}, "tempo"),
    )
    assert code.values == {"limit": 15}
    assert code.decide("tempo", {"seconds": seconds}).outcome["inference"] == expected
    assert code.decide("tempo", {"seconds": str(seconds)}).outcome["inference"] == expected


def test_a_number_still_wanted_is_asked_with_one_number_for_each_band() -> None:
    code = tempo(
        rule("16/a", {"seconds": "< 15"}, {"inference": "none"}, "tempo"),
        rule("16/b", {"seconds": [15, "> 20"]}, {"inference": "possible"}, "tempo"),
        rule("16/c", {"seconds": "> limit"}, {"inference": "presumed"}, "tempo"),
    )
    answer = code.decide("tempo", {})
    assert answer.ask == laws.Ask("seconds", (14, 15, 16, 20, 21))
    assert code.decide("tempo", {"seconds": 15}).outcome["inference"] == "possible"
    assert code.decide("tempo", {"seconds": 18}).outcome["inference"] == "presumed"
    assert code.decide("tempo", {"seconds": 30}).status == "conflict"


def test_an_overlay_changes_a_number_and_the_rules_follow() -> None:
    rows = rule("1", {"seconds": "<= limit"}, {"inference": "none"}, "tempo", except_="16")
    base = edition(rule("16", {}, {"inference": "possible", "calling": "proper", "rights-lost-by": "nobody"}, "tempo"))
    limit = '[[value]]\nid = "limit"\nis = {}\ncites = "Art. 0"\nchecked = "text"\n'
    library = laws.load([base, screens(limit.format(15), rows), document("club", limit.format(20), extends="screens")])
    said = {
        name: library.code(name).decide("tempo", {"seconds": 18}).outcome["inference"] for name in ("screens", "club")
    }
    assert said == {"screens": "possible", "club": "none"}


# ---------------------------------------------------------------------------------------------- overlays and editions


def test_a_club_overlays_a_regulation_and_the_regulation_stays_as_it_is() -> None:
    club = document(
        "club",
        rule("9", {}, {"board": "by-td"}, replaces="2"),
        '[[repeal]]\nrule = "3"\ncites = "Club 3"\nreason = "not here"\n',
        extends="screens",
    )
    screen = screens(
        rule("1", {}, STANDS),
        rule("2", {"found": "after"}, {"board": "continue"}, except_="1"),
        rule("3", {"played-before": "somebody"}, {"artificial-for": "those-deprived"}, except_="1"),
    )
    library = laws.load([edition(), screen, club])
    before = library.code("screens").decide("wrong-board", {"found": "after", "played-before": "somebody"})
    after = library.code("club").decide("wrong-board", {"found": "after", "played-before": "somebody"})
    assert before.outcome == {"board": "continue", "artificial-for": "those-deprived"}
    assert after.outcome == {"board": "by-td", "artificial-for": "none"}
    assert steps(after) == ["screens/1", "club/9"]
    assert library.editions("club") == ("edition",)


def test_an_exception_follows_a_rule_that_another_document_put_in_its_place() -> None:
    old = edition(rule("15/a", {}, STANDS), rule("15/b", {"found": "after"}, {"board": "by-td"}, except_="15/a"))
    new = edition(rule("15/new", {}, GONE, replaces="15/a"), name="later", extends="edition")
    answer = decide(old, new, on="later", **ALL)
    assert answer.outcome == {"board": "by-td", "artificial-for": "those-deprived"}
    # What a later edition takes over is a Law of that edition.
    assert steps(answer) == ["later/15/new", "later/15/b"]


def test_an_exception_to_an_article_that_an_edition_lacks_goes_to_what_stands_in_its_place() -> None:
    absent = '[[absent]]\nslot = "15/old"\nsee = ["15/new"]\ncites = "Law 15"\nreason = "divided"\n'
    other = edition(absent, rule("15/new", {"found": "after"}, STANDS), name="other")
    screen = screens(rule("1", {}, {"board": "by-td"}, except_="15/old"), stands_on=["edition", "other"])
    library = laws.load([edition(rule("15/old", {}, STANDS)), other, screen])
    answer = library.code("screens", "other").decide("wrong-board", {"found": "after"})
    assert steps(answer) == ["other/15/new", "screens/1"]
    assert answer.outcome == {"board": "by-td", "artificial-for": "none"}


def test_a_rule_for_one_edition_is_not_there_on_another() -> None:
    screen = screens(rule("1", {}, GONE, on=["edition"], except_="15"), stands_on=["edition", "other"])
    library = laws.load([BASE, edition(rule("15/board", {}, STANDS), name="other"), screen])
    assert library.code("screens", "edition").decide("wrong-board", {}).outcome == GONE
    assert library.code("screens", "other").decide("wrong-board", {}).outcome == STANDS


def test_an_edition_that_a_document_does_not_stand_on_is_refused_or_hypothetical() -> None:
    library = laws.load([BASE, edition(rule("15/board", {}, GONE), name="other"), screens()])
    with pytest.raises(Refused, match=r"never in force on other.*edition.*hypothetical"):
        library.code("screens", "other")
    answer = library.code("screens", "other", hypothetical=True).decide("wrong-board", {})
    assert answer.hypothetical
    assert answer.outcome == GONE
    assert not library.code("screens", "edition", hypothetical=True).hypothetical


@pytest.mark.parametrize(
    ("regulations", "edition_id"),
    [("screen", None), ("screens", "editon"), ("edition", "other"), ("screens", "screens")],
)
def test_words_for_documents_are_checked(regulations: str, edition_id: str | None) -> None:
    library = laws.load([BASE, edition(name="other"), screens()])
    with pytest.raises(Refused, match=r"screens|edition"):
        library.code(regulations, edition_id)


def test_a_scoring_policy_among_the_files_is_passed_over() -> None:
    assert laws.load([BASE, ("neutral.toml", b'kind = "policy"\nid = "neutral"\n')]).ids == ("edition",)


def test_a_decision_names_the_next_one_and_hands_facts_over() -> None:
    said = {
        "class": "passed",
        "acceptance": "by-law",
        "correction": "by-law",
        "tray-action": "none",
        "auction": "by-law",
    }
    said |= {"far-side-told": "by-law", "law": "27"}
    row = rule("27", {}, said, "auction-irregularity", next="rectification", hand_over={"accepted": "no"})
    answer = decide(edition(row), decision="auction-irregularity", kind="insufficient-bid", lho_called="no")
    # what both decisions ask for goes along: `kind` and `lho-called`
    handed = {"kind": "insufficient-bid", "lho-called": "no", "accepted": "no"}
    assert answer.next == laws.Next("rectification", handed)


MATTER = "auction-irregularity"
OPEN = {"class": "passed", "acceptance": "by-law", "correction": "by-law", "tray-action": "none", "auction": "by-law"}
OPEN |= {"far-side-told": "by-law", "law": "27"}
GOES_ON = rule("27", {}, OPEN, MATTER, next="rectification")
BID = {"kind": "insufficient-bid", "offender": "N", "lho-called": "no"}


@pytest.mark.parametrize(
    ("then", "more", "expected"),
    [
        ({"correction": "free"}, {}, "rectification"),  # it does not speak of what goes on
        ({"correction": "free"}, {"next": "none"}, None),
        ({"correction": "free"}, {"next": "tempo"}, "tempo"),
        ("gap", {}, None),
    ],
)
def test_an_exception_displaces_what_goes_on_only_when_it_states_it(
    then: Any, more: dict[str, Any], expected: str | None
) -> None:
    exception = rule("27/free", {"lho-called": "no"}, then, MATTER, except_="27", **more)
    answer = laws.load([edition(GOES_ON, exception)]).code("edition").decide(MATTER, BID)
    assert (answer.next.decision if answer.next else None) == expected


@pytest.mark.parametrize(
    ("then", "more", "expected"),
    [
        ("base", {}, "rectification"),
        ({**OPEN, "correction": "free"}, {}, None),  # a correction of its own does not inherit the base Laws' penalty
        ({**OPEN, "correction": "base"}, {}, None),
        ({**OPEN, "correction": "base"}, {"next": "base"}, "rectification"),
    ],
)
def test_a_screen_rule_goes_on_as_the_base_laws_do_only_when_it_says_so(
    then: Any, more: dict[str, Any], expected: str | None
) -> None:
    own = screens(rule("7", {}, then, MATTER, **more), displaces=["27"])
    answer = laws.load([edition(GOES_ON), own]).code("screens").decide(MATTER, BID)
    assert (answer.next.decision if answer.next else None) == expected


CHANGED = {"purpose": "deliberate", "offender": "E", "tray": "not-passed"}
CANCELLED = {"call": "cancelled", "partner": "free", "offender-passes": "no", "lead-restrictions": "none"}
CANCELLED |= {"ceiling": "none", "information": "none"}
THROUGHOUT = {"partner": "passes-throughout"}
CHAIN = edition(
    rule("25", {}, {"change": "irregular", "penalty": "by-law"}, "change-of-call", next=MATTER,
         hand_over={"kind": "change-of-call"}),
    rule("27", {}, OPEN, MATTER, next="rectification", hand_over={"accepted": "no"}),
    rule("30", {}, CANCELLED, "rectification", next="change-of-call"),
    rule("30/other", {"accepted": "no", "replacement": "other"}, THROUGHOUT, "rectification", except_="30"),
)  # fmt: skip


def test_a_matter_is_followed_through_all_decisions_with_each_fact_where_it_belongs() -> None:
    code = laws.load([CHAIN]).code("edition")
    answers = code.follow("change-of-call", {**CHANGED, "replacement": "other"})
    assert [answer.decision for answer in answers] == ["change-of-call", MATTER, "rectification"]
    assert answers[1].facts["offender"] == "E" and answers[1].facts["kind"] == "change-of-call"
    assert answers[2].facts == {"kind": "change-of-call", "accepted": "no", "replacement": "other"}
    assert answers[2].outcome["partner"] == "passes-throughout"
    # What goes on from there has been decided already: the way is not walked in a circle.
    assert answers[2].next is not None and answers[2].next.decision == "change-of-call"


def test_a_matter_that_is_open_on_the_way_stops_there_and_says_what_is_still_to_be_asked() -> None:
    code = laws.load([CHAIN]).code("edition")
    first, second, last = code.follow("change-of-call", CHANGED)
    assert (first.status, second.status, last.status) == ("decided", "decided", "open")
    assert second.next == laws.Next("rectification", {"kind": "change-of-call", "accepted": "no"}, ("replacement",))
    assert second.next.to_json()["ask"] == ["replacement"]
    assert last.ask is not None and last.ask.fact == "replacement"


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"accepted": "yes"}, r"accepted = yes in rectification cannot be: auction-irregularity leads to no"),
        ({"replacment": "other"}, r"neither change-of-call nor what can follow it has .*did you mean replacement"),
        ({"replacement": "others"}, r"replacement cannot be 'others'"),
        ({"replacement": "other", "seconds": "4"}, r"has a fact 'seconds'"),
    ],
)
def test_a_fact_that_goes_against_the_way_is_refused(facts: dict[str, str], message: str) -> None:
    with pytest.raises(Refused, match=message):
        laws.load([CHAIN]).code("edition").follow("change-of-call", {**CHANGED, **facts})


def test_a_fact_of_a_decision_that_is_not_reached_is_refused_where_the_matter_has_ended() -> None:
    ends = rule("27/ends", {"lho-called": "no"}, {"correction": "free"}, MATTER, except_="27", next="none")
    code = laws.load([edition(GOES_ON, ends)]).code("edition")
    with pytest.raises(Refused, match="accepted is not asked here: the matter ends with auction-irregularity"):
        code.follow(MATTER, {**BID, "accepted": "no"})


def test_a_matter_is_not_followed_over_a_silence() -> None:
    silent = rule("27/silent", {"lho-called": "no"}, {"correction": "gap"}, MATTER, except_="27")
    (answer,) = laws.load([edition(GOES_ON, silent)]).code("edition").follow(MATTER, BID)
    assert answer.status == "gap" and answer.next is not None


def test_the_audit_finds_a_next_decision_without_rules_and_facts_that_it_cannot_have() -> None:
    (silent,) = laws.load([edition(GOES_ON)]).code("edition").audit(MATTER)
    assert silent.code == "next" and "rectification, of which no rule speaks" in str(silent)
    on = rule("25", {}, {"change": "irregular", "penalty": "by-law"}, "change-of-call", next=MATTER,
              hand_over={"noticed-on": "other-side"})  # fmt: skip
    matter = rule("27", {}, OPEN, MATTER)
    found = laws.load([edition(on, matter)]).code("edition").audit("change-of-call")
    # Fine where the tray was passed: only with a tray that was not are the two out of place.
    assert {finding.code for finding in found} == {"next"}
    assert all(finding.facts["tray"] == "not-passed" for finding in found)
    assert "nobody on the other side can have noticed" in str(found[0])


# -------------------------------------------------------------------------------------------- facts that cannot be

IRREGULAR = {"kind": "insufficient-bid", "offender": "N"}


@pytest.mark.parametrize(
    ("decision", "facts", "reason"),
    [
        (
            "auction-irregularity",
            {**IRREGULAR, "tray": "passed", "moved-by": "S"},
            "S cannot have moved the tray away from N's side",
        ),
        ("tray-moved-early", {"offender": "W", "moved-by": "E"}, "E cannot have moved the tray"),
        (
            "auction-irregularity",
            {**IRREGULAR, "tray": "not-passed", "moved-by": "N"},
            "the tray was not passed, so nobody moved it",
        ),
        (
            "auction-irregularity",
            {"offender": "E", "tray": "not-passed", "lho-called": "yes"},
            "opponent of E sits across",
        ),
        (
            "auction-irregularity",
            {"tray": "not-passed", "noticed-on": "other-side"},
            "nobody on the other side can have noticed",
        ),
        ("change-of-call", {"tray": "not-passed", "partner-called": "yes"}, "partner sits across the screen"),
        ("opening-lead-out-of-turn", {"screen": "closed", "opened-by": "declaring-side"}, "the screen was closed"),
        ("call-made", {"placed": "no", "released": "yes"}, "not placed on the tray"),
        ("dummy-attention", {"dummy": "N", "card-owner": "S"}, "with N as dummy"),
        ("screen-opened", {"raised-by": "N", "declarer": "N", "leader": "S"}, "S cannot be a defender"),
        ("auction-irregularity", {**IRREGULAR, "mover": "proper"}, "mover is worked out from offender and moved-by"),
        ("auction-irregularity", {"ofender": "N"}, "did you mean offender"),
        ("auction-irregularity", {"kind": "insuficient-bid"}, "did you mean insufficient-bid"),
        ("auction-iregularity", {}, "did you mean auction-irregularity"),
        ("tempo", {"seconds": "quick"}, "no whole number"),
        ("tempo", {"seconds": -3}, "no whole number"),
    ],
)
def test_facts_that_cannot_be_are_refused_in_a_directors_words(
    decision: str, facts: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        SHIPPED.code("wbf").decide(decision, facts)


@pytest.mark.parametrize(
    ("offender", "mover", "word"),
    [
        ("N", "N", "proper"),
        ("N", "E", "opponent"),
        ("E", "N", "proper"),
        ("E", "E", "offender"),
        ("W", "S", "proper"),
        ("W", "W", "offender"),
    ],
)
def test_who_moved_the_tray_is_seen_from_the_offender(offender: str, mover: str, word: str) -> None:
    facts = {"kind": "insufficient-bid", "offender": offender, "tray": "passed", "moved-by": mover}
    assert SHIPPED.code("pzbs").decide("auction-irregularity", facts).facts["mover"] == word


# --------------------------------------------------------------------------------------------------- the next question


def test_the_mover_is_asked_among_the_players_of_the_offenders_side_only() -> None:
    row = rule("1", {"mover": "opponent"}, {"class": "passed"}, "auction-irregularity")
    code = laws.load([edition(), screens(row)]).code("screens")
    answer = code.decide("auction-irregularity", {"offender": "S", "tray": "passed"})
    assert answer.ask == laws.Ask("moved-by", ("S", "W"))
    assert code.decide("auction-irregularity", {"offender": "S", "tray": "not-passed"}).ask is None
    # Beside an offending E sit only N, whose office the tray is, and E himself: the mover is no opponent.
    assert code.decide("auction-irregularity", {"offender": "E", "tray": "passed"}).ask is None


def test_a_fact_that_no_longer_matters_is_not_asked() -> None:
    rows = (rule("15/a", {"found": "after"}, STANDS), rule("15/b", {"found": "auction", "call-repeated": "no"}, GONE))
    assert decide(edition(*rows), found="after").status == "decided"
    answer = decide(edition(*rows), found="auction")
    assert answer.ask == laws.Ask("call-repeated", ("yes", "no"))


def test_a_fact_that_changes_only_the_article_is_not_asked_and_both_articles_are_named() -> None:
    rows = (rule("15/a", {"found": "after"}, STANDS), rule("15/b", {"found": "auction"}, STANDS))
    answer = decide(edition(*rows))
    assert answer.status == "decided"
    assert steps(answer) == ["edition/15/a", "edition/15/b"]


def test_a_conflict_that_an_exception_may_still_heal_is_open() -> None:
    rows = (
        rule("15/a", {}, STANDS),
        rule("15/x", {}, {"board": "continue"}),
        rule("15/b", {"call-repeated": "yes"}, {"board": "continue"}, except_="15/a"),
    )
    assert decide(edition(*rows)).ask == laws.Ask("call-repeated", ("yes", "no"))
    assert decide(edition(*rows), call_repeated="yes").outcome["board"] == "continue"
    assert decide(edition(*rows), call_repeated="no").status == "conflict"


def test_a_fact_that_may_not_apply_at_all_is_not_taken_for_granted() -> None:
    moved = rule("1", {"mover": ["proper", "offender", "opponent"]}, {"class": "passed"}, "auction-irregularity")
    code = laws.load([edition(), screens(moved)]).code("screens")
    answer = code.decide("auction-irregularity", {"offender": "N"})
    assert answer.ask == laws.Ask("tray", ("not-passed", "passed", "passed-back", "calls-removed"))
    assert code.decide("auction-irregularity", {"offender": "N", "tray": "passed"}).outcome == {"class": "passed"}
    # Who says who moved it says that it was moved.
    assert code.decide("auction-irregularity", {"offender": "N", "moved-by": "E"}).outcome == {"class": "passed"}


def test_the_path_leaves_out_a_step_that_may_not_hold() -> None:
    rows = (
        rule("15/a", {"found": "after"}, STANDS),
        rule("15/b", {"call-repeated": "yes"}, STANDS),
        rule("15/c", {}, {"board": "by-td"}, except_=["15/a", "15/b"]),
    )
    assert steps(decide(edition(*rows), found="after")) == ["edition/15/a", "edition/15/c"]
    assert steps(decide(edition(*rows), **ALL)) == ["edition/15/a", "edition/15/b", "edition/15/c"]


def test_a_certain_rule_is_cited_rather_than_one_that_may_fit() -> None:
    rows = (rule("15/a", {"found": "after"}, STANDS), rule("15/b", {"call-repeated": "yes"}, STANDS))
    assert steps(decide(edition(*rows), found="after")) == ["edition/15/a"]


def test_a_fact_that_is_hard_to_establish_is_not_waited_for_but_named() -> None:
    said = {
        "class": "passed",
        "acceptance": "by-law",
        "correction": "by-law",
        "tray-action": "none",
        "auction": "by-law",
    }
    said |= {"far-side-told": "by-law", "law": "27"}
    rows = (
        rule("27", {}, said, "auction-irregularity"),
        rule("28", {"inadvertent": "yes"}, {"acceptance": "accepted"}, "auction-irregularity", except_="27"),
    )
    answer = decide(edition(*rows), decision="auction-irregularity", tray="passed")
    assert (answer.status, answer.outcome["acceptance"], answer.may_change) == ("decided", "by-law", ("inadvertent",))
    known = decide(edition(*rows), decision="auction-irregularity", tray="passed", inadvertent="yes")
    assert (known.outcome["acceptance"], known.may_change) == ("accepted", ())
    assert decide(edition(*rows), decision="auction-irregularity", tray="not-passed").may_change == ()


# ------------------------------------------------------------------------------- what holds for any document and facts

MISINFORMED = laws.vocabulary().decisions["misinformation"]
WORDS = {**{name: [*words, "gap", "base"] for name, words in MISINFORMED.outcome.items()}}


@st.composite
def misinformation(draw: st.DrawFn, law: bool, inherited: int) -> list[str]:
    """Rows of a small table, with exceptions among themselves and to the Laws underneath."""
    rows: list[str] = []
    for i in range(draw(st.integers(1, 4))):
        facts = draw(st.lists(st.sampled_from(list(MISINFORMED.facts)), max_size=2, unique=True))
        when = {name: draw(st.sampled_from(MISINFORMED.facts[name].values)) for name in facts}
        kind = draw(st.sampled_from(["words"] * 6 + ([] if law else ["base", "gap", "as-if"])))
        then: Any = kind
        if kind == "as-if":
            name = draw(st.sampled_from(list(MISINFORMED.facts)))
            then = {"as-if": {name: draw(st.sampled_from(MISINFORMED.facts[name].values))}}
        elif kind == "words":
            names = draw(st.lists(st.sampled_from(list(WORDS)), min_size=1, unique=True))
            then = {name: draw(st.sampled_from(WORDS[name][: -2 if law else None])) for name in names}
        above = [f"40/{j}" for j in range(i if law else inherited)] + ([] if law else [f"s{j}" for j in range(i)])
        parents = draw(st.lists(st.sampled_from(above), max_size=2, unique=True)) if above else []
        more = {"except_": parents} if parents else {}
        rows.append(rule(f"40/{i}" if law else f"s{i}", when, then, "misinformation", **more))
    return rows


@st.composite
def tables(draw: st.DrawFn) -> laws.Code:
    base = draw(misinformation(True, 0))
    top = draw(misinformation(False, len(base)))
    displaces = draw(st.sampled_from([[], ["40"]]))
    return laws.load([edition(*base), screens(*top, displaces=displaces)]).code("screens")


def told(answer: laws.Answer) -> tuple[Any, ...]:
    """What a director would take from the answer, apart from the articles."""
    disputed = {(name, word) for side in answer.conflict for name, word in side.outcome.items()}
    return answer.status, frozenset(answer.outcome.items()), frozenset(disputed)


def completions(decision: str, facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All sets of facts that can be, with these among them; a fact is left out only where it cannot be given."""
    missing = [fact for name, fact in laws.vocabulary().decisions[decision].facts.items() if name not in facts]
    if not missing:
        yield given_only(facts)
        return
    fact, values = missing[0], missing[0].values or (0, 14, 15, 16, 19, 20, 21)
    together = [value for value in values if possible(decision, {**facts, fact.name: value})]
    for value in together or [None]:
        yield from completions(decision, {**facts, fact.name: value})


def possible(decision: str, facts: dict[str, Any]) -> bool:
    try:
        checked(laws.vocabulary().decisions[decision], given_only(facts))
    except Refused:
        return False
    return True


def given_only(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value is not None}


def check_question(code: laws.Code, decision: str, facts: dict[str, Any]) -> None:
    """The answer to some facts is what every completion gives; or the first fact that can change it is asked."""
    answer = code.decide(decision, facts)
    worlds = [(complete, told(code.decide(decision, complete))) for complete in completions(decision, facts)]
    if answer.status != "open":
        assert {what for _, what in worlds} == {told(answer)}
        assert answer.path or answer.status == "gap"
        return
    assert answer.ask is not None
    assert len({what for _, what in worlds}) > 1

    def alone(name: str) -> bool:
        """Whether the fact changes the answer when nothing else changes."""
        rest: dict[frozenset[Any], set[Any]] = {}
        for complete, what in worlds:
            rest.setdefault(frozenset((key, value) for key, value in complete.items() if key != name), set()).add(what)
        return any(len(each) > 1 for each in rest.values())

    def narrows(name: str) -> bool:
        """Whether the fact changes which answers are left."""
        left: dict[Any, set[Any]] = {}
        for complete, what in worlds:
            left.setdefault(complete.get(name), set()).add(what)
        return len({frozenset(each) for each in left.values()}) > 1

    assert alone(answer.ask.fact) or narrows(answer.ask.fact)
    for name in laws.vocabulary().decisions[decision].facts:
        if name == answer.ask.fact:
            break
        assert name in facts or not alone(name)


@settings(max_examples=120, deadline=None)
@given(code=tables(), data=st.data())
def test_the_first_fact_that_can_still_matter_is_asked_and_no_other(code: laws.Code, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(list(MISINFORMED.facts)), unique=True))
    check_question(
        code, "misinformation", {name: data.draw(st.sampled_from(MISINFORMED.facts[name].values)) for name in names}
    )


ANSWERED = [
    name for name in laws.vocabulary().decisions if any(SHIPPED.code(each).answers(name) for each in SHIPPED.ids)
]


@pytest.mark.parametrize("decision", ANSWERED)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_the_shipped_documents_ask_only_what_matters(decision: str, data: st.DataObject) -> None:
    regulations = data.draw(st.sampled_from([each for each in SHIPPED.ids if SHIPPED.code(each).answers(decision)]))
    code = SHIPPED.code(regulations, data.draw(st.sampled_from(SHIPPED.editions(regulations))))
    facts: dict[str, Any] = {}
    words = laws.vocabulary().decisions[decision]
    wanted = max(0, len(words.facts) - 3)
    for name in data.draw(st.permutations(list(words.facts))):
        value = data.draw(st.sampled_from(words.facts[name].values or (3, 15, 18, 20, 40)))
        if len(facts) < wanted and name not in words.optional and possible(decision, {**facts, name: value}):
            facts[name] = value
    for name in words.optional:
        last = words.facts[name].values[-1]
        facts |= {name: last} if possible(decision, {**facts, name: last}) else {}
    check_question(code, decision, facts)


# ---------------------------------------------------------------------------------------------------- broken documents


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_broken_document_says_where_and_how_to_mend_it(path: Path) -> None:
    expected = path.read_bytes().splitlines()[0].decode()[2:]
    with pytest.raises(Refused) as refused:
        laws.load([*SMALL, (path.name, path.read_bytes())])
    message = str(refused.value)
    assert message.startswith(f"{path.name}: ")
    assert expected in message
    assert "\n" not in message, "one mistake, one line"


def test_all_mistakes_are_told_at_once() -> None:
    broken = document("club", rule("1", {"fond": "after"}, STANDS), rule("2", {}, {"board": "lost"}), extends="screens")
    with pytest.raises(Refused) as refused:
        laws.load([*SMALL, broken])
    lines = str(refused.value).splitlines()
    assert [line.split(":")[1] for line in lines] == [" rule 1", " rule 2"]


# -------------------------------------------------------------------------------------------------------------- audit


def found(
    *documents: tuple[str, bytes], on: str = "edition", decision: str | None = "wrong-board"
) -> list[tuple[str, str, int]]:
    return [(each.code, each.subject, each.count) for each in laws.load(documents).code(on).audit(decision)]


def test_the_audit_of_a_complete_table_finds_nothing() -> None:
    assert found(BASE) == []
    assert found(*SMALL, on="screens", decision=None) == []


def test_the_audit_finds_an_undeclared_gap_with_an_example() -> None:
    base = edition(rule("15/a", {"found": "after"}, STANDS))
    assert found(base) == [("gap", "board, artificial-for", 4)]
    finding = laws.load([base]).code("edition").audit("wrong-board")[0]
    assert finding.facts["found"] == "auction"
    assert "found=auction" in finding.text
    assert found(BASE, screens(rule("1", {}, "gap"), displaces=["15"]), on="screens") == []


def test_the_audit_takes_readings_of_one_text_for_declared_and_other_conflicts_not() -> None:
    assert found(edition(), screens(*READ), on="screens") == []
    strangers = [row.replace("1=new", "2=new") for row in READ]
    assert found(edition(), screens(*strangers), on="screens") == [("conflict", "board", 8)]


def test_the_audit_finds_rules_that_never_fire_or_never_have_an_effect() -> None:
    rows = (
        rule("15/a", {}, STANDS),
        rule("15/b", {"found": "after"}, {"board": "by-td"}, except_="15/a"),
        rule("15/c", {"found": "auction"}, {"board": "continue"}, except_="15/b"),
        rule("15/d", {}, {"board": "artificial"}, except_="15/b"),
    )
    assert found(edition(*rows)) == [("no-effect", "edition/15/b", 0), ("never-fires", "edition/15/c", 0)]


def test_the_audit_says_when_there_are_too_many_combinations() -> None:
    limits = [rule(f"16/{n}", {"seconds": f"> {n * 3}"}, {"inference": "none"}, "tempo") for n in range(300)]
    findings = laws.load([edition(*limits)]).code("edition").audit("tempo")
    assert [each.code for each in findings] == ["too-many"]
    assert "split it" in str(findings[0])


# ------------------------------------------------------------------------------------------------------- in words, JSON


def test_an_answer_is_explained_sentence_by_sentence_with_its_articles() -> None:
    base = edition(
        rule("15/a", {}, STANDS, checked="restated"),
        rule("15/b", {"found": "after"}, {"board": "by-td"}, except_="15/a"),
    )
    assert laws.explain(decide(base, **ALL)) == [
        "Wrong board or wrong opponents, under edition",
        (
            "What happened: It was found after the auction. One of these players had played the board before. "
            "Every call of the first auction was repeated."
        ),
        "Decided:",
        "  What is done now:",
        "    The Director decides what becomes of the board. [Art. 15/b]",
        "  Whether and how the score is adjusted:",
        "    Nobody gets an artificial score. [Art. 15/a]",
        "The path: Art. 15/a (edition, restated, not read in a text) > Art. 15/b (edition)",
    ]


def test_the_other_three_answers_are_explained_too() -> None:
    rows = (rule("1", {"found": "after"}, GONE), rule("2", {"found": "after"}, {"board": "stands"}, reading="2=b"))
    wanted = laws.explain(decide(BASE, screens(*rows, displaces=["15"])))
    assert wanted[-1] == "One more fact needed: Was it found during the auction or afterwards? (auction, after)"
    silent = laws.explain(decide(BASE, screens(*rows, displaces=["15"]), found="auction"))
    assert "The regulation is silent: board, artificial for" in silent
    assert "    The result stands. [Art. 15/board]" in silent[silent.index("The base Laws alone would say:") :]
    differ = laws.explain(decide(BASE, screens(*rows, displaces=["15"]), found="after"))
    assert "The texts differ:" in differ
    assert "  Art. 2: The result stands. (reading screens/2=b)" in differ


def test_a_table_is_shown_with_its_values_rules_and_articles() -> None:
    lines = laws.show_lines(laws.show(laws.load(SMALL).code("screens")))
    assert lines[0] == "screens 2026-11-30 on edition"
    assert "  limit = 15  [Law 1]" in lines
    assert "  screens/1: always -> made yes  [Screens 1]" in lines
    shown = laws.show(laws.load(SMALL).code("edition"), "wrong-board")
    assert [each["rule"] for each in shown["rules"]] == ["edition/15/after", "edition/15/somebody"]
    assert "restated" in laws.show_lines(shown)[2]


def test_json_has_the_keys_of_every_answer() -> None:
    answer = decide(edition(rule("15/a", {}, STANDS, cites=["Law 15", "Law 16"])), found="after")
    assert json.loads(json.dumps(answer.to_json())) == {
        "format": 1,
        "decision": "wrong-board",
        "regulations": "edition",
        "laws": "edition",
        "hypothetical": False,
        "status": "decided",
        "facts": {"found": "after"},
        "outcome": STANDS,
        "path": [{"rule": "edition/15/a", "cites": "Law 15; Law 16", "document": "edition", "checked": "text"}],
        "ask": None,
        "conflict": None,
        "base": None,
        "may_change": [],
        "other_readings": [],
        "next": None,
    }


def test_every_outcome_word_has_its_sentence_and_every_fact_its_question() -> None:
    words = laws.vocabulary()
    for decision in words.decisions.values():
        for name, values in decision.outcome.items():
            for value in values or ("none", "27"):
                assert words.sentence(decision.name, name, value).endswith("."), (decision.name, name, value)
                assert words.sentence(decision.name, name, value) != f"{name}: {value}.".replace("-", " ")
        assert all(fact.ask.endswith("?") for fact in decision.facts.values()), decision.name


def test_a_fact_is_asked_after_the_facts_on_which_it_depends() -> None:
    for decision in laws.vocabulary().decisions.values():
        order = list(decision.facts)
        for name, clauses in decision.when.items():
            assert all(order.index(other) < order.index(name) for other in clauses), (decision.name, name)


def test_triage_leads_to_every_decision_once_or_more_or_a_decision_leads_on() -> None:
    words = laws.vocabulary()
    reached = {name for _, names in words.triage for name in names}
    assert reached == set(words.decisions)
    assert len(words.triage) == 7


def test_a_limit_below_zero_cuts_nothing_and_a_backward_range_is_refused() -> None:
    shipped = [(path.name, path.read_bytes()) for path in sorted((ROOT / "hooks/screenplug_hooks/laws").glob("*.toml"))]
    head = 'kind = "laws"\nid = "club"\ntitle = "Club"\nrevision = 2026-12-01\nsource = "ours"\nextends = "wbf"\n'
    value = '[[value]]\nid = "tray-delay-seconds"\nis = -5\ncites = "Club 1"\nchecked = "text"\n'
    code = laws.load([*shipped, ("club.toml", (head + value).encode())]).code("club")
    facts = {"slow-side": "NE", "pace": "slow", "attention-by": "S", "attributed-to": "partner", "unexpected": "no"}
    for seconds in (0, 3, 40):
        answer = code.decide("tempo", {**facts, "varied": "no", "seconds": seconds})
        assert answer.outcome["inference"] == "possible"
    with pytest.raises(laws.Refused, match=r"club\.toml.*displaces '30-20' is no number or range"):
        laws.load([*shipped, ("club.toml", (head + 'displaces = ["30-20"]\n').encode())])
