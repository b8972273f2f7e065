"""How each ruling stands in a file that a scoring program has exported: applied, not yet, otherwise, or waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import ledger as ledgers
from . import scoring
from .event import FIGURES, figures_text, same_result, says, where_text
from .model import TABLE, Result, Ruling
from .printed import as_printed, prints

if TYPE_CHECKING:
    from .event import Event


@dataclass(frozen=True, slots=True)
class Status:
    """How one ruling stands in a file.

    ``status``: ``not applied``, ``applied``, ``differs``, ``table result changed``, ``waiting``, or ``pending`` (no
    score yet). ``printed`` and ``computed`` are the figures that differ.
    """

    ruling: str
    status: str
    game: int | None = None
    board: str = ""
    where: str = ""
    printed: str = ""
    computed: str = ""
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        keys = ("ruling", "game", "board", "status", "where", "printed", "computed", "text")
        return {key: value for key in keys if (value := getattr(self, key)) not in ("", None)}

    def __str__(self) -> str:
        place = ", ".join(part for part in (f"board {self.board}" if self.board else "", self.where) if part)
        detail = f" ({self.text})" if self.text else ""
        return f"{self.ruling} {place}: {self.status}{detail}" if place else f"{self.ruling}: {self.status}{detail}"


@dataclass(frozen=True)
class Reconciliation:
    """An event compared with what its file prints; made once for an event, as ``Event.reconciliation``."""

    event: Event

    def statuses(self) -> tuple[Status, ...]:
        """For each ruling in force, whether the file prints what it gives; and each withdrawn one that it still has."""
        found: list[Status] = []
        for place in self.event.places:
            ruling = place.ruling
            if ruling.id in self.event.own_records:
                continue
            if ruling.id not in self._counting:
                found += [self._taken_back(ruling, each) for each in place.results if self._left(ruling, each)]
                continue
            for where, reason in zip(place.waiting, self._reasons.get(ruling.id, ()), strict=False):
                found.append(self._absent(place, where, reason))
            for result in place.results:
                found.append(self.status(ruling, result))
            if not place.results and not place.waiting:
                found.append(
                    Status(
                        ruling.id,
                        "pending" if ruling.state == "pending" else "applied",
                        game=next(iter(place.games), None),
                        text="no score to apply",
                    )
                )
        return tuple(found)

    @cached_property
    def _counting(self) -> frozenset[str]:
        return frozenset(place.ruling.id for place in self.event.in_force)

    @cached_property
    def _reasons(self) -> Mapping[str, Sequence[str]]:
        """Why each of a ruling's places waits, in their order."""
        found: dict[str, list[str]] = {}
        for problem in self.event.problems:
            if problem.code == "waiting" and problem.ruling:
                found.setdefault(problem.ruling, []).append(problem.text.removeprefix(f"ruling {problem.ruling}: "))
        return found

    def _absent(self, place: ledgers.Place, where: Mapping[str, str], reason: str) -> Status:
        """A result that the file does not have: it waits, unless the ruling itself takes it off a board that is here.

        Several programs drop the row of a board that was not played.
        """
        ruling = place.ruling
        board = where.get("board", "")
        gone = ruling.score is not None and ruling.score.kind in ("not-played", "cancelled")
        others = any(result.board.lstrip("0") == board.lstrip("0") for result in self.event.results)
        if gone and others and ruling.table:
            return Status(ruling.id, "applied", board=board, where=where_text(where), text="the result is gone")
        return Status(ruling.id, "waiting", board=board, where=where_text(where), text=reason)

    # What a ruling that is no longer in force left behind

    @cached_property
    def _replaced(self) -> Mapping[int, Sequence[Ruling]]:
        """By result, the entries with a score that stand no longer, newest first."""
        found: dict[int, list[Ruling]] = {}
        others = self.event.standing | self.event.own_records
        for place in reversed(self.event.places):
            ruling = place.ruling
            once_stood = ruling.score not in (None, TABLE) and ruling.state in ("final", "provisional")
            if once_stood and ruling.id not in others:
                for result in place.results:
                    found.setdefault(id(result), []).append(ruling)
        return found

    @cached_property
    def _layers(self) -> Sequence[scoring.Event]:
        """The file as it would be scored with the newest, the second newest ... of the entries that stand no longer."""
        depth = max(map(len, self._replaced.values()), default=0)
        layers = []
        for layer in range(depth):
            then = {key: rulings[layer] for key, rulings in self._replaced.items() if layer < len(rulings)}
            old = [
                ledgers.Place(then[id(result)], (result,), (result.game,), ())
                for result in self.event.results
                if id(result) in then
            ]
            layers.append(self.event.score([*self.event.in_force, *old]))  # the last one on a result counts
        return layers

    def still_has(self, result: Result) -> Ruling | None:
        """The entry, no longer in force, whose score the file still has for this result; the newest of several.

        Only where that score can be told from the table's and from that of the ruling in force.
        """
        rulings = self._replaced.get(id(result), ())
        if not rulings:
            return None
        current = self.current(result)
        as_it_stands = self.prints(result, self.event.plain)
        right = self.prints(result, self.event.scored)
        if current and ((right and not as_it_stands) or says(result, current.score)):
            return None
        for ruling, layer in zip(rulings, self._layers, strict=False):
            if current and current.score == ruling.score:
                return None
            told = result.outcome is not None and not same_result(ruling.table, result.outcome)
            if says(result, ruling.score) and (told or result.outcome is None):
                return ruling
            if self.prints(result, layer) and not (as_it_stands or right):
                return ruling
        return None

    def current(self, result: Result) -> Ruling | None:
        """The ruling in force that gives this result its score."""
        return self._current.get(id(result))

    def _left(self, ruling: Ruling, result: Result) -> bool:
        """Whether a ruling was taken back and nothing put in its place, and the file still has it."""
        return self.still_has(result) is ruling and not self.current(result)

    @cached_property
    def _current(self) -> Mapping[int, Ruling]:
        """By result, the ruling in force that gives its score."""
        return {
            id(result): place.ruling
            for place in self.event.in_force
            if place.ruling.score and place.ruling.state != "pending"
            for result in place.results
        }

    def prints(self, result: Result, event: scoring.Event) -> bool:
        """Whether the figures that the file prints for a result are those of a scoring, as far as it has any."""
        figures = as_printed(self.event, result, event)
        printed = [key for key in figures if key in result.printed]
        return bool(printed) and all(prints(result.printed[key], figures[key]) for key in printed)

    def _taken_back(self, ruling: Ruling, result: Result) -> Status:
        shown = self.printed_text(result)
        later = next((other.id for other in self.event.ledger.rulings if other.supersedes == ruling.id), "")
        text = f"taken back{f' by {later}' if later else ''}, but the file still has its {ruling.score}"
        where = self.event.telling(result)
        return Status(ruling.id, "differs", result.game, result.board, where, shown, text=f"{text} ({shown})")

    def printed_text(self, result: Result) -> str:
        """What the file has for a result: its figures, else what is in the place of them."""
        figures = {key: result.printed[key] for key in FIGURES if key in result.printed}
        held = result.outcome if result.award == TABLE else result.award
        return figures_text(figures) or str(held or "no result")

    def status(self, ruling: Ruling, result: Result) -> Status:
        """Whether the file prints what a ruling in force gives this result."""

        def status(word: str, **more: str) -> Status:
            return Status(
                ruling.id, word, game=result.game, board=result.board, where=self.event.telling(result), **more
            )

        if ruling.state == "pending":
            return status("pending", text="the score stands for now")
        stands = ruling.score in (None, TABLE)
        after, before = (as_printed(self.event, result, event) for event in (self.event.scored, self.event.plain))
        blanks = {key for key in FIGURES if self.event.blank(result, key)}
        printed = {key: result.printed[key] for key in (*after, *blanks) if key in result.printed}
        shown, computed = figures_text(printed), figures_text(self.event.shown(result))
        same = not printed or all(prints(text, before.get(key)) for key, text in printed.items())
        keyed = stands or says(result, ruling.score)
        if blanks & set(printed):
            applied = False  # a figure stands where the ruling leaves none
        elif after and printed:
            # Figures too coarse to tell the ruling's from the table's show nothing.
            moved = not keyed and any(after[key] != before.get(key) for key in printed)
            applied = all(prints(text, after[key]) for key, text in printed.items()) and not (same and moved)
        elif blanks and not after:
            applied = not printed and (keyed or any(other.printed for other in self.event.by_game[result.game]))
        else:
            applied = not printed and keyed
        changed = result.outcome is not None and not same_result(ruling.table, result.outcome)
        if old := self.still_has(result):
            gives = f"{ruling.table or 'the table result'} again" if stands else computed or ruling.score
            text = f"the file still has {old.id}'s {old.score} ({self.printed_text(result)}), the ruling gives {gives}"
            return status("differs", printed=shown, computed="" if stands else computed, text=text)
        if changed and (stands or not (applied or keyed)):
            return status("table result changed", text=f"ruled on {ruling.table}, the file now has {result.outcome}")
        if applied:
            other = result.meanings and ruling.score and not (stands or says(result, ruling.score))
            said = f"the file says {result.award}, the ruling {ruling.score}; their figures are equal for now"
            return status("applied", computed=computed, text=said if other else "")
        if not after:
            why = next((points.why for points in self.event.sides(result) if points.why), "")
            computed = f"no score: {why}" if why else f"{(ruling.score or TABLE).ns}: no score"
        text = f"the file prints {shown or result.outcome or 'nothing'}, the ruling gives {computed or ruling.score}"
        return status("not applied" if same else "differs", printed=shown, computed=computed, text=text)
