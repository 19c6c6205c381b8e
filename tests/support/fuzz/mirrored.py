"""What a mirror reads back from the target: records of its control topic, what members of its group
say; and files of its settings."""

from __future__ import annotations

import contextlib

from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.disk.batch import validate_client_batch
from pykafka_ops.errors import CorruptBatchError, SettingError, UsageError
from pykafka_ops.mirror.control.state import (
    MIRRORED,
    ControlState,
    MirrorPause,
    TopicOrigin,
    origin_entry,
    pause_entry,
    source_entry,
)
from pykafka_ops.mirror.copy.pieces import TargetLimits, stamp
from pykafka_ops.mirror.copy.rewrite import Rewriter
from pykafka_ops.mirror.copy.tasks import note_of
from pykafka_ops.mirror.settings.mm2 import parse_mm2
from pykafka_ops.mirror.settings.toml import parse_toml
from pykafka_ops.mirror.work.protocol import (
    MemberSaid,
    Share,
    read_share_bytes,
    read_subscription_bytes,
    share_bytes,
    subscription_bytes,
)
from pykafka_ops.settings.properties import parse_properties
from tests.support.fuzz.mended import mended


def mirrored(data: bytes) -> None:
    """All of them, of the same bytes."""
    key, _, value = data.partition(b"\n")
    state = ControlState()
    state.take([(key, value), (data, data), (data, None)])
    state.paused("t", 0)
    read_subscription_bytes(data)
    read_share_bytes(data)
    for read in (_toml, _properties):
        with contextlib.suppress(UsageError, SettingError):
            read(data)


def _toml(data: bytes) -> object:
    return parse_toml(data, "mirror.toml")


def _properties(data: bytes) -> object:
    return parse_mm2(parse_properties(data), "mm2.properties")


def rewritten(data: bytes) -> None:
    """Batches of a source become such as a broker takes, or are refused."""
    for whole in (data, bytes(mended(data))):
        for limit in (2_000, 1 << 20):
            rewriter = Rewriter(0, TargetLimits(max_bytes=limit), skip_too_large=True)
            with contextlib.suppress(CorruptBatchError):
                for batch in rewriter.pieces(memoryview(bytearray(whole)), [(1, 5)]):
                    if batch.count:
                        stamp(batch.data, 1, 0, 0, transactional=True)
                        assert validate_client_batch(batch.data).record_count == batch.count
    note_of(Committed(1, -1, data.decode("latin-1")))


def mirror_seeds() -> list[bytes]:
    """One of each."""
    entries = (
        pause_entry(MirrorPause("t.*"), 1, by="me"),
        pause_entry(MirrorPause(topic="t", partition=2), 1, by="me"),
        origin_entry("a.t", TopicOrigin(MIRRORED, "aa", "bb")),
        source_entry("cluster"),
    )
    return [
        *(key + b"\n" + (value or b"") for key, value in entries),
        subscription_bytes(MemberSaid(("t",), (("t", 0),), {("t", 0): 1.0}, 1, 2)),
        share_bytes(Share((("t", 1),), 0, 1)),
        b'[cluster.a]\nbootstrap-server = "a:1"\n[cluster.b]\nprofile = "p"\n'
        b'[[link]]\nfrom = "a"\nto = "b"\ntopics = ["x.*"]\nround = "1s"\n',
        b"clusters = a, b\na.bootstrap.servers = a:1\nb.bootstrap.servers = b:1\n"
        b"a->b.enabled = true\na->b.topics = x, y.*\n",
    ]
