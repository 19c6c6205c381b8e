"""The walk through records, and their count: compiled where that works."""

from __future__ import annotations

from pykafka_ops.compiled import use_library

use_library(f"{__name__}.spans")
