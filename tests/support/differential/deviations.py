"""Where our broker answers otherwise than Apache Kafka 3.9, on purpose, and why."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.types import versions_of
from tests.support.differential.core import Case, matches
from tests.support.differential.plain import Difference


class Deviation(NamedTuple):
    """Differences that are meant: in which cases, at which ``note/path`` (globs), and why.

    ``ours`` and ``theirs`` are globs over the two values as text; ``sometimes``: not every run
    shows it.
    """

    api: ApiKey
    cases: str
    where: tuple[str, ...]
    reason: str
    versions: str = "0+"
    ours: str = "*"
    theirs: str = "*"
    sometimes: bool = False

    def covers(self, case: Case) -> bool:
        """Whether it is about this case."""
        first, last = versions_of(self.versions)
        return (
            case.api == self.api
            and first <= case.version <= last
            and fnmatchcase(case.name, self.cases)
        )

    def explains(self, found: Difference) -> bool:
        """Whether this is the difference that is meant."""
        return (
            any(matches(pattern, found) for pattern in self.where)
            and fnmatchcase(str(found.ours), self.ours)
            and fnmatchcase(str(found.theirs), self.theirs)
        )


TRIPS = "Kafka trips over it with an internal error; ours says what is wrong"
LONG = "Kafka trips over its own text, that has no place in a response; ours cuts it"
DEVIATIONS = [
    Deviation(
        ApiKey.PRODUCE,
        "*",
        ("*/error_message",),
        "Kafka refuses without a word where no single record is to blame; ours says why",
        "8+",
        theirs="None",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "lying-counts",
        ("junk payload/*/error_code",),
        TRIPS,
        ours="87",
        theirs="-1",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "broken-compression",
        ("*/error_code",),
        TRIPS,
        ours="87",
        theirs="-1",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "frames-of-other-writers",
        ("lz4 old header/*/error_code", "lz4 linked/*/error_code", "zstd junk behind/*/error_code"),
        TRIPS,
        ours="87",
        theirs="-1",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "wrappers",
        ("LZ4 v1 with the old frame header/*/error_code",),
        TRIPS,
        ours="2",
        theirs="-1",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "offsets-that-skip",
        ("LZ4 *", "stored/responses/~t/partitions/[23]/*"),
        "Kafka means to count the offsets anew, and trips over it",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "compacted",
        ("junk payload/*/error_code",),
        TRIPS,
        ours="87",
        theirs="-1",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "broken-wrappers",
        tuple(f"magic ? {note}/*/error_code" for note in ("empty value", "no gzip", "batch v2 *")),
        TRIPS,
        ours="2",
        theirs="-1",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "broken-wrappers",
        ("magic ? codec 5/*/error_code",),
        TRIPS,
        ours="2",
        theirs="-1",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "partition-twice",
        ("asked/*", "stored/*"),
        "Kafka keeps only the last batch of a partition that a request names twice, and does not "
        "tell; ours appends and answers each",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "topic-twice",
        ("asked/*",),
        "Kafka answers each topic once; ours answers entry by entry, as asked",
    ),
    Deviation(
        ApiKey.PRODUCE,
        "no-partitions",
        ("asked/responses/~t",),
        "Kafka leaves a topic without partitions out; ours answers it empty",
    ),
    Deviation(
        ApiKey.FETCH,
        "zstd",
        ("zstd behind others/*",),
        "Kafka converts no more than the first batch where a later one cannot be; ours goes on up "
        "to that one",
        "0-3",
    ),
    Deviation(
        ApiKey.FETCH,
        "limits",
        ("partition limit -1/*", "limit -1/*"),
        "Kafka trips over a negative limit; ours takes it for 0",
        "3+",
    ),
    Deviation(
        ApiKey.FETCH,
        "limits",
        ("partition limit -1/*",),
        "Kafka trips over a negative limit; ours takes it for 0",
        "0-2",
    ),
    *(
        Deviation(
            ApiKey.FETCH,
            cases,
            ("*/records/order", "*/records/"),
            "Kafka sends nothing where the limit does not let one message through; ours sends the "
            "start of one, by which old clients learn that their limit is too small",
            "0-2",
            theirs=theirs,
        )
        for cases in ("limits", "formats", "down-conversion")
        for theirs in ("None", "[[]]")
    ),
    Deviation(
        ApiKey.METADATA,
        "metadata",
        ("null name/*",),
        TRIPS,
        "12",
    ),
    Deviation(
        ApiKey.METADATA,
        "metadata-by-id",
        ("neither/*",),
        TRIPS,
        "12",
    ),
    Deviation(
        ApiKey.METADATA,
        "creation-by-asking",
        ("asked/topics/~auto/*",),
        "Kafka says LEADER_NOT_AVAILABLE and has the client ask again; ours answers when the topic "
        "is there, if that takes no time",
    ),
    Deviation(
        ApiKey.CREATE_TOPICS,
        "creations-with-odd-brokers",
        ("*negative partition/topics/~t5/*",),
        TRIPS,
    ),
    Deviation(
        ApiKey.CREATE_TOPICS,
        "creations-with-odd-brokers",
        ("validated: negative broker/*", "validated: no brokers/*"),
        "Kafka takes it, and its controller is stuck until it is restarted",
        "1+",
    ),
    Deviation(
        ApiKey.CREATE_TOPICS,
        "names",
        ("collide with each other/*",),
        "of two topics that collide, in ours the first wins, in Kafka the first by its hash",
        sometimes=True,
    ),
    Deviation(
        ApiKey.DELETE_TOPICS,
        "deletions-by-id",
        ("again/*",),
        "Kafka's controller still knows the id for a moment, and then says that the name is "
        "unknown",
        sometimes=True,
    ),
    Deviation(
        ApiKey.DELETE_TOPICS,
        "deletions-by-id",
        ("neither/*/error_code",),
        "Kafka says that the client may not; ours that there is no such topic",
        ours="3",
        theirs="29",
    ),
    Deviation(
        ApiKey.DELETE_TOPICS,
        "deletions-by-id",
        ("name and id/*/error_message",),
        "ours says why",
        theirs="None",
    ),
    Deviation(
        ApiKey.ELECT_LEADERS,
        "elections",
        ("*kind 2*", "*kind -1*"),
        TRIPS,
        "1+",
    ),
    Deviation(
        ApiKey.DELETE_RECORDS,
        "deletions",
        ("partition twice/*",),
        "Kafka does only the last of what is asked of a partition twice; ours does each",
    ),
    Deviation(
        ApiKey.DELETE_RECORDS,
        "deletions",
        ("no partitions/*",),
        "Kafka leaves a topic without partitions out; ours answers it empty",
    ),
    Deviation(
        ApiKey.DELETE_RECORDS,
        "deletions-in-a-topic-named-twice",
        ("asked/*",),
        "Kafka answers each topic once; ours answers entry by entry, as asked",
    ),
    Deviation(
        ApiKey.CREATE_DELEGATION_TOKEN, "token-creations", ("owner None 'me'/*",), TRIPS, "3"
    ),
    Deviation(
        ApiKey.DESCRIBE_CONFIGS,
        "*",
        ("*/is_default",),
        "Kafka 3.9 forgets to say that a value is the default; ours says so",
        "0",
        ours="True",
        theirs="False",
    ),
    Deviation(
        ApiKey.DESCRIBE_CONFIGS,
        "*",
        ("*/documentation",),
        "the descriptions are our own",
        "3+",
    ),
    Deviation(
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        "topic-step-by-step",
        ("*operation 4/*", "*operation -1/*"),
        TRIPS,
    ),
    Deviation(
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        "loggers",
        ("broker '1'/*/error_message",),
        "Kafka names itself as what it received",
        ours="*but received 1",
        theirs="*but received 0",
    ),
    Deviation(
        ApiKey.ALTER_CONFIGS,
        "topic-twice",
        ("asked/",),
        "Kafka never answers",
        theirs="no answer",
    ),
    Deviation(
        ApiKey.DESCRIBE_CLIENT_QUOTAS,
        "odd-filters",
        ("* '' True/error", "* '' True/found"),
        "Kafka trips over an empty name with an internal error; ours finds that nobody has it",
    ),
    Deviation(ApiKey.ALTER_CLIENT_QUOTAS, "odd-entities", ("ip of 32*",), LONG),
    Deviation(
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "credentials-of-some", ("long name/*",), LONG
    ),
    Deviation(
        ApiKey.METADATA,
        "odd-frames",
        ("negative count/", "after negative count/"),
        "Kafka takes any negative count for null; to ours -7 is malformed",
        "1-3",
    ),
    Deviation(
        ApiKey.FIND_COORDINATOR,
        "coordinators",
        ("type 2 keys */error_message",),
        "ours says why",
        "4-5",
        theirs="",
    ),
    Deviation(
        ApiKey.ADD_PARTITIONS_TO_TXN,
        "brokers-verify",
        ("nothing/",),
        "Kafka never answers where no transaction is asked about",
        theirs="no answer",
    ),
    Deviation(
        ApiKey.WRITE_TXN_MARKERS,
        "markers",
        ("fenced/*/error_message",),
        "ours says why",
        theirs="None",
    ),
    Deviation(
        ApiKey.INIT_PRODUCER_ID,
        "what-an-id-is-good-for",
        ("sequence 5/*/error_message",),
        "ours says why",
        theirs="None",
    ),
    Deviation(
        ApiKey.OFFSET_FETCH,
        "fetches",
        ("no groups/",),
        "Kafka never answers",
        "8+",
        theirs="no answer",
    ),
    Deviation(ApiKey.OFFSET_COMMIT, "simple-commits", ("empty group/*",), TRIPS, "0"),
    Deviation(
        ApiKey.TXN_OFFSET_COMMIT,
        "outside-a-transaction",
        ("not added*/error_code",),
        "Kafka confirms transactions of several clients in one go, and answers as the oldest of "
        "them understands; ours goes by the version of the request",
        "4",
        ours="120",
        theirs="48",
        sometimes=True,
    ),
    Deviation(
        ApiKey.PRODUCE,
        "null-records",
        ("asked/",),
        "Kafka never answers",
        theirs="no answer",
    ),
]


def split(case: Case, found: list[Difference]) -> tuple[list[Difference], list[Deviation]]:
    """What nothing explains, and the deviations that were to be seen but are not."""
    about = [deviation for deviation in DEVIATIONS if deviation.covers(case)]
    left = [each for each in found if not any(d.explains(each) for d in about)]
    expected = [d for d in about if "*" not in d.cases and not d.sometimes]
    stale = [d for d in expected if not any(map(d.explains, found))]
    return left, stale
