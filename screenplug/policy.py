"""Scoring policies: what the Laws leave to the body in charge, and how its numbers are shown.

One TOML document of ``kind = "policy"`` is one policy; ``Averages``, the numbers of Law 12C2, come from the Laws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeGuard

from .model import Refused
from .points import Number as Number


@dataclass(frozen=True, slots=True)
class Averages:
    """The numbers of Law 12C2 in one edition, as the law document has them: percentages of a board and signed IMPs.

    ``plus_follows_session``: average plus is the contestant's own average on the other boards of the session when
    that is better; ``minus_follows_session``: average minus is, when that is worse. ``vary``: the body in charge may
    award something else for several boards of a session without a result (Law 12C2(d) of 2017).
    """

    plus_percent: Fraction
    average_percent: Fraction
    minus_percent: Fraction
    plus_imps: Fraction
    minus_imps: Fraction
    plus_follows_session: bool
    minus_follows_session: bool
    vary: bool = False

    def percent(self, average: str, own: Number | None = None) -> Number:
        """The percentage for ``A+``, ``A`` or ``A-`` of a contestant whose other boards average ``own``, if any."""
        if average == "A+":
            return self.plus_percent if own is None or not self.plus_follows_session else max(self.plus_percent, own)
        if average == "A-":
            return self.minus_percent if own is None or not self.minus_follows_session else min(self.minus_percent, own)
        return self.average_percent

    def imps(self, average: str, own: Number | None = None) -> Number:
        """The IMPs for ``A+``, ``A`` or ``A-`` of a contestant who makes ``own`` a board on the others, if any."""
        if average == "A+":
            return self.plus_imps if own is None or not self.plus_follows_session else max(self.plus_imps, own)
        if average == "A-":
            return self.minus_imps if own is None or not self.minus_follows_session else min(self.minus_imps, own)
        return Fraction(0)


@dataclass(frozen=True, slots=True)
class SmallGroup:
    """From ``expected`` results up, ``results`` comparable ones earn percentages instead of Neuberg's formula.

    ``middle`` is the percentage of the average result, ``step`` what one matchpoint more or less (of 2 a comparison)
    changes. A ``middle`` of None: too few to score, the body wants an artificial score from the Director.
    ``beside_larger``: only for a group of a fouled board that has a larger one.
    """

    results: int
    expected: int
    middle: Fraction | None = None
    step: Fraction = Fraction(0)
    beside_larger: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """How one body scores. ``cites`` has, for each value that the document states, its source and how it is known
    (``text``, ``restated``, or ``choice`` where it is ours); what it does not state is as in ``neutral``.

    ``places`` decimals are shown; exact halves go ``away-from-average``, ``towards-average`` or ``up``. ``split``
    scores: ``two-tables``, one with the North-South and one with the East-West results, or ``half-weights`` in one.
    ``not_played_expected``: whether a board not played counts among the results expected on it. ``missing``: what a
    matchpoint field does for results that it misses, ``neuberg`` or ``add-one`` for each.

    At IMPs: ``butler_drop`` are (from this many results on, how many to leave out at each end), ``butler_drop_percent``
    the same as a percentage; the datum is rounded ``ten-away`` (to tens, 5 away from 0), ``ten-even`` or ``none``;
    ``cross_cap`` is the most that one comparison counts, 0 for all; ``cross_missing`` brings a sum of comparisons up to
    those expected: ``comparisons`` by their number, ``results`` by the number of results, ``none``.
    ``imps_follow_session``: whether average plus and minus also follow a contestant's session average in a field.
    ``average_session`` is what counts as the session for that: ``session``, ``stage`` (all sessions of it), ``round``.
    ``repeated_plus`` (Law 12C2(d) of 2017): from this board without a result in the session on, average plus is this
    percentage, or these IMPs.
    ``bam_tie`` is the largest difference that ties a board. ``percent_penalty``: a penalty of 10% takes off ten points
    of the ``percentage``, or 10% of a ``top``. ``vp_fractions``: a margin that is not whole becomes ``whole`` before a
    scale of victory points is read, halves away from 0, or is read by the scale's ``formula`` where it has one.
    """

    id: str = "neutral"
    title: str = ""
    source: str = ""
    places: int = 2
    halves: str = "away-from-average"
    split: str = "two-tables"
    not_played_expected: bool = False
    missing: str = "neuberg"
    small_groups: tuple[SmallGroup, ...] = ()
    butler_drop: tuple[tuple[int, int], ...] = ()
    butler_drop_percent: Fraction = Fraction(0)
    butler_round: str = "ten-away"
    cross_cap: int = 0
    cross_missing: str = "comparisons"
    imps_follow_session: bool = True
    average_session: str = "session"
    repeated_plus: tuple[int, Fraction, Fraction] | None = None
    bam_tie: int = 0
    percent_penalty: str = "percentage"
    vp_fractions: str = "whole"
    cites: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def butler_dropped(self, count: Number) -> int:
        """How many of so many results the datum leaves out at each end."""
        if self.butler_drop_percent:
            return int(Fraction(count) * self.butler_drop_percent / 100 + Fraction(1, 2))
        return max((drop for results, drop in self.butler_drop if count >= results), default=0)

    def round_datum(self, datum: Fraction) -> Number:
        """The datum as results are compared with it."""
        if self.butler_round == "none":
            return datum
        tens, rest = divmod(abs(datum), 10)
        up = rest > 5 or (rest == 5 and (self.butler_round == "ten-away" or tens % 2 == 1))
        return (10 * (tens + up)) * (-1 if datum < 0 else 1)


NEUTRAL = Policy()
_POLICY_VALUES: Mapping[str, Callable[[Any], bool]] = {
    "places": lambda value: _whole(value) and 0 <= value <= 6,
    "halves": lambda value: value in ("away-from-average", "towards-average", "up"),
    "split": lambda value: value in ("two-tables", "half-weights"),
    "not-played-expected": lambda value: isinstance(value, bool),
    "missing": lambda value: value in ("neuberg", "add-one"),
    "small-groups": lambda value: isinstance(value, list),
    "butler-drop": lambda value: isinstance(value, list) and all(_is_drop(each) for each in value),
    "butler-drop-percent": lambda value: _percentage(value) and value < 50,
    "butler-round": lambda value: value in ("ten-away", "ten-even", "none"),
    "cross-cap": lambda value: _whole(value) and 0 <= value <= 24,
    "cross-missing": lambda value: value in ("comparisons", "results", "none"),
    "imps-follow-session": lambda value: isinstance(value, bool),
    "average-session": lambda value: value in ("session", "stage", "round"),
    "repeated-plus": lambda value: (
        isinstance(value, dict)
        and value.keys() == {"from", "percent", "imps"}
        and _whole(value["from"])
        and value["from"] > 1
        and _percentage(value["percent"])
        and _whole(value["imps"])
    ),
    "bam-tie": lambda value: _whole(value) and value in (0, 10),
    "percent-penalty": lambda value: value in ("percentage", "top"),
    "vp-fractions": lambda value: value in ("whole", "formula"),
}


def _is_drop(value: object) -> bool:
    """``{results = 10, drop = 1}``: from ten results on, one at each end is left out."""
    if not isinstance(value, dict) or value.keys() != {"results", "drop"}:
        return False
    return all(_whole(each) for each in value.values()) and 0 <= 2 * value["drop"] < value["results"]


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def read_policy(name: str, data: bytes) -> Policy:
    """Read one TOML document of ``kind = "policy"``; raise Refused, naming the file and what is wrong in it.

    Each ``[[value]]`` has ``id`` (a field of ``Policy``, with hyphens), ``is``, ``cites`` and ``checked``. ``name`` is
    for messages.
    """
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as wrong:  # a number too long to read is a bare ValueError
        raise Refused(f"this is no TOML in UTF-8: {wrong}", name) from None
    if document.get("kind") != "policy" or not isinstance(document.get("id"), str) or not document["id"].strip():
        raise Refused("no scoring policy", name, 'It needs kind = "policy" and an id')
    for key in ("title", "source"):
        if not isinstance(document.get(key, ""), str):
            raise Refused(f"{key} is no text", name)
    values = document.get("value", [])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise Refused("value is no list of tables", name, "Write each as [[value]] with id, is, cites and checked")
    found: dict[str, Any] = {}
    cites: dict[str, tuple[str, str]] = {}
    for value in values:
        key = value.get("id")
        if not isinstance(key, str) or key not in _POLICY_VALUES:
            raise Refused(f"a policy has no value {_quoted(key)}", name, f"It may state {', '.join(_POLICY_VALUES)}")
        if key in found:
            raise Refused(f"{key} is stated twice", name)
        cited = value.get("cites")
        if not isinstance(cited, str) or not cited.strip() or value.get("checked") not in _CHECKED:
            raise Refused(f"{key} needs cites, and checked = text, restated or choice", name)
        if not _POLICY_VALUES[key](value.get("is")):
            raise Refused(f"{key} cannot be {_quoted(value.get('is'))}", name)
        found[key], cites[key] = value["is"], (cited, value["checked"])
    if "small-groups" in found:
        found["small-groups"] = tuple(_small_group(group, name) for group in found["small-groups"])
    if "butler-drop" in found:
        found["butler-drop"] = tuple((each["results"], each["drop"]) for each in found["butler-drop"])
    if repeated := found.get("repeated-plus"):
        found["repeated-plus"] = repeated["from"], Fraction(str(repeated["percent"])), Fraction(repeated["imps"])
    if "butler-drop-percent" in found:
        found["butler-drop-percent"] = Fraction(str(found["butler-drop-percent"]))
    return Policy(
        id=document["id"],
        title=document.get("title", ""),
        source=document.get("source", ""),
        cites=cites,
        **{key.replace("-", "_"): value for key, value in found.items()},
    )


_CHECKED = ("text", "restated", "choice")


def _quoted(value: object) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number with more digits than Python writes
        return "what it is here"
    return text if len(text) <= 200 else f"{text[:200]}..."


def _small_group(group: Any, name: str) -> SmallGroup:
    refused = Refused(
        f"small-groups: {_quoted(group)} cannot be read",
        name,
        "Write {results = 2, expected = 6, middle = 60, step = 5}; without middle: no score",
    )
    keys = {"results", "expected", "middle", "step", "beside-larger"}
    if not isinstance(group, dict) or not group.keys() <= keys or not isinstance(group.get("beside-larger", 0), int):
        raise refused
    results, expected = group.get("results"), group.get("expected")
    if not (_whole(results) and _whole(expected) and 0 < results < expected):
        raise refused
    middle, step = group.get("middle", 0), group.get("step", 0)
    if not (_percentage(middle) and _percentage(step)):
        raise refused
    # A float by its shortest decimal: 62.4 is 312/5.
    return SmallGroup(
        results,
        expected,
        Fraction(str(middle)) if "middle" in group else None,
        Fraction(str(step)),
        bool(group.get("beside-larger")),
    )


def _percentage(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 100


def neuberg(scored: Number, actual: Number, expected: int) -> Fraction:
    """Matchpoints out of ``actual`` comparable results, as they are worth on a board with ``expected`` results."""
    return Fraction(scored * expected + expected - actual) / actual


def on_full_board(scored: Number, actual: Number, expected: int, policy: Policy) -> Number | None:
    """``neuberg``, or what else the policy has for missing results; None where it wants the Director's award."""
    if actual >= expected:
        return scored
    for group in policy.small_groups:
        if group.results == actual and expected >= group.expected:
            if group.middle is None:
                return None
            return (group.middle + group.step * (scored - (actual - 1))) * 2 * (expected - 1) / 100
    return scored + expected - actual if policy.missing == "add-one" else neuberg(scored, actual, expected)


def show(number: Number, policy: Policy = NEUTRAL, average: Number = 0, places: int | None = None) -> str:
    """A decimal at the policy's rounding, without trailing zeros; ``average`` is what halves go away from.

    The average is half the top for matchpoints, 50 for percentages, 0 for IMPs. ``places`` instead of the policy's.
    """
    decimals = policy.places if places is None else places
    scale = 10**decimals
    whole, rest = divmod(number.numerator * scale, number.denominator)
    over = 2 * rest - number.denominator
    if over > 0 or (over == 0 and _halves_up(number, policy, average)):
        whole += 1
    sign, size = ("-" if whole < 0 else ""), abs(whole)
    if not decimals:
        return f"{sign}{size}"
    return f"{sign}{size // scale}.{size % scale:0{decimals}d}".rstrip("0").rstrip(".")


def _halves_up(number: Number, policy: Policy, average: Number) -> bool:
    if policy.halves == "up":
        return True
    return number < average if policy.halves == "towards-average" else number >= average
