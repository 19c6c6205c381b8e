"""The lines that Kafka's dump-log prints, byte for byte."""

from __future__ import annotations

from pykafka_ops.compiled import use_library

use_library(f"{__name__}.lines")
