"""Where ``pko`` keeps what it has to remember on this machine (XDG Base Directory)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def state_folder(env: Mapping[str, str], name: str) -> Path:
    """``$XDG_STATE_HOME/pko/NAME``, by default below ``~/.local/state``; it may not exist yet."""
    state = env.get("XDG_STATE_HOME") or os.path.join(env.get("HOME") or "~", ".local", "state")
    return Path(state).expanduser() / "pko" / name
