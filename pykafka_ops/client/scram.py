"""SCRAM credentials of users: look up, set and delete (KIP-554), and the keys behind them.

The password never leaves this process: brokers get its salted hash. Source: KafkaAdminClient,
``org.apache.kafka.common.security.scram.internals.ScramFormatter``.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client.answers import error_of, raise_error
from pykafka_ops.client.cluster import CONTROLLER, Cluster
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.scram import BY_NUMBER, Credential, Mechanism
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import alter_user_scram_credentials as asc
from pykafka_ops.wire.messages import describe_user_scram_credentials as dsc

DEFAULT_ITERATIONS = 4096


class NewCredential(NamedTuple):
    """A credential to set."""

    mechanism: Mechanism
    iterations: int
    password: str


def new_salt() -> bytes:
    """Random bytes for a new credential."""
    return os.urandom(24)


def salted(credential: NewCredential, salt: bytes) -> bytes:
    """The salted password, RFC 5802's ``Hi``."""
    return hashlib.pbkdf2_hmac(
        credential.mechanism.digest, credential.password.encode(), salt, credential.iterations
    )


def stored(credential: NewCredential) -> Credential:
    """What brokers keep of it, with a new salt."""
    salt = new_salt()
    secret = salted(credential, salt)
    return Credential.of(credential.mechanism, secret, salt, credential.iterations)


def describe_scram(
    cluster: Cluster, users: Sequence[str] = ()
) -> dict[str, dict[str, int] | KafkaError]:
    """Iterations by mechanism for each user (no ``users``: all); users without any are left out.

    Raises KafkaError for the whole and what the connection raises.
    """
    request = dsc.DescribeUserScramCredentialsRequest(
        users=[dsc.UserName(name=user) for user in users] if users else None
    )
    answer = cluster.call(
        request, dsc.DescribeUserScramCredentialsResponse, name="describeUserScramCredentials"
    )
    raise_error(answer)
    return {
        result.user: error_of(result)
        or {_name(info.mechanism): info.iterations for info in result.credential_infos}
        for result in answer.results
        if result.error_code != ErrorCode.RESOURCE_NOT_FOUND
    }


def alter_scram(
    cluster: Cluster,
    changes: Mapping[str, Sequence[NewCredential | Mechanism]],
) -> dict[str, KafkaError | None]:
    """Set credentials, or delete those given as a Mechanism; per user None or what went wrong."""
    request = asc.AlterUserScramCredentialsRequest(
        deletions=[
            asc.ScramCredentialDeletion(name=user, mechanism=change.number)
            for user, wanted in changes.items()
            for change in wanted
            if isinstance(change, Mechanism)
        ],
        upsertions=[
            _upsertion(user, change)
            for user, wanted in changes.items()
            for change in wanted
            if isinstance(change, NewCredential)
        ],
    )
    answer = cluster.call(
        request,
        asc.AlterUserScramCredentialsResponse,
        to=CONTROLLER,
        name="alterUserScramCredentials",
        again=lambda r: any(x.error_code == ErrorCode.NOT_CONTROLLER for x in r.results),
    )
    return {r.user: error_of(r) for r in answer.results}


def _name(mechanism: int) -> str:
    return BY_NUMBER[mechanism].name if mechanism in BY_NUMBER else "UNKNOWN"


def _upsertion(user: str, credential: NewCredential) -> asc.ScramCredentialUpsertion:
    salt = new_salt()
    return asc.ScramCredentialUpsertion(
        name=user,
        mechanism=credential.mechanism.number,
        iterations=credential.iterations,
        salt=salt,
        salted_password=salted(credential, salt),
    )
