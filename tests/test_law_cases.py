"""The shipped law tables against cases worked out from the texts, and against themselves."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from screenplug import laws

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "hooks" / "screenplug_hooks" / "laws"
CASES = [
    case
    for path in sorted((ROOT / "fixtures" / "laws").glob("cases*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]
LIBRARY = laws.load((path.name, path.read_bytes()) for path in sorted(FOLDER.glob("*.toml")))
EDITIONS = ("laws-1997", "laws-2007", "laws-2017")
STATEMENTS = {
    "pl-1997": ("PL97", 41),
    "pzbs": ("PZBS", 34),
    "hbs-2006": ("HBS", 27),
    "wbf": ("WBF", 11),
    "laws-2007": ("L50", 17),
}


def pairs() -> Iterator[tuple[str, str]]:
    """Every shipped document with each edition that it stands on; an edition stands on itself."""
    for name, document in sorted(LIBRARY.documents.items()):
        yield from ((name, edition) for edition in document.stands_on or (name,))


def expectations() -> Iterator[Any]:
    for case in CASES:
        for document, expected in case["expect"].items():
            yield pytest.param(case, document, expected, id=f"{case['id']}-{document}")


def one_of(expected: Any) -> list[Any]:
    return expected if isinstance(expected, list) else [expected]


@pytest.mark.parametrize(("case", "document", "expected"), list(expectations()))
def test_a_document_answers_as_its_text_does(case: dict[str, Any], document: str, expected: dict[str, Any]) -> None:
    edition = case.get("laws") if LIBRARY.documents[document].stands_on else None
    readings = {key: word for key, word in case.get("readings", {}).items() if key.startswith(f"{document}/")}
    answer = LIBRARY.code(document, edition).decide(case["decision"], case["facts"], readings)
    assert answer.status in one_of(expected["status"]), answer.to_json()
    if "ask" in expected:
        assert answer.ask is not None
        assert answer.ask.fact == expected["ask"]
    for name, word in expected.items():
        if name not in ("status", "cites", "ask"):
            assert answer.outcome.get(name) in one_of(word), (name, answer.to_json())
    if "cites" in expected:
        cited = "; ".join(article for step in answer.path for article in step.cites)
        assert re.search(rf"(?<!\w){re.escape(expected['cites'])}(?!\w)", cited), cited


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
    assert values["average-minus-session"] == ("no" if edition == "laws-1997" else "yes")


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
