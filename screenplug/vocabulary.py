"""The vocabulary of the law tables: facts and how they hang together, outcome fields, and the words for people."""

from __future__ import annotations

import difflib
import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from itertools import product
from types import MappingProxyType
from typing import Any, cast

from .model import EMPTY, Facts, Refused

_SENTENCES = "# ================ sentences\n"  # the line of the vocabulary from which on it is only told to people
MOST_DIGITS = 6  # of a fact that is a number

Known = dict[str, str | int | None]  # facts and derived facts that are settled; None: absent or not established


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


@dataclass(frozen=True)
class Vocabulary:
    """All decisions, the triage list, the commonest incidents (title, decision, facts), and the wording for people."""

    decisions: Mapping[str, Decision]
    triage: tuple[tuple[str, tuple[str, ...]], ...]
    incidents: tuple[tuple[str, str, Facts], ...]
    words: Mapping[str, str]
    _sentences: str

    @cached_property
    def _wording(self) -> dict[str, Any]:
        """The larger half of the vocabulary, read when something is told to people."""
        return tomllib.loads(self._sentences)

    @property
    def say(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """By decision (or ``common``), outcome field and value, what it says."""
        return cast("Mapping[str, Mapping[str, Mapping[str, str]]]", self._wording["say"])

    @property
    def tell(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """By decision (or ``common``), fact and value, what happened."""
        return cast("Mapping[str, Mapping[str, Mapping[str, str]]]", self._wording["tell"])

    @cached_property
    def parts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The headings under which an answer is told, in order, each with its outcome fields."""
        return tuple((part["title"], tuple(part["fields"])) for part in self._wording["part"].values())

    def sentence(self, decision: str, name: str, value: str) -> str:
        """What an outcome field's value says to a director."""
        return _worded(self.say, decision, name, value)

    def told(self, decision: str, name: str, value: str | int) -> str:
        """What happened, by a fact's value; a seat by its name."""
        return _worded(self.tell, decision, name, str(value), self._wording["seat"])


def _worded(
    texts: Mapping[str, Mapping[str, Mapping[str, str]]],
    decision: str,
    name: str,
    value: str,
    seats: Mapping[str, str] = EMPTY,
) -> str:
    for scope in (decision, "common"):
        sentences = texts.get(scope, {}).get(name, {})
        if text := sentences.get(value, sentences.get("*", "")):
            return text.replace("{value}", seats.get(value, value))
    return f"{plain(name)}: {plain(value)}."


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The vocabulary that ships, read once."""
    return read(resources.files("screenplug").joinpath("vocabulary.toml").read_text(encoding="utf-8"))


def read(text: str) -> Vocabulary:
    """A vocabulary from the text of ``vocabulary.toml``, or of a translation of it."""
    words, _, sentences = text.partition(_SENTENCES)
    raw = tomllib.loads(words)
    derived = {
        name: Derived(name, tuple(entry["from"]), tuple(entry["values"]), entry["impossible"])
        for name, entry in raw["derived"].items()
    }
    return Vocabulary(
        decisions={name: _decision(name, entry, raw["fact"], derived) for name, entry in raw["decision"].items()},
        triage=tuple((entry["title"], tuple(entry["decisions"])) for entry in raw["triage"]),
        incidents=tuple((entry["title"], entry["decision"], entry.get("facts", {})) for entry in raw["incident"]),
        words=raw["words"],
        _sentences=sentences,
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
        when={fact: lists(clauses) for fact, clauses in entry.get("when", {}).items()},
        impossible=tuple((lists(each["when"]), each["because"]) for each in entry.get("impossible", ())),
        outcome={key: () if words == "reference" else tuple(words) for key, words in entry["outcome"].items()},
        references=frozenset(key for key, words in entry["outcome"].items() if words == "reference"),
    )


def lists(clauses: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
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


def plain(word: str) -> str:
    return word.replace("-", " ")


def nearest(word: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` or the whole list when nothing is near and the list is short."""
    words = sorted(known)
    near = difflib.get_close_matches(word, words, 1, 0.5)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; known: {', '.join(words)}" if 0 < len(words) <= 12 else ""


def checked(decision: Decision, facts: Facts) -> dict[str, str | int]:
    """The facts in the vocabulary's words. Raises Refused for an unknown word or facts that cannot be together."""
    given: dict[str, str | int] = {}
    for name, value in facts.items():
        if name in decision.derived:
            sources = " and ".join(decision.derived[name].sources)
            raise Refused(f"{name} is worked out from {sources}", remedy=f"Give {sources} instead")
        fact = decision.facts.get(name)
        if fact is None:
            raise Refused(f"{decision.name} has no fact {name!r}{nearest(name, decision.facts)}")
        if _too_long(value):
            raise Refused(f"{name} has more than {MOST_DIGITS} digits", remedy="Correct it")
        if fact.number:
            if isinstance(value, bool) or not re.fullmatch(r"\d+", str(value)):
                raise Refused(f"{name} = {value!r} is no whole number")
            given[name] = int(value)
        elif str(value) not in fact.values:
            raise Refused(f"{name} cannot be {str(value)!r}{nearest(str(value), fact.values)}")
        else:
            given[name] = str(value)
    for name, clauses in decision.when.items():
        for other, allowed in clauses.items():
            if name in given and given.get(other, allowed[0]) not in allowed:
                reason = decision.facts[name].absent
                raise Refused(
                    f"{name} = {given[name]} cannot be: {reason}", remedy=f"Leave out {name}, or correct {other}"
                )
    for pattern, because in decision.impossible:
        if all(given.get(name) in allowed for name, allowed in pattern.items()):
            raise Refused(
                f"These facts cannot be together: {_filled(because, given)}", remedy=f"Correct {' or '.join(pattern)}"
            )
    for each in decision.derived.values():
        row = [given.get(source) for source in each.sources]
        if not _possible(each, row):
            reason = _filled(each.impossible, given)
            raise Refused(f"These facts cannot be together: {reason}", remedy=f"Correct {' or '.join(each.sources)}")
    return given


def _too_long(value: str | int) -> bool:
    if isinstance(value, int):
        return abs(value) >= int("1" + MOST_DIGITS * "0")
    return len(str(value)) > MOST_DIGITS and str(value).isdecimal()


def _filled(text: str, facts: Facts) -> str:
    return re.sub(r"\{([a-z-]+)\}", lambda match: str(facts[match[1]]), text)


class Space:
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
        return (
            _band(self.limits.get(name, ()), value) if self.decision.facts[name].number and value is not None else value
        )

    def with_fact(self, known: Known, name: str, value: str | int | None) -> Known:
        """The known facts and one more, with what follows from it."""
        more = {**known, name: value}
        for each in self.feeds[name]:
            if all(source in more for source in each.sources):
                more[each.name] = _derive(each, [more[source] for source in each.sources])
        return more

    def candidates(self, known: Known, name: str) -> tuple[str | int | None, ...]:
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

    def fits(self, known: Known, name: str, value: str | int) -> bool:
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

    def worlds(self, known: Known, names: Sequence[str]) -> Iterator[Known]:
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
    edges = (number for limit in limits for number in (limit - 1, limit, limit + 1) if number >= 0)
    return tuple(dict.fromkeys(_band(limits, number) for number in edges)) or (0,)


def _band(limits: Sequence[int], number: int) -> int:
    """The number that stands for this one in ``_bands``."""
    i = bisect_left(limits, number)
    if (i < len(limits) and limits[i] == number) or not limits:
        return number if limits else 0
    return max(limits[i - 1] + 1, 0) if i else limits[0] - 1  # a limit below 0 cuts nothing
