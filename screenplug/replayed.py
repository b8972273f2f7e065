"""An old ruling decided again: what today's tables say to its facts, beside what its record on the board says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from . import record
from .event import Event
from .laws import Answer, explain
from .model import Refused, Ruling
from .record import Finding, Record
from .vocabulary import plain


def drift(event: Event, ruling: Ruling) -> tuple[list[str], bool]:
    """The lines that tell how a ruling of the rulings files is decided now, and whether that is not as it was.

    It was as the record in the file says: outcome and articles of each ground. Where the file carries no record of the
    ruling, only a ground that the tables do not decide counts.
    """
    found, _ = record.records(event.tape)
    then = next((each for _, each in found if each.ruling == ruling.id), None)
    now = event.regulations.get(ruling.id, "")
    lines = [f"Ruling {ruling.id}, decided again under {now or 'regulations that are not there'}"]
    if then and then.regulations != now:
        lines.append(f"It was decided under {then.regulations or 'regulations that the record does not say'}")
    drifted = not now
    for number, (ground, answer) in enumerate(zip(ruling.grounds, event.answers.get(ruling.id, ()), strict=True), 1):
        lines.append("")
        if answer is None:
            lines.append(f"Ground {number} is a finding in words; no table decides it: {ground.finding}")
            continue
        if isinstance(answer, Refused):
            lines.append(f"Ground {number}, {ground.decision}: {answer}")
            drifted = True
            continue
        lines += explain(answer)
        drifted |= answer.status != "decided"
        before = _finding(then, number) if then else None
        changes = list(_changes(before, answer)) if before else []
        if before and not changes:
            lines.append("As it was decided then.")
        lines += [f"CHANGED: {change}" for change in changes]
        drifted |= bool(changes)
    if then is None:
        lines += ["", f"{event.file} carries no record of it to compare with (annotate attaches one)"]
    elif len(then.findings) != len(ruling.grounds):
        lines += ["", f"CHANGED: the record has {len(then.findings)} grounds, the rulings file {len(ruling.grounds)}"]
        drifted = True
    if not ruling.grounds:
        lines += ["", "It has no ground: the reason was to come later"]
    lines += ["", "The ruling has drifted" if drifted else "No drift"]
    return lines, drifted


def _finding(then: Record, number: int) -> Finding | None:
    return then.findings[number - 1] if number <= len(then.findings) else None


def _changes(before: Finding, answer: Answer) -> Iterator[str]:
    if before.decision != answer.decision:
        yield f"the decision was {before.decision or 'a finding in words'}, and is {answer.decision}"
        return
    facts = {name: str(value) for name, value in answer.facts.items() if name in before.facts}
    if before.facts:  # a public record has none
        yield from _pairs("fact ", before.facts, {**facts, **{k: str(v) for k, v in answer.facts.items()}}, only=True)
    outcome = dict(answer.outcome) if answer.status == "decided" else {"status": answer.status}
    yield from _pairs("", before.outcome, outcome)
    cites = tuple(dict.fromkeys(article for step in reversed(answer.path) for article in step.cites))
    old, new = (_articles(each) for each in (before.cites, cites))
    if not set(new) <= set(old) or (set(old) - set(new) and not before.finding):
        yield f"articles were {'; '.join(old) or 'none'}, and are {'; '.join(new) or 'none'}"


def _articles(cites: Sequence[str]) -> list[str]:
    return [part.strip() for cite in cites for part in cite.split(";") if part.strip()]


def _pairs(what: str, before: Mapping[str, str], after: Mapping[str, str], only: bool = False) -> Iterator[str]:
    for name in dict.fromkeys([*before, *([] if only else after)]):
        old, new = before.get(name), after.get(name)
        if old != new:
            yield f"{what}{plain(name)} was {plain(old or 'not said')}, and is {plain(new or 'not said')}"
