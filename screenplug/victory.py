"""Victory points: the scales of the WBF, which are computed, and those that are tables in a document.

A scale turns the margin of one side, in IMPs or in points of the percentage above 50, into its victory points. Each
side is read from its own margin: where a ruling leaves scores that do not balance, victory points do not either.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from .model import Refused
from .points import Number

CENT = Fraction(1, 100)
MOST_BOARDS = 128


@dataclass(frozen=True, slots=True)
class Bands:
    """One table of a scale: for so many boards (first to last) a margin up to ``upto[i]`` earns ``vp[i]``, and any more
    the last of ``vp``. ``vp[0]`` is the even split, so that all of a match is twice as much."""

    first: int
    last: int
    upto: tuple[Fraction, ...]
    vp: tuple[Fraction, ...]

    def of(self, margin: Number) -> Fraction:
        """The victory points of a side with this margin."""
        size = Fraction(margin if margin >= 0 else -margin)
        place = bisect_left(self.upto, size)
        won = self.vp[place]
        return won if margin >= 0 else 2 * self.vp[0] - won


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale. ``margin`` is what it is read with: ``imps`` or ``percent`` (above 50). ``bands(boards)`` gives its
    table, or raises Refused for a number of boards that it does not have."""

    id: str
    title: str
    source: str
    margin: str
    bands: Callable[[int], Bands]

    def vp(self, boards: int, margin: Number) -> Fraction:
        """The victory points of a side; raises Refused for a number of boards that the scale does not have."""
        return self.bands(boards).of(margin)


# --------------------------------------------------------------------------------------------------- the WBF's scales


def _boards(boards: int, name: str) -> int:
    if not 1 <= boards <= MOST_BOARDS:
        raise Refused(f"the scale {name} has no table for {boards} boards", remedy=f"It goes from 1 to {MOST_BOARDS}")
    return boards


@lru_cache(maxsize=64)
def wbf(boards: int) -> Bands:
    """The continuous scale of 2013: with X = 15 times the root of the boards and R the cube of the golden section, a
    margin of I is worth 10 + 10 (1 - R^(I/X)) / (1 - R), rounded to hundredths, and 20 from X on. Then, while a step is
    larger than the one before it, the value between them is raised by a hundredth: the scale must not bend upwards.
    """
    _boards(boards, "wbf")
    with localcontext() as context:
        context.prec = 60
        blitz, ratio = 15 * Decimal(boards).sqrt(), Decimal(5).sqrt() - 2
        values = []
        margin = 0
        while margin < blitz:
            exact = 10 + 10 * (1 - ratio ** (margin / blitz)) / (1 - ratio)
            values.append(int((exact * 100).quantize(Decimal(1), ROUND_HALF_UP)))
            margin += 1
    values.append(2000)
    bent = True
    while bent:
        bent = False
        for index in range(1, len(values) - 1):
            if values[index + 1] - values[index] > values[index] - values[index - 1]:
                values[index] += 1
                bent = True
    return Bands(boards, boards, tuple(map(Fraction, range(len(values) - 1))), tuple(each * CENT for each in values))


@lru_cache(maxsize=64)
def wbf_discrete(boards: int) -> Bands:
    """The discrete scale of 2013: the largest margins that the continuous formula puts below 10.5, 11.5 and so on, then
    lowered until no band is narrower than the one before it; that of 10 counts on both sides of nothing."""
    _boards(boards, "wbf-discrete")
    with localcontext() as context:
        context.prec = 60
        blitz, ratio = 15 * Decimal(boards).sqrt(), Decimal(5).sqrt() - 2
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
    return Bands(boards, boards, tuple(map(Fraction, limits)), tuple(map(Fraction, range(10, 21))))


_WBF = "WBF, report on the victory point scales of January 2013 (worldbridge.org, VP scales)"
COMPUTED: Mapping[str, Scale] = {
    "wbf": Scale("wbf", "WBF continuous scale, with its correction", _WBF, "imps", wbf),
    "wbf-discrete": Scale("wbf-discrete", "WBF discrete scale", f"{_WBF}; EBU White Book 3.1.1", "imps", wbf_discrete),
}

# -------------------------------------------------------------------------------------------------- scales in documents


def read_scale(name: str, data: bytes) -> Scale:
    """Read one TOML document of ``kind = "scale"``; raise Refused, naming the file and what is wrong in it.

    It has ``id``, ``title``, ``source``, ``margin`` (imps or percent) and ``[[table]]`` with ``boards``, the first and
    the last number, ``vp``, the victory points from the even split up, and ``upto``, the largest margin that earns each
    of them but the last. Percentages are written as they are printed, 50.65.
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
    numbers = [boards, upto, vp]
    if table.keys() != {"boards", "upto", "vp"} or not all(
        isinstance(row, list) and all(isinstance(each, int | float) and not isinstance(each, bool) for each in row)
        for row in numbers
    ):
        raise Refused("a table has boards = [first, last], upto and vp, lists of numbers", name)
    assert isinstance(boards, list) and isinstance(upto, list) and isinstance(vp, list)
    limits, won = _exact(upto), _exact(vp)
    if len(boards) != 2 or not 1 <= boards[0] <= boards[1]:
        raise Refused(f"boards = {boards}: write the first and the last number of boards", name)
    if len(won) != len(limits) + 1 or not _rising(limits) or not _rising(won):
        raise Refused(f"the table for {boards[0]} boards does not rise, or vp is not one longer than upto", name)
    if percent:
        limits = [limit - 50 for limit in limits]
    return Bands(int(boards[0]), int(boards[1]), tuple(limits), tuple(won))


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


def carried_forward(qualified: Fraction, boards: int, most: int, final: int, boards_qualified: int) -> Fraction:
    """Half of the qualifying score in proportion to the boards (EBU White Book 2025, 3.8).

    ``qualified`` is the score, ``boards`` and ``most`` the contestant's own and the largest number of qualifying
    boards, ``final`` and ``boards_qualified`` the boards of the final and those of the qualifying stage.
    """
    return qualified / 2 * Fraction(boards, most) * Fraction(final, boards_qualified)
