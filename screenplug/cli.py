"""The command line. Only this module knows click; each command imports what it needs when it runs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import __version__, files
from .model import Problem, Refused

if TYPE_CHECKING:
    from .event import Event
    from .laws import Answer, Code
    from .model import Ground, Result, Ruling
    from .offered import Tables
    from .together import Together
    from .vocabulary import Fact

NOT_FINE = 1  # a problem of severity error, a ruling not attached, a decision not decided
BAD_INPUT = 2


class BadInput(click.ClickException):
    """Something given cannot be used; one clear line on stderr."""

    exit_code = BAD_INPUT


class Group(click.Group):
    """Loads plugins only when a command is not one of ours or help lists them all."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is None:
            plugins_of(ctx)
            own = super().get_command(ctx, cmd_name)
        return own

    def list_commands(self, ctx: click.Context) -> list[str]:
        plugins_of(ctx)
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Refused as refused:
            raise BadInput(str(refused)) from None
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise BadInput(f"{where}{error.strerror or error}") from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = _nearest(args[0], self.commands)
            raise click.UsageError(f"{error.message}{f' Did you mean {near!r}?' if near else ''}", ctx) from None


def plugins_of(ctx: click.Context) -> Any:
    """The plugin manager of this run, made when first needed; plugin commands are added to the group then.

    Also for the commands that plugins add.
    """
    root = ctx.find_root()
    state = root.ensure_object(dict)
    if "pm" not in state:
        from . import host

        try:
            state["pm"] = host.plugin_manager(root.command)
        except Refused as refused:  # help is printed outside of ``Group.invoke``
            raise BadInput(str(refused)) from None
    return state["pm"]


def _loads(function: str) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], None]:
    """An option's callback that hands each path to a function of ``host``, before the command is looked up: it may
    be a plugin's."""

    def load(ctx: click.Context, _: click.Parameter, paths: tuple[str, ...]) -> None:
        from . import host

        for path in paths:
            try:
                getattr(host, function)(plugins_of(ctx), path)
            except Refused as refused:
                raise BadInput(str(refused)) from None

    return load


def offered_tables(ctx: click.Context) -> Tables:
    """The law documents, policies and methods of this run: also for the commands that plugins add."""
    from . import host

    return host.tables(plugins_of(ctx))


def _nearest(word: str, words: Iterable[str]) -> str:
    import difflib

    return next(iter(difflib.get_close_matches(word, list(words), 1)), "")


@click.group(cls=Group, context_settings={"help_option_names": ["--help"]})
@click.version_option(__version__, prog_name="screenplug")
@click.option(
    "--plugin",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_loads("load_file"),
    metavar="FILE",
    help="Load a plugin from a Python file; give it before --help.",
)
@click.option(
    "--document",
    multiple=True,
    expose_value=False,
    callback=_loads("load_document"),
    metavar="FILE",
    help="Take in a regulation or scoring policy of your own, a TOML file or a folder of them. May be given several "
    "times; SCREENPLUG_DOCUMENTS names such files for every command.",
)
def cli() -> None:
    """Rulings behind screens, attached to the boards of a PBN file.

    Decide an irregularity by its article, attach the ruling to the board, see what it does to everybody's score,
    and take it off again without a trace.
    """


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a cp1250 or ASCII console must not stop a ruling
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # nor what it cannot read; ``_typed`` asks for that again
    cli(prog_name="screenplug")


# -------------------------------------------------------------------------------------------------------- reporting


def _json(document: Mapping[str, Any]) -> None:
    click.echo(json.dumps(document, indent=1))


def _tell(problems: Iterable[Problem], file: str | None = None) -> bool:
    """Problems on stderr, one line each; whether one of them is an error."""
    wrong = False
    for problem in problems:
        wrong |= problem.severity == "error"
        click.echo(_line(problem, file), err=True)
    return wrong


def _tell_about(event: Event) -> bool:
    """What is wrong with a file and what there is to say about its rulings; oddities of the file are for ``check``."""
    errors = [problem for problem in event.tape.problems if problem.severity == "error"]
    return _tell([*errors, *event.problems], event.file)


def _line(problem: Problem, file: str | None = None) -> str:
    name = problem.file or file or ""
    place = (
        f"{name}:{problem.line}" if name and problem.line else name or (f"line {problem.line}" if problem.line else "")
    )
    label = click.style("error", fg="red", bold=True) if problem.severity == "error" else "note"
    named = f"ruling {problem.ruling}"
    ruling = f" ({named})" if problem.ruling and named not in problem.text else ""
    return f"{f'{place}: ' if place else ''}{label}: {problem.text}{ruling}"


def _problem_json(problem: Problem) -> dict[str, Any]:
    keys = ("severity", "code", "file", "line", "column", "game", "ruling", "text")
    return {key: value for key in keys if (value := getattr(problem, key)) is not None}


# ---------------------------------------------------------------------------------------------------- shared options


def _sources(paths: Sequence[str], rulings: Sequence[str]) -> list[tuple[str, bytes]]:
    """The rulings files, read once for all the PBN files of a command."""
    if [*paths, *rulings].count("-") > 1:
        raise click.UsageError("standard input (-) can be one file only.")
    return files.sources(rulings)


def _open(
    ctx: click.Context, path: str, data: bytes, sources: Sequence[tuple[str, bytes]], policy: str | None = None
) -> Event:
    from . import event

    tables = offered_tables(ctx)
    with files.naming(path):
        return event.open_event(data, sources, tables, policy=policy, file=path)


FILE = click.argument("file", type=click.Path(path_type=str))
FILES = click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=str))
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document for programs.")
OUTPUT = click.option("-o", "--output", type=click.Path(path_type=str), help="Where to write; - is standard output.")
IN_PLACE = click.option("--in-place", is_flag=True, help="Replace FILE itself, whole or not at all.")
POLICY = click.option("--policy", metavar="ID", help="Scoring policy: neutral, wbf, ebu, acbl or one of a plugin.")


def _rulings(required: bool) -> Callable[..., Any]:
    return click.option(
        "--rulings",
        multiple=True,
        required=required,
        type=click.Path(path_type=str),
        metavar="PATH",
        help="A rulings file or a folder of them; may be given several times.",
    )


# ---------------------------------------------------------------------------------------------------------- commands


@cli.command(epilog="Example: screenplug check session.pbn --rulings rulings.toml")
@FILES
@_rulings(required=False)
@JSON
@click.pass_context
def check(ctx: click.Context, paths: tuple[str, ...], rulings: tuple[str, ...], as_json: bool) -> None:
    """Say what is odd in PBN files, and whether each ruling is applied in them.

    With --rulings, for each ruling: not applied, applied, differs (with both figures), table result changed, waiting.
    """
    wrong = 0
    documents = []
    sources = _sources(paths, rulings)
    for path in paths:
        try:
            event = _open(ctx, path, files.read_pbn(path), sources)
        except Refused as refused:
            wrong = BAD_INPUT
            documents.append(
                {
                    "file": path,
                    "games": [],
                    "problems": [{"severity": "error", "code": "refused", "text": str(refused)}],
                    "rulings": [],
                }
            )
            if not as_json:
                click.echo(f"Error: {refused}", err=True)
            continue
        statuses = event.statuses() if rulings else ()
        # A changed table result and a missing one are two of the states; programs get the note of the latter too.
        told = ("table-changed", *(() if as_json else ("waiting",))) if rulings else ()
        problems = [each for each in event.all_problems() if each.code not in told]
        if any(problem.severity == "error" for problem in problems):
            wrong = wrong or NOT_FINE
        if as_json:
            documents.append(
                {
                    "file": path,
                    "games": [{"game": game.number, "board": game.value("Board")} for game in event.tape.games],
                    "problems": [_problem_json(problem) for problem in problems],
                    "rulings": [status.to_json() for status in statuses],
                }
            )
            continue
        for problem in problems:
            click.echo(_line(problem, path), err=problem.severity == "error")
        for status in statuses:
            click.echo(str(status))
        odd = f"{len(problems)} to look at" if problems else "nothing odd"
        click.echo(f"{path}: {len(event.tape.games)} games, {odd}" + (f", {len(statuses)} rulings" if rulings else ""))
    if as_json:
        _json({"format": 1, "files": documents})
    if wrong:
        sys.exit(wrong)


def _pairs(pairs: Sequence[str], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or not value:
            raise click.UsageError(f"{pair!r} is no {what}; write it as NAME=VALUE.")
        if found.setdefault(key, value) != value:
            raise click.UsageError(f"{key} is given twice, as {found[key]} and as {value}.")
    return found


def question(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments and options of a command that puts one question to the Laws; ``answered`` takes them."""
    for option in (
        click.option(
            "--reading",
            "readings",
            multiple=True,
            metavar="KEY=WORD",
            help="Choose between two readings of a text, as pzbs/16.10b=out-of-turn-card.",
        ),
        click.option("--hypothetical", is_flag=True, help="Allow an edition that the regulations never stood on."),
        click.option("--laws", metavar="ID", help="The edition underneath; the first that the regulations stand on."),
        click.option(
            "--regulations",
            required=True,
            metavar="ID",
            help="Screen regulations or an edition of the Laws; see 'screenplug laws list'.",
        ),
        click.argument("facts", nargs=-1, metavar="[FACT=VALUE]..."),
        click.argument("decision"),
    ):
        command = option(command)
    return command


def answered(
    ctx: click.Context,
    decision: str,
    facts: Sequence[str],
    regulations: str,
    laws: str | None,
    hypothetical: bool,
    readings: Sequence[str],
) -> tuple[Code, Answer]:
    """What the tables say to the question of a command, and the code that says it."""
    code = offered_tables(ctx).lawbook.code(regulations, laws, hypothetical)
    chosen = chosen_readings(readings, code)
    return code, code.decide(decision, _pairs(facts, "fact"), chosen)


def chosen_readings(readings: Sequence[str], *codes: Code) -> dict[str, str]:
    """The readings chosen by ``--reading``. Those of other regulations may stand in a rulings file; here they err."""
    chosen = _pairs(readings, "reading")
    known = {key: words for code in codes for key, words in code.readings.items()}
    for key in chosen.keys() - known.keys():
        names = " and ".join(dict.fromkeys(code.regulations for code in codes))
        listed = ", ".join(f"{name}={'|'.join(words)}" for name, words in known.items())
        raise Refused(f"{names} has no readings {key!r}", remedy=f"Known: {listed or 'none'}")
    return chosen


@cli.command(
    epilog="Example: screenplug decide auction-irregularity --regulations pzbs kind=insufficient-bid offender=E "
    "tray=passed moved-by=N noticed-on=other-side lho-called=no"
)
@question
@JSON
@click.pass_context
def decide(ctx: click.Context, /, as_json: bool, **asked: Any) -> None:
    """Answer one question of the Laws from facts, with the articles.

    Without facts it names the first fact it needs. Exit 0: decided; 1: a fact is missing, the regulation is silent or
    the texts differ; 2: facts that cannot be.
    """
    from . import laws as law_tables

    _, answer = answered(ctx, **asked)
    if as_json:
        _json(answer.to_json())
    else:
        click.echo("\n".join(law_tables.explain(answer)))
    if answer.status != "decided":
        sys.exit(NOT_FINE)


def _refuse_unread(event: Event) -> None:
    """Nothing is written while a rulings file cannot be read at all: its rulings would silently be missing."""
    from .ledger import UNREAD

    unread = [problem for problem in event.ledger.problems if problem.code in UNREAD]
    if unread:
        problem = unread[0]
        raise Refused(f"{problem.text}. Nothing was written", f"{problem.file}:{problem.line}")


@cli.command(epilog="Example: screenplug annotate session.pbn --rulings rulings.toml -o ruled.pbn")
@FILE
@_rulings(required=True)
@click.option(
    "--detail",
    type=click.Choice(["public", "record", "full"]),
    default="record",
    show_default=True,
    help="public: no facts and seats; full: also director, statements, poll and private notes.",
)
@OUTPUT
@IN_PLACE
@click.pass_context
def annotate(
    ctx: click.Context, file: str, rulings: tuple[str, ...], detail: str, output: str | None, in_place: bool
) -> None:
    """Attach the rulings to their boards; every other byte of the file stays.

    Writes FILE's name with .ruled.pbn beside FILE unless -o or --in-place is given.
    """
    from . import host

    sources = _sources([file], rulings)
    data = files.read_pbn(file)
    event = _open(ctx, file, data, sources)
    _refuse_unread(event)
    annotated, attached, problems = event.annotate(detail)
    wrong = _tell_about(event) | _tell(problems, file)
    if wrong and not attached:
        click.echo(f"0 of {len(event.to_attach())} rulings attached; nothing was written", err=output == "-")
        sys.exit(NOT_FINE)
    target = files.deliver(
        file, data, annotated, output, "ruled", in_place=in_place, kept=[name for name, _ in sources]
    )
    for there in attached:
        host.ruled(plugins_of(ctx), there.game, there.ruling, there.result)
    if event.ledger.penalties:
        click.echo(
            "note: penalties are on contestants, not on boards; give --rulings when scoring the result", err=True
        )
    done = {there.ruling.id for there in attached}
    click.echo(
        f"{len(done)} of {len(event.to_attach())} rulings attached" + (f": {target}" if target else ""),
        err=target is None,
    )
    if wrong or not event.all_decided():
        sys.exit(NOT_FINE)


@cli.command(epilog="Example: screenplug strip session.ruled.pbn -o session.pbn")
@FILE
@OUTPUT
@IN_PLACE
def strip(file: str, output: str | None, in_place: bool) -> None:
    """Take all records off again: the exact inverse of annotate."""
    from . import record

    data = files.read_pbn(file)
    with files.naming(file):
        bare = record.strip(data)
    target = files.deliver(file, data, bare, output, "stripped", in_place=in_place)
    click.echo(
        f"{len(data) - len(bare)} bytes of records taken off" + (f": {target}" if target else ""), err=target is None
    )


@cli.command(epilog="Example: screenplug records session.ruled.pbn --json")
@FILES
@JSON
def records(paths: tuple[str, ...], as_json: bool) -> None:
    """List the rulings that are attached to files."""
    from . import pbn, record

    found: list[dict[str, Any]] = []
    wrong = 0
    for path in paths:
        try:
            with files.naming(path):
                tape = pbn.read(files.read_pbn(path))
        except Refused as refused:
            click.echo(f"Error: {refused}", err=True)
            wrong = BAD_INPUT
            continue
        here, problems = record.records(tape)
        if _tell(problems, path):
            wrong = wrong or NOT_FINE
        found += [record.record_json(entry, game, path) for game, entry in here]
        if not as_json:
            for game, entry in here:
                click.echo("\n".join(record.describe(entry, game)))
            click.echo(f"{path}: {len(here)} records")
    if as_json:
        _json({"format": 1, "records": found})
    if wrong:
        sys.exit(wrong)


TOGETHER = click.option("--together", is_flag=True, help="The files are one event: its sessions, sections or rooms.")


def _as_one(
    ctx: click.Context, paths: Sequence[str], sources: Sequence[tuple[str, bytes]], policy: str | None
) -> tuple[Together, Event]:
    """Files that are one event, as one; what is wrong in them keeps its own file and line."""
    from . import event
    from .together import together

    whole = together([(path, files.read_pbn(path)) for path in paths])
    with files.naming(whole.file):
        opened = event.open_event(whole.data, sources, offered_tables(ctx), policy=policy, file=whole.file)
    return whole, opened


def _errors(whole: Together, event: Event) -> list[Problem]:
    problems = (problem for problem in event.all_problems() if problem.severity == "error")
    return [whole.placed(problem, event.tape.games) for problem in problems]


@cli.command(epilog="Example: screenplug score session.pbn --rulings rulings.toml --policy wbf")
@FILES
@_rulings(required=False)
@POLICY
@TOGETHER
@JSON
@click.pass_context
def score(
    ctx: click.Context,
    paths: tuple[str, ...],
    rulings: tuple[str, ...],
    policy: str | None,
    together: bool,
    as_json: bool,
) -> None:
    """Compute every board and the totals, and compare them with what the file prints.

    Several files are one event with --together.
    """
    if len(paths) > 1 and not together:
        raise click.UsageError("score takes one file; several that are one event are scored with --together.")
    whole, event = _as_one(ctx, paths, _sources(paths, rulings), policy)
    if as_json:
        _json(event.score_json())
    else:
        for line in event.score_lines():
            click.echo(line)
    if _tell(_errors(whole, event), paths[0]):
        sys.exit(NOT_FINE)


@cli.command(epilog="Example: screenplug rescore session.pbn --rulings rulings.toml -o rescored.pbn")
@FILES
@_rulings(required=False)
@POLICY
@TOGETHER
@OUTPUT
@JSON
@click.pass_context
def rescore(
    ctx: click.Context,
    paths: tuple[str, ...],
    rulings: tuple[str, ...],
    policy: str | None,
    together: bool,
    output: str | None,
    as_json: bool,
) -> None:
    """Write a new file whose ScoreTables and TotalScoreTable are computed with the rulings.

    The rulings come from --rulings or from the records in the file. Contracts and results stay as scored at the table;
    columns keep their order and width. Writes FILE's name with .rescored.pbn unless -o is given. Several files are
    re-scored each by itself, or as one event with --together. --json tells what moved.
    """
    from . import rescore as rescoring

    if output and len(paths) > 1:
        raise click.UsageError("-o takes one file only.")
    if as_json and output == "-":
        raise click.UsageError("--json and -o - would both write to standard output.")
    wrong = 0
    documents: list[dict[str, Any]] = []
    sources = _sources(paths, rulings)
    kept = [name for name, _ in sources]
    for group in [paths] if together else [(path,) for path in paths]:
        try:
            whole, event = _as_one(ctx, group, sources, policy)
            _refuse_unread(event)
            written = [
                files.deliver(part.file, part.data, rescored, output, "rescored", kept=kept)
                for part, rescored in zip(
                    whole.parts, rescoring.rescore_together(event, whole, __version__), strict=True
                )
            ]
        except Refused as refused:
            click.echo(f"Error: {refused}", err=True)
            wrong = BAD_INPUT
            continue
        if _tell(_errors(whole, event), group[0]):
            wrong = wrong or NOT_FINE
        if event.own_records and not rulings:
            click.echo("note: scored by the records in the file, which hold no penalties; give --rulings too", err=True)
        if as_json:
            documents.append({"files": list(group), "written": written, "moved": event.moved_json()})
            continue
        for line in event.moved_lines():
            click.echo(line, err=None in written)
        for target in written:
            if target:
                click.echo(f"written: {target}")
    if as_json:
        _json({"format": 1, "events": documents})
    if wrong:
        sys.exit(wrong)


@cli.command(epilog="Example: screenplug report session.pbn --rulings rulings.toml A-9")
@FILE
@click.argument("ids", nargs=-1, metavar="[RULING]...")
@_rulings(required=True)
@POLICY
@click.option("--form", default="summary", show_default=True, metavar="NAME", help="Which paper; plugins may add more.")
@click.option("-o", "--output", type=click.Path(path_type=str), help="Where to write; standard output when not given.")
@click.pass_context
def report(
    ctx: click.Context,
    file: str,
    ids: tuple[str, ...],
    rulings: tuple[str, ...],
    policy: str | None,
    form: str,
    output: str | None,
) -> None:
    """Print a paper about the rulings: by default each in a director's words, with what it changes."""
    from . import host

    forms = host.reports(plugins_of(ctx))
    if form not in forms:
        raise Refused(f"there is no report {form!r}", remedy=f"Known are {', '.join(sorted(forms))}")
    sources = _sources([file], rulings)
    event = _open(ctx, file, files.read_pbn(file), sources, policy)
    wrong = _tell_about(event)
    known = {ruling.id: ruling for ruling in event.ledger.rulings}
    for wanted in ids:
        if wanted not in known:
            raise Refused(f"there is no ruling {wanted}", remedy=f"There are {', '.join(known) or 'none'}")
    try:
        text = forms[form].render(event, [known[wanted] for wanted in ids or known])
        data = text.encode("utf-8")
    except Refused:
        raise
    except (Exception, SystemExit) as error:  # a plugin's paper may fail in any way
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise Refused(f"the report {form} failed ({reason})", remedy="Use another form, or tell its author") from None
    if output and output != "-":
        files.write(output, data)
        click.echo(f"written: {output}")
    else:
        click.echo(text, nl=False)
    if wrong:
        sys.exit(NOT_FINE)


@cli.command(epilog="Example: screenplug changes session.pbn --rulings rulings.toml --all")
@FILE
@_rulings(required=True)
@click.option(
    "--host", "program", metavar="NAME", help="The scoring program: says how to key each change, refuses what it loses."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "markdown"]),
    default="text",
    show_default=True,
    help="How the list is written.",
)
@click.option("--all", "everything", is_flag=True, help="Also what is done or pending.")
@POLICY
@JSON
@click.pass_context
def changes(
    ctx: click.Context,
    file: str,
    rulings: tuple[str, ...],
    program: str | None,
    form: str,
    everything: bool,
    policy: str | None,
    as_json: bool,
) -> None:
    """List what has to be keyed into the scoring program, board by board; FILE is its latest export.

    What the program has already is left out. Exit 1: the program cannot hold a ruling; the list says what would be lost
    and which figures to type instead.
    """
    from . import changes as listing
    from . import host

    programs = host.hosts(plugins_of(ctx)) if program else {}
    if program and program not in programs:
        near = _nearest(program.lower(), programs)
        raise Refused(
            f"there is no scoring program {program!r}",
            remedy=f"{f'Did you mean {near}? ' if near else ''}Known are {', '.join(sorted(programs))}",
        )
    event = _open(ctx, file, files.read_pbn(file), _sources([file], rulings), policy)
    _refuse_unread(event)
    wrong = _tell(problem for problem in event.problems if problem.code not in ("waiting", "table-changed"))
    listed = listing.changes(event, programs[program] if program else None)
    if as_json:
        _json(listing.to_json(listed, everything))
    else:
        for line in listing.lines(listed, form, everything):
            click.echo(line)
        if form != "text":
            click.echo(listing.summary(listed), err=True)
    if wrong or listed.refused:
        sys.exit(NOT_FINE)


# ----------------------------------------------------------------------------------------------------------- plugins


@cli.command(epilog="Example: screenplug plugins --json")
@JSON
@click.pass_context
def plugins(ctx: click.Context, as_json: bool) -> None:
    """What is loaded, with versions and hooks, and what failed to load."""
    from . import host

    found = host.describe(plugins_of(ctx))
    if as_json:
        _json({"format": 1, "plugins": found})
        return
    for plugin in found:
        state = f"failed: {plugin['failure']}" if plugin.get("failure") else ", ".join(plugin["hooks"])
        click.echo(f"{plugin['name']} {plugin.get('version') or ''}".strip() + f": {state}")


# -------------------------------------------------------------------------------------------------------------- rule


@cli.command(epilog="Example: screenplug rule session.pbn --rulings rulings.toml")
@FILE
@click.option(
    "--rulings",
    "book",
    type=click.Path(path_type=str),
    metavar="PATH",
    help="The rulings file to add to; FILE's name with .rulings.toml when not given.",
)
@click.option("--regulations", metavar="ID", help="Regulations, where the rulings file has no default.")
@click.option("--laws", metavar="ID", help="Edition of the Laws, where the rulings file has no default.")
@click.option("--at", metavar="TIME", help="Time of the ruling; now, when not given.")
@click.pass_context
def rule(
    ctx: click.Context, file: str, book: str | None, regulations: str | None, laws: str | None, at: str | None
) -> None:
    """Ask what a Director needs to know, show the decision and what the score does, and add it to a rulings file.

    Only facts that can still matter are asked. Nothing is written before the last question; Ctrl-C leaves no trace.
    """
    import tomllib
    from datetime import datetime

    from . import event as events
    from . import ledger
    from .model import Ruling

    if "-" in (file, book):
        raise click.UsageError("rule asks its questions on standard input; give files by name.")
    try:
        when = datetime.fromisoformat(at) if at else None
    except ValueError:
        raise click.UsageError(f"{at!r} is no time; write it as 2026-11-30T20:15.") from None
    data = files.read_pbn(file)
    book = book or str(Path(file).with_name(f"{Path(file).stem}.rulings.toml"))
    if not Path(book).resolve().parent.is_dir():
        raise Refused("there is no such folder", str(Path(book).parent), "Make it first")
    files.refuse_protected(book)
    written = files.read(book) if Path(book).exists() else b""
    known = ledger.read([(book, written)] if written else [])
    if _tell(known.problems):
        raise Refused("the rulings file has mistakes; nothing was added", book, "Mend them first")
    head = tomllib.loads(written.decode("utf-8-sig"))
    default = head.get("default", {})
    tables = offered_tables(ctx)
    with files.naming(file):
        event = events.open_rulings(data, known, tables, file=file)
    _tell_about(event)
    titles = {document.id: f"{document.id}: {document.title}" for document in tables.lawbook.documents.values()}
    regulations = regulations or default.get("regulations") or _pick("Regulations", list(titles), titles)
    laws = laws or default.get("laws")
    code = tables.lawbook.code(regulations, laws)
    before = written
    if not written:  # a new file keeps what was chosen for all that follows
        default = {"regulations": regulations, **({"laws": laws} if laws else {})}
        rows = ["format = 1", "", "[default]", *(f'{key} = "{value}"' for key, value in default.items()), ""]
        before = "\n".join(rows).encode("utf-8")
    line_end = "\r\n" if b"\r\n" in before else "\n"

    def added(ruling: Ruling) -> bytes:
        gap = "" if before.endswith(b"\n") else "\n"
        return before + f"{gap}\n{ledger.entry(ruling)}".replace("\n", line_end).encode("utf-8")

    def tried(ruling: Ruling) -> Event:
        return events.open_event(data, [(book, added(ruling))], tables, file=file)

    where = _ask_where(event)
    current = event.result_at(where)
    earlier = _ask_earlier(event, current)
    grounds = []
    decision = ""
    while ground := _ask_ground(code, head.get("readings", {}), decision):
        grounds.append(ground)
        decision = _goes_on(code, ground, head.get("readings", {}))
        if not decision and not click.confirm("Another ground", default=False):
            break
    ruling = Ruling(
        id=ledger.next_id(known, str(head.get("prefix", ""))),
        where=(where,),
        grounds=tuple(grounds),
        regulations=regulations if default.get("regulations") != regulations else "",
        laws=laws if laws and default.get("laws") != laws else "",
        table=str(current.outcome) if current and current.outcome else "",
        at=(when or datetime.now().astimezone()).isoformat(timespec="seconds"),
        **earlier,
    )
    ruling = _ask_score(event, ruling, tried)
    note = _prompt("Note that may be published (Enter: none)", default="")
    private = _prompt("Private note, stays in the rulings file (Enter: none)", default="")
    ruling = replace(ruling, note=note, private=private)
    click.echo(f"\n{ledger.entry(ruling)}")
    if wrong := [problem for problem in tried(ruling).ledger.problems if problem.severity == "error"]:
        raise Refused(f"the entry cannot stand at its end: {wrong[0].text}", book, "Add it by hand")
    if not click.confirm(f"Add this to {book}", default=True):
        click.echo("Nothing was written.")
        return
    if (files.read(book) if Path(book).exists() else b"") != written:
        raise Refused("the rulings file changed while we asked; nothing was written", book, "Add the entry above to it")
    files.write(book, added(ruling))
    click.echo(f"Ruling {ruling.id} is in {book}")


def _prompt(question: str, default: str | None = None) -> str:
    """A text as it was typed."""
    return str(click.prompt(question, default=default, show_default=False, value_proc=_typed))


def _typed(text: str) -> str:
    """Refuse a text with characters that came in damaged: they must not get into a ruling unnoticed."""
    if re.search("[\ufffd\ud800-\udfff]", text):
        raise click.BadParameter("some characters of this could not be read; type it again, without them.")
    return text


def _pick(question: str, words: Sequence[str], titles: Mapping[str, str] | None = None) -> str:
    """One of some words, by its number, by itself or by its title, in any case; pairs also as ``9-14``."""
    shown = [(titles or {}).get(word, word) for word in words]
    for number, text in enumerate(shown, 1):
        click.echo(f"{number:>3}  {text}")
    while True:
        given = click.prompt(f"{question} (1-{len(words)})").strip()
        if re.fullmatch("[0-9]{1,4}", given) and 1 <= int(given) <= len(words):
            return words[int(given) - 1]
        for word, text in zip(words, shown, strict=True):
            if given.lower() in (word.lower(), text.lower()):
                return word
        pairs = [word for word in words if re.sub(r"ns (\S+) ew (\S+?):? .*", r"\1-\2", word) == given]
        if len(pairs) == 1:
            return pairs[0]
        near = _nearest(given.lower(), words)
        click.echo(f"{given!r} is none of them{f'; did you mean {near}?' if near else ''}")


def _number(text: str) -> int:
    from .vocabulary import MOST_DIGITS

    if not (text.strip().isascii() and text.strip().isdecimal()):
        raise click.BadParameter("write a whole number, such as 40.")
    if len(text.strip()) > MOST_DIGITS:
        raise click.BadParameter(f"a number has at most {MOST_DIGITS} digits; write it again.")
    return int(text)


def _ask_where(event: Event) -> dict[str, str]:
    """The board, and the result on it when there are several."""
    boards = [board for game in event.tape.games if (board := game.value("Board"))]
    boards = list(dict.fromkeys([*boards, *(result.board for result in event.results if result.board)]))
    if not boards:
        raise Refused("no game of this file has a board number", event.file, "Export the boards with their numbers")
    while True:
        given = click.prompt("Board").strip()
        if board := next((board for board in boards if board.lstrip("0") == given.lstrip("0")), ""):
            break
        there = ", ".join(boards[:12]) + (" and more" if len(boards) > 12 else "")
        click.echo(f"There is no board {given} in {event.file}; there are {there}")
    here = [result for result in event.results if result.board == board]
    if len(here) < 2:
        return {"board": board}
    choices = [{"board": board, **_telling(event, result)} for result in here]
    labels = [
        " ".join(f"{key} {value}" for key, value in choice.items() if key != "board")
        + f": {result.outcome or result.why or '?'}"
        for result, choice in zip(here, choices, strict=True)
    ]
    chosen = _pick("Which result (or its pairs, as 9-14)", labels)
    click.echo(f"Board {board}, {chosen}")
    return choices[labels.index(chosen)]


def _ask_earlier(event: Event, result: Result | None) -> dict[str, Any]:
    """Whether the ruling that stands on this result is replaced, and at which stage: fields of the new one."""
    standing = [place.ruling for place in event.in_force if any(result is other for other in place.results)]
    for ruling in standing:
        if ruling.id in event.own_records:
            continue
        score = ruling.score.value() if ruling.score else "no score"
        text = score if isinstance(score, str) else f"{score['ns']} / {score['ew']}"
        click.echo(f"Ruling {ruling.id} stands on this result: {text} ({ruling.stage}, {ruling.state})")
        if click.confirm(f"Does the new ruling replace {ruling.id}", default=True):
            return {"supersedes": ruling.id, "stage": _pick("Stage", ["table", "review", "appeal"])}
    return {}


def _telling(event: Event, result: Result) -> dict[str, str]:
    """What tells a result from the others of its board."""
    if result.row is not None:
        return event.where(result)
    keys = ("match", "round", "table", "room", "section", "ns", "ew")
    others = [other for other in event.results if other.board == result.board and other is not result]
    found = {
        key: result.keys[key]
        for key in keys
        if key in result.keys and any(other.keys.get(key) != result.keys[key] for other in others)
    }
    return found or {"game": str(result.game)}


# What a record cannot do without, whether or not it changes the answer: who did it, and where information came from.
ALWAYS_ASKED = ("offender", "source")


def _ask_ground(code: Code, readings: Mapping[str, str], decision: str = "") -> Ground | None:
    """Triage, then the facts that still matter, then the answer in words; None when the reason comes later."""
    from . import laws as law_tables
    from .model import Ground

    decision = decision or _ask_decision(code)
    if not decision:
        return None
    if decision == "other":
        laws = re.findall(r"\b\d[\w()]*", _prompt("Laws, as 73F or 16B1"))
        return Ground(laws=tuple(laws), finding=_prompt("Finding"))
    known = law_tables.vocabulary().decisions[decision]
    facts: dict[str, str | int] = {}
    order = list(known.facts)
    unknown: set[str] = set()
    while True:
        answer = code.decide(decision, facts, readings)
        values = {name: known.facts[name].values for name in (*ALWAYS_ASKED, *answer.may_change) if name in order}
        if answer.ask:
            values[answer.ask.fact] = tuple(str(value) for value in answer.ask.values)
        missing = sorted((name for name in values if name not in facts and name not in unknown), key=order.index)
        if not missing:
            break
        name = missing[0]
        optional = name in answer.may_change
        value = _ask_fact(known.facts[name], (*values[name], NOT_KNOWN) if optional else values[name])
        if value == NOT_KNOWN:
            unknown.add(name)
        else:
            facts[name] = value
    click.echo()
    for line in law_tables.explain(answer):
        click.echo(line)
    return Ground(decision, facts)


NOT_KNOWN = "not established"


def _ask_decision(code: Code) -> str:
    """The decision to ask, ``other`` for laws and finding in words, empty when the reason comes later."""
    from . import laws as law_tables

    vocabulary = law_tables.vocabulary()
    groups = {
        title: found
        for title, decisions in vocabulary.triage
        if (found := [decision for decision in decisions if code.answers(decision)])
    }
    words = [*groups, "other: laws and finding in words", "the reason comes later"]
    chosen = _pick("What was it", words)
    if chosen not in groups:
        return "other" if chosen == words[-2] else ""
    titles = {decision: vocabulary.decisions[decision].title for decision in groups[chosen]}
    return groups[chosen][0] if len(titles) == 1 else _pick("Which question", list(titles), titles)


def _ask_fact(fact: Fact, values: Sequence[str | int]) -> str | int:
    from .vocabulary import plain

    click.echo(f"\n{fact.ask}")
    if fact.number:
        return int(click.prompt(f"{plain(fact.name).capitalize()}, a number", value_proc=_number))
    words = [str(value) for value in values]
    return _pick(plain(fact.name).capitalize(), words, {word: plain(word) for word in words})


def _goes_on(code: Code, ground: Ground, readings: Mapping[str, str]) -> str:
    """The decision with which the matter goes on, when the Director wants to: a possible inference is only a start."""
    from .laws import vocabulary

    if not ground.decision:
        return ""
    answer = code.decide(ground.decision, ground.facts, readings)
    inferred = answer.outcome.get("inference") in ("possible", "presumed")
    after = "unauthorized-information" if inferred else answer.next.decision if answer.next else ""
    if not after or not code.answers(after):
        return ""
    title = vocabulary().decisions[after].title
    return after if click.confirm(f"Go on with: {title}", default=True) else ""


def _ask_score(event: Event, ruling: Ruling, tried: Callable[[Ruling], Event]) -> Ruling:
    """The score, shown with its effect on both pairs and the field before it is taken."""
    from .model import Score

    click.echo(
        "\nScore: 4S S -1 | 60% 4S S =, 40% 4S S -1 | split | A+ / A- | 60% / 40% | not played | late | cancelled"
    )
    while True:
        given = _prompt("Score (Enter: the table result stands)", default="").strip()
        if not given and not ruling.supersedes:
            return ruling
        try:
            if given.lower() == "split":
                score = Score.parse({side: _prompt(f"  {side.upper()} get") for side in ("ns", "ew")})
            else:
                score = Score.parse(given or "table")
        except ValueError as error:
            click.echo(f"{error}")
            continue
        trial = replace(ruling, score=score)
        after = tried(trial)
        wrong = [problem for problem in after.problems if problem.ruling == ruling.id and problem.severity == "error"]
        if wrong:
            _tell(replace(problem, file=None, line=None) for problem in wrong)  # it is in no file yet
            if any(problem.code != "award" for problem in wrong):
                continue
            reason = _prompt("Reason for it (Enter: another score)", default="")
            if not reason:
                continue
            trial = replace(trial, override=reason)
            after = tried(trial)
        for line in after.effect_lines(event):
            click.echo(line)
        if click.confirm("Award this", default=True):
            return trial
