"""What plugins offer to the core, put together: law documents, scoring policies and methods, scales."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from .laws import Library, load
from .model import Refused

if TYPE_CHECKING:
    from .comparison import Method
    from .policy import Policy
    from .victory import Scale


@dataclass(frozen=True)
class Tables:
    """The law documents, and what scoring needs, which is read when something is first scored."""

    lawbook: Library
    _policies: tuple[tuple[str, bytes], ...]
    _scales: tuple[tuple[str, bytes], ...]
    _methods: Callable[[], tuple[Method, ...]]

    @cached_property
    def policies(self) -> Mapping[str, Policy]:
        """The scoring policies by id. Raises Refused for one that cannot be read, and for one that is there twice."""
        from .policy import read_policy

        return _by_id("policy", (read_policy(place, data) for place, data in self._policies))

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        """The scales of victory points by id. Raises as ``policies``."""
        from .victory import COMPUTED, read_scale

        read = (read_scale(place, data) for place, data in self._scales)
        return _by_id("scale", (*COMPUTED.values(), *read))

    @cached_property
    def methods(self) -> tuple[Method, ...]:
        """The scoring methods. Raises Refused when two plugins claim a name or word."""
        return tuple({method.name: method for method in self._methods()}.values())


def tables(
    documents: Sequence[tuple[str, str, bytes]],
    methods: Callable[[], tuple[Method, ...]],
    shipped: Collection[str] = (),
) -> Tables:
    """Read what the plugins offer: ``documents`` as (plugin, name for messages, content), laws and policies alike.

    What the plugins in ``shipped`` bring is known to be sound and read when it is first needed. Raises Refused for
    what others bring and what is not sound.
    """
    checked: list[tuple[str, bytes]] = []
    waiting: list[tuple[str, bytes]] = []
    kept: dict[str, list[tuple[str, bytes]]] = {"policy": [], "scale": []}
    others = set()
    for plugin, name, data in documents:
        kind = _kind(data, shipped=plugin in shipped)
        if kind in kept:
            kept[kind].append((name, data))
            others |= {kind} if plugin not in shipped else set()
        else:
            (waiting if plugin in shipped else checked).append((name, data))
    found = Tables(load(checked, waiting), tuple(kept["policy"]), tuple(kept["scale"]), methods)
    _ = found.policies if "policy" in others else None
    _ = found.scales if "scale" in others else None
    return found


_Named = TypeVar("_Named", "Policy", "Scale")


def _by_id(what: str, named: Iterable[_Named]) -> Mapping[str, _Named]:
    found: dict[str, _Named] = {}
    for each in named:
        if each.id in found:
            raise Refused(f"the {what} {each.id} is there twice", remedy="Give yours another id")
        found[each.id] = each
    return found


def _kind(data: bytes, *, shipped: bool) -> str:
    """``laws``, ``policy`` or ``scale``. What ships begins its line so; anybody else's document is read to tell."""
    if not shipped:
        try:
            return str(tomllib.loads(data.decode("utf-8-sig")).get("kind"))
        except (ValueError, RecursionError):
            pass  # whoever reads it will say what is wrong
    match = re.search(rb'^kind *= *"(\w+)"', data, re.MULTILINE)
    return match[1].decode() if match else "laws"
