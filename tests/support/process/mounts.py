"""Small file systems, where this process may mount them."""

from __future__ import annotations

import os
import subprocess


def mount(*arguments: str) -> bool:
    return (
        os.getuid() == 0
        and subprocess.run(["mount", *arguments], capture_output=True).returncode == 0
    )
