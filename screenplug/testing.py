"""For authors of plugins: does a scoring program or a scoring method of theirs keep what it promises?

``check_host`` and ``check_method`` are called from the author's own tests, under any test runner. They raise
AssertionError with what was asked, what came back and what would have been right; they return None when all is well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from .model import TABLE, Award, Change, Ground, Outcome, Refused, Result, Ruling, Score
from .policy import NEUTRAL, Averages
from .scoring import Entry, Line, Method, Points, Standing

_NAME = 'Ash "the {0}" O\'Neil [%s] 100%\n\u202eBirch'  # what a name may hold, and a template may not survive
_SECRET = "between the Director and the table"
_SCORES = (
    *("4S S -1", "3NTX N +2", "pass", "60% 4S S -1, 40% 4S S =", "1/3 2H E =, 2/3 2H E +1"),
    *("A+ / A-", "A / A", "60% / 40%", "57.5% / 42.5%", "+3 IMP / -3 IMP", "A+ / 40%", "table / A+"),
    *("table", "not played", "late", "cancelled"),
)
_SPLIT = (
    {"ns": "4S S -1", "ew": "4S S ="},
    {"ns": "A-", "ew": "4S S ="},
    {"ns": "60% 4S S -1, 40% 4S S =", "ew": "4S S ="},
)
_UNITS = ("mp", "imp", "points")
# A game's InstantScoreTable, for the methods that read it: the same for both sides, and rising.
_INSTANT = tuple(
    (
        ((low, high), (-high, -low)),
        {"percent_ns": 50 + 8 * won, "percent_ew": 50 - 8 * won, "imp_ns": won, "imp_ew": -won},
    )
    for won, low, high in ((-5, -9999, -501), (-2, -500, -1), (0, 0, 0), (2, 1, 500), (5, 501, 9999))
)


def _must(right: object, text: str) -> None:
    if not right:
        raise AssertionError(text)


def _called(what: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """The answer, which has to be the same when asked again; an exception becomes an assertion that says of what."""
    try:
        first, again = call(*arguments), call(*arguments)
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}") from error
    _must(first == again, f"{what} answered {first!r}, and asked again {again!r}; the same question has one answer")
    return first


# ------------------------------------------------------------------------------------------------- a scoring program


def check_host(host: Any, data: bytes = b"") -> None:
    """Check a scoring program (``hookspecs.Host``) against rulings of every kind.

    ``data`` is a file of that program with at least one result, needed only when the host has ``read`` or ``write``.
    Checked: the name; for each kind of score that ``loses`` gives a list of texts and that what it does not lose can be
    entered; that nothing private is told; ``write(data, ()) == data``, and that a change written is read back and moves
    no other result.
    """
    name: Any = getattr(host, "name", None)
    right = isinstance(name, str) and name and name.isprintable() and not set(name) & set(" \"'")
    _must(right, f"the host's name is {name!r}; give one word, for --host")
    for source in _texts(f"host {name}: sources", getattr(host, "sources", ())):
        _must(source.strip(), f"host {name}: an empty text among the sources")
    for ruling in _rulings():
        _check_loses(host, name, ruling)
    if hasattr(host, "read") or hasattr(host, "write"):
        _must(data, f"host {name} has a file of its own; give one with results: check_host(host, data)")
        _check_file(host, name, data)


def _rulings() -> Iterator[Ruling]:
    ground = Ground("tempo", {"seconds": 40}, {"N": _SECRET}, ("seconds",), poll=_SECRET)
    first = Ruling("A-1", ({"board": "7", "ns": "3", "ew": "14"},), (ground,), "wbf", "laws-2017", table="4S S =")
    first = replace(first, note="note", private=_SECRET, director=_SECRET, override=_SECRET)
    yield first  # no score: the matter of a board
    yield replace(first, where=(), grounds=())
    for value in (*_SCORES, *_SPLIT):
        yield replace(first, score=Score.parse(value))
    late = replace(first, id="B-2", score=Score.parse("4S S -1"), stage="appeal", supersedes="A-1")
    for state in ("pending", "provisional", "withdrawn"):
        yield replace(late, state=state)


def _changes(ruling: Ruling) -> Iterator[Change]:
    """What may have to be keyed for the ruling: with match points, with IMPs, without figures, at odd names."""
    if ruling.score is None:
        return
    keys = {"game": "7", "board": "7", "ns": "3", "ew": "14"}
    result = Result(7, 0, "7", keys, Outcome.parse("4S S ="), 420, vulnerable="None")
    named = replace(result, row=None, keys={"board": "7", "room": "Open", **dict.fromkeys("nesw", _NAME)})
    unknown = replace(result, outcome=None, points=None, why="no result yet")
    yield Change(ruling, result, ruling.score, {"mp_ns": "9.6", "mp_ew": "6.4"}, {"mp_ns": "15", "mp_ew": "1"})
    yield Change(ruling, named, ruling.score, {"imp_ns": "-3", "imp_ew": "3"}, {"imp_ns": "10"})
    yield Change(ruling, unknown, ruling.score)


def _check_loses(host: Any, name: str, ruling: Ruling) -> None:
    about = f"host {name}: loses of a ruling " + (f"with score {ruling.score}" if ruling.score else "without a score")
    lost = _texts(about, _called(about, host.loses, ruling))
    _must(all(text.strip() for text in lost), f"{about} gave an empty text; say what would be lost")
    told = list(lost)
    for change in _changes(ruling):
        ways = [] if lost else ["enter"]
        ways += ["instead"] if lost and hasattr(host, "instead") else []
        for way in ways:
            what = f"host {name}: {way} of a change to {ruling.score}"
            text = _called(what, getattr(host, way), change)
            _must(isinstance(text, str) and text.strip(), f"{what} gave {text!r}; say how to key it in")
            told.append(text)
    _must(
        all(_SECRET not in text for text in told),
        f"{about}, or how to enter it, tells what is private: statements, poll, director, override or private note",
    )


def _texts(what: str, given: Any) -> Sequence[str]:
    right = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    _must(right and all(isinstance(text, str) for text in given), f"{what} gave {given!r}; give a list of texts")
    texts: Sequence[str] = given
    return texts


def _check_file(host: Any, name: str, data: bytes) -> None:
    results: Sequence[Result] = ()
    if hasattr(host, "read"):
        results = _read(host, name, data)
        _must(results, f"host {name}: read found no result in the file given")
        for size in (0, 1, len(data) // 2, len(data) - 1):
            try:
                host.read(data[:size])
            except Refused:
                pass  # a file cut off may be refused, in words
            except Exception as error:
                what = f"host {name}: read of the file's first {size} bytes raised {type(error).__name__}: {error}"
                raise AssertionError(f"{what}; give what can be read, or raise screenplug.model.Refused") from error
    if hasattr(host, "write"):
        nothing = _called(f"host {name}: write without a change", host.write, data, ())
        _must(nothing == data, f"host {name}: write(data, ()) is not data; without a change no byte moves")
        for index, result in enumerate(results):
            _check_written(host, name, data, results, index, result)


def _check_written(host: Any, name: str, data: bytes, results: Sequence[Result], index: int, result: Result) -> None:
    where = f"board {result.board}, result {index + 1}"
    for value in _SCORES:
        ruling = Ruling("A-1", (result.keys,), score=Score.parse(value))
        if host.loses(ruling) or ruling.score is None or ruling.score.kind in ("table", "late"):
            continue
        change = Change(ruling, result, ruling.score, {"mp_ns": "9.6", "mp_ew": "6.4"})
        what = f"host {name}: write of {value} on {where}"
        written = _called(what, host.write, data, (change,))
        _must(isinstance(written, bytes), f"{what} gave {type(written).__name__}, not bytes")
        if not hasattr(host, "read"):
            continue
        after = _read(host, name, written)
        _must(len(after) == len(results), f"{what}: {len(results)} results before, {len(after)} after")
        for other, (before, now) in enumerate(zip(results, after, strict=True)):
            if other == index:
                held = (
                    ruling.score in (now.award, *now.meanings)
                    if ruling.score.kind != "assigned"
                    else (now.outcome == ruling.score.ns.outcomes[0][1])
                )
                _must(held, f"{what}: read gives {now.outcome or now.award} back; what is not lost is read back")
            else:
                _must(before == now, f"{what} also changed result {other + 1}: {before} is now {now}")


def _read(host: Any, name: str, data: bytes) -> Sequence[Result]:
    results = _called(f"host {name}: read", host.read, data)
    right = isinstance(results, Sequence) and all(isinstance(result, Result) for result in results)
    _must(right, f"host {name}: read gave {type(results).__name__}; give a list of screenplug.model.Result")
    found: Sequence[Result] = results
    return found


# --------------------------------------------------------------------------------------------------- a scoring method


def check_method(method: Method, *, linear: bool = True, balanced: bool = True) -> None:
    """Check a scoring method (``scoring.Method``) on small fields, or on two rooms.

    Checked: names and unit; as many pairs of ``Points`` as lines, exact numbers only, the same for the same lines;
    unknown stays unknown and what was not played earns nothing, never zero; both sides are treated alike, and the order
    of the lines does not matter; a better result is not worth less. ``balanced``: what one side of a line wins the
    other loses (of a top where there is one). ``linear``: a weighted result earns the weighted mean of what its
    outcomes would (not so where a datum is taken from the weights).
    """
    name = getattr(method, "name", None)
    _must(isinstance(method, Method), f"{name or method!r} is no scoring.Method; make one, it is a record")
    _must(isinstance(name, str) and name.strip(), f"the method's name is {name!r}; give it a word")
    words = method.words
    what = f"method {name}"
    _must(isinstance(words, tuple) and words, f"{what}: words are {words!r}; give the words of PBN's Scoring tag")
    for word in words:
        right = isinstance(word, str) and word.strip() == word and word and not set(word) & set(';"')
        _must(right, f"{what}: {word!r} cannot stand in a Scoring tag, where ; parts words")
    _must(len({word.lower() for word in words}) == len(words), f"{what}: a word is there twice; case does not count")
    _must(method.unit in _UNITS, f"{what}: unit is {method.unit!r}; known are {', '.join(_UNITS)}")
    _must(method.compares in ("field", "match"), f"{what}: compares is {method.compares!r}; field or match")
    _must(isinstance(method.source, str) and method.source.strip(), f"{what}: source is empty; say where it stands")
    sample = _Sample(method)
    sample.plain(balanced)
    sample.open_questions()
    sample.awards()
    if linear:
        sample.weighted()


class _Sample:
    """Lines that are compared: a field of four or the two rooms of a match, and what the method makes of them."""

    def __init__(self, method: Method) -> None:
        self.method = method
        field = ((420, -50, 420, 170), (100, 110, -90, 620), (-1400, 0, 50, 2220))
        self.plays: Sequence[tuple[int, ...]] = (
            field if method.compares == "field" else ((420, -50), (170, 170), (-1400, 620))
        )

    def earn(
        self, standings: Sequence[tuple[Standing, Standing]], about: str, expected: int = 0
    ) -> list[tuple[Points, Points]]:
        """What the method gives for these lines, checked for what holds of every answer."""
        lines = [_line(index, ns, ew) for index, (ns, ew) in enumerate(standings)]
        what = f"method {self.method.name}: score of {about}"
        earned: list[tuple[Points, Points]] = _called(what, self.method.score, lines, expected or len(lines), NEUTRAL)
        _must(
            isinstance(earned, Sequence) and len(earned) == len(lines),
            f"{what} gave {earned!r}; give a list with a pair of Points for each of the {len(lines)} lines",
        )
        for pair in earned:
            right = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(side, Points) for side in pair)
            _must(right, f"{what} has {pair!r} in the place of a pair of Points")
            for points in pair:
                numbers = (points.value, points.percent, points.top)
                exact = all(number is None or _exact(number) for number in numbers)
                _must(exact, f"{what} gave {points}; numbers are int or Fraction, never decimal or rounded")
                if points.value is not None and points.percent is not None and points.top:
                    whole = Fraction(points.value) * 100 / points.top == points.percent
                    _must(whole, f"{what} gave {points}; the percentage is value of top")
        return earned

    def known(self, standings: Sequence[tuple[Standing, Standing]], about: str) -> list[tuple[Fraction, Fraction]]:
        earned = self.earn(standings, about)
        for pair in earned:
            for points in pair:
                _must(points.value is not None, f"method {self.method.name}: {about} came out unknown: {points.why}")
        return [(Fraction(ns.value or 0), Fraction(ew.value or 0)) for ns, ew in earned]

    def plain(self, balanced: bool) -> None:
        """Results without a question: sums, both sides alike, order, and a better result."""
        name = self.method.name
        for play in self.plays:
            about = f"results {', '.join(map(str, play))}"
            lines = [_both(points) for points in play]
            earned = self.known(lines, about)
            tops = [(ns.top, ew.top) for ns, ew in self.earn(lines, about)]
            for (ns, ew), top in zip(earned, tops, strict=True):
                _must(top[0] == top[1], f"method {name}: {about}: the tops of the two sides differ, {top}")
                due = 0 if top[0] is None else top[0]
                _must(
                    not balanced or ns + ew == due,
                    f"method {name}: {about}: {ns} and {ew} do not add up to {due}; if they need not, balanced=False",
                )
            swapped = self.known([_both(-points) for points in play], f"{about}, seen from the other side")
            _must(
                swapped == [(ew, ns) for ns, ew in earned],
                f"method {name}: {about} earn {_shown(earned)}, seen from the other side {_shown(swapped)}",
            )
            turned = self.known(lines[::-1], f"{about}, in reverse order")
            _must(
                turned == earned[::-1],
                f"method {name}: {about} earn {_shown(earned)}, in reverse order {_shown(turned[::-1])}",
            )
            self.earn(lines, f"{about}, where {len(play) + 3} are expected", len(play) + 3)
            for index, points in enumerate(play):
                better = [_both(points + 60 if index == other else each) for other, each in enumerate(play)]
                more = self.known(better, f"{about}, with {points + 60} instead of {points}")
                _must(
                    more[index][0] >= earned[index][0],
                    f"method {name}: {about}: {points + 60} instead of {points} earns North-South {more[index][0]}, "
                    f"less than {earned[index][0]}",
                )

    def open_questions(self) -> None:
        """A result that is unknown, and one that was not played: neither is zero."""
        name, play = self.method.name, self.plays[0]
        for missing, told in ((Standing(why="no result yet"), "unknown"), (Standing(), "not played")):
            lines = [_both(points) for points in play[1:]]
            about = f"results {', '.join(map(str, play[1:]))} and one {told}"
            earned = self.earn([(missing, missing), *lines], about)
            for points in earned[0]:
                _must(
                    points.value is None, f"method {name}: {about}: the one {told} earned {points.value}, not nothing"
                )
                _must(
                    points.why or told != "unknown",
                    f"method {name}: {about}: the unknown one does not say why (Points.why)",
                )
            for points in (points for pair in earned[1:] for points in pair):
                if self.method.compares == "match":
                    _must(points.value is None, f"method {name}: {about}: scored against a room without a result")
                else:
                    _must(
                        points.value is not None, f"method {name}: {about}: the others came out unknown: {points.why}"
                    )

    def awards(self) -> None:
        """Artificial scores: worth what they say, or unknown with the reason; the others do not hear of them."""
        name, play = self.method.name, self.plays[0]
        rest = [_both(points) for points in play[1:]]
        without = self.earn([(Standing(), Standing()), *rest], "a board with one result missing")
        averages = Averages(Fraction(60), Fraction(50), Fraction(40), Fraction(3), Fraction(-3), False, False)
        for text in ("A+ / A-", "60% / 40%", "+3 IMP / -3 IMP"):
            score = Score.parse(text)
            sides = tuple(Standing(award=award, averages=averages) for award in (score.ns, score.ew))
            about = f"an award {text} among results"
            earned = self.earn([(sides[0], sides[1]), *rest], about)
            for points, award, percent, imps in zip(earned[0], (score.ns, score.ew), (60, 40), (3, -3), strict=True):
                _must(
                    points.value is not None or points.why,
                    f"method {name}: {about}: unknown, and Points.why does not say why",
                )
                _worth(f"method {name}: {about}", self.method, award, points, percent, imps)
            if self.method.compares == "field":
                same = earned[1:] == without[1:]
                _must(same, f"method {name}: {about} changes what the others earn; it takes no part in the comparison")

    def weighted(self) -> None:
        """Weighted results: the mean of what each outcome would earn, for every line."""
        for play in self.plays:
            mixed = [
                [(Fraction(3, 5), play[0]), (Fraction(2, 5), play[0] - 470)],
                *([(Fraction(1), p)] for p in play[1:]),
            ]
            mixed[-1] = [(Fraction(1, 3), play[-1]), (Fraction(2, 3), play[-1] + 50)]
            about = f"weighted results {'; '.join(' '.join(f'{w}: {p}' for w, p in each) for each in mixed)}"
            both = [Standing(tuple(each)) for each in mixed]
            earned = self.known([(each, each) for each in both], about)
            mean = [[Fraction(0), Fraction(0)] for _ in mixed]
            for world in product(*mixed):
                weight = Fraction(1)
                for share, _ in world:
                    weight *= share
                alone = self.known([_both(points) for _, points in world], f"results {[points for _, points in world]}")
                for total, pair in zip(mean, alone, strict=True):
                    total[0] += weight * pair[0]
                    total[1] += weight * pair[1]
            means = [(ns, ew) for ns, ew in mean]
            _must(
                earned == means,
                f"method {self.method.name}: {about} earn {_shown(earned)}, the mean of their outcomes is "
                f"{_shown(means)}; if that is meant, linear=False",
            )


def _worth(what: str, method: Method, award: Award, points: Points, percent: int, imps: int) -> None:
    """An award that the unit can hold is worth what it says; one that it cannot hold is unknown."""
    unit, several = method.unit, method.compares == "field"
    if unit == "mp" and award.kind in ("percent", "average"):
        right = points.percent == percent and points.value == Fraction(points.top or 0) * percent / 100
        _must(right, f"{what}: {award} earned {points}, not {percent}% of the top")
    elif unit == "imp" and award.kind in ("imps", "average"):
        # Where every other result is compared with, the IMPs may be those of each comparison.
        right = points.value is not None and (Fraction(points.value) / imps > 0 if several else points.value == imps)
        _must(right, f"{what}: {award} earned {points.value}, not {imps} IMPs{' a comparison' if several else ''}")
    elif unit in ("mp", "imp"):
        _must(points.value is None, f"{what}: {award} earned {points.value} in {unit}, where it has no meaning")


def _exact(number: object) -> bool:
    return isinstance(number, int | Fraction) and not isinstance(number, bool)


def _shown(earned: Sequence[tuple[Fraction, Fraction]]) -> str:
    return ", ".join(f"{ns}:{ew}" for ns, ew in earned)


def _both(points: int) -> tuple[Standing, Standing]:
    standing = Standing(((1, points),))
    return standing, standing


def _line(index: int, ns: Standing, ew: Standing) -> Line:
    room = ("Open", "Closed")[index % 2]
    keys = {"board": "1", "ns": str(index + 1), "ew": str(index + 11), "room": room}
    points = ns.points[0][1] if len(ns.points) == 1 else None
    return Line(Entry(Result(1, index, "1", keys, None, points), TABLE, instant=_INSTANT), ns, ew)
