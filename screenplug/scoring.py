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

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from .comparison import Line as Line
from .comparison import Method as Method
from .comparison import Points as Points
from .comparison import Standing as Standing
from .comparison import imps_of, percent_of
from .model import EMPTY, TABLE, Award, Fouled, Game, Outcome, Problem, Result, Score
from .points import Number, points_ns
from .policy import NEUTRAL, Averages, Policy, show
from .totals import NOTHING_ELSE, Compared, Contest, Contestant, Notes, Sides, Total, Totals

Instant = tuple[tuple[tuple[tuple[int, int], tuple[int, int]], Mapping[str, Number]], ...]
"""Rows of an InstantScoreTable: the North-South and the East-West range of scores, and what they give."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One result with what counts for it: the file's own score (``table``) or a ruling's.

    ``averages`` come from the edition of the Laws that the ruling stands on; ``provisional`` when it may change;
    ``instant`` is the game's InstantScoreTable where it is scored by one; ``without_error`` as in the ruling.
    """

    result: Result
    award: Score
    averages: Averages | None = None
    provisional: bool = False
    instant: Instant = ()
    without_error: Mapping[str, Outcome] = field(default_factory=lambda: EMPTY)


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
    contestants: Mapping[int, Sides] = field(default_factory=dict)

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
            "totals": [self.total_json(total) for total in self.totals],
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

    def total_json(self, total: Total) -> dict[str, Any]:
        """One contestant's total as in the score JSON."""

        def shown(number: Number | None, average: Number = 0) -> str | None:
            return None if number is None else show(number, self.policy, average)

        return {
            "contestant": total.contestant.label,
            "kind": total.contestant.kind,
            "direction": total.contestant.direction,
            "match": total.contestant.match or None,
            "total": shown(total.total, Fraction(total.top) / 2),
            "percent": shown(total.percent, 50),
            "vp": shown(total.vp),
            "boards": total.boards,
            "penalty": shown(total.penalty),
            "rank": total.rank,
        }


def score_event(
    entries: Sequence[Entry],
    games: Iterable[Game],
    methods: Iterable[Method],
    policy: Policy = NEUTRAL,
    contest: Contest = NOTHING_ELSE,
    only: Collection[int] | None = None,
) -> Event:
    """Score every entry and total the contestants.

    With ``only`` just what these entries (by index) are compared with is scored, and nothing is totalled: the same
    points for them, in less time.

    ``entries`` are all results of the event, one each, with the rulings in force; ``games`` the games that they are
    in, for the Scoring, HomeTeam, VisitTeam and Competition tags. A pending or provisional penalty leaves the totals
    provisional.

    A board's field is the ScoreTable of one game, or all games with that Board in the same event, session, stage and
    section. The number of results expected is the largest of any board of the session and section (or of the sections
    that meet in one ScoreTable), late and unknown ones included; boards not played only when the policy says so, and a
    cancelled result counts as one not played: neither side gets anything for it, and it is no board of theirs; a pair
    that sits out is never expected to have one. Rooms
    meet by HomeTeam and VisitTeam (or Table), round, segment and board; rows of a ScoreTable when ns and ew are
    mirrored. The home team sits North-South in the open room. Never raises on content.
    """
    notes = Notes()
    tags = {game.number: game for game in games}
    chosen = _methods_of_games(entries, tags, list(methods), notes)
    lines = [_line(entry, chosen[entry.result.game][1], notes) for entry in entries]
    sets = _compared_sets(lines, chosen, policy, contest.fouled, notes)
    # An average by the law hangs on the whole session.
    whole = only is None or any(s.award and s.award.kind == "average" for line in lines for s in (line.ns, line.ew))
    if only is not None and not whole:
        sets = [one for one in sets if any(index in only for index in one.members)]
    nothing, unserved = Points(), Points(why="no method")
    points = [(nothing, nothing) if _sits_out(line) else (unserved, unserved) for line in lines]
    answered = []
    for one in sets:
        earned = _due(one, lines, notes)
        if earned:
            answered.append(one)
        failed = Points(why=f"the scoring method {one.method.name} failed")
        points_of = earned or [(failed, failed)] * len(one.members)
        for index, pair in zip(one.members, points_of, strict=True):
            points[index] = pair
    contestants = _contestants(lines, sets, tags, contest, notes) if whole else {}
    if whole:
        _follow_session(lines, sets, points, contestants, policy)
        _note_unknown(lines, answered, points, notes)

    scored = []
    for line, (ns, ew) in zip(lines, points, strict=True):
        method, _ = chosen[line.entry.result.game]
        kind = "table" if line.entry.award is TABLE and line.entry.result.award is TABLE else _settled(line.entry).kind
        scored.append(Scored(line, method.name if method else "", method.unit if method else "", kind, ns, ew))
    totals = Totals(lines, sets, points, contestants, contest, policy, notes).ranked() if whole else ()
    unknown = any(side.why for one in sets for index in one.members for side in points[index])
    counting = [penalty for penalty in contest.penalties if penalty.kind != "warning" or penalty.supersedes]
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
    notes = Notes()
    lines = [scored.line for scored in event.scored]
    lines[index] = _line(entry, one.old_undertricks, notes)
    points = [(scored.ns, scored.ew) for scored in event.scored]
    for member, pair in zip(one.members, _due(one, lines, notes), strict=False):
        points[member] = pair
    _follow_session(lines, event.compared, points, event.contestants, event.policy)
    return {
        number: pair
        for number, (pair, scored) in enumerate(zip(points, event.scored, strict=True))
        if (pair[0].value, pair[1].value) != (scored.ns.value, scored.ew.value)
    }


# Steps of score_event


def _methods_of_games(
    entries: Sequence[Entry], tags: Mapping[int, Game], methods: list[Method], notes: Notes
) -> dict[int, tuple[Method | None, bool]]:
    """For each game the method that its Scoring tag asks for, and whether undertricks are counted as before 1987."""
    printed: dict[int, set[str]] = {}
    for entry in entries:
        printed.setdefault(entry.result.game, set()).update(entry.result.printed)
    chosen: dict[int, tuple[Method | None, bool]] = {}
    known: dict[frozenset[str], Method | None] = {}  # a file's games say few different things
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
            told = "Scoring says OldMP alone" if old else "no Scoring tag"
            notes.add("note", "scoring-missing", f"{told}; {found}", number)
        key = frozenset(words)
        if key not in known:
            serving = [method for method in methods if words and words <= {word.lower() for word in method.words}]
            known[key] = min(serving, key=lambda method: (len(method.words), method.name), default=None)
        method = known[key]
        if words and not method:
            notes.add("error", "scoring-unserved", f"no method serves Scoring {text!r}: results unknown", number)
        chosen[number] = (method, old)
    return chosen


def _settled(entry: Entry) -> Score:
    """The award with ``table`` replaced by what the file itself gives."""
    ns, ew, own = entry.award.ns, entry.award.ew, entry.result.award
    if ns.kind == ew.kind == "table":
        return own
    if "table" not in (ns.kind, ew.kind):
        return entry.award
    return Score(own.ns if ns.kind == "table" else ns, own.ew if ew.kind == "table" else ew)


def _line(entry: Entry, old_undertricks: bool, notes: Notes) -> Line:
    score = _settled(entry)
    ns = _standing(score.ns, entry, old_undertricks, notes)
    same = score.ew is score.ns or score.ew == score.ns
    return Line(entry, ns, ns if same else _standing(score.ew, entry, old_undertricks, notes))


_NO_PART = Standing()


@lru_cache(maxsize=1024)
def _plain(points: int) -> Standing:
    return Standing(((1, points),))


def _standing(award: Award, entry: Entry, old_undertricks: bool, notes: Notes) -> Standing:
    result = entry.result
    if award.kind == "table":
        return _at_the_table(result, old_undertricks, notes)
    if award.kind in ("not played", "cancelled", "sit-out"):
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


def _at_the_table(result: Result, old_undertricks: bool, notes: Notes) -> Standing:
    """The file's own result: contract and printed points must agree where both are there."""
    printed, outcome = result.points, result.outcome
    if outcome is None:
        if printed is not None:
            if result.why:
                notes.add("note", "contract-unread", f"board {result.board}, {_who(result)}: {result.why}", result.game)
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
    lines: Sequence[Line],
    chosen: Mapping[int, tuple[Method | None, bool]],
    policy: Policy,
    fouled: Sequence[Fouled],
    notes: Notes,
) -> list[Compared]:
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        method, _ = chosen[line.entry.result.game]
        if method and (method.compares == "field" or not _sits_out(line)):  # a team without opponents has no rooms
            times = line.entry.result.times if method.compares == "field" else 1
            groups[method, *_comparison(line, method)] += [index] * times
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
        count = sum(
            (lines[i].ns.played or lines[i].ew.played or policy.not_played_expected) and not _sits_out(lines[i])
            for i in members
        )
        expected[where[-1]] = max(expected[where[-1]], count)
    # The one group of a board, or the largest of a fouled one.
    whole = replace(policy, small_groups=tuple(each for each in policy.small_groups if not each.beside_larger))
    sets: list[Compared] = []
    divided = _fouled_boards(lines, list(groups.values()), fouled, notes)
    for number, (place, members) in enumerate(zip(where, groups.values(), strict=True)):
        method, session, _ = place
        given = divided.get(number)
        parts = _groups(lines, members, given, method, notes) if given else [members]
        if method.compares != "field":
            parts = [room for part in parts for room in _rooms(lines, part, notes)]
        _, old = chosen[lines[members[0]].entry.result.game]
        largest = max(map(len, parts))
        for part in parts:
            by = whole if method.compares != "field" or len(part) == largest else policy
            sets.append(Compared(method, session, part, expected[place], by, old))
    return sets


def _fouled_boards(
    lines: Sequence[Line], boards: Sequence[Sequence[int]], fouled: Sequence[Fouled], notes: Notes
) -> dict[int, Fouled]:
    """Which of the boards (each the results that are compared with one another) are fouled, by position."""
    found: dict[int, Fouled] = {}
    for each in fouled:
        hits = [number for number, members in enumerate(boards) if any(_names(each, lines[index]) for index in members)]
        told = " ".join(f"{key} {value}" for key, value in each.where.items())
        what = f"fouled board {each.board}{f' of {told}' if told else ''} ({each.file}:{each.line})"
        if len(hits) > 1:
            firsts = [lines[boards[number][0]].entry.result.keys for number in hits]
            telling = [key for key in ("event", "session", "section") if len({keys.get(key) for keys in firsts}) > 1]
            add = f"; add {' or '.join(telling)}" if telling else "; nothing tells them apart"
            notes.add("error", "fouled-twice", f"{what}: {len(hits)} boards have this number{add}. Not divided")
        elif not hits:
            notes.add("error", "fouled-unknown", f"{what}: there is no such board in these results")
        elif hits[0] in found:
            other = found[hits[0]]
            text = f"{what}: divided already by {other.file}:{other.line}; let one entry have all its groups"
            notes.add("error", "fouled-twice", text)
        else:
            found[hits[0]] = each
    return found


def _names(fouled: Fouled, line: Line) -> bool:
    """Whether a fouled board's keys are this result's; a session only where the file says sessions."""
    result = line.entry.result
    return fouled.board.lstrip("0") == result.board.lstrip("0") and all(
        result.keys.get(key, value if key == "session" else "").lstrip("0") == value.lstrip("0")
        for key, value in fouled.where.items()
    )


def _groups(lines: Sequence[Line], members: list[int], given: Fouled, method: Method, notes: Notes) -> list[list[int]]:
    """The results that saw the same board (Law 87): the groups that the rulings file gives, and who is in none."""
    first = lines[members[0]].entry.result
    if method.compares != "field":
        text = f"board {first.board} is fouled: between two rooms that is a matter of Law 86B; award the scores"
        notes.add("note", "fouled-match", text, first.game)
        return [members]
    of_pairs = {pairs: number for number, group in enumerate(given.groups) for pairs in group}
    parts: dict[int, list[int]] = {}
    seen: set[str] = set()
    for index in members:
        keys = lines[index].entry.result.keys
        pairs = f"{keys.get('ns', '?')}-{keys.get('ew', '?')}" if _names(given, lines[index]) else ""
        seen.add(pairs)
        parts.setdefault(of_pairs.get(pairs, len(given.groups)), []).append(index)
    if left := parts.get(len(given.groups)):
        who = ", ".join(_who(lines[index].entry.result) for index in left)
        text = f"fouled board {first.board}: {who} in no group; compared with one another"
        notes.add("note", "fouled-incomplete", text, first.game)
    if missing := [pairs for pairs in of_pairs if pairs not in seen]:
        text = f"fouled board {first.board}: no result of {', '.join(missing)} there"
        notes.add("note", "fouled-unknown", text, first.game)
    return list(parts.values())


def _sits_out(line: Line) -> bool:
    """Whether one side has nobody against it; it may have an artificial score for that."""
    score = line.entry.result.award  # whatever a ruling gives to the one pair, nobody plays the board there
    return "sit-out" in (score.ns.kind, score.ew.kind)


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


def _rooms(lines: Sequence[Line], members: list[int], notes: Notes) -> list[list[int]]:
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


def _earned(one: Compared, lines: Sequence[Line], notes: Notes) -> list[tuple[Points, Points]]:
    """What the method answers for one comparison; empty, and a problem, when it fails or answers with anything else."""
    name, count = one.method.name, len(one.members)
    try:
        earned = list(one.method.score([lines[index] for index in one.members], one.expected, one.policy))
        if len(earned) != count:
            raise ValueError(f"{len(earned)} pairs of Points for {count} results")
        for pair in earned:
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise TypeError(f"{type(pair).__name__} in the place of a pair of Points")
        for side in {id(side): side for pair in earned for side in pair}.values():  # equal results share theirs
            if not isinstance(side, Points):
                raise TypeError(f"tuple in the place of a pair of Points: one side is {type(side).__name__}")
            if not all(isinstance(number, int | Fraction | None) for number in (side.value, side.percent, side.top)):
                raise TypeError(f"{side} has numbers that are neither int nor Fraction")
        return earned
    except Exception as wrong:  # whatever a plugin may do
        text = f"the scoring method {name} failed: {type(wrong).__name__}: {' '.join(str(wrong).split())}"
        notes.add("error", "method-failed", text, lines[one.members[0]].entry.result.game, once=name)
        return []


def _due(one: Compared, lines: Sequence[Line], notes: Notes) -> list[tuple[Points, Points]]:
    """What the members of one comparison get: what the method answers, less what a side's own error cost it."""
    due = _earned(one, lines, notes)
    for place, index in enumerate(one.members) if due else ():
        if lines[index].entry.without_error:
            due[place] = _reduced(one, lines, place, due[place], notes)
            if one.method.compares != "field" and len(due) == 2:  # either team has one score in both rooms
                due[1 - place] = due[place][::-1]
    return due


_NOBODY = ("", "?", "-")


def _reduced(
    one: Compared, lines: Sequence[Line], place: int, due: tuple[Points, Points], notes: Notes
) -> tuple[Points, Points]:
    """What is left to a side that damaged itself as well (Law 12C1(b) of 2007, 12C1(e) of 2017), in the scoring unit.

    With A what the side had at the table, B the adjusted score and C what it would have had with the infraction but
    without its own error, each after comparison: B - (C - A) when B is more than C, and A otherwise.
    """
    index = one.members[place]
    entry, found = lines[index].entry, list(due)
    for number, side in enumerate(("ns", "ew")):
        if side not in entry.without_error:
            continue
        other = Award("outcomes", ((Fraction(1), entry.without_error[side]),))
        values = []
        for award in (TABLE.ns, other):
            trial = list(lines)
            standing = _standing(award, entry, one.old_undertricks, notes)
            trial[index] = Line(entry, standing, standing)
            pairs = _earned(one, trial, notes)
            values.append(pairs[place][number].value if pairs else None)
        had, without = values
        value, top = due[number].value, due[number].top
        if had is None or without is None or value is None:
            found[number] = Points(why="what the side's own error cost is unknown")
            continue
        left = value - (without - had) if value > without else had
        found[number] = Points(left, Fraction(left) * 100 / top if top else None, top)
    return found[0], found[1]


def _contestants(
    lines: Sequence[Line], sets: Sequence[Compared], tags: Mapping[int, Game], contest: Contest, notes: Notes
) -> dict[int, Sides]:
    """Who sits North-South and East-West in each entry that is compared."""
    found: dict[int, Sides] = {}
    decided = bool(contest.scale) or contest.knock_out  # match by match
    fields = [one for one in sets if one.method.compares == "field"]
    for one in sets:
        if one.method.compares != "field":
            rooms = [lines[index].entry.result for index in one.members]
            found.update(zip(one.members, _teams(rooms, tags, decided), strict=True))
    _join_exchanged(found, lines, contest.knock_out)
    if contest.scale and not contest.knock_out:
        _tell_matches_apart(found, lines)
    results = {index: lines[index].entry.result for one in fields for index in one.members}
    alone = {number for number, game in tags.items() if (game.value("Competition") or "").lower() == "individuals"}
    labels = _pair_labels({index: result for index, result in results.items() if result.game not in alone})
    ways = _ways(labels, [one for one in fields if one.members[0] in labels])
    pairs: dict[tuple[str, str], tuple[Contestant, ...]] = {("", "NS"): (), ("", "EW"): ()}
    for one in fields:
        for index in one.members:
            if index not in labels:
                keys = results[index].keys
                ns, ew = (
                    tuple(Contestant("player", keys[seat]) for seat in seats if keys.get(seat, "") not in _NOBODY)
                    for seats in ("ns", "ew")
                )
            else:
                ns, ew = (
                    pairs.get(key) or pairs.setdefault(key, _pair(key, ways))
                    for key in zip(labels[index], ("NS", "EW"), strict=True)
                )
            found[index] = ns, ew
        everybody = [each for index in dict.fromkeys(one.members) for side in found[index] for each in side]
        seen = Counter(everybody) if len(set(everybody)) < len(everybody) else Counter()
        for contestant in (contestant for contestant, times in seen.items() if times > 1):
            result = lines[one.members[0]].entry.result
            text = f"board {result.board}: {contestant.kind} {contestant.label} has {seen[contestant]} results"
            notes.add("error", "pair-twice", text, result.game)
    named = [bool(side) for index, sides in found.items() for side in sides if side or not _sits_out(lines[index])]
    if any(named) and not all(named):
        notes.add("note", "contestant-unknown", "some results name no pair or team; they are in no total")
    return found


def _pair(key: tuple[str, str], ways: Mapping[str, str]) -> tuple[Contestant, ...]:
    label, way = key
    return (Contestant("pair", label, ways.get(label, way)),) if label else ()


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


def pair_label(section: str, number: str) -> str:
    """``A3``, or ``1-3`` of a section 1: a pair number that other sections use too."""
    return f"{section}-{number}" if section[-1:].isdigit() else f"{section}{number}"


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
            return pair_label(keys.get("section", "") if reused else "", number)
        players = [keys.get(seat, "") for seat in side]
        return ";".join(players) if not set(players) & set(_NOBODY) else ""

    return {index: (label(result.keys, "ns"), label(result.keys, "ew")) for index, result in results.items()}


def _join_exchanged(found: dict[int, Sides], lines: Sequence[Line], knock_out: bool) -> None:
    """Teams that exchange home and visitors within a round play one match, named as it began; in place.

    In a knock-out two teams have one match, whenever it is played.
    """
    played: dict[frozenset[str], dict[str, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
    for index, sides in found.items():
        keys = lines[index].entry.result.keys
        for match in {each.match for side in sides for each in side if each.match}:
            teams = frozenset(each.label for side in sides for each in side)
            played[teams][match].add((keys.get("session", ""), keys.get("round", "")))
    names = {}
    for matches in played.values():
        first, when = next(iter(matches.items()))
        names.update({other: first for other, then in matches.items() if other != first and (knock_out or when & then)})
    for index, sides in found.items() if names else ():
        ns, ew = (tuple(each._replace(match=names.get(each.match, each.match)) for each in side) for side in sides)
        found[index] = ns, ew


def _tell_matches_apart(found: dict[int, Sides], lines: Sequence[Line]) -> None:
    """Matches of the same two teams in several sessions or rounds are several: each is named by what tells them apart.

    In place, for teams alone. The segments of a round are one match; a knock-out is one whenever it is played.
    """
    meetings: dict[str, list[tuple[str, str]]] = defaultdict(list)
    when: dict[int, tuple[str, str]] = {}
    for index, sides in found.items():
        keys = lines[index].entry.result.keys
        when[index] = keys.get("session", ""), keys.get("round", "")
        for match in {each.match for side in sides for each in side}:
            meetings[match].append(when[index])
    for index, sides in found.items():
        named = []
        for side in sides:
            who = []
            for each in side:
                several = [len({meeting[at] for meeting in meetings[each.match]}) > 1 for at in (0, 1)]
                told = [
                    f"{key} {value}"
                    for key, value, more in zip(("session", "round"), when[index], several, strict=True)
                    if more and value
                ]
                who.append(each._replace(match=", ".join([each.match, *told])))
            named.append(tuple(who))
        found[index] = named[0], named[1]


def _teams(results: Sequence[Result], tags: Mapping[int, Game], decided: bool) -> list[Sides]:
    """The teams of one board of one match: rows and mirrored pairs by ns and ew, else by HomeTeam and VisitTeam.

    ``decided``: the event goes match by match, so that one without a name gets it from the two teams.
    """
    by_number = results[0].row is not None or (len(results) == 2 and _mirrored(results[0].keys, results[1].keys))
    found: list[Sides] = []
    for result in results:
        game, room = tags.get(result.game), _room(result.keys)
        names = [(game.value(tag) or "") if game else "" for tag in ("HomeTeam", "VisitTeam")]
        match = result.keys.get("match", "")
        if room and not set(names) & set(_NOBODY):
            names = names if room == "open" else names[::-1]
        else:
            names = [result.keys.get(side, "") for side in ("ns", "ew")] if by_number else ["", ""]
            if decided and not match and not set(names) & set(_NOBODY):
                match = "-".join(sorted(names, key=lambda name: (name.zfill(9), name)))
        ns, ew = ((Contestant("team", name, "", match),) if name not in _NOBODY else () for name in names)
        found.append((ns, ew))
    return found


def _follow_session(
    lines: Sequence[Line],
    sets: Sequence[Compared],
    points: list[tuple[Points, Points]],
    contestants: Mapping[int, Sides],
    policy: Policy,
) -> None:
    """Average plus and minus, now that every contestant's other boards of the session are known (Law 12C2): at
    matchpoints by the session, at IMPs by the policy, between two teams by the flat number.

    All boards with an average by the law are left out together, so that none of them depends on another. Partners in
    an individual have sessions of their own; where that gives them two scores of a board the side has the first's.
    """
    if not any(
        standing.award and standing.award.kind == "average"
        for one in sets
        for index in one.members
        for standing in (lines[index].ns, lines[index].ew)
    ):
        return
    earned: dict[tuple[Any, ...], list[Number]] = defaultdict(lambda: [0, 0])
    by_law: list[tuple[Compared, int, int]] = []
    for one in sets:
        at_imps = one.method.unit == "imp"
        if one.method.unit not in ("mp", "imp"):
            continue
        for index, side in _boards_of_sides(one):
            standing, side_points = _decisive(one, lines, index, side), points[index][side]
            if standing.award and standing.award.kind == "average":
                by_law.append((one, index, side))
            elif side_points.value is not None and (side_points.top or at_imps):
                for contestant in contestants[index][side]:
                    sums = earned[contestant, *_session_of_averages(one, lines[index], policy)]
                    sums[0] += side_points.value
                    sums[1] += 1 if at_imps else side_points.top or 0
    missed: Counter[tuple[Any, ...]] = Counter()
    for one, index, side in by_law:
        standing, before = _decisive(one, lines, index, side), points[index][side]
        who = (next(iter(contestants[index][side]), None), *_session_of_averages(one, lines[index], policy))
        missed[who] += 1
        follows = one.method.unit == "mp" or (one.method.compares == "field" and policy.imps_follow_session)
        value, whole = earned[who] if who[0] and follows else (0, 0)
        vary = standing.averages is not None and standing.averages.vary
        repeated = policy.repeated_plus if vary else None
        again = bool(
            repeated and who[0] and missed[who] >= repeated[0] and standing.award and standing.award.average == "A+"
        )
        if one.method.unit == "imp":
            flat = imps_of(standing)
            own = imps_of(standing, Fraction(value) / whole if whole else None)
            if repeated and again:
                own = Points(repeated[2])
            if flat.value is None or before.value is None or not (flat.value and before.value):
                continue
            # A sum of comparisons has the award as often as there are comparisons, and so has the session's average.
            times = Fraction(before.value) / flat.value
            if not again:
                own = imps_of(standing, Fraction(value) / whole / times if whole else None)
            after = before if own.value is None else Points(own.value * times)
        else:
            percent, _ = percent_of(standing, Fraction(value) * 100 / whole if whole else None)
            if repeated and again:
                percent = repeated[1]
            if percent is None or before.top is None:
                continue
            after = Points(Fraction(before.top) * percent / 100, percent, before.top)
        _give(points, index, side, after)
        if one.method.compares != "field" and len(one.members) == 2:  # the team's score in the other room as well
            _give(points, one.members[1], 1 - side, after)


def _give(points: list[tuple[Points, Points]], index: int, side: int, now: Points) -> None:
    points[index] = (points[index][0], now) if side else (now, points[index][1])


def _boards_of_sides(one: Compared) -> Iterator[tuple[int, int]]:
    """Each side that has a score of its own of a board, as (entry, side): in a match the sides of the first room."""
    return (
        (index, side)
        for index in (one.members if one.method.compares == "field" else one.members[:1])
        for side in (0, 1)
    )


def _decisive(one: Compared, lines: Sequence[Line], index: int, side: int) -> Standing:
    """What decides a side's score: a team's artificial score in either room, else what it has here."""
    rooms = [(index, side)]
    if one.method.compares != "field":
        rooms += [(other, 1 - side) for other in one.members[1:]]
    standings = [(lines[at].ns, lines[at].ew)[way] for at, way in rooms]
    return next((standing for standing in standings if standing.award), standings[0])


def _session_of_averages(one: Compared, line: Line, policy: Policy) -> tuple[Any, ...]:
    """The boards whose average a contestant's average plus or minus follows: those that share this."""
    event, session, stage = one.session
    more = {"stage": (), "round": (session, line.entry.result.keys.get("round", ""))}.get(
        policy.average_session, (session,)
    )
    return one.method.name, event, stage, *more


def _note_unknown(
    lines: Sequence[Line], sets: Sequence[Compared], points: Sequence[tuple[Points, Points]], notes: Notes
) -> None:
    """A problem for each score that the comparison left unknown; a side unknown by itself has its own already."""
    for one in sets:
        for index in one.members:
            line, result = lines[index], lines[index].entry.result
            for standing, side in zip((line.ns, line.ew), points[index], strict=True):
                if side.why and not standing.why:
                    text = f"board {result.board}, {_who(result)}: {side.why}"
                    notes.add("error" if standing.award else "note", "score-unknown", text, result.game)
