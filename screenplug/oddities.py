"""What is odd about the form of a PBN file beyond what reading it tells: every oddity of layout, spelling and tables.

Only ``check`` asks, so nothing else pays for it. What each code means, and what other programs make of it, is in
``codes``; the texts here say what and where.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from . import artificial, pbn
from .model import SEATS, Game, Problem, Tag, without_cycle_collector

_MANDATORY = (
    "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable", "Deal", "Scoring",
    "Declarer", "Contract", "Result",
)  # fmt: skip
_NAMES = """
    event site date board west north east south dealer vulnerable deal scoring declarer contract result auction play
    note competition dealid description frenchmp generator hidden room termination score scoreimp scoremp
    scorepercentage scorerubber scorerubberhistory optimumscore bidsystemew bidsystemns pairew pairns westna northna
    eastna southna westtype northtype easttype southtype eventdate eventsponsor hometeam round section stage table
    visitteam time utcdate utctime timecontrol timecall timecard annotator annotatorna application mode actiontable
    auctiontimetable playtimetable instantscoretable optimumplaytable optimumresulttable scoretable totalscoretable
    rulingtable
"""
_STANDARD_ANYHOW = frozenset(_NAMES.split())
_COLUMNS: Mapping[str, frozenset[str]] = {
    name: frozenset(columns.split())
    for name, columns in {
        "ScoreTable": """
            Rank PairId_NS PairId_EW Names_NS Names_EW Contract Declarer Result Score_NS Score_EW IMP_NS IMP_EW
            MP_NS MP_EW Percentage_NS Percentage_EW Multiplicity
        """,
        "TotalScoreTable": """
            Rank PairId Names TotalScore TotalIMP TotalMP TotalPercentage MeanScore MeanIMP MeanMP MeanPercentage
            NrBoards Multiplicity
        """,
        "OptimumResultTable": "Declarer Denomination Result",
    }.items()
}
_WORDS = """
    MP MatchPoints IMP Cavendish Chicago Rubber BAM Instant Butler Butler-2 Experts Cross Cross1 Cross2 Mean Median MP1
    MP2 OldMP Mitchell2 Mitchell3 Mitchell4 Ascherman Bastille EMP IMP_1948 IMP_1961
"""
_SCORING = frozenset(_WORDS.split())
_LISTS = frozenset({"Scoring", "North", "East", "South", "West", "Annotator", "Names", "RulingTable"})  # parted by ;
_PEOPLE = frozenset({"North", "East", "South", "West", "Event", "Site"})
_PLAYED = ("Auction", "Play")
_SAME_BOARD = ("Board", "Event", "Section", "Round", "Room")

_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_END_OF_TAG = re.compile(rb'"\](?:[ \t]++[\r\n]|[ \t]*+[^\r\n \t])')
_ONE_LINE_PAIR = re.compile(rb'\[\w+ "(?:[^"\\\r\n]|\\[^\r\n])*"\]')
_VERSION = re.compile(rb"%\s*PBN\s+\d+\.\d+\s*\Z")
_CHARSET = re.compile(rb"charset\s*=\s*([\w.:-]+)", re.IGNORECASE)
_TITLE = re.compile(rb"(?:%HRTitleEvent|<META\s+name=\"?event\"?\s+content=)\s*\"?([^\">\r\n]*)", re.IGNORECASE)
_SECOND_BLANK = re.compile(rb"(?<=[\r\n])(?:[ \t]*(?:\r\n|\r|\n)){2}")
_BLANK_INSIDE = re.compile(rb"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)")

_PLAIN_AUCTION = re.compile(
    rb"\s*+(?:(?:Pass|XX?|AP|-|[1-7](?:NT|[SHDC])|=\d\d?=|[!?]{1,2}|\$\d++)(?:\s++|\Z))*+[*+]?\s*+"
)
_PLAIN_PLAY = re.compile(rb"\s*+(?:(?:[SHDC][AKQJT2-9]|-|=\d\d?=|[!?]{1,2}|\$\d++)(?:\s++|\Z))*+[*+]?\s*+")
_TOKEN = re.compile(r"\^\w|=\d*=|\$\d+|[!?]{1,2}|[A-Za-z0-9-]+\*?|.")
_CALLS = re.compile(r"Pass|XX?|AP|-|[1-7](?:NT|[SHDC])")
_CALLS_ANYHOW = re.compile(r"(PASS|P|XX?|AP|[1-7](?:NT|[SHDC]))|([1-7]N)")
_CARD = re.compile(r"[SHDC][AKQJT2-9]")
_DATE = re.compile(r"[0-9?]{4}\.[0-9?]{2}\.[0-9?]{2}|\??")
_CONTRACT = re.compile(r"(?:[1-7](?:NT|[SHDC])X{0,2}|Pass|NT|[SHDC]|\??)\Z")
_CONTRACT_N = re.compile(r"[1-7]NX{0,2}\Z")
_POINTS = re.compile(r"(?:(?:NS|EW) )?-?\d+(?: (?:NS|EW) -?\d+)?|\??")
_FIGURES = re.compile(r"(?:(?:NS|EW) )?-?\d+(?:\.\d+)?(?: (?:NS|EW) -?\d+(?:\.\d+)?)?|\??")
_OPTIMUM = re.compile(r"(?:NS|EW) -?\d+(?: (?:NS|EW) -?\d+)?|\??")
_HAND = r"[AKQJT2-9]*+\.[AKQJT2-9]*+\.[AKQJT2-9]*+\.[AKQJT2-9]*+"
_PLAIN_DEAL = re.compile(rf"[NESW]:(?=.*[AKQJT2-9]){_HAND} {_HAND} {_HAND} {_HAND}")
_SUIT = frozenset("AKQJT98765432")
_NOTE = re.compile(r"\s*(\d{1,4})\s*:")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?%?")
_TRICKS = re.compile(r"[+-]?\d+")


class _Notes:
    """The problems of a tape in the order found; ``once`` gives only the first of each key."""

    def __init__(self, tape: pbn.Tape) -> None:
        self.tape = tape
        self.found: list[Problem] = []
        self._told: set[tuple[str, str]] = set()

    def add(self, code: str, text: str, offset: int, game: int | None = None) -> None:
        self.found.append(pbn.problem_at("note", code, text, self.tape.line_starts, offset, game))

    def once(self, code: str, key: str, text: str, offset: int, game: int | None = None) -> None:
        if (code, key) not in self._told:
            self._told.add((code, key))
            self.add(code, text, offset, game)


def find(tape: pbn.Tape) -> tuple[Problem, ...]:
    """Everything odd that ``pbn.read`` has not told already, in the order of the file."""
    notes = _Notes(tape)
    with without_cycle_collector():
        comments = list(_games(tape, notes))
        _whole_file(tape, notes)
        _directives(tape, notes, comments)
        _preamble(tape, notes)
    notes.found.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
    return tuple(notes.found)


# ------------------------------------------------------------------------------------------------- bytes and % lines


def _whole_file(tape: pbn.Tape, notes: _Notes) -> None:
    data = tape.data
    body = data.removeprefix(pbn.BOM)
    if not body.isascii():
        try:
            body.decode("utf-8")
            code, said = "utf-8", "the first character outside ASCII; they are UTF-8"
        except UnicodeDecodeError:
            code, said = "latin-1", "the first character outside ASCII; they are no UTF-8, and kept as they are"
        first = _NOT_ASCII.search(data, len(data) - len(body)).start()  # type: ignore[union-attr]
        notes.add(code, said, first, _game_at(tape, first))
    end = len(data.rstrip(b"\x1a"))
    if end and data[end - 1] not in b"\r\n":
        notes.add("no-newline-at-end", "the last line has no line end; what is added begins with one", end - 1)


def _game_at(tape: pbn.Tape, offset: int) -> int | None:
    """The game that begins last before this byte."""
    return bisect_right(tape.games, offset, key=lambda game: game.start) or None


def _directives(tape: pbn.Tape, notes: _Notes, comments: Sequence[tuple[int, int]]) -> None:
    data = tape.data
    at = data.find(b"%")
    starts = [start for start, _ in comments]
    headers = 0
    title: tuple[str, int] | None = None
    while at >= 0:
        line = bisect_right(tape.line_starts, at)
        begin = tape.line_starts[line - 1] if line > 1 else len(pbn.BOM) if data.startswith(pbn.BOM) else 0
        end = tape.line_starts[line] if line < len(tape.line_starts) else len(data)
        comment = bisect_right(starts, at) - 1
        if at == begin and not (comment >= 0 and at < comments[comment][1]):
            directive = data[begin:end].rstrip()
            game = _game_at(tape, at)
            inside = game if game and at < tape.games[game - 1].end else None
            words = directive[1:].split()
            if words[:1] == [b"PBN"]:
                headers += 1
                if headers > 1:
                    notes.once("header-repeated", "", "the header of the file comes again here", at)
                if not _VERSION.match(directive):
                    notes.once("version-line", "", f"{directive.decode('latin-1')!r} gives no version number", at)
            elif words == [b"EXPORT"] and not data[:end].endswith(b"\r\n"):
                notes.once("export-line-ends", "", "% EXPORT promises CR LF at the end of lines; here is another", at)
            if inside:
                notes.add("directive-in-game", "a % line inside the game", at, inside)
            if charset := _CHARSET.search(directive):
                charset_name = charset[1].decode("latin-1")
                wrong = ""
                if charset_name.lower().replace("-", "") == "utf8" and not _is_utf8(data):
                    wrong = ", but it is no UTF-8"
                notes.once("charset-declared", "", f"the file says that it is {charset_name}{wrong}", at)
            if not title and (found := _TITLE.search(directive)) and found[1].strip():
                title = (found[1].strip().decode("latin-1"), at)
        at = data.find(b"%", end)
    untitled = next((game for game in tape.games if title and game.value("Event") in ("", "?")), None)
    if title and untitled:
        text = f"the event is {title[0]!r} in this line, and Event {untitled.value('Event')!r} in the games"
        notes.add("event-in-directive", text, title[1], untitled.number)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _preamble(tape: pbn.Tape, notes: _Notes) -> None:
    games = tape.games
    if len(games) > 1 and not games[0].tag("Board") and not games[0].tag("Deal") and games[1].tag("Board"):
        text = "the first game has no Board and no Deal: it is about the whole file"
        notes.add("preamble-game", text, games[0].start, 1)


def _board_again(notes: _Notes, game: Game, tags: Mapping[str, Tag], boards: dict[tuple[str | None, ...], int]) -> None:
    """A board of which a game before tells already; ``boards`` are those games."""
    if game.inherited:
        key = tuple([game.value(name) for name in _SAME_BOARD])
    else:
        key = tuple([tags[name].value if name in tags else None for name in _SAME_BOARD])
    if (first := boards.setdefault(key, game.number)) != game.number:
        text = f"Board {key[0]} again, first in game {first}; name it by room, table, players or game"
        notes.add("board-again", text, tags["Board"].start, game.number)


# ---------------------------------------------------------------------------------------------------------- the games


def _games(tape: pbn.Tape, notes: _Notes) -> Iterator[tuple[int, int]]:
    """Everything about games, tags and sections; gives the brace comments met, in order."""
    data = tape.data
    exported = b"EXPORT" in data and re.search(rb"(?:\A|[\r\n])%\s*EXPORT\s*[\r\n]", data) is not None
    ends = frozenset(found.start() + 2 for found in _END_OF_TAG.finditer(data))
    shapes: dict[tuple[str, ...], list[tuple[str, int, str]]] = {}
    boards: dict[tuple[str | None, ...], int] = {}
    before = len(pbn.BOM) if data.startswith(pbn.BOM) else 0
    for game in tape.games:
        number = game.number
        if game.start - before > 2 and (b"{" in data[before : game.start] or b";" in data[before : game.start]):
            for start, end in _comments(data, before, game.start):
                _comment(tape, notes, start, end, number)
                notes.add("comment-line", "a comment before the first tag", start, number)
                if data[start] == 0x7B:
                    yield start, end
        if game.start - before > 1 and (blank := _SECOND_BLANK.search(data, before, game.start)):
            notes.add("blank-lines", "more than one blank line", blank.start(), None)
        before = game.end
        names = tuple([tag.name for tag in game.tags])
        if (odd := shapes.get(names)) is None:
            odd = shapes[names] = list(_shape(names, exported))
        for code, index, text in odd:
            if code == "tag-unknown":
                notes.once(code, names[index], text, game.tags[index].start, number)
            else:
                notes.add(code, text, game.tags[index].start, number)
        for tag in game.tags:
            if tag.end - tag.start - len(tag.name) - len(tag.value) != 5:
                _layout(data, notes, tag, number)
            for code, text in _value(tag.name, tag.value):
                notes.add(code, text, tag.start, number)
            if tag.end in ends:
                _behind(data, notes, tag, number)
            if tag.data_end - tag.end > 2:
                yield from _section(tape, notes, game, tag)
        tags = dict(zip(reversed(names), reversed(game.tags), strict=True))  # the first of each name
        _together(notes, game, tags)
        if (board := tags.get("Board")) and (board.value.strip() or game.inherited):
            _board_again(notes, game, tags, boards)


def _shape(names: tuple[str, ...], exported: bool) -> Iterator[tuple[str, int, str]]:
    """What the names of a game's tags alone tell: code, index of the tag, text."""
    at_first = dict(zip(reversed(names), reversed(range(len(names))), strict=True))
    ranks = ((rank, at_first[name]) for rank, name in enumerate(_MANDATORY) if name in at_first)
    firsts = sorted(ranks, key=lambda each: each[1])
    played = next((index for index, name in enumerate(names) if name in _PLAYED), len(names))
    for at, (rank, index) in enumerate(firsts):
        if at and rank < firsts[at - 1][0]:
            text = f"{names[index]} comes after {_MANDATORY[firsts[at - 1][0]]}, in export form before it"
            yield "tag-order", index, text
            break
        if index > played:
            yield "tag-order", index, f"{names[index]} comes after {names[played]}, in export form before it"
            break
    for index, name in enumerate(names):
        if name.lower() not in _STANDARD_ANYHOW:
            yield "tag-unknown", index, f"{name} is no tag of the standard"
    if exported and (missing := [name for name in _MANDATORY if name not in names]):
        yield "export-tags-missing", 0, f"the file says % EXPORT, but this game has no {', '.join(missing)}"


def _layout(data: bytes, notes: _Notes, tag: Tag, number: int) -> None:
    """A tag that is not ``[Name "value"]`` to the byte."""
    raw = data[tag.start : tag.end]
    if b"\n" in raw or b"\r" in raw:
        notes.add("multi-line-pair", f"{tag.name} is written over several lines", tag.start, number)
    elif not _ONE_LINE_PAIR.fullmatch(raw):
        notes.add("blanks-in-pair", f"blanks inside the brackets of {tag.name}", tag.start, number)
    if b'\\"' in raw:
        notes.add("escaped-quote", f"an escaped quote in {tag.name}", tag.start + raw.index(b'\\"'), number)


def _behind(data: bytes, notes: _Notes, tag: Tag, number: int) -> None:
    """What stands behind a tag in its line."""
    at = tag.end
    while data[at : at + 1] in (b" ", b"\t"):
        at += 1
    sign = data[at : at + 1]
    if sign in (b"\r", b"\n"):
        notes.add("blanks-in-pair", f"blanks behind the brackets of {tag.name}", tag.end, number)
    elif sign == b"[":
        notes.add("pairs-on-a-line", "another tag in the same line", at, number)
    elif sign not in (b"", b"{", b";", b"\x1a"):
        notes.add("data-on-tag-line", f"what belongs to {tag.name} begins in the line of the tag", at, number)


def _comments(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    for piece in pbn.PIECE.finditer(data, start, end):
        if piece.lastgroup == "other" and data[piece.start()] in b"{;":
            yield piece.start(), piece.end()


def _comment(tape: pbn.Tape, notes: _Notes, start: int, end: int, number: int) -> None:
    """What is in a brace comment, where everything is text."""
    text = tape.data[start + 1 : end]
    if tape.data[start : start + 1] != b"{":
        return
    if blank := _BLANK_INSIDE.search(text):
        notes.add("comment-blank-line", "a blank line in a comment", start + 1 + blank.start(), number)
    marks = [mark.decode() for mark in (b'"', b"[", b";") if mark in text]
    if marks:
        notes.add("comment-marks", f"{' and '.join(marks)} in a comment", start, number)


# ---------------------------------------------------------------------------------------------------------- the values


@lru_cache(maxsize=65536)
def _value(name: str, value: str) -> tuple[tuple[str, str], ...]:
    """What is odd about the value of a tag: codes and texts."""
    found = []
    if name in _PLAYED and not value.strip():
        found.append(("no-value", f"{name} is empty and names no seat"))
    elif value == "-" and name != "Vulnerable":
        found.append(("no-value", f"{name} is a dash"))
    elif value[:1] != "#" and (check := _VALUES.get(name)) and (odd := check(value.strip())):
        found.append(odd)
    if name in ("Declarer", "Result") and value.startswith("^"):
        found.append(("irregularity-mark", f"{value} in {name}"))
    if "\\" in value and not name.endswith("Table"):
        found.append(("lone-backslash", f"a backslash in {name}"))
    if name.endswith("Table"):
        if "\\n" in value or "\\t" in value:
            found.append(("table-in-value", f"the rows of {name} are in its value"))
        elif " " in value.strip() and ";" not in value:
            found.append(("table-header-blanks", f"the columns of {name} are parted by blanks"))
    elif marks := [mark for mark in "[]{};" if mark in value and not (mark == ";" and name in _LISTS)]:
        found.append(("marks-in-value", f"{' '.join(marks)} in {name}"))
    return tuple(found)


_Odd = tuple[str, str] | None


def _board(value: str) -> _Odd:
    return None if re.fullmatch("[1-9][0-9]{0,5}", value) else ("board-not-a-number", f"Board {value!r}")


def _contract(value: str) -> _Odd:
    if _CONTRACT.match(value):
        return None
    if _CONTRACT_N.match(value):
        return "n-for-nt", f"Contract {value}"
    return "contract-spelling", f"Contract {value!r}"


def _result(value: str) -> _Odd:
    text = value.removeprefix("^")
    if text in ("", "?") or (text.isascii() and text.isdigit() and len(text) < 3 and int(text) <= 13):
        return None
    return "result-spelling", f"Result {value!r}"


def _date(value: str) -> _Odd:
    return None if _DATE.fullmatch(value) else ("date-spelling", f"Date {value!r}")


def _vulnerable(value: str) -> _Odd:
    return None if value in ("None", "NS", "EW", "All", "?") else ("vulnerable-spelling", f"Vulnerable {value!r}")


def _scoring(value: str) -> _Odd:
    words = [word.strip() for word in value.split(";")]
    unknown = [word for word in words if word not in _SCORING and word not in ("", "?")]
    return ("scoring-unknown", f"Scoring {', '.join(map(repr, unknown))}") if unknown else None


def _score(name: str, form: re.Pattern[str]) -> Callable[[str], _Odd]:
    return lambda value: None if form.fullmatch(value) else ("score-spelling", f"{name} {value!r}")


def _both_positive(value: str) -> _Odd:
    numbers = re.findall(r"(?:NS|EW) (\d+(?:[.,]\d+)?)", value)
    if not _FIGURES.fullmatch(value) or (len(numbers) == 2 and any(float(n.replace(",", ".")) for n in numbers)):
        return "score-spelling", f"ScoreIMP {value!r}"
    return None


def _optimum(value: str) -> _Odd:
    return None if _OPTIMUM.fullmatch(value) else ("optimum-spelling", f"OptimumScore {value!r}")


def _solved(value: str) -> _Odd:
    return ("optimum-spelling", "DoubleDummyTricks without a number of tricks") if "*" in value else None


def _room(value: str) -> _Odd:
    return None if value else ("room-empty", "Room is empty")


def _deal(value: str) -> _Odd:
    if _PLAIN_DEAL.fullmatch(value):
        return None
    first, colon, text = value.partition(":")
    if value in ("", "?"):
        return None
    hands = text.upper().split()
    if not colon or first.upper() not in SEATS or not 1 <= len(hands) <= 4:
        return "deal-unreadable", f"Deal {value[:20]!r} does not begin with a seat and a colon, or has not four hands"
    if not any(sign.isalnum() for sign in text):
        return "deal-empty", "no hand has a card"
    if "10" in text:
        return "deal-ten", "10 for T"
    for hand in hands:
        if hand == "-":
            continue
        if hand.count(".") != 3:
            return "deal-unreadable", f"the hand {hand[:25]!r} has {hand.count('.')} dots, not three"
        if not _SUIT.issuperset(hand.replace(".", "")):
            return "deal-unreadable", f"the hand {hand[:25]!r} holds a sign that is no card"
    if "-" in hands or len(hands) < 4:
        return "deal-hidden", "not all four hands are given"
    return None


_VALUES: Mapping[str, Callable[[str], _Odd]] = {
    "Board": _board,
    "Contract": _contract,
    "Result": _result,
    "Date": _date,
    "Vulnerable": _vulnerable,
    "Scoring": _scoring,
    "Score": _score("Score", _POINTS),
    "ScoreMP": _score("ScoreMP", _FIGURES),
    "ScorePercentage": _score("ScorePercentage", _FIGURES),
    "ScoreIMP": _both_positive,
    "OptimumScore": _optimum,
    "DoubleDummyTricks": _solved,
    "Room": _room,
    "Deal": _deal,
}


def _together(notes: _Notes, game: Game, tags: Mapping[str, Tag]) -> None:
    """What two tags of a game tell together, and the Notes."""
    if "Note" in tags:
        _note_tags(notes, game)
    deal, dealer = tags.get("Deal"), tags.get("Dealer")
    if deal and dealer:
        first, seat = deal.value[:1].upper(), dealer.value.strip().upper()
        if first != seat and first in SEATS and seat in SEATS:
            notes.add("deal-first-seat", f"Deal begins with {first}, Dealer is {seat}", deal.start, game.number)
    result = tags.get("Result")
    if result and result.value.strip() == "0" and (contract := tags.get("Contract")):
        declarer = game.value("Declarer") or ""
        if contract.value.strip().lower() in ("pass", "p", "") or declarer in ("", "?", "-"):
            notes.add("result-spelling", "Result 0 where nobody played a contract", result.start, game.number)


# --------------------------------------------------------------------------------------------------------- the sections


def _section(tape: pbn.Tape, notes: _Notes, game: Game, tag: Tag) -> Iterator[tuple[int, int]]:
    """What follows a tag: calls, cards, cells, comments, or what should not be there; gives the brace comments."""
    data, number, name = tape.data, game.number, tag.name
    raw = data[tag.end : tag.data_end]
    if raw.isspace():
        return
    is_table, is_played = name.lower().endswith("table"), name in _PLAYED
    bare = raw
    if b"{" in raw or b";" in raw or b"%" in raw or b'"' in raw or b"[" in raw:
        bare = pbn.blanked(data, tag)
        words_before = False
        for piece in pbn.PIECE.finditer(data, tag.end, tag.data_end):
            if piece.lastgroup in ("word", "string"):
                words_before = True
            elif piece.lastgroup == "other" and data[piece.start()] in b"{;":
                _comment(tape, notes, piece.start(), piece.end(), number)
                code, where = "comment-line", f"a comment after {name}"
                if is_played and bare.strip():
                    code, where = (
                        "comment-in-section",
                        f"a comment among the {'calls' if name == 'Auction' else 'cards'}",
                    )
                elif is_table and words_before:
                    code, where = "comment-after-cells", f"a comment after cells of {name}"
                notes.add(code, where, piece.start(), number)
                if data[piece.start()] == 0x7B:
                    yield piece.start(), piece.end()
    if is_played:
        plain = _PLAIN_AUCTION if name == "Auction" else _PLAIN_PLAY
        if not plain.fullmatch(bare) or b"\t" in bare:
            for code, text, offset in _tokens(bare, name):
                notes.add(code, text, tag.end + offset, number)
        ended = _whole(bare, name)
        if ended:
            code, text = ended
            notes.add(code, text, tag.start, number)
    elif is_table:
        if bare.strip():
            _table(tape, notes, game, tag, bare)
    elif bare.strip(b" \t\r\n\v\f\x1a"):
        at = tag.end + len(bare) - len(bare.lstrip())
        what = "rows behind Note" if name == "Note" else f"rows behind {name}, which has none"
        notes.add("rows-after-tag", what, at, number)


@lru_cache(maxsize=8192)
def _tokens(bare: bytes, name: str) -> tuple[tuple[str, str, int], ...]:
    """Code, text and place of what is odd in the calls or cards; each code once a section."""
    found: dict[str, tuple[str, str, int]] = {}

    def odd(code: str, text: str, offset: int) -> None:
        found.setdefault(code, (code, text, offset))

    if (tab := bare.find(b"\t")) >= 0:
        odd("tabs", f"tabs in {name}", tab)
    text = bare.decode("latin-1")
    starred = -1
    for word in re.finditer(r"[^\s\x1a]+", text):
        for match in _TOKEN.finditer(word[0]):
            token, offset = match[0], word.start() + match.start()
            if starred >= 0:
                odd("alert-star", "calls go on after *", starred)
            if token[0] == "^":
                odd("irregularity-mark", f"{token} in {name}", offset)
            if token[0] in "=$!?^+":
                continue
            if token.endswith("*"):
                if len(token) > 1:
                    odd("alert-star", f"{token}: a star glued to it", offset)
                    token = token[:-1]
                else:
                    starred = offset
                    continue
            if token == "-":
                continue
            if set(token) == {"-"}:
                odd("play-placeholder", f"{token} for no card or call", offset)
            elif name == "Auction":
                _odd_call(token, offset, odd)
            elif not _CARD.fullmatch(token):
                known = _CARD.fullmatch(token.upper())
                odd(
                    "card-case" if known else "card-unknown",
                    f"{token} {'in small letters' if known else 'is no card'}",
                    offset,
                )
    return tuple(found.values())


def _odd_call(token: str, offset: int, odd: Callable[[str, str, int], None]) -> None:
    if _CALLS.fullmatch(token):
        return
    match = _CALLS_ANYHOW.fullmatch(token.upper())
    if match and match[2]:
        odd("n-for-nt", f"{token} for {token.upper()}T", offset)
    elif match:
        odd("call-spelling", f"{token} as a call", offset)
    elif not re.fullmatch("[89](?:NT?|[SHDC])", token.upper()):
        odd("call-unknown", f"{token} is no call", offset)


@lru_cache(maxsize=8192)
def _whole(bare: bytes, name: str) -> tuple[str, str] | None:
    """What the section tells as a whole."""
    words = bare.upper().replace(b"\x1a", b"").split()
    lines = [line for line in re.split(rb"[\r\n]+", bare) if line.strip()]
    for line in lines:
        if line.startswith((b"  ", b"\t\t")) and len(line.split()) < 4 and b"*" not in line:
            return "columns-by-blanks", f"a line of {name} begins with blanks, so its columns are unclear"
    if name == "Play":
        if not any(_CARD.fullmatch(word.decode("latin-1")) for word in words):
            return "play-not-recorded", "Play has no card"
        if any(set(line.split()) == {b"-"} for line in lines):
            return "play-placeholder", "a trick of dashes alone"
        return None
    calls = [word for word in words if word[:1] not in b"=$!?^"]
    if not calls or calls[-1][-1:] in (b"*", b"+") or b"AP" in calls:
        return None
    passes = 0
    for call in reversed(calls):
        if call not in (b"PASS", b"P"):
            break
        passes += 1
    done = passes >= 4 or (passes == 3 and len(calls) > 3 and calls[-4] != b"-")
    return None if done else ("auction-unfinished", "the auction does not end with its passes")


def _note_tags(notes: _Notes, game: Game) -> None:
    """Notes against the references of their own section."""
    data = notes.tape.data
    references: dict[str, set[int]] = {}
    used: dict[str, set[int]] = {}
    section: Tag | None = None
    for tag in game.tags:
        if tag.name in _PLAYED:
            section = tag
            references[tag.name] = {int(found) for found in re.findall(rb"=(\d{1,4})=", pbn.blanked(data, tag))}
            used[tag.name] = set()
        elif tag.name == "Note":
            match = _NOTE.match(tag.value)
            if not match or not 1 <= int(match[1]) <= 32:
                notes.add("note-number", f"Note {tag.value[:20]!r}", tag.start, game.number)
                if not match:
                    continue
            index = int(match[1])
            own = section.name if section else ""
            other = next((name for name, found in references.items() if name != own and index in found), "")
            if own and index in references[own]:
                used[own].add(index)
            elif other:
                text = f"Note {index} belongs to {other} and stands behind {own or 'another tag'}"
                notes.add("note-misplaced", text, tag.start, game.number)
                used[other].add(index)
            else:
                notes.add("note-unused", f"nothing refers to Note {index}", tag.start, game.number)
    for name, found in references.items():
        for index in sorted(found - used[name]):
            text = f"there is no Note {index}, to which {name} refers"
            tag_of = game.tag(name)
            notes.add("note-missing", text, tag_of.start if tag_of else game.start, game.number)


def _table(tape: pbn.Tape, notes: _Notes, game: Game, tag: Tag, bare: bytes) -> None:
    """The cells of a table, a column at a time: the first of each kind."""
    number, name = game.number, tag.name
    if b"\t" in bare:
        notes.add("tabs", f"tabs in {name}", tag.end + bare.index(b"\t"), number)
    known = _COLUMNS.get(name)
    header = game.value(name) or ""
    if "\\n" in header or "\\t" in header or (known is None and name != "RulingTable"):
        if known is None:
            notes.found += pbn.table_problems(tape, game, name)
        return
    if name == "RulingTable":
        return
    texts = pbn.texts_of(tape.data, tag)
    columns = pbn.columns_of(tape, game, tag, len(texts))
    if not columns or isinstance(columns, Problem):
        if isinstance(columns, Problem) and name == "OptimumResultTable":
            notes.found.append(columns)
        return
    cells: list[pbn.Cell] = pbn.cells_of(tape.data, tag) if b'"' in bare else []
    step = len(columns)
    for index, column in enumerate(columns):
        if known and column.name not in known and " " not in column.name:
            notes.once("column-unknown", f"{name} {column.name}", f"{column.name} in {name}", tag.start, number)
        here = texts[index::step]
        for code, text, row in _column(column, here, cells[index::step]):
            at = index + row * step
            offset = cells[at].start if cells else pbn.cell_start(tape.data, tag, at)
            notes.add(code, f"{text} in {column.name}", offset, number)


def _column(column: pbn.Column, texts: Sequence[str], cells: Sequence[pbn.Cell]) -> Iterator[tuple[str, str, int]]:
    """Code, text and row of what is odd in one column."""
    different = dict.fromkeys(texts)  # in the order of the table
    title = column.name
    if column.width and (wide := next((text for text in different if len(text) > column.width), "")):
        yield "cell-wider", f"{wide[:20]!r} takes more than {column.width} places", texts.index(wide)
    told: set[str] = set()
    for text in different:
        if (odd := _cell(title, text)) and odd not in told:
            told.add(odd)
            yield odd, repr(text), texts.index(text)
    quoted = [cell.quoted for cell in cells]
    if title.startswith("Names"):
        bare = (at for at, text in enumerate(texts) if not (quoted and quoted[at]) and text not in ("-", "?"))
        if (row := next(bare, -1)) >= 0:
            yield "bare-names", repr(texts[row]), row
    else:
        numbers = (at for at, quote in enumerate(quoted) if quote and _NUMBER.fullmatch(texts[at]))
        if (row := next(numbers, -1)) >= 0:
            yield "quoted-number", f'"{texts[row]}"', row


@lru_cache(maxsize=8192)
def _cell(title: str, text: str) -> str:
    """The code of what is odd about a cell, or nothing."""
    if title == "Contract" and text not in ("-", "?"):
        return (_contract(text) or ("",))[0]
    if title == "Denomination" and text == "N":
        return "n-for-nt"
    if title == "Result" and text not in ("-", "?"):
        plain = text.removeprefix("^")
        return "cell-garbage" if _TRICKS.fullmatch(plain) and not 0 <= int(plain) <= 13 else ""
    if "_" in title and not title.startswith(("Names", "PairId")):
        if text.lower() in ("pass", "p"):
            return "word-for-score"
        if text.startswith("^") or (artificial.of_side(text) and not _NUMBER.fullmatch(text)):
            return "artificial-cell"
    return ""
