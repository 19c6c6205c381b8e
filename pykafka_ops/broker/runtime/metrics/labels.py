"""The labels of partitions: made once, for all families and the next reports."""

from __future__ import annotations

from pykafka_ops.metrics.family import Labels

Key = tuple[str, int]


class PartitionLabels:
    """Labels by topic and partition; :meth:`forget_others` drops those of deleted partitions."""

    def __init__(self) -> None:
        self._made: dict[Key, Labels] = {}

    def of(self, key: Key) -> Labels:
        """The labels of one partition."""
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Labels(topic=key[0], partition=key[1])
        return found

    def forget_others(self, keys: set[Key]) -> None:
        """Keep only the labels of ``keys``."""
        if len(self._made) > len(keys):
            self._made = {key: made for key, made in self._made.items() if key in keys}
