"""The Laws and screen regulations as tables: load and check them, decide, ask the next fact, audit, explain.

A *document* is one TOML file: an edition of the Laws, a screen regulation that stands on editions, or a club's overlay
on a regulation. ``load`` checks documents, ``Library.code`` puts one on an edition, ``Code.decide`` answers.

How an answer is found: rules that fit the facts form a forest (an exception hangs under what it is an exception to);
for each outcome field the deepest live rules that state it speak. Rules are bits of whole numbers, so that each fact
costs one ``and``. A missing fact leaves two sets, rules that certainly fit and rules that may; only where these leave
a field open are the fact's values tried one by one.
"""

from __future__ import annotations

import datetime
import difflib
import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from itertools import product
from types import MappingProxyType
from typing import Any, Literal

from screenplug.model import EMPTY, Facts, Refused

Status = Literal["decided", "open", "gap", "conflict"]

# --------------------------------------------------------------------------------------------------- vocabulary


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: its values (none for a number), the Director's question, why it may be out of place."""

    name: str
    ask: str
    values: tuple[str, ...] = ()
    number: bool = False
    absent: str = ""


@dataclass(frozen=True, slots=True)
class Derived:
    """A fact that is worked out from others; ``impossible`` is said when they cannot go together."""

    name: str
    sources: tuple[str, ...]
    values: tuple[str, ...]
    impossible: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One question to the Laws: facts in the order in which a director finds them out, outcome fields with their words.

    ``when`` says for which values of other facts a fact applies; ``impossible`` are combinations that cannot be, with
    the reason; a field in ``references`` holds the number of a Law in free text.
    """

    name: str
    title: str
    laws: str
    facts: Mapping[str, Fact]
    derived: Mapping[str, Derived]
    optional: tuple[str, ...]
    when: Mapping[str, Mapping[str, tuple[str, ...]]]
    impossible: tuple[tuple[Mapping[str, tuple[str, ...]], str], ...]
    outcome: Mapping[str, tuple[str, ...]]
    references: frozenset[str]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All decisions, the triage list, and the wording for people."""

    decisions: Mapping[str, Decision]
    triage: tuple[tuple[str, tuple[str, ...]], ...]
    words: Mapping[str, str]
    say: Mapping[str, Mapping[str, Mapping[str, str]]]

    def sentence(self, decision: str, name: str, value: str) -> str:
        """What an outcome field's value says to a director."""
        for scope in (decision, "common"):
            sentences = self.say.get(scope, {}).get(name, {})
            if text := sentences.get(value, sentences.get("*", "")):
                return text.replace("{value}", value)
        return f"{_plain(name)}: {_plain(value)}."


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The vocabulary that ships, read once."""
    raw = tomllib.loads(resources.files("screenplug").joinpath("vocabulary.toml").read_text(encoding="utf-8"))
    derived = {
        name: Derived(name, tuple(entry["from"]), tuple(entry["values"]), entry["impossible"])
        for name, entry in raw["derived"].items()
    }
    return Vocabulary(
        decisions={name: _decision(name, entry, raw["fact"], derived) for name, entry in raw["decision"].items()},
        triage=tuple((entry["title"], tuple(entry["decisions"])) for entry in raw["triage"]),
        words=raw["words"],
        say=raw["say"],
    )


def _decision(name: str, entry: dict[str, Any], shared: dict[str, Any], derived: Mapping[str, Derived]) -> Decision:
    own = entry.get("fact", {})
    facts = {}
    for fact in entry["facts"]:
        words = {**shared.get(fact, {}), **own.get(fact, {})}
        number = words.get("number", False)
        facts[fact] = Fact(fact, words["ask"], tuple(words.get("values", ())), number, words.get("absent", ""))
    return Decision(
        name=name,
        title=entry["title"],
        laws=entry["laws"],
        facts=facts,
        derived={key: each for key, each in derived.items() if set(each.sources) <= set(facts)},
        optional=tuple(entry.get("optional", ())),
        when={fact: _lists(clauses) for fact, clauses in entry.get("when", {}).items()},
        impossible=tuple((_lists(each["when"]), each["because"]) for each in entry.get("impossible", ())),
        outcome={key: () if words == "reference" else tuple(words) for key, words in entry["outcome"].items()},
        references=frozenset(key for key, words in entry["outcome"].items() if words == "reference"),
    )


def _lists(clauses: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {key: tuple(value) if isinstance(value, list) else (value,) for key, value in clauses.items()}


# Facts from facts. Each gives None where the combination cannot be.

SCREENMATE = {"N": "E", "E": "N", "S": "W", "W": "S"}
PARTNER = {"N": "S", "S": "N", "E": "W", "W": "E"}


def mover(offender: str, moved_by: str) -> str | None:
    """Who moved the tray, seen from the offender: N and S are the players whose office it is."""
    if moved_by not in (offender, SCREENMATE[offender]):
        return None
    if moved_by in "NS":
        return "proper"
    return "offender" if moved_by == offender else "opponent"


def caller(attention_by: str, slow_side: str) -> str | None:
    """On which side of the screen attention to the tempo was drawn."""
    if attention_by == "nobody" or slow_side == "unknown":
        return "unclear"
    return "slow-side" if attention_by in slow_side else "receiving-side"


def owner(dummy: str, card_owner: str) -> str | None:
    """Where the defender whose card it is sits, seen from dummy."""
    if card_owner in (dummy, PARTNER[dummy]):
        return None
    return "screenmate" if card_owner == SCREENMATE[dummy] else "across"


def raiser(raised_by: str, declarer: str, leader: str) -> str | None:
    """Who raised the screen, by his part in the play."""
    if leader in (declarer, PARTNER[declarer]):
        return None
    parts = {declarer: "declarer", PARTNER[declarer]: "dummy", leader: "leader", PARTNER[leader]: "leaders-partner"}
    return parts[raised_by]


_DERIVATIONS: Mapping[str, Callable[..., str | None]] = MappingProxyType(
    {"mover": mover, "caller": caller, "owner": owner, "raiser": raiser}
)


def _plain(word: str) -> str:
    return word.replace("-", " ")


def _nearest(word: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` or the whole list when nothing is near and the list is short."""
    words = sorted(known)
    near = difflib.get_close_matches(word, words, 1, 0.5)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; known: {', '.join(words)}" if 0 < len(words) <= 12 else ""


# --------------------------------------------------------------------------------------------------- documents

Checked = Literal["text", "restated"]


@dataclass(frozen=True, slots=True)
class Value:
    """A cited number or role of a document."""

    id: str
    document: str
    value: int | str
    cites: tuple[str, ...]
    checked: str
    statements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Procedure:
    """A cited sentence that decides nothing."""

    id: str
    document: str
    says: str
    cites: tuple[str, ...]
    checked: str
    statements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: when these facts, then these outcome fields, by these articles.

    ``then`` maps fields to words, ``base`` or ``gap``; ``whole`` is ``base`` or ``gap`` for all fields at once;
    ``as_if`` replaces facts and asks the decision again.
    """

    id: str
    document: str
    decides: str
    when: Mapping[str, tuple[str | int, ...]]
    then: Mapping[str, str]
    whole: str
    as_if: Mapping[str, str | int]
    cites: tuple[str, ...]
    checked: str
    statements: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    replaces: str = ""
    reading: str = ""
    word: str = ""
    on: tuple[str, ...] = ()
    next: str = ""
    hand_over: tuple[tuple[str, str | int], ...] = ()

    @property
    def key(self) -> str:
        """Document and id."""
        return f"{self.document}/{self.id}"


@dataclass(frozen=True, slots=True)
class Absent:
    """An article slot that an edition does not have, with the slots that stand in its place."""

    slot: str
    see: tuple[str, ...]
    cites: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Repeal:
    """What a document takes out of what it extends."""

    rule: str
    cites: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """One law document as written, before it is put on an edition."""

    id: str
    title: str
    file: str
    revision: str
    source: str
    stands_on: tuple[str, ...] = ()
    extends: str = ""
    displaces: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    values: tuple[Value, ...] = ()
    procedures: tuple[Procedure, ...] = ()
    absent: tuple[Absent, ...] = ()
    repeals: tuple[Repeal, ...] = ()
    sound: bool = True

    def covers(self, rule: str) -> bool:
        """Whether a base rule's Law is one for which this document lays down its own procedure."""
        number = int(match[0]) if (match := re.match(r"\d+", rule)) else -1
        for each in self.displaces:
            first, _, last = each.partition("-")
            if int(first) <= number <= int(last or first):
                return True
        return False


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        "text": ("a text in quotes", lambda value: isinstance(value, str) and bool(value.strip())),
        "list": ("a list of texts", lambda value: isinstance(value, list) and all(_KINDS["text"][1](x) for x in value)),
        "texts": ("a text or a list of texts", lambda value: _KINDS["text"][1](value) or _KINDS["list"][1](value)),
        "date": ("a date such as 2026-12-01", lambda value: type(value) is datetime.date),
        "table": ("a table { key = value }", lambda value: isinstance(value, dict)),
        "then": ('a table { field = "word" }, "base" or "gap"', lambda value: value in ("base", "gap") or bool(value) and isinstance(value, dict)),
        "tables": ("tables [[...]]", lambda value: isinstance(value, list) and all(isinstance(x, dict) for x in value)),
        "scalar": ("a whole number or a text", lambda value: type(value) is int or _KINDS["text"][1](value)),
        "checked": ('"text" or "restated"', lambda value: value in ("text", "restated")),
    }
)
# kind of each key; "!" where it is required
_SHAPES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "document": dict(
            kind="text!", id="text!", title="text", revision="date!", source="text!", extends="text", displaces="list",
            value="tables", procedure="tables", absent="tables", repeal="tables", rule="tables", **{"stands-on": "list"},
        ),
        "value": {"id": "text!", "is": "scalar!", "cites": "texts!", "checked": "checked!", "statements": "list"},
        "procedure": dict(id="text!", says="text!", cites="texts!", checked="checked!", statements="list"),
        "absent": dict(slot="text!", see="list", cites="texts!", reason="text!"),
        "repeal": dict(rule="text!", cites="texts!", reason="text!"),
        "rule": {
            **dict(id="text!", decides="text!", when="table", then="then!", cites="texts!", checked="checked!"),
            **dict(statements="list", replaces="text", reading="text", on="list", next="text"),
            **{"except": "texts", "hand-over": "table"},
        },
    }
)
_MISSING = {"cites": 'no citation; add cites = "the article it rests on"'}
_COMPARISON = re.compile(r"(<=|>=|<|>|=) *(\S+)")


class _Reader:
    """Reads one file, collecting what is wrong with it; each sentence names file and entry."""

    def __init__(self, file: str, faults: list[str]) -> None:
        self.file, self.faults, self.start = file, faults, len(faults)

    def wrong(self, place: str, text: str) -> None:
        self.faults.append(f"{self.file}: {place}: {text}" if place else f"{self.file}: {text}")

    def shaped(self, entry: Mapping[str, Any], kind: str, place: str) -> bool:
        """Whether the entry has the keys and kinds of values that it needs and no others."""
        shape, before = _SHAPES[kind], len(self.faults)
        for key, value in entry.items():
            if key not in shape:
                self.wrong(place, f"unknown key {key!r}{_nearest(key, shape)}")
            elif key == "cites" and not value:
                self.wrong(place, _MISSING["cites"])
            elif not (wanted := _KINDS[shape[key].rstrip("!")])[1](value):
                self.wrong(place, f"{key} = {value!r} is of the wrong type: {wanted[0]} is wanted")
        for key, wanted_kind in shape.items():
            if wanted_kind.endswith("!") and key not in entry:
                self.wrong(place, _MISSING.get(key, f"{key} is missing: {_KINDS[wanted_kind[:-1]][0]} is wanted"))
        return len(self.faults) == before

    def entries(self, raw: Mapping[str, Any], kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The sound entries of one kind with the words that name them; an id twice is a fault."""
        seen = set()
        found = raw.get(kind, [])
        for number, entry in enumerate(found if _KINDS["tables"][1](found) else [], 1):
            name = next((entry[key] for key in ("id", "slot", "rule") if isinstance(entry.get(key), str)), str(number))
            place = f"{kind} {name}"
            if name in seen:
                self.wrong(place, "this id is used twice")
            elif self.shaped(entry, kind, place):
                yield place, entry
            seen.add(name)

    def document(self, data: bytes) -> Document | None:
        try:
            raw = tomllib.loads(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return self.wrong("", "not UTF-8; save the file as UTF-8")
        except tomllib.TOMLDecodeError as problem:
            return self.wrong("", f"not TOML: {problem}")
        if raw.get("kind") == "policy":
            return None
        if raw.get("kind") != "laws":
            return self.wrong("", f'kind = {raw.get("kind")!r}; a law document has kind = "laws"')
        self.shaped(raw, "document", "")
        shape = _SHAPES["document"]
        raw = {key: value for key, value in raw.items() if key in shape and _KINDS[shape[key].rstrip("!")][1](value)}
        if "id" not in raw:
            return None
        for each in raw.get("displaces", ()):
            if not re.fullmatch(r"\d+(-\d+)?", each):
                self.wrong("", f"displaces {each!r} is no number or range of Laws, as 34 or 25-32")
        if "/" in raw["id"]:
            self.wrong("", f"id {raw['id']!r} holds a slash; a slash stands between document and rule")
        name = raw["id"]
        rules = tuple(filter(None, (self.rule(name, place, entry) for place, entry in self.entries(raw, "rule"))))
        return Document(
            id=name,
            title=raw.get("title", name),
            file=self.file,
            revision=str(raw.get("revision", "")),
            source=raw.get("source", ""),
            stands_on=tuple(raw.get("stands-on", ())),
            extends=raw.get("extends", ""),
            displaces=tuple(each for each in raw.get("displaces", ()) if re.fullmatch(r"\d+(-\d+)?", each)),
            rules=rules,
            values=tuple(
                Value(entry["id"], name, entry["is"], _texts(entry["cites"]), entry["checked"], _texts(entry.get("statements", [])))
                for _, entry in self.entries(raw, "value")
            ),
            procedures=tuple(
                Procedure(entry["id"], name, entry["says"], _texts(entry["cites"]), entry["checked"], _texts(entry.get("statements", [])))
                for _, entry in self.entries(raw, "procedure")
            ),
            absent=tuple(
                Absent(entry["slot"], _texts(entry.get("see", [])), _texts(entry["cites"]), entry["reason"])
                for _, entry in self.entries(raw, "absent")
            ),
            repeals=tuple(
                Repeal(entry["rule"], _texts(entry["cites"]), entry["reason"]) for _, entry in self.entries(raw, "repeal")
            ),
            sound=len(self.faults) == self.start,
        )

    def rule(self, document: str, place: str, entry: dict[str, Any]) -> Rule | None:
        known = vocabulary().decisions
        decision = known.get(entry["decides"])
        if decision is None:
            return self.wrong(place, f"unknown decision {entry['decides']!r}{_nearest(entry['decides'], known)}")
        when = _lists(entry.get("when", {}))
        then, whole, as_if = entry["then"], "", {}
        if isinstance(then, str):
            then, whole = {}, then
        elif "as-if" in then:
            as_if = then["as-if"]
            if len(then) > 1 or not isinstance(as_if, dict):
                return self.wrong(place, "as-if replaces facts for the whole decision and stands alone: { as-if = { fact = \"value\" } }")
            then = {}
        before = len(self.faults)
        self.conditions(decision, when, place, derived=True)
        self.conditions(decision, _lists(as_if), place, derived=False)
        for name, word in then.items():
            self.outcome(decision, name, word, place)
        key, _, word = entry.get("reading", "").partition("=")
        if "reading" in entry and not (key.strip() and word.strip()):
            self.wrong(place, f'reading = {entry["reading"]!r} is not of the form "KEY=WORD"')
        hand_over = entry.get("hand-over", {})
        if "next" in entry and entry["next"] not in known:
            self.wrong(place, f"unknown decision {entry['next']!r}{_nearest(entry['next'], known)}")
        elif "next" in entry:
            self.conditions(known[entry["next"]], _lists(hand_over), place, derived=False)
        elif hand_over:
            self.wrong(place, "hand-over without next: name the decision that goes on")
        if len(self.faults) > before:
            return None
        return Rule(
            id=entry["id"],
            document=document,
            decides=entry["decides"],
            when=MappingProxyType(when),
            then=MappingProxyType(then),
            whole=whole,
            as_if=MappingProxyType(as_if),
            cites=_texts(entry["cites"]),
            checked=entry["checked"],
            statements=_texts(entry.get("statements", [])),
            exceptions=_texts(entry.get("except", [])),
            replaces=entry.get("replaces", ""),
            reading=key.strip(),
            word=word.strip(),
            on=_texts(entry.get("on", [])),
            next=entry.get("next", ""),
            hand_over=tuple(hand_over.items()),
        )

    def conditions(self, decision: Decision, when: Mapping[str, tuple[Any, ...]], place: str, *, derived: bool) -> None:
        for name, words in when.items():
            fact = decision.facts.get(name) or (decision.derived.get(name) if derived else None)
            if fact is None:
                known = [*decision.facts, *(decision.derived if derived else ())]
                self.wrong(place, f"unknown fact {name!r} in {decision.name}{_nearest(name, known)}")
                continue
            for word in words:
                if isinstance(fact, Fact) and fact.number:
                    if not (type(word) is int or isinstance(word, str) and _COMPARISON.fullmatch(word)):
                        self.wrong(place, f'{name} = {word!r} is of the wrong type: a number or a comparison such as "> 15" is wanted')
                elif not isinstance(word, str):
                    self.wrong(place, f"{name} = {word!r} is of the wrong type: a word in quotes is wanted")
                elif word not in fact.values:
                    self.wrong(place, f"unknown value {word!r} of {name}{_nearest(word, fact.values)}")

    def outcome(self, decision: Decision, name: str, word: Any, place: str) -> None:
        if name not in decision.outcome:
            self.wrong(place, f"unknown outcome field {name!r} of {decision.name}{_nearest(name, decision.outcome)}")
        elif not isinstance(word, str):
            self.wrong(place, f"{name} = {word!r} is of the wrong type: a word in quotes is wanted")
        elif name not in decision.references and word not in (known := (*decision.outcome[name], "base", "gap")):
            self.wrong(place, f"unknown outcome word {word!r} of {name}{_nearest(word, known)}")


def _texts(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def load(documents: Iterable[tuple[str, bytes]]) -> Library:
    """Read and check law documents, each given as (name for messages, TOML bytes); scoring policies are passed over.

    Raises Refused with everything that is wrong, a line each, naming file and rule.
    """
    faults: list[str] = []
    found: dict[str, Document] = {}
    for file, data in documents:
        document = _Reader(file, faults).document(data)
        if document is None:
            continue
        if document.id in found:
            faults.append(f"{file}: document {document.id} is already in {found[document.id].file}; give it another id")
        else:
            found[document.id] = document
    library = Library(found)
    faults.extend(library._links())
    faults.extend(library._faults())
    if faults:
        raise Refused("\n".join(dict.fromkeys(faults)))
    return library


# ------------------------------------------------------------------------------------------- a document on an edition


@dataclass(slots=True)
class _Pool:
    """The rules that hold when a chain of documents (oldest first) is put together for one edition."""

    rules: dict[str, Rule]
    parents: dict[str, frozenset[str]]
    values: dict[str, Value]
    procedures: dict[str, Procedure]


def _slot(keys: Iterable[str], slot: str) -> list[str]:
    """The rules in a slot: those with this id, or with an id that goes on after a slash."""
    return [key for key in keys if (name := key.partition("/")[2]) == slot or name.startswith(f"{slot}/")]


class _Assembly:
    """Puts a chain of documents together: repeals, replacements, absent slots, exceptions."""

    def __init__(self, chain: Sequence[Document], edition: str, faults: list[str]) -> None:
        self.edition, self.faults = edition, faults
        self.rules: dict[str, Rule] = {}
        self.every: dict[str, Rule] = {}
        self.heirs: dict[str, list[str]] = {}
        self.scopes: dict[str, list[tuple[str, str]]] = {}
        self.absent: dict[str, Absent] = {}
        self.before: dict[str, list[str]] = {}
        self.values: dict[str, Value] = {}
        self.procedures: dict[str, Procedure] = {}
        self.files = {document.id: document.file for document in chain}
        for document in chain:
            self.add(document)
        self.parents = {key: above for key in self.rules if (above := self.hang(key))}
        self.circles()

    def wrong(self, rule: Rule, text: str) -> None:
        self.faults.append(f"{self.files[rule.document]}: rule {rule.id}: {text}")

    def add(self, document: Document) -> None:
        self.before[document.id] = list(self.every)
        for gone in document.absent:
            self.absent[gone.slot] = gone
            for key in _slot(list(self.rules), gone.slot):
                del self.rules[key]
        for repeal in document.repeals:
            keys = _slot(list(self.rules), repeal.rule)
            for key in keys:
                del self.rules[key]
                self.heirs[key] = []
            known = [self.values.pop(repeal.rule, None), self.procedures.pop(repeal.rule, None)]
            if not keys and known == [None, None]:
                ids = [rule.id for rule in self.every.values()] + list(self.values) + list(self.procedures)
                self.faults.append(f"{document.file}: repeal {repeal.rule}: there is no such rule to repeal{_nearest(repeal.rule, ids)}")
        self.values |= {value.id: value for value in document.values}
        self.procedures |= {procedure.id: procedure for procedure in document.procedures}
        inherited = {rule.id: key for key, rule in self.rules.items()}
        own = {rule.id: rule for rule in document.rules}
        for rule in document.rules:
            self.every[rule.key] = rule
            if not self.applies(rule, own):
                continue
            old = _slot([key for key in self.before[document.id] if key in self.rules], rule.replaces) if rule.replaces else []
            self.scopes[rule.key] = [(document.id, name) for name in rule.exceptions] or [
                scope for key in old for scope in self.scopes[key]
            ]
            for key in old:
                del self.rules[key]
                self.heirs[key] = [rule.key]
            if rule.replaces and not old and not self.lacks(rule.replaces):
                ids = [self.every[key].id for key in self.before[document.id]]
                self.wrong(rule, f"replaces {rule.replaces!r}, which is not there{self.here}{_nearest(rule.replaces, ids)}")
            elif inherited.get(rule.id) in self.rules:
                self.wrong(rule, f"{inherited[rule.id]} has this id already; write replaces = {rule.id!r} to take its place")
            self.rules[rule.key] = rule

    def applies(self, rule: Rule, own: Mapping[str, Rule], seen: frozenset[str] = frozenset()) -> bool:
        """Whether the rule holds on this edition: not kept to others, nor an exception only to rules that are."""
        if rule.on and self.edition not in rule.on:
            return False
        names = [name for name in rule.exceptions if name not in seen]
        return not names or any(name not in own or self.applies(own[name], own, seen | {rule.id}) for name in names)

    @property
    def here(self) -> str:
        return f" on {self.edition}"

    def lacks(self, slot: str) -> Absent | None:
        """The declaration that this slot is absent from the edition."""
        return next((each for name, each in self.absent.items() if f"{slot}/".startswith(f"{name}/") or name.startswith(f"{slot}/")), None)

    def alive(self, key: str) -> set[str]:
        if key in self.rules:
            return {key}
        return {each for heir in self.heirs.get(key, ()) for each in self.alive(heir)}

    def hang(self, key: str) -> frozenset[str]:
        """The rules under which an exception hangs; none where the edition declares their slot absent."""
        rule, parents = self.rules[key], set()
        for scope, name in self.scopes[key]:
            own = f"{scope}/{name}"
            matched = [own] if own in self.every else _slot(self.before[scope], name)
            alive = {each for one in matched for each in self.alive(one)}
            gone = None if alive else self.lacks(name)
            if gone:
                alive = {each for slot in gone.see for one in _slot(self.before[scope], slot) for each in self.alive(one)}
            parents |= {each for each in alive if self.rules[each].decides == rule.decides}
            if gone or (own in self.every and own not in self.rules and own not in self.heirs):
                continue
            if not matched:
                ids = [self.every[one].id for one in self.before[scope]] + [one.id for one in self.every.values() if one.document == scope]
                self.wrong(rule, f"exception to {name!r}, which is nothing{self.here}{_nearest(name, ids)}")
            elif not alive:
                self.wrong(rule, f"exception to {name!r}, which is repealed; repeal {rule.id!r} as well")
            elif not any(self.rules[each].decides == rule.decides for each in alive):
                self.wrong(rule, f"exception to {name!r}, which decides {self.rules[min(alive)].decides}, not {rule.decides}")
        return frozenset(parents)

    def circles(self) -> None:
        rest = dict(self.parents)
        while free := [key for key, parents in rest.items() if not parents & rest.keys()]:
            for key in free:
                del rest[key]
        if rest:
            first = self.every[min(rest)]
            self.wrong(first, f"exceptions go round in a circle: {', '.join(sorted(self.every[key].id for key in rest))}")

    def pool(self) -> _Pool:
        return _Pool(self.rules, self.parents, self.values, self.procedures)


_Known = dict[str, str | int | None]
# What a field is found to say: a word, GAP (declared), SILENT (no rule), a pair for `next`, a frozenset of several of
# these (a conflict), or None where a missing fact leaves it open.
_Said = Any
GAP, SILENT, NEXT = "gap", "silent", "next"
MISSING: Any = object()


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class _View:
    """A forest over the rules of one table: the base Laws alone, or the document on them."""

    def __init__(self, parents: Sequence[int], roots: int, stating: Mapping[str, int]) -> None:
        self.parents, self.roots, self.stating = parents, roots, stating
        self.hanging = [(1 << i, above) for i, above in enumerate(parents) if above and not roots >> i & 1]
        self.below = [0] * len(parents)
        for i in reversed(range(len(parents))):
            for parent in _bits(parents[i]):
                self.below[parent] |= 1 << i | self.below[i]

    def live(self, fits: int) -> int:
        """Rules that fit and are roots or hang under a live one."""
        live = fits & self.roots
        for bit, above in self.hanging:
            if bit & fits and above & live:
                live |= bit
        return live


class _Space:
    """The facts that a decision can be asked for, as far as some are known; numbers cut into bands."""

    def __init__(self, decision: Decision, limits: Mapping[str, Sequence[int]]) -> None:
        self.decision, self.limits = decision, limits
        self.values: dict[str, tuple[str | int, ...]] = {
            name: _bands(limits.get(name, ())) if fact.number else fact.values for name, fact in decision.facts.items()
        }
        self.patterns = {
            name: [pattern for pattern, _ in decision.impossible if name in pattern] for name in decision.facts
        }
        self.feeds = {
            name: [each for each in decision.derived.values() if name in each.sources] for name in decision.facts
        }
        self.governs = {
            name: [(fact, clauses[name]) for fact, clauses in decision.when.items() if name in clauses]
            for name in decision.facts
        }

    def banded(self, name: str, value: Any) -> Any:
        """The value itself, or for a number the one that stands for its band."""
        return _band(self.limits.get(name, ()), value) if self.decision.facts[name].number and value is not None else value

    def with_fact(self, known: _Known, name: str, value: str | int | None) -> _Known:
        """The known facts and one more, with what follows from it."""
        more = {**known, name: value}
        for each in self.feeds[name]:
            if all(source in more for source in each.sources):
                more[each.name] = _derive(each, [more[source] for source in each.sources])
        return more

    def candidates(self, known: _Known, name: str) -> tuple[str | int | None, ...]:
        """The values that a fact can still have; None among them where it may be absent."""
        if name in known:
            return (known[name],)
        if (each := self.decision.derived.get(name)) is not None:
            combinations = product(*(self.candidates(known, source) for source in each.sources))
            return tuple({_derive(each, row) for row in combinations if _possible(each, row)})
        maybe_absent = False
        for other, allowed in self.decision.when.get(name, EMPTY).items():
            inside = [value in allowed for value in self.candidates(known, other)]
            if not any(inside):
                return (None,)
            maybe_absent |= not all(inside)
        values = tuple(value for value in self.values[name] if self.fits(known, name, value))
        return (*values, None) if maybe_absent else values

    def fits(self, known: _Known, name: str, value: str | int) -> bool:
        """Whether the value goes together with the known facts."""
        for pattern in self.patterns[name]:
            if value in pattern[name] and all(known.get(other) in pattern[other] for other in pattern if other != name):
                return False
        for fact, allowed in self.governs[name]:
            if known.get(fact) is not None and value not in allowed:
                return False
        for each in self.feeds[name]:
            row = [value if source == name else known.get(source) for source in each.sources]
            if None not in row and not _possible(each, row):
                return False
        return True

    def worlds(self, known: _Known, names: Sequence[str]) -> Iterator[_Known]:
        """Every complete set of facts that can be; an optional fact may also be not established."""
        if not names:
            yield known
            return
        name, rest = names[0], names[1:]
        values = self.candidates(known, name)
        if name in self.decision.optional and None not in values:
            values = (*values, None)
        for value in values:
            yield from self.worlds(self.with_fact(known, name, value), rest)


def _derive(each: Derived, row: Sequence[str | int | None]) -> str | None:
    return None if None in row else _DERIVATIONS[each.name](*row)


def _possible(each: Derived, row: Sequence[str | int | None]) -> bool:
    return None in row or _DERIVATIONS[each.name](*row) is not None


def _bands(limits: Sequence[int]) -> tuple[int, ...]:
    """One number for each band that the limits cut: every limit itself, and one between any two."""
    bands: list[int] = []
    for limit in limits:
        bands += [limit - 1, limit] if limit - 1 not in bands else [limit]
        bands.append(limit + 1)
    return tuple(dict.fromkeys(number for number in bands if number >= 0)) or (0,)


def _band(limits: Sequence[int], number: int) -> int:
    """The number that stands for this one in ``_bands``."""
    i = bisect_left(limits, number)
    if i < len(limits) and limits[i] == number or not limits:
        return number if limits else 0
    return limits[i - 1] + 1 if i else limits[0] - 1


_COMPARE: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "=": lambda a, b: a == b,
    }
)


def _comparison(test: str | int, values: Mapping[str, Value]) -> tuple[str, int]:
    """Operator and number of a test on a number fact; KeyError or TypeError names a value that is none."""
    if isinstance(test, int):
        return "=", test
    match = _COMPARISON.fullmatch(test)
    assert match is not None
    if re.fullmatch(r"\d+", match[2]):
        return match[1], int(match[2])
    if not isinstance(value := values[match[2]].value, int):
        raise TypeError(match[2])
    return match[1], value


class _Table:
    """The rules of one decision for one document on one edition, as bits: finds what they say for known facts."""

    def __init__(self, decision: Decision, base: _Pool, pool: _Pool, displaced: Callable[[str], bool]) -> None:
        self.decision = decision
        rules = {key: rule for key, rule in (base.rules | pool.rules).items() if rule.decides == decision.name}
        covered = {key for key in rules if key in base.rules and key in pool.rules and displaced(rules[key].id)}
        free = {key for key in rules if key not in base.rules and key not in pool.parents}
        above: dict[str, frozenset[str]] = {
            key: frozenset(covered) if key in free else pool.parents.get(key, frozenset()) for key in rules
        }
        depth: dict[str, int] = {}

        def deep(key: str) -> int:
            if key not in depth:
                parents = above[key] | base.parents.get(key, frozenset())
                depth[key] = 1 + max((deep(parent) for parent in parents if parent in rules), default=-1)
            return depth[key]

        order = sorted(rules, key=deep)
        bit = {key: 1 << i for i, key in enumerate(order)}
        self.rules = [rules[key] for key in order]
        self.laws = sum(bit[key] for key in order if key in base.rules)
        self.screen = sum(bit[key] for key in order if key in pool.rules and key not in base.rules)
        self.covered = sum(bit[key] for key in covered)
        self.fields = tuple(decision.outcome)
        self.space = _Space(decision, self.limits(base, pool))
        self.allow = {name: self.allowing(name, base, pool) for name in (*decision.facts, *decision.derived) if self.tested(name)}
        self.touched = {name: self.touching(name) for name in decision.facts}

        def view(members: _Pool, parents: Callable[[str], frozenset[str]], loose: set[str], silenced: int) -> _View:
            masks = [sum(bit[each] for each in parents(key) if each in bit) for key in order]
            roots = sum(bit[key] for key in order if key in members.rules and (key in loose or not parents(key)))
            inside = sum(bit[key] for key in order if key in members.rules)
            stating = {name: self.stating(name) & inside for name in (*self.fields, NEXT)}
            for name in stating:
                if name not in decision.references:
                    stating[name] &= ~silenced
            masks = [mask if inside >> i & 1 else 0 for i, mask in enumerate(masks)]
            return _View(masks, roots, stating)

        self.base = view(base, lambda key: base.parents.get(key, frozenset()), set(), 0)
        self.view = self.base if pool is base else view(pool, lambda key: above[key], free, self.covered)

    def limits(self, base: _Pool, pool: _Pool) -> dict[str, list[int]]:
        cuts: dict[str, set[int]] = {}
        for rule in self.rules:
            for name, tests in rule.when.items():
                if name in self.decision.facts and self.decision.facts[name].number:
                    values = (base if rule.key in base.rules else pool).values
                    cuts.setdefault(name, set()).update(_comparison(test, values)[1] for test in tests)
        return {name: sorted(each) for name, each in cuts.items()}

    def tested(self, name: str) -> int:
        return sum(1 << i for i, rule in enumerate(self.rules) if name in rule.when)

    def allowing(self, name: str, base: _Pool, pool: _Pool) -> dict[str | int | None, int]:
        """For each value of a fact the rules that it leaves possible; None for an absent fact."""
        aside = (1 << len(self.rules)) - 1 & ~self.tested(name)
        fact = self.decision.facts.get(name) or self.decision.derived[name]
        masks: dict[str | int | None, int] = {None: aside}
        for value in self.space.values.get(name, fact.values):
            masks[value] = aside
            for i, rule in enumerate(self.rules):
                tests = rule.when.get(name, ())
                if isinstance(value, int):
                    values = (base if rule.key in base.rules else pool).values
                    hits = any(_COMPARE[sign](value, limit) for sign, limit in (_comparison(test, values) for test in tests))
                else:
                    hits = value in tests
                masks[value] |= hits << i
        return masks

    def touching(self, name: str) -> int:
        """The rules that a fact can reach: by itself, by what is derived from it, by what it makes apply."""
        mask = self.tested(name)
        for each in self.space.feeds[name]:
            mask |= self.tested(each.name)
        for other, _ in self.space.governs[name]:
            mask |= self.touching(other)
        return mask

    def stating(self, name: str) -> int:
        return sum(
            1 << i
            for i, rule in enumerate(self.rules)
            if rule.whole or rule.as_if or (rule.next if name == NEXT else name in rule.then)
        )

    def fits(self, known: _Known) -> tuple[int, int]:
        """The rules that certainly fit the known facts, and those that may."""
        sure = maybe = (1 << len(self.rules)) - 1
        for name, masks in self.allow.items():
            if name in known:
                sure &= masks[known[name]]
                maybe &= masks[known[name]]
                continue
            any_of, all_of = 0, -1
            for value in self.space.candidates(known, name):
                any_of |= masks[value]
                all_of &= masks[value]
            sure &= all_of
            maybe &= any_of
        return sure, maybe


class _Case:
    """One set of known facts put to a table. ``skip`` are rules that do not exist for it, ``top`` the view that decides."""

    def __init__(self, table: _Table, known: _Known, skip: int, top: _View) -> None:
        self.table, self.known, self.skip, self.top = table, known, skip, top
        sure, maybe = table.fits(known)
        self.sure, self.maybe = sure & ~skip, maybe & ~skip
        self.live: dict[_View, tuple[int, int]] = {}
        self.found: dict[tuple[_View, str], _Said] = {}
        self.supposed: dict[int, _Case] = {}

    def alive(self, view: _View) -> tuple[int, int]:
        """The rules certainly live, and those that may be."""
        if view not in self.live:
            sure = view.live(self.sure)
            self.live[view] = sure, sure if self.sure == self.maybe else view.live(self.maybe)
        return self.live[view]

    def suppose(self, i: int) -> _Case:
        """The case with the facts that rule i replaces; a fact out of place there drops out."""
        if i not in self.supposed:
            table = self.table
            space, names = table.space, table.decision.facts
            known: _Known = {}
            for name in names:
                value = table.rules[i].as_if.get(name, MISSING)
                if value is MISSING:
                    candidates = space.candidates(self.known, name)
                    if len(candidates) > 1:
                        continue
                    value = candidates[0]
                absent = None in space.candidates(known, name)
                known = space.with_fact(known, name, None if absent else space.banded(name, value))
            self.supposed[i] = _Case(table, known, self.skip | 1 << i, self.top)
        return self.supposed[i]

    def leaves(self, view: _View, name: str) -> list[int]:
        """Rules that may be the deepest live ones to state the field."""
        sure, maybe = self.alive(view)
        stating = view.stating[name]
        return [i for i in _bits(stating & maybe) if not view.below[i] & stating & sure]

    def stated(self, view: _View, i: int, name: str) -> _Said:
        """What rule i says on the field."""
        rule = self.table.rules[i]
        if rule.as_if:
            return self.suppose(i).said(view, name)
        word = rule.whole or rule.then.get(name, "")
        if word == "base":
            return self.said(self.table.base, name)
        if name == NEXT and not rule.whole:
            return rule.next, rule.hand_over
        return word

    def said(self, view: _View, name: str) -> _Said:
        """What the live rules say on the field."""
        if (view, name) not in self.found:
            self.found[view, name] = self.settle(view, name)
        return self.found[view, name]

    def settle(self, view: _View, name: str) -> _Said:
        leaves = self.leaves(view, name)
        if not leaves:
            return SILENT
        words = {self.stated(view, i, name) for i in leaves}
        sure, maybe = self.alive(view)
        if SILENT in words and len(words) > 1:
            words = words - {SILENT} | {GAP}
        if None in words:
            return None
        if len(words) == 1:
            word = next(iter(words))
            return word if word in (GAP, SILENT) or any(sure >> i & 1 for i in leaves) else None
        reach = view.stating[name] & maybe
        if any(not sure >> i & 1 or view.below[i] & reach for i in leaves):
            return None
        return frozenset(part for word in words for part in (word if isinstance(word, frozenset) else (word,)))

    def answer(self) -> tuple[_Said, ...]:
        """What is said on each field; silence and a declared gap count alike."""
        said = [self.said(self.top, name) for name in self.table.fields]
        return tuple([GAP if word == SILENT else word for word in said])

    def undecided(self) -> int:
        """Rules of which it depends on missing facts whether they fit."""
        mask = self.maybe & ~self.sure
        for case in self.supposed.values():
            mask |= case.undecided()
        return mask

    def missing(self) -> list[str]:
        """Missing facts that rules still depend on, in the order of the decision."""
        undecided, table = self.undecided(), self.table
        return [
            name
            for name in table.decision.facts
            if name not in self.known and table.touched[name] & undecided and len(self.table.space.candidates(self.known, name)) > 1
        ]

    def having(self, name: str, value: str | int | None) -> _Case:
        return _Case(self.table, self.table.space.with_fact(self.known, name, value), self.skip, self.top)

    def silent(self, view: _View, name: str) -> bool:
        """Whether a gap is there because no rule speaks, not because a rule declares it."""
        leaves = self.leaves(view, name)
        for i in leaves:
            rule = self.table.rules[i]
            if rule.as_if and self.suppose(i).silent(view, name):
                return True
            if (rule.whole or rule.then.get(name)) == "base" and self.silent(self.table.base, name):
                return True
        return not leaves

    # what the answer rests on

    def bearers(self, view: _View, name: str, said: _Said) -> list[int]:
        """The leaves that carry the field: those certainly live, or where none is, those that may be."""
        agreeing = []
        for i in self.leaves(view, name):
            word = self.stated(view, i, name)
            word = GAP if word == SILENT else word
            if word is None or word == said or isinstance(said, frozenset) and (word in said or isinstance(word, frozenset)):
                agreeing.append(i)
        sure, _ = self.alive(view)
        return [i for i in agreeing if sure >> i & 1] or agreeing

    def carriers(self, view: _View, name: str, said: _Said) -> list[int]:
        """The bearers, with the base rules behind a ``base`` and the rules behind an as-if."""
        found: list[int] = []
        for i in self.bearers(view, name, said):
            rule = self.table.rules[i]
            if rule.as_if:
                found += self.suppose(i).carriers(view, name, said)
            found.append(i)
            if (rule.whole or rule.then.get(name)) == "base":
                found += self.carriers(self.table.base, name, said)
        return list(dict.fromkeys(found))

    def ancestry(self, view: _View, i: int) -> int:
        sure, maybe = self.alive(view)
        live, mask = (sure if sure >> i & 1 else maybe), 1 << i
        for parent in _bits(view.parents[i] & live):
            mask |= self.ancestry(view, parent)
        return mask

    def path(self, view: _View, said: Mapping[str, _Said]) -> list[int]:
        """Rules in the order of the argument: what an as-if leads to, roots, their exceptions, then the base Laws."""
        head, base, first = 0, {}, []
        for name, word in said.items():
            for i in self.bearers(view, name, word):
                head |= self.ancestry(view, i)
                rule = self.table.rules[i]
                if rule.as_if:
                    first += self.suppose(i).path(view, {name: word})
                elif (rule.whole or rule.then.get(name)) == "base":
                    base[name] = self.said(self.table.base, name)
        last = self.path(self.table.base, base) if base else []
        laws = self.table.laws
        middle = sorted(_bits(head), key=lambda i: (not laws >> i & 1, i))
        early = [i for i in dict.fromkeys(first) if not (head >> i & 1 and not laws >> i & 1)]
        return [i for i in dict.fromkeys([*early, *middle]) if i not in last] + last

    def sides(self, view: _View, said: Mapping[str, _Said]) -> dict[int, dict[str, str]]:
        """For fields in conflict what each rule says."""
        sides: dict[int, dict[str, str]] = {}
        for name, word in said.items():
            for i in self.bearers(view, name, word):
                stated = self.stated(view, i, name)
                if isinstance(stated, frozenset):
                    inner, deeper = (self.suppose(i), view) if self.table.rules[i].as_if else (self, self.table.base)
                    for j, words in inner.sides(deeper, {name: stated}).items():
                        sides.setdefault(j, {}).update(words)
                else:
                    sides.setdefault(i, {})[name] = GAP if stated in (None, SILENT) else stated
        return sides


def _spread(case: _Case) -> set[tuple[_Said, ...]]:
    """The answers that completions of the facts give; two are enough."""
    answer = case.answer()
    if None not in answer:
        return {answer}
    answers: set[tuple[_Said, ...]] = set()
    names = case.missing()
    for value in case.table.space.candidates(case.known, names[0]):
        answers |= _spread(case.having(names[0], value))
        if len(answers) > 1:
            break
    return answers


def _differ(cases: Sequence[_Case]) -> bool:
    """Whether cases that differ in one fact can have different answers once the other facts are filled in alike."""
    answers = [case.answer() for case in cases]
    settled = {answer for answer in answers if None not in answer}
    if len(settled) > 1:
        return True
    if all(None not in answer for answer in answers):
        return False
    wanted = {name for case, answer in zip(cases, answers, strict=True) if None in answer for name in case.missing()}
    space = cases[0].table.space
    name = next(name for name in space.values if name in wanted)
    candidates = [space.candidates(case.known, name) for case in cases]
    for value in dict.fromkeys(each for row in candidates for each in row if each is not None):
        filled = [
            case if name in case.known else case.having(name, value if value in row else None)
            for case, row in zip(cases, candidates, strict=True)
            if name in case.known or value in row or row == (None,)
        ]
        if len(filled) > 1 and _differ(filled):
            return True
    return False


# ------------------------------------------------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class Step:
    """One rule on which an answer rests. ``reading`` is the KEY=WORD that it stands for where a text allows two."""

    rule: str
    cites: tuple[str, ...]
    document: str
    checked: str
    reading: str = ""

    def to_json(self) -> dict[str, str]:
        """The step with its articles as one text."""
        step = {"rule": self.rule, "cites": "; ".join(self.cites), "document": self.document, "checked": self.checked}
        return {**step, "reading": self.reading} if self.reading else step


@dataclass(frozen=True, slots=True)
class Ask:
    """The next fact to find out, with the values still possible (of a number one for each band that matters)."""

    fact: str
    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the rules that differ, with what it says on the fields in dispute."""

    step: Step
    outcome: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Rule, articles, outcome, and the reading that would choose it."""
        side = {"rule": self.step.rule, "cites": "; ".join(self.step.cites), "outcome": dict(self.outcome)}
        return {**side, "reading": self.step.reading} if self.step.reading else side


@dataclass(frozen=True, slots=True)
class Next:
    """The decision that goes on, with the facts handed over."""

    decision: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Answer:
    """What the Laws say to some facts. ``rests_on`` gives for each field of the outcome the steps that carry it."""

    decision: str
    regulations: str
    laws: str
    hypothetical: bool
    status: Status
    facts: Facts
    outcome: Mapping[str, str] = field(default_factory=dict)
    path: tuple[Step, ...] = ()
    ask: Ask | None = None
    conflict: tuple[Side, ...] = ()
    base: Answer | None = None
    may_change: tuple[str, ...] = ()
    next: Next | None = None
    rests_on: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The document of ``decide --json``."""
        return {
            "format": 1,
            "decision": self.decision,
            "regulations": self.regulations,
            "laws": self.laws,
            "hypothetical": self.hypothetical,
            "status": self.status,
            "facts": dict(self.facts),
            "outcome": dict(self.outcome),
            "path": [step.to_json() for step in self.path],
            "ask": {"fact": self.ask.fact, "values": list(self.ask.values)} if self.ask else None,
            "conflict": [side.to_json() for side in self.conflict] or None,
            "base": self.base.to_json() if self.base else None,
            "may_change": list(self.may_change),
            "next": {"decision": self.next.decision, "facts": dict(self.next.facts)} if self.next else None,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """What an audit found: ``gap``, ``conflict``, ``never-fires``, ``no-effect``, ``too-many``, with one example."""

    code: str
    decision: str
    subject: str
    facts: Facts
    count: int
    text: str


class Code:
    """The tables of one document on one edition. Immutable; ``values`` are the cited numbers and roles in force."""

    def __init__(self, library: Library, regulations: str, laws: str, *, hypothetical: bool, faults: list[str]) -> None:
        self.regulations, self.laws, self.hypothetical = regulations, laws, hypothetical
        editions = library._chain(laws)
        self._screens = library._chain(regulations) if regulations != laws else []
        self._editions = {document.id for document in editions}
        self._base = _Assembly(editions, laws, faults).pool()
        self._pool = _Assembly([*editions, *self._screens], laws, faults).pool() if self._screens else self._base
        self._tables: dict[str, _Table] = {}
        self.values: Mapping[str, int | str] = MappingProxyType({key: each.value for key, each in self._pool.values.items()})
        if not faults:
            self._check_values(library, faults)

    def _check_values(self, library: Library, faults: list[str]) -> None:
        for key, rule in (self._base.rules | self._pool.rules).items():
            values = (self._base if key in self._base.rules else self._pool).values
            place = f"{library.documents[rule.document].file}: rule {rule.id}"
            if key in self._base.rules and ("base" in rule.then.values() or rule.whole == "base"):
                faults.append(f'{place}: then = "base" in the base Laws themselves; write the outcome')
            for name, tests in rule.when.items():
                fact = vocabulary().decisions[rule.decides].facts.get(name)
                for test in tests if fact and fact.number else ():
                    try:
                        _comparison(test, values)
                    except KeyError as missing:
                        faults.append(f"{place}: {name} = {test!r}: no value {missing.args[0]!r}{_nearest(missing.args[0], values)}")
                    except TypeError as text:
                        faults.append(f"{place}: {name} = {test!r}: value {text} is of the wrong type: a whole number is wanted")

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in force, the base Laws first."""
        return tuple(self._pool.rules.values())

    @property
    def cited_values(self) -> tuple[Value, ...]:
        """The values in force, with their articles."""
        return tuple(self._pool.values.values())

    @property
    def procedures(self) -> tuple[Procedure, ...]:
        """The procedures in force."""
        return tuple(self._pool.procedures.values())

    @property
    def readings(self) -> Mapping[str, tuple[str, ...]]:
        """Where a text allows several readings: ``document/key`` with the words to choose from."""
        found: dict[str, dict[str, None]] = {}
        for rule in (self._base.rules | self._pool.rules).values():
            if rule.reading:
                found.setdefault(self._shown(rule, rule.reading), {})[rule.word] = None
        return {key: tuple(words) for key, words in found.items()}

    def decide(self, decision: str, facts: Facts, readings: Mapping[str, str] = EMPTY) -> Answer:
        """Answer for these facts; ``readings`` choose where a text allows two (``pzbs/16.10b`` to a word).

        Raises Refused for a word that is not in the vocabulary and for facts that cannot be.
        """
        table = self._table(decision)
        given = _given(table.decision, facts)
        space = table.space
        known: _Known = {}
        for name in table.decision.facts:
            if name in given:
                known = space.with_fact(known, name, space.banded(name, given[name]))
        for name in table.decision.facts:
            if name not in known and (name in table.decision.optional or space.candidates(known, name) == (None,)):
                known = space.with_fact(known, name, None)
        return self._answer(_Case(table, known, self._unread(table, readings), table.view), given)

    def _table(self, decision: str) -> _Table:
        if decision not in self._tables:
            known = vocabulary().decisions
            if decision not in known:
                raise Refused(f"there is no decision {decision!r}{_nearest(decision, known)}")
            self._tables[decision] = _Table(known[decision], self._base, self._pool, self._displaced)
        return self._tables[decision]

    def _displaced(self, rule: str) -> bool:
        return any(document.covers(rule) for document in self._screens)

    def _shown(self, rule: Rule, name: str) -> str:
        """A rule of an earlier edition that still holds is shown as one of the edition asked."""
        return f"{self._home(rule)}/{name}"

    def _home(self, rule: Rule) -> str:
        return self.laws if rule.document in self._editions else rule.document

    def _unread(self, table: _Table, readings: Mapping[str, str]) -> int:
        """The rules that do not exist because another reading was chosen."""
        if not readings:
            return 0
        documents = {self.laws, *(document.id for document in self._screens)}
        known = self.readings
        for key, word in readings.items():
            if key.partition("/")[0] not in documents:
                continue
            if key not in known:
                raise Refused(f"there are no readings {key!r}{_nearest(key, known)}")
            if word not in known[key]:
                raise Refused(f"{key} has no reading {word!r}{_nearest(word, known[key])}")
        return sum(
            1 << i
            for i, rule in enumerate(table.rules)
            if rule.reading and readings.get(self._shown(rule, rule.reading), rule.word) != rule.word
        )

    def _step(self, rule: Rule) -> Step:
        reading = f"{self._shown(rule, rule.reading)}={rule.word}" if rule.reading else ""
        return Step(self._shown(rule, rule.id), rule.cites, self._home(rule), rule.checked, reading)

    def _answer(self, case: _Case, given: Facts) -> Answer:
        table, view, decision = case.table, case.top, case.table.decision
        facts: dict[str, str | int] = {name: given[name] for name in decision.facts if name in given}
        facts |= {name: word for name in decision.derived if (word := case.known.get(name)) is not None}
        alone = view is table.base
        frame = Answer(
            decision=decision.name,
            regulations=self.laws if alone else self.regulations,
            laws=self.laws,
            hypothetical=self.hypothetical and not alone,
            status="open",
            facts=MappingProxyType(facts),
        )
        answer = case.answer()
        if None in answer:
            answers = _spread(case)
            if len(answers) > 1:
                return replace(frame, ask=_ask(case))
            answer = next(iter(answers))
        said = dict(zip(table.fields, answer, strict=True))
        split = {name: word for name, word in said.items() if isinstance(word, frozenset)}
        outcome = {name: word for name, word in said.items() if name not in split and word != GAP}
        gap = len(outcome) + len(split) < len(said)
        step = {i: self._step(table.rules[i]) for i in case.path(view, said)}
        sides = case.sides(view, split) if split else {}
        return replace(
            frame,
            status="conflict" if split else "gap" if gap else "decided",
            outcome=MappingProxyType(outcome),
            path=tuple(step.values()),
            conflict=tuple(Side(step[i], MappingProxyType(words)) for i, words in sides.items()),
            base=self._base_answer(case, given) if gap and not split and not alone else None,
            may_change=tuple(name for name in decision.optional if name not in given and _changes(case, name, answer)),
            next=self._next(case),
            rests_on=MappingProxyType(
                {name: tuple(step[i] for i in case.carriers(view, name, word) if i in step) for name, word in outcome.items()}
            ),
        )

    def _base_answer(self, case: _Case, given: Facts) -> Answer | None:
        base = self._answer(_Case(case.table, case.known, case.skip, case.table.base), given)
        return base if base.outcome or base.status != "gap" else None

    def _next(self, case: _Case) -> Next | None:
        said = case.said(case.top, NEXT)
        if not isinstance(said, tuple):
            return None
        name, hand_over = said
        facts = vocabulary().decisions[name].facts
        same = {fact: value for fact, value in case.known.items() if fact in facts and value in facts[fact].values}
        return Next(name, MappingProxyType({**same, **dict(hand_over)}))


def _ask(case: _Case) -> Ask:
    """The first fact in the decision's order that can still change the answer."""
    names = case.missing()
    space = case.table.space
    values = {name: tuple(each for each in space.candidates(case.known, name) if each is not None) for name in names}
    name = next((name for name in names if _differ([case.having(name, value) for value in values[name]])), names[0])
    return Ask(name, values[name])  # type: ignore[arg-type]


def _changes(case: _Case, name: str, answer: tuple[_Said, ...]) -> bool:
    """Whether an optional fact that is not established could change the answer."""
    if case.known.get(name, MISSING) is not None:
        return False
    known = {fact: value for fact, value in case.known.items() if fact != name}
    values = case.table.space.candidates(known, name)
    return any(_spread(case.having(name, value)) != {answer} for value in values if value is not None)


def _given(decision: Decision, facts: Facts) -> dict[str, str | int]:
    """The facts in the vocabulary's words. Raises Refused for an unknown word or facts that cannot be together."""
    given: dict[str, str | int] = {}
    for name, value in facts.items():
        if name in decision.derived:
            sources = " and ".join(decision.derived[name].sources)
            raise Refused(f"{name} is worked out from {sources}", remedy=f"Give {sources} instead")
        fact = decision.facts.get(name)
        if fact is None:
            raise Refused(f"{decision.name} has no fact {name!r}{_nearest(name, decision.facts)}")
        if fact.number:
            if isinstance(value, bool) or not re.fullmatch(r"\d+", str(value)):
                raise Refused(f"{name} = {value!r} is no whole number")
            given[name] = int(value)
        elif str(value) not in fact.values:
            raise Refused(f"{name} cannot be {str(value)!r}{_nearest(str(value), fact.values)}")
        else:
            given[name] = str(value)
    for name, clauses in decision.when.items():
        for other, allowed in clauses.items():
            if name in given and given.get(other, allowed[0]) not in allowed:
                reason = decision.facts[name].absent
                raise Refused(f"{name} = {given[name]} cannot be: {reason}", remedy=f"Leave out {name}, or correct {other}")
    for pattern, because in decision.impossible:
        if all(given.get(name) in allowed for name, allowed in pattern.items()):
            raise Refused(f"These facts cannot be together: {_filled(because, given)}", remedy=f"Correct {' or '.join(pattern)}")
    for each in decision.derived.values():
        row = [given.get(source) for source in each.sources]
        if not _possible(each, row):
            reason = _filled(each.impossible, given)
            raise Refused(f"These facts cannot be together: {reason}", remedy=f"Correct {' or '.join(each.sources)}")
    return given


def _filled(text: str, facts: Facts) -> str:
    return re.sub(r"\{([a-z-]+)\}", lambda match: str(facts[match[1]]), text)


class Library:
    """Checked documents, and their codes on the editions; immutable once loaded."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents: Mapping[str, Document] = MappingProxyType(dict(documents))
        self._codes: dict[tuple[str, str], Code] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """All documents by id."""
        return tuple(self.documents)

    def editions(self, regulations: str) -> tuple[str, ...]:
        """The editions that a document stands on, the default first; for an edition itself."""
        for document in reversed(self._chain(regulations)):
            if document.stands_on:
                return document.stands_on
        return (regulations,)

    def code(self, regulations: str, laws: str | None = None, hypothetical: bool = False) -> Code:
        """The tables of a document on an edition; without ``laws`` on the first that it stands on.

        Raises Refused for an unknown id, and for an edition that it does not stand on unless ``hypothetical``.
        """
        for name in (regulations, laws or regulations):
            if name not in self.documents:
                raise Refused(f"there are no regulations {name!r}{_nearest(name, self.documents)}")
        stands_on = self.editions(regulations)
        laws = laws or stands_on[0]
        if laws not in stands_on:
            remedy = f"Ask it on {' or '.join(stands_on)}"
            if stands_on == (regulations,):
                raise Refused(f"{regulations} is an edition of the Laws itself and is not asked on {laws}", remedy=remedy)
            if self.editions(laws) != (laws,):
                raise Refused(f"{laws} is no edition of the Laws", remedy=remedy)
            if not hypothetical:
                raise Refused(f"{regulations} was never in force on {laws}", remedy=f"{remedy}, or say that the question is hypothetical")
        if (regulations, laws) not in self._codes:
            faults: list[str] = []
            code = Code(self, regulations, laws, hypothetical=laws not in stands_on, faults=faults)
            if faults:
                raise Refused("\n".join(dict.fromkeys(faults)))
            self._codes[regulations, laws] = code
        return self._codes[regulations, laws]

    def _chain(self, name: str) -> list[Document]:
        """The document with all that it extends, the oldest first."""
        chain: list[Document] = []
        while name:
            chain.insert(0, self.documents[name])
            name = chain[0].extends
        return chain

    def _links(self) -> list[str]:
        """What is wrong with the documents' references to each other."""
        faults = []
        for document in self.documents.values():
            place, seen, name = document.file, [document.id], document.extends
            while name and name not in seen and name in self.documents:
                seen.append(name)
                name = self.documents[name].extends
            if name == document.id:
                faults.append(f"{place}: document {name} extends itself" + (f" through {', '.join(seen[1:])}" if seen[1:] else ""))
            elif document.extends and document.extends not in self.documents:
                faults.append(f"{place}: extends {document.extends!r}, which is not there{_nearest(document.extends, self.documents)}")
            for edition in document.stands_on:
                if edition not in self.documents:
                    faults.append(f"{place}: stands on {edition!r}, which is not there{_nearest(edition, self.documents)}")
                elif edition == document.id or self.documents[edition].stands_on:
                    faults.append(f"{place}: stands on {edition!r}, which is no edition of the Laws")
        return faults

    def _whole(self, name: str) -> bool:
        """Whether the document and all that it extends are there and sound."""
        seen: set[str] = set()
        while name:
            if name in seen or name not in self.documents or not self.documents[name].sound:
                return False
            seen.add(name)
            name = self.documents[name].extends
        return True

    def _faults(self) -> list[str]:
        """What is wrong when each document is put on the editions that it stands on."""
        faults: list[str] = []
        for name, document in self.documents.items():
            if not self._whole(name):
                continue
            editions = self.editions(name)
            for rule in document.rules:
                for edition in rule.on:
                    if edition not in editions:
                        faults.append(f"{document.file}: rule {rule.id}: on {edition!r}, where {name} does not stand{_nearest(edition, editions)}")
            for edition in editions:
                if self._whole(edition):
                    found: list[str] = []
                    code = Code(self, name, edition, hypothetical=False, faults=found)
                    faults += found
                    if not found:
                        self._codes[name, edition] = code
        return faults
