"""Files that go with a message: reading them, keeping their text, finding what of them answers a question."""
