"""A broker's storage dies at any change of any file, also while it recovers: nothing is lost."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log.log import Log
from tests.support.memory.logs import batch_of, values
from tests.support.memory.mortal_files import MortalFiles, PowerCutError
from tests.support.memory.storage_site import Site

KEYS = [("t", 0), ("t", 1), ("u", 0)]
STEPS = 30


class History:
    """Random work on three logs in two directories, and what must be there after a crash.

    ``sent`` has all records in order, ``acked`` how many of them were acknowledged, ``durable``
    how many must survive a power cut.
    """

    def __init__(self, seed: int, *, power: bool, flush_messages: int) -> None:
        self.random = random.Random(seed)
        self.power = power
        self.files = MortalFiles()
        self.site = Site(self.files)
        self.site.config = TopicConfig(
            segment_bytes=500,
            index_interval_bytes=100,
            file_delete_delay_ms=0,
            flush_messages=flush_messages,
        )
        self.sent: dict[tuple[str, int], list[bytes]] = {key: [] for key in KEYS}
        self.acked = dict.fromkeys(KEYS, 0)
        self.durable = dict.fromkeys(KEYS, 0)

    # -- life ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start; everything runs on this thread, so that a seed tells all."""
        self.site.start()
        for data_dir in self.site.logs.dirs:
            data_dir.home.submitted = data_dir.home.delete_later = None
        for key in KEYS:
            self.site.logs.create(*key)

    def begin(self) -> None:
        """The first record of each log is flushed and the checkpoints are written: recovery knows
        from where on nothing but the tail can be missing."""
        for key in KEYS:
            self.sent[key] = [b"first"]
            self.log(key).append_as_leader(batch_of(b"first"), leader_epoch=0, now=self.site.now)
            self.log(key).flush()
            self.acked[key] = self.durable[key] = 1
        self.site.logs.checkpoint()

    def log(self, key: tuple[str, int]) -> Log:
        found = self.site.logs.get(*key)
        assert found is not None
        return found

    def work(self) -> None:
        """Some steps, which end where the process dies."""
        steps: list[Callable[[], None]] = [self.append, self.append, self.append, self.flush]
        steps += [self.roll, self.tick, self.delete_records, self.restart]
        try:
            for _ in range(STEPS):
                self.random.choice(steps)()
                self.note()
        except PowerCutError:
            pass

    def note(self) -> None:
        for key in KEYS:
            log = self.site.logs.get(*key)
            point = 0 if log is None or not log.is_open else log.durability.recovery_point
            if log is not None and point > log.log_start_offset:
                self.durable[key] = max(self.durable[key], point)

    def crash(self) -> None:
        """The process is gone; a power cut also takes some of what was not synced."""
        self.files.live()
        if self.power:
            self.files.lose_unsynced(self.torn)
        self.site.kill()

    def torn(self, path: str, durable: bytes, data: bytes) -> bytes:
        """All that was synced, and of the rest nothing, a part, or zeros."""
        if not data.startswith(durable):
            return self.random.choice([durable, data])
        rest = data[len(durable) :]
        kept = rest[: self.random.randint(0, len(rest))]
        zeros = self.random.choice([0, 0, len(rest) - len(kept)])
        return durable + kept + bytes(zeros)

    # -- steps -----------------------------------------------------------------------------------

    def append(self) -> None:
        key = self.random.choice(KEYS)
        log = self.log(key)
        count = self.random.randint(1, 4)
        new = [b"%d-%d" % (len(self.sent[key]), n) for n in range(count)]
        self.sent[key] += new
        log.append_as_leader(batch_of(*new), leader_epoch=0, now=self.site.now)
        self.acked[key] = len(self.sent[key])
        if log.config.flush_messages == 1:
            self.durable[key] = self.acked[key]
        log.raise_high_watermark(log.log_end_offset)

    def flush(self) -> None:
        self.log(self.random.choice(KEYS)).flush()

    def roll(self) -> None:
        self.log(self.random.choice(KEYS)).roll()

    def tick(self) -> None:
        self.site.now += 61_000
        self.site.logs.tick(self.site.now)

    def delete_records(self) -> None:
        log = self.log(self.random.choice(KEYS))
        log.delete_records(self.random.randint(log.log_start_offset, log.high_watermark))
        log.delete_old_segments(self.site.now)

    def restart(self) -> None:
        self.site.logs.close()
        for key in KEYS:
            self.durable[key] = self.acked[key]
        self.start()

    # -- afterwards ------------------------------------------------------------------------------

    def check(self) -> None:
        """Each log is a stretch of what was sent, up to no less than what may not be lost."""
        for key in KEYS:
            log = self.log(key)
            start, end = log.log_start_offset, log.log_end_offset
            least = self.durable[key] if self.power else self.acked[key]
            assert least <= end <= len(self.sent[key])
            found = values(log, start)
            assert found == [(n, self.sent[key][n]) for n in range(start, end)]
            del self.sent[key][end:]
            self.acked[key] = self.durable[key] = end


@given(
    seed=st.integers(0, 2**32),
    last=st.integers(1, 250),
    again=st.lists(st.integers(1, 40), max_size=2),
    power=st.booleans(),
    flush_messages=st.sampled_from([1, 2**63 - 1]),
)
@settings(max_examples=80, deadline=None)
def test_whenever_it_dies(
    seed: int, last: int, again: list[int], power: bool, flush_messages: int
) -> None:
    history = History(seed, power=power, flush_messages=flush_messages)
    history.start()
    history.begin()
    history.files.live(last)
    history.work()
    history.crash()
    for moment in again:  # it dies while it recovers, too
        history.files.live(moment)
        with contextlib.suppress(PowerCutError):
            history.start()
        history.crash()
    history.start()
    history.check()
    history.work()
    history.crash()
    history.start()
    history.check()
