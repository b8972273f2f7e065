"""One event in several files: put together to be scored as one, and every change taken back to its own file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .model import Game, Problem, Refused

_BOM = b"\xef\xbb\xbf"
_GAP = b"\n\n"  # a blank line: the next file begins a game of its own


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the event: its bytes are ``start:end`` of all together, its first line and game count from these."""

    file: str
    data: bytes
    start: int
    end: int
    line: int
    cut: int


@dataclass(frozen=True, slots=True)
class Together:
    """Files as one tape. ``data`` is what is read; ``parts`` are the files in their order."""

    data: bytes
    parts: tuple[Part, ...]

    @property
    def file(self) -> str:
        """All names, for people."""
        return ", ".join(part.file for part in self.parts)

    def edits(self, edits: Iterable[tuple[int, int, bytes]]) -> list[list[tuple[int, int, bytes]]]:
        """Replacements on all together as those on each file."""
        starts = [part.start for part in self.parts]
        found: list[list[tuple[int, int, bytes]]] = [[] for _ in self.parts]
        for start, end, new in edits:
            index = bisect_right(starts, start) - 1
            part = self.parts[index]
            found[index].append((start - part.start + part.cut, end - part.start + part.cut, new))
        return found

    def placed(self, problem: Problem, games: Sequence[Game]) -> Problem:
        """A problem of all together with the file and line that it is in; one of a rulings file stays as it is."""
        line = problem.line or (games[problem.game - 1].line if problem.game else None)
        if problem.file or line is None:
            return problem
        part = self.parts[bisect_right([part.line for part in self.parts], line) - 1]
        return replace(problem, file=part.file, line=problem.line and problem.line - part.line + 1)


def together(files: Sequence[tuple[str, bytes]]) -> Together:
    """Put files, given as (name, content), one behind the other; raise Refused for one that is there twice."""
    parts: list[Part] = []
    seen: dict[bytes, str] = {}
    for file, content in files:
        if content in seen:
            same = f"{file} is named twice" if seen[content] == file else f"{seen[content]} and {file} are the same"
            raise Refused(f"{same}; each file counts once", remedy="Leave one of them out")
        seen[content] = file
    data, line = b"", 1
    for number, (file, content) in enumerate(files):
        cut = len(_BOM) if number and content.startswith(_BOM) else 0
        if number:
            # A lone CR at the end would be one line end with the first LF.
            data += b"\n" + _GAP if data.endswith(b"\r") else _GAP
            line += len(_GAP)
        body, start = content[cut:], len(data)
        data += body
        parts.append(Part(file, content, start, len(data), line, cut))
        line += _line_ends(body)
    return Together(data, tuple(parts))


def _line_ends(data: bytes) -> int:
    """LF, CRLF and a lone CR are one line end each."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
