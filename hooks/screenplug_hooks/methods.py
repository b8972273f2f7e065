"""The scoring methods that come with screenplug."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from screenplug import hookimpl

if TYPE_CHECKING:
    from screenplug.scoring import Method

_PBN = "Law 78A; PBN 2.1, 3.4.12"


@hookimpl
def screenplug_methods() -> tuple[Method, ...]:
    from screenplug.scoring import Method, by_imps, by_matchpoints  # only who scores needs it

    halves = partial(by_matchpoints, each=1)
    return (
        Method("MP", ("MP", "MatchPoints"), "mp", "field", by_matchpoints, _PBN),
        Method("MP1", ("MP", "MatchPoints", "MP1"), "mp", "field", by_matchpoints, f"{_PBN}: 2, 1, 0 a comparison"),
        Method("MP2", ("MP", "MatchPoints", "MP2"), "mp", "field", halves, f"{_PBN}: 1, half, 0"),
        Method("IMP", ("IMP",), "imp", "match", by_imps, "Law 78B; PBN 2.1, 3.4.12"),
    )
