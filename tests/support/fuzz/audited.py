"""What pko audit reads of others: audit messages, and logs as a feed of batches."""

from __future__ import annotations

from pykafka_ops.analysis.books.tiers import AuditMessageError, read_message
from pykafka_ops.audit import audit_message
from pykafka_ops.audit.counting import BookTaker, LogFeed
from pykafka_ops.audit.latest import LatestTaker
from pykafka_ops.audit.records import RecordTaker
from pykafka_ops.disk.control import ControlType
from pykafka_ops.errors import CorruptError
from tests.support.fuzz.seeds import golden_batches

_WIDTH = 600_000
_END = 1 << 62


def messages(data: bytes) -> None:
    """A message of an audit topic."""
    try:
        found = read_message(data)
    except AuditMessageError:
        return
    assert found.bucket_end > found.bucket_start and found.records >= 0


def message_seeds() -> list[bytes]:
    """Messages as producers publish them."""
    fields = {"topic": "orders", "tier": "producer", "bucket_start": 0, "bucket_end": _WIDTH}
    return [
        audit_message(**fields, host="h", application="shop", count=3, bytes=30),
        audit_message(**fields, count=3, checksum="ff"),
    ]


def feeds(data: bytes) -> None:
    """A log in all the ways that it is read: each ends, and goes no further than there are batches;
    those that look at every record stop at the same."""
    reached = []
    for taker in (
        BookTaker(_WIDTH, 0, _END),
        LatestTaker(0, _END),
        RecordTaker(0, _END, None, lambda *_: None),
    ):
        feed = LogFeed(taker, 0, _END)
        try:
            feed.feed(data, [(1, 0), (ControlType.COMMIT, 5)])
        except CorruptError:
            reached.append(-1)
            continue
        assert 0 <= feed.position <= _END
        reached.append(feed.position)
    assert reached[1] == reached[2], reached
    assert (reached[0] < 0) == (reached[1] < 0), reached


def feed_seeds() -> list[bytes]:
    """Batches of all formats and codecs, alone and in a row."""
    every = golden_batches()
    return [*every, b"".join(every[:6])]
