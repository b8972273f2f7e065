"""Files: read them with errors that a scorer understands, replace them whole or not at all."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path

from .model import Refused

_LEFT_BEHIND = 30.0  # seconds after which a lock is nobody's any more
_KILLED = 3600.0  # and after which a temporary file is nobody's
_TAG_OR_DIRECTIVE = re.compile(rb'\[\s*[A-Za-z0-9_]+\s*"|(?:^|[\r\n])%[^\r\n]*PBN', re.IGNORECASE)


def read(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``."""
    if path == "-":
        if sys.stdin is None:
            raise Refused("there is no standard input", remedy="Name a file")
        return sys.stdin.buffer.read()
    try:
        if Path(path).is_dir():
            found = next(_below(path, _OURS), None)
            what = "this is a folder, not a file" + ("" if found else ", and no *.pbn is in it")
            raise Refused(what, path, "Name the file in it" if found else "Name a file")
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise Refused("no such file", path, "Check the name and the folder") from None
    except OSError as error:
        raise Refused(
            f"cannot be read ({error.strerror})", path, "Close the program that holds it, or check the rights"
        ) from None


def read_pbn(path: str) -> bytes:
    """The bytes of a file that has a PBN tag or PBN's directive in it; anything else is refused by name."""
    data = read(path)
    if not data.strip():
        where = "standard input" if path == "-" else path
        raise Refused("the file is empty", where, "Export the boards again from the scoring program")
    # With NUL bytes it may be UTF-16: reading the tape says so.
    if not _TAG_OR_DIRECTIVE.search(data) and b"\0" not in data:
        raise Refused('this is not a PBN file: it has no tag such as [Board "1"]', path, "Export the boards as PBN")
    return data


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let what is refused inside say which file it is about."""
    try:
        yield
    except Refused as refused:
        raise refused if refused.where else Refused(refused.what, path, refused.remedy) from None


_OURS = re.compile(r"\.(ruled|rescored|stripped)\.pbn\Z", re.IGNORECASE)
_STRIPPED = re.compile(r"\.stripped\.pbn\Z", re.IGNORECASE)


def boards(paths: Sequence[str], *, ruled: bool = False) -> list[str]:
    """PBN files by name, each once: files as they are, a folder's and what matches a pattern that names no file.

    Of a folder those named ``*.pbn``, in any case, also below it; not what is hidden, and not what screenplug wrote
    itself. With ``ruled`` what may hold records is taken too. Patterns are for Windows, where no shell expands them.
    A folder without such a file is left as it is: reading it says so.
    """
    ours = _STRIPPED if ruled else _OURS
    found: dict[str, str] = {}
    for path in paths:
        for name in _expanded(path):
            inside = list(_below(name, ours)) if name != "-" and Path(name).is_dir() else []
            for file in inside or [name]:
                found.setdefault(identity(file), file)
    return list(found.values())


def _expanded(path: str) -> list[str]:
    if path == "-" or not re.search(r"[*?[]", path) or os.path.lexists(path):
        return [path]
    import glob

    return sorted(glob.glob(path, recursive=True)) or [path]  # noqa: PTH207 (the names as they were written)


def _below(folder: str, ours: re.Pattern[str]) -> Iterator[str]:
    unread: list[str] = []
    for where, folders, names in os.walk(folder, onerror=lambda error: unread.append(str(error.filename))):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(".pbn") and not name.startswith(".") and not ours.search(name):
                yield str(Path(where, name))
    yield from sorted(unread)  # so that they are told when it is their turn


def identity(path: str) -> str:
    """One text for all names of a file."""
    return path if path == "-" else os.path.normcase(os.path.realpath(path))


def beside(path: str, suffix: str, extension: str = ".pbn") -> str:
    """Where a result goes that nobody gave a name."""
    return str(Path(path).with_name(f"{Path(path).stem}.{suffix}{extension}"))


def sources(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Rulings files by name: files as they are, folders with all their .toml files."""
    names: dict[str, str] = {}  # a file named twice, or by itself and by its folder, is read once
    for path in paths:
        inside = [path]
        if path != "-" and Path(path).is_dir():
            inside = [str(file) for file in sorted(Path(path).glob("*.toml"))]
            if not inside:
                raise Refused("no rulings file (*.toml) in this folder", path)
        for name in inside:
            names.setdefault(identity(name), name)
    return [(name, read(name)) for name in names.values()]


def write(path: str, data: bytes) -> None:
    """Replace a file whole or not at all: a temporary file in the same folder, flushed to the disk, then renamed.

    Where ``path`` is a symbolic link, what it points to is replaced and the link stays. A file that is read-only is
    not replaced, although its folder would allow it. Raises Refused, which says whether the file is as it was.
    """
    target = _target(path)
    if target.is_dir():
        raise Refused("this is a folder, not a file", path, "Name a file in it")
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a device or a pipe is written to, not replaced
        return
    if not target.parent.is_dir():
        raise Refused("there is no such folder", str(Path(path).parent), "Make it first, or write elsewhere")
    refuse_protected(path)
    _sweep(target.parent)
    try:
        handle, name = tempfile.mkstemp(prefix=_TEMPORARY, suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise Refused(
            f"cannot write into this folder ({error.strerror})", str(target.parent), "Check the rights"
        ) from None
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(OSError):  # a memory stick may know no rights
            made.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_mask())
        _replace(made, target, path)
    except OSError as error:
        kept = "; the file is as it was" if target.exists() else ""
        raise Refused(f"not written ({error.strerror}){kept}", path, "Free some space, or write elsewhere") from None
    finally:
        with suppress(OSError):  # what went wrong before says more
            made.unlink(missing_ok=True)


def _target(path: str) -> Path:
    """The file itself, behind symbolic links."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError):  # RuntimeError before Python 3.13
        raise Refused("the symbolic links go round in a circle", path, "Name the file itself") from None


_TEMPORARY = ".screenplug."


@lru_cache(maxsize=64)  # once for each folder
def _sweep(folder: Path) -> None:
    """Take away what a screenplug that was killed while writing left behind; a younger one may be at work still."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            ours = entry.name.startswith(_TEMPORARY) and entry.name.endswith(".tmp")
            if ours and time.time() - entry.stat(follow_symlinks=False).st_mtime > _KILLED:
                Path(entry.path).unlink()


def put_beside(path: str, name: str, data: bytes) -> None:
    """Put a file that helps, but that nothing depends on, beside another one; where that cannot be, go without."""
    with suppress(OSError, Refused):
        target = _target(path).with_name(name)
        if not (target.exists() and target.read_bytes() == data):
            write(str(target), data)


@contextmanager
def alone(path: str, seconds: float = 3.0) -> Iterator[None]:
    """Read and replace a file while no other screenplug does: a lock file beside it, for as long as this takes.

    Raises Refused when another one has not finished after some seconds. A lock that a crash left behind is taken over.
    """
    target = _target(path)
    lock = target.with_name(f".{target.name}.lock")
    end = time.monotonic() + seconds
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except OSError as error:
            # Windows refuses while the other one is taking its lock away. Where no lock can be made, writing fails too,
            # and says so better.
            if not isinstance(error, FileExistsError) and not lock.exists():
                break
            with suppress(OSError):
                if time.time() - lock.stat().st_mtime > _LEFT_BEHIND:
                    lock.unlink()
                    continue
            if time.monotonic() > end:
                what = "another screenplug is writing to it; nothing was written"
                raise Refused(what, path, f"Try again; if none is running, delete {lock}") from None
            time.sleep(0.02)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def refuse_protected(path: str) -> None:
    """Raise Refused for a file that is there and read-only."""
    target = _target(path)
    # Root may write to anything; a file that nobody is allowed to write to was meant to stay all the same.
    if target.is_file() and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):
        raise Refused("this file is read-only; nothing was written", path, "Make it writable, or write elsewhere")


def _mask() -> int:
    """The process's mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _replace(made: Path, target: Path, path: str) -> None:
    """Windows refuses while another program holds the target: then the result stays beside it."""
    try:
        made.replace(target)
    except PermissionError as error:
        beside = _free(target)
        made.replace(beside)
        raise Refused(
            f"another program holds it ({error.strerror}); the file is as it was and the result is in {beside}",
            path,
            "Close that program and rename the result",
        ) from None


def _free(target: Path) -> Path:
    """A name beside the target that nothing has: no .toml, or a folder of rulings files would have it twice."""
    number = 1
    while (beside := target.with_name(f"{target.name}{'' if number == 1 else f'.{number}'}.new")).exists():
        number += 1
    return beside


def deliver(
    source: str,
    before: bytes,
    data: bytes,
    output: str | None,
    suffix: str,
    *,
    in_place: bool = False,
    kept: Sequence[str] = (),
    extension: str = ".pbn",
) -> str | None:
    """Put a result where it was asked for; return its name, or None for standard output.

    Without ``output`` that is beside ``source``, under its name with ``suffix`` and ``extension``. ``before`` is what
    was read from ``source``, ``kept`` are files that must not be written over.
    """
    if output and in_place:
        raise Refused("-o and --in-place exclude each other")
    if in_place and source == "-":
        raise Refused("--in-place needs a file")
    if output == "-" or (source == "-" and not output):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return None
    target = source if in_place else output or beside(source, suffix, extension)
    same = source != "-" and identity(target) == identity(source)
    if same and not in_place:
        raise Refused("this is the file that was read; nothing was written", target, "Name another file with -o")
    if any(identity(target) == identity(other) for other in kept):
        raise Refused("this is one of the rulings files; nothing was written", target, "Name another file with -o")
    with alone(source) if same else nullcontext():
        if same and read(source) != before:
            raise Refused(
                "the file changed while we worked on it; nothing was written", source, "Run the command again"
            )
        write(target, data)
    return target
