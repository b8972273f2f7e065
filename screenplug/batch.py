"""Many events re-scored, one after the other or several at a time: each by itself, whatever happens to the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from . import __version__, files
from .model import Ledger, Problem, Refused
from .offered import Tables


@dataclass(frozen=True, slots=True)
class Job:
    """The files of one event and how to re-score them. ``loads`` are plugins and documents of the user's own, as
    (function of ``host``, path), since another process has to load them again; ``as_json`` what is to be told."""

    paths: tuple[str, ...]
    sources: tuple[tuple[str, bytes], ...]
    policy: str | None = None
    output: str | None = None
    loads: tuple[tuple[str, str], ...] = ()
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Rescored:
    """What came of a job: ``refused`` says why nothing was written; ``written`` has None for standard output."""

    paths: tuple[str, ...]
    refused: str = ""
    problems: tuple[Problem, ...] = ()
    written: tuple[str | None, ...] = ()
    lines: tuple[str, ...] = ()
    moved: dict[str, Any] | None = None
    by_records: bool = False


def rescore(job: Job) -> Rescored:
    """Re-score one event and write its files."""
    from . import event
    from .printed import STALE
    from .rescore import rescore_together
    from .together import together

    try:
        whole = together([(path, files.read_pbn(path)) for path in job.paths])
        with files.naming(whole.file):
            tables = _tables(job.loads)
            opened = event.open_rulings(whole.data, _ledger(job.sources), tables, policy=job.policy, file=whole.file)
        opened.refuse_unread()
        kept = [name for name, _ in job.sources]
        written = [
            files.deliver(part.file, part.data, data, job.output, "rescored", kept=kept)
            for part, data in zip(whole.parts, rescore_together(opened, whole, __version__), strict=True)
        ]
    except Refused as refused:
        return Rescored(job.paths, refused=str(refused))
    except OSError as error:
        return Rescored(job.paths, refused=f"{error.filename or job.paths[0]}: {error.strerror or error}")
    # Standings that stay beside changed boards are not as the file should be.
    stale = tuple(replace(each, severity="error") for each in opened.all_problems() if each.code in STALE)
    return Rescored(
        job.paths,
        problems=tuple(whole.placed(problem, opened.tape.games) for problem in (*opened.told(), *stale)),
        written=tuple(written),
        lines=() if job.as_json else tuple(opened.moved_lines()),
        moved=opened.moved_json() if job.as_json else None,
        by_records=bool(opened.own_records) and not job.sources,
    )


@lru_cache(maxsize=4)
def _tables(loads: tuple[tuple[str, str], ...]) -> Tables:
    from . import host

    manager = host.plugin_manager()
    for function, path in loads:
        getattr(host, function)(manager, path)
    return host.tables(manager)


@lru_cache(maxsize=4)  # the events of a day often share their rulings files
def _ledger(sources: tuple[tuple[str, bytes], ...]) -> Ledger:
    from . import ledger

    return ledger.read(sources)


def rescored(jobs: Sequence[Job], workers: int = 1, executor: Executor | None = None) -> Iterator[Rescored]:
    """What comes of each job, in their order. ``executor`` instead of processes on this machine: a cluster's, say."""
    if executor is None and (workers < 2 or len(jobs) < 2):
        yield from map(rescore, jobs)
    elif executor is not None:
        yield from executor.map(rescore, jobs)
    else:
        with ProcessPoolExecutor(min(workers, len(jobs))) as pool:
            yield from pool.map(rescore, jobs, chunksize=max(1, len(jobs) // (8 * workers)))
