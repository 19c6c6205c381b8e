"""Access rules in the tree: added, deleted and found (KIP-140).

Counterpart of the administrative half of ``AclAuthorizer``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pykafka_ops.broker.metadata.store import (
    BadVersionError,
    Create,
    Delete,
    MetadataStore,
    NodeExistsError,
    NoNodeError,
    Op,
    SetData,
    StoreError,
    ZNode,
)
from pykafka_ops.broker.metadata.znodes import acl
from pykafka_ops.broker.metadata.znodes.acl import AclChanges, AclRules
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.broker.state.acls import check_binding
from pykafka_ops.errors import KafkaError, SettingError, StorageError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import AclBinding, AclEntry, ResourcePattern
from pykafka_ops.wire.codes import ErrorCode

ATTEMPTS: Final = 20
MOST_BYTES: Final = 600_000
"""Of the rules about one resource: ZooKeeper hangs up on requests of 1 MiB."""

log = logging.getLogger("kafka.security.authorizer.AclAuthorizer")

Rules = frozenset[AclEntry]


@dataclass(slots=True, eq=False)
class AclAdmin:
    """Changes rules in the tree, and in ``authorizer`` without waiting for the notification."""

    store: MetadataStore
    authorizer: Authorizer
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    """What was read or written last must be what the authorizer gets last."""

    def find(self, wanted: AclFilter) -> list[AclBinding]:
        """The rules that pass."""
        return sorted(rule for rule in self.authorizer.book if wanted.matches(rule))

    async def create(self, rules: Sequence[AclBinding]) -> list[KafkaError | None]:
        """Add rules; for each why not, None if it is there now."""
        errors: list[KafkaError | None] = [check_binding(rule) for rule in rules]
        for resource in {r.resource for r, e in zip(rules, errors, strict=True) if e is None}:
            new = {rule.entry for rule in rules if rule.resource == resource}
            error = await self._change(resource, lambda old, new=new: old | new)  # type: ignore[misc]
            for at, rule in enumerate(rules):
                if rule.resource == resource:
                    errors[at] = error
        return errors

    async def delete(
        self, filters: Sequence[AclFilter]
    ) -> list[list[tuple[AclBinding, KafkaError | None]]]:
        """Delete what passes; for each filter the rules it met first, each with why it is still
        there, None if it is gone."""
        found: list[list[tuple[AclBinding, KafkaError | None]]] = [[] for _ in filters]
        named = {wanted.only for wanted in filters} - {None}
        for resource in sorted({*self.authorizer.book.resources, *filter(None, named)}):
            chosen = [at for at, wanted in enumerate(filters) if wanted.means(resource)]
            if not chosen:
                continue
            met: dict[AclEntry, int] = {}

            def rest(
                old: Rules, chosen: list[int] = chosen, met: dict[AclEntry, int] = met
            ) -> Rules:
                met.clear()
                for entry in sorted(old):
                    at = next((at for at in chosen if filters[at].passes(entry)), None)
                    if at is not None:
                        met[entry] = at
                return old - met.keys()

            error = await self._change(resource, rest)
            for entry, at in met.items():
                found[at].append((AclBinding(resource, entry), error))
        return found

    async def _change(
        self, resource: ResourcePattern, edit: Callable[[Rules], Rules]
    ) -> KafkaError | None:
        """Replace the rules about a resource; ``edit`` is called again when somebody else was
        faster. Why it did not happen, None if it did."""
        try:
            async with self._one_at_a_time:
                self.authorizer.replace(resource, await self._write(resource, edit))
        except KafkaError as error:
            return error
        except StorageError as error:
            return KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, str(error))
        except (StoreError, ZnodeError) as error:
            log.warning("rules about %s cannot be changed: %s", resource.name, error)
            return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        return None

    async def load(self) -> int:
        """Read all rules there are; how many. Raises StoreError, and SettingError for what cannot
        be understood: without it, this broker might let in who is denied."""
        async with self._one_at_a_time:
            resources = await self._resources()
            nodes = await self.store.get_many([AclRules.path(each) for each in resources])
            rules = [
                rule for pair in zip(resources, nodes, strict=True) for rule in _rules_of(*pair)
            ]
            self.authorizer.load(rules)
        return len(rules)

    async def _resources(self) -> list[ResourcePattern]:
        found = []
        for pattern in acl.PATTERNS:
            for type_ in acl.RESOURCE_TYPES.values():
                names = await self.store.children(AclRules.parent(type_, pattern))
                found += [ResourcePattern(type_, name, pattern) for name in names]
        return found

    async def renew(self, resource: ResourcePattern) -> None:
        """Read the rules about a resource again. Raises StoreError, and ZnodeError for what makes
        no sense: then they stay as they are."""
        async with self._one_at_a_time:
            node = await self.store.get(AclRules.path(resource))
            entries = AclRules.decode(resource, None if node is None else node.data)
            self.authorizer.replace(resource, entries)
        log.info("rules about %s %s: %d", resource.type.label, resource.name, len(entries))

    async def _write(self, resource: ResourcePattern, edit: Callable[[Rules], Rules]) -> Rules:
        path = AclRules.path(resource)
        for _ in range(ATTEMPTS):
            node = await self.store.get(path)
            old = frozenset(AclRules.decode(resource, None if node is None else node.data))
            rules = edit(old)
            if rules == old:
                return rules
            note = Create(AclChanges.prefix(resource), AclChanges.encode(resource), sequence=True)
            try:
                await self.store.multi([_write_of(path, node, rules), note])
            except (BadVersionError, NodeExistsError, NoNodeError):
                continue
            return rules
        raise StoreError(path, f"{path} changes too often")


def _rules_of(resource: ResourcePattern, node: ZNode | None) -> list[AclBinding]:
    """Raises SettingError."""
    try:
        entries = AclRules.decode(resource, None if node is None else node.data)
    except ZnodeError as error:
        raise SettingError(f"access rules cannot be read: {error}") from error
    return [AclBinding(resource, entry) for entry in entries]


def _write_of(path: str, node: ZNode | None, rules: Iterable[AclEntry]) -> Op:
    data = AclRules.encode(sorted(rules))
    if len(data) > MOST_BYTES:
        text = f"The rules about one resource take {len(data)} bytes, more than {MOST_BYTES}."
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    if node is None:
        return Create(path, data)
    return SetData(path, data, node.stat.version) if rules else Delete(path, node.stat.version)
