"""Mirroring over TLS on both sides: with a certificate at the target, and large batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.mirror.copy.copier import copier_of
from tests.support.mirror.pair import MirrorPair, copy_until, lone, make_topic, values, write
from tests.support.process.tls_broker import TlsBroker, java

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("exactly_once", [True, False])
def test_records_of_all_sizes_go_over_tls(tmp_path: Path, exactly_once: bool) -> None:
    brokers = [TlsBroker(tmp_path / name).start() for name in ("a", "b")]
    source, target = brokers
    assert isinstance(source, TlsBroker) and isinstance(target, TlsBroker)
    try:
        pair = MirrorPair(source.bootstrap, target.bootstrap)
        make_topic(pair.source, "t", 2)
        make_topic(pair.target, "a.t", 2)
        sizes = (0, 1, 100, 900_000, 50_000, 3)
        for n in range(2):
            write(pair.source, "t", [bytes(size) for size in sizes] * 6, partition=n)
        client = target.authority.issue("client")
        copier = copier_of(
            pair.link(exactly_once=exactly_once),
            ClientConfig.of({"bootstrap.servers": source.open, **java(source.authority)}),
            ClientConfig.of({"bootstrap.servers": target.closed, **java(target.authority, client)}),
        )
        copier.assign(pair.tasks("t", 2), lone())
        copy_until(copier, {("t", n): 36 for n in range(2)})
        copier.close()
        for n in range(2):
            assert [len(v) for v in values(pair.target, "a.t", n)] == list(sizes) * 6
    finally:
        for broker in brokers:
            broker.kill()
