"""``pko dump-log repair``: make the directory of a partition whole again, keeping what is cut."""

from __future__ import annotations

import errno
import fcntl
import os

from pykafka_ops.commands.dump_log.checking.partition import How, PartitionCheck
from pykafka_ops.commands.dump_log.paths import CheckJob, jobs_of
from pykafka_ops.commands.dump_log.repairing.apply import apply, backup_name
from pykafka_ops.commands.dump_log.repairing.plan import RepairPlan
from pykafka_ops.commands.dump_log.verify import CHECK_FAILED
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.disk import names
from pykafka_ops.errors import StorageError, UsageError

_COLUMNS = (
    Column("file"),
    Column("action", bad=lambda action: action == "left"),
    Column("position", right=True, optional=True),
    Column("bytes", right=True, optional=True),
    Column("why"),
    Column("kept", optional=True),
)


def repair(run: Run) -> Table:
    """Cut, rebuild and remove what a broker would; exit code 4 where a problem is left.

    ``--dry-run`` only shows, and exits with 4 where there is something to do. StorageError while a
    broker holds the directory.
    """
    dry = run.args.has("dry-run")
    jobs = _directories(run.args.texts("files"))
    locks = [] if dry else _locks(jobs)
    try:
        with ProgressBar(sum(job.size for job in jobs), "checked") as progress:
            plans = [RepairPlan(job, progress.add) for job in jobs]
        work = [plan for plan in plans if plan.steps]
        items = [_file(plan, step.name) for plan in work for step in plan.steps]
        if dry or not work:
            return _table(plans, {}, dry=dry)
        question = f"cut, rebuild or remove {len(items)} files (what is taken away is kept)"
        if not run.confirm(question, items):
            return _table(plans, {}, dry=True)
        return _table(plans, _apply(work), dry=False)
    finally:
        for lock in locks:
            lock.close()


def _directories(paths: list[str]) -> list[CheckJob]:
    """The partition directories; UsageError for a single file."""
    jobs = jobs_of(paths)
    for job in jobs:
        if not job.whole:
            name = os.path.join(job.folder, job.files[0])
            raise UsageError(f"{name}: repair takes the partition's directory, {job.folder or '.'}")
    found = [job for job in jobs if any(name.endswith(".log") for name in job.files)]
    if not found:
        raise UsageError(f"no log segments (*.log) in {', '.join(paths)}")
    return found


def _locks(jobs: list[CheckJob]) -> list[DirLock]:
    """Hold every log directory that is touched."""
    found: dict[str, DirLock] = {}
    try:
        for job in jobs:
            log_dir = log_dir_of(job.folder)
            if log_dir is not None and log_dir not in found:
                found[log_dir] = DirLock(log_dir)
    except BaseException:
        for lock in found.values():
            lock.close()
        raise
    return list(found.values())


def _apply(work: list[RepairPlan]) -> dict[str, str]:
    """Do it; the backup of each directory. What is still wrong afterwards goes to ``left``."""
    backups = {}
    for plan in work:
        try:
            backups[plan.folder] = apply(plan, log_dir_of(plan.folder))
        except StorageError as e:
            plan.steps.clear()
            plan.left = [(plan.folder, str(e))]
            continue
        (job,) = [job for job in jobs_of([plan.folder]) if job.folder == plan.folder]
        reports = PartitionCheck(job, How()).run()
        plan.left = [(report.file, text) for report in reports for text in report.problems]
    return backups


def _file(plan: RepairPlan, name: str) -> str:
    return os.path.join(plan.folder, name)


def _table(plans: list[RepairPlan], backups: dict[str, str], *, dry: bool) -> Table:
    rows: list[dict[str, object]] = []
    for plan in plans:
        backup = backups.get(plan.folder)
        for step in plan.steps:
            kept = os.path.join(backup, backup_name(step)) if backup else None
            rows.append(
                {
                    "file": _file(plan, step.name),
                    "action": step.action,
                    "position": step.position if step.action == "cut" else None,
                    "bytes": step.taken if step.action == "cut" else step.taken or None,
                    "why": step.why,
                    "kept": kept if kept and os.path.exists(kept) else None,
                }
            )
        for file, text in plan.left:
            rows.append(
                dict.fromkeys((c.key for c in _COLUMNS), None)
                | {"file": file, "action": "left", "why": text}
            )
    steps = sum(len(plan.steps) for plan in plans)
    left = sum(len(plan.left) for plan in plans)
    notes = [_loss(plan) for plan in plans if plan.lost is not None and plan.steps]
    notes += [f"kept in {backup}" for backup in backups.values()]
    notes.append(_note(steps, left, dry=dry))
    failed = bool(left or (dry and steps))
    return Table("log-repair", _COLUMNS, rows, notes=notes, exit_code=CHECK_FAILED if failed else 0)


def _loss(plan: RepairPlan) -> str:
    """What of the log goes: its bytes, and the records that could be read of them."""
    assert plan.lost is not None
    first, end = plan.lost
    text = f"{plan.folder}: {plan.taken} bytes of log go"
    if end <= first:
        return f"{text}, from offset {first} on, where no record can be read"
    return f"{text}, with at most {end - first} records: offsets {first} to {end - 1}"


def _note(steps: int, left: int, *, dry: bool) -> str:
    if not steps:
        text = "nothing to repair"
    elif dry:
        text = f"{steps} steps to do; nothing was changed"
    else:
        text = f"{steps} steps done"
    if left:
        text += f"; {left} problems cannot be repaired here"
    return text


def log_dir_of(folder: str) -> str | None:
    """The log directory that a partition's directory lies in; None where it lies in none."""
    parent = os.path.dirname(os.path.realpath(folder))
    marks = (names.META_PROPERTIES, names.LOCK)
    return parent if any(os.path.exists(os.path.join(parent, m)) for m in marks) else None


class DirLock:
    """Holds a log directory as a broker does (Java's FileLock is a POSIX record lock)."""

    def __init__(self, folder: str) -> None:
        """StorageError if a broker holds it, or if the file cannot be written."""
        path = os.path.join(folder, names.LOCK)
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as e:
            raise StorageError(f"{path}: {e.strerror}") from None
        try:
            fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            os.close(self._fd)
            if e.errno in (errno.EACCES, errno.EAGAIN):
                raise StorageError(
                    f"a broker is running on {folder} (it holds {path}): stop it first"
                ) from None
            raise StorageError(f"{path}: {e.strerror}") from None

    def close(self) -> None:
        """Let it go; the file stays, as a broker leaves it."""
        os.close(self._fd)
