"""Everything that reads bytes of others, as functions of bytes: what is declared may be raised,
anything else is a fault. Used by a quick test, and for long by ``scripts/fuzz``."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import tempfile
from collections.abc import Callable, Iterable
from mmap import mmap
from pathlib import Path
from typing import Any, NamedTuple

from pykafka_ops.broker.storage.recovery import Recovery
from pykafka_ops.commands.leader_election.election_file import ElectionFileError
from pykafka_ops.commands.leader_election.election_file import parse as parse_elections
from pykafka_ops.commands.reassign_partitions import document
from pykafka_ops.commands.zookeeper.decode import decode as decode_znode
from pykafka_ops.commands.zookeeper.decode import summary
from pykafka_ops.commands.zookeeper.znodes import Znode, ZnodeStat
from pykafka_ops.disk import (
    checkpoint,
    control,
    index,
    internal,
    legacy,
    names,
    snapshot,
    txn_index,
)
from pykafka_ops.disk.batch import HEADER_SIZE, read_header, scan
from pykafka_ops.disk.columns import usual
from pykafka_ops.disk.compression import Codec, decompress, unpack
from pykafka_ops.disk.convert import down_convert, read_message_set
from pykafka_ops.disk.pieces import UnpackedInto
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.disk.survey import survey_records
from pykafka_ops.errors import CorruptError, KafkaError, WireError
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codec import decode
from pykafka_ops.wire.frame import decode_response, read_request_header
from tests.support.fuzz import audited, columned, hot, kept, straight_reads, tallied, walked
from tests.support.fuzz.identities import certificates, key_stores
from tests.support.fuzz.logins import login_seeds, logins
from tests.support.fuzz.mended import mended
from tests.support.fuzz.mirrored import mirror_seeds, mirrored, rewritten
from tests.support.fuzz.offset_records import offset_record_seeds, offset_records
from tests.support.fuzz.payloads import payload_seeds, payloads
from tests.support.fuzz.seeds import (
    LIMIT,
    certificate_seeds,
    golden,
    golden_batches,
    golden_frames,
    golden_records,
    key_store_seeds,
    plain_payloads,
    reassignment_seeds,
    small_seeds,
    znode_seeds,
)
from tests.support.fuzz.straight import straight, straight_seeds
from tests.support.fuzz.tables import log_tables
from tests.support.memory.logs import World

MOST_RECORDS = 100_000


class Target(NamedTuple):
    """A reader, and what it usually reads."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


# -- readers -------------------------------------------------------------------------------------


def requests(data: bytes) -> None:
    """A frame as a broker gets it."""
    with contextlib.suppress(WireError):
        header = read_request_header(data)
        decode(APIS[header.api_key].request, header.api_version, data, header.body)


def responses(data: bytes) -> None:
    """A frame as a client gets it; the first two bytes say key and version."""
    if len(data) > 2 and data[0] in APIS:
        spec = APIS[data[0]]
        with contextlib.suppress(WireError):
            decode_response(spec.response, data[1] % (spec.max_version + 1), data[2:])


def batches(data: bytes) -> None:
    """Batches v2 and their records."""
    for whole in (data, bytes(mended(data))):
        with contextlib.suppress(CorruptError):
            for at, header in scan(whole):
                with contextlib.suppress(CorruptError):
                    _drain(iter_records(whole, at, header, LIMIT))


def _drain(items: Iterable[object]) -> None:
    for n, _ in enumerate(items):
        assert n < MOST_RECORDS * 20, "more records than bytes"


def columns(data: bytes) -> None:
    """Judged in columns, a batch is right only if it is when read record by record."""
    if len(data) < 3:
        return
    count = struct.unpack_from(">H", data)[0]
    plain = data[2:]
    fields = read_header(bytes(HEADER_SIZE))._replace(record_count=count, last_offset_delta=count)
    for top in (0, 50, 1000):
        header = fields._replace(max_timestamp=top)
        seen = usual(plain, 0, header)
        if seen is not None:
            found = survey_records(plain, 0, header)
            assert found.offsets_in_order and found.max_timestamp == top
            assert found.records == count and found.min_timestamp >= 0
            assert seen.keyless == (found.first_without_key is not None)


def messages(data: bytes) -> None:
    """Message sets v0 and v1: stored ones, and as producers send them."""
    for whole in (data, bytes(mended(data))):
        with contextlib.suppress(CorruptError):
            for at, header in legacy.scan_messages(whole):
                with contextlib.suppress(CorruptError):
                    _drain(legacy.iter_message(whole, at, header, LIMIT, verify=True))
        with contextlib.suppress(CorruptError, KafkaError):
            read_message_set(whole, LIMIT)


def conversions(data: bytes) -> None:
    """What old consumers get."""
    for magic in (0, 1):
        with contextlib.suppress(CorruptError, KafkaError):
            _drain(down_convert(bytes(mended(data)), magic, 0, LIMIT))


MEMORY = mmap(-1, LIMIT)


def compressed(data: bytes) -> None:
    """Any codec; the first byte says which."""
    if data:
        codec = Codec(data[0] % 5)
        for old in (False, True):
            into: bytes | None = None
            with contextlib.suppress(CorruptError):
                room = UnpackedInto(memoryview(MEMORY))
                into = bytes(unpack(codec, data[1:], room, v0_header=old))
            apart: bytes | None = None
            with contextlib.suppress(CorruptError):
                apart = decompress(codec, data[1:], LIMIT, v0_header=old)
            assert into == apart
            assert apart is None or len(apart) <= LIMIT


CONFIGS: list[dict[str, Any]] = [
    {},
    {"cleanup_policy": frozenset({"compact"})},
    {"message_timestamp_type": "LogAppendTime"},
    {"message_timestamp_before_max_ms": 1000, "message_timestamp_after_max_ms": 1000},
    {"compression_type": "lz4"},
    {"compression_type": "uncompressed"},
]


def produced(data: bytes) -> None:
    """What a leader is sent: stored, or refused; what is stored can be read."""
    for config in CONFIGS:
        for sent in (data, bytes(mended(data))):
            world = World(**config)
            with contextlib.suppress(KafkaError):
                world.log.append_as_leader(
                    memoryview(bytearray(sent)), leader_epoch=0, now=world.now
                )
            _all_of(world)


def _all_of(world: World) -> None:
    end = world.log.log_end_offset
    stored = b"".join(bytes(part) for part in world.log.read(0, 1 << 24, up_to=end).parts)
    expected = 0
    for at, header in scan(stored):
        for n, record in enumerate(iter_records(stored, at, header, LIMIT)):
            assert header.attributes & 7 == 0 or record.offset == header.base_offset + n
            expected += 1
    assert expected == end


def replicated(data: bytes) -> None:
    """What a follower is sent."""
    for sent in (data, bytes(mended(data))):
        world = World()
        with contextlib.suppress(KafkaError):
            world.log.append_as_follower(memoryview(bytearray(sent)))


def indexes(data: bytes) -> None:
    """Indexes of all three kinds."""
    offsets, times = index.OffsetIndex(0, data), index.TimeIndex(0, data)
    for wanted in (0, 1, 5000, 2**40):
        offsets.lookup(wanted)
        times.lookup(wanted)
    for check in (index.check_offset_index, index.check_time_index, txn_index.check_txn_index):
        with contextlib.suppress(CorruptError):
            check(data, 0, "file")
    with contextlib.suppress(CorruptError):
        txn_index.read_txn_index(data)


def small_files(data: bytes) -> None:
    """Snapshots, checkpoints, properties; also the names of files."""
    with contextlib.suppress(CorruptError):
        snapshot.read_snapshot(data)
    text = data.decode("latin1")
    readers = (
        checkpoint.parse_offsets,
        checkpoint.parse_epochs,
        checkpoint.parse_partition_metadata,
        checkpoint.parse_meta_properties,
    )
    for read in readers:
        with contextlib.suppress(CorruptError):
            read(text)
    names.parse_dir(text)
    names.parse_segment_file(text)


def internal_records(data: bytes) -> None:
    """Keys and values of the internal topics and of consumers' subscriptions."""
    if not data:
        return
    key, value = data[1 : 1 + data[0]], data[1 + data[0] :]
    for given in (value, None):
        with contextlib.suppress(CorruptError):
            internal.read_offsets_record(key, given)
    for read in (
        internal.read_transaction_key,
        internal.read_transaction_value,
        internal.read_subscription,
        internal.read_assignment,
    ):
        with contextlib.suppress(CorruptError):
            read(data[1:])
    with contextlib.suppress(CorruptError):
        control.read_marker(Record(0, 0, key, value))


def recovered(data: bytes) -> None:
    """A partition whose files are damaged: recovered, and then written to and read.

    The first byte says which file the rest is.
    """
    if not data:
        return
    world = World(segment_bytes=1000, index_interval_bytes=200)
    for n in range(12):
        world.append(b"x" * 100, epoch=n // 4, producer_id=5, producer_epoch=0, base_sequence=n)
    world.log.close()
    paths = sorted(path for path in world.files.inodes if path.startswith("/data/t-0/"))
    world.files.write(paths[data[0] % len(paths)], data[1:])
    with contextlib.suppress(CorruptError, KafkaError):
        done = Recovery(world.files, "/data/t-0", world.config, settings=world.settings).run()
        world.reopen(end_offset=done.end_offset, recovery_point=done.recovery_point)
        before = world.log.log_end_offset
        world.append(b"after")
        assert world.log.log_end_offset == before + 1
        world.log.read(0, 1 << 20, up_to=before + 1)


def recovery_seeds() -> list[bytes]:
    """Each file as it should be, and golden ones in its place."""
    world = World(segment_bytes=1000, index_interval_bytes=200)
    for n in range(12):
        world.append(b"x" * 100, epoch=n // 4, producer_id=5, producer_epoch=0, base_sequence=n)
    world.log.close()
    paths = sorted(path for path in world.files.inodes if path.startswith("/data/t-0/"))
    found = [bytes([n]) + world.files.read(path) for n, path in enumerate(paths)]
    return found + [b"\1" + data[:3000] for data in golden(".log")]


SUFFIXES = (".log", ".index", ".timeindex", ".txnindex", ".snapshot")
WAYS = (
    ("--print-data-log",),
    ("--deep-iteration", "--offsets-decoder"),
    ("--transaction-log-decoder",),
    ("--cluster-metadata-decoder", "--skip-record-metadata"),
    (),
)


def dumped(data: bytes) -> None:
    """``dump-log`` over a file; the first two bytes say of which kind and how it is shown."""
    from pykafka_ops.cli import main

    if len(data) < 2:
        return
    with tempfile.TemporaryDirectory() as folder:
        suffix, way = SUFFIXES[data[0] % len(SUFFIXES)], WAYS[data[1] % len(WAYS)]
        path = Path(folder) / f"00000000000000000000{suffix}"
        path.write_bytes(data[2:])
        if suffix in (".index", ".timeindex"):
            path.with_suffix(".log").write_bytes(golden(".log")[0])
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["dump-log", "--files", str(path), *way])
        err.seek(0)
        said = err.read()
        assert code in (0, 1, 2, 4), code
        assert "internal error" not in said, said[-2000:]


def dump_seeds() -> list[bytes]:
    """Golden files of every kind."""
    found = []
    for n, suffix in enumerate(SUFFIXES):
        for i, data in enumerate(golden(suffix)):
            found.append(bytes([n, i % len(WAYS)]) + data[:4000])
    return found


def reassignments(data: bytes) -> None:
    """Files of topics to move, and of moves."""
    text = data.decode(errors="replace")
    for read in (document.plan_of, document.topics_of):
        try:
            read(text)
        except document.DocumentError as error:
            str(error).encode()


def znodes(data: bytes) -> None:
    """Paths and data of znodes, shown; nothing is too bad for that."""
    path, _, content = data.partition(b"\n")
    stat = ZnodeStat(*[len(data)] * 11)
    shown = decode_znode(Znode(path.decode(errors="replace"), content or None, stat))
    json.dumps(shown.value, ensure_ascii=False).encode()
    assert (summary(shown.value) or " ").isprintable()


def elections(data: bytes) -> None:
    """Files of partitions to elect leaders for."""
    with contextlib.suppress(ElectionFileError):
        parse_elections(data.decode(errors="replace"))


TARGETS: dict[str, Target] = {
    "requests": Target(requests, lambda: golden_frames("request")),
    "responses": Target(responses, lambda: golden_frames("response")),
    "batches": Target(batches, golden_batches),
    "columns": Target(columns, plain_payloads),
    "messages": Target(messages, golden_batches),
    "conversions": Target(conversions, golden_batches),
    "compressed": Target(
        compressed, lambda: [bytes([b[22] & 7]) + b[61:] for b in golden_batches() if b[16] == 2]
    ),
    "produced": Target(produced, golden_batches),
    "straight": Target(straight, straight_seeds),
    "straight-fetches": Target(straight_reads.fetched, straight_reads.fetch_seeds),
    "straight-commits": Target(straight_reads.committed, straight_reads.commit_seeds),
    "hot-raw": Target(hot.raw, hot.raw_seeds),
    "hot-records": Target(hot.record_headers, hot.record_seeds),
    "hot-batches": Target(hot.usual_batches, hot.batch_seeds),
    "hot-walks": Target(walked.walks, walked.walk_seeds),
    "hot-tallies": Target(tallied.tallies, walked.walk_seeds),
    "hot-columns": Target(columned.columned, walked.walk_seeds),
    "audit-messages": Target(audited.messages, audited.message_seeds),
    "audit-feeds": Target(audited.feeds, audited.feed_seeds),
    "replicated": Target(replicated, golden_batches),
    "indexes": Target(
        indexes, lambda: golden(".index") + golden(".timeindex") + golden(".txnindex")
    ),
    "small-files": Target(small_files, small_seeds),
    "internal-records": Target(internal_records, golden_records),
    "recovered": Target(recovered, recovery_seeds),
    "dumped": Target(dumped, dump_seeds),
    "log-tables": Target(log_tables, golden_batches),
    "key-stores": Target(key_stores, key_store_seeds),
    "certificates": Target(certificates, certificate_seeds),
    "reassignments": Target(reassignments, reassignment_seeds),
    "znodes": Target(znodes, znode_seeds),
    "elections": Target(elections, lambda: reassignment_seeds()[1:]),
    "payloads": Target(payloads, payload_seeds),
    "logins": Target(logins, login_seeds),
    "users": Target(kept.users, kept.user_seeds),
    "audit": Target(kept.audit, kept.audit_seeds),
    "mirrored": Target(mirrored, mirror_seeds),
    "offset-records": Target(offset_records, offset_record_seeds),
    "rewritten": Target(rewritten, golden_batches),
}
