"""Times whole commands on files that it makes, side by side with endplay and with a plain copy.

    python tests/benchmarks/run.py [start scoring batch files] [--large] [--runs 5]

``files`` needs `pip install endplay` for the comparison; ``--large`` adds a file of 200 MB. Prints the median of the
runs and, where the system tells, the most memory. Not part of the tests: a figure here never fails anything.
"""

import argparse
import importlib.util
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 5
COLUMNS = (
    r"PairId_NS\3R;PairId_EW\3R;Contract\4L;Declarer\1;Result\2R;Score_NS\5R;Score_EW\5R;"
    r"MP_NS\4R;MP_EW\4R;Percentage_NS\5R;Percentage_EW\5R"
)


def deal(rng: random.Random) -> str:
    pack = [rank + suit for suit in "SHDC" for rank in "AKQJT98765432"]
    rng.shuffle(pack)
    hands = [pack[start : start + 13] for start in range(0, 52, 13)]
    order = "AKQJT98765432".index
    suits = [[sorted((card[0] for card in hand if card[1] == suit), key=order) for suit in "SHDC"] for hand in hands]
    return "N:" + " ".join(".".join("".join(suit) for suit in hand) for hand in suits)


def session(tables: int, boards: int, rng: random.Random) -> bytes:
    """A pairs session; matchpoints are left out of the printed cells' truth on purpose (they are all average)."""
    games = []
    for board in range(1, boards + 1):
        rows = []
        for table in range(tables):
            contract, declarer = rng.choice(("4S", "3NT", "2H", "5C")), rng.choice("NESW")
            tricks = rng.randint(7, 12)
            pair = tables + (table + board) % tables + 1
            average = f"{tables - 1:>4} {tables - 1:>4} 50.00 50.00"
            rows.append(f"{table + 1:>3} {pair:>3} {contract:<4} {declarer} {tricks:>2}     -     - {average}")
        head = f'[Event "Bench"]\n[Board "{board}"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{deal(rng)}"]\n'
        games.append(head + f'[Scoring "MP"]\n[ScoreTable "{COLUMNS}"]\n' + "\n".join(rows) + "\n")
    return "\n".join(games).encode()


def plain_games(file: Path, size: int, rng: random.Random) -> None:
    """A file of games with auctions, one result each, of at least ``size`` bytes; written as it is made, since the
    system counts this process's memory with that of its children."""
    total = number = 0
    with file.open("w", newline="") as stream:
        while total < size:
            number += 1
            total += stream.write(
                f'[Event "Bench"]\n[Site ""]\n[Date "2026.11.30"]\n[Board "{number}"]\n[West ""]\n[North ""]\n'
                f'[East ""]\n[South ""]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{deal(rng)}"]\n[Scoring "IMP"]\n'
                '[Declarer "N"]\n[Contract "4S"]\n[Result "10"]\n[Auction "N"]\n1S Pass 2S Pass\n4S Pass Pass Pass\n\n'
            )


RULING = """format = 1
[default]
regulations = "wbf"
[[ruling]]
id = "{id}"
board = "{board}"
{pair}
score = "60% 4S N =, 40% 4S N -1"
[[ruling.ground]]
decision = "tempo"
facts.slow-side = "NE"
facts.seconds = 40
facts.pace = "slow"
facts.attention-by = "S"
facts.attributed-to = "partner"
facts.unexpected = "no"
facts.varied = "no"
"""


COMMAND = ("-m", "screenplug")
# Modules are compiled once and kept, as after an installation.
SETTINGS = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def run(*words: str) -> tuple[float, float]:
    """Seconds, and the most memory in MB (0 where the system does not tell)."""
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=SETTINGS
    )
    if not hasattr(os, "wait4"):
        child.wait()
        return time.perf_counter() - start, 0.0
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - start, usage.ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1000)


def measure(name: str, *words: str, runs: int | None = None) -> float:
    if (runs or RUNS) > 1:
        run(*words)
    done = [run(*words) for _ in range(runs or RUNS)]
    times = [seconds for seconds, _ in done]
    median, memory = statistics.median(times), max(most for _, most in done)
    spread = f"({min(times):.3f} to {max(times):.3f})"
    print(f"{name:<58} {median:8.3f} s   {spread:<20} {memory:6.0f} MB", flush=True)
    return median


def scored_in_bulk(folder: Path, rng: random.Random) -> None:
    """An evening with twenty rulings, a championship day, and simultaneous events of growing size."""
    command = COMMAND
    print("scoring, whole commands; figures in the files are right, as a scoring program exports them:")
    rulings = folder / "twenty.toml"
    one = "score = '60% 4S N =, 40% 4S N -1'"
    rows = (f'[[ruling]]\nid = "{n}"\nboard = "{n}"\nns = "{n}"\n{one}\n' for n in range(1, 21))
    rulings.write_text('format = 1\n[default]\nregulations = "wbf"\n' + "".join(rows))
    day = folder / "day"
    day.mkdir()
    for number in range(100):
        (day / f"s{number:03}.pbn").write_bytes(session(40, 28, rng))
    files = sorted(map(str, day.glob("*.pbn")))
    subprocess.run([sys.executable, *command, "rescore", *files, "--jobs", "2"], capture_output=True)
    for file in files:
        Path(file).with_suffix(".rescored.pbn").replace(file)
    measure("score, 40 tables x 28 boards, 20 rulings", *command, "score", files[0], "--rulings", str(rulings))
    for jobs in ("1", "2"):
        words = (*command, "rescore", *files, "--rulings", str(rulings), "--jobs", jobs)
        measure(f"rescore, 100 such files, --jobs {jobs}", *words)
    for tables in (200, 2000, 20_000):
        file = folder / f"simultaneous-{tables}.pbn"
        file.write_bytes(session(tables, 32, rng))
        subprocess.run([sys.executable, *command, "rescore", str(file)], capture_output=True)
        file.with_suffix(".rescored.pbn").replace(file)
        measure(f"score, {tables} tables x 32 boards", *command, "score", str(file))


def start() -> None:
    print("start:")
    bare = measure("python -c 'import click, pluggy'", "-c", "import click, pluggy")
    ours = measure("screenplug --version", *COMMAND, "--version")
    print(f"screenplug --version takes {ours / bare:.2f} times as long")


def many(folder: Path, rng: random.Random) -> None:
    """A folder of 200 sessions, by one worker and by two."""
    print("200 sessions of 40 tables x 28 boards, one worker and two:")
    rulings = folder / "many.toml"
    rulings.write_text(RULING.format(id="1", board=3, pair='ns = "3"'))
    day = folder / "archive"
    day.mkdir()
    for number in range(200):
        (day / f"s{number:03}.pbn").write_bytes(session(40, 28, rng))
    for words in (
        ("check",),
        ("check", "--rulings", str(rulings)),
        ("annotate", "--rulings", str(rulings)),
        ("rescore",),
        ("records",),
        ("strip",),
    ):
        one, two = (
            measure(f"{' '.join(words[:2])} --jobs {jobs}", *COMMAND, words[0], str(day), *words[1:], "--jobs", jobs)
            for jobs in ("1", "2")
        )
        print(f"two workers give {one / two:.2f} times the throughput")


COPY = "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read())"
LOAD = "import sys, endplay.parsers.pbn as pbn\nboards = pbn.load(open(sys.argv[1]))\n"
DUMP = LOAD + "pbn.dump(boards, open(sys.argv[2], 'w'))"


def files(folder: Path, rng: random.Random, sizes: tuple[int, ...]) -> None:
    """Single games in files of growing size; endplay and a plain copy beside us."""
    rulings, out = str(folder / "one.toml"), str(folder / "out.pbn")
    Path(rulings).write_text(RULING.format(id="1", board=3, pair=""))
    before: dict[str, float] = {}
    peer = importlib.util.find_spec("endplay") is not None
    if not peer:
        print("endplay is not installed: no comparison")
    session_file = folder / "session.pbn"
    session_file.write_bytes(session(700, 28, rng))
    made = [("a session of 700 tables x 28 boards", session_file)]
    for size in sizes:
        made.append((f"{size // 1_000_000} MB of single games", folder / f"{size}.pbn"))
        plain_games(made[-1][1], size, rng)
    for name, file in made:
        mb = file.stat().st_size / 1e6
        runs = RUNS if mb < 2 else min(RUNS, 3) if mb < 50 else 1
        print(f"{name}, {mb:.1f} MB, one ruling:")
        measure("a plain copy", "-c", COPY, str(file), out, runs=runs)
        took = {
            "annotate": measure(
                "annotate", *COMMAND, "annotate", str(file), "--rulings", rulings, "-o", out, runs=runs
            ),
            "check": measure("check", *COMMAND, "check", str(file), runs=runs),
            "strip of what was annotated": measure(
                "strip of what was annotated", *COMMAND, "strip", out, "-o", str(folder / "bare.pbn"), runs=runs
            ),
        }
        if file is not session_file:
            for command, seconds in before.items():
                print(f"{command} takes {took[command] / seconds:.1f} times as long as on the file before")
            before = took
        if peer and mb < 50:
            load = measure("endplay load", "-c", LOAD, str(file), out, runs=min(runs, 2))
            both = measure("endplay load and dump", "-c", DUMP, str(file), out, runs=min(runs, 2))
            print(f"annotate is {both / took['annotate']:.1f} times as fast as endplay's load and dump")
            print(f"check is {load / took['check']:.1f} times as fast as endplay's load")


def main() -> None:
    global RUNS
    parser = argparse.ArgumentParser(description="Time whole commands, side by side with endplay and a plain copy.")
    parser.add_argument("parts", nargs="*", help="start, scoring, batch, files; all when none is given")
    parser.add_argument("--large", action="store_true", help="Also a file of 200 MB.")
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    RUNS = given.runs
    parts = given.parts or ["start", "scoring", "batch", "files"]
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "start" in parts:
            start()
        if "scoring" in parts:
            scored_in_bulk(folder, rng)
        if "batch" in parts:
            many(folder, rng)
        if "files" in parts:
            files(folder, rng, (1_000_000, 20_000_000, *((200_000_000,) if given.large else ())))


if __name__ == "__main__":
    main()
