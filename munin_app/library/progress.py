"""How far a download is, and a meter that smooths its speed. Knows nothing of networks or files."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

_SMOOTHING_SECONDS = 4.0
_SHORTEST_SAMPLE = 0.25
_REPORT_EVERY = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    phase: Literal["checking", "receiving", "waiting"]
    """Reading again what an earlier run left, receiving, or waiting before another try."""
    received_bytes: int
    total_bytes: int
    """0 until it is known."""
    bytes_per_second: float = 0.0
    """Smoothed over some seconds; 0 until it is known."""
    reason: str = ""
    """Why it is waiting."""

    @property
    def share(self) -> float:
        """0 to 1; 0 until the size is known."""
        return min(1.0, self.received_bytes / self.total_bytes) if self.total_bytes else 0.0

    @property
    def seconds_left(self) -> float | None:
        if not self.bytes_per_second or not self.total_bytes:
            return None
        return (self.total_bytes - self.received_bytes) / self.bytes_per_second


Report = Callable[[Progress], None]


def silent(_: Progress) -> None:
    pass


class Meter:
    """Counts bytes and reports about ten times a second."""

    def __init__(self, report: Report, total_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total_bytes = total_bytes
        self._report = report
        self._clock = clock
        self._speed = 0.0
        self._sampled_at, self._sampled_bytes = clock(), 0
        self._reported_at = -math.inf

    def at(self, received_bytes: int) -> None:
        """Where receiving begins, after what an earlier run or try left: that part says nothing of the speed."""
        self._sampled_at, self._sampled_bytes = self._clock(), received_bytes
        self._send(Progress("receiving", received_bytes, self.total_bytes, self._speed))

    def checked(self, bytes_read: int) -> None:
        self._send(Progress("checking", bytes_read, self.total_bytes))

    def received(self, received_bytes: int) -> None:
        now = self._clock()
        self._sample(now, received_bytes)
        if now - self._reported_at >= _REPORT_EVERY or received_bytes == self.total_bytes:
            self._send(Progress("receiving", received_bytes, self.total_bytes, self._speed))

    def waiting(self, received_bytes: int, reason: str) -> None:
        self._send(Progress("waiting", received_bytes, self.total_bytes, 0.0, reason))

    def _sample(self, now: float, received_bytes: int) -> None:
        """An exponentially weighted mean; its weight follows the time that passed, so uneven samples count as they should."""
        passed = now - self._sampled_at
        if passed < _SHORTEST_SAMPLE:
            return
        speed = (received_bytes - self._sampled_bytes) / passed
        weight = 1 - math.exp(-passed / _SMOOTHING_SECONDS) if self._speed else 1.0
        self._speed += weight * (speed - self._speed)
        self._sampled_at, self._sampled_bytes = now, received_bytes

    def _send(self, progress: Progress) -> None:
        self._reported_at = self._clock()
        self._report(progress)
