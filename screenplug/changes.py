"""The change list: what has to be keyed into the scoring program so that it holds the rulings.

Only what is not in the program yet: the file is its latest export. A ruling that the program cannot hold is refused for
it, with what would be lost and the figures to type instead. Figures that are typed for one result leave the rest of its
board as the program has it, so those of the other results that move are listed as well.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

from .event import FIGURES, Event, figures_text
from .model import TABLE, Award, Change, Outcome, Refused, Result, Ruling, Score, printable
from .policy import show
from .printed import number_of

# What to do about a ruling, in the order of the list.
KEY, TAKE_BACK, LOOK, WAIT, PENDING, DONE = "key", "take back", "look", "wait", "pending", "done"
ORDER = (KEY, TAKE_BACK, LOOK, WAIT, PENDING, DONE)
_DO = {
    "not applied": KEY, "differs": KEY, "table result changed": LOOK, "waiting": WAIT, "pending": PENDING,
    "applied": DONE,
}  # fmt: skip
_PLACE = ("section", "round", "table", "room", "match")


class Program(Protocol):
    """What the list asks of a scoring program: ``hookspecs.Host``, which says what the answers are."""

    @property
    def name(self) -> str: ...

    def loses(self, ruling: Ruling) -> Sequence[str]: ...

    def enter(self, change: Change) -> str: ...


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the list. ``do`` is one of ``ORDER``; ``change`` only for what is to be keyed or taken back.

    ``refused`` says what the program would lose; then ``how`` is what to key instead, and ``moved`` are the other
    results of the board whose figures have to be typed too. Without a program ``how`` and ``refused`` are empty.
    """

    do: str
    ruling: Ruling
    board: str
    place: str
    pairs: str
    text: str = ""
    change: Change | None = None
    how: str = ""
    refused: tuple[str, ...] = ()
    moved: tuple[Change, ...] = ()
    result: Result | None = None

    @property
    def old(self) -> str:
        return held(self.result) if self.result else ""

    @property
    def new(self) -> str:
        score = self.change.score if self.change else self.ruling.score
        return "" if score is None else str(score)


@dataclass(frozen=True, slots=True)
class Changes:
    """The list for one file; ``program`` is the word for ``--host``, empty for none, and ``sources`` say where it is
    known from what the program can hold."""

    file: str
    program: str
    policy: str
    provisional: bool
    items: tuple[Item, ...]
    penalties: tuple[str, ...] = field(default=())
    sources: tuple[str, ...] = field(default=())

    @property
    def refused(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.refused)


def changes(event: Event, host: Program | None = None) -> Changes:
    """What has to be keyed, in the order of the file; then what to look at, what waits, and what is done.

    Raises Refused when the host's plugin fails, whatever it raises.
    """
    items: list[tuple[int, int, int, Item]] = []
    listing = _Listing(event, host)
    for place in event.places:
        if place.ruling.id in event.own_records:
            continue
        for item in listing.of(place.ruling, place.results):
            result = item.result
            at = (result.game, result.row or 0) if result else (0, 0)
            items.append((ORDER.index(item.do), *at, item))
    items += [(ORDER.index(item.do), 0, 0, item) for item in listing.absent()]
    items.sort(key=lambda item: item[:3])
    penalties = tuple(text for text, _ in event.penalty_texts())
    return Changes(
        event.file,
        host.name if host else "",
        event.policy.id,
        event.scored.provisional,
        tuple(item for *_, item in items),
        penalties,
        tuple(map(str, getattr(host, "sources", ()))),
    )


def held(result: Result) -> str:
    """What the program has for a result, as far as the file says."""
    if result.award != TABLE:
        return str(result.award)
    return str(result.outcome or result.why or "no result")


def correction(change: Change) -> dict[str, str]:
    """What the change adds to each side's total, with its sign, where both figures are known."""
    found = {}
    for key, text in change.figures.items():
        now, before = number_of(text), number_of(change.before.get(key, ""))
        if now is not None and before is not None and not key.startswith("percent"):
            found[key] = _signed(now - before)
    return found


def typed(change: Change) -> str:
    """The figures to type where the program cannot hold a ruling, and what that comes to in the totals."""
    figures = {key: text for key, text in change.figures.items() if not key.startswith("percent")}
    if not figures:
        if {change.score.ns.kind, change.score.ew.kind} <= {"not played", "cancelled"}:
            return "no figures: the board must not count for either side; leave it out"
        return "no figures are known yet"
    text = f"type the figures {figures_text(figures)}"
    differences = correction(change)
    if len(differences) == len(figures):
        text += f", or correct the two totals by {figures_text(differences)}"
    return text


class _Listing:
    """The items of one event for one program; it remembers what several of them need."""

    def __init__(self, event: Event, host: Program | None) -> None:
        self.event, self.host = event, host
        self.boards: dict[str, list[Result]] = {}
        for result in event.results:
            self.boards.setdefault(result.board, []).append(result)
        self.listed: set[int] = set()
        self.in_force = {place.ruling.id for place in event.in_force}
        self.with_results = {place.ruling.id for place in event.places if place.results}

    def of(self, ruling: Ruling, results: Sequence[Result]) -> Iterator[Item]:
        """A ruling on the results that the file has for it."""
        reconciliation = self.event.reconciliation
        for result in results:
            left = reconciliation.still_has(result)
            if ruling.id not in self.in_force:
                if left is ruling and not reconciliation.current(result):
                    yield self.taken_back(ruling, result)
                continue
            status = reconciliation.status(ruling, result)
            do = _DO[status.status]
            if do == KEY and ruling.score in (None, TABLE) and left:
                yield self.taken_back(left, result, status.text)
            elif do == KEY:
                yield self.keyed(ruling, result, ruling.score or TABLE, status.text if left else "")
            else:
                yield self.item(do, ruling, result, text=status.text)

    def absent(self) -> Iterator[Item]:
        """The rulings on results that the file does not have, and on no result at all."""
        rulings = {ruling.id: ruling for ruling in self.event.ledger.rulings}
        for status in self.event.statuses():
            ruling = rulings[status.ruling]
            if ruling.where and (status.game is None or ruling.id not in self.with_results):
                yield Item(_DO[status.status], ruling, status.board, "", status.where, status.text)

    def item(self, do: str, ruling: Ruling, result: Result, **more: Any) -> Item:
        keys = result.keys
        place = ", ".join(f"{key} {keys[key]}" for key in _PLACE if key in keys and key != "match")
        pairs = "-".join(keys[side] for side in ("ns", "ew") if side in keys) or keys.get("match", "")
        return Item(do, ruling, result.board, place, pairs, result=result, **more)

    def taken_back(self, ruling: Ruling, result: Result, text: str = "") -> Item:
        """The table's result again, in the place of what a ruling gave that stands no longer."""
        later = next((other.id for other in self.event.ledger.rulings if other.supersedes == ruling.id), "")
        text = text or f"{ruling.id} was taken back{f' by {later}' if later else ''}, and the program still has it"
        score = TABLE
        try:
            outcome = Outcome.parse(ruling.table)
            score = Score(*[Award("outcomes", ((Fraction(1), outcome),))] * 2)
        except ValueError:
            if result.award != TABLE:
                text += "; its result at the table is on the score slip"
        item = self.keyed(ruling, result, score, text)
        change = item.change and replace(item.change, figures={})  # the program works them out again
        return replace(item, do=TAKE_BACK, change=change, moved=())

    def keyed(self, ruling: Ruling, result: Result, score: Score, text: str = "") -> Item:
        event = self.event
        change = Change(ruling, result, score, event.shown(result), self.before(result))
        item = self.item(KEY, ruling, result, text=text, change=change)
        if self.host is None:
            return replace(item, moved=self.moved(result))
        host = self.host
        lost = self.ask(lambda: [str(what) for what in host.loses(replace(ruling, score=score))])
        if not lost:
            return replace(item, how=self.ask(lambda: str(host.enter(change))))
        instead: Callable[[Change], str] = getattr(host, "instead", typed)
        return replace(item, how=self.ask(lambda: str(instead(change))), refused=tuple(lost), moved=self.moved(result))

    def moved(self, ruled: Result) -> tuple[Change, ...]:
        """The other results of the board whose figures the rulings move; each once in the list, and none at IMPs."""
        event = self.event
        if event.points(ruled, event.scored).unit != "mp":
            return ()
        found = []
        for result in self.boards[ruled.board]:
            if id(result) in self.listed or event.reconciliation.current(result):
                continue
            now, before = (event.figures(result, scored) for scored in (event.scored, event.plain))
            if now != before and not event.reconciliation.prints(result, event.scored):
                self.listed.add(id(result))
                found.append(Change(Ruling(""), result, TABLE, event.shown(result), self.before(result)))
        return tuple(found)

    def before(self, result: Result) -> dict[str, str]:
        """The figures that the program gives now: printed, and where it prints none worked out from the table's."""
        event = self.event
        printed = {key: result.printed[key] for key in FIGURES if key in result.printed}
        if printed and not event.reconciliation.prints(result, event.plain):
            return printed
        return {**event.shown(result, event.plain), **printed}

    def ask(self, question: Callable[[], Any]) -> Any:
        """What the host's plugin answers; it may fail in any way."""
        try:
            return question()
        except Refused:
            raise
        except (Exception, SystemExit) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            name = self.host.name if self.host else ""
            raise Refused(f"the scoring program {name} failed ({reason})", remedy="Tell its plugin's author") from None


# ----------------------------------------------------------------------------------------------------------- to read


def as_text(listed: Changes, everything: bool = False) -> Iterator[str]:
    """For the scorer, one paragraph a change."""
    return map(printable, _paragraphs(listed, everything))


def _paragraphs(listed: Changes, everything: bool) -> Iterator[str]:
    for item in shown(listed, everything):
        about = ", ".join(filter(None, (f"board {item.board}" if item.board else "", item.place, _pairs(item))))
        state = "" if item.ruling.state == "final" or item.do != KEY else f", {item.ruling.state}"
        yield f"{item.do.upper()} {item.ruling.id}{f', {about}' if about else ''}{state}"
        if item.change:
            yield f"  now:  {_with_figures(item.old, item.change.before)}"
            yield f"  new:  {_with_figures(_new(item), item.change.figures)}"
        if item.text:
            yield f"  {'note: ' if item.change else ''}{item.text}"
        for lost in item.refused:
            yield f"  REFUSED for {listed.program}: {lost}"
        if item.how:
            yield f"  {'instead' if item.refused else 'how'}: {item.how}"
        if item.refused and item.moved:
            yield "  and on the same board:"
            yield from (f"    {_pairs_of(moved.result)}: {_before_after(moved)}" for moved in item.moved)
        elif item.change and item.moved:
            others = "1 other result of the board moves" if len(item.moved) == 1 else ""
            yield f"  {others or f'{len(item.moved)} other results of the board move'}"
    if listed.penalties:
        yield "Penalties, off the contestants' totals:"
        yield from (f"  {line}" for line in listed.penalties)
    if listed.refused and listed.sources:
        yield f"What {listed.program} can hold is known from:"
        yield from (f"  {source}" for source in listed.sources)
    yield summary(listed)


def summary(listed: Changes) -> str:
    """``session.pbn: 7 to key (2 refused for usebio), 1 to look at, 4 done``."""
    words = {KEY: "to key", TAKE_BACK: "to take back", LOOK: "to look at", WAIT: "waiting", PENDING: "pending"}
    counts = {do: sum(item.do == do for item in listed.items) for do in ORDER}
    parts = [f"{counts[do]} {word}" for do, word in words.items() if counts[do] or do == KEY]
    if listed.refused:
        parts[0] += f" ({len(listed.refused)} refused for {listed.program})"
    return f"{listed.file}: {', '.join([*parts, f'{counts[DONE]} done'])}"


def shown(listed: Changes, everything: bool) -> list[Item]:
    """What is left to do; with ``everything`` also what is done or pending."""
    return [item for item in listed.items if everything or item.do not in (DONE, PENDING)]


COLUMNS = ("ruling", "do", "board", "place", "pairs", "now", "now figures", "new", "new figures", "refused", "how")


def rows(listed: Changes, everything: bool = False) -> Iterator[tuple[str, ...]]:
    """The cells of a table, as in ``COLUMNS``; a result that only moves has a row of its own, ``moves``."""
    return (tuple(map(printable, row)) for row in _rows(listed, everything))


def _rows(listed: Changes, everything: bool) -> Iterator[tuple[str, ...]]:
    for item in shown(listed, everything):
        change = item.change
        figures = [figures_text(each) if each else "" for each in ((change.before, change.figures) if change else ())]
        before, after = figures or ("", "")
        how = "; ".join(filter(None, (item.text, item.how)))
        yield (
            item.ruling.id, item.do, item.board, item.place, item.pairs, item.old, before, _new(item), after,
            "; ".join(item.refused), how,
        )  # fmt: skip
        for moved in item.moved if item.refused else ():
            before, after = figures_text(moved.before), figures_text(moved.figures)
            pairs = "-".join(moved.result.keys[side] for side in ("ns", "ew") if side in moved.result.keys)
            yield (
                item.ruling.id, "moves", item.board, "", pairs, held(moved.result), before, "", after,
                "", typed(moved),
            )  # fmt: skip


def as_csv(listed: Changes, everything: bool = False) -> str:
    """Comma-separated, with a header; nothing in it is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(listed, everything):
        writer.writerow([f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell for cell in row])
    return out.getvalue()


def as_markdown(listed: Changes, everything: bool = False) -> Iterator[str]:
    """A table; columns that would be empty are left out."""
    table = [COLUMNS, *rows(listed, everything)]
    kept = [index for index in range(len(COLUMNS)) if any(row[index] for row in table[1:])]
    for number, row in enumerate(table):
        yield f"| {' | '.join(_markdown(row[index]) for index in kept)} |"
        if not number:
            yield f"|{'---|' * len(kept)}"
    if listed.penalties:
        yield ""
        yield from (f"- {_markdown(line)}" for line in listed.penalties)


def to_json(listed: Changes, everything: bool = False) -> dict[str, Any]:
    """The document of ``changes --json``."""
    return {
        "format": 1,
        "file": listed.file,
        "host": listed.program or None,
        "sources": list(listed.sources),
        "policy": listed.policy,
        "provisional": listed.provisional,
        "changes": [_item_json(item) for item in shown(listed, everything)],
        "penalties": list(listed.penalties),
    }


def _item_json(item: Item) -> dict[str, Any]:
    result, change = item.result, item.change
    found: dict[str, Any] = {"ruling": item.ruling.id, "do": item.do, "state": item.ruling.state}
    if result:
        found |= {"game": result.game, "board": item.board}
        found |= {key: result.keys[key] for key in ("section", "round", "table", "room", "match", "ns", "ew")
                  if key in result.keys}  # fmt: skip
        found["old"] = item.old
    else:
        found |= {"board": item.board or None, "where": item.pairs}
    score = change.score if change else item.ruling.score
    found["new"] = None if score is None else score.value()
    if change:
        found |= {"before": dict(change.before), "figures": dict(change.figures), "correction": correction(change)}
        found["moved"] = [
            {**{key: moved.result.keys[key] for key in ("section", "ns", "ew") if key in moved.result.keys},
             "before": dict(moved.before), "figures": dict(moved.figures)}
            for moved in item.moved
        ]  # fmt: skip
    return found | {"refused": list(item.refused), "how": item.how or None, "text": item.text or None}


def _new(item: Item) -> str:
    if item.do == TAKE_BACK and item.change and item.change.score == TABLE:
        return "the table result again"
    if item.new == "table" and item.ruling.table:
        return item.ruling.table
    return item.new


def _with_figures(text: str, figures: Mapping[str, str]) -> str:
    shown = figures_text(figures) if figures else ""
    return f"{text} ({shown})" if shown else text


def _before_after(change: Change) -> str:
    before, after = figures_text(change.before), figures_text(change.figures)
    return f"{before} -> {after}" if before else after


def _pairs(item: Item) -> str:
    if item.result is None:
        return item.pairs
    return f"{'pairs' if 'ns' in item.result.keys else 'match'} {item.pairs}" if item.pairs else ""


def _pairs_of(result: Result) -> str:
    return "pairs " + "-".join(result.keys.get(side, "?") for side in ("ns", "ew"))


def _signed(number: Fraction) -> str:
    text = show(number)
    return text if number <= 0 else f"+{text}"


_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#])")


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def lines(listed: Changes, form: str, everything: bool = False) -> Iterable[str]:
    """The list in one of the forms ``text``, ``csv``, ``markdown``, line by line."""
    if form == "csv":
        return as_csv(listed, everything).split("\n")[:-1]
    return as_markdown(listed, everything) if form == "markdown" else as_text(listed, everything)
