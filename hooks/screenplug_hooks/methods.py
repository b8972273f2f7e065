"""The scoring methods that come with screenplug: a record each, with the words of the Scoring tag that it serves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from screenplug import hookimpl

if TYPE_CHECKING:
    from screenplug.comparison import Method

_MP = ("MP", "MatchPoints")
_PBN = "PBN 2.1, 3.4.12"
_PATTON = "Polish Bridge Union, Patton: boards 2/1/0 with 10 points a draw, and a point for each board by total points"


@hookimpl
def screenplug_methods() -> tuple[Method, ...]:
    from screenplug import comparison as by  # only who scores needs it

    method = by.Method
    halves = partial(by.by_matchpoints, each=1)
    cross1, cross2 = (partial(by.by_cross_imps, per=per) for per in ("result", "comparison"))
    butler2, mean, median = (partial(by.by_butler, datum=datum) for datum in ("without-extremes", "mean", "median"))
    patton = partial(by.by_board, tie=10)
    instant_imps = partial(by.by_instant, column="imp")
    return (
        method("MP", _MP, "mp", "field", by.by_matchpoints, f"Law 78A; {_PBN}"),
        method("MP1", (*_MP, "MP1"), "mp", "field", by.by_matchpoints, f"Law 78A; {_PBN}: 2, 1, 0 a comparison"),
        method("MP2", (*_MP, "MP2"), "mp", "field", halves, f"Law 78A; {_PBN}: 1, half, 0"),
        method("IMP", ("IMP",), "imp", "match", by.by_imps, f"Law 78B; {_PBN}"),
        method("BAM", ("BAM",), "mp", "match", by.by_board, f"{_PBN}: a board won, tied or lost"),
        method("Patton", ("BAM", "Patton"), "mp", "match", patton, _PATTON, by.patton_match),
        method("Butler", ("IMP", "Butler"), "imp", "field", by.by_butler, f"{_PBN}: IMPs against the average"),
        method("Butler-2", ("IMP", "Butler", "Butler-2"), "imp", "field", butler2, f"{_PBN}: without the extremes"),
        method("Mean", ("IMP", "Butler", "Mean"), "imp", "field", mean, f"{_PBN}: the datum is the mean of all"),
        method("Median", ("IMP", "Butler", "Median"), "imp", "field", median, f"{_PBN}: the datum is the median"),
        method("Cross", ("IMP", "Cross"), "imp", "field", by.by_cross_imps, f"{_PBN}: the sum of all comparisons"),
        method("Cross1", ("IMP", "Cross", "Cross1"), "imp", "field", cross1, f"{_PBN}: by the number of scores"),
        method("Cross2", ("IMP", "Cross", "Cross2"), "imp", "field", cross2, f"{_PBN}: by the comparisons"),
        method("Instant", (*_MP, "Instant"), "mp", "field", by.by_instant, f"{_PBN}: the InstantScoreTable"),
        method(
            "Instant-IMP",
            ("IMP", "IMPs", "Instant", "Instant-IMP"),
            "imp",
            "field",
            instant_imps,
            f"{_PBN}: the InstantScoreTable",
        ),
        method("TP", ("TP", "TotalPoints"), "points", "field", by.by_total_points, "total points: what was scored"),
    )
