from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from commands import FIXTURES
from hypothesis import settings

# The same examples in every automatic run; on a developer's machine new ones each time.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# There are no terminals of this kind on Windows.
collect_ignore = [] if os.name == "posix" else ["test_cli_rule_terminal.py"]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the commands run: three events with their rulings, and no plugins but our own."""
    for file, source in {
        "session.pbn": "pairs-wbf/session.pbn",
        "rulings.toml": "pairs-wbf/rulings-a.toml",
        "both/a.toml": "pairs-wbf/rulings-a.toml",
        "both/b.toml": "pairs-wbf/rulings-b.toml",
        "small.pbn": "small-pzbs/session.pbn",
        "small.toml": "small-pzbs/rulings.toml",
        "match.pbn": "teams-wbf/match.pbn",
        "match.toml": "teams-wbf/rulings.toml",
    }.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copyfile(FIXTURES / source, tmp_path / file)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCREENPLUG_PLUGINS", "")
    monkeypatch.delenv("SCREENPLUG_STRICT", raising=False)
    return tmp_path
