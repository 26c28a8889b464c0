"""What a browser shows when Munin was closed from within: a page of its own, because Flet's would say "Working…" for ever.

It is fetched while the server is still there, and needs nothing after that.
"""

import asyncio
from contextlib import suppress
from html import escape

import flet as ft

from munin_app.i18n import _, language, right_to_left
from munin_app.ui.asgi import Receive, Scope, Send, respond
from munin_app.ui.palettes import DARK, LIGHT

PATH = "/closed/"
FETCH_SECONDS = 30.0
"""A browser that has not asked for the page by then is gone."""


class Farewell:
    """An ASGI application; `shown`: somebody has the page."""

    def __init__(self) -> None:
        self.shown = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]
        await respond(send, 200, headers, _document())
        self.shown.set()


FAREWELL = Farewell()
"""Of this process."""


async def show_farewell() -> None:
    """In the place of the app, in this page's tab. Returns when the browser has it."""
    FAREWELL.shown = asyncio.Event()
    going = asyncio.create_task(ft.UrlLauncher().launch_url(PATH, web_only_window_name=ft.UrlTarget.SELF.value))
    with suppress(TimeoutError):
        async with asyncio.timeout(FETCH_SECONDS):
            await FAREWELL.shown.wait()
    going.cancel()  # a page that was left does not answer any more
    await asyncio.gather(going, return_exceptions=True)


def _document() -> str:
    said = _("Munin is closed."), _("What you asked for is done, or will be when you open it again. This tab can be closed.")
    title, sentence = (escape(one) for one in said)
    return f"""<!DOCTYPE html>
<html lang="{language()}" dir="{"rtl" if right_to_left() else "ltr"}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Munin</title>
<style>
body {{ margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 24px; box-sizing: border-box;
  font: 16px/1.5 Inter, system-ui, sans-serif; background: {LIGHT.bg}; color: {LIGHT.text2}; }}
h1 {{ margin: 0 0 8px; font-size: 24px; color: {LIGHT.text}; }}
p {{ margin: 0; max-width: 28em; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: {DARK.bg}; color: {DARK.text2}; }}
  h1 {{ color: {DARK.text}; }}
}}
</style></head>
<body><main role="status"><h1>{title}</h1><p>{sentence}</p></main></body></html>
"""
