from collections.abc import Callable

from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]


def test_a_topic_that_is_nearly_there_is_named(cluster: FakeBroker, pko: Pko) -> None:
    for verb in ("list", "describe", "check", "alter -p 5", "delete --yes"):
        said = pko(f"topics {verb} ordrs")
        assert said.code == 1
        assert (
            "pko: ordrs: there is no topic ordrs (did you mean orders?) [UNKNOWN_TOPIC"
            in said.stderr
        )
    assert "did you mean" not in pko("kafka-topics --describe --topic ordrs").stdout


def test_one_word_may_hold_several_topics(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("topics list orders,__consumer_offsets -o name")
    assert said.stdout == "__consumer_offsets\norders\n"
    assert pko("topics list --topic orders --topic __consumer_offsets -o name") == said
