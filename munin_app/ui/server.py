"""Serves the app to a browser on this device, and to nobody else.

Only the loopback address is bound. Each request and each WebSocket must name this server as its Host (and, where it has
one, its Origin), so that no page on the internet can reach the app, not even by a rebound name; and it must carry the
launch token, or the cookie that replaced it.
"""

import contextlib
import hmac
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable, Generator
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

import flet as ft
import flet_web.fastapi
import uvicorn

from munin_app import paths
from munin_app.errors import MuninError
from munin_app.i18n import _
from munin_app.ui.asgi import Application, Message, Receive, Scope, Send, respond
from munin_app.ui.farewell import FAREWELL, PATH
from munin_app.ui.uploads import PREFIX, UPLOADS

LOOPBACK = "127.0.0.1"
SHUTDOWN_SECONDS = 1
FORGET_TAB_SECONDS = 60
"""How long a closed tab can come back (a reload does) before its state is dropped."""


def _policy(host: str) -> str:
    """Nothing is loaded from anywhere else, whatever a reply's Markdown says."""
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws://{host} data: blob:; "
        "worker-src 'self' blob:; "
        "object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
    )


class Guard:
    """ASGI middleware: see the module's docstring. Everything refused gets status 403 and a plain sentence."""

    def __init__(self, app: Application, port: int, token: str) -> None:
        self._app = app
        self._token = token
        self._session = secrets.token_urlsafe(32)
        self._cookie = f"munin_{port}"
        self._hosts = (f"{LOOPBACK}:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if not self._is_ours(scope, host, headers):
            sentence = _("This is a private Munin. It answers only to the address that it printed when it was started.")
            await _refuse(scope, send, sentence)
        elif self._has_cookie(headers.get("cookie", "")):
            await self._app(scope, receive, self._hardened(send, host))
        elif scope["type"] == "http" and scope["method"] == "GET" and self._has_token(scope["query_string"]):
            await self._welcome(send)
        else:
            sentence = _("Munin needs its launch token. Open the whole address that was printed when it was started.")
            await _refuse(scope, send, sentence)

    def _is_ours(self, scope: Scope, host: str, headers: dict[str, str]) -> bool:
        """A browser sends an Origin with every WebSocket: one without is no browser of ours."""
        if host not in self._hosts or sum(name.lower() == b"host" for name, value in scope["headers"]) != 1:
            return False
        origin = headers.get("origin")
        if origin is None:
            return bool(scope["type"] == "http")
        return origin == f"http://{host}"

    def _has_cookie(self, header: str) -> bool:
        try:
            morsel = SimpleCookie(header).get(self._cookie)
        except CookieError:
            return False
        return morsel is not None and _same(morsel.value, self._session)

    def _has_token(self, query: bytes) -> bool:
        return any(_same(token, self._token) for token in parse_qs(query.decode("latin-1")).get("token", []))

    async def _welcome(self, send: Send) -> None:
        """The cookie takes the token's place, and the token leaves the address bar."""
        cookie = f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/"
        headers = [
            (b"location", b"/"),
            (b"set-cookie", cookie.encode()),
            (b"cache-control", b"no-store"),
            (b"referrer-policy", b"no-referrer"),
        ]
        await respond(send, 303, headers)

    def _hardened(self, send: Send, host: str) -> Send:
        """Flet's server allows any origin to read its answers: that is taken back."""

        async def sender(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [
                    (name, value) for name, value in message.get("headers", []) if name.lower() != b"access-control-allow-origin"
                ]
                message["headers"] = [*kept, *_hardening(host)]
            await send(message)

        return sender


def _hardening(host: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-security-policy", _policy(host).encode()),
        (b"x-frame-options", b"DENY"),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]


def _same(found: str, expected: str) -> bool:
    return hmac.compare_digest(found.encode(), expected.encode())


async def _refuse(scope: Scope, send: Send, sentence: str) -> None:
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": sentence})
        return
    kind = "websocket.http" if scope["type"] == "websocket" else "http"
    await respond(send, 403, [(b"content-type", b"text/plain; charset=utf-8")], sentence, kind)


class _Server(uvicorn.Server):
    """uvicorn's own handling of signals raises them again at the end, before Munin could close."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def bound_socket(port: int) -> socket.socket:
    """Port 0 is any free one. Raises MuninError when the port is taken."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
    except OSError as error:
        bound.close()
        raise MuninError(
            _("Port {port} cannot be used ({reason}). Choose another one with --port.").format(port=port, reason=error.strerror)
        ) from error
    return bound


def guarded_app(main: Callable[[ft.Page], Awaitable[None]], port: int, token: str) -> Guard:
    flet_app = flet_web.fastapi.app(
        main,
        assets_dir=str(paths.assets_folder()),
        app_name="Munin",
        app_short_name="Munin",
        app_description=_("A private assistant that runs on this device."),
        web_renderer=ft.WebRenderer.CANVAS_KIT,
        no_cdn=True,
        session_timeout_seconds=FORGET_TAB_SECONDS,
    )
    outer = flet_web.fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    outer.mount(PREFIX, UPLOADS)
    outer.mount(PATH, FAREWELL)
    outer.mount("/", flet_app)
    return Guard(outer, port, token)


def guarded_server(main: Callable[[ft.Page], Awaitable[None]], port: int, token: str) -> uvicorn.Server:
    """Not listening yet: `serve(sockets=[…])` does that."""
    config = uvicorn.Config(
        guarded_app(main, port, token),
        log_level="error",
        access_log=False,
        ws="websockets-sansio",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return _Server(config)


async def serve(main: Callable[[ft.Page], Awaitable[None]], port: int, announce: Callable[[str], None]) -> None:
    """Until SIGINT or SIGTERM. `announce` gets the address with the token once the server listens. Raises MuninError."""
    bound = bound_socket(port)
    port = bound.getsockname()[1]
    token = secrets.token_urlsafe(24)
    server = guarded_server(main, port, token)
    previous = {
        kind: signal.signal(kind, lambda *signals: setattr(server, "should_exit", True))
        for kind in (signal.SIGINT, signal.SIGTERM)
    }
    bound.listen(100)
    announce(f"http://{LOOPBACK}:{port}/?token={token}")
    try:
        await server.serve(sockets=[bound])
    finally:
        for kind, handler in previous.items():
            signal.signal(kind, handler)
