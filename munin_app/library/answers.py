"""What a web server's answer means, and the client that asks. Knows no file on this device.

Importing this takes httpx along (half a second): import it when something is to be downloaded.
"""

import re
import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache

import anyio
import httpx

from munin_app.errors import ModelError
from munin_app.i18n import _, decimal
from munin_app.library.addresses import why_not

_LENGTH = re.compile(r"\d{1,18}", re.ASCII)
_RANGE = re.compile(r"bytes (\d{1,18})-\d+/(\d{1,18}|\*)", re.ASCII)


class TryAgain(Exception):
    """This try ended; another one may do better."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after
        """Seconds that the server asks to wait."""


def check_answer(response: httpx.Response, name: str, longest_wait: float) -> None:
    """Raises TryAgain for what passes, and ModelError for what does not, unless the answer carries the file `name`."""
    status, host = response.status_code, response.url.host
    if status in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE):
        raise TryAgain(_("{host} is busy ({status})").format(host=host, status=status), _asked_wait(response, name, longest_wait))
    if status >= 500 or status == httpx.codes.REQUEST_TIMEOUT:
        raise TryAgain(_("{host} has a fault ({status})").format(host=host, status=status))
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        raise ModelError(
            _(
                "{host} does not give {name} to everybody ({status}). Download it in a browser, where you can sign "
                "in or accept its licence, and add the file."
            ).format(host=host, name=name, status=status)
        )
    if status in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
        raise ModelError(
            _("{host} has no {name} any more ({status}). Choose another model, or correct the catalogue.").format(
                host=host, name=name, status=status
            )
        )
    if status not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
        raise ModelError(
            _("{host} answered {status} instead of the file {name}. Try again later, or choose another model.").format(
                host=host, status=status, name=name
            )
        )
    headers = response.headers
    if headers.get("Content-Type", "").startswith("text/html") or headers.get("Content-Encoding", "identity") != "identity":
        raise ModelError(
            _(
                "{host} answered with something else than the file {name}. Does this network ask you to sign in? "
                "What arrived before is kept; try again later."
            ).format(host=host, name=name)
        )


def _asked_wait(response: httpx.Response, name: str, longest_wait: float) -> float | None:
    seconds = _retry_after(response.headers.get("Retry-After", ""))
    if seconds is not None and seconds > longest_wait:
        raise ModelError(
            _("{host} asks to wait {number} minutes before {name} is downloaded. What arrived is kept: try again then.").format(
                host=response.url.host, number=decimal(seconds / 60), name=name
            )
        )
    return seconds


def why_not_fetched(address: str, redirected_from: str = "") -> str:
    """As `why_not`, for whatever httpx or the resolver would not take either."""
    try:
        httpx.URL(address).host.encode("idna")
    except (httpx.InvalidURL, UnicodeError):
        return _("is no address")
    return why_not(address, redirected_from)


def make_client(silence: float) -> httpx.AsyncClient:
    """Raises ModelError where the environment names a proxy or certificates that cannot be used. Not for the loop."""
    here = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))  # never through a proxy
    try:
        return httpx.AsyncClient(verify=_certificates(), timeout=httpx.Timeout(silence, pool=None), mounts=here)
    except OSError as error:
        raise ModelError(
            _("The certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read ({error}). Correct it.").format(
                error=error
            )
        ) from error
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise ModelError(
            _(
                "The proxy that the environment names cannot be used ({error}). Munin goes through http and https "
                "proxies: correct HTTPS_PROXY or ALL_PROXY."
            ).format(error=error)
        ) from error


@cache
def _certificates() -> ssl.SSLContext:
    """Reading them takes a tenth of a second. So does what httpx's network layer would import at its first request."""
    anyio.run(anyio.sleep, 0)
    return httpx.create_ssl_context()


def extent(response: httpx.Response) -> tuple[int, int | None]:
    """Where the body begins in the file, and how long the file is (None: the server does not say)."""
    if response.status_code == httpx.codes.PARTIAL_CONTENT:
        match = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if match is None:
            return -1, None
        return int(match[1]), None if match[2] == "*" else int(match[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if _LENGTH.fullmatch(length) else None


def _retry_after(value: str) -> float | None:
    """Seconds, from either form of the header (RFC 9110, 10.2.3); None where it says nothing usable."""
    if _LENGTH.fullmatch(value):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def explained(error: httpx.TransportError) -> str:
    """Raises ModelError for what another try would not better."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise ModelError(
                _(
                    "The server's certificate cannot be trusted ({verify_message}). Check this device's clock; a network "
                    "that reads along needs its certificate in SSL_CERT_FILE. What arrived is kept."
                ).format(verify_message=cause.verify_message)
            ) from error
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ReadTimeout):
        return _("the connection brought nothing for a while")
    return _("the connection was lost ({reason})").format(reason=error or type(error).__name__)
