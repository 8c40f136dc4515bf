"""Processes: the composition root, the server, and what runs beside it."""
