"""Where two law documents part. The small documents are made up; the rows about real ones were read in the texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from test_laws import MISINFORMED, SHIPPED, STANDS, completions, document, edition, rule, screens, tables, tempo

from screenplug import laws
from screenplug.compare import Difference, Span, compare, lines, value_lines, values

BY_TD = {"board": "by-td", "artificial-for": "none"}
GONE = {"board": "cancelled", "artificial-for": "those-deprived"}


def codes(*pair: tuple[str, ...], **keys: Any) -> tuple[laws.Code, laws.Code]:
    """Two regulations, ``screens`` and ``club``, on one small edition."""
    one, other = pair
    library = laws.load([edition(), screens(*one, **keys), document("club", *other, stands_on=["edition"], **keys)])
    return library.code("screens"), library.code("club")


def said(difference: Difference, field: str) -> tuple[Any, Any]:
    one, other = difference.fields[field]
    return one.says, other.says


def test_documents_that_always_part_differ_whatever_the_facts() -> None:
    found = compare(*codes((rule("1", {}, STANDS),), (rule("1", {}, BY_TD),)), "wrong-board")
    assert len(found) == 1
    assert found[0].facts == {}
    assert said(found[0], "board") == (("stands",), ("by-td",))
    assert [side.cites for side in found[0].fields["board"]] == [("Art. 1",), ("Art. 1",)]
    assert "artificial-for" not in found[0].fields
    assert found[0].share == 1


def test_only_the_facts_that_make_the_difference_are_named() -> None:
    other = (rule("1", {}, STANDS), rule("2", {"found": "after"}, GONE, except_="1"))
    found = compare(*codes((rule("1", {}, STANDS),), other), "wrong-board")
    assert [dict(each.facts) for each in found] == [{"found": ("after",)}]
    assert set(found[0].fields) == {"board", "artificial-for"}, "fields with the same facts stand together"


def test_equal_documents_do_not_part() -> None:
    same = (rule("1", {"found": "after"}, STANDS), rule("2", {"found": "auction"}, GONE))
    assert compare(*codes(same, same), "wrong-board") == []


def test_values_that_do_the_same_stand_together() -> None:
    moved = ("auction-irregularity",)
    one = (rule("1", {}, {"class": "passed"}, *moved),)
    other = (*one, rule("2", {"offender": ["N", "S"]}, {"class": "unnoticed"}, *moved, except_="1"))
    found = compare(*codes(one, other), "auction-irregularity")
    assert [dict(each.facts) for each in found] == [{"offender": ("N", "S")}]


def test_a_fact_worked_out_from_others_counts_as_one() -> None:
    moved = ("auction-irregularity",)
    one = (rule("1", {}, {"class": "passed"}, *moved),)
    other = (*one, rule("2", {"mover": "offender"}, {"class": "unnoticed"}, *moved, except_="1"))
    found = compare(*codes(one, other), "auction-irregularity")
    assert [dict(each.facts) for each in found] == [{"mover": ("offender",)}]


def test_each_difference_says_one_thing_for_each_document() -> None:
    other = (rule("1", {"found": "after"}, BY_TD), rule("2", {"found": "auction"}, {**BY_TD, "board": "continue"}))
    found = compare(*codes((rule("1", {}, STANDS),), other), "wrong-board")
    boards = [(dict(each.facts), said(each, "board")) for each in found if "board" in each.fields]
    assert boards == [
        ({"found": ("auction",)}, (("stands",), ("continue",))),
        ({"found": ("after",)}, (("stands",), ("by-td",))),
    ] or boards == [
        ({"found": ("after",)}, (("stands",), ("by-td",))),
        ({"found": ("auction",)}, (("stands",), ("continue",))),
    ]


def test_silence_and_a_conflict_of_readings_are_answers_too() -> None:
    readings = (
        rule("1", {}, {"board": "stands"}, reading="1=old"),
        rule("2", {}, {"board": "by-td"}, reading="1=new"),
        rule("3", {}, {"artificial-for": "none"}),
    )
    pair = codes((rule("1", {}, {"artificial-for": "none"}),), readings)
    assert said(compare(*pair, "wrong-board")[0], "board") == (("gap",), (("by-td", "stands"),))
    chosen = compare(*pair, "wrong-board", {"club/1": "new"})
    assert said(chosen[0], "board") == (("gap",), ("by-td",))
    assert "      screens: The regulation is silent." in lines(pair, "wrong-board", chosen)


def test_numbers_are_told_as_spans_and_values_are_compared() -> None:
    rows = [
        rule("16/a", {"seconds": "<= limit"}, {"inference": "none"}, "tempo"),
        rule("16/b", {"seconds": "> limit"}, {"inference": "possible"}, "tempo"),
    ]
    pair = tempo(*rows, value=15), tempo(*rows, value=20)
    found = compare(*pair, "tempo")
    assert [dict(each.facts) for each in found] == [{"seconds": (Span(16, 20),)}]
    assert "  seconds 16 to 20:" in lines(pair, "tempo", found)
    assert [(each.id, each.one, each.other) for each in values(*pair)] == [
        ("limit", (15, ("Art. 0",)), (20, ("Art. 0",)))
    ]
    assert len(value_lines(pair, values(*pair))) == 2


def test_a_fact_that_does_not_apply_is_never_named() -> None:
    pair = SHIPPED.code("pl-1997"), SHIPPED.code("pzbs")
    for each in compare(*pair, "auction-irregularity"):
        assert None not in each.facts.get("moved-by", ())
        if "not-passed" in each.facts.get("tray", ()):
            assert not {"moved-by", "mover", "inadvertent"} & each.facts.keys()


def test_an_unknown_decision_is_refused() -> None:
    with pytest.raises(laws.Refused, match="did you mean tempo"):
        compare(SHIPPED.code("pzbs"), SHIPPED.code("wbf"), "tempi")


# ---------------------------------------------------------------------------------------- what holds for any two tables


def word(answer: laws.Answer, field: str) -> Any:
    """What an answer says on a field, as a difference words it."""
    disputed = {side.outcome[field] for side in answer.conflict if field in side.outcome}
    return answer.outcome.get(field) or (tuple(sorted(disputed)) if disputed else "gap")


def inside(facts: dict[str, Any], difference: Difference) -> bool:
    return all(facts[name] in allowed for name, allowed in difference.facts.items())


@settings(max_examples=100, deadline=None)
@given(one=tables(), other=tables())
def test_the_differences_hold_all_on_which_two_documents_part_and_nothing_else(
    one: laws.Code, other: laws.Code
) -> None:
    found = compare(one, other, "misinformation")
    worlds = list(completions("misinformation", {}))
    for field in MISINFORMED.outcome:
        differences = [each for each in found if field in each.fields]
        parted = []
        for facts in worlds:
            words = [word(code.decide("misinformation", facts), field) for code in (one, other)]
            within = [each for each in differences if inside(facts, each)]
            assert bool(within) == (words[0] != words[1]), (field, facts)
            assert all((words[side],) == each.fields[field][side].says for each in within for side in (0, 1))
            parted.append(tuple(words))
        for each in differences:
            for name in each.facts:
                rest = Difference({key: each.facts[key] for key in each.facts if key != name}, each.fields, 1)
                left = {words for facts, words in zip(worlds, parted, strict=True) if inside(facts, rest)}
                assert len(left) > 1, "no fact of a difference can be left out"


# ------------------------------------------------------------------------------------------- the documents that ship

CALL = {"kind": "insufficient-bid", "offender": "E", "lho-called": "no"}
STAYS = {**CALL, "tray": "not-passed", "noticed-on": "offenders-side"}
ABOVE = {**STAYS, "offender": "N", "kind": "bid-above-seven", "lho-called": "yes"}
OWN_HAND = {**CALL, "tray": "passed", "moved-by": "E", "noticed-on": "other-side"}
BESIDE = {**OWN_HAND, "offender": "N"}
BACK = {**CALL, "tray": "passed-back", "moved-by": "N", "noticed-on": "offenders-side"}
SLOW = {"slow-side": "NE", "pace": "slow", "attributed-to": "partner", "unexpected": "yes", "varied": "yes"}
CALLED = {**SLOW, "seconds": 60, "attention-by": "N"}
GONE_OFF = {**CALL, "tray": "calls-removed", "moved-by": "N", "noticed-on": "nobody"}
LATE, WHOSE = ("both-sides-at-fault", "unnoticed"), ("both-sides-at-fault", "one-side-at-fault")
USED = {"user": "offending-side", "used": "yes", "auction-possible": "yes"}
SLIP = {"purpose": "unintended", "pause": "no", "offender": "N", "tray": "passed-back", "lho-called": "no"}
SLIP |= {"partner-called": "no", "reason-from-opponent": "no"}
MIND = {"purpose": "deliberate", "pause": "no", "offender": "N", "tray": "not-passed", "lho-called": "no"}
MIND |= {"reason-from-opponent": "no"}
BOTH = ("by-law", "cancelled")
ACROSS = {"dummy": "N", "card-owner": "W", "card": "exposed"}
LEAD = {"card": "face-up", "screen": "open", "could-have-known": "yes"}
TWO_LEADS = {**LEAD, "opened-by": "defending-side", "opening": "proper", "other-defender": "face-up"}
RAISED = {**LEAD, "opened-by": "declaring-side", "opening": "improper", "other-defender": "none"}
EITHER_CARD = ("other-card", "out-of-turn-card")
HANDS = {"found": "auction", "call-made-on-it": "yes", "tray": "not-passed", "cards-seen": "none"}

# Where the three source documents really disagree: two documents, decision, field, what each says to these facts.
PARTED = [
    ("pl-1997", "hbs-2006", "auction-irregularity", "acceptance", STAYS, "excluded", "not-obligatory"),
    ("pzbs", "hbs-2006", "auction-irregularity", "acceptance", STAYS, "excluded", "not-obligatory"),
    ("pl-1997", "pzbs", "auction-irregularity", "correction", STAYS, "free", "director-decides"),
    ("pzbs", "hbs-2006", "auction-irregularity", "correction", STAYS, "director-decides", "free"),
    ("pl-1997", "pzbs", "auction-irregularity", "acceptance", OWN_HAND, "excluded", "by-law"),
    ("pl-1997", "hbs-2006", "auction-irregularity", "acceptance", OWN_HAND, "excluded", "by-law"),
    ("pl-1997", "pzbs", "auction-irregularity", "tray-action", OWN_HAND, "send-back", "none"),
    ("pl-1997", "pzbs", "auction-irregularity", "class", BESIDE, "gap", "one-side-at-fault"),
    ("pl-1997", "hbs-2006", "auction-irregularity", "class", BESIDE, "gap", "one-side-at-fault"),
    ("pl-1997", "pzbs", "auction-irregularity", "class", BACK, "unnoticed", "both-sides-at-fault"),
    ("pl-1997", "hbs-2006", "auction-irregularity", "class", BACK, "unnoticed", "both-sides-at-fault"),
    ("pl-1997", "pzbs", "auction-irregularity", "class", ABOVE, "not-passed", "no-screen"),
    ("pl-1997", "hbs-2006", "auction-irregularity", "class", ABOVE, "not-passed", "no-screen"),
    ("pl-1997", "pzbs", "tempo", "calling", CALLED, "not-regulated", "infraction"),
    ("pl-1997", "hbs-2006", "tempo", "calling", CALLED, "not-regulated", "infraction"),
    ("pl-1997", "pzbs", "tempo", "rights-lost-by", CALLED, "nobody", "callers-side"),
    ("pl-1997", "pzbs", "tempo", "inference", {**SLOW, "seconds": 16}, "none", "possible"),
    ("pzbs", "hbs-2006", "tempo", "inference", {**SLOW, "seconds": 30}, "possible", "presumed"),
    ("pl-1997", "hbs-2006", "tempo", "inference", {**SLOW, "seconds": 30}, "none", "presumed"),
    ("pl-1997", "pzbs", "wrong-number-of-cards", "board", HANDS, "artificial", "correct-and-play"),
    ("pl-1997", "hbs-2006", "wrong-number-of-cards", "board", HANDS, "artificial", "correct-and-play"),
    ("pl-1997", "pzbs", "auction-irregularity", "class", GONE_OFF, LATE, WHOSE),
    ("pl-1997", "pzbs", "withdrawn-call-information", "adjusted-score", USED, "assigned", "by-law"),
    ("pl-1997", "hbs-2006", "withdrawn-call-information", "adjusted-score", USED, "assigned", "by-law"),
    ("pl-1997", "pzbs", "unseen-call", "information", {"lho-called": "no"}, "authorized", "by-law"),
    ("pl-1997", "hbs-2006", "unseen-call", "information", {"lho-called": "no"}, "authorized", "by-law"),
    ("pl-1997", "pzbs", "change-of-call", "change", SLIP, "allowed", "too-late"),
    ("pzbs", "hbs-2006", "change-of-call", "change", SLIP, "too-late", "allowed"),
    ("pzbs", "hbs-2006", "change-of-call", "change", MIND, "allowed", "irregular"),
    ("pl-1997", "pzbs", "change-of-call", "change", MIND, "irregular", "allowed"),
    ("pl-1997", "pzbs", "simultaneous-call", "could-have-known", {"timing": "simultaneous"}, "none", "23"),
    ("pl-1997", "hbs-2006", "simultaneous-call", "call", {"timing": "out-of-rotation"}, "by-law", BOTH),
    ("pzbs", "hbs-2006", "simultaneous-call", "call", {"timing": "out-of-rotation"}, "by-law", BOTH),
    ("pl-1997", "pzbs", "dummy-attention", "allowed", ACROSS, "no", "yes"),
    ("pl-1997", "hbs-2006", "dummy-attention", "allowed", {**ACROSS, "card": "played-early"}, "no", "yes"),
    ("pzbs", "hbs-2006", "dummy-attention", "allowed", ACROSS, "yes", ("no", "yes")),
    ("pl-1997", "pzbs", "opening-lead-out-of-turn", "penalty-card", TWO_LEADS, "out-of-turn-card", EITHER_CARD),
    ("pzbs", "hbs-2006", "opening-lead-out-of-turn", "penalty-card", TWO_LEADS, EITHER_CARD, "out-of-turn-card"),
    ("pl-1997", "pzbs", "opening-lead-out-of-turn", "adjusted-score", RAISED, "should", "may"),
    ("pl-1997", "hbs-2006", "opening-lead-out-of-turn", "adjusted-score", RAISED, "should", "will"),
    ("pzbs", "hbs-2006", "opening-lead-out-of-turn", "adjusted-score", RAISED, "may", "will"),
    ("pl-1997", "pzbs", "spectator", "allowed", {"sees": "both-sides-of-screen"}, "no", "yes"),
    ("pzbs", "hbs-2006", "spectator", "allowed", {"sees": "both-sides-of-screen"}, "yes", "no"),
]


@pytest.mark.parametrize(("a", "b", "decision", "field", "facts", "one", "other"), PARTED)
def test_where_the_source_documents_disagree_is_in_the_comparison(
    a: str, b: str, decision: str, field: str, facts: dict[str, Any], one: Any, other: Any
) -> None:
    pair = SHIPPED.code(a), SHIPPED.code(b)
    known = {**facts, **pair[0].decide(decision, facts).facts}  # with those that are worked out
    found = [
        each
        for each in compare(*pair, decision)
        if field in each.fields and all(holds(known.get(name), allowed) for name, allowed in each.facts.items())
    ]
    assert any(one in each.fields[field][0].says and other in each.fields[field][1].says for each in found), found
    assert all(side.cites or side.says == ("gap",) for each in found for side in each.fields[field])


def holds(value: Any, allowed: tuple[Any, ...]) -> bool:
    if isinstance(value, int):
        return any(span.low <= value <= (value if span.high is None else span.high) for span in allowed)
    return value in allowed


@pytest.mark.parametrize(
    ("a", "b", "name"),
    [
        ("pl-1997", "pzbs", "raises-screen"),
        ("pl-1997", "hbs-2006", "raises-screen"),
        ("pzbs", "hbs-2006", "raises-screen"),
        ("pzbs", "hbs-2006", "tray-delay-seconds"),
        ("pl-1997", "wbf", "tray-delay-seconds"),
    ],
)
def test_where_the_source_documents_have_other_numbers_and_roles(a: str, b: str, name: str) -> None:
    assert name in {each.id for each in values(SHIPPED.code(a), SHIPPED.code(b))}


def test_an_edition_differs_from_another_and_a_regulation_with_it() -> None:
    pair = SHIPPED.code("pzbs", "laws-1997"), SHIPPED.code("pzbs", "laws-2007")
    found = compare(*pair, "auction-irregularity")
    assert any("bid-above-seven" in each.facts["kind"] for each in found)
    shown = lines(pair, "auction-irregularity", found)
    assert any("pzbs on laws-1997:" in line for line in shown)
    assert any("pzbs on laws-2007:" in line for line in shown)


@pytest.mark.parametrize("pair", [("pl-1997", "pzbs"), ("pl-1997", "hbs-2006"), ("pzbs", "hbs-2006")])
def test_what_the_three_screen_texts_word_differently_shows_among_the_values(pair: tuple[str, str]) -> None:
    told = {each.id for each in values(*(SHIPPED.code(document) for document in pair))}
    worded = {"tray-sent-back", "both-sides-at-fault-is", "one-side-at-fault-gets", "withdrawn-call-used"}
    assert worded | {"law-33-cancels", "law-13-needs", "tempo-called-on-own-side", "adjust-for-raised-screen"} <= told
