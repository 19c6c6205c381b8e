"""The cases of the differential test as clients without rights see them.

What a case sets up is done by a client at 127.0.0.1, which may do everything; what it asks and
notes comes from 127.0.0.2, which may do what a test lets it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any, Final

from pykafka_ops.security.acls.rules import (
    ANYBODY,
    CLUSTER_NAME,
    WILDCARD,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from pykafka_ops.wire.messages.create_acls import (
    AclCreation,
    CreateAclsRequest,
)
from pykafka_ops.wire.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from tests.support.differential.core import Case, Side
from tests.support.differential.two_brokers import Link
from tests.support.wire.raw import Connection

OWNER: Final = "127.0.0.1"
GUEST: Final = "127.0.0.2"
SETTINGS: Final = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}
"""Of the brokers, until :func:`close_doors` gives every resource a rule."""
MOST_ASKED: Final = 50
"""Requests of one case."""
RESOURCES: Final = {
    type_: CLUSTER_NAME if type_ == ResourceType.CLUSTER else WILDCARD
    for type_ in ResourceType
    if type_ > ResourceType.ANY
}


def rule(host: str, type_: ResourceType, operation: Operation) -> AclCreation:
    """What everybody at a host may do with all resources of a type."""
    return AclCreation(
        resource_type=type_,
        resource_name=RESOURCES[type_],
        resource_pattern_type=PatternType.LITERAL,
        principal=ANYBODY,
        host=host,
        operation=operation,
        permission_type=Permission.ALLOW,
    )


def close_doors(bootstrap: str) -> None:
    """From now on only the owner may do anything."""
    _add(bootstrap, [rule(OWNER, type_, Operation.ALL) for type_ in RESOURCES])


def let_guests(bootstrap: str, rights: Iterable[tuple[ResourceType, Operation]]) -> None:
    """These are the rights of guests from now on, and no others."""
    link = Link(bootstrap)
    every = DeleteAclsFilter(
        resource_type_filter=ResourceType.ANY,
        resource_name_filter=None,
        pattern_type_filter=PatternType.ANY,
        principal_filter=None,
        host_filter=GUEST,
        operation=Operation.ANY,
        permission_type=Permission.ANY,
    )
    answer = link.ask(DeleteAclsRequest(filters=[every]), 2)
    link.close()
    assert not answer.filter_results[0].error_code, answer
    _add(bootstrap, [rule(GUEST, type_, operation) for type_, operation in rights])


def _add(bootstrap: str, rules: list[AclCreation]) -> None:
    link = Link(bootstrap)
    answer = link.ask(CreateAclsRequest(creations=rules), 2)
    link.close()
    assert not any(result.error_code for result in answer.results), answer


class RefusedAgainError(Exception):
    """A case waits for what a guest never gets."""


class GuestSide(Side):
    """Sets up as the owner, asks as a guest."""

    def __init__(self, bootstrap: str, prefix: str, case: Case, *, mute: bool = False) -> None:
        super().__init__(bootstrap, prefix, case, mute=mute)
        self._guest: Connection | None = None
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
    def _as_guest(self) -> Any:
        self._connection, self._guest = self._guest, self._connection
        self._asks = True
        try:
            yield
        finally:
            self._connection, self._guest = self._guest, self._connection
            self._asks = False

    def _connect(self) -> Connection:
        return Connection(self.bootstrap, source=GUEST if self._asks else OWNER)

    def close(self) -> None:
        """Close both connections if no request is under way, else that of the guest or owner."""
        super().close()
        if not self._asks and self._guest is not None:
            self._guest.close()
            self._guest = None


def until_it_fails(run: Callable[[Side, int], None]) -> Callable[[Side, int], None]:
    """A case as far as it comes: what it was refused it may need."""

    def go(side: Side, version: int) -> None:
        with contextlib.suppress(Exception):
            run(side, version)

    return go
