"""The path of what members of groups ask for all the time: heartbeats, joining again, commits of
the same partitions. What is unusual is left to the ordinary code, as in ``broker.hot``."""

from __future__ import annotations

from pykafka_ops.compiled import use_library

use_library(f"{__name__}.members")
