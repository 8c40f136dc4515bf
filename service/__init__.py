"""Decisions that make new facts, the handler around the store, the HTTP API and the processes that serve it."""
