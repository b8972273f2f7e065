"""The papers that come with screenplug: a text for the desk, a page of all rulings, and the appeal form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from screenplug import hookimpl
from screenplug.model import Refused

if TYPE_CHECKING:  # `screenplug --help` loads this module and needs no tables
    from screenplug.event import Event
    from screenplug.laws import Answer
    from screenplug.model import Game, Ground, Result, Ruling


class Summary:
    """Every ruling in a director's words, what it does to its board, and the standings that moved. For the Director's
    desk: it shows facts and seats, but no statements, polls or private notes."""

    name = "summary"
    suffix = ".txt"

    def render(self, event: Event, rulings: Sequence[Ruling], detail: str) -> str:
        """Plain text; rulings in their order, then the contestants that moved. Public: no facts, seats, notes."""
        public = detail == "public"
        lines = [line for ruling in rulings for line in (*self._ruling(event, ruling, public), "")]
        for text, note in event.penalty_texts():
            lines += [f"== {text}", *([f"  Note: {note}"] if note and not public else []), ""]
        return "\n".join([*lines, "What moved in the standings:", *event.moved_lines()]) + "\n"

    def _ruling(self, event: Event, ruling: Ruling, public: bool) -> Iterator[str]:
        from screenplug.laws import Answer, explain

        place = next((place for place in event.places if place.ruling is ruling), None)
        where = "; ".join(event.place_text(result) for result in place.results) if place else ""
        yield f"== Ruling {ruling.id}{f', {where}' if where else ''}: {ruling.stage}, {_state(event, ruling)}"
        for ground, answer in zip(ruling.grounds, event.answers.get(ruling.id, ()), strict=False):
            if isinstance(answer, Answer):
                yield from (f"  {line}" for line in (_public_lines(answer) if public else explain(answer)))
            else:
                found = "Ruled in words" if public else ground.finding or answer
                yield f"  {found}" + (f" (Law {', Law '.join(ground.laws)})" if ground.laws else "")
        if not ruling.grounds:
            yield f"  {_no_ground(ruling)}"
        if ruling.note and not public:
            yield f"  Note: {ruling.note}"
        if ruling.score:
            yield f"  Score: {_score_text(ruling)}" + (f" (at the table {ruling.table})" if ruling.table else "")
        yield from (f"  {sentence}" for sentence in _own_errors(ruling))
        if event.state(ruling) in ("final", "provisional"):
            for result in place.results if place and ruling.score else ():
                yield f"  {event.change_text(result)}"


def _public_lines(answer: Answer) -> Iterator[str]:
    from screenplug.words import parts

    for title, sentences in parts(answer):
        yield f"{title}:"
        yield from (f"  {sentence} [{cites}]" for sentence, cites in sentences)


def _no_ground(ruling: Ruling) -> str:
    return "No reason was given." if ruling.state == "withdrawn" else "The reason comes later."


def _state(event: Event, ruling: Ruling) -> str:
    later = next((other.id for other in event.ledger.rulings if other.supersedes == ruling.id), "")
    state = event.state(ruling)
    return f"{state} by {later}" if later and state == "superseded" else state


_SCORES = {
    "table": "The result at the table stands",
    "not played": "Not played",
    "late": "Still to be played",
    "cancelled": "The result is cancelled",
}


def _told_score(ruling: Ruling) -> str:
    text = _score_text(ruling)
    return _SCORES.get(text, text)


def _clock(at: str) -> str:
    """A ledger's time as people write it; the zone is the table's own."""
    return f"{at[:10]} {at[11:16]}".strip() if at[10:11] in ("T", " ") else at


def _score_text(ruling: Ruling) -> str:
    value = ruling.score.value() if ruling.score else ""
    return value if isinstance(value, str) else f"North-South {value['ns']}; East-West {value['ew']}"


def _own_errors(ruling: Ruling) -> list[str]:
    """What each side that damaged itself as well would have had without that; the rest of its loss it keeps."""
    names = {"ns": "North-South", "ew": "East-West"}
    return [
        f"Without its own error {names[side]} would have had {outcome}"
        for side, outcome in ruling.without_error.items()
    ]


# --------------------------------------------------------------------------------------------------------------- pages


@dataclass(frozen=True, slots=True)
class Page:
    """A page of its own, in HTML with nothing outside of it: no script, no address, light and dark, a ruling a sheet.

    Needs Jinja2, the extra ``report``.
    """

    name: str
    title: str
    usually: str
    one: bool = False
    suffix: str = field(default=".html", init=False)

    def render(self, event: Event, rulings: Sequence[Ruling], detail: str) -> str:
        """The page. Raises Refused without Jinja2, and for an appeal form of more than one ruling."""
        if self.one and len(rulings) != 1:
            raise Refused(f"the form {self.name} is for one ruling", remedy="Name it: report FILE --form appeal ID")
        detail = detail or self.usually
        shown = [_shown(event, ruling, detail, private=self.one) for ruling in rulings]
        text: str = _template().render(
            form=self.name,
            title=self.title,
            file=PurePath(event.file).name if detail != "public" else "",
            detail=detail,
            policy=event.policy.id,
            provisional=event.scored.provisional,
            rulings=shown,
            penalties=[(text, "" if detail == "public" else note) for text, note in event.penalty_texts()],
            standings=_standings(event, whole=detail == "public"),
            moved=len(list(event.moved())),
            contestants=len(event.scored.totals),
        )
        return text


@cache
def _template() -> Any:
    from importlib import resources

    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise Refused(
            "a page needs Jinja2, which is not installed",
            remedy="pip install screenplug[report], or take --form summary",
        ) from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    source = resources.files("screenplug_hooks").joinpath("templates", "page.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(source)


def _shown(event: Event, ruling: Ruling, detail: str, *, private: bool) -> Mapping[str, Any]:
    """What the page shows of one ruling; nothing more than ``detail`` allows is even handed over."""
    from screenplug.laws import Answer

    from .picture import table

    place = next((place for place in event.places if place.ruling is ruling), None)
    results = place.results if place else ()
    games = [event.tape.games[number - 1] for number in place.games] if place else []
    facts: dict[str, str | int] = {}
    for ground in ruling.grounds:
        facts |= ground.facts
    public, full = detail == "public", detail == "full"
    game = games[0] if games else None
    counting = results if event.state(ruling) in _COUNTING else ()
    return {
        "id": ruling.id,
        "board": next((result.board for result in results), (game.value("Board") if game else "") or ""),
        "where": [event.place_text(result) for result in results],
        "stage": ruling.stage,
        "state": _state(event, ruling),
        "at": (ruling.at, _clock(ruling.at)),
        "regulations": event.regulations.get(ruling.id, ""),
        "picture": table(facts) if facts and not public else None,
        "deal": _deal(game) if game else None,
        "auction": _auction(event, game) if game and not public else None,
        "contract": (ruling.table or next((str(r.outcome) for r in results if r.outcome), "")),
        "grounds": list(_grounds(event, ruling, detail)),
        "director": ruling.director if full else "",
        "told": [
            (heading, text)
            for heading, text, shown in (
                ("Although the edition does not provide for it", ruling.override, full),
                ("Note", ruling.note, not public),
                ("Private note", ruling.private, full and private),
            )
            if text and shown
        ],
        "score": _told_score(ruling),
        "own_errors": _own_errors(ruling),
        "counts": bool(counting),
        "sides": [_change(event, result) for result in counting] or _would(event, ruling, results),
        "field": _field(event, counting),
        "no_ground": _no_ground(ruling),
        "restated": any(
            step.checked == "restated"
            for answer in event.answers.get(ruling.id, ())
            if isinstance(answer, Answer)
            for step in answer.path
        ),
        "history": [] if public else list(_history(event, ruling)),
        "sign": private and full,
    }


def _grounds(event: Event, ruling: Ruling, detail: str) -> Iterator[Mapping[str, Any]]:
    from screenplug.laws import Answer
    from screenplug.vocabulary import plain, vocabulary
    from screenplug.words import parts

    words = vocabulary()
    for ground, answer in zip(ruling.grounds, event.answers.get(ruling.id, ()), strict=False):
        known = words.decisions.get(ground.decision)
        yield {
            "title": known.title if known else "Ruling in words",
            "facts": [] if detail == "public" else list(_facts(ground, words, plain, disputed=detail == "full")),
            "said": {_SEAT_NAMES.get(who, who): text for who, text in ground.said.items()} if detail == "full" else {},
            "poll": ground.poll if detail == "full" else "",
            "finding": ""
            if detail == "public"
            else ground.finding or (str(answer) if isinstance(answer, Refused) else ""),
            "laws": [f"Law {law}" if law[:1].isdigit() else law for law in ground.laws],
            "status": words.words[answer.status] if isinstance(answer, Answer) and answer.status != "decided" else "",
            "parts": parts(answer) if isinstance(answer, Answer) else [],
        }


def _facts(ground: Ground, words: Any, plain: Any, *, disputed: bool) -> Iterator[tuple[str, bool]]:
    """Each fact in a sentence, and whether it is disputed, where that may be told."""
    for name, value in ground.facts.items():
        yield (
            words.told(ground.decision, name, value) or f"{plain(name)}: {value}",
            disputed and name in ground.disputed,
        )


_SUIT_SIGNS = (("♠", "spades", ""), ("♥", "hearts", "red"), ("♦", "diamonds", "red"), ("♣", "clubs", ""))
_SEAT_NAMES = {"N": "North", "E": "East", "S": "South", "W": "West"}
_VULNERABLE = {
    **dict.fromkeys(("NONE", "LOVE", "-"), "nobody vulnerable"),
    **dict.fromkeys(("ALL", "BOTH"), "both sides vulnerable"),
    "NS": "North-South vulnerable",
    "EW": "East-West vulnerable",
}


def _deal(game: Game) -> Mapping[str, Any] | None:
    from screenplug.board import hands

    held = hands(game)
    if held is None:
        return None
    dealer = _SEAT_NAMES.get((game.value("Dealer") or "").upper(), "")
    vulnerable = _VULNERABLE.get((game.value("Vulnerable") or "").upper(), "")
    return {
        "circumstances": ", ".join(filter(None, (dealer and f"Dealer {dealer}", vulnerable))),
        "hands": [
            (seat, _SEAT_NAMES[seat], [(*sign, held[seat][index] or "-") for index, sign in enumerate(_SUIT_SIGNS)])
            for seat in "NWES"
            if seat in held
        ],
    }


_SIGN_OF = {"S": ("♠", ""), "H": ("♥", "red"), "D": ("♦", "red"), "C": ("♣", "")}
_IRREGULAR = {
    "insufficient-bid": "insufficient", "call-out-of-rotation": "out of turn", "bid-above-seven": "above seven"
}  # fmt: skip


def _auction(event: Event, game: Game) -> Mapping[str, Any] | None:
    """The auction in rows of West, North, East, South; None when there is none."""
    from screenplug.board import calls

    made = calls(event.tape, game)
    if not made:
        return None
    order = "WNES"
    rows: list[list[Mapping[str, Any] | None]] = [[]]
    notes: list[str] = []
    for call in made:
        column = order.index(call.seat)
        while len(rows[-1]) % 4 != column or len(rows[-1]) == 4:
            if len(rows[-1]) == 4:
                rows.append([])
            else:
                rows[-1].append(None)
        if call.note:
            notes.append(call.note)
        sign, colour = _SIGN_OF.get(call.text[1:], ("", ""))
        text = call.text[0] if sign else call.text
        wrong = _IRREGULAR.get(call.irregular, "")
        rows[-1].append(
            {"text": text, "sign": sign, "colour": colour, "wrong": wrong, "note": len(notes) if call.note else 0}
        )
    rows[-1] += [None] * (4 - len(rows[-1]))
    return {"rows": rows, "notes": notes}


_COUNTING = ("final", "provisional")  # the states in which a ruling's score counts


def _would(event: Event, ruling: Ruling, results: Sequence[Result]) -> list[Mapping[str, str]]:
    """For a ruling that does not count: what its one result gets now, and what it would get by this score."""
    if not ruling.score or len(results) != 1 or ruling.without_error or event.state(ruling) == "withdrawn":
        return []  # several results of a board move each other, and an own error is reckoned only where it counts
    now = event.sides_text(results[0])[1]
    would = event.effect(results[0], ruling.score, event.averages.get(ruling.id))[0]
    return [{"where": event.place_text(results[0]), "before": now, "after": would}]


def _gives(event: Event, ruling: Ruling) -> str:
    """What an entry of the history gives to its result, or would give if it were the last one."""
    place = next((place for place in event.places if place.ruling is ruling), None)
    results = place.results if place else ()
    if ruling.score and len(results) == 1 and event.state(ruling) in _COUNTING:
        return event.sides_text(results[0])[1]
    return next((row["after"] for row in _would(event, ruling, results)), "")


def _change(event: Event, result: Result) -> Mapping[str, str]:
    before, after = event.sides_text(result)
    return {"where": event.place_text(result), "before": before, "after": after}


_MOST_ROWS = 30


def _field(event: Event, results: Sequence[Result]) -> Sequence[Mapping[str, Any]]:
    """The other results of the boards that change, those that change alike in one row, the commonest first."""
    ruled = {id(result) for result in results}
    games = {result.game for result in results}
    rows: Counter[tuple[str, str, str]] = Counter()
    for result in event.results:
        if result.game in games and id(result) not in ruled:
            before, after = event.sides_text(result)
            if before != after:
                rows[str(result.outcome or "artificial"), before, after] += 1
    keys = ("outcome", "before", "after")
    return [{**dict(zip(keys, row, strict=True)), "times": times} for row, times in rows.most_common(_MOST_ROWS)]


def _history(event: Event, ruling: Ruling) -> Iterator[Mapping[str, Any]]:
    """All entries of the chain to which the ruling belongs, the first one first."""
    known = {each.id: each for each in event.ledger.rulings}
    later = {each.supersedes: each for each in event.ledger.rulings if each.supersedes}
    chain, seen = [ruling], {ruling.id}
    while (earlier := known.get(chain[0].supersedes)) and earlier.id not in seen:
        chain.insert(0, earlier)
        seen.add(earlier.id)
    while (after := later.get(chain[-1].id)) and after.id not in seen:
        chain.append(after)
        seen.add(after.id)
    if len(chain) > 1:
        for each in chain:
            yield {
                "id": each.id,
                "at": (each.at, _clock(each.at)),
                "stage": each.stage,
                "state": _state(event, each),
                "score": _told_score(each) or "no score",
                "gives": _gives(event, each),
            }


def _standings(event: Event, *, whole: bool) -> Sequence[Mapping[str, str]]:
    """The standings before and after with what moved; not ``whole``, only those that moved."""
    from screenplug.event import contestant_text, total_text

    moved = {id(after) for _, after in event.moved()}
    return [
        {
            "who": contestant_text(after),
            "before": total_text(event.at_table, before).strip(),
            "after": total_text(event.scored, after).strip(),
            "gain": event.gain_text(before, after) if id(after) in moved else "",
            "rank": f"{before.rank} → {after.rank}" if before.rank and after.rank and before.rank != after.rank else "",
        }
        for before, after in event.standings()
        if whole or id(after) in moved
    ]


@hookimpl
def screenplug_reports() -> list[Summary | Page]:
    return [
        Summary(),
        Page("rulings", "Rulings", "full"),
        Page("appeal", "Appeal form", "full", one=True),
    ]
