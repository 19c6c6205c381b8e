"""Members of a consumer group in the simulation: they join, own partitions, commit, and vanish."""

from __future__ import annotations

import asyncio
import struct

from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from pykafka_ops.wire.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from pykafka_ops.wire.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
)
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from pykafka_ops.wire.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from tests.support.simulated.client import GROUP, Client
from tests.support.simulated.ledger import demand

TOPIC = "plain"
SESSION_MS = 6_000
OF_THE_PAST = 1 << 40
"""An offset that nobody should ever see."""
NONE = 0
MEMBER_ID_REQUIRED = 79


class JoinAgainError(Exception):
    """The generation is over for this member."""


async def fetch_offset(client: Client, group: str, index: int) -> int:
    """The committed offset, as it stands once no transaction may change it."""
    topic = OffsetFetchRequestTopic(name=TOPIC, partition_indexes=[index])
    request = OffsetFetchRequest(group_id=group, topics=[topic], require_stable=True)
    while True:
        try:
            answer = await client.ask_coordinator(group, GROUP, request, 7, OffsetFetchResponse)
        except ConnectError:
            await client.pause()
            continue
        found = answer.topics[0].partitions[0] if answer.topics else None
        if found is not None and answer.error_code == NONE and found.error_code == NONE:
            return int(found.committed_offset)
        await client.pause()


class Member(Client):
    """Commits for the partitions it owns, higher and higher offsets."""

    group = "readers"

    async def work(self) -> None:
        self._member = ""
        while not self.world.quiet:
            try:
                await self._generation()
            except JoinAgainError:
                await self.pause()
            except ConnectError:
                await self.pause()

    async def _generation(self) -> None:
        joined = await self._join()
        owned = await self._sync(joined)
        generation = joined.generation_id
        for index in owned:
            self.world.ledger.commits.own(self.group, generation, index, self._member)
        if generation > 1 and owned and self.draw.random() < 0.3:
            code = await self._try_to_commit(generation - 1, owned[0], OF_THE_PAST)
            said = f"{self._member} may commit for generation {generation - 1} in {generation}"
            demand(code != NONE, "I8", said)
        positions = {}
        for index in owned:
            floor = self.world.ledger.commits.floor(self.group, index)
            positions[index] = await fetch_offset(self, self.group, index)
            self.world.ledger.commits.fetched(self.group, index, positions[index], floor)
        while not self.world.quiet:
            await asyncio.sleep(self.draw.random())
            await self._beat(generation)
            for index in owned:
                positions[index] = max(0, positions[index]) + self.draw.randint(1, 5)
                await self._commit(generation, index, positions[index])
            if self.draw.random() < 0.05:
                await self._leave()

    async def _join(self) -> JoinGroupResponse:
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=3_000,
            member_id=self._member,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )
        answer: JoinGroupResponse = await self.ask_coordinator(
            self.group, GROUP, request, 7, JoinGroupResponse
        )
        if answer.error_code == MEMBER_ID_REQUIRED:
            self._member = answer.member_id
            raise JoinAgainError
        self._check(answer.error_code)
        self._member = answer.member_id
        return answer

    async def _sync(self, joined: JoinGroupResponse) -> list[int]:
        assignments = []
        if joined.leader == self._member:
            members = sorted(m.member_id for m in joined.members)
            for number, member in enumerate(members):
                mine = range(number, self.world.partitions[TOPIC], len(members))
                data = struct.pack(f">{len(mine)}h", *mine)
                assignments.append(SyncGroupRequestAssignment(member_id=member, assignment=data))
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=joined.generation_id,
            member_id=self._member,
            protocol_type="consumer",
            protocol_name="range",
            assignments=assignments,
        )
        answer = await self.ask_coordinator(self.group, GROUP, request, 5, SyncGroupResponse)
        self._check(answer.error_code)
        return list(struct.unpack(f">{len(answer.assignment) // 2}h", bytes(answer.assignment)))

    async def _beat(self, generation: int) -> None:
        request = HeartbeatRequest(
            group_id=self.group, generation_id=generation, member_id=self._member
        )
        answer = await self.ask_coordinator(self.group, GROUP, request, 4, HeartbeatResponse)
        self._check(answer.error_code)

    async def _commit(self, generation: int, index: int, offset: int) -> None:
        commits = self.world.ledger.commits
        number = commits.attempt(self.group, index, offset)
        self._check(await self._try_to_commit(generation, index, offset))
        commits.kept(self.group, index, number)

    async def _try_to_commit(self, generation: int, index: int, offset: int) -> int:
        """The error code."""
        partition = OffsetCommitRequestPartition(
            partition_index=index, committed_offset=offset, committed_metadata=""
        )
        request = OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=generation,
            member_id=self._member,
            topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=[partition])],
        )
        answer = await self.ask_coordinator(self.group, GROUP, request, 8, OffsetCommitResponse)
        return int(answer.topics[0].partitions[0].error_code)

    async def _leave(self) -> None:
        request = LeaveGroupRequest(
            group_id=self.group, members=[MemberIdentity(member_id=self._member)]
        )
        await self.ask_coordinator(self.group, GROUP, request, 4, LeaveGroupResponse)
        self._member = ""
        raise JoinAgainError

    def _check(self, code: int) -> None:
        if code == NONE:
            return
        if code in (25, 82):  # UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID
            self._member = ""
        raise JoinAgainError
