"""screenplug inside a movement program: its export, its rulings, its own host and paper; and the README's code."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import screenplug
from screenplug import host, ledger
from screenplug.event import open_rulings
from screenplug.model import Ledger
from screenplug.testing import check_host

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "fixtures" / "movement_program.py"
HEAD = 'format = 1\n[default]\nregulations = "wbf"\nlaws = "laws-2017"\n'


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("SCREENPLUG_PLUGINS", "")
    return runpy.run_path(str(PROGRAM), run_name="movement_program")


@pytest.fixture
def evening(program: dict[str, Any]) -> Any:
    """Three tables, six boards; pair 3 has done better than the others on board 1."""
    evening = program["Evening"](3)
    for board, result in enumerate(("4S S =", "4S S -1", "3NT N +1", "2H W =", "1NT E -2", "5D S ="), 1):
        evening.results |= {(board, ns): result for ns in (1, 2, 3)}
    evening.results[1, 3] = "4S S +1"
    return evening


def book(*rulings: str) -> Ledger:
    read = ledger.read([("evening.rulings.toml", (HEAD + "".join(rulings)).encode())])
    assert read.problems == ()
    return read


def ruling(id: str, rest: str) -> str:
    return f'\n[[ruling]]\nid = "{id}"\n{rest}\n'


ASSIGNED = ruling("1", 'board = 1\nns = 2\nscore = "4S S -1"\nprivate = "both sides were heated"')
WEIGHTED = ruling("2", 'board = 3\nns = 1\nscore = "60% 3NT N =, 40% 3NT N +1"')


def test_a_movement_program_exports_its_boards_with_their_rulings_in_one_call(
    program: dict[str, Any], evening: Any
) -> None:
    rulings = program["Rulings"](evening.export)
    published = rulings.published(book(ASSIGNED, WEIGHTED))
    found, _ = screenplug.records(published)
    assert [(game.value("Board"), record.ruling) for game, record in found] == [("1", "1"), ("3", "2")]
    assert screenplug.strip(published) == evening.export()
    assert b"heated" not in published, "the private note stays in the rulings file"


def test_it_is_told_of_every_ruling_that_was_attached(program: dict[str, Any], evening: Any) -> None:
    rulings = program["Rulings"](evening.export)
    rulings.published(book(ASSIGNED, WEIGHTED, ruling("3", 'board = 77\nns = 1\nscore = "pass"')))
    assert rulings.ruled == {"1": ["1"], "3": ["2"]}, "board 77 is not in the export, so nothing was attached"


def test_its_own_host_says_what_to_key_and_what_it_cannot_hold(program: dict[str, Any], evening: Any) -> None:
    rulings = program["Rulings"](evening.export)
    assert {"movement", "bridgemate"} <= set(host.hosts(rulings.pm)), "beside the programs that ship"
    to_key, _ = rulings.to_key(book(ASSIGNED, WEIGHTED))
    assert to_key[0] == ("1", "2-6", "type 4S S -1 on board 1 of pair 2")
    (refused,) = [what for board, _, what in to_key[1:] if board == "3"]
    assert "MP" in str(refused), "weights are refused, with the figures to type instead"
    check_host(rulings)


def test_what_was_keyed_is_recognised_on_its_next_export(program: dict[str, Any], evening: Any) -> None:
    rulings = program["Rulings"](evening.export)
    before = open_rulings(evening.export(), book(ASSIGNED), host.tables(rulings.pm))
    assert [status.status for status in before.statuses()] == ["not applied"]
    evening.results[1, 2] = "4S S -1"
    after = open_rulings(evening.export(), book(ASSIGNED), host.tables(rulings.pm))
    assert [status.status for status in after.statuses()] == ["applied"]
    assert all("type" not in what for _, _, what in rulings.to_key(book(ASSIGNED))[0])


def test_its_own_paper_is_there_beside_those_that_ship(program: dict[str, Any], evening: Any) -> None:
    rulings = program["Rulings"](evening.export)
    assert {"movement", "summary"} <= set(host.reports(rulings.pm))
    appeal = ruling("2", 'board = 1\nns = 2\nstage = "appeal"\nsupersedes = "1"\nscore = "4S S ="')
    _, slip = rulings.to_key(book(ASSIGNED, appeal))
    assert slip == "1: superseded\n2: final\n"


def test_an_export_outlives_a_program_that_fails_in_following_along(
    program: dict[str, Any], evening: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rulings = program["Rulings"](evening.export)
    rulings.ruled = None  # so that it fails when it is told
    assert b'"4S S -1"' in rulings.published(book(ASSIGNED))


def test_two_programs_in_one_process_do_not_hear_of_each_other(program: dict[str, Any], evening: Any) -> None:
    one, other = program["Rulings"](evening.export), program["Rulings"](evening.export)
    one.published(book(ASSIGNED))
    assert one.ruled and not other.ruled


def test_the_movement_brings_every_pair_to_every_opponent_and_every_board(evening: Any) -> None:
    for ns in (1, 2, 3):
        assert [evening.east_west(board, ns) for board in range(1, 7)] != [evening.east_west(1, ns)] * 6
        assert {evening.east_west(board, ns) for board in range(1, 7)} == {4, 5, 6}
    for board in range(1, 7):
        assert {evening.east_west(board, ns) for ns in (1, 2, 3)} == {4, 5, 6}


def test_the_program_runs_by_itself(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "hooks")])
    environment = {**os.environ, "PYTHONPATH": paths, "SCREENPLUG_PLUGINS": ""}
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("board 1, 2-6: type 4S S -1 on board 1 of pair 2\n")


def test_the_readme_shows_the_lines_of_the_program() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert any("screenplug_exported" in block for block in blocks)
    for block in blocks:
        assert block.strip() in PROGRAM.read_text(encoding="utf-8"), "change fixtures/movement_program.py with it"
