"""Random histories of one log against a model: appends, cuts, rolls, crashes, power cuts."""

from __future__ import annotations

import errno
import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pykafka_ops.broker.storage.recovery import Recovery
from pykafka_ops.errors import KafkaError
from tests.support.memory.logs import World, batch_of, headers, values

OPEN = 2**62
SMALL = {"segment_bytes": 600, "index_interval_bytes": 100, "segment_index_bytes": 4096}


class LogMachine(RuleBasedStateMachine):
    """``model`` holds (offset, value) of every record, ``durable`` the offset up to which a power
    cut may not lose anything; producers 1 and 2 send in sequence, one in transactions."""

    @initialize()
    def begin(self) -> None:
        self.world = World(file_delete_delay_ms=0, **SMALL)
        self.model: list[tuple[int, bytes]] = []
        self.batches: list[int] = []
        self.start = 0
        self.durable = 0
        self.end = 0
        self.sequences = {1: 0, 2: 0}
        self.in_txn = False
        self.txns: list[list[int]] = []
        self.unsure: set[int] = set()
        self.count = 0
        self.epoch = 0

    @property
    def log(self):  # type: ignore[no-untyped-def]
        return self.world.log

    def note(self, first: int, sent: list[bytes]) -> None:
        self.model += [(first + n, v) for n, v in enumerate(sent)]
        self.batches.append(first)
        self.end = first + len(sent)

    # -- writing -----------------------------------------------------------------------------------

    @rule(sizes=st.lists(st.integers(0, 60), min_size=1, max_size=5), later=st.integers(-500, 1000))
    def append(self, sizes: list[int], later: int) -> None:
        self.count += 1
        sent = [b"%d:" % self.count + b"x" * size for size in sizes]
        info = self.world.append(*sent, timestamp=self.world.now + later, epoch=self.epoch)
        assert info.first_offset == self.end
        self.note(self.end, sent)

    @rule(producer=st.sampled_from([1, 2]), number=st.integers(1, 3))
    def append_in_sequence(self, producer: int, number: int) -> None:
        self.count += 1
        sent = [b"%d" % self.count] * number
        batch = {
            "producer_id": producer,
            "producer_epoch": 0,
            "base_sequence": self.sequences[producer],
            "transactional": producer == 2,
        }
        info = self.world.append(*sent, epoch=self.epoch, **batch)
        assert (info.first_offset, info.duplicate) == (self.end, False)
        self.note(self.end, sent)
        self.sequences[producer] += number
        if producer == 2 and not self.in_txn:
            self.in_txn = True
            self.txns.append([info.first_offset, OPEN, 0])
        again = self.world.append(*sent, epoch=self.epoch, **batch)
        assert (again.first_offset, again.duplicate) == (info.first_offset, True)

    @rule(commit=st.booleans())
    def end_transaction(self, commit: bool) -> None:
        info = self.world.end_txn(2, commit=commit)
        assert info.first_offset == self.end
        if self.in_txn:
            self.txns[-1][1:] = [self.end, not commit]
        elif self.unsure:
            self.unsure.add(self.end)
        self.note(self.end, [b"marker"])
        self.in_txn = False

    @rule(error=st.sampled_from([errno.ENOSPC]), short=st.integers(0, 70))
    def append_to_a_full_disk(self, error: int, short: int) -> None:
        self.world.files.fail("append", error=error, match=".log", short=short)
        with pytest.raises(KafkaError):
            self.world.append(b"y" * 30, epoch=self.epoch)
        self.world.files.crash()

    @rule()
    def next_epoch(self) -> None:
        self.epoch += 1

    # -- segments ----------------------------------------------------------------------------------

    @rule()
    def roll(self) -> None:
        self.log.roll()
        self.durable = max(self.durable, self.log.durability.recovery_point)

    @rule()
    def flush(self) -> None:
        self.log.flush()
        assert self.log.durability.recovery_point == self.end
        self.durable = self.end

    @precondition(lambda self: self.model)
    @rule(where=st.floats(0, 1))
    def truncate(self, where: float) -> None:
        begins = [b for b in self.batches if b >= self.start]
        if not begins:
            return
        offset = begins[int(where * (len(begins) - 1))]
        assert self.log.truncate_to(offset)
        self.cut(offset)
        self.resync()

    def cut(self, offset: int) -> None:
        self.model = [m for m in self.model if m[0] < offset]
        self.batches = [b for b in self.batches if b < offset]
        self.end = offset
        self.durable = min(self.durable, offset)
        self.unsure = {u for u in self.unsure if u < offset or u == OPEN}
        self.txns = [t for t in self.txns if t[0] < offset]
        for txn in self.txns:
            if OPEN > txn[1] >= offset:
                txn[1:] = [OPEN, 0]

    def resync(self) -> None:
        """What producers may do next follows from the log after a cut."""
        for producer in (1, 2):
            state = self.log.producers.get(producer)
            self.sequences[producer] = 0 if state is None else state.last_sequence + 1
        # of a transaction begun below the log start only what lies above is known for sure
        sure = [t for t in self.txns if t[0] >= self.start]
        self.unsure |= {t[1] for t in self.txns if t[0] < self.start}
        self.in_txn = self.log.producers.has_ongoing(2)
        if self.in_txn and not (sure and sure[-1][1] == OPEN):
            sure.append([self.log.producers.get(2).txn_first_offset, OPEN, 0])
        self.txns = sure

    @rule(where=st.floats(0, 1))
    def delete_records(self, where: float) -> None:
        self.log.raise_high_watermark(self.end)
        target = self.start + int(where * (self.end - self.start))
        assert self.log.delete_records(target) == target
        self.start = target
        self.durable = max(self.durable, target)
        self.model = [m for m in self.model if m[0] >= target]

    @rule()
    def drop_old_segments(self) -> None:
        self.log.raise_high_watermark(self.end)
        self.log.delete_old_segments(self.world.now)
        assert self.log.log_start_offset == self.start

    # -- crashes -----------------------------------------------------------------------------------

    def recover(self, start: int) -> None:
        done = Recovery(
            self.world.files,
            "/data/t-0",
            self.world.config,
            recovery_point=self.durable,
            start_offset=start,
            settings=self.world.settings,
        ).run()
        self.world.reopen(
            end_offset=done.end_offset, recovery_point=done.recovery_point, start_offset=start
        )

    @rule()
    def crash(self) -> None:
        start = self.start
        self.world.files.crash()
        self.recover(start)
        assert self.log.log_end_offset == self.end
        self.resync()

    @rule(seed=st.integers(0, 2**16))
    def lose_power(self, seed: int) -> None:
        chance = random.Random(seed)

        def torn(path: str, durable: bytes, now: bytes) -> bytes:
            if not path.endswith(".log") or not now.startswith(durable):
                return chance.choice([durable, now])
            if now == durable:
                return now
            kept = now[: chance.randint(len(durable), len(now))]
            return kept + chance.choice([b"", bytes(50), b"\xff" * 30])

        self.world.files.lose_unsynced(torn)
        self.recover(self.start)
        end = self.log.log_end_offset
        assert self.durable <= end <= self.end
        self.cut(end)
        self.resync()

    @rule()
    def stop_and_start(self) -> None:
        self.log.close()
        assert self.log.durability.recovery_point == self.end
        self.durable = self.end
        self.world.reopen(clean=True, start_offset=self.start)

    # -- what must hold ----------------------------------------------------------------------------

    def contents(self) -> list[tuple[int, bytes]]:
        found = values(self.log, self.log.log_start_offset)
        return [(o, b"marker" if len(v or b"") == 6 and v[:2] == b"\0\0" else v) for o, v in found]  # type: ignore[index,misc]

    @invariant()
    def holds_the_model(self) -> None:
        if not hasattr(self, "world"):
            return
        assert self.log.log_end_offset == self.end
        assert self.log.log_start_offset == self.start
        assert self.contents() == self.model

    @invariant()
    def knows_its_transactions(self) -> None:
        if not hasattr(self, "world"):
            return
        assert self.log.producers.has_ongoing(2) == self.in_txn
        self.log.raise_high_watermark(self.end)
        expected = self.txns[-1][0] if self.in_txn else self.end
        assert self.log.last_stable_offset == max(expected, self.start)
        aborted = [(2, t[0]) for t in self.txns if t[2] and t[1] >= self.start]
        unsure = {
            (2, a.first_offset)
            for s in self.log.segments
            for a in s.aborted()
            if a.last_offset in self.unsure
        }
        found = self.log.aborted_transactions(self.start, self.end)
        assert [a for a in found if a not in unsure] == aborted
        bases = [s.base_offset for s in self.log.segments]
        assert bases == sorted(set(bases))

    @precondition(lambda self: self.end > self.start)
    @rule(where=st.floats(0, 1), size=st.integers(1, 500), bound=st.floats(0, 1))
    def read_a_range(self, where: float, size: int, bound: float) -> None:
        offset = self.start + int(where * (self.end - self.start - 1))
        up_to = offset + int(bound * (self.end - offset))
        result = self.log.read(offset, size, up_to=up_to)
        found = headers(result.parts)
        assert all(h.next_offset <= up_to for h in found)
        if found:
            assert found[0].base_offset <= offset <= found[0].last_offset
            assert result.size <= max(size, found[0].size)
            assert result.next_offset >= found[-1].next_offset

    @precondition(lambda self: self.end > self.start)
    @rule(where=st.floats(0, 1))
    def duplicate_offsets_never_appear_on_followers(self, where: float) -> None:
        data = batch_of(b"old")
        data[:8] = (self.start + int(where * (self.end - 1 - self.start))).to_bytes(8, "big")
        with pytest.raises(KafkaError):
            self.log.append_as_follower(data)


LogMachine.TestCase.settings = settings(
    max_examples=30, stateful_step_count=25, deadline=None, report_multiple_bugs=False
)
TestLogMachine = LogMachine.TestCase
