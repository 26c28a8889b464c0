"""A bar on standard error, and only where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """Gives what is called with (bytes done, bytes in all)."""
    from tqdm import tqdm

    with tqdm(desc=name, unit="B", unit_scale=True, disable=None, file=sys.stderr, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total, bar.n = total, done
            bar.refresh()

        yield show
