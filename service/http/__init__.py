"""The HTTP API, /v1: it reads requests, asks the handler, and writes answers. No rule of the game lives here."""
