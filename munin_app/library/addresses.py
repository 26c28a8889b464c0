"""Which addresses a model may be fetched from: https, and plain http on this machine alone. Opens no connection."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from munin_app.i18n import _

_LONGEST = 2_000


def why_not(address: str, redirected_from: str = "") -> str:
    """Why nothing is fetched from an address, as the end of a sentence; empty where it may be fetched from.

    A redirect leads to this machine only from this machine: a server elsewhere has no business with what listens here.
    """
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        return _("is no address")
    if len(address) > _LONGEST or not address.isprintable() or " " in address or not host:
        return _("is no address")
    if parts.username is not None or parts.password is not None:
        return _("holds a name or a password")
    if parts.scheme == "https":
        return ""
    if parts.scheme == "http" and is_loopback(host):
        return _("leads to this machine") if redirected_from and not _leads_here(redirected_from) else ""
    return _("is not encrypted (https is expected)")


def _leads_here(address: str) -> bool:
    return is_loopback(urlsplit(address).hostname or "")


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
