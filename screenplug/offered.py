"""What plugins offer to the core, put together: the law documents, the scoring policies and the scoring methods."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .laws import Library, load
from .model import Refused

if TYPE_CHECKING:
    from .comparison import Method
    from .policy import Policy


@dataclass(frozen=True)
class Tables:
    """The law documents, and what scoring needs, which is read when something is first scored."""

    lawbook: Library
    _policies: tuple[tuple[str, bytes], ...]
    _methods: Callable[[], tuple[Method, ...]]

    @cached_property
    def policies(self) -> Mapping[str, Policy]:
        """The scoring policies by id. Raises Refused for one that cannot be read, and for one that is there twice."""
        from .policy import read_policy

        found: dict[str, Policy] = {}
        for place, data in self._policies:
            policy = read_policy(place, data)
            if policy.id in found:
                raise Refused(f"the policy {policy.id} is there twice", place, "Give yours another id")
            found[policy.id] = policy
        return found

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
    policies: list[tuple[str, bytes]] = []
    others = False
    for plugin, name, data in documents:
        if _is_policy(data, shipped=plugin in shipped):
            policies.append((name, data))
            others |= plugin not in shipped
        else:
            (waiting if plugin in shipped else checked).append((name, data))
    found = Tables(load(checked, waiting), tuple(policies), methods)
    if others:
        _ = found.policies
    return found


def _is_policy(data: bytes, *, shipped: bool) -> bool:
    """Whether a document is a scoring policy. What ships begins its line so; anybody else's is read to tell."""
    if not shipped:
        try:
            return bool(tomllib.loads(data.decode("utf-8-sig")).get("kind") == "policy")
        except (ValueError, RecursionError):
            pass  # whoever reads it will say what is wrong
    return re.search(rb'^kind *= *"policy"', data, re.MULTILINE) is not None
