"""``pko perf``: how fast a cluster takes and gives records. Kafka's tools are beside it."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Words
from pykafka_ops.commands.perf.options import (
    IDLE,
    MEMBERS,
    OF_CONSUMER,
    OF_LATENCY,
    OF_PRODUCER,
    SHARE,
    TOPIC,
)
from pykafka_ops.commands.perf.work import do

perf = VerbGroup("perf", "How fast a cluster takes and gives records.", do)
perf.verb(
    "produce",
    "Write records, and show how fast that went.",
    words=(Words(TOPIC),),
    options=OF_PRODUCER,
    examples=(
        "pko perf produce orders --num-records 1000000 --record-size 100",
        "pko perf produce orders --num-records 5000 --record-size 1kb --throughput 500 -o json",
    ),
)
perf.verb(
    "consume",
    "Read records, and show how fast that went.",
    words=(Words(TOPIC, "?"),),
    options=(*OF_CONSUMER, IDLE, SHARE, MEMBERS),
    examples=(
        "pko perf consume orders --num-records 1000000",
        "pko perf consume orders --num-records 1000000 --share billing --threads 3",
    ),
)
perf.verb(
    "latency",
    "Send records one by one, and show how long each takes until it is read.",
    words=(Words(TOPIC),),
    options=OF_LATENCY,
    examples=("pko perf latency orders --num-records 1000 --record-size 100",),
)
