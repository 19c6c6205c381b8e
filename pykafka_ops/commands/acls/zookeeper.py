"""kafka-acls without brokers: the rules in their znodes (``AclAuthorizer``).

Each resource has a znode, whose version guards its changes; a notification tells the brokers which
of them to read again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pykafka_ops.broker.metadata.znodes.acl import PATTERNS, RESOURCE_TYPES, AclChanges, AclRules
from pykafka_ops.client.acls import Removed
from pykafka_ops.commands.acls.kafka import AclProblem
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.session import ZnodeSession, lost
from pykafka_ops.commands.zookeeper.session import opened as open_client
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import AclBinding, AclEntry, ResourcePattern
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.zookeeper import acls

AUTHORIZERS: Final = (
    "kafka.security.authorizer.AclAuthorizer",
    "kafka.security.auth.SimpleAclAuthorizer",
)
CONNECT: Final = ("authorizer.zookeeper.url", "zookeeper.connect")
TIMEOUT: Final = "zookeeper.connection.timeout.ms"
TRIES: Final = 10
"""AclAuthorizer.maxUpdateRetries."""


@contextlib.contextmanager
def opened(run: Run) -> Iterator[ZnodeRules]:
    """The rules in the ZooKeeper that ``--authorizer-properties`` name. AclProblem, ConnectError,
    and PkoError for what goes wrong meanwhile."""
    from kazoo.exceptions import KazooException
    from kazoo.handlers.threading import KazooTimeoutError

    name = run.args.text("authorizer")
    if name is not None and name not in AUTHORIZERS:
        raise AclProblem(name, "java.lang.ClassNotFoundException")
    settings = _settings(run.args.given("authorizer-properties"))
    hosts = next((settings[key] for key in CONNECT if settings.get(key)), None)
    if hosts is None:
        raise AclProblem(
            "Missing required configuration `zookeeper.connect` which has no default value.",
            "org.apache.kafka.common.config.ConfigException",
        )
    client = open_client(run, hosts, _seconds(run, settings))
    secure = settings.get("zookeeper.set.acl", "").lower() == "true"
    try:
        yield ZnodeRules(client, secure=client.access.secure or secure)
    except (KazooException, KazooTimeoutError) as error:
        raise lost(error) from None
    finally:
        client.end()


def _settings(texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (equals and value):
            raise AclProblem(f"Missing value for key {key}}}")  # the brace is Kafka's
        found[key] = value
    return found


def _seconds(run: Run, settings: dict[str, str]) -> float:
    text = settings.get(f"authorizer.{TIMEOUT}") or settings.get(TIMEOUT)
    if text is None:
        return run.silence
    if not text.isdecimal() or not int(text):
        raise AclProblem(
            f"Invalid value {text} for configuration {TIMEOUT}: Not a number of type INT",
            "org.apache.kafka.common.config.ConfigException",
        )
    return int(text) / 1000


class ZnodeRules:
    """A ``RuleStore`` on a client of ZooKeeper; ``secure``: znodes belong to its login."""

    def __init__(self, client: Any, *, secure: bool) -> None:
        self.client, self.secure = client, secure

    def describe(self, wanted: AclFilter) -> list[AclBinding]:
        """The rules that the filter means."""
        found = self._meant(wanted)
        return sorted(
            AclBinding(resource, entry)
            for resource, entries in found.items()
            for entry in entries
            if wanted.passes(entry)
        )

    def create(self, rules: Sequence[AclBinding]) -> list[KafkaError | None]:
        """Add rules; for each None or what went wrong."""
        by_resource: dict[ResourcePattern, set[AclEntry]] = {}
        for rule in rules:
            by_resource.setdefault(rule.resource, set()).add(rule.entry)
        errors = {r: self._change(r, add=entries) for r, entries in by_resource.items()}
        return [errors[rule.resource] for rule in rules]

    def delete(self, filters: Sequence[AclFilter]) -> list[Removed]:
        """Remove what each filter means."""
        return [self._delete(wanted) for wanted in filters]

    def _delete(self, wanted: AclFilter) -> Removed:
        gone: list[AclBinding] = []
        failed: list[tuple[AclBinding, KafkaError]] = []
        for resource, entries in self._meant(wanted).items():
            doomed = {entry for entry in entries if wanted.passes(entry)}
            error = self._change(resource, remove=doomed) if doomed else None
            rules = [AclBinding(resource, entry) for entry in doomed]
            if error is None:
                gone += rules
            else:
                failed += [(rule, error) for rule in rules]
        return Removed(sorted(gone), failed, None)

    def _meant(self, wanted: AclFilter) -> dict[ResourcePattern, list[AclEntry]]:
        """All rules about the resources that the filter means."""
        session = ZnodeSession(self.client)
        named = [wanted.only] if wanted.only else [r for r in self._all(session) if wanted.means(r)]
        named = [resource for resource in named if _may_be(resource)]
        znodes = session.read([AclRules.path(resource) for resource in named])
        found = {}
        for resource, znode in zip(named, znodes, strict=True):
            if znode is not None and znode.refused:
                raise PkoError(f"{AclRules.path(resource)}: {znode.refused}")
            if znode is not None:
                found[resource] = AclRules.decode(resource, znode.data)
        return found

    @staticmethod
    def _all(session: ZnodeSession) -> list[ResourcePattern]:
        parents = [(type_, pattern) for pattern in PATTERNS for type_ in RESOURCE_TYPES.values()]
        names = session.children([AclRules.parent(*parent) for parent in parents])
        return [
            ResourcePattern(type_, name, pattern)
            for (type_, pattern), some in zip(parents, names, strict=True)
            for name in some or ()
        ]

    def _change(
        self,
        resource: ResourcePattern,
        *,
        add: set[AclEntry] | None = None,
        remove: set[AclEntry] | None = None,
    ) -> KafkaError | None:
        """Change the rules of a resource, again while somebody else does; what went wrong."""
        from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError

        if not _may_be(resource):
            return KafkaError(ErrorCode.INVALID_REQUEST, "Failed to create ACL")
        for _ in range(TRIES):
            try:
                self._once(resource, add or set(), remove or set())
            except (BadVersionError, NodeExistsError, NoNodeError):
                continue
            return None
        return KafkaError(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"{AclRules.path(resource)} was changed by others {TRIES} times",
        )

    def _once(self, resource: ResourcePattern, add: set[AclEntry], remove: set[AclEntry]) -> None:
        path = AclRules.path(resource)
        stat = self.client.exists(path)
        before: set[AclEntry] = set()
        if stat is not None:
            data, stat = self.client.get(path)
            before = {*AclRules.decode(resource, data)}
        after = (before | add) - remove
        if after == before:
            return
        if stat is None:
            acls.create(self.client, path, AclRules.encode(sorted(after)), secure=self.secure)
        elif after:
            self.client.set(path, AclRules.encode(sorted(after)), version=stat.version)
        else:
            self.client.delete(path, version=stat.version)
        change = AclChanges.encode(resource)
        prefix = AclChanges.prefix(resource)
        acls.create(self.client, prefix, change, secure=self.secure, sequence=True)


def _may_be(resource: ResourcePattern) -> bool:
    """Whether a znode can have the name."""
    return bool(resource.name) and "/" not in resource.name and resource.name not in (".", "..")
