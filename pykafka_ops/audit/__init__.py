"""What tiers hold, proved from their logs; and producers that publish what they have sent."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.audit.audited import AuditCounter as AuditCounter
    from pykafka_ops.audit.audited import AuditedProducer as AuditedProducer
    from pykafka_ops.audit.audited import audit_message as audit_message

__all__ = ["AuditCounter", "AuditedProducer", "audit_message"]


def __getattr__(name: str) -> object:
    """Loaded when asked for: what reads logs needs none of it."""
    if name not in __all__:
        raise AttributeError(name)
    from pykafka_ops.audit import audited

    return getattr(audited, name)
