"""Messages of formats 0 and 1 for the pass over a segment."""

from __future__ import annotations

from pykafka_ops.commands.dump_log.java import JavaError
from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.commands.dump_log.printing.legacy import message_header, message_records
from pykafka_ops.disk.legacy import check_message_crc
from pykafka_ops.errors import CorruptError


def check_message(data: bytes, name: str, *, deep: bool) -> tuple[tuple[int, int], int, str, bool]:
    """(first and last offset, timestamp in ms, what is wrong, whether it can be read at all).

    ``data`` is the message with offset and size; ``deep`` opens wrappers.
    """
    log = LogFile.of(data, name)
    try:
        header = message_header(log, 0)
        span = (header.offset, header.offset)
        if not check_message_crc(data, 0, header):
            return span, header.timestamp, f"wrong CRC (stored {header.crc})", False
        if not deep and not header.attributes & 7:
            return span, header.timestamp, "", True
        records = list(message_records(log, 0, header))
    except (JavaError, CorruptError) as e:
        return (0, 0), -1, str(e), False
    bad = [record.offset for record in records if not record.valid or record.fault]
    reason = f"wrong CRC of the message at offset {bad[0]}" if bad else ""
    return (records[0].offset, header.offset), header.timestamp, reason, True
