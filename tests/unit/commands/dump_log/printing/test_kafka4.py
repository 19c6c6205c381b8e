"""What Kafka 4.3.1 wrote into its own topics and metadata log, as its kafka-dump-log prints it.

``tests/golden/kafka4`` has logs of a cluster with groups of every kind, tiered storage, SCRAM,
ACLs, quotas, tokens and features, and in ``odd`` records made by hand: cut, of unknown types and
versions, with garbage behind them. ``expected`` has the tool's output for each file.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pykafka_ops import cli

KAFKA4 = Path(__file__).parents[4] / "golden" / "kafka4"
DECODERS = {
    "__cluster_metadata": "--cluster-metadata-decoder",
    "__consumer_offsets": "--offsets-decoder",
    "__share_group_state": "--share-group-state-decoder",
    "__remote_log_metadata": "--remote-log-metadata-decoder",
    "__transaction_state": "--transaction-log-decoder",
}
EXPECTED = sorted(path.name for path in (KAFKA4 / "expected").iterdir())
LOG = "00000000000000000000.log"


def dumped(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """What Kafka's form of the command prints."""
    assert cli.main(["dump-log", *words]) == 0
    return capfd.readouterr().out


def decoder(file: str) -> str:
    return next(option for topic, option in DECODERS.items() if topic in file)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_record_is_shown_as_kafka_4_shows_it(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(KAFKA4)
    file = name.removesuffix(".txt").replace("+", "/")
    expected = (KAFKA4 / "expected" / name).read_text()
    assert dumped(capfd, decoder(file), "--files", file) == expected


def test_logs_that_do_not_lie_in_a_directory_of_kraft_are_shown_as_kafka_3_9_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for topic in ("__transaction_state", "__remote_log_metadata", "__cluster_metadata"):
        shutil.copytree(KAFKA4 / f"{topic}-0", f"{topic}-0")
    text = dumped(capfd, "--transaction-log-decoder", "--files", f"__transaction_state-0/{LOG}")
    assert "key: transaction_metadata::transactionalId=tx-1 payload: producerId:1," in text
    remote = f"__remote_log_metadata-0/{LOG}"
    assert "txnIdxEmpty" not in dumped(capfd, "--remote-log-metadata-decoder", "--files", remote)
    metadata = f"__cluster_metadata-0/{LOG}"
    assert "controlType: LEADER_CHANGE(2)" in dumped(
        capfd, "--cluster-metadata-decoder", "--files", metadata
    )


def test_json_lines_have_the_fields_of_every_record(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(KAFKA4)
    records: dict[str, list[dict[str, object]]] = {}
    for topic, option in DECODERS.items():
        file = next(KAFKA4.glob(f"{topic}-*/{LOG}")).relative_to(KAFKA4)
        said = dumped(capfd, "show", option, "-o", "json", str(file))
        items = [json.loads(line) for line in said.splitlines()]
        records[topic] = [i for i in items if i["kind"] == "record" and "control" not in i]
        assert records[topic] and not any("error" in item for item in records[topic])
    kinds = {item["type"] for item in records["__cluster_metadata"]}
    assert {"TOPIC_RECORD", "DELEGATION_TOKEN_RECORD", "ACCESS_CONTROL_ENTRY_RECORD"} < kinds
    share = records["__share_group_state"][0]
    assert isinstance(share["key"], dict) and share["key"]["groupId"] == "sh"
    assert records["__remote_log_metadata"][0]["type"] == "REMOTE_LOG_SEGMENT_METADATA_RECORD"


def test_json_lines_say_which_record_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(KAFKA4 / "odd")
    file = f"__cluster_metadata-0/{LOG}"
    said = dumped(capfd, "show", "--cluster-metadata-decoder", "-o", "json", file)
    errors = [item["error"] for line in said.splitlines() if "error" in (item := json.loads(line))]
    assert "Failed to deserialize record with type 5" in errors
    assert "Found 2 byte(s) of garbage after 2" in errors
