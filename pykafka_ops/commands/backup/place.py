"""The backup that a command is about."""

from __future__ import annotations

from pykafka_ops.backup.chain import Chain
from pykafka_ops.backup.runs import read_chain
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.backup.store.opened import store_at
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import chosen, missing_topic
from pykafka_ops.errors import StorageError, UsageError


def opened(run: Run) -> BackupStore:
    """Where the word PLACE leads. UsageError."""
    place = run.args.given("place")[0]
    if not place:
        raise UsageError("PLACE is empty: write a directory or a URI")
    return store_at(place)


def chain_at(run: Run, store: BackupStore) -> Chain:
    """The backup there, as of ``--run``. StorageError where there is none."""
    number = run.args.number("run") if "run" in run.args.options else None
    chain = read_chain(store, upto=number)
    if chain.newest is None:
        raise StorageError(f"{store.place}: there is no backup: pko backup run makes one")
    if number is not None and chain.newest.number != number:
        raise UsageError(f"--run {number}: there is none; pko backup list shows them")
    return chain


def topics_meant(run: Run, chain: Chain) -> tuple[list[str], list[ItemError]]:
    """The topics that ``--topic`` means, and an error for each word that means none."""
    names = sorted(chain.topics)
    found, unknown = chosen(names, run.args.given("topic"), regex=run.args.has("regex"))
    return found, [missing_topic(word, names) for word in unknown]
