"""``pko configs ... --data-dir``: what a stopped broker without ZooKeeper has stored.

So settings are mended that let nobody into the broker. Values are checked as the broker checks
them when it starts, with what it was started with last.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.broker.metadata.embedded import FILE_NAME, EmbeddedStore
from pykafka_ops.broker.metadata.store import NoNodeError
from pykafka_ops.broker.metadata.znodes import config as znodes
from pykafka_ops.broker.runtime.cluster.membership import LOCK
from pykafka_ops.broker.runtime.settings.start import last_start
from pykafka_ops.broker.services import config_store
from pykafka_ops.broker.state.configs import dynamic
from pykafka_ops.broker.state.configs.alter import Change, apply_changes
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.quotas import requests
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.client import quotas, scram
from pykafka_ops.client.configs import AlterOp, ConfigEntry
from pykafka_ops.client.setting_values import DEFAULT, PresentValue
from pykafka_ops.commands.configs.entity import ConfigEntity
from pykafka_ops.commands.configs.known import (
    BROKER_LOGGERS,
    BROKERS,
    CLIENT_METRICS,
    CLIENTS,
    GROUPS,
    IPS,
    TOPICS,
    USERS,
)
from pykafka_ops.commands.configs.quotas import (
    ENTITY_TYPES,
    Credentials,
    parse_credential,
    quota_value,
)
from pykafka_ops.commands.configs.settings import DescribedConfigs
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, PkoError, StorageError, UsageError
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.quotas import BROKER_QUOTAS
from pykafka_ops.settings.scram import MECHANISMS, Credential
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_client_quotas import OpData
from pykafka_ops.wire.messages.describe_client_quotas import EntityData

Changes = Sequence[tuple[AlterOp, str, str | None]]
Quotas = dict[quotas.Entity, dict[str, float]]
_DEFAULT = f"{BROKERS}/{znodes.sanitize(None)}"


@contextlib.contextmanager
def opened(run: Run) -> Iterator[StoredConfigs]:
    """What ``--data-dir`` names, until the end of the block. Raises UsageError where no broker
    keeps its settings, StorageError while it runs or where the disk fails."""
    where = Path(run.args.text("data-dir") or "")
    if not (where / FILE_NAME).is_file():
        raise UsageError(
            f"no {FILE_NAME} in {where}: is it the data directory of a broker without ZooKeeper?"
        )
    try:
        lock = RealFiles().lock(str(where / LOCK))
    except BlockingIOError:
        raise StorageError(
            f"a broker runs on {where}: leave out --data-dir, or stop it before: "
            f"pko broker stop --data-dir {where}"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot write to {where}: {error.strerror}") from None
    try:
        store = EmbeddedStore(where / FILE_NAME)
        store.serving()
        try:
            yield StoredConfigs(store, last_start(where))
        finally:
            asyncio.run(store.close())
    finally:
        lock.close()


class StoredConfigs:
    """The settings in the metadata file of a broker that does not run; ``configs`` are those that
    it starts with."""

    def __init__(self, store: EmbeddedStore, configs: BrokerConfigs) -> None:
        self._store = store
        self._configs = configs

    def alter(
        self, wanted: ConfigEntity, changes: Changes, *, trial: bool
    ) -> dict[str, PresentValue]:
        """Make the changes to one entity; what it had of each setting before.

        Raises KafkaError, SettingError, UsageError; then nothing is changed.
        """
        _refuse_others(wanted.kind)
        return asyncio.run(self._alter(wanted, changes, trial))

    async def _alter(
        self, wanted: ConfigEntity, changes: Changes, trial: bool
    ) -> dict[str, PresentValue]:
        if wanted.kind == TOPICS:
            await self._require_topic(wanted.names[0])
        before: dict[str, PresentValue] = {}
        own = str(self._configs.value("broker.id"))
        if wanted.kind == BROKERS and wanted.names[0]:
            own = wanted.names[0]
        stored = await config_store.read(self._store, _DEFAULT, f"{BROKERS}/{own}")
        start = _Start(self._configs, *stored)

        def edit(present: dict[str, str]) -> Mapping[str, str]:
            before.update({key: _present(wanted, present, op, key) for op, key, _ in changes})
            return _edited(wanted, present, changes, start)

        await config_store.change(self._store, _path(wanted), edit, validate_only=trial)
        return before

    async def _require_topic(self, name: str) -> None:
        topics = await self._names("/brokers/topics")
        if name not in topics:
            raise KafkaError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                f"The topic '{name}' does not exist{did_you_mean(name, topics)}.",
            )

    async def _names(self, path: str) -> list[str]:
        try:
            return await self._store.children(path)
        except NoNodeError:
            return []

    # -- describe

    def described(self, kind: str, names: Sequence[str] | None) -> list[DescribedConfigs]:
        """The settings of topics or brokers (no names: of all that have any)."""
        _refuse_others(kind)
        return asyncio.run(self._described(kind, names))

    async def _described(self, kind: str, names: Sequence[str] | None) -> list[DescribedConfigs]:
        if names is None:
            stored = await self._names(f"/config/{kind}")
            names = [znodes.desanitize(name) or "" for name in stored]
        found = []
        for name in names:
            try:
                if kind == TOPICS:
                    await self._require_topic(name)
                (values,) = await config_store.read(
                    self._store, _path(ConfigEntity([kind], [name]))
                )
            except PkoError as error:
                found.append(DescribedConfigs(kind, name, error))
                continue
            entries = [_entry(kind, name, key, values[key]) for key in sorted(values)]
            found.append(DescribedConfigs(kind, name, entries))
        return found

    def quotas_of(
        self, wanted: ConfigEntity, names: Sequence[str] | None
    ) -> tuple[Quotas, Credentials]:
        """The quotas and credentials of users, clients or addresses (of users ``names``: several
        at once)."""
        several = names if names and len(wanted.types) == 1 else [None]
        found: Quotas = {}
        credentials: Credentials = {}
        for name in several:
            one = wanted if name is None else ConfigEntity(wanted.types, [name])
            asyncio.run(self._take_quotas(one, found, credentials))
        return found, credentials

    async def _take_quotas(
        self, wanted: ConfigEntity, found: Quotas, credentials: Credentials
    ) -> None:
        for path in await self._paths(wanted):
            (values,) = await config_store.read(self._store, path)
            names = [znodes.desanitize(name) for name in path.split("/")[1::2]]
            kinds = [ENTITY_TYPES[kind] for kind in wanted.types]
            entity = znodes.quota_entity(path)
            limits = {} if entity is None else requests.quotas_of(entity, values)
            if limits:
                found[quotas.entity_of(dict(zip(kinds, names, strict=True)))] = limits
            kept = {k: Credential.parse(values[k]).iterations for k in MECHANISMS if k in values}
            if kept and names[0] is not None:
                credentials[names[0]] = kept

    async def _paths(self, wanted: ConfigEntity) -> list[str]:
        """Every entity that is meant."""
        found = [""]
        for number, kind in enumerate(wanted.types):
            bases = [f"{path}{kind}" for path in found]
            if number < len(wanted.names):
                name = znodes.sanitize(wanted.names[number] or None)
                found = [f"{base}/{name}/" for base in bases]
            else:
                found = [
                    f"{base}/{name}/"
                    for base in bases
                    for name in await self._names(f"/config/{base}")
                ]
        return [path[:-1] for path in found]


def _refuse_others(kind: str) -> None:
    if kind in (BROKER_LOGGERS, CLIENT_METRICS, GROUPS):
        raise UsageError(f"a broker that does not run has no {kind}")


def _path(wanted: ConfigEntity) -> str:
    """As in ``EntityConfig``."""
    return "/".join(
        f"{kind}/{znodes.sanitize(name or None)}"
        for kind, name in zip(wanted.types, wanted.names, strict=True)
    )


def _present(
    wanted: ConfigEntity, present: Mapping[str, str], op: AlterOp, key: str
) -> PresentValue:
    """What was set; a default depends on server.properties, but for what is added to a list."""
    text, limits = present.get(key), wanted.kind in (USERS, CLIENTS, IPS)
    if text is not None and key in MECHANISMS:
        return PresentValue(f"iterations={Credential.parse(text).iterations}")
    beneath = None if limits else DEFAULT
    if text is None and key in TOPIC and op in (AlterOp.APPEND, AlterOp.SUBTRACT):
        return PresentValue(TOPIC[key].default, beneath, own=False)
    return PresentValue(beneath if text is None else text, beneath, own=text is not None)


def _entry(kind: str, name: str, key: str, value: str) -> ConfigEntry:
    source = ConfigSource.DYNAMIC_TOPIC_CONFIG
    if kind == BROKERS:
        source = ConfigSource.DYNAMIC_BROKER_CONFIG
        if not name:
            source = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
    setting = TOPIC.get(key) if kind == TOPICS else BROKER_QUOTAS.get(key) or BROKER.get(key)
    secret = setting is None or setting.sensitive
    type_ = 0 if setting is None else int(setting.type)
    return ConfigEntry(key, None if secret else value, source, False, secret, [], type_, None)


# -- the checks of a broker ------------------------------------------------------------------------


class _Start(NamedTuple):
    """What a broker starts with."""

    configs: BrokerConfigs
    default: Mapping[str, str]
    broker: Mapping[str, str]

    def check(self, name: str, values: Mapping[str, str]) -> None:
        """Raises KafkaError INVALID_REQUEST if the broker would leave out more than now, were
        ``values`` those of broker ``name`` ("": of all)."""
        had = self.configs.set_dynamic(self.default, self.broker)
        new = self._replace(broker=values) if name else self._replace(default=values)
        for line in self.configs.set_dynamic(new.default, new.broker):
            if line not in had:
                text = f"{line} (with the settings of the broker's last start)"
                raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def _edited(
    wanted: ConfigEntity, present: Mapping[str, str], changes: Changes, start: _Start
) -> Mapping[str, str]:
    if wanted.kind in (USERS, CLIENTS, IPS):
        return _edited_quotas(wanted, present, changes)
    table = TOPIC if wanted.kind == TOPICS else BROKER
    values = apply_changes(present, [Change(key, op, value) for op, key, value in changes], table)
    given = [key for op, key, _ in changes if op is not AlterOp.DELETE]
    if wanted.kind == TOPICS:
        if given:
            start.configs.set_dynamic(start.default, start.broker)
            start.configs.check_topic(values)
        return values
    if given:
        per_broker = bool(wanted.names[0])
        dynamic.check_change({key: values[key] for key in given}, per_broker=per_broker)
        secret = dynamic.passwords(given)
        if secret:
            raise UsageError(f"{secret[0]}: a broker stores no passwords")
    start.check(wanted.names[0], values)
    return values


def _edited_quotas(
    wanted: ConfigEntity, present: Mapping[str, str], changes: Changes
) -> Mapping[str, str]:
    parts = [
        EntityData(entity_type=ENTITY_TYPES[kind], entity_name=name or None)
        for kind, name in zip(wanted.types, wanted.names, strict=True)
    ]
    values = dict(present)
    ops = []
    for op, key, text in changes:
        if op in (AlterOp.APPEND, AlterOp.SUBTRACT):
            raise UsageError(f"{wanted.kind}: += and -= are for settings that are lists")
        if op is AlterOp.DELETE:
            values.pop(key, None)
        elif key not in MECHANISMS:
            ops.append(OpData(key=key, value=quota_value(key, text or ""), remove=False))
        elif wanted.types != [USERS] or not wanted.names[0]:
            raise UsageError(f"{key}: only a user has credentials")
        else:
            values[key] = scram.stored(parse_credential(key, text or "")).text()
    return requests.change(requests.entity_of(parts), values, ops)
