"""The rulings files: read them, check them, say which entries are in force and which results they are about.

The flow: ``read`` turns TOML files into one ``Ledger``, refusing each bad entry by itself; ``in_force`` and
``penalties_in_force`` follow ``supersedes``; ``place`` finds each ruling's results in one PBN file; ``entry`` writes
the text that is appended. Of two entries that cannot both stand the first stands, and the later one is refused.

``table`` has two meanings in the format. Directly in a ``[[ruling]]`` a value that reads as an outcome
(``table = "4S S ="``, ``"pass"``) is the result as first scored; any other value (``table = "5"``) is the number of the
table, one of the keys that name a result. Inside ``results = [{ ... }]`` it is always the number of the table.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from fractions import Fraction
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from screenplug.model import (
    Carry,
    Fouled,
    Game,
    Ground,
    Ledger,
    Outcome,
    Penalty,
    Problem,
    Result,
    Ruling,
    Score,
    printable,
)

FORMAT = 1
SCHEMA = "screenplug-ledger.schema.json"  # what it is called beside a rulings file
SCHEMA_LINE = f"#:schema {SCHEMA}"  # first in a new file: editors that know it help while typing
UNREAD = frozenset({"not-utf-8", "syntax", "format", "format-newer"})  # codes of problems that leave out a whole file
LOCATION = (
    *("event", "session", "section", "match", "segment", "round", "table", "room"),
    *("board", "game", "ns", "ew", "n", "e", "s", "w"),
)

_DEFAULTS = ("regulations", "laws", "policy", "session", "director")
_TEXTS = ("supersedes", "override", "note", "private")
_FILE_KEYS = ("format", "prefix", "default", "readings", "ruling", "penalty", "fouled", "contest", "carry")
_GROUND_KEYS = ("decision", "facts", "said", "disputed", "poll", "laws", "finding")
_FOULED_WHERE = ("event", "session", "section")
_FOULED_KEYS = ("board", *_FOULED_WHERE, "groups")
_CONTEST_KEYS = ("vp", "knock-out")
_CARRY_KEYS = ("contestant", "amount", "direction")
_RULING_KEYS = (
    *("id", *LOCATION, "results", *_DEFAULTS, "screens", "score", "stage", "state", "at", *_TEXTS),
    *("readings", "without-error", "ground"),
)
_PENALTY_KEYS = (
    *("id", "contestant", "kind", "amount", "laws", "scope", "direction", "match", "session"),
    *("supersedes", "state", "at"),
    *("note", "private"),
)
_STAGES = ("table", "review", "appeal")
_STATES = ("pending", "provisional", "final", "withdrawn")
_PENALTY_KINDS = ("warning", "procedural", "disciplinary")
_SCOPES = ("match", "session", "event")

_SEARCH = ("game", "board", *(key for key in LOCATION if key not in ("game", "board")))
_SHOWN = 6  # of many values in one message
_EXACT = ("event", "match", "n", "e", "s", "w")
# An id becomes a cell of the record on the board, where lines are ASCII and short.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,31}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d(?::\d\d)?)?)?", re.ASCII)
_CARRIED = re.compile(r"(-?\d{1,6}(?:\.\d{1,6})?) ?(MPs?|IMPs?|VPs?)", re.IGNORECASE | re.ASCII)
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ?(% ?top|%|IMPs?|VPs?)", re.IGNORECASE | re.ASCII)

_Path = tuple[str | int, ...]
_Linked = TypeVar("_Linked", Ruling, Penalty)


def read(sources: Iterable[tuple[str, bytes]]) -> Ledger:
    """Read rulings files, given as (name for messages, content), into one ledger.

    Nothing is raised on content. A file that is not UTF-8, not TOML or of a newer format, and each bad entry, is left
    out and told in ``problems`` with file, line and id. A byte order mark and any line ends but lone CR are accepted.
    """
    rulings: list[Ruling] = []
    penalties: list[Penalty] = []
    fouled: list[Fouled] = []
    carry: list[Carry] = []
    contest: dict[str, str | bool] = {}
    problems: list[Problem] = []
    taken: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    policies: list[str] = []
    for name, data in sources:
        names.append(name)
        file = _File(name, problems)
        whole = _document(file, data)
        if whole is None:
            continue
        whole.only(_FILE_KEYS)
        prefix = whole.text("prefix")
        default = whole.inner("default")
        default.only(_DEFAULTS)
        defaults = {key: default.word(key) for key in _DEFAULTS}
        policies += filter(None, [defaults["policy"]])
        readings = whole.texts_by_word("readings")
        for table in whole.tables("ruling"):
            before = len(problems)
            _identify(table, prefix, "ruling", taken)
            ruling = _ruling(table, defaults, readings)
            if len(problems) == before:
                rulings.append(ruling)
        for table in whole.tables("penalty"):
            before = len(problems)
            _identify(table, prefix, "penalty", taken)
            penalty = _penalty(table, defaults["session"])
            if len(problems) == before:
                penalties.append(penalty)
        for table in whole.tables("fouled"):
            before = len(problems)
            entry = _fouled(table, defaults["session"], fouled)
            if len(problems) == before:
                fouled.append(entry)
        for table in whole.tables("carry"):
            before = len(problems)
            carried = _carry(table)
            if len(problems) == before:
                carry.append(carried)
        _contest(whole.inner("contest"), contest)
    rulings = _linked(rulings, "ruling", taken, problems)
    penalties = _linked(penalties, "penalty", taken, problems)
    problems.sort(key=lambda problem: (names.index(problem.file or names[0]), problem.line or 0))
    return Ledger(
        tuple(rulings),
        tuple(penalties),
        tuple(fouled),
        tuple(problems),
        tuple(carry),
        str(contest.get("vp", "")),
        bool(contest.get("knock-out", False)),
        tuple(policies),
    )


def in_force(ledger: Ledger) -> tuple[Ruling, ...]:
    """The rulings that are neither withdrawn nor superseded, in their order.

    A pending entry supersedes nothing yet: while an appeal is pending the ruling that it is about stands. An entry
    that was superseded does not come back when its successor is withdrawn; a new entry has to say so.
    """
    return _standing(ledger.rulings)


def penalties_in_force(ledger: Ledger) -> tuple[Penalty, ...]:
    """The penalties that are neither withdrawn nor superseded, in their order; as ``in_force``."""
    return _standing(ledger.penalties)


def _standing(entries: Sequence[_Linked]) -> tuple[_Linked, ...]:
    successors = {entry.supersedes: (entry.id, entry.state) for entry in entries if entry.supersedes}
    replaced: dict[str, bool] = {}
    for entry in entries:
        # All along a chain of pending successors stand or fall with what comes at its end.
        chain: dict[str, None] = {}
        id, state = entry.id, "pending"
        while id and id not in replaced and id not in chain and state == "pending":
            chain[id] = None
            id, state = successors.get(id, ("", ""))
        falls = bool(id) and id not in chain and (state != "pending" or replaced[id])
        replaced.update(dict.fromkeys(chain, falls))
    return tuple(entry for entry in entries if entry.state != "withdrawn" and not replaced.get(entry.id))


def next_id(ledger: Ledger, prefix: str) -> str:
    """The first free id ``prefix-number`` after the highest one, counting entries that were refused as well."""
    ids = [ruling.id for ruling in ledger.rulings] + [penalty.id for penalty in ledger.penalties]
    ids += [problem.ruling for problem in ledger.problems if problem.ruling]
    pattern = re.compile(re.escape(prefix) + r"-?([0-9]{1,9})")
    numbers = [int(match[1]) for match in map(pattern.fullmatch, ids) if match]
    joint = "-" if prefix and prefix[-1].isalnum() else ""
    return f"{prefix}{joint}{max(numbers, default=0) + 1}"


def schema() -> bytes:
    """The JSON Schema of a rulings file, for editors: what stands in ``SCHEMA`` beside a file that names it."""
    return schema_file().read_bytes()


def schema_file() -> Traversable:
    """Where the schema is installed."""
    return resources.files("screenplug").joinpath("ledger.schema.json")


# Where a ruling belongs in one PBN file


@dataclass(frozen=True, slots=True)
class Place:
    """Where one ruling belongs in a file.

    ``results`` are the results that it is about. A ruling without a score may be about a board as a whole: then
    ``results`` is empty and ``games`` has the numbers of all its games. ``waiting`` has the keys that no result in the
    file matches yet. All three are empty for a matter without a board.
    """

    ruling: Ruling
    results: tuple[Result, ...] = ()
    games: tuple[int, ...] = ()
    waiting: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Spot:
    """A result, or a game that has none, with the keys by which a ruling may name it."""

    keys: Mapping[str, str]
    game: int
    result: Result | None = None


def place(
    ledger: Ledger, results: Sequence[Result], games: Sequence[Game]
) -> tuple[tuple[Place, ...], tuple[Problem, ...]]:
    """Find the results of every ruling, superseded and withdrawn ones too, in one PBN file.

    Values are compared as text, then as numbers (``1`` finds ``01``); events, matches and players as text alone. A
    ``session`` only tells apart results that say one, since most files do not. Problems are given for entries in
    force: ``waiting`` (a note: no such board, pair ... in this file), ``found-twice`` (an error; the candidates are
    listed) and ``scored-twice`` (an error on the later entry). A ruling with an error has no Place.
    """
    with_results = {result.game for result in results}
    spots = [_Spot(_keys_of_result(result), result.game, result) for result in results]
    spots += [_Spot(_keys_of_game(game), game.number) for game in games if game.number not in with_results]
    standing = {ruling.id for ruling in in_force(ledger)}
    scored: dict[tuple[int, int | None], Ruling] = {}
    places: list[Place] = []
    problems: list[Problem] = []
    for ruling in ledger.rulings:
        found, faults = _place(ruling, spots)
        scores = ruling.id in standing and ruling.score is not None and ruling.state in ("final", "provisional")
        if found and scores:
            rival = next((scored[spot] for r in found.results if (spot := (r.game, r.row)) in scored), None)
            if rival:
                text = f"{rival.id} ({rival.file}:{rival.line}) scores the same result"
                text += "; let one supersede the other, or take the score out of one"
                faults.append(_fault(ruling, "scored-twice", text))
                found = None
            else:
                scored.update({(result.game, result.row): ruling for result in found.results})
        if found:
            places.append(found)
        if ruling.id in standing:
            problems += faults
    return tuple(places), tuple(problems)


def _place(ruling: Ruling, spots: list[_Spot]) -> tuple[Place | None, list[Problem]]:
    results: list[Result] = []
    numbers: list[int] = []
    waiting: list[Mapping[str, str]] = []
    faults: list[Problem] = []
    for where in ruling.where:
        keys = {"session": ruling.session, **where} if ruling.session else where
        found, missing = _find(spots, keys)
        hits = [spot.result for spot in found if spot.result]
        if ruling.score is not None and found and not hits:
            # A board that could not be played has no result: the record stands on it, the score waits for one.
            numbers += [game for game in dict.fromkeys(spot.game for spot in found) if _one_board(found)]
            found, missing = [], f"{_named(where)} has no result yet"
        if not found:
            waiting.append(where)
            faults.append(_fault(ruling, "waiting", missing, "note"))
        elif len(found) == 1 or (ruling.score is None and _one_board(found)):
            results += [hit for hit in hits if len(found) == 1 and hit not in results]
            numbers += [spot.game for spot in found]
        else:
            return None, [_fault(ruling, "found-twice", _candidates(where, found))]
    return Place(ruling, tuple(results), tuple(dict.fromkeys(numbers)), tuple(waiting)), faults


def _one_board(spots: list[_Spot]) -> bool:
    boards = {spot.keys.get("board") for spot in spots}
    return len({spot.game for spot in spots}) == 1 or (len(boards) == 1 and None not in boards)


def _find(spots: list[_Spot], keys: Mapping[str, str]) -> tuple[list[_Spot], str]:
    """The spots that carry all the keys; when none does, also a sentence about the first key that finds nothing."""
    before: dict[str, str] = {}
    for key in (key for key in _SEARCH if key in keys):
        wanted = keys[key]
        # PBN is Latin-1, and a file that is UTF-8 all the same is read as if it were: so may the name be.
        spellings = (wanted, wanted.encode().decode("latin-1"))
        matching = [spot for spot in spots if spot.keys.get(key) in spellings]
        if not matching and key not in _EXACT and (number := _number(wanted)) is not None:
            matching = [spot for spot in spots if _number(spot.keys.get(key, "")) == number]
        if key == "session":
            matching += [spot for spot in spots if key not in spot.keys]
        if not matching:
            there = list(dict.fromkeys(spot.keys[key] for spot in spots if key in spot.keys))
            missing = f"{_named(before) if before else 'the file'} has no {key} {wanted}"
            return [], f"{missing}; {_nearby(wanted, there) if there else f'nothing there says a {key}'}"
        spots, before[key] = matching, wanted
    return spots, ""


def _named(keys: Mapping[str, str]) -> str:
    return " ".join(f"{key} {keys[key]}" for key in _SEARCH if key in keys)


def _nearby(wanted: str, there: list[str]) -> str:
    number = _number(wanted)
    if number is not None:
        near = sorted(there, key=lambda value: float("inf") if (n := _number(value)) is None else abs(number - n))
        some = sorted(near[:_SHOWN], key=lambda value: float("inf") if (n := _number(value)) is None else n)
    else:
        there = [*difflib.get_close_matches(wanted, there, 1), *there]
        there = list(dict.fromkeys(there))
        some = there[:_SHOWN]
    more = " and others" if len(there) > len(some) else ""
    return f"there {'is' if len(some) == 1 else 'are'} {', '.join(some)}{more}"


def _candidates(where: Mapping[str, str], found: list[_Spot]) -> str:
    telling = [key for key in LOCATION if key not in where and len({spot.keys.get(key) for spot in found}) > 1]
    # A player's name is the last thing to tell two results apart by, and the most likely to be misspelt.
    telling = [key for key in telling if key not in ("n", "e", "s", "w")] or telling
    shown = []
    for spot in found[:6]:
        shown.append(", ".join(f"{key} = {_quoted(spot.keys[key])}" for key in telling if key in spot.keys) or "?")
    more = f"; and {len(found) - 6} more" if len(found) > 6 else ""
    text = f"{_named(where)} is found {len(found)} times: {'; '.join(shown)}{more}"
    return f"{text}; add a key that only the right one has" if telling else f"{text}; nothing tells them apart"


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _keys_of_result(result: Result) -> dict[str, str]:
    keys = {"game": str(result.game), **result.keys}
    return {"board": result.board, **keys} if result.board else keys


_TAGS: dict[str, tuple[str, ...]] = {
    **{
        key: (key.capitalize(),)
        for key in ("event", "session", "section", "segment", "round", "table", "room", "board")
    },
    **{"match": ("HomeTeam", "VisitTeam"), "ns": ("PairNS",), "ew": ("PairEW",)},
    **{"n": ("North",), "e": ("East",), "s": ("South",), "w": ("West",)},
}


def _keys_of_game(game: Game) -> dict[str, str]:
    keys = {"game": str(game.number)}
    for key, tags in _TAGS.items():
        values = [game.value(tag) for tag in tags]
        if all(value not in (None, "", "?", "-") for value in values):
            keys[key] = "-".join(cast(list[str], values))
    return keys


def _fault(entry: Ruling | Penalty, code: str, text: str, severity: Literal["note", "error"] = "error") -> Problem:
    return Problem(severity, code, printable(text), line=entry.line, file=entry.file, ruling=entry.id)


# Writing one entry


def entry(ruling: Ruling) -> str:
    """The TOML text of one ``[[ruling]]``, which ``read`` reads back equal (but for ``file`` and ``line``)."""
    rows = ["[[ruling]]", f"id = {_quoted(ruling.id)}"]
    keys = ruling.where[0] if len(ruling.where) == 1 else {}
    if keys and not {"table", "session"} & set(keys):
        rows += [f"{key} = {_quoted(keys[key])}" for key in LOCATION if key in keys]
    else:
        rows.append(f"results = [{', '.join(map(_inline, ruling.where))}]")
    rows += [f"{key} = {_quoted(value)}" for key in (*_DEFAULTS, "table") if (value := getattr(ruling, key))]
    if ruling.readings:
        rows.append(f"readings = {_inline(ruling.readings)}")
    if not ruling.screens:
        rows.append("screens = false")
    if ruling.score:
        score = ruling.score.value()
        sides = {f".{side}": text for side, text in score.items()} if isinstance(score, dict) else {"": score}
        rows += [f"score{side} = {_quoted(text)}" for side, text in sides.items()]
    rows += [f"without-error.{side} = {_quoted(str(result))}" for side, result in ruling.without_error.items()]
    rows += [f"stage = {_quoted(ruling.stage)}", f"state = {_quoted(ruling.state)}"]
    if ruling.at:
        rows.append(f"at = {ruling.at if _is_datetime(ruling.at) else _quoted(ruling.at)}")
    rows += [f"{key} = {_quoted(value)}" for key in _TEXTS if (value := getattr(ruling, key))]
    for ground in ruling.grounds:
        rows += ["", "[[ruling.ground]]"]
        for key in _GROUND_KEYS:
            value = getattr(ground, key)
            if value:
                rows.append(f"{key} = {_value(value)}")
    return "\n".join(rows) + "\n"


def _value(value: str | int | tuple[str, ...] | Mapping[str, str | int]) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    return str(value) if isinstance(value, int) else _inline(value)


def _inline(table: Mapping[str, Any]) -> str:
    bare = re.compile(r"[A-Za-z0-9_-]+")
    pairs = [f"{key if bare.fullmatch(key) else _quoted(key)} = {_value(value)}" for key, value in table.items()]
    return "{ " + ", ".join(pairs) + " }" if pairs else "{}"


def _quoted(text: str) -> str:
    # Half a character, as a terminal in another encoding may send one, has no place in a file of UTF-8.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # JSON's escapes are all TOML escapes; only DEL, which JSON leaves alone, may not stand in a TOML string.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_datetime(text: str) -> bool:
    if not re.fullmatch(r"[0-9T:.+-]+", text):
        return False
    try:
        value = tomllib.loads(f"at = {text}")["at"]
    except ValueError:
        return False
    return isinstance(value, date) and value.isoformat() == text


# Reading TOML with an eye on types and lines


@dataclass(slots=True)
class _File:
    name: str
    problems: list[Problem]
    lines: dict[_Path, int] = field(default_factory=dict)

    def wrong(
        self, code: str, text: str, line: int, ruling: str = "", severity: Literal["note", "error"] = "error"
    ) -> None:
        self.problems.append(Problem(severity, code, printable(text), line=line, file=self.name, ruling=ruling or None))


@dataclass(slots=True)
class _Table:
    """One TOML table while it is read: values by type, and a problem for each that is not as it should be."""

    file: _File
    values: dict[str, Any]
    path: _Path
    id: str = ""

    def line(self, key: str = "") -> int:
        """The line of a key, or of the nearest thing around it that has a line of its own."""
        path = (*self.path, key)
        while path and path not in self.file.lines:
            path = path[:-1]
        return self.file.lines.get(path, 1)

    def wrong(self, code: str, text: str, key: str = "") -> None:
        self.file.wrong(code, text, self.line(key), self.id)

    def only(self, known: Sequence[str]) -> None:
        for key in self.values:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
                self.wrong("key-unknown", f"{key} is no key here; {hint}", key)

    def needs(self, key: str, example: str) -> None:
        value = self.values.get(key, "")
        if _is_text(value) and not value.strip():
            self.wrong("key-missing", f"{key} is missing; write {key} = {example}", key)

    def _typed(self, key: str, fits: Callable[[Any], bool], expected: str, default: Any) -> Any:
        if key not in self.values:
            return default
        value = self.values[key]
        if not fits(value):
            self.wrong("wrong-type", f"{key} is {_type(value)}; write {expected}", key)
            return default
        return value

    def text(self, key: str, default: str = "") -> str:
        return cast(str, self._typed(key, _is_text, f'text in quotes, as {key} = "..."', default))

    def word(self, key: str, default: str = "") -> str:
        """A text; a whole number is as good: board = 7."""
        return str(self._typed(key, _is_word, f'text in quotes, as {key} = "7"', default))

    def choice(self, key: str, words: Sequence[str], default: str = "") -> str:
        value = self.text(key, default)
        if value not in words and value != default:
            near = difflib.get_close_matches(value, words, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            self.wrong("word-unknown", f'{key} = "{value}" is unknown; {hint}known: {", ".join(words)}', key)
        return value

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._typed(key, lambda value: isinstance(value, bool), "true or false, without quotes", default))

    def texts(self, key: str) -> tuple[str, ...]:
        expected = f'a list of texts, as {key} = ["..."]'
        return tuple(self._typed(key, lambda value: _is_list(value, _is_text), expected, ()))

    def texts_by_word(self, key: str) -> Mapping[str, str]:
        expected = f'words with texts, as {key} = {{ word = "..." }}'
        return MappingProxyType(self._typed(key, lambda value: _is_map(value, _is_text), expected, {}))

    def moment(self, key: str) -> str:
        expected = f"a date and time, as {key} = 2026-11-30T20:15:00+01:00, or the same in quotes"
        value = self._typed(key, lambda value: isinstance(value, str | date), expected, "")
        if not isinstance(value, str):
            return cast(date, value).isoformat()
        if _is_text(self.values.get(key)) and not _is_moment(value):
            self.wrong("time", f'{key} = "{value}" is no time; write it as 2026-11-30 or 2026-11-30T20:15', key)
        return value

    def inner(self, key: str) -> _Table:
        value = self._typed(key, lambda value: isinstance(value, dict), f"a table, as [{key}]", {})
        return _Table(self.file, value, (*self.path, key), self.id)

    def tables(self, key: str) -> list[_Table]:
        header = ".".join([*(part for part in self.path if isinstance(part, str)), key])
        fits = self._typed(
            key, lambda value: _is_list(value, lambda item: isinstance(item, dict)), f"[[{header}]], two brackets", []
        )
        return [_Table(self.file, value, (*self.path, key, n), self.id) for n, value in enumerate(fits)]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) or _is_whole(value)


def _is_whole(value: Any) -> bool:
    """A whole number of a size that TOML promises; Python would read any, and then could not write it."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _is_moment(text: str) -> bool:
    """An ISO date, or date and time. Python alone also reads forms that nobody would take for a time."""
    if not _MOMENT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_list(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _is_map(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(map(fits, value.values()))


def _type(value: Any) -> str:
    if isinstance(value, list):
        return "an empty list" if not value else f"a list with {_type(value[0])}" if len(value) == 1 else "a list"
    if isinstance(value, int) and not isinstance(value, bool) and not _is_whole(value):
        return "a number of too many digits"
    names = ((bool, "true or false"), (int, "a number"), (float, "a decimal number"), (str, "text"), (dict, "a table"),
             (time, "a time without its day"))  # fmt: skip
    return next((name for kind, name in names if isinstance(value, kind)), "a date or time")


def _document(file: _File, data: bytes) -> _Table | None:
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:
            raise UnicodeDecodeError("utf-8", data, data.index(b"\0"), data.index(b"\0") + 1, "NUL")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        file.wrong("not-utf-8", "the file is not UTF-8 text; save as UTF-8 (in Notepad: Save as, Encoding UTF-8)", line)
        return None
    text = text.replace("\r\n", "\n")
    try:
        values = tomllib.loads(text)
    except RecursionError:
        file.wrong("syntax", "too many brackets inside each other; close them", 1)
        return None
    except ValueError as error:
        _syntax_error(file, text, str(error))
        return None
    file.lines = _lines(text)
    whole = _Table(file, values, ())
    version = whole.values.get("format", FORMAT)
    if "format" not in values:
        file.wrong("format-missing", f"the file does not say its format; add format = {FORMAT}", 1, severity="note")
    elif not _is_whole(version) or version < 1:
        whole.wrong("format", f"format is no version number; write format = {FORMAT}", "format")
        return None
    elif version > FORMAT:
        text = f"this is format {version}; reading it needs a screenplug that knows rulings format {version}"
        whole.wrong("format-newer", f"{text} (this one knows up to {FORMAT}); update screenplug", "format")
        return None
    return whole


def _syntax_error(file: _File, text: str, message: str) -> None:
    at = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    rows = text.rstrip().split("\n")
    line = int(at[1]) if at and at[1] else len(rows) if at else 1
    column = int(at[2]) if at and at[2] else None
    remedy = 'texts stand in quotes, as board = "7"; lists in [ ]'
    if message.startswith("Exceeds the limit") and (long := re.search(r"[0-9][0-9_]{4000,}", text)):
        line, message, remedy = text.count("\n", 0, long.start()) + 1, "a number has too many digits", "correct it"
    elif re.match("Cannot (overwrite|declare|mutate)|Duplicate", message):
        remedy = "it stands there twice; take one out"
    elif "\r" in text:
        remedy = "save with Windows or Unix line ends"
    elif "\\" in rows[min(line, len(rows)) - 1]:
        remedy = "a backslash stands for itself in '...'; in \"...\" write it twice"
    what = f"not TOML: {message[: at.start()] if at else message}; {remedy}"
    file.problems.append(Problem("error", "syntax", printable(what), line=line, column=column, file=file.name))


_STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}" + r'|"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'" + r"|#[^\n]*", re.DOTALL
)
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*")
_KEY = re.compile(r"\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*=", re.ASCII)


def _lines(text: str) -> dict[_Path, int]:
    """The line of each table and key in a text that is known to be TOML; tomllib itself does not tell.

    Paths are as ``("ruling", 2, "ground", 0, "facts")``. What is inside a value has no line of its own.
    """

    def bare(match: re.Match[str]) -> str:
        inside = match[0][1:-1]
        return f" {inside} " if re.fullmatch(r"[A-Za-z0-9_-]+", inside) else re.sub(r"[^\n]", " ", match[0])

    lines: dict[_Path, int] = {}
    last: dict[_Path, int] = {}
    here: _Path = ()
    depth = 0
    for number, row in enumerate(_STRING_OR_COMMENT.sub(bare, text).split("\n"), 1):
        if not depth and (header := _HEADER.fullmatch(row)):
            here = ()
            names = re.split(r"\s*\.\s*", header[2])
            for position, name in enumerate(names, 1):
                here = (*here, name)
                if header[1] == "[[" and position == len(names):
                    last[here] = last.get(here, -1) + 1
                lines.setdefault(here, number)
                if here in last:
                    here = (*here, last[here])
            lines.setdefault(here, number)
            continue
        if not depth and (key := _KEY.match(row)):
            path = here
            for name in re.split(r"\s*\.\s*", key[1]):
                path = (*path, name)
                lines.setdefault(path, number)
        depth += row.count("[") + row.count("{") - row.count("]") - row.count("}")
    return lines


# The entries


def _identify(table: _Table, prefix: str, kind: str, taken: dict[str, tuple[str, str]]) -> None:
    """Check the entry's id and take it, so that even a refused entry is known to the others."""
    table.needs("id", f'"{prefix + "-" if prefix else ""}1"')
    id = table.text("id")
    if not id:
        return
    table.id = printable(id)
    if not _ID.fullmatch(id):
        table.wrong("id", f'id = "{id}" cannot be used; up to 32 letters A-Z, digits and - . _ / without blanks', "id")
    if not id.startswith(prefix):
        table.wrong("prefix", f'{id} does not begin with this file\'s prefix "{prefix}"; rename it or move it', "id")
    if id in taken:
        table.wrong("id-twice", f"{id} is used already ({taken[id][1]}); give this {kind} an id of its own", "id")
    taken.setdefault(id, (kind, f"{table.file.name}:{table.line()}"))


def _ruling(table: _Table, defaults: Mapping[str, str], readings: Mapping[str, str]) -> Ruling:
    table.only(_RULING_KEYS)
    first_scored = _first_scored(table)
    where = _where(table, first_scored)
    score = _score(table)
    if not where and "results" not in table.values:
        table.wrong("no-board", "the ruling names no result; write board = ..., or results = [] when it has no board")
    if not where and score:
        table.wrong("score-without-board", "a score needs a result that it is for; write board = ...", "score")
    return Ruling(
        id=table.id,
        where=where,
        grounds=tuple(_ground(ground) for ground in table.tables("ground")),
        **{key: table.word(key, defaults[key]) for key in _DEFAULTS},
        screens=table.flag("screens", True),
        table=first_scored,
        score=score,
        stage=cast(Any, table.choice("stage", _STAGES, "table")),
        state=cast(Any, table.choice("state", _STATES, "final")),
        at=table.moment("at"),
        **{key: table.text(key) for key in _TEXTS},
        readings=MappingProxyType({**readings, **table.texts_by_word("readings")}),
        without_error=_without_error(table, score),
        file=table.file.name,
        line=table.line(),
    )


def _without_error(table: _Table, score: Score | None) -> Mapping[str, Outcome]:
    """By side the result that it would have had without its own error."""
    found: dict[str, Outcome] = {}
    for side, text in table.texts_by_word("without-error").items():
        if side not in ("ns", "ew"):
            table.wrong("without-error", f"{side} is no side; write without-error.ns or .ew", "without-error")
            continue
        try:
            found[side] = Outcome.parse(text)
        except ValueError as error:
            table.wrong("without-error", str(error), "without-error")
    if found and not (score and "outcomes" in (score.ns.kind, score.ew.kind)):
        table.wrong("without-error", "only an assigned score is reduced by a side's own error", "without-error")
    return MappingProxyType(found)


def _first_scored(table: _Table) -> str:
    """``table`` when it is the result as first scored; empty when it is the number of a table."""
    value = table.values.get("table")
    if not isinstance(value, str):
        return ""
    try:
        Outcome.parse(value)
    except ValueError as error:
        # No table is called "4S -1": this was meant as a result, and must not wait for ever for such a table.
        if re.search(r"=|\s[+-]\s?\d", value):
            table.wrong("table", str(error), "table")
        return ""
    return value


def _where(table: _Table, first_scored: str) -> tuple[Mapping[str, str], ...]:
    # The session is the ruling's own (it may come from [default]), so it is no key of the entry itself.
    shared = [key for key in LOCATION if key != "session" and not (key == "table" and first_scored)]
    common = _keys(table, shared)
    if "results" not in table.values:
        return (MappingProxyType(common),) if common else ()
    listed = table.values["results"]
    if not _is_list(listed, lambda item: isinstance(item, dict)):
        expected = 'results = [{ board = "7", ns = "3" }, { board = "8", ns = "3" }]'
        table.wrong("wrong-type", f"results is {_type(listed)}; write a list of results, as {expected}", "results")
        return ()
    if common and not listed:
        table.wrong("results", f"results is empty although there is {_named(common)}; take one of them out", "results")
    found = []
    for position, values in enumerate(listed):
        item = _Table(table.file, values, (*table.path, "results", position), table.id)
        item.only(LOCATION)
        if not values:
            item.wrong("results", 'a result needs at least one key, as { board = "7" }')
        found.append(MappingProxyType({**common, **_keys(item, LOCATION)}))
    return tuple(found)


def _keys(table: _Table, known: Sequence[str]) -> dict[str, str]:
    keys = {key: table.word(key) for key in known if key in table.values}
    for key in keys:
        if _is_text(table.values[key]) and not table.values[key].strip():
            table.wrong("key-empty", f"{key} is empty; give its value or take it out", key)
    return keys


def _score(table: _Table) -> Score | None:
    if "score" not in table.values:
        return None
    value = table.values["score"]
    if not (_is_text(value) or _is_map(value, _is_text)):
        expected = 'score = "4S S =", or score.ns = "..." and score.ew = "..."'
        table.wrong("wrong-type", f"score is {_type(value)}; write {expected}", "score")
        return None
    try:
        return Score.parse(value)
    except ValueError as error:
        table.wrong("score", str(error), "score")
        return None


def _ground(table: _Table) -> Ground:
    table.only(_GROUND_KEYS)
    facts = table.inner("facts")
    for key, value in facts.values.items():
        if not _is_word(value):
            facts.wrong(
                "wrong-type", f"the fact {key} is {_type(value)}; write a word in quotes or a whole number", key
            )
    ground = Ground(
        decision=table.text("decision"),
        facts=MappingProxyType(facts.values),
        said=table.texts_by_word("said"),
        disputed=table.texts("disputed"),
        poll=table.text("poll"),
        laws=table.texts("laws"),
        finding=table.text("finding"),
    )
    filled = {key for key, value in table.values.items() if value != [] and not (_is_text(value) and not value.strip())}
    if not filled & {"decision", "laws", "finding"}:
        empty = next((key for key in ("decision", "laws", "finding") if key in table.values), "")
        text = "the ground decides nothing; write decision = ..., or laws = [...] and finding = ..."
        table.wrong("ground", text, empty)
    elif facts.values and "decision" not in filled:
        at = "decision" if "decision" in table.values else "facts"
        table.wrong("ground", "these facts belong to no decision; write decision = ...", at)
    return ground


def _penalty(table: _Table, session: str) -> Penalty:
    table.only(_PENALTY_KEYS)
    table.needs("contestant", '"3"')
    table.needs("kind", '"procedural"')
    kind = table.choice("kind", _PENALTY_KINDS)
    amount, unit = _amount(table, kind)
    return Penalty(
        id=table.id,
        contestant=table.word("contestant"),
        kind=cast(Any, kind),
        amount=amount,
        unit=unit,
        laws=table.texts("laws"),
        scope=cast(Any, table.choice("scope", _SCOPES, "session")),
        direction=table.choice("direction", ("NS", "EW")),
        match=table.word("match"),
        session=table.word("session", session),
        supersedes=table.text("supersedes"),
        state=table.choice("state", _STATES, "final"),
        at=table.moment("at"),
        note=table.text("note"),
        private=table.text("private"),
        file=table.file.name,
        line=table.line(),
    )


def _amount(table: _Table, kind: str) -> tuple[Fraction, str]:
    """``25% top`` is (-25, "top"), ``3 IMP`` (-3, "imp"), ``0.5 VP`` (-1/2, "vp"), ``10%`` (-10, "percent")."""
    text = table.text("amount")
    if not text:
        if kind in _PENALTY_KINDS[1:]:
            table.wrong("amount", f"a {kind} penalty needs an amount, as 25% top, 3 IMP, 0.5 VP or 10%", "amount")
        return Fraction(0), ""
    match = _AMOUNT.fullmatch(" ".join(text.split()))
    if not match or not Fraction(match[1]):
        table.wrong("amount", f'amount = "{text}" is no penalty; write it as 25% top, 3 IMP, 0.5 VP or 10%', "amount")
        return Fraction(0), ""
    if kind == "warning":
        table.wrong("amount", 'a warning costs nothing; take out the amount, or write kind = "procedural"', "amount")
    unit = match[2].lower()
    unit = "top" if "top" in unit else "percent" if unit == "%" else unit.rstrip("s")
    return -Fraction(match[1]), unit


def _fouled(table: _Table, session: str, earlier: Sequence[Fouled]) -> Fouled:
    table.only(_FOULED_KEYS)
    table.needs("board", '"7"')
    board = table.word("board")
    where = {key: table.word(key) for key in _FOULED_WHERE if key in table.values}
    if session:
        where.setdefault("session", session)
    groups = table.values.get("groups", [])
    if not _is_list(groups, lambda group: _is_list(group, _is_text)):
        expected = 'groups = [["1-9", "2-10"], ["3-11"]]'
        table.wrong("wrong-type", f"groups is {_type(groups)}; write lists of results, as {expected}", "groups")
        groups = []
    elif len(groups) < 2 or not all(groups):
        text = "a fouled board has two groups or more, each with a result"
        table.wrong("groups", f'{text}; write groups = [["1-9", "2-10"], ["3-11"]]', "groups")
    same = (fouled for fouled in earlier if (fouled.board, fouled.where) == (board, where))
    seen = {result for fouled in same for group in fouled.groups for result in group}
    for result in (result for group in groups for result in group):
        if not re.fullmatch(r"[^\s-]+-[^\s-]+", result):
            table.wrong(
                "groups", f'"{result}" is no result; write the pairs North-South and East-West, as 3-11', "groups"
            )
        elif result in seen:
            table.wrong("groups", f"{result} is in a group of board {board} already; take one of them out", "groups")
        seen.add(result)
    return Fouled(board, tuple(map(tuple, groups)), where, table.file.name, table.line())


def _carry(table: _Table) -> Carry:
    table.only(_CARRY_KEYS)
    table.needs("contestant", '"3"')
    table.needs("amount", '"12.5 VP"')
    match = _CARRIED.fullmatch(" ".join(table.text("amount").split()))
    if not match and "amount" in table.values:
        table.wrong("amount", f'amount = "{table.text("amount")}": write it as 12.5 VP, 30 MP or 5 IMP', "amount")
    number, unit = match.groups() if match else ("0", "vp")
    direction = table.choice("direction", ("NS", "EW"))
    return Carry(
        table.word("contestant"), Fraction(number), unit.lower().rstrip("s"), direction, table.file.name, table.line()
    )


def _contest(table: _Table, known: dict[str, str | bool]) -> None:
    """How the event is decided; several files may say it, if they say the same."""
    table.only(_CONTEST_KEYS)
    found: dict[str, str | bool] = {"vp": table.word("vp")} if "vp" in table.values else {}
    if "knock-out" in table.values:
        found["knock-out"] = table.flag("knock-out", False)
    for key, value in found.items():
        if known.setdefault(key, value) != value:
            table.wrong("contest", f"{key} = {value} here and {known[key]} in an earlier file; let them agree", key)


def _linked(
    entries: list[_Linked], kind: str, taken: Mapping[str, tuple[str, str]], problems: list[Problem]
) -> list[_Linked]:
    """Refuse each entry that cannot supersede what it says it does; returns the others."""
    kept = []
    successor: dict[str, str] = {}
    circles = _circles({entry.id: entry.supersedes for entry in entries})
    for entry in entries:
        old, text = entry.supersedes, ""
        if old and old not in taken:
            near = difflib.get_close_matches(old, [id for id, (other, _) in taken.items() if other == kind], 1)
            hint = f"did you mean {near[0]}?" if near else "give --rulings the file that has it, or correct the id"
            code, text = "supersedes-unknown", f"supersedes {old}, which is in no rulings file read; {hint}"
        elif old and taken[old][0] != kind:
            code, text = "supersedes-kind", f"{old} is a {taken[old][0]}; only another {taken[old][0]} can supersede it"
        elif entry.id in circles:
            code, text = "supersedes-circle", f"{circles[entry.id]}: a circle; the first entry supersedes nothing"
        elif old and old in successor:
            other = successor[old]
            code, text = "superseded-twice", f"{old} is superseded by {other} already; let this one supersede {other}"
        if text:
            problems.append(_fault(entry, code, text))
        else:
            kept.append(entry)
            successor[old] = entry.id
    return kept


def _circles(target: Mapping[str, str]) -> dict[str, str]:
    """The ids whose ``supersedes`` leads round to themselves, each with the way in words."""
    found: dict[str, str] = {}
    passed: set[str] = set()
    for id in target:
        chain: dict[str, int] = {}
        while id in target and id not in passed:
            passed.add(id)
            chain[id] = len(chain)
            id = target[id]
        circle = list(chain)[chain[id] :] if id in chain else []
        for position, first in enumerate(circle):
            way = (circle + circle[:_SHOWN])[position : position + min(len(circle), _SHOWN)]
            found[first] = " supersedes ".join([*way, *(["..."] if len(circle) > _SHOWN else []), first])
    return found
