"""All logs of a broker in its data directories (``LogManager``).

Everything but :class:`Job` objects runs on one thread. After a clean stop nothing of a partition
is read until somebody asks for it. :meth:`LogManager.tick` does what is due: call it about once a
second, and when ``wake`` asks for it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from pykafka_ops.broker.hot.heads import ShortenedError
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.names import check_place
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.broker.storage.background import Background
from pykafka_ops.broker.storage.checkpoints import Key
from pykafka_ops.broker.storage.closing import close_logs
from pykafka_ops.broker.storage.data_dir import DataDir
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log_home import FilesJob, LogHome, StorageSettings
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.broker.storage.replica_moves import ReplicaMoves
from pykafka_ops.broker.storage.upkeep import Upkeep
from pykafka_ops.disk import names
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # few clients ask for it
    from pykafka_ops.broker.storage.describe import DirDescription

OnOffline = Callable[[str, list[Key], bool], None]
"""(directory, partitions that are gone, whether it was the last directory)."""

_log = logging.getLogger("kafka.log.LogManager")


class LogManager:
    """The data directories ``paths`` of one broker.

    ``config_of(topic)`` gives a topic's settings. ``on_offline`` is called with failed directories,
    ``wake`` (called from any thread) asks for a :meth:`tick` soon.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        broker_id: int,
        cluster_id: str,
        config_of: Callable[[str], TopicConfig],
        files: Files | None = None,
        settings: StorageSettings | None = None,
        on_offline: OnOffline | None = None,
        wake: Callable[[], None] | None = None,
    ) -> None:
        self.files = files or RealFiles()
        self.settings = settings or StorageSettings()
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.config_of = config_of
        self.on_offline = on_offline
        self.wake = wake
        self.on_flushed: Callable[[str, int], None] | None = None
        self.on_full: Callable[[DataDir], None] | None = None
        """Called for each write that found no space."""
        self.dirs = [DataDir(os.path.normpath(p), self.files, self.settings) for p in paths]
        self._where: dict[Key, DataDir] = {}
        self._broken: dict[Key, DataDir] = {}
        """Where logs are that somebody else has cut."""
        self._unclaimed: set[Key] = set()
        """What was found at the start and nobody has asked to serve since."""
        self._background: Background | None = None
        self._upkeep = Upkeep(self.settings, lambda: self.online)
        self.moves = ReplicaMoves(self)

    # -- start -------------------------------------------------------------------------------------

    def open(self, now: float) -> None:
        """Lock and load all directories; after an unclean stop, recover them. ``now`` as for
        :meth:`tick`.

        Raises StorageError if a directory is in use, belongs to another broker, or none works.
        """
        self._check_paths()
        try:
            for data_dir in self.dirs:
                self._open_dir(data_dir)
        except BaseException:
            self._unlock_all()
            raise
        if not self.online:
            reasons = "; ".join(str(d.home.error) for d in self.dirs)
            raise StorageError(f"none of the log directories can be used: {reasons}")
        self._background = background = Background(max(4, len(self.dirs)), self.wake)
        for data_dir in self.online:
            home = data_dir.home
            home.on_failure = partial(self._failed, data_dir)
            home.on_shortened = partial(self._shortened, data_dir)
            home.on_full = partial(self._filled, data_dir)
            home.on_flushed = self.on_flushed
            home.submitted = background.submit
            home.delete_later = background.schedule
            if data_dir.lacks_room:
                self._filled(data_dir, home)
            for name in data_dir.take_doomed():
                self.remove_directory(data_dir, name)
        self._unclaimed = set(self._where)
        self._upkeep.start(now)
        self.moves.resume()

    def _check_paths(self) -> None:
        if not self.dirs:
            raise StorageError("log.dirs names no directory")
        real = [self.files.real_path(d.path) for d in self.dirs]
        if len(set(real)) < len(real):
            raise StorageError(f"Duplicate log directory found: {', '.join(real)}")

    def _open_dir(self, data_dir: DataDir) -> None:
        try:
            data_dir.take(self.broker_id, self.cluster_id)
            data_dir.load()
            if not data_dir.clean:
                data_dir.recover(self.config_of)
        except OSError as error:
            _log.error("log directory %s cannot be used: %s", data_dir.path, error)
            data_dir.home.error = error
            data_dir.abandon()
            data_dir.unlock()
            return
        for key in list(data_dir.partitions):
            other = self._where.setdefault(key, data_dir)
            if other is not data_dir:
                self._where[key] = self.moves.settle(key, other, data_dir)

    # -- look-ups ----------------------------------------------------------------------------------

    @property
    def online(self) -> list[DataDir]:
        """The directories that work."""
        return [d for d in self.dirs if d.online]

    @property
    def offline(self) -> list[str]:
        """Paths of the directories that failed."""
        return [d.path for d in self.dirs if not d.online]

    def get(self, topic: str, partition: int) -> Log | None:
        """The log of a partition; None if it is not here or its directory failed."""
        data_dir = self._where.get((topic, partition))
        if data_dir is None:
            return None
        return data_dir.log_of((topic, partition), self.config_of)

    def directory_of(self, key: Key) -> DataDir | None:
        """The data directory a partition is in; None if it is not here."""
        return self._where.get(key)

    def moved(self, key: Key, data_dir: DataDir) -> None:
        """A partition is in another directory now."""
        self._where[key] = data_dir

    def partitions(self) -> list[Key]:
        """(topic, partition) of every log here; opens none."""
        return list(self._where)

    def served(self) -> list[Key]:
        """The same without those that were found at the start and that no controller has named
        since: what is left of deleted topics, or somebody else's."""
        return [key for key in self._where if key not in self._unclaimed]

    def claim(self, key: Key) -> bool:
        """A controller names a partition: whether its log is here, which is served from now on."""
        self._unclaimed.discard(key)
        return key in self._where

    def __len__(self) -> int:
        return len(self._where)

    def update_config(self, topic: str, config: TopicConfig) -> None:
        """A topic's settings changed: logs in use get them at once, others when they are made."""
        for data_dir in self.online:
            data_dir.forget_expiry(topic)
            for key, log in data_dir.partitions.items():
                if key[0] == topic and log is not None:
                    log.update_config(config)

    def describe(self) -> Steps[list[DirDescription]]:
        """Every configured directory with what is in it. Sizes of unused logs are looked up."""
        from pykafka_ops.broker.storage.describe import describe

        found = []
        for each in self.dirs:
            description = yield from describe(each)
            found.append(description)
        return found

    # -- creating and deleting ---------------------------------------------------------------------

    def create(
        self,
        topic: str,
        partition: int,
        topic_id: bytes | None = None,
        config: TopicConfig | None = None,
        *,
        directory: str | None = None,
        is_new: bool = True,
    ) -> Log:
        """The partition's log, made in ``directory`` or where fewest partitions are.

        ``is_new`` says that the broker never had it; otherwise it is refused while a directory is
        offline, which may hold it. Raises KafkaError KAFKA_STORAGE_ERROR, INCONSISTENT_TOPIC_ID,
        LOG_DIR_NOT_FOUND, INVALID_TOPIC_EXCEPTION for what must not become a directory's name.
        """
        check_place(topic, partition)
        self.claim((topic, partition))
        log = self.get(topic, partition)
        if log is not None:
            if topic_id is not None:
                log.place.assign_topic_id(topic_id)
            return log
        if (topic, partition) in self._broken:
            raise KafkaError(
                ErrorCode.KAFKA_STORAGE_ERROR, f"the log of {topic}-{partition} was cut"
            )
        if not is_new and self.offline:
            raise KafkaError(
                ErrorCode.KAFKA_STORAGE_ERROR,
                f"Can not create log for {topic}-{partition} because log directories "
                f"{','.join(self.offline)} are offline",
            )
        preferred = self.moves.preferred((topic, partition))
        data_dir = self._choose(directory) if preferred is None else preferred
        settings = self.config_of(topic) if config is None else config
        log = Log.create(PartitionDir(data_dir.home, topic, partition, settings, topic_id=topic_id))
        key = log.place.key
        data_dir.partitions[key] = log
        self._where[key] = data_dir
        self._upkeep.log_made()
        return log

    def _choose(self, directory: str | None) -> DataDir:
        if directory is not None:
            wanted = os.path.normpath(directory)
            for data_dir in self.dirs:
                if data_dir.path == wanted:
                    data_dir.home.check()
                    return data_dir
            raise KafkaError(
                ErrorCode.LOG_DIR_NOT_FOUND, f"Log dir {directory} is not found in the config."
            )
        online = self.online
        if not online:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "No log directories available")
        if len(online) == 1:  # the usual, and partitions are made by the thousand
            return online[0]
        return min(online, key=lambda d: (d.home.full, len(d.partitions)))

    def delete(self, topic: str, partition: int) -> bool:
        """Take a partition out; its files go after ``file.delete.delay.ms``. Whether it was here.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        key = (topic, partition)
        self.moves.cancel(key)
        data_dir = self._where.pop(key, None) or self._broken.pop(key, None)
        if data_dir is None:
            return False
        started = key in data_dir.start_offsets
        log = data_dir.forget(key)
        config = self.config_of(topic) if log is None else log.config
        name = names.marked_dir(topic, partition, "delete", os.urandom(16).hex())
        old, new = (
            f"{data_dir.path}/{names.partition_dir(topic, partition)}",
            f"{data_dir.path}/{name}",
        )
        try:
            if log is not None:
                log.abandon()
            self.files.rename(old, new)
        except OSError as error:
            raise data_dir.home.fail(error) from error
        data_dir.home.names_changed()
        if started:  # a topic of the same name must not inherit the log start
            with suppress(KafkaError):  # a full disk: it is tried again
                data_dir.write_start_offsets()
        self.remove_directory(data_dir, name, config.file_delete_delay_ms)
        return True

    def remove_directory(self, data_dir: DataDir, name: str, delay_ms: int = 0) -> None:
        """Remove a directory ``name`` that is marked as deleted, after ``delay_ms``."""
        path = f"{data_dir.path}/{name}"
        job = FilesJob(
            data_dir.home, lambda: self.files.remove_tree(path), data_dir.home.names_changed
        )
        if delay_ms:
            data_dir.home.schedule(delay_ms, lambda: data_dir.home.submit(job))
        else:
            data_dir.home.submit(job)

    # -- background --------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Take in what other threads finished and do what is due at ``now`` (of
        ``settings.timer``)."""
        if self._background is None:
            return
        self._background.tick(now)
        self._upkeep.tick(now)

    # -- failure and the end -----------------------------------------------------------------------

    def _filled(self, data_dir: DataDir, _: LogHome) -> None:
        if self.on_full is not None:
            self.on_full(data_dir)

    def _shortened(self, data_dir: DataDir, error: ShortenedError) -> None:
        """One log is not what it was: its partition is gone until the next start."""
        parsed = names.parse_dir(os.path.basename(os.path.dirname(error.filename)))
        key = (parsed.topic, parsed.partition) if parsed is not None else None
        if key is None or self._where.get(key) is not data_dir:
            return
        _log.error("%s: %s-%d is offline until the next start", error.strerror, *key)
        self.moves.cancel(key)
        del self._where[key]
        self._broken[key] = data_dir
        log = data_dir.partitions.pop(key)
        if log is not None:
            log.abandon()
        if self.on_offline is not None:
            self.on_offline(data_dir.path, [key], False)

    def _failed(self, data_dir: DataDir, _: LogHome, error: OSError) -> None:
        """A directory failed: its partitions are gone until the next start."""
        _log.error("log directory %s failed and is taken offline: %s", data_dir.path, error)
        self.moves.dir_failed(data_dir)
        gone = data_dir.abandon()
        for key in gone:
            self._where.pop(key, None)
        data_dir.unlock()
        if self.on_offline is not None:
            self.on_offline(data_dir.path, gone, not self.online)

    def checkpoint(self) -> None:
        """Write all checkpoint files that changed, now."""
        for data_dir in self.online:
            data_dir.write_checkpoints()

    def close(self, broker_epoch: int = -1) -> None:
        """Make everything durable, mark the directories as cleanly stopped, unlock them.

        ``broker_epoch`` goes into the marker. A directory that fails on the way is left without.
        """
        self.moves.stop()
        if self._background is not None:
            self._background.stop()
            self._background = None
        for data_dir in self.online:
            data_dir.home.submitted = data_dir.home.delete_later = None
        self.moves.close()
        for data_dir in self.online:
            for key in data_dir.recovered():
                with suppress(KafkaError):  # its directory failed
                    data_dir.log_of(key, self.config_of).open()
        torn = close_logs(self.online)
        self.checkpoint()
        for data_dir in self.online:
            if data_dir in torn:
                continue
            try:
                data_dir.mark_clean(broker_epoch)
            except OSError as error:
                _log.error("log directory %s: no clean stop: %s", data_dir.path, error)
        for data_dir in self.dirs:
            data_dir.abandon()
        self._where.clear()
        self._unlock_all()

    def _unlock_all(self) -> None:
        for data_dir in self.dirs:
            data_dir.unlock()
