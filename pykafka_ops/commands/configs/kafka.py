"""kafka-configs: which options go together, and how it reports failures."""

from __future__ import annotations

import re
import sys

from pykafka_ops.commands.configs import known
from pykafka_ops.commands.configs.entity import (
    DEFAULT_FLAGS,
    NAME_FLAGS,
    ConfigProblem,
    entity_names,
    entity_types,
)
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import PkoError, UsageError

BROKER_TYPES: tuple[str, ...] = (
    known.TOPICS, known.CLIENTS, known.USERS, known.BROKERS, known.IPS, known.BROKER_LOGGERS,
    known.CLIENT_METRICS,
)  # fmt: skip
ACCEPTED = (*BROKER_TYPES, known.GROUPS)
"""Those that this tool has besides, of Kafka 4."""
_PASSWORD = re.compile(r"password=[^],]*")
"""What of a SCRAM credential on the command line is not repeated; Kafka's tool repeats it."""
ZOOKEEPER_TYPES: tuple[str, ...] = (known.TOPICS, known.CLIENTS, known.USERS, known.BROKERS)


def check(args: Args) -> None:
    """The checks of ConfigCommandOptions.checkArgs, in its order and words."""
    if args.has("alter") == args.has("describe"):
        raise OptionError("Command must include exactly one action: --describe, --alter")
    args.forbid("describe", "alter", "add-config", "delete-config")
    types = entity_types(args)
    _check_types(args, types)
    by_flags = any(args.has(flag) for flag, _ in NAME_FLAGS + DEFAULT_FLAGS)
    if by_flags and any(args.has(o) for o in ("entity-name", "entity-type", "entity-default")):
        raise ConfigProblem(
            "--entity-{type,name,default} should not be used in conjunction with specific entity "
            "flags"
        )
    _check_connection(args)
    names = entity_names(args)
    _check_names(args, types, names)
    if args.has("alter"):
        _check_alter(args, types, names)


def _check_types(args: Args, types: list[str]) -> None:
    twice = [t for i, t in enumerate(types) if t in types[:i]]
    if twice:
        raise ConfigProblem(f"Duplicate entity type(s) specified: {','.join(twice)}")
    allowed, how = ZOOKEEPER_TYPES, "--zookeeper"
    if args.has("bootstrap-server") or args.has("bootstrap-controller"):
        allowed, how = BROKER_TYPES, "--bootstrap-server or --bootstrap-controller"
    for kind in types:
        if kind not in allowed and (allowed is ZOOKEEPER_TYPES or kind not in ACCEPTED):
            raise ConfigProblem(
                f"Invalid entity type {kind}, the entity type must be one of "
                f"{', '.join(allowed)} with a {how} argument"
            )
    if not types:
        raise ConfigProblem("At least one entity type must be specified")
    if len(types) > 1 and set(types) != {known.USERS, known.CLIENTS}:
        raise ConfigProblem("Only 'users' and 'clients' entity types may be specified together")


def _check_connection(args: Args) -> None:
    given = sum(args.has(o) for o in ("bootstrap-server", "bootstrap-controller", "zookeeper"))
    three = "--bootstrap-server, --boostrap-controller,"  # Kafka's own spelling
    if given == 0:
        raise ConfigProblem(
            f"One of the required {three} or --zookeeper arguments must be specified"
        )
    if given > 1:
        raise ConfigProblem(f"Only one of {three} and --zookeeper can be specified")
    if args.has("all") and args.has("zookeeper"):
        raise ConfigProblem("--bootstrap-server must be specified for --all")
    if args.has("zk-tls-config-file") and not args.has("zookeeper"):
        raise ConfigProblem(
            "Only the --zookeeper option can be used with the --zk-tls-config-file option."
        )
    if args.has("bootstrap-controller"):
        raise ConfigProblem("--bootstrap-controller is not supported: use --bootstrap-server")


def _check_names(args: Args, types: list[str], names: list[str]) -> None:
    named = [name for name in names if name]
    if args.has("describe") and known.GROUPS in types and args.has("entity-default"):
        raise ConfigProblem("--entity-default must not be specified with --describe of groups")
    if named and (known.BROKERS in types or known.BROKER_LOGGERS in types):
        for name in named:
            if java_integer(name) is None:
                raise ConfigProblem(
                    f"The entity name for {types[0]} must be a valid integer broker id, but it is: "
                    f"{name}"
                )
    if named and known.IPS in types:
        for name in named:
            if not _resolves(name):
                raise ConfigProblem(
                    f"The entity name for {types[0]} must be a valid IP or resolvable host, but it "
                    f"is: {name}"
                )
    if args.has("describe") and known.BROKER_LOGGERS in types and not named:
        raise ConfigProblem(
            f"an entity name must be specified with --describe of {','.join(types)}"
        )


def _resolves(host: str) -> bool:
    import socket

    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return False
    return True


def _check_alter(args: Args, types: list[str], names: list[str]) -> None:
    if set(types) & {known.USERS, known.CLIENTS, known.BROKERS, known.IPS}:
        if not names:
            raise ConfigProblem(
                "an entity-name or default entity must be specified with --alter of users, "
                "clients, brokers or ips"
            )
    elif not any(names):
        article = "An" if known.GROUPS in types else "an"  # in Kafka 4 it is a capital
        raise ConfigProblem(
            f"{article} entity name must be specified with --alter of {','.join(types)}"
        )
    if args.has("add-config") and args.has("add-config-file"):
        raise ConfigProblem("Only one of --add-config or --add-config-file must be specified")
    if not any(args.has(o) for o in ("add-config", "add-config-file", "delete-config")):
        raise ConfigProblem(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified "
            "with --alter"
        )


def failure(error: PkoError, run: Run) -> int:
    """Wrong arguments in one line; the rest with the command line, as Kafka's tool."""
    from pykafka_ops.commands.framework.failures import java_text, of_client, text_of
    from pykafka_ops.commands.framework.profile import UnreadableFileError

    if isinstance(error, UsageError) and not of_client(error):
        sys.stderr.write(f"{error}\n")
        return 1
    if isinstance(error, UnreadableFileError):
        text = f"java.nio.file.NoSuchFileException: {error}"
    elif isinstance(error, UsageError):
        text = f"org.apache.kafka.common.KafkaException: {text_of(error)}"
    elif hasattr(error, "java"):
        text = error.java
    else:
        text = f"java.util.concurrent.ExecutionException: {java_text(error)}"
    words = _PASSWORD.sub("password=***", " ".join(run.args.said))
    sys.stderr.write(f"Error while executing config command with args '{words}'\n{text}\n")
    return 1
