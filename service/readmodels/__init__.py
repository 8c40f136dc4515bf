"""Following the games: read models kept from the feed, measured, and built anew beside the live ones."""
