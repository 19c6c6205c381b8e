"""kafka-configs ``--zookeeper``: settings in their znodes, without a broker.

Kafka 3.9 has this left for SCRAM credentials of users and for brokers that are down. What the tool
did before 3.0 works, too: topics, quotas of users and clients, throttles of brokers that run.
The znodes are those of Kafka (``AdminZkClient``): ``/config/<type>/<name>`` and a notification
below ``/config/changes``.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote_plus

from pykafka_ops.client import scram
from pykafka_ops.commands.configs.entity import (
    ConfigEntity,
    ConfigProblem,
    configs_to_add,
    configs_to_delete,
    scala_buffer,
    scala_set,
)
from pykafka_ops.commands.configs.known import BROKERS, CLIENTS, TOPICS, USERS
from pykafka_ops.commands.configs.quotas import parse_credential
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError, SettingError
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.quotas import BROKER_QUOTAS, CLIENT_QUOTAS
from pykafka_ops.settings.scram import MECHANISMS
from pykafka_ops.settings.setting import Update
from pykafka_ops.settings.topic import TOPIC

DEFAULT = "<default>"
WARNING = (
    "Warning: --zookeeper is deprecated and will be removed in a future version of Kafka.\n"
    "Use --bootstrap-server instead to specify a broker to connect to.\n"
)
_ONLY_DOWN = (
    "Broker configuration operations using ZooKeeper are only supported if the affected broker(s) "
    "are not running."
)
_LISTENER = re.compile(r"listener\.name\.[^.]*\.(.*)")


class ConfigTree:
    """The part of Kafka's znodes that holds settings."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def read(self, entity: str) -> dict[str, str]:
        """The settings of ``users/alice``; none where the znode is missing."""
        from kazoo.exceptions import NoAuthError, NoNodeError

        try:
            data, _ = self.client.get(f"/config/{entity}")
        except NoNodeError:
            return {}
        except NoAuthError:
            raise NotAllowedError("read", f"/config/{entity}") from None
        found = json.loads(data or b"{}").get("config") or {}
        return {str(k): str(v) for k, v in found.items()}

    def names(self, path: str) -> list[str]:
        """Children of a znode, sorted; none where it is missing."""
        from kazoo.exceptions import NoAuthError, NoNodeError

        try:
            return sorted(self.client.get_children(path))
        except NoNodeError:
            return []
        except NoAuthError:
            raise NotAllowedError("list", path) from None

    def running(self, broker: str) -> bool:
        """Whether the broker is registered."""
        return self.client.exists(f"/brokers/ids/{broker}") is not None

    def write(self, entity: str, values: Mapping[str, str]) -> None:
        """Replace the settings and notify the brokers; a user without any loses its znode."""
        from kazoo.exceptions import NoAuthError

        try:
            self._write(f"/config/{entity}", entity, values)
        except NoAuthError:
            raise NotAllowedError("change", f"/config/{entity}") from None

    def _write(self, path: str, entity: str, values: Mapping[str, str]) -> None:
        from pykafka_ops.zookeeper import acls

        secure = self.client.access.secure
        if not values and entity.startswith(f"{USERS}/") and not self.names(path):
            self.client.delete(path, recursive=True)
        else:
            data = _json({"version": 1, "config": dict(values)})
            acls.ensure_path(self.client, path, secure=secure)
            self.client.set(path, data)
        change = _json({"version": 2, "entity_path": entity})
        acls.create(
            self.client, "/config/changes/config_change_", change, secure=secure, sequence=True
        )


class NotAllowedError(PkoError):
    """A login, or nobody, may not do it to a znode."""

    def __init__(self, what: str, path: str) -> None:
        super().__init__(f"{path}: its ACL does not let this login {what} it")
        self.java = (
            "org.apache.zookeeper.KeeperException$NoAuthException: KeeperErrorCode = NoAuth for "
            f"{path}"
        )


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@contextlib.contextmanager
def opened_tree(run: Run) -> Iterator[ConfigTree]:
    """What ``--zookeeper`` names, until the end of the block. ConnectError."""
    from pykafka_ops.commands.zookeeper.session import opened

    client = opened(run, run.args.text("zookeeper") or "", run.silence)
    try:
        yield ConfigTree(client)
    finally:
        client.end()


@contextlib.contextmanager
def _configs(run: Run) -> Iterator[ConfigTree]:
    """The same; PkoError for whatever ZooKeeper refuses."""
    from kazoo.exceptions import KazooException
    from kazoo.handlers.threading import KazooTimeoutError

    from pykafka_ops.commands.zookeeper.session import lost

    try:
        with opened_tree(run) as tree:
            yield tree
    except (KazooException, KazooTimeoutError) as error:
        raise lost(error) from None


def alter(run: Run, wanted: ConfigEntity) -> None:
    """``--alter --zookeeper``."""
    add, delete = configs_to_add(run.args), configs_to_delete(run.args)
    entity = _entity(wanted)
    before = _of_before(wanted, (*add, *delete))
    (sys.stderr if before else sys.stdout).write(WARNING)
    with _configs(run) as tree:
        _alter(tree, entity, add, delete)
    done = "Updating" if before else "updating"
    sys.stdout.write(f"Completed {done} config for entity: {_words(entity)}.\n")


def _of_before(wanted: ConfigEntity, keys: Sequence[str]) -> bool:
    """Whether only the tool of before 3.0 did this through ZooKeeper."""
    if wanted.types == [BROKERS]:
        return bool(keys) and all(key in BROKER_QUOTAS for key in keys)
    return wanted.types != [USERS] or any(key not in MECHANISMS for key in keys)


def _alter(tree: ConfigTree, entity: str, add: dict[str, str], delete: Sequence[str]) -> None:
    kind = entity.partition("/")[0]
    deleted = scala_buffer(list(delete)) if delete else "List()"
    shown = ", ".join(f"{k}={v}" for k, v in add.items())
    problem = (
        f"requirement failed: --bootstrap-server option must be specified to update {kind} "
        f"configs: {{add: {{{shown}}}, delete: {deleted}}}"
    )
    if kind == TOPICS:
        _check_topic(tree, entity.partition("/")[2], add)
    elif kind in (USERS, CLIENTS):
        add = _client_settings(add, credentials=entity.count("/") == 1 and kind == USERS)
    elif kind == BROKERS:
        if not all(key in BROKER_QUOTAS for key in (*add, *delete)):
            _require_down(tree, entity.partition("/")[2], problem)
        add = _broker_settings(add, per_broker=not entity.endswith(DEFAULT))
    present = tree.read(entity)
    missing = [key for key in delete if key not in present]
    if missing:
        raise ConfigProblem(f"Invalid config(s): {','.join(missing)}")
    tree.write(entity, {k: v for k, v in {**present, **add}.items() if k not in delete})


def _check_topic(tree: ConfigTree, name: str, add: Mapping[str, str]) -> None:
    """Raises ConfigProblem, or SettingError, for what AdminZkClient refuses."""
    if tree.client.exists(f"/brokers/topics/{name}") is None:
        raise ConfigProblem(f'Topic "{name}" does not exist.')
    unknown = [key for key in add if key not in TOPIC]
    if unknown:
        raise ConfigProblem(f"Unknown topic config name: {unknown[0]}")
    for key, value in add.items():
        TOPIC[key].parse(value)


def _client_settings(add: Mapping[str, str], *, credentials: bool) -> dict[str, str]:
    """Quotas, and of users (``credentials``) what a password is stored as."""
    found = {}
    for key, value in add.items():
        if credentials and key in MECHANISMS:
            found[key] = scram.stored(parse_credential(key, value)).text()
        elif key in CLIENT_QUOTAS:
            CLIENT_QUOTAS[key].parse(value)
            found[key] = value
        else:
            raise ConfigProblem(f"Unknown Dynamic Configuration: {scala_set([key])}.")
    return found


def _broker_settings(add: Mapping[str, str], *, per_broker: bool) -> dict[str, str]:
    """The settings to store for brokers, checked as a broker would."""
    values = {k: v for k, v in add.items() if not k.startswith("password.encoder.")}
    fixed = [k for k in values if k in BROKER and BROKER[k].update is Update.READ_ONLY]
    if fixed:
        raise SettingError(f"Cannot update these configs dynamically: {scala_set(fixed)}")
    for name, text in values.items():
        match = _LISTENER.fullmatch(name)
        base = match[1] if match else name
        setting = BROKER_QUOTAS.get(base) or BROKER.get(base)
        if setting is None:
            continue
        setting.parse(text)
        if setting.sensitive:
            raise ConfigProblem(
                f"{name}: passwords cannot be encrypted here; start the broker and use "
                "--bootstrap-server"
            )
        if not per_broker and (match or setting.update is Update.PER_BROKER):
            raise SettingError(
                "Cannot update these configs at default cluster level, broker id must be "
                f"specified: {scala_set([name])}"
            )
    return values


def _require_down(tree: ConfigTree, name: str, problem: str) -> None:
    if name == DEFAULT:
        count = len(tree.names("/brokers/ids"))
        if count:
            raise ConfigProblem(f"{problem} - {count} brokers are running. {_ONLY_DOWN}")
    elif not re.fullmatch(r"[+-]?\d+", name):
        raise ConfigProblem(
            f"Error parsing broker {name}. The broker's Entity Name must be a single integer value"
        )
    elif tree.running(name):
        raise ConfigProblem(f"{problem} - broker {name} is running. {_ONLY_DOWN}")


def describe(run: Run, wanted: ConfigEntity) -> None:
    """``--describe --zookeeper``."""
    (sys.stderr if _of_before(wanted, ()) else sys.stdout).write(WARNING)
    with _configs(run) as tree:
        for one in _expand(tree, wanted):
            values = tree.read(one)
            if values or wanted.types != [USERS] or wanted.names:
                shown = ",".join(f"{k}={v}" for k, v in values.items())
                sys.stdout.write(f"Configs for {_words(one)} are {shown}\n")


def _pairs(wanted: ConfigEntity) -> list[tuple[str, str | None]]:
    """Types with their znode names (None: all of them), users before clients."""
    pairs = [
        (kind, _sanitized(wanted.names[i]) if i < len(wanted.names) else None)
        for i, kind in enumerate(wanted.types)
    ]
    if len(pairs) == 2 and pairs[0][0] == CLIENTS:
        pairs.reverse()
    return pairs


def _entity(wanted: ConfigEntity) -> str:
    """``users/alice``, ``users/alice/clients/app``; ConfigProblem where a name is missing."""
    pairs = _pairs(wanted)
    if any(name is None for _, name in pairs):
        raise ConfigProblem(
            "--entity-name or --entity-default must be specified with each --entity-type for "
            "--alter"
        )
    return "/".join(f"{kind}/{name}" for kind, name in pairs)


def _sanitized(name: str) -> str:
    return quote(name, safe="-._").replace("~", "%7E") if name else DEFAULT


def _expand(tree: ConfigTree, wanted: ConfigEntity) -> list[str]:
    """Every entity that is meant."""
    found = [""]
    for kind, name in _pairs(wanted):
        bases = [f"{path}{kind}" for path in found]
        found = [
            f"{base}/{one}/"
            for base in bases
            for one in ([name] if name is not None else tree.names(f"/config/{base}"))
        ]
    return [path[:-1] for path in found]


def _words(entity: str) -> str:
    """``user-principal 'alice', client-id 'app'``, ``brokers '0'``, ``default brokers``."""
    words = {USERS: "user-principal", CLIENTS: "client-id", TOPICS: "topic"}
    parts = entity.split("/")
    shown = []
    for kind, name in zip(parts[::2], parts[1::2], strict=True):
        word = words.get(kind, kind)
        shown.append(f"default {word}" if name == DEFAULT else f"{word} '{unquote_plus(name)}'")
    return ", ".join(shown)
