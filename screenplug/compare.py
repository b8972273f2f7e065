"""What changes when another document is in force: the smallest sets of facts on which two documents part.

For each decision and outcome field every combination of facts is put to both documents. A *difference* fixes as few
facts as can be so that each of the two says one thing on the field, and not the same, whatever the facts that it leaves
out. Differences are found by the number of facts that they fix, the fewest first, until every combination on which the
documents part lies in one; a difference that adds no combination is left out. Those that differ in the value of one
fact alone are put together (``offender`` N or S), and so are fields with the same facts. A fact worked out from others
(``mover``) counts as one fact. A silence, and a conflict of readings, is an answer like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from .laws import Code
from .model import EMPTY
from .tables import GAP, Said, spread
from .vocabulary import Decision, Space, Vocabulary, plain, vocabulary

_CITED = 12  # combinations of values of one difference whose articles are looked up
_SHOWN = 4  # articles that people see of one side; JSON has all

Box = tuple[tuple[str, frozenset[Any]], ...]  # facts with the values for which something holds
Pair = tuple[frozenset[Said], frozenset[Said]]  # all that each of the two may say there


@dataclass(frozen=True, slots=True)
class Word:
    """What one document says on a field, with the articles: a word, ``gap``, or several words that conflict."""

    says: tuple[str | tuple[str, ...], ...]
    cites: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """``says`` lists what may be said; a list in it holds the words of a conflict."""
        says = [list(each) if isinstance(each, tuple) else each for each in self.says]
        return {"says": says, "cites": "; ".join(self.cites)}


@dataclass(frozen=True, slots=True)
class Span:
    """Whole numbers of a fact: from ``low`` to ``high``, or up from it when ``high`` is None."""

    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Facts, each with the values for which it holds (None: not established), and by field what each document says."""

    facts: Mapping[str, tuple[str | Span | None, ...]]
    fields: Mapping[str, tuple[Word, Word]]
    share: float

    def to_json(self) -> dict[str, Any]:
        """``share`` is the part of all combinations of facts on which it holds, between 0 and 1."""
        return {
            "facts": {name: [_value_json(value) for value in values] for name, values in self.facts.items()},
            "fields": {name: {"a": a.to_json(), "b": b.to_json()} for name, (a, b) in self.fields.items()},
            "share": round(self.share, 4),
        }


@dataclass(frozen=True, slots=True)
class Unequal:
    """A value that two documents do not share; None where one of them has none."""

    id: str
    one: tuple[str | int, tuple[str, ...]] | None
    other: tuple[str | int, tuple[str, ...]] | None

    def to_json(self) -> dict[str, Any]:
        """The value of both with the articles."""
        sides = {"a": self.one, "b": self.other}
        cited = {side: each and {"is": each[0], "cites": "; ".join(each[1])} for side, each in sides.items()}
        return {"id": self.id, **cited}


def values(one: Code, other: Code) -> list[Unequal]:
    """The numbers and roles in which two documents differ."""
    sides = [{each.id: (each.value, each.cites) for each in code.cited_values} for code in (one, other)]
    found = [Unequal(name, sides[0].get(name), sides[1].get(name)) for name in dict.fromkeys([*sides[0], *sides[1]])]
    return [each for each in found if not (each.one and each.other and each.one[0] == each.other[0])]


def compare(one: Code, other: Code, decision: str, readings: Mapping[str, str] = EMPTY) -> list[Difference]:
    """Where two documents part on one decision, the differences that need the fewest facts first.

    Raises Refused for an unknown decision or reading.
    """
    return Comparison((one, other), decision, readings).differences()


class Comparison:
    """Two codes on one decision, with all their answers."""

    def __init__(self, codes: tuple[Code, Code], decision: str, readings: Mapping[str, str]) -> None:
        self.codes, self.readings = codes, readings
        tables = [code.table(decision) for code in codes]
        self.decision: Decision = tables[0].decision
        limits: dict[str, set[int]] = {}
        for table in tables:
            for name, cuts in table.space.limits.items():
                limits.setdefault(name, set()).update(cuts)
        self.space = Space(self.decision, {name: sorted(cuts) for name, cuts in limits.items()})
        self.facts = [name for name in self.decision.facts if any(table.touched[name] for table in tables)]
        self.derived = [name for name, each in self.decision.derived.items() if set(each.sources) <= set(self.facts)]
        self.worlds = list(self.space.worlds({}, tuple(self.facts)))
        self.answers = [list(self.answered(code)) for code in codes]

    def answered(self, code: Code) -> Iterator[tuple[Said, ...]]:
        """What a code says on all fields, for every combination of facts."""
        table = code.table(self.decision.name)
        alike = not any(rule.as_if for rule in table.rules)  # then the answer hangs only on the rules that fit
        seen: dict[int, tuple[Said, ...]] = {}
        for known in self.worlds:
            case = code.case(self.decision.name, known, self.readings)
            key = case.sure if alike and case.sure == case.maybe else -1
            answer = seen.get(key)
            if answer is None:
                answer = case.answer()
                if None in answer:  # whatever the facts that no rule asks for
                    answer = next(iter(spread(case)))
                if key >= 0:
                    seen[key] = answer
            yield answer

    def differences(self) -> list[Difference]:
        grouped: dict[Box, dict[str, tuple[Word, Word]]] = {}
        for position, name in enumerate(self.decision.outcome):
            pairs = [(a[position], b[position]) for a, b in zip(*self.answers, strict=True)]
            if all(a == b for a, b in pairs):
                continue
            for box, pair in self.boxes(pairs):
                said = (self.word(0, name, box, pair[0]), self.word(1, name, box, pair[1]))
                grouped.setdefault(box, {})[name] = said
        found = [
            Difference(
                MappingProxyType({name: self.shown(name, values) for name, values in box}),
                MappingProxyType(fields),
                self.size(box) / len(self.worlds),
            )
            for box, fields in grouped.items()
        ]
        return sorted(found, key=lambda each: (len(each.facts), -each.share))

    def boxes(self, pairs: Sequence[tuple[Said, Said]]) -> list[tuple[Box, Pair]]:
        """The fewest facts on which the two part whatever the rest, together all on which they part."""
        names = self.needed(pairs)
        names += [name for name in self.derived if not set(self.decision.derived[name].sources).isdisjoint(names)]
        table = {tuple(known[name] for name in names): pair for known, pair in zip(self.worlds, pairs, strict=True)}
        open_rows = {row for row, (a, b) in table.items() if a != b}
        found: list[tuple[Box, Pair]] = []
        for size in range(len(names) + 1):
            offered: dict[tuple[tuple[int, ...], Pair], set[tuple[Any, ...]]] = {}
            for places in combinations(range(len(names)), size):
                pick = _picker(places)
                said: dict[tuple[Any, ...], tuple[set[Said], set[Said]]] = {}
                for row, (a, b) in table.items():
                    words = said.setdefault(pick(row), (set(), set()))
                    words[0].add(a)
                    words[1].add(b)
                useful = {pick(row) for row in open_rows}
                for key in useful:
                    first, second = said[key]
                    settled = len(first) == len(second) == 1 and first != second
                    if settled and self.sayable([names[place] for place in places], key):
                        offered.setdefault((places, (frozenset(first), frozenset(second))), set()).add(key)
            boxes = [
                (places, pair, box, [row for row in open_rows if _inside(row, places, box)])
                for (places, pair), keys in offered.items()
                for box in _merged(keys, len(places))
            ]
            for places, pair, box, covered in sorted(boxes, key=lambda each: -len(each[3])):
                if not open_rows.isdisjoint(covered):
                    open_rows.difference_update(covered)
                    found.append((tuple((names[place], box[i]) for i, place in enumerate(places)), pair))
            if not open_rows:
                break
        return found

    def needed(self, pairs: Sequence[tuple[Said, Said]]) -> list[str]:
        """The facts on which it depends what the two say."""
        names = list(self.facts)
        # A fact that only sometimes applies goes first: what it depends on says as much.
        for name in sorted(self.facts, key=lambda each: each not in self.decision.when):
            if any(name in self.decision.when.get(other, ()) for other in names):
                continue
            rest = [other for other in names if other != name]
            said: dict[tuple[Any, ...], tuple[Said, Said]] = {}
            for known, pair in zip(self.worlds, pairs, strict=True):
                if said.setdefault(tuple(known[other] for other in rest), pair) != pair:
                    break
            else:
                names = rest
        return names

    def sayable(self, names: Sequence[str], row: Sequence[Any]) -> bool:
        """Whether the values can be said: a fact that does not apply has none."""
        return all(value is not None or name in self.decision.optional for name, value in zip(names, row, strict=True))

    def size(self, box: Box) -> int:
        return sum(all(known[name] in values for name, values in box) for known in self.worlds)

    def word(self, side: int, field: str, box: Box, said: frozenset[Said]) -> Word:
        """What one of the two says, with its articles for the facts that are fixed."""
        cites: dict[str, bool] = {}  # each with whether it is the base Laws'
        names = [name for name, _ in box]
        orders = [self.ordered(name, values) for name, values in box]
        for row in islice(product(*orders), _CITED):
            case = self.codes[side].case(self.decision.name, dict(zip(names, row, strict=True)), self.readings)
            for each in said:
                for i in case.carriers(case.top, field, each):
                    articles = self.codes[side].cites(case.table.rules[i])
                    cites |= dict.fromkeys(articles, bool(case.table.laws >> i & 1))
        says = [tuple(sorted(each)) if isinstance(each, frozenset) else each for each in said]
        return Word(tuple(sorted(says, key=str)), tuple(sorted(cites, key=lambda article: cites[article])))

    def ordered(self, name: str, values: Iterable[Any]) -> list[Any]:
        known = self.space.values.get(name) or self.decision.derived[name].values
        return sorted(values, key=lambda value: known.index(value) if value is not None else len(known))

    def shown(self, name: str, values: Iterable[Any]) -> tuple[str | Span | None, ...]:
        """The values of one fact, numbers as spans."""
        fact = self.decision.facts.get(name)
        if fact is None or not fact.number:
            return tuple(self.ordered(name, values))
        limits, spans = self.space.limits[name], list[Span]()
        for value in sorted(values):
            low = max((limit + 1 for limit in limits if limit < value), default=0)
            high = min((limit - 1 for limit in limits if limit > value), default=None)
            low, high = (value, value) if value in limits else (low, high)
            if spans and spans[-1].high == low - 1:
                spans[-1] = Span(spans[-1].low, high)
            else:
                spans.append(Span(low, high))
        return tuple(spans)


def _picker(places: Sequence[int]) -> Any:
    if len(places) > 1:
        return itemgetter(*places)
    return (lambda row: (row[places[0]],)) if places else (lambda row: ())


def _inside(row: Sequence[Any], places: Sequence[int], box: Sequence[frozenset[Any]]) -> bool:
    return all(row[place] in box[i] for i, place in enumerate(places))


def _merged(keys: Iterable[tuple[Any, ...]], size: int) -> list[tuple[frozenset[Any], ...]]:
    """Value by value put together where all the other facts are alike."""
    boxes = {tuple(frozenset([value]) for value in key) for key in keys}
    for place in range(size):
        alike: dict[tuple[Any, ...], frozenset[Any]] = {}
        for box in boxes:
            rest = (*box[:place], *box[place + 1 :])
            alike[rest] = alike.get(rest, frozenset()) | box[place]
        boxes = {(*rest[:place], values, *rest[place:]) for rest, values in alike.items()}
    return sorted(boxes, key=repr)


def _value_json(value: str | Span | None) -> Any:
    return {"from": value.low, "to": value.high} if isinstance(value, Span) else value


def lines(codes: tuple[Code, Code], decision: str, found: Sequence[Difference]) -> list[str]:
    """The differences on one decision for people, the most frequent of the shortest first."""
    words = vocabulary()
    shown = [f"{words.decisions[decision].title} ({decision})"]
    for each in found:
        facts = ", ".join(f"{plain(name)} {_values(values, words)}" for name, values in each.facts.items())
        shown.append(f"  {facts or words.words['always']}:")
        for name, said in each.fields.items():
            shown.append(f"    {plain(name)}:")
            for code, word in zip(codes, said, strict=True):
                shown.append(f"      {title(code, codes)}: {_said(words, decision, name, word)}")
    return shown


def value_lines(codes: tuple[Code, Code], found: Sequence[Unequal]) -> list[str]:
    """The values that differ for people."""
    word = vocabulary().words
    shown = [word["values"]] if found else []
    for each in found:
        sides = zip(codes, (each.one, each.other), strict=True)
        texts = [f"{title(code, codes)} {_cited(side) if side else word['none']}" for code, side in sides]
        shown.append(f"  {each.id}: {', '.join(texts)}")
    return shown


def title(code: Code, codes: tuple[Code, Code]) -> str:
    """The document's id, with the edition where that is what tells the two apart."""
    return code.regulations if len({each.regulations for each in codes}) > 1 else f"{code.regulations} on {code.laws}"


def _cited(side: tuple[str | int, tuple[str, ...]]) -> str:
    return f"{side[0]} [{'; '.join(side[1])}]"


def _values(values: Sequence[str | Span | None], words: Vocabulary) -> str:
    word = words.words
    return f" {word['or']} ".join(_value(value, word) for value in values)


def _value(value: str | Span | None, word: Mapping[str, str]) -> str:
    if isinstance(value, Span):
        if value.high is None:
            return f"{value.low} {word['or-more']}"
        return f"{value.low}" if value.low == value.high else f"{value.low} {word['to']} {value.high}"
    return plain(value) if value is not None else word["unknown"]


def _said(words: Vocabulary, decision: str, name: str, said: Word) -> str:
    """A sentence, or the readings in short; and the articles, the document's own first."""
    word = words.words
    (one,) = said.says
    if isinstance(one, str):
        text = f"{word['silent'].capitalize()}." if one == GAP else words.sentence(decision, name, one)
    else:
        text = f"{word['conflict'].lower()}: {' / '.join(_short(each, word) for each in one)}"
    more = [f"{len(said.cites) - _SHOWN} {word['more']}"] if len(said.cites) > _SHOWN else []
    cites = "; ".join([*said.cites[:_SHOWN], *more])
    return f"{text} [{cites}]" if cites else text


def _short(each: str, word: Mapping[str, str]) -> str:
    return word["silent"] if each == GAP else plain(each)
