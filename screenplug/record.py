"""Rulings onto games and off again: the ``RulingTable`` section, written, read and removed byte for byte.

A section is ours only with exactly ``HEADER``. Its rows are ``ruling key value``; a value is escaped as a JSON string
and then as a PBN string, so that a row is printable ASCII whatever a director wrote. Nothing else of a file is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import pbn
from .model import EMPTY, Game, Problem, Refused, Ruling, Score, Tag

SECTION = "RulingTable"
HEADER = b'[RulingTable "Ruling\\4L;Key\\11L;Value"]'
RECORD_VERSION = 1
LINE_LIMIT = 253
DETAILS = ("public", "record", "full")

_STRING = rb'"((?:[^"\\\r\n]|\\[^\r\n])*)"'
_ROW = re.compile(rb"(?:" + _STRING + rb"|([^\s\"\[\]{};%]+)) +(\S+) +(?:" + _STRING + rb"|(\d+))[ \t]*(\r\n|\n|\r|\Z)")
_TOKEN = re.compile(r"[!#-$&-:<-Z\\^-z|~]+")  # a PBN section token: printable ASCII without blank and []{};"%
_WORD = re.compile(r'[^\s"]+')
_PAIRS = re.compile(r'([^\s=]+)=("(?:[^"\\]|\\.)*"|\S+)')
_LINE_REST = re.compile(rb"[ \t]*(?:\r\n|\n|\r)?")
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
    more: tuple[tuple[str, str], ...] = ()

    def as_ruling(self) -> Ruling:
        """The ruling to score by when no rulings file is at hand."""
        regulations, _, laws = self.regulations.partition(" on ")
        return Ruling(
            id=self.ruling,
            where=self.where,
            regulations=regulations.split(" ")[0],
            laws=laws,
            table=self.table,
            score=self.score,
            stage=self.stage,  # type: ignore[arg-type]
            state="withdrawn" if self.state == "superseded" else self.state,  # type: ignore[arg-type]
            at=self.at,
            note=self.note,
        )


def rows(record: Record, detail: str = "record") -> list[tuple[str, str]]:
    """The (key, value) rows of one record, in the order of the page, with no more than ``detail`` allows."""
    public, full = detail == "public", detail == "full"
    out = [("record", str(RECORD_VERSION))]
    if record.regulations:
        out.append(("regulations", record.regulations))
    out += [("where", _pairs(where)) for where in record.where]
    for finding in record.findings:
        told = "" if public else (_pairs(finding.facts) or finding.finding)
        out.append(("ground", ": ".join(part for part in (finding.decision or "finding", told) if part)))
        if finding.outcome:
            out.append(("outcome", _pairs(finding.outcome)))
        if finding.cites:
            out.append(("cites", "; ".join(finding.cites)))
        if full:
            if finding.said:
                out.append(("said", _pairs(finding.said)))
            if finding.disputed:
                out.append(("disputed", " ".join(finding.disputed)))
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
    if record.result:
        out.append(("result", record.result))
    out.append(("stage", " ".join(part for part in (record.stage, record.state, record.at) if part)))
    if record.supersedes:
        out.append(("supersedes", record.supersedes))
    if record.note:
        out.append(("note", record.note))
    if full:
        out += [(key, value) for key in ("director", "override", "private") if (value := getattr(record, key))]
    return out + list(record.more)


def _pairs(pairs: Mapping[str, Any]) -> str:
    """``seconds=40 pace=slow``; a value with a blank or a quote is written as a JSON string."""
    texts = ((key, str(value)) for key, value in pairs.items())
    return " ".join(f"{key}={text if _WORD.fullmatch(text) else json.dumps(text)}" for key, text in texts)


def _read_pairs(text: str) -> dict[str, str]:
    found = {}
    for key, value in _PAIRS.findall(text):
        try:
            found[key] = json.loads(value) if value.startswith('"') else value
        except ValueError:
            found[key] = value
    return found


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
        value = json.loads(f'"{text}"')
    except ValueError:
        return text
    return str(value)


_UNIT = re.compile(r'\\\\u[0-9a-f]{4}|\\\\(?:\\\\|\\"|.)|\\"|.')  # one character of the value, as escaped twice


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


def _section(bodies: Iterable[bytes], line_end: bytes) -> bytes:
    return HEADER + line_end + b"".join(bodies)


def _body(record: Record, detail: str, line_end: bytes) -> bytes:
    lines = [line for key, value in rows(record, detail) for line in _lines(record.ruling, key, value)]
    return b"".join(line.encode("ascii") + line_end for line in lines)


# ------------------------------------------------------------------------------------------------ sections in a file


@dataclass(frozen=True, slots=True)
class _Block:
    """One section of ours: its bytes, and per ruling its raw rows and decoded (key, value) rows."""

    start: int
    end: int
    bodies: tuple[tuple[str, bytes], ...]
    rows: tuple[tuple[str, str, str], ...]


def _blocks(tape: pbn.Tape, game: Game) -> list[_Block]:
    return [_block(tape, tag) for tag in game.tags if tag.name == SECTION and tape.data[tag.start : tag.end] == HEADER]


def _block(tape: pbn.Tape, tag: Tag) -> _Block:
    start, end = pbn.removal(tape, tag)
    bodies: list[tuple[str, bytes]] = []
    found: list[tuple[str, str, str]] = []
    at = _LINE_REST.match(tape.data, tag.end).end()  # type: ignore[union-attr]  # matches anything
    while at < end and (row := _ROW.match(tape.data, at)):
        name = _text(row[1], row[2])
        found.append((name, row[3].decode("latin-1"), (row[5] if row[4] is None else row[4]).decode("latin-1")))
        bodies.append((name, row[0]))
        at = row.end()
    return _Block(start, end, tuple(bodies), tuple(found))


def _text(quoted: bytes | None, plain: bytes | None) -> str:
    return _unescaped(quoted.decode("latin-1")) if quoted is not None else (plain or b"").decode("latin-1")


def strip(data: bytes) -> bytes:
    """The file without our sections: the exact inverse of ``attach``. Raises Refused when it is no PBN text."""
    tape = pbn.read(data)
    return pbn.splice(data, [(block.start, block.end, b"") for game in tape.games for block in _blocks(tape, game)])


def records(tape: pbn.Tape) -> tuple[tuple[tuple[Game, Record], ...], tuple[Problem, ...]]:
    """All records of a file with their games; a record of a newer version, or a damaged one, is a problem instead."""
    found: list[tuple[Game, Record]] = []
    problems: list[Problem] = []
    for game in tape.games:
        for block in _blocks(tape, game):
            for ruling, pairs in _joined(block).items():
                try:
                    found.append((game, _record(ruling, pairs)))
                except (Refused, ValueError) as error:
                    line, _ = tape.position(block.start)
                    problems.append(
                        Problem(
                            "error",
                            "record",
                            f"the record of ruling {ruling} cannot be read: {error}",
                            line=line,
                            game=game.number,
                            ruling=ruling,
                        )
                    )
    return tuple(found), tuple(problems)


def _joined(block: _Block) -> dict[str, list[tuple[str, str]]]:
    """Rows per ruling with the continuation rows joined, still unescaped as a whole only afterwards."""
    raw: dict[str, list[tuple[str, str]]] = {}
    for ruling, key, value in block.rows:
        pairs = raw.setdefault(ruling, [])
        if key == "+" and pairs:
            pairs[-1] = (pairs[-1][0], pairs[-1][1] + value)
        else:
            pairs.append((key, value))
    return {ruling: [(key, _unescaped(value)) for key, value in pairs] for ruling, pairs in raw.items()}


def _record(ruling: str, pairs: Sequence[tuple[str, str]]) -> Record:
    version = dict(pairs).get("record", "")
    if not version.isdigit():
        raise Refused("it has no version row", remedy="Annotate the file again from the rulings file")
    if int(version) > RECORD_VERSION:
        raise Refused(
            f"it was written as record {version}, this program reads up to {RECORD_VERSION}",
            remedy="Install a newer screenplug",
        )
    findings: list[Finding] = []
    fields: dict[str, Any] = {}
    where, more, sides = [], [], {}
    for key, value in pairs[1:]:
        if key == "where":
            where.append(_read_pairs(value))
        elif key == "ground":
            decision, _, told = value.partition(": ")
            findings.append(
                Finding("", finding=told) if decision == "finding" else Finding(decision, _read_pairs(told))
            )
        elif key in ("outcome", "cites", "said", "disputed", "poll") and findings:
            findings[-1] = replace(findings[-1], **{key: _FINDING_READERS[key](value)})
        elif key == "score":
            fields["score"] = Score.parse(value)
        elif key in ("score.ns", "score.ew"):
            sides[key[-2:]] = value
        elif key == "stage":
            fields |= dict(zip(("stage", "state", "at"), value.split(" ", 2), strict=False))
        elif key in ("regulations", "table", "result", "supersedes", "note", "director", "override", "private"):
            fields[key] = value
        else:
            more.append((key, value))
    if sides:
        fields["score"] = Score.parse(sides)
    return Record(ruling, tuple(where), findings=tuple(findings), more=tuple(more), **fields)


_FINDING_READERS: Mapping[str, Any] = {
    "outcome": _read_pairs,
    "said": _read_pairs,
    "cites": lambda value: tuple(value.split("; ")),
    "disputed": lambda value: tuple(value.split()),
    "poll": str,
}


def attach(
    data: bytes, attached: Mapping[int, Sequence[Record]], detail: str = "record"
) -> tuple[bytes, tuple[Problem, ...]]:
    """The file with these records on its games (by the game's position), and what could not be attached.

    A record already there is replaced when its ruling is attached anew, and kept to the byte when it is not: two
    directors may annotate one file in turn. The rest of the file does not change by a byte.
    """
    tape = pbn.read(data)
    bare = strip(data)
    target = pbn.read(bare) if bare != data else tape
    edits: list[tuple[int, int, bytes]] = []
    problems: list[Problem] = []
    for game in target.games:
        new = attached.get(game.number, ())
        replaced = {record.ruling for record in new}
        blocks = _blocks(tape, tape.games[game.number - 1]) if bare != data else []
        kept = [raw for block in blocks for ruling, raw in block.bodies if ruling not in replaced]
        if not new and not kept:
            continue
        try:
            at, before, line_end = pbn.insertion(target, game, SECTION)
        except Refused as refused:
            problems += [
                Problem(
                    "error",
                    "not-attached",
                    f"ruling {record.ruling} is not attached: {refused}",
                    line=game.line,
                    game=game.number,
                    ruling=record.ruling,
                )
                for record in new
            ]
            continue
        bodies = [raw.rstrip(b"\r\n") + line_end for raw in kept] + [_body(record, detail, line_end) for record in new]
        section = _section(bodies, line_end)
        edits.append((at, at, before + (section[: -len(line_end)] if before else section)))
    return pbn.splice(bare, edits), tuple(problems)


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
    return lines + [f"  {key:<11} {value}" for key, value in rows(record, "full") if key not in ("record", "where")]
