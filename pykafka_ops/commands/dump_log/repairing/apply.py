"""The steps of a repair done so that it may be interrupted at any moment and run again.

First everything that will be cut, removed or replaced is put into a directory of its own and made
durable, then the steps are done from the end of the log backwards. Files are replaced by a rename.
The backup lies in the partition's directory, where brokers look at files only.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from pykafka_ops.commands.dump_log.paths import BACKUP_PREFIX
from pykafka_ops.commands.dump_log.repairing.plan import RepairPlan, RepairStep
from pykafka_ops.disk import names
from pykafka_ops.errors import StorageError

_CHUNK = 1 << 20
_TELL = "repair.txt"


def apply(plan: RepairPlan, log_dir: str | None) -> str:
    """Do the steps of ``plan``; the directory of the backup.

    ``log_dir``: where the mark of a clean stop lies, which goes when the broker has to recover.
    StorageError where the disk refuses; nothing is changed if that happens during the backup.
    """
    backup = _new_folder(plan.folder)
    try:
        _save(plan, backup)
    except OSError as e:
        shutil.rmtree(backup, ignore_errors=True)
        raise StorageError(f"{backup}: {e.strerror}; nothing was changed") from None
    try:
        if log_dir is not None and plan.loses_state:
            with suppress(FileNotFoundError):  # the broker shall look at its logs
                os.unlink(os.path.join(log_dir, names.CLEAN_SHUTDOWN))
                _sync_folder(log_dir)
        for step in plan.steps:
            _do(plan.folder, step)
        _sync_folder(plan.folder)
    except OSError as e:
        raise StorageError(
            f"{plan.folder}: {e.strerror}; the repair is half done: run it again, what it "
            f"replaces is in {backup}"
        ) from None
    return backup


def _new_folder(folder: str) -> str:
    number = 1
    while True:
        path = os.path.join(folder, f"{BACKUP_PREFIX}{number}")
        try:
            os.mkdir(path)
            return path
        except FileExistsError:
            number += 1
        except OSError as e:
            raise StorageError(f"{path}: {e.strerror}; nothing was changed") from None


def backup_name(step: RepairStep) -> str:
    """The name in the backup of what a step takes away."""
    return f"{step.name}.from-{step.position}" if step.action == "cut" else step.name


def _save(plan: RepairPlan, backup: str) -> None:
    """Copy the tail of a log, link what is removed or replaced, say what it is."""
    lines = [f"What pko dump-log repair took out of {plan.folder}:"]
    for step in plan.steps:
        source = os.path.join(plan.folder, step.name)
        target = os.path.join(backup, backup_name(step))
        if not os.path.exists(source):
            continue
        if step.action == "cut":
            _copy_tail(source, target, step.position)
            lines.append(f"{backup_name(step)}: the bytes of {step.name} from {step.position} on")
        else:
            _link(source, target)
            done = "removed" if step.action == "remove" else "as it was before it was made anew"
            lines.append(f"{step.name}: {done}")
    with open(os.path.join(backup, _TELL), "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(backup)
    _sync_folder(plan.folder)


def _copy_tail(source: str, target: str, position: int) -> None:
    with open(source, "rb") as file, open(target, "wb") as out:
        file.seek(position)
        shutil.copyfileobj(file, out, _CHUNK)
        out.flush()
        os.fsync(out.fileno())


def _link(source: str, target: str) -> None:
    """A second name for a file; a copy where the file system has no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        fd = os.open(target, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _do(folder: str, step: RepairStep) -> None:
    path = os.path.join(folder, step.name)
    if step.action == "remove":
        with suppress(FileNotFoundError):
            os.unlink(path)
    elif step.action == "cut":
        fd = os.open(path, os.O_WRONLY)
        try:
            os.ftruncate(fd, step.position)
            os.fsync(fd)
        finally:
            os.close(fd)
    else:
        assert step.content is not None
        _replace(path, step.content())


def _replace(path: str, data: bytes) -> None:
    """Write a file as a whole or not at all, with the rights of the one it replaces."""
    temporary = f"{path}.tmp"
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if os.path.exists(path):
        shutil.copymode(path, temporary)
    os.replace(temporary, path)


def _sync_folder(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
