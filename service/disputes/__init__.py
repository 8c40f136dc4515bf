"""Disputes: what is decided about them, and the reports that are kept."""
