"""The commits of one group over time, from a live cluster or from segment files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.commits.history import Key
from pykafka_ops.analysis.lag.rows import Sample
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.commit_log import commits_since
from pykafka_ops.commands.dump_log.segments import Reading, plain_section, segments
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.commits import CommitReader
from pykafka_ops.errors import CorruptBatchError

History = dict[Key, list[Commit]]


class CommitsFound(NamedTuple):
    """Commits by partition, in order; the exit code that damaged files mean."""

    history: History
    code: int = 0


def from_cluster(cluster: Cluster, group: str, since: int) -> CommitsFound:
    """Read back from ``__consumer_offsets`` of the cluster."""
    found = commits_since(cluster, since, {group})
    return CommitsFound({(topic, p): commits for (_, topic, p), commits in sorted(found.items())})


def from_files(paths: Sequence[str], group: str, since: int) -> CommitsFound:
    """Read from segment files of ``__consumer_offsets``, on behind what is damaged."""
    reading = Reading()
    history: History = {}
    reader = CommitReader({group})
    for segment in segments(paths):
        for batch in reading.batches(segment):
            header = batch.header
            if not isinstance(header, BatchHeader) or header.is_control:
                continue
            if header.max_timestamp < since:
                continue
            try:
                for (_, topic, p), stamp, offset in reader.read(plain_section(batch), header):
                    history.setdefault((topic, p), []).append(Commit(stamp, offset))
            except CorruptBatchError as error:
                reading.malformed(segment, batch, str(error))
    kept = {k: [c for c in commits if c.timestamp >= since] for k, commits in history.items()}
    return CommitsFound({k: kept[k] for k in sorted(kept) if kept[k]}, reading.close())


def ends_at(cluster: Cluster, keys: Sequence[Key], times: Sequence[int]) -> dict[Key, list[Sample]]:
    """Where the logs ended at each time: a question per time for all partitions together."""
    latest = {p: o for p, o in _ask(cluster, keys, offsets.LATEST).items() if o >= 0}
    samples: dict[Key, list[Sample]] = {key: [] for key in latest}
    for time in times:
        for key, offset in _ask(cluster, list(latest), time).items():
            samples[key].append((time, offset if offset >= 0 else latest[key]))
    return samples


def _ask(cluster: Cluster, keys: Sequence[Key], moment: int) -> dict[Key, int]:
    return {p: o.offset for p, o in offsets.known_offsets(cluster, keys, moment).items()}
