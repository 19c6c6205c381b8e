"""Logins of one listener since the start, by SASL or by TLS."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class LoginCounts:
    """Logins of a listener since the start, as in ``socket-server-metrics``."""

    succeeded: int = 0
    failed: int = 0
    succeeded_again: int = 0
    """Re-authentications."""
    failed_again: int = 0
    expired: int = 0
    """Connections closed because their session had ended."""
