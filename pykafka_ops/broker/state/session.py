"""Who is at the other end of a connection, once that is settled.

A connection without a login has its session at once, one by TLS when the handshake is done, one by
SASL when the login is. Counterpart of ``KafkaPrincipal`` and what ``RequestContext`` knows beside
it.
"""

from __future__ import annotations

from dataclasses import dataclass

USER = "User"
ANONYMOUS = f"{USER}:ANONYMOUS"


@dataclass(frozen=True, slots=True)
class Session:
    """``principal`` is text as ``User:alice``; ``protocol`` is PLAINTEXT, SSL, SASL_PLAINTEXT or
    SASL_SSL; ``expires_at`` is the moment (monotonic ms) from which on a new login is needed."""

    principal: str = ANONYMOUS
    host: str = ""
    protocol: str = "PLAINTEXT"
    by_token: bool = False
    """Whether a delegation token was the password."""
    expires_at: int | None = None
    mechanism: str = ""

    @property
    def user(self) -> str:
        """The principal's name, without its type."""
        return self.principal.partition(":")[2]


NOBODY = Session()
"""Of a connection where nobody logs in."""
