"""Principals of a command line: ``User:alice``."""

from __future__ import annotations

from pykafka_ops.errors import PkoError, UsageError


def principal(text: str) -> str:
    """``alice`` as ``User:alice``; UsageError for no name."""
    found = text.strip()
    if ":" not in found:
        found = f"User:{found}"
    if not all(found.partition(":")[::2]):
        raise UsageError(f"principal {text!r}: write User:NAME, or NAME")
    return found


class PrincipalProblem(PkoError):  # noqa: N818 - Kafka's tools catch it, and print it
    """A principal that Kafka's tools do not take (``SecurityUtils.parseKafkaPrincipal``)."""

    java = "java.lang.IllegalArgumentException"


def kafka_principal(text: str) -> str:
    """``Type:name`` as it is; PrincipalProblem for another text."""
    found = text.strip()
    if ":" not in found:
        raise PrincipalProblem(
            f"expected a string in format principalType:principalName but got {found}"
        )
    return found
