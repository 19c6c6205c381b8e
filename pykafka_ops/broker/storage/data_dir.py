"""One of ``log.dirs``: its lock, its identity, its checkpoint files, the partitions in it."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from pykafka_ops.broker.state.configs.topic import MAX_LONG, TopicConfig
from pykafka_ops.broker.state.names import name_problem
from pykafka_ops.broker.storage.checkpoints import (
    Checkpoint,
    CheckpointJob,
    Key,
    RecoveryPoints,
)
from pykafka_ops.broker.storage.files import FULL, Files, Lock
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.parts import Checkpointed
from pykafka_ops.broker.storage.log.tail import UNKNOWN
from pykafka_ops.broker.storage.log_home import LogHome, StorageSettings
from pykafka_ops.broker.storage.recovery import Recovered, Recovery
from pykafka_ops.broker.storage.retention import first_expiry
from pykafka_ops.broker.storage.strangers import is_log
from pykafka_ops.disk import names
from pykafka_ops.disk.checkpoint import (
    MetaProperties,
    format_meta_properties,
    parse_meta_properties,
)
from pykafka_ops.errors import CorruptIndexError, StorageError

ConfigOf = Callable[[str], TopicConfig]

_METADATA_TOPIC = "__cluster_metadata"
_SLICES = 16
_log = logging.getLogger("kafka.log.LogManager")


def read_meta(files: Files, path: str) -> MetaProperties | None:
    """The identity stored in a data directory; None if it has none yet.

    Raises StorageError if the file cannot be understood, OSError if it cannot be read.
    """
    name = f"{path}/{names.META_PROPERTIES}"
    try:
        text = files.read(name).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    try:
        return parse_meta_properties(text, name) if text.strip() else None
    except CorruptIndexError as error:
        raise StorageError(f"{error}; restore the file or empty the directory") from error


class DataDir:
    """A data directory while the broker runs. ``partitions`` maps what is in it to its log, None
    until somebody asks for it."""

    def __init__(self, path: str, files: Files, settings: StorageSettings) -> None:
        self.home = LogHome(path, files, settings)
        self.home.before_growth = self._before_growth
        self.path = path
        self.files = files
        self.partitions: dict[Key, Log | None] = {}
        self.futures: dict[Key, str] = {}
        self.clean = False
        self.recovery_points: dict[Key, int] = {}
        self.start_offsets: dict[Key, int] = {}
        self.high_watermarks: dict[Key, int] = {}
        self._ends: dict[Key, int] = {}
        self._expiry: dict[Key, int] = {}
        self._unsettled: set[Key] = set()
        """What a full disk had no room to recover: that is done again when the log is opened."""
        self._doomed: list[str] = []
        self._lock: Lock | None = None
        points, starts = self.collect_recovery_points, self.collect_start_offsets
        marks, cleaned = self.collect_high_watermarks, self.collect_cleaner_offsets
        self._points = RecoveryPoints(self.home, names.RECOVERY_POINT_CHECKPOINT, points)
        self._starts = Checkpoint(self.home, names.LOG_START_OFFSET_CHECKPOINT, starts)
        self._watermarks = Checkpoint(self.home, names.REPLICATION_OFFSET_CHECKPOINT, marks)
        self._cleaned = Checkpoint(self.home, names.CLEANER_OFFSET_CHECKPOINT, cleaned)

    @property
    def online(self) -> bool:
        """Whether the directory still works."""
        return self.home.error is None

    # -- taking possession -------------------------------------------------------------------------

    def take(self, broker_id: int, cluster_id: str) -> None:
        """Make the directory if it is missing, lock it, check or write its identity.

        Raises StorageError if another broker uses it or it belongs to another broker or cluster,
        OSError if the disk fails.
        """
        if not self.files.exists(self.path):
            self.files.make_directory(self.path)
            self.files.sync_directory(os.path.dirname(self.path) or "/")
        try:
            self._lock = self.files.lock(f"{self.path}/{names.LOCK}")
        except BlockingIOError as error:
            raise StorageError(
                f"Failed to acquire lock on file .lock in {self.path}. A broker in another process "
                "is using this directory: stop it or give this one another log.dirs."
            ) from error
        try:
            self._check_meta(broker_id, cluster_id)
        except BaseException:
            self.unlock()
            raise

    def _check_meta(self, broker_id: int, cluster_id: str) -> None:
        meta = read_meta(self.files, self.path)
        name = f"{self.path}/{names.META_PROPERTIES}"
        if meta is None:
            meta = MetaProperties(cluster_id=cluster_id, broker_id=broker_id)
            meta.comments = ["#"]
            self.files.write_atomic(name, format_meta_properties(meta).encode())
            return
        if meta.broker_id is not None and meta.broker_id != broker_id:
            raise StorageError(
                f"Configured broker.id {broker_id} doesn't match stored broker.id "
                f"{meta.broker_id} in {name}. If you moved your data, make sure your configured "
                "broker.id matches. If you intend to create a new broker, you should remove all "
                "data in your data directories (log.dirs)."
            )
        if meta.cluster_id is not None and meta.cluster_id != cluster_id:
            raise StorageError(
                f"The Cluster ID {cluster_id} doesn't match stored clusterId {meta.cluster_id} in "
                f"{name}. The broker is trying to join the wrong cluster. Configured "
                "zookeeper.connect may be wrong."
            )

    def unlock(self) -> None:
        """Let another broker have the directory."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # -- loading -----------------------------------------------------------------------------------

    def load(self) -> None:
        """Read the names of the partitions and the checkpoints; nothing else. The marker of a
        clean stop is taken away, so that a crash from now on is seen. Raises OSError."""
        marker = f"{self.path}/{names.CLEAN_SHUTDOWN}"
        self.clean = self.files.exists(marker)
        if self.clean:
            self.files.remove(marker)
            self.files.sync_directory(self.path)
        self.recovery_points = self._read(self._points)
        self.start_offsets = self._read(self._starts)
        self.high_watermarks = self._read(self._watermarks)
        # Without this one all is cleaned again, which is no reason for a recovery.
        self.home.cleaner_offsets = self._cleaned.read() or {}
        for name in self.files.directories(self.path):
            self._load_name(name)
        if self.clean:
            self._ends = dict(self.recovery_points)

    def _read(self, checkpoint: Checkpoint) -> dict[Key, int]:
        """A damaged checkpoint is as good as none: recovery then reads more."""
        offsets = checkpoint.read()
        self.clean = self.clean and offsets is not None
        return offsets or {}

    def _load_name(self, name: str) -> None:
        parsed = names.parse_dir(name)
        if parsed is None or parsed.topic == _METADATA_TOPIC:
            _log.warning("%s/%s is no partition's directory; left alone", self.path, name)
        elif not parsed.state:
            key = (parsed.topic, parsed.partition)
            if self._is_log(key, name):
                self.partitions[key] = None
            else:
                _log.warning("%s/%s holds no log; left alone", self.path, name)
        elif parsed.state == "future":
            self.futures[parsed.topic, parsed.partition] = name
        elif parsed.state == "delete":
            self._doomed.append(name)
        else:
            _log.warning("%s/%s is a stray partition; left alone", self.path, name)

    def _is_log(self, key: Key, name: str) -> bool:
        if names.partition_dir(*key) != name or name_problem(key[0]):
            return False  # such as foo-00
        known = (self.recovery_points, self.high_watermarks, self.start_offsets)
        return any(key in offsets for offsets in known) or is_log(self.files, f"{self.path}/{name}")

    def doom(self, key: Key) -> None:
        """Mark the directory of a partition for removal. Raises OSError."""
        name = names.marked_dir(*key, "delete", os.urandom(16).hex())
        self.files.rename(f"{self.path}/{names.partition_dir(*key)}", f"{self.path}/{name}")
        self.home.names_changed()
        self._doomed.append(name)

    def take_over(self, key: Key, *, start: int, end: int, high_watermark: int) -> None:
        """A partition came from another directory, whole and durable up to ``end``."""
        self.partitions[key] = None
        self._ends[key] = self.recovery_points[key] = end
        self.start_offsets[key] = start
        self.high_watermarks[key] = high_watermark

    def take_doomed(self) -> list[str]:
        """Names of directories whose deletion was interrupted; each is returned once."""
        doomed, self._doomed = self._doomed, []
        return doomed

    def recover(self, config_of: ConfigOf) -> None:
        """After an unclean stop: check every partition, in several threads. Raises OSError."""
        keys = list(self.partitions)
        asked = self.home.settings.recovery_threads_per_dir
        workers = max(asked, min(8, (os.cpu_count() or 1) + 1))
        size = max(1, -(-len(keys) // (workers * _SLICES)))
        slices = [keys[i : i + size] for i in range(0, len(keys), size)]
        with ThreadPoolExecutor(workers, thread_name_prefix="log-recovery") as pool:
            for found in pool.map(lambda s: self._recover_some(s, config_of), slices):
                for key, recovered in found:
                    if recovered is None:
                        self._unsettled.add(key)
                        continue
                    self._ends[key] = recovered.end_offset
                    self.recovery_points[key] = recovered.recovery_point
                    if recovered.truncated:
                        _log.warning(
                            "%s/%s-%d: cut %d damaged bytes, ends at offset %d",
                            *(self.path, *key, recovered.truncated, recovered.end_offset),
                        )

    def _recover_some(
        self, keys: Iterable[Key], config_of: ConfigOf
    ) -> list[tuple[Key, Recovered | None]]:
        files = self.files.for_thread()
        return [(key, self._recover_one(files, key, config_of(key[0]))) for key in keys]

    def _recover_one(self, files: Files, key: Key, config: TopicConfig) -> Recovered | None:
        """None if the disk has no room for what a recovery finds out."""
        try:
            done = Recovery(
                files,
                f"{self.path}/{names.partition_dir(*key)}",
                config,
                recovery_point=self.recovery_points.get(key),
                start_offset=self.start_offsets.get(key, 0),
                cleaned_to=self.home.cleaner_offsets.get(key, 0),
                settings=self.home.settings,
            ).run()
        except OSError as error:
            if error.errno not in FULL:
                raise
            return None
        return done if done.stored else None

    @property
    def lacks_room(self) -> bool:
        """Whether a recovery could not store all that it found out."""
        return bool(self._unsettled)

    def log_of(self, key: Key, config_of: ConfigOf) -> Log:
        """The log of a partition that is here, made at first use and not opened yet."""
        log = self.partitions[key]
        if log is None:
            end = self._ends.get(key, UNKNOWN)
            known = Checkpointed(
                end_offset=end,
                recovery_point=self.recovery_points.get(key, 0),
                start_offset=self.start_offsets.get(key, 0),
                high_watermark=self.high_watermarks.get(key, 0 if end == 0 else UNKNOWN),
                settled=key not in self._unsettled,
            )
            log = Log(PartitionDir(self.home, *key, config_of(key[0])), known)
            self.partitions[key] = log
        return log

    def may_expire(self, key: Key, config: TopicConfig, now: int) -> bool:
        """Whether retention has to look at a partition. Of one that was not used since the start
        its files are listed, once. Raises KafkaError KAFKA_STORAGE_ERROR."""
        log = self.partitions.get(key)
        if log is not None:
            return True
        at = self._expiry.get(key)
        if at is None:
            at = MAX_LONG
            if self._ends.get(key) != 0:
                path = f"{self.path}/{names.partition_dir(*key)}"
                try:
                    at = first_expiry(self.files, path, config, self.start_offsets.get(key, 0))
                except OSError as error:
                    raise self.home.fail(error) from error
            self._expiry[key] = at
        return now >= at

    def forget_expiry(self, topic: str | None = None) -> None:
        """Settings changed, of a topic or of all."""
        for key in [k for k in self._expiry if topic is None or k[0] == topic]:
            del self._expiry[key]

    def forget(self, key: Key) -> Log | None:
        """The partition is here no longer."""
        self._ends.pop(key, None)
        self._expiry.pop(key, None)
        self._unsettled.discard(key)
        for offsets in (
            self.recovery_points,
            self.start_offsets,
            self.high_watermarks,
            self.home.cleaner_offsets,
        ):
            offsets.pop(key, None)
        return self.partitions.pop(key, None)

    # -- checkpoints -------------------------------------------------------------------------------

    def open_logs(self) -> list[Log]:
        """The logs that were used."""
        return [log for log in self.partitions.values() if log and log.tail.active]

    def recovered(self) -> list[Key]:
        """Partitions that were recovered and not used since: their ends may not be on the disk."""
        return [
            key
            for key, log in self.partitions.items()
            if (log is None or not log.is_open)
            and (
                key in self._unsettled or self._ends.get(key, 0) > self.recovery_points.get(key, 0)
            )
        ]

    def collect_recovery_points(self) -> CheckpointJob | None:
        """Write where each log is durable up to, if that changed."""
        self._collect_recovery_points()
        return self._points.job(self.recovery_points)

    def _collect_recovery_points(self) -> None:
        for log in self.open_logs():
            self.recovery_points[log.place.key] = log.durability.recovery_point

    def collect_start_offsets(self) -> CheckpointJob | None:
        """Write the log starts that the first segment's name does not tell, if they changed."""
        self._collect_start_offsets()
        return self._starts.job(self.start_offsets)

    def write_start_offsets(self) -> None:
        """The same now, whatever is being written. Raises KafkaError KAFKA_STORAGE_ERROR."""
        self._collect_start_offsets()
        self._starts.write_now(self.start_offsets)

    def _collect_start_offsets(self) -> None:
        for log in self.open_logs():
            start = log.start_checkpoint
            if start is not None:
                self.start_offsets[log.place.key] = start
            else:
                self.start_offsets.pop(log.place.key, None)

    def collect_high_watermarks(self) -> CheckpointJob | None:
        """Write the high watermarks, if they changed."""
        for log in self.open_logs():
            self.high_watermarks[log.place.key] = log.high_watermark
        return self._watermarks.job(self.high_watermarks)

    def write_checkpoints(self) -> None:
        """Write those of the offsets above that changed, now."""
        points, starts = self.collect_recovery_points(), self.collect_start_offsets()
        for job in (points, starts, self.collect_high_watermarks()):
            if job is not None:
                job.run()
                job.done()

    def collect_cleaner_offsets(self) -> CheckpointJob | None:
        """Write where the dirty parts of compacted logs begin, if that changed."""
        return self._cleaned.job(self.home.cleaner_offsets)

    def _before_growth(self, key: Key, recovery_point: int) -> None:
        if self._points.claims_more(key, recovery_point):
            self._collect_recovery_points()
            self._points.write_now(self.recovery_points)

    # -- the end -----------------------------------------------------------------------------------

    def mark_clean(self, broker_epoch: int) -> None:
        """The marker of a clean stop, written when all logs and checkpoints are durable."""
        content = json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":"))
        self.files.write(f"{self.path}/{names.CLEAN_SHUTDOWN}", content.encode(), sync=True)
        self.files.sync_directory(self.path)

    def abandon(self) -> list[Key]:
        """Let go of all logs; the partitions that were here."""
        keys = list(self.partitions)
        for log in self.partitions.values():
            if log is not None:
                with suppress(OSError):
                    log.abandon()
        self.partitions.clear()
        self.futures.clear()
        return keys
