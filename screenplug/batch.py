"""Many files, one after the other or several at a time: each by itself, whatever happens to the others."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from . import __version__, files
from .model import Ledger, Problem, Refused

if TYPE_CHECKING:
    from .event import Event


@dataclass(frozen=True, slots=True)
class Job:
    """One file, or the files of one event, and what is to be done with them.

    ``sources`` are rulings files as (name, bytes). ``loads`` are plugins and documents of the user's own, as (function
    of ``host``, path), since another process has to load them again. ``several`` is set where there are other jobs
    beside this one: then nothing is written for a file that would stay as it is. ``clash`` says why this one cannot
    be done beside the others. ``select`` and ``ignore`` are codes of problems.
    """

    paths: tuple[str, ...]
    sources: tuple[tuple[str, bytes], ...] = ()
    policy: str | None = None
    detail: str = "record"
    output: str | None = None
    in_place: bool = False
    loads: tuple[tuple[str, str], ...] = ()
    as_json: bool = False
    several: bool = False
    clash: str = ""
    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()


@dataclass(slots=True)
class Done:
    """What came of a job: what there is to say, the exit code, and its part of the document and of the counts.

    ``lines`` are (text or problem, whether it belongs on standard error). ``ruled`` are the rulings that were attached,
    ``wanted`` those that are not in this file and may be in another one.
    """

    paths: tuple[str, ...]
    code: int = 0
    lines: list[tuple[str | Problem, bool]] = field(default_factory=list)
    document: Any = None
    counts: Counter[str] = field(default_factory=Counter)
    ruled: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()

    def say(self, text: str, err: bool = False) -> None:
        """A line for people."""
        self.lines.append((text, err))

    def tell(self, problems: Iterable[Problem]) -> bool:
        """Problems, for standard error; whether one of them is an error, which makes the exit code 1."""
        told = list(problems)
        self.lines += [(problem, True) for problem in told]
        wrong = any(problem.severity == "error" for problem in told)
        self.code = max(self.code, int(wrong))
        return wrong

    def refuse(self, why: str) -> None:
        """The file could not be used: exit code 2."""
        self.say(f"Error: {why}", err=True)
        self.counts["refused"] += 1
        self.code = 2


Work = Callable[[Job, Done], None]


def run(
    work: Work, jobs: Sequence[Job], workers: int = 1, executor: Executor | None = None, plugins: Any = None
) -> Iterator[Done]:
    """What comes of each job, in their order.

    ``work`` is one of the functions below, or another one that can be pickled. ``executor`` does the work instead of
    ``workers`` processes on this machine: a cluster's, say, which sees the same files under the same names; it is left
    open. ``plugins`` is the plugin manager of this process, if it has one already. Raises Refused when the processes
    come to an end, for want of memory, say; what a file has in it never raises.
    """
    if plugins is not None and jobs:
        _MANAGERS[jobs[0].loads] = plugins
    one = partial(_done, work)
    if len(jobs) < 2 or (executor is None and workers < 2):
        yield from map(one, jobs)
        return
    # Standard input is this process's alone.
    away = [job for job in jobs if "-" not in job.paths]
    pool = executor or ProcessPoolExecutor(min(workers, len(jobs)), initializer=_uninterrupted)
    try:
        # Big enough that handing over costs little, small enough that no worker is left with much at the end.
        size = {} if executor else {"chunksize": max(1, min(16, len(away) // (8 * workers)))}
        results = pool.map(one, away, **size)
        for job in jobs:
            yield one(job) if "-" in job.paths else next(results)
    except BrokenExecutor as error:
        reason = str(error) or type(error).__name__
        raise Refused(
            f"a worker came to an end before its files were done ({reason})", remedy="Try again with fewer --jobs"
        ) from None
    finally:
        if executor is None:
            pool.shutdown(cancel_futures=True)


def _uninterrupted() -> None:
    """Ctrl-C is for the process that asked; a worker finishes what it has begun."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _done(work: Work, job: Job) -> Done:
    done = Done(job.paths)
    done.counts["files"] += len(job.paths)
    try:
        if job.clash:
            raise Refused(job.clash, job.paths[0], "Name it in a command of its own")
        work(job, done)
    except Refused as refused:
        done.refuse(str(refused))
    except OSError as error:
        done.refuse(f"{error.filename or job.paths[0]}: {error.strerror or error}")
    except Exception as error:
        if not job.several:
            raise
        # A mistake of ours or of a plugin's must not stop the other files.
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        done.refuse(f"{job.paths[0]}: screenplug failed ({reason}). Run it on this file alone, and tell its authors")
    return done


def apart(jobs: Sequence[Job], suffix: str) -> list[Job]:
    """The jobs, with the reason for those whose result would fall on a file that another job reads or writes."""
    if len(jobs) < 2:
        return list(jobs)
    given = {files.identity(path) for job in jobs for path in job.paths}
    taken: dict[str, str] = {}
    found = []
    for job in jobs:
        clash = ""
        for path in () if job.in_place else job.paths:
            target = files.beside(path, suffix)
            there = files.identity(target)
            other = "one of the files given" if there in given else taken.get(there)
            if other:
                clash = f"its result would be {target}, but that is {other}; nothing was written"
            taken.setdefault(there, f"the result of {path}")
        found.append(replace(job, several=True, clash=clash))
    return found


# ------------------------------------------------------------------------------------------------ what is done to one


def opened(job: Job, path: str, data: bytes) -> Event:
    """A file with the rulings of the job. Raises Refused for what is no PBN, and for an unknown policy."""
    from . import event, host

    with files.naming(path):
        tables = host.tables(_plugins(job.loads))
        return event.open_rulings(data, _ledger(job.sources), tables, policy=job.policy, file=path)


_MANAGERS: dict[tuple[tuple[str, str], ...], Any] = {}


def _plugins(loads: tuple[tuple[str, str], ...]) -> Any:
    """The plugin manager of this process with these plugins and documents loaded."""
    if loads not in _MANAGERS:
        from . import host

        manager = host.plugin_manager()
        for function, path in loads:
            getattr(host, function)(manager, path)
        _MANAGERS[loads] = manager
    return _MANAGERS[loads]


@lru_cache(maxsize=4)  # the files of a day often share their rulings files
def _ledger(sources: tuple[tuple[str, bytes], ...]) -> Ledger:
    from . import ledger

    return ledger.read(sources)


def records(job: Job, done: Done) -> None:
    """List the records in a file."""
    from . import pbn, record

    (path,) = job.paths
    with files.naming(path):
        tape = pbn.read(files.read_pbn(path))
    here, problems = record.records(tape)
    done.tell(replace(problem, file=path) for problem in problems)
    done.document = [record.record_json(entry, game, path) for game, entry in here]
    done.counts.update({"with records": int(bool(here)), "records": len(here)})
    if not job.as_json:
        for game, entry in here:
            done.say("\n".join(record.describe(entry, game)))
        done.say(f"{path}: {len(here)} records")


def annotate(job: Job, done: Done) -> None:
    """Attach the rulings to a file."""
    from . import host

    (path,) = job.paths
    data = files.read_pbn(path)
    event = opened(job, path, data)
    event.refuse_unread()
    annotated, attached, problems = event.annotate(job.detail)
    told = [*(problem for problem in event.tape.problems if problem.severity == "error"), *event.problems, *problems]
    if job.several:  # what is not here may be in another file
        done.wanted = frozenset(each.ruling for each in told if each.code == "waiting" and each.ruling)
        told = [each for each in told if each.code != "waiting"]
    wrong = done.tell(each if each.file else replace(each, file=path) for each in told)
    done.ruled = frozenset(there.ruling.id for there in attached)
    count = f"{len(done.ruled)} of {len(event.to_attach())} rulings attached"
    nothing = (wrong and not attached) or (job.several and annotated == data)
    target = None
    if not nothing:
        kept = [name for name, _ in job.sources]
        target = files.deliver(path, data, annotated, job.output, "ruled", in_place=job.in_place, kept=kept)
        for there in attached:
            host.ruled(_plugins(job.loads), there.game, there.ruling, there.result)
    done.counts.update({"written": int(not nothing), "with rulings": int(bool(attached))})
    if event.ledger.penalties and not nothing:
        done.say("note: penalties are on contestants, not on boards; give --rulings when scoring the result", err=True)
    if nothing and job.several:
        done.say(f"{path}: {count}; nothing was written")
    elif nothing:
        done.say(f"{count}; nothing was written", err=job.output == "-")
    else:
        done.say(count + (f": {target}" if target else ""), err=target is None)
    if not event.all_decided():
        done.code = max(done.code, 1)


def strip(job: Job, done: Done) -> None:
    """Take all records off a file."""
    from . import record

    (path,) = job.paths
    data = files.read_pbn(path)
    with files.naming(path):
        bare = record.strip(data)
    done.counts["with records"] += int(bare != data)
    if job.several and bare == data:
        done.say(f"{path}: no records; nothing was written")
        return
    target = files.deliver(path, data, bare, job.output, "stripped", in_place=job.in_place)
    done.counts["written"] += 1
    said = f"{len(data) - len(bare)} bytes of records taken off"
    done.say(said + (f": {target}" if target else ""), err=target is None)


def rescore(job: Job, done: Done) -> None:
    """Re-score one event and write its files."""
    from . import event, host
    from .printed import STALE
    from .rescore import rescore_together
    from .together import together

    whole = together([(path, files.read_pbn(path)) for path in job.paths])
    with files.naming(whole.file):
        tables = host.tables(_plugins(job.loads))
        opened = event.open_rulings(whole.data, _ledger(job.sources), tables, policy=job.policy, file=whole.file)
    opened.refuse_unread()
    kept = [name for name, _ in job.sources]
    written = [
        files.deliver(part.file, part.data, data, job.output, "rescored", kept=kept)
        for part, data in zip(whole.parts, rescore_together(opened, whole, __version__), strict=True)
    ]
    # Standings that stay beside changed boards are not as the file should be.
    stale = (replace(each, severity="error") for each in opened.all_problems() if each.code in STALE)
    told = [whole.placed(each, opened.tape.games) for each in (*opened.told(), *stale)]
    wrong = done.tell(each if each.file else replace(each, file=job.paths[0]) for each in told)
    done.counts.update({"written": len(written), "with errors": int(wrong)})
    if opened.own_records and not job.sources:
        done.say("note: scored by the records in the file, which hold no penalties; give --rulings too", err=True)
    moved = opened.moved_json() if job.as_json else None
    done.document = {"files": list(job.paths), "written": written, "moved": moved}
    if not job.as_json:
        for line in opened.moved_lines():
            done.say(line, err=None in written)
        for target in filter(None, written):
            done.say(f"written: {target}")
