"""One PBN file under its rulings: what check, score, rescore, annotate and rule share.

The data flow one way: bytes -> tape -> results; rulings files (and records in the file) -> ledger -> places;
grounds -> answers of the law tables; results with awards -> scores. Everything here is pure; the tables come in.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import awards, edition, pbn, printed, record, scoring
from . import ledger as ledgers
from .comparison import Method, Points
from .laws import Answer, Code, Library
from .model import (
    EMPTY,
    TABLE,
    Game,
    Ground,
    Ledger,
    Outcome,
    Penalty,
    Problem,
    Refused,
    Result,
    Ruling,
    Score,
    without_cycle_collector,
)
from .offered import Tables
from .policy import Averages, Number, Policy, show
from .totals import Contest, Total, VictoryPoints

if TYPE_CHECKING:
    from .reconcile import Reconciliation, Status
    from .victory import Scale

DEFAULT_POLICY = "neutral"
_SIDES = ("ns", "ew")
_ALIKE = 3  # notes of one kind that are told one by one
_UNCOMPARED = ("table-cells", "table-header", "standings-earlier", *printed.STALE)
FIGURES = tuple(f"{unit}_{side}" for unit in ("mp", "imp", "percent") for side in _SIDES)


@dataclass(frozen=True, slots=True)
class Attached:
    """A ruling that stands on a game now; ``result`` is None when it is about the board, or about several results."""

    game: Game
    ruling: Ruling
    result: Result | None


@dataclass(frozen=True)
class Event:
    """A file with its rulings, each by its id in the mappings.

    ``places`` hold every ruling that could be found; ``answers`` what the tables say to its grounds (None for a finding
    in words); ``regulations`` read ``wbf 2026-12-01 on laws-2017``; ``own_records`` are rulings that only the file
    itself carries; ``refused`` those with mistakes, which neither score nor are attached.
    """

    file: str
    tape: pbn.Tape
    results: tuple[Result, ...]
    ledger: Ledger
    own_records: frozenset[str]
    places: tuple[ledgers.Place, ...]
    answers: Mapping[str, tuple[Answer | Refused | None, ...]]
    averages: Mapping[str, Averages]
    regulations: Mapping[str, str]
    policy: Policy
    methods: tuple[Method, ...]
    problems: tuple[Problem, ...]
    scale: VictoryPoints | None = None
    refused: frozenset[str] = field(default_factory=frozenset)

    # ------------------------------------------------------------------------------------------------------ scores

    @cached_property
    def in_force(self) -> tuple[ledgers.Place, ...]:
        """The places of the rulings that count for the scores."""
        standing = self.standing - self.refused
        return tuple(place for place in self.places if place.ruling.id in standing)

    @cached_property
    def standing(self) -> frozenset[str]:
        """The ids of the entries that are neither withdrawn nor superseded."""
        return frozenset(ruling.id for ruling in ledgers.in_force(self.ledger))

    @cached_property
    def by_game(self) -> Mapping[int, Sequence[Result]]:
        """The results of each game, by its number."""
        found: dict[int, list[Result]] = {}
        for result in self.results:
            found.setdefault(result.game, []).append(result)
        return found

    @cached_property
    def _by_pairs(self) -> Mapping[tuple[int, tuple[str | None, str | None]], Sequence[Result]]:
        found: dict[tuple[int, tuple[str | None, str | None]], list[Result]] = {}
        for result in self.results:
            found.setdefault((result.game, (result.keys.get("ns"), result.keys.get("ew"))), []).append(result)
        return found

    @cached_property
    def scored(self) -> scoring.Event:
        """Every result with the rulings in force."""
        return self.score(self.in_force)

    @cached_property
    def plain(self) -> scoring.Event:
        """Every result as scored at the table."""
        return self.score((), as_played=True)

    @cached_property
    def at_table(self) -> scoring.Event:
        """Every result as it was first scored, also where the program has been told of a ruling since.

        The other of the two that people are shown; what the file itself gives is ``plain``.
        """
        first = []
        for place in self.places:
            ruling = place.ruling
            for result in place.results:
                scored = _parsed(ruling.table)
                if scored and says(result, ruling.score) and result.outcome != scored:
                    was = replace(ruling, score=Score.parse(str(scored)), state="final", without_error=EMPTY)
                    first.append(ledgers.Place(was, (result,), (result.game,), ()))
        return self.score(first, as_played=True) if first else self.plain

    @cached_property
    def _ruled(self) -> scoring.Event:
        """As much of ``scored`` as the records need: the boards that a ruling is about."""
        about = {id(result) for place in self.in_force for result in place.results}
        return self.score(self.in_force, only={self._index[each] for each in about})

    def score(
        self, places: Iterable[ledgers.Place], as_played: bool = False, only: Collection[int] | None = None
    ) -> scoring.Event:
        """Score with these rulings. One of those on a result gives the score, the others may leave it open.

        ``as_played`` leaves out the penalties too, and that boards were fouled; carry-over, victory points and the
        kind of contest are not for the Director to rule on and always count.
        """
        scores: dict[int, Ruling] = {}
        still_open: set[int] = set()
        for place in places:
            for result in place.results:
                if place.ruling.state in ("pending", "provisional"):
                    still_open.add(id(result))
                if place.ruling.score and place.ruling.state != "pending":
                    scores[id(result)] = place.ruling
        entries, usual = [], self.averages.get("")
        for result in self.results:
            ruling = scores.get(id(result))
            award = _over(ruling.score, result.award) if ruling and ruling.score else result.award
            averages = (self.averages.get(ruling.id) if ruling else None) or usual
            instant = self._instant.get(result.game, ())
            reduced = ruling.without_error if ruling else EMPTY
            entries.append(scoring.Entry(result, award, averages, id(result) in still_open, instant, reduced))
        book = self.ledger
        taken, fouled = ((), ()) if as_played else (ledgers.penalties_in_force(book), book.fouled)
        contest = Contest(taken, fouled, self.scale, book.knock_out, book.carry)
        with without_cycle_collector():
            return scoring.score_event(entries, self.tape.games, self.methods, self.policy, contest, only)

    @cached_property
    def _instant(self) -> Mapping[int, scoring.Instant]:
        """The InstantScoreTable of each game that is scored by one."""
        asked = (game for game in self.tape.games if "instant" in (game.value("Scoring") or "").lower())
        return {game.number: tuple(_instant_rows(self.tape, game)) for game in asked}

    def points(self, result: Result, event: scoring.Event) -> scoring.Scored:
        """What a result of this file is worth in one of the scorings."""
        return event.scored[self._index[id(result)]]

    @cached_property
    def _index(self) -> Mapping[int, int]:
        return {id(result): index for index, result in enumerate(self.results)}

    def all_problems(self) -> tuple[Problem, ...]:
        """Everything odd or wrong in the file, the rulings and the scores, in the order of the file."""
        return self._all_problems

    @cached_property
    def _all_problems(self) -> tuple[Problem, ...]:
        found = [*self.tape.problems, *self.problems, *self._unclear(), *self.scored.problems]
        found += self._unread_tables()
        found += (each for each in self.standings_printed.values() if isinstance(each, Problem))
        return tuple(dict.fromkeys(found))

    def _unread_tables(self) -> Iterator[Problem]:
        for game in self.tape.games:
            for name in ("ScoreTable", "TotalScoreTable"):
                yield from pbn.table_problems(self.tape, game, name)

    def told(self) -> tuple[Problem, ...]:
        """What score and rescore tell: every error, and what there is to say about scores, the first of each kind."""
        about = {problem.code for problem in (*self.scored.problems, *self.problems)} | {"artificial-unclear"}
        found: list[Problem] = []
        left: Counter[str] = Counter()
        for problem in self.all_problems():
            alike = sum(each.code == problem.code for each in found if each.severity == "note")
            if problem.severity == "error" or (problem.code in about and alike < _ALIKE):
                found.append(problem)
            elif problem.code in about:
                left[problem.code] += 1
        more = (f"{count} more of this kind ({code}); check lists them all" for code, count in left.items())
        return (*found, *(Problem("note", "more", text) for text in more))

    def checked(self, scores: bool = True) -> tuple[Problem, ...]:
        """``all_problems`` with every oddity in the form of the file, and with the irregularities that its record shows
        and no ruling in force is about; those say the command to run next. Without ``scores`` nothing is scored."""
        from . import irregularities, oddities  # only ``check`` asks

        told = set(map(id, self.tape.problems))
        form = [*self.tape.problems, *oddities.find(self.tape), *self._unruled()]
        form.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
        rest = [
            replace(each, next=self._next()) if each.code in irregularities.WORTH_A_RULING else each
            for each in (self.all_problems() if scores else (*self.problems, *self._unread_tables()))
            if id(each) not in told
        ]
        return tuple(dict.fromkeys((*form, *rest)))

    def _unruled(self) -> Iterator[Problem]:
        """The irregularities in the record that nobody ruled on."""
        from . import irregularities

        grounds: dict[int, list[Ground]] = {}
        for place in self.in_force:
            for number in place.games:
                grounds.setdefault(number, []).extend(place.ruling.grounds)
        attached, _ = record.records(self.tape)
        for game, entry in attached:  # what only the file itself carries
            if entry.ruling in self.own_records and entry.ruling in self.standing:
                given = [Ground(each.decision, each.facts, laws=each.cites) for each in entry.findings]
                grounds.setdefault(game.number, []).extend(given)
        stated = {text.partition(" on ") for text in self.regulations.values()}
        code = [(first.split(" ")[0], laws) for first, _, laws in stated]
        regulations, laws = code[0] if len(code) == 1 else ("", "")
        for each in irregularities.find(self.tape):
            if each.ruled_by(grounds.get(each.problem.game or 0, ())):
                continue
            if each.decision:
                command = irregularities.command(each.decision, each.facts, regulations, laws)
            else:
                command = self._next() if each.problem.code in irregularities.WORTH_A_RULING else ""
            yield replace(each.problem, next=command)

    def _next(self) -> str:
        """The command for what no table decides: a ruling in words."""
        return f"screenplug rule {shlex.quote(self.file) if self.file not in ('', '-') else 'FILE'}"

    def _unclear(self) -> Iterator[Problem]:
        """Artificial scores that were read by their figures alone, where no ruling says what they are."""
        ruled = {id(result) for place in self.in_force if place.ruling.score for result in place.results}
        for result in self.results:
            fixed_alone = len(result.meanings) > 1 and result.award == result.meanings[0]
            if fixed_alone and id(result) not in ruled:
                text = f"{self.place_text(result)}: read as {result.award} by its figures, but the same is written for "
                text += f"{result.meanings[1]} by the law; a ruling would say which"
                yield Problem("note", "artificial-unclear", text, game=result.game)

    def refuse_unread(self) -> None:
        """Nothing is written while a rulings file cannot be read at all: its rulings would silently be missing."""
        unread = [problem for problem in self.ledger.problems if problem.code in ledgers.UNREAD]
        if unread:
            problem = unread[0]
            raise Refused(f"{problem.text}. Nothing was written", f"{problem.file}:{problem.line}")

    def to_attach(self) -> frozenset[str]:
        """The ids of all rulings about a board in the rulings files, also of those with mistakes."""
        given = {ruling.id for ruling in self.ledger.rulings if ruling.where} - self.own_records
        return frozenset(given | {problem.ruling for problem in self.ledger.problems if problem.ruling})

    def all_decided(self) -> bool:
        """Whether the law tables decide every ground of every ruling."""
        return all(
            answer is None or (isinstance(answer, Answer) and answer.status == "decided")
            for found in self.answers.values()
            for answer in found
        )

    # ----------------------------------------------------------------------------------------------------- records

    def records(self) -> dict[int, list[record.Record]]:
        """The record of every ruling of the rulings files, for each game on which it belongs."""
        found: dict[int, list[record.Record]] = {}
        for place in self.places:
            if place.ruling.id in self.own_records or place.ruling.id in self.refused:
                continue
            for number in place.games:
                here = [result for result in place.results if result.game == number]
                found.setdefault(number, []).append(self._record(place.ruling, number, here))
        return found

    def state(self, ruling: Ruling) -> str:
        """The entry's state, or ``superseded``."""
        return ruling.state if ruling.state == "withdrawn" or ruling.id in self.standing else "superseded"

    def _record(self, ruling: Ruling, number: int, results: Sequence[Result]) -> record.Record:
        standing = ruling.id in self.standing
        answers = self.answers.get(ruling.id, ())
        findings = tuple(_finding(ground, answer) for ground, answer in zip(ruling.grounds, answers, strict=True))
        table = ruling.table or next((str(result.outcome) for result in results if result.outcome), "")
        return record.Record(
            ruling=ruling.id,
            where=tuple(where for result in results if (where := self.where(result))),
            regulations=self.regulations.get(ruling.id, ""),
            policy=ruling.policy,
            findings=findings,
            table=table,
            score=ruling.score,
            result=self._result_row(ruling, results) if standing else "",
            stage=ruling.stage,
            state=self.state(ruling),
            at=ruling.at,
            supersedes=ruling.supersedes,
            note=ruling.note,
            director=ruling.director,
            override=ruling.override,
            private=ruling.private,
            without_error=ruling.without_error,
        )

    def where(self, result: Result) -> dict[str, str]:
        """The keys that tell a row of a ScoreTable from the others of its board; pair numbers, never names."""
        if result.row is None:
            return {}
        pairs = result.keys.get("ns"), result.keys.get("ew")
        alike = self._by_pairs[result.game, pairs] if None not in pairs else self.by_game[result.game]
        others = [other for other in alike if other is not result]
        where: dict[str, str] = {}
        for key in ("ns", "ew", "section", "session", "segment", "round", "table", "room"):
            if key in result.keys and (
                key in _SIDES or any(other.keys.get(key) != result.keys[key] for other in others)
            ):
                where[key] = result.keys[key]
                others = [other for other in others if other.keys.get(key) == result.keys[key]]
            if not others and "ew" in where:
                break
        return where

    def _result_row(self, ruling: Ruling, results: Sequence[Result]) -> str:
        """``MP NS 13.8 EW 10.2``; empty for awards by the law (they need the whole session) and unknown scores."""
        if ruling.score is None or ruling.state == "pending" or len(results) != 1:
            return ""
        if "average" in (ruling.score.ns.kind, ruling.score.ew.kind):
            return ""
        event = self.scored if "scored" in vars(self) else self._ruled
        scored = self.points(results[0], event)
        unit = "mp" if scored.unit == "mp" else "imp"
        sides = [event.shown(points, unit, scored.unit) for points in (scored.ns, scored.ew)]
        if None in sides or not scored.method:
            return ""
        return f"{scored.method} NS {sides[0]} EW {sides[1]}"

    def annotate(self, detail: str = "record") -> tuple[bytes, tuple[Attached, ...], tuple[Problem, ...]]:
        """The annotated file, what was attached to which game, and what could not be."""
        records = self.records()
        known = {ruling.id for ruling in self.ledger.rulings} - self.own_records
        known |= {problem.ruling for problem in self.ledger.problems if problem.ruling}
        data, problems = record.attach(self.tape, records, detail, known)
        there = {(number, entry.ruling) for number, entries in records.items() for entry in entries}
        there -= {(problem.game or 0, problem.ruling or "") for problem in problems}
        attached = []
        for place in self.places:
            for number in place.games:
                if (number, place.ruling.id) in there:
                    about = [result for result in place.results if result.game == number]
                    attached.append(
                        Attached(self.tape.games[number - 1], place.ruling, about[0] if len(about) == 1 else None)
                    )
        return data, tuple(attached), problems

    # ------------------------------------------------------------------------------------------------------ figures

    @cached_property
    def reconciliation(self) -> Reconciliation:
        """How the rulings stand in what the file prints."""
        from .reconcile import Reconciliation  # which is about events

        return Reconciliation(self)

    def statuses(self) -> tuple[Status, ...]:
        """For ``check --rulings``: how each ruling stands in the file."""
        return self.reconciliation.statuses()

    @cached_property
    def _ruled_games(self) -> frozenset[int]:
        """The games of which a ruling changes a score."""
        scoring_places = (place for place in self.in_force if place.ruling.score and place.ruling.state != "pending")
        return frozenset(result.game for place in scoring_places for result in place.results)

    def blank(self, result: Result, key: str) -> str | None:
        """What a table shows for ``mp_ns`` and the like where there is no figure any more: ``-`` when there is nothing
        to win (not played, cancelled), ``?`` when it is unknown (late, say). None when there is a figure, and where no
        ruling touches the board."""
        scored = self.points(result, self.scored)
        points = scored.ns if key.endswith("_ns") else scored.ew
        if result.game not in self._ruled_games or key in self.figures(result, self.scored):
            return None
        if not (key.startswith(scored.unit) or (key.startswith("percent") and scored.unit == "mp")):
            return None
        return "?" if points.why else "-"

    def sides(self, result: Result) -> tuple[Points, Points]:
        """What the rulings leave to North-South and to East-West."""
        scored = self.points(result, self.scored)
        return scored.ns, scored.ew

    def shown(self, result: Result, event: scoring.Event | None = None) -> dict[str, str]:
        """The figures as the policy rounds them, with the rulings or in another scoring."""
        event = event or self.scored
        scored = self.points(result, event)
        return {
            f"{unit}_{side}": text
            for side, points in zip(_SIDES, (scored.ns, scored.ew), strict=True)
            for unit in (scored.unit, "percent")
            if (text := event.shown(points, unit, scored.unit)) is not None
        }

    def figures(self, result: Result, event: scoring.Event) -> dict[str, Fraction]:
        """``mp_ns`` and the like, exact, in one of the scorings; only what is known."""
        scored = self.points(result, event)
        found: dict[str, Fraction] = {}
        for side, points in zip(_SIDES, (scored.ns, scored.ew), strict=True):
            if points.value is not None and scored.unit in ("mp", "imp"):
                found[f"{scored.unit}_{side}"] = _exact(points.value)
            if points.percent is not None:
                found[f"percent_{side}"] = _exact(points.percent)
        return found

    # -------------------------------------------------------------------------------------------------- for people

    def score_json(self) -> dict[str, Any]:
        """The document of ``score --json`` (architecture section 7)."""
        document = self.scored.to_json(self.file)
        document["problems"] = [_problem_json(problem) for problem in self.all_problems()]
        return document

    def score_lines(self) -> Iterator[str]:
        """The standings, then every printed figure that is not the computed one."""
        yield f"{self.file}: policy {self.policy.id}{', provisional' if self.scored.provisional else ''}"
        yield from standings(self.scored)
        wrong, right, unknown = self.compared.wrong, self.compared.right, self.compared.unknown
        if wrong:
            are = "is" if len(wrong) == 1 else "are"
            told = f"{len(wrong)} of {len(wrong) + right} printed figures {are} not what we compute"
        else:
            told = f"all {right} printed figures are what we compute" if right else "no printed figures to compare"
        yield told + (f"; {unknown} more have no computed figure beside them" if unknown else "")
        yield from (f"  {line}" for line in wrong)
        for problem in self.all_problems():
            if problem.code in _UNCOMPARED:
                board = (
                    ""
                    if problem.code.startswith("standings")
                    else self.tape.games[(problem.game or 1) - 1].value("Board")
                )
                yield f"not compared: {f'board {board}, ' if board else ''}{problem.text}"

    @cached_property
    def standings_printed(self) -> Mapping[int, printed.Standings | Problem]:
        """The standings that the file prints, by the number of their game; a problem for those that are not ours."""
        found = ((game.number, printed.standings(self, game)) for game in self.tape.games)
        return {number: each for number, each in found if each is not None}

    @cached_property
    def compared(self) -> printed.Compared:
        """Every figure that the file prints against the computed one."""
        return printed.compared(self)

    def penalty_texts(self) -> Iterator[tuple[str, str]]:
        """Each penalty in force, with what it takes off its contestant's total; and its note."""
        off: dict[tuple[str, str], Total] = {}
        for total in self.scored.totals:  # of a team's total and those of its matches, the whole
            key = total.contestant.label, total.contestant.direction
            off[key] = total if key not in off or not total.contestant.match else off[key]
        for penalty in ledgers.penalties_in_force(self.ledger):
            laws = f" (Law {', '.join(penalty.laws)})" if penalty.laws else ""
            amount = "" if penalty.kind == "warning" else f", {_amount_text(penalty)}"
            found = [
                total
                for (label, way), total in off.items()
                if label == penalty.contestant and penalty.direction in ("", way)
            ]
            counts = penalty.state != "pending" and len(found) == 1 and found[0].penalty
            costs = f": {_shown_total(self.scored, found[0])}" if counts else ""
            state = "" if penalty.state == "final" else f", {penalty.state}"
            # Anything else that is typed there is nobody's number here, and may be a name.
            who = f"contestant {penalty.contestant}" if found else "a contestant that is not in these results"
            yield f"Penalty {penalty.id}, {who}: {penalty.kind}{amount}{laws}{state}{costs}", penalty.note

    def moved_lines(self) -> Iterator[str]:
        """The contestants whose total or place the rulings and penalties change: before and after."""
        moved = list(self.moved())
        for old, total in moved:
            places = (total_text(self.at_table, old), total_text(self.scored, total))
            yield f"{contestant_text(total):<10} {places[0]:<22}  ->  {places[1]}"
        largest = max((pair for pair in moved if _gain(*pair)), key=lambda pair: abs(_gain(*pair)), default=None)
        yield f"{len(moved)} of {len(self.scored.totals)} contestants moved by the rulings" + (
            f", most {contestant_text(largest[1])}: {self.gain_text(*largest)}" if largest and len(moved) > 1 else ""
        )
        if self.scored.provisional:
            yield "provisional: some scores are unknown or may change"

    def gain_text(self, old: Total, new: Total) -> str:
        """What a contestant gains, in what the standings go by: ``+0.4 %``."""
        return f"{_signed(_gain(old, new), self.policy)} {_merit_unit(new)}"

    def standings(self) -> Iterator[tuple[Total, Total]]:
        """Every total without the rulings and penalties, and with them, in the order of the standings."""
        before = {total.contestant: total for total in self.at_table.totals}
        for total in self.scored.totals:
            if old := before.get(total.contestant):
                yield old, total

    def moved(self) -> Iterator[tuple[Total, Total]]:
        """The standings that the rulings and penalties change."""
        for old, total in self.standings():
            if any(getattr(old, name) != getattr(total, name) for name in ("total", "percent", "vp", "rank")):
                yield old, total

    def moved_json(self) -> dict[str, Any]:
        """What the rulings change: the results that they name, and the standings before and after."""
        changed = [
            (result, self.points(result, self.at_table), self.points(result, self.scored)) for result in self.results
        ]
        return {
            "results": [
                {
                    "game": result.game,
                    "board": result.board,
                    "where": self.telling(result),
                    "before": _sides_text(self.at_table, old),
                    "after": _sides_text(self.scored, new),
                }
                for result, old, new in changed
                if (old.ns.value, old.ew.value) != (new.ns.value, new.ew.value)
            ],
            "standings": [
                {
                    "contestant": new.contestant.label,
                    "kind": new.contestant.kind,
                    "direction": new.contestant.direction,
                    "match": new.contestant.match or None,
                    "before": self.at_table.total_json(old),
                    "after": self.scored.total_json(new),
                }
                for old, new in self.moved()
            ],
            "contestants": len(self.scored.totals),
            "provisional": self.scored.provisional,
        }

    def place_text(self, result: Result) -> str:
        """``board 7, pairs 3-14``; what tells the result apart, never a name."""
        more = (f"{key} {result.keys[key]}" for key in ("session", "section") if key in self._telling_boards(result))
        return ", ".join(part for part in (f"board {result.board or '?'}", *more, self.telling(result)) if part)

    def _telling_boards(self, result: Result) -> frozenset[str]:
        """Of session and section those by which boards of this number differ, and that this one has."""
        games = self._boards.get(result.board, ())
        different = (key for key in ("session", "section") if len({keys.get(key) for keys in games}) > 1)
        return frozenset(key for key in different if key in result.keys)

    @cached_property
    def _boards(self) -> Mapping[str, Sequence[Mapping[str, str]]]:
        """By the number of a board the keys of one result of each of its games."""
        found: dict[str, list[Mapping[str, str]]] = {}
        for results in self.by_game.values():
            found.setdefault(results[0].board, []).append(results[0].keys)
        return found

    def telling(self, result: Result) -> str:
        """What tells a result from the others of its board: ``pairs 3-14``, ``Open room``."""
        if result.row is not None:
            return where_text(self.where(result))
        room = result.keys.get("room", "")
        return f"{room} room" if room else where_text({key: result.keys[key] for key in _SIDES if key in result.keys})

    def sides_text(self, result: Result) -> tuple[str, str]:
        """What both sides get without the rulings, and with them: ``MP NS 14 EW 2``."""
        before, after = (_sides_text(event, self.points(result, event)) for event in (self.at_table, self.scored))
        return before, after

    def change_text(self, result: Result) -> str:
        """What the rulings change for one result: ``MP NS 14 EW 2 -> MP NS 13.8 EW 10.2``."""
        before, after = self.sides_text(result)
        return (
            f"{self.place_text(result)}: {before} -> {after}"
            if before != after
            else f"{self.place_text(result)}: {after}, as before"
        )

    def effect(self, result: Result, score: Score, averages: Averages | None = None) -> tuple[str, int]:
        """What another score for a result would give: ``MP NS 9.6 EW 6.4``, and how many other results change.

        ``averages`` are those of the ruling's edition. Some milliseconds in a session of 40 tables.
        """
        number = self._index[id(result)]
        entry = scoring.Entry(result, _over(score, result.award), averages or self.averages.get(""))
        moved = scoring.revised(self.scored, number, entry)
        old = self.scored.scored[number]
        ns, ew = moved.get(number, (old.ns, old.ew))
        return _sides_text(self.scored, replace(old, ns=ns, ew=ew)), len(moved.keys() - {number})

    def under(self, rulings: Ledger, tables: Tables) -> Event:
        """The same file under other rulings, without reading it again."""
        return _under(self.tape, self.results, rulings, tables, None, self.file)

    def effect_lines(self, before: Event) -> Iterator[str]:
        """What these rulings change against another view of the same file: results first, then how many totals."""
        field = 0
        for number, (old, new) in enumerate(zip(before.scored.scored, self.scored.scored, strict=True)):
            if (old.ns.value, old.ew.value) == (new.ns.value, new.ew.value):
                continue
            if old.line.entry.award == new.line.entry.award:
                field += 1
                continue
            result = self.results[number]
            figures = (_sides_text(before.scored, old), _sides_text(self.scored, new))
            yield f"  {self.place_text(result)}: {figures[0]} -> {figures[1]}"
        yield f"  {field} other results on the board change"

    def result_at(self, where: Mapping[str, str]) -> Result | None:
        """The one result that these ledger keys name, if they name one."""
        trial = Ruling("?", (where,), score=TABLE)
        places, _ = ledgers.place(Ledger((trial,)), self.results, self.tape.games)
        return places[0].results[0] if places and len(places[0].results) == 1 else None


def open_event(
    data: bytes, sources: Iterable[tuple[str, bytes]], tables: Tables, *, policy: str | None = None, file: str = ""
) -> Event:
    """Read a file and its rulings, decide the grounds, and find the results that they are about.

    ``sources`` are rulings files as (name, bytes). Rulings that are attached to the file as records count too, unless
    a rulings file has an entry of that id. Raises Refused for what is no PBN, or an unknown policy.
    """
    return open_rulings(data, ledgers.read(sources), tables, policy=policy, file=file)


def open_rulings(data: bytes, rulings: Ledger, tables: Tables, *, policy: str | None = None, file: str = "") -> Event:
    """As ``open_event``, from a ledger that was read already."""
    tape = pbn.read(data)
    return _under(tape, pbn.results(tape), rulings, tables, policy, file)


def _under(
    tape: pbn.Tape, results: tuple[Result, ...], rulings: Ledger, tables: Tables, policy: str | None, file: str
) -> Event:
    attached, problems = record.records(tape)
    given = {ruling.id for ruling in rulings.rulings} | {problem.ruling for problem in rulings.problems}
    own = _own_rulings([(game, record) for game, record in attached if record.ruling not in given])
    book = replace(rulings, rulings=(*rulings.rulings, *own))
    named = [ruling.policy for ruling in rulings.rulings if ruling.policy]
    named += [*rulings.policies, *(ruling.policy for ruling in own if ruling.policy in tables.policies)]
    wanted = policy or next(iter(named), DEFAULT_POLICY)
    if wanted not in tables.policies:
        raise Refused(
            f"there is no scoring policy {wanted!r}", remedy=f"Known are {', '.join(sorted(tables.policies))}"
        )
    answers: dict[str, tuple[Answer | Refused | None, ...]] = {}
    averages: dict[str, Averages] = {}
    regulations: dict[str, str] = {}
    if newest := max((name for name in tables.lawbook.ids if re.fullmatch(r"laws-\d{4}", name)), default=""):
        averages[""] = averages_of(tables.lawbook.code(newest))  # for averages that the file prints without a ruling
    found = [*problems, *rulings.problems]
    if not policy and len(set(named)) > 1:
        text = f"the rulings name several scoring policies, {', '.join(dict.fromkeys(named))}; {wanted} is used"
        found.append(Problem("note", "policies-differ", f"{text}. Choose with --policy"))
    if rulings.vp and rulings.vp not in tables.scales:
        text = f"there is no scale of victory points {rulings.vp!r}; known are {', '.join(sorted(tables.scales))}"
        found.append(Problem("error", "scale-unknown", text))
    refused: set[str] = set()
    own_records = frozenset(ruling.id for ruling in own)
    days = edition.of_rulings(book, results, tape.games)
    codes: list[tuple[Ruling, Code]] = []
    for ruling in book.rulings:
        code = _code(ruling, tables.lawbook, days.get(ruling.id))
        if ruling.id not in own_records:
            answers[ruling.id] = tuple(answered(ground, code, ruling.readings) for ground in ruling.grounds)
            faults = list(_faults(ruling, code, answers[ruling.id]))
            found += faults
            codes += [(ruling, code)] if isinstance(code, Code) else []
            if any(fault.severity == "error" for fault in faults):
                refused.add(ruling.id)
        if isinstance(code, Code):
            averages[ruling.id] = averages_of(code)
            regulations[ruling.id] = " ".join(
                [code.regulations, code.revision, *(["on", code.laws] if code.laws != code.regulations else [])]
            )
    found += edition.notes(codes, days, tables.lawbook)

    def placed() -> tuple[tuple[ledgers.Place, ...], tuple[Problem, ...]]:
        # An entry that cannot stand scores nothing and stops nothing, so it takes no place either.
        left = tuple(ruling for ruling in book.rulings if ruling.id not in refused)
        if not left:
            return (), ()
        return ledgers.place(replace(book, rulings=left), results, tape.games)

    places, misplaced = placed()
    standing = {ruling.id for ruling in ledgers.in_force(book)}
    faults = list(_award_faults(places, [each for each in codes if each[0].id in standing], answers))
    found += faults
    if wrong := {fault.ruling or "" for fault in faults if fault.severity == "error"}:
        refused |= wrong
        places, misplaced = placed()
    return Event(
        file=file,
        tape=tape,
        results=results,
        ledger=book,
        own_records=own_records,
        places=places,
        answers=answers,
        averages=averages,
        regulations=regulations,
        policy=tables.policies[wanted],
        methods=tables.methods,
        problems=(*found, *misplaced, *_changed_results(places, own_records)),
        refused=frozenset(refused),
        scale=_scale(tables.scales.get(rulings.vp), tables.policies[wanted]) if rulings.vp else None,
    )


def _scale(found: Scale | None, policy: Policy) -> VictoryPoints | None:
    """The scale as scoring asks it: victory points by the boards of a match and its margin, or its percentage."""
    if found is None:
        return None

    def vp(boards: int, unit: str, merit: Number) -> Fraction | None:
        if (unit == "mp") != (found.margin == "percent"):
            return None
        try:
            return found.vp(boards, merit, policy.vp_fractions)
        except Refused:
            return None

    return vp


def _changed_results(places: Iterable[ledgers.Place], own_records: frozenset[str]) -> Iterator[Problem]:
    """Rulings whose first-scored result is not the one that the file has: a slip in the board or the pair, often.

    Not where the file has what the ruling gives, or one that it supersedes.
    """
    places = list(places)
    given = {place.ruling.id: place.ruling for place in places}
    for place in places:
        ruling = place.ruling
        if ruling.id in own_records or not ruling.table:
            continue
        chain = [ruling]
        while (earlier := given.get(chain[-1].supersedes)) and earlier not in chain:
            chain.append(earlier)
        for result in place.results:
            keyed = any(says(result, each.score) for each in chain)
            if result.outcome and not keyed and not same_result(ruling.table, result.outcome):
                text = f"ruling {ruling.id} was made on {ruling.table}, but board {result.board} has {result.outcome}"
                text += " there; look whether board and pair are right"
                yield Problem(
                    "note", "table-changed", text, line=ruling.line or None, file=ruling.file or None, ruling=ruling.id
                )


_RANGES = ("ScoreRange_NS", "ScoreRange_EW")
_INSTANT = {"IMP_NS": "imp_ns", "IMP_EW": "imp_ew", "Percentage_NS": "percent_ns", "Percentage_EW": "percent_ew"}
_NO_RANGE = (1, 0)


def _instant_rows(
    tape: pbn.Tape, game: Game
) -> Iterator[tuple[tuple[tuple[int, int], tuple[int, int]], Mapping[str, Fraction]]]:
    """The rows of an InstantScoreTable that can be read (PBN 2.1, 5.5)."""
    table = pbn.table(tape, game, "InstantScoreTable")
    for row in table.rows if table else ():
        cells = {column.name: cell.text for column, cell in zip(table.columns, row, strict=True)} if table else {}
        ns, ew = (_range(cells.get(name, "")) for name in _RANGES)
        figures = {key: printed.number_of(cells.get(name, "")) for name, key in _INSTANT.items()}
        known = {key: number for key, number in figures.items() if number is not None}
        if known and (ns, ew) != (_NO_RANGE, _NO_RANGE):
            yield (ns, ew), known


def _range(text: str) -> tuple[int, int]:
    """``s``, ``s1,s2``, ``s,*`` or ``*,s`` as its two ends; an empty range for anything else."""
    first, comma, last = text.replace(" ", "").partition(",")
    if not comma:
        last = first
    if not all(re.fullmatch(r"-?[0-9]{1,5}|\*", end) for end in (first, last)) or first == last == "*":
        return _NO_RANGE
    return (-(10**6) if first == "*" else int(first)), (10**6 if last == "*" else int(last))


def _over(score: Score, printed: Score) -> Score:
    """The ruling's score; a side for which the table result stands keeps what the file has."""
    ns, ew = (
        own if given.kind == "table" else given for given, own in ((score.ns, printed.ns), (score.ew, printed.ew))
    )
    return Score(ns, ew)


def _own_rulings(attached: Sequence[tuple[Game, record.Record]]) -> list[Ruling]:
    """The records of a file as rulings; one ruling may stand on several games."""
    found: dict[str, Ruling] = {}
    for game, entry in attached:
        ruling = entry.as_ruling()
        here = tuple({"game": str(game.number), **where} for where in ruling.where or ({},))
        earlier = found.get(ruling.id)
        found[ruling.id] = (
            replace(earlier, where=earlier.where + here)
            if earlier
            else replace(ruling, where=here, file="the file", line=game.line)
        )
    return list(found.values())


# ----------------------------------------------------------------------------------------------------------- the Laws


def _code(ruling: Ruling, library: Library, days: edition.Days | None = None) -> Code | Refused:
    """The tables that a ruling stands under; without screens the base Laws alone. ``days``: when it was played."""
    try:
        if not ruling.regulations:
            if not ruling.laws:
                raise Refused(
                    "it names no regulations",
                    remedy='Add regulations = "wbf" (or another) to the entry or to [default]',
                )
            return library.code(ruling.laws)
        laws = ruling.laws or (library.edition(ruling.regulations, *days) if days else None)
        code = library.code(ruling.regulations, laws)
        return code if ruling.screens else library.code(code.laws)
    except Refused as refused:
        return refused


def answered(ground: Ground, code: Code | Refused, readings: Mapping[str, str]) -> Answer | Refused | None:
    """What the tables say to a ground; None for a finding in words."""
    if not ground.decision:
        return None  # laws and finding in words: nothing for the tables
    if isinstance(code, Refused):
        return code
    try:
        return code.decide(ground.decision, ground.facts, readings)
    except Refused as refused:
        return refused


def _faults(ruling: Ruling, code: Code | Refused, answers: Sequence[Answer | Refused | None]) -> Iterator[Problem]:
    def problem(severity: Any, code: str, text: str) -> Problem:
        return Problem(severity, code, text, line=ruling.line or None, file=ruling.file or None, ruling=ruling.id)

    if isinstance(code, Refused):
        yield problem("error", "regulations", f"ruling {ruling.id}: {code}")
        return
    for ground, answer in zip(ruling.grounds, answers, strict=True):
        if isinstance(answer, Refused):
            yield problem("error", "ground", f"ruling {ruling.id}, {ground.decision}: {answer}")
        elif answer and answer.status != "decided":
            yield problem(
                "note", f"ground-{answer.status}", f"ruling {ruling.id}, {ground.decision}: {_undecided(answer)}"
            )


def _award_faults(
    places: Iterable[ledgers.Place], codes: Sequence[tuple[Ruling, Code]], answers: Mapping[str, Any]
) -> Iterator[Problem]:
    """What the editions have against the scores of rulings; ``places`` tell whether the file has a result for them."""
    there = {place.ruling.id: place.results for place in places}
    for ruling, code in codes:
        results = there.get(ruling.id, ())
        obtained = bool(results) and all(result.outcome for result in results)
        for each in awards.findings(ruling, code, answers[ruling.id], obtained):
            text, line, file = f"ruling {ruling.id}: {each.text}", ruling.line or None, ruling.file or None
            yield Problem(each.severity, each.code, text, line=line, file=file, ruling=ruling.id)


def _undecided(answer: Answer) -> str:
    if answer.status == "open":
        return f"one more fact is needed: {answer.ask.fact}" if answer.ask else "one more fact is needed"
    return "the regulation is silent" if answer.status == "gap" else "the texts differ"


def averages_of(code: Code) -> Averages:
    """The numbers of Law 12C2, from the values of the law documents."""
    numbers = (
        "average-plus-percent",
        "average-percent",
        "average-minus-percent",
        "average-plus-imps",
        "average-minus-imps",
    )
    plus, average, minus, plus_imps, minus_imps = (Fraction(code.values[name]) for name in numbers)
    names = ("average-plus-session", "average-minus-session", "averages-vary")
    plus_follows, minus_follows, vary = (code.values.get(name) == "yes" for name in names)
    return Averages(plus, average, minus, plus_imps, minus_imps, plus_follows, minus_follows, vary)


def _finding(ground: Ground, answer: Answer | Refused | None) -> record.Finding:
    facts = {key: str(value) for key, value in ground.facts.items()}
    if not isinstance(answer, Answer):
        return record.Finding(
            ground.decision,
            facts,
            cites=_laws(ground),
            finding=ground.finding,
            said=ground.said,
            disputed=ground.disputed,
            poll=ground.poll,
        )
    outcome = dict(answer.outcome) if answer.status == "decided" else {"status": answer.status}
    # The screen article first, as a director names it; then what it rests on.
    cites = tuple(dict.fromkeys(article for step in reversed(answer.path) for article in step.cites))
    return record.Finding(
        ground.decision,
        facts,
        outcome,
        cites + _laws(ground),
        ground.finding,
        ground.said,
        ground.disputed,
        ground.poll,
    )


def _laws(ground: Ground) -> tuple[str, ...]:
    """The articles that the Director cites himself; several in one text are several."""
    numbers = (law.strip() for text in ground.laws for law in text.split(";"))
    return tuple(f"Law {number}" if number[:1].isdigit() else number for number in numbers if number)


# ---------------------------------------------------------------------------------------------------------- figures


def _exact(number: Number) -> Fraction:
    return number if isinstance(number, Fraction) else Fraction(number)


def same_result(table: str, outcome: Outcome) -> bool:
    """Whether a ruling's ``table`` is this outcome, as far as it says one."""
    scored = _parsed(table)
    return scored is None or scored == outcome


def _parsed(table: str) -> Outcome | None:
    try:
        return Outcome.parse(table)
    except ValueError:
        return None


def says(result: Result, score: Score | None) -> bool:
    """Whether the file itself says this score of a result, or something that can stand for it."""
    if score is None or score == TABLE:
        return False
    if score.kind == "assigned":
        return result.outcome == score.ns.outcomes[0][1] and result.award == TABLE
    return result.award == score or score in result.meanings


def figures_text(figures: Mapping[str, str]) -> str:
    """``MP NS 15 EW 1``; percentages only where there is nothing else."""
    for unit in ("mp", "imp", "percent"):
        if sides := [f"{side.upper()} {figures[f'{unit}_{side}']}" for side in _SIDES if f"{unit}_{side}" in figures]:
            return " ".join(["%" if unit == "percent" else unit.upper(), *sides])
    return ""


def where_text(where: Mapping[str, str]) -> str:
    pairs = "-".join(where[side] for side in _SIDES if side in where)
    rest = [f"{key} {value}" for key, value in where.items() if key not in (*_SIDES, "board", "game")]
    return ", ".join(part for part in (f"pairs {pairs}" if pairs else "", *rest) if part)


def _sides_text(event: scoring.Event, scored: scoring.Scored) -> str:
    ns, ew = (event.shown(points, scored.unit, scored.unit) or "?" for points in (scored.ns, scored.ew))
    return f"{scored.method or 'score'} NS {ns} EW {ew}"


def _amount_text(penalty: Penalty) -> str:
    amount = f"{float(-penalty.amount):g}"
    return {"top": f"{amount}% of a top", "percent": f"{amount} points of the percentage"}.get(
        penalty.unit, f"{amount} {penalty.unit.upper()}"
    )


def _shown_total(event: scoring.Event, total: Total) -> str:
    return f"{show(total.penalty, event.policy)} {total.unit.upper()} off the total"


def contestant_text(total: Total) -> str:
    """``pair 3 NS``: never a name that the file does not use for it."""
    who = total.contestant
    match = f"({who.match})" if who.match else ""
    return " ".join(part for part in (who.kind, who.label, who.direction, match) if part)


def total_text(event: scoring.Event, total: Total) -> str:
    """Rank, total, percentage and victory points as far as they are known."""
    points = "?" if total.total is None else show(total.total, event.policy, Fraction(total.top) / 2)
    percent = f" {show(total.percent, event.policy, 50)}%" if total.percent is not None else ""
    percent += f" {show(total.vp, event.policy)} VP" if total.vp is not None else ""
    return f"{total.rank or '-':>3}. {points} {total.unit.upper()}{percent}"


def _gain(old: Total, new: Total) -> Fraction:
    """What a contestant gains, in victory points, percent or IMPs; nothing where either is unknown."""
    for name in ("vp", "percent", "total"):
        before, after = getattr(old, name), getattr(new, name)
        if before is not None and after is not None:
            return Fraction(after - before)
    return Fraction(0)


def _merit_unit(total: Total) -> str:
    return "VP" if total.vp is not None else "%" if total.percent is not None else total.unit.upper()


def _signed(number: Fraction, policy: Policy) -> str:
    return f"{'+' if number > 0 else ''}{show(number, policy)}"


def standings(event: scoring.Event) -> Iterator[str]:
    """One line a contestant, in the order of the standings."""
    for total in event.totals:
        penalty = f", penalty {show(total.penalty, event.policy)}" if total.penalty else ""
        yield f"{total_text(event, total)}  {contestant_text(total)} ({total.boards} boards{penalty})"


def _problem_json(problem: Problem) -> dict[str, Any]:
    keys = ("severity", "code", "file", "line", "column", "game", "ruling", "text")
    return {key: value for key in keys if (value := getattr(problem, key)) is not None}
