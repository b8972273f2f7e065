"""A real terminal with the program in it: what is typed is counted, what is shown is kept."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from commands import ROOT

SECONDS = 20.0


class Terminal:
    """``screen`` is all that was shown, ``typed`` the answers, ``waited`` the seconds until each next question."""

    def __init__(self, fd: int, program: subprocess.Popen[bytes]) -> None:
        self.fd, self.program = fd, program
        self.screen = ""
        self.typed: list[str] = []
        self.waited: list[float] = []

    def question(self) -> str:
        """The question that is on the screen now; empty when the program has ended."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            ready, _, _ = select.select([self.fd], [], [], 0.015)
            if ready:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:  # Linux says so when the other end was closed
                    data = b""
                if not data:
                    self.program.wait(SECONDS)
                    return ""
                self.screen += data.decode("utf-8", "replace").replace("\r\n", "\n")
            elif re.search(r"[^\n]: \Z", self.screen):
                return self.screen.rpartition("\n")[2]
        raise AssertionError(f"no question after {SECONDS} s:\n{self.screen}")

    def answer(self, text: str) -> str:
        """Type one line; the question that comes next."""
        assert self.question(), f"nothing is asked any more:\n{self.screen}"
        self.typed.append(text)
        begin = time.monotonic()
        os.write(self.fd, text.encode("utf-8") + b"\n")
        question = self.question()
        self.waited.append(time.monotonic() - begin - 0.015)  # the last look, which found nothing more
        return question

    def press(self, key: bytes) -> None:
        """A key that is no answer, as Ctrl-C."""
        self.question()
        os.write(self.fd, key)
        self.question()

    @property
    def code(self) -> int:
        return self.program.wait(SECONDS)


@contextmanager
def terminal(*words: str, **settings: str) -> Iterator[Terminal]:
    """``screenplug`` on a terminal of its own."""
    ours, theirs = pty.openpty()
    path = os.pathsep.join(filter(None, [str(ROOT), str(ROOT / "hooks"), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "SCREENPLUG_PLUGINS": "", "PYTHONPATH": path, "TERM": "dumb", **settings}
    program = subprocess.Popen(
        [sys.executable, "-m", "screenplug", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "PYTHONIOENCODING": settings.get("PYTHONIOENCODING", "utf-8")},
        start_new_session=True,
        preexec_fn=_own_terminal,
    )
    os.close(theirs)
    try:
        yield Terminal(ours, program)
    finally:
        if program.poll() is None:
            program.send_signal(signal.SIGKILL)
            program.wait()
        os.close(ours)


def _own_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl-C reaches the program: also where these tests run in
    the background, whose children are started deaf to it."""
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
