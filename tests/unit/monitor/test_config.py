"""monitor.toml: what it may say, and one line for what it may not."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.config import ClusterSection, MonitorConfig, listen_address, parse


def test_a_file_names_clusters_and_how_often_they_are_asked() -> None:
    text = b"""
        listen = "127.0.0.1:9000"
        poll = "30s"
        reports = "/var/lib/reports"
        [cluster.prod]
        bootstrap-server = "b1:9092,b2:9092"
        settings = {"security.protocol" = "SSL", "x" = 5, "y" = true}
        [cluster.dev]
        profile = "dev"
        """
    config = parse(text, "monitor.toml")
    assert (config.listen, config.poll_ms) == ("127.0.0.1:9000", 30_000)
    assert config.reports == "/var/lib/reports"
    settings = {"security.protocol": "SSL", "x": "5", "y": "true"}
    assert config.clusters == (
        ClusterSection("prod", None, "b1:9092,b2:9092", None, settings),
        ClusterSection("dev", "dev"),
    )


def test_an_empty_file_has_the_defaults() -> None:
    assert parse(b"", "m") == MonitorConfig()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"\xff", "m: 'utf-8' codec can't decode"),
        (b"listen = ", "m: Invalid value"),
        (b"reports = 'hdfs://x'", "m: reports: a directory of this machine"),
        (b"pol = '15s'", "m: pol is not known; did you mean poll?"),
        (b"[metricz]\ndialects = ['x']", "m: metricz is not known; did you mean metrics?"),
        (b"zzz = 1", "m: zzz is not known; known: "),
        (b"poll = 15", 'm: poll: a span of 1s or more, such as "15s" is expected'),
        (b"poll = '10ms'", "m: poll: a span of 1s or more"),
        (b"listen = 5", "m: listen: a text is expected"),
        (b"cluster = 5", "m: write clusters as [cluster.NAME] tables"),
        (b"cluster.x = 5", "m: cluster.x: write it as a [cluster.x] table"),
        (b"[cluster.x]", "m: [cluster.x] needs bootstrap-server or profile"),
        (b"[cluster.x]\nbootstrap = 'b:1'", "did you mean bootstrap-server?"),
        (b"[cluster.x]\nprofile='a'\nsettings = 1", "settings: a table of client settings"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(text: bytes, complaint: str) -> None:
    with pytest.raises(UsageError) as said:
        parse(text, "m")
    assert complaint in str(said.value)
    assert "\n" not in str(said.value)


def test_an_address_to_listen_on_has_a_host_and_a_port() -> None:
    assert listen_address("127.0.0.1:0") == ("127.0.0.1", 0)
    assert listen_address("[::1]:8000") == ("::1", 8000)
    for wrong in ("", "8000", ":8000", "host:", "host:x", "host:65536", "host:-1"):
        with pytest.raises(UsageError, match="write HOST:PORT"):
            listen_address(wrong)
