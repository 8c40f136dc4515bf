"""Disputes: what is decided about them, and the reports on them (issue of the score: who is right)."""
