"""The log of one partition on disk, as Apache Kafka 3.9 keeps it (``UnifiedLog``, ``LocalLog``).

``Log`` is put together from ``log_append`` (leader and follower), ``log_read``, ``log_truncate``,
``log_compact`` (the cleaner's side), ``log_segments`` (rolling, flushing, retention, closing) and
``log_state`` (offsets, opening).
"""

from __future__ import annotations

from contextlib import suppress

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.storage.log_append import AppendInfo, LogAppend
from pykafka_ops.broker.storage.log_compact import LogCompact
from pykafka_ops.broker.storage.log_dir import LogDir
from pykafka_ops.broker.storage.log_read import ColdRead, FoundOffset, LogRead, ReadResult
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.broker.storage.validate import RecordsRejectedError
from pykafka_ops.errors import KafkaError

__all__ = [
    "AppendInfo",
    "ColdRead",
    "FoundOffset",
    "Log",
    "Origin",
    "ReadResult",
    "RecordsRejectedError",
]


class Log(LogAppend, LogRead, LogCompact):
    """One replica's log. Not safe for several threads; only jobs and cold reads may leave its own.

    ``high_watermark`` is set by who knows the replicas. Offsets, bytes, ms throughout.
    """

    __slots__ = ()

    @classmethod
    def create(
        cls,
        log_dir: LogDir,
        topic: str,
        partition: int,
        config: TopicConfig,
        *,
        topic_id: bytes | None = None,
        directory: str | None = None,
    ) -> Log:
        """A new, empty log with its files.

        Raises KafkaError KAFKA_STORAGE_ERROR; then no directory is left behind.
        """
        log_dir.check()
        files = log_dir.files
        log = cls(
            log_dir, topic, partition, config, directory=directory, topic_id=topic_id, end_offset=0
        )
        try:
            files.make_directory(log.directory)
            try:
                log.adopt(Segment.create(files, log.directory, 0, config, log_dir.settings.clock()))
                if topic_id is not None:
                    log.write_topic_id()
            except (OSError, KafkaError):
                with suppress(OSError):
                    files.remove_tree(log.directory)
                raise
        except OSError as error:
            raise log_dir.fail(error) from error
        return log
