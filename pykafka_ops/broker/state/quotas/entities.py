"""Who may use how much: the quotas of users, client ids and addresses (KIP-13, 55, 546, 612).

Counterpart of ``ClientQuotaManager.DefaultQuotaCallback``, ``QuotaConfigHandler`` and
``IpConfigHandler``. A broker has one table, ``Services.quotas`` (and ``Parts.quotas``), which
``LiveSettings`` fills from ``/config/users``, ``/config/clients`` and ``/config/ips`` at start and
after every change. Who measures only reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pykafka_ops.broker.hot.serving import QuotasHead
from pykafka_ops.errors import SettingError
from pykafka_ops.settings.quotas import CLIENT_QUOTAS, IP_QUOTAS

PRODUCE: Final = "producer_byte_rate"
FETCH: Final = "consumer_byte_rate"
REQUEST: Final = "request_percentage"
MUTATION: Final = "controller_mutation_rate"
CONNECTION: Final = "connection_creation_rate"
DEFAULT: Final = None
"""The name of a default entity."""
ABSENT: Final = ""
"""The name of a part that an entity does not have; no real name is empty."""


class QuotaEntity(NamedTuple):
    """Who a quota is for; each part is a name, ``DEFAULT`` (None) or ``ABSENT`` ("")."""

    user: str | None = ABSENT
    client_id: str | None = ABSENT
    ip: str | None = ABSENT


class QuotaLimit(NamedTuple):
    """What counts for one client.

    ``value`` is in bytes per second, percent of a thread, or partitions per second; None: no
    limit. ``entity`` is the one whose quota it is. Requests with the same ``user`` and
    ``client_id`` are counted together: a quota of a user (or of the default user) is shared by all
    of one user's clients, then ``client_id`` is "", one of a client id by all its users, then
    ``user`` is "". These are the tags of Kafka's metrics too.
    """

    value: float | None
    entity: QuotaEntity | None
    user: str
    client_id: str


class QuotaEntities(QuotasHead):
    """All quotas of the cluster as this broker knows them.

    ``version`` grows with every change: what was looked up before may be kept while it stays.
    """

    def __init__(self) -> None:
        self.version = 0
        self._values: dict[str, dict[QuotaEntity, float]] = {}

    def set(self, entity: QuotaEntity, settings: Mapping[str, str]) -> list[str]:
        """These are all the settings of an entity now; what is no quota of its kind is left alone.

        Returns a line for each value that is no quota, which counts as if it was not set.
        """
        wrong = []
        for kind, setting in (CLIENT_QUOTAS if entity.ip == ABSENT else IP_QUOTAS).items():
            value = None
            if kind in settings:
                try:
                    value = setting.parse(settings[kind])
                except SettingError as error:
                    wrong.append(str(error))
            self._put(kind, entity, float(value) if isinstance(value, int | float) else None)
        return wrong

    def _put(self, kind: str, entity: QuotaEntity, value: float | None) -> None:
        limits = self._values.setdefault(kind, {})
        if limits.get(entity) == value:
            return
        if value is None:
            del limits[entity]
        else:
            limits[entity] = value
        self.version += 1

    def limit(self, kind: str, user: str, client_id: str) -> QuotaLimit:
        """The quota of a client of that user (without ``User:``) with that client id.

        The most specific one counts, in the order of ``ClientQuotaManager``. An empty client id
        has only the quotas of its user.
        """
        limits = self._values.get(kind)
        if limits:
            for entity, shared_user, shared_client in _candidates(user, client_id):
                value = limits.get(entity)
                if value is not None:
                    return QuotaLimit(value, entity, shared_user, shared_client)
        return QuotaLimit(None, None, ABSENT, client_id)

    def connection_rate(self, ip: str) -> float | None:
        """Connections per second that may come from an address; None: any number."""
        limits = self._values.get(CONNECTION)
        if not limits:
            return None
        value = limits.get(QuotaEntity(ip=ip))
        return limits.get(QuotaEntity(ip=DEFAULT)) if value is None else value


def _candidates(user: str, client_id: str) -> list[tuple[QuotaEntity, str, str]]:
    """Whose quota may count, the most specific first, and who shares it."""
    of_user = (QuotaEntity(user), user, ABSENT)
    of_default_user = (QuotaEntity(DEFAULT), user, ABSENT)
    if not client_id:
        return [of_user, of_default_user]
    return [
        (QuotaEntity(user, client_id), user, client_id),
        (QuotaEntity(user, DEFAULT), user, client_id),
        of_user,
        (QuotaEntity(DEFAULT, client_id), user, client_id),
        (QuotaEntity(DEFAULT, DEFAULT), user, client_id),
        of_default_user,
        (QuotaEntity(client_id=client_id), ABSENT, client_id),
        (QuotaEntity(client_id=DEFAULT), ABSENT, client_id),
    ]
