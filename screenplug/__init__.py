"""Rulings behind screens, on the board: PBN in, the decision by article, the adjusted score, PBN out.

The public functions take and give bytes and the records of ``screenplug.model``. They are loaded when first used, so
that a plugin which only needs ``screenplug.hookimpl`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .hookspecs import hookimpl
    from .host import plugin_manager

__version__ = "0.1.0"

__all__ = ["__version__", "hookimpl", "plugin_manager"]

_HOMES = {
    "hookimpl": "screenplug.hookspecs",
    "plugin_manager": "screenplug.host",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
