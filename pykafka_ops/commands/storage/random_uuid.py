"""``pko storage random-uuid``: an id for a cluster or a directory."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.wire.types import uuid_text

COLUMNS = (Column("uuid"),)


def random(run: Run) -> Table:
    """One id, alone on its line."""
    text = uuid_text(random_uuid())
    return Table("uuids", COLUMNS, [{"uuid": text}], kafka=[f"{text}\n"], script=[f"{text}\n"])
