"""Computed figures into a file: cells and tags change only where they are wrong, columns keep order and width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from . import pbn
from .event import Event
from .model import TABLE, Game, Result
from .policy import show
from .printed import TOTAL, Standings, as_printed, decimals, middle, number_of, prints, rank_of, top_as_printed
from .record import in_order
from .together import Together
from .totals import Total

Edit = tuple[int, int, bytes]

_BOARD = {
    "MP_NS": "mp_ns", "MP_EW": "mp_ew", "IMP_NS": "imp_ns", "IMP_EW": "imp_ew",
    "Percentage_NS": "percent_ns", "Percentage_EW": "percent_ew",
}  # fmt: skip
_TAGS = {"ScoreIMP": "imp", "ScoreMP": "mp", "ScorePercentage": "percent"}


def rescore(event: Event, version: str) -> bytes:
    """The file with the comparison columns of its ScoreTables and its TotalScoreTable computed, and the tags ScoreMP,
    ScoreIMP and ScorePercentage of games without a ScoreTable.

    Contract, declarer, result and score stay as they came from the table. The first line says
    ``%screenplug rescored``, by which version, policy and rulings; an earlier such line is replaced.
    """
    data = event.tape.data
    return _finished(event, data, edits(event), version)


def rescore_together(event: Event, whole: Together, version: str) -> list[bytes]:
    """As ``rescore`` for an event in several files: each of them, in their order."""
    per_file = whole.edits(edits(event))
    return [_finished(event, part.data, own, version) for part, own in zip(whole.parts, per_file, strict=True)]


def edits(event: Event) -> list[Edit]:
    """What has to be replaced in the file for every figure to be the computed one."""
    found: list[Edit] = []
    sign = _decimal_sign(event)
    by_row = {(result.game, result.row): result for result in event.results}
    for game in event.tape.games:
        if table := pbn.table(event.tape, game, "ScoreTable"):
            rows = [by_row.get((game.number, row)) for row in range(1, len(table.rows) + 1)]
            found += _board_cells(event, table, rows, sign)
        elif single := by_row.get((game.number, None)):
            found += _score_tags(event, game, single)
        if isinstance(printed := event.standings_printed.get(game.number), Standings):
            found += _standings(event, printed, sign)
    return found


def _finished(event: Event, data: bytes, found: list[Edit], version: str) -> bytes:
    rulings = {place.ruling.id for place in event.in_force if place.results and place.ruling.state != "pending"}
    named = ", ".join(sorted(rulings, key=in_order)) or "none"
    line = f"%screenplug rescored by {version}, policy {event.policy.id}, rulings {named}"
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    earlier = re.compile(rb"%screenplug rescored[^\r\n]*(\r\n|\n|\r)").match(data, start)
    line_end = re.search(rb"\r\n|\n|\r", data)
    said = line.encode("ascii", "backslashreplace")[:253] + (line_end[0] if line_end else b"\n")
    return pbn.splice(data, [*found, (start, earlier.end() if earlier else start, said)])


def _score_tags(event: Event, game: Game, result: Result) -> Iterator[Edit]:
    """The game's own comparison tags where they are wrong (PBN 2.1, 4.2); one side alone where the other follows."""
    now = as_printed(event, result, event.scored)
    for name, unit in _TAGS.items():
        tag = game.tag(name)
        sides = [now.get(f"{unit}_ns"), now.get(f"{unit}_ew")]
        # A value that is inherited, or that later games inherit, is not this game's alone.
        if tag is None or tag.value.startswith("#") or None in sides:
            continue
        printed = {key: result.printed[key] for key in (f"{unit}_ns", f"{unit}_ew") if key in result.printed}
        if printed and all(prints(text, now[key]) for key, text in printed.items()):
            continue
        ns, ew = (show(side, event.policy) for side in sides if side is not None)
        whole = {"imp": 0, "mp": top_as_printed(event, result), "percent": 100}[unit]
        follows = sum(side for side in sides if side is not None) == whole
        text = f"NS {ns}" if follows and [*printed] == [f"{unit}_ns"] else f"NS {ns} EW {ew}"
        value = re.compile(rb'"(?:[^"\\]|\\.)*"').search(event.tape.data, tag.start, tag.end)
        if value:
            yield value.start(), value.end(), f'"{text}"'.encode("ascii")


def _board_cells(event: Event, table: pbn.Table, results: Sequence[Result | None], sign: str) -> Iterator[Edit]:
    columns = [
        (index, column, _BOARD[column.name]) for index, column in enumerate(table.columns) if column.name in _BOARD
    ]
    places = {index: max((decimals(row[index].text) for row in table.rows), default=0) for index, _, _ in columns}
    known: dict[tuple[int, ...], dict[int, str]] = {}  # rows that say the same share what they print and what they get
    for row, result in zip(table.rows, results, strict=True):
        if result is None:
            continue
        now, before = event.points(result, event.scored), event.points(result, event.plain)
        alike = id(result.printed), id(now.ns), id(now.ew), id(before.ns), id(before.ew)
        if alike not in known:
            texts = {index: row[index].text for index, _, _ in columns}
            known[alike] = dict(_new_texts(event, result, texts, columns, places, sign))
        yield from _cells(event.tape.data, row, known[alike].items(), table.columns)


def _new_texts(
    event: Event,
    result: Result,
    texts: Mapping[int, str],
    columns: Sequence[tuple[int, pbn.Column, str]],
    places: Mapping[int, int],
    sign: str,
) -> Iterator[tuple[int, str]]:
    """The cells of a row that print something else than they should, each with its new text."""
    now, before = as_printed(event, result, event.scored), as_printed(event, result, event.plain)
    scored = event.points(result, event.scored)
    top = scored.ns.top or 0
    by_itself = result.award is not TABLE and result.award != TABLE
    as_the_file_has_it = by_itself and scored.line.entry.award in (TABLE, result.award)
    for index, _, key in columns:
        printed, value = texts[index], now.get(key)
        in_words = by_itself and number_of(printed) is None and printed not in ("", "-", "?")
        if in_words and as_the_file_has_it:
            continue  # A+, say, which no figure is to take the place of
        if value is None:
            if (blank := event.blank(result, key)) and printed != blank:
                yield index, blank
        elif not prints(printed, value) or before.get(key) != value:
            percent = key.startswith("percent")
            text = _figure(event, value, places[index], sign, percent, Fraction(50) if percent else Fraction(top) / 2)
            # What no ruling moves keeps the precision of the program that wrote it.
            if not prints(printed, value) or number_of(printed) != number_of(text):
                artificial = scored.kind == "artificial" and (in_words or printed.startswith("^"))
                yield index, f"{'^' if artificial else ''}{text}{'%' if printed.endswith('%') else ''}"


def _figure(event: Event, value: Fraction, places: int, sign: str, fixed: bool, average: Fraction) -> str:
    """The figure with at least the column's decimals; percentages (``fixed``) with no more than those."""
    text = show(value, event.policy, average, places if fixed else None)
    whole, _, part = text.partition(".")
    return f"{whole}{sign}{part.ljust(places, '0')}" if part or places else whole


_COMMA = re.compile(r"\^?[+-]?[0-9]+,[0-9]+%?")


def _decimal_sign(event: Event) -> str:
    """A comma where the file has one in any figure that can be computed, else a point."""
    if not re.search(rb"[0-9],[0-9]", event.tape.data):
        return "."
    for game in event.tape.games:
        for name, known in (("ScoreTable", _BOARD), ("TotalScoreTable", TOTAL)):
            table = pbn.table(event.tape, game, name)
            columns = [index for index, column in enumerate(table.columns) if column.name in known] if table else []
            if table and any(_COMMA.fullmatch(row[index].text) for row in table.rows for index in columns):
                return ","
    return "."


def _cells(
    data: bytes, row: Sequence[pbn.Cell], texts: Iterable[tuple[int, str]], columns: Sequence[pbn.Column]
) -> Iterator[Edit]:
    """Cells of a row replaced, by index from left to right."""
    free = 0  # where the blanks start that no cell to the left has taken
    for index, text in texts:
        edit = _cell(data, row[index], text, columns[index], free)
        yield edit
        free = edit[1]


def _cell(data: bytes, cell: pbn.Cell, text: str, column: pbn.Column, free: int) -> Edit:
    """The cell replaced in the room that it and the blanks beside it take, so that the columns stay where they are."""
    start, end = cell.start, cell.end
    new = f'"{text}"' if cell.quoted else text
    grown = len(new) - (end - start)
    left = column.align == "L"
    if grown <= 0:
        padded = new.ljust(end - start) if left else new.rjust(end - start)
    else:
        padded = new
        at = end if left else start - 1
        while free <= at < len(data) and data[at : at + 1] == b" ":
            at += 1 if left else -1
        blanks = at - end if left else start - 1 - at
        alone = at < 0 or at >= len(data) or data[at : at + 1] in (b"\n", b"\r")  # no other cell beyond the blanks
        taken = min(blanks if alone else max(blanks - 1, 0), grown)
        start, end = (start, end + taken) if left else (start - taken, end)
    return start, end, padded.encode("ascii")


def _standings(event: Event, printed: Standings, sign: str) -> list[Edit]:
    """The rows of a TotalScoreTable with computed totals, in the order of the new ranks if they were in rank order."""
    table, found = printed.table, printed.totals
    before = {total.contestant: total for total in event.plain.totals}
    places = [max(decimals(row[index].text) for row in table.rows) for index in range(len(table.columns))]
    edits = []
    for number, total in enumerate(found):
        texts = _total_texts(event, printed, number, before.get(total.contestant), places, sign)
        edits.append(list(_cells(event.tape.data, table.rows[number], texts, table.columns)))
    rank = table.column("Rank")
    lines = [_line(event.tape.data, row) for row in table.rows]
    ranks = [_rank(row[rank].text) for row in table.rows] if rank is not None else [0]
    # Each run of rising ranks of one ranking (one a direction, say) is put in order by itself, if all of it is there.
    starts = [
        index
        for index in range(1, len(ranks))
        if ranks[index] < ranks[index - 1] or printed.rankings[index] != printed.rankings[index - 1]
    ]
    runs = [0, *starts, len(ranks)]
    if 0 in ranks or None in lines or any(ranks[start] not in (1, _UNRANKED) for start in runs[:-1]):
        return [edit for row_edits in edits for edit in row_edits]
    order: list[int] = []
    for start, end in pairwise(runs):
        order += sorted(range(start, end), key=lambda index: (found[index].rank or len(found) + 1, index))
    spans = [span for span in lines if span is not None]
    rows = []
    for (start, end), row_edits in zip(spans, edits, strict=True):
        rows.append(pbn.splice(event.tape.data[start:end], [(a - start, b - start, new) for a, b, new in row_edits]))
    return [(start, end, rows[index]) for (start, end), index in zip(spans, order, strict=True)]


_UNRANKED = 10**9


def _rank(text: str) -> int:
    """A printed rank; the last of all for ``-`` (no known total), 0 for what is no rank."""
    return rank_of(text) or (_UNRANKED if text == "-" else 0)


def _total_texts(
    event: Event,
    printed: Standings,
    number: int,
    before: Total | None,
    places: Sequence[int],
    sign: str,
) -> Iterator[tuple[int, str]]:
    """The cells of a row that print something else than they should, each with its new text."""
    row, total = printed.table.rows[number], printed.totals[number]
    for index, name in printed.columns:
        text, value = row[index].text, getattr(total, name)
        as_before = before is None or getattr(before, name) == value
        if value is None:
            # Unknown is not zero, and no rank either; a kind of total that the event does not have is left alone.
            unknown = total.total is None or (name in ("rank", "vp") and event.scale is not None)
            new = ("-" if name == "rank" else "?") if unknown else text
        elif name == "rank":
            new = _ranked(printed, number, index, text)
        elif prints(text, Fraction(value)) and as_before:
            new = text  # what no ruling moves keeps the precision of the program that wrote it
        elif name == "boards":
            new = str(value)
        else:
            new = _figure(event, Fraction(value), places[index], sign, name.startswith("percent"), middle(total, name))
            new = text if prints(text, Fraction(value)) and number_of(text) == number_of(new) else new
            new += "%" if text.endswith("%") and new != text else ""
        if new != text:
            yield index, new


def _ranked(printed: Standings, number: int, column: int, text: str) -> str:
    """A rank as its column writes them: where it marks ties (``=1``, ``1=``, ``T1``), so is this one."""
    rank = str(printed.totals[number].rank)
    texts = [row[column].text for row in printed.table.rows]
    mark = next((each for each in texts if rank_of(each) is not None and not each.isdigit()), "")
    if not mark:
        return text if rank_of(text) == printed.totals[number].rank else rank
    if not printed.tied(number):
        return rank
    return f"{rank}=" if mark.endswith("=") else f"{mark[0]}{rank}"


def _line(data: bytes, row: Sequence[pbn.Cell]) -> tuple[int, int] | None:
    """The whole line of a row, without its line end; None when the row shares it with anything else."""
    start = max(data.rfind(b"\n", 0, row[0].start), data.rfind(b"\r", 0, row[0].start)) + 1
    ends = [at for at in (data.find(b"\n", row[-1].end), data.find(b"\r", row[-1].end)) if at >= 0]
    end = min(ends, default=len(data))
    inside = data[row[0].start : row[-1].end]
    if data[start : row[0].start].strip() or data[row[-1].end : end].strip() or b"\n" in inside or b"\r" in inside:
        return None
    return start, end
