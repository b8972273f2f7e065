"""What is compared with what, and what it earns: the scoring methods.

A method gets the lines that are compared with one another (the field of a board, or the two rooms of a match) and
gives both sides of each their points. Weighted results are converted outcome by outcome, then weighted; that equals
the mean of whole re-scores for every method here but Butler's, whose datum is taken once, from the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from .model import Award
from .points import Number, imps, matchpoints
from .policy import Averages, Policy, on_full_board

if TYPE_CHECKING:
    from .scoring import Entry

Distribution = tuple[tuple[Number, int], ...]  # (weight, contract points from North-South's side)


@dataclass(frozen=True, slots=True)
class Standing:
    """What one side brings to the comparison: exactly one of the fields, or none when it did not play the board.

    ``points`` are (weight, contract points from North-South's side); ``award`` an artificial score with the
    ``averages`` it may need; ``why`` says why the result is unknown.
    """

    points: Distribution = ()
    award: Award | None = None
    averages: Averages | None = None
    why: str = ""

    @property
    def played(self) -> bool:
        """False when this side neither has nor will have a result here: not played, or cancelled."""
        return bool(self.points or self.award or self.why)


@dataclass(frozen=True, slots=True)
class Line:
    """One result as the two sides bring it; they differ in a split score."""

    entry: Entry
    ns: Standing
    ew: Standing


@dataclass(frozen=True, slots=True)
class Points:
    """What one side gets for one board: ``value`` in the method's unit, out of ``top`` where there is one.

    ``value`` None with ``why``: unknown. Without: there was nothing to win (not played, cancelled).
    """

    value: Number | None = None
    percent: Number | None = None
    top: Number | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Method:
    """A scoring method, the record that plugins contribute.

    ``words`` are all words of PBN's Scoring tag that it understands; a tag goes to the method with the fewest words
    that understands all of the tag's. ``compares`` is ``field`` (all results of the board) or ``match`` (the two
    rooms). ``score(lines, expected, policy)`` gets the lines that are compared and the number of results that a board
    of this session normally has, and returns the points of North-South and of East-West for each line, in order.
    ``unit`` is ``mp``, ``imp`` or ``points``; ``source`` says where the method is laid down. ``match(boards)``, where
    a match earns something as a whole, gets a team's boards as (its North-South standing in one room, its East-West
    standing in the other) and gives its points for that.
    """

    name: str
    words: tuple[str, ...]
    unit: str
    compares: str
    score: Callable[[Sequence[Line], int, Policy], list[tuple[Points, Points]]]
    source: str
    match: Callable[[Sequence[tuple[Standing, Standing]]], Points] | None = None


Pairs = list[tuple[Points, Points]]

# ------------------------------------------------------------------------------------------------------------- fields


@dataclass(frozen=True, slots=True)
class _Field:
    """The results with which one side of every line is compared: a frequency table, and how many they are."""

    table: Mapping[int, Number]
    count: Number


def _fields(lines: Sequence[Line], policy: Policy) -> tuple[_Field, _Field]:
    """The field of North-South and that of East-West; they differ where scores are split, by the policy."""
    if policy.split == "half-weights":
        both: list[tuple[Number, int]] = []
        for line in lines:
            share = 1 if line.ns is line.ew else Fraction(1, 2)
            for standing in (line.ns,) if line.ns is line.ew else (line.ns, line.ew):
                both += [(weight * share, points) for weight, points in standing.points]
        field = _field(both)
        return field, field
    ns = _field(each for line in lines for each in line.ns.points)
    if all(line.ns is line.ew for line in lines):
        return ns, ns
    return ns, _field(each for line in lines for each in line.ew.points)


def _field(points: Iterable[tuple[Number, int]]) -> _Field:
    table: dict[int, Number] = {}
    count: Number = 0
    for weight, score in points:
        table[score] = table.get(score, 0) + weight
        count += weight
    return _Field(table, count)


def _read(
    standings: Sequence[Standing],
    worth: Mapping[int, Points],
    weighted: Callable[[Distribution], Points],
    artificial: Callable[[Standing], Points],
) -> list[Points]:
    """Each standing's points: read off for a plain result, by the callables for a weighted one and an award."""
    found = []
    for standing in standings:
        if len(standing.points) == 1:
            found.append(worth[standing.points[0][1]])
        elif standing.points:
            found.append(weighted(standing.points))
        else:
            found.append(artificial(standing) if standing.award else Points(why=standing.why))
    return found


def by_matchpoints(lines: Sequence[Line], expected: int, policy: Policy, each: Number = 2) -> Pairs:
    """Matchpoints of a field, ``each`` for a comparison won and half of it for a tie (Law 78A).

    North-South read theirs from the table of North-South results, East-West from that of East-West results. With
    fewer comparable results than ``expected`` Neuberg's formula or what else the policy has for it applies. Artificial
    scores take no part and are percentages of the full top.
    """
    sides = []
    for side, field in enumerate(_fields(lines, policy)):
        standings = [(line.ns, line.ew)[side] for line in lines]
        sides.append(_matchpointed(standings, field, expected, policy, each, ew=side == 1))
    return list(zip(*sides, strict=True))


def _matchpointed(
    standings: Sequence[Standing], field: _Field, expected: int, policy: Policy, each: Number, *, ew: bool
) -> list[Points]:
    top = each * (expected - 1)
    earned = matchpoints(field.table)
    if ew:
        earned = {score: 2 * (field.count - 1) - mine for score, mine in earned.items()}

    def worth(scored: Number) -> Points:
        fitted = on_full_board(scored, field.count, expected, policy)
        if fitted is None:
            return Points(why=f"{field.count} comparable result of {expected}: the policy wants the Director's award")
        return _of_top(fitted if each == 2 else Fraction(fitted) * each / 2, top)

    def artificial(standing: Standing) -> Points:
        percent, why = percent_of(standing)
        return Points(why=why) if percent is None else Points(Fraction(top) * percent / 100, percent, top)

    return _read(
        standings,
        {score: worth(mine) for score, mine in earned.items()},
        lambda points: worth(sum(weight * earned[score] for weight, score in points)),
        artificial,
    )


@lru_cache(maxsize=4096)  # the boards of a session share their tops
def _of_top(value: Number, top: Number) -> Points:
    return Points(value, Fraction(value) * 100 / top if top else None, top)


def percent_of(standing: Standing, own: Number | None = None) -> tuple[Number | None, str]:
    """The percentage of an artificial score, or None and why it has none; ``own`` is the contestant's average."""
    award, averages = standing.award, standing.averages
    if award is None or award.kind == "imps":
        return None, f"{award} is no award at matchpoints; write a percentage, or an average by the law"
    if award.kind == "percent":
        return award.amount, ""
    if averages is None:
        return None, f"{award} needs an edition of the Laws"
    return averages.percent(award.average, own), ""


def by_butler(lines: Sequence[Line], expected: int, policy: Policy, datum: str = "policy") -> Pairs:
    """IMPs against the datum, the average of the field (PBN 2.1, 3.4.12).

    ``datum``: ``policy`` (mean of what the policy leaves of the field), ``mean`` (all), ``without-extremes`` (the best
    and the worst left out), ``median``. Rounded as the policy says. A weighted result takes part in the datum with its
    weights, and each of its outcomes is compared with that one datum.
    """
    sides = []
    for side, field in enumerate(_fields(lines, policy)):
        middle = datum_of(field.table, policy, datum) if field.count else 0
        sign = -1 if side else 1
        earned = {score: sign * imps(score - middle) for score in field.table}
        sides.append(_imp_read([(line.ns, line.ew)[side] for line in lines], earned))
    return list(zip(*sides, strict=True))


def datum_of(table: Mapping[int, Number], policy: Policy, datum: str = "policy") -> Number:
    """The datum of a frequency table, from North-South's side; see ``by_butler``."""
    count = sum(table.values())
    ordered = sorted(table.items())
    if datum == "median":
        return policy.round_datum(Fraction(_quantile(ordered, count, low=True) + _quantile(ordered, count), 2))
    drop: Number = {"mean": 0, "without-extremes": 1}.get(datum, policy.butler_dropped(count))
    if 2 * drop >= count:
        drop = 0
    kept = _trimmed(_trimmed(ordered, drop)[::-1], drop)
    total = sum(weight * score for score, weight in kept)
    return policy.round_datum(Fraction(total) / Fraction(sum(weight for _, weight in kept)))


def _quantile(ordered: Sequence[tuple[int, Number]], count: Number, *, low: bool = False) -> int:
    below: Number = 0
    for score, weight in ordered:
        below += weight
        if 2 * below > count or (low and 2 * below == count):
            return score
    return ordered[-1][0]


def _trimmed(ordered: Sequence[tuple[int, Number]], drop: Number) -> list[tuple[int, Number]]:
    """Without ``drop`` results at the beginning; of a weighted result as much as is needed."""
    kept = []
    for score, weight in ordered:
        off = min(drop, weight)
        drop -= off
        if weight > off:
            kept.append((score, weight - off))
    return kept


def by_cross_imps(lines: Sequence[Line], expected: int, policy: Policy, per: str = "") -> Pairs:
    """IMPs against every other result of the field (PBN 2.1, 3.4.12).

    ``per``: empty for the sum (Cross), ``result`` for the sum divided by the number of results (Cross1),
    ``comparison`` for the mean of the comparisons (Cross2). The policy caps each comparison and says how a sum is
    brought up to the number of comparisons expected. An artificial score counts as that many IMPs on average against
    each of the others (ACBLscore manual 83: average plus is 3 for average IMPs, 3 a comparison for total IMPs).
    """
    sides = []
    for side, field in enumerate(_fields(lines, policy)):
        count, sign = Fraction(field.count), -1 if side else 1
        scale = Fraction(1)
        if per == "result":
            scale = 1 / count if count else scale
        elif per == "comparison":
            scale = 1 / (count - 1) if count > 1 else scale
        elif policy.cross_missing == "comparisons" and 1 < count < expected:
            scale = (expected - 1) / (count - 1)
        elif policy.cross_missing == "results" and 0 < count < expected:
            scale = expected / count
        earned = {
            score: sign * scale * sum(number * _capped(score - other, policy) for other, number in field.table.items())
            for score in field.table
        }
        comparisons = {"": Fraction(expected - 1), "result": Fraction(expected - 1, expected or 1)}.get(
            per, Fraction(1)
        )
        sides.append(_imp_read([(line.ns, line.ew)[side] for line in lines], earned, comparisons))
    return list(zip(*sides, strict=True))


def _capped(difference: int, policy: Policy) -> int:
    size = imps(difference)
    return max(-policy.cross_cap, min(policy.cross_cap, size)) if policy.cross_cap else size


def _imp_read(standings: Sequence[Standing], earned: Mapping[int, Number], times: Number = 1) -> list[Points]:
    def artificial(standing: Standing) -> Points:
        points = imps_of(standing)
        return points if points.value is None or times == 1 else Points(points.value * times)

    return _read(
        standings,
        {score: Points(value) for score, value in earned.items()},
        lambda points: Points(sum(weight * earned[score] for weight, score in points)),
        artificial,
    )


def imps_of(standing: Standing, own: Number | None = None) -> Points:
    """The IMPs of an artificial score; ``own`` is what the contestant averages on the session's other boards."""
    award, averages = standing.award, standing.averages
    if award is None or award.kind == "percent":
        return Points(why=f"{award} is no award at IMPs; write fixed IMPs, or an average by the law")
    if award.kind == "imps":
        return Points(award.amount)
    if averages is None:
        return Points(why=f"{award} needs an edition of the Laws")
    return Points(averages.imps(award.average, own))


def by_total_points(lines: Sequence[Line], expected: int, policy: Policy) -> Pairs:
    """The contract points themselves; a weighted result counts its mean. No artificial score has a worth in points."""
    found: list[list[Points]] = []
    for side, sign in enumerate((1, -1)):
        found.append([])
        for line in lines:
            standing = (line.ns, line.ew)[side]
            if standing.points:
                found[side].append(Points(sign * sum(weight * score for weight, score in standing.points)))
            else:
                award = f"{standing.award} is worth no points; assign a result" if standing.award else ""
                found[side].append(Points(why=award or standing.why))
    return list(zip(*found, strict=True))


def by_instant(lines: Sequence[Line], expected: int, policy: Policy, column: str = "percent") -> Pairs:
    """Read off the game's InstantScoreTable (PBN 2.1, 5.5), in ``percent`` of 100 or in ``imp``.

    The ends of a range are no part of it by the standard: they have rows of their own. Where they have none, the range
    is read with its ends, as long as no other range has the same one.
    """

    def read(score: int, side: int, line: Line) -> Number | None:
        name, touching = f"{column}_{'ew' if side else 'ns'}", set()
        for ranges, figures in line.entry.instant:
            for (low, high), value in zip(ranges, (score, -score), strict=True):
                if low < value < high or low == value == high:
                    return figures.get(name)
                if value in (low, high):
                    touching.add(figures.get(name))
        return touching.pop() if len(touching) == 1 else None

    def points(standing: Standing, side: int, line: Line) -> Points:
        if standing.award:
            if column == "imp":
                return imps_of(standing)
            percent, why = percent_of(standing)
            return Points(why=why) if percent is None else Points(percent, percent, 100)
        total: Number = 0
        for weight, score in standing.points:
            worth = read(score, side, line)
            if worth is None:
                return Points(why=f"the InstantScoreTable gives no {column} for {score}")
            total += weight * worth
        if not standing.points:
            return Points(why=standing.why)
        return Points(total, total, 100) if column == "percent" else Points(total)

    return [(points(line.ns, 0, line), points(line.ew, 1, line)) for line in lines]


# ------------------------------------------------------------------------------------------------------------ matches

_NO_ROOM = "the other room has no result to compare with"


def by_imps(lines: Sequence[Line], expected: int, policy: Policy) -> Pairs:
    """IMPs between the two rooms of a match (Law 78B): one line, or two when both rooms have a result.

    Either team's margin is its North-South result in one room less what it conceded East-West in the other; weights
    apply after the conversion, doubly when both results are weighted. An artificial score of either pair is the
    team's score of the board, and the other room's result is not compared. A missing room makes the board unknown.
    """
    return _two_rooms(lines, lambda won, lost: Points(imps(won - lost)), imps_of)


def by_board(lines: Sequence[Line], expected: int, policy: Policy, tie: int | None = None) -> Pairs:
    """Board-a-match between the two rooms: 2 for a board won, 1 for a tie, artificial scores in percent of 2.

    ``tie`` is the largest difference in points that is still a tie; the policy's when None.
    """
    within = policy.bam_tie if tie is None else tie

    def won(mine: int, theirs: int) -> Points:
        difference = mine - theirs
        value = 1 if abs(difference) <= within else 2 if difference > 0 else 0
        return Points(value, 50 * value, 2)

    def artificial(standing: Standing) -> Points:
        percent, why = percent_of(standing)
        return Points(why=why) if percent is None else Points(Fraction(2) * percent / 100, percent, 2)

    return _two_rooms(lines, won, artificial)


def _two_rooms(
    lines: Sequence[Line], worth: Callable[[int, int], Points], artificial: Callable[[Standing], Points]
) -> Pairs:
    missing = Standing(why=_NO_ROOM)
    first = lines[0]
    second = lines[1] if len(lines) == 2 else Line(first.entry, missing, missing)
    home, visitors = (_of_team(ns, ew, worth, artificial) for ns, ew in ((first.ns, second.ew), (second.ns, first.ew)))
    return [(home, visitors), (visitors, home)][: len(lines)]


def _of_team(
    ns: Standing, ew: Standing, worth: Callable[[int, int], Points], artificial: Callable[[Standing], Points]
) -> Points:
    """One team's points for the board, from its North-South standing in one room and East-West in the other."""
    awards = {artificial(standing) for standing in (ns, ew) if standing.award}
    if len(awards) > 1:
        return Points(why="two different artificial scores for one team on one board")
    if awards:
        return awards.pop()
    if not (ns.played and ew.played):
        return Points()
    if ns.why or ew.why:
        return Points(why=ns.why or ew.why)
    value: Number = 0
    each = Points()
    for mine, won in ns.points:
        for theirs, lost in ew.points:
            each = worth(won, lost)
            value += mine * theirs * (each.value or 0)
    return Points(value, Fraction(value) * 100 / each.top if each.top else None, each.top)


_MOST_WAYS = 4096


def patton_match(boards: Sequence[tuple[Standing, Standing]]) -> Points:
    """The total-points part of a Patton match: one point for each board, shared by the teams' plus scores.

    With D = (larger - smaller) / larger: all points when D is above 1/3, half of them and one more from 1/10 on, half
    of them below. Weighted results: the mean over all the ways in which they can have come out.
    """
    known = [(ns, ew) for ns, ew in boards if ns.points and ew.points]
    number = len(known)
    choices = [standing.points for pair in known for standing in pair]
    ways = 1
    for points in choices:
        ways *= len(points)
    if ways > _MOST_WAYS:
        return Points(why=f"the weighted results of this match can come out in {ways} ways, too many for its points")
    value: Number = 0
    for way in product(*choices):
        weight: Number = 1
        mine = theirs = 0
        for index, (share, score) in enumerate(way):
            weight *= share
            own = -score if index % 2 else score
            # the East-West standing is what this team's opponents scored North-South in the other room
            mine, theirs = mine + max(own, 0), theirs + max(-own, 0)
        value += weight * _patton_points(mine, theirs, number)
    return Points(value, Fraction(value) * 100 / number if number else None, number)


def _patton_points(mine: int, theirs: int, number: int) -> Number:
    larger, smaller = max(mine, theirs), min(mine, theirs)
    distance = Fraction(larger - smaller, larger) if larger else Fraction(0)
    half = Fraction(number, 2)
    if distance > Fraction(1, 3):
        return number if mine > theirs else 0
    if distance >= Fraction(1, 10):
        return half + (1 if mine > theirs else -1)
    return half
