"""Law documents: read them, check them, and put a chain of them together on one edition of the Laws."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .model import Refused
from .vocabulary import Decision, Fact, checked, lists, nearest, vocabulary

NO_NEXT, BASE_NEXT = STAYS = "none", "base"  # for `next`: nothing goes on, or what goes on by the base Laws


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
    ``as_if`` replaces facts and asks the decision again. ``reading`` and ``word`` name one reading of a text; where
    there is a ``usual`` word, that reading holds unless the Director chooses another. ``next`` is the decision that
    goes on with the facts in ``hand_over``, ``none``, or ``base`` for the one of the base Laws; it displaces that of a
    rule above as an outcome field does.
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
    usual: str = ""
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
class InForce:
    """The days on which an edition of the Laws was, or may have been, in force somewhere; ``until`` the last of them.

    National bodies adopt an edition on different days, so the days of two editions overlap.
    """

    since: datetime.date
    until: datetime.date
    cites: tuple[str, ...]
    checked: str

    def on(self, first: datetime.date, last: datetime.date) -> bool:
        """Whether one of these days is among them."""
        return self.since <= last and first <= self.until

    def __str__(self) -> str:
        return f"from {self.since}" + (f" to {self.until}" if self.until != datetime.date.max else "")

    def to_json(self) -> dict[str, str | None]:
        """The days as ISO dates, ``until`` null for the edition of today, with their source."""
        until = None if self.until == datetime.date.max else str(self.until)
        return {"from": str(self.since), "until": until, "cites": "; ".join(self.cites), "checked": self.checked}


@dataclass(frozen=True, slots=True)
class Document:
    """One law document as written, before it is put on an edition. ``states`` are the ids of all that its text says."""

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
    states: tuple[str, ...] = ()
    in_force: InForce | None = None
    sound: bool = True

    @property
    def entries(self) -> tuple[Rule | Value | Procedure, ...]:
        """All that can carry a statement."""
        return *self.rules, *self.values, *self.procedures

    def covers(self, rule: str) -> bool:
        """Whether a base rule's Law is one for which this document lays down its own procedure."""
        number = int(match[0]) if (match := re.match(r"\d+", rule)) else -1
        for each in self.displaces:
            first, _, last = each.partition("-")
            if int(first) <= number <= int(last or first):
                return True
        return False


def _is_range(text: str) -> bool:
    """``34``, or ``25-32`` with the lower number first."""
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text, re.ASCII)
    return match is not None and int(match[1]) <= int(match[2] or match[1])


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        "text": ("a text in quotes", lambda value: isinstance(value, str) and bool(value.strip())),
        "list": ("a list of texts", lambda value: isinstance(value, list) and all(_KINDS["text"][1](x) for x in value)),
        "texts": ("a text or a list of texts", lambda value: _KINDS["text"][1](value) or _KINDS["list"][1](value)),
        "date": ("a date such as 2026-12-01", lambda value: type(value) is datetime.date),
        "table": ("a table { key = value }", lambda value: isinstance(value, dict)),
        "then": (
            'a table { field = "word" }, "base" or "gap"',
            lambda value: value in ("base", "gap") or (bool(value) and isinstance(value, dict)),
        ),
        "tables": ("tables [[...]]", lambda value: isinstance(value, list) and all(isinstance(x, dict) for x in value)),
        "scalar": ("a whole number or a text", lambda value: type(value) is int or _KINDS["text"][1](value)),
        "checked": ('"text" or "restated"', lambda value: value in ("text", "restated")),
    }
)
# kind of each key; "!" where it is required
_SHAPES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "document": {
            "kind": "text!",
            "id": "text!",
            "title": "text",
            "revision": "date!",
            "source": "text!",
            "stands-on": "list",
            "extends": "text",
            "displaces": "list",
            "states": "list",
            "in-force": "table",
            "value": "tables",
            "procedure": "tables",
            "absent": "tables",
            "repeal": "tables",
            "rule": "tables",
        },
        "in-force": {"from": "date!", "until": "date", "cites": "texts!", "checked": "checked!"},
        "value": {"id": "text!", "is": "scalar!", "cites": "texts!", "checked": "checked!", "statements": "list"},
        "procedure": {"id": "text!", "says": "text!", "cites": "texts!", "checked": "checked!", "statements": "list"},
        "absent": {"slot": "text!", "see": "list", "cites": "texts!", "reason": "text!"},
        "repeal": {"rule": "text!", "cites": "texts!", "reason": "text!"},
        "rule": {
            "id": "text!",
            "decides": "text!",
            "when": "table",
            "then": "then!",
            "cites": "texts!",
            "checked": "checked!",
            "statements": "list",
            "except": "texts",
            "replaces": "text",
            "reading": "text",
            "usual": "text",
            "on": "list",
            "next": "text",
            "hand-over": "table",
        },
    }
)
_MISSING = {"cites": 'no citation; add cites = "the article it rests on"'}
_STATES = re.compile(r"([A-Za-z][\w-]*)-(\d+)(?:\.\.(\d+))?")
_COMPARISON = re.compile(r"(<=|>=|<|>|=) *(\S+)")


class Reader:
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
                self.wrong(place, f"unknown key {key!r}{nearest(key, shape)}")
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
            self.wrong("", "not UTF-8; save the file as UTF-8")
            return None
        except tomllib.TOMLDecodeError as problem:
            self.wrong("", f"not TOML: {problem}")
            return None
        if raw.get("kind") in ("policy", "scale"):
            return None
        if raw.get("kind") != "laws":
            self.wrong("", f'kind = {raw.get("kind")!r}; a law document has kind = "laws"')
            return None
        self.shaped(raw, "document", "")
        shape = _SHAPES["document"]
        raw = {key: value for key, value in raw.items() if key in shape and _KINDS[shape[key].rstrip("!")][1](value)}
        if "id" not in raw:
            return None
        for each in raw.get("displaces", ()):
            if not _is_range(each):
                self.wrong("", f"displaces {each!r} is no number or range of Laws, as 34 or 25-32")
        states: list[str] = []
        for each in raw.get("states", ()):
            match = _STATES.fullmatch(each)
            if match is None or not 0 < int(match[2]) <= int(match[3] or match[2]) < 1000:
                self.wrong("", f"states {each!r} is no statement or range of statements, as CLUB-3 or CLUB-1..12")
            else:
                states += [f"{match[1]}-{number}" for number in range(int(match[2]), int(match[3] or match[2]) + 1)]
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
            displaces=tuple(each for each in raw.get("displaces", ()) if _is_range(each)),
            rules=rules,
            values=tuple(
                Value(
                    entry["id"],
                    name,
                    entry["is"],
                    _texts(entry["cites"]),
                    entry["checked"],
                    _texts(entry.get("statements", [])),
                )
                for _, entry in self.entries(raw, "value")
            ),
            procedures=tuple(
                Procedure(
                    entry["id"],
                    name,
                    entry["says"],
                    _texts(entry["cites"]),
                    entry["checked"],
                    _texts(entry.get("statements", [])),
                )
                for _, entry in self.entries(raw, "procedure")
            ),
            absent=tuple(
                Absent(entry["slot"], _texts(entry.get("see", [])), _texts(entry["cites"]), entry["reason"])
                for _, entry in self.entries(raw, "absent")
            ),
            repeals=tuple(
                Repeal(entry["rule"], _texts(entry["cites"]), entry["reason"])
                for _, entry in self.entries(raw, "repeal")
            ),
            states=tuple(dict.fromkeys(states)),
            in_force=self.in_force(raw),
            sound=len(self.faults) == self.start,
        )

    def in_force(self, raw: Mapping[str, Any]) -> InForce | None:
        """The days of an edition; a regulation has none of its own, it goes by the editions that it stands on."""
        entry = raw.get("in-force")
        if entry is None or not self.shaped(entry, "in-force", "in-force"):
            return None
        since, until = entry["from"], entry.get("until", datetime.date.max)
        if until < since:
            self.wrong("in-force", f"until {until} is before from {since}")
        if raw.get("stands-on") or raw.get("extends"):
            self.wrong("in-force", "only an edition of the Laws has days in force; others go by what they stand on")
        return InForce(since, until, _texts(entry["cites"]), entry["checked"])

    def rule(self, document: str, place: str, entry: dict[str, Any]) -> Rule | None:
        known = vocabulary().decisions
        decision = known.get(entry["decides"])
        if decision is None:
            self.wrong(place, f"unknown decision {entry['decides']!r}{nearest(entry['decides'], known)}")
            return None
        when = lists(entry.get("when", {}))
        then: Any = entry["then"]
        whole, as_if = "", {}
        if isinstance(then, str):
            then, whole = {}, then
        elif "as-if" in then:
            as_if = then["as-if"]
            if len(then) > 1 or not isinstance(as_if, dict):
                self.wrong(place, 'as-if stands alone, for the whole decision: then = { as-if = { fact = "value" } }')
                return None
            then = {}
        before = len(self.faults)
        self.conditions(decision, when, place, derived=True)
        self.conditions(decision, lists(as_if), place, derived=False)
        for name, word in then.items():
            self.outcome(decision, name, word, place)
        key, _, word = entry.get("reading", "").partition("=")
        if "reading" in entry and not (key.strip() and word.strip()):
            self.wrong(place, f'reading = {entry["reading"]!r} is not of the form "KEY=WORD"')
        usual = entry.get("usual", "").strip()
        if "usual" in entry and (not word.strip() or usual in ("", word.strip())):
            self.wrong(place, f"usual = {usual!r} is the reading that holds when this one is not chosen: another word")
        self.handed(entry.get("next", ""), entry.get("hand-over", {}), place)
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
            usual=usual,
            on=_texts(entry.get("on", [])),
            next=entry.get("next", ""),
            hand_over=tuple(entry.get("hand-over", {}).items()),
        )

    def handed(self, name: str, facts: Mapping[str, Any], place: str) -> None:
        """What is wrong with the decision that goes on and the facts that it is handed."""
        known = vocabulary().decisions
        if name in ("", *STAYS):
            if facts:
                self.wrong(place, "hand-over without next: name the decision that goes on")
        elif name not in known:
            self.wrong(place, f"unknown decision {name!r} in next{nearest(name, [*known, *STAYS])}")
        else:
            before = len(self.faults)
            self.conditions(known[name], {fact: (value,) for fact, value in facts.items()}, place, derived=False)
            if len(self.faults) == before:
                try:
                    checked(known[name], facts)
                except Refused as refused:
                    self.wrong(place, f"hand-over: {refused}")

    def conditions(self, decision: Decision, when: Mapping[str, tuple[Any, ...]], place: str, *, derived: bool) -> None:
        for name, words in when.items():
            fact = decision.facts.get(name) or (decision.derived.get(name) if derived else None)
            if fact is None:
                known = [*decision.facts, *(decision.derived if derived else ())]
                self.wrong(place, f"unknown fact {name!r} in {decision.name}{nearest(name, known)}")
                continue
            for word in words:
                if isinstance(fact, Fact) and fact.number:
                    if not (type(word) is int or (isinstance(word, str) and _COMPARISON.fullmatch(word))):
                        wanted = 'a number or a comparison such as "> 15"'
                        self.wrong(place, f"{name} = {word!r} is of the wrong type: {wanted} is wanted")
                elif not isinstance(word, str):
                    self.wrong(place, f"{name} = {word!r} is of the wrong type: a word in quotes is wanted")
                elif word not in fact.values:
                    self.wrong(place, f"unknown value {word!r} of {name}{nearest(word, fact.values)}")

    def outcome(self, decision: Decision, name: str, word: Any, place: str) -> None:
        if name not in decision.outcome:
            self.wrong(place, f"unknown outcome field {name!r} of {decision.name}{nearest(name, decision.outcome)}")
        elif not isinstance(word, str):
            self.wrong(place, f"{name} = {word!r} is of the wrong type: a word in quotes is wanted")
        elif name not in decision.references and word not in (known := (*decision.outcome[name], "base", "gap")):
            self.wrong(place, f"unknown outcome word {word!r} of {name}{nearest(word, known)}")


def _texts(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


@dataclass(slots=True)
class Pool:
    """The rules that hold when a chain of documents (oldest first) is put together for one edition."""

    rules: dict[str, Rule]
    parents: dict[str, frozenset[str]]
    values: dict[str, Value]
    procedures: dict[str, Procedure]


def _slot(keys: Iterable[str], slot: str) -> list[str]:
    """The rules in a slot: those with this id, or with an id that goes on after a slash."""
    return [key for key in keys if (name := key.partition("/")[2]) == slot or name.startswith(f"{slot}/")]


class Assembly:
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
        ids = list(self.files)
        self.laws = set(ids[: ids.index(edition) + 1])
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
                near = nearest(
                    repeal.rule, [*(rule.id for rule in self.every.values()), *self.values, *self.procedures]
                )
                self.faults.append(f"{document.file}: repeal {repeal.rule}: there is no such rule to repeal{near}")
        self.values |= {value.id: value for value in document.values}
        self.procedures |= {procedure.id: procedure for procedure in document.procedures}
        laws = document.id in self.laws
        inherited = {rule.id: key for key, rule in self.rules.items() if (rule.document in self.laws) == laws}
        own = {rule.id: rule for rule in document.rules}
        for rule in document.rules:
            self.every[rule.key] = rule
            if not self.applies(rule, own):
                continue
            before = [key for key in self.before[document.id] if key in self.rules]
            old = _slot(before, rule.replaces) if rule.replaces else []
            self.scopes[rule.key] = [(document.id, name) for name in rule.exceptions] or [
                scope for key in old for scope in self.scopes[key]
            ]
            for key in old:
                del self.rules[key]
                self.heirs[key] = [rule.key]
            if rule.replaces and not old and not self.lacks(rule.replaces):
                near = nearest(rule.replaces, [self.every[key].id for key in self.before[document.id]])
                self.wrong(rule, f"replaces {rule.replaces!r}, which is not there on {self.edition}{near}")
            elif (other := inherited.get(rule.id)) in self.rules:
                self.wrong(rule, f"{other} has this id already; write replaces = {rule.id!r} to take its place")
            self.rules[rule.key] = rule

    def applies(self, rule: Rule, own: Mapping[str, Rule], seen: frozenset[str] = frozenset()) -> bool:
        """Whether the rule holds on this edition: not kept to others, nor an exception only to rules that are."""
        if rule.on and self.edition not in rule.on:
            return False
        names = [name for name in rule.exceptions if name not in seen]
        return not names or any(name not in own or self.applies(own[name], own, seen | {rule.id}) for name in names)

    def lacks(self, slot: str) -> Absent | None:
        """The declaration that this slot is absent from the edition."""
        return next(
            (
                each
                for name, each in self.absent.items()
                if f"{slot}/".startswith(f"{name}/") or name.startswith(f"{slot}/")
            ),
            None,
        )

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
                alive = {
                    each for slot in gone.see for one in _slot(self.before[scope], slot) for each in self.alive(one)
                }
            parents |= {each for each in alive if self.rules[each].decides == rule.decides}
            if gone or (own in self.every and own not in self.rules and own not in self.heirs):
                continue
            if not matched:
                ids = [self.every[one].id for one in self.before[scope]] + [
                    one.id for one in self.every.values() if one.document == scope
                ]
                self.wrong(rule, f"exception to {name!r}, which is nothing on {self.edition}{nearest(name, ids)}")
            elif not alive:
                self.wrong(rule, f"exception to {name!r}, which is repealed; repeal {rule.id!r} as well")
            elif not any(self.rules[each].decides == rule.decides for each in alive):
                self.wrong(
                    rule, f"exception to {name!r}, which decides {self.rules[min(alive)].decides}, not {rule.decides}"
                )
        return frozenset(parents)

    def circles(self) -> None:
        rest = dict(self.parents)
        while free := [key for key, parents in rest.items() if not parents & rest.keys()]:
            for key in free:
                del rest[key]
        if rest:
            first = self.every[min(rest)]
            self.wrong(
                first, f"exceptions go round in a circle: {', '.join(sorted(self.every[key].id for key in rest))}"
            )

    def pool(self) -> Pool:
        return Pool(self.rules, self.parents, self.values, self.procedures)


COMPARE: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "=": lambda a, b: a == b,
    }
)


def comparison(test: str | int, values: Mapping[str, Value]) -> tuple[str, int]:
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
