"""The hooks: who calls each one, when, what None means, and what happens when two plugins offer the same.

A plugin is a module (or any object) with functions of these names, marked ``@screenplug.hookimpl``. It is found as an
entry point of the group ``screenplug``, or given with ``--plugin FILE``. A hook may leave out arguments that it does
not need; arguments are only ever added. Order carries no meaning: what two plugins cannot both have is refused, and the
message names both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Protocol

from pluggy import HookimplMarker, HookspecMarker

from .model import Change, Game, Result, Ruling

if TYPE_CHECKING:
    from click import Group

    from .comparison import Method
    from .event import Event

hookspec = HookspecMarker("screenplug")
hookimpl = HookimplMarker("screenplug")


class Host(Protocol):
    """A scoring program into which a ruling has to go. ``name`` is the word for ``--host``.

    ``screenplug.testing.check_host`` tells its author whether it keeps what is said here.

    It may also have ``read(data: bytes) -> Sequence[Result]`` and
    ``write(original: bytes, changes: Sequence[Change]) -> bytes`` for the program's own file, where
    ``write(data, ()) == data``; and ``instead(change: Change) -> str``, the nearest thing without a loss that can be
    keyed where ``loses`` is not empty, without which the list gives the figures to type; and ``sources``, texts that
    say where it is known from what the program can hold.
    """

    name: str

    def loses(self, ruling: Ruling) -> Sequence[str]:
        """What of this ruling the program cannot hold, in the director's words; empty when it holds all of it."""

    def enter(self, change: Change) -> str:
        """How to key the change in, as one would tell the scorer; asked only for what the program can hold."""


class Report(Protocol):
    """A paper or page. ``name`` is the word for ``--form``; ``suffix`` is ``.txt`` or ``.html``: what it is."""

    name: str
    suffix: str

    def render(self, event: Event, rulings: Sequence[Ruling], detail: str) -> str:
        """The finished text of the paper about these rulings of a file; the caller chooses which.

        ``detail`` is ``public`` (no facts and seats, no text that anybody wrote: statements, findings, notes),
        ``record`` or ``full`` (also what is private), or empty for what the paper is usually for.
        """


@hookspec
def screenplug_documents() -> Iterable[Traversable] | None:
    """Law documents and scoring policies: TOML files, told apart by their ``kind``.

    Called when a command first needs the Laws or a policy; each file is read once. A ``pathlib.Path`` will do, and so
    does what ``importlib.resources.files`` gives. None: no documents. The same id and revision from two plugins is
    refused, whatever stands in them; to change a document, extend it under an id of your own.
    """


@hookspec
def screenplug_methods() -> Iterable[Method] | None:
    """Scoring methods, each with the words of PBN's ``Scoring`` tag that it serves.

    Called when something is scored. None: no methods. A tag goes to the method with the fewest words that knows all of
    the tag's; two methods of one name, or with an equal claim to a tag, are refused.
    ``screenplug.testing.check_method`` tells an author what is wrong with his.
    """


@hookspec
def screenplug_hosts() -> Iterable[Host] | None:
    """Scoring programs, each with what it cannot hold and how a change is keyed in.

    Called by ``screenplug changes``. None: no programs. A name that two programs claim is refused.
    """


@hookspec
def screenplug_reports() -> Iterable[Report] | None:
    """Papers and pages: appeal forms, ruling sheets, bulletins.

    Called by ``screenplug report``. None: no papers. A name that two papers claim is refused.
    """


@hookspec(firstresult=True)
def screenplug_exported(pbn: bytes, rulings: Sequence[Ruling]) -> bytes | None:
    """Take the boards that a host program has just exported, and give back the file that it shall write.

    The one call of a host program written in Python. screenplug itself answers last: with the records of the rulings
    in force attached, every byte of ``pbn`` still there. A plugin that answers before it takes the export over; None
    leaves it to the next one, and no answer at all means that screenplug is not registered: write ``pbn`` as it is.
    A ruling that cannot be attached is left out; ``screenplug_ruled`` tells which ones were attached. Raises
    ``screenplug.model.Refused`` for what is no PBN file, and whatever a plugin raises: the export is the caller's to
    save.
    """


@hookspec
def screenplug_ruled(game: Game, ruling: Ruling, result: Result | None) -> None:
    """Follow along: ``ruling`` has been attached to ``game``.

    Called once for each record attached, after the bytes are final, by ``screenplug annotate``, ``screenplug rule`` and
    screenplug's own ``screenplug_exported``. ``result`` is None for a ruling about the board or several results. What
    it returns is not looked at. Any number of plugins may listen, in no particular order.
    """


@hookspec(historic=True)
def screenplug_commands(cli: Group) -> None:
    """Add commands to the click group ``cli``.

    Called once for each plugin: when it is loaded, also when that is late by ``--plugin FILE``. What it returns is not
    looked at. A command under a name that is taken is refused: the plugin that came later is left out, and the list
    of plugins names both.
    """
