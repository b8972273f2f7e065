"""The irregularities that the record of a game shows: its auction and play replayed against the deal.

Both what PBN marks (``^I ^S ^R ^L``, ``^`` before a declarer or a result, PBN 2.1, 3.9) and what nobody marked. Each
comes with the decision to ask and the facts that the record shows; what it does not show is left out, never guessed:
a call that follows does not show whether it was made before or after somebody drew attention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from . import board, pbn
from .model import EMPTY, SEATS, Game, Ground, Problem, Tag, without_cycle_collector

_NAMES = {"N": "North", "E": "East", "S": "South", "W": "West"}
_STRAINS = ("C", "D", "H", "S", "NT")
_BIDS = {f"{level}{strain}": 5 * level + rank for level in range(1, 10) for rank, strain in enumerate(_STRAINS)}
_BIDS |= {f"{level}N": 5 * level + 4 for level in range(1, 10)}
_WORDS = {
    "PASS": "Pass",
    "P": "Pass",
    "X": "X",
    "XX": "XX",
    "AP": "AP",
    "-": "-",
    "*": "*",
    "+": "+",
    "^I": "^I",
    "^S": "^S",
}
_WORDS |= {word: word.removesuffix("T") for word in _BIDS}
_TOKEN = re.compile(r"\^\w|=\d*=|\$\d+|[!?]{1,2}|[A-Za-z0-9-]+|.")
_RANKS = "23456789TJQKA"
_CARD = re.compile(r"[SHDC][AKQJT2-9]")
_CONTRACT = re.compile(r"([1-7])(C|D|H|S|NT?)(X{0,2})", re.IGNORECASE)
_LAW = re.compile(r"\d+")
_SUIT = frozenset("AKQJT98765432")

# For each code: the decision that settles it, if the law tables have one, and the Laws that a finding in words cites.
_SETTLED: Mapping[str, tuple[frozenset[str], range]] = {
    **dict.fromkeys(
        ("insufficient-bid", "call-out-of-rotation", "inadmissible-double", "bid-above-seven", "call-after-final-pass"),
        (frozenset({"auction-irregularity", "rectification", "change-of-call"}), range(25, 40)),
    ),
    "wrong-number-of-cards": (frozenset({"wrong-number-of-cards"}), range(1, 15)),
    "card-not-held": (frozenset({"wrong-number-of-cards"}), range(1, 68)),
    "revoke": (frozenset(), range(61, 65)),
    "opening-lead-out-of-turn": (frozenset({"opening-lead-out-of-turn", "lead-out-of-turn-choice"}), range(41, 57)),
    "lead-out-of-turn": (frozenset({"lead-out-of-turn-choice"}), range(53, 57)),
    "declarer-swapped": (frozenset({"opening-lead-out-of-turn", "lead-out-of-turn-choice"}), range(41, 57)),
    "declarer-against-auction": (frozenset(), range(41, 80)),
    "result-marked": (frozenset(), range(61, 80)),
    "result-against-play": (frozenset(), range(61, 80)),
}


# What somebody has to rule on: also what scoring finds of that sort. Not a mark in the wrong place.
WORTH_A_RULING = frozenset({*_SETTLED, "score-contradicts-contract"})


@dataclass(frozen=True, slots=True)
class Irregularity:
    """One thing that the record shows. ``decision`` is the one to ask, or empty when no table decides it; ``facts``
    are those that the record shows."""

    problem: Problem
    decision: str = ""
    facts: Mapping[str, str] = field(default_factory=lambda: EMPTY)

    def ruled_by(self, grounds: Iterable[Ground]) -> bool:
        """Whether one of these grounds of a ruling on the board is about it."""
        return any(_fits(self.problem.code, self.facts, ground) for ground in grounds)


def _fits(code: str, facts: Mapping[str, str], ground: Ground) -> bool:
    decisions, laws = _SETTLED.get(code, (frozenset(), range(0)))
    if ground.decision:
        kind = ground.facts.get("kind")
        return ground.decision in decisions and kind in (None, facts.get("kind", kind))
    return any(int(number) in laws for text in ground.laws for number in _LAW.findall(text))


def find(tape: pbn.Tape) -> tuple[Irregularity, ...]:
    """Everything irregular in the record of every game, in the order of the file."""
    with without_cycle_collector():
        return tuple(each for game in tape.games for each in _game(tape, game))


def _game(tape: pbn.Tape, game: Game) -> Iterator[Irregularity]:
    tags = {tag.name: tag for tag in reversed(game.tags)}  # the first of each name

    def found(code: str, text: str, offset: int, decision: str = "", **facts: str) -> Irregularity:
        problem = pbn.problem_at("note", code, text, tape.line_starts, offset, game.number)
        return Irregularity(problem, decision, facts)

    auction, deal, play = tags.get("Auction"), tags.get("Deal"), tags.get("Play")
    record = _NO_AUCTION
    if auction:
        dealer = tags["Dealer"].value.strip().upper() if "Dealer" in tags else game.value("Dealer") or ""
        raw = tape.data[auction.end : auction.data_end]
        record = _auction(_bare(tape, auction, raw), auction.value.strip().upper(), dealer)
        for call in record.odd:
            facts = {"kind": call.code, "offender": call.seat} if call.code in _SETTLED else {}
            decision = "auction-irregularity" if facts else ""
            yield found(call.code, call.text, auction.end + call.offset, decision, **facts)
    if deal and not _full(deal.value):
        for text, seat in _cards_wrong(game):
            facts = {"call-made-on-it": "yes"} if seat in record.callers else {}
            yield found("wrong-number-of-cards", text, deal.start, "wrong-number-of-cards", **facts)
    declarer = tags.get("Declarer")
    if declarer and declarer.value.startswith("^"):
        text = f"Declarer {declarer.value}: declarer and dummy were swapped"
        yield found("declarer-swapped", text, declarer.start)
    contract = tags.get("Contract")
    if record.contract and contract and declarer:
        for code, text, of_contract in _against_auction(record, contract.value.strip(), declarer.value.strip().upper()):
            yield found(code, text, contract.start if of_contract else declarer.start)
    result = tags.get("Result")
    won: int | None = None
    if play and contract and declarer:
        for odd in _play(tape, game, play, contract.value.strip().upper(), declarer.value.strip().lstrip("^").upper()):
            if isinstance(odd, int):
                won = odd
            else:
                yield found(odd.code, odd.text, odd.offset, odd.code if odd.code.startswith("opening") else "")
    if result and declarer and (won is not None or result.value.strip().startswith("^")):
        yield from (found(*odd) for odd in _result(result, declarer.value.strip().lstrip("^").upper(), won))


def _bare(tape: pbn.Tape, tag: Tag, raw: bytes) -> bytes:
    """The section with blanks for its comments, strings and % lines."""
    if not (b"{" in raw or b";" in raw or b"%" in raw or b'"' in raw or b"[" in raw):
        return raw
    return pbn.blanked(tape.data, tag)


# ------------------------------------------------------------------------------------------------------- the auction


@dataclass(frozen=True, slots=True)
class _Odd:
    code: str
    text: str
    offset: int
    seat: str = ""


@dataclass(frozen=True, slots=True)
class _Record:
    """What an auction shows: what is irregular, who called, and what it came to (empty while it is not clear)."""

    odd: tuple[_Odd, ...] = ()
    callers: frozenset[str] = frozenset()
    contract: str = ""
    declarer: str = ""


_NO_AUCTION = _Record()


class _Auction:
    """The state of an auction while it is replayed by Laws 17-22, with what breaks them."""

    def __init__(self) -> None:
        self.odd: list[_Odd] = []
        self.callers: set[str] = set()
        self.bid, self.rank, self.bidder, self.doubled, self.passes = "", 0, -1, 0, 0
        self.calls = 0
        self.firsts: dict[tuple[int, str], int] = {}

    def over(self) -> bool:
        return self.passes >= (3 if self.bid else 4)

    def call(self, text: str, turn: int, offset: int, marked: bool) -> None:
        seat = SEATS[turn % 4]
        name = _NAMES[seat]
        self.callers.add(seat)
        if self.over():
            self.odd.append(_Odd("call-after-final-pass", f"{text} by {name} after the auction was over", offset, seat))
            return
        self.calls += 1
        if text == "Pass":
            self.passes += 1
            return
        if text in ("X", "XX"):
            self.double(text, turn, offset)
            self.passes = 0
            return
        self.passes = 0
        rank = _BIDS[text]
        shown = f"{text}T" if text.endswith("N") else text
        if text[0] in "89":
            self.odd.append(_Odd("bid-above-seven", f"{shown} by {name} is a bid of more than seven", offset, seat))
            return
        if self.bid and rank <= self.rank:
            how = "is insufficient and marked ^I" if marked else "is insufficient and not marked ^I"
            self.odd.append(_Odd("insufficient-bid", f"{shown} over {self.shown()} {how}", offset, seat))
        elif marked:
            self.odd.append(_Odd("mark-without-cause", f"{shown} is marked ^I and is sufficient", offset, seat))
        self.bid, self.rank, self.bidder, self.doubled = text, rank, turn % 4, 0
        self.firsts.setdefault((turn % 2, text[1:]), turn % 4)

    def shown(self) -> str:
        return f"{self.bid}T" if self.bid.endswith("N") else self.bid

    def double(self, text: str, turn: int, offset: int) -> None:
        seat = SEATS[turn % 4]
        opponents = self.bid and (turn - self.bidder) % 2
        right = opponents and not self.doubled if text == "X" else self.bid and not opponents and self.doubled == 1
        if right:
            self.doubled += 1
            return
        word = "a double" if text == "X" else "a redouble"
        if not self.bid:
            why = "nobody has bid"
        elif text == "X":
            why = "the bid is the own side's" if not opponents else "it is doubled already"
        else:
            why = "it is redoubled already" if self.doubled == 2 else "the opponents have not doubled"
        self.odd.append(_Odd("inadmissible-double", f"{word} by {_NAMES[seat]}, but {why}", offset, seat))


@lru_cache(maxsize=16384)
def _auction(bare: bytes, first: str, dealer: str) -> _Record:
    """Replay an auction that begins in the column of ``first``. It stops at a call that nobody can read."""
    if first not in SEATS:
        return _NO_AUCTION
    turn = SEATS.index(first)
    state = _Auction()
    skipped: list[tuple[int, str]] = []  # turns passed over since the last call: place, and ^S or -
    marked, complete = False, False
    for word, offset in _words(bare):
        if word == "^I":
            marked = True
            continue
        if word == "^S" or (word == "-" and (state.calls or skipped)):
            skipped.append((offset, word))
            turn += 1
        elif word == "-":
            turn += 1
        elif word in ("*", "+"):
            complete = word == "*"
            break
        elif word == "AP":
            for _ in range((3 if state.bid else 4) - state.passes):
                state.call("Pass", turn, offset, marked=False)
                turn += 1
        elif word == "":
            return _Record(tuple(state.odd), frozenset(state.callers))
        else:
            seat = SEATS[turn % 4]
            name = _NAMES[seat]
            if skipped:
                over = ", ".join(_NAMES[SEATS[(turn - len(skipped) + at) % 4]] for at in range(len(skipped)))
                how = "marked ^S" if any(mark == "^S" for _, mark in skipped) else "not marked ^S"
                text = f"{name} called although it was {over}'s turn, {how}"
                state.odd.append(_Odd("call-out-of-rotation", text, offset, seat))
                skipped = []
            elif not state.calls and dealer in SEATS and seat != dealer and not state.odd:
                text = f"{name} called first, but the dealer is {_NAMES[dealer]}: out of rotation, or Dealer is wrong"
                state.odd.append(_Odd("call-out-of-rotation", text, offset, seat))
            state.call(word, turn, offset, marked)
            turn += 1
        marked = False
    if not (state.over() and state.bid) or complete:
        return _Record(tuple(state.odd), frozenset(state.callers))
    strain = state.bid[1:]
    declarer = SEATS[state.firsts[state.bidder % 2, strain]]
    contract = f"{state.bid}{'T' if strain == 'N' else ''}{'X' * state.doubled}"
    return _Record(tuple(state.odd), frozenset(state.callers), contract, declarer)


def _words(bare: bytes) -> Iterator[tuple[str, int]]:
    """The calls and marks in one spelling with their places; an empty word for what is none of them."""
    text = bare.decode("latin-1")
    for piece in re.finditer(r"[^\s\x1a]+", text):
        word = _WORDS.get(piece[0].upper())
        if word is not None:
            yield word, piece.start()
            continue
        tokens = list(_TOKEN.finditer(piece[0]))
        for number, token in enumerate(tokens):
            if token[0][0] in "=$!?":
                continue
            if token[0] == "*" and number:  # an alert star on the call before it
                continue
            yield _WORDS.get(token[0].upper(), ""), piece.start() + token.start()


@lru_cache(maxsize=4096)
def _against_auction(record: _Record, contract: str, declarer: str) -> tuple[tuple[str, str, bool], ...]:
    """A Declarer or a Contract that the auction does not lead to: code, text, and whether it is about the Contract."""
    if any(odd.code != "call-out-of-rotation" for odd in record.odd):
        return ()  # it is for the Director what the auction came to
    found = []
    if match := _CONTRACT.fullmatch(contract):
        said = f"{match[1]}{match[2].upper().replace('NT', 'N').replace('N', 'NT')}{match[3].upper()}"
        if said != record.contract:
            text = f"Contract {contract}, but the auction came to {record.contract}"
            found.append(("declarer-against-auction", text, True))
    seat, expected = declarer.removeprefix("^"), record.declarer
    partner = SEATS[(SEATS.index(expected) + 2) % 4]
    if declarer.startswith("^"):
        if seat in SEATS and seat != partner:
            text = f"Declarer {declarer} is marked, but the auction makes {_NAMES[expected]} declarer"
            found.append(("mark-without-cause", text, False))
    elif seat in SEATS and seat != expected:
        text = f"Declarer {declarer}, but the auction makes {_NAMES[expected]} declarer of {record.contract}"
        found.append(("declarer-against-auction", text, False))
    return tuple(found)


# ------------------------------------------------------------------------------------------------ the deal and the play


def _full(value: str) -> bool:
    """Whether a deal is four hands of thirteen cards, all different; the quick way."""
    hands = [hand.split(".") for hand in value[2:].split(" ") if len(hand) == 16]
    if [len(hand) for hand in hands] != [4, 4, 4, 4]:
        return False
    a, b, c, d = hands
    return all(set(a[suit] + b[suit] + c[suit] + d[suit]) == _SUIT for suit in range(4))


def _cards_wrong(game: Game) -> Iterator[tuple[str, str]]:
    """What is wrong with the cards of a deal that can be read: text and seat. An end position has short hands."""
    hands = board.hands(game)
    if not hands:
        return
    sizes = {seat: sum(map(len, suits)) for seat, suits in hands.items()}
    end_position = len(set(sizes.values())) == 1 and max(sizes.values()) < 13
    bare_contract = (game.value("Contract") or "").strip().upper() in ("S", "H", "D", "C", "NT")
    if not (end_position and (bare_contract or not max(sizes.values()))):
        for seat, size in sizes.items():
            if size != 13:
                yield f"{_NAMES[seat]} has {size} cards", seat
    holders: dict[str, list[str]] = {}
    for seat, suits in hands.items():
        for suit, ranks in zip(board.SUITS, suits, strict=True):
            for rank in ranks:
                holders.setdefault(suit + rank, []).append(_NAMES[seat])
    for card, names in holders.items():
        if len(names) > 1:
            yield f"{card} is there {len(names)} times: {', '.join(names)}", ""


def _play(tape: pbn.Tape, game: Game, play: Tag, contract: str, declarer: str) -> Iterator[_Odd | int]:
    """Replay the tricks; at the end the tricks that declarer won, when all of them were played."""
    first = play.value.strip().upper()
    match = re.fullmatch(r"[1-7]?(NT?|[SHDC])X{0,2}", contract)
    if first not in SEATS or declarer not in SEATS or not match:
        return
    cells = _tricks(_bare(tape, play, tape.data[play.end : play.data_end]))
    if not cells:
        return
    hands = board.hands(game) or {}
    held = {
        seat: {suit + rank for suit, ranks in zip(board.SUITS, suits, strict=True) for rank in ranks}
        for seat, suits in hands.items()
    }
    size = len(next(iter(held.values()), ())) or 13
    trumps = match[1][0] if match[1] in ("S", "H", "D", "C") else ""
    end_position = contract in ("S", "H", "D", "C", "NT", "N")
    leader = SEATS.index(first) if end_position else (SEATS.index(declarer) + 1) % 4
    column = SEATS.index(first)
    declaring = won = 0
    for number in range(0, len(cells), 4):
        row = {(column + at) % 4: cell for at, cell in enumerate(cells[number : number + 4])}
        led = next((seat for seat, (card, mark, _) in row.items() if card and mark == "L"), None)
        if led is not None and led == leader:
            text = f"{_NAMES[SEATS[led]]}'s lead is marked ^L and was in turn"
            yield _Odd("mark-without-cause", text, play.end + row[led][2])
        elif led is not None:
            code = "lead-out-of-turn" if number else "opening-lead-out-of-turn"
            text = f"{_NAMES[SEATS[led]]} led out of turn, marked ^L; it was {_NAMES[SEATS[leader]]}'s turn"
            yield _Odd(code, text, play.end + row[led][2], SEATS[led])
            leader = led
        elif (
            not number
            and (row.get(leader) or ("", "", 0))[0] == ""
            and len([1 for cell in row.values() if cell[0]]) == 1
        ):
            seat = next(seat for seat, cell in row.items() if cell[0])
            text = f"{_NAMES[SEATS[seat]]} led, not marked ^L, but the lead was {_NAMES[SEATS[leader]]}'s"
            yield _Odd("opening-lead-out-of-turn", text, play.end + row[seat][2], SEATS[seat])
            return
        if not row.get(leader) or not row[leader][0]:
            return  # nobody can tell what was led
        suit = row[leader][0][0]
        for at in range(4):
            seat = (leader + at) % 4
            card, mark, offset = row.get(seat) or ("", "", 0)
            if not card:
                continue
            mine = held.get(SEATS[seat])
            if mine is not None:
                if card not in mine:
                    gone = "played already or not dealt to it"
                    yield _Odd(
                        "card-not-held", f"{card} by {_NAMES[SEATS[seat]]}, {gone}", play.end + offset, SEATS[seat]
                    )
                    return
                could = sorted(other for other in mine if other[0] == suit)
                mine.discard(card)
                if card[0] != suit and could:
                    how = "marked ^R" if mark == "R" else "not marked ^R"
                    text = f"{card} by {_NAMES[SEATS[seat]]}, who held {could[0]}, is a revoke, {how}"
                    yield _Odd("revoke", text, play.end + offset, SEATS[seat])
                elif mark == "R":
                    text = f"{card} by {_NAMES[SEATS[seat]]} is marked ^R and is no revoke"
                    yield _Odd("mark-without-cause", text, play.end + offset, SEATS[seat])
            elif mark == "R" and card[0] != suit:
                text = f"{card} by {_NAMES[SEATS[seat]]} is marked ^R"
                yield _Odd("revoke", text, play.end + offset, SEATS[seat])
        if not all(row.get(seat) and row[seat][0] for seat in range(4)):
            return
        leader = max(range(4), key=lambda seat: _strength(row[seat][0], suit, trumps))
        won += 1
        declaring += (leader - SEATS.index(declarer)) % 2 == 0
    if won == size == 13:
        yield declaring


def _strength(card: str, led: str, trumps: str) -> tuple[bool, bool, int]:
    return card[0] == trumps, card[0] == led, _RANKS.index(card[1])


def _tricks(bare: bytes) -> list[tuple[str, str, int]]:
    """Each cell of the Play: card (empty for none), mark and place; nothing when something in it cannot be read."""
    cells: list[tuple[str, str, int]] = []
    mark = ""
    for piece in re.finditer(r"[^\s\x1a]+", bare.decode("latin-1")):
        for token in _TOKEN.finditer(piece[0]):
            word = token[0].upper()
            if word in ("^R", "^L"):
                mark = word[1]
            elif word[0] in "=$!?":
                continue
            elif word == "*":
                return cells
            elif set(word) == {"-"} or word == "+":
                cells.append(("", "", 0))
            elif _CARD.fullmatch(word):
                cells.append((word, mark, piece.start() + token.start()))
                mark = ""
            else:
                return []
    return cells


def _result(result: Tag, declarer: str, won: int | None) -> Iterator[tuple[str, str, int]]:
    """A Result that is marked, or is not what the Play came to."""
    text = result.value.strip()
    marked = text.startswith("^")
    sides = dict(re.findall(r"(NS|EW) +(\d{1,2})", text))
    own, other = ("NS", "EW") if declarer in "NS" else ("EW", "NS")
    plain = text.removeprefix("^").strip()
    said = None
    if plain.isascii() and plain.isdigit():
        said = int(plain)
    elif own in sides:
        said = int(sides[own])
    elif other in sides:
        said = 13 - int(sides[other])
    if marked and won is not None and said == won:
        yield "mark-without-cause", f"Result {text} is marked, but the play gave {won} tricks", result.start
    elif marked:
        told = f"; the play gave {won}" if won is not None else ""
        yield "result-marked", f"Result {text}: not the number of tricks that were won{told}", result.start
    elif won is not None and said is not None and said != won:
        yield "result-against-play", f"Result {text}, but the play gave declarer {won} tricks", result.start


def command(decision: str, facts: Mapping[str, str], regulations: str, laws: str) -> str:
    """The ``screenplug decide`` that asks the tables about it; ``ID`` stands for regulations that are not known."""
    words = ["screenplug", "decide", decision, "--regulations", regulations or "ID"]
    words += ["--laws", laws] if laws else []
    return " ".join([*words, *(f"{fact}={value}" for fact, value in facts.items())])
