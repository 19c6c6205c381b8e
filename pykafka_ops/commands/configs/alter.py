"""``--alter`` of kafka-configs."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence

from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import AlterOp, ConfigResource
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.commands.configs.entity import (
    ConfigEntity,
    ConfigProblem,
    configs_to_add,
    configs_to_delete,
    entity,
    scala_set,
)
from pykafka_ops.commands.configs.known import BROKER_LOGGERS, BROKERS
from pykafka_ops.commands.configs.settings import TYPES, present
from pykafka_ops.commands.framework.failures import raise_first
from pykafka_ops.commands.framework.run import Run

_LOOKS = 8
_FIRST_WAIT_S = 0.01


def alter(run: Run) -> None:
    """Change what the options say, all of one entity at once. Raises ConfigProblem, KafkaError."""
    wanted = entity(run.args)
    if run.args.has("zookeeper"):
        from pykafka_ops.commands.configs.zookeeper import alter as in_zookeeper

        in_zookeeper(run, wanted)
        return
    if len(wanted.types) != len(wanted.names):
        raise ConfigProblem("An entity name must be specified for every entity type")
    add, delete = configs_to_add(run.args), configs_to_delete(run.args)
    cluster = run.cluster()
    if wanted.kind == BROKERS and not is_kafka_4(cluster, "describeConfigs"):
        _replace_broker(cluster, wanted.names[0], add, delete)
    elif wanted.kind in TYPES:
        _change_one(cluster, wanted.kind, wanted.names[0], add, delete)
    else:
        from pykafka_ops.commands.configs.quotas import alter as alter_quotas

        alter_quotas(cluster, wanted, add, delete)
    sys.stdout.write(_completed(wanted))


def _completed(wanted: ConfigEntity) -> str:
    """Kafka's word of success."""
    if wanted.names[0]:
        return f"Completed updating config for {wanted.kind[:-1]} {wanted.names[0]}.\n"
    return f"Completed updating default config for {wanted.kind} in the cluster.\n"


def _change_one(
    cluster: Cluster, kind: str, name: str, add: Mapping[str, str], delete: Sequence[str]
) -> None:
    old = present(cluster, kind, name)
    missing = [key for key in delete if key not in old]
    if kind == BROKER_LOGGERS:
        missing += [key for key in add if key not in old]
        if missing:
            raise ConfigProblem(f"Invalid broker logger(s): {','.join(missing)}")
    elif missing and not is_kafka_4(cluster):
        raise ConfigProblem(f"Invalid config(s): {','.join(missing)}")
    changes: list[tuple[AlterOp, str, str | None]] = [
        (AlterOp.SET, key, value) for key, value in add.items()
    ]
    changes += [(AlterOp.DELETE, key, "") for key in delete]
    wanted = {ConfigResource(TYPES[kind], name): changes}
    raise_first(configs.alter_configs(cluster, wanted).values())


def _replace_broker(
    cluster: Cluster, name: str, add: Mapping[str, str], delete: Sequence[str]
) -> None:
    """As kafka-configs 3.9: read all dynamic settings, write all of them back (KIP-1011)."""
    old = present(cluster, BROKERS, name)
    missing = [key for key in delete if key not in old]
    if missing:
        raise ConfigProblem(f"Invalid config(s): {','.join(missing)}")
    values = {k: v for k, v in {**old, **add}.items() if k not in delete}
    known = {k: v for k, v in values.items() if v is not None}
    secret = [k for k in values if k not in known]
    if secret:
        raise ConfigProblem(
            "All sensitive broker config entries must be specified for --alter, missing entries: "
            f"{scala_set(secret)}"
        )
    wanted = {ConfigResource(configs.BROKER, name): known}
    raise_first(configs.replace_configs(cluster, wanted).values())
    _wait_applied(cluster, name, set(known))


def _wait_applied(cluster: Cluster, name: str, keys: set[str]) -> None:
    """Give the broker a moment to take over what it stored.

    The next change begins with what the broker says it has, and would else undo this one.
    """
    for number in range(_LOOKS):
        if set(present(cluster, BROKERS, name)) == keys:
            return
        time.sleep(_FIRST_WAIT_S * 2**number)
