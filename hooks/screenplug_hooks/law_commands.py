"""``screenplug laws``: what the tables hold, where it is from, what is wrong in them, and where two of them part."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from screenplug import cli as command_line
from screenplug import hookimpl
from screenplug.model import Refused

if TYPE_CHECKING:
    from screenplug.laws import Finding, Library

NOT_FINE = command_line.NOT_FINE
JSON = command_line.JSON


@click.group("laws")
def laws_group() -> None:
    """The law tables: what they hold and where it is from."""


def _library(ctx: click.Context) -> Library:
    return command_line.offered_tables(ctx).lawbook


def _json(document: Mapping[str, Any]) -> None:
    click.echo(json.dumps(document, indent=1))


def _decision(name: str) -> str:
    """The name, if it is a decision's."""
    from screenplug.vocabulary import nearest, vocabulary

    known = vocabulary().decisions
    if name not in known:
        near = nearest(name, known).removeprefix("; ")
        raise Refused(
            f"there is no decision {name!r}", remedy=near[:1].upper() + near[1:] or f"Known: {', '.join(known)}"
        )
    return name


@laws_group.command("list", epilog="Example: screenplug laws list")
@JSON
@click.pass_context
def laws_list(ctx: click.Context, as_json: bool) -> None:
    """All documents, with the editions that they stand on; those with the days on which they were in force."""
    library = _library(ctx)
    found = [(document, library.editions(document.id)) for document in library.documents.values()]
    if as_json:
        keys = ("id", "title", "revision", "source", "extends")
        listed = [
            {key: getattr(doc, key) for key in keys}
            | {"stands_on": list(on), "in_force": doc.in_force.to_json() if doc.in_force else None}
            for doc, on in found
        ]
        _json({"format": 1, "documents": listed})
        return
    for document, on in found:
        below = f" (on {', '.join(on)})" if on != (document.id,) else ""
        below += f" (in force {document.in_force})" if document.in_force else ""
        click.echo(f"{document.id:<12} {document.revision}  {document.title}{below}")


@laws_group.command("show", epilog="Example: screenplug laws show pzbs auction-irregularity")
@click.argument("document")
@click.argument("decision", required=False)
@click.option("--laws", metavar="ID", help="The edition underneath.")
@JSON
@click.pass_context
def laws_show(ctx: click.Context, document: str, decision: str | None, laws: str | None, as_json: bool) -> None:
    """One document: its rules, values and procedures with their articles, on its edition of the Laws.

    With a DECISION also the words of which its rules are made: what one needs for a rule of one's own.
    """
    from screenplug.laws import show, show_lines

    code = _library(ctx).code(document, laws)
    shown = show(code, decision and _decision(decision))
    if as_json:
        _json(shown)
    else:
        click.echo("\n".join(show_lines(shown)))


@laws_group.command(
    "explain",
    epilog="Example: screenplug laws explain tempo --regulations pzbs slow-side=NE pace=slow seconds=30 "
    "attention-by=S attributed-to=partner unexpected=no varied=no",
)
@command_line.question
@JSON
@click.pass_context
def laws_explain(ctx: click.Context, /, as_json: bool, **asked: Any) -> None:
    """Answer as decide does, and tell of every rule on the way when it holds and what it says.

    Exit codes as for decide.
    """
    from screenplug.laws import explain

    code, answers = command_line.answered(ctx, **asked)
    explained = [explain(answer, code) for answer in answers]
    if as_json:
        lines = [line for number, told in enumerate(explained) for line in (*([""] if number else ()), *told)]
        _json({**command_line.answers_json(answers), "explained": lines})
    else:
        click.echo("\n\n".join("\n".join(told) for told in explained))
    if answers[-1].status != "decided":
        sys.exit(NOT_FINE)


@laws_group.command("trace", epilog="Example: screenplug laws trace PZBS-24")
@click.argument("name", required=False, metavar="[ID]")
@JSON
@click.pass_context
def laws_trace(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """Which rules, values and procedures carry a statement of a text, and which statements they carry.

    ID is a statement (PZBS-24), all of a text (PZBS), a document (pzbs), or a rule, value or procedure of one
    (pzbs/16.7b). Without ID: how many statements of each text are carried, those that nothing carries, and what
    carries none; exit 1 when there are any.
    """
    from screenplug import trace

    documents = _library(ctx).documents
    if name is not None:
        traced = trace.trace(documents, name)
        if as_json:
            _json(traced)
        else:
            click.echo("\n".join(trace.lines(traced)))
        return
    families = trace.families(documents)
    if as_json:
        _json({"format": 1, "families": [family.to_json() for family in families]})
    else:
        click.echo("\n".join(trace.family_lines(families)))
    if any(family.lost or family.loose for family in families):
        sys.exit(NOT_FINE)


@laws_group.command("audit", epilog="Example: screenplug laws audit pzbs hbs-2006")
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@JSON
@click.pass_context
def laws_audit(ctx: click.Context, documents: tuple[str, ...], as_json: bool) -> None:
    """Go through every combination of facts and say what is wrong in the tables.

    DOCUMENT is the id of a document or the file of one of your own; without any, all are audited. Each is audited on
    every edition that it stands on. Found are: silences that no rule declares, rules that differ and are no readings
    of one text, rules that never hold or never have an effect, statements that nothing carries. Exit 1 when anything
    is found.
    """
    from screenplug import host

    manager = command_line.plugins_of(ctx)
    wanted = [name for name in documents if not name.lower().endswith(".toml")]
    waiting = [name for name in documents if name not in wanted]
    refused: dict[str, str] = {}
    progress = True
    while waiting and progress:  # one may stand on another, in whatever order they are named
        progress = False
        for name in tuple(waiting):
            host.load_document(manager, name)
            try:
                library = host.tables(manager).lawbook
            except Refused as error:  # what keeps a document from loading is what the audit is asked for
                refused[name] = str(error)
                host.unload_document(manager, name)
                continue
            here = Path(name).resolve()
            wanted += [each for each, document in library.documents.items() if Path(document.file).resolve() == here]
            waiting.remove(name)
            progress = True
    found: list[tuple[str, str, Finding | str]] = [
        (name, "", line) for name in waiting for line in refused[name].splitlines()
    ]
    library = _library(ctx)
    if not documents:
        wanted = list(library.ids)
    for name in wanted:
        found += _audited(library, name)
    if as_json:
        _json({"format": 1, "documents": wanted, "findings": [_found_json(*each) for each in found]})
    else:
        for _, _, finding in found:
            click.echo(str(finding))
        click.echo(f"{', '.join(wanted) or 'nothing'} audited: {len(found) or 'nothing'} found")
    if found:
        sys.exit(NOT_FINE)


def _audited(library: Library, name: str) -> Sequence[tuple[str, str, Finding]]:
    """The findings of one document on all its editions, then those on its statements."""
    from screenplug import trace

    library.code(name)  # refuses an unknown name
    codes = [library.code(name, edition) for edition in library.editions(name)]
    found = [(name, code.laws, each) for code in codes for each in code.audit()]
    return [*found, *((name, "", each) for each in trace.findings(library.documents, name))]


def _found_json(document: str, edition: str, finding: Finding | str) -> dict[str, Any]:
    if isinstance(finding, str):
        return {"document": document, "laws": None, "code": "does-not-load", "text": finding}
    return {
        "document": document,
        "laws": edition or None,
        "code": finding.code,
        "decision": finding.decision or None,
        "subject": finding.subject,
        "facts": dict(finding.facts),
        "count": finding.count,
        "text": finding.text,
        "remedy": finding.remedy,
    }


@laws_group.command("compare", epilog="Example: screenplug laws compare pl-1997 pzbs tempo")
@click.argument("a")
@click.argument("b")
@click.argument("decision", required=False)
@click.option("--laws-a", metavar="ID", help="The edition underneath A; the first that it stands on.")
@click.option("--laws-b", metavar="ID", help="The edition underneath B; the first that it stands on.")
@click.option(
    "--reading",
    "readings",
    multiple=True,
    metavar="KEY=WORD",
    help="Choose between two readings of a text; without, they are a conflict.",
)
@JSON
@click.pass_context
def laws_compare(
    ctx: click.Context,
    a: str,
    b: str,
    decision: str | None,
    laws_a: str | None,
    laws_b: str | None,
    readings: tuple[str, ...],
    as_json: bool,
) -> None:
    """What changes when B is in force and no longer A: values, then decision by decision the facts that matter.

    Each difference fixes as few facts as can be so that each of the two says one thing, and not the same, whatever the
    other facts are. All combinations of facts on which they part are in one of the differences.
    """
    from screenplug import compare
    from screenplug.vocabulary import vocabulary

    library = _library(ctx)
    codes = (library.code(a, laws_a), library.code(b, laws_b))
    chosen = command_line.chosen_readings(readings, *codes)
    values = [] if decision else compare.values(*codes)
    found = {
        name: differences
        for name in ([_decision(decision)] if decision else vocabulary().decisions)
        if (differences := compare.compare(*codes, name, chosen))
    }
    if as_json:
        sides = [{"regulations": code.regulations, "laws": code.laws, "revision": code.revision} for code in codes]
        rows = [{"decision": name, "differences": [each.to_json() for each in rows]} for name, rows in found.items()]
        cited = [each.to_json() for each in values]
        _json({"format": 1, "a": sides[0], "b": sides[1], "values": cited, "decisions": rows})
        return
    shown = compare.value_lines(codes, values)
    for name, differences in found.items():
        shown += compare.lines(codes, name, differences)
    click.echo("\n".join(shown or [vocabulary().words["same"]]))


@hookimpl
def screenplug_commands(cli: click.Group) -> None:
    cli.add_command(laws_group)
