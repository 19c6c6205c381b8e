"""Options of the performance tests."""

from __future__ import annotations

from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.types import (
    ANY_LONG,
    BYTES_OR_MINUS_ONE,
    COUNT,
    FILE_PATH,
    GROUP_NAME,
    LONG_COUNT,
    MILLIS,
    POSITIVE,
    POSITIVE_MILLIS,
    SHORT_BYTES,
    TOPIC_NAME,
)

# fmt: off
TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, help="the topic")
NUM_RECORDS = Option("--num-records", metavar="N", type=LONG_COUNT, help="how many records")
RECORD_SIZE = Option("--record-size", metavar="BYTES", type=SHORT_BYTES,
                     help="bytes of each record, letters at random")
PAYLOAD_FILE = Option("--payload-file", metavar="FILE", type=FILE_PATH,
                      help="a file with values, of which each record gets one at random")
PAYLOAD_DELIMITER = Option("--payload-delimiter", metavar="TEXT", default="\\n",
                           help="what stands between the values of the file")
PAYLOAD_MONOTONIC = Switch("--payload-monotonic", help="values are numbers, one after the other")
THROUGHPUT = Option("--throughput", metavar="N", default="-1",
                    help="records a second, about; -1: as many as go")
PRINT_METRICS = Switch("--print-metrics", help="show what librdkafka counted, too")
TRANSACTIONAL_ID = Option("--transactional-id", metavar="ID", help="write in transactions, by it")
TRANSACTION_MS = Option("--transaction-duration-ms", metavar="MS", type=POSITIVE_MILLIS,
                        help="write in transactions so long (default with an id: 3000)")
WARMUP = Option("--warmup-records", metavar="N", type=ANY_LONG, default="0",
                help="records in the beginning that get figures of their own")
INTERVAL = Option("--reporting-interval", metavar="MS", type=POSITIVE_MILLIS, default="5000",
                  help="how often to tell how it goes")
PROPERTY = Option("--command-property", metavar="KEY=VALUE", multiple=True,
                  help="a setting of the client")
OLD_PROPERTY = Option("--producer-props", metavar="KEY=VALUE", multiple=True,
                      help="old name of --command-property")
PRODUCER_CONFIG = Option("--producer.config", metavar="FILE", type=FILE_PATH,
                         help="old name of --command-config")
CONSUMER_CONFIG = Option("--consumer.config", metavar="FILE", type=FILE_PATH,
                         help="old name of --command-config")
MESSAGES = Option("--messages", metavar="N", type=LONG_COUNT, help="old name of --num-records")
GROUP = Option("--group", metavar="GROUP", type=GROUP_NAME,
               help="the group to read as (default: a new one)")
INCLUDE = Option("--include", metavar="REGEX", help="read all topics with names like this")
FETCH_SIZE = Option("--fetch-size", metavar="BYTES", type=SHORT_BYTES, default="1048576",
                    help="bytes of a partition in one answer")
FROM_LATEST = Switch("--from-latest", help="a new group begins at the end")
SOCKET_BUFFER = Option("--socket-buffer-size", metavar="BYTES", type=SHORT_BYTES,
                       default="2097152", help="bytes of the receive buffer")
DETAILED = Switch("--show-detailed-stats", help="a line for each reporting interval")
SILENCE = Option("--timeout", metavar="MS", type=LONG_COUNT, bare="10000", default="10000",
                 help="how long no record may come")
IDLE = Option("--idle", metavar="MS", type=MILLIS, default="10000", ours=True,
              help="how long no record may come")
DATE_FORMAT = Option("--date-format", metavar="FORMAT", default="yyyy-MM-dd HH:mm:ss:SSS",
                     help="of times, as Java's SimpleDateFormat")
HIDE_HEADER = Switch("--hide-header", help="no line with titles")
THREADS = Option("--threads", metavar="N", type=COUNT, hidden=True, help="old, without effect")
FETCH_THREADS = Option("--num-fetch-threads", metavar="N", type=COUNT, hidden=True,
                       help="old, without effect")
SHARE = Option("--share", metavar="GROUP", type=GROUP_NAME, ours=True,
               help="read as a share group (KIP-932)")
SHARE_GROUP = Option("--group", metavar="GROUP", type=GROUP_NAME,
                     help="the share group to read as (default: perf-share-consumer)")
MEMBERS = Option("--threads", metavar="N", type=POSITIVE, default="1",
                 help="members of the share group, which share the load")
MEMBER_STATS = Switch("--show-consumer-stats", help="a line for each member at the end")
ACKS = Option("--producer-acks", metavar="1|all", default="all", help="what a send waits for")
KEY_SIZE = Option("--record-key-size", metavar="BYTES", type=SHORT_BYTES, default="0",
                  help="bytes of keys")
HEADERS = Option("--num-headers", metavar="N", type=COUNT, default="0", help="headers of a record")
HEADER_SIZE = Option("--record-header-size", metavar="BYTES", type=BYTES_OR_MINUS_ONE,
                     default="0", help="bytes of a header's value; -1: none")
HEADER_KEY_SIZE = Option("--record-header-key-size", metavar="BYTES", type=SHORT_BYTES,
                         default="0", help="bytes of a header's name")
# fmt: on
OF_PRODUCER = (
    NUM_RECORDS,
    RECORD_SIZE,
    PAYLOAD_FILE,
    PAYLOAD_MONOTONIC,
    PAYLOAD_DELIMITER,
    THROUGHPUT,
    TRANSACTIONAL_ID,
    TRANSACTION_MS,
    WARMUP,
    INTERVAL,
    PROPERTY,
    PRINT_METRICS,
)  # fmt: skip
OF_CONSUMER = (
    NUM_RECORDS, INCLUDE, GROUP, FROM_LATEST, FETCH_SIZE, SOCKET_BUFFER, DETAILED, INTERVAL,
    DATE_FORMAT, PROPERTY, PRINT_METRICS,
)  # fmt: skip
OF_LATENCY = (NUM_RECORDS, RECORD_SIZE, ACKS, KEY_SIZE, HEADERS, HEADER_SIZE, HEADER_KEY_SIZE)
