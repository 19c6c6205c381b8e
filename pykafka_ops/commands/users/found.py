"""What a cluster keeps of its users, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client import quotas, scram
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.quotas import FilterComponent
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Cells, Column, ItemError
from pykafka_ops.errors import KafkaError, UsageError
from pykafka_ops.wire.codes import ErrorCode

COLUMNS: Final = (
    Column("user"),
    Column("client_id", "CLIENT", optional=True),
    Column("scram"),
    Column("quotas"),
)
DEFAULT: Final = "<default>"
"""Stands for the default of all users, or of all clients of a user."""


class KnownUser(NamedTuple):
    """A user, or with ``client_id`` its clients of that id; None is the default. ``scram`` are
    iterations by mechanism."""

    user: str | None
    client_id: str | None
    of_client: bool
    scram: Mapping[str, int]
    quotas: Mapping[str, float]


def names_of(args: Args) -> list[str]:
    """The users that the words name, each once; UsageError for an empty name."""
    found = [text.removeprefix("User:") for text in args.given("name")]
    if not all(found):
        raise UsageError("a user's name is not empty")
    return list(dict.fromkeys(found))


def read_users(
    cluster: Cluster, names: Sequence[str] = ()
) -> tuple[list[KnownUser], list[ItemError]]:
    """Those users, or all; in order of names, quotas of their clients behind them. Users without
    anything are left out. PkoError."""
    found = quotas.describe_quotas(cluster, [FilterComponent(quotas.USER)], strict=False)
    described = scram.describe_scram(cluster, names)
    errors = [
        ItemError.of(f"user {user}", error)
        for user, error in described.items()
        if isinstance(error, KafkaError)
    ]
    logins = {user: how for user, how in described.items() if not isinstance(how, KafkaError)}
    users = [_known(dict(entity), values, logins) for entity, values in found.items()]
    quoted = {one.user for one in users if not one.of_client}
    users += [KnownUser(user, None, False, logins[user], {}) for user in logins.keys() - quoted]
    shown = [one for one in users if not names or one.user in names]
    return sorted(shown, key=_order), errors


def _known(
    entity: Mapping[str, str | None],
    values: Mapping[str, float],
    logins: Mapping[str, Mapping[str, int]],
) -> KnownUser:
    user, of_client = entity[quotas.USER], quotas.CLIENT_ID in entity
    mine = {} if of_client or user is None else logins.get(user, {})
    return KnownUser(user, entity.get(quotas.CLIENT_ID), of_client, mine, values)


def _order(one: KnownUser) -> tuple[object, ...]:
    return one.user is None, one.user or "", one.of_client, one.client_id or ""


def rows(users: Iterable[KnownUser]) -> list[Cells]:
    """A row for each."""
    return [
        {
            "user": DEFAULT if one.user is None else one.user,
            "client_id": (one.client_id or DEFAULT) if one.of_client else None,
            "scram": dict(sorted(one.scram.items())),
            "quotas": {key: _plain(value) for key, value in sorted(one.quotas.items())},
        }
        for one in users
    ]


def _plain(value: float) -> float:
    return int(value) if value.is_integer() else value


def unknown(
    names: Iterable[str],
    users: Iterable[KnownUser],
    text: str = "it has no SCRAM password and no quota",
) -> list[ItemError]:
    """An error for each name that is none of the users."""
    there = {one.user for one in users}
    code = ErrorCode.RESOURCE_NOT_FOUND
    return [ItemError(f"user {name}", code.name, text, code) for name in names if name not in there]
