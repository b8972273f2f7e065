"""``screenplug calc``: a Director's calculator, and an example of a plugin that adds commands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

import click

from screenplug import hookimpl


@click.group()
def calc() -> None:
    """A Director's calculator: the answers alone, one per line."""


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
def calc_contract(contract: str, declarer: str, vulnerability: str, tricks: str, old_undertricks: bool) -> None:
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
    click.echo(contract_points(outcome, vulnerability.lower() == "vul", old_undertricks))


@calc.command("imps", context_settings=NUMBERS, epilog="Example: screenplug calc imps 490 -30")
@click.argument("differences", nargs=-1, required=True)
def calc_imps(differences: tuple[str, ...]) -> None:
    """IMPs for differences in points (Law 78B)."""
    from screenplug.points import imps

    _no_options(differences)
    for difference in [_whole(text, "a difference in points") for text in differences]:
        click.echo(imps(difference))


@calc.command(
    "matchpoints",
    context_settings=NUMBERS,
    epilog="Example: screenplug calc matchpoints 110x5 50x3 -50x2 -110x2 --weighted 60:110,40:-50",
)
@click.argument("scores", nargs=-1, required=True)
@click.option("--weighted", metavar="W:SCORE,...", help="One more result, weighted: 60:110,40:-50.")
def calc_matchpoints(scores: tuple[str, ...], weighted: str | None) -> None:
    """Matchpoints of a board (Law 78A), 2 for each result beaten: a line SCORE NS EW for each score.

    SCORES are North-South's, with x and how often: 110x5. A weighted result counts as one result, by its weights.
    """
    from screenplug.points import matchpoints

    _no_options(scores)
    table: dict[int, Fraction] = {}
    for text in scores:
        score, x, times = text.partition("x")
        number = _whole(times, "a frequency", "5") if x else 1
        if number < 1:
            raise click.UsageError(f"{text!r}: a score occurs at least once.")
        table[_whole(score)] = table.get(_whole(score), Fraction(0)) + number
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
        click.echo(f"{number} {_short(earned[number])} {_short(top - earned[number])}")
    if parts:
        mine = sum((weight * earned[number] for weight, number in parts), Fraction(0))
        click.echo(f"adjusted {_short(mine)} {_short(top - mine)}")


@calc.command(
    "neuberg", context_settings=NUMBERS, epilog="Example: screenplug calc neuberg --expected 11 --scored 10 18"
)
@click.option("--expected", required=True, metavar="N", help="Results that the board should have.")
@click.option("--scored", required=True, metavar="N", help="Results that can be compared.")
@click.argument("matchpoints", nargs=-1, required=True)
def calc_neuberg(expected: str, scored: str, matchpoints: tuple[str, ...]) -> None:
    """Matchpoints within a smaller group, brought to the full field by Neuberg's formula."""
    from screenplug.policy import neuberg

    _no_options(matchpoints)
    full, actual = (_whole(text, "a number of results", "11") for text in (expected, scored))
    if not 1 <= actual <= full:
        raise click.UsageError(f"{actual} results scored of {full} expected cannot be.")
    for text in matchpoints:
        click.echo(_short(Fraction(neuberg(_fraction(text, "matchpoints"), actual, full))))


@hookimpl
def screenplug_commands(cli: click.Group) -> None:
    cli.add_command(calc)
