"""Standings: what the boards of each contestant come to, with penalties, carry-over and victory points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, NamedTuple

from .comparison import Line, Method, Points, Standing
from .model import Carry, Fouled, Penalty, Problem
from .points import Number
from .policy import Policy

VictoryPoints = Callable[[int, str, Number], Number | None]
"""Victory points of one side: from the number of boards, the unit, and that side's own IMPs or percentage; None where
the scale has none for these."""


@dataclass(frozen=True, slots=True)
class Contest:
    """How an event is decided, besides its boards: what was fouled, penalties, victory points, carry-over.

    ``penalties`` are those in force: a pending one takes nothing off yet. ``scale`` turns the margin of a match, or the
    percentage of a pair in a field, into victory points. ``knock_out``: where the two sides' margins of a match do not
    balance, both get the average (Law 86B of 1997 and 2007, Law 12C4 of 2017).
    """

    penalties: tuple[Penalty, ...] = ()
    fouled: tuple[Fouled, ...] = ()
    scale: VictoryPoints | None = None
    knock_out: bool = False
    carry: tuple[Carry, ...] = ()


NOTHING_ELSE = Contest()


class Contestant(NamedTuple):
    """Who a total belongs to. ``direction`` is ``NS`` or ``EW`` where these are two fields with a winner each, and
    empty where pairs change directions; ``match`` only for a team's total in one match."""

    kind: str
    label: str
    direction: str = ""
    match: str = ""


Sides = tuple[tuple[Contestant, ...], tuple[Contestant, ...]]  # an individual's partner has the same score


@dataclass(frozen=True, slots=True)
class Total:
    """A contestant's boards together, in ``unit``; ``penalty`` is in the unit and already taken off.

    ``boards`` counts those with a known score; ``top`` is the sum of their tops. ``carry`` is in ``total`` already.
    ``vp`` are victory points, where the event has a scale: of a match from the contestant's own margin, else their
    sum with what comes off or on in victory points. ``rank`` is the best rank of a tie; None when the total is not
    known: without any known board, or for the reason that a problem gives. In a knock-out what comes off one side of
    a match comes on to the other side's margin; it is a ``carry`` there.
    """

    contestant: Contestant
    unit: str
    boards: int
    top: Number
    total: Number | None
    percent: Number | None
    penalty: Number
    rank: int | None = None
    vp: Number | None = None
    carry: Number = 0

    @property
    def mean(self) -> Number | None:
        """The total without what comes on or off as a whole, by the board."""
        if self.total is None or not self.boards:
            return None
        return Fraction(self.total - self.penalty - self.carry) / self.boards

    @property
    def percents(self) -> Number | None:
        """The percentages of the boards added up (PBN 2.1, 5.10), where each is worth what another is."""
        return None if self.percent is None else self.percent * self.boards

    @property
    def mean_top(self) -> Fraction:
        """The top of a board, on average."""
        return Fraction(self.top) / self.boards if self.boards else Fraction(0)


@dataclass(frozen=True, slots=True)
class Compared:
    """Entries (by position) that one method compares with one another, in one ``session``, and by which policy."""

    method: Method
    session: tuple[str, ...]
    members: list[int]
    expected: int
    policy: Policy
    old_undertricks: bool = False


class Notes:
    """Problems in the order found, each text once; of those with the same ``once`` only the first."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Problem] = {}

    def add(
        self, severity: Literal["note", "error"], code: str, text: str, game: int | None = None, once: str = ""
    ) -> None:
        self.found.setdefault((code, once or text), Problem(severity, code, text, game=game))


class Totals:
    """The contestants' boards put together: sums, penalties, carry-over, matches and their victory points."""

    def __init__(
        self,
        lines: Sequence[Line],
        sets: Sequence[Compared],
        points: Sequence[tuple[Points, Points]],
        contestants: Mapping[int, Sides],
        contest: Contest,
        policy: Policy,
        notes: Notes,
    ) -> None:
        self.contest, self.policy, self.notes = contest, policy, notes
        self.won: dict[tuple[Contestant, str], list[Points]] = defaultdict(list)
        # Of what a contestant won, what it won in each session and round: a match of a Swiss event for pairs.
        self.rounds: dict[tuple[Contestant, str], dict[tuple[str, str], list[Points]]] = defaultdict(
            lambda: defaultdict(list)
        )
        whole_match: dict[tuple[Contestant, Method], list[tuple[Standing, Standing]]] = defaultdict(list)
        by_round = contest.scale is not None or bool(contest.penalties)  # nothing else asks for them
        for one in sets:
            field = one.method.compares == "field"
            # Both rooms of a match are one board for either team.
            for index in dict.fromkeys(one.members) if field else one.members[:1]:
                keys = lines[index].entry.result.keys
                played_in = keys.get("session", ""), keys.get("round", "")
                for side, points_won in enumerate(points[index]):
                    for contestant in contestants[index][side]:
                        self.won[contestant, one.method.unit].append(points_won)
                        if by_round:
                            self.rounds[contestant, one.method.unit][played_in].append(points_won)
                        if one.method.match and len(one.members) == 2:
                            here, there = lines[index], lines[one.members[1]]
                            rooms = (there.ns, here.ew) if side else (here.ns, there.ew)
                            whole_match[contestant, one.method].append(rooms)
        self.boards = {key: len(boards) for key, boards in self.won.items()}
        self.known = {key: sum(board.value is not None for board in boards) for key, boards in self.won.items()}
        for (contestant, method), rooms_of in whole_match.items():
            assert method.match is not None
            self.won[contestant, method.unit].append(method.match(rooms_of))
        self.matches: dict[tuple[str, str], list[Contestant]] = defaultdict(list)
        for contestant, unit in list(self.won):
            if contestant.match:
                self.matches[contestant.label, unit].append(contestant)
        for (label, unit), played in self.matches.items():
            if len(played) > 1:
                whole = Contestant("team", label)
                for contestant in played:
                    self.won[whole, unit].extend(self.won[contestant, unit])
                self.boards[whole, unit] = sum(self.boards[contestant, unit] for contestant in played)
                self.known[whole, unit] = sum(self.known[contestant, unit] for contestant in played)
                for contestant in played:
                    for played_in, boards in self.rounds[contestant, unit].items():
                        self.rounds[whole, unit][played_in].extend(boards)

    def ranked(self) -> tuple[Total, ...]:
        """All totals in the order of the standings."""
        due = self.penalties_due()
        totals = {
            (contestant, unit): self.total(contestant, unit, boards, due[contestant])
            for (contestant, unit), boards in self.won.items()
        }
        if self.contest.knock_out:
            self.balance(totals)
        if self.contest.scale:
            self.victory_points(totals, due, self.contest.scale)
        self.carry(totals)
        return _ranked(totals.values(), self.contest)

    def penalties_due(self) -> dict[Contestant, list[Penalty]]:
        """What comes off each contestant. What comes off a team's match comes off all of its matches together too."""
        due: dict[Contestant, list[Penalty]] = defaultdict(list)
        for penalty in self.contest.penalties:
            named = [
                contestant
                for contestant, _ in self.won
                if contestant.label == penalty.contestant
                and penalty.direction in ("", contestant.direction)
                and (penalty.match in ("", contestant.match) or contestant.match.startswith(f"{penalty.match}, "))
            ]
            whole = [contestant for contestant in named if not contestant.match] or named
            if len(whole) != 1:
                played = f" in the match {penalty.match}" if penalty.match else ""
                there = [each.match for each in whole] if penalty.match or any(each.match for each in whole) else []
                add = f"match = one of {', '.join(there)}" if there else "direction = NS or EW"
                text = f"is more than one; give {add}" if whole else f"is not{played or ' in these results'}"
                self.notes.add("error", "penalty-contestant", f"penalty {penalty.id}: {penalty.contestant} {text}")
            elif penalty.kind != "warning" and penalty.state != "pending":
                due[whole[0]].append(penalty)
                together = Contestant("team", penalty.contestant)
                if penalty.match and any(contestant == together for contestant, _ in self.won):
                    due[together].append(penalty)
                elif whole[0] == together and penalty.unit == "imp" and (self.contest.scale or self.contest.knock_out):
                    text = (
                        f"penalty {penalty.id}: {penalty.contestant} plays several matches, so its IMPs come off none"
                    )
                    self.notes.add("error", "penalty-match", f'{text}; add match = "...", or give it in VP')
        return due

    def total(self, contestant: Contestant, unit: str, boards: Sequence[Points], penalties: Sequence[Penalty]) -> Total:
        known = [board for board in boards if board.value is not None]
        total: Number | None = sum(board.value for board in known if board.value is not None) if known else None
        top: Number = sum(board.top or 0 for board in known)
        off: Number = 0
        for penalty in penalties:
            if unit == "mp" and penalty.unit in ("top", "percent"):
                of = self.boards_of(penalty, contestant, unit, known)
                total = None if of is None else total
                tops = [board.top or 0 for board in of or ()]
                one = penalty.unit == "top" or self.policy.percent_penalty == "top"
                off += penalty.amount / 100 * (max(tops, default=0) if one else sum(tops))
            elif unit == "imp" and penalty.unit == "imp":
                off += penalty.amount
            elif penalty.unit == "vp" and self.contest.scale:
                pass  # off the victory points
            elif unit == "imp" and penalty.unit == "vp":
                text = f"penalty {penalty.id} comes off the victory points, not off these IMPs"
                self.notes.add("note", "penalty-vp", text)
            else:
                total = None
                given = penalty.unit or "no unit"
                text = f"penalty {penalty.id} is in {given}, the event in {unit}; the total is unknown"
                self.notes.add("error", "penalty-unit", text)
        if total is not None:
            total += off
        percent = Fraction(total) * 100 / top if total is not None and top else None
        return Total(contestant, unit, self.known[contestant, unit], top, total, percent, off)

    def boards_of(
        self, penalty: Penalty, contestant: Contestant, unit: str, every: Sequence[Points]
    ) -> Sequence[Points] | None:
        """The boards that a percentage is taken of: the event's, or those of one session; None where that is open."""
        played: dict[str, list[Points]] = defaultdict(list)
        for (session, _), boards in self.rounds[contestant, unit].items():
            played[session] += [board for board in boards if board.value is not None]
        said = [session for session in played if session]
        if penalty.scope == "event" or not said or (len(played) < 2 and not penalty.session):
            return every
        for session, boards in played.items():
            if session.lstrip("0") == penalty.session.lstrip("0"):
                return boards
        what = f"no board in session {penalty.session}" if penalty.session else "of which session is not said"
        text = f"penalty {penalty.id} of {contestant.label}: {what}; write session = one of {', '.join(said)}"
        self.notes.add("error", "penalty-session", f"{text}, or scope = event. The total is unknown")
        return None

    def balance(self, totals: dict[tuple[Contestant, str], Total]) -> None:
        """Knock-out: both sides of a match get the average of the two margins, each with its own sign.

        Penalties are no part of the average: they come off the margin whole, and so on to the other side's.
        """
        sides: dict[tuple[str, str], list[tuple[Contestant, str]]] = defaultdict(list)
        for contestant, unit in totals:
            if contestant.match and unit == "imp":
                sides[contestant.match, unit].append((contestant, unit))
        for pair in sides.values():
            if len(pair) != 2:
                continue
            first, second = totals[pair[0]], totals[pair[1]]
            if first.total is None or second.total is None:
                continue
            off, other = first.penalty, second.penalty
            margin = Fraction(first.total - off - second.total + other) / 2 + off - other
            totals[pair[0]] = replace(first, total=margin, carry=-other)
            totals[pair[1]] = replace(second, total=-margin, carry=-off)
        for (label, unit), played in self.matches.items():
            key = Contestant("team", label), unit
            if len(played) > 1 and unit == "imp" and totals[key].total is not None:
                parts = [totals[each, unit] for each in played if totals[each, unit].total is not None]
                own = totals[key].penalty - sum(part.penalty for part in parts)
                total = sum(part.total for part in parts if part.total is not None) + own
                totals[key] = replace(totals[key], total=total, carry=sum(part.carry for part in parts))

    def victory_points(
        self,
        totals: dict[tuple[Contestant, str], Total],
        due: Mapping[Contestant, Sequence[Penalty]],
        scale: VictoryPoints,
    ) -> None:
        """Each contestant's victory points from its own margin: of a team's match, of a pair's round or session.

        Those of several are added up. Where those of one are unknown their sum is: it is not a match lost.
        """
        for key, total in totals.items():
            contestant, unit = key
            if contestant.kind == "team":
                if contestant.match:
                    merit = total.percent if unit == "mp" else total.total
                    totals[key] = replace(total, vp=self.of_match(self.won[key], self.boards[key], unit, merit, scale))
                continue
            rounds = [boards for boards in self.rounds[key].values() if any(map(_counts, boards))]
            earned = [
                self.of_match(boards, len(boards), unit, _merit(boards, unit, off), scale)
                for boards in rounds
                for off in (total.penalty if len(rounds) == 1 else 0,)
            ]
            if len(rounds) > 1 and total.penalty:
                text = f"the penalty of {contestant.label} is not in victory points, so it comes off no match"
                self.notes.add("error", "penalty-match", f"{text}; give it in VP")
            totals[key] = replace(total, vp=_sum(earned))
        for (label, unit), played in self.matches.items():
            if len(played) > 1:
                whole = Contestant("team", label), unit
                totals[whole] = replace(totals[whole], vp=_sum([totals[each, unit].vp for each in played]))
        for key, total in totals.items():
            off = sum(penalty.amount for penalty in due[key[0]] if penalty.unit == "vp")
            if off and total.vp is not None:
                totals[key] = replace(total, vp=total.vp + off)

    def of_match(
        self, boards: Sequence[Points], most: int, unit: str, merit: Number | None, scale: VictoryPoints
    ) -> Number | None:
        """The victory points of one match, None while a board of it is unknown; ``most`` is its number of boards."""
        if merit is None or any(board.why for board in boards):
            return None
        number = min(sum(map(_counts, boards)), most)
        vp = scale(number, unit, merit)
        if vp is None:
            what = "percentages" if unit == "mp" else f"a match of {number} boards at {unit.upper()}"
            self.notes.add("error", "scale-missing", f"the scale has no victory points for {what}", once="vp")
        return vp

    def carry(self, totals: dict[tuple[Contestant, str], Total]) -> None:
        for brought in self.contest.carry:
            named = [
                key
                for key in totals
                if key[0].label == brought.contestant and brought.direction in ("", key[0].direction)
            ]
            whole = [key for key in named if not key[0].match] or named
            no_scale = brought.unit == "vp" and not self.contest.scale
            if len(whole) != 1 or no_scale or brought.unit not in (totals[whole[0]].unit, "vp"):
                text = f"the carry-over of {brought.contestant} has no total in {brought.unit.upper()} to go to"
                self.notes.add("error", "carry-over", text)
                continue
            total = totals[whole[0]]
            # What nothing is known of stays unknown: a carry-over alone is no total.
            if brought.unit == "vp" and total.vp is not None:
                totals[whole[0]] = replace(total, vp=total.vp + brought.amount)
            elif brought.unit != "vp" and total.total is not None:
                with_it = total.total + brought.amount
                totals[whole[0]] = replace(total, total=with_it, carry=total.carry + brought.amount)
                for key, other in totals.items() if self.contest.knock_out and whole[0][0].match else ():
                    # The margin of a match is one number with two signs.
                    if key != whole[0] and key[0].match == whole[0][0].match and other.total is not None:
                        less = other.total - brought.amount
                        totals[key] = replace(other, total=less, carry=other.carry - brought.amount)


def _counts(board: Points) -> bool:
    """Whether there was something to win on a board, known or not."""
    return board.value is not None or bool(board.why)


def _merit(boards: Sequence[Points], unit: str, off: Number) -> Number | None:
    """What a scale is read with: the IMPs, or the percentage, of these boards with what comes off them."""
    known = [board for board in boards if board.value is not None]
    if not known:
        return None
    won = sum(board.value for board in known if board.value is not None) + off
    top = sum(board.top or 0 for board in known)
    return won if unit != "mp" else Fraction(won) * 100 / top if top else None


def _sum(parts: Sequence[Number | None]) -> Number | None:
    """None when one is unknown, or there are none."""
    return None if not parts or None in parts else sum(part for part in parts if part is not None)


def merits(table: Sequence[Total]) -> list[Number | None]:
    """What the contestants of one ranking are ranked by."""
    by_vp, by_sum = any(total.vp is not None for total in table), any(total.carry for total in table)
    return [
        total.vp if by_vp else total.percent if total.unit == "mp" and not by_sum else total.total for total in table
    ]


def _ranked(totals: Iterable[Total], contest: Contest) -> tuple[Total, ...]:
    """In the order of the standings: by victory points where there are any, by percentage at matchpoints (boards may be
    unequal), by sum at IMPs. Of the two teams of one match the winner is who has more after what comes off or on for
    both."""
    standings: dict[tuple[str, ...], list[Total]] = defaultdict(list)
    for total in totals:
        who = total.contestant
        standings[total.unit, who.kind, who.match, who.direction].append(total)
    found: list[Total] = []
    for table in standings.values():
        known = list(zip(merits(table), table, strict=True))
        if contest.scale:  # who has no victory points yet has no place, whatever the IMPs
            known = [(merit if total.vp is not None else None, total) for merit, total in known]
        elif len(table) == 2 and table[0].contestant.match and table[0].unit != "mp" and not contest.knock_out:
            known = [
                (None if merit is None else merit - other.penalty - other.carry, total)
                for (merit, total), (_, other) in zip(known, reversed(known), strict=True)
            ]
        known.sort(key=lambda item: (item[0] is None, -(item[0] or 0), item[1].contestant.label.zfill(9)))
        best: dict[Number | None, int | None] = {None: None}
        for place, (merit, total) in enumerate(known, 1):
            found.append(replace(total, rank=best.setdefault(merit, place)))
    return tuple(found)
