"""Chats of other apps, from the files that those export: read within bounds, shown first, written through the chat store.

`archive` and `elements` read the bytes, one module per app reads the JSON, `shaping` makes turns of it, `importing` shows and
writes, `remembering` does in the background what the user asked for besides. Nothing here knows a window or a model.
"""
