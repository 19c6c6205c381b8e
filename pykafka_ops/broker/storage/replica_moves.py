"""Replicas between data directories: start, go on after a restart, swap, cancel (KIP-113).

Counterpart of ``ReplicaAlterLogDirsManager`` and ``LogManager.replaceCurrentWithFutureLog``. The
copying is done by jobs in other threads, everything else on the logs' own thread.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable

from pykafka_ops.broker.state.names import MAX_NAME_LENGTH
from pykafka_ops.broker.storage.checkpoints import Key
from pykafka_ops.broker.storage.data_dir import DataDir
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.replica_move import (
    MARKER,
    CopyStep,
    LogDirMove,
    LogsToMove,
    MoveJob,
    read_marker,
    write_marker,
)
from pykafka_ops.disk import names
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode

RETRY_MS = 10_000
"""A copy that could not go on (a full disk, a damaged batch) is tried again after this time."""

HELD_MS = 1_000
"""How often to check whether a log is free to change places."""

LOOK_MS = 500
"""How often a move that waits for the quota checks whether it changed."""

MOST_PREFERRED = 10_000
"""Replicas that may have a directory before they are here."""

LAST_BYTES = 256 * 1024
"""Most bytes that may be missing when the swap begins."""

_log = logging.getLogger("kafka.server.ReplicaAlterLogDirsManager")


class ReplicaMoves:
    """All moves of one broker. ``on_moved(topic, partition)`` is called for each that is done;
    ``is_held(topic, partition)`` says whether a log must stay where it is for now, because it is
    compacted."""

    def __init__(self, logs: LogsToMove) -> None:
        self.on_moved: Callable[[str, int], None] | None = None
        self.is_held: Callable[[str, int], bool] = lambda *_: False
        self._logs = logs
        self._moves: dict[Key, LogDirMove] = {}
        self._waiting: list[LogDirMove] = []
        self._preferred: dict[Key, DataDir] = {}
        self._window = (0, 0)
        self._stopped = False

    # -- asked for -------------------------------------------------------------------------------

    def start(self, topic: str, partition: int, path: str, *, hosted: bool = True) -> None:
        """Bring the replica to the data directory ``path``; to the one it is in: stay there.

        A replica that is not ``hosted`` here yet will be made there. Raises KafkaError
        LOG_DIR_NOT_FOUND, KAFKA_STORAGE_ERROR or REPLICA_NOT_AVAILABLE.
        """
        key = (topic, partition)
        target = self._target(path)
        move = self._moves.get(key)
        if move is not None and move.target is not target:
            self.cancel(key)
        source = self._logs.directory_of(key)
        if source is None or not hosted:
            if len(topic) <= MAX_NAME_LENGTH and len(self._preferred) < MOST_PREFERRED:
                self._preferred[key] = target
            raise KafkaError(ErrorCode.REPLICA_NOT_AVAILABLE)
        if source is target or key in self._moves:
            return
        if offline := self._logs.offline:
            raise KafkaError(
                ErrorCode.KAFKA_STORAGE_ERROR,
                f"Can not create log for {topic}-{partition} because log directories "
                f"{','.join(offline)} are offline",
            )
        name = names.marked_dir(topic, partition, "future", os.urandom(16).hex())
        if len(name) > names.MAX_NAME:
            raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{name} is too long a name")
        self._begin(LogDirMove(key, source, target, name))

    def _target(self, path: str) -> DataDir:
        for data_dir in self._logs.dirs:
            if os.path.abspath(data_dir.path) == path:
                data_dir.home.check()
                return data_dir
        raise KafkaError(ErrorCode.LOG_DIR_NOT_FOUND, f"Log dir {path} is not found in the config.")

    def preferred(self, key: Key) -> DataDir | None:
        """The directory for a new replica that was moved before it was here; returned once."""
        return self._preferred.pop(key, None)

    def lag(self, topic: str, partition: int) -> int | None:
        """How many offsets a copy is behind; None if there is none, or it was not opened yet."""
        move = self._moves.get((topic, partition))
        log = self._logs.get(topic, partition)
        if move is None or log is None or move.end < 0:
            return None
        return log.log_end_offset - move.end

    def under_way(self, topic: str, partition: int) -> bool:
        """Whether the replica moves: it must not be compacted meanwhile."""
        return (topic, partition) in self._moves

    def __len__(self) -> int:
        return len(self._moves)

    # -- left by an earlier run --------------------------------------------------------------------

    def settle(self, key: Key, one: DataDir, other: DataDir) -> DataDir:
        """A replica stands in two directories: which one counts, where a crash between the two
        renames of a swap left both; the other's files go. Raises StorageError in any other case,
        OSError."""
        name = names.partition_dir(*key)
        for old, new in ((one, other), (other, one)):
            if read_marker(new.files, f"{new.path}/{name}") == os.path.abspath(old.path):
                _log.warning("%s/%s was replaced by the one in %s", old.path, name, new.path)
                old.forget(key)
                old.doom(key)
                return new
        raise StorageError(
            f"Duplicate log directories for {name} are found in both "
            f"{one.path}/{name} and {other.path}/{name}. It is likely because log "
            "directory failure happened while broker was replacing current replica with "
            "future replica. Recover broker from this failure by manually deleting one of "
            "the two directories for this partition. It is recommended to delete the "
            "partition in the log directory that is known to have failed recently."
        )

    def resume(self) -> None:
        """Go on with the copies that were left; those that lead nowhere are removed."""
        for target in self._logs.online:
            for key, name in list(target.futures.items()):
                source = self._logs.directory_of(key)
                if source is None:
                    continue  # its directory is offline
                if source is target or key in self._moves:
                    target.futures.pop(key)
                    self._logs.remove_directory(target, name)
                    continue
                move = LogDirMove(key, source, target, name)
                log = self._logs.get(*key)
                if log is not None:
                    move.limit = log.log_end_offset
                    self._begin(move)

    # -- the steps -------------------------------------------------------------------------------

    def _begin(self, move: LogDirMove) -> None:
        self._moves[move.key] = move
        move.target.futures[move.key] = move.name
        self._waiting.append(move)
        self._run_waiting()

    def _run_waiting(self) -> None:
        if self._stopped:
            return
        threads = self._logs.settings.move_threads or len(self._logs.dirs)
        running = sum(1 for m in self._moves.values() if m.running)
        while self._waiting and running < threads:
            move = self._waiting.pop(0)
            if move.cancelled:
                continue
            move.running = True
            running += 1
            self._prepare(move)

    def _prepare(self, move: LogDirMove) -> None:
        original = self._original(move)
        if original is not None:
            topic_id, clean = original.place.topic_id, move.limit is None or move.target.clean
            job = MoveJob(
                lambda: move.prepare(original, topic_id, clean=clean),
                lambda error: self._go_on(move, error),
            )
            move.source.home.submit(job)

    def _original(self, move: LogDirMove) -> Log | None:
        """The log that is copied; None if the move is over, or its directory failed."""
        if move.cancelled or not move.target.online or not move.source.online:
            self._give_up(move)
            return None
        return self._logs.get(*move.key)

    def _go_on(self, move: LogDirMove, error: KafkaError | OSError | None) -> None:
        """A job came back: on to the next step."""
        if self._stopped and not move.cancelled:
            return
        original = self._original(move)
        if original is None:
            return
        if error is not None:
            self._failed(move, error)
            return
        if move.log is None:  # it could not be made at first
            self._prepare(move)
            return
        try:
            step = move.plan(original)
            if step is not None and step.left >= LAST_BYTES:
                self._submit(move, step)
            elif move.copy.durability.is_dirty:
                self._submit(move, step or move.rest(original), flush=True)
            elif self.is_held(*move.key):
                move.source.home.schedule(HELD_MS, lambda: self._go_on(move, None))
            else:
                self._finish(move, original, step)
        except (KafkaError, OSError) as failure:
            self._failed(move, failure)

    def _submit(self, move: LogDirMove, step: CopyStep, *, flush: bool = False) -> None:
        """Copy in another thread, then go on, at the pace that is allowed."""

        def work() -> None:
            step.run()
            if flush:
                move.copy.flush()

        def after(error: KafkaError | OSError | None) -> None:
            wait = self._pause(step.size)
            if error is None and wait:
                self._wait(move, wait)
            else:
                self._go_on(move, error)

        move.source.home.submit(MoveJob(work, after))

    def _wait(self, move: LogDirMove, wait: int) -> None:
        """Go on in ``wait`` ms; looked at again in between, since the quota may change."""

        def look() -> None:
            left = self._pause(0)
            if left and not move.cancelled and not self._stopped:
                self._wait(move, left)
            else:
                self._go_on(move, None)

        move.source.home.schedule(min(wait, LOOK_MS), look)

    def _pause(self, size: int) -> int:
        """How long to wait (ms) so that no more than the quota is copied per second."""
        settings = self._logs.settings
        now, rate = int(settings.timer()), max(settings.move_bytes_per_second, 1)
        since, copied = self._window
        if now < since or now >= since + max(1000, copied * 1000 // rate):
            since, copied = now, 0
        self._window = (since, copied + size)
        return max(0, since + (copied + size) * 1000 // rate - now)

    def _failed(self, move: LogDirMove, error: KafkaError | OSError) -> None:
        """A step failed: a failed disk is taken offline, anything else is tried again."""
        _log.error("moving %s-%d to %s: %s", *move.key, move.target.path, error)
        if move.home.error is not None:
            move.target.home.fail(move.home.error)
        elif isinstance(error, OSError):
            move.source.home.fail(error)
        if move.key in self._moves:
            move.abandon()
            move.source.home.schedule(RETRY_MS, lambda: self._go_on(move, None))

    # -- the swap --------------------------------------------------------------------------------

    def _finish(self, move: LogDirMove, original: Log, step: CopyStep | None) -> None:
        """Nearly everything is copied and durable: copy the rest, then let the copy take over.

        Clients wait for it, some ms. Raises KafkaError, OSError; the original then stays.
        """
        while step is not None:
            step.run()
            step = move.plan(original)
        start, end = original.log_start_offset, original.log_end_offset
        watermark = original.high_watermark
        source, target, key = move.source, move.target, move.key
        current = names.partition_dir(*key)
        move.close()
        try:
            write_marker(target.files, move.directory, os.path.abspath(source.path))
            target.files.rename(move.directory, f"{target.path}/{current}")
            target.files.sync_directory(target.path)
        except OSError as error:
            raise target.home.fail(error) from error
        self._moves.pop(key, None)
        target.futures.pop(key, None)
        original.abandon()
        source.forget(key)
        target.take_over(key, start=start, end=end, high_watermark=watermark)
        self._logs.moved(key, target)
        if self.on_moved is not None:
            self.on_moved(*key)
        _log.info("%s-%d has moved from %s to %s", *key, source.path, target.path)
        self._retire(move)
        self._run_waiting()

    def _retire(self, move: LogDirMove) -> None:
        """Take the replaced replica away; the marker goes only after it."""
        source, target = move.source, move.target
        current = names.partition_dir(*move.key)
        for data_dir in (target, source):
            for job in (data_dir.collect_recovery_points(), data_dir.collect_start_offsets()):
                if job is not None:
                    data_dir.home.submit(job)
        name = names.marked_dir(*move.key, "delete", os.urandom(16).hex())
        try:
            source.files.rename(f"{source.path}/{current}", f"{source.path}/{name}")
            source.files.sync_directory(source.path)
        except OSError as error:
            gone = error.errno == errno.ENOENT
            source.home.fail(OSError(errno.EIO, str(error)) if gone else error)
            return
        try:
            target.files.remove(f"{target.path}/{current}/{MARKER}")
        except OSError as error:
            target.home.fail(error)
        delay = self._logs.config_of(move.key[0]).file_delete_delay_ms
        self._logs.remove_directory(source, name, delay)

    # -- the end ---------------------------------------------------------------------------------

    def cancel(self, key: Key) -> None:
        """Stop a move, if there is one, and remove the copy."""
        self._preferred.pop(key, None)
        move = self._moves.pop(key, None)
        if move is None:
            return
        move.cancelled = True
        move.target.futures.pop(key, None)
        self._sweep(move)
        self._run_waiting()

    def _sweep(self, move: LogDirMove) -> None:
        """Remove what was copied; a job under way may still make a directory afterwards."""
        doomed = names.marked_dir(*move.key, "delete", os.urandom(16).hex())
        try:
            if move.target.online and move.target.files.exists(move.directory):
                move.target.files.rename(move.directory, f"{move.target.path}/{doomed}")
                move.target.home.names_changed()
                if not self._stopped:
                    self._logs.remove_directory(move.target, doomed)
        except OSError as error:
            move.target.home.fail(error)

    def _give_up(self, move: LogDirMove) -> None:
        """A move that was cancelled, or a directory of which failed."""
        move.abandon()
        if move.cancelled:
            self._sweep(move)
        if self._moves.get(move.key) is move:
            del self._moves[move.key]
        self._run_waiting()

    def dir_failed(self, data_dir: DataDir) -> None:
        """A data directory failed: nothing goes to it or comes from it any more."""
        for move in [m for m in self._moves.values() if data_dir in (m.source, m.target)]:
            del self._moves[move.key]
            if not move.running:
                move.abandon()
        self._run_waiting()

    def stop(self) -> None:
        """Begin no further step."""
        self._stopped = True

    def close(self) -> None:
        """Jobs are over: make the copies durable for the next start."""
        for move in self._moves.values():
            if move.log is None:
                continue
            end = move.copy.log_end_offset
            try:
                move.close()
                move.target.recovery_points[move.key] = end
            except KafkaError as error:
                _log.error("closing the copy %s: %s", move.directory, error)
        self._moves.clear()
        self._waiting.clear()
