"""What the controls of a page do. They know the services and the page's state; they build no screens."""
