"""Follows the topic of an offset map, and answers from it.

Only records of committed transactions count. Memory: under 1 kB for each partition of the target,
24 bytes a run, at most about 3000 runs a partition (``kept.py``).
"""

from __future__ import annotations

import sys
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Final

from pykafka_ops.client import offsets as ends
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import FetchedBatches, committed_from, end_of, fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError, KafkaError, PkoError
from pykafka_ops.mirror.offsets.kept import KeptMap, MapPiece
from pykafka_ops.mirror.offsets.records import decode_key, decode_value, map_place
from pykafka_ops.mirror.offsets.runs import OffsetMap, Translated
from pykafka_ops.wire.codes import ErrorCode

PARTITION_BYTES: Final = 1 << 20
PAUSE: Final = 0.02
"""Seconds between looks at a transaction that is being ended."""
AT_HAND: Final = 64
"""Full records that were read again and are kept for the next question."""


class MapReader:
    """The maps of partitions of the target, as of the last ``catch_up``.

    ``only``: just these partitions. ``pieces``: remember which records there are, for a rewrite
    (``upkeep.py``). ``whole``: keep every run in memory. ``damaged`` counts records that could not
    be read; they are left out.
    """

    def __init__(
        self,
        cluster: Cluster,
        topic: str,
        *,
        only: Collection[Partition] | None = None,
        pieces: bool = False,
        whole: bool = False,
    ) -> None:
        self.cluster, self.topic = cluster, topic
        self.partitions = 0
        """Of the map's topic; 0 while there is none."""
        self.damaged = 0
        self.maps: dict[Partition, KeptMap] = {}
        self._kind = {"pieces": pieces, "whole": whole}
        self._only = None if only is None else frozenset(only)
        self._positions: dict[Partition, int] = {}
        self._at_hand: OrderedDict[tuple[Partition, int], OffsetMap] = OrderedDict()

    # --- answers ---------------------------------------------------------------------------------

    def translate(self, target: Partition, offset: int) -> Translated | None:
        """The target's offset for the source's ``offset`` of the partition that became ``target``;
        None: nothing is known of it. Raises PkoError where an old record cannot be read again."""
        return self._answer(target, offset, back=False)

    def back(self, target: Partition, offset: int) -> Translated | None:
        """The source's offset for one of the target."""
        return self._answer(target, offset, back=True)

    def _answer(self, target: Partition, offset: int, *, back: bool) -> Translated | None:
        kept = self.maps.get(target)
        if kept is None:
            return None
        found, piece = kept.look(offset, back=back)
        if piece is None:
            return found
        older = self._load(target, piece)
        old = older.back(offset) if back else older.translate(offset)
        return found if old is not None and old.where == "end" else old

    def _load(self, target: Partition, piece: MapPiece) -> OffsetMap:
        """The runs of a full record, read again."""
        place = self.topic, map_place(target, self.partitions)
        name = place, piece.at
        found = self._at_hand.get(name)
        if found is None:
            found = self._at_hand[name] = self._fetch(target, piece, place)
            if len(self._at_hand) > AT_HAND:
                self._at_hand.popitem(last=False)
        self._at_hand.move_to_end(name)
        return found

    def _fetch(self, target: Partition, piece: MapPiece, place: Partition) -> OffsetMap:
        answer = fetch(self.cluster, {place: piece.at}, read_committed=True)[place]
        if isinstance(answer, PkoError):
            raise answer
        for record in committed_from(answer.records, piece.at, answer.aborted):
            key = decode_key(record.key)
            same = (key.topic, key.partition) == target and key[2:] == piece.name
            if same and record.value is not None:
                return OffsetMap(decode_value(key, record.value))
        return OffsetMap()

    def prune(self, starts: Mapping[Partition, tuple[int, int]]) -> int:
        """Forget what is below the begins of the logs (source, target), by target partition; how
        many runs that were."""
        known = ((self.maps.get(target), both) for target, both in starts.items())
        return sum(kept.prune(*both) for kept, both in known if kept is not None)

    # --- reading ---------------------------------------------------------------------------------

    def catch_up(self, *, settled: bool = False) -> None:
        """Read up to where the topic ends now.

        ``settled``: also what belongs to transactions that are being ended; they are waited for, up
        to the time that a call may take. Raises PkoError where the topic cannot be read.
        """
        self._find()
        until = self._offsets(self._positions, ends.LATEST, committed=not settled)
        deadline = time.monotonic() + self.cluster.config.api_timeout
        while behind := [p for p, at in self._positions.items() if at < until.get(p, 0)]:
            if not self._read(behind):
                if not settled:
                    break
                if time.monotonic() > deadline:
                    raise PkoError(f"{self.topic} has a transaction that does not end")
                time.sleep(PAUSE)

    def _find(self) -> None:
        """Learn the topic's partitions, and where each of them begins."""
        found = describe_topics(self.cluster, [self.topic]).get(self.topic)
        if isinstance(found, TopicDescription):
            self.partitions = len(found.partitions)
        elif found is None or found.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            self._forget(None)
            return
        else:
            raise found
        wanted = set(range(self.partitions))
        if self._only is not None:
            wanted = {map_place(p, self.partitions) for p in self._only}
        self._begin([(self.topic, n) for n in wanted if (self.topic, n) not in self._positions])

    def _begin(self, places: Collection[Partition]) -> None:
        self._positions.update(self._offsets(places, ends.EARLIEST))

    def _offsets(
        self, places: Collection[Partition], which: int, *, committed: bool = False
    ) -> dict[Partition, int]:
        asked = dict.fromkeys(places, which)
        found = {}
        if asked:
            answers = ends.list_offsets(self.cluster, asked, read_committed=committed)
            for place, got in answers.items():
                if isinstance(got, PkoError):
                    raise got
                found[place] = got.offset
        return found

    def _read(self, places: Collection[Partition]) -> bool:
        """One question per leader; whether a position moved."""
        before = {place: self._positions[place] for place in places}
        most = PARTITION_BYTES
        answers = fetch(self.cluster, before, partition_bytes=most, read_committed=True)
        for place, answer in answers.items():
            if isinstance(answer, FetchedBatches):
                self._positions[place] = self._take(answer, before[place])
            elif isinstance(answer, KafkaError) and answer.code == ErrorCode.OFFSET_OUT_OF_RANGE:
                self._forget(place[1])
                self._begin([place])
            else:
                raise answer
        return any(self._positions[place] != at for place, at in before.items())

    def _forget(self, place: int | None) -> None:
        """The topic, or one of its partitions, was made anew."""
        for target in list(self.maps):
            if place is None or map_place(target, self.partitions) == place:
                del self.maps[target]
        self._at_hand.clear()
        if place is None:
            self._positions.clear()
            self.partitions = 0

    def _take(self, answer: FetchedBatches, offset: int) -> int:
        """Learn the records of an answer; the offset behind it."""
        try:
            for record in committed_from(answer.records, offset, answer.aborted):
                self.learn(record)
        except CorruptError:
            self.damaged += 1
        return end_of(answer.records, offset)

    def learn(self, record: Record) -> None:
        """Take in one record of the topic."""
        try:
            key = decode_key(record.key)
            target = sys.intern(key.topic), key.partition
            if self._only is not None and target not in self._only:
                return
            if record.value is not None:
                runs = decode_value(key, record.value)
                self.kept(target).learn(key, runs, record.offset)
            elif target in self.maps:
                self.maps[target].gone(key)
        except CorruptError:
            self.damaged += 1

    def kept(self, target: Partition) -> KeptMap:
        """What is kept of a partition, from now on."""
        found = self.maps.get(target)
        if found is None:
            found = self.maps[target] = KeptMap(**self._kind)
        return found
