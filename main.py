"""The file that `flet run` and `flet build` look for. Everything is in munin_app/main.py."""

import sys

from munin_app.errors import MuninError
from munin_app.main import run

if __name__ == "__main__":
    try:
        run()
    except MuninError as error:
        sys.exit(str(error))
