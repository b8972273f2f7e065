"""Whether the score of a ruling is one that the edition lets the Director, or the committee, give (Law 12).

An error is only what the tables exclude, whatever the facts that the entry does not have. What they let stand for some
of these facts, and what the grounds speak against without a text that forbids it, is a note. ``check`` and ``rule``
both go by this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Literal

from .laws import Answer, Code, vocabulary
from .model import EMPTY, TABLE, Award, Outcome, Refused, Ruling

_SIDES = ("ns", "ew")
_ARTIFICIAL = ("average", "percent", "imps")
_LETTER = {"average-plus": "A+", "average": "A", "average-minus": "A-"}
_PARTNERS = {"N": "ns", "S": "ns", "E": "ew", "W": "ew"}
_MOST = 500  # sets of facts that are looked through for one question

# What the words of an outcome say about the score: that it is adjusted, by a result or by an average; that it is not;
# or that something else still decides it.
_ASSIGNED = {"adjusted-score": {"assigned", "should", "may", "will"}, "redress": {"yes"}}
_AVERAGE = {"adjusted-score": {"artificial"}, "board": {"artificial"}, "artificial-for": {"those-deprived"}}
_EITHER = {"board": {"adjusted"}, "adjust": {"yes"}}
_NONE = {"adjusted-score": {"none"}, "redress": {"no"}, "adjust": {"no"}}
_OPEN = {
    "adjusted-score": {"by-law", "fact-question"},
    "redress": {"fact-question"},
    "adjust-later": {"yes"},
    "board": {"cancelled", "by-td"},
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong (``error``) or doubtful (``note``) about an award."""

    severity: Literal["note", "error"]
    code: str
    text: str


def findings(
    ruling: Ruling, code: Code, answers: Sequence[Answer | Refused | None], obtained: bool = False
) -> Iterator[Finding]:
    """What the edition has against the score of a ruling; nothing when its ``override`` gives the reason.

    ``answers`` are those to its grounds, in order; ``obtained``: the file has a result for it.
    """
    if ruling.override or any(isinstance(answer, Refused) for answer in answers):
        return
    award = _Award(ruling, code, answers, obtained)
    if not award.adjusted:
        if ruling.score in (None, TABLE) and ruling.where and ruling.state == "final":
            yield from award.not_given()
        if ruling.score not in (None, TABLE):
            yield from award.not_due()
        return
    excluded = next((found for part in (award.power, award.kind, award.weights) for found in part()), None)
    if excluded:
        yield excluded
    else:
        yield from award.doubtful_kind()
    for part in (award.fault, award.own_error, award.balance, award.stage, award.not_due):
        yield from part()


class _Award:
    """One score with the answers to the grounds of its ruling."""

    def __init__(self, ruling: Ruling, code: Code, answers: Sequence[Answer | Refused | None], obtained: bool) -> None:
        self.ruling, self.code = ruling, code
        score = ruling.score or TABLE
        self.sides: Mapping[str, Award] = {"ns": score.ns, "ew": score.ew}
        first = _outcome(ruling.table)
        self.obtained = obtained or first is not None
        # The result of the table written out is the result of the table.
        given = [each for each in self.sides.values() if each.outcomes != ((Fraction(1), first),)]
        self.assigned = any(each.kind == "outcomes" for each in given)
        self.artificial = any(each.kind in _ARTIFICIAL for each in given)
        self.adjusted = self.assigned or self.artificial
        self.answers: dict[str, list[Answer]] = {name: [] for name in vocabulary().decisions}
        self.open = not ruling.grounds  # the reason comes later, or stands in words, or is not decided
        for ground, answer in zip(ruling.grounds, answers, strict=True):
            if isinstance(answer, Answer):
                self.answers[ground.decision].append(answer)
            if not isinstance(answer, Answer) or (
                answer.status != "decided" and ground.decision != "adjusted-score-kind"
            ):
                self.open = True
        self.left = any(self._saying(_OPEN))
        self.open = self.open or self.left
        self.at = "appeal" if ruling.stage == "appeal" else "table"

    # ------------------------------------------------------------------------------------------- what the grounds say

    def _saying(self, *words: Mapping[str, set[str]]) -> Iterator[tuple[Answer, str]]:
        """The answers that say one of these words, with its field."""
        fields = [each for one in words for each in one.items()]
        for answer in (answer for found in self.answers.values() for answer in found):
            for name, known in fields:
                if answer.outcome.get(name) in known:
                    yield answer, name

    def _last(self, decision: str) -> Answer | None:
        return self.answers[decision][-1] if self.answers[decision] else None

    def _adjusting(self) -> bool:
        """Whether a ground adjusts the score."""
        return any(self._saying(_ASSIGNED, _AVERAGE, _EITHER)) or bool(self.answers["fault"])

    def _kinds(self) -> tuple[Answer, ...]:
        """What the edition says of the kind of adjusted score for every fact that is not known."""
        ground = self._last("adjusted-score-kind")
        facts = dict(ground.facts) if ground else {"result": "obtained"} if self.obtained else {}
        return _all_answers(self.code, "adjusted-score-kind", {**facts, "stage": self.at}, self.ruling.readings)

    # ------------------------------------------------------------------------------------------------- what it excludes

    def power(self) -> Iterator[Finding]:
        """Laws 12A and 12B: no adjustment where the only ground given for it is one that the Law rejects."""
        refused = next(((answer, name) for answer, name in self._saying({"adjust": {"no"}})), None)
        if refused and not self.open and not self._adjusting():
            yield _error(f"{self.code.laws} gives no power to adjust the score on that ground", refused)

    def kind(self) -> Iterator[Finding]:
        """Law 12C: an artificial score where a result can be assigned, or a result where none can be obtained."""
        ground, kinds = self._last("adjusted-score-kind"), self._kinds()
        averages, results = next(self._saying(_AVERAGE), None), next(self._saying(_ASSIGNED), None)
        either = next(self._saying(_EITHER), None)
        only = {answer.outcome.get("kind") for answer in kinds}
        if self.left if ground else self.open:
            return
        if self.assigned:
            if ground and only == {"artificial"}:
                text = f"{self.code.laws} allows no assigned score where no result can be obtained"
                yield _error(text, *_fields(kinds, "kind"))
            elif averages and not (results or either or ground):
                yield _error("its own grounds ask for an artificial score", averages)
        known = ground or (self.obtained and results and not self.answers["fault"])
        if self.artificial and known and only == {"assigned"} and not (averages or (either and not ground)):
            other = ground is not None and ground.facts.get("other-table", "none") != "none"
            text = f"{self.code.laws} allows no artificial score where "
            text += "the other table has a result that favours a side" if other else "a result was obtained"
            if other and self.code.values.get("other-table-binds") != "yes":
                text = f"{self.code.laws} would have a score assigned where the other table's result favours a side"
                yield _note(f"{text} ({_cites(_fields(kinds, 'kind'))}), but does not exclude an artificial one")
                return
            if ground and ground.facts.get("possibilities") == "few" and self._would_be_open(ground):
                text += " and the possible results are few"
            yield _error(text, *_fields(kinds, "kind"))

    def _would_be_open(self, ground: Answer) -> bool:
        """Whether more possible results would make the artificial score one of two kinds."""
        facts = {**ground.facts, "possibilities": "numerous", "stage": self.at}
        many = _all_answers(self.code, "adjusted-score-kind", facts, self.ruling.readings)
        return any(answer.outcome.get("kind") == "either" for answer in many)

    def doubtful_kind(self) -> Iterator[Finding]:
        """Law 12C1(d) of 2007 and 2017: an artificial score where there is a result needs its reason."""
        grounds = any(self._saying(_ASSIGNED)) and not any(self._saying(_AVERAGE, _EITHER))
        if not self.artificial or self.open or not grounds or self.answers["fault"] or not self.obtained:
            return
        either = [answer for answer in self._kinds() if answer.outcome.get("kind") == "either"]
        if either and self._last("adjusted-score-kind") is None:
            text = "an artificial score where a result was obtained is for possible results that are too many to weigh"
            yield _note(f"{text} ({_cites(_fields(either, 'kind'))}); say so in a ground adjusted-score-kind")

    def weights(self) -> Iterator[Finding]:
        """Law 12C1(c), and 12C3 of 1997: who may weight, and in which edition."""
        if not any(len(side.outcomes) > 1 for side in self.sides.values()):
            return
        kinds = self._kinds()
        if kinds and all(answer.outcome.get("weights") == "no" for answer in kinds):
            about = [answer for answer in kinds if answer.outcome.get("kind") != "artificial"] or kinds
            where = f"{self.code.laws} allows no weighted score at the {self.at}"
            yield _error(where, *_fields(about, "weights"), remedy="give one result")

    def fault(self) -> Iterator[Finding]:
        """Law 12C2, 12C1 before 2007: averages go by who is at fault; Law 82C: nobody is after a Director's error."""
        answer = self._last("fault")
        if answer:
            for side in _SIDES:
                word = answer.outcome.get(side, "")
                if word not in _LETTER or self.sides[side].kind not in _ARTIFICIAL:
                    continue
                wrong = self._against(self.sides[side], word)
                how = {"directly": "directly at fault", "partly": "partly at fault"}.get(
                    str(answer.facts.get(side)), "not at fault"
                )
                text = f"{self.code.laws} gives {side.upper()}, {how}, {word.replace('-', ' ')}, not {self.sides[side]}"
                if wrong == "error":
                    yield _error(text, (answer, side), remedy="look at the ground")
                elif wrong:
                    yield _note(f"{text} ({_cites([(answer, side)])}), unless a regulation varies it")
        elif not self.open:
            error = next(self._saying({"sides": {"both-non-offending"}}), None)
            error = None if any(self._saying(_ASSIGNED, _AVERAGE)) else error  # an infraction of theirs as well
            for side in _SIDES:
                if error and self.sides[side].average == "A-":
                    text = f"after a Director's error {self.code.laws} treats both sides as non-offending"
                    yield _error(f"{text}, so {side.upper()} get no {self.sides[side]}", error)
            for side in sorted(self._offenders()):
                if self.sides[side].average == "A+":
                    text = f"{side.upper()} get average plus, for a side in no way at fault, but theirs was the call"
                    yield _note(f"{text}; say in a ground fault who is at fault")

    def _against(self, award: Award, word: str) -> str:
        """Whether an average differs from the one that goes by the fault: error, note, or nothing."""
        if award.kind == "average":
            return "" if award.average == _LETTER[word] else "error"
        amount = award.amount or Fraction(0)
        if award.kind == "imps":
            # How many IMPs is for regulations to vary in most editions; which side gains is not.
            return "error" if {"average-plus": amount < 0, "average-minus": amount > 0}.get(word, False) else ""
        if f"{word}-percent" not in self.code.values:
            return ""
        due = Fraction(self.code.values[f"{word}-percent"])
        low, high = {"average-plus": (due, Fraction(100)), "average-minus": (Fraction(0), due)}.get(word, (due, due))
        varies = self.code.values.get("averages-vary") == "yes"
        return "" if low <= amount <= high else "note" if varies else "error"

    def _offenders(self) -> set[str]:
        """The sides whose irregular call is among the grounds."""
        return {_PARTNERS[str(each.facts["offender"])] for each in self.answers["auction-irregularity"]
                if each.facts.get("offender") in _PARTNERS}  # fmt: skip

    # ------------------------------------------------------------------------------------------------ what is doubtful

    def own_error(self) -> Iterator[Finding]:
        """Law 12C1(b) of 2007, 12C1(e) of 2017: redress that is less by the side's own error."""
        answer = self._last("self-inflicted")
        redress = answer.outcome.get("redress") if answer else None
        if self.ruling.without_error:
            every = (answer,) if answer else _all_answers(self.code, "self-inflicted", EMPTY, self.ruling.readings)
            words = {each.outcome.get("redress") for each in every}
            cites = _cites(_fields(every, "redress"))
            if words == {"full"}:
                yield _error(
                    f"{self.code.laws} gives full redress for such an error",
                    *_fields(every, "redress"),
                    remedy="take without-error out",
                )
            elif words == {"no-text"}:
                text = f"{self.code.laws} says nothing of a side's own error ({cites})"
                yield _note(f"{text}; redress is reduced by regulation only, so name that in override")
            elif redress == "fact-question":
                yield _note(f"whether that error reduces the redress is a question of fact ({cites}); establish it")
            elif not answer and not self.open:
                yield _note(f"a score is reduced by a side's own error ({cites}); say which in a ground self-inflicted")
        elif answer and redress == "reduced" and self.ruling.score and not self.ruling.score.split and self.assigned:
            cites = _cites([(answer, "redress")])
            yield _note(f"by its own grounds the redress is reduced ({cites}); give without-error, or a score a side")

    def balance(self) -> Iterator[Finding]:
        """Two results for the two sides, where the edition knows only some reasons for that."""
        score = self.ruling.score
        if score is None or not score.split or self.open or self.ruling.without_error:
            return
        value = next((each for each in self.code.cited_values if each.id == "non-balancing-scores"), None)
        if value is None:
            return
        reasons = str(value.value).split()
        if self.artificial or any(self.answers.get(reason) for reason in reasons):
            return
        text = f"{self.code.laws} lets the two sides' scores differ for some reasons ({'; '.join(value.cites)})"
        yield _note(f"{text}; give one of the grounds {' or '.join(reasons)}")

    def stage(self) -> Iterator[Finding]:
        """The ground and the entry speak of different stages; the entry's counts."""
        ground = self._last("adjusted-score-kind")
        if ground and ground.facts.get("stage", self.at) != self.at:
            yield _note(f"a ground says stage {ground.facts['stage']}, the entry {self.ruling.stage}, which counts")

    def not_due(self) -> Iterator[Finding]:
        """The score is adjusted, and every ground that speaks of it says that it is not."""
        if any(self._saying({name: words for name, words in _NONE.items() if name != "adjust"})) and not (
            self._adjusting() or self.open
        ):
            text = f"it awards {self.sides['ns']}, but by its own grounds the score is not adjusted"
            yield Finding("note", "not-adjusted", f"{text}; look at the facts, or say why in override")

    def not_given(self) -> Iterator[Finding]:
        """The result of the table stands, and the grounds say that the score is adjusted."""
        due = [*self._saying({"adjusted-score": {"assigned", "artificial"}, "redress": {"yes"}})]
        if due and not self.open and not self.answers["self-inflicted"]:
            text = f"the table result stands, but by its own grounds the score is adjusted ({_cites(due[:1])})"
            yield Finding("note", "adjusted", f"{text}; give the score, or say why in override")


def _outcome(text: str) -> Outcome | None:
    try:
        return Outcome.parse(text)
    except ValueError:
        return None


def _fields(answers: Iterable[Answer], name: str) -> list[tuple[Answer, str]]:
    return [(answer, name) for answer in answers]


def _cites(said: Iterable[tuple[Answer, str]]) -> str:
    """The articles on which these fields of these answers rest, each once."""
    steps = (step for answer, name in said for step in answer.rests_on.get(name, ()))
    return "; ".join(dict.fromkeys(article for step in steps for article in step.cites))


def _error(text: str, *said: tuple[Answer, str], remedy: str = "give another score") -> Finding:
    return Finding("error", "award", f'{text} ({_cites(said)}); {remedy}, or say why in override = "..."')


def _note(text: str) -> Finding:
    return Finding("note", "award-doubtful", text)


def _all_answers(
    code: Code, decision: str, facts: Mapping[str, str | int], readings: Mapping[str, str]
) -> tuple[Answer, ...]:
    """The answers for these facts with every value of those that are missing."""
    return _answers_for(code, decision, frozenset(facts.items()), frozenset(readings.items()))


@lru_cache(maxsize=512)
def _answers_for(
    code: Code, decision: str, facts: frozenset[tuple[str, str | int]], readings: frozenset[tuple[str, str]]
) -> tuple[Answer, ...]:
    known, chosen = dict(facts), dict(readings)
    missing = {name: fact.values for name, fact in vocabulary().decisions[decision].facts.items() if name not in known}
    found: list[Answer] = []
    for values in list(product(*missing.values()))[:_MOST]:
        try:
            found.append(code.decide(decision, {**known, **dict(zip(missing, values, strict=True))}, chosen))
        except Refused:
            continue
    return tuple(found)
