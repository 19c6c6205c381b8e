"""Whether the Java that Spark would run on is new enough, without starting it."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.local.java import require_java

NEEDED = 17
"""What Spark 4 asks for (https://spark.apache.org/docs/latest/)."""


def check_java(env: Mapping[str, str]) -> None:
    """Raises PkoError, in one line with what to install, unless Spark can start here."""
    require_java(env, NEEDED, "Spark")
