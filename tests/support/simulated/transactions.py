"""Transactional producers of the simulation, and what they leave behind when they give up.

A delayed EndTxn may end a later transaction of the same epoch in Kafka 3.9 (KIP-890 part 2 is for
KRaft): after an answer that did not come the producer takes a new epoch, as careful clients do.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from pykafka_ops.wire.messages.end_txn import EndTxnRequest, EndTxnResponse
from pykafka_ops.wire.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from pykafka_ops.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from tests.support.simulated.client import GROUP, TRANSACTION
from tests.support.simulated.ledger import Outcome, Transaction, demand
from tests.support.simulated.producers import NONE, Producer

TIMEOUT_MS = 8_000
"""``transaction.timeout.ms``: the coordinator aborts what is older."""
TRIES = 12


class LeftError(Exception):
    """The transaction cannot go on: the producer begins anew."""


class Transactional(Producer):
    """One transaction after the other, to several partitions, with an offset of a group."""

    topic = "whole"

    async def work(self) -> None:
        self._numbers = itertools.count()
        self._id = self._epoch = -1
        self._committed: tuple[int, int] | None = None
        """Producer id and epoch, if the last that was asked of them was a commit."""
        self.group = f"{self.name}-group"
        self.last: list[Transaction] = []
        """Transactions with an offset, in order."""
        while not self.world.quiet:
            await self._begin_anew()
            try:
                while not self.world.quiet:
                    await self._transaction()
                    await asyncio.sleep(self.draw.random() * 0.5)
            except LeftError:
                continue

    async def _begin_anew(self) -> None:
        """A new epoch: what was open is aborted before the answer comes."""
        while True:
            request = InitProducerIdRequest(
                transactional_id=self.name, transaction_timeout_ms=TIMEOUT_MS
            )
            try:
                answer = await self._coordinator(request, 4, InitProducerIdResponse)
            except ConnectError:
                await self.pause()
                continue
            if answer.error_code == NONE:
                break
            await self.pause()
        before = self._id, self._epoch
        self._id, self._epoch = answer.producer_id, answer.producer_epoch
        demand((self._id, self._epoch) != before, "I7", f"{self.name} gets no new epoch")
        self._sequences: dict[int, int] = {}
        if before[0] != -1 and self.draw.random() < 0.5:
            await self._haunt(*before)

    async def _coordinator(self, request: object, version: int, answer: type[Any]) -> Any:
        return await self.ask_coordinator(self.name, TRANSACTION, request, version, answer)

    # -- one transaction

    async def _transaction(self) -> None:
        one = Transaction(f"{self.name}/{self._epoch}/{next(self._numbers)}")
        count = self.world.partitions[self.topic]
        places = self.draw.sample(range(count), self.draw.randint(1, count))
        await self._add(places)
        for index in places:
            for _ in range(self.draw.randint(1, 2)):
                await self._write(one, index)
        if self.draw.random() < 0.4:
            await self._commit_offset(one)
        if self.draw.random() < 0.1:  # as if it were killed
            one.outcome = Outcome.ABORTED
            raise LeftError
        await self._end(one, commit=self.draw.random() < 0.7)

    async def _insist(self, request: object, version: int, answer: type[Any]) -> Any:
        """Ask until the coordinator says something that lasts; LeftError if it will not do."""
        for _ in range(TRIES):
            try:
                found = await self._coordinator(request, version, answer)
            except ConnectError:
                raise LeftError from None  # what is under way may yet arrive
            code = _code(found)
            if code == NONE:
                return found
            if code != 51:  # CONCURRENT_TRANSACTIONS: the one before is still being ended
                raise LeftError
            await self.pause()
        raise LeftError

    async def _add(self, places: list[int]) -> None:
        topic = AddPartitionsToTxnTopic(name=self.topic, partitions=places)
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.name,
            v3_and_below_producer_id=self._id,
            v3_and_below_producer_epoch=self._epoch,
            v3_and_below_topics=[topic],
        )
        await self._insist(request, 3, AddPartitionsToTxnResponse)

    async def _write(self, one: Transaction, index: int) -> None:
        values = [b"%s-%d" % (self.name.encode(), next(self._numbers)) for _ in range(self.some())]
        sequence = self._sequences.get(index, 0)
        one.values.setdefault((self.topic, index), []).extend(values)
        self.world.ledger.transactions.update(dict.fromkeys(values, one))
        self.world.ledger.write(self.topic, index, values)
        data = self._stamped(values, self._id, self._epoch, sequence)
        for _ in range(TRIES):
            answer = await self.send(self.topic, index, data, name=self.name)
            if answer is not None:
                if answer.error_code == NONE:
                    self._sequences[index] = sequence + len(values)
                    offset = answer.base_offset
                    self.world.ledger.acknowledge(self.topic, index, offset, values)
                    return
                if answer.error_code in (45, 47, 48, 49, 59, 90):
                    break
            await self.pause()
        one.outcome = Outcome.ABORTED
        raise LeftError

    def _stamped(self, values: list[bytes], id_: int, epoch: int, sequence: int) -> bytes:
        return self.batch(
            values,
            producer_id=id_,
            producer_epoch=epoch,
            base_sequence=sequence,
            transactional=True,
        )

    async def _commit_offset(self, one: Transaction) -> None:
        """An offset that counts only if the transaction does."""
        request = AddOffsetsToTxnRequest(
            transactional_id=self.name,
            producer_id=self._id,
            producer_epoch=self._epoch,
            group_id=self.group,
        )
        await self._insist(request, 3, AddOffsetsToTxnResponse)
        offset = next(self._numbers)
        partition = TxnOffsetCommitRequestPartition(
            partition_index=0, committed_offset=offset, committed_metadata=""
        )
        commit = TxnOffsetCommitRequest(
            transactional_id=self.name,
            group_id=self.group,
            producer_id=self._id,
            producer_epoch=self._epoch,
            topics=[TxnOffsetCommitRequestTopic(name="plain", partitions=[partition])],
        )
        try:
            answer = await self.ask_coordinator(
                self.group, GROUP, commit, 3, TxnOffsetCommitResponse
            )
        except ConnectError:
            raise LeftError from None
        if answer.topics[0].partitions[0].error_code != NONE:
            raise LeftError
        one.offset = offset
        self.last.append(one)

    async def _end(self, one: Transaction, *, commit: bool) -> None:
        request = EndTxnRequest(
            transactional_id=self.name,
            producer_id=self._id,
            producer_epoch=self._epoch,
            committed=commit,
        )
        one.outcome = Outcome.ENDING if commit else Outcome.ABORTED
        self._committed = (self._id, self._epoch) if commit else None
        lost = False
        for _ in range(TRIES):
            try:
                answer = await self._coordinator(request, 3, EndTxnResponse)
            except ConnectError:
                lost = True
                await self.pause()
                continue
            if answer.error_code == NONE:
                one.outcome = Outcome.COMMITTED if commit else Outcome.ABORTED
                if lost:  # the first one may yet arrive
                    raise LeftError
                return
            if answer.error_code != 51:
                if not lost and commit:
                    one.outcome = Outcome.ABORTED  # it was refused, and never sent before
                raise LeftError
            await self.pause()
        raise LeftError

    # -- zombies

    async def _haunt(self, id_: int, epoch: int) -> None:
        """The former life wakes up and goes on: nothing of it may count."""
        ghost = Transaction(f"{self.name}/{epoch}/ghost", Outcome.ABORTED)
        index = self.draw.randrange(self.world.partitions[self.topic])
        values = [b"%s-ghost-%d" % (self.name.encode(), next(self._numbers))]
        ghost.values[self.topic, index] = values
        self.world.ledger.transactions[values[0]] = ghost
        self.world.ledger.write(self.topic, index, values)
        await self.send(self.topic, index, self._stamped(values, id_, epoch, 0), name=self.name)
        request = EndTxnRequest(
            transactional_id=self.name, producer_id=id_, producer_epoch=epoch, committed=True
        )
        try:
            answer = await self.ask_coordinator(self.name, TRANSACTION, request, 3, EndTxnResponse)
        except ConnectError:
            return
        if self._committed == (id_, epoch):
            return  # a coordinator that does not know its end yet repeats what it said last
        demand(answer.error_code != NONE, "I7", f"{ghost.name} may end a transaction")


def _code(answer: Any) -> int:
    if isinstance(answer, AddPartitionsToTxnResponse):
        results = answer.results_by_topic_v3_and_below[0].results_by_partition
        return next((r.partition_error_code for r in results if r.partition_error_code), 0)
    return int(answer.error_code)
