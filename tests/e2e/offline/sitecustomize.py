"""Put on PYTHONPATH, it refuses every socket but loopback in the process, and writes each attempt to MUNIN_TEST_REFUSED."""

import os
import sys
from pathlib import Path

LOOPBACK = ("127.", "::1", "localhost")


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = str(address[0]) if isinstance(address, tuple) else ""  # a path: a local socket
    elif event == "socket.getaddrinfo":
        host = str(arguments[0] or "localhost")
    else:
        return
    if host and not host.startswith(LOOPBACK):
        with Path(os.environ["MUNIN_TEST_REFUSED"]).open("a") as file:
            file.write(f"{event} {host}\n")
        raise ConnectionRefusedError(f"refused by the test: {event} to {host}")


sys.addaudithook(_refuse)
