"""Locking the data folder at rest: on and off, whatever kills it half-way, and opening it at start."""
