"""Scoring policies: what the Laws leave to the body in charge, and how its numbers are shown.

One TOML document of ``kind = "policy"`` is one policy; the numbers of Law 12C2 are not here but in the Laws' tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .model import Refused

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class SmallGroup:
    """From ``expected`` results up, ``results`` comparable ones earn percentages instead of Neuberg's formula.

    ``middle`` is the percentage of the average result, ``step`` what one matchpoint more or less (of 2 a comparison)
    changes. A ``middle`` of None: too few to score, the body wants an artificial score from the Director.
    """

    results: int
    expected: int
    middle: Fraction | None = None
    step: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Policy:
    """How one body scores. ``cites`` has, for each value that the document states, its source and how it is known
    (``text``, ``restated``, or ``choice`` where it is ours); what it does not state is as in ``neutral``.

    ``places`` decimals are shown; exact halves go ``away-from-average`` or ``up``. ``split`` scores: ``two-tables``,
    one with the North-South and one with the East-West results. ``not_played_expected``: whether a board not played
    counts among the results expected on it.
    """

    id: str = "neutral"
    title: str = ""
    source: str = ""
    places: int = 2
    halves: str = "away-from-average"
    split: str = "two-tables"
    not_played_expected: bool = False
    small_groups: tuple[SmallGroup, ...] = ()
    cites: Mapping[str, tuple[str, str]] = field(default_factory=dict)


NEUTRAL = Policy()
_POLICY_VALUES: Mapping[str, Callable[[Any], bool]] = {
    "places": lambda value: isinstance(value, int) and 0 <= value <= 6,
    "halves": lambda value: value in ("away-from-average", "up"),
    "split": lambda value: value == "two-tables",
    "not-played-expected": lambda value: isinstance(value, bool),
    "small-groups": lambda value: isinstance(value, list),
}


def read_policy(name: str, data: bytes) -> Policy:
    """Read one TOML document of ``kind = "policy"``; raise Refused, naming the file and what is wrong in it.

    Each ``[[value]]`` has ``id`` (places, halves, split, not-played-expected, small-groups), ``is``, ``cites`` and
    ``checked``. ``name`` is for messages.
    """
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise Refused(f"this is no TOML in UTF-8: {wrong}", name) from None
    if document.get("kind") != "policy" or not isinstance(document.get("id"), str):
        raise Refused('no scoring policy', name, 'It needs kind = "policy" and an id')
    found: dict[str, Any] = {}
    cites: dict[str, tuple[str, str]] = {}
    for value in document.get("value", ()):
        key = value.get("id")
        if key not in _POLICY_VALUES:
            raise Refused(f"a policy has no value {key!r}", name, f"It may state {', '.join(_POLICY_VALUES)}")
        if key in found:
            raise Refused(f"{key} is stated twice", name)
        if not value.get("cites") or value.get("checked") not in ("text", "restated", "choice"):
            raise Refused(f"{key} needs cites, and checked = text, restated or choice", name)
        if not _POLICY_VALUES[key](value.get("is")):
            raise Refused(f"{key} cannot be {value.get('is')!r}", name)
        found[key], cites[key] = value["is"], (value["cites"], value["checked"])
    if "small-groups" in found:
        found["small-groups"] = tuple(_small_group(group, name) for group in found["small-groups"])
    return Policy(
        id=document["id"],
        title=str(document.get("title", "")),
        source=str(document.get("source", "")),
        cites=cites,
        **{key.replace("-", "_"): value for key, value in found.items()},
    )


def _small_group(group: Mapping[str, Any], name: str) -> SmallGroup:
    try:
        middle = Fraction(group["middle"]) if "middle" in group else None
        return SmallGroup(int(group["results"]), int(group["expected"]), middle, Fraction(group.get("step", 0)))
    except (KeyError, TypeError, ValueError):
        raise Refused(
            f"small-groups: {group!r} cannot be read",
            name,
            "Write {results = 2, expected = 6, middle = 60, step = 5}; without middle: no score",
        ) from None


def show(number: Number, policy: Policy = NEUTRAL, average: Number = 0) -> str:
    """A decimal at the policy's rounding, without trailing zeros; ``average`` is what halves go away from.

    The average is half the top for matchpoints, 50 for percentages, 0 for IMPs.
    """
    scale = 10**policy.places
    whole, rest = divmod(Fraction(number) * scale, 1)
    half = Fraction(1, 2)
    if rest > half or (rest == half and (policy.halves == "up" or number >= average)):
        whole += 1
    sign, size = ("-" if whole < 0 else ""), abs(whole)
    if not policy.places:
        return f"{sign}{size}"
    return f"{sign}{size // scale}.{size % scale:0{policy.places}d}".rstrip("0").rstrip(".")
