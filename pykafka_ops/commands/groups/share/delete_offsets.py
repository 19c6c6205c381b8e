"""``kafka-share-groups --delete-offsets``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pykafka_ops.client.share_offsets import delete_share_offsets
from pykafka_ops.commands.framework.failures import java_text, text_of
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4 import one_group
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

_PLAIN = (ErrorCode.INVALID_GROUP_ID, ErrorCode.GROUP_ID_NOT_FOUND,
          ErrorCode.GROUP_AUTHORIZATION_FAILED, ErrorCode.NON_EMPTY_GROUP)  # fmt: skip
_OF_TOPICS = (ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def delete_offsets(run: Run) -> Table:
    """Let the group forget topics; a row for each, with what hit it."""
    group, topics = one_group(run), list(dict.fromkeys(run.args.texts("topic")))
    whole: PkoError | None = None
    results: dict[str, PkoError | None]
    try:
        results = {**delete_share_offsets(select.cluster(run), group, topics)}
        whole = next((e for e in results.values() if e is not None), None)
    except PkoError as error:
        whole, results = error, dict.fromkeys(topics, error)
    return Table("offsets-deleted", (), [], kafka=_kafka(whole, results))


def _kafka(whole: PkoError | None, results: Mapping[str, PkoError | None]) -> Iterator[str]:
    code = whole.code if isinstance(whole, KafkaError) else None
    if whole is not None and code in _PLAIN:
        yield f"\nError: {text_of(whole)}\n"
    elif whole is not None and code not in _OF_TOPICS:
        yield f"\nError: Encounter some unknown error: {java_text(whole)}\n"
    width = max(15, *map(len, results))
    yield f"\n{'TOPIC':<{width}} STATUS"
    for topic, error in sorted(results.items()):
        yield f"\n{topic:<{width}} {f'Error: {text_of(error)}' if error else 'Successful'}"
    yield "\n"
