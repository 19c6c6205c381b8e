"""The broker's settings as storage wants them."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.storage.log_home import StorageSettings


def storage_settings(
    configs: BrokerConfigs, clock: Callable[[], int], timer: Callable[[], float]
) -> StorageSettings:
    """``clock`` gives ms since 1970, ``timer`` monotonic ms."""
    get = configs.value
    return StorageSettings(
        clock=clock,
        timer=timer,
        recovery_threads_per_dir=get("num.recovery.threads.per.data.dir"),
        producer_id_expiration_ms=get("producer.id.expiration.ms"),
        producer_id_expiration_check_ms=get("producer.id.expiration.check.interval.ms"),
        verify_transactions=get("transaction.partition.verification.enable"),
        flush_check_ms=get("log.flush.scheduler.interval.ms"),
        recovery_point_checkpoint_ms=get("log.flush.offset.checkpoint.interval.ms"),
        log_start_checkpoint_ms=get("log.flush.start.offset.checkpoint.interval.ms"),
        move_threads=get("num.replica.alter.log.dirs.threads") or 0,
        high_watermark_checkpoint_ms=get("replica.high.watermark.checkpoint.interval.ms"),
    )
