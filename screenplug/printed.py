"""Printed figures against computed ones: how they are read, the standings that a file prints, and what differs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from . import pbn
from .model import Game, Problem, Result
from .points import Number
from .policy import show
from .scoring import pair_label
from .totals import Total, merits

if TYPE_CHECKING:
    from . import scoring
    from .event import Event

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
    """A TotalScoreTable. ``columns`` are those with a figure, as (index, attribute of a total); for each row ``totals``
    have its contestant's, ranked among the rows of the same ranking, and ``rankings`` that ranking."""

    table: pbn.Table
    columns: tuple[tuple[int, str], ...]
    totals: tuple[Total, ...]
    rankings: tuple[Hashable, ...]

    def tied(self, row: int) -> bool:
        """Whether the contestant of a row shares its rank."""
        mine = self.rankings[row], self.totals[row].rank
        places = [(ranking, total.rank) for ranking, total in zip(self.rankings, self.totals, strict=True)]
        return places.count(mine) > 1


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
        columns = _figures(table, [(index, name) for index, name, of in figures if of in ("", totals[0].unit)])
        found = Standings(table, columns, *_ranked_together(table, totals))
        return _earlier(event, game, found) or _of_other_boards(event, game, found) or found
    who, unknown = totals
    line = event.tape.position(table.tag.start)[0]
    some = ", ".join(unknown[:3]) + (" and others" if len(unknown) > 3 else "")
    text = (
        f"{who} {some} has no result here, or two rows"
        if who
        else f"no column of {', '.join(_WHO)} says whose the totals are"
    )
    text = f"TotalScoreTable: {text}; it stays as it is, and is compared with nothing"
    return Problem("note", "standings-unknown", text, line=line, game=game.number)


def _figures(table: pbn.Table, columns: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """The columns with TotalPercentage read as the table means it: the sum of the boards' percentages, as the standard
    has it, where it stands beside a MeanPercentage or is above 100; else the percentage, as most programs have it."""
    total, mean = table.column("TotalPercentage"), table.column("MeanPercentage")
    if total is None or (mean is None and all((number_of(row[total].text) or 0) <= 100 for row in table.rows)):
        return tuple(columns)
    return tuple((index, "percents" if index == total else name) for index, name in columns)


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
            labels_of = dict.fromkeys(
                (label, label.lstrip("0"), pair_label(here, label), pair_label(here, label.lstrip("0")))
            )
            keys = [(who, side) for who in labels_of for side in (way, "")]
            found += [known[key] for key in keys if key in known][:1]
            nobody += [] if any(key in known for key in keys) else [label]
        twice = [total.contestant.label for total, times in Counter(found).items() if times > 1]
        if not nobody and not twice:
            return found
        nobody = nobody or twice
        missing = missing if missing[0] else (name, nobody)
    return missing


def _ranked_together(table: pbn.Table, totals: Sequence[Total]) -> tuple[tuple[Total, ...], tuple[Hashable, ...]]:
    """The totals with their ranks among the rows of the table, and which ranking each is in.

    Directions are rankings of their own, unless the printed ranks go on from one to the other, or begin again with
    each section.
    """
    rankings: list[Hashable] = [(each.contestant.kind, each.contestant.direction) for each in totals]
    column, section = table.column("Rank"), table.column("Section")
    if column is not None:
        places = [rank_of(row[column].text) or 0 for row in table.rows]
        sections = ["" if section is None else row[section].text for row in table.rows]
        both: list[Hashable] = list(zip(rankings, sections, strict=True))
        ways: list[list[Hashable]] = [rankings, [""] * len(totals), both, [*sections]]
        rankings = next((way for way in ways if _are_rankings(places, way)), rankings)
    ranked = list(totals)
    for ranking in set(rankings):
        rows = [row for row, each in enumerate(rankings) if each == ranking]
        worth = merits([totals[row] for row in rows])
        for row, merit in zip(rows, worth, strict=True):
            better = sum(other is not None and merit is not None and other > merit for other in worth)
            ranked[row] = replace(totals[row], rank=None if merit is None or totals[row].rank is None else 1 + better)
    return tuple(ranked), tuple(rankings)


def _are_rankings(places: Sequence[int], of: Sequence[Hashable]) -> bool:
    """Whether these are the places of rankings, ``of`` which each is; who tie have the best of theirs: 1, 2, 2, 4."""
    by_ranking: dict[Hashable, list[int]] = {}
    for place, ranking in zip(places, of, strict=True):
        by_ranking.setdefault(ranking, []).append(place)
    return all(
        place == 1 + bisect_left(ordered, place) for ordered in map(sorted, by_ranking.values()) for place in ordered
    )


def _earlier(event: Event, game: Game, found: Standings) -> Problem | None:
    """Standings after which the same contestants have others: those of an earlier session, of which totals are none."""
    whose = {total.contestant for total in found.totals}
    texts = [[cell.text for cell in row] for row in found.table.rows]
    for later in event.tape.games[game.number :]:
        other = pbn.table(event.tape, later, "TotalScoreTable")
        if other is None or [[cell.text for cell in row] for row in other.rows] == texts:
            continue
        totals = _by_row(event.scored, later, other, found.totals[0].unit)
        if isinstance(totals, list) and whose <= {total.contestant for total in totals}:
            line = event.tape.position(found.table.tag.start)[0]
            text = "TotalScoreTable: a later one has the same contestants, so that these standings are earlier ones"
            return Problem("note", "standings-earlier", f"{text}; they stay as they are", line=line, game=game.number)
    return None


def _of_other_boards(event: Event, game: Game, found: Standings) -> Problem | None:
    """Standings of a part of the event, or of more than it: a row counts another number of boards."""
    column = next((index for index, name in found.columns if name == "boards"), None)
    if column is None:
        return None
    before = {total.contestant: total.boards for total in event.plain.totals}
    others = [
        (row[column].text, total)
        for row, total in zip(found.table.rows, found.totals, strict=True)
        if number_of(row[column].text) not in (None, total.boards, before.get(total.contestant))
    ]
    if not others:
        return None
    line = event.tape.position(found.table.tag.start)[0]
    printed, total = others[0]
    text = f"TotalScoreTable: {printed} boards of {total.contestant.label} count there, here {total.boards}"
    text += "; it stays as it is. Several files of one event go with --together"
    return Problem("note", "standings-part", text, line=line, game=game.number)


def as_printed(event: Event, result: Result, scored: scoring.Event) -> dict[str, Fraction]:
    """The figures of one of the scorings in the units that a file prints them in: a ScoreMP tag has 2 for a comparison
    won whatever Scoring says (PBN 2.1, 4.2.3), and what an InstantScoreTable gives is percentages, no matchpoints."""
    found = event.figures(result, scored)
    if event.points(result, scored).method == "Instant":
        return {key: number for key, number in found.items() if not key.startswith("mp")}
    if _doubled(event, result):
        return {key: number * 2 if key.startswith("mp") else number for key, number in found.items()}
    return found


def top_as_printed(event: Event, result: Result) -> Number:
    """The top of a board in the same units; 0 where there is none."""
    return (event.points(result, event.scored).ns.top or 0) * (2 if _doubled(event, result) else 1)


def _doubled(event: Event, result: Result) -> bool:
    return result.row is None and event.points(result, event.scored).method == "MP2"


def compared(event: Event) -> Compared:
    """Every printed figure of a board and of the standings against the computed one."""
    wrong, rows = [], {}
    right = unknown = 0
    known: dict[
        tuple[int, int, int, bool], tuple[int, int]
    ] = {}  # rows that say the same share what they print and get
    for result in event.results:
        scored = event.points(result, event.scored)
        alike = id(scored.ns), id(scored.ew), id(result.printed), result.row is None
        if alike not in known:
            computed = as_printed(event, result, event.scored)
            off = [key for key, text in result.printed.items() if key in computed and not prints(text, computed[key])]
            none = sum(key not in computed for key in result.printed)
            rows[alike] = off, computed
            known[alike] = len(result.printed) - len(off) - none, none
        right += known[alike][0]
        unknown += known[alike][1]
        off, computed = rows[alike]
        for key in off:
            whole = Fraction(100) if key.startswith("percent") else Fraction(top_as_printed(event, result))
            shown = show(computed[key], event.policy, whole / 2)
            wrong.append(
                f"{event.place_text(result)}, {key}: {_told(event, result.printed[key], computed[key], shown)}"
            )
    for found in event.standings_printed.values():
        if not isinstance(found, Standings):
            continue
        for row, total in zip(found.table.rows, found.totals, strict=True):
            for index, name in found.columns:
                text, value = row[index].text, getattr(total, name)
                number = rank_of(text) if name == "rank" else number_of(text)
                if number is None:
                    continue
                if value is None:
                    unknown += 1
                elif number == value or (name != "rank" and prints(text, Fraction(value))):
                    right += 1
                else:
                    who = " ".join(filter(None, total.contestant[:3]))
                    told = _told(event, text, Fraction(value), show(value, event.policy, middle(total, name)))
                    wrong.append(f"{who}, {found.table.columns[index].name}: {told}")
    return Compared(tuple(wrong), right, unknown)


def _told(event: Event, text: str, value: Fraction, shown: str) -> str:
    number = number_of(text)
    by = "" if number is None else f", by {show(value - number, event.policy)}"
    return f"printed {text}, computed {shown}{by}"


def middle(total: Total, name: str) -> Fraction:
    """What halves of a figure of a total are rounded away from: half of what can be won."""
    whole = {
        "percent": Fraction(100),
        "percents": Fraction(100 * total.boards),
        "total": Fraction(total.top),
        "mean": total.mean_top,
    }
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
    """A printed figure as a number, with or without ``^`` and ``%``; None for anything else."""
    text = text.lstrip("^").removesuffix("%").replace(",", ".")
    fits = re.fullmatch(r"[+-]?\d{1,9}(\.\d{0,9})?|[+-]?\.\d{1,9}", text, re.ASCII)
    return Fraction(text) if fits else None


def decimals(text: str) -> int:
    """How many decimals a figure is printed with."""
    return len(text.removesuffix("%").replace(",", ".").partition(".")[2]) if number_of(text) is not None else 0


def rank_of(text: str) -> int | None:
    """A printed rank, also of a tie as ``=1``, ``1=`` or ``T1``; None for what is none."""
    match = re.fullmatch("[=T]?([0-9]{1,9})=?", text)
    return int(match[1]) if match else None
