"""One question at a time on the terminal, and what may be typed for an answer."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from .ledger import LOCATION
from .model import Refused, Result, printable
from .vocabulary import nearest

if TYPE_CHECKING:
    from .event import Event


class Unanswered(Exception):
    """A question that nobody is there to answer; the text is the option that answers it."""


def readable(text: str) -> str:
    """Refuse a text with characters that came in damaged: they must not get into a ruling unnoticed."""
    if re.search("[\ufffd\ud800-\udfff]", text):
        raise click.BadParameter("some characters of this could not be read; type it again, without them.")
    return text


def shown(text: str) -> str:
    """Text from a file or an option for the screen: nothing in it that a terminal would obey."""
    return "\n".join(printable(line) for line in text.split("\n"))


class Asker:
    """Puts questions on the terminal, one line an answer; when ``silent`` it only says what is missing."""

    def __init__(self, silent: bool) -> None:
        self.silent = silent

    def text(self, question: str, option: str, default: str | None = None) -> str:
        """What was typed, or the default for Enter. Raises Unanswered when there is nobody to ask."""
        if self.silent:
            if default is None:
                raise Unanswered(option)
            return default
        try:
            return str(click.prompt(question, default=default, show_default=False, value_proc=readable))
        except click.Abort as stopped:
            if isinstance(stopped.__context__, EOFError) and not (sys.stdin and sys.stdin.isatty()):
                raise Unanswered(option) from None
            raise

    def yes(self, question: str, option: str, default: str) -> bool:
        """Yes or no; ``default`` is the letter that Enter stands for."""
        hint = "Enter: yes; n: no" if default == "y" else "Enter: no; y: yes"
        while True:
            answer = self.text(f"{question} ({hint})", option, default).strip().lower()
            if answer in ("y", "yes", "n", "no"):
                return answer[0] == "y"

    def pick(
        self,
        question: str,
        words: Sequence[str],
        titles: Mapping[str, str] | None = None,
        *,
        option: str,
        default: str | None = None,
        also: Sequence[str] = (),
    ) -> str:
        """One of some words: by its number, by itself or its title or how one of them begins, in any case; pairs also
        as ``9-14``. ``also`` are signs that are accepted as they are."""
        titled = [(titles or {}).get(word, word) for word in words]
        if self.silent:
            if default is None:
                raise Unanswered(option)
            return default
        for number, text in enumerate(titled, 1):
            click.echo(f"{number:>3}  {shown(text)}")
        enter = "" if default is None else f", Enter: {(titles or {}).get(default, default) or 'leave it'}"
        while True:
            given = self.text(f"{question} (1-{len(words)}{enter})", option, default).strip()
            if given in also or given == default:
                return given
            if found := chosen(given, words, titled):
                return found
            near = nearest(given.lower(), words) if given else ""
            click.echo(f"{given!r} is none of them{near if near.endswith('?') else ''}")


def chosen(given: str, words: Sequence[str], titled: Sequence[str]) -> str:
    """The word that was meant: by its number, whole, by pairs as ``9-14``, or by its beginning; empty when none was."""
    if re.fullmatch("[0-9]{1,4}", given) and 1 <= int(given) <= len(words):
        return words[int(given) - 1]
    low = given.lower()
    for fits in (
        lambda word, text: low in (word.lower(), text.lower()),
        lambda word, _: re.sub(r"ns (\S+) ew (\S+?):? .*", r"\1-\2", word) == given,
        lambda word, text: bool(re.match("[^0-9]", low)) and (word.lower().startswith(low) or text.lower() == low),
    ):
        found = [word for word, text in zip(words, titled, strict=True) if fits(word, text)]
        if len(found) == 1:
            return found[0]
    return ""


# What was typed or given as words


def same_value(value: str, wanted: str) -> bool:
    """Whether two keys are the same, as text or as numbers."""
    return value == wanted or (wanted.isdecimal() and value.isdecimal() and int(value) == int(wanted))


def values_of(result: Result) -> Mapping[str, str]:
    """The ledger keys by which a result can be named."""
    return {"board": result.board, "game": str(result.game), **result.keys}


def keys_typed(text: str, here: Sequence[Result]) -> dict[str, str]:
    """``9-14``, ``table 3``, or a word that only one result of the board has, as ledger keys."""
    text = text.strip()
    if pairs := re.fullmatch(r"([^\s-]+)-([^\s-]+)", text):
        return {"ns": pairs[1], "ew": pairs[2]}
    words = text.split()
    if len(words) % 2 == 0 and all(word in LOCATION for word in words[::2]):
        return dict(zip(words[::2], words[1::2], strict=True))
    keys = ("ns", "ew", "room", "match")
    found = [(key, result) for result in here for key in keys if result.keys.get(key, "").lower() == text.lower()]
    if len({id(result) for _, result in found}) == 1:
        key, result = found[0]
        return {key: result.keys[key]}
    return {}


def telling(event: Event, result: Result) -> dict[str, str]:
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


def ground_typed(text: str) -> tuple[str, dict[str, str]]:
    """``tempo: slow-side=NE pace=slow``; the colon may be left out."""
    name, _, rest = text.strip().partition(" ")
    facts = {}
    for pair in rest.split():
        key, equals, value = pair.partition("=")
        if not equals or not key or not value:
            remedy = 'Write --ground "tempo: slow-side=NE pace=slow"'
            raise Refused(f"{pair!r} in --ground is no fact", remedy=remedy)
        facts[key] = value
    return name.rstrip(":"), facts


def moment(text: str) -> datetime:
    """A time to compare; one without a zone is in ours."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return datetime.min.astimezone()
    return moment if moment.tzinfo else moment.astimezone()
