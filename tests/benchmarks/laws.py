"""Times the law tables: a decision in a loaded process, the next question from a cold start, the audit, a comparison.

    python tests/benchmarks/laws.py

Prints the best of several runs beside what is wanted. Not part of the tests: a figure here never fails anything.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "hooks")]

COLD = """
import time
start = time.perf_counter()
import sys
sys.path[:0] = [{root!r}, {hooks!r}]
import screenplug
answer = screenplug.decide("auction-irregularity", {{"kind": "insufficient-bid"}}, regulations="pzbs")
assert answer.ask
print(time.perf_counter() - start)
"""
QUESTION = {"kind": "insufficient-bid", "offender": "E", "tray": "passed", "noticed-on": "other-side"}
FACTS = {**QUESTION, "moved-by": "N", "lho-called": "no"}


def best(runs: int, measure: Callable[[], Any]) -> float:
    """Seconds of the fastest run."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        measure()
        times.append(time.perf_counter() - start)
    return min(times)


def show(name: str, seconds: float, wanted: float) -> None:
    unit, scale = ("ms", 1000.0) if wanted < 1 else ("s", 1.0)
    print(f"{name:<64} {seconds * scale:9.3f} {unit}   (wanted: under {wanted * scale:g} {unit})", flush=True)


def main() -> None:
    from screenplug import compare, host, laws

    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "hooks")])

    def cold() -> float:
        code = COLD.format(root=str(ROOT), hooks=str(ROOT / "hooks"))
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
        return float(done.stdout)

    cold()  # writes the byte code
    show("the next question, from the import on", min(cold() for _ in range(15)), 0.1)
    words = [sys.executable, "-m", "screenplug", "decide", "auction-irregularity", "--regulations", "pzbs"]
    seconds = best(15, lambda: subprocess.run(words, check=False, capture_output=True, env=env))
    show("the same as a command, Python's start included", seconds, 0.2)

    library = host.tables(host.plugin_manager()).lawbook
    pzbs = library.code("pzbs")
    pzbs.decide("auction-irregularity", FACTS)

    def many() -> None:
        for _ in range(1000):
            pzbs.decide("auction-irregularity", FACTS)

    show("a decision in a loaded process", best(7, many) / 1000, 0.0002)
    show("the next question in a loaded process", best(200, lambda: pzbs.decide("auction-irregularity", {})), 0.01)

    fresh = laws.load([(name, data) for _, name, data in host.documents(host.plugin_manager()) if b'"laws"' in data])

    def audit() -> None:
        for name in fresh.ids:
            for edition in fresh.editions(name):
                fresh.code(name, edition).audit()

    show("the audit of all that ships", best(1, audit), 10)
    pair = (library.code("pl-1997"), library.code("pzbs"))

    def part() -> None:
        for decision in laws.vocabulary().decisions:
            compare.compare(*pair, decision)

    show("pl-1997 and pzbs compared, all decisions", best(3, part), 3)


if __name__ == "__main__":
    main()
