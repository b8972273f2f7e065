"""``screenplug calc``: a Director's calculator, and an example of a plugin that adds commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from screenplug import cli as command_line
from screenplug import hookimpl
from screenplug.model import Refused

if TYPE_CHECKING:
    from screenplug.model import Outcome


@click.group()
def calc() -> None:
    """A Director's calculator: the answers alone, one per line; --explain shows the steps, as for an appeal form."""


EXPLAIN = click.option("--explain", is_flag=True, help="Show the steps, with what they rest on.")
NUMBERS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}  # -50 is a score, not an option


def _no_options(words: Iterable[str]) -> None:
    for word in words:
        if word.startswith("--"):
            raise click.UsageError(f"No such option: {word}")


def _whole(text: str, what: str = "a score", example: str = "-50") -> int:
    text = text.replace("\N{MINUS SIGN}", "-")
    if not re.fullmatch("[+-]?[0-9]{1,9}", text):
        raise click.UsageError(f"{text!r} is not {what}; write a whole number such as {example}.")
    return int(text)


def _fraction(text: str, what: str) -> Fraction:
    number = text.replace(",", ".").replace("\N{MINUS SIGN}", "-")
    if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?", number):
        raise click.UsageError(f"{text!r} is not {what}; write a number such as 12.5.")
    return Fraction(number)


def _short(number: Fraction) -> str:
    """Up to four decimals, halves away from zero, no trailing zeros."""
    units = int(abs(number) * 10_000 + Fraction(1, 2))
    text = f"{units // 10_000}.{units % 10_000:04d}".rstrip("0").rstrip(".")
    return f"-{text}" if number < 0 and units else text


@calc.command("contract", context_settings=NUMBERS, epilog="Example: screenplug calc contract 4SX S vul 9")
@click.argument("contract")
@click.argument("declarer")
@click.argument("vulnerability")
@click.argument("tricks")
@click.option("--old-undertricks", is_flag=True, help="The scale before 1987, PBN's OldMP.")
@EXPLAIN
def calc_contract(
    contract: str, declarer: str, vulnerability: str, tricks: str, old_undertricks: bool, explain: bool
) -> None:
    """Points of a contract for the declarer's side (Law 77): CONTRACT DECLARER nv|vul TRICKS."""
    from screenplug.model import Outcome
    from screenplug.points import contract_points

    _no_options((contract, declarer, vulnerability, tricks))
    if vulnerability.lower() not in ("nv", "vul"):
        raise click.UsageError(f"{vulnerability!r} is neither nv nor vul.")
    taken = _whole(tricks, "a number of tricks", "9")
    if not 0 <= taken <= 13:
        raise click.UsageError(f"{taken} tricks cannot be; write 0 to 13.")
    if contract.lower() in ("pass", "p"):
        click.echo("0")
        return
    level = contract[:1]
    if not level.isdigit():
        raise click.UsageError(f"{contract!r} is no contract; write it as 4S, 3NT or 4SX.")
    over = taken - 6 - int(level)
    try:
        outcome = Outcome.parse(f"{contract} {declarer} {f'{over:+d}' if over else '='}")
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    vulnerable = vulnerability.lower() == "vul"
    if explain:
        _contract_steps(outcome, vulnerable)
    click.echo(contract_points(outcome, vulnerable, old_undertricks))


def _contract_steps(outcome: Outcome, vulnerable: bool) -> None:
    over = outcome.tricks - 6 - outcome.level
    how = {0: "undoubled", 1: "doubled", 2: "redoubled"}[outcome.doubled]
    state = "vulnerable" if vulnerable else "not vulnerable"
    if over < 0:
        click.echo(f"{-over} down, {how}, {state} (Law 77):")
        return
    each = 20 if outcome.strain in ("C", "D") else 30
    first = " and 10 for the first" if outcome.strain == "NT" else ""
    tricks = (each * outcome.level + 10 * bool(first)) * 2**outcome.doubled
    bonus = ("game" if tricks >= 100 else "part score") + (", slam" if outcome.level >= 6 else "")
    made = f", {over} over" if over else ""
    click.echo(f"{outcome.level} odd tricks at {each}{first}, {how}: {tricks}; {bonus} bonus, {state}{made} (Law 77):")


@calc.command("imps", context_settings=NUMBERS, epilog="Example: screenplug calc imps 490 -30")
@click.argument("differences", nargs=-1, required=True)
@EXPLAIN
def calc_imps(differences: tuple[str, ...], explain: bool) -> None:
    """IMPs for differences in points (Law 78B)."""
    from screenplug.points import imps

    _no_options(differences)
    for difference in [_whole(text, "a difference in points") for text in differences]:
        if explain:
            click.echo(f"a difference of {difference} points, by the scale of Law 78B:")
        click.echo(imps(difference))


@calc.command(
    "matchpoints",
    context_settings=NUMBERS,
    epilog="Example: screenplug calc matchpoints 110x5 50x3 -50x2 -110x2 --weighted 60:110,40:-50",
)
@click.argument("scores", nargs=-1, required=True)
@click.option("--weighted", metavar="W:SCORE,...", help="One more result, weighted: 60:110,40:-50.")
@EXPLAIN
def calc_matchpoints(scores: tuple[str, ...], weighted: str | None, explain: bool) -> None:
    """Matchpoints of a board (Law 78A), 2 for each result beaten: a line SCORE NS EW for each score.

    SCORES are North-South's, with x and how often: 110x5. A weighted result counts as one result, by its weights.
    """
    from screenplug.points import matchpoints

    _no_options(scores)
    table = _frequencies(scores)
    parts: list[tuple[Fraction, int]] = []
    for piece in weighted.split(",") if weighted else ():
        percent, colon, score = piece.partition(":")
        if not colon:
            raise click.UsageError(f"{piece!r} is no weighted score; write it as 60:110.")
        parts.append((_fraction(percent, "a weight in percent") / 100, _whole(score)))
    total = sum((weight for weight, _ in parts), Fraction(0))
    if parts and total != 1:
        raise click.UsageError(f"the weights add up to {_short(total * 100)}%, not to 100%.")
    if any(weight <= 0 for weight, _ in parts):
        raise click.UsageError("a weight is more than 0%.")
    shown = list(table)
    for weight, number in parts:
        table[number] = table.get(number, Fraction(0)) + weight
    earned = {number: Fraction(points) for number, points in matchpoints(table).items()}
    top = 2 * (sum(table.values(), Fraction(0)) - 1)
    for number in shown:
        if explain:
            _matchpoint_step(table, number)
        click.echo(f"{number} {_short(earned[number])} {_short(top - earned[number])}")
    if parts and explain:
        terms = " + ".join(f"{_short(weight * 100)}% of {_short(earned[number])}" for weight, number in parts)
        click.echo(f"weighted, each result converted first (Law 12C1(c)): {terms}")
    if parts:
        mine = sum((weight * earned[number] for weight, number in parts), Fraction(0))
        click.echo(f"adjusted {_short(mine)} {_short(top - mine)}")


@calc.command(
    "neuberg", context_settings=NUMBERS, epilog="Example: screenplug calc neuberg --expected 11 --scored 10 18"
)
@click.option("--expected", required=True, metavar="N", help="Results that the board should have.")
@click.option("--scored", required=True, metavar="N", help="Results that can be compared.")
@click.argument("matchpoints", nargs=-1, required=True)
@EXPLAIN
def calc_neuberg(expected: str, scored: str, matchpoints: tuple[str, ...], explain: bool) -> None:
    """Matchpoints within a smaller group, brought to the full field by Neuberg's formula."""
    from screenplug.policy import neuberg

    _no_options(matchpoints)
    full, actual = (_whole(text, "a number of results", "11") for text in (expected, scored))
    if not 1 <= actual <= full:
        raise click.UsageError(f"{actual} results scored of {full} expected cannot be.")
    for text in matchpoints:
        own = _fraction(text, "matchpoints")
        if explain:
            click.echo(f"({_short(own)} x {full} + {full} - {actual}) / {actual}, by Neuberg's formula:")
        click.echo(_short(Fraction(neuberg(own, actual, full))))


@calc.command("vp", context_settings=NUMBERS, epilog="Example: screenplug calc vp --scale wbf --boards 16 14 -3")
@click.option("--scale", "name", required=True, metavar="ID", help="wbf, wbf-discrete, acbl-20, ebu-swiss-pairs ...")
@click.option("--boards", required=True, metavar="N", help="Boards of the match.")
@click.option("--table", "whole", is_flag=True, help="The whole scale: MARGIN OWN OTHER, a line for each step.")
@click.argument("margins", nargs=-1)
@EXPLAIN
@click.pass_context
def calc_vp(ctx: click.Context, name: str, boards: str, whole: bool, margins: tuple[str, ...], explain: bool) -> None:
    """Victory points for margins in IMPs; ebu-swiss-pairs takes percentages.

    A margin with a fraction is made whole first, halves away from nothing (EBU White Book 4.2.6.3).
    """
    from screenplug.victory import whole_margin

    _no_options(margins)
    scales = command_line.offered_tables(ctx).scales
    if name not in scales:
        raise Refused(f"there is no scale {name!r}", remedy=f"Known are {', '.join(sorted(scales))}")
    scale, number = scales[name], _whole(boards, "a number of boards", "16")
    percent = scale.margin == "percent"
    if bool(margins) == whole:
        raise click.UsageError("give margins, or --table.")
    if explain:
        click.echo(f"{scale.title}, {number} boards ({scale.source})")
    if whole:
        bands = scale.bands(number)
        for limit, won in zip((*bands.upto, None), bands.vp, strict=True):
            shown = "more" if limit is None else _short(limit + 50 if percent else limit)
            click.echo(f"{shown} {_short(won)} {_short(2 * bands.vp[0] - won)}")
    for text in margins:
        margin = _fraction(text, "a percentage" if percent else "a margin in IMPs")
        won = scale.vp(number, margin - 50 if percent else whole_margin(margin))
        if explain and not percent and margin != whole_margin(margin):
            click.echo(f"{_short(margin)} IMPs are {whole_margin(margin)} whole ones")
        click.echo(_short(won))


@calc.command(
    "average", context_settings=NUMBERS, epilog="Example: screenplug calc average --policy ebu --session 63.5 plus"
)
@click.argument("which", type=click.Choice(["plus", "average", "minus"]))
@click.option("--session", metavar="N", help="What the contestant averages on the other boards of the session.")
@click.option("--imps", "at_imps", is_flag=True, help="At IMPs, a board; the percentage otherwise.")
@click.option("--policy", default="neutral", show_default=True, metavar="ID", help="The scoring policy.")
@click.option("--laws", default="laws-2017", show_default=True, metavar="ID", help="The edition of the Laws.")
@EXPLAIN
@click.pass_context
def calc_average(
    ctx: click.Context, which: str, session: str | None, at_imps: bool, policy: str, laws: str, explain: bool
) -> None:
    """What average plus, average or average minus is worth to a contestant (Law 12C2).

    Average plus is the contestant's own average on the other boards where that is better, average minus where it is
    worse, as far as the edition says so.
    """
    from screenplug.event import averages_of

    tables = command_line.offered_tables(ctx)
    if policy not in tables.policies:
        raise Refused(
            f"there is no scoring policy {policy!r}", remedy=f"Known are {', '.join(sorted(tables.policies))}"
        )
    averages = averages_of(tables.lawbook.code(laws))
    own = _fraction(session, "an average") if session is not None else None
    word = {"plus": "A+", "average": "A", "minus": "A-"}[which]
    if at_imps:
        follows = tables.policies[policy].imps_follow_session
        flat, found = averages.imps(word), averages.imps(word, own if follows else None)
        unit = " IMPs"
    else:
        flat, found = averages.percent(word), averages.percent(word, own)
        unit = "%"
    if explain:
        click.echo(f"{word} is {_short(Fraction(flat))}{unit} (Law 12C2, {laws})")
        if own is not None:
            click.echo(
                f"the other boards of the session: {_short(own)}{unit}; the award follows them where the Law does"
            )
    click.echo(_short(Fraction(found)))


@calc.command("butler", context_settings=NUMBERS, epilog="Example: screenplug calc butler 450 420x3 -50 -800 --drop 1")
@click.argument("scores", nargs=-1, required=True)
@click.option("--drop", default="0", show_default=True, metavar="N", help="Results left out at each end.")
@click.option("--policy", default="neutral", show_default=True, metavar="ID", help="How the datum is rounded.")
@EXPLAIN
@click.pass_context
def calc_butler(ctx: click.Context, scores: tuple[str, ...], drop: str, policy: str, explain: bool) -> None:
    """The datum of a board, then IMPs against it: a line SCORE NS EW for each score."""
    from dataclasses import replace

    from screenplug.comparison import datum_of
    from screenplug.points import imps

    _no_options(scores)
    table = _frequencies(scores)
    policies = command_line.offered_tables(ctx).policies
    if policy not in policies:
        raise Refused(f"there is no scoring policy {policy!r}", remedy=f"Known are {', '.join(sorted(policies))}")
    left_out, count = _whole(drop, "a number of results", "1"), int(sum(table.values()))
    if not 0 <= 2 * left_out < count:
        raise click.UsageError(f"{left_out} results at each end of {count} leave nothing.")
    rounding = replace(policies[policy], butler_drop=((0, left_out),), butler_drop_percent=Fraction(0))
    datum = datum_of(table, rounding)
    if explain:
        click.echo(f"mean of {count - 2 * left_out} of {count} results, rounded as the policy {policy} says:")
    click.echo(f"datum {_short(Fraction(datum))}")
    for score in table:
        won = imps(score - datum)
        if explain:
            click.echo(f"{score} less {_short(Fraction(datum))}, by the scale of Law 78B:")
        click.echo(f"{score} {won} {-won}")


@calc.command("ximps", context_settings=NUMBERS, epilog="Example: screenplug calc ximps 620 170 140x2 -100")
@click.argument("scores", nargs=-1, required=True)
@click.option("--sum", "total", is_flag=True, help="The sum of the comparisons, not their mean.")
@click.option("--cap", default="0", metavar="N", help="The most IMPs that one comparison counts; 0 for all.")
@EXPLAIN
def calc_ximps(scores: tuple[str, ...], total: bool, cap: str, explain: bool) -> None:
    """IMPs against every other result of the board: a line SCORE NS EW for each score."""
    from screenplug.points import imps

    _no_options(scores)
    table, most = _frequencies(scores), _whole(cap, "a number of IMPs", "17")
    others = int(sum(table.values())) - 1
    if others < 1:
        raise click.UsageError("a board is compared between two results or more.")
    for score in table:
        sizes = [(imps(score - other), int(times) - (other == score)) for other, times in table.items()]
        counted = [(max(-most, min(most, size)) if most else size, times) for size, times in sizes if times]
        won = Fraction(sum(size * times for size, times in counted))
        if explain:
            terms = " + ".join(f"{times} x {size}" for size, times in counted)
            click.echo(f"{score}: {terms}" + ("" if total else f", by {others} comparisons") + ":")
        won = won if total else won / others
        click.echo(f"{score} {_short(won)} {_short(-won)}")


@calc.command("redress", context_settings=NUMBERS, epilog="Example: screenplug calc redress -13 5 -2")
@click.argument("actual")
@click.argument("rectified")
@click.argument("without_error")
@EXPLAIN
def calc_redress(actual: str, rectified: str, without_error: str, explain: bool) -> None:
    """What is left to a side that damaged itself as well (Law 12C1): ACTUAL RECTIFIED WITHOUT_ERROR.

    All in IMPs, or points above average, after comparison. RECTIFIED is the adjusted score, WITHOUT_ERROR what the side
    would have had with the infraction but without its own error. Two lines: the non-offending side's, the other's.
    """
    _no_options((actual, rectified, without_error))
    had, due, without = (_fraction(text, "a score") for text in (actual, rectified, without_error))
    if without < had:
        raise click.UsageError("without its error the side would have had no less; look at ACTUAL and WITHOUT_ERROR.")
    own = due - (without - had) if due > without else had
    if explain:
        if due > without:
            click.echo(f"its own error cost {_short(without - had)}; {_short(due)} less that:")
        else:
            click.echo("all of the damage is its own: the result stands for it:")
    click.echo(_short(own))
    if explain:
        click.echo("the offending side has the complement of the whole adjusted score, in IMPs:")
    click.echo(_short(-due))


def _frequencies(scores: Iterable[str]) -> dict[int, Fraction]:
    """Scores as 110x5, with how often each occurs."""
    table: dict[int, Fraction] = {}
    for text in scores:
        score, x, times = text.partition("x")
        number = _whole(times, "a frequency", "5") if x else 1
        if number < 1:
            raise click.UsageError(f"{text!r}: a score occurs at least once.")
        table[_whole(score)] = table.get(_whole(score), Fraction(0)) + number
    return table


def _matchpoint_step(table: Mapping[int, Fraction], score: int) -> None:
    below = sum((times for other, times in table.items() if other < score), Fraction(0))
    click.echo(f"{score}: 2 x {_short(below)} lower + {_short(table[score])} equal - 1 (Law 78A):")


@hookimpl
def screenplug_commands(cli: click.Group) -> None:
    cli.add_command(calc)
