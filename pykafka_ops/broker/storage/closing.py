"""The clean stop of all logs (``LogManager.shutdown``)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from pykafka_ops.broker.storage.data_dir import DataDir
from pykafka_ops.broker.storage.log.durability import FlushJob
from pykafka_ops.errors import KafkaError

_THREADS = 16
_MANY = 100
"""From so many logs on, a directory's file system is synced as a whole: five files and a directory
of each would be synced one by one otherwise."""

_log = logging.getLogger("kafka.log.LogManager")


def close_logs(data_dirs: Sequence[DataDir]) -> set[DataDir]:
    """Write what the logs in use have in memory, then sync it; the directories in which that did
    not work, say because the disk is full. Their recovery points are the logs' ends afterwards."""
    torn: set[DataDir] = set()
    single: list[FlushJob] = []
    for data_dir in data_dirs:
        jobs = _write_out(data_dir, torn)
        if len(jobs) < _MANY or not _sync_all(data_dir, jobs):
            single += jobs
    if single:
        with ThreadPoolExecutor(min(_THREADS, len(single))) as pool:
            list(pool.map(FlushJob.run, single))
    for job in single:
        job.done()
    return torn


def _write_out(data_dir: DataDir, torn: set[DataDir]) -> list[FlushJob]:
    jobs = []
    for log in data_dir.open_logs():
        try:
            job = log.durability.close_job()
        except KafkaError as error:
            _log.error("closing %s: %s", log.place.path, error)
            torn.add(data_dir)
            continue
        if job is not None:
            jobs.append(job)
    return jobs


def _sync_all(data_dir: DataDir, jobs: Sequence[FlushJob]) -> bool:
    """Whether everything was synced, or tried in vain, in one go."""
    error: OSError | None = None
    try:
        if not data_dir.files.sync_all(data_dir.path):
            return False
    except OSError as failed:
        error = failed
    for job in jobs:
        job.error = error
        job.done()
    return True
