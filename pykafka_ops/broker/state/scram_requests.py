"""Checks of requests about SCRAM credentials, and the changes they make (KIP-554).

Counterpart of ``ZkAdminManager.describeUserScramCredentials`` and ``alterUserScramCredentials``;
error codes and texts are Kafka's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.settings.scram import BY_NUMBER, MAX_ITERATIONS, MECHANISMS, Credential
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)

Change = ScramCredentialDeletion | ScramCredentialUpsertion

NO_NAME = "Username must not be empty"


def unfit_to_describe(users: Sequence[str]) -> dict[str, KafkaError]:
    """Users of a DescribeUserScramCredentials that are refused, and why."""
    times = Counter(users)
    found: dict[str, KafkaError] = {}
    for user, count in times.items():
        if not user:
            found[user] = KafkaError(ErrorCode.RESOURCE_NOT_FOUND, NO_NAME)
        elif count > 1:
            found[user] = KafkaError(
                ErrorCode.DUPLICATE_RESOURCE,
                "Cannot describe SCRAM credentials for the same user twice in a single request: "
                f"{user}",
            )
    return found


def has_credentials(settings: Mapping[str, str]) -> bool:
    """Whether a user with these settings has any."""
    return any(name in settings for name in MECHANISMS)


def iterations(settings: Mapping[str, str]) -> dict[int, int]:
    """Iterations by mechanism. Raises KafkaError UNKNOWN_SERVER_ERROR for a bad credential."""
    try:
        return {
            mechanism.number: Credential.parse(settings[name]).iterations
            for name, mechanism in MECHANISMS.items()
            if name in settings
        }
    except SettingError:
        raise generic(ErrorCode.UNKNOWN_SERVER_ERROR) from None


def generic(code: ErrorCode) -> KafkaError:
    """An error with Kafka's text for its code."""
    return KafkaError(code, code.text)


class ScramChanges:
    """An AlterUserScramCredentials: what is refused, and the credentials to store.

    ``refused`` has an error for each user of whom nothing is changed.
    """

    def __init__(self, request: AlterUserScramCredentialsRequest) -> None:
        self._deletions = request.deletions
        self._upsertions = request.upsertions
        self.refused: dict[str, KafkaError] = {}
        for deletion in request.deletions:
            self._refuse(deletion.name, _unfit(deletion))
        for upsertion in request.upsertions:
            self._refuse(upsertion.name, _unfit(upsertion) or _unfit_iterations(upsertion))
        every: list[Change] = [*request.deletions, *request.upsertions]
        pairs = Counter((c.name, c.mechanism) for c in every if c.name not in self.refused)
        for (user, _), count in pairs.items():
            if count > 1:
                self.refused[user] = KafkaError(
                    ErrorCode.DUPLICATE_RESOURCE,
                    "A user credential cannot be altered twice in the same request",
                )
        self.users = sorted({c.name for c in every} - self.refused.keys())
        """Which users may be changed, as far as the request alone shows."""

    def _refuse(self, user: str, error: KafkaError | None) -> None:
        if error is not None:
            self.refused[user] = error

    def apply(self, present: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str | None]]:
        """Credentials to store (None: to delete) by user and mechanism; ``present`` are the
        settings of ``users``.

        Users who lack a credential to delete are refused. A password that makes no key fails all
        that were left, as in Kafka: then nothing is returned.
        """
        for deletion in self._deletions:
            settings = present.get(deletion.name)
            if settings is not None and BY_NUMBER[deletion.mechanism].name not in settings:
                self.refused[deletion.name] = KafkaError(
                    ErrorCode.RESOURCE_NOT_FOUND,
                    "Attempt to delete a user credential that does not exist",
                )
        left = [user for user in self.users if user not in self.refused]
        changes: dict[str, dict[str, str | None]] = {user: {} for user in left}
        for deletion in self._deletions:
            if deletion.name in changes:
                changes[deletion.name][BY_NUMBER[deletion.mechanism].name] = None
        try:
            for new in self._upsertions:
                if new.name in changes:
                    mechanism = BY_NUMBER[new.mechanism]
                    credential = Credential.of(
                        mechanism, bytes(new.salted_password), bytes(new.salt), new.iterations
                    )
                    changes[new.name][mechanism.name] = credential.text()
        except SettingError:
            failed = generic(ErrorCode.UNKNOWN_SERVER_ERROR)
            self.refused.update(dict.fromkeys(left, failed))
            return {}
        return changes


_NAMELESS = KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, NO_NAME)
_UNKNOWN_MECHANISM = KafkaError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
_TOO_MANY = KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
_TOO_FEW = KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")


def _unfit(change: Change) -> KafkaError | None:
    if not change.name:
        return _NAMELESS
    if change.mechanism not in BY_NUMBER:
        return _UNKNOWN_MECHANISM
    return None


def _unfit_iterations(new: ScramCredentialUpsertion) -> KafkaError | None:
    if new.iterations > MAX_ITERATIONS:
        return _TOO_MANY
    if new.iterations < BY_NUMBER[new.mechanism].min_iterations:
        return _TOO_FEW
    return None
