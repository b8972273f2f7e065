"""Artificial scores as scoring programs write them: what a text such as ``A6040`` or ``AVE+`` can mean.

North-South come first in a text for both sides. ``A+``, ``AVE+`` and the like are averages by the law: the number
depends on the session. ``60%`` and ``A6040`` are numbers, but several programs write an average by the law in the same
way, so such a text has two meanings, the fixed one first. They are told apart only where they can come to different
scores: 50% is the average either way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from .model import Award, Score

NOT_PLAYED = Award("not played")
_BY_LAW = {60: "A+", 50: "A", 40: "A-"}
_AVERAGE = r"(?:AVERAGE|AVE|AVG|AV|A) ?([+=-]?)"
_ONE_AVERAGE = re.compile(rf"\^?{_AVERAGE}", re.IGNORECASE)
_TWO_AVERAGES = re.compile(rf"{_AVERAGE} ?/? ?{_AVERAGE}", re.IGNORECASE)
_PERCENT = r"(\d{1,3}(?:[.,]\d{1,4})?)"
_ONE_PERCENT = re.compile(rf"\^{_PERCENT}%?|{_PERCENT} ?%")
_TWO_PERCENTS = re.compile(
    rf"{_PERCENT} ?% ?[-/ ] ?{_PERCENT} ?%|A{_PERCENT} ?/ ?{_PERCENT}|([456]0) ?[-/] ?([456]0)|A(\d\d)(\d\d)"
)
_NOT_PLAYED = frozenset({"np", "n.p.", "not played", "no play"})
_UNDECIDED = frozenset({"adj", "adj.", "adjusted", "arb", "arbitral score", "arbitral", "td", "weighted", "split"})

Meanings = tuple[Award, ...]
_WHOLE_BOARD = 100


def of_side(text: str) -> Meanings:
    """What one side's cell can mean, the fixed number first; nothing when it is no artificial score."""
    text = " ".join(text.split())
    if match := _ONE_AVERAGE.fullmatch(text):
        return (_average(match[1]),)
    if match := _ONE_PERCENT.fullmatch(text):
        return of_number(match[1] or match[2])
    return (NOT_PLAYED,) if text.lower() in _NOT_PLAYED else ()


def of_number(text: str) -> Meanings:
    """What a percentage can mean: the number, and the average by the law that is written with the same number."""
    amount = Fraction(text.replace(",", "."))
    if amount > _WHOLE_BOARD:
        return ()
    fixed = Award("percent", amount=amount)
    word = _BY_LAW.get(int(amount)) if amount.denominator == 1 else None
    return (fixed, Award("average", average=word)) if word else (fixed,)


def of_both(text: str) -> tuple[Score, ...]:
    """What a text for both sides can mean; nothing when it is none."""
    text = " ".join(text.split())
    if match := _TWO_AVERAGES.fullmatch(text):
        return (Score(_average(match[1]), _average(match[2])),)
    if match := _TWO_PERCENTS.fullmatch(text):
        ns, ew = (number for number in match.groups() if number is not None)
        return together(of_number(ns), of_number(ew))
    return (Score(NOT_PLAYED, NOT_PLAYED),) if text.lower() in _NOT_PLAYED else ()


def together(ns: Meanings, ew: Meanings) -> tuple[Score, ...]:
    """The two sides' meanings as scores, where there are both.

    A program writes both sides in one way, so a side that is clear clears the other; but not one for which the result
    stands.
    """
    if not (ns and ew):
        return ()
    found = [Score(ns[0], ew[0])]
    if len(ns) == len(ew) == 2 or "table" in (ns[0].kind, ew[0].kind):
        found.append(Score(ns[-1], ew[-1]))
    return tuple(dict.fromkeys(found))


def settle(meanings: tuple[Score, ...], printed: Mapping[str, str]) -> Score | None:
    """The meaning that the file's own figures (``mp_ns`` and the like) leave; None when they leave it open.

    Figures that are the fixed percentages count as those, others as the average by the law, which follows the session.
    """
    if len(meanings) < 2:
        return next(iter(meanings), None)
    fixed, by_law = meanings
    numbers = [side.amount for side in (fixed.ns, fixed.ew) if side.amount is not None and side.kind == "percent"]
    if all(number == _WHOLE_BOARD / 2 for number in numbers):
        return by_law  # also where a percentage is no award, at IMPs
    for unit in ("percent", "mp"):
        figures = [printed.get(f"{unit}_{side}", "") for side in ("ns", "ew")]
        if len(numbers) == 2 and all(figures):
            return fixed if _in_proportion(figures, numbers, whole=unit == "percent") else by_law
    return by_law if "imp_ns" in printed or "imp_ew" in printed else None


def unclear(text: str, meanings: tuple[Score, ...]) -> str:
    """The sentence for a text that says too little, with what it could mean."""
    fixed, by_law = meanings
    return f"{text!r} can be {fixed.value()} (fixed) or {by_law.value()} (by the law, which may follow the session)"


def undecided(text: str) -> bool:
    """Whether the text says that the score was adjusted, but not how."""
    return " ".join(text.split()).lower() in _UNDECIDED


def _average(sign: str) -> Award:
    return Award("average", average=f"A{sign.replace('=', '')}")


def _in_proportion(figures: list[str], numbers: list[Fraction], whole: bool) -> bool:
    """Whether two printed figures stand to each other as two percentages do, at the precision of their decimals."""
    ns, ew = (Fraction(figure) for figure in figures)
    half = Fraction(1, 2 * 10 ** max(len(figure.partition(".")[2]) for figure in figures))
    if whole:
        return abs(ns - numbers[0]) <= half and abs(ew - numbers[1]) <= half
    return abs(ns * numbers[1] - ew * numbers[0]) <= half * sum(numbers)
