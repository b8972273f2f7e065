"""Victory points: the scales of the WBF, which are computed, and those that are tables in a document.

A scale turns what one side has, its margin in IMPs or its percentage, into its victory points. Each side is read from
its own: where a ruling leaves scores that do not balance, victory points do not either. At the end is what takes the
place of a result, or is taken on from it, where a match was not played as it should be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from .model import Refused
from .points import Number
from .policy import Averages

CENT = Fraction(1, 100)
MOST_BOARDS = 128


@dataclass(frozen=True, slots=True)
class Bands:
    """One table of a scale: for so many boards (first to last) a margin up to ``upto[i]`` earns ``vp[i]``, and any more
    the last of ``vp``; ``lost[i]`` goes to a side that is as far behind. ``vp[0]`` is the even split. A percentage is a
    margin above 50."""

    first: int
    last: int
    upto: tuple[Fraction, ...]
    vp: tuple[Fraction, ...]
    lost: tuple[Fraction, ...]

    def place(self, margin: Number) -> int:
        """The position in ``vp`` and ``lost`` of a margin, whoever has it."""
        return bisect_left(self.upto, Fraction(margin if margin >= 0 else -margin))

    def of(self, margin: Number) -> Fraction:
        """The victory points of a side with this margin."""
        return (self.vp if margin >= 0 else self.lost)[self.place(margin)]


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale. ``margin`` is what it is read with: ``imps`` or ``percent``. ``bands(boards)`` gives its table, or
    raises Refused for a number of boards that it does not have. ``formula(boards, margin)``, where the scale has one,
    gives what the side in front has before any correction, for margins that are not whole as well."""

    id: str
    title: str
    source: str
    margin: str
    bands: Callable[[int], Bands]
    formula: Callable[[int, Number], Fraction] | None = None

    def vp(self, boards: int, merit: Number, fractions: str = "whole") -> Fraction:
        """The victory points of a side with this margin in IMPs, or this percentage; raises Refused as ``bands``.

        ``fractions`` is the policy's ``vp_fractions``. The WBF's text knows whole margins only: by ``formula`` one that
        is not whole is worth what the scale's formula gives, but no less than the whole margin below it, which the
        correction may have raised. A scale without a formula makes it whole, as ``whole`` does for all.
        """
        bands = self.bands(boards)
        if self.margin == "percent":
            return bands.of(Fraction(merit) - 50)
        if fractions == "whole" or self.formula is None or Fraction(merit).denominator == 1:
            return bands.of(whole_margin(merit))
        size = abs(Fraction(merit))
        won = max(self.formula(boards, size), bands.of(int(size)))
        return won if merit > 0 else 2 * bands.vp[0] - won

    @property
    def even(self) -> Fraction:
        """The merit of a side that is level: no IMPs, or 50 per cent."""
        return Fraction(50 if self.margin == "percent" else 0)


# --------------------------------------------------------------------------------------------------- the WBF's scales


def _boards(boards: int, name: str) -> int:
    if not 1 <= boards <= MOST_BOARDS:
        raise Refused(f"the scale {name} has no table for {boards} boards", remedy=f"It goes from 1 to {MOST_BOARDS}")
    return boards


def wbf_formula(boards: int, margin: Number) -> Fraction:
    """The continuous scale's formula for the side in front, to hundredths, halves up: with X = 15 times the root of the
    boards and R the cube of the golden section, I IMPs are worth 10 + 10 (1 - R^(I/X)) / (1 - R), and 20 from X on."""
    if Fraction(margin) ** 2 >= 225 * boards:
        return Fraction(20)
    with localcontext() as context:
        context.prec = 60
        blitz, ratio = _blitz_and_ratio(boards)
        part = Decimal(margin.numerator) / margin.denominator / blitz
        exact = 10 + 10 * (1 - ratio**part) / (1 - ratio)
        return int((exact * 100).quantize(Decimal(1), ROUND_HALF_UP)) * CENT


def _blitz_and_ratio(boards: int) -> tuple[Decimal, Decimal]:
    return 15 * Decimal(boards).sqrt(), Decimal(5).sqrt() - 2


@lru_cache(maxsize=64)
def wbf(boards: int) -> Bands:
    """The continuous scale of 2013: ``wbf_formula`` for each whole margin. Then, while a step is larger than the one
    before it, the value between them is raised by a hundredth: the scale must not bend upwards."""
    _boards(boards, "wbf")
    values = [wbf_formula(boards, 0)]
    while values[-1] < 20:
        values.append(wbf_formula(boards, len(values)))
    bent = True
    while bent:
        bent = False
        for index in range(1, len(values) - 1):
            if values[index + 1] - values[index] > values[index] - values[index - 1]:
                values[index] += CENT
                bent = True
    return _even(boards, range(len(values) - 1), values)


@lru_cache(maxsize=64)
def wbf_discrete(boards: int) -> Bands:
    """The discrete scale of 2013: the largest margins that the continuous formula puts below 10.5, 11.5 and so on, then
    lowered until no band is narrower than the one before it; that of 10 counts on both sides of nothing."""
    _boards(boards, "wbf-discrete")
    with localcontext() as context:
        context.prec = 60
        blitz, ratio = _blitz_and_ratio(boards)
        limits = []
        for step in range(10):
            part = 1 - (Decimal(step) + Decimal("0.5")) * (1 - ratio) / 10
            limits.append(int(blitz * part.ln() / ratio.ln()))
    wide = True
    while wide:
        wide = False
        for index in range(len(limits) - 1, 0, -1):
            before = limits[index - 1] - limits[index - 2] if index > 1 else 2 * limits[0] + 1
            if limits[index] - limits[index - 1] < before:
                limits[index - 1] -= 1
                wide = True
    return _even(boards, limits, range(10, 21))


def _even(boards: int, upto: Iterable[int], vp: Iterable[Number]) -> Bands:
    won = tuple(map(Fraction, vp))
    return Bands(boards, boards, tuple(map(Fraction, upto)), won, tuple(20 - each for each in won))


_WBF = "WBF, report on the victory point scales of January 2013 (worldbridge.org, VP scales)"
COMPUTED: Mapping[str, Scale] = {
    "wbf": Scale("wbf", "WBF continuous scale, with its correction", _WBF, "imps", wbf, wbf_formula),
    "wbf-discrete": Scale("wbf-discrete", "WBF discrete scale", f"{_WBF}; EBU White Book 3.1.1", "imps", wbf_discrete),
}

# -------------------------------------------------------------------------------------------------- scales in documents


def read_scale(name: str, data: bytes) -> Scale:
    """Read one TOML document of ``kind = "scale"``; raise Refused, naming the file and what is wrong in it.

    It has ``id``, ``title``, ``source``, ``margin`` (imps or percent) and ``[[table]]`` with ``boards``, the first and
    the last number, ``vp``, the victory points from the even split up, and ``upto``, the largest margin that earns each
    of them but the last. ``lost`` is what is left to the other side for each of ``vp`` where the two do not add up to
    twice the even split, as 25 to 3. Percentages are written as they are printed, 50.65.
    """
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as wrong:
        raise Refused(f"this is no TOML in UTF-8: {wrong}", name) from None
    texts = {key: document.get(key) for key in ("id", "title", "source", "margin")}
    if document.get("kind") != "scale" or not all(isinstance(text, str) and text for text in texts.values()):
        raise Refused("no scale of victory points", name, 'It needs kind = "scale", id, title, source and margin')
    if texts["margin"] not in ("imps", "percent"):
        raise Refused(f"margin = {texts['margin']!r}", name, 'It is "imps" or "percent"')
    tables = document.get("table")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise Refused("a scale has one [[table]] or more", name)
    bands = tuple(
        sorted((_bands(table, texts["margin"] == "percent", name) for table in tables), key=lambda b: b.first)
    )
    for before, after in pairwise(bands):
        if after.first <= before.last:
            raise Refused(f"two tables are for {after.first} boards", name)
    identity = str(texts["id"])

    def of(boards: int) -> Bands:
        found = next((band for band in bands if band.first <= boards <= band.last), None)
        if found is None:
            ranges = ", ".join(f"{band.first} to {band.last}" for band in bands)
            raise Refused(f"the scale {identity} has no table for {boards} boards", remedy=f"It has {ranges}")
        return found

    return Scale(identity, str(texts["title"]), str(texts["source"]), str(texts["margin"]), of)


def _bands(table: Mapping[str, Any], percent: bool, name: str) -> Bands:
    boards, upto, vp = table.get("boards"), table.get("upto"), table.get("vp")
    numbers = [boards, upto, vp, table.get("lost", [])]
    if table.keys() - {"lost"} != {"boards", "upto", "vp"} or not all(
        isinstance(row, list) and all(isinstance(each, int | float) and not isinstance(each, bool) for each in row)
        for row in numbers
    ):
        raise Refused("a table has boards = [first, last], upto and vp, perhaps lost, lists of numbers", name)
    assert isinstance(boards, list) and isinstance(upto, list) and isinstance(vp, list)
    limits, won = _exact(upto), _exact(vp)
    if len(boards) != 2 or not 1 <= boards[0] <= boards[1]:
        raise Refused(f"boards = {boards}: write the first and the last number of boards", name)
    if len(won) != len(limits) + 1 or not _rising(limits):
        raise Refused(f"the table for {boards[0]} boards: upto does not rise, or vp is not one longer than it", name)
    lost = _exact(table["lost"]) if "lost" in table else [2 * won[0] - each for each in won]
    apart = [mine - left for mine, left in zip(won, lost, strict=False)]
    level = len(lost) == len(won) and lost[0] == won[0]
    if not (level and won == sorted(won) and lost == sorted(lost, reverse=True) and _rising(apart)):
        text = f"the table for {boards[0]} boards: vp does not rise, or lost does not fall with it from the same number"
        raise Refused(text, name)
    if percent:
        limits = [limit - 50 for limit in limits]
    return Bands(int(boards[0]), int(boards[1]), tuple(limits), tuple(won), tuple(lost))


def _exact(row: Sequence[int | float]) -> list[Fraction]:
    """A float by its shortest decimal: 50.65 is 1013/20."""
    return [Fraction(str(each)) for each in row]


def _rising(row: Sequence[Fraction]) -> bool:
    return all(low < high for low, high in pairwise(row))


# ------------------------------------------------------------------------------------------------------- other figures


def whole_margin(margin: Number) -> int:
    """A margin with fractions as whole IMPs, halves away from nothing (EBU White Book 2025, 4.2.6.3)."""
    size = int(abs(Fraction(margin)) + Fraction(1, 2))
    return size if margin >= 0 else -size


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A side's match of which boards were not played: ``each`` of ``awarded`` boards is an award, ``rest`` what it has
    on the others (IMPs together, or its percentage), ``merit`` what the scale is read with. ``void``: as if nothing had
    been played."""

    void: bool
    awarded: int
    each: Fraction
    rest: Fraction
    merit: Fraction


def unplayed(scale: Scale, boards: int, played: int, own: Number, award: str, averages: Averages) -> Unplayed:
    """What a side that has ``own`` on the boards played is worth over the whole match (EBU White Book 2025, 3.3.7-9).

    ``award`` is ``A+``, ``A`` or ``A-`` for each board not played. Where less than half could be played the match is
    void: the award on half of the boards, rounded up, and average on the rest. At teams it is fixed IMPs a board; at
    Swiss pairs it follows the side's own percentage in the match (8.80.6.1).
    """
    void = 2 * played < boards
    awarded = (boards + 1) // 2 if void else boards - played
    if scale.margin == "imps":
        rest, each = Fraction(0 if void else own), Fraction(averages.imps(award))
        return Unplayed(void, awarded, each, rest, rest + awarded * each)
    rest = Fraction(averages.percent("A") if void else own)
    each = Fraction(averages.percent(award, None if void else own))
    return Unplayed(void, awarded, each, rest, ((boards - awarded) * rest + awarded * each) / boards)


INSTEAD: Mapping[str, tuple[int, str]] = {
    "wrong-seats": (40, "EBU White Book 2025, 3.3.6.1: seated wrongly, cannot be replayed, both teams"),
    "directors-error": (60, "EBU White Book 2025, 3.3.6.1: the converse where the Director caused it, both teams"),
    "withdrawn": (60, "EBU White Book 2025, 2.4.2: at least this where the opponents withdrew after half of the event"),
}
"""Percentages of all victory points of a match that are given instead of a result, with their sources."""


def mismatched(vp: Number, pool: Number, opponent: str, own_fault: bool) -> Fraction:
    """The victory points of a side that was drawn against the wrong opponent and won ``vp`` of ``pool``.

    Against a ``stronger`` one, and not by its own fault, a quarter of the pool and three quarters of what it won;
    against a ``weaker`` one, by its own fault, what it won less a quarter of that beyond a quarter of the pool; else
    what it won (EBU White Book 2025, 3.5.2).
    """
    won, quarter = Fraction(vp), Fraction(pool) / 4
    if opponent == "stronger" and not own_fault:
        return quarter + won * 3 / 4
    if opponent == "weaker" and own_fault:
        return won - max(won - quarter, Fraction(0)) / 4
    return won


def carried_forward(score: Number, boards: int, most: Number, final_boards: int, final_most: Number) -> Fraction:
    """Matchpoints carried forward into a final: boards of the qualifier count half of one (EBU White Book 2025, 3.8).

    ``score`` are those won in the qualifier, ``most`` those to be won there on ``boards`` boards, ``final_most`` those
    to be won in the final on ``final_boards`` boards.
    """
    return Fraction(score) / 2 * Fraction(boards) / most * Fraction(final_most) / final_boards
