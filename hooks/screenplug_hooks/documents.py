"""The law documents in ``laws/``, the scoring policies in ``policies/``, scales of victory points in ``scales/``."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from screenplug import hookimpl


@hookimpl
def screenplug_documents() -> Iterator[Traversable]:
    here = files("screenplug_hooks")
    for folder in ("laws", "policies", "scales"):
        for document in sorted((here / folder).iterdir(), key=lambda item: item.name):
            if document.name.endswith(".toml"):
                yield document
