"""The Laws and screen regulations as tables: load and check them, decide, ask the next fact, audit, explain.

A *document* is one TOML file: an edition of the Laws, a screen regulation that stands on editions, or a club's overlay
on a regulation. ``load`` checks documents, ``Library.code`` puts one on an edition, ``Code.decide`` answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType
from typing import Any, Literal

from .lawbook import BASE_NEXT, STAYS, Assembly, Document, Procedure, Reader, Rule, Value, comparison
from .model import EMPTY, Facts, Refused
from .tables import GAP, MISSING, NEXT, Case, Said, Table, bits, differ, spread
from .vocabulary import Known, checked, nearest, vocabulary
from .words import explain, show, show_lines

__all__ = [
    "Answer",
    "Ask",
    "Code",
    "Finding",
    "Library",
    "Next",
    "Side",
    "Step",
    "explain",
    "load",
    "show",
    "show_lines",
    "vocabulary",
]

Status = Literal["decided", "open", "gap", "conflict"]
_MOST = 200_000  # combinations that an audit walks for one decision: some seconds


def load(documents: Iterable[tuple[str, bytes]], shipped: Iterable[tuple[str, bytes]] = ()) -> Library:
    """Read and check law documents, each given as (name for messages, TOML bytes); scoring policies are passed over.

    ``shipped`` are documents that are known to be sound: each is read when it is first needed.
    Raises Refused with everything that is wrong, a line each, naming file and rule.
    """
    faults: list[str] = []
    shelf = Shelf(shipped)
    checked: list[Document] = []
    for file, data in documents:
        document = Reader(file, faults).document(data)
        if document is None:
            continue
        if document.id in shelf:
            faults.append(f"{file}: document {document.id} is already in {shelf.file(document.id)}; give it another id")
        else:
            shelf.add(document)
            checked.append(document)
    library = Library(shelf)
    faults.extend(library._links(checked))
    faults.extend(library._faults(checked))
    if faults:
        raise Refused("\n".join(dict.fromkeys(faults)))
    return library


class Shelf(Mapping[str, Document]):
    """Documents by id. Those that are known to be sound are read when somebody first asks for them."""

    def __init__(self, waiting: Iterable[tuple[str, bytes]] = ()) -> None:
        self._read: dict[str, Document | None] = {}
        self._waiting: dict[str, tuple[str, bytes]] = {}
        for file, data in waiting:
            if match := re.search(rb'^id *= *"([^"]+)"', data, re.MULTILINE):
                self._read[name := match[1].decode()] = None
                self._waiting[name] = file, data

    def add(self, document: Document) -> None:
        """Put a document that was read already on the shelf."""
        self._read[document.id] = document

    def file(self, name: str) -> str:
        """The file of a document, which need not be read for it."""
        return self._waiting[name][0] if name in self._waiting else self[name].file

    def __getitem__(self, name: str) -> Document:
        document = self._read[name]
        if document is None:
            faults: list[str] = []
            document = Reader(self._waiting[name][0], faults).document(self._waiting[name][1])
            if document is None or faults:
                raise Refused("\n".join(faults) or f"{self._waiting[name][0]} is no law document")
            self._read[name] = document
        return document

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


class Library:
    """Checked documents, and their codes on the editions; immutable once loaded."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents = documents
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

    def edition(self, regulations: str, first: date, last: date) -> str:
        """The edition by date: the one in force on these days among those that a document stands on.

        An edition asked by its own name is that edition, whatever the date. Raises Refused when none or several were in
        force, and for an unknown id.
        """
        self._there(regulations)
        stands_on = self.editions(regulations)
        if stands_on == (regulations,):
            return regulations
        days = {name: self.documents[name].in_force for name in stands_on}
        found = [name for name, known in days.items() if known is None or known.on(first, last)]
        if len(found) == 1:
            return found[0]
        when = f"on {first}" if first == last else f"from {first} to {last}"
        names = " and ".join(f"{name} ({days[name]})" if days[name] else name for name in found or stands_on)
        text = f"{names} were in force {when}, each somewhere" if found else f"{regulations} stands on {names}"
        remedy = " or ".join(f'laws = "{name}"' for name in found or stands_on)
        raise Refused(
            f"which edition of the Laws holds cannot be told by the date: {text}"
            + ("" if found else f", not in force {when}"),
            remedy=f"Write {remedy} in the entry or in [default]",
        )

    def _there(self, name: str) -> None:
        if name not in self.documents:
            raise Refused(f"there are no regulations {name!r}{nearest(name, self.documents)}")

    def code(self, regulations: str, laws: str | None = None, hypothetical: bool = False) -> Code:
        """The tables of a document on an edition; without ``laws`` on the first that it stands on.

        Raises Refused for an unknown id, and for an edition that it does not stand on unless ``hypothetical``.
        """
        for name in (regulations, laws or regulations):
            self._there(name)
        stands_on = self.editions(regulations)
        laws = laws or stands_on[0]
        if laws not in stands_on:
            remedy = f"Ask it on {' or '.join(stands_on)}"
            if stands_on == (regulations,):
                raise Refused(
                    f"{regulations} is an edition of the Laws itself and is not asked on {laws}", remedy=remedy
                )
            if self.editions(laws) != (laws,):
                raise Refused(f"{laws} is no edition of the Laws", remedy=remedy)
            if not hypothetical:
                raise Refused(
                    f"{regulations} was never in force on {laws}",
                    remedy=f"{remedy}, or say that the question is hypothetical",
                )
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

    def _links(self, documents: Iterable[Document]) -> list[str]:
        """What is wrong with the documents' references to others, and with the statements that they name."""
        faults = []
        for document in documents:
            place, seen, name = document.file, [document.id], document.extends
            while name and name not in seen and name in self.documents:
                seen.append(name)
                name = self.documents[name].extends
            if name == document.id:
                faults.append(
                    f"{place}: document {name} extends itself" + (f" through {', '.join(seen[1:])}" if seen[1:] else "")
                )
            elif document.extends and document.extends not in self.documents:
                near = nearest(document.extends, self.documents)
                faults.append(f"{place}: extends {document.extends!r}, which is not there{near}")
            for edition in document.stands_on:
                if edition not in self.documents:
                    faults.append(
                        f"{place}: stands on {edition!r}, which is not there{nearest(edition, self.documents)}"
                    )
                elif edition == document.id or self.documents[edition].stands_on:
                    faults.append(f"{place}: stands on {edition!r}, which is no edition of the Laws")
            faults += self._statements(document)
        return faults

    def _statements(self, document: Document) -> Iterator[str]:
        """Statements that are named and that no text has, where it is known what its text states."""
        chain = self._chain(document.id) if self._whole(document.id) else [document]
        known = {each for one in chain for each in one.states}
        families = {each.rpartition("-")[0] for each in known}
        for entry in document.entries:
            for each in entry.statements:
                if each not in known and (document.states or each.rpartition("-")[0] in families):
                    place = f"{document.file}: {type(entry).__name__.lower()} {entry.id}"
                    yield f"{place}: no document states {each!r}{nearest(each, known)}"

    def _whole(self, name: str) -> bool:
        """Whether the document and all that it extends are there and sound."""
        seen: set[str] = set()
        while name:
            if name in seen or name not in self.documents or not self.documents[name].sound:
                return False
            seen.add(name)
            name = self.documents[name].extends
        return True

    def _faults(self, documents: Iterable[Document]) -> list[str]:
        """What is wrong when each document is put on the editions that it stands on."""
        faults: list[str] = []
        for document in documents:
            name = document.id
            if not self._whole(name):
                continue
            editions = self.editions(name)
            for rule in document.rules:
                for edition in rule.on:
                    if edition not in editions:
                        near = nearest(edition, editions)
                        faults.append(
                            f"{document.file}: rule {rule.id}: on {edition!r}, where {name} does not stand{near}"
                        )
            for edition in editions:
                if self._whole(edition):
                    found: list[str] = []
                    code = Code(self, name, edition, hypothetical=False, faults=found)
                    faults += found
                    if not found:
                        self._codes[name, edition] = code
        return faults


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
    """The decision that goes on, with the facts handed over; ``asks`` are those that it may still need, in order."""

    decision: str
    facts: Facts
    asks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The decision with the facts handed over and the names of those still to be asked."""
        return {"decision": self.decision, "facts": dict(self.facts), "ask": list(self.asks)}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the Laws say to some facts. ``rests_on`` gives for each field of the outcome the steps that carry it.

    ``other_readings`` are the KEY=WORD with which the text, read otherwise than is usual, would answer otherwise.
    """

    decision: str
    regulations: str
    laws: str
    hypothetical: bool
    status: Status
    facts: Facts
    outcome: Mapping[str, str] = field(default_factory=dict)
    path: tuple[Step, ...] = ()
    revision: str = ""
    ask: Ask | None = None
    conflict: tuple[Side, ...] = ()
    base: Answer | None = None
    may_change: tuple[str, ...] = ()
    next: Next | None = None
    other_readings: tuple[str, ...] = ()
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
            "other_readings": list(self.other_readings),
            "next": self.next.to_json() if self.next else None,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """What an audit found, with one example and what would mend it.

    ``code`` is ``gap``, ``conflict``, ``next``, ``never-fires``, ``no-effect``, ``too-many``, or from
    ``trace.findings`` ``lost-statement``, ``loose-entry``.
    """

    code: str
    decision: str
    subject: str
    facts: Facts
    count: int
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.text}; {self.remedy}" if self.remedy else self.text


class Code:
    """The tables of one document on one edition. Immutable; ``values`` are the cited numbers and roles in force."""

    def __init__(self, library: Library, regulations: str, laws: str, *, hypothetical: bool, faults: list[str]) -> None:
        self.regulations, self.laws, self.hypothetical = regulations, laws, hypothetical
        editions = library._chain(laws)
        self._screens = library._chain(regulations) if regulations != laws else []
        self._editions = {document.id for document in editions}
        self._base = Assembly(editions, laws, faults).pool()
        self._pool = Assembly([*editions, *self._screens], laws, faults).pool() if self._screens else self._base
        self._tables: dict[str, Table] = {}
        self.revision = library.documents[regulations].revision
        self.values: Mapping[str, int | str] = MappingProxyType(
            {key: each.value for key, each in self._pool.values.items()}
        )
        if not faults:
            self._check_values(library, faults)

    def _check_values(self, library: Library, faults: list[str]) -> None:
        for key, rule in (self._base.rules | self._pool.rules).items():
            values = (self._base if key in self._base.rules else self._pool).values
            place = f"{library.documents[rule.document].file}: rule {rule.id}"
            if key in self._base.rules and ("base" in rule.then.values() or rule.whole == "base"):
                faults.append(f'{place}: then = "base" in the base Laws themselves; write the outcome')
            if key in self._base.rules and rule.next == BASE_NEXT:
                faults.append(f'{place}: next = "base" in the base Laws themselves; name the decision, or "none"')
            for name, tests in rule.when.items():
                fact = vocabulary().decisions[rule.decides].facts.get(name)
                for test in tests if fact and fact.number else ():
                    try:
                        comparison(test, values)
                    except KeyError as missing:
                        near = nearest(missing.args[0], values)
                        faults.append(f"{place}: {name} = {test!r}: no value {missing.args[0]!r}{near}")
                    except TypeError as text:
                        faults.append(
                            f"{place}: {name} = {test!r}: value {text} is of the wrong type: a whole number is wanted"
                        )

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in force, the base Laws first."""
        return tuple(self._pool.rules.values())

    @property
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules that the document and what it overlays add to the base Laws; an edition's own are all of them."""
        return tuple(rule for key, rule in self._pool.rules.items() if not self._screens or key not in self._base.rules)

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
                words = found.setdefault(self._shown(rule, rule.reading), {})
                words |= dict.fromkeys([*([rule.usual] if rule.usual else []), rule.word])
        return {key: tuple(words) for key, words in found.items()}

    def decide(self, decision: str, facts: Facts, readings: Mapping[str, str] = EMPTY) -> Answer:
        """Answer for these facts; ``readings`` choose where a text allows two (``pzbs/16.10b`` to a word).

        Raises Refused for a word that is not in the vocabulary and for facts that cannot be.
        """
        given = checked(self.table(decision).decision, facts)
        return self._answer(self._case(decision, given, readings), given, readings)

    def _case(self, decision: str, given: Facts, readings: Mapping[str, str]) -> Case:
        """Checked facts put to the tables; those that cannot apply are settled."""
        table = self.table(decision)
        space = table.space
        known: Known = {}
        for name in table.decision.facts:
            if name in given:
                known = space.with_fact(known, name, space.banded(name, given[name]))
        for name in table.decision.facts:
            if name not in known and (name in table.decision.optional or space.candidates(known, name) == (None,)):
                known = space.with_fact(known, name, None)
        return Case(table, known, self._unread(table, readings), table.view)

    def follow(self, decision: str, facts: Facts, readings: Mapping[str, str] = EMPTY) -> tuple[Answer, ...]:
        """Answer, and go on with what comes next as long as it is decided: the answers in order, at least one.

        Each fact goes to every decision on the way that has it; what a decision hands over need not be given.
        Raises Refused as ``decide`` does, for a fact that no decision on the way has, and for one that is contradicted.
        """
        known = vocabulary().decisions
        found: list[Answer] = []
        used: set[str] = set()
        name, handed = decision, dict[str, str | int]()
        while True:
            table = self.table(name).decision
            own = {fact: value for fact, value in facts.items() if fact in table.facts or fact in table.derived}
            for fact in own.keys() & handed.keys() - used:
                if str(own[fact]) != str(handed[fact]):
                    text = f"{fact} = {own[fact]} in {name} cannot be: {found[-1].decision} leads to {handed[fact]}"
                    raise Refused(text, remedy=f"Leave out {fact}, or correct the facts before it")
            used |= own.keys()
            found.append(answer := self.decide(name, {**own, **handed}, readings))
            on = answer.next
            if answer.status != "decided" or on is None or on.decision in (each.decision for each in found):
                break
            name, handed = on.decision, dict(on.facts)
        ahead = self._ahead(decision)
        for fact in facts.keys() - used:
            reached = ", ".join(each.decision for each in found)
            if not any(fact in known[each].facts for each in ahead):
                near = nearest(fact, [each for name in ahead for each in known[name].facts])
                raise Refused(f"neither {decision} nor what can follow it has a fact {fact!r}{near}")
            if answer.status == "decided":
                raise Refused(f"{fact} is not asked here: the matter ends with {reached}", remedy=f"Leave out {fact}")
        return tuple(found)

    def _ahead(self, decision: str) -> tuple[str, ...]:
        """The decision with all that any rule lets follow it."""
        reached = [decision]
        for name in reached:
            steps = {rule.next for rule in self._pool.rules.values() if rule.decides == name} - {"", *STAYS}
            reached += sorted(steps - set(reached))
        return tuple(reached)

    def answers(self, decision: str) -> bool:
        """Whether any rule in force speaks of the decision."""
        return any(rule.decides == decision for rule in self._pool.rules.values())

    def rule(self, shown: str, decision: str) -> Rule:
        """The rule of a decision with this full id, as a step of a path names it."""
        return next(rule for rule in self.table(decision).rules if self.shown(rule) == shown)

    def shown(self, rule: Rule) -> str:
        """The rule's full id; a rule of an earlier edition that still holds counts as one of the edition asked."""
        return self._shown(rule, rule.id)

    def audit(self, decision: str | None = None) -> list[Finding]:
        """Walk every combination of facts of one decision, or of all that the document touches.

        Finds gaps that no rule declares, conflicts that are no readings of one text, rules that never fit and rules
        that never have an effect, decisions that are named next and are not there or cannot have what they are handed,
        and decisions with more than 200,000 combinations, which are not walked.
        """
        findings: list[Finding] = []
        for name in vocabulary().decisions if decision is None else (decision,):
            table = self.table(name)
            mine = table.screen if self._screens else table.laws
            if mine or table.covered:
                findings += self._walk(table, [i for i in bits(mine) if self._mine(table.rules[i])])
        return findings

    def _mine(self, rule: Rule) -> bool:
        return not self._screens or rule.document == self.regulations

    def _walk(self, table: Table, mine: Sequence[int]) -> Iterator[Finding]:
        decision, view = table.decision, table.view
        where = f"{self.regulations} on {self.laws}" if self._screens else self.laws
        size = 1
        for fact in decision.facts:
            size *= len(table.space.values[fact]) + (fact in decision.optional)
        if size > _MOST:
            text = f"{where}, {decision.name}: {size} combinations of facts are too many to walk (at most {_MOST})"
            yield Finding("too-many", decision.name, "", EMPTY, size, text, "split it into two decisions with next")
            return
        found: dict[tuple[str, str], tuple[Known, int]] = {}
        handed: set[tuple[str, frozenset[tuple[str, str | int]]]] = set()
        fired = effective = worlds = 0
        alike = not any(rule.as_if for rule in table.rules)  # then the answer hangs only on the rules that fit
        seen: dict[int, tuple[str, str]] = {}
        choices = dict.fromkeys(self._choice(table.rules[i]) for i in bits(table.unusual))
        skips = [table.unusual, *(self._with_choice(table, table.unusual, choice) for choice in choices)]
        for known in table.space.worlds({}, tuple(decision.facts)):
            worlds += 1
            faults: dict[tuple[str, str], None] = {}
            for case in (Case(table, known, skip, view) for skip in skips):
                if not alike or case.sure not in seen:
                    said = dict(zip(table.fields, case.answer(), strict=True))
                    seen[case.sure] = (
                        ", ".join(name for name, word in said.items() if word == GAP and case.silent(view, name)),
                        ", ".join(name for name, word in said.items() if _split(word) and not self._read(case, name)),
                    )
                    fired |= case.alive(view)[0]
                    for name in table.fields:
                        for i in case.leaves(view, name):
                            effective |= 1 << i
                faults |= {each: None for each in zip(("gap", "conflict"), seen[case.sure], strict=True) if each[1]}
                if on := self._next(case):
                    handed.add((on.decision, frozenset(on.facts.items())))
            for each in faults:
                example, count = found.get(each, (known, 0))
                found[each] = example, count + 1
        for (kind, fields), (known, count) in found.items():
            facts = {name: value for name, value in known.items() if value is not None and name in decision.facts}
            what = "no rule says anything on" if kind == "gap" else "rules differ, and are no readings of one text, on"
            such = ", ".join(f"{name}={value}" for name, value in facts.items())
            text = f"{where}, {decision.name}: {what} {fields} in {count} of {worlds} combinations, as {such}"
            remedy = (
                'add a rule that says it, or declare the silence: then = "gap" with the article'
                if kind == "gap"
                else "make one an exception to the other (except), or both readings of one text (reading)"
            )
            yield Finding(kind, decision.name, fields, MappingProxyType(facts), count, text, remedy)
        yield from self._dead_ends(decision.name, where, handed)
        for i in mine:
            rule = self.shown(table.rules[i])
            if not fired >> i & 1:
                text = f"{where}: rule {rule} never fits any facts"
                remedy = "its when cannot be met, or it is an exception to rules that never hold where it does"
                yield Finding("never-fires", decision.name, rule, EMPTY, 0, text, remedy)
            elif not effective >> i & 1:
                text = f"{where}: rule {rule} never has an effect: wherever it fits, exceptions to it say everything"
                remedy = "leave it out, or narrow the exceptions"
                yield Finding("no-effect", decision.name, rule, EMPTY, 0, text, remedy)

    def _dead_ends(
        self, decision: str, where: str, handed: Iterable[tuple[str, frozenset[tuple[str, str | int]]]]
    ) -> Iterator[Finding]:
        """Decisions that are named next and that nothing speaks of, or that cannot have the facts they are handed."""
        found: dict[tuple[str, str, str], list[Facts]] = {}
        for name, items in sorted(handed, key=str):
            facts = MappingProxyType(dict(items))
            try:
                checked(vocabulary().decisions[name], facts)
            except Refused as error:
                found.setdefault((name, f": {error}", "correct its hand-over"), []).append(facts)
            else:
                if not self.answers(name):
                    silent = ", of which no rule speaks", "add its rules, or name another next"
                    found.setdefault((name, *silent), []).append(facts)
        for (name, fault, remedy), cases in found.items():
            text = f"{where}, {decision}: goes on with {name}{fault}"
            yield Finding("next", decision, name, cases[0], len(cases), text, remedy)

    def _read(self, case: Case, name: str) -> bool:
        """Whether a conflict is one of readings: all that differ are readings of one text."""
        sides = case.sides(case.top, {name: case.said(case.top, name)})
        keys = {self._shown(rule, rule.reading) if (rule := case.table.rules[i]).reading else "" for i, _ in sides}
        return len(keys) == 1 and "" not in keys

    def case(self, decision: str, known: Known, readings: Mapping[str, str] = EMPTY) -> Case:
        """Facts put to the tables, unchecked; None stands for a fact that does not apply or is not established."""
        table = self.table(decision)
        space, facts = table.space, table.decision.facts
        banded = {name: space.banded(name, each) if name in facts else each for name, each in known.items()}
        return Case(table, banded, self._unread(table, readings), table.view)

    def table(self, decision: str) -> Table:
        """The rules on one decision as bits. Raises Refused for an unknown decision."""
        if decision not in self._tables:
            known = vocabulary().decisions
            if decision not in known:
                raise Refused(f"there is no decision {decision!r}{nearest(decision, known)}")
            self._tables[decision] = Table(known[decision], self._base, self._pool, self._displaced)
        return self._tables[decision]

    def _displaced(self, rule: str) -> bool:
        return any(document.covers(rule) for document in self._screens)

    def _shown(self, rule: Rule, name: str) -> str:
        """A rule of an earlier edition that still holds is shown as one of the edition asked."""
        return f"{self._home(rule)}/{name}"

    def _home(self, rule: Rule) -> str:
        return self.laws if rule.document in self._editions else rule.document

    def _unread(self, table: Table, readings: Mapping[str, str]) -> int:
        """The rules that do not exist because another reading was chosen, or is the usual one."""
        if not readings:
            return table.unusual
        documents = {self.laws, *(document.id for document in self._screens)}
        known = self.readings
        for key, word in readings.items():
            if key.partition("/")[0] not in documents:
                continue
            if key not in known:
                raise Refused(f"there are no readings {key!r}{nearest(key, known)}")
            if word not in known[key]:
                raise Refused(f"{key} has no reading {word!r}{nearest(word, known[key])}")
        return sum(
            1 << i
            for i, rule in enumerate(table.rules)
            if rule.reading and readings.get(self._shown(rule, rule.reading), rule.usual or rule.word) != rule.word
        )

    def cites(self, rule: Rule) -> tuple[str, ...]:
        """The rule's articles, with those of the values that it compares with: another document may have set them."""
        facts = vocabulary().decisions[rule.decides].facts
        numbers = [tests for name, tests in rule.when.items() if name in facts and facts[name].number]
        named = [str(test).split(" ")[-1] for tests in numbers for test in tests]
        values = (self._base if rule.key in self._base.rules else self._pool).values
        cited = [article for name in named if name in values for article in values[name].cites]
        return tuple(dict.fromkeys([*rule.cites, *cited]))

    def _step(self, rule: Rule) -> Step:
        reading = self._choice(rule) if rule.reading else ""
        return Step(self._shown(rule, rule.id), self.cites(rule), self._home(rule), rule.checked, reading)

    def _choice(self, rule: Rule) -> str:
        """The reading of a rule as the Director chooses it."""
        return f"{self._shown(rule, rule.reading)}={rule.word}"

    def _answer(self, case: Case, given: Facts, readings: Mapping[str, str]) -> Answer:
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
            revision=self.revision,
        )
        answer = case.answer()
        if None in answer:
            answers = spread(case)
            if len(answers) > 1:
                return replace(frame, ask=_ask(case))
            answer = next(iter(answers))
        said = dict(zip(table.fields, answer, strict=True))
        split = {name: word for name, word in said.items() if _split(word)}
        outcome = {name: word for name, word in said.items() if name not in split and word != GAP}
        gap = len(outcome) + len(split) < len(said)
        step = {i: self._step(table.rules[i]) for i in case.path(view, said)}
        sides = case.sides(view, split) if split else []
        return replace(
            frame,
            status="conflict" if split else "gap" if gap else "decided",
            outcome=MappingProxyType(outcome),
            path=tuple(step.values()),
            conflict=tuple(Side(self._step(table.rules[i]), MappingProxyType(words)) for i, words in sides),
            base=self._base_answer(case, given, readings) if gap and not split and not alone else None,
            may_change=tuple(name for name in decision.optional if name not in given and _changes(case, name, answer)),
            next=self._with_asks(self._next(case), readings),
            other_readings=tuple(self._other_readings(case, answer)),
            rests_on=MappingProxyType(
                {
                    name: tuple(step[i] for i in case.carriers(view, name, word) if i in step)
                    for name, word in outcome.items()
                }
            ),
        )

    def _other_readings(self, case: Case, answer: tuple[Said, ...]) -> Iterator[str]:
        """The unusual readings that are not chosen, and with which the answer would be another."""
        table = case.table
        aside = table.unusual & case.skip & table.fits(case.known)[0] if table.unusual else 0
        for choice in dict.fromkeys(self._choice(table.rules[i]) for i in bits(aside)):
            skip = self._with_choice(table, case.skip, choice)
            if Case(table, case.known, skip, case.top).answer() != answer:
                yield choice

    def _with_choice(self, table: Table, skip: int, choice: str) -> int:
        """The rules that do not exist when this reading is chosen besides what else is."""
        key, _, word = choice.rpartition("=")
        for i, rule in enumerate(table.rules):
            if rule.reading and self._shown(rule, rule.reading) == key:
                skip = skip & ~(1 << i) | (rule.word != word) << i
        return skip

    def _base_answer(self, case: Case, given: Facts, readings: Mapping[str, str]) -> Answer | None:
        base = self._answer(Case(case.table, case.known, case.skip, case.table.base), given, readings)
        return base if base.outcome or base.status != "gap" else None

    def _next(self, case: Case) -> Next | None:
        """The decision that goes on, with the facts that it shares and those that the rule hands over."""
        said = case.said(case.top, NEXT)
        if not isinstance(said, tuple):
            return None
        name, hand_over = said
        facts = vocabulary().decisions[name].facts
        same = {fact: value for fact, value in case.known.items() if fact in facts and value in facts[fact].values}
        return Next(name, MappingProxyType({**same, **dict(hand_over)}))

    def _with_asks(self, found: Next | None, readings: Mapping[str, str]) -> Next | None:
        """With the facts that the next decision may still need."""
        if found is None:
            return None
        case = self._case(found.decision, found.facts, readings)
        return replace(found, asks=tuple(case.missing()) if None in case.answer() else ())


def _split(said: Said) -> bool:
    return isinstance(said, frozenset)


def _ask(case: Case) -> Ask:
    """The first fact in the decision's order that can still change the answer."""
    names = case.missing()
    space = case.table.space
    values = {name: tuple(each for each in space.candidates(case.known, name) if each is not None) for name in names}
    name = next((name for name in names if differ([case.having(name, value) for value in values[name]])), names[0])
    return Ask(name, values[name])


def _changes(case: Case, name: str, answer: tuple[Said, ...]) -> bool:
    """Whether an optional fact that is not established could change the answer."""
    if case.known.get(name, MISSING) is not None:
        return False
    known = {fact: value for fact, value in case.known.items() if fact != name}
    values = case.table.space.candidates(known, name)
    return any(spread(case.having(name, value)) != {answer} for value in values if value is not None)
