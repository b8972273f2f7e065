"""Traceability: which rules, values and procedures carry each statement of a source text, and the other way round.

A document says in ``states`` which statements its text makes. Each has to be carried by an entry of some document, and
each entry of a regulation has to carry one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .lawbook import Document, Procedure, Rule, Value
from .laws import Finding
from .model import EMPTY, Refused
from .vocabulary import nearest, plain, vocabulary

Entry = Rule | Value | Procedure


@dataclass(frozen=True, slots=True)
class Family:
    """The statements of one text: ``lost`` are those that nothing carries, ``loose`` the entries that carry none."""

    name: str
    document: str
    statements: tuple[str, ...]
    lost: tuple[str, ...]
    loose: tuple[Entry, ...]

    def to_json(self) -> dict[str, Any]:
        """The family with its numbers."""
        return {
            "family": self.name,
            "document": self.document,
            "statements": len(self.statements),
            "carried": len(self.statements) - len(self.lost),
            "lost": list(self.lost),
            "loose": [key(entry) for entry in self.loose],
        }


def key(entry: Entry) -> str:
    """Document and id of an entry."""
    return f"{entry.document}/{entry.id}"


def kind(entry: Entry) -> str:
    """``rule``, ``value`` or ``procedure``."""
    return type(entry).__name__.lower()


def carriers(documents: Mapping[str, Document]) -> dict[str, list[Entry]]:
    """For every statement the entries that carry it; in the order of the texts."""
    found: dict[str, list[Entry]] = {each: [] for document in documents.values() for each in document.states}
    for document in documents.values():
        for entry in document.entries:
            for each in entry.statements:
                found.setdefault(each, []).append(entry)
    return found


def families(documents: Mapping[str, Document]) -> list[Family]:
    """All texts whose statements are listed, with what is not traced in them."""
    carried = carriers(documents)
    found = []
    for document in documents.values():
        loose = tuple(entry for entry in document.entries if not entry.statements)
        regulation = _on_screens(documents, document)
        names = dict.fromkeys(each.rpartition("-")[0] for each in document.states)
        for name in names:
            states = tuple(each for each in document.states if each.rpartition("-")[0] == name)
            lost = tuple(each for each in states if not carried[each])
            found.append(Family(name, document.id, states, lost, loose if regulation else ()))
    return found


def _on_screens(documents: Mapping[str, Document], document: Document) -> bool:
    """Whether it is a regulation; an edition of the Laws may have rules whose statements nobody listed."""
    while document.extends and not document.stands_on:
        document = documents[document.extends]
    return bool(document.stands_on)


def findings(documents: Mapping[str, Document], document: str) -> Iterator[Finding]:
    """What an audit has to say about the statements of one document."""
    for family in families(documents):
        if family.document != document:
            continue
        for each in family.lost:
            text = f"{document}: nothing carries the statement {each}"
            remedy = "name it in the statements of a rule, a value or a procedure"
            yield Finding("lost-statement", "", each, EMPTY, 0, text, remedy)
        for entry in family.loose:
            text = f"{document}: {kind(entry)} {entry.id} carries no statement of the text"
            decision = entry.decides if isinstance(entry, Rule) else ""
            remedy = "name in its statements what it comes from"
            yield Finding("loose-entry", decision, key(entry), EMPTY, 0, text, remedy)


def trace(documents: Mapping[str, Document], name: str) -> dict[str, Any]:
    """What carries a statement, or which statements a document, a family or an entry carries, for JSON.

    Raises Refused for a name that is none of them.
    """
    carried = carriers(documents)
    states = [each for each in carried if each == name or each.rpartition("-")[0] == name]
    if name in documents:
        states = [each for each, entries in carried.items() if any(entry.document == name for entry in entries)]
        states = list(dict.fromkeys([*documents[name].states, *states]))
    entries = [entry for document in documents.values() for entry in document.entries if name == key(entry)]
    entries = entries or [entry for document in documents.values() for entry in document.entries if name == entry.id]
    if not states and not entries and name not in documents:
        known = [*carried, *documents, *(key(entry) for document in documents.values() for entry in document.entries)]
        raise Refused(f"there is no statement, document or rule {name!r}{nearest(name, known)}")
    return {
        "format": 1,
        "name": name,
        "statements": [{"statement": each, "carried_by": [_entry(one) for one in carried[each]]} for each in states],
        "entries": [{**_entry(entry), "statements": list(entry.statements)} for entry in entries],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    row = {"id": key(entry), "kind": kind(entry), "cites": "; ".join(entry.cites), "checked": entry.checked}
    if isinstance(entry, Rule):
        return {**row, "decides": entry.decides}
    return {**row, "is": entry.value} if isinstance(entry, Value) else {**row, "says": entry.says}


def lines(traced: Mapping[str, Any]) -> list[str]:
    """``trace`` for people."""
    word = vocabulary().words
    found = []
    for each in traced["statements"]:
        found.append(f"{each['statement']}:" + ("" if each["carried_by"] else f" {word['lost']}"))
        found += [f"  {_line(entry)}" for entry in each["carried_by"]]
    for entry in traced["entries"]:
        found.append(f"{_line(entry)}: {', '.join(entry['statements']) or word['loose']}")
    return found


def family_lines(found: Sequence[Family]) -> list[str]:
    """The summary for people: a line for each family, and what is not traced."""
    word = vocabulary().words
    shown = []
    for family in found:
        held = len(family.statements) - len(family.lost)
        shown.append(f"{family.name:<8} {family.document:<12} {held}/{len(family.statements)} {word['carried']}")
        shown += [f"  {each}: {word['lost']}" for each in family.lost]
        shown += [f"  {key(entry)}: {word['loose']}" for entry in family.loose]
    return shown


def _line(entry: Mapping[str, Any]) -> str:
    about = entry.get("decides") or (f"{entry['is']}" if "is" in entry else entry["says"])
    return f"{entry['kind']} {entry['id']} ({plain(str(about)) if 'decides' in entry else about}) [{entry['cites']}]"
