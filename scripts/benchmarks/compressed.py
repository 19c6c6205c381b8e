"""Rows about compressed batches: a broker looks at every record in them."""

from __future__ import annotations

from pykafka_ops.disk.compression import CODEC_NAMES, Codec
from scripts.benchmarks.context import WORK, Bench, delete_topic, load, new_topic
from scripts.benchmarks.results import Row
from scripts.benchmarks.targets import Target, targets, wait_idle

CODECS = (Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD)
SIZES = (16_000, 256_000)
"""Bytes of a batch before compression: what producers make by default, and busy ones."""


def compressed(bench: Bench) -> None:
    """Records that a broker takes for a second of its CPU, from four connections."""
    with targets(bench.names, WORK, "compressed") as pair:
        for target in pair:
            target.start()
            for codec in CODECS:  # a JVM compiles what it runs often
                _round(target, codec, SIZES[0], bench.scaled(8, 2))
        for size in SIZES:
            for codec in CODECS:
                what = f"compressed produce, {CODEC_NAMES[codec]}, batches of {size // 1000} KB"
                row = Row(f"{what}: records per s of broker CPU", "1,000", 1.0, True, 0)
                for _ in range(bench.repeats):
                    for target in pair:
                        found = _round(target, codec, size, bench.scaled(4, 2))
                        rate = found["records"] / found["broker_cpu"]
                        bench.add(row, target, rate / 1000)


def _round(target: Target, codec: Codec, size: int, seconds: int) -> dict[str, float]:
    topic = new_topic(target, 4)
    wait_idle(target)
    kind = {"codec": int(codec), "size": size}
    found = load("compressed", target, topic, connections=4, seconds=seconds, **kind)
    delete_topic(target, topic)
    return found
