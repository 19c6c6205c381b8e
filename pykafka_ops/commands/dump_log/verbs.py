"""The verbs of ``pko dump-log`` that look into records: their options; the work is elsewhere."""

from __future__ import annotations

_FORMATS = ("utf-8, hex, base64, json, int, long or avro:SCHEMA-FILE, where Confluent's 5 bytes "
            "before the data are skipped")  # fmt: skip
_SPAN = "2026-11-21 (a whole day), 2026-11-21T08:00 (a minute; UTC), -2h (ago), ms since 1970"
PAYLOADS = ("key-format", "value-format")
