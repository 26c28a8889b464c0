"""Fetches Flet's desktop client into the user's cache, so that the app itself never has to. Part of set-up.

Without it Munin opens in a browser: a client that cannot be had is said in one sentence and is no error.
"""

import contextlib
import io
import logging
import socket

import flet_desktop

STALLED_AFTER_SECONDS = 15


def main() -> None:
    socket.setdefaulttimeout(STALLED_AFTER_SECONDS)
    logging.disable()
    print("Fetching Flet's desktop client (once, about 30 MB)", flush=True)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            flet_desktop.ensure_client_cached()
    except Exception as error:  # whatever it is, the browser works without: no network, no release for this platform, no space
        print(
            f"Flet's desktop client cannot be had now ({error}). Munin opens in your browser instead; to ask again: make client"
        )


if __name__ == "__main__":
    main()
