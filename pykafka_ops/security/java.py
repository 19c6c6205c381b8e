"""System properties meant for a JVM, honoured here alike.

Kafka's start scripts pass ``KAFKA_OPTS`` to the JVM; every JVM reads ``JAVA_TOOL_OPTIONS`` first.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from pykafka_ops.errors import UsageError

VARIABLES = ("JAVA_TOOL_OPTIONS", "KAFKA_OPTS")
"""Environment variables that are read; a later one overrides an earlier one."""


def jvm_options(env: Mapping[str, str], name: str = "KAFKA_OPTS") -> list[str]:
    """The words of one variable. Raises UsageError where a quote is left open."""
    try:
        return shlex.split(env.get(name) or "")
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def system_properties(env: Mapping[str, str]) -> dict[str, str]:
    """What ``-Dname=value`` sets in ``VARIABLES``. Raises UsageError where they cannot be read."""
    found: dict[str, str] = {}
    for variable in VARIABLES:
        for word in jvm_options(env, variable):
            if word.startswith("-D"):
                name, _, value = word[2:].partition("=")
                found[name] = value
    return found


def is_true(text: str) -> bool:
    """``Boolean.parseBoolean``."""
    return text.lower() == "true"
