"""Lists over many games, answered from the read models."""
