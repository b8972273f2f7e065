"""Times whole commands on files that it makes, side by side with endplay where that can do the job.

    python tests/benchmarks/run.py          # needs `pip install endplay` for the comparison; a few minutes

Prints the median of five runs. Not part of the tests: a figure here never fails anything.
"""

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


def plain_games(size: int, rng: random.Random) -> bytes:
    """Games with auctions, one result each, until there are ``size`` bytes."""
    games, total = [], 0
    while total < size:
        game = (
            f'[Event "Bench"]\n[Site ""]\n[Date "2026.11.30"]\n[Board "{len(games) + 1}"]\n[West ""]\n[North ""]\n'
            f'[East ""]\n[South ""]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{deal(rng)}"]\n[Scoring "IMP"]\n'
            '[Declarer "N"]\n[Contract "4S"]\n[Result "10"]\n[Auction "N"]\n1S Pass 2S Pass\n4S Pass Pass Pass\n'
        )
        games.append(game)
        total += len(game) + 1
    return "\n".join(games).encode()


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


def measure(name: str, *words: str) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=False, capture_output=True)
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    print(f"{name:<58} {median:7.3f} s   ({min(times):.3f} to {max(times):.3f})", flush=True)
    return median


def scored_in_bulk(folder: Path, rng: random.Random) -> None:
    """An evening with twenty rulings, a championship day, and simultaneous events of growing size."""
    command = ("-m", "screenplug")
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


def main() -> None:
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        pbn, big = str(Path(folder) / "session.pbn"), str(Path(folder) / "big.pbn")
        rulings, one = str(Path(folder) / "rulings.toml"), str(Path(folder) / "one.toml")
        Path(pbn).write_bytes(session(40, 28, rng))
        Path(big).write_bytes(plain_games(20_000_000, rng))
        Path(rulings).write_text(RULING.format(id="1", board=3, pair='ns = "3"'))
        Path(one).write_text(RULING.format(id="1", board=3, pair=""))
        command = ("-m", "screenplug")
        print(f"40 tables x 28 boards, {Path(pbn).stat().st_size / 1e6:.2f} MB, one ruling, whole commands:")
        out = str(Path(folder) / "out.pbn")
        measure("python -c 'import click, pluggy'", "-c", "import click, pluggy")
        measure("screenplug --version", *command, "--version")
        measure("screenplug annotate", *command, "annotate", pbn, "--rulings", rulings, "-o", out)
        measure("screenplug check --rulings", *command, "check", pbn, "--rulings", rulings)
        measure("screenplug score --rulings", *command, "score", pbn, "--rulings", rulings, "--json")
        scored_in_bulk(Path(folder), rng)
        print(f"{Path(big).stat().st_size / 1e6:.0f} MB of single games, one ruling:")
        ours = measure("screenplug annotate", *command, "annotate", big, "--rulings", one, "-o", out)
        try:
            import endplay  # noqa: F401
        except ImportError:
            print("endplay is not installed: no comparison")
            return
        script = (
            "import sys, endplay.parsers.pbn as pbn\n"
            "boards = pbn.load(open(sys.argv[1]))\n"
            "pbn.dump(boards, open(sys.argv[2], 'w'))"
        )
        global RUNS
        RUNS = 1
        peer = measure("endplay load and dump, one run", "-c", script, big, out)
        print(f"endplay takes {peer / ours:.1f} times as long")


if __name__ == "__main__":
    main()
