"""What the figures were measured on, and whether something else was running there."""

import os
import platform
from dataclasses import dataclass

BUSY_SHARE = 0.25
"""Of the cores: more load than that before the run, and the figures are not worth much."""


@dataclass(frozen=True, slots=True)
class Machine:
    system: str
    cores: int
    load: float | None
    """Programs that wanted a core, averaged over the minute before the run; None where the system does not say."""

    @property
    def busy(self) -> bool:
        return self.load is not None and self.load > self.cores * BUSY_SHARE


def this_machine() -> Machine:
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    return Machine(f"{platform.system()} {platform.machine()}", _usable_cores(), load)


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
