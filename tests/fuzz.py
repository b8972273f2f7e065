"""Mutants of every fixture through every reader. Run on demand, not part of the tests (which draw a few: test_fuzz).

    python tests/fuzz.py [--mutants 100000] [--seed 1] [--jobs 2] [--only tape|tables|ledger|laws]

A mutant is a fixture with one to four changes, all drawn from the seed and its number, so that a number names it for
ever. What is asked of each: no exception but ours (Refused), an answer within a time limit that grows with its size,
and no more output than a few times the input; records come off again, and the bytes are as before. The numbers of
those that fail are listed, with the exception; ``--first N --mutants 1`` runs one again.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "hooks")]

from screenplug import host, ledger, offered, pbn, record  # noqa: E402
from screenplug.event import open_rulings  # noqa: E402
from screenplug.model import Ledger, Problem, Refused  # noqa: E402
from screenplug.offered import Tables  # noqa: E402
from screenplug.rescore import rescore  # noqa: E402

SECONDS, SECONDS_A_BYTE = 5.0, 2e-4  # far above what any good file takes; a hang is minutes
FIXTURES, SHIPPED = ROOT / "fixtures", ROOT / "hooks" / "screenplug_hooks"


class Hangs(BaseException):
    """The time limit is over; no reader catches this by mistake."""


# ------------------------------------------------------------------------------------------------------- mutants

BOARDS = [
    *(b'"', b"[", b"]", b"{", b"}", b"%", b";", b"\\", b"\\\"", b"\r", b"\n", b"\r\n", b"\n\n", b"\0", b"\x1a"),
    *(b"\xff", b"^", b"-", b"?", b"*", b"+", b"#", b"##", b"|", b"\t", b" ", b"\xef\xbb\xbf", b"\xe2\x99\xa0", b"$21"),
    *(b"0", b"-1", b"99999999999999999999", b"1e999", b"0.0", b"1,5", b"A+", b"AVE-", b"60%", b"^60", b"NaN", b"1/0"),
    *(b"[Board \"1\"]\n", b"[Event \"#\"]\n", b"[Auction \"N\"]\n", b"[Play \"W\"]\n", b"^I", b"^S", b"^R", b"^L"),
    *(b"[RulingTable \"Ruling\\4L;Key\\11L;Value\"]\n", b"A-1  record 1\n", b"A-1  + \"\\\\u00\"\n", b"%screenplug\n"),
]  # fmt: skip
TOML = [
    *(b'"', b"'", b'"""', b"[", b"]", b"[[", b"{", b"}", b"=", b"\n", b"\r", b"\0", b"\xff", b"#", b",", b".", b"\\"),
    *(b"true", b"0", b"-1", b"1.5", b"inf", b"nan", b"[]", b"{}", b'""', b'"\\u0000"', b"0x" + b"F" * 40, b"9" * 400),
    *(b"2026-13-01", b"2026-01-01", b"a = 1\n", b"format = 2\n", b"[[ruling]]\n", b"[default]\n", b"[[" * 60),
    *(b"a." * 90, b"100%", b"1/0 4S S =", b"60%", b"A+ / A-", b"4SX S -1", b"> x", b"< 5", b"base", b"gap"),
    b"except = []\n",
]  # fmt: skip


def changed(data: bytes, others: Sequence[bytes], words: Sequence[bytes], rng: random.Random) -> bytes:
    """The bytes with one to four changes; at most a third longer, and a few words."""
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 1, 2, 5, 20, 200)))
        kind = rng.randrange(9)
        if kind == 0:
            data = data[:at] + data[end:]
        elif kind in (1, 2):
            data = data[:at] + rng.choice(words) + data[at:]
        elif kind == 3:
            data = data[:at] + rng.choice(words) + data[end:]
        elif kind == 4:
            data = data[:at] + bytes((rng.randrange(256),)) + data[at + 1 :]
        elif kind == 5:
            data = data[:at] + data[at:end] * rng.choice((2, 3, 9)) + data[end:]
        elif kind == 6:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            data = data[:at] + other[start : start + rng.choice((5, 40, 300))] + data[at:]
        elif kind == 7:
            lines = data.splitlines(keepends=True)
            if len(lines) > 1:
                one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[one], lines[two] = lines[two], lines[one]
                data = b"".join(lines)
        elif rng.random() < 0.2:
            data = data[:at]
    return data


@cache
def material(kind: str) -> tuple[bytes, ...]:
    """The fixtures of a kind, their bytes in the order of their names; long tables are met in pieces."""
    if kind in ("tape", "tables"):
        found = sorted(FIXTURES.rglob("*.pbn"))
        return tuple(path.read_bytes() for path in found if kind == "tape" or b"Table" in path.read_bytes())
    if kind == "ledger":
        books = [path for path in FIXTURES.rglob("*.toml") if FIXTURES / "laws" not in path.parents]
        return tuple(path.read_bytes() for path in sorted(books))
    documents = [*SHIPPED.rglob("*.toml"), *SHIPPED.rglob("*.toml"), *(FIXTURES / "laws").glob("*/*.toml")]
    return tuple(path.read_bytes() for path in sorted(documents) if path.name != "hosts.toml")


def piece(data: bytes, kind: str, rng: random.Random) -> bytes:
    """At most some tables of a long TOML file or some games of a long session, behind its head: as odd, and quicker."""
    if len(data) < 6000 or (kind == "laws" and rng.random() < 0.6):  # a piece of a law lacks what it refers to
        return data
    mark = b"\n[[" if kind in ("ledger", "laws") else b"\n\n"
    head, *parts = data.split(mark)
    start = rng.randrange(max(1, len(parts)))
    return mark.join([head, *parts[start : start + rng.randrange(1, 6)]])


def mutant(kind: str, seed: int, number: int) -> bytes:
    """The mutant of this number."""
    rng = random.Random(f"{kind} {seed} {number}")
    fixtures = material(kind)
    data = piece(rng.choice(fixtures), kind, rng)
    return changed(data, fixtures, TOML if kind in ("ledger", "laws") else BOARDS, rng)


# ------------------------------------------------------------------------------------------------------- readers


@cache
def tables() -> Tables:
    return host.tables(host.plugin_manager())


@cache
def ruled() -> tuple[Ledger, bytes]:
    """Rulings to attach to whatever board is there, and a session to attach whatever rulings are there."""
    head = 'format = 1\n[default]\nregulations = "wbf"\nlaws = "laws-2017"\n'
    rows = "".join(
        f'[[ruling]]\nid = "A-{number}"\ngame = "{number}"\nscore = "{score}"\n'
        for number, score in enumerate(("60% 4S N =, 40% 4S N -1", "A+ / A-", "not played"), 1)
    )
    return ledger.read([("r.toml", (head + rows).encode())]), (FIXTURES / "small-pzbs" / "session.pbn").read_bytes()


def size(problems: Sequence[Problem]) -> int:
    return sum(len(problem.text) for problem in problems)


def read_tape(data: bytes) -> int:
    """A tape, with records on it and off again."""
    pbn.read(data)
    bare = record.strip(data)
    assert len(bare) <= len(data)
    event = open_rulings(data, ruled()[0], tables())
    annotated, attached, problems = event.annotate()
    assert record.strip(annotated) == bare, "annotate is not undone by strip"
    if not attached and bare == data:
        assert annotated == data
    again = open_rulings(annotated, ruled()[0], tables()).annotate()[0]
    assert again == annotated, "annotating twice changes something"
    return len(annotated) - len(data) - 700 * len(attached) + size((*event.problems, *problems))


def read_tables(data: bytes) -> int:
    """The scores of a file: everything computed, compared and written."""
    event = open_rulings(data, ruled()[0], tables())
    found = size(event.all_problems())
    event.statuses()
    event.score_json()
    list(event.score_lines())
    return found + len(rescore(event, "0")) - len(data)


def read_ledger(data: bytes) -> int:
    """A rulings file, and all that it does to a session."""
    book = ledger.read([("r.toml", data)])
    event = open_rulings(ruled()[1], book, tables())
    annotated, _, problems = event.annotate("full")
    assert record.strip(annotated) == ruled()[1]
    found = record.records(pbn.read(annotated))[1]
    assert not found, found
    event.statuses()
    event.score_json()
    return len(annotated) - len(ruled()[1]) + size((*event.all_problems(), *problems))


def read_laws(data: bytes) -> int:
    """A law document, policy or scale, beside those that ship and in place of the one that it is a mutant of."""
    own = document_id(data)
    others = [("ours", name, text) for name, text in sound() if document_id(text) != own]
    try:
        found = offered.tables([*others, ("club", "club.toml", data)], tuple, ("ours",))
        _ = found.policies, found.scales
        for edition in found.lawbook.editions(own) if own in found.lawbook.ids else ():
            code = found.lawbook.code(own, edition)
            for decision in sorted({rule.decides for rule in code.own_rules})[:4]:
                code.decide(decision, {})
    except Refused as refused:
        assert len(str(refused)) < 20_000 + 60 * len(data), "the refusal is longer than anybody could read"
        raise
    return 0


def document_id(data: bytes) -> str:
    name = re.search(rb'^id *= *"([^"]*)"', data, re.MULTILINE)
    return name[1].decode("latin-1") if name else ""


@cache
def sound() -> tuple[tuple[str, bytes], ...]:
    """The law documents that ship, and the small ones on which the broken fixtures stand."""
    paths = [*(SHIPPED / "laws").glob("*.toml"), *(FIXTURES / "laws" / "small").glob("*.toml")]
    return tuple((path.name, path.read_bytes()) for path in sorted(paths))


READERS: dict[str, tuple[Callable[[bytes], int], float]] = {
    "tape": (read_tape, 0.4),
    "tables": (read_tables, 0.2),
    "ledger": (read_ledger, 0.25),
    "laws": (read_laws, 0.15),
}


def tried(kind: str, seed: int, number: int) -> tuple[str, str, float]:
    """What a mutant came to: ``read``, ``refused`` or what is wrong, its details, and the seconds."""
    data = mutant(kind, seed, number)
    limit = SECONDS + SECONDS_A_BYTE * len(data)
    old: Any = None
    if hasattr(signal, "setitimer"):  # elsewhere a hang is noticed by whoever waits

        def over(*_: object) -> None:
            raise Hangs

        old = signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, limit)
    start = time.perf_counter()
    verdict, details = "read", ""
    try:
        grown = READERS[kind][0](data)
        if grown > 20_000 + 60 * len(data):
            verdict, details = "grows", f"{len(data)} bytes in, {grown} more out"
    except Refused:
        verdict = "refused"
    except Hangs:
        verdict, details = "hangs", f"more than {limit:.1f} s"
    except Exception as error:
        verdict, details = type(error).__name__, traceback.format_exc(limit=-3)
    finally:
        if old is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
    return verdict, details, time.perf_counter() - start


def batch(kind: str, seed: int, numbers: range) -> list[tuple[int, str, str, float]]:
    return [(number, *tried(kind, seed, number)) for number in numbers]


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed mutants of the fixtures to every reader.")
    parser.add_argument("--mutants", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=READERS)
    given = parser.parse_args()
    wrong = 0
    with ProcessPoolExecutor(given.jobs) as pool:
        for kind, (_, share) in READERS.items():
            if given.only not in (None, kind):
                continue
            count = given.mutants if given.only else round(given.mutants * share)
            numbers = range(given.first, given.first + count)
            parts = [numbers[start : start + 250] for start in range(0, count, 250)]
            start, verdicts, slowest = time.perf_counter(), Counter[str](), (0.0, -1)
            seen: Counter[str] = Counter()
            for rows in pool.map(partial(batch, kind, given.seed), parts):
                for number, verdict, details, seconds in rows:
                    verdicts[verdict] += 1
                    slowest = max(slowest, (seconds, number))
                    if verdict not in ("read", "refused"):
                        wrong += 1
                        seen[details[-300:]] += 1
                        if seen[details[-300:]] == 1:
                            print(f"{kind} {number}: {verdict}\n{details}", flush=True)
            told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
            took = time.perf_counter() - start
            print(f"{kind}: {count} mutants, seed {given.seed}: {told}; {took:.0f} s, slowest {slowest}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
