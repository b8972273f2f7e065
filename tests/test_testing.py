"""What authors of plugins get told by ``screenplug.testing``; and that what ships passes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from screenplug import host
from screenplug.model import Change, Outcome, Refused, Result, Ruling
from screenplug.scoring import Line, Method, Points, Policy
from screenplug.testing import check_host, check_method

PM = host.plugin_manager()
METHODS = {method.name: method for method in host.methods(PM)}
HOSTS = host.hosts(PM)
DATUM = {"Butler", "Butler-2", "Mean", "Median"}  # taken from the weights once, so no mean of re-scores


@pytest.mark.parametrize("name", METHODS)
def test_the_methods_that_ship_keep_what_a_method_promises(name: str) -> None:
    check_method(METHODS[name], linear=name not in DATUM)


@pytest.mark.parametrize("name", HOSTS)
def test_the_scoring_programs_that_ship_keep_what_a_host_promises(name: str) -> None:
    check_host(HOSTS[name])


# Methods that break one promise each

Earned = list[tuple[Points, Points]]
Score = Callable[[Sequence[Line], int, Policy], Any]


def spoilt(change: Callable[[Sequence[Line], Earned], Any], of: str = "MP") -> Score:
    good = METHODS[of].score
    return lambda lines, expected, policy: change(lines, good(lines, expected, policy))


def each(change: Callable[[Points], Points], of: str = "MP") -> Score:
    return spoilt(lambda lines, earned: [(change(ns), change(ew)) for ns, ew in earned], of)


def zero_for_unknown(points: Points) -> Points:
    return Points(0, 0, points.top) if points.value is None else points


def mean_of_points(lines: Sequence[Line], earned: Earned) -> Earned:
    """The mistake that a weighted score invites: the mean of the contract points is compared, not of the outcomes."""
    plain = []
    for line in lines:
        mean = sum(weight * points for weight, points in line.ns.points)
        standing = replace(line.ns, points=((1, int(mean)),))
        plain.append(replace(line, ns=standing, ew=standing) if line.ns.points else line)
    return METHODS["MP"].score(plain, len(lines), host.tables(PM).policies["neutral"])


CALLS = count()


def counts(lines: Sequence[Line], earned: Earned) -> Earned:
    return [(replace(ns, value=next(CALLS), percent=None), ew) for ns, ew in earned]


BROKEN_SCORES: dict[str, tuple[Score, str]] = {
    "short": (spoilt(lambda lines, earned: earned[1:]), "a pair of Points for each of the 4 lines"),
    "nothing": (spoilt(lambda lines, earned: None), "gave None"),
    "naked numbers": (spoilt(lambda lines, earned: [(1, 1) for _ in lines]), "in the place of a pair of Points"),
    "decimals": (each(lambda points: replace(points, value=float(points.value or 0))), "int or Fraction"),
    "percent of its own": (each(lambda points: replace(points, percent=50)), "percentage is value of top"),
    "unknown is zero": (each(zero_for_unknown), "the one unknown earned 0, not nothing"),
    "no reason": (each(lambda points: replace(points, why="")), "does not say why"),
    "one side only": (spoilt(lambda lines, earned: [(ns, ns) for ns, ew in earned]), "do not add up to 6"),
    "sides unlike": (
        spoilt(lambda lines, earned: [(replace(ns, value=ns.top, percent=100), Points(0, 0, 6)) for ns, ew in earned]),
        "seen from the other side",
    ),
    "worst wins": (spoilt(lambda lines, earned: [(ew, ns) for ns, ew in earned]), "less than"),
    "place counts": (spoilt(lambda lines, earned: [earned[0]] * len(lines)), "in reverse order"),
    "weights the points": (spoilt(mean_of_points), "the mean of their outcomes is"),
    "another answer": (spoilt(counts), "the same question has one answer"),
    "crash": (spoilt(lambda lines, earned: {}["datum"]), "raised KeyError: 'datum'"),
}


@pytest.mark.parametrize("fault", BROKEN_SCORES)
def test_a_method_that_breaks_a_promise_is_told_which(fault: str) -> None:
    score, told = BROKEN_SCORES[fault]
    with pytest.raises(AssertionError, match=f"^method MP: .*{re.escape(told)}"):
        check_method(replace(METHODS["MP"], score=score))


def test_an_award_that_means_nothing_in_the_unit_is_unknown_not_ignored() -> None:
    def ignoring(lines: Sequence[Line], earned: Earned) -> Earned:
        # IMPs that are given for a board at matchpoints
        return [
            (Points(3, 50, 6), ew) if line.ns.award and line.ns.award.kind == "imps" else (ns, ew)
            for line, (ns, ew) in zip(lines, earned, strict=True)
        ]

    with pytest.raises(AssertionError, match=r"\+3 IMP earned 3 in mp, where it has no meaning"):
        check_method(replace(METHODS["MP"], score=spoilt(ignoring)))


def test_a_room_without_a_result_is_not_compared_with() -> None:
    def against_nothing(lines: Sequence[Line], earned: Earned) -> Earned:
        return [(ns if ns.value is not None else Points(0), Points(0) if ew.value is None else ew) for ns, ew in earned]

    with pytest.raises(AssertionError, match="the one unknown earned 0"):
        check_method(replace(METHODS["IMP"], score=spoilt(against_nothing, "IMP")))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": " "}, "the method's name is ' '"),
        ({"words": ()}, "give the words of PBN's Scoring tag"),
        ({"words": ("MP;MP1",)}, "cannot stand in a Scoring tag"),
        ({"words": ("MP", "mp")}, "a word is there twice"),
        ({"unit": "MP"}, "unit is 'MP'; known are mp, imp, points"),
        ({"compares": "room"}, "field or match"),
        ({"source": ""}, "say where it stands"),
    ],
)
def test_the_record_of_a_method_is_checked_too(change: dict[str, Any], told: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(told)):
        check_method(replace(METHODS["MP"], **change))


def test_what_is_no_method_record_is_said_so() -> None:
    with pytest.raises(AssertionError, match=r"is no scoring\.Method"):
        check_method("MP")  # type: ignore[arg-type]


def test_a_method_may_say_that_it_is_not_balanced_or_not_linear() -> None:
    method = Method(
        "Top-up", ("Top-up",), "points", "field", lambda lines, expected, policy: best_of(lines), "club rule 3"
    )
    with pytest.raises(AssertionError, match="if they need not, balanced=False"):
        check_method(method)
    check_method(method, balanced=False)


def best_of(lines: Sequence[Line]) -> Earned:
    """Each side gets its plus score and nobody loses any."""

    def won(standing: Any, sign: int) -> Points:
        if standing.award or standing.why:
            return Points(why=standing.why or "no award here")
        if not standing.points:
            return Points()
        return Points(sum(Fraction(weight) * max(sign * points, 0) for weight, points in standing.points))

    return [(won(line.ns, 1), won(line.ew, -1)) for line in lines]


# Hosts that break one promise each


class Card:
    """A scoring program whose file has one result a line: ``board ns ew result``."""

    name = "card"

    def loses(self, ruling: Ruling) -> Sequence[str]:
        return [] if ruling.score is None or ruling.score.kind == "assigned" else [f"{ruling.score.kind} scores"]

    def enter(self, change: Change) -> str:
        return f"board {change.result.board}: key {change.score}"

    def read(self, data: bytes) -> Sequence[Result]:
        found = []
        for row, line in enumerate(data.decode("latin-1").splitlines()):
            words = line.split(maxsplit=3)
            if len(words) < 4:
                raise Refused("a line has too little", f"line {row + 1}")
            board, ns, ew, result = words
            try:
                outcome = Outcome.parse(result)
            except ValueError:
                found.append(Result(row + 1, None, board, {"ns": ns, "ew": ew}, None, None, why="cannot be read"))
            else:
                found.append(Result(row + 1, None, board, {"ns": ns, "ew": ew}, outcome, None))
        return found

    def write(self, original: bytes, changes: Sequence[Change]) -> bytes:
        lines = original.splitlines(keepends=True)
        for change in changes:
            row = change.result.game - 1
            end = lines[row][len(lines[row].rstrip()) :]
            keys = change.result.keys
            lines[row] = f"{change.result.board} {keys['ns']} {keys['ew']} {change.score}".encode() + end
        return b"".join(lines)


CARD = b"7 3 14 4S S =\r\n7 4 15 4S S -1\r\n8 3 15 pass\r\n"


def test_a_host_with_a_file_of_its_own_is_checked_on_that_file() -> None:
    check_host(Card(), CARD)
    with pytest.raises(AssertionError, match=r"give one with results: check_host\(host, data\)"):
        check_host(Card())


def host_with(**parts: Any) -> Any:
    return type("Spoilt", (Card,), parts)()


def all_lines(self: Card, original: bytes, changes: Sequence[Change]) -> bytes:
    done = Card.write(self, original, changes)
    return done.replace(b"pass", b"2C N =") if changes else done


BROKEN_HOSTS: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"name": ""}, "give one word, for --host"),
    "two words": ({"name": "my program"}, "give one word, for --host"),
    "a text for a list": ({"loses": lambda self, ruling: "weights"}, "gave 'weights'; give a list of texts"),
    "an empty reason": ({"loses": lambda self, ruling: [""]}, "say what would be lost"),
    "crash on a split": (
        {"loses": lambda self, ruling: [] if ruling.score is None else [ruling.score.ns.outcomes[0][0] and "all"]},
        "raised IndexError",
    ),
    "nothing to key": ({"enter": lambda self, change: ""}, "say how to key it in"),
    "odd names": (
        {"enter": lambda self, change: "".join(change.result.keys.values()).format()},
        "enter of a change to 4S S -1 raised",
    ),
    "private note": ({"enter": lambda self, change: change.ruling.private}, "tells what is private"),
    "statement": ({"loses": lambda self, ruling: [str(ruling)]}, "tells what is private"),
    "one source": ({"sources": "the manual"}, "sources gave 'the manual'; give a list of texts"),
    "no results": ({"read": lambda self, data: []}, "read found no result"),
    "other records": ({"read": lambda self, data: [data]}, "give a list of screenplug.model.Result"),
    "cut off": ({"read": lambda self, data: [Card.read(self, data)[0]]}, "first 0 bytes raised IndexError"),
    "line ends": (
        {"write": lambda self, data, changes: Card.write(self, data, changes).replace(b"\r", b"")},
        "without a change no byte moves",
    ),
    "not written": ({"write": lambda self, data, changes: data}, "what is not lost is read back"),
    "others move": ({"write": all_lines}, "also changed result 3"),
}


@pytest.mark.parametrize("fault", BROKEN_HOSTS)
def test_a_host_that_breaks_a_promise_is_told_which(fault: str) -> None:
    parts, told = BROKEN_HOSTS[fault]
    with pytest.raises(AssertionError, match=re.escape(told)):
        check_host(host_with(**parts), CARD)
