"""Rules about ACLs (KIP-140)."""

from __future__ import annotations

from typing import Final

from pykafka_ops.errors import WireError

UNKNOWN: Final = 0
"""The code of what is no resource type, pattern type, operation or permission type."""

NO_AUTHORIZER: Final = "No Authorizer is configured."


def check_known(*codes: int) -> None:
    """Raises WireError if a code is UNKNOWN: to Kafka such a request is malformed."""
    if UNKNOWN in codes:
        raise WireError("an ACL or a filter has an UNKNOWN element")
