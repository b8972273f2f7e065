"""``screenplug calc``: a Director's calculator, and an example of a plugin that adds commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from screenplug import cli as command_line
from screenplug import hookimpl
from screenplug.model import Refused

if TYPE_CHECKING:
    from screenplug.offered import Tables
    from screenplug.policy import Policy
    from screenplug.victory import Scale


@click.group()
def calc() -> None:
    """A Director's calculator: the answers alone, one per line; --explain shows the steps, as for an appeal form."""


EXPLAIN = click.option("--explain", is_flag=True, help="Show the steps, with what they rest on.")
NUMBERS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}  # -50 is a score, not an option


def _no_options(words: Iterable[str]) -> None:
    for word in words:
        if word.startswith("--"):
            raise click.UsageError(f"No such option: {word}")


def _policy(tables: Tables, name: str) -> Policy:
    if name not in tables.policies:
        raise Refused(f"there is no scoring policy {name!r}", remedy=f"Known are {', '.join(sorted(tables.policies))}")
    return tables.policies[name]


def _source(tables: Tables, policy: Policy, value: str) -> str:
    """Where a value of the policy is from; what it does not state is the neutral one's."""
    cited = policy.cites.get(value) or tables.policies["neutral"].cites[value]
    return f"policy {policy.id}: {cited[0]}"


def _scale(tables: Tables, name: str) -> Scale:
    if name not in tables.scales:
        raise Refused(f"there is no scale {name!r}", remedy=f"Known are {', '.join(sorted(tables.scales))}")
    return tables.scales[name]


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


def _percentage(text: str, what: str) -> Fraction:
    number = _fraction(text, what)
    if not 0 <= number <= 100:
        raise click.UsageError(f"{text!r} is no percentage; write 0 to 100.")
    return number


def _short(number: Fraction) -> str:
    """Up to four decimals, halves away from zero, no trailing zeros."""
    units = int(abs(number) * 10_000 + Fraction(1, 2))
    text = f"{units // 10_000}.{units % 10_000:04d}".rstrip("0").rstrip(".")
    return f"-{text}" if number < 0 and units else text


def _sum(*terms: Fraction | int | str) -> str:
    """Terms one after another, a negative one with its own sign."""
    parts = [term if isinstance(term, str) else _short(Fraction(term)) for term in terms]
    return " + ".join(parts).replace("+ -", "- ")


def _less(one: Fraction, other: Fraction) -> str:
    return f"{_short(one)} - {_short(other) if other >= 0 else f'({_short(other)})'}"


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
    from screenplug.points import contract_points, contract_terms

    _no_options((contract, declarer, vulnerability, tricks))
    if vulnerability.lower() not in ("nv", "vul"):
        raise click.UsageError(f"{vulnerability!r} is neither nv nor vul.")
    taken = _whole(tricks, "a number of tricks", "9")
    if not 0 <= taken <= 13:
        raise click.UsageError(f"{taken} tricks cannot be; write 0 to 13.")
    if contract.lower() in ("pass", "p"):
        if explain:
            click.echo("passed out: no points for either side (Law 77)")
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
        law = "Law 77 as before 1987" if old_undertricks else "Law 77"
        for name, points in contract_terms(outcome, vulnerable, old_undertricks):
            click.echo(f"{name}: {points} ({law})")
        click.echo("together, for the declarer's side:")
    click.echo(contract_points(outcome, vulnerable, old_undertricks))


@calc.command("imps", context_settings=NUMBERS, epilog="Example: screenplug calc imps 490 -30")
@click.argument("differences", nargs=-1, required=True)
@EXPLAIN
def calc_imps(differences: tuple[str, ...], explain: bool) -> None:
    """IMPs for differences in points (Law 78B)."""
    from screenplug.points import imps

    _no_options(differences)
    for difference in [_whole(text, "a difference in points") for text in differences]:
        if explain:
            click.echo(_imp_step(difference))
        click.echo(imps(difference))


def _imp_step(difference: int | Fraction) -> str:
    from screenplug.points import IMP_STEPS, imps

    won, size = abs(imps(difference)), _short(abs(Fraction(difference)))
    low = f"{IMP_STEPS[won - 1]} or more" if won else ""
    high = f"less than {IMP_STEPS[won]}" if won < len(IMP_STEPS) else ""
    behind = ", behind" if difference < 0 else ""
    return f"a difference of {size} points, {' and '.join(filter(None, (low, high)))}, is {won}{behind} (Law 78B):"


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
    results = sum(table.values(), Fraction(0))
    top = 2 * (results - 1)
    if explain:
        each = "; each outcome counts by its weight (EBU White Book 2025, 4.2.1)" if parts else ""
        click.echo(f"{_short(results)} results{each}; the top is 2 x ({_short(results)} - 1) = {_short(top)}")
        click.echo("East-West have what is left of the top")
    for number in shown:
        if explain:
            _matchpoint_step(table, number)
        click.echo(f"{number} {_short(earned[number])} {_short(top - earned[number])}")
    if parts and explain:
        terms = " + ".join(f"{_short(weight * 100)}% of {_short(earned[number])}" for weight, number in parts)
        click.echo(f"weighted, each outcome in matchpoints first (Law 12C1(c); EBU White Book 2025, 4.1.1.4): {terms}")
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
    earned = [_fraction(text, "matchpoints") for text in matchpoints]
    top = 2 * (actual - 1)
    for own in earned:
        if not 0 <= own <= top:
            raise click.UsageError(f"{_short(own)} matchpoints cannot be: the top of {actual} results is {top}.")
    for own in earned:
        if explain:
            source = "Neuberg's formula; EBU White Book 2025, 4.2.3.2"
            click.echo(f"each result stands for {full}/{actual} ({source}):")
            click.echo(f"({_short(own)} + 1) x {full} / {actual} - 1 =")
        click.echo(_short(Fraction(neuberg(own, actual, full))))


SCALE = click.option("--scale", "name", required=True, metavar="ID", help="wbf, wbf-discrete, acbl-20 ... or your own.")
POLICY = click.option("--policy", default="neutral", show_default=True, metavar="ID", help="The scoring policy.")
EDITION = click.option("--laws", default="laws-2017", show_default=True, metavar="ID", help="The edition of the Laws.")
POOL = click.option("--pool", default="20", show_default=True, metavar="N", help="All victory points of a match.")


@calc.command("vp", context_settings=NUMBERS, epilog="Example: screenplug calc vp --scale wbf --boards 16 14 -3")
@SCALE
@click.option("--boards", required=True, metavar="N", help="Boards of the match.")
@click.option("--table", "whole", is_flag=True, help="The whole scale: MARGIN OWN OTHER, a line for each step.")
@POLICY
@click.argument("margins", nargs=-1)
@EXPLAIN
@click.pass_context
def calc_vp(
    ctx: click.Context, name: str, boards: str, whole: bool, policy: str, margins: tuple[str, ...], explain: bool
) -> None:
    """Victory points for margins in IMPs, each side's from its own; ebu-swiss-pairs takes percentages.

    A margin with a fraction is made whole first, halves away from nothing, unless the policy says by formula.
    """
    _no_options(margins)
    tables = command_line.offered_tables(ctx)
    scale, number, rules = _scale(tables, name), _whole(boards, "a number of boards", "16"), _policy(tables, policy)
    percent = scale.margin == "percent"
    if bool(margins) == whole:
        raise click.UsageError("give margins, or --table.")
    merits = [_percentage(text, "a percentage") if percent else _fraction(text, "a margin in IMPs") for text in margins]
    bands = scale.bands(number)
    if explain:
        click.echo(f"{scale.title}, {number} boards ({scale.source.rstrip('.')})")
    if whole:
        for limit, won, lost in zip((*bands.upto, None), bands.vp, bands.lost, strict=True):
            shown = "more" if limit is None else _short(limit + scale.even)
            click.echo(f"{shown} {_short(won)} {_short(lost)}")
    for merit in merits:
        if explain:
            _vp_steps(scale, number, merit, tables, rules)
        click.echo(_short(scale.vp(number, merit, rules.vp_fractions)))


def _vp_steps(scale: Scale, boards: int, merit: Fraction, tables: Tables, rules: Policy) -> None:
    from screenplug.victory import whole_margin

    unit = "%" if scale.margin == "percent" else " IMPs"
    margin = merit - scale.even
    if scale.margin == "imps" and margin.denominator != 1:
        source = _source(tables, rules, "vp-fractions")
        if rules.vp_fractions == "formula" and scale.formula:
            click.echo(f"{_short(margin)} IMPs are not whole: by the formula ({source})")
        else:
            click.echo(f"{_short(margin)} IMPs are {whole_margin(margin)} whole ones ({source})")
            margin = Fraction(whole_margin(margin))
    size = abs(margin)
    if margin < 0:
        click.echo(f"{_short(size)}{unit} behind: what is left to it by {_short(size + scale.even)}{unit}")
    bands = scale.bands(boards)
    place = bands.place(size)
    won, lost = _short(bands.vp[place]), _short(bands.lost[place])
    plain = scale.formula(boards, size) if scale.formula else bands.vp[-1]
    if plain < bands.vp[-1]:
        table = bands.of(int(size))
        click.echo(f"10 + 10 x (1 - R^({_short(size)}/X)) / (1 - R) = {_short(plain)}")
        click.echo(f"with X = 15 x (root of {boards}) and R = (root of 5) - 2")
        if table > plain:
            click.echo(f"raised to {_short(table)}, so that no IMP is worth more than the one before it")
        return
    low = f"more than {_short(bands.upto[place - 1] + scale.even)}{unit}" if place else ""
    high = f"{_short(bands.upto[place] + scale.even)}{unit} at most" if place < len(bands.upto) else ""
    click.echo(f"{_short(size + scale.even)}{unit}, {' and '.join(filter(None, (low, high)))}: {won} to {lost}")


@calc.command(
    "unplayed",
    context_settings=NUMBERS,
    epilog="Example: screenplug calc unplayed --scale wbf-discrete --boards 8 --played 4 plus 6",
)
@SCALE
@click.option("--boards", required=True, metavar="N", help="Boards of the match.")
@click.option("--played", required=True, metavar="N", help="Boards that were played and count.")
@EDITION
@POLICY
@click.argument("which", type=click.Choice(["plus", "average", "minus"]))
@click.argument("margin", required=False)
@EXPLAIN
@click.pass_context
def calc_unplayed(
    ctx: click.Context, name: str, boards: str, played: str, laws: str, policy: str, which: str, margin: str | None,
    explain: bool,
) -> None:  # fmt: skip
    """Victory points of a side in a match that was not played to the end (EBU White Book 2025, 3.3.7 to 3.3.9).

    MARGIN is the side's own on the boards played, in IMPs or as a percentage. It has average plus, average or minus on
    each board removed; where less than half could be played the match is void, and it has that on half of the boards.
    """
    from screenplug.event import averages_of
    from screenplug.victory import unplayed

    _no_options((which, margin or ""))
    tables = command_line.offered_tables(ctx)
    scale, rules = _scale(tables, name), _policy(tables, policy)
    full, done = (_whole(text, "a number of boards", "8") for text in (boards, played))
    if not 0 <= done <= full:
        raise click.UsageError(f"{done} boards played of {full} cannot be.")
    if margin is None and 2 * done >= full:
        raise click.UsageError(f"give MARGIN, the side's own on the {done} boards played.")
    number_of = _percentage if scale.margin == "percent" else _fraction
    own = scale.even if margin is None else number_of(margin, "a margin")
    averages = averages_of(tables.lawbook.code(laws))
    word = _WORDS[which]
    found = unplayed(scale, full, done, own, word, averages)
    if explain:
        if found.void:
            click.echo(f"{done} of {full} boards played, less than half: void (EBU White Book 2025, 3.3.9)")
        else:
            click.echo(f"{full - done} of {full} boards not played (EBU White Book 2025, 3.3.7, 3.3.8)")
        times, rest = f"{_short(found.each)} x {found.awarded}", _short(found.rest)
        if scale.margin == "imps":
            step = f"{_sum(rest, times)} = {_short(found.merit)} IMPs"
        else:
            step = f"({_sum(f'{rest} x {full - found.awarded}', times)}) / {full} = {_short(found.merit)}%"
        click.echo(f"{word} on {found.awarded} ({_law(tables, laws, which, scale.margin)}): {step}")
        click.echo(f"{scale.title}, {full} boards ({scale.source.rstrip('.')})")
        _vp_steps(scale, full, found.merit, tables, rules)
    click.echo(_short(scale.vp(full, found.merit, rules.vp_fractions)))


_WORDS = {"plus": "A+", "average": "A", "minus": "A-"}


def _law(tables: Tables, laws: str, which: str, what: str) -> str:
    """The articles behind average plus, average or minus of an edition: its ``imps``, ``percent`` or ``session``."""
    value = "average-percent" if which == "average" else f"average-{which}-{what}"
    (found,) = (each for each in tables.lawbook.code(laws).cited_values if each.id == value)
    return f"{', '.join(found.cites)}, {found.document}"


@calc.command("void", context_settings=NUMBERS, epilog="Example: screenplug calc void wrong-seats")
@POOL
@click.argument("why", type=click.Choice(["wrong-seats", "directors-error", "withdrawn"]))
@EXPLAIN
def calc_void(pool: str, why: str, explain: bool) -> None:
    """Victory points instead of a result: a percentage of all that there are in a match."""
    from screenplug.victory import INSTEAD

    _no_options((why,))
    percent, source = INSTEAD[why]
    if explain:
        click.echo(f"{percent}% of {pool} ({source}):")
    click.echo(_short(_points(pool) * percent / 100))


@calc.command("mismatch", context_settings=NUMBERS, epilog="Example: screenplug calc mismatch 13 weaker --own-fault")
@POOL
@click.argument("won")
@click.argument("opponent", type=click.Choice(["stronger", "weaker"]))
@click.option("--own-fault", is_flag=True, help="The side itself is to blame for the wrong draw.")
@EXPLAIN
def calc_mismatch(pool: str, won: str, opponent: str, own_fault: bool, explain: bool) -> None:
    """Victory points of a side drawn against a stronger or weaker opponent than its own (EBU White Book, 3.5.2)."""
    from screenplug.victory import mismatched

    _no_options((won,))
    points, whole = _points(won), _points(pool)
    if points > whole:
        raise click.UsageError(f"{won} victory points of {pool} cannot be.")
    if explain:
        quarter, step = _short(whole / 4), "the result stands"
        if opponent == "stronger" and not own_fault:
            step = f"a quarter of {pool} and three quarters of what it won: {quarter} + 3/4 x {won}"
        elif opponent == "weaker" and own_fault and points > whole / 4:
            step = f"less a quarter of what it won beyond a quarter of {pool}: {won} - ({won} - {quarter}) / 4"
        fault = "its own fault" if own_fault else "not its own fault"
        click.echo(f"{opponent} opponent, {fault}: {step} (EBU White Book 2025, 3.5.2):")
    click.echo(_short(mismatched(points, whole, opponent, own_fault)))


def _points(text: str) -> Fraction:
    number = _fraction(text, "a number of victory points")
    if number < 0:
        raise click.UsageError(f"{text} victory points cannot be.")
    return number


@calc.command(
    "carry",
    context_settings=NUMBERS,
    epilog="Example: screenplug calc carry 288 --boards 24 --most 480 --final-boards 24 --final-most 240",
)
@click.argument("score")
@click.option("--boards", required=True, metavar="N", help="Boards of the qualifier.")
@click.option("--most", required=True, metavar="N", help="Matchpoints that could be won there.")
@click.option("--final-boards", required=True, metavar="N", help="Boards of the final.")
@click.option("--final-most", required=True, metavar="N", help="Matchpoints that can be won there.")
@EXPLAIN
def calc_carry(score: str, boards: str, most: str, final_boards: str, final_most: str, explain: bool) -> None:
    """Matchpoints carried forward from a qualifier into a final, at half weight (EBU White Book 2025, 3.8)."""
    from screenplug.victory import carried_forward

    _no_options((score,))
    numbers = [_whole(text, "a number of boards", "24") for text in (boards, final_boards)]
    points = [_fraction(text, "matchpoints") for text in (score, most, final_most)]
    if min(numbers) <= 0 or min(points[1:]) <= 0:
        raise click.UsageError("boards, and the matchpoints that could be won, are more than 0.")
    if not 0 <= points[0] <= points[1]:
        raise click.UsageError(f"{score} matchpoints of {most} cannot be.")
    if explain:
        click.echo(f"half of {score}, x {boards}/{most}, x {final_most}/{final_boards} (EBU White Book 2025, 3.8):")
    click.echo(_short(carried_forward(points[0], numbers[0], points[1], numbers[1], points[2])))


@calc.command(
    "average", context_settings=NUMBERS, epilog="Example: screenplug calc average --policy ebu --session 63.5 plus"
)
@click.argument("which", type=click.Choice(["plus", "average", "minus"]))
@click.option("--session", metavar="N", help="What the contestant averages on the other boards of the session.")
@click.option("--imps", "at_imps", is_flag=True, help="At IMPs, a board; the percentage otherwise.")
@POLICY
@EDITION
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
    rules, averages = _policy(tables, policy), averages_of(tables.lawbook.code(laws))
    number_of = _fraction if at_imps else _percentage
    own = number_of(session, "an average") if session is not None else None
    word = _WORDS[which]
    award = averages.imps if at_imps else averages.percent
    flat = award(word)
    found = award(word, None if at_imps and not rules.imps_follow_session else own)
    if explain:
        unit = " IMPs" if at_imps else "%"
        named = "average" if which == "average" else f"average {which}"
        cited = _law(tables, laws, which, "imps" if at_imps else "percent")
        click.echo(f"{named}: {_short(Fraction(flat))}{unit} ({cited})")
        if own is not None and which != "average":
            cited = _law(tables, laws, which, "session")
            if found != flat:
                step = f"which is {'better' if which == 'plus' else 'worse'} and takes its place ({cited})"
            elif at_imps and not rules.imps_follow_session:
                step = f"which does not count at IMPs ({_source(tables, rules, 'imps-follow-session')})"
            else:
                step = f"which changes nothing ({cited})"
            click.echo(f"own average on the other boards of the session: {_short(own)}{unit}, {step}")
    click.echo(_short(Fraction(found)))


@calc.command("butler", context_settings=NUMBERS, epilog="Example: screenplug calc butler 450 420x3 -50 -800 --drop 1")
@click.argument("scores", nargs=-1, required=True)
@click.option("--drop", metavar="N", help="Results left out at each end; as the policy has it without this.")
@click.option("--policy", default="neutral", show_default=True, metavar="ID", help="How the datum is rounded.")
@EXPLAIN
@click.pass_context
def calc_butler(ctx: click.Context, scores: tuple[str, ...], drop: str | None, policy: str, explain: bool) -> None:
    """The datum of a board, then IMPs against it: a line SCORE NS EW for each score."""
    from dataclasses import replace

    from screenplug.comparison import datum_of
    from screenplug.points import imps

    _no_options(scores)
    table = _frequencies(scores)
    tables = command_line.offered_tables(ctx)
    rules, count = _policy(tables, policy), int(sum(table.values()))
    left_out = rules.butler_dropped(count) if drop is None else _whole(drop, "a number of results", "1")
    if not 0 <= 2 * left_out < count:
        raise click.UsageError(f"{left_out} results at each end of {count} leave nothing.")
    rules = replace(rules, butler_drop=((0, left_out),), butler_drop_percent=Fraction(0))
    datum = datum_of(table, rules)
    if explain:
        every = [score for score in sorted(table) for _ in range(int(table[score]))]
        kept = every[left_out : count - left_out]
        if left_out:
            lowest, highest = every[:left_out], every[count - left_out :]
            click.echo(f"left out: {', '.join(map(str, (*lowest, *highest)))}")
        mean = Fraction(sum(kept), len(kept))
        terms = _sum(*(f"{score} x {times}" if times > 1 else score for score, times in Counter(kept).items()))
        click.echo(f"mean: ({terms}) / {len(kept)} = {_short(mean)}")
        click.echo(f"rounded ({_source(tables, rules, 'butler-round')}):")
    click.echo(f"datum {_short(Fraction(datum))}")
    for score in table:
        won = imps(score - datum)
        if explain:
            click.echo(_imp_step(score - datum))
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
    if most < 0:
        raise click.UsageError(f"--cap {cap}: 1 or more, or 0 for none.")
    if others < 1:
        raise click.UsageError("a board is compared between two results or more.")
    for score in table:
        sizes = [(imps(score - other), int(times) - (other == score)) for other, times in table.items()]
        counted = [(max(-most, min(most, size)) if most else size, times) for size, times in sizes if times]
        won = Fraction(sum(size * times for size, times in counted))
        if explain:
            terms = _sum(*(f"{size} x {times}" if times > 1 else size for size, times in counted))
            by = "Cross, the sum" if total else f"Cross2, by {others} comparisons"
            limit = f", {most} at most each" if most else ""
            click.echo(f"{score}: {terms}{limit} (Law 78B; PBN 2.1, 3.4.12, {by}):")
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
    law = "Law 12C1(e) of 2017"
    if explain:
        if due > without:
            lost = f"{_less(without, had)} = {_short(without - had)}"
            click.echo(f"its own error cost {lost}, for which there is no redress ({law})")
            click.echo(f"{_less(due, without - had)} =")
        else:
            click.echo(f"all of the damage is its own, so the result stands for it ({law}):")
    click.echo(_short(own))
    if explain:
        click.echo(f"the offending side has the complement of the whole adjusted score ({law}):")
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
