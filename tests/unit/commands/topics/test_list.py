from collections.abc import Callable

from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]


def test_list_shows_health_where_there_is_something_to_show(cluster: FakeBroker, pko: Pko) -> None:
    lines = pko("topics list --exclude-internal").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["TOPIC", "PARTITIONS", "REPLICAS", "UNDER-REPLICATED", "OFFLINE"],
        ["orders", "3", "2", "1", "1"],
    ]
    assert pko("topics list -e ord.* -o name").stdout == "orders\n"
