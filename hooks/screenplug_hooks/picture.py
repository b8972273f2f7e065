"""A picture of the table behind the screen: who sat where, whose call it was, where the tray was, who noticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

_SEATS = {"N": (120, 30), "E": (210, 120), "S": (120, 210), "W": (30, 120)}
_SIDE = {"N": "NE", "E": "NE", "S": "SW", "W": "SW"}
_OTHER = {"NE": "SW", "SW": "NE"}
_MIDDLE = {"NE": (146, 94), "SW": (94, 146)}  # of each half of the table
_CORNER = {"NE": "56,56 184,56 184,184", "SW": "56,56 56,184 184,184"}
_MOVED = {"N": (46, 4), "S": (46, 12), "E": (3, 33), "W": (-3, 33)}  # clear of the table and the screen's end
_NAMES = {"N": "North", "E": "East", "S": "South", "W": "West"}
_SIDES = {"NE": "North and East", "SW": "South and West"}
_ROLES = (
    ("offender", "the irregularity was {name}'s"),
    ("moved-by", "{name} moved the tray"),
    ("attention-by", "{name} drew attention"),
    ("leader", "{name} was to lead"),
    ("declarer", "{name} was declarer"),
    ("dummy", "{name} was dummy"),
    ("raised-by", "{name} raised the screen"),
    ("card-owner", "the card was {name}'s"),
)


@dataclass(frozen=True, slots=True)
class Picture:
    """``svg`` is the drawing, ``text`` says the same in words."""

    svg: str
    text: str


def table(facts: Mapping[str, str | int]) -> Picture | None:
    """Draw what the facts of a ruling tell about the table, or None where they tell nothing that can be drawn.

    The screen runs between North-East and South-West.
    """
    sentences = list(_sentences(facts))
    if not sentences:
        return None
    text = " ".join(["North and East sit on one side of the screen, South and West on the other.", *sentences])
    shapes = "".join(_shapes(facts))
    svg = (
        f'<svg viewBox="0 0 240 240" role="img" aria-label="{escape(text, quote=True)}"><title>{escape(text)}</title>'
        f'<rect class="felt" x="56" y="56" width="128" height="128" rx="6"/>{shapes}'
        '<line class="screen" x1="40" y1="40" x2="200" y2="200"/></svg>'
    )
    return Picture(svg, text)


def _sentences(facts: Mapping[str, str | int]) -> Iterator[str]:
    for fact, words in _ROLES:
        seat = str(facts.get(fact, ""))
        if seat in _NAMES:
            yield _sentence(words.format(name=_NAMES[seat]))
    if tray := _tray(facts):
        yield f"The tray was with {_SIDES[tray]}."
    if noticed := _noticed(facts):
        yield f"It was noticed by {_SIDES[noticed]}."
    slow = str(facts.get("slow-side", ""))
    if slow in _SIDES:
        seconds = f" and stayed there for {facts['seconds']} seconds" if "seconds" in facts else ""
        yield f"The tray came {facts.get('pace', 'slow')}ly from {_SIDES[slow]}{seconds}."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _tray(facts: Mapping[str, str | int]) -> str:
    """The side of the screen on which the tray was; empty where the facts do not say."""
    home = _SIDE.get(str(facts.get("offender", "")), "")
    if not home:
        return ""
    return {"not-passed": home, "passed-back": home, "passed": _OTHER[home], "calls-removed": _OTHER[home]}.get(
        str(facts.get("tray", "")), ""
    )


def _noticed(facts: Mapping[str, str | int]) -> str:
    home = _SIDE.get(str(facts.get("offender", "")), "")
    if not home:
        return ""
    return {"offenders-side": home, "other-side": _OTHER[home]}.get(str(facts.get("noticed-on", "")), "")


def _shapes(facts: Mapping[str, str | int]) -> Iterator[str]:
    slow = str(facts.get("slow-side", ""))
    if slow in _CORNER:
        yield f'<polygon class="slow" points="{_CORNER[slow]}"/>'
        x, y = (164, 74) if slow == "NE" else (78, 174)
        yield _label(x, y, f"{facts['seconds']} s" if "seconds" in facts else "slow", "time")
    tray = _tray(facts)
    home = _SIDE.get(str(facts.get("offender", "")), "")
    if tray:
        if facts.get("tray") != "not-passed":
            (x1, y1), (x2, y2) = _MIDDLE[home], _MIDDLE[_OTHER[home]]
            yield f'<path class="way" d="M{x1} {y1}L{x2} {y2}"/>'
        x, y = _MIDDLE[tray]
        yield f'<rect class="tray" x="{x - 22}" y="{y - 9}" width="44" height="18" rx="3"/>{_label(x, y + 4, "tray")}'
    if noticed := _noticed(facts):
        x, y = (158, 122) if noticed == "NE" else (82, 126)
        yield _label(x, y, "noticed", "time")
    roles = {fact: str(facts.get(fact, "")) for fact, _ in _ROLES}
    for seat, (x, y) in _SEATS.items():
        offends = roles["offender"] == seat
        yield f'<circle class="seat{" offender" if offends else ""}" cx="{x}" cy="{y}" r="18"/>'
        yield _label(x, y + 5, seat, "letter")
        if roles["moved-by"] == seat:
            yield f'<circle class="hand" cx="{x + 15}" cy="{y - 15}" r="6"/>'
            yield _label(x + _MOVED[seat][0], y + _MOVED[seat][1], "moved it", "time")
        if roles["attention-by"] == seat:
            yield _label(x + (26 if seat in "NS" else 0), y + (8 if seat in "NS" else -24), "!", "call")


def _label(x: int, y: int, text: str, kind: str = "") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="middle">{escape(text)}</text>'
