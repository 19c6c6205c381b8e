"""The directory of one partition's log: its name, its topic's settings and id."""

from __future__ import annotations

from contextlib import suppress

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log_home import DiskErrors, LogHome
from pykafka_ops.disk import names
from pykafka_ops.disk.checkpoint import format_partition_metadata, parse_partition_metadata
from pykafka_ops.errors import CorruptIndexError, KafkaError
from pykafka_ops.wire.codes import ErrorCode


class PartitionDir:
    """``path`` is the directory's, ``name`` is ``topic-partition``, ``home`` what it shares with
    all logs of the data directory. ``config`` may be replaced at any time."""

    __slots__ = ("_topic_id", "_topic_id_read", "config", "home", "key", "name", "path")

    def __init__(
        self,
        home: LogHome,
        topic: str,
        partition: int,
        config: TopicConfig,
        *,
        path: str | None = None,
        topic_id: bytes | None = None,
    ) -> None:
        self.home = home
        self.key = (topic, partition)
        self.name = f"{topic}-{partition}"
        self.path = path or f"{home.path}/{self.name}"
        self.config = config
        self._topic_id = topic_id
        self._topic_id_read = topic_id is not None

    def disk_errors(self) -> DiskErrors:
        """What the disk fails at inside becomes KafkaError KAFKA_STORAGE_ERROR."""
        return self.home.disk_errors

    # -- topic id ----------------------------------------------------------------------------------

    @property
    def topic_id(self) -> bytes | None:
        """The topic's id (16 bytes) as ``partition.metadata`` has it, None without one.

        A damaged file is as good as none. Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        if not self._topic_id_read:
            self._topic_id_read = True
            with self.disk_errors(), suppress(FileNotFoundError, CorruptIndexError):
                data = self.home.files.read(f"{self.path}/{names.PARTITION_METADATA}")
                self._topic_id = parse_partition_metadata(data.decode("ascii", "replace"))
        return self._topic_id

    def assign_topic_id(self, topic_id: bytes) -> None:
        """Give the partition its topic id and store it.

        Raises KafkaError INCONSISTENT_TOPIC_ID if it has another, KAFKA_STORAGE_ERROR.
        """
        if self.topic_id is None:
            self._topic_id = topic_id
            self.write_topic_id()
        elif self.topic_id != topic_id:
            raise KafkaError(
                ErrorCode.INCONSISTENT_TOPIC_ID,
                f"Tried to assign another topic ID to log for topic partition {self.name}",
            )

    def write_topic_id(self) -> None:
        """Store the topic id, if there is one. Raises KafkaError KAFKA_STORAGE_ERROR.

        A file that a crash left half written is as good as none: the controller tells the id again.
        """
        if self._topic_id is not None:
            data = format_partition_metadata(self._topic_id).encode()
            with self.disk_errors():
                self.home.files.write(f"{self.path}/{names.PARTITION_METADATA}", data)

    # -- what the cleaner has done -----------------------------------------------------------------

    @property
    def cleaned_to(self) -> int | None:
        """Where the part begins that was not compacted yet; None if it never was."""
        return self.home.cleaner_offsets.get(self.key)

    @cleaned_to.setter
    def cleaned_to(self, offset: int) -> None:
        self.home.cleaner_offsets[self.key] = offset

    def forget_cleaned(self, offset: int) -> None:
        """The log is cut: what will come again from ``offset`` on is dirty."""
        cleaned = self.cleaned_to
        if cleaned is not None and cleaned > offset:
            self.cleaned_to = offset
