"""``screenplug rule``: what a Director is asked, and the same answers given as options.

The flow: a ``Desk`` has the file and the rulings file open. One part after the other fills a ``Ruling``: where, what it
replaces, grounds, score. The sheet at the end shows all of it with its effect, and lets every part be changed; only
then is it added to the file. An answer that came as an option is not asked for. Nothing is written before that.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, cast

import click

from . import awards, board, edition, files, ledger
from . import event as events
from .asking import Asker, Unanswered, chosen, ground_typed, keys_typed, moment, same_value, shown, telling, values_of
from .event import Event
from .laws import Answer, explain, vocabulary
from .model import TABLE, Game, Ground, Ledger, Outcome, Problem, Refused, Result, Ruling, Score
from .offered import Tables
from .vocabulary import MOST_DIGITS, PARTNER, Fact, nearest, plain

BACK = "<"
NOT_KNOWN = "not established"
# What a record cannot do without, whether or not it changes the answer: who did it, and where information came from.
ALWAYS_ASKED = ("offender", "source")
OTHER, LATER, AS_BEFORE = "other: laws and finding in words", "the reason comes later", "as before"
STAGES = ("table", "review", "appeal")
STATES = ("pending", "provisional", "final", "withdrawn")


class Tell(Protocol):
    """Puts problems on stderr, those without a file as of ``file``; whether one of them is an error."""

    def __call__(self, problems: Iterable[Problem], file: str | None = None) -> bool: ...


@dataclass(frozen=True)
class Given:
    """The answers that came as options; what is None or empty is asked for, or left out when it need not be.

    ``where`` are ledger keys; ``grounds`` read ``tempo: slow-side=NE pace=slow``; ``facts`` answer whichever decision
    has a fact of that name. ``yes``: no question is asked at all.
    """

    file: str
    book: str
    also: tuple[str, ...] = ()
    regulations: str | None = None
    laws: str | None = None
    at: datetime | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    no_board: bool = False
    grounds: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    law: tuple[str, ...] = ()
    finding: str = ""
    later: bool = False
    readings: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    disputed: tuple[str, ...] = ()
    poll: str = ""
    score: str | Mapping[str, str] | None = None
    without_error: Mapping[str, str] = field(default_factory=dict)
    override: str = ""
    stage: str | None = None
    state: str | None = None
    supersede: str | None = None
    note: str = ""
    private: str = ""
    director: str = ""
    yes: bool = False


def rule(given: Given, tables: Tables, tell: Tell) -> None:
    """Ask, show, and add one ruling to the rulings file.

    Raises Refused for what cannot be used, also when a question is left and nobody there to answer it: the message
    names the options.
    """
    ask = Asker(silent=given.yes or sys.stdin is None)
    desk = Desk(given, tables, tell, ask)
    try:
        desk.run()
    except Unanswered as missing:
        wanted = dict.fromkeys([str(missing), *desk.wanted])
        why = "with --yes nothing is asked" if given.yes else "the answers came to an end and there is no terminal"
        raise Refused(f"{why}; nothing was written", given.file, f"Still needed: {'; '.join(wanted)}") from None


def replay(file: str, book: str, also: Sequence[str], wanted: str, tables: Tables, tell: Tell) -> bool:
    """Decide a ruling of the rulings files again by today's tables, against its record in the file; whether it drifted.

    Writes nothing. Without a record there is nothing to compare with; then only a ground that today is not decided, or
    a mistake that the entry has today, counts as drift.
    """
    from .replayed import drift

    sources = files.sources([*([book] if Path(book).exists() or not also else []), *also])
    data = files.read_pbn(file)
    with files.naming(file):
        event = events.open_event(data, sources, tables, file=file)
    ruling = next(
        (each for each in event.ledger.rulings if each.id == wanted and each.id not in event.own_records), None
    )
    if ruling is None:
        ids = [each.id for each in event.ledger.rulings if each.id not in event.own_records]
        raise Refused(
            f"there is no ruling {wanted}{nearest(wanted, ids)}", book, "Give its rulings file with --rulings"
        )
    lines, drifted = drift(event, ruling)
    for line in lines:
        click.echo(shown(line))
    faults = [problem for problem in event.problems if problem.ruling == wanted and problem.severity == "error"]
    return tell(faults, file) or drifted


class Desk:
    """One file and one rulings file, while a ruling is made. ``wanted`` are the options that are still needed."""

    def __init__(self, given: Given, tables: Tables, tell: Tell, ask: Asker) -> None:
        self.given, self.tables, self.tell, self.ask = given, tables, tell, ask
        self.book = given.book
        data = files.read_pbn(given.file)
        if not Path(self.book).resolve().parent.is_dir():
            raise Refused("there is no such folder", str(Path(self.book).parent), "Make it first")
        files.refuse_protected(self.book)
        here = Path(self.book).resolve()
        self.others = [(name, text) for name, text in files.sources(given.also) if Path(name).resolve() != here]
        self.written = self._read_book()
        self.known = self._known(self.written)
        if tell(self.known.problems):
            raise Refused("the rulings file has mistakes; nothing was added", self.book, "Mend them first")
        with files.naming(given.file):
            self.event = events.open_rulings(data, self.known, tables, file=given.file)
        errors = [problem for problem in self.event.tape.problems if problem.severity == "error"]
        tell([*errors, *self.event.problems], given.file)
        self.wanted = [
            *([] if given.where or given.no_board or given.supersede else ["--board N (or --no-board)"]),
            *([] if self._grounds_given else ["--ground DECISION (or --law and --finding, or --later)"]),
            *([] if given.yes else ["--yes"]),
        ]
        self.readings: dict[str, str] = dict(given.readings)

    # ------------------------------------------------------------------------------------------------- the rulings file

    def _read_book(self) -> bytes:
        return files.read(self.book) if Path(self.book).exists() else b""

    def _known(self, book: bytes) -> Ledger:
        return ledger.read([*self.others, *([(self.book, book)] if book else [])])

    def _head(self, book: bytes) -> Mapping[str, Any]:
        return tomllib.loads(book.decode("utf-8-sig"))

    def _added(self, ruling: Ruling, book: bytes) -> bytes:
        """The rulings file with the entry at its end; a new one begins with what was chosen for all that follows."""
        if not book:
            rows = [ledger.SCHEMA_LINE, f"format = {ledger.FORMAT}", "", "[default]"]
            rows += [f'{key} = "{value}"' for key, value in self.default.items()]
            book = ("\n".join(rows) + "\n").encode("utf-8")
        line_end = "\r\n" if b"\r\n" in book else "\n"
        gap = "" if book.endswith(b"\n") else "\n"
        return book + f"{gap}\n{ledger.entry(ruling)}".replace("\n", line_end).encode("utf-8")

    def _tried(self, ruling: Ruling, book: bytes | None = None) -> Event:
        """The file under the rulings and this one more."""
        added = self._added(ruling, self.written if book is None else book)
        return self.event.under(self._known(added), self.tables)

    def _faults(self, ruling: Ruling, after: Event) -> list[Problem]:
        """What is wrong with the entry. Raises Refused when the file itself would not be one any more."""
        wrong = [problem for problem in after.problems if problem.severity == "error"]
        if broken := [problem for problem in wrong if problem.code in ledger.UNREAD]:
            raise Refused(f"the entry cannot stand at its end: {broken[0].text}", self.book, "Add it by hand")
        # The entry is in no file yet, and has no line.
        return [replace(problem, file=None, line=None) for problem in wrong if problem.ruling == ruling.id]

    # --------------------------------------------------------------------------------------------------------- the flow

    def run(self) -> None:
        given, head = self.given, self._head(self.written)
        default = dict(head.get("default", {}))
        previous = self._previous()
        regulations = given.regulations or (previous and previous.regulations) or default.get("regulations")
        if not regulations:
            titles = {each.id: f"{each.id}: {each.title}" for each in self.tables.lawbook.documents.values()}
            regulations = self.ask.pick("Regulations", list(titles), titles, option="--regulations ID")
        laws = given.laws or (previous and previous.laws) or default.get("laws") or ""
        self.tables.lawbook.code(regulations, laws or None)  # an unknown one is refused before anything is asked
        self.default = default if self.written else {"regulations": regulations, **({"laws": laws} if laws else {})}
        self.standing_readings = {**head.get("readings", {}), **(previous.readings if previous else {})}
        where = self._where(previous)
        self._done("--board")
        at = (given.at or datetime.now().astimezone()).isoformat(timespec="seconds")
        by_date, named = (None, False) if laws else self._edition(regulations, where, at)
        self.code = self.tables.lawbook.code(regulations, laws or by_date)
        laws = by_date if by_date and named else laws
        screens = previous.screens if previous else True
        if not screens:
            self.code = self.tables.lawbook.code(self.code.laws)
        for key in given.readings.keys() - self.code.readings.keys():
            raise Refused(f"{regulations} has no readings {key!r}{nearest(key, self.code.readings)}")
        current = self.event.result_at(where[0]) if len(where) == 1 else None
        previous = previous or self._standing_on(current)
        ruling = Ruling(
            id=ledger.next_id(self.known, str(head.get("prefix", ""))),
            where=where,
            regulations=regulations if self.default.get("regulations") != regulations else "",
            laws=laws if laws and self.default.get("laws") != laws else "",
            policy=previous.policy if previous and previous.policy != self.default.get("policy", "") else "",
            session=previous.session if previous and previous.session != self.default.get("session", "") else "",
            screens=screens,
            table=(previous.table if previous else "") or str((current and current.outcome) or ""),
            at=at,
            note=given.note,
            private=given.private,
            director=given.director,
            override=given.override,
        )
        self._clock(ruling)
        stage: Any = given.stage or "table"
        if previous:
            if not given.stage and previous.state in ("final", "withdrawn"):
                stage = self.ask.pick("Stage", STAGES, option="--stage table|review|appeal")
            ruling = replace(ruling, supersedes=previous.id)
        ruling = replace(ruling, stage=stage)
        ruling = self._with_grounds(ruling, current, previous)
        self._done("--ground")
        if where:
            ruling = self._with_score(ruling, current)
        state: Any = given.state or ruling.state
        if not given.state and not ruling.grounds and ruling.state == "final" and ruling.score not in (None, TABLE):
            state = "provisional"
        finished = self._sheet(replace(ruling, state=state, readings=self.readings))
        if finished is None:
            click.echo("Nothing was written.")
            return
        self._add(finished)

    def _edition(self, regulations: str, where: tuple[Mapping[str, str], ...], at: str) -> tuple[str | None, bool]:
        """The edition that the date tells, as ``check`` will take it, or that has to be named; whether it has to be.

        None where there is no date.
        """
        book, lawbook = Ledger((Ruling("?", where, regulations=regulations, at=at),)), self.tables.lawbook
        days = edition.of_rulings(book, self.event.results, self.event.tape.games)["?"]
        try:
            return (lawbook.edition(regulations, *days) if days else None), False
        except Refused as refused:
            wrong = refused.what
        editions = lawbook.editions(regulations)
        if len(editions) > 1 and self.ask.silent:
            raise Refused(f"{wrong}; nothing was written", self.given.file, "Give --laws ID")
        click.echo(f"\n{wrong[:1].upper()}{wrong[1:]}")
        if len(editions) > 1:
            return self.ask.pick("Edition of the Laws", editions, option="--laws ID"), True
        click.echo(f"{editions[0]} is taken all the same, and named in the entry")
        return editions[0], True

    def _done(self, option: str) -> None:
        self.wanted = [each for each in self.wanted if not each.startswith(option)]

    def _previous(self) -> Ruling | None:
        """The ruling that ``--supersede`` names, shown as it stands."""
        wanted = self.given.supersede
        if not wanted:
            return None
        by_id = {ruling.id: ruling for ruling in self.known.rulings}
        if wanted not in by_id:
            hint = nearest(wanted, by_id) or "; give its rulings file with --rulings or --also"
            raise Refused(f"there is no ruling {wanted} to supersede{hint}", self.book)
        later = next((each.id for each in self.known.rulings if each.supersedes == wanted), "")
        if later:
            raise Refused(f"{wanted} is superseded by {later} already", self.book, f"Supersede {later}")
        self._show(by_id[wanted])
        return by_id[wanted]

    def _show(self, ruling: Ruling) -> None:
        """A ruling that stands, in words: its entry, and what its score gives."""
        click.echo(f"\nRuling {ruling.id} as it stands:")
        for line in shown(ledger.entry(ruling)).splitlines():
            click.echo(f"  {line}" if line else "")
        for place in self.event.places:
            if place.ruling.id == ruling.id:
                for result in place.results:
                    click.echo(f"  {self.event.change_text(result)}")
        click.echo()

    def _clock(self, ruling: Ruling) -> None:
        """Say when the clock went backwards; the order of the entries is that of the file all the same."""
        mine = [each for each in self.known.rulings if each.file == self.book and each.at]
        newest = max(mine, key=lambda each: moment(each.at), default=None)
        if newest and moment(ruling.at) < moment(newest.at):
            text = f"the time of this ruling, {ruling.at}, is before that of {newest.id}, {newest.at}"
            text += "; look at the clock, or give --at. Entries count in the order of the file"
            self.tell([Problem("note", "clock", text, file=self.book)])

    # ------------------------------------------------------------------------------------------------------------ where

    def _where(self, previous: Ruling | None) -> tuple[Mapping[str, str], ...]:
        """The ledger keys of the result; none for a matter without a board."""
        given = self.given
        if previous and not given.where and not given.no_board:
            return previous.where
        if given.no_board:
            return ()
        results = self.event.results
        boards = [board for game in self.event.tape.games if (board := game.value("Board"))]
        boards = list(dict.fromkeys([*boards, *(result.board for result in results if result.board)]))
        if not boards:
            raise Refused("no game of this file has a board number", given.file, "Export the boards with their numbers")
        keys = dict(given.where)
        if "game" in keys and "board" not in keys:
            numbers = {str(game.number): game.value("Board") or "" for game in self.event.tape.games}
            keys["board"] = numbers.get(keys["game"], "")
        board, rest = keys.pop("board", ""), ""
        while not board or not (found := next((each for each in boards if same_value(each, board)), "")):
            if board:
                there = ", ".join(boards[:12]) + (" and more" if len(boards) > 12 else "")
                text = f"There is no board {board} in {given.file}; there are {there}"
                if given.where:
                    raise Refused(text)
                click.echo(text)
            board = self.ask.text("Board (with its pairs, as 10 9-14; none: no board)", "--board N (or --no-board)")
            board, _, rest = board.strip().partition(" ")
            if board.lower() == "none":
                return ()
        here = [result for result in results if result.board == found]
        keys |= keys_typed(rest, here)
        matching = [
            result for result in here if all(same_value(values_of(result).get(key, ""), keys[key]) for key in keys)
        ]
        if not matching and keys:
            named = " ".join(f"{key} {value}" for key, value in keys.items())
            there = "; ".join(self._label(result, found) for result in here[:6]) or "nothing"
            text = f"board {found} has no result of {named} yet (there is {there}); the ruling waits for it"
            self.tell([Problem("note", "waiting", text)])
            return ({"board": found, **keys},)
        one = matching[0] if len(matching) == 1 else self._choose(found, matching)
        where = {"board": found, **(telling(self.event, one) if one and len(here) > 1 else {})}
        # The same board and pairs may be there once more: in another section, say.
        for key in ("section", "session", "match", "round", "event", "room", "game"):
            if one and self.event.result_at(where) is not one and (value := values_of(one).get(key)):
                where[key] = value
        self._tell_board(found, one, where)
        return (where,)

    def _choose(self, board: str, results: Sequence[Result]) -> Result | None:
        if not results:
            return None
        labels = [self._label(result, board) for result in results]
        option = f"--ns and --ew (or another key) for one of: {'; '.join(labels[:12])}"
        if len(set(labels)) < len(labels):
            labels = [f"{label} (game {result.game})" for label, result in zip(labels, results, strict=True)]
        return results[labels.index(self.ask.pick("Which result (or its pairs, as 9-14)", labels, option=option))]

    def _label(self, result: Result, board: str) -> str:
        keys = " ".join(f"{key} {value}" for key, value in telling(self.event, result).items() if key != "board")
        return f"{keys or f'board {board}'}: {result.outcome or result.why or '?'}"

    def _tell_board(self, board: str, result: Result | None, where: Mapping[str, str]) -> None:
        game = next((game for game in self.event.tape.games if game.value("Board") == board), None)
        if result:
            game = self.event.tape.games[result.game - 1]
        tags = [f"{word} {value}" for tag, word in (("Dealer", "dealer"), ("Vulnerable", "vulnerable"))
                if game and (value := game.value(tag))]  # fmt: skip
        named = self._label(result, board) if result and len(where) > 1 else str(result.outcome or "") if result else ""
        click.echo(shown(f"Board {board}, {'; '.join(part for part in (named, ', '.join(tags)) if part)}"))

    def _standing_on(self, result: Result | None) -> Ruling | None:
        """The ruling that stands on this result, when the new one is to replace it."""
        for place in self.event.in_force:
            ruling = place.ruling
            if ruling.id in self.event.own_records or not any(result is other for other in place.results):
                continue
            score = ruling.score.value() if ruling.score else "no score"
            text = score if isinstance(score, str) else f"{score['ns']} / {score['ew']}"
            click.echo(f"Ruling {ruling.id} stands on this result: {text} ({ruling.stage}, {ruling.state})")
            question = f"Does the new ruling replace {ruling.id}"
            if self.ask.yes(question, f"--supersede {ruling.id}", "n" if self.ask.silent else "y"):
                self._show(ruling)
                return ruling
        return None

    # ---------------------------------------------------------------------------------------------------------- grounds

    @property
    def _grounds_given(self) -> bool:
        given = self.given
        return bool(given.grounds or given.law or given.finding or given.later)

    def _with_grounds(self, ruling: Ruling, current: Result | None, previous: Ruling | None) -> Ruling:
        given = self.given
        self.record = self._facts_of_the_record(ruling, current)
        self.used: set[str] = set()
        grounds: list[Ground] = []
        for text in given.grounds:
            decision, facts = ground_typed(text)
            after, handed = self._after(grounds[-1]) if grounds else ("", {})
            known = {**given.facts, **(handed if after == decision else {}), **facts}
            ground = self._ground(decision, known, facts)
            grounds += [ground] if ground else []
        if given.law or given.finding:
            grounds.append(Ground(laws=given.law, finding=given.finding))
        if not self._grounds_given:
            kept = previous.grounds if previous else ()
            grounds = list(kept) if self.ask.silent and kept else self._asked_grounds(kept)
        if unused := given.facts.keys() - self.used:
            text = f"no ground has a fact {', '.join(sorted(unused))}"
            raise Refused(text, remedy="Correct --fact, or name the decision with --ground")
        ruling = replace(ruling, grounds=tuple(grounds))
        for seat, said in given.said.items():
            ruling = self._evidence(ruling, 0, said={**_of(ruling, 0).said, seat: said}, option="--said")
        for name in given.disputed:
            at = next((n for n, ground in enumerate(grounds) if name in ground.facts), -1)
            if at < 0:
                raise Refused(f"no ground has a fact {name!r} that could be disputed", remedy="Correct --disputed")
            ruling = self._evidence(ruling, at, disputed=(*_of(ruling, at).disputed, name), option="--disputed")
        if given.poll:
            ruling = self._evidence(ruling, -1, poll=given.poll, option="--poll")
        return ruling

    def _evidence(self, ruling: Ruling, at: int, option: str, **changed: Any) -> Ruling:
        if not ruling.grounds:
            raise Refused(f"{option} belongs to a ground, and the ruling has none", remedy="Give the ground too")
        grounds = list(ruling.grounds)
        grounds[at] = replace(grounds[at], **changed)
        return replace(ruling, grounds=tuple(grounds))

    def _facts_of_the_record(self, ruling: Ruling, current: Result | None) -> Mapping[str, tuple[str, str]]:
        """What the game itself shows, as facts with the words that say from where."""
        found: dict[str, tuple[str, str]] = {}
        game = self._game(ruling, current)
        irregular = board.irregular_call(self.event.tape, game) if game else None
        if irregular:
            kind, seat, words = irregular
            source = f"{words} in the auction"
            found |= {"kind": (kind, source), "offender": (seat, source)}
        if current and current.outcome and current.outcome.declarer:
            declarer, source = current.outcome.declarer, f"{current.outcome} is the result"
            found |= {"declarer": (declarer, source), "dummy": (PARTNER[declarer], source)}
        return found

    def _game(self, ruling: Ruling, current: Result | None) -> Game | None:
        if current:
            return self.event.tape.games[current.game - 1]
        board = ruling.where[0].get("board", "") if len(ruling.where) == 1 else ""
        return next((game for game in self.event.tape.games if board and game.value("Board") == board), None)

    def _asked_grounds(self, kept: tuple[Ground, ...]) -> list[Ground]:
        """One incident, and what follows from it; none when the reason comes later."""
        while True:
            decision, facts = self._incident(kept)
            if decision in (AS_BEFORE, LATER):
                return list(kept) if decision == AS_BEFORE else []
            if decision == OTHER:
                return [self._finding()]
            ground = self._ground(decision, {**self.given.facts, **facts})
            if ground is None:
                continue  # taken back
            return [ground, *self._following(ground)]

    def _finding(self) -> Ground:
        laws = re.findall(r"\b\d[\w()]*", self.ask.text("Laws, as 73F or 16B1", "--law"))
        return Ground(laws=tuple(laws), finding=self.ask.text("Finding", "--finding"))

    def _incident(self, kept: tuple[Ground, ...]) -> tuple[str, Mapping[str, Any]]:
        """The decision to ask, with what the incident itself says."""
        words = vocabulary()
        incidents = {title: (name, facts) for title, name, facts in words.incidents if self.code.answers(name)}
        groups = {
            title: found
            for title, decisions in words.triage
            if (found := [decision for decision in decisions if self.code.answers(decision)])
        }
        titles = {title: f"more: {title}" for title in groups}
        before = [AS_BEFORE] if kept else []
        if kept:
            titles[AS_BEFORE] = f"as before: {', '.join(map(_named, kept))}"
        listed = [*before, *incidents, *groups, OTHER, LATER]
        option = "--ground DECISION (or --law and --finding, or --later)"
        what = self.ask.pick("What was it", listed, titles, option=option)
        if what in incidents:
            return incidents[what]
        if what not in groups:
            return what, {}
        names = {decision: words.decisions[decision].title for decision in groups[what]}
        only = len(names) == 1
        return groups[what][0] if only else self.ask.pick("Which question", list(names), names, option=option), {}

    def _ground(
        self, decision: str, facts: Mapping[str, Any], firm: Mapping[str, Any] | None = None, leave: bool = False
    ) -> Ground | None:
        """The facts that still matter, then the answer in words; None when the question was left or taken back.

        ``facts`` are known already, those in ``firm`` only to this ground; then come those of the record.
        """
        table = self.code.table(decision)  # an unknown decision is refused here
        known = table.decision.facts
        given: dict[str, str | int] = {}
        for name in known:
            if name in facts:
                given[name] = int(facts[name]) if known[name].number and str(facts[name]).isdecimal() else facts[name]
        self.used |= given.keys() & self.given.facts.keys()
        for name in (firm or {}).keys() - known.keys():
            self.code.decide(decision, {name: (firm or {})[name]})  # refused, with the name that was meant
        seen = self._from_record(decision, given)
        history = [name for name in seen if name not in given]
        given |= {name: value for name, (value, _) in seen.items() if name not in given}
        asked = 0
        while True:
            answer = self.code.decide(decision, given, {**self.standing_readings, **self.readings})
            if answer.status == "conflict" and self._reading(answer):
                continue
            values = self._open(answer, given, history)
            if not values:
                break
            name = min(values, key=list(known).index)
            value = self._fact(known[name], values[name], optional=name in answer.may_change, leave=leave and not asked)
            asked += 1
            if value == BACK:
                if not history:
                    return None
                given.pop(history[-1], None)
                history.pop()
            elif value == "":
                return None
            else:
                history.append(name)
                if value != NOT_KNOWN:
                    given[name] = value
        if leave and not asked and not self.ask.yes(f"Go on with: {table.decision.title}", "--ground", "n"):
            return None
        click.echo()
        for line in explain(answer):
            click.echo(line)
        return Ground(decision, {name: given[name] for name in known if name in given})

    def _open(self, answer: Answer, given: Mapping[str, Any], history: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        """The facts to ask for now, with the values that they can have."""
        known = vocabulary().decisions[answer.decision].facts
        values: dict[str, tuple[Any, ...]] = {
            name: known[name].values for name in (*ALWAYS_ASKED, *answer.may_change) if name in known
        }
        if answer.ask:
            values[answer.ask.fact] = answer.ask.values
        return {name: found for name, found in values.items() if name not in given and name not in history}

    def _from_record(self, decision: str, given: Mapping[str, Any]) -> Mapping[str, tuple[str, str]]:
        """The facts of the record that go with what is known, told to the Director."""
        known = vocabulary().decisions[decision].facts
        found = {name: each for name, each in self.record.items() if name in known}
        if "kind" in found and given.get("kind", found["kind"][0]) != found["kind"][0]:
            found = {name: each for name, each in found.items() if name not in ("kind", "offender")}
        elif "offender" in found and "kind" not in known:
            del found["offender"]  # this is about another player's doing
        taken: dict[str, tuple[str, str]] = {}
        for name, each in found.items():
            try:
                self.code.decide(
                    decision, {**given, **{key: value for key, (value, _) in taken.items()}, name: each[0]}
                )
            except Refused:
                continue
            if name not in given:
                taken[name] = each
        if taken:
            facts = ", ".join(f"{plain(name)} {plain(value)}" for name, (value, _) in taken.items())
            sources = "; ".join(dict.fromkeys(source for _, source in taken.values()))
            click.echo(f"\nFrom the record ({sources}): {facts}. {BACK} takes the last answer back")
        return taken

    def _fact(self, fact: Fact, values: Sequence[Any], optional: bool, leave: bool) -> str | int:
        """One fact; BACK to take the last one back, and an empty text to leave the whole question alone."""
        words = [str(value) for value in (*values, *((NOT_KNOWN,) if optional else ()))]
        option = f"--fact {fact.name}={'NUMBER' if fact.number else '|'.join(words)}"
        if self.ask.silent:
            if optional:
                return NOT_KNOWN
            if leave:
                return ""
            raise Unanswered(option)
        click.echo(f"\n{fact.ask}")
        name = plain(fact.name).capitalize() if len(fact.name) > 2 else fact.name.upper()
        if not fact.number:
            titles = {word: plain(word) for word in words}
            default = "" if leave else None
            return self.ask.pick(name, words, titles, option=option, default=default, also=(BACK,))
        while True:
            text = self.ask.text(f"{name}, a number", option, "" if leave else None).strip()
            if text == BACK or (leave and not text):
                return text
            if not (text.isascii() and text.isdecimal()):
                click.echo("Error: write a whole number, such as 40.")
            elif len(text) > MOST_DIGITS:
                click.echo(f"Error: a number has at most {MOST_DIGITS} digits; write it again.")
            else:
                return int(text)

    def _reading(self, answer: Answer) -> bool:
        """Let the Director choose where a text allows several readings; whether one was chosen now."""
        choices = [side.step.reading for side in answer.conflict if side.step.reading]
        keys = {choice.partition("=")[0] for choice in choices}
        if len(keys) != 1 or len(choices) != len(answer.conflict) or self.ask.silent or keys & self.readings.keys():
            return False
        click.echo()
        for line in explain(answer):
            click.echo(line)
        (key,) = keys
        words = [choice.partition("=")[2] for choice in choices]
        titles = {word: plain(word) for word in words}
        word = self.ask.pick(f"Reading of {key}", words, titles, option=f"--reading {key}=WORD", default="")
        if word:
            self.readings[key] = word
        return bool(word)

    def _following(self, ground: Ground) -> Iterator[Ground]:
        """The decisions with which the matter goes on, as long as the Director wants to."""
        while True:
            after, handed = self._after(ground)
            if not after or not self.code.answers(after) or self.ask.silent:
                return
            click.echo(f"\nGoing on with: {vocabulary().decisions[after].title} (Enter leaves it)")
            found = self._ground(after, {**self.given.facts, **handed}, leave=True)
            if found is None:
                return
            ground = found
            yield ground

    def _after(self, ground: Ground) -> tuple[str, Mapping[str, Any]]:
        """The decision that goes on after a ground, with the facts that it is handed."""
        answer = self.code.decide(ground.decision, ground.facts, {**self.standing_readings, **self.readings})
        if answer.outcome.get("inference") in ("possible", "presumed"):  # this is only a start
            return "unauthorized-information", {"source": "tempo"}
        return (answer.next.decision, answer.next.facts) if answer.next else ("", {})

    # ------------------------------------------------------------------------------------------------------------ score

    def _with_score(self, ruling: Ruling, current: Result | None) -> Ruling:
        """The score: what the law allows, each with its effect on both pairs and the field; or one that is typed."""
        given = self.given
        if given.score is not None:
            try:
                score = Score.parse(given.score)
            except ValueError as error:
                raise Refused(f"{error}", remedy="Correct --score") from None
            ruling = replace(ruling, score=score)
            try:
                ruling = replace(ruling, without_error=_without_error(given.without_error))
            except ValueError as error:
                raise Refused(f"{error}", remedy="Correct --without-error") from None
            if wrong := self._faults(ruling, self._tried(ruling)):
                self.tell(wrong)
                reason = any(problem.code == "award" for problem in wrong)
                remedy = "Give another --score" + (", or the reason with --override" if reason else "")
                raise Refused("the score cannot be given; nothing was written", given.file, remedy)
            return ruling
        if self.ask.silent or given.state == "pending":
            return replace(ruling, score=TABLE) if ruling.supersedes and given.state != "pending" else ruling
        return self._asked_score(ruling, current)

    def _asked_score(self, ruling: Ruling, current: Result | None) -> Ruling:
        options = [each for each in self._options(ruling, current) if self._may(ruling, each[1], current)]
        averages = events.averages_of(self.code)
        what = f" for {self.event.place_text(current)}, now {current.outcome or current.why}" if current else ""
        click.echo(shown(f"\nScore{what}"))
        told = ""
        for number, (words, score, remark) in enumerate(options, 1):
            effect = ""
            if current and score:
                figures, others = self.event.effect(current, score, averages)
                effect = f"{figures}{f'; others that change: {others}' if others else ''}"
            if remark and remark != told:
                click.echo(f"     {remark}:")
            told = remark
            click.echo(shown(f"{number:>3}  {words:<24} {effect}".rstrip()))
        sample = "60% 4S S =, 40% 4S S -1"
        weights = f"{sample} | " if self._may(ruling, Score.parse(sample), current) else ""
        click.echo(f"or write: 4S S -1 | {weights}split | 60% / 40% | +3 IMP / -3 IMP | not played | late | cancelled")
        while True:
            typed = self.ask.text("Score (Enter: 1)", "--score TEXT", "1").strip()
            if re.fullmatch("[0-9]{1,2}", typed) and 1 <= int(typed) <= len(options):
                _, score, _ = options[int(typed) - 1]
                if score is None:
                    return replace(ruling, score=None, state="pending")
                if score == TABLE and not ruling.supersedes:
                    return replace(ruling, score=None)
            else:
                try:
                    score = self._score_typed(typed)
                except ValueError as error:
                    click.echo(str(error))
                    continue
            trial = replace(ruling, score=score, state="final" if ruling.state == "pending" else ruling.state)
            if accepted := self._accepted(self._less_own_error(trial)):
                return accepted

    def _less_own_error(self, ruling: Ruling) -> Ruling:
        """The ruling with what a side would have had without its own error, where its ground reduces the redress."""
        readings = {**self.standing_readings, **self.readings}
        answers = [events.answered(ground, self.code, readings) for ground in ruling.grounds]
        reduced = any(isinstance(each, Answer) and each.outcome.get("redress") == "reduced" for each in answers)
        assigned = ruling.score is not None and "outcomes" in (ruling.score.ns.kind, ruling.score.ew.kind)
        ruling = replace(ruling, without_error={})
        question = "  Without its own error a side would have had, as ns=4S S = (Enter: not reduced)"
        while reduced and assigned and ruling.score != TABLE:
            side, _, result = self.ask.text(question, "--without-error SIDE=RESULT", "").strip().partition("=")
            if not side:
                break
            try:
                return replace(ruling, without_error=_without_error({side.strip().lower(): result}))
            except ValueError as error:
                click.echo(str(error))
        return ruling

    def _score_typed(self, text: str) -> Score:
        if text.lower() == "split":
            sides = ("--score-ns TEXT", "--score-ew TEXT")
            ns, ew = (self.ask.text(f"  {option[8:10].upper()} get", option) for option in sides)
            return Score.parse({"ns": ns, "ew": ew})
        ns, slash, ew = (part.strip() for part in text.partition(" / "))
        results = [part for part in (ns, ew) if re.search(r"[1-7] ?(?:[CDHS]|NT?)", part, re.IGNORECASE)]
        return Score.parse({"ns": ns, "ew": ew} if slash and results else text)

    def _accepted(self, trial: Ruling) -> Ruling | None:
        """The ruling when its score can stand, with the reason where the edition does not allow it; else None."""
        while wrong := self._faults(trial, self._tried(trial)):
            self.tell(wrong)
            if any(problem.code != "award" for problem in wrong):
                return None
            reason = self.ask.text("Reason for it (Enter: another score)", "--override REASON", "")
            if not reason:
                return None
            trial = replace(trial, override=reason)
        return trial

    def _may(self, ruling: Ruling, score: Score | None, current: Result | None) -> bool:
        """Whether the edition lets this score be given, as ``check`` will see it."""
        readings = {**self.standing_readings, **self.readings}
        answers = [events.answered(ground, self.code, readings) for ground in ruling.grounds]
        trial = replace(ruling, score=score, readings=readings, override="")
        obtained = current is not None and current.outcome is not None
        return all(each.severity != "error" for each in awards.findings(trial, self.code, answers, obtained))

    def _allowed(self, ruling: Ruling, current: Result | None) -> tuple[str, str]:
        """The kind of adjusted score by the edition, and the articles."""
        facts = {
            "result": "obtained" if current and (current.outcome or current.award != TABLE) else "unobtainable",
            "possibilities": "few",
            "other-table": "none",
            "stage": "appeal" if ruling.stage == "appeal" else "table",
        }
        answer = self.code.decide("adjusted-score-kind", facts)
        many = self.code.decide("adjusted-score-kind", {**facts, "possibilities": "numerous"})
        cites = _articles(answer, "kind")
        kind = answer.outcome.get("kind", "either")
        if kind == "assigned" and many.outcome.get("kind") == "either":
            cites = _articles(many, "kind")
            kind = "assigned-or-many"
        return kind, cites

    def _options(self, ruling: Ruling, current: Result | None) -> Iterator[tuple[str, Score | None, str]]:
        """The scores to choose from: words, score (None: none yet), and a remark."""
        kind, cites = self._allowed(ruling, current)
        averages = ["A+ / A-", "A / A", "A- / A+"]
        fault = next((ground for ground in ruling.grounds if ground.decision == "fault"), None)
        if fault:
            answer = self.code.decide("fault", fault.facts)
            letters = {"average-plus": "A+", "average": "A", "average-minus": "A-"}
            sides = [letters[word] for side in ("ns", "ew") if (word := answer.outcome.get(side, "")) in letters]
            if len(sides) == 2:
                first = " / ".join(sides)
                yield first, Score.parse(first), f"As the sides are at fault ({_articles(answer)})"
                averages = [each for each in averages if each != first]
        there = current is not None and (current.outcome is not None or current.award != TABLE)
        yield "the table result stands" if there else "no adjusted score", TABLE, ""
        if kind != "artificial" and current:
            for outcome, times in self._likely(current):
                yield f"{outcome}{f' ({times} elsewhere)' if times else ''}", Score.parse(str(outcome)), ""
        if kind != "assigned" or fault or not ruling.grounds:
            remark = {
                "artificial": f"No result can be obtained ({cites})",
                "assigned-or-many": f"Where the possible results are too many to weigh ({cites})",
            }.get(kind, "")
            for words in averages:
                yield words, Score.parse(words), remark
        yield "no score yet: pending", None, ""

    def _likely(self, current: Result) -> list[tuple[Outcome, int]]:
        """Results to choose from: the contract a trick less and a trick more, and what was frequent on the board."""
        own = current.outcome
        others = [each for each in self.event.results if each.board == current.board and each is not current]
        times = Counter(each.outcome for each in others if each.outcome and each.outcome != own)
        found: dict[Outcome, int] = {}
        if own and own.level:
            for tricks in (own.tricks - 1, own.tricks + 1):
                if 0 <= tricks <= 13:
                    nearby = replace(own, tricks=tricks)
                    found[nearby] = times.get(nearby, 0)
        for outcome, count in times.most_common(3):
            found.setdefault(outcome, count)
        return list(found.items())[:4]

    # -------------------------------------------------------------------------------------------------------- the sheet

    def _sheet(self, ruling: Ruling) -> Ruling | None:
        """All of it with its effect; add it, write nothing, or change a part. None to write nothing."""
        current = self.event.result_at(ruling.where[0]) if len(ruling.where) == 1 else None
        parts = ("score", "grounds", "note", "private", "said", "disputed", "poll", "stage", "state")
        while True:
            after = self._tried(ruling)
            wrong = self._faults(ruling, after)
            if ruling.score:
                click.echo()
                for line in after.effect_lines(self.event):
                    click.echo(line)
            click.echo(f"\n{shown(ledger.entry(ruling))}")
            self.tell(
                replace(problem, file=None, line=None)
                for problem in after.problems
                if problem.ruling == ruling.id and problem.code in ("adjusted", "not-adjusted", "award-doubtful")
            )
            if wrong:
                self.tell(wrong)
                if self.ask.silent:
                    raise Refused("the ruling cannot stand; nothing was written", self.book, "Mend that first")
            if self.ask.silent:
                return ruling
            click.echo("  ".join(f"{number} {part}" for number, part in enumerate(parts, 1)))
            question = f"Enter: add this to {self.book}; n: write nothing; 1-9: change it"
            typed = self.ask.text(question, "--yes", "y").strip()
            if typed.lower() in ("n", "no"):
                return None
            if typed.lower() in ("y", "yes"):
                if not wrong:
                    return ruling
                continue
            if part := chosen(typed, parts, parts):
                ruling = self._changed(ruling, part, current)
            else:
                click.echo(f"{typed!r} is none of them")

    def _changed(self, ruling: Ruling, part: str, current: Result | None) -> Ruling:
        ask = self.ask
        if part == "score":
            return self._asked_score(ruling, current) if ruling.where else ruling
        if part == "note":
            return replace(ruling, note=ask.text("Note that may be published (Enter: none)", "--note", ""))
        if part == "private":
            return replace(
                ruling, private=ask.text("Private note, stays in the rulings file (Enter: none)", "--private", "")
            )
        if part in ("stage", "state"):
            words = STAGES if part == "stage" else STATES
            return replace(ruling, **{part: cast(Any, ask.pick(part.capitalize(), words, option=f"--{part}"))})
        if part == "grounds":
            return self._changed_grounds(ruling)
        if not ruling.grounds:
            click.echo("This belongs to a ground, and the ruling has none yet: 2 adds one")
            return ruling
        at = self._which(ruling)
        ground = ruling.grounds[at]
        if part == "poll":
            return self._evidence(ruling, at, "--poll", poll=ask.text("Poll, as 6 asked: 4 pass, 2 bid", "--poll", ""))
        if part == "said":
            who, _, text = ask.text("Who said what, as N: no break", "--said", "").partition(":")
            if not text.strip():
                click.echo("Write who, a colon, and what was said")
                return ruling
            return self._evidence(ruling, at, "--said", said={**ground.said, who.strip(): text.strip()})
        if not ground.facts:
            click.echo("This ground has no facts")
            return ruling
        name = ask.pick("Which fact is disputed", list(ground.facts), option="--disputed")
        kept = tuple(each for each in ground.disputed if each != name)
        return self._evidence(ruling, at, "--disputed", disputed=kept if name in ground.disputed else (*kept, name))

    def _changed_grounds(self, ruling: Ruling) -> Ruling:
        outs = {f"take out {n}": f"take out: {_named(ground)}" for n, ground in enumerate(ruling.grounds)}
        what = self.ask.pick("Grounds", ["add one", *outs], outs, option="--ground") if outs else "add one"
        if what in outs:
            at = list(outs).index(what)
            return replace(ruling, grounds=ruling.grounds[:at] + ruling.grounds[at + 1 :])
        return replace(ruling, grounds=(*ruling.grounds, *self._asked_grounds(())), readings=self.readings)

    def _which(self, ruling: Ruling) -> int:
        if len(ruling.grounds) == 1:
            return 0
        names = [f"{number} {_named(ground)}" for number, ground in enumerate(ruling.grounds, 1)]
        return names.index(self.ask.pick("Which ground", names, option="--ground"))

    # ------------------------------------------------------------------------------------------------------- writing it

    def _add(self, ruling: Ruling) -> None:
        """Add the entry to the file as it is now: what somebody else added meanwhile is taken in, never lost."""
        with files.alone(self.book):
            now = self._read_book()
            if now != self.written:
                ruling = self._taken_in(ruling, now)
            files.write(self.book, self._added(ruling, now))
            if not now:
                files.put_beside(self.book, ledger.SCHEMA, ledger.schema())
        click.echo(f"Ruling {ruling.id} is in {self.book}")

    def _taken_in(self, ruling: Ruling, now: bytes) -> Ruling:
        """The ruling beside what was added meanwhile, with another id where its own is taken."""
        known = self._known(now)
        again = "nothing was written. Add the entry above by hand, or run the command again"
        if self.tell(known.problems):
            raise Refused(f"the rulings file was changed while we asked, and has mistakes now; {again}", self.book)
        if ruling.id in {each.id for each in known.rulings} | {each.id for each in known.penalties}:
            ruling = replace(ruling, id=ledger.next_id(known, str(self._head(now).get("prefix", "") if now else "")))
        if wrong := self._faults(ruling, self._tried(ruling, now)):
            self.tell(wrong)
            raise Refused(
                f"the rulings file was changed while we asked, and this cannot stand beside it; {again}", self.book
            )
        text = f"the rulings file was added to while we asked; this ruling is {ruling.id}"
        self.tell([Problem("note", "added-meanwhile", text, file=self.book)])
        return ruling


def _without_error(given: Mapping[str, str]) -> Mapping[str, Outcome]:
    """By side a result that is written out; raises ValueError."""
    if unknown := given.keys() - {"ns", "ew"}:
        raise ValueError(f"{min(unknown)} is no side; write ns=4S S = or ew=4S S =")
    return {side: Outcome.parse(text) for side, text in given.items()}


def _named(ground: Ground) -> str:
    return vocabulary().decisions[ground.decision].title if ground.decision in vocabulary().decisions else "a finding"


def _of(ruling: Ruling, at: int) -> Ground:
    return ruling.grounds[at] if ruling.grounds else Ground()


def _articles(answer: Answer, name: str | None = None) -> str:
    """The articles on which an answer, or one field of it, rests."""
    steps = answer.rests_on.get(name, ()) if name else answer.path
    return "; ".join(dict.fromkeys(each for step in steps for each in step.cites))
