"""The tape: a PBN file as bytes with an index of its games, tags and tables, and the edits that touch nothing else.

``read`` indexes, ``table`` and ``results`` look into one game, ``insertion`` and ``removal`` say where a section of our
own goes and which bytes take it away again, ``splice`` makes the new bytes. Nothing is ever written from parsed values.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, islice
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeVar

from . import artificial
from .model import (
    EMPTY,
    PASSED_OUT,
    SEATS,
    TABLE,
    Award,
    AwardKind,
    Game,
    Outcome,
    Problem,
    Refused,
    Result,
    Score,
    Tag,
    without_cycle_collector,
)

LONGEST_LINE = 255  # bytes with the line end: PBN 2.3
BOM = b"\xef\xbb\xbf"

# PBN 4.8 forbids "#" in these.
NOT_INHERITED = frozenset({"Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Auction", "Play", "Note"})

# Every repetition is possessive: no construct is ever tried a second way, so no input makes reading slow.
_EOL = rb"(?:\r\n|\r|\n)"
_GAP = rb"[ \t\v\f]*+(?:" + _EOL + rb"(?:%[^\r\n]*+" + _EOL + rb")*+[ \t\v\f]*+)?+"  # no blank line: that ends the game
_STRING = rb'"(?:[^"\\\r\n]++|\\[^\r\n])*+"'
_IN_BRACKETS = rb'\[(?:[^\[\]"\r\n]++|' + _STRING + rb")*+\]"  # in brackets, but no tag pair
_TAG = re.compile(
    rb"\[" + _GAP + rb"([A-Za-z0-9_]++)" + _GAP + rb'"((?:[^"\\\r\n]++|\\[^\r\n])*+)"' + _GAP + rb"\]()"
    rb"([ \t\v\f]*+" + _EOL + rb")?"
)
# Most lines of most files: a tag in export form, alone in its line. Only a run of them is quicker than one at a time.
_PLAIN_TAG = re.compile(rb'\[([A-Za-z0-9_]++) "([^"\\\r\n]*+)"\](\r?\n)')
_PLAIN_TAGS = re.compile(rb'(?:\[[A-Za-z0-9_]++ "[^"\\\r\n]*+"\]\r?\n)++')
_CLOSED = re.compile(_IN_BRACKETS)
_ESCAPE_LINES = re.compile(rb"(?:%[^\r\n]*+(?:" + _EOL + rb"|\Z))++")
_TAG_IN_ESCAPE = re.compile(rb'\[[ \t]*+[A-Z][A-Za-z0-9_]*+[ \t]*+"')
_BLANK_LINE = re.compile(rb"[ \t\v\f]*+(?:" + _EOL + rb"|\Z)")
_ROWS = re.compile(
    rb'(?:[ \t\v\f]*+(?:[^\s\[{;"%]|' + _STRING + rb')(?:[^\[{;"\r\n]++|' + _STRING + rb")*+" + _EOL + rb")++"
)
_REST_OF_LINE = re.compile(rb'((?:[^\[{;"\r\n]++|' + _STRING + rb")*+)(?:;[^\r\n]*+)?(" + _EOL + rb")?")
_LINE_END = re.compile(_EOL)
_LINE_REST = re.compile(rb"[ \t\v\f]*+" + _EOL)
_ESCAPED = re.compile(rb'\\([\\"])')
PIECE = re.compile(
    rb"(?P<escape>(?<![^\r\n])%[^\r\n]*+)|(?P<eol>" + _EOL + rb")|(?P<string>" + _STRING + rb")"
    rb"|(?P<other>\{[^}]*+\}?|;[^\r\n]*+|" + _IN_BRACKETS + rb')|(?P<word>[^\s\[{;"]++)'
)
_OPENING = frozenset(b" \t\v\f\r\n%")  # what may make a line blank, or an escape line
_BRACKET, _BRACE = b"[{"
_END_NAMES = {b"\r\n": "CRLF", b"\n": "LF", b"\r": "CR"}
_PLAYED = frozenset({"Auction", "Play", "Note"})
_READ = (
    "Event", "Board", "North", "East", "South", "West", "Dealer", "Vulnerable", "Deal", "Scoring", "Declarer",
    "Contract", "Result", "Auction", "Play", "Note", "Score", "ScoreTable", "TotalScoreTable", "Section", "Round",
    "Table", "Room", "PairNS", "PairEW", "HomeTeam", "VisitTeam",
)  # fmt: skip
_COLUMN = re.compile(r"([+-]?)([^\\;+-][^\\;]*)(?:\\(\d{1,4})([LR]?))?")


class Cell(NamedTuple):
    """One element of a section. ``start:end`` are its bytes, with the quotes; ``text`` is without them, Latin-1."""

    text: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    ``width`` is 0 when none is given, ``align`` L, R or empty, ``order`` + (highest first), - or empty.
    """

    name: str
    width: int
    align: str
    order: str


@dataclass(frozen=True, slots=True)
class Table:
    """A section as rows of cells."""

    tag: Tag
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def column(self, name: str) -> int | None:
        """The index of the first column of that name."""
        return next((index for index, column in enumerate(self.columns) if column.name == name), None)


@dataclass(frozen=True, slots=True)
class Tape:
    """A PBN file: its bytes, the games found in them, and what is odd about it."""

    data: bytes
    games: tuple[Game, ...]
    problems: tuple[Problem, ...]
    line_starts: Sequence[int] = field(repr=False, compare=False, default=(0,))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a byte, both from 1; LF, CRLF and a lone CR each end one line."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1


def read(data: bytes) -> Tape:
    """Index a PBN file by the rules of PBN 2.1, sections 2-4; what is odd becomes a problem of the tape.

    Raises Refused for UTF-16 and for NUL bytes, for nothing else. A file without a tag gives a tape without games.
    """
    refuse_binary(data)
    lengths = [len(line) for line in data.splitlines(keepends=True)]
    starts = [0, *accumulate(lengths)]
    if len(starts) > 1 and not data.endswith((b"\r", b"\n")):
        starts.pop()
    with without_cycle_collector():
        games, problems = _scan(data, starts)
    games = _inherit(games) if b'"#' in data else games
    problems += _file_problems(data, lengths)
    problems += _recased(starts, games)
    previous = None
    for game in games:
        problems += _game_problems(starts, game, previous)
        previous = game
    problems.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
    return Tape(data, tuple(games), tuple(problems), starts)


def refuse_binary(data: bytes) -> None:
    """Raise Refused for UTF-16 and for NUL bytes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused("the file is in UTF-16", remedy="Save it as plain text (ISO 8859-1 or ASCII)")
    if (nul := data.find(b"\0")) >= 0:
        raise Refused(f"byte {nul + 1} is NUL, so this is no text", remedy="Save the file as plain text, not UTF-16")


def _scan(data: bytes, starts: Sequence[int]) -> tuple[list[Game], list[Problem]]:
    """One pass: each step takes a whole construct, or as many plain lines as follow each other."""
    games: list[Game] = []
    problems: list[Problem] = []
    names: dict[bytes, str] = {}
    heads: list[tuple[str, str, int, int, int]] = []  # of the game being read: name, value, start, end, line
    ends: list[int] = []  # where the data of each head end; one short while the last one is open
    refusal = ""
    told = False  # text outside any game was reported, or has a malformed tag to belong to
    size = len(data.rstrip(b"\x1a"))  # DOS editors end a file with Ctrl-Z
    pos = len(BOM) if data.startswith(BOM) else 0
    line = 1
    fresh = True  # at the start of a line

    def note(code: str, text: str, offset: int) -> None:
        problems.append(problem_at("note", code, text, starts, offset, len(games) + 1 if heads else None))

    def never_ends(what: str, code: str, remedy: str, offset: int) -> str:
        text = f"the {what} that begins in line {bisect_right(starts, offset)} never ends"
        game = len(games) + 1 if heads else None
        problems.append(problem_at("error", code, f"{text}; {remedy}", starts, offset, game))
        return text

    def end_game(offset: int) -> None:
        if len(ends) < len(heads):
            ends.append(offset)
        if heads:
            why = refusal
            boards = [head for head in heads if head[0] == "Board"]
            for again in boards[1:]:
                if again[1] != boards[0][1]:
                    text = f"a second Board, {again[1]}, begins in line {again[4]} without a blank line before it"
                    problems.append(problem_at("error", "board-repeated", text, starts, again[2], len(games) + 1))
                    why = why or text
            tags = tuple([Tag(h[0], h[1], h[2], h[3], h[3], end, h[4]) for h, end in zip(heads, ends, strict=True)])
            games.append(Game(len(games) + 1, tags[0].start, offset, tags[0].line, tags, EMPTY, why))
            heads.clear()
            ends.clear()

    while pos < size:
        first = data[pos]
        if fresh and first in _OPENING:
            if escaped := _ESCAPE_LINES.match(data, pos, size):
                for inside in _TAG_IN_ESCAPE.finditer(data, pos, escaped.end()):
                    text = "a tag in a line that begins with % does not exist; give it a line of its own"
                    note("tag-in-directive", text, inside.start())
                pos = escaped.end()
                continue
            if blank := _BLANK_LINE.match(data, pos, size):
                end_game(pos)
                refusal, told = "", False
                pos = blank.end()
                continue
        if first == _BRACKET:
            if len(ends) < len(heads):
                ends.append(pos)
            if fresh and (run := _PLAIN_TAGS.match(data, pos, size)):
                line = bisect_right(starts, pos, line)
                for raw, value, eol in _PLAIN_TAG.findall(data, pos, run.end()):
                    name = names.get(raw) or names.setdefault(raw, raw.decode("ascii"))
                    end = pos + len(raw) + len(value) + 5
                    heads.append((name, value.decode("latin-1"), pos, end, line))
                    pos = end + len(eol)
                    ends.append(pos)
                    line += 1
                ends.pop()
                line -= 1
            elif pair := _TAG.match(data, pos, size):
                raw, value, _, line_end = pair.groups()
                name = names.get(raw) or names.setdefault(raw, raw.decode("ascii"))
                line = bisect_right(starts, pos, line)
                text = _text(value) if b"\\" in value else value.decode("latin-1")
                heads.append((name, text, pos, pair.start(3), line))
                pos, fresh = pair.end(), line_end is not None
            elif closed := _CLOSED.match(data, pos, size):
                note("tag-malformed", 'this is no tag pair and is left alone; a tag is [Name "value"]', pos)
                pos, fresh, told = closed.end(), False, True
            else:
                refusal = never_ends("tag", "tag-unclosed", 'a tag is [Name "value"]', pos)
                pos, fresh, told = _end_of_line(data, pos, size), False, True
        elif first == _BRACE:
            close = data.find(b"}", pos, size) + 1
            if not close:
                refusal = never_ends("comment", "comment-unclosed", "put a } where it ends", pos)
            pos, fresh = close or size, False
        else:
            start = pos
            if fresh and (rows := _ROWS.match(data, pos, size)):
                pos, is_text = rows.end(), True
            else:
                rest = _REST_OF_LINE.match(data, pos, size)
                assert rest  # every part of it is optional
                pos, fresh, is_text = rest.end(), rest.lastindex == 2, bool(rest[1].strip())
                if pos == start:  # a quote that nothing closes in this line
                    if heads:
                        refusal = never_ends("string", "string-unclosed", 'put a " where it ends', pos)
                    pos, is_text = _end_of_line(data, pos, size), True
            if is_text and not heads and not told:
                note("text-outside-game", "this text belongs to no game and is left alone", start)
                told = True
    end_game(size)
    return games, problems


def _end_of_line(data: bytes, pos: int, size: int) -> int:
    found = _LINE_END.search(data, pos, size)
    return found.start() if found else size


def problem_at(
    severity: Literal["note", "error"], code: str, text: str, starts: Sequence[int], offset: int, game: int | None
) -> Problem:
    """A problem of the tape at this byte; ``starts`` are the tape's line starts."""
    line = bisect_right(starts, offset)
    return Problem(severity, code, text, line, offset - starts[line - 1] + 1, game)


def _text(raw: bytes) -> str:
    """A string token's characters: \\" is a quote, \\\\ a backslash, any other backslash is itself (PBN 3.2)."""
    return _ESCAPED.sub(rb"\1", raw).decode("latin-1")


def _inherit(games: list[Game]) -> list[Game]:
    """Resolve # and ## (PBN 4.8) for views; the tape keeps what is printed."""
    latest: dict[str, str] = {}  # name -> value in the nearest earlier game that has it
    copied: dict[str, str] = {}  # name -> text that ## set for all later games
    seen = []
    for game in games:
        resolved: dict[str, str] = {}
        own: set[str] = set()
        for tag in game.tags:
            name = tag.name
            if name in own or name in NOT_INHERITED:
                continue
            own.add(name)
            copied.pop(name, None)
            value = tag.value
            if value.startswith("##"):
                value = copied[name] = value[2:]
            elif value == "#":
                value = latest.get(name, "")
            if value != tag.value:
                resolved[name] = value
            latest[name] = value
        resolved.update((name, value) for name, value in copied.items() if name not in own)
        seen.append(replace(game, inherited=MappingProxyType(resolved)) if resolved else game)
    return seen


def _file_problems(data: bytes, lengths: Sequence[int]) -> Iterator[Problem]:
    if data.startswith(BOM):
        yield Problem("note", "bom", "the file begins with a UTF-8 byte order mark; PBN knows none", 1, 1)
    for number, length in enumerate(lengths, 1):
        if length > LONGEST_LINE:
            text = f"the line has {length} bytes with its end; PBN 2.3 allows {LONGEST_LINE}"
            yield Problem("note", "line-too-long", text, number, LONGEST_LINE + 1)
    crlf = data.count(b"\r\n")
    kinds = {b"\r\n": crlf, b"\n": data.count(b"\n") - crlf, b"\r": data.count(b"\r") - crlf}
    if sum(map(bool, kinds.values())) > 1:
        ends = (end[0] for end in _LINE_END.finditer(data))
        usual = next(ends)
        number = 2 + next(index for index, end in enumerate(ends) if end != usual)
        text = ", ".join(f"{count} {_END_NAMES[end]}" for end, count in kinds.items() if count)
        yield Problem("note", "mixed-line-ends", f"the line ends are mixed: {text}", number, 1)


def _recased(starts: Sequence[int], games: Iterable[Game]) -> Iterator[Problem]:
    """The first of each tag that differs from one we read only in its capitals: names are case-sensitive (PBN 3.3)."""
    meant = {name.lower(): name for name in _READ}
    seen = set(_READ)
    for game in games:
        for tag in game.tags:
            if tag.name not in seen:
                seen.add(tag.name)
                if name := meant.get(tag.name.lower()):
                    text = f"{tag.name} is not read; write {name} if that is meant"
                    yield problem_at("note", "tag-recased", text, starts, tag.start, game.number)


def _game_problems(starts: Sequence[int], game: Game, previous: Game | None) -> Iterator[Problem]:
    names = {tag.name for tag in game.tags}
    if len(names) < len(game.tags):
        yield from _repeats(starts, game)
    if previous and not names & {"Board", "Deal"} and (previous.tag("Board") or previous.tag("Deal")):
        if names & {"Declarer", "Result"}:
            text = "a game without Board and Deal: the result of another table on the deal before, as it seems"
            yield problem_at("note", "shared-deal", text, starts, game.start, game.number)
        else:
            text = "a game without Board and Deal; if a blank line inside the game before cut it off, remove that line"
            yield problem_at("note", "game-without-board", text, starts, game.start, game.number)


def _repeats(starts: Sequence[int], game: Game) -> Iterator[Problem]:
    first: dict[str, Tag] = {}
    for tag in game.tags:
        earlier = first.setdefault(tag.name, tag)
        if earlier is tag or tag.name == "Note" or (tag.name == "Board" and tag.value != earlier.value):
            continue  # a Note has an index of its own; two boards are an error of their own
        text = f"{tag.name} was given in line {earlier.line}; the first one counts"
        yield problem_at("note", "tag-repeated", text, starts, tag.start, game.number)


_WORD = re.compile(rb"\S++")
_MARKS = re.compile(rb'[\[{;"%]')  # what makes a section more than words


def cells_of(data: bytes, tag: Tag) -> list[Cell]:
    """The elements of a section, without comments and % lines."""
    first, last = tag.data_start, tag.data_end
    if not _MARKS.search(data, first, last):
        return [
            Cell(word[0].decode("latin-1"), word.start(), word.end(), False)
            for word in _WORD.finditer(data, first, last)
        ]
    return [
        Cell(piece[0].decode("latin-1"), piece.start(), piece.end(), False)
        if piece.lastgroup == "word"
        else Cell(_text(piece[0][1:-1]), piece.start(), piece.end(), True)
        for piece in PIECE.finditer(data, first, last)
        if piece.lastgroup in ("word", "string")
    ]


def cell_start(data: bytes, tag: Tag, index: int) -> int:
    """Where the cell of this index begins; quicker than all cells for one of the first."""
    if _MARKS.search(data, tag.data_start, tag.data_end):
        return cells_of(data, tag)[index].start
    return next(islice(_WORD.finditer(data, tag.data_start, tag.data_end), index, None)).start()


def texts_of(data: bytes, tag: Tag) -> list[str]:
    """The texts of ``cells_of`` without their places."""
    if _MARKS.search(data, tag.data_start, tag.data_end):
        return [cell.text for cell in cells_of(data, tag)]
    # Bytes are split as _WORD does; a text would also be split at a no-break space.
    return [word.decode("latin-1") for word in data[tag.data_start : tag.data_end].split()]


def blanked(data: bytes, tag: Tag) -> bytes:
    """The bytes after a tag with blanks for comments and % lines, so that the words keep their places."""
    parts = []
    done = tag.end
    for piece in PIECE.finditer(data, tag.end, tag.data_end):
        if piece.lastgroup in ("escape", "other"):
            parts += [data[done : piece.start()], b" " * (piece.end() - piece.start())]
            done = piece.end()
    return b"".join([*parts, data[done : tag.data_end]])


def section_words(tape: Tape, game: Game, name: str) -> Iterator[str]:
    """The words of a section, as Auction and Play, without comments and strings; nothing when there is none."""
    tag = game.tag(name)
    return (cell.text for cell in cells_of(tape.data, tag) if not cell.quoted) if tag else iter(())


def table(tape: Tape, game: Game, name: str) -> Table | None:
    """The section ``name`` cut into rows: only the number of cells counts, not the line breaks (PBN 5.2).

    None when the game has no such section, its header names no columns, or its cells do not fill whole rows:
    ``table_problems`` says which.
    """
    tag = game.tag(name)
    if not tag:
        return None
    cells = cells_of(tape.data, tag)
    columns = columns_of(tape, game, tag, len(cells))
    return None if columns is None or isinstance(columns, Problem) else Table(tag, columns, _rows(cells, len(columns)))


def table_problems(tape: Tape, game: Game, name: str) -> tuple[Problem, ...]:
    """Why ``table`` gives None although the game has a section of that name; empty otherwise."""
    tag = game.tag(name)
    found = columns_of(tape, game, tag, len(texts_of(tape.data, tag))) if tag else None
    return (found,) if isinstance(found, Problem) else ()


def columns_of(tape: Tape, game: Game, tag: Tag, cells: int) -> tuple[Column, ...] | Problem | None:
    """The columns of a section of so many cells; a Problem when it is no table, None when there is nothing in it."""
    header = game.value(tag.name) or ""
    columns = []
    for text in header.split(";"):
        if not (match := _COLUMN.fullmatch(text)):
            why = f"{text!r} names no column, so the rows of {tag.name} cannot be read"
            return problem_at("note", "table-header", why, tape.line_starts, tag.start, game.number) if cells else None
        order, column, width, align = match.groups(default="")
        columns.append(Column(column, int(width or 0), align, order))
    step = len(columns)
    if cells % step:
        per_line = _cells_by_line(tape, cells_of(tape.data, tag))
        ragged = next((line for line, count in per_line if count != step), None)
        start = tape.line_starts[ragged - 1] if ragged else tag.start
        why = f"{cells} cells do not fill rows of {step} columns in {tag.name}"
        return problem_at("error", "table-cells", why, tape.line_starts, start, game.number)
    return tuple(columns)


_Item = TypeVar("_Item")


def _rows(cells: Sequence[_Item], step: int) -> tuple[tuple[_Item, ...], ...]:
    return tuple(tuple(cells[at : at + step]) for at in range(0, len(cells), step))


def _cells_by_line(tape: Tape, cells: Iterable[Cell]) -> list[tuple[int, int]]:
    return list(Counter(tape.position(cell.start)[0] for cell in cells).items())


def splice(data: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    """Replace each ``start:end`` by its bytes; everything else stays. ValueError when two edits overlap."""
    parts = []
    done = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if not done <= start <= end <= len(data):
            raise ValueError(f"the edit of bytes {start}:{end} overlaps another or leaves the file")
        parts += [data[done:start], new]
        done = end
    return b"".join([*parts, data[done:]])


def insertion(tape: Tape, game: Game, name: str) -> tuple[int, bytes, bytes]:
    """Where a supplemental section called ``name`` goes: the byte, what must come before it, and the line end to use.

    What must come before it is a line end where the file ends without one, otherwise nothing. In that case the section
    has to be written without a line end after it, so that ``removal`` finds the very same bytes again. Raises
    Refused when the game cannot be read to its end.
    """
    if game.refusal:
        raise Refused(game.refusal, f"game {game.number}", "Mend that line first; until then nothing can be added")
    place = _place(tape.data, game, name)
    position = game.end if place is None else place
    line_end = _line_end_before(tape.data, position)
    if line_end:
        return position, b"", line_end
    line_start = tape.line_starts[tape.position(position)[0] - 1]
    line_end = _line_end_before(tape.data, line_start) or b"\r\n"
    return position, line_end, line_end


def removal(tape: Tape, section: Tag) -> tuple[int, int]:
    """The bytes that take a section away: its tag and rows, not the comments and % lines after them.

    Exact inverse of writing it at ``insertion``: when no line end follows it (the end of a file without one), the line
    end before it goes too.
    """
    data = tape.data
    last = max((cell.end for cell in cells_of(data, section)), default=section.end)
    after = _LINE_REST.match(data, last)
    if after:
        return section.start, after.end()
    alone = not data[last:].rstrip(b"\x1a")
    return section.start - (len(_line_end_before(data, section.start)) if alone else 0), last


def _line_end_before(data: bytes, position: int) -> bytes:
    if data[max(position - 2, 0) : position] == b"\r\n":
        return b"\r\n"
    before = data[max(position - 1, 0) : position]
    return before if before in (b"\r", b"\n") else b""


def _place(data: bytes, game: Game, name: str) -> int | None:
    """The start of the line before which the section goes; None for the end of the game."""
    tags = game.tags
    sections = [index for index, tag in enumerate(tags) if tag.name not in _PLAYED and texts_of(data, tag)]
    order = [tags[index].name for index in sections]
    if order != sorted(order):
        return None
    later = next((index for index in sections if tags[index].name > name), None)
    if later is not None:
        boundary = tags[later].start
    else:  # behind all that it has to follow: smaller sections, and Auction and Play with their Notes
        before = sections[-1:] + [index for index, tag in enumerate(tags) if tag.name in _PLAYED][-1:]
        if not before:
            return None
        later = max(before) + 1
        boundary = tags[later - 1].data_end
    cut_off = next((tag.name for tag in tags[later:] if tag.name in _PLAYED), "") == "Note"
    if later == 0 or boundary == game.end or cut_off:
        return None
    return _line_after(data, tags[later - 1].end, boundary)


def _line_after(data: bytes, start: int, boundary: int) -> int | None:
    """The start of the line after the last thing in ``start:boundary`` that is no % line; None without such a line.

    The % lines between that line and the boundary stay with the tag that follows them.
    """
    after: int | None = None
    waiting = True  # for the line end of the last thing seen
    for piece in PIECE.finditer(data, start, boundary):
        if piece.lastgroup == "eol":
            if waiting:
                after, waiting = piece.end(), False
        elif piece.lastgroup != "escape":
            after, waiting = None, True
    return after


def results(tape: Tape) -> tuple[Result, ...]:
    """Every result in the file: the rows of each game's ScoreTable, else the game itself when it tells of a result.

    What is printed is only read here, never computed: a result may have an ``outcome``, ``points``, both, or neither
    and then says why. ``keys`` leaves out what is unknown (no tag, ``""``, ``?``, ``-``).
    """
    with without_cycle_collector():
        return tuple(result for game in tape.games for result in _game_results(tape, game))


def _game_results(tape: Tape, game: Game) -> Iterator[Result]:
    tag = game.tag("ScoreTable")
    texts = texts_of(tape.data, tag) if tag else []
    columns = columns_of(tape, game, tag, len(texts)) if tag else None
    about = {tag.name: tag.value for tag in reversed(game.tags)}
    about.update(game.inherited)
    keys = {key: about[name] for key, name in _EVENT_KEYS if _known(about.get(name))}
    if _known(home := about.get("HomeTeam")) and _known(visit := about.get("VisitTeam")):
        keys["match"] = f"{home}-{visit}"
    keys["game"] = str(game.number)
    board = about.get("Board", "")
    vulnerable = _VULNERABLE.get(about.get("Vulnerable", "").strip().lower(), "")
    if isinstance(columns, Problem):
        yield Result(game.number, None, board, keys, None, None, TABLE, vulnerable, EMPTY, columns.text)
        return
    if columns and texts:
        # the first column of a name counts
        at = {column.name: index for index, column in reversed(list(enumerate(columns)))}
        row_keys = [(key, at[name]) for key, name in _ROW_KEYS if name in at]
        given = tuple(name for name in (*_RESULT_COLUMNS, *_REMARKS) if name in at)
        cells = [at[name] for name in given]
        alone = about.get("Competition", "").lower() == "individuals"
        rows = _rows(texts, len(columns))
        several = _multiplicities(rows, at)
        for number, row in enumerate(rows, 1):
            own = {key: row[index].strip() for key, index in row_keys if _known(row[index])}
            if alone:
                own |= dict(_players({name: row[index] for name, index in at.items()}))
            said = _row(given, tuple([row[index].strip() for index in cells]))
            no_result = said.outcome is None and said.points is None
            if no_result and (alone_at := _sitting_out({key: row[index] for key, index in row_keys})):
                said = _without_opponents(said, alone_at, {name: row[index].strip() for name, index in at.items()})
                own = {key: own[key] for key in own if key != alone_at}
            result = said.result(game.number, number, board, keys | own, vulnerable)
            yield replace(result, times=several[number]) if number in several else result
    elif not about.keys().isdisjoint(_RESULT_TAGS):
        own = {key: about[name] for key, name in _TABLE_KEYS if _known(about.get(name))}
        declarer = about.get("Declarer", "").strip()
        scores = tuple([about.get(name, "") for _, name in _SCORE_TAGS])
        said = _single(about.get("Contract"), declarer, about.get("Result", ""), scores)
        if said.why == _NOTHING and "bye" in (
            about.get(name, "").strip().lower() for name in ("HomeTeam", "VisitTeam")
        ):
            said = said._replace(award=_SIT_OUT, why="")
        yield said.result(game.number, None, board, keys | own, vulnerable)


_EVENT_KEYS = (
    ("event", "Event"), ("session", "Session"), ("section", "Section"), ("stage", "Stage"), ("segment", "Segment"),
    ("round", "Round"), ("table", "Table"), ("room", "Room"), ("board", "Board"),
)  # fmt: skip
_ROW_KEYS = (
    ("session", "Session"), ("section", "Section"), ("segment", "Segment"), ("round", "Round"), ("table", "Table"),
    ("room", "Room"), ("ns", "PairId_NS"), ("ew", "PairId_EW"),
)  # fmt: skip
_TABLE_KEYS = (
    ("ns", "PairNS"), ("ew", "PairEW"), ("n", "North"), ("e", "East"), ("s", "South"), ("w", "West")
)  # fmt: skip
_SCORE_COLUMNS = (("points", "Score"), ("mp", "MP"), ("percent", "Percentage"), ("imp", "IMP"))
_SCORE_TAGS = (("points", "Score"), ("mp", "ScoreMP"), ("percent", "ScorePercentage"), ("imp", "ScoreIMP"))
_REMARKS = ("Score", "Remark", "Remarks")  # columns of no standard, with a text for both sides
_RESULT_COLUMNS = (
    *("Contract", "Declarer", "Result"), *(f"{name}_{side}" for _, name in _SCORE_COLUMNS for side in ("NS", "EW"))
)  # fmt: skip
_RESULT_TAGS = frozenset({"Contract", "Result", "Score", "ScoreMP", "ScorePercentage", "ScoreIMP"})
_VULNERABLE = {
    "none": "None", "love": "None", "-": "None", "o": "None", "ns": "NS", "n-s": "NS", "ew": "EW", "e-w": "EW",
    "all": "All", "both": "All", "b": "All",
}  # fmt: skip
_CONTRACT = re.compile(r"([1-7]) ?(C|D|H|S|NT?) ?(X{0,2})", re.IGNORECASE)
_PASSES = frozenset({"pass", "passed", "passed out", "p", "ap"})
_TRICKS = frozenset(str(tricks) for tricks in range(14)) | frozenset(f"{tricks:02}" for tricks in range(10))
_SIDED = re.compile(r"(?:(NS|EW)\s+)?(\S+)(?:\s+(NS|EW)\s+(\S+))?", re.IGNORECASE)
_NUMBER = re.compile(r"\^?([+-]?[0-9]{1,7}(?:[.,][0-9]{1,7})?)%?")


def _multiplicities(rows: Sequence[Sequence[str]], at: Mapping[str, int]) -> dict[int, int]:
    """How many results each row stands for, where more than one (column Multiplicity of PBN 2.1, 5.9).

    The standard's "multiplicity of the score" also fits a table with a row for each of them; then each is one. Rows
    that name nobody stand for the results of their own section.
    """
    if "Multiplicity" not in at:
        return {}
    score = [at[name] for name in (*_RESULT_COLUMNS, *_REMARKS, "Multiplicity") if name in at]
    pairs = [at[name] for key, name in _ROW_KEYS if key in ("ns", "ew") and name in at]
    said = []
    for row in rows:
        nobody = not any(_known(row[index]) for index in pairs)
        said.append((row[at["Section"]] if nobody and "Section" in at else "", *(row[index] for index in score)))
    same = Counter(said)
    found = {}
    for number, (row, what) in enumerate(zip(rows, said, strict=True), 1):
        text = row[at["Multiplicity"]].strip()
        if re.fullmatch("[0-9]{1,5}", text) and int(text) != same[what]:
            found[number] = int(text)
    return {number: times for number, times in found.items() if times > 1}


def _players(cells: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The players of a row by their seats, where the columns of names hold two of them each."""
    for seats, name in (("ns", "Names_NS"), ("ew", "Names_EW")):
        players = cells.get(name, "").split(";")
        if len(players) == 2:
            yield from ((seat, player.strip()) for seat, player in zip(seats, players, strict=True) if _known(player))


def _known(text: str | None) -> bool:
    return text is not None and text.strip() not in ("", "?", "-")


def _sides(text: str, declarer: str) -> tuple[str, str]:
    """The NS and the EW part of a Score tag; a bare number is declarer's (PBN 4.2)."""
    match = _SIDED.fullmatch(text.strip().strip('"').strip())
    if not match:
        return "", ""
    side, first, other, second = match.groups()
    if not side:
        side = {"N": "NS", "S": "NS", "E": "EW", "W": "EW"}.get(declarer.lstrip("^").upper(), "")
    parts = {side.upper(): first, (other or "").upper(): second}
    return parts.get("NS", ""), parts.get("EW", "")


class _Read(NamedTuple):
    """What ``_Printed`` comes to."""

    outcome: Outcome | None
    points: int | None
    award: Score
    printed: Mapping[str, str]
    why: str
    meanings: tuple[Score, ...]

    def result(self, game: int, row: int | None, board: str, keys: Mapping[str, str], vulnerable: str) -> Result:
        outcome, points, award, printed, why, meanings = self
        return Result(game, row, board, keys, outcome, points, award, vulnerable, printed, why, meanings)


_NOTHING = "no result is given"
_SIT_OUT = Score(Award("sit-out"), Award("sit-out"))


def _sitting_out(cells: Mapping[str, str]) -> str:
    """``ns`` or ``ew`` where a row has one pair and says that nobody sits there; unknown opponents (``?``) are some."""
    empty = [side for side in ("ns", "ew") if cells.get(side, "?").strip().lower() in ("", "-", "0", "bye")]
    return empty[0] if len(empty) == 1 and _known(cells.get("ew" if empty[0] == "ns" else "ns")) else ""


def _without_opponents(said: _Read, empty: str, cells: Mapping[str, str]) -> _Read:
    """What a row says that has one pair: an artificial score that it may have, the fixed one where the text can mean
    two; nothing at all for those who are not there."""
    number = 1 if empty == "ns" else 0
    side, nobody = ("NS", "EW")[number], Award("sit-out")
    imps = cells.get(f"IMP_{side}", "")
    found = [
        *([(said.award.ns, said.award.ew)[number]] if said.award is not TABLE else []),
        *artificial.of_side(cells.get(f"Score_{side}", "")),
        *artificial.of_side(cells.get(f"Percentage_{side}", "")),
        *([Award("imps", amount=Fraction(_number(imps)))] if imps.startswith("^") and _number(imps) else []),
        *(each for name in ("MP", "IMP") for each in artificial.of_side(cells.get(f"{name}_{side}", ""))),
    ]
    for text in (cells.get(name, "") for name in ("Contract", "Result", *_REMARKS)):
        found += artificial.of_side(text) or [(score.ns, score.ew)[number] for score in artificial.of_both(text)]
    unread = said.why if _known(cells.get("Contract")) and not found else ""
    own = found[0] if found else TABLE.ns if unread else nobody
    return said._replace(award=Score(nobody, own) if number else Score(own, nobody), why=unread, meanings=())


@lru_cache(maxsize=8192)  # most rows of a board say what another says
def _row(names: tuple[str, ...], texts: tuple[str, ...]) -> _Read:
    """What a row of a ScoreTable comes to by its cells under these names."""
    cells = dict(zip(names, texts, strict=True))
    return _Printed(
        cells.get("Contract"),
        cells.get("Declarer", ""),
        cells.get("Result", ""),
        {kind: (cells.get(f"{name}_NS", ""), cells.get(f"{name}_EW", "")) for kind, name in _SCORE_COLUMNS},
        tuple(cells[name] for name in _REMARKS if name in cells),
    ).read()


@lru_cache(maxsize=8192)
def _single(contract: str | None, declarer: str, tricks: str, scores: tuple[str, ...]) -> _Read:
    """What a game without a ScoreTable comes to; ``scores`` in the order of their tags."""
    sided = {kind: _sides(text, declarer) for (kind, _), text in zip(_SCORE_TAGS, scores, strict=True)}
    return _Printed(contract, declarer, tricks, sided, (scores[0],)).read()


@dataclass(frozen=True, slots=True)
class _Printed:
    """What a row or a game says about one result; ``scores`` are texts by kind, NS and EW, empty where not given;
    ``remarks`` are texts about both sides."""

    contract: str | None
    declarer: str
    tricks: str
    scores: Mapping[str, tuple[str, str]]
    remarks: tuple[str, ...] = ()

    def read(self) -> _Read:
        outcome = self.outcome()
        points, why = self.points()
        printed = self.printed()
        text, meanings = self.artificial(plain=outcome is not None or points is not None)
        award = artificial.settle(meanings, printed)
        if meanings and not award:
            outcome, points, why = None, None, artificial.unclear(text, meanings)
        elif not award and outcome is None and points is None:
            award = self.percentages()
            why = "" if award else why or self.unread()
        if outcome or award or points is not None:
            why = self.unreadable() if points is not None and not outcome and not award else ""
        return _Read(outcome, points, award or TABLE, MappingProxyType(printed), why, meanings)

    def unread(self) -> str:
        """Why there is no result."""
        ns, ew = self.scores["points"]
        for text in filter(_known, (self.contract, self.tricks, ns, ew, *self.remarks)):
            if artificial.undecided(text or ""):
                return f"{text!r} says that the score was adjusted, but not how"
        sides = (("North-South", ns), ("East-West", ew), *(("one side", text) for text in self.remarks))
        for side, text in sides:
            if artificial.of_side(text):
                return (
                    f"{text!r} is what {side} get{'s' if side == 'one side' else ''}; the other side's score is missing"
                )
        for text in filter(None, self.scores["percent"]):
            if text.startswith("^"):
                return f"{text!r} is what one side gets; the other may have the rest of the board, or not"
        return _NOTHING if not _known(self.contract) else f"{self.words()!r} is no result"

    def unreadable(self) -> str:
        """What is wrong with a contract beside which a score is printed; empty where it can be read or is not told."""
        text = " ".join((self.contract or "").split())
        if not _known(text) or text.lower() in _PASSES or _CONTRACT.fullmatch(text):
            return ""
        return f"{text!r} is no contract; the printed score counts"

    def words(self) -> str:
        return " ".join(filter(None, (self.contract, self.declarer, self.tricks)))

    def outcome(self) -> Outcome | None:
        text = " ".join((self.contract or "").split())
        if text.lower() in _PASSES:
            return PASSED_OUT
        declarer = self.declarer.strip().lstrip("^").upper()
        match = _CONTRACT.fullmatch(text)
        if not match or declarer not in SEATS:
            return None
        own, other = _sides(self.tricks.strip().lstrip("^"), declarer)
        if declarer in "EW":
            own, other = other, own
        if own in _TRICKS:
            tricks = int(own)
        elif not own and other in _TRICKS:  # only the defenders' tricks are given
            tricks = 13 - int(other)
        else:
            return None
        strain = match[2].upper().removesuffix("T").replace("N", "NT")
        return Outcome(int(match[1]), strain, len(match[3]), declarer, tricks)

    def points(self) -> tuple[int | None, str]:
        """Points from North-South's view, and why not when two given ones contradict each other."""
        ns, ew = (_points(text) for text in self.scores["points"])
        if ns is None or ew is None:
            if ns is None and ew is None:
                return None, ""
            other = self.scores["points"][ns is not None]
            if _known(other):
                return None, f"the score {' / '.join(self.scores['points'])} cannot be read"
            if abs(ns or ew or 0) in (40, 60) and not _known(self.contract):
                return None, f"no contract scores {ns or ew}; as a percentage it says nothing of the other side"
            return (ns, "") if ew is None else (-ew, "")
        if ns == -ew or not ew:
            return ns, ""
        if not ns:
            return -ew, ""
        return None, f"the two sides have different scores: NS {ns}, EW {ew}"

    def artificial(self, plain: bool) -> tuple[str, tuple[Score, ...]]:
        """An artificial score as a text, and what it can mean. ``plain``: there is a result besides it."""
        ns, ew = self.scores["points"]
        first, second = artificial.of_side(ns), artificial.of_side(ew)
        if first and second:
            return f"{ns} / {ew}", artificial.together(first, second)
        for figures in () if plain else (self.scores[kind] for kind in ("mp", "percent", "imp")):
            averages = [each for text in figures for each in artificial.of_side(text) if each.kind == "average"]
            if len(averages) == 2 and not any(map(_number, figures)):
                return " / ".join(figures), (Score(averages[0], averages[1]),)
        for text in (ns, ew, *self.remarks, *(() if plain else (self.contract or "", self.tricks))):
            if (meanings := artificial.of_both(text)) and {ns, ew} <= {text, "", "-", "?"}:
                return text, meanings
        if plain and (first or second):  # the result stands for the other side alone
            stands = (TABLE.ns,)
            return ns if first else ew, artificial.together(first or stands, second or stands)
        if not _known(self.contract) and {ns, ew} <= {"40", "50", "60"}:  # contradict each other as points
            return f"{ns} / {ew}", artificial.together(artificial.of_number(ns), artificial.of_number(ew))
        return "", ()

    def percentages(self) -> Score | None:
        """What has no contract and no score, but percentages or IMPs, has them by the Director."""
        if self.contract not in (None, "", "-") or any(map(_known, self.scores["points"])):
            return None
        if rest := self.rest_of_the_board():
            return rest
        kinds: tuple[tuple[str, AwardKind], ...] = (("percent", "percent"), ("imp", "imps"))
        for kind, award in kinds:
            amounts = [_number(text) for text in self.scores[kind]]
            if all(amounts):
                ns, ew = (Award(award, amount=Fraction(text)) for text in amounts)
                return Score(ns, ew)
        return None

    def rest_of_the_board(self) -> Score | None:
        """A percentage of one side alone, marked as artificial, where both sides' matchpoints say that the other has
        the rest of the board."""
        known = [text if text.startswith("^") else "" for text in self.scores["percent"]]
        numbers = [_number(text) for text in known]
        points = [_number(text) for text in self.scores["mp"]]
        if all(numbers) or not any(numbers) or (any(map(_known, self.scores["percent"])) and not all(points)):
            return None
        own = 0 if numbers[0] else 1
        amount = Fraction(numbers[own])
        mine, others = Fraction(points[own] or 0), Fraction(points[1 - own] or 0)
        half = Fraction(1, 2 * 10 ** max(len(text.partition(".")[2]) for text in points if text))
        if not mine + others or abs(mine * 100 - amount * (mine + others)) > half * 200:
            return None
        awards = Award("percent", amount=amount), Award("percent", amount=100 - amount)
        return Score(*(awards if own == 0 else awards[::-1]))

    def printed(self) -> dict[str, str]:
        """The scores that are numbers, with a point for the decimal sign and without ``^``."""
        return {
            f"{kind}_{side}": number
            for kind in ("mp", "percent", "imp")
            for side, text in zip(("ns", "ew"), self.scores[kind], strict=True)
            if (number := _number(text))
        }


def _number(text: str) -> str:
    match = _NUMBER.fullmatch(text)
    return match[1].replace(",", ".") if match else ""


def _points(text: str) -> int | None:
    if text.lower() in _PASSES:
        return 0
    number = "" if "^" in text or "%" in text else _number(text)  # those are percentages
    return int(number) if number and "." not in number else None
