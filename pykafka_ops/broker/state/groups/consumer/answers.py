"""What members of consumer groups ask and hear, independent of the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pykafka_ops.broker.state.groups.consumer.member import LEFT, MEMBER_BYTES, STATIC_LEFT, Target
from pykafka_ops.broker.state.groups.consumer.reconcile import Owned
from pykafka_ops.wire.codes import ErrorCode

NO_TIMEOUT = -1


class Beat(NamedTuple):
    """A ConsumerGroupHeartbeat. What is None has not changed; ``owned`` is by topic id.

    ``sees(topic)`` says whether the client may know of a topic, None: of every one.
    """

    group_id: str
    member_id: str
    epoch: int
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout: int = NO_TIMEOUT
    names: list[str] | None = None
    regex: str | None = None
    assignor: str | None = None
    owned: Owned | None = None
    client_id: str = ""
    client_host: str = ""
    sees: Callable[[str], bool] | None = None

    @property
    def leaves(self) -> bool:
        """Whether the member goes."""
        return self.epoch in (LEFT, STATIC_LEFT)

    @property
    def is_full(self) -> bool:
        """Whether it says all about itself, so wants to hear all, too."""
        subscribes = self.names is not None or self.regex is not None
        return self.rebalance_timeout != NO_TIMEOUT and subscribes and self.owned is not None

    @property
    def size(self) -> int:
        """Bytes that a member holds who sends this."""
        names = self.names or ()
        said = sum(map(len, names)) + 60 * len(names) + len(self.regex or "")
        return MEMBER_BYTES + said + len(self.member_id) + len(self.instance_id or "")


class Beaten(NamedTuple):
    """The answer; ``assignment`` is None where it is as the member was told before."""

    code: ErrorCode
    message: str | None = None
    member_id: str | None = None
    epoch: int = 0
    interval: int = 0
    assignment: Target | None = None
