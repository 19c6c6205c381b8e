"""`pko dump-log` and the real kafka-dump-log on directories damaged by chance: the same text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops import cli
from tests.cli.test_dump_log_golden import blocks
from tests.support.golden.damage import copy_of, harm
from tests.support.golden.segments import CASES
from tests.support.process.commands import KafkaTools

pytestmark = [pytest.mark.java, pytest.mark.slow]

FLAGS = (
    (),
    ("--deep-iteration",),
    ("--print-data-log",),
    ("--print-data-log", "--skip-record-metadata"),
    ("--verify-index-only",),
    ("--index-sanity-check",),
    ("--max-message-size", "100"),
    ("--deep-iteration", "--max-bytes", "900"),
    ("--key-decoder-class", "org.apache.kafka.tools.api.IntegerDecoder"),
    ("--value-decoder-class", "kafka.serializer.LongDecoder"),
    ("--value-decoder-class",),
    ("--offsets-decoder",),
    ("--transaction-log-decoder",),
    ("--cluster-metadata-decoder",),
)
SOUND = [case for case in CASES if not case.startswith("damage-")]


@pytest.fixture(scope="module")
def tools() -> Iterator[KafkaTools]:
    tools = KafkaTools()
    yield tools
    tools.close()


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_output_equals_kafkas_whatever_is_damaged(
    tools: KafkaTools, first: int, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    for seed in range(first, first + 50):
        rng = random.Random(seed)
        folder = copy_of(rng.choice(SOUND), tmp_path / f"{seed}-0")
        harm(folder, rng, files=rng.choice((1, 2, 4)))
        names = [p for p in sorted(folder.iterdir()) if "." in p.name and p.suffix != ".metadata"]
        files = ",".join(map(str, names if rng.random() < 0.3 else rng.sample(names, 1)))
        words = ("--files", files, *rng.choice(FLAGS))
        code = cli.main(["kafka-dump-log", *words])  # first: Kafka's makes missing indexes
        got = capsysbinary.readouterr()
        said = tools("kafka-dump-log", *words)
        assert got.out.decode() == said.out, (seed, words)
        assert bool(code) == bool(said.code), (seed, words)
        if not code:
            assert blocks(got.err.decode()) == blocks(said.err), (seed, words)
