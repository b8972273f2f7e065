"""Rulings onto games and off again: the ``RulingTable`` section, written, read and removed byte for byte.

A section is ours only with exactly ``HEADER``. Its rows are ``ruling key value``; a value is escaped as a JSON string
and then as a PBN string, so that a row is printable ASCII whatever a director wrote. Nothing else of a file is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import pbn
from .model import EMPTY, Game, Outcome, Problem, Refused, Ruling, Score, Tag, printable

SECTION = "RulingTable"
HEADER = b'[RulingTable "Ruling\\4L;Key\\11L;Value"]'
RECORD_VERSION = 1
LINE_LIMIT = 253
DETAILS = ("public", "record", "full")

_STRING = rb'"((?:[^"\\\r\n]|\\[^\r\n])*)"'
_END = rb"(?:\r\n|\n|\r|(?=\x1a*\Z))"
_ROW = re.compile(
    rb"[ \t]*(?:" + _STRING + rb"|([^\s\"\[\]{};%]+))[ \t]+(\S+)[ \t]+(?:" + _STRING + rb"|([0-9]+))[ \t]*" + _END
)
_TOKEN = re.compile(r"[!#-$&-:<-Z\\^-z|~]+")  # a PBN section token: printable ASCII without blank and []{};"%
_WORD = re.compile(r'[^\s"]+')
_KEY = re.compile(r'[^\s"=]+')
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_WORDS = re.compile(rf"{_QUOTED}|\S+")
_ARTICLE = re.compile(r'[^";]+')
_ARTICLES = re.compile(rf"({_QUOTED}|[^;]+)(?:; |\Z)", re.DOTALL)
_PAIRS = re.compile(rf'({_QUOTED}|[^\s"=]+)=({_QUOTED}|\S+)')
_LINE_REST = re.compile(rb"[ \t]*" + _END)
_UNSAFE = re.compile(r"[^ -~]|[\[\]{}]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One ground as the record carries it: the decision, its facts, what it came to and the articles."""

    decision: str
    facts: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    outcome: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    cites: tuple[str, ...] = ()
    finding: str = ""
    said: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    disputed: tuple[str, ...] = ()
    poll: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What stands on a board about one ruling.

    ``where`` names the row of the ScoreTable by its pairs (empty when the game has one result or the ruling is about
    the board). ``regulations`` reads ``wbf 2026-12-01 on laws-2017``. ``state`` may also be ``superseded``.
    ``result`` reads ``MP NS 13.8 EW 10.2``. ``more`` holds rows of keys that this version does not know.
    """

    ruling: str
    where: tuple[Mapping[str, str], ...] = ()
    regulations: str = ""
    policy: str = ""
    findings: tuple[Finding, ...] = ()
    table: str = ""
    score: Score | None = None
    result: str = ""
    stage: str = "table"
    state: str = "final"
    at: str = ""
    supersedes: str = ""
    note: str = ""
    director: str = ""
    override: str = ""
    private: str = ""
    without_error: Mapping[str, Outcome] = field(default_factory=lambda: EMPTY)
    more: tuple[tuple[str, str], ...] = ()

    def as_ruling(self) -> Ruling:
        """The ruling to score by when no rulings file is at hand."""
        regulations, _, laws = self.regulations.partition(" on ")
        return Ruling(
            id=self.ruling,
            where=self.where,
            regulations=regulations.split(" ")[0],
            laws=laws,
            policy=self.policy,
            table=self.table,
            score=self.score,
            stage=self.stage,  # type: ignore[arg-type]
            state="withdrawn" if self.state == "superseded" else self.state,  # type: ignore[arg-type]
            at=self.at,
            supersedes=self.supersedes,
            note=self.note,
            without_error=self.without_error,
        )


def rows(record: Record, detail: str = "record") -> list[tuple[str, str]]:
    """The (key, value) rows of one record, in the order of the page, with no more than ``detail`` allows.

    Public has no text that anybody wrote freely, whose words may name players; nor rows of keys that are not known.
    """
    public, full = detail == "public", detail == "full"
    out = [("record", str(RECORD_VERSION))]
    if record.regulations:
        out.append(("regulations", record.regulations))
    if record.policy:
        out.append(("policy", record.policy))
    out += [("where", _pairs(where)) for where in record.where]
    for finding in record.findings:
        told = "" if public else _pairs(finding.facts) if finding.decision else finding.finding
        out.append(("ground", ": ".join(part for part in (finding.decision or "finding", told) if part)))
        if finding.decision and finding.finding and not public:
            out.append(("finding", finding.finding))
        if finding.outcome:
            out.append(("outcome", _pairs(finding.outcome)))
        if finding.cites:
            out.append(("cites", "; ".join(_quoted(article, _ARTICLE) for article in finding.cites)))
        if full:
            if finding.said:
                out.append(("said", _pairs(finding.said)))
            if finding.disputed:
                out.append(("disputed", " ".join(_quoted(word, _WORD) for word in finding.disputed)))
            if finding.poll:
                out.append(("poll", finding.poll))
    if record.table:
        out.append(("table", record.table))
    if record.score is not None:
        value = record.score.value()
        sides = (
            [(f"score.{side}", value[side]) for side in ("ns", "ew")] if isinstance(value, dict) else [("score", value)]
        )
        out += sides
    if record.without_error:
        out.append(("without-error", _pairs({side: str(each) for side, each in record.without_error.items()})))
    if record.result:
        out.append(("result", record.result))
    out.append(("stage", " ".join(part for part in (record.stage, record.state, record.at) if part)))
    if record.supersedes:
        out.append(("supersedes", record.supersedes))
    if public:
        return out
    if record.note:
        out.append(("note", record.note))
    if full:
        out += [(key, value) for key in ("director", "override", "private") if (value := getattr(record, key))]
    return out + list(record.more)


def _pairs(pairs: Mapping[str, Any]) -> str:
    """``seconds=40 pace=slow``; a word with a blank or a quote is written as a JSON string."""
    return " ".join(f"{_quoted(key, _KEY)}={_quoted(str(value), _WORD)}" for key, value in pairs.items())


def _read_pairs(text: str) -> dict[str, str]:
    return {_plain(key): _plain(value) for key, value in _PAIRS.findall(text)}


def _quoted(text: str, plain: re.Pattern[str]) -> str:
    return text if plain.fullmatch(text) else json.dumps(text)


def _plain(word: str) -> str:
    try:
        return _sound(json.loads(word)) if word.startswith('"') else word
    except ValueError:
        return word


def _sound(text: str) -> str:
    """Half a character, which a damaged escape may leave, cannot be shown or stored anywhere."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ---------------------------------------------------------------------------------------------- bytes of one record


def _escaped(value: str) -> str:
    """JSON's escapes (also for brackets and braces, which confuse readers that do not know strings), then PBN's."""
    text = _UNSAFE.sub(_code_units, value.replace("\\", "\\\\").replace('"', '\\"'))
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _code_units(match: re.Match[str]) -> str:
    """``\\uXXXX`` for one character, two of them outside the basic plane."""
    return re.sub("(....)", r"\\u\1", match[0].encode("utf-16-be", "surrogatepass").hex())


def _unescaped(raw: str) -> str:
    """The inverse of ``_escaped``; text that nobody escaped so is kept as it stands."""
    text = re.sub(r'\\([\\"])', r"\1", raw)
    try:
        return _sound(json.loads(f'"{text}"'))
    except ValueError:
        return text


# One character of the value, as escaped twice.
_UNIT = re.compile(r'\\\\ud[89ab]..\\\\ud[c-f]..|\\\\u[0-9a-f]{4}|\\\\(?:\\\\|\\"|.)|\\"|.')


def _lines(ruling: str, key: str, value: str) -> list[str]:
    """The row, cut into rows with the key ``+`` where it would be too long; never inside an escape."""
    name = ruling if _TOKEN.fullmatch(ruling) else f'"{_escaped(ruling)}"'
    if key == "record":
        return [f"{name:<4} {key:<11} {value}"]
    room = LINE_LIMIT - len(f"{name:<4} {key:<11} ") - 2
    pieces: list[str] = []
    piece: list[str] = []
    size = 0
    for unit in _UNIT.findall(_escaped(value)):
        if size + len(unit) > room:
            pieces.append("".join(piece))
            piece, size = [], 0
        piece.append(unit)
        size += len(unit)
    pieces.append("".join(piece))
    return [f'{name:<4} {key if not number else "+":<11} "{piece}"' for number, piece in enumerate(pieces)]


def _body(record: Record, detail: str, line_end: bytes) -> bytes:
    lines = [line for key, value in rows(record, detail) for line in _lines(record.ruling, key, value)]
    return b"".join(line.encode("ascii") + line_end for line in lines)


# ------------------------------------------------------------------------------------------------ sections in a file


@dataclass(frozen=True, slots=True)
class _Block:
    """One section of ours: its bytes, and per row the ruling, the key, the value as written, and the whole row.

    ``whole`` is False when there is something else between the rows, a row that is none of ours, or line ends around
    it that would melt into one without it.
    """

    start: int
    end: int
    rows: tuple[tuple[str, str, str, bytes], ...]
    whole: bool


def _blocks(tape: pbn.Tape, game: Game) -> list[_Block]:
    """The sections of ours, whole lines each. A game of nothing else is left alone, or strip would end a game."""
    ours = [tag for tag in game.tags if _is_ours(tape, tag)]
    if len(ours) == len(game.tags):
        return []
    return [_block(tape, tag) for tag in ours if tape.position(tag.start)[1] == 1]


def _is_ours(tape: pbn.Tape, tag: Tag) -> bool:
    return tag.name == SECTION and tape.data[tag.start : tag.end] == HEADER


def _is_cut_off(tape: pbn.Tape, game: Game) -> bool:
    """Whether a blank line put the records into a game of their own."""
    return all(_is_ours(tape, tag) for tag in game.tags)


_CUT_OFF = "a blank line parts the records from their board; take that line out"


def _block(tape: pbn.Tape, tag: Tag) -> _Block:
    start, end = pbn.removal(tape, tag)
    rows: list[tuple[str, str, str, bytes]] = []
    header = _LINE_REST.match(tape.data, tag.end)
    at = header.end() if header else tag.end
    while header and at < end and (row := _ROW.match(tape.data, at)):
        value = row[4] if row[5] is None else row[5]
        rows.append((_text(row[1], row[2]), row[3].decode("latin-1"), value.decode("latin-1"), row[0]))
        at = row.end()
    melts = tape.data[start - 1 : start] == b"\r" and tape.data[end : end + 1] == b"\n"
    return _Block(start, end, tuple(rows), header is not None and at == end and not melts)


def _text(quoted: bytes | None, plain: bytes | None) -> str:
    return _unescaped(quoted.decode("latin-1")) if quoted is not None else (plain or b"").decode("latin-1")


def strip(data: bytes) -> bytes:
    """The file without our sections: the exact inverse of ``attach``. Raises Refused when it is no PBN text."""
    if HEADER not in data:
        pbn.refuse_binary(data)
        return data
    tape = pbn.read(data)
    return pbn.splice(data, _taken_off(data, [block for game in tape.games for block in _blocks(tape, game)]))


def _taken_off(data: bytes, blocks: Iterable[_Block]) -> list[tuple[int, int, bytes]]:
    """The edits that take sections off; two that stand back to back share the line end between them.

    One stays whose going would change what the rest is: line ends that melt, a brace that was text and would begin a
    comment.
    """
    edits: list[tuple[int, int, bytes]] = []
    for block in blocks:
        start = max(block.start, edits[-1][1] if edits else 0)
        melts = data[start - 1 : start] == b"\r" and data[block.end : block.end + 1] == b"\n"
        if not melts and not _opens_comment(data, block):
            edits.append((start, block.end, b""))
    return edits


def records(tape: pbn.Tape) -> tuple[tuple[tuple[Game, Record], ...], tuple[Problem, ...]]:
    """All records of a file with their games; a record of a newer version, or a damaged one, is a problem instead."""
    found: list[tuple[Game, Record]] = []
    problems: list[Problem] = []
    for game in tape.games if HEADER in tape.data else ():
        if _is_cut_off(tape, game):
            problems.append(Problem("error", "record", _CUT_OFF, line=game.line, game=game.number))
        for block in _blocks(tape, game):
            line, _ = tape.position(block.start)
            for ruling, pairs in _joined(block).items():
                try:
                    found.append((game, _record(ruling, pairs)))
                except (Refused, ValueError) as error:
                    text = f"the record of ruling {ruling} cannot be read: {error}"
                    problems.append(Problem("error", "record", text, line=line, game=game.number, ruling=ruling))
    return tuple(found), tuple(problems)


def _joined(block: _Block) -> dict[str, list[tuple[str, str]]]:
    """Rows per ruling with the continuation rows joined, still unescaped as a whole only afterwards."""
    raw: dict[str, list[tuple[str, str]]] = {}
    for ruling, key, value, _ in block.rows:
        pairs = raw.setdefault(ruling, [])
        if key == "+" and pairs:
            pairs[-1] = (pairs[-1][0], pairs[-1][1] + value)
        else:
            pairs.append((key, value))
    return {ruling: [(key, _unescaped(value)) for key, value in pairs] for ruling, pairs in raw.items()}


def _record(ruling: str, pairs: Sequence[tuple[str, str]]) -> Record:
    version = dict(pairs).get("record", "")
    if not _digits(version):
        raise Refused("it has no version row", remedy="Annotate the file again from the rulings file")
    if int(version) > RECORD_VERSION:
        text = f"it was written as record {version}, this program reads up to {RECORD_VERSION}"
        raise Refused(text, remedy=_NEWER)
    findings: list[Finding] = []
    fields: dict[str, Any] = {}
    where, more, sides = [], [], {}
    for key, value in pairs:
        if key == "where":
            where.append(_read_pairs(value))
        elif key == "ground":
            decision, _, told = value.partition(": ")
            findings.append(
                Finding("", finding=told) if decision == "finding" else Finding(decision, _read_pairs(told))
            )
        elif key in _FINDING_READERS and findings:
            findings[-1] = replace(findings[-1], **{key: _FINDING_READERS[key](value)})
        elif key == "score":
            fields["score"] = Score.parse(value)
        elif key == "without-error":
            fields["without_error"] = {side: Outcome.parse(text) for side, text in _read_pairs(value).items()}
        elif key in ("score.ns", "score.ew"):
            sides[key[-2:]] = value
        elif key == "stage":
            fields |= dict(zip(("stage", "state", "at"), value.split(" ", 2), strict=False))
        elif key in (
            "regulations",
            "policy",
            "table",
            "result",
            "supersedes",
            "note",
            "director",
            "override",
            "private",
        ):
            fields[key] = value
        elif key != "record":
            more.append((key, value))
    if sides:
        fields["score"] = Score.parse(sides)
    return Record(ruling, tuple(where), findings=tuple(findings), more=tuple(more), **fields)


_FINDING_READERS: Mapping[str, Any] = {
    "finding": str,
    "outcome": _read_pairs,
    "said": _read_pairs,
    "cites": lambda value: tuple(_plain(article) for article in _ARTICLES.findall(value)),
    "disputed": lambda value: tuple(_plain(word) for word in _WORDS.findall(value)),
    "poll": str,
}


def attach(
    tape: pbn.Tape, attached: Mapping[int, Sequence[Record]], detail: str = "record", known: Collection[str] = ()
) -> tuple[bytes, tuple[Problem, ...]]:
    """The file with these records on its games (by the game's position), and what could not be attached.

    Records that are there already make way when their ruling is attached anew or is ``known`` to the rulings files;
    the others are kept to the byte, but for what ``detail`` does not let out: two directors may annotate one file in
    turn, in either order. A game that cannot be read to its end, or carries records that this version cannot read,
    keeps all its bytes and is a problem. The rest of the file does not change by a byte.
    """
    data = tape.data
    replaced = {*known, *(record.ruling for records in attached.values() for record in records)}
    found = {game.number: blocks for game in tape.games if (blocks := _blocks(tape, game))} if HEADER in data else {}
    problems: list[Problem] = []
    left_alone: set[int] = set()
    for game in tape.games:
        if obstacle := _obstacle(tape, game, found.get(game.number, ())):
            left_alone.add(game.number)
            problems += [_not_attached(record.ruling, game, obstacle) for record in attached.get(game.number, ())]
    taken_off = [block for number, blocks in found.items() if number not in left_alone for block in blocks]
    bare = pbn.splice(data, _taken_off(data, taken_off))
    target = pbn.read(bare) if taken_off else tape
    edits: list[tuple[int, int, bytes]] = []
    for number in sorted({*attached, *found} - left_alone):
        new = attached.get(number, ())
        stays = [row[0] for block in found.get(number, ()) for row in block.rows if row[0] not in replaced]
        if not new and not stays:
            continue
        at, before, line_end = pbn.insertion(target, target.games[number - 1], SECTION)
        bodies = list(_kept(found.get(number, ()), replaced, detail, line_end))
        bodies += [(record.ruling, _body(record, detail, line_end)) for record in new]
        bodies.sort(key=lambda body: in_order(body[0]))
        section = HEADER + line_end + b"".join(body for _, body in bodies)
        edits.append((at, at, before + (section[: -len(line_end)] if before else section)))
    return pbn.splice(bare, edits), tuple(problems)


def _opens_comment(data: bytes, block: _Block) -> bool:
    """Whether a string left open in the block's last row holds a brace behind the block."""
    rest = re.compile(rb"[^\r\n]*").match(data, block.end)
    row = re.split(rb"[\r\n]", data[block.start : block.end])[-1]
    return bool(rest and b"{" in rest[0]) and b'"' in re.sub(_STRING, b"", row)


_PRIVATE = frozenset({"said", "disputed", "poll", "director", "override", "private"})


def _kept(
    blocks: Iterable[_Block], replaced: Collection[str], detail: str, line_end: bytes
) -> Iterator[tuple[str, bytes]]:
    """The records that stay: to the byte, or written anew where they hold what this detail does not let out."""
    for block in blocks:
        for ruling, pairs in _joined(block).items():
            if ruling in replaced:
                continue
            if detail == "public" or (detail == "record" and any(key in _PRIVATE for key, _ in pairs)):
                yield ruling, _body(_record(ruling, pairs), detail, line_end)
            else:
                rows = [raw.rstrip(b"\r\n") + line_end for name, _, _, raw in block.rows if name == ruling]
                yield ruling, b"".join(rows)


def _obstacle(tape: pbn.Tape, game: Game, blocks: Sequence[_Block]) -> str:
    """Why this game has to be left alone; empty when it need not be."""
    if _is_cut_off(tape, game):
        return _CUT_OFF
    if game.refusal:
        return f"game {game.number}: {game.refusal}. Mend that line first; until then nothing can be added"
    if not all(block.whole for block in blocks):
        return f"the records of game {game.number} were changed by hand. Take them off with strip first"
    versions = [int(value) for block in blocks for _, key, value, _ in block.rows if key == "record" and _digits(value)]
    if newest := max((version for version in versions if version > RECORD_VERSION), default=0):
        return f"game {game.number} has a record {newest}, this program writes {RECORD_VERSION}. {_NEWER}"
    return ""


def obstacle(tape: pbn.Tape, game: Game) -> str:
    """Why no record can be attached to this game; empty when one can."""
    return _obstacle(tape, game, _blocks(tape, game))


_NEWER = "Install a newer screenplug"


def _digits(text: str) -> bool:
    return re.fullmatch("[0-9]{1,9}", text) is not None


def _not_attached(ruling: str, game: Game, why: str) -> Problem:
    text = f"ruling {ruling} is not attached: {why}"
    return Problem("error", "not-attached", text, line=game.line, game=game.number, ruling=ruling)


def in_order(ruling: str) -> list[tuple[int, str]]:
    """A-2 before A-10; the order in which directors annotate does not matter."""
    return [(int(part), "") if _digits(part) else (0, part) for part in re.split(r"([0-9]+)", ruling)]


# ------------------------------------------------------------------------------------------------------- for readers


def record_json(record: Record, game: Game, file: str) -> dict[str, Any]:
    """One entry of ``records --json``."""
    return {
        "file": file,
        "game": game.number,
        "board": game.value("Board"),
        "ruling": record.ruling,
        "where": [dict(where) for where in record.where],
        "regulations": record.regulations,
        "stage": record.stage,
        "state": record.state,
        "at": record.at,
        "supersedes": record.supersedes or None,
        "grounds": [
            {
                "decision": finding.decision or None,
                "facts": dict(finding.facts),
                "outcome": dict(finding.outcome),
                "cites": list(finding.cites),
                "finding": finding.finding or None,
            }
            for finding in record.findings
        ],
        "table": record.table or None,
        "score": record.score.value() if record.score else None,
        "result": record.result or None,
        "note": record.note or None,
    }


def describe(record: Record, game: Game) -> list[str]:
    """A record as lines for a person."""
    where = "".join(f", {_pairs(where)}" for where in record.where)
    lines = [f"{record.ruling}: board {game.value('Board') or '?'} (game {game.number}){where}"]
    lines += [f"  {key:<11} {value}" for key, value in rows(record, "full") if key not in ("record", "where")]
    return [printable(line) for line in lines]
