"""Why a message was not delivered, without a secret in it; and where secrets are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.alerts.settings.receivers import Secret

MOST_REASON: Final = 500
MOST_SECRET: Final = 65_536


class DeliveryError(PkoError):
    """A message did not arrive. ``lasting``: another try will not help."""

    def __init__(self, reason: str, *, lasting: bool = False) -> None:
        super().__init__(reason[:MOST_REASON])
        self.lasting = lasting


def read_secret(secret: Secret) -> str:
    """The value, read anew each time so that it can be changed; DeliveryError."""
    if secret.source == "given":
        return secret.name
    if secret.source == "env":
        value = os.environ.get(secret.name, "")
        where = f"the environment variable {secret.name}"
    else:
        where = secret.name
        try:
            with open(secret.name, encoding="utf-8") as f:
                value = f.read(MOST_SECRET)
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
            raise DeliveryError(f"{where}: {why}") from None
    value = value.strip()
    if not value:
        raise DeliveryError(f"{where} is empty: it should hold a secret")
    return value


def without(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret in it replaced by ``***``, in one line."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "***")
    return " ".join(text.split())
