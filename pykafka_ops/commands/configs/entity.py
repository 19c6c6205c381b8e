"""What has settings: kinds and names from either form, and the settings that are asked for."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.commands.configs import known
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import UsageError

NAME_FLAGS = (
    ("topic", known.TOPICS),
    ("client", known.CLIENTS),
    ("user", known.USERS),
    ("broker", known.BROKERS),
    ("broker-logger", known.BROKER_LOGGERS),
    ("ip", known.IPS),
    ("group", known.GROUPS),
)
DEFAULT_FLAGS = (
    ("client-defaults", known.CLIENTS),
    ("user-defaults", known.USERS),
    ("broker-defaults", known.BROKERS),
    ("ip-defaults", known.IPS),
)
_ALIASES = {"loggers": known.BROKER_LOGGERS, "logger": known.BROKER_LOGGERS}
_OUTSIDE_BRACKETS = r"(?=[^\]]*(?:\[|$))"
_COMMA = re.compile("," + _OUTSIDE_BRACKETS)
_EQUALS = re.compile(r"\s*=\s*" + _OUTSIDE_BRACKETS)
_KEY = re.compile(r"[a-zA-Z0-9._-]*")
_FORMAT_VERSION = "message.format.version"


class ConfigProblem(UsageError):  # noqa: N818 - what is asked cannot be, not a fault
    """What kafka-configs refuses on its own, in its words."""


class ConfigEntity(NamedTuple):
    """Whose settings: ``types`` and ``names`` side by side, users and clients may come together.

    The name "" is the default of all. Fewer names than types: all that have a name.
    """

    types: list[str]
    names: list[str]

    @property
    def kind(self) -> str:
        """The first type."""
        return self.types[0]

    @property
    def name(self) -> str | None:
        """The first name, None for all."""
        return self.names[0] if self.names else None

    def label(self) -> str:
        """For people: ``topics orders``, ``users alice, clients <default>``."""
        parts = [
            f"{kind} {(self.names[i] or '<default>') if i < len(self.names) else ''}".strip()
            for i, kind in enumerate(self.types)
        ]
        return ", ".join(parts)


def entity_types(args: Args) -> list[str]:
    """Kafka's form: the types that options name."""
    flags = [kind for flag, kind in NAME_FLAGS + DEFAULT_FLAGS if args.has(flag)]
    return [*(args.given("entity-type")), *flags]


def entity_names(args: Args) -> list[str]:
    """Kafka's form: the names that options give, "" where the default is meant."""
    given = iter(args.given("entity-name"))
    names = [
        next(given) if option == "entity-name" else ""
        for option in args.order
        if option in ("entity-name", "entity-default")
    ]
    names += [args.text(flag) or "" for flag, _ in NAME_FLAGS if args.has(flag)]
    names += ["" for flag, _ in DEFAULT_FLAGS if args.has(flag)]
    return names


def entity(args: Args) -> ConfigEntity:
    """Kafka's form: whose settings."""
    return ConfigEntity(entity_types(args), entity_names(args))


# --- pko's form ----------------------------------------------------------------------------------


def kind_of(word: str) -> str:
    """A kind from what people write: ``topic``, ``topics``, ``loggers``; UsageError."""
    found = _ALIASES.get(word, word)
    if found not in known.KINDS and f"{found}s" in known.KINDS:
        found = f"{found}s"
    if found not in known.KINDS:
        near = did_you_mean(found, known.KINDS)
        raise UsageError(f"{word}: say which settings: {', '.join(known.KINDS)}{near}")
    return found


def spoken(args: Args) -> tuple[str, list[str]]:
    """Pko's form: the kind, and the words after it."""
    return kind_of(args.text("kind") or ""), list(args.given("word"))


def with_client(args: Args, kind: str, name: str | None) -> ConfigEntity:
    """A kind and a name (None: all), with the client that ``--client`` adds to a user."""
    types, names = [kind], [] if name is None else [name]
    if args.has("client") or args.has("client-defaults"):
        if kind != known.USERS:
            raise UsageError("--client and --client-defaults go with users")
        if name is None:
            raise UsageError("--client and --client-defaults need a user, or --default")
        types.append(known.CLIENTS)
        names.append(args.text("client") or "")
    return ConfigEntity(types, names)


def check_named(kind: str, names: list[str], instead: str = "") -> None:
    """UsageError for a default that the kind has not got, or a broker that is no number."""
    if "" in names and kind in known.WITHOUT_DEFAULT:
        raise UsageError(f"{kind} have no default of all")
    if kind in (known.BROKERS, known.BROKER_LOGGERS):
        for name in filter(None, names):
            if java_integer(name) is None:
                raise UsageError(f"{name}: brokers are named by their number{instead}")


# --- settings ------------------------------------------------------------------------------------


def configs_to_add(args: Args) -> dict[str, str]:
    """``--add-config`` and ``--add-config-file`` (ConfigCommand.parseConfigsToBeAdded)."""
    found: dict[str, str] = {}
    path = args.text("add-config-file")
    if path is not None:
        from pykafka_ops.commands.framework.profile import read_properties

        found.update(read_properties(path))
    text = args.text("add-config")
    if text is not None:
        found.update(parse_pairs(text))
    if _FORMAT_VERSION in found:
        sys.stdout.write(
            f"WARNING: The configuration {_FORMAT_VERSION}={found[_FORMAT_VERSION]} is specified. "
            "This configuration will be ignored if the version is newer than the "
            "inter.broker.protocol.version specified in the broker or if the "
            "inter.broker.protocol.version is 3.0 or newer. This configuration is deprecated and "
            "it will be removed in Apache Kafka 4.0.\n"
        )
    for key in found:
        if not _KEY.fullmatch(key):
            raise ConfigProblem(f"Invalid character found for config key: {key}")
    return found


def parse_pairs(text: str) -> dict[str, str]:
    """``k1=v1,k2=[a,b]`` as Kafka reads it; brackets are taken out of values."""
    items = _COMMA.split(text)
    while len(items) > 1 and not items[-1]:
        items.pop()
    found = {}
    for item in items:
        pair = _EQUALS.split(item)
        if len(pair) != 2:
            raise ConfigProblem(
                "requirement failed: Invalid entity config: all configs to be added must be in "
                'the format "key=val".'
            )
        found[pair[0].strip()] = pair[1].replace("[", "").replace("]", "").strip()
    return found


def configs_to_delete(args: Args) -> list[str]:
    """``--delete-config``."""
    return [key.strip() for key in args.given("delete-config")]


def scala_set(items: list[str]) -> str:
    """How Scala prints a set."""
    return f"{'Set' if len(items) <= 4 else 'HashSet'}({', '.join(items)})"


def scala_buffer(items: list[str]) -> str:
    """How Scala prints a buffer."""
    return f"ArrayBuffer({', '.join(items)})"
