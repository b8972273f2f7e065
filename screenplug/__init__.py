"""Rulings behind screens, on the board: PBN in, the decision by article, the adjusted score, PBN out.

The functions here take and give bytes and the records of ``screenplug.model``. They use the built-in and the installed
plugins, looked up once, and load what they need when first called: a plugin that only wants ``screenplug.hookimpl``
costs nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .hookspecs import hookimpl
    from .host import plugin_manager
    from .laws import Answer
    from .model import Game, Ledger, Problem, Ruling
    from .offered import Tables
    from .record import Record

__version__ = "0.1.0"

__all__ = ["__version__", "annotate", "decide", "hookimpl", "plugin_manager", "records", "score", "strip"]


def decide(
    decision: str,
    facts: Mapping[str, str | int],
    *,
    regulations: str,
    laws: str | None = None,
    hypothetical: bool = False,
    readings: Mapping[str, str] | None = None,
) -> Answer:
    """Answer one question of the Laws from facts, with the articles.

    ``laws`` is the edition underneath, by default the first that the regulations stand on. Raises
    ``screenplug.model.Refused`` for unknown words, and for facts that cannot be.
    """
    return _tables().lawbook.code(regulations, laws, hypothetical).decide(decision, facts, readings or {})


def annotate(
    pbn: bytes, rulings: Ledger | Iterable[Ruling], detail: str = "record"
) -> tuple[bytes, tuple[Problem, ...]]:
    """The file with the records of the rulings attached, every byte still there, and what was wrong with them.

    ``detail`` is ``public`` (no facts, no seats, no notes), ``record`` or ``full`` (also what is private). A ruling
    with a problem of severity ``error`` is not attached. Raises Refused for what is no PBN.
    """
    from .event import open_rulings

    opened = open_rulings(pbn, _ledger(rulings), _tables())
    annotated, _, problems = opened.annotate(detail)
    return annotated, (*opened.problems, *problems)


def strip(pbn: bytes) -> bytes:
    """The file without its records: the exact inverse of ``annotate``."""
    from .record import strip

    return strip(pbn)


def score(pbn: bytes, rulings: Ledger | Iterable[Ruling] = (), policy: str | None = None) -> dict[str, Any]:
    """Every board and the totals under the rulings and the records in the file: the document of ``score --json``.

    Numbers are decimal strings at the policy's rounding, unknown is None. Raises Refused for what is no PBN, and for
    an unknown policy.
    """
    from .event import open_rulings

    return open_rulings(pbn, _ledger(rulings), _tables(), policy=policy).score_json()


def records(pbn: bytes) -> tuple[tuple[tuple[Game, Record], ...], tuple[Problem, ...]]:
    """The records in the file, each with its game, and what of them could not be read."""
    from .pbn import read
    from .record import records

    return records(read(pbn))


@cache
def _tables() -> Tables:
    from .host import plugin_manager, tables

    return tables(plugin_manager())


def _ledger(rulings: Ledger | Iterable[Ruling]) -> Ledger:
    from .model import Ledger

    return rulings if isinstance(rulings, Ledger) else Ledger(tuple(rulings))


# What needs pluggy, by the module that has it.
_LATER = {"hookimpl": "screenplug.hookspecs", "plugin_manager": "screenplug.host"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)
