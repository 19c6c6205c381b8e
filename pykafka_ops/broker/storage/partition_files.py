"""The files of a partition directory as they were left, read before anything else of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.replication.epochs import EpochCache
from pykafka_ops.broker.storage.files import FileInfo, Files
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk import names
from pykafka_ops.disk.checkpoint import format_epochs, parse_epochs
from pykafka_ops.errors import CorruptIndexError

_TEMPORARY = (names.DELETED_SUFFIX, names.CLEANED_SUFFIX, names.SWAP_SUFFIX)


def tidy(files: Files, directory: str, config: TopicConfig) -> list[FileInfo]:
    """Finish or undo interrupted deletions, compactions and splits; the files that are left.

    ``.deleted`` goes. ``.cleaned`` goes, and with it every ``.swap`` at or above the lowest
    ``.cleaned`` (an unfinished split). Other ``.swap`` segments take the place of what they
    replace.
    """
    found = files.list(directory)
    if not any(f.name.endswith(_TEMPORARY) for f in found):
        return found
    cleaned: list[int] = []
    for f in found:
        if f.name.endswith(names.DELETED_SUFFIX):
            files.remove(f"{directory}/{f.name}")
        elif f.name.endswith(names.CLEANED_SUFFIX):
            parsed = names.parse_segment_file(f.name)
            cleaned.append(parsed.offset if parsed else 0)
    swaps = []
    for f in found:
        parsed = names.parse_segment_file(f.name)
        if parsed and parsed.state == names.SWAP_SUFFIX:
            if cleaned and parsed.offset >= min(cleaned):
                files.remove(f"{directory}/{f.name}")
            else:
                swaps.append((parsed, f))
    for f in found:
        if f.name.endswith(names.CLEANED_SUFFIX):
            files.remove(f"{directory}/{f.name}")
    _finish_swaps(files, directory, config, swaps)
    return files.list(directory)


def _finish_swaps(
    files: Files,
    directory: str,
    config: TopicConfig,
    swaps: Sequence[tuple[names.SegmentName, FileInfo]],
) -> None:
    ends = []
    for parsed, f in swaps:
        if parsed.suffix == names.LOG_SUFFIX:
            segment = Segment(files, directory, parsed.offset, config, size=f.size)
            segment.suffix = names.SWAP_SUFFIX
            ends.append((parsed.offset, segment.find_end()[0]))
            segment.close()
    if ends:
        low, high = min(e[0] for e in ends), max(e[1] for e in ends)
        for f in files.list(directory):
            old = names.parse_segment_file(f.name)
            if old and not old.state and low <= old.offset < high:
                files.remove(f"{directory}/{f.name}")
    for _, f in swaps:
        path = f"{directory}/{f.name}"
        files.rename(path, path.removesuffix(names.SWAP_SUFFIX))


def find_segments(
    files: Files, directory: str, config: TopicConfig, found: Sequence[FileInfo]
) -> list[Segment]:
    """The segments of a listing, in order; index files without a log are removed.

    A segment whose ``.index`` or ``.timeindex`` is missing or not whole gets both anew.
    """
    logs: dict[int, FileInfo] = {}
    sizes: dict[int, dict[str, int]] = {}
    for f in found:
        parsed = names.parse_segment_file(f.name)
        if parsed is None or parsed.state:
            continue
        if parsed.suffix == names.LOG_SUFFIX:
            logs[parsed.offset] = f
        elif parsed.suffix in names.SEGMENT_SUFFIXES:
            sizes.setdefault(parsed.offset, {})[parsed.suffix] = f.size
    segments = []
    for offset in sorted(logs):
        info = logs[offset]
        times = {"created_ms": info.modified_ms, "modified_ms": info.modified_ms}
        segment = Segment(files, directory, offset, config, size=info.size, **times)
        segment.side_files = found_here = sizes.pop(offset, {})
        index = found_here.get(names.INDEX_SUFFIX, -1)
        time_index = found_here.get(names.TIME_INDEX_SUFFIX, -1)
        if index % 8 or time_index % 12:  # -1, missing, is no multiple either
            from pykafka_ops.broker.storage.rebuild import SegmentRebuild

            SegmentRebuild(segment, keep_log=True).run()
        segments.append(segment)
    for offset, orphans in sizes.items():
        for suffix in orphans:
            files.remove(f"{directory}/{names.segment_file(offset, suffix)}")
    return segments


def read_epochs(files: Files, directory: str) -> EpochCache | None:
    """The ``leader-epoch-checkpoint``; empty without a file, None if the file is damaged.

    It is not synced each time: a power cut may have cut the last offset short.
    """
    try:
        data = files.read(f"{directory}/{names.LEADER_EPOCH_CHECKPOINT}")
    except FileNotFoundError:
        return EpochCache()
    try:
        entries = parse_epochs(data.decode("utf-8", "replace"))
        epochs = EpochCache(entries)
    except (CorruptIndexError, ValueError):
        return None
    return epochs if epochs.entries() == entries and data.endswith(b"\n") else None


def write_epochs(files: Files, directory: str, epochs: EpochCache, *, sync: bool) -> None:
    """Replace the ``leader-epoch-checkpoint``."""
    path = f"{directory}/{names.LEADER_EPOCH_CHECKPOINT}"
    files.write_atomic(path, format_epochs(epochs.entries()).encode(), sync=sync)


def epochs_in(segments: Iterable[Segment], known: EpochCache | None = None) -> EpochCache:
    """The leader epochs as the batches tell them, after those that are ``known``."""
    epochs = EpochCache() if known is None else known
    for segment in segments:
        for _, header in segment.batches():
            if header.magic >= 2 and header.partition_leader_epoch > epochs.latest:
                epochs.assign(header.partition_leader_epoch, header.base_offset)
    return epochs
