"""A small event for each form of contest, with rulings of every kind, against a second program's totals."""

from __future__ import annotations

import json
import runpy
from fractions import Fraction
from pathlib import Path

import pytest

import screenplug
from screenplug import event

CONTESTS = Path(__file__).parents[1] / "fixtures" / "contests"
FORMS = sorted(path.name for path in CONTESTS.iterdir() if (path / "session.pbn").is_file())


@pytest.mark.parametrize("form", FORMS)
def test_the_totals_are_those_of_the_second_program(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCREENPLUG_PLUGINS", "")
    folder = CONTESTS / form
    rulings = [("rulings.toml", (folder / "rulings.toml").read_bytes())]
    opened = event.open_event((folder / "session.pbn").read_bytes(), rulings, screenplug._tables())
    assert not [problem for problem in opened.all_problems() if problem.severity == "error"]
    expected = {who: Fraction(total) for who, total in json.loads((folder / "expected.json").read_text()).items()}
    whole = {each.contestant.label: each for each in opened.scored.totals if not each.contestant.match}
    found = {**{each.contestant.label: each for each in opened.scored.totals}, **whole}
    vp = form == "swiss-teams"
    assert {who: each.vp if vp else each.total for who, each in found.items()} == expected


def test_the_second_program_still_says_what_is_stored() -> None:
    totals = runpy.run_path(str(CONTESTS / "second.py"))["totals"]
    for form in FORMS:
        assert totals(CONTESTS / form) == json.loads((CONTESTS / form / "expected.json").read_text()), form


def test_every_form_of_contest_and_every_kind_of_ruling_is_there() -> None:
    assert len(FORMS) == 6
    scores = "\n".join((CONTESTS / form / "rulings.toml").read_text() for form in FORMS)
    for kind in ("60%", "A+ / A-", "score.ns", "not played", "+5 IMP / -3 IMP", "[[penalty]]", "knock-out", "vp ="):
        assert kind in scores, kind
