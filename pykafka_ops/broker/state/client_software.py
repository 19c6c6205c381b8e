"""What client libraries may call themselves (KIP-511)."""

from __future__ import annotations

import re

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def is_software(text: str) -> bool:
    """Whether ``text`` may be the name or the version of a client's library."""
    return _SOFTWARE.fullmatch(text) is not None
