"""The command line. Each command imports what it needs when it runs; the questions of ``rule`` are in ``questions``."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import __version__, files
from .model import Problem, Refused, printable, without_cycle_collector

if TYPE_CHECKING:
    from . import batch
    from .event import Event
    from .laws import Answer, Code
    from .offered import Tables
    from .together import Together

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
            ctx.find_root().ensure_object(dict).setdefault("loads", []).append((function, path))
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


def _line(problem: Problem, file: str | None = None, column: bool = False) -> str:
    name = problem.file or file or ""
    at = f"{problem.line}:{problem.column}" if column and problem.column and not problem.file else problem.line
    place = f"{name}:{at}" if name and at else name or (f"line {at}" if at else "")
    label = click.style("error", fg="red", bold=True) if problem.severity == "error" else "note"
    named = f"ruling {problem.ruling}"
    ruling = f" ({named})" if problem.ruling and named not in problem.text else ""
    return f"{f'{place}: ' if place else ''}{label}: {printable(problem.text)}{ruling}"


def _problem_json(problem: Problem) -> dict[str, Any]:
    keys = ("severity", "code", "file", "line", "column", "game", "ruling", "text")
    found = {key: value for key in keys if (value := getattr(problem, key)) is not None}
    return found | ({"next": problem.next} if problem.next else {})


# ---------------------------------------------------------------------------------------------------- shared options


def _sources(paths: Sequence[str], rulings: Sequence[str]) -> list[tuple[str, bytes]]:
    """The rulings files, read once for all the PBN files of a command."""
    if [*paths, *rulings].count("-") > 1:
        raise click.UsageError("standard input (-) can be one file only.")
    return files.sources(rulings)


def _one_output(paths: list[str], output: str | None) -> list[str]:
    if output and len(paths) > 1:
        raise click.UsageError("-o takes one file only.")
    return paths


def _loaded(ctx: click.Context) -> tuple[tuple[str, str], ...]:
    """What --plugin and --document named, for other processes."""
    return tuple(ctx.find_root().ensure_object(dict).get("loads", ()))


def _all_of(
    ctx: click.Context,
    work: batch.Work,
    todo: Sequence[batch.Job],
    jobs: int,
    as_json: bool = False,
    plugins: Any = None,
) -> list[batch.Done]:
    """Do the jobs, several at a time, and say what came of each in its turn; more than one end with counts.

    A program that runs these commands itself hands in its own ``concurrent.futures`` executor instead of processes on
    this machine: ``cli.main([...], obj={"executor": executor})``.
    """
    from . import batch

    told: list[batch.Done] = []
    counts: dict[str, int] = {}
    heard: set[str] = set()  # a mistake in a rulings file is said once, not once for each file
    hidden = as_json or len(todo) < 2 or sys.stderr is None or not sys.stderr.isatty()
    with click.progressbar(length=len(todo), label="files", show_pos=True, file=sys.stderr, hidden=hidden) as bar:
        for done in batch.run(work, todo, jobs, ctx.find_root().ensure_object(dict).get("executor"), plugins):
            if done.lines and not hidden:
                click.echo("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r", nl=False, err=True)
            for line, err in done.lines:
                text = _line(line) if isinstance(line, Problem) else line
                if not (err and text in heard):
                    click.echo(text, err=err)
                heard |= {text} if err and len(todo) > 1 else set()
            bar.update(1)
            told.append(done)
            for name, count in done.counts.items():
                counts[name] = counts.get(name, 0) + count
    if len(todo) > 1 and not as_json:
        width = max(len(str(count)) for count in counts.values())
        for name in sorted(counts, key=lambda name: name not in ("files", "refused")):
            click.echo(f"{counts[name]:>{width}} {name}")
    return told


def _leave(told: Iterable[batch.Done], code: int = 0) -> None:
    """Exit with the worst of the codes."""
    if worst := max([code, *(done.code for done in told)]):
        sys.exit(worst)


def _open(
    ctx: click.Context, path: str, data: bytes, sources: Sequence[tuple[str, bytes]], policy: str | None = None
) -> Event:
    from . import event

    tables = offered_tables(ctx)
    with files.naming(path):
        return event.open_event(data, sources, tables, policy=policy, file=path)


FILE = click.argument("file", type=click.Path(path_type=str))
FILES = click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=str))
JOBS = click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="How many files to work on at a time."
)
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
@click.argument("paths", nargs=-1, metavar="FILE...", type=click.Path(path_type=str))
@_rulings(required=False)
@click.option(
    "--select", multiple=True, metavar="CODE", help="Only these codes, parted by commas; every place of each."
)
@click.option("--ignore", multiple=True, metavar="CODE", help="Not these codes, parted by commas.")
@click.option("--codes", "listed", is_flag=True, help="List all codes with what they mean; no FILE is read.")
@JOBS
@JSON
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[str, ...],
    rulings: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    listed: bool,
    jobs: int,
    as_json: bool,
) -> None:
    """Say what is odd in PBN files, what irregularities their record shows, and whether each ruling is applied.

    Of an oddity in the form of the file the first place is shown, with how many more there are. An irregularity that
    nobody ruled on comes with the command to run next. With --rulings, for each ruling: not applied, applied, differs
    (with both figures), table result changed, waiting.
    """
    from . import batch, codes

    only, never = codes.chosen(select), codes.chosen(ignore)
    if listed:
        shown = [code for code in codes.KINDS if code not in never and (not only or code in only)]
        if as_json:
            _json({"format": 1, "codes": [codes.to_json(code) for code in shown]})
        else:
            click.echo("\n".join(line for code in shown for line in codes.lines(code)))
        return
    if not paths:
        raise click.UsageError("Missing argument 'FILE...'.", ctx)
    sources = tuple(_sources(paths, rulings))
    todo = [
        batch.Job((path,), sources, as_json=as_json, loads=_loaded(ctx), select=only, ignore=never)
        for path in files.boards(paths)
    ]
    told = _all_of(ctx, _checked, todo, jobs, as_json, plugins_of(ctx))
    if as_json:
        _json({"format": 1, "files": [done.document for done in told]})
    _leave(told)


def _checked(job: batch.Job, done: batch.Done) -> None:
    """What ``check`` has to say about a file."""
    from . import batch, codes

    as_json, rulings = job.as_json, job.sources
    for path in job.paths:
        try:
            event = batch.opened(job, path, files.read_pbn(path))
        except Refused as refused:
            done.document = {
                "file": path,
                "games": [],
                "problems": [{"severity": "error", "code": "refused", "text": str(refused), "annotate": False}],
                "rulings": [],
            }
            if as_json:
                done.code = BAD_INPUT
            else:
                done.refuse(str(refused))
            continue
        statuses = event.statuses() if rulings else ()
        # A changed table result and a missing one are two of the states; programs get the note of the latter too.
        told = ("table-changed", *(() if as_json else ("waiting",))) if rulings else ()
        with without_cycle_collector():
            found = event.checked(scores=codes.need_scores(job.select, job.ignore))
        problems = codes.kept([each for each in found if each.code not in told], job.select, job.ignore)
        left_alone = codes.blocked(event.tape)
        if any(problem.severity == "error" for problem in problems):
            done.code = NOT_FINE
        if as_json:
            done.document = {
                "file": path,
                "games": [{"game": game.number, "board": game.value("Board")} for game in event.tape.games],
                "problems": [_problem_json(each) | codes.about(each, left_alone) for each in problems],
                "rulings": [status.to_json() for status in statuses],
            }
            continue
        for problem, more in codes.summed(problems, every=bool(job.select)):
            line = _line(codes.explained(problem, left_alone, more), path, column=True)
            then = f"\n    {printable(problem.next)}" if problem.next else ""
            done.say(line + then, err=problem.severity == "error")
        for status in statuses:
            done.say(str(status))
        odd = f"{len(problems)} to look at" if problems else "nothing odd"
        done.say(f"{path}: {len(event.tape.games)} games, {odd}" + (f", {len(statuses)} rulings" if rulings else ""))
        done.counts.update(
            {"with errors": int(done.code == NOT_FINE), "with something to look at": int(bool(problems))}
        )
        done.counts.update({"games": len(event.tape.games), "to look at": len(problems)})


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
        click.option(
            "--follow", is_flag=True, help="Go on with the decisions that come next, to the end of the matter."
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
    follow: bool,
    readings: Sequence[str],
) -> tuple[Code, tuple[Answer, ...]]:
    """The code that a command asks, and what it says to the question and, if wanted, to those that follow."""
    code = offered_tables(ctx).lawbook.code(regulations, laws, hypothetical)
    chosen = chosen_readings(readings, code)
    given = _pairs(facts, "fact")
    return code, code.follow(decision, given, chosen) if follow else (code.decide(decision, given, chosen),)


def answers_json(answers: Sequence[Answer]) -> dict[str, Any]:
    """The first answer's document, with those of the decisions that were followed."""
    first, *after = (answer.to_json() for answer in answers)
    return {**first, "followed": after} if after else first


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

    Without facts it names the first fact it needs. Where another decision goes on, the answer names it with the facts
    that it is handed; --follow asks that one too, and so on, each FACT wherever it is one. Exit 0: decided (with
    --follow to the end); 1: a fact is missing, the regulation is silent or the texts differ; 2: facts that cannot be.
    """
    from . import laws as law_tables

    _, answers = answered(ctx, **asked)
    if as_json:
        _json(answers_json(answers))
    else:
        click.echo("\n\n".join("\n".join(law_tables.explain(answer)) for answer in answers))
    if answers[-1].status != "decided":
        sys.exit(NOT_FINE)


@cli.command(epilog="Example: screenplug annotate session.pbn --rulings rulings.toml -o ruled.pbn")
@FILES
@_rulings(required=True)
@click.option(
    "--detail",
    type=click.Choice(["public", "record", "full"]),
    default="record",
    show_default=True,
    help="public: no facts, seats and notes; full: also director, statements, poll and private notes.",
)
@OUTPUT
@IN_PLACE
@JOBS
@click.pass_context
def annotate(
    ctx: click.Context,
    paths: tuple[str, ...],
    rulings: tuple[str, ...],
    detail: str,
    output: str | None,
    in_place: bool,
    jobs: int,
) -> None:
    """Attach the rulings to their boards; every other byte of the file stays.

    Writes FILE's name with .ruled.pbn beside FILE unless -o or --in-place is given. Of several files only those are
    written that a ruling is about; a ruling that is found in two of them is an error.
    """
    from . import batch

    sources = tuple(_sources(paths, rulings))
    named = _one_output(files.boards(paths), output)
    todo = [batch.Job((path,), sources, None, detail, output, in_place, loads=_loaded(ctx)) for path in named]
    told = _all_of(ctx, batch.annotate, batch.apart(todo, "ruled"), jobs, False, plugins_of(ctx))
    wrong = False
    where: dict[str, list[str]] = {}
    for done in told:
        for ruling in done.ruled:
            where.setdefault(ruling, []).append(done.paths[0])
    for ruling, there in sorted(where.items()):
        if len(there) > 1:
            text = f"ruling {ruling} is attached in {len(there)} files: {', '.join(there)}; add a key such as session"
            wrong |= _tell([Problem("error", "attached-twice", text, ruling=ruling)])
    for ruling in sorted({wanted for done in told for wanted in done.wanted} - where.keys()):
        _tell([Problem("note", "waiting", f"ruling {ruling}: none of the files has its result", ruling=ruling)])
    _leave(told, NOT_FINE if wrong else 0)


@cli.command(epilog="Example: screenplug strip session.ruled.pbn -o session.pbn")
@FILES
@OUTPUT
@IN_PLACE
@JOBS
@click.pass_context
def strip(ctx: click.Context, paths: tuple[str, ...], output: str | None, in_place: bool, jobs: int) -> None:
    """Take all records off again: the exact inverse of annotate.

    Writes FILE's name with .stripped.pbn beside FILE unless -o or --in-place is given; of several files only those
    that have records.
    """
    from . import batch

    named = _one_output(files.boards(paths, ruled=True), output)
    todo = [batch.Job((path,), output=output, in_place=in_place) for path in named]
    _leave(_all_of(ctx, batch.strip, batch.apart(todo, "stripped"), jobs))


@cli.command(epilog="Example: screenplug records session.ruled.pbn --json")
@FILES
@JOBS
@JSON
@click.pass_context
def records(ctx: click.Context, paths: tuple[str, ...], jobs: int, as_json: bool) -> None:
    """List the rulings that are attached to files."""
    from . import batch

    todo = [batch.Job((path,), as_json=as_json) for path in files.boards(paths, ruled=True)]
    told = _all_of(ctx, batch.records, todo, jobs, as_json)
    if as_json:
        _json({"format": 1, "records": [each for done in told for each in done.document or ()]})
    _leave(told)


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


def _told(whole: Together, event: Event) -> list[Problem]:
    return [whole.placed(problem, event.tape.games) for problem in event.told()]


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
    if _tell(_told(whole, event), paths[0]):
        sys.exit(NOT_FINE)


@cli.command(epilog="Example: screenplug rescore session.pbn --rulings rulings.toml -o rescored.pbn")
@FILES
@_rulings(required=False)
@POLICY
@TOGETHER
@OUTPUT
@JOBS
@JSON
@click.pass_context
def rescore(
    ctx: click.Context,
    paths: tuple[str, ...],
    rulings: tuple[str, ...],
    policy: str | None,
    together: bool,
    output: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Write a new file whose ScoreTables and TotalScoreTable are computed with the rulings.

    The rulings come from --rulings or from the records in the file. Contracts and results stay as scored at the table;
    columns keep their order and width. Writes FILE's name with .rescored.pbn unless -o is given. Several files are
    re-scored each by itself, or as one event with --together. --json tells what moved.
    """
    from . import batch

    # One event: a file that is named twice counts once, and who names it twice is told so.
    named = [name for path in paths for name in files.boards([path])] if together else files.boards(paths)
    _one_output(named, output)
    if as_json and output == "-":
        raise click.UsageError("--json and -o - would both write to standard output.")
    sources = tuple(_sources(paths, rulings))
    groups = [tuple(named)] if together else [(path,) for path in named]
    todo = [batch.Job(group, sources, policy, output=output, loads=_loaded(ctx), as_json=as_json) for group in groups]
    told = _all_of(ctx, batch.rescore, batch.apart(todo, "rescored"), jobs, as_json, plugins_of(ctx))
    if as_json:
        _json({"format": 1, "events": [done.document for done in told if done.document]})
    _leave(told)


@cli.command(epilog="Example: screenplug report session.pbn --rulings rulings.toml --form appeal A-9")
@FILE
@click.argument("ids", nargs=-1, metavar="[RULING]...")
@_rulings(required=True)
@POLICY
@click.option(
    "--form",
    default="rulings",
    show_default=True,
    metavar="NAME",
    help="rulings: a page with all of them; appeal: the form for one; summary: a text. Plugins may add more.",
)
@click.option(
    "--detail",
    type=click.Choice(["public", "record", "full"]),
    help="public: a bulletin without facts, seats, statements, notes; record: without what is private. Full for pages.",
)
@OUTPUT
@click.pass_context
def report(
    ctx: click.Context,
    file: str,
    ids: tuple[str, ...],
    rulings: tuple[str, ...],
    policy: str | None,
    form: str,
    detail: str | None,
    output: str | None,
) -> None:
    """Make a paper about the rulings: a page for screen and printer, the appeal form, or a text.

    A page is one HTML file, written beside FILE unless -o is given; a text goes to standard output.
    """
    from . import host

    forms = host.reports(plugins_of(ctx))
    if form not in forms:
        raise Refused(f"there is no report {form!r}", remedy=f"Known are {', '.join(sorted(forms))}")
    sources = _sources([file], rulings)
    data = files.read_pbn(file)
    event = _open(ctx, file, data, sources, policy)
    wrong = _tell_about(event)
    known = {ruling.id: ruling for ruling in event.ledger.rulings}
    for wanted in ids:
        if wanted not in known:
            raise Refused(f"there is no ruling {wanted}", remedy=f"There are {', '.join(known) or 'none'}")
    try:
        paper = forms[form]
        text = paper.render(event, [known[wanted] for wanted in ids or known], detail or "")
        page, suffix = text.encode("utf-8"), str(getattr(paper, "suffix", ".txt"))
    except Refused:
        raise
    except (Exception, SystemExit) as error:  # a plugin's paper may fail in any way
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise Refused(f"the report {form} failed ({reason})", remedy="Use another form, or tell its author") from None
    if suffix == ".txt" and output in (None, "-"):
        click.echo(text, nl=False)
    else:
        name = f"{form}-{ids[0].replace(chr(47), chr(45))}" if len(ids) == 1 else form
        kept = [name for name, _ in sources]
        target = files.deliver(file, data, page, output, name, kept=kept, extension=suffix)
        if target:
            click.echo(f"written: {target}")
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
    event.refuse_unread()
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
    """What is loaded, with versions and hooks, and what failed to load; and where the schema of rulings files is."""
    from . import host, ledger

    found, schema = host.describe(plugins_of(ctx)), str(ledger.schema_file())
    if as_json:
        _json({"format": 1, "plugins": found, "ledger-schema": schema})
        return
    for plugin in found:
        state = f"failed: {plugin['failure']}" if plugin.get("failure") else ", ".join(plugin["hooks"])
        click.echo(f"{plugin['name']} {plugin.get('version') or ''}".strip() + f": {state}")
    click.echo(f"JSON Schema of rulings files, for editors: {schema}")


# -------------------------------------------------------------------------------------------------------------- rule


_KEYS = ("event", "session", "section", "match", "segment", "round", "table", "room", "board", "game", "ns", "ew")


def _asked(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that answer the questions of ``rule``."""
    said = {"board": "The board.", "ns": "The pair North-South.", "ew": "The pair East-West.", "table": "The table."}
    keys = [
        click.option(f"--{key}", metavar="WORD", help=said.get(key, f"The {key}, where it tells the result."))
        for key in ("board", "ns", "ew", "table", *(key for key in _KEYS if key not in said))
    ]
    several: dict[str, Any] = {"multiple": True}
    for option in reversed(
        [
            click.option("--at", metavar="TIME", help="Time of the ruling; now, when not given."),
            *keys,
            click.option("--no-board", is_flag=True, help="A matter without a board."),
            click.option(
                "--ground",
                "grounds",
                metavar="TEXT",
                help='A decision with its facts, as "tempo: slow-side=NE pace=slow"; may be given several times.',
                **several,
            ),
            click.option(
                "--fact", "facts", metavar="NAME=VALUE", help="A fact, for the grounds that have it.", **several
            ),
            click.option("--law", metavar="NUMBER", help="For what no table decides, as 73F.", **several),
            click.option("--finding", default="", metavar="TEXT", help="For what no table decides: the decision."),
            click.option("--later", is_flag=True, help="The reason comes later; until then the score is provisional."),
            click.option("--reading", "readings", metavar="KEY=WORD", help="Choose where a text has two.", **several),
            click.option("--said", metavar="SEAT=TEXT", help="Who said what; never published.", **several),
            click.option("--disputed", metavar="FACT", help="A fact that the sides do not agree on.", **several),
            click.option("--poll", default="", metavar="TEXT", help="Who was asked, and what they did."),
            click.option("--score", metavar="TEXT", help='As "4S S -1", "60% 4S S =, 40% 4S S -1", "A+ / A-".'),
            click.option("--score-ns", metavar="TEXT", help="What North-South get in a split score."),
            click.option("--score-ew", metavar="TEXT", help="What East-West get in a split score."),
            click.option(
                "--without-error",
                metavar="SIDE=RESULT",
                help='What a side would have had without its own error, as "ns=4S S ="; reduces its redress.',
                **several,
            ),
            click.option("--override", default="", metavar="TEXT", help="Why a score that the edition does not allow."),
            click.option("--stage", type=click.Choice(["table", "review", "appeal"]), help="Table, if not given."),
            click.option(
                "--state",
                type=click.Choice(["pending", "provisional", "final", "withdrawn"]),
                help="Final, if not given and there is a reason.",
            ),
            click.option("--supersede", metavar="ID", help="Replace this ruling: a review, an appeal, a mistake."),
            click.option("--replay", metavar="ID", help="Decide this ruling again by today's tables; writes nothing."),
            click.option(
                "--note",
                default="",
                metavar="TEXT",
                help="A note for publication: no names, no statements; --detail public leaves it out.",
            ),
            click.option("--private", default="", metavar="TEXT", help="A note that stays in the rulings file."),
            click.option("--director", default="", metavar="WORD", help="Who rules, where the file has no default."),
            click.option("--yes", is_flag=True, help="Ask nothing; say what is missing."),
        ]
    ):
        command = option(command)
    return command


@cli.command(
    epilog="Example: screenplug rule session.pbn --rulings rulings.toml --board 11 --ns 9 "
    '--ground "fault: ns=not ew=directly" --score "A+ / A-" --yes'
)
@FILE
@click.option(
    "--rulings",
    "book",
    type=click.Path(path_type=str),
    metavar="PATH",
    help="The rulings file to add to; FILE's name with .rulings.toml when not given.",
)
@click.option(
    "--also",
    multiple=True,
    type=click.Path(path_type=str),
    metavar="PATH",
    help="Rulings files of others, or a folder of them: read, never written.",
)
@click.option("--regulations", metavar="ID", help="Regulations, where the rulings file has no default.")
@click.option(
    "--laws", metavar="ID", help="Edition of the Laws; by the date where neither this nor the rulings file names one."
)
@_asked
@click.pass_context
def rule(ctx: click.Context, /, file: str, book: str | None, at: str | None, replay: str | None, **given: Any) -> None:
    """Ask what a Director needs to know, show the decision and what the score does, and add it to a rulings file.

    Only facts that can still matter are asked, and nothing that an option answers: without options all is asked, with
    --yes nothing. Nothing is written before the last question; Ctrl-C leaves no trace.
    """
    from datetime import datetime

    from . import asking, questions

    if "-" in (file, book, *given["also"]):
        raise click.UsageError("rule asks its questions on standard input; give files by name.")
    for text in (text for value in given.values() for text in (value if isinstance(value, tuple) else (value,))):
        if isinstance(text, str):
            asking.readable(text)
    try:
        when = datetime.fromisoformat(at) if at else None
    except ValueError:
        raise click.UsageError(f"{at!r} is no time; write it as 2026-11-30T20:15.") from None
    book = book or str(Path(file).with_name(f"{Path(file).stem}.rulings.toml"))
    if replay:
        if questions.replay(file, book, given["also"], replay, offered_tables(ctx), _tell):
            sys.exit(NOT_FINE)
        return
    where = {key: value for key in _KEYS if (value := given.pop(key))}
    if given["no_board"] and (where or given["score"]):
        raise click.UsageError("--no-board is for a matter without a board: leave out the board and the score.")
    split = {side: text for side in ("ns", "ew") if (text := given.pop(f"score_{side}"))}
    if split and (given["score"] or len(split) < 2):
        raise click.UsageError("a split score is given with both --score-ns and --score-ew, and without --score.")
    given["score"] = split or given["score"]
    for option, what in (
        ("facts", "fact"),
        ("said", "statement"),
        ("readings", "reading"),
        ("without_error", "result"),
    ):
        given[option] = _pairs(given[option], what)
    if given["without_error"] and not given["score"]:
        raise click.UsageError("--without-error reduces a score; give that with --score, or --score-ns and --score-ew.")
    answers = questions.Given(file=file, book=book, at=when, where=where, **given)
    questions.rule(answers, offered_tables(ctx), _tell)
