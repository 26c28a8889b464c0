"""`python -m munin_app.cli`, where the `munin` script is not installed."""

import sys

from munin_app.cli import main

if __name__ == "__main__":
    sys.exit(main())
