"""Access rules as code: a YAML file.

::

    version: 1
    rules:
      - principal: User:alice            # or a list, as of the other keys
        operation: [read, describe]      # or a role: producer, consumer
        resource: topic:orders-*
        permission: allow                # as where it is left out
        host: "*"                        # likewise
        pattern: prefixed                # where a * at the end of names does not say enough
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import yaml

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.commands.acls.words import (
    PERMISSIONS,
    needed,
    resource,
    resource_word,
    rows,
    word,
)
from pykafka_ops.commands.framework.principal import principal
from pykafka_ops.errors import UsageError
from pykafka_ops.security.acls.rules import (
    WILDCARD,
    AclBinding,
    AclEntry,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)

VERSION: Final = 1
KEYS: Final = ("principal", "operation", "resource", "permission", "host", "pattern")
REQUIRED: Final = KEYS[:3]
MOST_BYTES: Final = 16 << 20
MOST_RULES: Final = 100_000
"""Lists multiply: a file of a few kB could mean more rules than there is memory for."""


class _Loader(yaml.SafeLoader):
    """Refuses keys that come twice, of which PyYAML takes the last."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A mapping; ConstructorError for a key that is there already."""
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value} stands here twice", key.start_mark
                )
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def read_rules(path: str) -> list[AclBinding]:
    """The rules in a file, each once, in its order; UsageError names the file and the line."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES >> 20} MiB")
    try:
        document = yaml.load(data, _Loader)
        lines = _lines(yaml.compose(data, yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise UsageError(f"{path}{_reason(error)}") from None
    try:
        items = _items(document)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    found: dict[AclBinding, None] = {}
    for item, line in zip(items, lines, strict=False):
        try:
            for rule in _rules(item):
                found[rule] = None
                if len(found) > MOST_RULES:
                    raise UsageError(f"more than {MOST_RULES:,} rules")
        except UsageError as error:
            raise UsageError(f"{path}, line {line}: {error}") from None
    return list(found)


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f": not YAML ({' '.join(str(error).split())[:200]})"
    return f", line {mark.line + 1}: {getattr(error, 'problem', error)}"


def _lines(root: Any) -> list[int]:
    """The first line of each item of ``rules``, from 1."""
    for key, value in getattr(root, "value", None) or ():
        if key.value == "rules" and isinstance(value, yaml.SequenceNode):
            return [item.start_mark.line + 1 for item in value.value]
    return []


def _items(document: object) -> list[Any]:
    if not isinstance(document, dict):
        raise UsageError("a mapping with version and rules is expected")
    for key in document:
        if key not in ("version", "rules"):
            near = did_you_mean(str(key), ("version", "rules"))
            raise UsageError(f"unknown key {key}{near}; there are version and rules")
    if document.get("version") != VERSION:
        raise UsageError(f"version: {VERSION} is expected")
    items = document.get("rules")
    if not isinstance(items, list):
        raise UsageError("rules: a list is expected, [] for none")
    return items


def _rules(item: object) -> Iterator[AclBinding]:
    if not isinstance(item, dict):
        raise UsageError(f"a rule is a mapping with {', '.join(REQUIRED)}")
    for key in item:
        if key not in KEYS:
            raise UsageError(
                f"unknown key {key}{did_you_mean(str(key), KEYS)}; there are {', '.join(KEYS)}"
            )
    for key in REQUIRED:
        if key not in item:
            raise UsageError(f"a rule without {key}")
    permission = _one_of(item, "permission", tuple(PERMISSIONS))
    pattern = _one_of(item, "pattern", ("literal", "prefixed"))
    operations = _texts(item, "operation")
    hosts = _texts(item, "host") or [WILDCARD]
    for about in (resource(text, pattern) for text in _texts(item, "resource")):
        for operation in needed(operations, about):
            for who in map(principal, _texts(item, "principal")):
                for host in hosts:
                    entry = AclEntry(who, host, operation, PERMISSIONS[permission or "allow"])
                    yield AclBinding(about, entry)


def _texts(item: dict[str, Any], key: str) -> list[str]:
    value = item.get(key, [])
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"{key}: {text!r} is no name")
    if key in item and not texts:
        raise UsageError(f"{key}: nothing is named")
    return texts


def _one_of(item: dict[str, Any], key: str, allowed: Sequence[str]) -> str | None:
    value = item.get(key)
    if value is not None and value not in allowed:
        raise UsageError(f"{key}: {value!r}: write {' or '.join(allowed)}")
    return value


def written(rules: Sequence[AclBinding]) -> str:
    """The file that means these rules: one item for each row of a table of them."""
    items: list[dict[str, object]] = []
    for row in rows(rules):
        pattern = PatternType[str(row["pattern"]).upper()]
        about = ResourcePattern(
            ResourceType[str(row["type"]).upper().replace("-", "_")], str(row["name"]), pattern
        )
        item: dict[str, object] = {"principal": row["principal"], "operation": row["operations"]}
        item["resource"] = resource_word(about)
        if about.type != ResourceType.CLUSTER and resource(str(item["resource"])) != about:
            item |= {"resource": f"{word(about.type)}:{about.name}", "pattern": row["pattern"]}
        if row["permission"] != word(Permission.ALLOW):
            item["permission"] = row["permission"]
        if row["host"] != WILDCARD:
            item["host"] = row["host"]
        items.append(item)
    document = {"version": VERSION, "rules": items}
    text: str = yaml.safe_dump(
        document, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    return text
