"""Events as lines of JSON, as the tools' Jackson writes them."""

from __future__ import annotations

import json
import sys
import time


def tell(name: str, **fields: object) -> None:
    """One event, now."""
    event = {"timestamp": int(time.time() * 1000), "name": name, **fields}
    sys.stdout.write(json.dumps(event, separators=(",", ":"), ensure_ascii=False) + "\n")
    sys.stdout.flush()
