"""Exact scoring: contract points, comparisons, adjusted results, totals.

The flow of ``score_event``: each result is settled into what either side brings to the comparison (a `Standing`: points
with their weights, an artificial award, nothing, or unknown with the reason); the Scoring tag's words choose the
`Method`; standings that are compared with one another make a group, the field of a board or the two rooms of a match;
the method gives every side its `Points`; awards by the law that follow a contestant's own session are settled last,
when the session is known; totals are sums, and penalties come off them, never off a board.

All numbers are ``int`` or ``Fraction``. Nothing is rounded before `show`. Unknown is None with a reason, never zero;
None without a reason means that there was nothing to win.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from .model import Award, Game, Outcome, Penalty, Problem, Result, Score
from .policy import NEUTRAL as NEUTRAL
from .policy import Averages as Averages
from .policy import Number as Number
from .policy import Policy as Policy
from .policy import SmallGroup as SmallGroup
from .policy import neuberg as neuberg
from .policy import on_full_board
from .policy import read_policy as read_policy
from .policy import show as show

_TRICK = {"C": 20, "D": 20, "H": 30, "S": 30, "NT": 30}
_IMP_STEPS = (20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250,
              2500, 3000, 3500, 4000)  # fmt: skip
_VULNERABLE = {
    "none": (False, False), "love": (False, False), "-": (False, False), "ns": (True, False), "n-s": (True, False),
    "ew": (False, True), "e-w": (False, True), "all": (True, True), "both": (True, True),
}  # fmt: skip


@lru_cache(maxsize=4096)
def contract_points(outcome: Outcome, vulnerable: bool, old_undertricks: bool = False) -> int:
    """Law 77: the points of a result from the declarer's side; 0 for a board passed out.

    ``old_undertricks``: doubled and not vulnerable, the fourth and later undertricks cost 200 as the second does
    (before the Laws of 1987; PBN's ``OldMP``).
    """
    if not outcome.level:
        return 0
    over = outcome.tricks - 6 - outcome.level
    if over < 0:
        down = -over
        if not outcome.doubled:
            return -down * (100 if vulnerable else 50)
        beyond_third = 0 if vulnerable or old_undertricks else max(down - 3, 0)
        return -((300 if vulnerable else 200) * down - 100 + 100 * beyond_third) * outcome.doubled
    each = _TRICK[outcome.strain]
    tricks = (each * outcome.level + (10 if outcome.strain == "NT" else 0)) * (1, 2, 4)[outcome.doubled]
    points = tricks + (50 if tricks < 100 else 500 if vulnerable else 300) + 50 * outcome.doubled
    if outcome.level >= 6:
        points += (750 if vulnerable else 500) * (outcome.level - 5)
    if outcome.doubled:
        each = 100 * outcome.doubled * (2 if vulnerable else 1)
    return points + each * over


def points_ns(outcome: Outcome, vulnerability: str, old_undertricks: bool = False) -> int | None:
    """The points from North-South's side; None when they depend on a vulnerability that is not known.

    ``vulnerability`` is PBN's word in any case: ``None Love - NS EW All Both``.
    """
    sides = _VULNERABLE.get(vulnerability.strip().lower())
    by_declarer = outcome.declarer in ("E", "W")
    states = (sides[by_declarer],) if sides else (False, True)
    found = {contract_points(outcome, vulnerable, old_undertricks) for vulnerable in states}
    if len(found) > 1:
        return None
    points = found.pop()
    return -points if by_declarer else points


def imps(difference: int) -> int:
    """Law 78B: the IMPs of a difference in points, with its sign."""
    size = bisect_right(_IMP_STEPS, abs(difference))
    return size if difference > 0 else -size


def matchpoints(table: Mapping[int, Number]) -> dict[int, Number]:
    """Law 78A: what each score of a frequency table earns, 2 for each lower result and 1 for each equal one.

    ``table`` maps scores to the number of times they occur; a weighted result is entered by its weights and counts
    as one. A result is not compared with itself.
    """
    earned: dict[int, Number] = {}
    below: Number = 0
    for score in sorted(table):
        earned[score] = 2 * below + table[score] - 1
        below += table[score]
    return earned


# What is compared, and what it earns


@dataclass(frozen=True, slots=True)
class Entry:
    """One result with what counts for it: the file's own score (``table``) or a ruling's.

    ``averages`` come from the edition of the Laws that the ruling stands on; ``provisional`` when it may change.
    """

    result: Result
    award: Score
    averages: Averages | None = None
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """What one side brings to the comparison: exactly one of the fields, or none when it did not play the board.

    ``points`` are (weight, contract points from North-South's side); ``award`` an artificial score with the
    ``averages`` it may need; ``why`` says why the result is unknown.
    """

    points: tuple[tuple[Number, int], ...] = ()
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
    ``unit`` is ``mp`` or ``imp``; ``source`` says where the method is laid down.
    """

    name: str
    words: tuple[str, ...]
    unit: str
    compares: str
    score: Callable[[Sequence[Line], int, Policy], list[tuple[Points, Points]]]
    source: str


def by_matchpoints(
    lines: Sequence[Line], expected: int, policy: Policy, each: Number = 2
) -> list[tuple[Points, Points]]:
    """Matchpoints of a field, ``each`` for a comparison won and half of it for a tie (Law 78A).

    North-South read theirs from the table of North-South results, East-West from that of East-West results. With
    fewer comparable results than ``expected`` Neuberg's formula or the policy's small groups apply. Artificial
    scores take no part and are percentages of the full top.
    """
    fields = ([line.ns for line in lines], [line.ew for line in lines])
    ns, ew = (_read_field(field, expected, policy, each, ew=side == 1) for side, field in enumerate(fields))
    return list(zip(ns, ew, strict=True))


def _read_field(
    standings: Sequence[Standing], expected: int, policy: Policy, each: Number, *, ew: bool
) -> list[Points]:
    table: dict[int, Number] = {}
    actual = 0
    for standing in standings:
        actual += bool(standing.points)
        for weight, score in standing.points:
            table[score] = table.get(score, 0) + weight
    top = each * (expected - 1)
    earned = matchpoints(table)
    if ew:
        earned = {score: 2 * (actual - 1) - mine for score, mine in earned.items()}

    def worth(scored: Number) -> Points:
        fitted = on_full_board(scored, actual, expected, policy)
        if fitted is None:
            return Points(why=f"{actual} comparable result of {expected}: the policy wants the Director's award")
        value = fitted if each == 2 else Fraction(fitted) * each / 2
        return Points(value, Fraction(value) * 100 / top if top else None, top)

    of_score = {score: worth(mine) for score, mine in earned.items()}
    found = []
    for standing in standings:
        if len(standing.points) == 1:
            found.append(of_score[standing.points[0][1]])
        elif standing.points:
            found.append(worth(sum(weight * earned[score] for weight, score in standing.points)))
        elif standing.award:
            percent, why = _percent(standing)
            found.append(Points(why=why) if percent is None else Points(Fraction(top) * percent / 100, percent, top))
        else:
            found.append(Points(why=standing.why))
    return found


def _percent(standing: Standing, own: Number | None = None) -> tuple[Number | None, str]:
    award, averages = standing.award, standing.averages
    if award is None or award.kind == "imps":
        return None, f"{award} is no award at matchpoints; write a percentage, or an average by the law"
    if award.kind == "percent":
        return award.amount, ""
    if averages is None:
        return None, f"{award} needs an edition of the Laws"
    return averages.percent(award.average, own), ""


def by_imps(lines: Sequence[Line], expected: int, policy: Policy) -> list[tuple[Points, Points]]:
    """IMPs between the two rooms of a match (Law 78B): one line, or two when both rooms have a result.

    Either team's margin is its North-South result in one room less what it conceded East-West in the other; weights
    apply after the conversion, doubly when both results are weighted. An artificial score of either pair is the
    team's score of the board, and the other room's result is not compared. A missing room makes the board unknown.
    """
    missing = Standing(why="the other room has no result to compare with")
    first = lines[0]
    second = lines[1] if len(lines) == 2 else Line(first.entry, missing, missing)
    home, visitors = _margin(first.ns, second.ew), _margin(second.ns, first.ew)
    return [(home, visitors), (visitors, home)][: len(lines)]


def _margin(ns: Standing, ew: Standing) -> Points:
    """One team's IMPs for the board, from its North-South standing in one room and East-West in the other."""
    awards = {_imp_award(standing) for standing in (ns, ew) if standing.award}
    if len(awards) > 1:
        return Points(why="two different artificial scores for one team on one board")
    if awards:
        return awards.pop()
    if not (ns.played and ew.played):
        return Points()
    if ns.why or ew.why:
        return Points(why=ns.why or ew.why)
    return Points(sum(mine * theirs * imps(won - lost) for mine, won in ns.points for theirs, lost in ew.points))


def _imp_award(standing: Standing) -> Points:
    award, averages = standing.award, standing.averages
    if award is None or award.kind == "percent":
        return Points(why=f"{award} is no award at IMPs; write fixed IMPs, or an average by the law")
    if award.kind == "imps":
        return Points(award.amount)
    return Points(averages.imps(award.average)) if averages else Points(why=f"{award} needs an edition of the Laws")


# The event


@dataclass(frozen=True, slots=True)
class Scored:
    """What a result is worth to the two sides. ``method`` is empty when none serves the game's Scoring tag.

    ``score_ns`` and ``score_ew`` are the contract points that each side's award stands for, both from North-South's
    side; None when it is not one plain result.
    """

    line: Line
    method: str
    unit: str
    kind: str
    ns: Points
    ew: Points

    @property
    def score_ns(self) -> int | None:
        return self.line.ns.points[0][1] if len(self.line.ns.points) == 1 else None

    @property
    def score_ew(self) -> int | None:
        return self.line.ew.points[0][1] if len(self.line.ew.points) == 1 else None


@dataclass(frozen=True, slots=True, order=True)
class Contestant:
    """Who a total belongs to. ``direction`` is ``NS`` or ``EW`` where these are two fields with a winner each, and
    empty where pairs change directions; ``match`` only for a team's total in one match."""

    kind: str
    label: str
    direction: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True)
class Total:
    """A contestant's boards together, in ``unit``; ``penalty`` is in the unit and already taken off.

    ``boards`` counts those with a known score; ``top`` is the sum of their tops. ``rank`` is the best rank of a tie;
    None when the total is not known: without any known board, or for the reason that a problem gives.
    """

    contestant: Contestant
    unit: str
    boards: int
    top: Number
    total: Number | None
    percent: Number | None
    penalty: Number
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A scored event: ``scored`` in the order of the entries, ``totals`` in the order of the standings.

    ``compared`` are the comparisons that were made, and ``contestants`` who sat in each entry: what ``revised`` needs.
    """

    policy: Policy
    scored: tuple[Scored, ...]
    totals: tuple[Total, ...]
    provisional: bool
    problems: tuple[Problem, ...]
    compared: tuple[Compared, ...] = ()
    contestants: Mapping[int, tuple[Contestant | None, Contestant | None]] = field(default_factory=dict)

    def to_json(self, file: str) -> dict[str, Any]:
        """The score JSON without foreign problems: numbers as decimal strings at the policy's rounding."""
        games: dict[int, dict[str, Any]] = {}
        for scored in self.scored:
            result = scored.line.entry.result
            game = games.setdefault(
                result.game,
                {"game": result.game, "board": result.board, "method": scored.method or None, "results": []},
            )
            game["results"].append(self._result_json(scored))
        return {
            "format": 1,
            "file": file,
            "policy": self.policy.id,
            "provisional": self.provisional,
            "games": [games[number] for number in sorted(games)],
            "totals": [self._total_json(total) for total in self.totals],
            "problems": [
                {name: getattr(problem, name) for name in ("severity", "code", "line", "column", "game", "text")}
                for problem in self.problems
            ],
        }

    def _result_json(self, scored: Scored) -> dict[str, Any]:
        result = scored.line.entry.result
        found: dict[str, Any] = {"ns": result.keys.get("ns"), "ew": result.keys.get("ew"), "kind": scored.kind}
        found["score_ns"] = None if scored.score_ns is None else str(scored.score_ns)
        for unit in ("mp", "percent", "imp"):
            for side, points in (("ns", scored.ns), ("ew", scored.ew)):
                found[f"{unit}_{side}"] = self.shown(points, unit, scored.unit)
        return found | {"printed": dict(result.printed)}

    def shown(self, points: Points, unit: str, method_unit: str) -> str | None:
        """One side's ``mp``, ``percent`` or ``imp`` of a board as text; None when unknown or not of this method."""
        number = points.percent if unit == "percent" else points.value if unit == method_unit else None
        if number is None:
            return None
        average = 50 if unit == "percent" else Fraction(points.top or 0) / 2
        return show(number, self.policy, average)

    def _total_json(self, total: Total) -> dict[str, Any]:
        def shown(number: Number | None, average: Number = 0) -> str | None:
            return None if number is None else show(number, self.policy, average)

        return {
            "contestant": total.contestant.label,
            "kind": total.contestant.kind,
            "direction": total.contestant.direction,
            "match": total.contestant.match or None,
            "total": shown(total.total, Fraction(total.top) / 2),
            "percent": shown(total.percent, 50),
            "vp": None,
            "boards": total.boards,
            "penalty": shown(total.penalty),
            "rank": total.rank,
        }


class _Notes:
    """Problems in the order found, each text once; of those with the same ``once`` only the first."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Problem] = {}

    def add(
        self, severity: Literal["note", "error"], code: str, text: str, game: int | None = None, once: str = ""
    ) -> None:
        self.found.setdefault((code, once or text), Problem(severity, code, text, game=game))


def score_event(
    entries: Sequence[Entry],
    games: Iterable[Game],
    methods: Iterable[Method],
    policy: Policy = NEUTRAL,
    penalties: Iterable[Penalty] = (),
) -> Event:
    """Score every entry and total the contestants.

    ``entries`` are all results of the event, one each, with the rulings in force; ``games`` the games that they are
    in, for the Scoring, HomeTeam and VisitTeam tags; ``penalties`` those in force: a pending one takes nothing off yet,
    and like a provisional one it leaves the totals provisional.

    A board's field is the ScoreTable of one game, or all games with that Board in the same event, session, stage and
    section. The number of results expected is the largest of any board of the session and section (or of the sections
    that meet in one ScoreTable), late and unknown ones included; boards not played only when the policy says so, and a
    cancelled result counts as one not played: neither side gets anything for it, and it is no board of theirs. Rooms
    meet by HomeTeam and VisitTeam (or Table), round, segment and board; rows of a ScoreTable when ns and ew are
    mirrored. The home team sits North-South in the open room. Never raises on content.
    """
    notes = _Notes()
    penalties = tuple(penalties)
    tags = {game.number: game for game in games}
    chosen = _methods_of_games(entries, tags, list(methods), notes)
    lines = [_line(entry, chosen[entry.result.game][1], notes) for entry in entries]
    sets = _compared_sets(lines, chosen, policy, notes)
    points = [(Points(why="no method"), Points(why="no method"))] * len(lines)
    answered = []
    for one in sets:
        earned = _earned(one, lines, policy, notes)
        if earned:
            answered.append(one)
        failed = Points(why=f"the scoring method {one.method.name} failed")
        for index, pair in zip(one.members, earned or [(failed, failed)] * len(one.members), strict=True):
            points[index] = pair
    contestants = _contestants(lines, sets, tags, notes)
    _follow_session(lines, sets, points, contestants)
    _note_unknown(lines, answered, points, notes)

    scored = []
    for line, (ns, ew) in zip(lines, points, strict=True):
        method, _ = chosen[line.entry.result.game]
        kind = _settled(line.entry).kind
        scored.append(Scored(line, method.name if method else "", method.unit if method else "", kind, ns, ew))
    totals = _totals(sets, points, contestants, penalties, notes)
    unknown = any(side.why for one in sets for index in one.members for side in points[index])
    counting = [penalty for penalty in penalties if penalty.kind != "warning" or penalty.supersedes]
    unsettled = any(penalty.state in ("pending", "provisional") for penalty in counting)
    provisional = unknown or unsettled or any(entry.provisional for entry in entries)
    found = tuple(notes.found.values())
    return Event(policy, tuple(scored), totals, provisional, found, tuple(sets), MappingProxyType(contestants))


def revised(event: Event, index: int, entry: Entry) -> Mapping[int, tuple[Points, Points]]:
    """What everybody gets whose points would change if the entry at ``index`` were this one: (NS, EW) by index.

    The numbers of the whole event scored again in a fraction of the time: only what is compared with it is computed.
    The number of results expected stays as it was, also when this one becomes one not played.
    """
    one = next((each for each in event.compared if index in each.members), None)
    if one is None:
        return {}
    notes = _Notes()
    lines = [scored.line for scored in event.scored]
    lines[index] = _line(entry, one.old_undertricks, notes)
    points = [(scored.ns, scored.ew) for scored in event.scored]
    for member, pair in zip(one.members, _earned(one, lines, event.policy, notes), strict=False):
        points[member] = pair
    _follow_session(lines, event.compared, points, event.contestants)
    return {
        number: pair
        for number, (pair, scored) in enumerate(zip(points, event.scored, strict=True))
        if (pair[0].value, pair[1].value) != (scored.ns.value, scored.ew.value)
    }


# Steps of score_event


@dataclass(frozen=True, slots=True)
class Compared:
    """Entries (by position) that one method compares with one another, in one ``session``."""

    method: Method
    session: tuple[str, ...]
    members: list[int]
    expected: int
    old_undertricks: bool = False


def _methods_of_games(
    entries: Sequence[Entry], tags: Mapping[int, Game], methods: list[Method], notes: _Notes
) -> dict[int, tuple[Method | None, bool]]:
    """For each game the method that its Scoring tag asks for, and whether undertricks are counted as before 1987."""
    printed: dict[int, set[str]] = {}
    for entry in entries:
        printed.setdefault(entry.result.game, set()).update(entry.result.printed)
    chosen: dict[int, tuple[Method | None, bool]] = {}
    for number, columns in printed.items():
        game = tags.get(number)
        text = (game.value("Scoring") if game else None) or ""
        words = {word.strip().lower() for word in text.split(";")} - {"", "?", "-"}
        old = "oldmp" in words
        words.discard("oldmp")
        if not words:
            guess = "mp" if columns & {"mp_ns", "mp_ew"} else "imp" if columns & {"imp_ns", "imp_ew"} else ""
            words = {guess} - {""}
            found = f"its columns say {guess.upper()}" if guess else "nothing else says how it is scored"
            notes.add("note", "scoring-missing", f"no Scoring tag; {found}", number)
        serving = [method for method in methods if words and words <= {word.lower() for word in method.words}]
        method = min(serving, key=lambda method: (len(method.words), method.name), default=None)
        if words and not method:
            notes.add("error", "scoring-unserved", f"no method serves Scoring {text!r}: results unknown", number)
        chosen[number] = (method, old)
    return chosen


def _settled(entry: Entry) -> Score:
    """The award with ``table`` replaced by what the file itself gives."""
    ns, ew, own = entry.award.ns, entry.award.ew, entry.result.award
    if "table" not in (ns.kind, ew.kind):
        return entry.award
    return Score(own.ns if ns.kind == "table" else ns, own.ew if ew.kind == "table" else ew)


def _line(entry: Entry, old_undertricks: bool, notes: _Notes) -> Line:
    score = _settled(entry)
    ns = _standing(score.ns, entry, old_undertricks, notes)
    return Line(entry, ns, ns if score.ew == score.ns else _standing(score.ew, entry, old_undertricks, notes))


_NO_PART = Standing()


@lru_cache(maxsize=1024)
def _plain(points: int) -> Standing:
    return Standing(((1, points),))


def _standing(award: Award, entry: Entry, old_undertricks: bool, notes: _Notes) -> Standing:
    result = entry.result
    if award.kind == "table":
        return _at_the_table(result, old_undertricks, notes)
    if award.kind in ("not played", "cancelled"):
        return _NO_PART
    if award.kind == "late":
        notes.add("note", "result-late", f"board {result.board}: {_who(result)} will play it later", result.game)
        return Standing(why="to be played later")
    if award.kind != "outcomes":
        return Standing(award=award, averages=entry.averages)
    weights: dict[int, Number] = {}
    for weight, outcome in award.outcomes:
        points = points_ns(outcome, result.vulnerable, old_undertricks)
        if points is None:
            why = f"the vulnerability is unknown, so {outcome} has no score"
            notes.add("error", "vulnerability-unknown", f"board {result.board}: {why}", result.game)
            return Standing(why=why)
        weights[points] = weights.get(points, 0) + weight
    if len(weights) == 1:
        return _plain(next(iter(weights)))
    return Standing(tuple((weight, points) for points, weight in weights.items()))


def _at_the_table(result: Result, old_undertricks: bool, notes: _Notes) -> Standing:
    """The file's own result: contract and printed points must agree where both are there."""
    printed, outcome = result.points, result.outcome
    if outcome is None:
        if printed is not None:
            return _plain(printed)
        why = result.why or "no result yet"
        notes.add("note", "result-missing", f"board {result.board}, {_who(result)}: {why}", result.game)
        return Standing(why=why)
    computed = points_ns(outcome, result.vulnerable, old_undertricks)
    if computed is not None and printed in (None, computed):
        return _plain(computed)
    if printed is not None and computed is None:
        possible = {points_ns(outcome, word, old_undertricks) for word in ("none", "all")}
        if printed in possible:
            return _plain(printed)
    if printed is None:
        why, code = f"the vulnerability is unknown, so {outcome} has no score", "vulnerability-unknown"
    else:
        worth = "something else" if computed is None else str(computed)
        why = f"the file prints {printed} for North-South, but {outcome} is worth {worth}; correct the wrong one"
        code = "score-contradicts-contract"
    notes.add("error", code, f"board {result.board}, {_who(result)}: {why}", result.game)
    return Standing(why=why)


def _who(result: Result) -> str:
    pair = "-".join(filter(None, (result.keys.get("ns"), result.keys.get("ew"))))
    place = " ".join(f"{key} {result.keys[key]}" for key in ("table", "room") if result.keys.get(key))
    return pair or place or f"game {result.game}"


def _compared_sets(
    lines: Sequence[Line], chosen: Mapping[int, tuple[Method | None, bool]], policy: Policy, notes: _Notes
) -> list[Compared]:
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        method, _ = chosen[line.entry.result.game]
        if method:
            groups[method, *_comparison(line, method)].append(index)
    # Sections whose results stand in one table are one field: a board that only one of them played misses the others.
    meeting: dict[tuple[Any, ...], set[str]] = {}
    for (method, session, *_), members in groups.items():
        sections = {_section(lines[i]) for i in members}
        sections.update(*(meeting.get((method, session, section), ()) for section in sections))
        meeting.update(((method, session, section), sections) for section in sections)
    expected: dict[tuple[Any, ...], int] = defaultdict(int)
    where = []
    for (method, session, *_), members in groups.items():
        where.append((method, session, min(meeting[method, session, _section(lines[members[0]])])))
        count = sum(policy.not_played_expected or lines[i].ns.played or lines[i].ew.played for i in members)
        expected[where[-1]] = max(expected[where[-1]], count)
    sets: list[Compared] = []
    for place, members in zip(where, groups.values(), strict=True):
        method, session, _ = place
        parts = [members] if method.compares == "field" else _rooms(lines, members, notes)
        _, old = chosen[lines[members[0]].entry.result.game]
        sets.extend(Compared(method, session, part, expected[place], old) for part in parts)
    return sets


def _section(line: Line) -> str:
    """The row's Section column, else the game's Section tag."""
    return line.entry.result.keys.get("section", "")


def _comparison(line: Line, method: Method) -> tuple[Any, ...]:
    """The session that a result belongs to, then what it is compared with there."""
    result = line.entry.result
    keys = result.keys
    session = tuple(keys.get(key, "") for key in ("event", "session", "stage"))
    if method.compares == "field":
        return (session, result.game) if result.row is not None else (session, _section(line), result.board, "games")
    if result.row is not None:
        sides = frozenset(keys.get(side, "") for side in ("ns", "ew"))
        return session, result.game, sides if len(sides - {""}) == 2 else result.row
    return session, _section(line), keys.get("round", ""), keys.get("segment", ""), _match(keys), result.board, "games"


def _match(keys: Mapping[str, str]) -> str:
    return keys.get("match") or keys.get("table") or ""


def _room(keys: Mapping[str, str]) -> str:
    room = keys.get("room", "").strip().lower()
    return room if room in ("open", "closed") else ""


def _rooms(lines: Sequence[Line], members: list[int], notes: _Notes) -> list[list[int]]:
    """The members as the two rooms of one match; each alone when they cannot be that."""
    if len(members) == 1:
        return [members]
    first, second = (lines[index].entry.result for index in members[:2])
    if first.row is not None:
        meet = _mirrored(first.keys, second.keys)
    else:
        rooms = {_room(first.keys), _room(second.keys)}
        named = bool(_match(first.keys))
        meet = rooms == {"open", "closed"} or (named and (rooms == {""} or len(rooms) == 2))
    if len(members) == 2 and meet:
        return [members]
    text = f"board {first.board}: {len(members)} results are not the two rooms of one match"
    notes.add("error", "rooms-unclear", f"{text}; Room, HomeTeam, VisitTeam and Table tell them apart", first.game)
    return [[index] for index in members]


def _mirrored(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    ns, ew = first.get("ns"), first.get("ew")
    return bool(ns and ew) and (ns, ew) == (second.get("ew"), second.get("ns"))


def _earned(one: Compared, lines: Sequence[Line], policy: Policy, notes: _Notes) -> list[tuple[Points, Points]]:
    """What the method answers for one comparison; empty, and a problem, when it fails or answers with anything else."""
    name, count = one.method.name, len(one.members)
    try:
        earned = list(one.method.score([lines[index] for index in one.members], one.expected, policy))
        if len(earned) != count:
            raise ValueError(f"{len(earned)} pairs of Points for {count} results")
        for pair in earned:
            if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(side, Points) for side in pair)):
                raise TypeError(f"{type(pair).__name__} in the place of a pair of Points")
            numbers = [number for side in pair for number in (side.value, side.percent, side.top)]
            if not all(isinstance(number, int | Fraction | None) for number in numbers):
                raise TypeError(f"{pair} has numbers that are neither int nor Fraction")
        return earned
    except Exception as wrong:  # whatever a plugin may do
        text = f"the scoring method {name} failed: {type(wrong).__name__}: {' '.join(str(wrong).split())}"
        notes.add("error", "method-failed", text, lines[one.members[0]].entry.result.game, once=name)
        return []


_Sides = tuple[Contestant | None, Contestant | None]
_NOBODY = ("", "?", "-")


def _contestants(
    lines: Sequence[Line], sets: Sequence[Compared], tags: Mapping[int, Game], notes: _Notes
) -> dict[int, _Sides]:
    """Who sits North-South and East-West in each entry that is compared."""
    found: dict[int, _Sides] = {}
    fields = [one for one in sets if one.method.compares == "field"]
    for one in sets:
        if one.method.compares != "field":
            rooms = [lines[index].entry.result for index in one.members]
            found.update(zip(one.members, _teams(rooms, tags), strict=True))
    results = {index: lines[index].entry.result for one in fields for index in one.members}
    labels = _pair_labels(results)
    ways = _ways(labels, fields)
    for one in fields:
        for index in one.members:
            ns, ew = (
                Contestant("pair", label, ways.get(label, way)) if label else None
                for label, way in zip(labels[index], ("NS", "EW"), strict=True)
            )
            found[index] = ns, ew
        seen = Counter(side for index in one.members for side in found[index] if side)
        for contestant in (contestant for contestant, times in seen.items() if times > 1):
            result = lines[one.members[0]].entry.result
            text = f"board {result.board}: pair {contestant.label} has {seen[contestant]} results"
            notes.add("error", "pair-twice", text, result.game)
    named = [side is not None for sides in found.values() for side in sides]
    if any(named) and not all(named):
        notes.add("note", "contestant-unknown", "some results name no pair or team; they are in no total")
    return found


def _ways(labels: Mapping[int, tuple[str, str]], fields: Sequence[Compared]) -> dict[str, str]:
    """The direction of each pair's standings, left out where a number sits both ways on one board: two pairs.

    One field, without directions, when most pairs change them. A pair that sat the wrong way once stays where it is.
    """
    twice = sum(bool({labels[i][0] for i in one.members} & {labels[i][1] for i in one.members}) for one in fields)
    if 2 * twice > len(fields):
        return {}
    ns, ew = (Counter(sides[side] for sides in labels.values()) for side in (0, 1))
    if 2 * len(ns.keys() & ew.keys()) > len(ns.keys() | ew.keys()):
        return dict.fromkeys(ns.keys() | ew.keys(), "")
    return {label: "NS" if ns[label] >= ew[label] else "EW" for label in ns.keys() | ew.keys()}


def _pair_labels(results: Mapping[int, Result]) -> dict[int, tuple[str, str]]:
    """Pair numbers, all with the section before them if sections use the same ones; else the players at the seats."""
    sections: dict[str, set[str]] = defaultdict(set)
    for result in results.values():
        for side in ("ns", "ew"):
            sections[result.keys.get(side, "")].add(result.keys.get("section", ""))
    reused = any(len(found) > 1 for number, found in sections.items() if number not in _NOBODY)

    def label(keys: Mapping[str, str], side: str) -> str:
        number = keys.get(side, "")
        if number not in _NOBODY:
            section = keys.get("section", "") if reused else ""
            return f"{section}-{number}" if section[-1:].isdigit() else f"{section}{number}"
        players = [keys.get(seat, "") for seat in side]
        return ";".join(players) if not set(players) & set(_NOBODY) else ""

    return {index: (label(result.keys, "ns"), label(result.keys, "ew")) for index, result in results.items()}


def _teams(results: Sequence[Result], tags: Mapping[int, Game]) -> list[_Sides]:
    """The teams of one board of one match: rows and mirrored pairs by ns and ew, else by HomeTeam and VisitTeam."""
    by_number = results[0].row is not None or (len(results) == 2 and _mirrored(results[0].keys, results[1].keys))
    found: list[_Sides] = []
    for result in results:
        game, room = tags.get(result.game), _room(result.keys)
        names = [(game.value(tag) or "") if game else "" for tag in ("HomeTeam", "VisitTeam")]
        match = result.keys.get("match", "")
        if room and not set(names) & set(_NOBODY):
            names = names if room == "open" else names[::-1]
        else:
            names = [result.keys.get(side, "") for side in ("ns", "ew")] if by_number else ["", ""]
        ns, ew = (Contestant("team", name, "", match) if name not in _NOBODY else None for name in names)
        found.append((ns, ew))
    return found


def _follow_session(
    lines: Sequence[Line],
    sets: Sequence[Compared],
    points: list[tuple[Points, Points]],
    contestants: Mapping[int, _Sides],
) -> None:
    """Average plus and minus at matchpoints, now that every contestant's other boards of the session are known.

    All boards with an average by the law are left out together, so that none of them depends on another.
    """
    earned: dict[tuple[Any, ...], list[Number]] = defaultdict(lambda: [0, 0])
    by_law: list[tuple[Compared, int, int]] = []
    for one in sets:
        if one.method.unit != "mp":
            continue
        for index in one.members:
            line = lines[index]
            for side, standing in enumerate((line.ns, line.ew)):
                side_points = points[index][side]
                if standing.award and standing.award.kind == "average":
                    by_law.append((one, index, side))
                elif side_points.value is not None and side_points.top:
                    sums = earned[contestants[index][side], one.session]
                    sums[0] += side_points.value
                    sums[1] += side_points.top
    for one, index, side in by_law:
        standing, before = (lines[index].ns, lines[index].ew)[side], points[index][side]
        contestant = contestants[index][side]
        value, top = earned[contestant, one.session] if contestant else (0, 0)
        percent, _ = _percent(standing, Fraction(value) * 100 / top if top else None)
        if percent is None or before.top is None:
            continue
        after = Points(Fraction(before.top) * percent / 100, percent, before.top)
        points[index] = (points[index][0], after) if side else (after, points[index][1])


def _note_unknown(
    lines: Sequence[Line], sets: Sequence[Compared], points: Sequence[tuple[Points, Points]], notes: _Notes
) -> None:
    """A problem for each score that the comparison left unknown; a side unknown by itself has its own already."""
    for one in sets:
        for index in one.members:
            line, result = lines[index], lines[index].entry.result
            for standing, side in zip((line.ns, line.ew), points[index], strict=True):
                if side.why and not standing.why:
                    text = f"board {result.board}, {_who(result)}: {side.why}"
                    notes.add("error" if standing.award else "note", "score-unknown", text, result.game)


def _totals(
    sets: Sequence[Compared],
    points: Sequence[tuple[Points, Points]],
    contestants: Mapping[int, _Sides],
    penalties: Iterable[Penalty],
    notes: _Notes,
) -> tuple[Total, ...]:
    won: dict[tuple[Contestant, str], list[Points]] = defaultdict(list)
    for one in sets:
        # Both rooms of a match are one board for either team.
        for index in one.members if one.method.compares == "field" else one.members[:1]:
            for contestant, side in zip(contestants[index], points[index], strict=True):
                if contestant:
                    won[contestant, one.method.unit].append(side)
    matches: dict[tuple[str, str], set[str]] = defaultdict(set)
    for contestant, unit in won:
        matches[contestant.label, unit].add(contestant.match)
    for (contestant, unit), boards in list(won.items()):
        if contestant.match and len(matches[contestant.label, unit]) > 1:
            won[replace(contestant, match=""), unit].extend(boards)
    due = _penalties_due(list(won), penalties, notes)
    totals = [_total(contestant, unit, boards, due[contestant], notes) for (contestant, unit), boards in won.items()]
    return _ranked(totals)


def _penalties_due(
    contestants: Sequence[tuple[Contestant, str]], penalties: Iterable[Penalty], notes: _Notes
) -> dict[Contestant, list[Penalty]]:
    due: dict[Contestant, list[Penalty]] = defaultdict(list)
    for penalty in penalties:
        named = [
            contestant
            for contestant, _ in contestants
            if contestant.label == penalty.contestant and penalty.direction in ("", contestant.direction)
        ]
        whole = [contestant for contestant in named if not contestant.match] or named
        if len(whole) != 1:
            text = "is not in these results" if not whole else "is more than one; give direction = NS or EW"
            notes.add("error", "penalty-contestant", f"penalty {penalty.id}: {penalty.contestant} {text}")
        elif penalty.kind != "warning" and penalty.state != "pending":
            due[whole[0]].append(penalty)
    return due


def _total(
    contestant: Contestant, unit: str, boards: Sequence[Points], penalties: Sequence[Penalty], notes: _Notes
) -> Total:
    known = [board for board in boards if board.value is not None]
    total: Number | None = sum(board.value for board in known if board.value is not None) if known else None
    top: Number = sum(board.top or 0 for board in known)
    off: Number = 0
    for penalty in penalties:
        if unit == "mp" and penalty.unit == "top":
            off += penalty.amount / 100 * max((board.top or 0 for board in known), default=0)
        elif unit == "mp" and penalty.unit == "percent":
            off += penalty.amount / 100 * top
        elif unit == "imp" and penalty.unit == "imp":
            off += penalty.amount
        elif unit == "imp" and penalty.unit == "vp":
            notes.add("note", "penalty-vp", f"penalty {penalty.id} comes off the victory points, not off these IMPs")
        else:
            total = None
            text = f"penalty {penalty.id} is in {penalty.unit or 'no unit'}, the event in {unit}; the total is unknown"
            notes.add("error", "penalty-unit", text)
    if total is not None:
        total += off
    percent = Fraction(total) * 100 / top if total is not None and top else None
    return Total(contestant, unit, len(known), top, total, percent, off)


def _ranked(totals: Iterable[Total]) -> tuple[Total, ...]:
    """In the order of the standings, by percentage at matchpoints (boards may be unequal) and by sum at IMPs."""
    standings: dict[tuple[str, ...], list[Total]] = defaultdict(list)
    for total in totals:
        who = total.contestant
        standings[total.unit, who.kind, who.match, who.direction].append(total)
    found: list[Total] = []
    for table in standings.values():
        known = [(total.percent if total.unit == "mp" else total.total, total) for total in table]
        known.sort(key=lambda item: (item[0] is None, -(item[0] or 0), item[1].contestant.label.zfill(9)))
        best: dict[Number | None, int | None] = {None: None}
        for place, (merit, total) in enumerate(known, 1):
            found.append(replace(total, rank=best.setdefault(merit, place)))
    return tuple(found)
