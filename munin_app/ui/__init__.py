"""The Flet app: one shared Munin, one UI state for each open page. Nothing here knows how memory or models work inside."""
