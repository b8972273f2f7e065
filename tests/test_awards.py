"""Law 12 over the scores of rulings: what an edition refuses, what is doubtful, and that rule offers only the rest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import call

from screenplug import awards, event, host, ledger
from screenplug.event import Event
from screenplug.model import Ground, Ledger, Outcome, Ruling, Score

FIXTURES = Path(__file__).parent.parent / "fixtures"
TABLES = host.tables(host.plugin_manager())
CASES = tomllib.loads((FIXTURES / "awards.toml").read_text(encoding="utf-8"))
GROUNDS = {
    name: Ground(**{key: tuple(value) if key == "laws" else value for key, value in raw.items()})
    for name, raw in CASES["grounds"].items()
}
EACH = [(case, laws) for case in CASES["case"] for laws in case["laws"]]
OPEN = b'[Board "7"]\n[Scoring "MP"]\n'  # nobody knows of a result


def entry(case: dict[str, Any], laws: str, **more: Any) -> Ruling:
    given: dict[str, Any] = {
        "score": Score.parse(case["score"]),
        "grounds": tuple(GROUNDS[name] for name in case["grounds"]),
        "table": case.get("table", ""),
        "stage": case.get("stage", "table"),
        "without_error": {side: Outcome.parse(text) for side, text in case.get("without-error", {}).items()},
        "regulations": laws,
        **more,
    }
    return Ruling("A-1", ({"board": "7"},), **given)


def opened(*rulings: Ruling, pbn: bytes = OPEN) -> Event:
    return event.open_rulings(pbn, Ledger(rulings), TABLES)


def said(found: Event) -> list[tuple[str, str]]:
    """The remarks on the scores; grounds that the tables leave open have their own."""
    return [(each.severity, each.text) for each in found.problems if not each.code.startswith(("ground-", "waiting"))]


@pytest.mark.parametrize(("case", "laws"), EACH, ids=[f"{laws[5:]}: {case['about']}" for case, laws in EACH])
def test_an_edition_refuses_what_its_text_excludes_and_remarks_on_what_is_doubtful(
    case: dict[str, Any], laws: str
) -> None:
    found = said(opened(entry(case, laws)))
    if article := case.get("refused"):
        ((severity, text),) = found
        assert severity == "error" and re.search(rf"\(.*\b{re.escape(article)}", text), text
        assert "override" in text and (laws in text or "its own grounds" in text)
    elif word := case.get("doubtful"):
        assert [severity for severity, _ in found] == ["note"] and word in found[0][1], found
    else:
        assert not found


REFUSED = [(case, laws) for case, laws in EACH if "refused" in case]


@pytest.mark.parametrize(("case", "laws"), REFUSED, ids=[f"{laws[5:]}: {case['about']}" for case, laws in REFUSED])
def test_a_score_that_is_refused_stands_with_a_reason(case: dict[str, Any], laws: str) -> None:
    refused, recorded = opened(entry(case, laws)), opened(entry(case, laws, override="the regulations of the event"))
    assert (len(refused.records()), len(recorded.records())) == (0, 1) and not said(recorded)
    assert refused.to_attach() == recorded.to_attach() == {"A-1"}


def test_a_later_entry_mends_a_score_that_was_refused() -> None:
    wrong = entry({"score": "60% 4S N =, 40% 4S N -1", "grounds": []}, "laws-1997")
    mended = replace(wrong, id="A-2", supersedes="A-1", score=Score.parse("4S N -1"))
    assert [severity for severity, _ in said(opened(wrong))] == ["error"]
    assert not said(opened(wrong, mended))
    assert not said(opened(wrong, replace(wrong, id="A-2", supersedes="A-1", score=None, state="withdrawn")))


ROW = b'[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n1 2 4S N 10\n'


def test_a_result_in_the_file_is_one_that_was_obtained() -> None:
    average = entry({"score": "A+ / A-", "grounds": ["ui"]}, "laws-1997")
    assert not said(opened(average))
    assert [severity for severity, _ in said(opened(average, pbn=OPEN + ROW))] == ["error"]


def test_a_refused_entry_does_not_stop_another_on_its_result() -> None:
    average = entry({"score": "A+ / A-", "grounds": ["ui"]}, "laws-1997")
    other = entry({"score": "4S N -1", "grounds": []}, "laws-1997")
    found = opened(average, replace(other, id="A-2"), pbn=OPEN + ROW)
    assert [(each.code, each.ruling) for each in found.problems] == [("award", "A-1")]
    assert [place.ruling.id for place in found.in_force] == ["A-2"]


def test_the_stage_of_the_entry_counts_and_another_in_a_ground_is_remarked_on() -> None:
    facts = {**GROUNDS["few"].facts, "stage": "appeal"}
    weights = entry({"score": "60% 4S N =, 40% 4S N -1", "grounds": []}, "laws-1997")
    asked = replace(weights, grounds=(replace(GROUNDS["few"], facts=facts),))
    assert [severity for severity, _ in said(opened(asked))] == ["error", "note"]
    assert not said(opened(replace(asked, stage="appeal")))


def test_all_rulings_of_the_whole_events_may_be_given() -> None:
    for folder, file in (("pairs-wbf", "session.pbn"), ("small-pzbs", "session.pbn"), ("teams-wbf", "match.pbn")):
        book = ledger.read((path.name, path.read_bytes()) for path in sorted((FIXTURES / folder).glob("*.toml")))
        found = event.open_rulings((FIXTURES / folder / file).read_bytes(), book, TABLES)
        assert not [problem for problem in found.problems if problem.code.startswith(("award", "adjusted"))]


def offered(output: str) -> Iterator[str]:
    """The scores that the wizard lists, and the kinds that it says may be written."""
    for line in output.partition("\nScore")[2].splitlines():
        if match := re.match(r" *\d+  (\S.*?)(?: \(\d+ elsewhere\)| {2,}.*)?$", line):
            yield from {match[1]} - {"no adjusted score", "the table result stands", "no score yet: pending"}
        if line.startswith("or write: "):
            yield from (
                part for part in line[10:].split(" | ") if re.match("[0-9+4]", part) and "%" in part[:4] and "," in part
            )


def grounds_as_options(grounds: tuple[Ground, ...]) -> list[str]:
    words = []
    for ground in grounds:
        if ground.decision:
            words += [
                "--ground",
                f"{ground.decision}: {' '.join(f'{key}={value}' for key, value in ground.facts.items())}",
            ]
        else:
            words += ["--law", *ground.laws, "--finding", ground.finding]
    return words or ["--later"]


@pytest.mark.parametrize(("case", "laws"), EACH, ids=[f"{laws[5:]}: {case['about']}" for case, laws in EACH])
def test_what_rule_offers_check_accepts(
    case: dict[str, Any], laws: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.pbn").write_bytes(OPEN + (ROW if "table" in case else b""))
    ruling = entry(case, laws)
    done = call(
        *("rule", "s.pbn", "--rulings", "r.toml", "--regulations", laws, "--board", "7", "--stage", ruling.stage),
        *grounds_as_options(ruling.grounds),
        *(("--fact", f"stage={ruling.stage}") if any("result" in ground.facts for ground in ruling.grounds) else ()),
    )
    scores = list(offered(done.out))
    assert "pending" in done.out, done.err + done.out
    code = TABLES.lawbook.code(laws)
    answers = [event.answered(ground, code, {}) for ground in ruling.grounds]
    for text in scores:
        trial = replace(ruling, score=Score.parse(text), without_error={}, table=case.get("table", ""))
        found = list(awards.findings(trial, code, answers, obtained="table" in case))
        assert not [each for each in found if each.severity == "error"], text
        assert not [text for severity, text in said(opened(trial)) if severity == "error"]
    if case.get("refused") and not case.get("without-error"):
        assert Score.parse(case["score"]) not in [Score.parse(text) for text in scores]
