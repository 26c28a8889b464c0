"""The chat model: everything llama.cpp. Knows nothing of memory, profile or chat history.

`host.LlamaChatModel` is the ChatModel port over a real model, `scripted.ScriptedChatModel` the deterministic one. Importing
this package is cheap: llama.cpp itself is loaded on the worker's thread, by the first request.
"""
