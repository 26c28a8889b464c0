"""The page that asks for the passphrase, and what Settings → Data has of the lock."""

from munin_app.storage.locks import Lock
from munin_app.storage.passphrase import Slot
from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()
LOCKED = Lock("one", "check", Slot(15, 8, 1, bytes(16), bytes(12), bytes(48)), keyring=False)


async def _lock(stage: Stage, work: str = "", error: str = "") -> None:
    stage.gate.locked = True
    await stage.door.leave(work, error)


@scenes.add("locked", "Munin is locked", "Open")
async def locked(stage: Stage) -> None:
    await _lock(stage)


@scenes.add("locked-checking", "Checking …")
async def checking(stage: Stage) -> None:
    await _lock(stage)
    stage.door.state.checking = True


@scenes.add("locked-wrong", "The passphrase is another one", "Open")
async def wrong(stage: Stage) -> None:
    stage.door.state.checking = False
    await _lock(stage, error="The passphrase is another one. Check capital letters and the keyboard, then try again.")


@scenes.add("lock-working", "Locking …", "Munin opens again by itself.")
async def working(stage: Stage) -> None:
    await _lock(stage, "Locking")
    stage.door.show_progress(0.4)


@scenes.add("cannot-open", "was written by a newer Munin", "Open")
async def cannot_open(stage: Stage) -> None:
    newer = "munin.db was written by a newer Munin (version 31, this program knows 24). Update Munin; nothing was changed."
    await _lock(stage, error=newer)


async def _open(stage: Stage, lock: Lock | None) -> None:
    stage.session.go("data")
    await stage.session.shell.idle()
    stage.gate._has_passphrase = lock is not None
    stage.session.lock.state.lock, stage.session.lock.state.keyring = lock, lock is not None


@scenes.add("lock-off", "Whoever can read this disk can read your data", below=True)
async def off(stage: Stage) -> None:
    await _open(stage, None)


@scenes.add("lock-on", "Encrypted on this disk", "Lock by itself", "Lock now", below=True)
async def on(stage: Stage) -> None:
    await _open(stage, LOCKED)


@scenes.add("lock-asking", "Lock your data?", "Lock")
async def asking(stage: Stage) -> None:
    await _open(stage, None)
    stage.session.lock.ask_on()


@scenes.add("passphrase", "Change the passphrase", "Your data stays as it is")
async def passphrase(stage: Stage) -> None:
    await _open(stage, LOCKED)
    stage.session.lock.ask_change()


@scenes.add("lock-ending", "Unlock for good?", "Unlock")
async def ending(stage: Stage) -> None:
    await _open(stage, LOCKED)
    stage.session.lock.ask_off()
