"""Parts of screens: they take tokens, a value and callbacks, and know no service."""
