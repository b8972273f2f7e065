"""The JSON Schema of the rulings file, from the reader's own keys and the vocabulary of decisions.

``.venv/bin/python tests/ledger_schema.py`` writes ``screenplug/ledger.schema.json``; a test says when that is due. It
is meant for the help that an editor gives while typing; what is wrong across entries only the reader finds. Editors
that help with TOML know the keywords of Draft 4 (and ``if``); others are not used.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from screenplug import ledger
from screenplug.vocabulary import Fact, vocabulary

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "screenplug" / "ledger.schema.json"

Schema = dict[str, Any]

_OUTCOME = (
    r"(?:[Pp][Aa][Ss][Ss](?:[Ee][Dd])?|[1-7]\s*(?:[CDHScdhs]|[Nn][Tt]?)[Xx]{0,2}\s*[NESWnesw]\s*(?:=|[+-][0-9]{1,2}))"
)
_NUMBER = r"[0-9]{1,3}(?:\.[0-9]{1,6})?"
_PERCENT = rf"{_NUMBER}\s*%"


def _results(slash: str) -> str:
    weighted = rf"(?:{_PERCENT}|[0-9]{{1,4}}{slash}[0-9]{{1,4}})\s+{_OUTCOME}"
    return rf"(?:{_OUTCOME}|{weighted}(?:\s*,\s*{weighted})*)"


_WORDS = "|".join(
    "".join(r"\s+" if sign == " " else f"[{sign.upper()}{sign}]" for sign in word)
    for word in ("table", "not played", "late", "cancelled")
)
_SIDE = rf"(?:[Aa][+-]?|{_PERCENT}|[+-]?{_NUMBER}\s*[Ii][Mm][Pp][Ss]?|{_WORDS})"
# A slash with blanks around it parts the sides; within one side it may have them.
_OF_BOTH, _OF_ONE = _results(r"(?:\s*/|/\s*)"), _results(r"\s*/\s*")
BOTH_SIDES = rf"^\s*(?:{_OF_BOTH}|{_WORDS}|{_SIDE}\s+/\s+{_SIDE})\s*$"
ONE_SIDE = rf"^\s*(?:{_OF_ONE}|{_SIDE})\s*$"
FIRST_SCORED = rf"^\s*{_OUTCOME}\s*$"
AMOUNT = r"^\s*[0-9]+(?:\.[0-9]+)?\s?(?:%\s?[Tt][Oo][Pp]|%|[Ii][Mm][Pp][Ss]?|[Vv][Pp][Ss]?)\s*$"
CARRIED = r"^\s*-?[0-9]{1,6}(?:\.[0-9]{1,6})?\s?(?:[Mm][Pp][Ss]?|[Ii][Mm][Pp][Ss]?|[Vv][Pp][Ss]?)\s*$"
MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?)?$"
)

# What each key is, to a director. `word`: text, or a whole number as good; `text`: text.
_LOCATION = {
    "event": "The event as the file names it, where the file has more than one.",
    "session": "The session, where the file says sessions.",
    "section": "The section.",
    "match": 'The match, home team first: "Ash-Birch".',
    "segment": "The segment of the match.",
    "round": "The round.",
    "table": 'The number of the table; or the result as it was first scored, as "4S S =", which rule writes for you.',
    "room": '"Open" or "Closed".',
    "board": "The board. Together with ns, ew, table, room ... it has to name exactly one result.",
    "game": "The game's place in the PBN file, from 1; seldom needed.",
    "ns": "The pair North-South.",
    "ew": "The pair East-West.",
    "n": "The player North, exactly as in the file.",
    "e": "The player East, exactly as in the file.",
    "s": "The player South, exactly as in the file.",
    "w": "The player West, exactly as in the file.",
}
_FORBIDS_TABLE = r"=|\s[+-]\s?[0-9]"  # meant as a result, and none


def text(about: str, **more: Any) -> Schema:
    return {"description": about, "type": "string", **more}


def word(about: str, **more: Any) -> Schema:
    return {"description": about, "type": ["string", "integer"], **more}


def filled(about: str) -> Schema:
    return word(about, pattern=r"\S")


def choice(about: str, words: tuple[str, ...], default: str = "") -> Schema:
    return text(about, enum=list(words), **({"default": default} if default else {}))


def named(about: str, known: dict[str, str]) -> Schema:
    """One of the documents that ship, each offered with its title, or one of the user's own."""
    offered = [{"enum": [id], "description": title} for id, title in known.items()]
    return {"description": about, "anyOf": [*offered, {"type": ["string", "integer"]}]}


def texts(about: str, **items: Any) -> Schema:
    return {"description": about, "type": "array", "items": {"type": "string", **items}}


def table(about: str, properties: Schema, **more: Any) -> Schema:
    return {"description": about, "type": "object", "properties": properties, "additionalProperties": False, **more}


def words_with_texts(about: str) -> Schema:
    return {"description": about, "type": "object", "additionalProperties": {"type": "string"}}


def moment(about: str) -> Schema:
    # An editor tells a date from a text, and knows the kinds of date by their formats.
    kinds = [{"type": "string", "format": kind} for kind in ("date-time", "date-time-local", "date")]
    return {"description": about, "anyOf": [*kinds, {"type": "string", "pattern": MOMENT}]}


def documents(folder: str) -> dict[str, str]:
    found = {}
    for path in sorted((ROOT / "hooks" / "screenplug_hooks" / folder).glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        found[document["id"]] = document["title"]
    return found


def schema() -> Schema:
    laws = documents("laws")
    editions = {id: title for id, title in laws.items() if id.startswith("laws-")}
    common = {
        "regulations": named("The screen regulations the ruling is made under.", laws),
        "laws": named(
            "The edition of the Laws underneath; left out: the one in force on the date of the board.", editions
        ),
        "policy": named("The scoring policy: rounding, incomplete boards.", documents("policies")),
        "session": word(_LOCATION["session"]),
        "director": word("Who ruled. Stays in this file, unless records are written with --detail full."),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Rulings of screenplug",
        "description": "A rulings file is only ever added to: a later entry supersedes an earlier one.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "format": {"description": "The version of this format.", "enum": [ledger.FORMAT]},
            "prefix": text("What the ids of this file begin with, so that two directors never use the same one."),
            "default": table("Holds for every entry that does not say otherwise.", common),
            "readings": words_with_texts(
                'Your choice where a text can be read in two ways, as "pzbs/16.10b" = "out-of-turn-card"; laws show '
                "lists them."
            ),
            "ruling": entries("Rulings, in the order in which they were made.", ruling(common)),
            "penalty": entries("Penalties: on a contestant, never on a board.", penalty()),
            "fouled": entries("Boards that were not the same at every table (Law 87).", fouled()),
            "contest": table(
                "How the event is decided.",
                {
                    "vp": word("The scale of victory points."),
                    "knock-out": {"description": "Whether its matches are knock-outs.", "type": "boolean"},
                },
            ),
            "carry": entries("What a contestant brings from an earlier stage.", carry()),
        },
    }


def entries(about: str, items: Schema) -> Schema:
    return {"description": about, "type": "array", "items": items}


def ruling(common: Schema) -> Schema:
    location = {key: filled(about) for key, about in _LOCATION.items()}
    location["session"] = word(_LOCATION["session"])
    location["table"]["anyOf"] = [
        {"type": "integer"},
        {"pattern": FIRST_SCORED},
        {"not": {"pattern": _FORBIDS_TABLE}},
    ]
    among = {key: filled(about) for key, about in _LOCATION.items() if key != "table"}
    among["table"] = filled("The number of the table.")
    keys = {
        "id": identity(),
        **location,
        "results": {
            "description": "Several results, each with the keys that name it; [] for a matter without a board.",
            "type": "array",
            "items": table("One result.", among, minProperties=1),
        },
        **common,
        "screens": {
            "description": "false: the screen regulations do not apply, the Laws alone do.",
            "type": "boolean",
            "default": True,
        },
        "score": {
            "description": "What the two sides get. Left out: the ruling does not change the score.",
            "anyOf": [
                text(
                    'For both sides: "4S S -1", "60% 4S S =, 40% 4S S -1", "2/3 pass, 1/3 1NT N =". North-South / '
                    'East-West: "A+ / A-" (by the law), "60% / 40%" (fixed), "+3 IMP / -3 IMP". Or "table" (stands), '
                    '"not played", "late" (will be played), "cancelled".',
                    pattern=BOTH_SIDES,
                ),
                table(
                    "A score that differs between the sides.",
                    {
                        "ns": text('North-South\'s score, as "4S S -1" or "A-".', pattern=ONE_SIDE),
                        "ew": text('East-West\'s score, as "4S S =" or "A+".', pattern=ONE_SIDE),
                    },
                    required=["ns", "ew"],
                ),
            ],
        },
        "stage": choice("Who decided: at the table, on review, on appeal.", ("table", "review", "appeal"), "table"),
        "state": choice(
            "pending: an average for now or no score yet; provisional: counts, may change; withdrawn: does not count.",
            ("pending", "provisional", "final", "withdrawn"),
            "final",
        ),
        "at": moment("When, as 2026-11-30T20:15:00+01:00."),
        "supersedes": text("The id of the ruling that this one takes the place of, after a review or an appeal."),
        "without-error": words_with_texts("By ns or ew: the result without the side's own error (Law 12C1)."),
        "override": text("Why an award is given that this edition does not allow."),
        "note": text("Published word for word, but for --detail public: no names, no statements."),
        "private": text("Stays in this file and on the appeal form."),
        "readings": words_with_texts("As [readings], for this ruling alone."),
        "ground": entries("What the ruling rests on, in the order decided. None: the reason comes later.", ground()),
    }
    no_results = {"properties": {"results": {"maxItems": 0}}, "required": ["results"]}
    names = [key for key in ledger.LOCATION if key not in ("session", "table")]
    number = {"properties": {"table": {"not": {"type": "string", "pattern": FIRST_SCORED}}}, "required": ["table"]}
    return table(
        "One ruling.",
        keys,
        required=["id"],
        # It names a result, or says that there is none; a score is for a result.
        anyOf=[{"required": ["results"]}, *({"required": [name]} for name in names), number],
        allOf=[
            {"not": {**no_results, "required": ["results", "score"]}},
            {"not": {"allOf": [no_results, {"anyOf": [*({"required": [name]} for name in names), number]}]}},
        ],
    )


def identity() -> Schema:
    about = "Its id, never used twice, not even in another file; it is the one thing of this entry shown on the board."
    return text(about, pattern=ledger._ID.pattern.join("^$"))


def ground() -> Schema:
    decisions = vocabulary().decisions.values()
    allowed = [{"enum": [each.name], "description": f"{each.title} (Laws {each.laws})"} for each in decisions]
    facts: Schema = {}
    for each in decisions:
        for fact in each.facts.values():
            facts.setdefault(fact.name, []).append((each.title, fact))
    keys = {
        "decision": {"description": "Which question of the Laws was decided.", "type": "string", "anyOf": allowed},
        "facts": {
            "description": "What happened. Leave out what is not established.",
            "type": "object",
            "properties": {name: anywhere(found) for name, found in facts.items()},
            "additionalProperties": {"type": ["string", "integer"]},
        },
        "said": words_with_texts('Who said what, by seat, as { N = "no break" }. Never published.'),
        "disputed": texts("The facts that the sides do not agree on. Never published."),
        "poll": text('Who was asked, and the answers, as "6 asked: 4 pass, 2 bid". Never published.'),
        "laws": texts('The Laws it rests on, where no table decides: ["73F"].'),
        "finding": text("What was found, in words, where no table decides."),
    }
    by_decision = [
        {
            "if": {"properties": {"decision": {"enum": [each.name]}}, "required": ["decision"]},
            "then": {
                "properties": {
                    "facts": {
                        "properties": {name: of(fact) for name, fact in each.facts.items()},
                        "additionalProperties": False,
                    }
                }
            },
        }
        for each in decisions
    ]
    something = {
        "decision": {"pattern": r"\S"},
        "laws": {"minItems": 1},
        "finding": {"pattern": r"\S"},
    }
    return table(
        "One decision with the facts that it rests on; or, for what no table decides, laws and a finding.",
        keys,
        anyOf=[{"required": [key], "properties": {key: limit}} for key, limit in something.items()],
        dependencies={"facts": ["decision"]},
        allOf=by_decision,
    )


def of(fact: Fact) -> Schema:
    if fact.number:
        return {
            "description": fact.ask,
            "anyOf": [{"type": "integer", "minimum": 0}, {"pattern": "^[0-9]+$"}],
            "type": ["integer", "string"],
        }
    return {"description": fact.ask, "enum": list(fact.values)}


def anywhere(found: list[tuple[str, Fact]]) -> Schema:
    """A fact as it may be in any decision that has it, for editors that do not look at which one it is."""
    asked = dict.fromkeys(fact.ask for _, fact in found)
    if any(fact.number for _, fact in found):
        return {**of(found[0][1]), "description": " / ".join(asked)}
    about = next(iter(asked)) if len(asked) == 1 else " / ".join(f"{title}: {fact.ask}" for title, fact in found)
    return {"description": about, "enum": list(dict.fromkeys(value for _, fact in found for value in fact.values))}


def penalty() -> Schema:
    keys = {
        "id": identity(),
        "contestant": filled("The pair, team or player."),
        "kind": choice("A warning costs nothing.", ("warning", "procedural", "disciplinary")),
        "amount": text('What it costs: "25% top" (of the top of a board), "3 IMP", "0.5 VP", "10%".', pattern=AMOUNT),
        "laws": texts('The Laws, as ["90B2"].'),
        "scope": choice("What it is taken off.", ("match", "session", "event"), "session"),
        "direction": choice("Which of two pairs with one number.", ("NS", "EW")),
        "match": filled('The match that it comes off, where a team plays several: "Ash-Birch".'),
        "session": word("The session that it takes a percentage of, where the file has several."),
        "supersedes": text("The id of the penalty that this one takes the place of."),
        "state": choice("As of a ruling.", ("pending", "provisional", "final", "withdrawn"), "final"),
        "at": moment("When."),
        "note": text("Published word for word, but for --detail public: no names, no statements."),
        "private": text("Stays in this file."),
    }
    costs = {"properties": {"kind": {"enum": ["procedural", "disciplinary"]}}, "required": ["amount"]}
    free = {"properties": {"kind": {"enum": ["warning"]}}, "not": {"required": ["amount"]}}
    return table("One penalty.", keys, required=["id", "contestant", "kind"], anyOf=[costs, free])


def fouled() -> Schema:
    groups = {
        "description": 'The results that had the same cards, as [["1-9", "2-10"], ["3-11"]].',
        "type": "array",
        "minItems": 2,
        "items": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": r"^[^\s-]+-[^\s-]+$"}},
    }
    where = {key: filled(_LOCATION[key]) for key in ("event", "session", "section")}
    return table("One board.", {"board": filled("The board."), **where, "groups": groups}, required=["board", "groups"])


def carry() -> Schema:
    keys = {
        "contestant": filled("The pair, team or player."),
        "amount": text('What it brings: "12.5 VP", "30 MP", "-5 IMP".', pattern=CARRIED),
        "direction": choice("Which of two pairs with one number.", ("NS", "EW")),
    }
    return table("One contestant.", keys, required=["contestant", "amount"])


def written() -> bytes:
    return (json.dumps(schema(), indent=1, ensure_ascii=True) + "\n").encode("ascii")


if __name__ == "__main__":
    TARGET.write_bytes(written())
