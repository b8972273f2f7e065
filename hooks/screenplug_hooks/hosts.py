"""The scoring programs in ``hosts.toml``: what they can hold, and how a change is keyed in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from screenplug import hookimpl

if TYPE_CHECKING:  # `screenplug --help` loads this module and needs nothing of it
    from screenplug.model import Award, Change, Ruling, Score

_AVERAGES = ("A-", "A", "A+")
_ELEMENTS = {"mp_ns": "NS_MATCH_POINTS", "mp_ew": "EW_MATCH_POINTS", "imp_ns": "NS_IMPS", "imp_ew": "EW_IMPS"}


@dataclass(frozen=True)
class Program:
    """One scoring program, as ``hosts.toml`` describes it."""

    name: str
    title: str
    sources: Sequence[str]
    nearest: str
    can: Mapping[str, str]
    lacks: Mapping[str, str]
    percents: Sequence[int] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""

    def loses(self, ruling: Ruling) -> list[str]:
        """One sentence for each kind of score in the ruling that the program cannot hold."""
        if ruling.score is None:
            return []
        score = self._equal(ruling.score)
        found = [self._lacking(kind) for kind in kinds(score) if kind not in self.can]
        odd = [str(side) for side in (score.ns, score.ew) if side.kind == "percent" and not self._takes(side)]
        if odd and "percent" in self.can:
            known = ", ".join(f"{number}%" for number in self.percents) or "whole ones of two digits"
            found.append(f"{' and '.join(dict.fromkeys(odd))}: the only percentages it takes are {known}")
        return found

    def enter(self, change: Change) -> str:
        """The sentence for the kind of score, filled in."""
        if change.score.kind == "table":
            return "leave the result as it was at the table, or key it again if it was changed"
        return self._filled(self.can[kinds(self._equal(change.score))[0]], change)

    def instead(self, change: Change) -> str:
        """Where the figures go that the ruling comes to; or that there are none."""
        from screenplug.changes import correction, typed

        if self.unit and not any(key.startswith(self.unit) for key in change.figures):
            elsewhere = f"{self.title} scores in {self.unit.upper()}s alone, so this board is in another program."
            return f"{elsewhere} There {typed(change)}"
        return self._filled(self.nearest, change) if correction(change) else typed(change)

    def _takes(self, side: Award) -> bool:
        """Whether the program can write this percentage; all but those with a list of their own have two digits."""
        return side.amount in (self.percents or range(10, 100))

    def _equal(self, score: Score) -> Score:
        """The score, or one that is the same by every law and that the program holds: 50% is the average."""
        from screenplug.model import Award, Score

        for other in (Award("average", average="A"), Award("percent", amount=Fraction(50))):
            equal = {str(score.ns), str(score.ew)} <= {"A", "50%"}
            if equal and other.kind in self.can and not all(kind in self.can for kind in kinds(score)):
                return Score(other, other)
        return score

    def _lacking(self, kind: str) -> str:
        return self.lacks.get(kind) or f"{_PLAIN.get(kind, kind)}: no source says how {self.title} would hold it"

    def _filled(self, sentence: str, change: Change) -> str:
        from screenplug.changes import correction
        from screenplug.event import figures_text

        score = self._equal(change.score)
        figures = {key: text for key, text in change.figures.items() if not key.startswith("percent")}
        marks = {
            "ns": self._word(score.ns),
            "ew": self._word(score.ew),
            "figures": figures_text(figures),
            "elements": ", ".join(f"{_ELEMENTS[key]} {text}" for key, text in figures.items()),
            "totals": figures_text(correction(change)),
        }
        if score.kind == "assigned":
            outcome = score.ns.outcomes[0][1]
            made = str(outcome).split()[-1]
            marks |= {
                "contract": outcome.contract,
                "declarer": outcome.declarer,
                "made": made if outcome.level else "",
                "tricks": str(outcome.tricks) if outcome.level else "",
            }
        if score.ns.kind == score.ew.kind == "average":
            ns, ew = (_AVERAGES.index(side.average) for side in (score.ns, score.ew))
            marks["code"] = str(-1 - 3 * ns - ew)
        for mark, text in marks.items():
            sentence = sentence.replace(f"{{{mark}}}", text)
        return " ".join(sentence.split())

    def _word(self, award: Award) -> str:
        """One side's award in the program's own words."""
        text = str(award).removesuffix("%")
        return self.words.get(text, text)


_PLAIN = {
    "result": "an assigned result",
    "average": "an average by the law",
    "percent": "a fixed percentage",
    "imps": "fixed IMPs",
    "weighted": "a weighted score",
    "split": "a split score",
    "mixed": "two different kinds of artificial score",
    "one-side": "a score for one side alone",
    "not-played": "a board that was not played",
    "late": "a board to be played later",
    "cancelled": "a cancelled result",
}


def kinds(score: Score) -> list[str]:
    """What a program must be able to hold for this score."""
    sides = (score.ns, score.ew)
    if score.kind == "table":
        return []
    found = ["weighted"] if any(len(side.outcomes) > 1 for side in sides) else []
    if score.split:
        return [*found, "split"]
    if found:
        return found
    if score.kind == "assigned":
        return ["result"]
    artificial = list(dict.fromkeys(side.kind.replace(" ", "-") for side in sides if side.kind != "table"))
    if len(artificial) > 1:
        return ["mixed"]
    alone = "table" in (score.ns.kind, score.ew.kind)
    return ["one-side", *artificial] if alone else artificial


@hookimpl
def screenplug_hosts() -> Iterator[Program]:
    import tomllib
    from importlib.resources import files

    data: dict[str, Any] = tomllib.loads((files("screenplug_hooks") / "hosts.toml").read_text(encoding="utf-8"))
    for host in data["host"]:
        yield Program(
            host["name"],
            host["title"],
            host["sources"],
            host["instead"],
            host["holds"],
            host["lacks"],
            host.get("percents", ()),
            host.get("words", {}),
            host.get("unit", ""),
        )
