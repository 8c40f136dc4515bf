"""The commands of a dispute."""
