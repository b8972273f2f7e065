"""The Laws and screen regulations as tables: load and check them, decide, ask the next fact, audit, explain.

A *document* is one TOML file: an edition of the Laws, a screen regulation that stands on editions, or a club's overlay
on a regulation. ``load`` checks documents, ``Library.code`` puts one on an edition, ``Code.decide`` answers.

How an answer is found: rules that fit the facts form a forest (an exception hangs under what it is an exception to);
for each outcome field the deepest live rules that state it speak. Rules are bits of whole numbers, so that each fact
costs one ``and``. A missing fact leaves two sets, rules that certainly fit and rules that may; only where these leave
a field open are the fact's values tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from .lawbook import COMPARE, Assembly, Document, Pool, Procedure, Reader, Rule, Value, comparison
from .model import EMPTY, Facts, Refused
from .vocabulary import Decision, Known, Space, checked, nearest, vocabulary
from .words import explain, show, show_lines

__all__ = ["Answer", "Code", "Finding", "Library", "Step", "explain", "load", "show", "show_lines", "vocabulary"]

Status = Literal["decided", "open", "gap", "conflict"]
# What a field is found to say: a word, GAP (declared), SILENT (no rule), a pair for `next`, a frozenset of several of
# these (a conflict), or None where a missing fact leaves it open.
_Said = Any
GAP, SILENT, NEXT = "gap", "silent", "next"
MISSING: Any = object()
_MOST = 200_000  # combinations that an audit walks for one decision: some seconds


def load(documents: Iterable[tuple[str, bytes]]) -> Library:
    """Read and check law documents, each given as (name for messages, TOML bytes); scoring policies are passed over.

    Raises Refused with everything that is wrong, a line each, naming file and rule.
    """
    faults: list[str] = []
    found: dict[str, Document] = {}
    for file, data in documents:
        document = Reader(file, faults).document(data)
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
                raise Refused(f"there are no regulations {name!r}{nearest(name, self.documents)}")
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

    def _links(self) -> list[str]:
        """What is wrong with the documents' references to each other."""
        faults = []
        for document in self.documents.values():
            place, seen, name = document.file, [document.id], document.extends
            while name and name not in seen and name in self.documents:
                seen.append(name)
                name = self.documents[name].extends
            if name == document.id:
                faults.append(
                    f"{place}: document {name} extends itself" + (f" through {', '.join(seen[1:])}" if seen[1:] else "")
                )
            elif document.extends and document.extends not in self.documents:
                faults.append(
                    f"{place}: extends {document.extends!r}, which is not there{nearest(document.extends, self.documents)}"
                )
            for edition in document.stands_on:
                if edition not in self.documents:
                    faults.append(
                        f"{place}: stands on {edition!r}, which is not there{nearest(edition, self.documents)}"
                    )
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
                        faults.append(
                            f"{document.file}: rule {rule.id}: on {edition!r}, where {name} does not stand{nearest(edition, editions)}"
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
    revision: str = ""
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
        self._base = Assembly(editions, laws, faults).pool()
        self._pool = Assembly([*editions, *self._screens], laws, faults).pool() if self._screens else self._base
        self._tables: dict[str, _Table] = {}
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
            for name, tests in rule.when.items():
                fact = vocabulary().decisions[rule.decides].facts.get(name)
                for test in tests if fact and fact.number else ():
                    try:
                        comparison(test, values)
                    except KeyError as missing:
                        faults.append(
                            f"{place}: {name} = {test!r}: no value {missing.args[0]!r}{nearest(missing.args[0], values)}"
                        )
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
                found.setdefault(self._shown(rule, rule.reading), {})[rule.word] = None
        return {key: tuple(words) for key, words in found.items()}

    def decide(self, decision: str, facts: Facts, readings: Mapping[str, str] = EMPTY) -> Answer:
        """Answer for these facts; ``readings`` choose where a text allows two (``pzbs/16.10b`` to a word).

        Raises Refused for a word that is not in the vocabulary and for facts that cannot be.
        """
        table = self._table(decision)
        given = checked(table.decision, facts)
        space = table.space
        known: Known = {}
        for name in table.decision.facts:
            if name in given:
                known = space.with_fact(known, name, space.banded(name, given[name]))
        for name in table.decision.facts:
            if name not in known and (name in table.decision.optional or space.candidates(known, name) == (None,)):
                known = space.with_fact(known, name, None)
        return self._answer(_Case(table, known, self._unread(table, readings), table.view), given)

    def answers(self, decision: str) -> bool:
        """Whether any rule in force speaks of the decision."""
        return any(rule.decides == decision for rule in self._pool.rules.values())

    def shown(self, rule: Rule) -> str:
        """The rule's full id; a rule of an earlier edition that still holds counts as one of the edition asked."""
        return self._shown(rule, rule.id)

    def audit(self, decision: str | None = None) -> list[Finding]:
        """Walk every combination of facts of one decision, or of all that the document touches.

        Finds gaps that no rule declares, conflicts that are no readings of one text, rules that never fit and rules
        that never have an effect, and decisions with more than 200,000 combinations, which are not walked.
        """
        findings: list[Finding] = []
        for name in vocabulary().decisions if decision is None else (decision,):
            table = self._table(name)
            mine = table.screen if self._screens else table.laws
            if mine or table.covered:
                findings += self._walk(table, [i for i in _bits(mine) if self._mine(table.rules[i])])
        return findings

    def _mine(self, rule: Rule) -> bool:
        return not self._screens or rule.document == self.regulations

    def _walk(self, table: _Table, mine: Sequence[int]) -> Iterator[Finding]:
        decision, view = table.decision, table.view
        where = f"{self.regulations} on {self.laws}" if self._screens else self.laws
        size = 1
        for fact in decision.facts:
            size *= len(table.space.values[fact]) + (fact in decision.optional)
        if size > _MOST:
            text = f"{where}, {decision.name}: {size} combinations of facts are too many to walk (at most {_MOST})"
            yield Finding("too-many", decision.name, "", EMPTY, size, f"{text}; split it into two decisions with next")
            return
        found: dict[tuple[str, str], tuple[Known, int]] = {}
        fired = effective = worlds = 0
        for known in table.space.worlds({}, tuple(decision.facts)):
            worlds += 1
            case = _Case(table, known, 0, view)
            said = dict(zip(table.fields, case.answer(), strict=True))
            silent = [name for name, word in said.items() if word == GAP and case.silent(view, name)]
            split = [name for name, word in said.items() if isinstance(word, frozenset) and not self._read(case, name)]
            for code, names in (("gap", silent), ("conflict", split)):
                if names:
                    example, count = found.get((code, ", ".join(names)), (known, 0))
                    found[code, ", ".join(names)] = example, count + 1
            fired |= case.alive(view)[0]
            for name in table.fields:
                for i in case.leaves(view, name):
                    effective |= 1 << i
        for (code, names), (known, count) in found.items():
            facts = {name: value for name, value in known.items() if value is not None and name in decision.facts}
            example = ", ".join(f"{name}={value}" for name, value in facts.items())
            what = "no rule says anything on" if code == "gap" else "rules differ, and are no readings of one text, on"
            text = f"{where}, {decision.name}: {what} {names} in {count} of {worlds} combinations, as {example}"
            yield Finding(code, decision.name, names, MappingProxyType(facts), count, text)
        for i in mine:
            rule = self.shown(table.rules[i])
            if not fired >> i & 1:
                yield Finding(
                    "never-fires", decision.name, rule, EMPTY, 0, f"{where}: rule {rule} never fits any facts"
                )
            elif not effective >> i & 1:
                text = f"{where}: rule {rule} never has an effect: wherever it fits, exceptions to it say everything"
                yield Finding("no-effect", decision.name, rule, EMPTY, 0, text)

    def _read(self, case: _Case, name: str) -> bool:
        """Whether a conflict is one of readings: all that differ are readings of one text."""
        sides = case.sides(case.top, {name: case.said(case.top, name)})
        keys = {self._shown(rule, rule.reading) if (rule := case.table.rules[i]).reading else "" for i in sides}
        return len(keys) == 1 and "" not in keys

    def _table(self, decision: str) -> _Table:
        if decision not in self._tables:
            known = vocabulary().decisions
            if decision not in known:
                raise Refused(f"there is no decision {decision!r}{nearest(decision, known)}")
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
                raise Refused(f"there are no readings {key!r}{nearest(key, known)}")
            if word not in known[key]:
                raise Refused(f"{key} has no reading {word!r}{nearest(word, known[key])}")
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
            revision=self.revision,
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
                {
                    name: tuple(step[i] for i in case.carriers(view, name, word) if i in step)
                    for name, word in outcome.items()
                }
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


class _Table:
    """The rules of one decision for one document on one edition, as bits: finds what they say for known facts."""

    def __init__(self, decision: Decision, base: Pool, pool: Pool, displaced: Callable[[str], bool]) -> None:
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
        self.space = Space(decision, self.limits(base, pool))
        self.allow = {
            name: self.allowing(name, base, pool) for name in (*decision.facts, *decision.derived) if self.tested(name)
        }
        self.touched = {name: self.touching(name) for name in decision.facts}

        def view(members: Pool, parents: Callable[[str], frozenset[str]], loose: set[str], silenced: int) -> _View:
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

    def limits(self, base: Pool, pool: Pool) -> dict[str, list[int]]:
        cuts: dict[str, set[int]] = {}
        for rule in self.rules:
            for name, tests in rule.when.items():
                if name in self.decision.facts and self.decision.facts[name].number:
                    values = (base if rule.key in base.rules else pool).values
                    cuts.setdefault(name, set()).update(comparison(test, values)[1] for test in tests)
        return {name: sorted(each) for name, each in cuts.items()}

    def tested(self, name: str) -> int:
        return sum(1 << i for i, rule in enumerate(self.rules) if name in rule.when)

    def allowing(self, name: str, base: Pool, pool: Pool) -> dict[str | int | None, int]:
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
                    hits = any(
                        COMPARE[sign](value, limit) for sign, limit in (comparison(test, values) for test in tests)
                    )
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

    def fits(self, known: Known) -> tuple[int, int]:
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

    def __init__(self, table: _Table, known: Known, skip: int, top: _View) -> None:
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
            known: Known = {}
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
            if name not in self.known
            and table.touched[name] & undecided
            and len(self.table.space.candidates(self.known, name)) > 1
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
            if (
                word is None
                or word == said
                or (isinstance(said, frozenset) and (word in said or isinstance(word, frozenset)))
            ):
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
