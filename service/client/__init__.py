"""One client of the API that checks everything it receives."""
