"""``pko features upgrade``, ``downgrade``, ``disable``, and those of kafka-features."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from pykafka_ops.analysis.feature_levels import METADATA, level_text, levels_at
from pykafka_ops.client.failure_text import text_of
from pykafka_ops.client.features import (
    SAFE_DOWNGRADE,
    UNSAFE_DOWNGRADE,
    UPGRADE,
    update_features,
)
from pykafka_ops.commands.features.words import name_and_level, release
from pykafka_ops.commands.framework.controllers import enter
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError, UsageError

_DEPRECATED = " `metadata` flag is deprecated and may be removed in a future release."
_OFF = "The upgradeType flag should be set to SAFE_DOWNGRADE or UNSAFE_DOWNGRADE when the provided maxVersionLevel:0 is < 1."  # noqa: E501 - Kafka's


def change(run: Run) -> int:
    """Set levels, all of them or none. UsageError; 1 where the controller refuses."""
    args = run.args
    kind = UPGRADE if args.verb == "upgrade" else SAFE_DOWNGRADE
    if args.has("unsafe"):
        kind = UNSAFE_DOWNGRADE
    levels = _disabled(run) if args.verb == "disable" else _wanted(run, kind)
    if not levels:
        raise UsageError(f"You must specify at least one feature to {args.verb}")
    if any(not name.strip() for name in levels):
        raise UsageError("Provided feature can not be empty.")
    dry = args.has("dry-run")
    if not dry and not run.confirm(f"{args.verb} in the whole cluster", _shown(levels)):
        return 1
    failed = 0
    for name, error in sorted(_update(run, levels, kind, dry=dry).items()):
        sys.stdout.write(_line(args.verb, name, levels[name], error, dry=dry))
        failed += error is not None
    if failed:
        text = f"{failed} out of {len(levels)} operation(s) failed."
        sys.stderr.write(f"{text}\n" if args.flags else f"pko: {text}\n")
    return 1 if failed else 0


def _update(
    run: Run, levels: Mapping[str, int], kind: int, *, dry: bool
) -> Mapping[str, PkoError | None]:
    """What became of each; where nobody could be asked, Kafka's tool says it of each."""
    try:
        cluster, _ = enter(run)
        return update_features(
            cluster,
            levels,
            kind,
            dry_run=dry,
            timeout_ms=int(cluster.config.request_timeout * 1000),
        )
    except PkoError as error:
        if not run.args.flags or isinstance(error, UsageError):
            raise
        return dict.fromkeys(levels, error)


def _disabled(run: Run) -> dict[str, int]:
    levels: dict[str, int] = {}
    for name in run.args.given("feature"):
        _put(levels, name, 0)
    return levels


def _wanted(run: Run, kind: int) -> dict[str, int]:
    args = run.args
    whole, metadata = args.text("release-version"), args.text("metadata")
    if whole is not None:
        if metadata is not None or args.has("feature"):
            raise UsageError("Can not specify `release-version` with other feature flags.")
        level = release(whole)
        others = levels_at(level)
        return {METADATA: level} | {n: v for n, v in others.items() if v or kind != UPGRADE}
    levels: dict[str, int] = {}
    if metadata is not None:
        if args.flags:
            sys.stdout.write(f"{_DEPRECATED}\n")
        levels[METADATA] = release(metadata)
    for text in args.given("feature"):
        name, level = name_and_level(text)
        if level == 0 and kind == UPGRADE:
            raise UsageError(_OFF if args.flags else f"{text}: features downgrade switches it off")
        if level < 0:
            raise UsageError("Cannot specify a negative version level.")
        _put(levels, name, level)
    return levels


def _put(levels: dict[str, int], name: str, level: int) -> None:
    if name in levels:
        raise UsageError(f"Feature {name} was specified more than once.")
    levels[name] = level


def _shown(levels: Mapping[str, int]) -> list[str]:
    return [
        f"{name}={level}" + (f" ({level_text(name, level)})" if name == METADATA else "")
        for name, level in sorted(levels.items())
    ]


def _line(verb: str, name: str, level: int, error: PkoError | None, *, dry: bool) -> str:
    if error is not None:
        done = name if verb == "disable" else f"{name} to {level}"
        return f"{'Can' if dry else 'Could'} not {verb} {done}. {text_of(error)}\n"
    done = "disabled" if verb == "disable" else f"{verb}d to {level}"
    return f"{name} {'can be' if dry else 'was'} {done}.\n"
