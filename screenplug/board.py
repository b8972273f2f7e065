"""What one game shows of its board: the four hands, and the auction call by call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .model import SEATS, Game
from .pbn import Tape, section_words

SUITS = "SHDC"
_RANKS = "AKQJT98765432"
_TOKEN = re.compile(r"\^[A-Za-z]|=\d{1,2}=|\$\d{1,3}|[A-Za-z0-9]+|[-*+!?]")
_BID = re.compile(r"[1-9](?:[CDHS]|NT?)")
_STRAINS = ("C", "D", "H", "S", "N")
_WORDS = {"PASS": "Pass", "P": "Pass", "X": "X", "XX": "XX"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``irregular`` says in the law tables' words what is wrong with it, or is empty; ``note`` is the text of
    its Note tag; ``passed_over`` are seats that were skipped before it (``^S``)."""

    seat: str
    text: str
    irregular: str = ""
    note: str = ""
    passed_over: tuple[str, ...] = ()


def hands(game: Game) -> Mapping[str, tuple[str, str, str, str]] | None:
    """The hands of the Deal tag by seat, each as spades, hearts, diamonds, clubs; a hand not given is missing.

    None when there is no deal that can be read. How many cards a hand has is not looked at.
    """
    first, colon, text = (game.value("Deal") or "").strip().partition(":")
    start = SEATS.index(first.upper()) if colon and first.upper() in SEATS else -1
    holdings = text.split()
    if start < 0 or not 1 <= len(holdings) <= 4:
        return None
    found: dict[str, tuple[str, str, str, str]] = {}
    for number, hand in enumerate(holdings):
        if hand == "-":
            continue
        suits = hand.upper().replace("10", "T").split(".")
        if len(suits) != 4 or set("".join(suits)) - set(_RANKS):
            return None
        spades, hearts, diamonds, clubs = ("".join(sorted(suit, key=_RANKS.index)) for suit in suits)
        found[SEATS[(start + number) % 4]] = (spades, hearts, diamonds, clubs)
    return found or None


def calls(tape: Tape, game: Game) -> tuple[Call, ...]:
    """The calls of the Auction section; empty when it does not say who dealt.

    ``AP`` and three closing passes are the same. A bid that is not higher is an insufficient-bid, marked ``^I`` or not;
    a call after a seat that was skipped is a call-out-of-rotation.
    """
    auction = game.tag("Auction")
    dealer = (auction.value if auction else "").strip().upper()
    if auction is None or dealer not in SEATS:
        return ()
    notes = dict(_notes(game))
    found: list[Call] = []
    turn, above = SEATS.index(dealer), -1
    over: list[str] = []
    for token in _tokens(tape, game):
        word = token.upper()
        seat = SEATS[turn % 4]
        if word == "^S":
            over.append(seat)
            turn += 1
        elif found and token[0] == "=":
            last = found[-1]
            found[-1] = Call(last.seat, last.text, last.irregular, notes.get(token.strip("="), ""), last.passed_over)
        elif word == "AP":
            for _ in range(3 if any(call.text != "Pass" for call in found) else 4 - len(found)):
                found.append(Call(SEATS[turn % 4], "Pass"))
                turn += 1
        elif _BID.fullmatch(word) or word in _WORDS:
            irregular = "call-out-of-rotation" if over else ""
            if _BID.fullmatch(word):
                rank = 5 * int(word[0]) + _STRAINS.index(word[1])
                if not irregular and word[0] in "89":
                    irregular = "bid-above-seven"
                elif not irregular and rank <= above:
                    irregular = "insufficient-bid"
                above = rank
            text = _WORDS.get(word, word if word.endswith("T") or word[1:] != "N" else f"{word}T")
            found.append(Call(seat, text, irregular, "", tuple(over)))
            over = []
            turn += 1
        elif word == "-":
            turn += 1
    return tuple(found)


def irregular_call(tape: Tape, game: Game) -> tuple[str, str, str] | None:
    """The first irregular call of the auction as (kind, seat, words), with the kind in the law tables' words."""
    above = ""
    for call in calls(tape, game):
        if call.irregular == "insufficient-bid":
            return call.irregular, call.seat, f"{call.text} over {above}"
        if call.irregular:
            words = "out of turn" if call.irregular == "call-out-of-rotation" else "is above seven"
            return call.irregular, call.seat, f"{call.text} {words}"
        above = call.text if call.text[0].isdigit() else above
    return None


def _tokens(tape: Tape, game: Game) -> Iterator[str]:
    for word in section_words(tape, game, "Auction"):
        yield from _TOKEN.findall(word)


def _notes(game: Game) -> Iterator[tuple[str, str]]:
    """The Note tags that go with the Auction, by number."""
    inside = False
    for tag in game.tags:
        if tag.name == "Auction":
            inside = True
        elif tag.name != "Note":
            inside = False
        elif inside:
            number, colon, text = tag.value.partition(":")
            if colon:
                yield number.strip(), text.strip()
