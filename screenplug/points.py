"""What a result is worth before anything is compared: contract points (Law 77), IMPs and matchpoints (Law 78)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from .model import Outcome

Number = int | Fraction

_TRICK = {"C": 20, "D": 20, "H": 30, "S": 30, "NT": 30}
IMP_STEPS = (20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250,
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
    return sum(points for _, points in contract_terms(outcome, vulnerable, old_undertricks))


def contract_terms(outcome: Outcome, vulnerable: bool, old_undertricks: bool = False) -> list[tuple[str, int]]:
    """What ``contract_points`` adds up, each with its name; nothing for a board passed out."""
    if not outcome.level:
        return []
    state = "vulnerable" if vulnerable else "not vulnerable"
    over = outcome.tricks - 6 - outcome.level
    if over < 0:
        return _undertricks(-over, outcome.doubled, vulnerable, old_undertricks)
    each = _TRICK[outcome.strain]
    tricks = each * outcome.level + (10 if outcome.strain == "NT" else 0)
    terms = [(f"{outcome.level} odd trick{'s' if outcome.level > 1 else ''} in {outcome.strain}", tricks)]
    if outcome.doubled:
        terms.append(("doubled" if outcome.doubled == 1 else "redoubled", tricks * (1, 3)[outcome.doubled - 1]))
        tricks *= (2, 4)[outcome.doubled - 1]
    game = 500 if vulnerable else 300
    terms.append((f"game, {state}", game) if tricks >= 100 else ("part score", 50))
    if outcome.level >= 6:
        slam = "grand slam" if outcome.level == 7 else "small slam"
        terms.append((f"{slam}, {state}", (750 if vulnerable else 500) * (outcome.level - 5)))
    if outcome.doubled:
        terms.append(("for making it", 50 * outcome.doubled))
        each = 100 * outcome.doubled * (2 if vulnerable else 1)
    if over:
        terms.append((f"{over} over at {each}", each * over))
    return terms


def _undertricks(down: int, doubled: int, vulnerable: bool, old: bool) -> list[tuple[str, int]]:
    how = ("", "doubled, ", "redoubled, ")[doubled] + ("vulnerable" if vulnerable else "not vulnerable")
    if not doubled:
        each = 100 if vulnerable else 50
        return [(f"{down} down at {each}, {how}", -each * down)]
    first, each = 100 * doubled * (2 if vulnerable else 1), (300 if vulnerable else 200) * doubled
    terms = [(f"the first undertrick, {how}", -first)]
    # Not vulnerable the fourth and later ones have cost as much as vulnerable since 1987.
    dearer = 0 if vulnerable or old else max(down - 3, 0)
    if down - 1 - dearer:
        terms.append((f"{down - 1 - dearer} more at {each}", -each * (down - 1 - dearer)))
    if dearer:
        terms.append((f"{dearer} from the fourth on at {300 * doubled}", -300 * doubled * dearer))
    return terms


@lru_cache(maxsize=4096)
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


def imps(difference: Number) -> int:
    """Law 78B: the IMPs of a difference in points, with its sign."""
    size = bisect_right(IMP_STEPS, int(difference if difference > 0 else -difference))  # the steps are whole numbers
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
