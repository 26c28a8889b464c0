"""Munin: a private assistant that runs on the user's own device and remembers them."""

__version__ = "0.1.0"
