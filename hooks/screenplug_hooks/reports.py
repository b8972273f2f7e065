"""The papers that come with screenplug."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from screenplug import hookimpl

if TYPE_CHECKING:  # `screenplug --help` loads this module and needs no tables
    from screenplug.event import Event
    from screenplug.model import Ruling


class Summary:
    """Every ruling in a director's words, what it does to its board, and the standings that moved. For the Director's
    desk: it shows facts and seats, but no statements, polls or private notes."""

    name = "summary"

    def render(self, event: Event, rulings: Sequence[Ruling]) -> str:
        """Plain text; rulings in their order, then the contestants that moved."""
        lines = [line for ruling in rulings for line in (*self._ruling(event, ruling), "")]
        if penalties := list(event.penalty_lines()):
            lines += [*penalties, ""]
        return "\n".join([*lines, "What moved in the standings:", *event.moved_lines()]) + "\n"

    def _ruling(self, event: Event, ruling: Ruling) -> Iterator[str]:
        from screenplug.laws import Answer, explain

        place = next((place for place in event.places if place.ruling is ruling), None)
        where = "; ".join(event.place_text(result) for result in place.results) if place else ""
        yield f"== Ruling {ruling.id}{f', {where}' if where else ''}: {ruling.stage}, {event.state(ruling)}"
        for ground, answer in zip(ruling.grounds, event.answers.get(ruling.id, ()), strict=False):
            if isinstance(answer, Answer):
                yield from (f"  {line}" for line in explain(answer))
            else:
                yield f"  {ground.finding or answer}" + (f" (Law {', Law '.join(ground.laws)})" if ground.laws else "")
        if not ruling.grounds:
            yield "  The reason comes later."
        if ruling.note:
            yield f"  Note: {ruling.note}"
        if ruling.score:
            value = ruling.score.value()
            text = value if isinstance(value, str) else f"North-South {value['ns']}; East-West {value['ew']}"
            yield f"  Score: {text}" + (f" (at the table {ruling.table})" if ruling.table else "")
        if event.state(ruling) in ("final", "provisional"):
            for result in place.results if place and ruling.score else ():
                yield f"  {event.change_text(result)}"


@hookimpl
def screenplug_reports() -> list[Summary]:
    return [Summary()]
