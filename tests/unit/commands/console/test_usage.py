"""What is wrong with a console command line is told before anything is loaded or connected."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pykafka_ops.cli import main

PROBE = """
import sys
from pykafka_ops.cli import main
code = main(sys.argv[1:])
heavy = [m for m in sys.modules if m.startswith("confluent_kafka") or m == "asyncio"]
sys.exit(code if not heavy else f"loaded {heavy}")
"""
PRODUCER = "kafka-console-producer"
CONSUMER = "kafka-console-consumer"
SERVER = ("--bootstrap-server", "127.0.0.1:1")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_COMMAND_CONFIG", "PKO_PROFILE", "PKO_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    code = main(list(argv))
    out, err = capsys.readouterr()
    assert out == ""
    return code, err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("consume",), "which topic? name one, or give --include REGEX alone"),
        (("consume", "t", "--include", "x"), "which topic? name one, or give --include REGEX"),
        (("consume", "t", "--offset", "1"), "--offset needs --partition"),
        (
            ("consume", "t", "-p", "0", "--offset", "1", "--from-beginning"),
            "--from-beginning and --offset exclude each other",
        ),
        (("consume", "t", "-o", "json", "--decode", "groups"), "choose one of --decode and -o"),
        (("consume", "t", "-o", "yaml"), "--output yaml: choose one of text, table, wide, json"),
        (("consume", "t", "--decode", "x"), "--decode x: choose one of offsets"),
        (("consume", "t", "--formatter", "no.such"), "--formatter no.such: not known here"),
        (("consume", "t", "--property", "x"), "--property x: write it as key=value"),
        (("consume", "t", "-p", "0", "--offset", "-7"), "The provided offset value '-7'"),
        (("produce",), "which TOPIC? usage: pko produce TOPIC"),
        (("produce", "t", "--json", "-k", "x"), "--key has no meaning with --json"),
        (("produce", "t", "--keep-partition"), "--keep-partition goes with --json"),
        (("produce", "t", "--compression-codec=br"), "--compression-codec br: choose one of"),
        (("produce", "t", "--request-required-acks", "7"), "Invalid value 7 for configuration"),
        (("produce", "t", "--max-block-ms", "x"), "--max-block-ms: 'x' is not a length of time"),
        (("produce", "t", "-H", "x"), "--header x: write it as key=value"),
    ],
)  # fmt: skip
def test_the_verbs_say_what_to_write(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str
) -> None:
    code, err = said(capsys, *words, "-b", "127.0.0.1:1")
    assert code == 2
    assert err.startswith(f"pko: {text}")
    assert err.count("\n") == 1


def test_a_pattern_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, err = said(capsys, CONSUMER, *SERVER, "--include", "(")
    assert code == 1
    assert err.startswith("--include (: missing )")


@pytest.mark.parametrize("words", [("consume", "t"), ("produce", "t")])
def test_a_cluster_must_be_named(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, err = said(capsys, *words)
    assert code == 2
    assert err.startswith("pko: which cluster?")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((PRODUCER, "--topic", "t"), "Missing required option(s) [bootstrap-server]"),
        ((PRODUCER, *SERVER), 'Missing required argument "[topic]"'),
        (
            (PRODUCER, "--topic", "t", "--bootstrap-server", "foo"),
            "Please provide valid host:port like host1:9091,host2:9092",
        ),
        (
            (PRODUCER, "--topic", "t", *SERVER, "--batch-size", "y"),
            "Cannot parse argument 'y' of option batch-size",
        ),
        (
            (PRODUCER, "--topic", "t", *SERVER, "--producer-property", "max.block.ms=x"),
            "org.apache.kafka.common.config.ConfigException: "
            "Invalid value x for configuration max.block.ms: Not a number of type LONG",
        ),
        (
            (CONSUMER, *SERVER, "--topic", "x", "--partition", "y"),
            'Exception in thread "main" joptsimple.OptionArgumentConversionException: '
            "Cannot parse argument 'y' of option partition",
        ),
        (
            (CONSUMER, *SERVER, "--topic", "x", "--timeout-ms", "y"),
            'Exception in thread "main" joptsimple.OptionArgumentConversionException: '
            "Cannot parse argument 'y' of option timeout-ms",
        ),
        (
            (CONSUMER, *SERVER, "--topic", "x", "--whitelist", "y"),
            "Exactly one of --include/--topic is required. --whitelist is DEPRECATED use "
            "--include instead; ignored if --include specified.",
        ),
        ((CONSUMER, *SERVER, "--partition", "0"), "Exactly one of --include/--topic is required. "),
        (
            (CONSUMER, *SERVER, "--topic", "t", "--partition", "0", "--consumer-property",
             "group.id=g"),
            "Options group and partition cannot be specified together.",
        ),
    ],
)  # fmt: skip
def test_kafkas_form_uses_kafkas_words(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str
) -> None:
    code, err = said(capsys, *words)
    assert code == 1
    assert err.splitlines()[0] == text


@pytest.mark.parametrize(
    "words",
    [
        ("produce", "--help"),
        ("consume", "--help"),
        ("consume", "t", "--offset", "1"),
        ("produce", "t", "--json", "-k", "x"),
        ("consume", "t", "-b", "127.0.0.1:1", "--formatter", "no.such"),
        (CONSUMER, "--topic", "t"),
        (PRODUCER, "--topic", "t"),
    ],
)
def test_a_mistake_loads_no_client_library(words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", PROBE, *words], capture_output=True, text=True)
    assert "loaded" not in done.stderr
    assert done.returncode in (0, 1, 2)
