"""The chat flow: what is said and kept (munin.db), what the model is shown, the order of a turn, forgetting."""
