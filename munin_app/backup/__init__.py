"""Backup and restore: one file with everything but weights, put back whole or not at all; and erasing everything."""
