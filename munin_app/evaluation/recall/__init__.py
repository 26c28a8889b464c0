"""How well recall finds: labelled questions over a throw-away memory, by the very search that chat uses."""
