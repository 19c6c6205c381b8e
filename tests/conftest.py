"""Fixtures shared by all tests, and the rule for tests that need Java, a browser, Node or Go.

``--target apache`` runs the same client tests against the real Apache Kafka: what a test expects
of our broker is what that broker does.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from pykafka_ops.compiled import is_compiled
from tests.support import failures, scheduling
from tests.support.cluster.apache_cluster import Brokers
from tests.support.go import go_kit
from tests.support.java import java_kit
from tests.support.node import node_kit
from tests.support.process import browser, kdc
from tests.support.process.apache import ApacheBroker, ZooKeeper, apache_alone
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import KafkaTools

Broker = BrokerProcess | ApacheBroker
HERE = Path(__file__).resolve().parent
LIVE = ("clients", "peer", "hostile", "crash", "cluster", "mirror", "backup")

# How long an example takes says nothing: at first use much is compiled, and machines are shared.
# Examples are the same in every run, so that a change is judged by what it changes; to look for
# others, there is the profile "explore".
_SLOW = [hypothesis.HealthCheck.too_slow]
hypothesis.settings.register_profile(
    "pko", max_examples=50, deadline=None, suppress_health_check=_SLOW, derandomize=True
)
hypothesis.settings.register_profile(
    "explore", max_examples=500, deadline=None, suppress_health_check=_SLOW
)
hypothesis.settings.load_profile("pko")

# A shell's background job ignores Ctrl-C, and so would every process the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
NEEDED = {
    "java": java_kit.missing,
    "browser": browser.missing,
    "node": node_kit.missing,
    "go": go_kit.missing,
    "kerberos": kdc.missing,
}
"""By marker: why tests that carry it cannot run here, or None."""
WATCHED: pytest.StashKey[list[Broker]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--target",
        choices=("pko", "apache"),
        default="pko",
        help="the broker that client tests talk to: ours, or the real Apache Kafka",
    )
    parser.addoption(
        "--every-airflow",
        action="store_true",
        help="run the operator in every Airflow it is for, not in the newest alone",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "live: starts brokers as users do (given to whole folders); not in the quick suite",
    )
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(failures.AtOnce(config))
    for text in ("read_text", "open_text"):  # kafka-python loads its schemas so
        config.addinivalue_line("filterwarnings", f"ignore:{text} is deprecated:DeprecationWarning")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which of the two forms of what is compiled was tested."""
    form = "compiled" if is_compiled() else "pure Python"
    terminalreporter.write_line(f"form: {form}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is made until all tests are known stays until the end: half a million objects that the
    garbage collector would look at again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the folders that start brokers; put the tests in the order workers take them in."""
    for item in items:
        folder = item.path.relative_to(HERE).parts[0]
        if folder in LIVE:
            item.add_marker(pytest.mark.live)
        for fixture, unit in scheduling.SHARED.items():
            used = fixture in getattr(item, "fixturenames", ())
            if used and scheduling.unit_of(item.nodeid) != unit:
                where = "tests/support/scheduling.py"
                raise pytest.UsageError(f"{item.nodeid} uses {fixture}: tell {where}")
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: scheduling.rank(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> scheduling.Units | None:
    """``--dist loadscope`` goes by our units."""
    return scheduling.Units(config, log) if config.getvalue("dist") == "loadscope" else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, missing in NEEDED.items():
        if not item.get_closest_marker(marker) or not (reason := missing()):
            continue
        if os.environ.get("PKO_TEST_ALL") == "1":
            pytest.fail(f"PKO_TEST_ALL=1, but {reason}", pytrace=False)
        pytest.skip(reason)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    """Show the end of the logs of the brokers that a failed test used."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.failed:
        for broker in item.stash.get(WATCHED, []):
            report.sections.append((f"log of {broker.kind}: {broker.log}", broker.log_tail()))


def _watch(request: pytest.FixtureRequest, broker: Broker) -> None:
    request.node.stash.setdefault(WATCHED, []).append(broker)


@pytest.fixture
def make_broker(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[..., BrokerProcess]]:
    """Make (not start) brokers for one test: ``make_broker(name, **settings with _ for .)``."""
    made: list[BrokerProcess] = []

    def make(
        name: str = "data", *, data_dir: Path | None = None, **settings: object
    ) -> BrokerProcess:
        overrides = {key.replace("_", "."): value for key, value in settings.items()}
        broker = BrokerProcess(data_dir or tmp_path / name, overrides)
        made.append(broker)
        _watch(request, broker)
        return broker

    yield make
    for broker in made:
        broker.close()


@pytest.fixture
def zookeeper(tmp_path: Path) -> Iterator[ZooKeeper]:
    """Kafka's ZooKeeper for one test."""
    made = ZooKeeper(tmp_path / "zookeeper").start()
    yield made
    made.close()


@pytest.fixture
def make_apache(
    request: pytest.FixtureRequest, zookeeper: ZooKeeper
) -> Iterator[Callable[..., ApacheBroker]]:
    """Make (not start) Apache Kafka's broker 0 for one test: ``make_apache(data_dir, settings)``;
    one at a time runs."""
    made: list[ApacheBroker] = []

    def make(data_dir: Path, settings: Mapping[str, object] | None = None) -> ApacheBroker:
        made.append(ApacheBroker(data_dir, zookeeper, settings))
        _watch(request, made[-1])
        return made[-1]

    yield make
    for broker in made:
        broker.close()


@pytest.fixture(scope="session")
def apache_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheBroker]:
    """One Apache Kafka broker for the whole run; use ``apache``."""
    directory = tmp_path_factory.mktemp("apache")
    with apache_alone(directory, "broker-0") as broker:
        yield broker


@pytest.fixture
def apache(request: pytest.FixtureRequest, apache_session: ApacheBroker) -> ApacheBroker:
    """The real Apache Kafka, shared by all tests of a worker: give topics a name of your own."""
    _watch(request, apache_session)
    return apache_session


@pytest.fixture(scope="session")
def apache_cluster_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    """Three Apache Kafka brokers for the whole run; use ``apache_cluster``."""
    directory = tmp_path_factory.mktemp("apache-cluster")
    zookeeper = ZooKeeper(directory).start()
    brokers = Brokers(directory, zookeeper, heap="256M")
    try:
        yield brokers.start()
    finally:
        brokers.close()


@pytest.fixture
def apache_cluster(request: pytest.FixtureRequest, apache_cluster_session: Brokers) -> Brokers:
    """Three real Apache Kafka brokers, shared: give topics a name of your own, leave nothing
    moving, no throttle and no broker down."""
    for one in apache_cluster_session.all:
        _watch(request, one)
    return apache_cluster_session


@pytest.fixture(scope="session")
def kafka_tools() -> Iterator[KafkaTools]:
    """Kafka's own tools, in one JVM."""
    tools = KafkaTools()
    yield tools
    tools.close()


@pytest.fixture(scope="session")
def pko_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """One of our brokers for the whole run; use ``broker``."""
    broker = BrokerProcess(tmp_path_factory.mktemp("pko") / "data")
    try:
        yield broker.start()
    finally:
        broker.close()


@pytest.fixture
def broker(request: pytest.FixtureRequest) -> Broker:
    """The broker under test (see ``--target``), shared: give topics a name of your own."""
    target = request.config.getoption("--target")
    found: Broker = request.getfixturevalue("pko_session" if target == "pko" else "apache_session")
    _watch(request, found)
    return found


_numbers = itertools.count(1)


@pytest.fixture
def topic() -> str:
    """A topic name nobody else uses."""
    return f"t-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{next(_numbers)}"
