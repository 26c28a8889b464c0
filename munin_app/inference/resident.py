"""Which session's state lies in the chat's context, and how it gets to disk and back. Knows nothing of requests or replies."""

import time
from collections.abc import Callable, Generator, Sequence

from munin_app.inference.kv_cache import KvCache
from munin_app.inference.session_files import SavedSession, SessionFiles
from munin_app.inference.tokens import SessionTokens

_WORTH = 128
"""Tokens: fewer are evaluated as quickly as their state is read."""
_GLANCE_SECONDS = 0.005


class ResidentSession:
    """Without `files`, and for sessions that are not to be kept, nothing is read or written."""

    def __init__(self, cache: KvCache, sessions: SessionTokens, files: SessionFiles | None) -> None:
        self._cache = cache
        self._sessions = sessions
        self._files = files
        self._id: str | None = None
        self._keeps = False
        self._on_disk: Sequence[int] = ()
        """The resident session's tokens when it was saved last."""
        self._found: SavedSession | None = None

    def leave_for(self, session_id: str, keep: bool, stop: Callable[[], bool]) -> Generator[None, None, None]:
        """Saves the session that is there when another comes. The tokens of that one are known from here on, if they ever
        were; but nobody is resident before `take_in`: what lies in the cache must never be saved under another's name."""
        if session_id == self._id:
            return
        while self._files and self._files.being_saved == session_id and not stop():
            time.sleep(_GLANCE_SECONDS)
            yield
        self.save()
        self.drop()
        self._found = self._files.find(session_id) if self._files and keep else None
        if self._found and not self._sessions.known(session_id):
            self._sessions.keep(session_id, self._found.segments)

    def take_in(
        self, session_id: str, keep: bool, prompt: Sequence[int], stop: Callable[[], bool]
    ) -> Generator[None, None, None]:
        """Leaves in the cache what belongs to `prompt`, and restores what was found on disk where that spares evaluating."""
        held = self._cache.reuse(prompt)
        self._id, self._keeps = session_id, keep
        if self._found is None:
            return
        worth_it = self._cache.could_reuse(self._found.tokens, prompt) - held >= _WORTH
        state = (yield from self._found.state(stop)) if worth_it else None
        if state is not None and self._cache.restore(self._found.tokens, state):
            self._on_disk = self._found.tokens
        if stop():  # the next request looks again
            self.drop()
        self._found = None

    def save(self) -> None:
        """In the background. Nothing when it is on disk already, too short to be worth it, or another is being saved."""
        tokens = tuple(self._cache.tokens)
        if self._files is None or self._id is None or not self._keeps or len(tokens) < _WORTH or tokens == self._on_disk:
            return
        if self._files.being_saved:  # its disk is slow: waiting would cost the user more than one evaluation later
            return
        try:
            state = self._cache.context.state()
        except MemoryError:  # a copy is too much: the price is one evaluation
            return
        self._files.save(self._id, self._sessions.known(self._id), tokens, state)
        self._on_disk = tokens

    def forget(self, session_id: str) -> None:
        if self._files:
            self._files.forget(session_id)
        if session_id == self._id:
            self.drop()

    def drop(self) -> None:
        """The cache was emptied: nobody is resident."""
        self._id, self._on_disk, self._found = None, (), None

    def close(self) -> None:
        """Saves, and waits for it."""
        if self._files:
            self._files.wait()
            self.save()
            self._files.wait()
