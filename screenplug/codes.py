"""The codes of everything that ``check`` tells: one table of data, what each means and what other programs make of it.

The modules that find a thing say in its text what it is and where; what holds for every thing of that kind is here.
What other programs do was seen with endplay 0.5.12, bridgebots 0.0.12 and the verifier by the author of the standard.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from . import record
from .model import Problem, Refused
from .pbn import Tape

Place = Literal["file", "record", "rulings", "scores"]


@dataclass(frozen=True, slots=True)
class Kind:
    """``about``: the form of the file, an irregularity in the record, the rulings, or the scores. ``others``: what
    other programs make of it; empty where that is no question. ``stops``: whether it keeps rulings off the game."""

    about: Place
    severity: Literal["note", "error"]
    means: str
    others: str = ""
    stops: bool = False


_FILE: dict[str, tuple[str, str]] = {
    # the file as bytes
    "bom": (
        "a UTF-8 byte order mark before the first tag",
        "endplay stops at it, bridgebots loses the first tag, the verifier gives up the first game",
    ),
    "latin-1": (
        "characters outside ASCII in ISO 8859-1, as the standard has it, or in a code page",
        "programs that read files as UTF-8 cannot open it",
    ),
    "utf-8": (
        "characters outside ASCII in UTF-8, which the standard does not know",
        "programs that keep to ISO 8859-1 show other characters, and the verifier rejects some of the bytes",
    ),
    "charset-declared": (
        "a % line says in which encoding the file is; screenplug reports it and does not go by it",
        "only programs that know that line go by it",
    ),
    "line-too-long": ("a line of more than 255 bytes", "the verifier rejects the game, endplay and bridgebots read it"),
    "mixed-line-ends": (
        "line ends of several kinds",
        "endplay and bridgebots read it, an editor that settles on one end changes the other lines",
    ),
    "export-line-ends": (
        "% EXPORT, which promises CR LF, in a file with other line ends",
        "most files are so, endplay and bridgebots read them",
    ),
    "no-newline-at-end": ("the last line has no line end", "what another program appends melts into the last line"),
    # % lines
    "tag-in-directive": (
        "a tag in a line that begins with %: it does not exist",
        "programs that skip % lines, as endplay, do not see the tag either",
    ),
    "header-repeated": (
        "the header of a file again before a later game, as in files put together from several",
        "endplay and bridgebots read it, readers that expect one header at the top may not",
    ),
    "directive-in-game": (
        "a % line inside a game: it stays with the tag before it",
        "endplay skips it and loses it on writing",
    ),
    "version-line": ("a % PBN line without a version number", "endplay and bridgebots do not look at it"),
    "event-in-directive": (
        "the event is named in a % line only, while Event is empty",
        "programs that know the line show its text, the others an empty event",
    ),
    "export-tags-missing": ("% EXPORT, and games without all 15 mandatory tags", "programs take the line for a hint"),
    # games
    "blank-lines": (
        "more than one blank line between games",
        "endplay and bridgebots read it, a reader that splits at each blank line sees empty games",
    ),
    "game-without-board": (
        "a game without Board and Deal after one that has them: cut off by a blank line, often",
        "endplay makes a board of its own of it",
    ),
    "shared-deal": (
        "the result of another table on the deal before, without Board and Deal",
        "programs that go by Board do not find it",
    ),
    "preamble-game": (
        "a first game without a board, which holds what belongs to the whole file",
        "endplay makes a board without cards of it",
    ),
    "board-again": ("several games of one Board, a game a table", "programs that go by Board alone mix them up"),
    "board-not-a-number": ("a Board that is no plain number", "endplay stops at it unless it has only a leading zero"),
    "room-empty": ("an empty Room", "programs that tell tables apart by Room take them for one"),
    # comments
    "comment-blank-line": (
        "blank lines in a comment, which end no game",
        "readers that split at blank lines, as bridgebots, cut the game in two",
    ),
    "comment-marks": (
        "a quote, bracket or semicolon in a comment, where it is text",
        "readers that look for strings or tags first lose their place",
    ),
    "comment-line": ("a comment between tags", "endplay before 0.5 stopped at it; its dump leaves it out"),
    "comment-in-section": (
        "a comment between calls or cards, which is legal",
        "endplay stops at the first one among the calls",
    ),
    "comment-after-cells": (
        "a comment after the cells of a table, where the standard has none",
        "the verifier rejects the game, and readers that look for the next tag read on into it",
    ),
    # tags
    "tag-malformed": ("no tag pair; it is left alone as it is", "endplay stops at it, bridgebots reads on"),
    "tag-order": (
        "the mandatory tags in another order than in export form; Auction before Contract, often",
        "endplay and bridgebots read it; by the standard Dealer comes before Auction, Deal and Contract before Play",
    ),
    "tag-repeated": (
        "a tag twice in a game; the first one counts",
        "endplay keeps the first as well, the verifier warns",
    ),
    "tag-recased": (
        "a tag name in other capitals, which is another name",
        "endplay and RoboBridge match names in any case, the verifier does not",
    ),
    "tag-unknown": (
        "a tag that is not in the standard",
        "the verifier leaves out the whole game on export; others skip or keep the tag",
    ),
    "blanks-in-pair": (
        "blanks inside a tag pair or behind it",
        "endplay stops at blanks inside, readers that go by a fixed pattern do not see the tag",
    ),
    "multi-line-pair": ("a tag pair over several lines", "endplay stops at it, bridgebots loses the game"),
    "pairs-on-a-line": (
        "several tags in one line",
        "bridgebots loses the game, endplay stops where one of the tags is a section",
    ),
    "data-on-tag-line": (
        "calls, cards or cells begin in the line of their tag",
        "endplay and others that begin with the next line lose them, as the opening lead",
    ),
    "escaped-quote": (
        "an escaped quote in a value",
        'endplay cuts the value at "], also where the quote is escaped',
    ),
    "lone-backslash": (
        "a backslash that escapes nothing; both characters are text",
        "endplay and the verifier keep both characters, too",
    ),
    "marks-in-value": (
        "brackets, braces or semicolons in a value, where they are text",
        "bridgebots takes brackets out, others see a comment begin",
    ),
    "no-value": (
        'a dash for a value that is unknown (?) or does not apply (""), or an empty Auction or Play',
        "endplay stops at an empty Auction, bridgebots loses the game",
    ),
    # values
    "n-for-nt": ("N for NT", "the verifier calls it a bad trump, endplay reads it"),
    "contract-spelling": (
        "a Contract in another spelling than 4S, 4SX, 4SXX or Pass",
        "the verifier rejects it, endplay stops at some",
    ),
    "result-spelling": (
        "a Result that is no plain number of tricks",
        "endplay and bridgebots stop at it or lose the game, but for numbers",
    ),
    "score-spelling": (
        "a Score tag in another form than the standard's",
        "the verifier calls it a bad number, endplay keeps it as text",
    ),
    "date-spelling": (
        "a Date in another form than YYYY.MM.DD",
        "endplay keeps it as text, other programs take days for months",
    ),
    "vulnerable-spelling": (
        "Vulnerable in another spelling than None, NS, EW or All",
        "endplay stops at N-S",
    ),
    "scoring-unknown": (
        "a word in Scoring that the standard does not name",
        "the verifier only remarks on it, endplay keeps it as text",
    ),
    "deal-first-seat": (
        "a Deal that does not begin with the dealer, legal but for export",
        "endplay and bridgebots read it",
    ),
    "deal-unreadable": (
        "a Deal that is not seat, colon and up to four hands of four suits",
        "endplay stops at some, bridgebots loses the board",
    ),
    "deal-ten": ("10 for T in a Deal", "endplay stops at it, bridgebots loses the board"),
    "deal-hidden": ("a Deal that leaves hands out (-)", "endplay reads it, bridgebots stops"),
    "deal-empty": (
        "a Deal without a single card, as in files of auctions",
        "endplay reads it, bridgebots stops, solvers skip it",
    ),
    "optimum-spelling": (
        "an OptimumScore with contracts in it, or DoubleDummyTricks without tricks",
        "endplay and bridgebots leave it as text",
    ),
    # calls and cards
    "call-spelling": ("a call in short or in other capitals: P, PASS, 1s", "endplay and bridgebots read it"),
    "call-unknown": ("a call that is none, as AC for any call", "endplay stops at it"),
    "alert-star": (
        "a star glued to a call for an alert; by the rules * ends the auction",
        "a program that goes by the rules takes the auction for over there",
    ),
    "card-case": (
        "a card in small letters, which means something to its writer (the leader of a trick)",
        "endplay and bridgebots read it",
    ),
    "card-unknown": ("a card that is none", "endplay stops at it"),
    "play-placeholder": ("-- for no card, or tricks of dashes alone", "endplay stops at --"),
    "play-not-recorded": (
        "a Play without a card",
        "endplay and bridgebots read a lone star, and choke on some that are empty",
    ),
    "columns-by-blanks": (
        "seats skipped by blanks instead of -, so that nobody can tell whose card it is",
        "endplay stops at it, a program that counts the words gives the card to another seat",
    ),
    "auction-unfinished": ("an auction that does not end with its passes, AP, * or +", "most programs read it"),
    "tabs": ("tabs between calls, cards or cells", "endplay and bridgebots read them"),
    "note-missing": ("a reference to a Note that is not there", "the verifier calls it an error; others show nothing"),
    "note-unused": ("a Note that nothing refers to", "the verifier warns"),
    "note-number": (
        "a Note without a number from 1 to 32",
        "endplay stops where the number is missing, bridgebots loses the game, the verifier rejects it",
    ),
    "note-misplaced": (
        "a Note behind another section than its own",
        "endplay keeps one list of notes for the whole file, so it may show another board's",
    ),
    "irregularity-mark": (
        "a mark of PBN for an irregularity, or ^ before a declarer or a result",
        "endplay stops at it, bridgebots loses the game where Declarer or Result has one",
    ),
    # tables
    "table-header": (
        "a table header that does not name its columns; the rows are left alone",
        "endplay stops at it, the verifier accepts an empty one",
    ),
    "table-header-blanks": (
        "blanks instead of semicolons in a table header: by the rules one column",
        "endplay and bridgebots read it as it is",
    ),
    "table-in-value": (
        "a whole table in the value of its tag, with \\n and \\t",
        "endplay and bridgebots leave it as text",
    ),
    "table-cells": ("cells that do not fill whole rows", "endplay and bridgebots read on, with the rows shifted"),
    "quoted-number": ("a number in quotes in a table", "programs that look for a bare number do not find it"),
    "artificial-cell": (
        "an artificial score in a table: A+, AVE-, ^60",
        "the verifier rejects the game where the column is ordered",
    ),
    "bare-names": (
        "names in a table without quotes",
        "readers that count words shift the row where a name has a blank",
    ),
    "column-unknown": (
        "a column that the standard does not name",
        "readers that go by widths may take it for the next column",
    ),
    "cell-wider": (
        "a cell wider than its column, which the standard allows",
        "RoboBridge and others that cut by widths shift the rest of the row",
    ),
    "cell-garbage": ("a number of tricks that cannot be, as -9752", "endplay keeps it as text"),
    "word-for-score": ("PASS for a score of 0 in a table", "programs that look for a number do not find it"),
    "rows-after-tag": (
        "rows behind a tag that has none: a tag was put between a section and its rows, or a private section",
        "endplay stops at them unless the name ends in Table; programs take the rows for this tag's",
    ),
    "text-outside-game": ("text that belongs to no game; it is left alone", "endplay stops at it"),
}
_STOPS: dict[str, tuple[str, str]] = {
    "refused": (
        "a file that cannot be read as PBN: UTF-16, NUL bytes, or no PBN at all; save it as plain text",
        "no program known reads it as PBN",
    ),
    "comment-unclosed": ("a comment that never ends", "programs lose everything after it"),
    "string-unclosed": ("a string in a section that never ends", "programs differ in where they go on"),
    "tag-unclosed": ("a tag that never ends", "programs differ in where they go on"),
    "board-repeated": (
        "two boards in one game; put a blank line before the second",
        "programs that split at Board see two games, the others one",
    ),
    "not-attached": ("a ruling that could not be attached to its board", ""),
}
_RECORD: dict[str, str] = {
    "insufficient-bid": "a bid that is not higher than the last one, marked ^I or not (Law 27)",
    "call-out-of-rotation": "a call out of rotation, marked ^S or not, or a wrong Dealer (Laws 28-32)",
    "inadmissible-double": "a double or redouble that the auction does not allow (Law 36)",
    "bid-above-seven": "a bid of more than seven (Law 38)",
    "call-after-final-pass": "a call after the auction was over (Law 39)",
    "wrong-number-of-cards": "a deal in which a hand has not 13 cards, or a card is there twice (Laws 1 and 13)",
    "card-not-held": "a card played by a hand that the deal does not give it to, or twice",
    "revoke": "a player did not follow suit although he could, marked ^R or not (Laws 61-64)",
    "opening-lead-out-of-turn": "an opening lead by the wrong hand, marked ^L or not (Law 54)",
    "lead-out-of-turn": "a later lead by the wrong hand, marked ^L or not (Laws 53, 55 and 56)",
    "declarer-swapped": "a Declarer marked ^: declarer and dummy were swapped at the table",
    "declarer-against-auction": "a Declarer or Contract that is not what the auction came to",
    "result-marked": "a Result marked ^: the number agreed on is not the number of tricks won (Law 79)",
    "result-against-play": "a Result that is not the number of tricks in the Play (Law 79)",
    "mark-without-cause": "a mark (^I ^S ^R ^L ^) on what is in order",
}
_RULINGS: dict[str, tuple[Literal["note", "error"], str]] = {
    "record": ("error", "a record of a ruling in the file that cannot be read"),
    "syntax": ("error", "a rulings file that is no TOML"),
    "not-utf-8": ("error", "a rulings file that is not UTF-8"),
    "format": ("error", "a rulings file whose format is no number"),
    "format-missing": ("note", "a rulings file that does not say its format"),
    "format-newer": ("error", "a rulings file for a newer screenplug"),
    "prefix": ("error", "an id without the prefix of its file"),
    "id": ("error", "an entry whose id cannot be used"),
    "id-twice": ("error", "an id that two entries have"),
    "key-unknown": ("error", "a key that rulings files do not have"),
    "key-missing": ("error", "a key that an entry needs"),
    "key-empty": ("error", "a key without a value"),
    "wrong-type": ("error", "a value of another type than the key takes"),
    "word-unknown": ("error", "a word that the key does not know"),
    "time": ("error", "a time that is none"),
    "score": ("error", "a score that cannot be read, or weights that are not 1"),
    "table": ("error", "a table result that cannot be read"),
    "without-error": ("error", "a result without the side's own error that cannot stand"),
    "results": ("error", "a list of results that names none"),
    "no-board": ("error", "a ruling that names no result and no board"),
    "score-without-board": ("error", "a score without the result that it is for"),
    "ground": ("error", "a ground that cannot stand"),
    "ground-open": ("note", "a ground for which the tables need one more fact"),
    "ground-gap": ("note", "a ground on which the regulation is silent"),
    "ground-conflict": ("note", "a ground on which the texts differ"),
    "regulations": ("error", "regulations or an edition that cannot be used"),
    "edition": ("note", "an edition of the Laws that was not in force on the day, or may not have been"),
    "amount": ("error", "the amount of a penalty that cannot be read"),
    "groups": ("error", "groups of a fouled board that cannot stand"),
    "contest": ("error", "rulings files that differ about the contest"),
    "supersedes-unknown": ("error", "an entry that supersedes one that is not there"),
    "supersedes-kind": ("error", "an entry that supersedes one of another kind"),
    "supersedes-circle": ("error", "entries that supersede each other in a circle"),
    "superseded-twice": ("error", "two entries that supersede one"),
    "scored-twice": ("error", "two rulings in force that score one result"),
    "found-twice": ("error", "a ruling that fits several results"),
    "waiting": ("note", "a ruling on a result that is not in the file yet"),
    "award": ("error", "an award that the edition or the ruling's own grounds do not allow"),
    "award-doubtful": ("note", "an award that may not be allowed"),
    "adjusted": ("note", "a score was adjusted although the ruling's own grounds give none"),
    "not-adjusted": ("note", "no score was adjusted although the ruling's own grounds ask for it"),
    "table-changed": ("note", "a ruling on another table result than the file has"),
    "policies-differ": ("note", "rulings that name several scoring policies"),
}
_SCORES: dict[str, tuple[Literal["note", "error"], str]] = {
    "scoring-missing": ("note", "no Scoring tag; the columns tell the method"),
    "scoring-unserved": ("error", "a Scoring that no method serves"),
    "result-missing": ("note", "a result that is not given"),
    "result-late": ("note", "a result that comes later"),
    "contract-unread": ("note", "a contract that cannot be read beside a score that counts"),
    "vulnerability-unknown": ("error", "a result that cannot be scored without the vulnerability"),
    "score-contradicts-contract": ("error", "a score that is not what the contract is worth (Law 77)"),
    "score-unknown": ("note", "a result that cannot be compared"),
    "artificial-unclear": ("note", "an artificial score that can be read in two ways"),
    "method-failed": ("error", "a scoring method of a plugin that failed"),
    "rooms-unclear": ("error", "rooms or tables that cannot be told apart"),
    "pair-twice": ("error", "a pair with two results on a board"),
    "contestant-unknown": ("note", "results that name no contestant"),
    "fouled-twice": ("error", "a fouled board that cannot be divided"),
    "fouled-unknown": ("error", "a fouled board that is not in the file"),
    "fouled-match": ("note", "a fouled board in a match"),
    "fouled-incomplete": ("note", "a fouled board of which results are in no group"),
    "penalty-contestant": ("error", "a penalty for a contestant who is not there"),
    "penalty-match": ("error", "a penalty that does not say in which match"),
    "penalty-session": ("error", "a penalty for a session that cannot be told"),
    "penalty-vp": ("note", "a penalty in victory points without a scale"),
    "penalty-unit": ("error", "a penalty in a unit that the totals do not have"),
    "scale-missing": ("error", "a match that the scale of victory points does not have"),
    "scale-unknown": ("error", "a scale of victory points that is not known"),
    "carry-over": ("error", "a carry-over that cannot be used"),
    "standings-unknown": ("note", "printed standings that cannot be compared"),
    "standings-earlier": ("note", "printed standings in an earlier game, which are not compared"),
    "standings-part": ("note", "printed standings of which only a part can be compared"),
}

KINDS: Mapping[str, Kind] = MappingProxyType(
    {code: Kind("file", "error", means, others, stops=True) for code, (means, others) in _STOPS.items()}
    | {
        code: Kind("file", "error" if code == "table-cells" else "note", means, others)
        for code, (means, others) in _FILE.items()
    }
    | {code: Kind("record", "note", means) for code, means in _RECORD.items()}
    | {code: Kind("rulings", severity, means) for code, (severity, means) in _RULINGS.items()}
    | {code: Kind("scores", severity, means) for code, (severity, means) in _SCORES.items()}
)


def chosen(words: Iterable[str]) -> frozenset[str]:
    """The codes that somebody named, several in one word parted by commas. Raises Refused for one that is unknown."""
    found = [code for word in words for code in (part.strip() for part in word.split(",")) if code]
    for code in found:
        if code not in KINDS:
            near = difflib.get_close_matches(code, KINDS, 3)
            remedy = f"Did you mean {' or '.join(near)}?" if near else "screenplug check --codes lists them all"
            raise Refused(f"there is no code {code!r}", remedy=remedy)
    return frozenset(found)


def need_scores(select: frozenset[str], ignore: frozenset[str]) -> bool:
    """Whether these codes ask for anything that only scoring finds."""
    return any(KINDS[code].about == "scores" for code in (select or KINDS.keys()) - ignore)


def kept(problems: Sequence[Problem], select: frozenset[str], ignore: frozenset[str]) -> list[Problem]:
    """The problems of the selected codes (all, when none is selected) without the ignored ones."""
    return [each for each in problems if each.code not in ignore and (not select or each.code in select)]


def summed(problems: Iterable[Problem], every: bool) -> list[tuple[Problem, int]]:
    """Each problem with how many more of its sort there are: of a note about the form of the file only the first one
    stays, unless ``every`` one is asked for."""
    found: list[list[Any]] = []
    firsts: dict[str, int] = {}
    for problem in problems:
        kind = KINDS.get(problem.code)
        short = not every and kind and kind.about == "file" and problem.severity == "note"
        at = firsts.setdefault(problem.code, len(found)) if short else len(found)
        if at < len(found):
            found[at][1] += 1
        else:
            found.append([problem, 0])
    return [(problem, more) for problem, more in found]


def blocked(tape: Tape) -> frozenset[int]:
    """The games to which no record can be attached."""
    if record.HEADER not in tape.data:
        return frozenset(game.number for game in tape.games if game.refusal)
    return frozenset(game.number for game in tape.games if record.obstacle(tape, game))


def about(problem: Problem, left_alone: frozenset[int]) -> dict[str, Any]:
    """What the table says of the problem: what other programs make of it, and whether a record can be attached to its
    game, or to all games; nothing where that is no question. ``left_alone`` are the ``blocked`` games."""
    kind = KINDS.get(problem.code)
    if not kind or kind.about not in ("file", "record"):
        return {}
    annotate = problem.game not in left_alone if problem.game else not left_alone
    return {**({"others": kind.others} if kind.others else {}), "annotate": annotate}


def explained(problem: Problem, left_alone: frozenset[int], more: int = 0) -> Problem:
    """The problem with a sentence for people: what, in which game, what other programs make of it, whether screenplug
    can annotate the game."""
    text = f"game {problem.game}: {problem.text}" if problem.game and problem.line else problem.text
    said = about(problem, left_alone)
    if others := said.get("others"):
        what = "the game" if problem.game else "the file"
        text += f"; {others}; screenplug {'can' if said['annotate'] else 'cannot'} annotate {what}"
    if more:
        text += f" ({more} more)"
    return replace(problem, text=f"{text} [{problem.code}]")


def to_json(code: str) -> dict[str, Any]:
    """One entry of ``check --codes --json``."""
    kind = KINDS[code]
    found = {"code": code, "about": kind.about, "severity": kind.severity, "means": kind.means}
    return found | ({"others": kind.others, "annotate": not kind.stops} if kind.about == "file" else {})


def lines(code: str) -> Iterator[str]:
    """A code for a person."""
    kind = KINDS[code]
    yield f"{code} ({kind.severity}, {kind.about}): {kind.means}"
    if kind.about == "file":
        can = "cannot annotate such a game" if kind.stops else "can annotate such a game"
        yield f"    {kind.others}; screenplug {can}" if kind.others else f"    screenplug {can}"
