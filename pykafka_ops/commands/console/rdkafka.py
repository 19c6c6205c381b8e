"""librdkafka for ``pko produce`` and ``pko consume``: its settings, loading it, making a client.

The settings given are Kafka's client properties (Java's names). What librdkafka knows under the
same name passes through; what has another name is renamed; what only concerns Java's insides is
dropped. A name that librdkafka does not know either is dropped with a warning, as Java's clients
do.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from pykafka_ops.client.config import SILENCE, ClientConfigError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

RENAMED = {
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
}
DROPPED = frozenset(
    (
        "key.serializer", "value.serializer", "key.deserializer", "value.deserializer",
        "max.block.ms", "max.poll.records", "default.api.timeout.ms", "metric.reporters",
        "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms",
        "interceptor.classes", "partitioner.class", "partitioner.ignore.keys",
        "partitioner.adaptive.partitioning.enable", "partitioner.availability.timeout.ms",
        "exclude.internal.topics", "client.dns.lookup",
        "ssl.protocol", "ssl.enabled.protocols", "ssl.provider", "ssl.keymanager.algorithm",
        "ssl.trustmanager.algorithm", "ssl.secure.random.implementation", "ssl.keystore.type",
        "ssl.truststore.type", "ssl.truststore.password", "ssl.engine.factory.class",
        "sasl.login.class", "sasl.client.callback.handler.class",
        "sasl.login.callback.handler.class",
        "socket.connection.setup.timeout.max.ms", "auto.include.jmx.reporter",
        "enable.metrics.push", "group.protocol.type", "metadata.recovery.strategy",
        "leave.group.on.close", "internal.leave.group.on.close", "security.providers",
    )
)  # fmt: skip
ASSIGNORS = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "CooperativeStickyAssignor": "cooperative-sticky",
}
VALUES = {
    ("auto.offset.reset", "none"): "error",
    ("send.buffer.bytes", "-1"): "0",
    ("receive.buffer.bytes", "-1"): "0",
}
"""What librdkafka has another word for; of buffers it is the system's size."""
PRODUCER_ONLY = frozenset(("request.timeout.ms", "max.request.size", "buffer.memory"))
UNKNOWN = re.compile(r'No such configuration property: "(.+)"')
INVALID = re.compile(r'Invalid value (?:".*" )?for configuration property "(.+?)"')
ALIASES = {
    "queue.buffering.max.ms": "linger.ms",
    "message.send.max.retries": "retries",
    "compression.codec": "compression.type",
    "message.timeout.ms": "delivery.timeout.ms",
    "request.required.acks": "acks",
    "sasl.mechanisms": "sasl.mechanism",
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "max.in.flight": "max.in.flight.requests.per.connection",
    **{other: name for name, other in RENAMED.items()},
}
"""librdkafka complains about its first name of a property, the user gave Kafka's."""
OF_TLS = ("ssl.truststore.", "ssl.keystore.", "ssl.endpoint.", "ssl.cipher.")
OF_BEARER = ("sasl.oauthbearer.", "sasl.login.")
NO_KERBEROS = "No provider for SASL mechanism GSSAPI"
WITH_KERBEROS = (
    "librdkafka, which reads and writes the records, is built without GSSAPI here: build one with "
    "it (Debian: apt-get install librdkafka-dev libsasl2-modules-gssapi-mit; pip install "
    "--no-binary confluent-kafka confluent-kafka), or log in by another mechanism"
)
DEBUG = "broker,protocol,security,cgrp"


def librdkafka(properties: Mapping[str, str], *, consumer: bool) -> dict[str, object]:
    """The configuration for ``confluent_kafka``. ClientConfigError for what cannot be had."""
    found: dict[str, object] = {}
    for name, value in properties.items():
        if name in DROPPED or (consumer and name in PRODUCER_ONLY) or name.startswith(OF_BEARER):
            continue
        if name == "buffer.memory":
            found["queue.buffering.max.kbytes"] = str(max(1, _whole(name, value) // 1024))
        elif name == "partition.assignment.strategy":
            found[name] = _assignors(value)
        elif name == SILENCE:
            found[name] = str(max(1000, _whole(name, value)))  # the least that it takes
        elif name != "sasl.jaas.config" and not name.startswith(OF_TLS):
            found[RENAMED.get(name, name)] = VALUES.get((name, value), value)
    line = properties.get("sasl.jaas.config")
    if line is not None:
        found.update(_login(line, properties))
    if any(name.startswith("ssl.") for name in properties):
        from pykafka_ops.commands.console.rdkafka_tls import tls

        found.update(tls(properties))
    return found


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """ClientConfigError, in Kafka's words, for a value that is not allowed."""
    if value not in allowed:
        raise ClientConfigError(
            f"Invalid value {value} for configuration {name}: "
            f"String must be one of: {', '.join(allowed)}"
        )


def _whole(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise ClientConfigError(
            f"Invalid value {value} for configuration {name}: Not a number of type LONG"
        ) from None


def _assignors(value: str) -> str:
    names = [part.strip().rpartition(".")[2] for part in value.split(",")]
    return ",".join(ASSIGNORS.get(name, name) for name in names)


def _login(line: str, properties: Mapping[str, str]) -> dict[str, object]:
    """User and password of a ``PlainLoginModule`` or ``ScramLoginModule`` line, what gets a token
    of OAuth 2.0, or the keytab of a ``Krb5LoginModule``."""
    from pykafka_ops.client.sasl import AWS, BEARER, credentials, is_token
    from pykafka_ops.security.kerberos_login import MODULE

    if properties.get("sasl.mechanism") == BEARER:
        from pykafka_ops.commands.console.rdkafka_bearer import new_token

        return {"oauth_cb": new_token(properties)}
    if line.split(None, 1)[:1] == [MODULE]:
        return _kerberos(line)
    if properties.get("sasl.mechanism") == AWS:
        from pykafka_ops.commands.console.rdkafka_aws import login

        return login(line, properties)
    if is_token(line):
        raise ClientConfigError(
            "librdkafka, which reads and writes the records, takes no delegation tokens "
            "(tokenauth): log in as a user here"
        )
    user, password = credentials(line)
    return {"sasl.username": user, "sasl.password": password}


def _kerberos(line: str) -> dict[str, object]:
    """Principal and keytab; with a ticket cache librdkafka must not run kinit."""
    from pykafka_ops.errors import SettingError
    from pykafka_ops.security import jaas
    from pykafka_ops.security.kerberos_login import login_of

    try:
        login = login_of(jaas.options(line))
    except SettingError as error:
        raise ClientConfigError(str(error)) from None
    if login.keytab is None or login.principal is None:
        return {"sasl.kerberos.kinit.cmd": ""}
    return {"sasl.kerberos.principal": login.principal, "sasl.kerberos.keytab": login.keytab}


def pairs(items: list[str], option: str, *, strict: bool) -> dict[str, str]:
    """``k=v`` values of an option. Without ``strict`` a bare ``k`` is ``k`` with nothing."""
    found: dict[str, str] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if strict and not equals:
            raise UsageError(f"--{option} {item}: write it as key=value")
        found[key] = value
    return found


class Given:
    """The client properties of a console tool, and where they came from.

    ``merged``: all, strongest last: profile and --command-config, then ``KIND.config`` and
    ``KIND-property``, then --bootstrap-server and -X. ``file`` and ``options`` are those of
    ``KIND.config`` and ``KIND-property``.
    """

    def __init__(self, run: Run, kind: str) -> None:
        from pykafka_ops.client.completed import completed
        from pykafka_ops.commands.framework.profile import gathered, read_properties

        args = run.args
        path = args.text(f"{kind}.config")
        self.file = dict(read_properties(path)) if path else {}
        self.options = pairs(
            args.texts(f"{kind}-property"), f"{kind}-property", strict=not args.flags
        )
        self.options.pop("", None)
        base = gathered(args, run.profile, run.env)
        strong = [pair.partition("=")[0].strip() for pair in args.texts("setting")]
        strong.append("bootstrap.servers")
        merged = {**base, **self.file, **self.options}
        merged.update({name: base[name] for name in strong if name in base})
        self.merged = completed(merged, run.env)
        if not self.merged.get("bootstrap.servers"):
            raise UsageError(
                "which cluster? give -b HOST:PORT, set PKO_BOOTSTRAP_SERVER or make a profile"
            )


# --- the library ---------------------------------------------------------------------------------


def load() -> ModuleType:
    """confluent_kafka's C module.

    Its package imports asyncio, serializers and schema classes before it, which takes longer than
    all else that a console command does at its start; the clients used here need none of it. The
    module is registered under its own name, so a later ``import confluent_kafka`` uses this one.
    """
    name = "confluent_kafka.cimpl"
    if name in sys.modules:
        return sys.modules[name]
    import importlib
    import importlib.machinery
    import importlib.util

    package = importlib.util.find_spec("confluent_kafka")
    places = list(package.submodule_search_locations or ()) if package else []
    spec = importlib.machinery.PathFinder.find_spec(name, places)
    if spec is None or spec.loader is None:
        return importlib.import_module(name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except ImportError:
        del sys.modules[name]
        return importlib.import_module(name)
    return module


def client(
    kind: str, settings: Mapping[str, object], *, debug: bool, warn: Callable[[str], None]
) -> Any:
    """A ``Producer`` or ``Consumer``. ClientConfigError where a value is refused.

    ``warn`` gets each setting that librdkafka does not know. Its own log is kept off stderr
    unless ``debug``: what matters of it arrives through ``error_cb``.
    """
    library = load()
    wanted = dict(settings)
    wanted.update({"log_level": 7, "debug": DEBUG} if debug else {"log_level": 0})
    while True:
        try:
            return getattr(library, kind)(wanted)
        except (library.KafkaException, ValueError, TypeError) as error:
            text = error_text(error)
        unknown = UNKNOWN.search(text)
        if unknown is None or unknown[1] not in wanted:
            raise ClientConfigError(_refused(text, settings))
        del wanted[unknown[1]]
        warn(unknown[1])


def _refused(text: str, settings: Mapping[str, object]) -> str:
    """Kafka's words for a bad value where librdkafka says that it is one."""
    if NO_KERBEROS in text:
        return WITH_KERBEROS
    bad = INVALID.search(text)
    if bad is None:
        return text
    name = bad[1] if bad[1] in settings else ALIASES.get(bad[1], bad[1])
    return f"Invalid value {settings.get(name, '?')} for configuration {name}"


def error_text(error: Exception) -> str:
    """What librdkafka said, without its code."""
    first = error.args[0] if error.args else error
    return str(first.str() if hasattr(first, "str") else first)
