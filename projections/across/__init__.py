"""Projections over many games: what is known of each game from its public parts alone, and the ladder."""
