"""The shipped law tables against cases worked out from the texts, and against themselves."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from law_cases import FOLDER, ROOT, expectations, wrong

from screenplug import laws

LIBRARY = laws.load((path.name, path.read_bytes()) for path in sorted(FOLDER.glob("*.toml")))
EDITIONS = ("laws-1997", "laws-2007", "laws-2017")
STATEMENTS = {
    "pl-1997": ("PL97", 41),
    "pzbs": ("PZBS", 34),
    "hbs-2006": ("HBS", 27),
    "wbf": ("WBF", 11),
    "laws-1987": ("L87", 51),
    "laws-2007": ("L50", 17),
}


def pairs() -> Iterator[tuple[str, str]]:
    """Every shipped document with each edition that it stands on; an edition stands on itself."""
    for name, document in sorted(LIBRARY.documents.items()):
        yield from ((name, edition) for edition in document.stands_on or (name,))


@pytest.mark.parametrize(
    ("case", "document", "expected"), [pytest.param(*row, id=f"{row[0]['id']}-{row[1]}") for row in expectations()]
)
def test_a_document_answers_as_its_text_does(case: dict[str, Any], document: str, expected: dict[str, Any]) -> None:
    assert not wrong(LIBRARY, case, document, expected)


@pytest.mark.parametrize(("document", "edition"), list(pairs()))
def test_the_audit_of_a_shipped_document_finds_nothing(document: str, edition: str) -> None:
    findings = LIBRARY.code(document, edition).audit()
    assert not findings, "\n".join(finding.text for finding in findings)


@pytest.mark.parametrize(("document", "edition"), list(pairs()))
def test_every_document_has_the_averages_that_scoring_needs(document: str, edition: str) -> None:
    values = LIBRARY.code(document, edition).values
    numbers = {"plus-percent": 60, "percent": 50, "minus-percent": 40, "plus-imps": 3, "minus-imps": -3}
    assert {name: values[f"average-{name}"] for name in numbers} == numbers
    # Until 2007 a poor session did not take the offenders' average below its 40%.
    assert values["average-plus-session"] == "yes"
    assert values["average-minus-session"] == ("no" if edition in ("laws-1987", "laws-1997") else "yes")


@pytest.mark.parametrize(("document", "seconds"), [("pl-1997", 15), ("pzbs", 15), ("hbs-2006", 20), ("wbf", 20)])
def test_a_screen_document_says_how_long_a_tray_may_wait(document: str, seconds: int) -> None:
    assert LIBRARY.code(document).values["tray-delay-seconds"] == seconds


@pytest.mark.parametrize("document", STATEMENTS)
def test_every_sentence_of_a_document_that_was_read_is_carried(document: str) -> None:
    prefix, last = STATEMENTS[document]
    entries = LIBRARY.documents[document]
    carried = {each for entry in (*entries.rules, *entries.values, *entries.procedures) for each in entry.statements}
    assert carried == {f"{prefix}-{number}" for number in range(1, last + 1)}


def test_a_director_sees_what_was_read_and_what_is_restated() -> None:
    documents = LIBRARY.documents.items()
    read = {name for name, document in documents if any(rule.checked == "text" for rule in document.rules)}
    assert {"pl-1997", "pzbs", "hbs-2006", "laws-2007"} <= read
    assert "wbf" not in read


def test_an_answer_names_the_unusual_readings_with_which_it_would_be_another() -> None:
    code = LIBRARY.code("pzbs")
    facts = {"kind": "insufficient-bid", "tray": "passed", "noticed-on": "other-side", "lho-called": "no"}
    north = {**facts, "offender": "N", "moved-by": "N"}
    own_tray = code.decide("auction-irregularity", north)
    assert own_tray.other_readings == ("pzbs/16.7-own-tray=one-side-at-fault",)
    chosen = dict(reading.split("=") for reading in own_tray.other_readings)
    assert code.decide("auction-irregularity", north, chosen).outcome != own_tray.outcome
    other_mover = code.decide("auction-irregularity", {**north, "moved-by": "E"})
    assert other_mover.other_readings == ()
    assert code.readings["pzbs/16.7-own-tray"] == ("both-sides-at-fault", "one-side-at-fault")


def test_the_usual_reading_may_be_chosen_by_its_name() -> None:
    facts = {"slow-side": "NE", "pace": "slow", "attention-by": "N", "attributed-to": "opponent"}
    code = LIBRARY.code("pzbs")
    silent = code.decide("tempo", facts)
    assert code.decide("tempo", facts, {"pzbs/16.3": "callers-side"}).outcome == silent.outcome
    other = code.decide("tempo", facts, {"pzbs/16.3": "non-offending-side"})
    assert other.outcome["rights-lost-by"] == "non-offending-side" != silent.outcome["rights-lost-by"]


CHAINS = tomllib.loads((ROOT / "fixtures/laws/chains.toml").read_text(encoding="utf-8"))["chain"]


@pytest.mark.parametrize(
    ("chain", "regulations"),
    [pytest.param(chain, name, id=f"{chain['id']}-{name}") for chain in CHAINS for name in chain["regulations"]],
)
def test_a_matter_is_followed_to_its_end_and_no_further(chain: dict[str, Any], regulations: str) -> None:
    readings = {key: word for key, word in chain.get("readings", {}).items() if key.startswith(f"{regulations}/")}
    code = LIBRARY.code(regulations, chain.get("laws"))
    followed = code.follow(chain.get("start", "auction-irregularity"), chain["facts"], readings)
    assert [answer.decision for answer in followed] == chain["decisions"]
    assert [answer.status for answer in followed] == ["decided"] * len(followed) and followed[-1].next is None
    said = {name: followed[-1].outcome[name] for name in chain["last"]}
    assert all(said[name] in ([word] if isinstance(word, str) else word) for name, word in chain["last"].items()), said


def matters(code: laws.Code, decision: str) -> Iterator[laws.Answer]:
    """The decided answers to every combination of facts, and to some of them with each reading of the text."""
    table = code.table(decision)
    choices = {key: words for key, words in code.readings.items() if any(rule.reading in key for rule in table.rules)}
    chosen = [{}, *({key: word} for key, words in choices.items() for word in words)]
    for readings in chosen:
        for number, known in enumerate(table.space.worlds({}, tuple(table.decision.facts))):
            if not readings or number % 23 == 0:
                facts = {name: value for name, value in known.items() if value and name in table.decision.facts}
                answer = code.decide(decision, facts, readings)
                if answer.status == "decided":
                    yield answer


@pytest.mark.parametrize(("document", "edition"), list(pairs()))
def test_the_rectification_follows_where_the_laws_rectify_and_nowhere_else(document: str, edition: str) -> None:
    followed = 0
    for answer in matters(LIBRARY.code(document, edition), "auction-irregularity"):
        said, facts = answer.outcome, answer.facts
        accepts = {"by-law": None, "with-base-penalty": "no", "none": "yes"}
        # 35B and 37A: the call of a player who had to pass stands once it is called over, and the auction goes on.
        over = facts["kind"] == "call-by-barred-player" and facts["lho-called"] == "yes"
        stands = said["correction"] == "none" and said["class"] == "unnoticed"
        if said["correction"] not in accepts or stands or (over and said["correction"] != "with-base-penalty"):
            # A correction that the screen document makes free does not inherit the penalty of the base Laws.
            assert answer.next is None, answer.to_json()
            continue
        assert answer.next and answer.next.decision == "rectification", answer.to_json()
        handed = (answer.next.facts["kind"], answer.next.facts.get("accepted"))
        assert handed == (facts["kind"], accepts[said["correction"]]), answer.to_json()
        followed += 1
    assert followed


@pytest.mark.parametrize(("document", "edition"), list(pairs()))
def test_an_irregular_change_of_call_is_followed_as_one(document: str, edition: str) -> None:
    followed = 0
    for answer in matters(LIBRARY.code(document, edition), "change-of-call"):
        on = answer.next and (answer.next.decision, answer.next.facts["kind"], answer.next.facts["offender"])
        irregular = answer.outcome["change"] == "irregular"
        assert on == (("auction-irregularity", "change-of-call", answer.facts["offender"]) if irregular else None)
        followed += irregular
    assert followed
