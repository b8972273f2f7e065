"""The JSON Schema that editors use for rulings files: in step with the reader, and of one mind with it."""

from __future__ import annotations

import contextlib
import json
import random
import re
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import ledger_schema
import pytest
from commands import FIXTURES, call
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from test_ledger import _RULINGS, _SCORES

from screenplug import ledger
from screenplug.model import Award, Ground, Outcome, Ruling, Score
from screenplug.vocabulary import vocabulary

SCHEMA = json.loads(ledger.schema())
VALIDATOR = Draft7Validator(SCHEMA)
GOOD = sorted([FIXTURES / "ledgers" / "good" / "complete.toml", *FIXTURES.glob("*/rulings*.toml")])
BROKEN = sorted((FIXTURES / "ledgers" / "broken").glob("*.toml"))
# What no schema can see: what is true of several entries together, sums, and files that are no TOML at all.
UNSEEN = {
    *("cp1250", "utf16", "key-twice", "quote-not-closed", "windows-path-in-double-quotes"),
    *("id-twice", "prefix-other", "superseded-twice", "supersedes-a-penalty", "supersedes-itself"),
    *("supersedes-unknown", "fouled-result-in-two-groups", "score-fourteen-tricks", "weights-not-one"),
}


def as_json(value: Any) -> Any:
    """A TOML value as an editor hands it to the schema: dates as texts."""
    if isinstance(value, dict):
        return {key: as_json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_json(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value


def faults(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(as_json(tomllib.loads(text)))]


def test_the_schema_that_ships_is_the_one_that_the_reader_and_the_vocabulary_make() -> None:
    assert ledger.schema() == ledger_schema.written(), "write it anew: .venv/bin/python tests/ledger_schema.py"


def test_the_schema_is_one() -> None:
    Draft7Validator.check_schema(SCHEMA)


def test_every_key_that_the_reader_knows_is_there_and_no_other() -> None:
    entry = {
        name: SCHEMA["properties"][name]["items"]["properties"] for name in ("ruling", "penalty", "fouled", "carry")
    }
    found = {
        "_FILE_KEYS": SCHEMA["properties"],
        "_DEFAULTS": SCHEMA["properties"]["default"]["properties"],
        "_RULING_KEYS": entry["ruling"],
        "_GROUND_KEYS": entry["ruling"]["ground"]["items"]["properties"],
        "LOCATION": entry["ruling"]["results"]["items"]["properties"],
        "_PENALTY_KEYS": entry["penalty"],
        "_FOULED_KEYS": entry["fouled"],
        "_CARRY_KEYS": entry["carry"],
        "_CONTEST_KEYS": SCHEMA["properties"]["contest"]["properties"],
    }
    assert {name: set(keys) for name, keys in found.items()} == {name: set(getattr(ledger, name)) for name in found}
    assert entry["ruling"]["stage"]["enum"] == list(ledger._STAGES)
    assert entry["ruling"]["state"]["enum"] == entry["penalty"]["state"]["enum"] == list(ledger._STATES)
    assert entry["penalty"]["kind"]["enum"] == list(ledger._PENALTY_KINDS)
    assert entry["penalty"]["scope"]["enum"] == list(ledger._SCOPES)


def described(schema: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    """Every property with whether it is described; what only narrows one that is described elsewhere is left out."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                for name, each in value.items():
                    yield f"{path}/{name}", "description" in each
                    yield from described(each, f"{path}/{name}")
            elif key == "items":
                yield from described(value, path)
            elif key == "anyOf":
                for each in value:
                    yield from described(each, path) if "description" in each else ()


def test_every_key_says_what_it_is() -> None:
    assert [path for path, is_so in described(SCHEMA) if not is_so] == []
    assert len(list(described(SCHEMA))) > 150


@pytest.mark.parametrize("path", GOOD, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_rulings_file_that_can_be_read_is_right_to_the_editor_too(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", [path for path in BROKEN if path.stem not in UNSEEN], ids=lambda path: path.stem)
def test_a_rulings_file_with_a_mistake_is_wrong_to_the_editor_too(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [path for path in BROKEN if path.stem in UNSEEN], ids=lambda path: path.stem)
def test_what_is_no_matter_of_form_is_left_to_the_reader(path: Path) -> None:
    assert ledger.read([("it.toml", path.read_bytes())]).problems
    with contextlib.suppress(ValueError):  # no text, or no TOML: the editor says so without a schema
        assert faults(path.read_text(encoding="utf-8")) == []


DECISIONS = vocabulary().decisions
HEAD = "format = 1\n"


@settings(deadline=None, max_examples=60)
@given(_RULINGS)
def test_every_entry_that_is_written_is_right_to_the_editor(ruling: Ruling) -> None:
    # Words of decisions are checked when the ruling is, not when the file is read.
    kept = tuple(Ground(laws=("73F",), finding=ground.finding, poll=ground.poll) for ground in ruling.grounds)
    written = ledger.entry(Ruling(**{**{key: getattr(ruling, key) for key in ruling.__slots__}, "grounds": kept}))
    assert faults(HEAD + written) == []


@pytest.mark.parametrize("name", DECISIONS)
def test_the_facts_of_a_decision_are_known_and_those_of_others_are_not(name: str) -> None:
    decision = DECISIONS[name]
    values = {fact.name: 40 if fact.number else fact.values[-1] for fact in decision.facts.values()}
    entry = Ruling("1", ({"board": "7"},), (Ground(name, values),))
    assert faults(HEAD + ledger.entry(entry)) == []
    for wrong in ({next(iter(values)): "no word of it"}, {**values, "no-fact": "yes"}):
        assert faults(HEAD + ledger.entry(Ruling("1", ({"board": "7"},), (Ground(name, wrong),))))
    for derived in decision.derived:
        assert faults(HEAD + ledger.entry(Ruling("1", ({"board": "7"},), (Ground(name, {derived: "proper"}),))))


def test_an_unknown_decision_is_wrong_to_the_editor() -> None:
    assert faults(HEAD + ledger.entry(Ruling("1", ({"board": "7"},), (Ground("tempi"),))))


# The grammar of scores as a pattern


@given(_SCORES)
def test_every_score_fits_the_pattern(score: Score) -> None:
    value = score.value()
    for text in (value,) if isinstance(value, str) else ():
        assert re.search(ledger_schema.BOTH_SIDES, text)
    for side in (score.ns, score.ew):
        assert re.search(ledger_schema.ONE_SIDE, str(side))


SEEDS = (
    *("4S S =", "3ntx n +2", "1 N W -7", "pass", "Passed", "60% 4S S =, 40% 4S S -1", "1/3 2H E =,2/3 2H E +1"),
    *("A+ / A-", "a / A", "60% / 40%", "57.5 % / 42.5%", "+3 IMP / -3 IMPs", "table", "Not Played", "late / A"),
    *("cancelled / 50%", "100% pass", "2 /3 pass, 1/ 3 1C N ="),
)
NOT_FORM = ("add up to", "would be", "more than the whole board", "divides by zero", "with no weight")


def mutants(seed: str, count: int) -> Iterator[str]:
    dice = random.Random(seed)
    for _ in range(count):
        text = list(seed)
        for _ in range(dice.randint(0, 3)):
            at = dice.randrange(len(text) + 1)
            text[at : at + dice.randint(0, 2)] = dice.choice(["", " ", "/", " / ", "%", "x", "A", "9", "-1", ",", ".5"])
        yield "".join(text)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("pattern", "read"), [(ledger_schema.BOTH_SIDES, Score.parse), (ledger_schema.ONE_SIDE, Award.parse)]
)
def test_the_pattern_and_the_reader_take_the_same_scores(seed: str, pattern: str, read: Any) -> None:
    for text in mutants(seed, 400):
        try:
            read(text)
        except ValueError as error:
            right = any(part in str(error) for part in NOT_FORM)
            assert right or not re.search(pattern, text), f"{text!r} fits, but {error}"
        else:
            assert re.search(pattern, text), f"{text!r} is read, but does not fit"


@given(st.sampled_from(["4S S =", "7NTXX N -13", "pass", "5", "Room 3", "4S -1", "4S S", "= 4S S"]))
def test_what_stands_under_table_is_a_result_or_a_table_to_both(value: str) -> None:
    text = HEAD + f'[[ruling]]\nid = "1"\nboard = "7"\ntable = "{value}"\n'
    assert bool(faults(text)) == bool(ledger.read([("it.toml", text.encode())]).problems)


def test_the_first_result_alone_names_no_board() -> None:
    for value, named in (("5", True), (str(Outcome.parse("4S S =")), False)):
        text = HEAD + f'[[ruling]]\nid = "1"\ntable = "{value}"\n'
        assert bool(faults(text)) != named
        assert bool(ledger.read([("it.toml", text.encode())]).problems) != named


# Where an editor finds it


def test_a_new_rulings_file_names_the_schema_which_lies_beside_it(desk: Path) -> None:
    book = desk / "new.toml"
    words = ("rule", "session.pbn", "--rulings", str(book), "--regulations", "wbf", "--board", "1", "--ns", "1")
    done = call(*words, "--law", "73F", "--finding", "no break", "--yes")
    assert done.code == 0, done.err
    first, rest = book.read_text(encoding="utf-8").split("\n", 1)
    assert first == "#:schema screenplug-ledger.schema.json"
    assert (desk / first.split()[1]).read_bytes() == ledger.schema()
    assert faults(rest) == []
    assert ledger.read([("new.toml", book.read_bytes())]).problems == ()
