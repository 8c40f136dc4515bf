"""The ``trickbook`` command: it parses, calls the other rooms and prints."""
