"""Flet's entry: one Munin behind a gate, a page for each window or browser tab, and the end of both. No logic.

`run` decides between a window of its own and a browser. Flet's desktop client is never fetched here: set-up does that.
"""

import asyncio
import importlib.util
import os
import signal
import sys
from pathlib import Path

import flet as ft
from flet.utils import is_embedded, is_linux

from munin_app import paths
from munin_app.errors import MuninError
from munin_app.i18n import _
from munin_app.ui.app import show_refusal
from munin_app.ui.gate import Gate


def desktop_client_is_here() -> bool:
    """Whether Flet's desktop client was fetched by set-up (or came with the package), and there is a display to show it on."""
    if is_linux() and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    if os.environ.get("FLET_VIEW_PATH"):
        return True
    if importlib.util.find_spec("flet_desktop") is None:
        return False
    import flet_desktop
    import flet_desktop.version

    bundled = Path(flet_desktop.get_package_bin_dir()) / flet_desktop.get_artifact_filename()
    flavour = os.environ.get("FLET_DESKTOP_FLAVOR") or ("light" if is_linux() else "full")
    cached = Path.home() / ".flet" / "client" / f"flet-desktop-{flavour}-{flet_desktop.version.version}"
    return bundled.exists() or cached.is_dir()


def _announce(address: str) -> None:
    print(_("Munin is at {address}").format(address=address), flush=True)


async def _window(gate: Gate) -> None:
    """Until the window is closed, or the process is asked to end."""
    task = asyncio.ensure_future(ft.run_async(gate.main, assets_dir=str(paths.assets_folder())))
    await asyncio.sleep(0)  # Flet sets its own handlers first; they do not end a window
    if not is_embedded() and not sys.platform.startswith("win"):
        for kind in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(kind, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        gate.opened = True  # asked to end: no browser instead


async def _run(web: bool, port: int) -> None:
    gate = Gate()
    try:
        await gate.open()
        if is_embedded() or (not web and desktop_client_is_here()):
            await _window(gate)
            if gate.opened:
                return
            print(_("Flet's window could not be opened here. A browser does as well."), flush=True)
        from munin_app.ui.server import serve  # what it needs is not packed for phones

        await serve(gate.main, port, _announce)
    finally:
        await gate.close()


async def _refused(error: MuninError) -> None:
    """In a packaged app there is no terminal to say it in."""
    await ft.run_async(lambda page: show_refusal(page, str(error)), assets_dir=str(paths.assets_folder()))


def run(*, web: bool = False, port: int | None = None) -> None:
    """Opens the app and returns when it is closed. Raises MuninError with a sentence for the user when it cannot start."""
    try:
        asyncio.run(_run(web, port or 0))
    except MuninError as error:
        if not is_embedded():
            raise
        asyncio.run(_refused(error))
