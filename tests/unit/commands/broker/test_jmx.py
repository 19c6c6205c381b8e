"""kafka-jmx: names of MBeans, exporters' text, reports."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pykafka_ops.commands.broker import jmx
from pykafka_ops.commands.broker.exposition import read_text
from pykafka_ops.commands.broker.object_names import parse_name
from pykafka_ops.errors import UsageError
from tests.support.golden.transcripts import run

BEANS = (
    '[{"metric": "m", "labels": {}, "value": 3, "bean": "kafka.server:type=A,name=B",'
    ' "attribute": "Count"},'
    ' {"metric": "m", "labels": {}, "value": 1.5, "bean": "kafka.server:type=A,name=B",'
    ' "attribute": "MeanRate"},'
    ' {"metric": "n", "labels": {}, "value": 7, "bean": "kafka.log:type=Log,name=Size,topic=t",'
    ' "attribute": "Value"}]'
)
TEXT = '# HELP up x\nup{job="a",path="/x,y"} 1\nrate_total 2.5 1700000000000\nbad line {\n'


@pytest.mark.parametrize(
    ("pattern", "name", "means"),
    [
        ("kafka.server:type=A,name=B", "kafka.server:name=B,type=A", True),
        ("kafka.server:type=A", "kafka.server:name=B,type=A", False),
        ("kafka.server:type=A,*", "kafka.server:name=B,type=A", True),
        ("kafka.*:*", "kafka.server:name=B,type=A", True),
        ("kafka.*:type=A,name=?", "kafka.server:name=B,type=A", True),
        ("kafka.*:type=A,name=?", "kafka.server:name=BB,type=A", False),
        ('d:name="a,b=c"', 'd:name="a,b=c"', True),
    ],
)
def test_patterns_mean_what_object_names_do(pattern: str, name: str, means: bool) -> None:
    assert parse_name(pattern).means(parse_name(name)) is means


@pytest.mark.parametrize("text", ["", "no colon", "d:", "d:key", "d:=x", "d:a=b*c:d"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_name(text)


def test_exporters_text_is_read_and_the_rest_passed_over() -> None:
    assert read_text(TEXT) == {
        'prometheus:name=up,job=a,path="/x,y":Value': 1.0,
        "prometheus:name=rate_total:Value": 2.5,
    }


@pytest.fixture
def serve() -> Iterator[dict[str, str]]:
    """``body`` is what the server at ``url`` answers."""
    told = {"body": BEANS}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = told["body"].encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    told["url"] = f"http://127.0.0.1:{server.server_port}"
    yield told
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_report_of_one_time_has_titles_and_values(serve: dict[str, str]) -> None:
    said = run("kafka-jmx", "--jmx-url", serve["url"], "--one-time", "--object-name",
               "kafka.server:type=A,*", "--date-format", "yyyy")  # fmt: skip
    titles, values = said.stdout.splitlines()
    assert said.code == 0
    assert titles == (
        '"time","kafka.server:type=A,name=B:Count","kafka.server:type=A,name=B:MeanRate"'
    )
    assert values.split(",")[1:] == ["3", "1.5"]
    assert said.stderr == f"Trying to connect to JMX url: {serve['url']}\n"


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("properties", "kafka.server:type=A,name=B:Count=3"),
        ("csv", 'kafka.server:type=A,name=B:Count,"3"'),
        ("tsv", "kafka.server:type=A,name=B:Count\t3"),
    ],
)
def test_other_formats(serve: dict[str, str], form: str, line: str) -> None:
    said = run("kafka-jmx", "--jmx-url", serve["url"], "--reporting-interval", "-1",
               "--attributes", "Count", "--report-format", form)  # fmt: skip
    assert (said.code, said.stdout.splitlines()[1:]) == (0, [line])


def test_an_rmi_address_means_its_host_and_port(serve: dict[str, str]) -> None:
    serve["body"] = TEXT
    port = serve["url"].rpartition(":")[2]
    said = run("kafka-jmx", "--jmx-url", f"service:jmx:rmi:///jndi/rmi://:{port}/jmxrmi",
               "--one-time", "--object-name", "prometheus:name=rate_total")  # fmt: skip
    assert said.stdout.splitlines()[0] == '"time","prometheus:name=rate_total:Value"'
    assert said.stdout.splitlines()[1].endswith(",2.5")


def test_what_is_not_there_is_told(serve: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jmx, "PATIENCE", 0.0)
    said = run("kafka-jmx", "--jmx-url", serve["url"], "--one-time", "--object-name", "no:type=x")
    assert (said.code, said.stderr.splitlines()[-1]) == (
        1, "No matched attributes for the queried objects [no:type=x].",
    )  # fmt: skip
    said = run("kafka-jmx", "--jmx-url", serve["url"], "--one-time", "--object-name", "no:type=x",
               "--wait")  # fmt: skip
    assert "Could not find all requested object names after 0 ms. Missing no:type=x" in said.stderr
    said = run("kafka-jmx", "--jmx-url", "http://127.0.0.1:1", "--one-time")
    assert (said.code, said.stderr.splitlines()[-1]) == (
        1, "Could not connect to JMX url http://127.0.0.1:1 after 0 ms.",
    )  # fmt: skip
