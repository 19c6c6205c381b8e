"""The cases of the differential test as clients with few rights see them.

What a case sets up is done by a client at 127.0.0.1, which may do everything. What it asks and
notes comes from the address of a guest, which may do what the rules about that address say.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from pykafka_ops.security.acls.rules import (
    ANYBODY,
    CLUSTER_NAME,
    WILDCARD,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.create_acls import AclCreation, CreateAclsRequest
from tests.support.differential.core import Case, Side
from tests.support.differential.deviations import DEVIATIONS as ALWAYS
from tests.support.differential.deviations import Deviation
from tests.support.differential.plain import Difference
from tests.support.differential.two_brokers import Link
from tests.support.wire.raw import Connection

OWNER: Final = "127.0.0.1"
SETTINGS: Final = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}
"""Of the brokers, until :func:`close_doors` gives every resource a rule."""
RESOURCES: Final = {
    type_: CLUSTER_NAME if type_ == ResourceType.CLUSTER else WILDCARD
    for type_ in ResourceType
    if type_ > ResourceType.ANY
}
MOST_ASKED: Final = 20
"""Requests of one case."""


class Guest(NamedTuple):
    """Where a client is, and what it may do with all resources of a type."""

    host: str
    rights: tuple[tuple[ResourceType, Operation], ...]


GUESTS: Final = {
    "nothing": Guest("127.0.0.2", ()),
    "describe": Guest("127.0.0.3", tuple((type_, Operation.DESCRIBE) for type_ in RESOURCES)),
    "all but the cluster": Guest(
        "127.0.0.4",
        tuple((type_, Operation.ALL) for type_ in RESOURCES if type_ != ResourceType.CLUSTER),
    ),
}


def close_doors(bootstrap: str) -> None:
    """From now on the owner may do everything, and guests what they may."""
    rules = [_rule(OWNER, type_, Operation.ALL) for type_ in RESOURCES]
    for guest in GUESTS.values():
        rules += [_rule(guest.host, type_, operation) for type_, operation in guest.rights]
    link = Link(bootstrap)
    answer = link.ask(CreateAclsRequest(creations=rules), 2)
    link.close()
    assert not any(result.error_code for result in answer.results), answer


def _rule(host: str, type_: ResourceType, operation: Operation) -> AclCreation:
    return AclCreation(
        resource_type=type_,
        resource_name=RESOURCES[type_],
        resource_pattern_type=PatternType.LITERAL,
        principal=ANYBODY,
        host=host,
        operation=operation,
        permission_type=Permission.ALLOW,
    )


class RefusedAgainError(Exception):
    """A case waits for what a guest never gets."""


class GuestSide(Side):
    """Sets up as the owner, asks as a guest."""

    guest: Guest

    def __init__(self, bootstrap: str, prefix: str, case: Case, *, mute: bool = False) -> None:
        super().__init__(bootstrap, prefix, case, mute=mute)
        self._other: Connection | None = None
        self._asks = False
        self._asked = 0

    def ask(self, *arguments: Any, **named: Any) -> Any:
        self._asked += 1
        if self._asked > MOST_ASKED:
            raise RefusedAgainError
        with self._as_guest():
            return super().ask(*arguments, **named)

    def send_raw(self, *arguments: Any, **named: Any) -> bytes | None:
        with self._as_guest():
            return super().send_raw(*arguments, **named)

    @contextlib.contextmanager
    def _as_guest(self) -> Iterator[None]:
        self._connection, self._other = self._other, self._connection
        self._asks = True
        try:
            yield
        finally:
            self._connection, self._other = self._other, self._connection
            self._asks = False

    def _connect(self) -> Connection:
        return Connection(self.bootstrap, source=self.guest.host if self._asks else OWNER)

    def close(self) -> None:
        """Close the connection of who asks; both when the case is over."""
        super().close()
        if not self._asks and self._other is not None:
            self._other.close()
            self._other = None


def side_of(guest: str) -> type[GuestSide]:
    """How a case talks to a broker as that guest."""
    return type("OneGuestSide", (GuestSide,), {"guest": GUESTS[guest]})


def as_far_as_it_comes(run: Callable[[Side, int], None]) -> Callable[[Side, int], None]:
    """A case that may need what it was refused."""

    def go(side: Side, version: int) -> None:
        with contextlib.suppress(Exception):
            run(side, version)

    return go


def ends_of_versions(cases: Iterable[Case]) -> list[Case]:
    """Of each scenario the first and the last version."""
    first: dict[tuple[int, str], Case] = {}
    last: dict[tuple[int, str], Case] = {}
    for case in cases:
        key = (int(case.api), case.name)
        first.setdefault(key, case)
        last[key] = case
    return [c for key, c in first.items() if c is not last[key]] + list(last.values())


FIRST: Final = "ours asks for rights before it looks at what else is wrong; nothing is done"
GROUPED: Final = "the same error, for what is asked twice or for nothing listed otherwise"
TEXT: Final = "Kafka's text shows objects of its own"
UNSAID: Final = "Kafka lists the items, some without names, beside the error of the whole"
DEVIATIONS: Final = [
    Deviation(ApiKey.PRODUCE, "damaged", ("*/error_code", "*/error_message"), FIRST),
    Deviation(ApiKey.FETCH, "*", ("*",), FIRST, ours="*29*", theirs="*"),
    Deviation(ApiKey.FETCH, "isolation", ("isolation*",), FIRST),
    Deviation(ApiKey.FETCH, "no-down-conversion", ("*/records",), FIRST),
    Deviation(ApiKey.FETCH, "zstd", ("*/records",), FIRST),
    Deviation(ApiKey.SYNC_GROUP, "syncs", ("*/error_code",), FIRST, ours="30", theirs="23"),
    Deviation(ApiKey.ALTER_CONFIGS, "*", ("*/error_code", "*/error_message"), FIRST),
    Deviation(ApiKey.INCREMENTAL_ALTER_CONFIGS, "*", ("*/error_code", "*/error_message"), FIRST),
    Deviation(ApiKey.CREATE_TOPICS, "names", ("*__cluster_metadata*",), FIRST),
    Deviation(ApiKey.DESCRIBE_ACLS, "*", ("*",), FIRST, theirs="the broker closed*"),
    Deviation(ApiKey.CREATE_ACLS, "*", ("*",), FIRST, theirs="the broker closed*"),
    Deviation(ApiKey.DELETE_ACLS, "*", ("*",), FIRST, theirs="the broker closed*"),
    Deviation(ApiKey.DESCRIBE_ACLS, "*", ("*/acls/*",), "Kafka has rules in no order, ours sorts"),
    Deviation(ApiKey.DESCRIBE_ACLS, "*", ("*error_message",), TEXT, theirs="Request Request*"),
    Deviation(ApiKey.CREATE_ACLS, "*", ("*error_message",), TEXT, theirs="Request Request*"),
    Deviation(ApiKey.DELETE_ACLS, "*", ("*error_message",), TEXT, theirs="Request Request*"),
    Deviation(
        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
        "*",
        ("*error_message",),
        TEXT,
        theirs="Request Request*",
    ),
    Deviation(
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        "*",
        ("*error_message",),
        TEXT,
        theirs="Request Request*",
    ),
    Deviation(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "*", ("*/responses/*",), UNSAID, ours="None"),
    Deviation(ApiKey.LIST_PARTITION_REASSIGNMENTS, "*", ("*/topics/*",), UNSAID, ours="None"),
    Deviation(ApiKey.STOP_REPLICA, "*", ("*/partition_errors/*",), UNSAID, ours="None"),
    Deviation(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "*", ("*",), UNSAID),
    Deviation(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, "*", ("*",), UNSAID),
    Deviation(ApiKey.ALTER_REPLICA_LOG_DIRS, "*", ("*/results/*",), GROUPED),
    Deviation(ApiKey.OFFSET_FETCH, "fetches", ("*/topics/*",), GROUPED, versions="0-1"),
    Deviation(ApiKey.ELECT_LEADERS, "*", ("*/replica_election_results/*",), GROUPED),
]
"""Where our broker answers a client without rights otherwise than Apache Kafka, and why."""


def unexplained(case: Case, found: Iterable[Difference]) -> list[Difference]:
    """The differences for which there is no reason, here or for clients with all rights.

    How often a case asks until it gives up is none.
    """
    found = [each for each in found if (each.note, each.path) != ("course", "steps")]
    reasons = [deviation for deviation in [*DEVIATIONS, *ALWAYS] if deviation.covers(case)]
    return [each for each in found if not any(reason.explains(each) for reason in reasons)]
