"""The log cleaner: what a compaction reads, keeps and writes (``kafka.log.Cleaner``)."""

from __future__ import annotations

from pykafka_ops.compiled import use_library

use_library(f"{__name__}.sifting")
