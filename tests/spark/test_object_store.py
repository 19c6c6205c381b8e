"""Reports that are read from an object store, and written to it, by both engines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pykafka_ops.cli import main
from pykafka_ops.spark.sources.files import replicas
from tests.support.by_rule.rules import ClusterRules
from tests.support.by_rule.tree import write_tree
from tests.support.spark.log_tables import write_log
from tests.support.spark.s3 import ENV, KEY, SECRET, S3Server, s3_server

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory, log_dir: Path) -> Iterator[S3Server]:
    """An object store with the log directory in it."""
    with s3_server(tmp_path_factory.mktemp("s3"), "reports") as server:
        server.upload(log_dir, "data")
        yield server


@pytest.fixture(params=["spark", "local"])
def run(
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """``pko spark`` with the store's credentials; code, stdout, stderr."""
    if request.param == "spark":
        request.getfixturevalue("spark")
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)

    def made(*words: object, engine: str = request.param) -> tuple[int, str, str]:
        code = main(["spark", *map(str, words), "--engine", engine])
        out, err = capsys.readouterr()
        assert SECRET not in out + err
        return code, out, err

    made.engine = request.param  # type: ignore[attr-defined]
    return made


def keyed(server: S3Server, path: str) -> str:
    """A URI with the keys, whatever the workers of the session know: they list and read."""
    return server.uri(path).replace("s3://", f"s3://{KEY}:{SECRET}@")


def test_logs_are_read_from_a_bucket_as_from_a_directory(
    run: Run, s3: S3Server, log_dir: Path
) -> None:
    code, out, err = run("lag", keyed(s3, "data"), "--topic", "orders", "-o", "json")
    assert code == 0, err
    there: dict[str, Any] = json.loads(out)
    words = ("lag", log_dir, "--topic", "orders", "-o", "json")
    here = json.loads(run(*words, engine="local")[1])
    for name in ("groups", "topics"):
        assert there["sections"][name] == here["sections"][name]
    assert here["sections"]["groups"]["rows"]


def test_a_log_directory_in_a_bucket_takes_one_list(s3: S3Server, tmp_path: Path) -> None:
    (folder,) = write_tree(tmp_path, ClusterRules(1_800_000_000_000, brokers=1, partitions=30))
    s3.upload(folder, "many")
    before = s3.requests().count("list-type=2")
    there = replicas(keyed(s3, "many"))
    lists = s3.requests().count("list-type=2") - before
    wanted = [(r.key, r.broker, [s[:3] for s in r.segments]) for r in replicas(str(folder))]
    assert [(r.key, r.broker, [s[:3] for s in r.segments]) for r in there] == wanted
    assert len(there) == 30
    assert 1 <= lists <= 8  # what it is, what is in it, four to try, all


def test_every_output_is_written_to_a_bucket(run: Run, s3: S3Server, log_dir: Path) -> None:
    base = f"out-{run.engine}"  # type: ignore[attr-defined]
    words = ["--topic", "orders", "--now", "-1m", "-o", "json"]
    for name, place in (
        ("--html", "page.html"), ("--output-file", "lag.json"), ("--csv", "csv"),
        ("--parquet", "parquet"), ("--history", "history"),
    ):  # fmt: skip
        words += [name, s3.uri(f"{base}/{place}")]
    for _ in range(2):
        assert run("lag", log_dir, *words) == (0, "", "")
    keys = {key.removeprefix(f"{base}/") for key in s3.objects()}
    assert {"page.html", "lag.json", "csv/groups.csv", "parquet/groups.parquet"} <= keys
    page = s3.client.get_object(Bucket=s3.bucket, Key=f"{base}/page.html")
    assert (page["ContentType"], page["Body"].read(9)) == ("text/html", b"<!DOCTYPE")
    body = s3.client.get_object(Bucket=s3.bucket, Key=f"{base}/parquet/groups.parquet")["Body"]
    assert pq.read_table(io.BytesIO(body.read())).column("group").to_pylist() == ["billing"]
    last = s3.client.get_object(Bucket=s3.bucket, Key=f"{base}/lag.json")["Body"].read()
    assert json.loads(last)["summary"]["previous_run"] is not None


@pytest.mark.parametrize("words", [("--html", "p.html"), ("--history", "h"), ("--csv", "c")])
def test_a_bucket_that_is_not_there_is_named_before_anything_is_read(
    run: Run, s3: S3Server, log_dir: Path, words: tuple[str, str]
) -> None:
    place = s3.uri(words[1]).replace(s3.bucket, "no-such")
    code, out, err = run("lag", log_dir, words[0], place)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "there is no bucket or container no-such" in err


def test_directories_in_a_bucket_that_is_not_there_are_named(run: Run, s3: S3Server) -> None:
    code, out, err = run("lag", s3.uri("data").replace(s3.bucket, "no-such"))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "there is no bucket or container no-such" in err


def test_credentials_that_the_store_refuses_are_a_line(
    run: Run, log_dir: Path, tmp_path: Path
) -> None:
    with s3_server(tmp_path, "closed", strict=True) as closed:
        for words in ((keyed(closed, "data"),), (log_dir, "--html", closed.uri("page.html"))):
            code, out, err = run("lag", *words)
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert "credentials (AWS_ACCESS_KEY_ID and " in err


def test_keys_in_a_uri_are_in_no_message_and_no_report(run: Run, s3: S3Server) -> None:
    place = keyed(s3, "data")
    code, out, _ = run("lag", place, "-o", "json")
    assert code == 0
    assert json.loads(out)["source"]["directories"][0].startswith(f"s3://***@{s3.bucket}/data")
    assert run("lag", place.replace("data", "nothing"))[0] == 2
    assert run("lag", f"{place}&wrong=1")[0] == 2


def test_a_store_that_goes_away_while_it_is_read_is_a_line(
    run: Run, log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pykafka_ops.spark.inputs import log_dirs

    made = log_dirs.LogDirInputs.partitions
    with s3_server(tmp_path, "fading") as fading:
        fading.upload(log_dir, "data")

        def after_that(self: Any) -> Any:
            fading.process.kill()
            return made(self)

        monkeypatch.setattr(log_dirs.LogDirInputs, "partitions", after_that)
        code, out, err = run("lag", keyed(fading, "data"))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "the store does not answer, or no longer does" in err


def test_runs_and_documents_in_a_bucket_are_compared_and_foretold(
    s3: S3Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)

    def run(*words: object) -> tuple[int, str, str]:
        code = main(["spark", *map(str, words)])
        return code, *capsys.readouterr()

    history, day = s3.uri("kept/history"), 86_400_000
    for n in range(6):
        write_log(tmp_path, "orders", [[10] * (n + 1)])
        made = ("--now", 20_000 * day + n * day, "--history", history, "--engine", "local")
        document = "-o", "json", "--output-file", s3.uri(f"kept/{n}.json"), "--yes"
        assert run("skew", tmp_path, *made, *document) == (0, "", "")
    by_time = run("compare", "--history", history, "2024-10-04", "2024-10-09", "-o", "json")
    by_name = run("compare", s3.uri("kept/0.json"), s3.uri("kept/5.json"), "-o", "json")
    for code, out, err in (by_time, by_name):
        assert (code, err) == (0, "")
        rows = json.loads(out)["sections"]["changes"]["rows"]
        assert {r["row"]: r["state"] for r in rows if r["section"] == "topics"} == {
            "orders": "changed"
        }
    page = s3.uri("kept/page.html")
    code, out, err = run("forecast", "--history", history, "--html", page, "-o", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)["sections"]["topics"]["rows"][0]
    assert (found["topic"], found["trend"], found["runs"]) == ("orders", "growing", 6)
    assert found["bytes_per_day"] == pytest.approx(found["bytes"] / 6, rel=0.1)
    assert "kept/page.html" in s3.objects()
    for words in (("compare", s3.uri("kept/0.json"), s3.uri("kept/none.json")),
                  ("forecast", "--history", history.replace(s3.bucket, "no-such"))):  # fmt: skip
        code, out, err = run(*words)
        assert (code, out, err.count("\n")) == (1, "", 1)
