"""Plugins: who is loaded, what they offer under names that are unique, and what went wrong with them.

``register`` puts screenplug on a plugin manager, ``plugin_manager`` on a fresh one. The built-ins come first, then the
installed plugins (entry points of the group ``screenplug``) by name. A plugin that fails in loading or in offering
something is left out and listed by ``describe``; the others work on. ``SCREENPLUG_PLUGINS=a,b`` loads only those
installed plugins, empty none; ``SCREENPLUG_STRICT=1`` makes every failure fatal. A file given by name fails at once:
a plugin, or a law document or policy of the user's own, which needs no code (``SCREENPLUG_DOCUMENTS`` names such files
and folders, with ``;`` between them on Windows and ``:`` elsewhere).
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from . import __version__, hookspecs
from .hookspecs import Host, Report, hookimpl
from .model import Game, Ledger, Refused, Result, Ruling

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .comparison import Method
    from .offered import Tables

GROUP = "screenplug"
BUILT_IN = ("documents", "methods", "reports", "hosts")
COMMANDS = ("calculator", "law_commands")  # built-ins as well, of no use without a command line
OWN = "screenplug"
DOCUMENTS = "SCREENPLUG_DOCUMENTS"

# Marks made for screenplug are read through this one, whatever a host program calls its own project.
_MARKS = pluggy.PluginManager(GROUP)
_HOOKS = tuple(name for name in dir(hookspecs) if _MARKS.parse_hookspec_opts(hookspecs, name))

_ADDED_BY = "screenplug_plugin"  # on a command: the plugin that added it

# A plugin may fail in any way, and that includes leaving the program.
_FAILURE = (Exception, SystemExit)

Offer = TypeVar("Offer")


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a plugin comes from: ``built-in``, the distribution's name, ``--plugin``, ``--document``."""

    source: str
    version: str | None

    @property
    def asked_for(self) -> bool:
        """Whether the user named the file, so that he must hear at once that it cannot be used."""
        return self.source in ("--plugin", "--document", DOCUMENTS)


@dataclass(frozen=True, slots=True)
class _File:
    """A document of the user's own, under the name that he gave it."""

    name: str
    path: Path

    def read_bytes(self) -> bytes:
        return self.path.read_bytes()


@dataclass(frozen=True, eq=False)
class _Documents:
    """The documents of the user's own in one file or folder, as a plugin."""

    files: tuple[_File, ...]

    @hookimpl
    def screenplug_documents(self) -> Iterable[_File]:
        return self.files


@dataclass(eq=False)
class Screenplug:
    """screenplug as a plugin of one manager: how it was started, what failed since, and its answer to the export."""

    pm: pluggy.PluginManager
    cli: Any = None
    strict: bool = False
    origins: dict[str, _Origin] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)
    read: tuple[tuple[str, ...], Tables] | None = None

    @hookimpl(trylast=True)
    def screenplug_exported(self, pbn: bytes, rulings: Sequence[Ruling]) -> bytes:
        from .event import open_rulings

        data, attached, _ = open_rulings(pbn, Ledger(tuple(rulings)), tables(self.pm)).annotate()
        for here in attached:
            ruled(self.pm, here.game, here.ruling, here.result)
        return data

    def failed(self, name: str, error: BaseException, doing: str = "") -> None:
        """List the failure; raise it when it must not pass: under strict, or of a built-in or a file asked for."""
        reason = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
        reason = f"{doing}: {reason}" if doing else reason
        self.note(name, reason)
        origin = self.origins[name]
        if origin.asked_for and origin.source != "--plugin":  # no plugin to the user: what is wrong names the file
            raise error if isinstance(error, Refused) else Refused(reason, name) from error
        if self.strict or origin.asked_for or origin.source == "built-in":
            raise Refused(reason, f"plugin {name}") from error

    def note(self, name: str, reason: str) -> None:
        self.origins.setdefault(name, _Origin("host program", None))
        reasons = self.failures.setdefault(name, [])
        if reason not in reasons:
            reasons.append(reason)


def plugin_manager(cli: Any = None) -> pluggy.PluginManager:
    """Make a new plugin manager with screenplug, the built-ins and the installed plugins on it.

    ``cli`` is the click group to which plugins may add commands. Raises Refused only under ``SCREENPLUG_STRICT=1``.
    """
    pm = pluggy.PluginManager(GROUP)
    register(pm, cli)
    return pm


def register(pm: pluggy.PluginManager, cli: Any = None) -> None:
    """Put the hooks, the built-ins and the installed plugins on the manager of a host program.

    The manager may have any project name, and may know the hooks already: plugins of the host program mark their
    functions as they always do, plugins of screenplug as screenplug's. Raises as ``plugin_manager``.
    """
    _add_hooks(pm)
    own = Screenplug(pm, cli, strict=os.environ.get("SCREENPLUG_STRICT", "") not in ("", "0"))
    if cli is not None:
        for word in [word for word, command in cli.commands.items() if hasattr(command, _ADDED_BY)]:
            del cli.commands[word]  # by a plugin of an earlier manager
        # Called before any plugin is there: each gets the call in its own turn, and fails alone.
        pm.hook.screenplug_commands.call_historic(kwargs={"cli": cli})
    _load(own, OWN, _Origin("built-in", __version__), lambda: own)
    for module in (*BUILT_IN, *(COMMANDS if cli is not None else ())):
        name = f"screenplug_hooks.{module}"
        _load(own, name, _Origin("built-in", __version__), partial(importlib.import_module, name))
    wanted = os.environ.get("SCREENPLUG_PLUGINS")
    only = None if wanted is None else [word.strip() for word in wanted.split(",") if word.strip()]
    found = [] if only == [] else sorted(_installed(), key=lambda point: (point.name, _origin(point).source))
    for point in found:
        if only is None or point.name in only:
            _load(own, point.name, _origin(point), point.load)
    for name in only or ():
        if name not in {point.name for point in found}:
            own.origins[name] = _Origin("SCREENPLUG_PLUGINS", None)
            own.failed(name, Refused("no installed plugin has this name"))
    for path in os.environ.get(DOCUMENTS, "").split(os.pathsep):
        if name := path.strip():
            try:
                load_document(pm, name, DOCUMENTS)
            except Refused as refused:  # a file that has moved stops no command that does without it
                if own.strict:
                    raise
                own.origins[name] = _Origin(DOCUMENTS, None)
                own.note(name, str(refused))


def load_document(pm: pluggy.PluginManager, path: str | os.PathLike[str], source: str = "--document") -> None:
    """Take in a law document or scoring policy of the user's own, or a folder of them; the same file twice counts once.

    Raises Refused when there is no such file. Whether it is sound shows when the documents are read: ``tables``.
    """
    own = _own(pm)
    name = str(path)
    if name in own.origins:
        return
    given = Path(path)
    paths = sorted(given.glob("*.toml")) if given.is_dir() else [given]
    if not paths or not paths[0].is_file():
        what = "there is no document in this folder" if given.is_dir() else "there is no such file"
        raise Refused(what, name, "A document is a TOML file whose name ends in .toml")
    others = [plugin for plugin in pm.get_plugins() if isinstance(plugin, _Documents)]
    there = {file.path.resolve() for plugin in others for file in plugin.files}
    found = _Documents(tuple(_File(str(each), each) for each in paths if each.resolve() not in there))
    _load(own, name, _Origin(source, None), lambda: found)


def unload_document(pm: pluggy.PluginManager, path: str | os.PathLike[str]) -> None:
    """Forget a document of the user's own: one that cannot be used must not keep the others from being read."""
    own = _own(pm)
    name = str(path)
    pm.unregister(name=name)
    del own.origins[name]
    own.failures.pop(name, None)


def load_file(pm: pluggy.PluginManager, path: str | os.PathLike[str]) -> None:
    """Load one Python file as a plugin; the same file twice is loaded once.

    It was asked for by name, so nothing is passed over: Refused says why it cannot be loaded.
    """
    own = _own(pm)
    file = Path(path)
    name = str(file)
    if own.origins.get(name):
        return

    def module() -> Any:
        if not file.is_file():
            raise Refused("there is no such file")
        # The full path as the module's name: it cannot hide another module, and dataclasses find their module by it.
        spec = importlib.util.spec_from_file_location(str(file.resolve()), file)
        if spec is None or spec.loader is None:
            raise Refused("is not a Python file", remedy="Its name must end in .py")
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = loaded
        try:
            spec.loader.exec_module(loaded)
        except BaseException:
            del sys.modules[spec.name]
            raise
        if not any(pm.parse_hookimpl_opts(loaded, attribute) for attribute in dir(loaded)):
            raise Refused("has no hook in it", remedy="Mark its functions with @screenplug.hookimpl")
        return loaded

    try:
        _load(own, name, _Origin("--plugin", None), module)
    except Refused:
        del own.origins[name], own.failures[name]
        raise


def documents(pm: pluggy.PluginManager) -> tuple[tuple[str, str, bytes], ...]:
    """Every law document and policy: (plugin, file name, content).

    ``file`` is the file's name, for a document of the user's own the path that he gave. Raises Refused when two
    plugins bring the same edition: the same ``kind``, ``id`` and ``revision``.
    """

    def read(document: Any) -> tuple[str, bytes]:
        return str(document.name), bytes(memoryview(document.read_bytes()))

    offers = _offers(pm, "screenplug_documents", read)
    if len({plugin for plugin, _ in offers}) > 1:
        _unique(pm, "document", ((plugin, identity) for plugin, (_, data) in offers if (identity := _identity(data))))
    return tuple((plugin, file, data) for plugin, (file, data) in offers)


def methods(pm: pluggy.PluginManager) -> tuple[Method, ...]:
    """The scoring methods, each of a name of its own.

    A ``Scoring`` tag goes to the method with the fewest words that knows all of the tag's; Refused when two plugins'
    methods would have an equal claim to some tag.
    """

    def words(method: Method) -> tuple[Method, frozenset[str]]:
        return method, frozenset(word.lower() for word in method.words)

    offers = _offers(pm, "screenplug_methods", words)
    _unique(pm, "scoring method", ((plugin, method.name) for plugin, (method, _) in offers))
    sets = [known for _, (_, known) in offers]
    for (first, (_, one)), (second, (_, other)) in combinations(offers, 2):
        shared = one & other
        if shared and len(one) == len(other) and not any(shared <= known and len(known) < len(one) for known in sets):
            _refuse_clash(pm, f"scoring word {', '.join(sorted(shared))}", first, second)
    return tuple(method for _, (method, _) in offers)


def hosts(pm: pluggy.PluginManager) -> dict[str, Host]:
    """The scoring programs by name; Refused when two have one name."""
    return _named(pm, "screenplug_hosts", "scoring program")


def reports(pm: pluggy.PluginManager) -> dict[str, Report]:
    """The papers by name; Refused when two have one name."""
    return _named(pm, "screenplug_reports", "report")


def tables(pm: pluggy.PluginManager) -> Tables:
    """The law documents, policies and scoring methods of all plugins, for as long as no plugin is added.

    What comes with screenplug is read when it is first needed, what others bring is checked now: documents of an
    installed plugin that do not load, whatever reading them raises, fail like the plugin itself. Raises Refused as
    ``documents``, and for documents of the user's own.
    """
    own = _own(pm)
    plugins = tuple(name for name, _ in pm.list_name_plugin())
    if own.read is None or own.read[0] != plugins:
        own.read = plugins, _tables(own, documents(pm))
    return own.read[1]


def ruled(pm: pluggy.PluginManager, game: Game, ruling: Ruling, result: Result | None) -> None:
    """Tell every plugin that follows along, once the bytes are safe; an installed one that fails is only listed."""
    own = _own(pm)
    for name, tell in _each(pm, "screenplug_ruled"):
        try:
            tell(game=game, ruling=ruling, result=result)
        except _FAILURE as error:
            own.failed(name, error, "screenplug_ruled")


def describe(pm: pluggy.PluginManager) -> list[dict[str, Any]]:
    """All plugins in the order of loading: ``name source version hooks failure``, the last three None or [] if none.

    Everything is asked for what it offers first, so that a plugin which fails only then, or clashes, says so here.
    """
    own = _own(pm)
    for registry in (tables, methods, hosts, reports):
        try:
            registry(pm)
        except Refused:
            if own.strict:
                raise
    return [
        {
            "name": name,
            "source": origin.source,
            "version": origin.version,
            "hooks": sorted(caller.name for caller in pm.get_hookcallers(pm.get_plugin(name)) or ()),
            "failure": "; ".join(own.failures.get(name, ())) or None,
        }
        for name, origin in own.origins.items()
    ]


def _own(pm: pluggy.PluginManager) -> Screenplug:
    own = pm.get_plugin(OWN)
    assert isinstance(own, Screenplug), "screenplug.host.register(pm) comes first"
    return own


def _add_hooks(pm: pluggy.PluginManager) -> None:
    """Make the hooks known, under the project name of the manager, unless it knows them."""
    mark = pluggy.HookspecMarker(pm.project_name)
    missing = [name for name in _HOOKS if not (hasattr(pm.hook, name) and getattr(pm.hook, name).has_spec())]
    for name in missing:
        options = _MARKS.parse_hookspec_opts(hookspecs, name)
        assert options is not None
        mark(getattr(hookspecs, name), **options)
    if missing:
        pm.add_hookspecs(type("Hooks", (), {name: staticmethod(getattr(hookspecs, name)) for name in missing}))


def _load(own: Screenplug, name: str, origin: _Origin, plugin: Callable[[], Any]) -> None:
    """Load one plugin; when it fails, leave no trace of it but the failure."""
    pm = own.pm
    if name in own.origins:
        other = own.origins[name].source
        own.origins[f"{name} ({origin.source})"] = origin
        own.failed(f"{name} ({origin.source})", Refused(f"the name {name} is taken by the plugin of {other}"))
        return
    own.origins[name] = origin
    commands = getattr(own.cli, "commands", {})
    before = dict(commands)
    loaded = None
    try:
        loaded = plugin()
        if pm.is_registered(loaded):
            raise Refused(f"is loaded already, as {pm.get_name(loaded)}")
        _adopt(pm, loaded)
        pm.register(loaded, name)
        for word in before:
            if commands.get(word) is not before[word]:
                owner = getattr(before[word], _ADDED_BY, OWN)
                raise Refused(f"screenplug_commands: {word} is a command of {owner} already")
        for word in commands.keys() - before.keys():
            setattr(commands[word], _ADDED_BY, name)
    except _FAILURE as error:
        if loaded is not None and pm.get_plugin(name) is loaded:
            pm.unregister(name=name)
        if commands != before:
            commands.clear()
            commands.update(before)
        own.failed(name, error)


def _adopt(pm: pluggy.PluginManager, plugin: Any) -> None:
    """Let the manager read screenplug's marks on the plugin; raise Refused for a hook that there is not."""
    if pm.project_name != GROUP:
        mark = pluggy.HookimplMarker(pm.project_name)
        for attribute in dir(plugin):
            if (options := _MARKS.parse_hookimpl_opts(plugin, attribute)) is not None:
                function = getattr(plugin, attribute)
                mark(getattr(function, "__func__", function), **options)
    for attribute in dir(plugin):
        options = pm.parse_hookimpl_opts(plugin, attribute)
        hook = options and (options.get("specname") or attribute)
        if not hook or options is None or options.get("optionalhook"):
            continue
        if not (hasattr(pm.hook, hook) and getattr(pm.hook, hook).has_spec()):
            near = difflib.get_close_matches(hook, _HOOKS, 1)
            raise Refused(f"there is no hook {hook}", remedy=f"Did you mean {near[0]}?" if near else "")


def _installed() -> Iterable[EntryPoint]:
    """The entry points of installed plugins.

    Python's own search costs a quarter of a short command. It is left out where a look into the folders of installed
    distributions shows that none of them is a plugin of ours.
    """
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if all(getattr(finder, "__name__", "") == "PathFinder" for finder in finders) and not _any_plugin(sys.path):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _any_plugin(paths: Iterable[str]) -> bool:
    """Whether a distribution on these paths names our group; also for what cannot be looked into, as a zip file."""
    for path in dict.fromkeys(paths):
        folder = Path(path or ".")
        if not folder.is_dir():
            if folder.exists():
                return True
            continue
        for pattern in ("*.dist-info", "*.egg-info", "EGG-INFO"):
            for file in folder.glob(f"{pattern}/entry_points.txt"):
                with contextlib.suppress(OSError):
                    if f"[{GROUP}]".encode() in file.read_bytes():
                        return True
    return False


def _origin(point: EntryPoint) -> _Origin:
    """The distribution of an entry point; its metadata may be broken as well."""
    try:
        assert point.dist is not None
        return _Origin(point.dist.name, point.dist.version)
    except _FAILURE:
        return _Origin("?", None)


def _each(pm: pluggy.PluginManager, hook: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each plugin that has the hook, in the order of loading, with a call that reaches this plugin alone."""
    for name, plugin in pm.list_name_plugin():
        if getattr(pm.hook, hook) in (pm.get_hookcallers(plugin) or ()):
            yield name, pm.subset_hook_caller(hook, [other for other in pm.get_plugins() if other is not plugin])


def _offers(pm: pluggy.PluginManager, hook: str, read: Callable[[Any], Offer]) -> list[tuple[str, Offer]]:
    """What each plugin offers by a collecting hook: all of it, or nothing when it fails."""
    own = _own(pm)
    offers: list[tuple[str, Offer]] = []
    for name, ask in _each(pm, hook):
        try:
            offers += [(name, read(offer)) for answer in ask() for offer in answer]
        except _FAILURE as error:
            own.failed(name, error, hook)
    return offers


def _named(pm: pluggy.PluginManager, hook: str, what: str) -> dict[str, Any]:
    offers = _offers(pm, hook, lambda offer: (str(offer.name), offer))
    _unique(pm, what, ((plugin, name) for plugin, (name, _) in offers))
    return {name: offer for _, (name, offer) in offers}


def _unique(pm: pluggy.PluginManager, what: str, claims: Iterable[tuple[str, str]]) -> None:
    """Raise Refused, naming both plugins, when a name is claimed twice."""
    claimed: dict[str, str] = {}
    for plugin, name in claims:
        if name in claimed:
            _refuse_clash(pm, f"{what} {name}", claimed[name], plugin)
        claimed[name] = plugin


def _refuse_clash(pm: pluggy.PluginManager, what: str, first: str, second: str) -> None:
    own = _own(pm)
    refusal = Refused(
        f"{what} is offered by {first} and by {second}",
        remedy="Leave one of them out: SCREENPLUG_PLUGINS names the installed plugins to load"
        if not own.origins[second].asked_for
        else "Leave one of them out, or give yours an id of its own",
    )
    own.note(second, str(refusal))
    raise refusal


def _tables(own: Screenplug, found: Sequence[tuple[str, str, bytes]]) -> Tables:
    from . import offered

    ours = {name for name, origin in own.origins.items() if origin.source == "built-in"}
    asked = {name for name, origin in own.origins.items() if origin.asked_for}

    def read(some: Iterable[tuple[str, str, bytes]]) -> Tables:
        named = [(plugin, file if plugin in asked else f"{plugin}: {file}", data) for plugin, file, data in some]
        return offered.tables(named, partial(methods, own.pm), ours)

    try:
        return read(found)
    except _FAILURE as error:
        if own.strict and isinstance(error, Refused):  # it has all faults; any other failure does not say whose it is
            raise
    # Whose fault is it? Begin with ours, then take in whichever plugin loads: one may stand on another's documents.
    taken = [document for document in found if document[0] in ours]
    good = read(taken)
    waiting = list(dict.fromkeys(plugin for plugin, _, _ in found if plugin not in ours))
    failures: dict[str, BaseException] = {}
    for _ in range(len(waiting)):
        for plugin in tuple(waiting):
            more = [*taken, *(document for document in found if document[0] == plugin)]
            try:
                good, taken = read(more), more
                waiting.remove(plugin)
            except _FAILURE as error:
                failures[plugin] = error
    for plugin in waiting:
        own.failed(plugin, failures[plugin], "screenplug_documents")
    return good


_FIRST_TABLE = re.compile(rb"^[ \t]*\[", re.MULTILINE)


def _identity(data: bytes) -> str:
    """Kind, id and revision of a document; empty when it cannot be read, which whoever uses it will report."""
    head = _FIRST_TABLE.split(data, maxsplit=1)[0]
    for text in (head, data):  # the head is enough, unless the bracket that ended it stood inside an array
        try:
            values: Mapping[str, Any] = tomllib.loads(text.decode("utf-8-sig"))
            return " ".join(str(values[key]) for key in ("kind", "id", "revision") if key in values)
        except (ValueError, RecursionError):
            continue
    return ""
