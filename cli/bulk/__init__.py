"""Auditing many games: records and stored games streamed through a few processes, one after the other told in their order.

Nothing here prints, and nothing is held of a game that has been told.
"""
