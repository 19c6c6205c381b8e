"""Brokers whose disk may lack what they said they had."""

from __future__ import annotations


class Dark:
    """Brokers that lost their power before all was on disk, until they are out of every ISR.

    Kafka keeps what it acknowledged on several machines and not on disk: should the others go
    before the controller has seen that one is gone, the one with a hole in its log may lead
    (KIP-966 closes that for KRaft). So nothing else may happen meanwhile, unless every write is
    synced.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, set[tuple[str, int]]] = {}

    def add(self, broker: int, places: set[tuple[str, int]]) -> None:
        """It is in the ISR of these."""
        if places:
            self._waiting[broker] = places

    def covers(self, broker: int) -> bool:
        """Whether its log may lack what others have."""
        return broker in self._waiting

    def settled(self, place: tuple[str, int], isr: tuple[int, ...]) -> None:
        """A partition has a new ISR."""
        for broker, places in list(self._waiting.items()):
            if broker not in isr:
                places.discard(place)
                if not places:
                    del self._waiting[broker]

    def __bool__(self) -> bool:
        return bool(self._waiting)
