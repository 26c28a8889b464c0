"""Figures about Munin: how fast it is (`munin bench`). Uses everything below the window; nothing in the app uses it."""
