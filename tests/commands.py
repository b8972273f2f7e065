"""The program under test: as a process of its own, or in this one where only its answers matter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from screenplug.cli import cli

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"


@dataclass(frozen=True)
class Done:
    """What a run left: exit code, the bytes on standard output, and both streams as text."""

    code: int
    data: bytes
    out: str
    err: str


def process(
    *words: str, stdin: bytes = b"", stdout: Any = subprocess.PIPE, python: tuple[str, ...] = (), **settings: str
) -> Done:
    """Run ``python -m screenplug``; ``settings`` are environment variables, on top of the ones that are there."""
    path = os.pathsep.join(filter(None, [str(ROOT), str(ROOT / "hooks"), os.environ.get("PYTHONPATH", "")]))
    environment = {"SCREENPLUG_PLUGINS": "", **os.environ, "PYTHONPATH": path, **settings}
    command = [sys.executable, *python, "-m", "screenplug", *words]
    done = subprocess.run(command, input=stdin, stdout=stdout, stderr=subprocess.PIPE, env=environment)
    data = done.stdout or b""
    encoding = environment.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
    out, err = (text.decode(encoding, "replace").replace("\r\n", "\n") for text in (data, done.stderr))
    assert "Traceback" not in err, err
    return Done(done.returncode, data, out, err)


def call(*words: str, stdin: str | bytes = "") -> Done:
    """Run the same command line without a new process."""
    done = CliRunner().invoke(cli, words, input=stdin, prog_name="screenplug")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout_bytes, done.stdout, done.stderr)


def fine(done: Done) -> Done:
    """A run that went well."""
    assert done.code == 0, done.err + done.out
    return done


def document(*words: str, stdin: bytes = b"", code: int | None = None) -> Any:
    """The one JSON document that a command prints, and the exit code if it matters."""
    done = call(*words, "--json", stdin=stdin)
    assert code is None or done.code == code, done.err
    parsed = json.loads(done.out)
    assert parsed["format"] == 1
    return parsed


def all_commands(group: click.Group = cli, before: tuple[str, ...] = ()) -> dict[str, click.Command]:
    """Every command with its words, groups left out."""
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        command = group.commands[name]
        words = (*before, name)
        found |= all_commands(command, words) if isinstance(command, click.Group) else {" ".join(words): command}
    return found
