"""Printed figures against computed ones: how they are read, the standings that a file prints, and what differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from . import pbn
from .model import Game, Problem
from .policy import show
from .scoring import pair_label

if TYPE_CHECKING:
    from . import scoring
    from .event import Event
    from .totals import Total

# What a column of a TotalScoreTable has, as an attribute of a total and the unit that it must be in (PBN 2.1, 5.10);
# the names without Total are those of programs that leave it out.
TOTAL = {
    "TotalMP": ("total", "mp"), "TotalScoreMP": ("total", "mp"), "MP": ("total", "mp"), "MeanMP": ("mean", "mp"),
    "TotalIMP": ("total", "imp"), "TotalScoreIMP": ("total", "imp"), "IMP": ("total", "imp"),
    "MeanIMP": ("mean", "imp"), "TotalScore": ("total", "points"), "MeanScore": ("mean", "points"),
    "TotalPercentage": ("percent", ""), "MeanPercentage": ("percent", ""), "Percentage": ("percent", ""),
    "TotalVP": ("vp", ""), "VP": ("vp", ""), "Rank": ("rank", ""), "NrBoards": ("boards", ""),
}  # fmt: skip
STALE = ("standings-unknown", "standings-part")
"""The codes of the problems by which standings are neither compared nor computed."""

_WHO = ("PairId", "TeamId", "PlayerId", "Names")


@dataclass(frozen=True, slots=True)
class Standings:
    """A TotalScoreTable: for each row the contestant's total; ``columns`` are those with a figure, as (index, attribute
    of a total)."""

    table: pbn.Table
    totals: tuple[Total, ...]
    columns: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """All printed figures: a sentence for each that is ``wrong``, how many are ``right``, and how many have no computed
    figure beside them since their scores are ``unknown``."""

    wrong: tuple[str, ...]
    right: int
    unknown: int


def standings(event: Event, game: Game) -> Standings | Problem | None:
    """The TotalScoreTable of a game with the totals of its rows; a Problem when these are not the totals of the event;
    None when there is no such table, or no figure in it."""
    table = pbn.table(event.tape, game, "TotalScoreTable")
    named = [] if table is None else [(index, TOTAL.get(column.name)) for index, column in enumerate(table.columns)]
    figures = [(index, *each) for index, each in named if each]
    if table is None or not table.rows or not figures:
        return None
    units = {unit for _, _, unit in figures if unit} & {total.unit for total in event.scored.totals}
    unit = min(units, default="")
    totals = _by_row(event.scored, game, table, unit)
    if isinstance(totals, list):
        columns = tuple((index, name) for index, name, of in figures if of in ("", totals[0].unit))
        found = Standings(table, tuple(totals), columns)
        return _of_other_boards(event, game, found) or found
    who, unknown = totals
    line = event.tape.position(table.tag.start)[0]
    some = ", ".join(unknown[:3]) + (" and others" if len(unknown) > 3 else "")
    text = f"no result here is of {who} {some}" if who else f"no column of {', '.join(_WHO)} says whose the totals are"
    text = f"TotalScoreTable: {text}; it stays as it is, and is compared with nothing"
    return Problem("note", "standings-unknown", text, line=line, game=game.number)


def _by_row(scored: scoring.Event, game: Game, table: pbn.Table, unit: str) -> list[Total] | tuple[str, list[str]]:
    """The total of each row; else the column that should say whose they are, and what in it is nobody's."""
    known: dict[tuple[str, str], Total] = {}
    for total in scored.totals:
        key = total.contestant.label, total.contestant.direction
        # Of a team's total and those of its matches it is the whole that stands in the standings.
        if unit in ("", total.unit) and (key not in known or known[key].contestant.match):
            known[key] = total
    labels = Counter(label for label, _ in known)
    known |= {(label, ""): total for (label, _), total in known.items() if labels[label] == 1}
    direction, section = table.column("Direction"), table.column("Section")
    missing: tuple[str, list[str]] = "", []
    for name in _WHO:
        if (column := table.column(name)) is None:
            continue
        found: list[Total] = []
        nobody: list[str] = []
        for row in table.rows:
            label = row[column].text
            way = "" if direction is None else "".join(each for each in row[direction].text.upper() if each in "NSEW")
            here = row[section].text if section is not None else game.value("Section") or ""
            keys = [(who, side) for who in (label, pair_label(here, label)) for side in (way, "")]
            found += [known[key] for key in keys if key in known][:1]
            nobody += [] if any(key in known for key in keys) else [label]
        if not nobody:
            return found
        missing = missing if missing[0] else (name, nobody)
    return missing


def _of_other_boards(event: Event, game: Game, found: Standings) -> Problem | None:
    """Standings of a part of the event, or of more than it: every row counts another number of boards."""
    column = next((index for index, name in found.columns if name == "boards"), None)
    if column is None:
        return None
    before = {total.contestant: total.boards for total in event.plain.totals}
    for row, total in zip(found.table.rows, found.totals, strict=True):
        printed = number_of(row[column].text)
        if printed is None or printed in (total.boards, before.get(total.contestant)):
            return None
    line = event.tape.position(found.table.tag.start)[0]
    text = f"TotalScoreTable: every row counts other boards than these ({found.table.rows[0][column].text}, not "
    text += f"{found.totals[0].boards}, in the first); it stays as it is. Several files of one event go with --together"
    return Problem("note", "standings-part", text, line=line, game=game.number)


def unread_standings(event: Event) -> Iterator[Problem]:
    """Why a TotalScoreTable is neither compared nor computed."""
    for game in event.tape.games:
        if isinstance(found := standings(event, game), Problem):
            yield found


def compared(event: Event) -> Compared:
    """Every printed figure of a board and of the standings against the computed one."""
    wrong, rows = [], {}
    right = unknown = 0
    known: dict[tuple[int, int, int], tuple[int, int]] = {}  # rows that say the same share what they print and get
    for result in event.results:
        scored = event.points(result, event.scored)
        alike = id(scored.ns), id(scored.ew), id(result.printed)
        if alike not in known:
            computed = event.figures(result, event.scored)
            off = [key for key, text in result.printed.items() if key in computed and not prints(text, computed[key])]
            none = sum(key not in computed for key in result.printed)
            rows[alike] = off, computed
            known[alike] = len(result.printed) - len(off) - none, none
        right += known[alike][0]
        unknown += known[alike][1]
        off, computed = rows[alike]
        shown = event.shown(result) if off else {}
        for key in off:
            wrong.append(
                f"{event.place_text(result)}, {key}: {_told(event, result.printed[key], computed[key], shown[key])}"
            )
    for game in event.tape.games:
        found = standings(event, game)
        if not isinstance(found, Standings):
            continue
        for row, total in zip(found.table.rows, found.totals, strict=True):
            for index, name in found.columns:
                text, value = row[index].text, getattr(total, name)
                if number_of(text) is None:
                    continue
                if value is None:
                    unknown += 1
                elif prints(text, Fraction(value)):
                    right += 1
                else:
                    who = " ".join(
                        filter(None, (total.contestant.kind, total.contestant.label, total.contestant.direction))
                    )
                    told = _told(event, text, Fraction(value), show(value, event.policy, middle(total, name)))
                    wrong.append(f"{who}, {found.table.columns[index].name}: {told}")
    return Compared(tuple(wrong), right, unknown)


def _told(event: Event, text: str, value: Fraction, shown: str) -> str:
    number = number_of(text)
    by = "" if number is None else f", by {show(value - number, event.policy)}"
    return f"printed {text}, computed {shown}{by}"


def middle(total: Total, name: str) -> Fraction:
    """What halves of a figure of a total are rounded away from: half of what can be won."""
    whole = {"percent": Fraction(100), "total": Fraction(total.top), "mean": total.mean_top}
    return whole.get(name, Fraction(0)) / 2


def prints(text: str, value: Fraction | None) -> bool:
    """Whether a printed figure is this value at the precision that it is printed with, halves either way."""
    scaled = _scaled(text)
    if scaled is None or value is None:
        return False
    number, scale = scaled
    return abs(number * value.denominator - value.numerator * scale) * 2 <= value.denominator


@lru_cache(maxsize=8192)
def _scaled(text: str) -> tuple[int, int] | None:
    """A printed figure as a whole number, and what it was multiplied with."""
    number, scale = number_of(text), 10 ** decimals(text)
    return None if number is None else (int(number * scale), scale)


@lru_cache(maxsize=4096)
def number_of(text: str) -> Fraction | None:
    """A printed figure as a number, with or without ``^``; None for anything else."""
    text = text.lstrip("^").replace(",", ".")
    fits = re.fullmatch(r"[+-]?\d{1,9}(\.\d{0,9})?|[+-]?\.\d{1,9}", text, re.ASCII)
    return Fraction(text) if fits else None


def decimals(text: str) -> int:
    """How many decimals a figure is printed with."""
    return len(text.replace(",", ".").partition(".")[2]) if number_of(text) is not None else 0
