"""On which days a ruling's boards were played: by them, a ruling that names no edition of the Laws finds its own."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from . import ledger as ledgers
from .laws import Code, Library
from .model import Game, Ledger, Problem, Result, Ruling

Days = tuple[date, date]  # the first and the last, the same when the day is known

_DATE = re.compile(r"([0-9?]{4})[./-]([0-9?]{1,2})[./-]([0-9?]{1,2})", re.ASCII)


def days(text: str) -> Days | None:
    """The days that a PBN date can be, as ``2017.08.??`` (PBN 3.4.3); None when it says not even about which year."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    ends = []
    for last, unknown in ((False, "0"), (True, "9")):
        year = int(match[1].replace("?", unknown))
        month = (12 if last else 1) if "?" in match[2] else int(match[2])
        if not (year >= 1 and 1 <= month <= 12):
            return None
        longest = calendar.monthrange(year, month)[1]
        day = (longest if last else 1) if "?" in match[3] else int(match[3])
        if not 1 <= day <= longest:
            return None
        ends.append(date(year, month, day))
    return ends[0], ends[1]


def of_games(games: Iterable[Game]) -> Days | None:
    """From the first to the last day of these games, as far as they say one."""
    said = ((game.value("Date"), game.value("EventDate")) for game in games)
    known = [found for dates in said if (found := next(filter(None, map(days, filter(None, dates))), None))]
    return (min(first for first, _ in known), max(last for _, last in known)) if known else None


def of_rulings(book: Ledger, results: Sequence[Result], games: Sequence[Game]) -> Mapping[str, Days | None]:
    """By id the days of every ruling: those of its boards; where these say none, its own day; else those of the file.

    A ruling that names its edition needs no nearer days than those of the file.
    """
    if not book.rulings:
        return {}
    whole = of_games(games)
    asking = tuple(ruling for ruling in book.rulings if not ruling.laws)
    if not (asking and whole) or whole[0] == whole[1]:
        there = {ruling.id: games for ruling in asking if ruling.where}
    else:
        places, _ = ledgers.place(replace(book, rulings=asking), results, games)
        there = {place.ruling.id: [games[number - 1] for number in place.games] for place in places}
    named = {ruling.id: whole for ruling in book.rulings if ruling.laws}
    return named | {
        ruling.id: (whole if there.get(ruling.id) is games else of_games(there.get(ruling.id, ())))
        or days(ruling.at[:10].replace("-", "."))
        or whole
        for ruling in asking
    }


def notes(codes: Iterable[tuple[Ruling, Code]], when: Mapping[str, Days | None], library: Library) -> list[Problem]:
    """Editions that a ruling names and that were not in force then, and older ones that are taken for want of a date.

    One note for each, on the first of its rulings.
    """
    found: dict[str, Problem] = {}
    for ruling, code in codes:
        played, known = when.get(ruling.id), library.documents[code.laws].in_force
        if played and known and not known.on(*played):
            day = f"on {played[0]}" if played[0] == played[1] else f"from {played[0]} to {played[1]}"
            text = f"{code.laws} was in force {known}, but the boards were played {day}"
            text += "; look whether that edition is meant"
        elif not played and not ruling.laws and code.laws != _newest(library, ruling.regulations):
            text = f"nothing says when the boards were played, so {ruling.regulations} is taken on {code.laws}"
            text += f'; write laws = "{code.laws}", or another edition'
        else:
            continue
        line, file = ruling.line or None, ruling.file or None
        found.setdefault(text, Problem("note", "edition", text, line=line, file=file, ruling=ruling.id))
    return list(found.values())


def _newest(library: Library, regulations: str) -> str:
    """The newest edition that a document stands on; the first named where none says when it was in force."""
    since = {name: known.since for name in library.editions(regulations) if (known := library.documents[name].in_force)}
    return max(since, key=lambda name: since[name], default=library.editions(regulations)[0])
