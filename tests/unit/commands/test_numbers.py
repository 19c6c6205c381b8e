"""Every number of a verb has a bound: what makes no sense is refused before any question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest

from pykafka_ops.commands import ROWS
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option
from pykafka_ops.commands.framework.types import MINUTES, Amount, Spelled, Whole
from tests.support.each import each
from tests.support.golden.transcripts import Said

Pko = Callable[..., Said]
BELOW_ZERO = {
    "groups shift-by": "back by so many",
    "perf warmup-records": "Kafka's tool takes it; of ours its verb refuses it",
}
OWN_RULE = {
    "consume offset": "also earliest, latest",
    "delete-records before": "also a time, end",
    "dump-log offset": "also FIRST..LAST",
    "get-offsets partition": "several by comma",
    "perf throughput": "a fraction, too, as in Kafka's tool",
    "reassign-partitions max-disk": "may end in %",
    "reassign-partitions tolerance": "may end in %",
    "reassign-partitions throttle": "also 50MB, auto, none",
    "spark consumer-rate": "also 50MB",
    "spark objective": "a fraction, may end in %",
    "spark producer-rate": "also 50MB",
    "spark target": "also 50MB",
}
"""Numbers that are written in other ways, too: their verbs refuse what makes no sense."""
NUMBERS = {"N", "MS", "BYTES", "OFFSET", "PERCENT", "MIN", "PORT", "N,N", "RATE"}


def _options() -> Iterator[tuple[str, Option]]:
    for row in ROWS:
        command = row.load()
        verbs = command.verbs if isinstance(command, VerbGroup) else [command]
        found = {name: o for verb in verbs for name, o in verb.options.items()}
        yield from ((f"{row.name} {name}", option) for name, option in sorted(found.items()))


ALL = list(_options())


@each("name, option", ALL)
def test_a_number_has_a_bound_or_an_excuse(name: str, option: Option) -> None:
    kind = option.type
    if isinstance(kind, Whole):
        assert (kind.least is None) == (name in BELOW_ZERO)
        wrong = [str(1 << 64), "1.5", "x", ""]
        wrong += [] if kind.least is None else [str(kind.least - 1)]
        for text in wrong:
            with pytest.raises(click.BadParameter):
                kind.convert(text, option, None)
    elif option.metavar in NUMBERS:
        assert isinstance(kind, click.IntRange) or name in OWN_RULE


SPELLINGS = {
    "MS": {"7": 7, "0h5s": 5000, "1h30m": 5_400_000},
    "MIN": {"7": 7, "1h30m": 90, "2d": 2880},
    "BYTES": {"7": 7, "10MB": 10_000_000, "1.5MiB": 1_572_864, "2k": 2048},
}
"""What options in these units take, and what it means."""
MEASURES: dict[str, type[Any]] = {**dict.fromkeys(("SPAN", "TIME", "PERIOD", "SIZE"), Spelled),
            **dict.fromkeys(SPELLINGS, Amount)}  # fmt: skip
HINTS = re.compile(r"(^|[-.])(ms|bytes|memory|timeout|size|wait|window|every|since|until|now)$")
NO_MEASURE = {"get-offsets time", "groups to-datetime", "groups by-duration"}
"""They have words of their own beside moments and spans: tests/unit/commands/get_offsets,
tests/unit/commands/groups/test_reset_times.py."""


@each("name, option", ALL)
def test_times_and_sizes_are_read_by_one_reader(name: str, option: Option) -> None:
    if option.is_flag or name in NO_MEASURE:
        return
    wanted = MEASURES.get(option.metavar or "")
    assert wanted is not None or not HINTS.search(option.long), f"in which unit is --{option.long}?"
    if wanted is not None:
        assert isinstance(option.type, wanted)
        assert option.how


@pytest.mark.parametrize(
    ("name", "option"), [(n, o) for n, o in ALL if o.metavar in SPELLINGS]
)  # fmt: skip
def test_a_number_may_have_a_unit_and_keeps_its_own_without(name: str, option: Option) -> None:
    for text, meant in SPELLINGS[option.metavar or ""].items():
        assert option.type.convert(text, option, None) == meant, name
    for text in ("soon", "5y", "-1h", "1h 30m"):
        with pytest.raises(click.BadParameter, match=" without a unit"):
            option.type.convert(text, option, None)


def test_minutes_are_whole() -> None:
    with pytest.raises(click.BadParameter, match="90s: write whole minutes"):
        MINUTES.convert("90s", None, None)


@pytest.mark.parametrize(
    "line",
    [
        "kafka-transactions find-hanging --broker-id 0 --max-transaction-timeout 15m",
        "kafka-transactions list --duration-filter 10m",
        "kafka-console-consumer --topic t --timeout-ms 5s",
        "kafka-console-producer --topic t --max-block-ms 5s",
    ],
)
def test_kafkas_form_takes_the_number_alone(pko: Pko, line: str) -> None:
    said = pko(*line.split(), "--bootstrap-server", "127.0.0.1:1")
    assert said.code == 1
    last = line.split()[-1]
    assert last in said.stderr + said.stdout


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("topics create t -p 0", "--partitions 0"),
        ("topics create t -r 0", "--replication-factor 0"),
        ("topics alter t --partitions=-3", "--partitions -3"),
        ("consume t -n -5", "--max-messages -5"),
        ("consume t --partition=-1", "--partition -1"),
        ("consume t -p 0 --offset=-7", "-7"),
        ("produce t --partition=-1", "--partition -1"),
        ("get-offsets t --partition=-1", "--partition -1"),
        ("delete-records t --before=-1", "--before -1"),
        ("groups seek g --to-offset=-1", "--to-offset -1"),
        ("groups lag --window 0s", "--window"),
        ("transactions list --duration-filter=-1", "--duration-filter -1"),
        ("transactions describe-producers t --partition=-1", "--partition -1"),
        ("log-dirs describe --broker=-1", "-1"),
        ("reassign-partitions run moves.json --throttle=-5", "'-5' is not a size"),
        ("reassign-partitions execute moves.json --throttle=-5", "'-5' is not a size"),
        ("reassign-partitions plan --tolerance=-1", "--tolerance -1"),
        ("reassign-partitions plan --max-bytes=-1", "--max-bytes"),
        ("cluster start --brokers 0", "--brokers 0"),
        ("cluster start -n -1", "--brokers -1"),
        ("dump-log find . --offset=-1", "-1"),
        ("zookeeper-acls secure --zookeeper.session.timeout=-1", "timeout -1"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(pko: Pko, line: str, option: str) -> None:
    said = pko(f"{line} -b 127.0.0.1:1" if "start" not in line else line)
    assert said.code == 2, said
    assert option in said.stderr and said.stderr.count("\n") == 1, said
