"""What a follower appends of its leader's records, as far as nothing about it is unusual."""

from __future__ import annotations

from pykafka_ops.compiled import use_library

use_library(f"{__name__}.batches")
