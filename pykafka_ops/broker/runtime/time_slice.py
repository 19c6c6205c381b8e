"""Long work on the event loop in short stretches."""

from __future__ import annotations

import asyncio
import time

STRETCH_S = 0.005
"""How long work goes on before clients get a turn."""


class TimeSlice:
    """Gives clients a turn at regular intervals: ``await time_slice.pause()`` between two items."""

    def __init__(self) -> None:
        self._until = time.monotonic() + STRETCH_S

    async def pause(self) -> None:
        """Let others have their turn if it is time."""
        if time.monotonic() > self._until:
            await asyncio.sleep(0)
            self._until = time.monotonic() + STRETCH_S
