"""Which rules a filter means (``AclBindingFilter``)."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)


class AclFilter(NamedTuple):
    """None and ANY leave a part open. Pattern type MATCH means every resource whose rules would
    count for one of that name."""

    type: ResourceType = ResourceType.ANY
    name: str | None = None
    pattern: PatternType = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: Operation = Operation.ANY
    permission: Permission = Permission.ANY

    @property
    def only(self) -> ResourcePattern | None:
        """The one resource it can mean; None if there may be several."""
        if self.type == ResourceType.ANY or self.name is None:
            return None
        if self.pattern in (PatternType.ANY, PatternType.MATCH):
            return None
        return ResourcePattern(self.type, self.name, self.pattern)

    def means(self, resource: ResourcePattern) -> bool:
        """Whether the resource passes, whatever its rules."""
        if self.type not in (ResourceType.ANY, resource.type):
            return False
        if self.name is None or self.pattern in (PatternType.ANY, resource.pattern):
            named = self.name in (None, resource.name)
        elif self.pattern == PatternType.MATCH:
            named = resource.covers(resource.type, self.name)
        else:
            return False
        return named and self.pattern in (PatternType.ANY, PatternType.MATCH, resource.pattern)

    def passes(self, entry: AclEntry) -> bool:
        """Whether an entry passes, whatever it is about."""
        return (
            self.principal in (None, entry.principal)
            and self.host in (None, entry.host)
            and self.operation in (Operation.ANY, entry.operation)
            and self.permission in (Permission.ANY, entry.permission)
        )

    def matches(self, rule: AclBinding) -> bool:
        """Whether the whole rule passes."""
        return self.means(rule.resource) and self.passes(rule.entry)
