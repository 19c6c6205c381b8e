"""What a format will write: release, feature levels, voters, records. No file is touched.

Source: ``Formatter`` of Kafka 4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.analysis.feature_levels import FEATURES, METADATA, has_level, levels_at
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.storage.errors import ARGUMENT, RUNTIME, StorageToolError
from pykafka_ops.commands.storage.levels import (
    NEWEST,
    SCRAM_SINCE,
    level_of,
    needs,
    release_of,
)
from pykafka_ops.commands.storage.node import CONTROLLER, KraftNode
from pykafka_ops.commands.storage.scram import parse_scram
from pykafka_ops.disk.kraft.snapshot import ScramUser, Voter
from pykafka_ops.disk.kraft.voters import parse_voters
from pykafka_ops.errors import SettingError, UsageError

KRAFT_VERSION = "kraft.version"
QUORUMS = ("standalone", "initial-controllers", "no-initial-controllers")
DYNAMIC = "--standalone, --initial-controllers, or --no-initial-controllers"
_EMPTY = f"controller.quorum.voters is empty and one of the flags {DYNAMIC} is used"


class FormatPlan(NamedTuple):
    """The metadata.version with its name, other features above 0 by name, users, and voters (()
    where the quorum is not dynamic, or this node is to find it)."""

    version: int
    release: str
    levels: dict[str, int]
    users: list[ScramUser]
    voters: Sequence[Voter]
    kraft_version: int

    @property
    def written(self) -> list[tuple[str, int]]:
        """The feature records, in order."""
        others = [(n, v) for n, v in sorted(self.levels.items()) if v and n != KRAFT_VERSION]
        return [(METADATA, self.version), *others]


def make_plan(args: Args, node: KraftNode, new_directory: bytes) -> FormatPlan:
    """What the command line asks for; StorageToolError. ``new_directory`` is the id that the
    directory of a lone voter gets."""
    said = [f"--{n}" for n in QUORUMS if args.has(n)]
    if len(said) > 1:
        raise UsageError(f"{' and '.join(said)}: give one of them")
    voters = _voters(args, node, new_directory)
    given = _given_levels(args)
    version = _version(args, node, given)
    dynamic = not node.has_static_voters and (bool(voters) or args.has("no-initial-controllers"))
    levels = _levels(given, version, dynamic)
    users = [parse_scram(text) for text in args.given("add-scram")]
    if users and version < SCRAM_SINCE:
        raise StorageToolError(
            f"SCRAM is only supported in metadata.version {release_of(SCRAM_SINCE)} or later."
        )
    return FormatPlan(version, release_of(version), levels, users, voters, levels[KRAFT_VERSION])


def _voters(args: Args, node: KraftNode, new_directory: bytes) -> list[Voter]:
    voters: list[Voter] = []
    if args.has("initial-controllers"):
        try:
            voters = parse_voters(args.given("initial-controllers")[-1])
        except SettingError as error:
            raise StorageToolError(str(error), ARGUMENT) from None
    if args.has("standalone"):
        if CONTROLLER not in node.roles:
            raise StorageToolError("You can only use --standalone on a controller.")
        voters = [Voter(node.id, new_directory, *node.controller_address())]
    if node.has_static_voters and voters:
        raise StorageToolError(
            "You cannot specify controller.quorum.voters and format the node with "
            "--initial-controllers or --standalone. If you want to use dynamic quorum, please "
            "remove controller.quorum.voters and specify controller.quorum.bootstrap.servers "
            "instead."
        )
    lost = not (voters or node.has_static_voters or args.has("no-initial-controllers"))
    if lost and CONTROLLER in node.roles:
        raise StorageToolError(
            "Because controller.quorum.voters is not set on this controller, you must specify one "
            f"of the following: {DYNAMIC}."
        )
    return voters


def _given_levels(args: Args) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in args.given("feature"):
        name, equals, number = text.partition("=")
        head = f"Can't parse feature=level string {text}: "
        if not equals:
            raise StorageToolError(f"{head}equals sign not found.", RUNTIME)
        level = java_integer(number.strip(), 15)
        if level is None:
            raise StorageToolError(f"{head}unable to parse {number.strip()} as a short.", RUNTIME)
        found[name.strip()] = level
    return found


def _version(args: Args, node: KraftNode, given: dict[str, int]) -> int:
    unstable = node.settings.get("unstable.feature.versions.enable", "").lower() == "true"
    text = args.given("release-version")[-1] if args.has("release-version") else None
    if METADATA in given:
        if text is not None:
            raise StorageToolError(
                f"Use --release-version instead of --feature {METADATA}=X to avoid ambiguity."
            )
        version = given[METADATA]
        try:
            release_of(version)
        except SettingError as error:
            raise StorageToolError(str(error), ARGUMENT) from None
    elif text is not None:
        try:
            version = level_of(text, unstable=unstable)
        except SettingError as error:
            raise StorageToolError(str(error)) from None
    else:
        version = NEWEST
    if version > NEWEST and not unstable:
        raise StorageToolError(f"{METADATA} {release_of(version)} is not yet stable.")
    return version


def _levels(given: dict[str, int], version: int, dynamic: bool) -> dict[str, int]:
    for name in given:
        if name != METADATA and name not in FEATURES:
            names = ", ".join(sorted(FEATURES))
            raise StorageToolError(f"Unsupported feature: {name}. Supported features are: {names}")
    levels = {n: given.get(n, level) for n, level in levels_at(version).items()}
    levels[KRAFT_VERSION] = _kraft_level(given.get(KRAFT_VERSION), dynamic)
    known = {**levels, METADATA: version}
    for name, level in sorted(levels.items()):
        if not has_level(name, level):
            raise StorageToolError(f"No feature:{name} with feature level {level}", ARGUMENT)
        for other, least in needs(name, level).items():
            if known[other] < least:
                raise StorageToolError(
                    f"{name} could not be set to {level} because it depends on {other} level "
                    f"{least}", ARGUMENT,
                )  # fmt: skip
    return levels


def _kraft_level(given: int | None, dynamic: bool) -> int:
    if given is None:
        return 1 if dynamic else 0
    head = f"Cannot set {KRAFT_VERSION} to {given} "
    if given == 0 and dynamic:
        raise StorageToolError(
            f"{head}if {_EMPTY}. For dynamic controllers support, try removing the --feature flag "
            f"for {KRAFT_VERSION}."
        )
    if given != 0 and not dynamic:
        raise StorageToolError(
            f"{head}unless {_EMPTY}. For dynamic controllers support, try using one of {DYNAMIC} "
            "and removing controller.quorum.voters."
        )
    return given
