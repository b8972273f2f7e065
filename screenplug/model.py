"""The frozen records that everything else passes around. Data only: no file, no plugin, no terminal."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

SEATS = ("N", "E", "S", "W")
STRAINS = ("C", "D", "H", "S", "NT")
EMPTY: Mapping[str, Any] = MappingProxyType({})


def _empty() -> Mapping[str, Any]:
    return EMPTY  # a mapping proxy is no allowed dataclass default before Python 3.12


@contextmanager
def without_cycle_collector() -> Iterator[None]:
    """A big file makes a million records that all stay; the collector would walk them again and again for nothing."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Refused(Exception):
    """Input that cannot be used: what is wrong, where, and what would mend it."""

    def __init__(self, what: str, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.remedy = what, where, remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}. {self.remedy}" if self.remedy else text


def printable(text: str) -> str:
    """Text from a file or an option, on one line and without anything that a terminal would obey."""
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something odd (``note``) or wrong (``error``) in a file. Reading never raises on content: it yields these.

    ``line`` and ``column`` count from 1; ``game`` is the game's position in the file, from 1.
    ``text`` says what, and what would mend it; ``next`` is a command to run about it, or empty.
    """

    severity: Literal["note", "error"]
    code: str
    text: str
    line: int | None = None
    column: int | None = None
    game: int | None = None
    file: str | None = None
    ruling: str | None = None
    next: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Contract, declarer and declarer's tricks; ``level`` 0 is a board passed out."""

    level: int
    strain: str = ""
    doubled: int = 0
    declarer: str = ""
    tricks: int = 0

    @classmethod
    def parse(cls, text: str) -> Outcome:
        """Read ``4SX S -1``, ``3NT N =``, ``2H E +2`` or ``pass``; raise ValueError with the reason."""
        words = text.split()
        if len(words) == 1 and words[0].lower() in ("pass", "passed"):
            return PASSED_OUT
        match = _OUTCOME.fullmatch(" ".join(words))
        if not match:
            raise ValueError(f"{text.strip()!r} is no result; write contract, declarer and tricks, as 4SX S -1")
        level, strain, doubled, declarer, relative = match.groups()
        tricks = 6 + int(level) + (0 if relative == "=" else int(relative))
        if not 0 <= tricks <= 13:
            raise ValueError(f"{text.strip()!r} would be {tricks} tricks")
        strain = strain.upper().replace("NT", "N").replace("N", "NT")
        return cls(int(level), strain, len(doubled), declarer.upper(), tricks)

    def __str__(self) -> str:
        if not self.level:
            return "pass"
        over = self.tricks - 6 - self.level
        return f"{self.contract} {self.declarer} {f'{over:+d}' if over else '='}"

    @property
    def contract(self) -> str:
        """``4SX``; ``Pass`` when passed out."""
        return f"{self.level}{self.strain}{'X' * self.doubled}" if self.level else "Pass"


_OUTCOME = re.compile(r"([1-7]) ?([CDHS]|NT?)(X{0,2}) ?([NESW]) ?(=|[+-]\d{1,2})", re.IGNORECASE)
PASSED_OUT = Outcome(0)

AwardKind = Literal["outcomes", "average", "percent", "imps", "table", "not played", "late", "cancelled", "sit-out"]


@dataclass(frozen=True, slots=True)
class Award:
    """What one side gets.

    ``outcomes`` holds (weight, Outcome), the weights adding up to exactly 1; ``average`` is ``A+``, ``A`` or ``A-``
    (by the law: own average may count, 3 IMPs); ``amount`` is a fixed percentage (60 means 60%) or fixed IMPs.
    ``sit-out``, a pair without opponents, is only ever read from a file.
    """

    kind: AwardKind
    outcomes: tuple[tuple[Fraction, Outcome], ...] = ()
    average: str = ""
    amount: Fraction | None = None

    @classmethod
    def parse(cls, text: str) -> Award:
        """Read one side's award; raise ValueError with the reason."""
        text = " ".join(text.split())
        if text.lower() in _PLAIN:
            return cls(text.lower())  # type: ignore[arg-type]
        if text.upper() in ("A+", "A", "A-"):
            return cls("average", average=text.upper())
        if match := re.fullmatch(r"(\d{1,3}(?:\.\d{1,6})?) ?%", text):
            if not 0 <= (amount := Fraction(match[1])) <= 100:
                raise ValueError(f"{text} is more than the whole board")
            return cls("percent", amount=amount)
        if match := re.fullmatch(r"([+-]?\d{1,3}(?:\.\d{1,6})?) ?IMPs?", text, re.IGNORECASE | re.ASCII):
            return cls("imps", amount=Fraction(match[1]))
        return cls("outcomes", outcomes=_weighted(text))

    def __str__(self) -> str:
        if self.kind == "average":
            return self.average
        if self.kind == "percent":
            return f"{_decimal(self.amount)}%"
        if self.kind == "imps":
            sign = "+" if self.amount is not None and self.amount > 0 else ""
            return f"{sign}{_decimal(self.amount)} IMP"
        if self.kind != "outcomes":
            return self.kind
        if len(self.outcomes) == 1:
            return str(self.outcomes[0][1])
        return ", ".join(f"{_weight(weight)} {outcome}" for weight, outcome in self.outcomes)


_PLAIN = ("table", "not played", "late", "cancelled")


def _weighted(text: str) -> tuple[tuple[Fraction, Outcome], ...]:
    parts = []
    for piece in text.split(","):
        match = re.match(r"\s*(\d{1,3}(?:\.\d{1,6})?) ?%\s+|\s*(\d{1,4})\s?/\s?(\d{1,4})\s+", piece)
        weight = Fraction(1)
        if match:
            if match[3] is not None and not int(match[3]):
                raise ValueError(f"{match[0].strip()} divides by zero")
            weight = Fraction(match[1]) / 100 if match[1] else Fraction(int(match[2]), int(match[3]))
            piece = piece[match.end() :]
        elif "," in text:
            raise ValueError(f"{piece.strip()!r} has no weight; write 60% or 2/3 before each result")
        if not weight:
            raise ValueError(f"a result with no weight does not count; leave out {piece.strip()!r}")
        parts.append((weight, Outcome.parse(piece)))
    total = sum((weight for weight, _ in parts), Fraction(0))
    if total != 1:
        raise ValueError(f"the weights add up to {_weight(total)}, not to 100%")
    return tuple(parts)


def _decimal(number: Fraction | None) -> str:
    """The shortest exact decimal, or a fraction where there is none."""
    if number is None:
        return "?"
    for places in range(7):
        if (number * 10**places).denominator == 1:
            return f"{float(number):.{places}f}"
    return f"{number.numerator}/{number.denominator}"


def _weight(weight: Fraction) -> str:
    percent = _decimal(weight * 100)
    return f"{weight.numerator}/{weight.denominator}" if "/" in percent else f"{percent}%"


@dataclass(frozen=True, slots=True)
class Score:
    """What a ruling gives the two sides. A score that differs between them is *split* (Law 12C1)."""

    ns: Award
    ew: Award

    @classmethod
    def parse(cls, value: str | Mapping[str, str]) -> Score:
        """Read the ledger's ``score``: one text for both sides, or ``{"ns": ..., "ew": ...}``; raise ValueError."""
        if isinstance(value, Mapping):
            if set(value) != {"ns", "ew"}:
                raise ValueError("a split score needs score.ns and score.ew, nothing else")
            return cls(Award.parse(value["ns"]), Award.parse(value["ew"]))
        sides = re.split(r"\s/\s", value)
        if len(sides) == 2:
            ns, ew = (Award.parse(side) for side in sides)
            if "outcomes" in (ns.kind, ew.kind):
                raise ValueError("a split score with results is written as score.ns and score.ew")
            return cls(ns, ew)
        if len(sides) > 2:
            raise ValueError("more than two sides; write NS / EW")
        both = Award.parse(value)
        if both.kind in ("average", "percent", "imps"):
            raise ValueError(f"{value.strip()!r} is for one side; write NS / EW, as {both} / {both}")
        return cls(both, both)

    @property
    def split(self) -> bool:
        """Whether the two sides get different results of the board (artificial awards are not called split)."""
        return self.ns != self.ew and "outcomes" in (self.ns.kind, self.ew.kind)

    def value(self) -> str | dict[str, str]:
        """What ``parse`` reads back: a text, or the two texts of a split score with results."""
        if self.split:
            return {"ns": str(self.ns), "ew": str(self.ew)}
        return (
            str(self.ns) if self.ns == self.ew and self.ns.kind in ("outcomes", *_PLAIN) else f"{self.ns} / {self.ew}"
        )

    def __str__(self) -> str:
        return f"NS {self.ns}, EW {self.ew}" if self.split else str(self.value())

    @property
    def kind(self) -> str:
        """``table assigned weighted split artificial not-played late cancelled sit-out``, as in the score JSON."""
        if self.split:
            return "split"
        if self.ns.kind == "outcomes":
            return "weighted" if len(self.ns.outcomes) > 1 else "assigned"
        if self.ns == self.ew and self.ns.kind in (*_PLAIN, "sit-out"):
            return self.ns.kind.replace(" ", "-")
        return "artificial"


TABLE = Score(Award("table"), Award("table"))


class Tag(NamedTuple):
    """A tag pair on the tape. ``start:end`` are the bytes of ``[Name "value"]``; ``data_start:data_end`` what follows
    it up to the next tag or the end of the game: section rows, comments, line ends. ``value`` is Latin-1, unescaped.
    """

    name: str
    value: str
    start: int
    end: int
    data_start: int
    data_end: int
    line: int


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a PBN file. ``start:end`` are its bytes, from its first tag to the blank line after it.

    ``refusal`` says why nothing can be inserted into it, or is empty.
    """

    number: int
    start: int
    end: int
    line: int
    tags: tuple[Tag, ...]
    inherited: Mapping[str, str] = field(default_factory=_empty)
    refusal: str = ""

    def tag(self, name: str) -> Tag | None:
        """The first tag of that name: PBN 3.4, a repeat is ignored."""
        return next((tag for tag in self.tags if tag.name == name), None)

    def value(self, name: str) -> str | None:
        """The tag's value with ``#`` and ``##`` resolved (PBN 4.8); None when the game has no such tag."""
        if name in self.inherited:
            return self.inherited[name]
        tag = self.tag(name)
        return tag.value if tag else None


@dataclass(frozen=True, slots=True)
class Result:
    """One result: a row of a ScoreTable, or a game that has none.

    ``keys`` are the words by which a ledger may name it (ns, ew, table, round, room, board, game ...), as printed.
    ``points`` are the contract points from North-South's side; None when unknown, with ``why`` saying so; with points
    ``why`` says that the contract beside them cannot be read.
    ``award`` is ``table`` unless the file itself prints an artificial score; ``meanings`` are all scores that the text
    of an artificial one can stand for (``A6040``: fixed, or averages by the law). ``printed`` holds what the file says:
    ``mp_ns mp_ew percent_ns percent_ew imp_ns imp_ew``, as text, only where there is such a cell or tag. ``times``: a
    row may stand for several equal results.
    """

    game: int
    row: int | None
    board: str
    keys: Mapping[str, str]
    outcome: Outcome | None
    points: int | None
    award: Score = TABLE
    vulnerable: str = ""
    printed: Mapping[str, str] = field(default_factory=_empty)
    why: str = ""
    meanings: tuple[Score, ...] = ()
    times: int = 1


Facts = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Ground:
    """One decision of the Director with the facts it rests on; or, for what no table decides, laws and a finding.

    ``said`` (who said what) and ``poll`` are evidence and private.
    """

    decision: str = ""
    facts: Facts = field(default_factory=_empty)
    said: Mapping[str, str] = field(default_factory=_empty)
    disputed: tuple[str, ...] = ()
    poll: str = ""
    laws: tuple[str, ...] = ()
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One entry of a rulings file. ``where`` names the results it is about (ledger keys), empty for no board.

    ``without_error`` is for a side that damaged itself as well (Law 12C1): by ``ns`` or ``ew`` the result that it would
    have had with the infraction, but without its own error.
    """

    id: str
    where: tuple[Mapping[str, str], ...] = ()
    grounds: tuple[Ground, ...] = ()
    regulations: str = ""
    laws: str = ""
    policy: str = ""
    session: str = ""
    screens: bool = True
    table: str = ""
    score: Score | None = None
    stage: Literal["table", "review", "appeal"] = "table"
    state: Literal["pending", "provisional", "final", "withdrawn"] = "final"
    at: str = ""
    supersedes: str = ""
    override: str = ""
    note: str = ""
    private: str = ""
    director: str = ""
    readings: Mapping[str, str] = field(default_factory=_empty)
    without_error: Mapping[str, Outcome] = field(default_factory=_empty)
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What has to be keyed into a scoring program for one result.

    ``result`` is what the program has, ``score`` what it shall have instead; when a ruling was taken back that is the
    table's result again. ``figures`` (``mp_ns mp_ew percent_ns percent_ew imp_ns imp_ew``, rounded by the policy, only
    what is known) are what the two sides get in the end, ``before`` what the program gives them now.
    """

    ruling: Ruling
    result: Result
    score: Score
    figures: Mapping[str, str] = field(default_factory=_empty)
    before: Mapping[str, str] = field(default_factory=_empty)


@dataclass(frozen=True, slots=True)
class Penalty:
    """A penalty on a contestant (Laws 90, 91), never on a board. ``amount`` is negative, in ``unit``.

    Units: ``top`` (hundredths of a top), ``percent`` (points of the percentage), ``imp``, ``vp``; none for a warning.
    ``match`` is the one that it comes off, where the contestant plays several (``Ash-Birch``); ``session`` the one of
    which it takes a percentage, where its scope is a session.
    """

    id: str
    contestant: str
    kind: Literal["warning", "procedural", "disciplinary"]
    amount: Fraction = Fraction(0)
    unit: str = ""
    laws: tuple[str, ...] = ()
    scope: Literal["match", "session", "event"] = "session"
    direction: str = ""
    match: str = ""
    session: str = ""
    supersedes: str = ""
    state: str = "final"
    at: str = ""
    note: str = ""
    private: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Fouled:
    """A board that was not the same for everybody (Law 87): groups of results, each a tuple of ``ns-ew``.

    ``where`` are further keys, as a ruling has them, that tell this board from others of its number.
    """

    board: str
    groups: tuple[tuple[str, ...], ...]
    where: Mapping[str, str] = field(default_factory=_empty)
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Carry:
    """What a contestant brings from an earlier stage, in the unit of the totals (``mp``, ``imp``) or in ``vp``."""

    contestant: str
    amount: Fraction
    unit: str
    direction: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Ledger:
    """All that was read from the rulings files, in order, with everything that was wrong with them.

    ``vp`` names the scale of victory points of the event, if any; ``knock_out`` says that its matches are.
    ``policies`` are those that the files name for all their entries.
    """

    rulings: tuple[Ruling, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    fouled: tuple[Fouled, ...] = ()
    problems: tuple[Problem, ...] = field(default=())
    carry: tuple[Carry, ...] = ()
    vp: str = ""
    knock_out: bool = False
    policies: tuple[str, ...] = ()
